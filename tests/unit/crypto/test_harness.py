"""Queries answered by a scripted model over the committed archives: answers, sources, prompts, runs, public files."""

from __future__ import annotations

import asyncio
import csv
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.unit.crypto.working import NOW, offline_context, offline_data, provider
from verifaible.agent.loop import Limits
from verifaible.crypto.harness import Asking, answer, attempt
from verifaible.crypto.records import HarnessTrial, Switches
from verifaible.crypto.runs import Asked, RunReport, run_queries
from verifaible.crypto.sources import Given
from verifaible.crypto.tools.registry import Endpoints
from verifaible.errors import KeyRejected, ModelUnreachable, RunError
from verifaible.evidence.sources import SourceTexts
from verifaible.judge.answers import Judging
from verifaible.judge.folder import JudgeFolder, reverify
from verifaible.judge.load import read_input
from verifaible.llm.scripted import ScriptedModel, ScriptedTurn
from verifaible.schema.analyst import AnalystAnswer
from verifaible.schema.chat import Message, ModelTurn, ToolCall, Usage

QUERY = "Is $HYPE ahead of SOL this week, and where is the highest APY on USDC?"
TEXT = (
    "**Hyperliquid** trades at $33.46 [src_1], Solana at $142.87 [src_2].\n\n"
    "## Yields\n\n- Raydium's SOL-USDC pool pays 31.2 % [src_3].\n\n## Risks\n\nFigures are of 2026-03-02."
)
SPENT = Usage(input_tokens=1_000, output_tokens=100, cost_usd=0.01)


def calls(*wanted: tuple[str, dict[str, Any]]) -> ModelTurn:
    made = tuple(
        ToolCall(id=f"call_{place}", name=name, arguments=json.dumps(arguments))
        for place, (name, arguments) in enumerate(wanted)
    )
    return ModelTurn(tool_calls=made, usage=SPENT)


def says(text: str) -> ModelTurn:
    return ModelTurn(text=text, usage=SPENT)


RESEARCH = calls(
    ("coingecko_price", {"coins": ["HYPE"]}),
    ("coingecko_coin", {"coin": "SOL"}),
    ("defillama_yields", {"token": "USDC"}),
)


def asking(folder: Path, turns: Sequence[ScriptedTurn], **more: Any) -> Asking:
    return Asking(client=ScriptedModel(turns), context=offline_context(folder), model="maker/model-1", **more)


def told(each: Asking, request: int = 0) -> str:
    assert isinstance(each.client, ScriptedModel)
    return "\n".join(message.text for message in each.client.requests[request].messages)


async def test_answer_has_its_sources_sealed_under_its_marks(tmp_path: Path) -> None:
    context = offline_context(tmp_path)
    client = ScriptedModel([RESEARCH, says(TEXT)])
    made = await answer(QUERY, client=client, context=context, model="m", now=NOW)
    assert made.answer == TEXT
    assert made.answered_at == NOW
    assert made.sources_known
    assert [source.id for source in made.sources] == ["src_1", "src_2", "src_3"]
    assert {source.kind for source in made.sources} == {"api"}
    texts = SourceTexts(context.collector.store)
    assert '"usd":33.46' in texts.text(made.sources[0])
    assert '"apy":31.2' in texts.text(made.sources[2])
    assert made.span.span_name == "Cyrpto Final Response"
    assert made.faults == ()


async def test_search_results_are_sources_of_their_own(tmp_path: Path) -> None:
    turns = [
        calls(("verifaible_web_search", {"query": "federal reserve statement", "max_results": 3})),
        says("[src_1]"),
    ]
    each = asking(tmp_path, turns)
    trial = await attempt("What did the Fed decide?", each, now=NOW)
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
        each = asking(tmp_path / "-".join(("on", *switches.on)), [RESEARCH, says(TEXT)], switches=switches)
        trial = await attempt(QUERY, each, now=NOW)
        assert trial.switches == switches
        seen[switches.on] = told(each)
        assert isinstance(each.client, ScriptedModel)
        tools[switches.on] = [tool.name for tool in each.client.requests[0].tools]
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
        each = asking(tmp_path / str(on), [look, says("x")], switches=Switches(prefer_api=on))
        await attempt("What moves the market?", each, now=NOW)
        assert isinstance(each.client, ScriptedModel)
        result = each.client.requests[1].messages[-1].text
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
        each = asking(tmp_path / str(place), [turn, says(TEXT)], rewriting=True)
        trial = await attempt(query, each, now=NOW)
        understood = trial.understanding
        assert trial.answer.answer == TEXT
        assert note in understood.note
        assert (understood.by == "model") == (not note)
        assert understood.rewritten == (query if note else good["rewritten"])
        assert trial.usage.cost_usd == pytest.approx(0.01 if "connection" in note else 0.02)


async def test_limits_and_silence_leave_an_answer_with_a_fault(tmp_path: Path) -> None:
    each = asking(tmp_path, [RESEARCH, RESEARCH, says(TEXT)], limits=Limits(rounds=2))
    trial = await attempt(QUERY, each, now=NOW)
    assert trial.ended_by == "rounds"
    assert trial.answer.answer == ""
    assert trial.answer.faults[0].code == "empty_answer"
    assert len(trial.answer.sources) == 3


async def test_unknown_coin_and_bad_arguments_are_counted(tmp_path: Path) -> None:
    turn = calls(
        ("coingecko_coin", {"coin": "hyperliqid"}), ("coingecko_price", {"coins": "BTC"}), ("nothing", {})
    )
    trial = await attempt(QUERY, asking(tmp_path, [turn, says("none")]), now=NOW)
    assert trial.tool_errors == {"bad_arguments": 3}
    assert trial.answer.sources == ()


async def test_other_endpoints_are_asked(tmp_path: Path) -> None:
    with provider(lambda path: (200, {}, '[{"name": "Mine", "tvl": 5}]'), tmp_path) as data:
        context = replace(offline_context(tmp_path / "c"), web=data.api.web)
        address = data.toolbox  # the same server
        assert address is not None
        base = await _base_of(data)
        each = Asking(
            client=ScriptedModel([calls(("defillama_chains", {})), says("x")]),
            context=context,
            model="m",
            endpoints=Endpoints(defillama=base),
        )
        trial = await attempt("TVL?", each, now=NOW)
    assert "Mine" in trial.shown["src_1"]


async def _base_of(data: Any) -> str:
    await data("defillama_chains")
    url: str = data.book.sources[0].url
    return url.removesuffix("/v2/chains")


QUERIES = (
    Asked(1, "Is $HYPE ahead of SOL?", ("Market Data & Price Discovery",)),
    Asked(2, "한글로, what is BTC?", ("Macro & Narrative Context", "Meme Coins")),
    Asked(3, "ta and volume"),
)


async def run(folder: Path, turns: Sequence[ScriptedTurn], **more: Any) -> tuple[RunReport, Asking]:
    each = asking(folder, turns, **{name: more.pop(name) for name in ("switches", "limits") if name in more})
    return await run_queries(more.pop("queries", QUERIES), folder / "run", each, now=NOW, **more), each


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
    assert [got.answer for got in loaded.answers] == [trial.answer.answer for trial in report.trials]
    first, trial = loaded.answers[0], report.trials[0]
    assert first.faults == ()
    assert first.tags == trial.answer.tags
    assert first.answered_at == NOW
    assert first.span == trial.answer.span
    assert first.sources_known
    assert loaded.answers[1].tags == QUERIES[1].tags
    texts = SourceTexts(each.context.collector.store)
    assert {
        source.id: texts.text(source) for source in first.sources if source.id in trial.shown
    } == trial.shown


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
    assert [trial.ended_by for trial in report.trials] == ["answer", "model_error", "answer"]
    assert report.trials[1].answer.faults[0].message == "No connection."
    again, each = await run(tmp_path, [says("two")])
    assert [trial.answer.answer for trial in again.trials] == ["one", "two", "three"]
    assert isinstance(each.client, ScriptedModel)
    assert len(each.client.requests) == 1
    kept = (tmp_path / "run" / "trials.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(kept) == 4


async def test_run_goes_on_behind_a_torn_line(tmp_path: Path) -> None:
    await run(tmp_path, [says("one")], queries=QUERIES[:1])
    with (tmp_path / "run" / "trials.jsonl").open("a", encoding="utf-8") as opened:
        opened.write('{"row": 2, "key": "to')
    report, _ = await run(tmp_path, [says("two"), says("three")])
    assert [trial.answer.answer for trial in report.trials] == ["one", "two", "three"]


async def test_run_goes_on_only_with_the_same_settings_and_queries(tmp_path: Path) -> None:
    await run(tmp_path, [says("one")], queries=QUERIES[:1])
    with pytest.raises(RunError, match="other settings \\(switches\\)"):
        await run(tmp_path, [], switches=Switches(prefer_api=True))
    with pytest.raises(RunError, match="Row 1 of the queries is not the one"):
        await run(tmp_path, [], queries=(Asked(1, "another"),))


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
    each = asking(tmp_path, [RESEARCH, says("two"), says("three")])
    # nothing can be written where a file stands in the place of the folder of captures
    store = tmp_path / "store"
    store.mkdir(parents=True, exist_ok=True)
    (store / "captures").write_text("no folder")
    report = await run_queries(QUERIES, tmp_path / "run", each, now=NOW)
    assert report.trials[0].ended_by == "infrastructure"
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


def test_trial_survives_its_line() -> None:
    assert (
        HarnessTrial.model_validate_json(
            '{"row":1,"key":"k","chat_id":"c","answer":{"id":"a","origin":"trial","model":"m","query":"q","answer":""},'
            '"understanding":{"query":"q","rewritten":"q"},"started_at":"2026-03-02T12:00:00Z"}'
        ).switches.on
        == ()
    )


async def test_tools_side_by_side_never_share_a_mark(tmp_path: Path) -> None:
    book = offline_data(tmp_path).book
    given = [[Given("api", b"%d" % number, "application/json")] for number in range(8)]
    kept = await asyncio.gather(*(book.keep(each) for each in given))
    assert [source.id for (source,) in kept] == [f"src_{number}" for number in range(1, 9)]
