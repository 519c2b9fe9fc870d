"""Queries answered by a scripted model over the committed archives: answers, sources, prompts, runs, public files."""

from __future__ import annotations

import asyncio
import csv
import json
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.unit.crypto.scripted import calls, says
from tests.unit.crypto.working import NOW, offline_context, offline_data
from verifaible.agent.loop import Limits
from verifaible.crypto.chat.conversations import Answered, ToolFinished
from verifaible.crypto.chat.turn import Analyst
from verifaible.crypto.providers.endpoint import Places
from verifaible.crypto.providers.session import Given
from verifaible.crypto.providers.toolset import toolbox
from verifaible.crypto.query import Switches
from verifaible.crypto.run import Asked, RunReport, Trial, ask, public_text, run_queries
from verifaible.errors import KeyRejected, ModelUnreachable, RunError
from verifaible.evidence.sources import SourceTexts
from verifaible.judge.answers import Judging
from verifaible.judge.folder import JudgeFolder, reverify
from verifaible.judge.load import read_input
from verifaible.llm.scripted import ScriptedModel, ScriptedTurn
from verifaible.schema.analyst import AnalystAnswer
from verifaible.schema.chat import Message, ModelTurn

QUERY = "Is $HYPE ahead of SOL this week, and where is the highest APY on USDC?"
TEXT = (
    "**Hyperliquid** trades at $33.46 [src_1#/hyperliquid/usd], Solana at "
    "$142.87 [src_2#/market_data/current_price/usd].\n\n## Risks\n\nFigures are of 2026-03-02."
)
RESEARCH = calls(
    ("coingecko_price", {"coins": ["HYPE"]}),
    ("coingecko_coin", {"coin": "SOL"}),
    ("defillama_yields", {"token": "USDC"}),
)


def analyst(
    folder: Path, turns: Sequence[ScriptedTurn], endpoints: Places | None = None, **more: Any
) -> Analyst:
    client, context = ScriptedModel(turns), offline_context(folder)
    switches = more.setdefault("switches", Switches())
    more.setdefault("now", lambda: NOW)
    return Analyst(
        client, client, context, lambda api, _: toolbox(context, api, switches, endpoints), "react", **more
    )


def model_of(each: Analyst) -> ScriptedModel:
    assert isinstance(each.caller, ScriptedModel)
    return each.caller


def told(each: Analyst, request: int = 0) -> str:
    return "\n".join(message.text for message in model_of(each).requests[request].messages)


async def attempt(query: str, each: Analyst) -> Trial:
    return await ask(query, each, model="maker/model-1")


def refusals(trial: Trial) -> list[str]:
    finished = (each for each in trial.turn.events if isinstance(each, ToolFinished))
    return [each.error_code for each in finished if each.error_code]


async def test_answer_has_its_sources_sealed_under_its_marks_and_its_numbers_checked(tmp_path: Path) -> None:
    each = analyst(tmp_path, [RESEARCH, says(TEXT)])
    trial = await attempt(QUERY, each)
    made = trial.answer
    assert made.answer == TEXT
    assert made.answered_at == NOW
    assert made.sources_known
    assert [source.id for source in made.sources] == ["src_1", "src_2", "src_3"]
    assert {source.kind for source in made.sources} == {"api"}
    texts = SourceTexts(each.context.collector.store)
    assert '"usd":33.46' in texts.text(made.sources[0])
    assert '"apy":31.2' in texts.text(made.sources[2])
    assert made.span.span_name == "Cyrpto Final Response"
    assert made.faults == ()
    assert isinstance(trial.end, Answered)
    assert [number.status for number in trial.end.numbers] == ["resolved", "resolved"]


async def test_a_wrong_number_is_told_once_and_mended_with_the_tools_at_hand(tmp_path: Path) -> None:
    wrong = TEXT.replace("33.46", "43.46")
    each = analyst(tmp_path, [RESEARCH, says(wrong), says(TEXT)])
    trial = await attempt(QUERY, each)
    assert trial.answer.answer == TEXT
    assert "- $43.46" in told(each, 2) and "142.87 [src_2" in told(each, 2)
    assert model_of(each).requests[2].tools
    kept = await attempt(QUERY, analyst(tmp_path / "k", [RESEARCH, says(wrong), ModelUnreachable("away")]))
    assert kept.answer.answer == wrong
    assert isinstance(kept.end, Answered)
    assert [number.status for number in kept.end.numbers] == ["wrong", "resolved"]


async def test_search_results_are_sources_of_their_own(tmp_path: Path) -> None:
    turns = [
        calls(("verifaible_web_search", {"query": "federal reserve statement", "max_results": 3})),
        says("[src_1]"),
    ]
    each = analyst(tmp_path, turns)
    trial = await attempt("What did the Fed decide?", each)
    assert [source.kind for source in trial.answer.sources] == ["snippet"] * 3
    assert all(source.url.startswith("http") for source in trial.answer.sources)
    assert "Marks of these results: 1 = [src_1], 2 = [src_2], 3 = [src_3]." in told(each, 1)
    texts = SourceTexts(each.context.collector.store)
    for source in trial.answer.sources:
        assert texts.text(source).splitlines()[1] == source.url


async def test_each_switch_changes_what_the_model_is_told_and_nothing_else_does(tmp_path: Path) -> None:
    seen: dict[tuple[str, ...], str] = {}
    tools: dict[tuple[str, ...], list[str]] = {}
    for switches in (
        Switches(),
        Switches(prefer_api=True),
        Switches(time_context=True),
        Switches(depth_prompts=True),
    ):
        each = analyst(tmp_path / "-".join(("on", *switches.on)), [RESEARCH, says(TEXT)], switches=switches)
        await attempt(QUERY, each)
        seen[switches.on] = told(each)
        tools[switches.on] = [tool.name for tool in model_of(each).requests[0].tools]
        assert ("3 hours old" in told(each, 1)) == switches.time_context
    plain = seen[()]
    assert "Structured data go first" not in plain
    assert "Now is" not in plain
    assert "What an answer of this kind needs" not in plain
    assert "Structured data go first" in seen["prefer_api",]
    assert tools[()][0] == "verifaible_web_search"
    assert tools["prefer_api",][0] == "coingecko_price"
    assert sorted(tools[()]) == sorted(tools["prefer_api",])
    assert "Now is 2026-03-02 12:00 UTC" in seen["time_context",]
    assert "“this week” means 2026-03-02 (days in UTC)" in seen["time_context",]
    assert "What an answer of this kind needs" in seen["depth_prompts",]
    # nothing but the added block differs
    for on, text in seen.items():
        lines = set(text.splitlines())
        assert set(plain.splitlines()) <= lines, on


async def test_data_come_before_the_results_of_a_search(tmp_path: Path) -> None:
    look = calls(("coingecko_global", {}), ("verifaible_web_search", {"query": "rate"}))
    for on in (False, True):
        each = analyst(tmp_path / str(on), [look, says("x")], switches=Switches(prefer_api=on))
        await attempt("What moves the market?", each)
        result = model_of(each).requests[1].messages[-1].text
        assert result.startswith("Structured data so far") == on
        assert ("- [src_1] the whole market" in result) == on


async def test_rewriting_is_used_only_where_it_can_be_checked(tmp_path: Path) -> None:
    query = "give me best entry for cardano, with 10x"
    good: dict[str, Any] = {
        "rewritten": "Give me the best entry for Cardano (ADA) with 10x leverage.",
        "entities": ["Cardano"],
    }
    cases: list[tuple[ScriptedTurn, str]] = [
        (says(json.dumps({**good, "category": "Trading & Strategy Design"})), ""),
        (says("Sure! I would love to."), "Not rewritten"),
        (
            says(json.dumps({**good, "category": "x", "rewritten": "Entry for Cardano?"})),
            "lost the number 10",
        ),
        (
            says(json.dumps({**good, "category": "x", "rewritten": good["rewritten"] + " At $0.55"})),
            "added the number",
        ),
        (
            says(json.dumps({**good, "category": "x", "entities": ["Zorblax"]})),
            "'Zorblax', which the query does not",
        ),
        (ModelUnreachable("No connection."), "No connection"),
    ]
    for place, (turn, note) in enumerate(cases):
        each = analyst(tmp_path / str(place), [turn, says(TEXT)], rewriting=True)
        trial = await attempt(query, each)
        understood = trial.understanding
        assert trial.answer.answer == TEXT
        assert note in understood.note
        assert (understood.by == "model") == (not note)
        assert understood.rewritten == (query if note else good["rewritten"])
        assert trial.usage.cost_usd == pytest.approx(0.01 if "connection" in note else 0.02)


async def test_limits_and_silence_leave_an_answer_with_a_fault(tmp_path: Path) -> None:
    endless = [RESEARCH, RESEARCH, says(TEXT)]
    for limits, turns, word in (
        (Limits(rounds=2), endless, "2 rounds"),
        (Limits(tokens=1_000), endless, "1000 tokens"),
        (Limits(cost_usd=0.01), endless, "0.01 US dollars"),
        (Limits(), [says(""), says("")], "no text"),
    ):
        trial = await attempt(QUERY, analyst(tmp_path / word, turns, limits=limits))
        assert trial.answer.answer == "" and word in trial.error
        assert trial.answer.faults[0].code == "empty_answer"


async def test_a_model_that_reads_the_web_of_the_present_is_told_of_an_earlier_time(tmp_path: Path) -> None:
    for days, told_so in ((0, False), (20, True)):
        each = analyst(tmp_path / str(days), [calls(("coingecko_price", {"coins": ["HYPE"]})), says("x")])
        trial = await ask(QUERY, each, model="m", as_of=NOW - timedelta(days=days))
        assert ("Searches and pages are of the present" in told(each)) == told_so
        assert bool(refusals(trial)) == told_so  # a price of the present is not given


async def test_unknown_coin_and_bad_arguments_are_counted(tmp_path: Path) -> None:
    turn = calls(
        ("coingecko_coin", {"coin": "hyperliqid"}), ("coingecko_price", {"coins": "BTC"}), ("nothing", {})
    )
    trial = await attempt(QUERY, analyst(tmp_path, [turn, says("none")]))
    assert refusals(trial) == ["bad_arguments"] * 3
    assert trial.answer.sources == ()


QUERIES = (
    Asked(1, "Is $HYPE ahead of SOL?", ("Market Data & Price Discovery",)),
    Asked(2, "한글로, what is BTC?", ("Macro & Narrative Context", "Meme Coins")),
    Asked(3, "ta and volume"),
)


async def run(folder: Path, turns: Sequence[ScriptedTurn], **more: Any) -> tuple[RunReport, Analyst]:
    each = analyst(folder, turns, **{name: more.pop(name) for name in ("switches", "limits") if name in more})
    queries = more.pop("queries", QUERIES)
    return await run_queries(queries, folder / "run", each, model="maker/model-1", **more), each


async def test_run_is_written_in_the_public_form_and_read_back(tmp_path: Path) -> None:
    report, each = await run(
        tmp_path, [RESEARCH, says(TEXT), says('BTC, "quoted"\nand 한글.'), says("None.")]
    )
    assert [bool(trial.answer.answer) for trial in report.trials] == [True, True, True]
    assert report.usage.cost_usd == pytest.approx(0.04)
    with (tmp_path / "run" / "answers.csv").open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert list(rows[0]) == ["query", "tags", "maker-model-1_response", "maker-model-1_chat_id"]
    assert [row["query"] for row in rows] == [asked.query for asked in QUERIES]
    lines = (tmp_path / "run" / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    assert [AnalystAnswer.model_validate_json(line) for line in lines] == [
        trial.answer for trial in report.trials
    ]

    loaded = read_input(tmp_path / "run" / "answers.csv", store=each.context.collector.store)
    assert loaded.faults == ()
    assert [got.answer for got in loaded.answers] == [
        public_text(trial.answer.answer) for trial in report.trials
    ]
    first, trial = loaded.answers[0], report.trials[0]
    assert first.faults == ()
    assert first.tags == trial.answer.tags
    assert first.answered_at == NOW
    assert first.span == trial.answer.span
    assert first.sources_known
    assert loaded.answers[1].tags == QUERIES[1].tags
    texts = SourceTexts(each.context.collector.store)
    given = {source.id: texts.text(source) for source in first.sources}
    assert given == trial.shown
    assert given == {source.id: texts.text(source) for source in trial.answer.sources}


async def test_a_trace_has_of_a_long_answer_what_the_model_was_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verifaible.crypto.providers.session.WHOLE_BYTES", 2_000)
    report, each = await run(tmp_path, [RESEARCH, says(TEXT)], queries=QUERIES[:1])
    (trial,) = report.trials
    (path,) = (tmp_path / "run" / "output" / "maker-model-1" / "traces").iterdir()
    span = json.loads(path.read_text(encoding="utf-8"))["traces"][0]["spans"][0]
    messages = json.loads(span["attributes.input.value"])["messages"]
    context = {item["src_id"]: item["content"] for item in json.loads(messages[-1]["content"])}
    texts = SourceTexts(each.context.collector.store)
    whole = {source.id: texts.text(source) for source in trial.answer.sources}
    assert {name for name in whole if context[name] == whole[name]} == {"src_1", "src_2"}
    assert context["src_3"] and context["src_3"] in told(each, 1)


async def test_the_public_files_are_written_without_the_captures(tmp_path: Path) -> None:
    await run(tmp_path, [RESEARCH, says(TEXT)], queries=QUERIES[:1])
    before = {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()}
    written = [path for path in before if path.name == "answers.csv" or path.parent.name == "traces"]
    for path in written:
        path.unlink()
    for path in (tmp_path / "store").rglob("*"):
        if path.is_file():
            path.unlink()
    await run(tmp_path, [], queries=QUERIES[:1])
    assert len(written) == 2 and all(path.read_bytes() == before[path] for path in written)


@pytest.mark.parametrize("named", ["", "answers.jsonl"])
async def test_answers_of_a_run_are_judged_on_its_own_captures(named: str, tmp_path: Path) -> None:
    report, each = await run(tmp_path, [RESEARCH, says(TEXT), says("None."), says("None.")])
    store = each.context.collector.store
    before = store.custody.count()
    loaded = read_input(tmp_path / "run" / named, store=store)
    assert loaded.faults == ()
    folder = JudgeFolder.create(tmp_path / "judged", "run")
    await Judging(SourceTexts(store), ("citations", "hallucination")).into(folder, loaded.answers)
    assert store.custody.count() == before  # nothing was sealed again
    given = {source.capture for source in report.trials[0].answer.sources}
    first = report.trials[0].answer.id
    claims = [claim for claim in folder.claims() if claim.answer == first]
    exact = [claim for claim in claims if claim.hallucination and claim.hallucination.status == "exact"]
    assert exact
    assert all(
        passage.capture in given
        for claim in exact
        if claim.hallucination is not None and claim.hallucination.finding is not None
        for passage in claim.hallucination.finding.passages
    )
    assert reverify(folder, SourceTexts(store)).ok


async def test_failed_query_stops_no_other_and_is_asked_again(tmp_path: Path) -> None:
    turns: list[ScriptedTurn] = [says("one"), ModelUnreachable("No connection."), says("three")]
    report, _ = await run(tmp_path, turns)
    assert [trial.error_code for trial in report.trials] == ["", "model_unreachable", ""]
    assert report.trials[1].answer.faults[0].message == "No connection."
    again, each = await run(tmp_path, [says("two")])
    assert [trial.answer.answer for trial in again.trials] == ["one", "two", "three"]
    assert len(model_of(each).requests) == 1
    kept = (tmp_path / "run" / "trials.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(kept) == 4


async def test_only_the_rows_asked_for_count_and_the_files_keep_all(tmp_path: Path) -> None:
    await run(tmp_path, [says("one"), ModelUnreachable("No connection."), says("three")])
    told: list[tuple[int, int]] = []
    report, _ = await run(
        tmp_path,
        [ModelUnreachable("No connection.")],
        queries=QUERIES[:2],
        told=lambda trial, done, of: told.append((done, of)),
    )
    assert (report.answered, [trial.row for trial in report.trials], report.left) == (1, [1, 2], 0)
    assert told == [(2, 2)]
    assert report.usage.cost_usd == pytest.approx(0.01)
    assert len((tmp_path / "run" / "answers.jsonl").read_text(encoding="utf-8").splitlines()) == 3


async def test_run_goes_on_behind_a_torn_line(tmp_path: Path) -> None:
    await run(tmp_path, [says("one")], queries=QUERIES[:1])
    with (tmp_path / "run" / "trials.jsonl").open("a", encoding="utf-8") as opened:
        opened.write('{"row": 2, "key": "to')
    report, _ = await run(tmp_path, [says("two"), says("three")])
    assert [trial.answer.answer for trial in report.trials] == ["one", "two", "three"]


async def test_run_goes_on_only_with_the_same_settings_and_queries(tmp_path: Path) -> None:
    await run(tmp_path, [says("one")], queries=QUERIES[:1])
    with pytest.raises(RunError, match="differs in: switches"):
        await run(tmp_path, [], switches=Switches(prefer_api=True))
    with pytest.raises(RunError, match="Row 1 of the queries is not the one"):
        await run(tmp_path, [], queries=(Asked(1, "another"),))


async def test_run_of_an_older_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    await run(tmp_path, [says("one")], queries=QUERIES[:1])
    info = tmp_path / "run" / "harness.json"
    info.write_text(info.read_text("utf-8").replace('"format": 2', '"format": 1'), "utf-8")
    before = (tmp_path / "run" / "answers.csv").read_bytes()
    with pytest.raises(RunError, match=r"another version of verifaible\. Name another folder"):
        await run(tmp_path, [says("two"), says("three")])
    assert (tmp_path / "run" / "answers.csv").read_bytes() == before


async def test_rejected_key_ends_the_run_at_once(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="The key is wrong"):
        await run(tmp_path, [KeyRejected("The key is wrong.")])
    lines = (tmp_path / "run" / "trials.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1


async def test_run_begins_no_query_behind_its_limit_of_cost(tmp_path: Path) -> None:
    report, _ = await run(tmp_path, [says("one"), says("two"), says("three")], most_cost_usd=0.015)
    assert [trial.answer.answer for trial in report.trials] == ["one", "two"]
    assert report.left == 1
    again, _ = await run(tmp_path, [], most_cost_usd=0.02)
    assert again.left == 1


async def test_damaged_store_is_the_machine_not_the_model(tmp_path: Path) -> None:
    each = analyst(tmp_path, [RESEARCH, says("two"), says("three")])
    # nothing can be written where a file stands in the place of the folder of captures
    store = tmp_path / "store"
    store.mkdir(parents=True, exist_ok=True)
    (store / "captures").write_text("no folder")
    report = await run_queries(QUERIES, tmp_path / "run", each, model="m")
    assert report.trials[0].error_code == "infrastructure"
    assert [bool(trial.answer.answer) for trial in report.trials] == [False, True, True]


async def test_queries_side_by_side_keep_their_marks_apart(tmp_path: Path) -> None:
    def turn(messages: Sequence[Message]) -> ModelTurn:
        asked = messages[1].text
        if messages[-1].role != "tool":
            return calls(("coingecko_price", {"coins": ["BTC" if "BTC" in asked else "SOL"]}))
        return says(f"{'BTC' if 'BTC' in asked else 'SOL'} [src_1]")

    queries = [Asked(row, f"Price of {'BTC' if row % 2 else 'SOL'}, number {row}?") for row in range(1, 9)]
    report, _ = await run(tmp_path, [turn] * 16, queries=queries, at_once=4)
    assert len(report.trials) == 8
    for trial in report.trials:
        assert [source.id for source in trial.answer.sources] == ["src_1"]
        assert ("bitcoin" in trial.answer.sources[0].url) == ("BTC" in trial.answer.answer)


async def test_tools_side_by_side_never_share_a_mark(tmp_path: Path) -> None:
    book = offline_data(tmp_path).book
    given = [[Given("api", b"%d" % number, "application/json")] for number in range(8)]
    kept = await asyncio.gather(*(book.keep(each) for each in given))
    assert [source.id for (source,) in kept] == [f"src_{number}" for number in range(1, 9)]
