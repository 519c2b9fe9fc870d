"""Extraction by models, against a scripted one over real HTTP: each mode, quotes, failures, kills, replay."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import run_command
from tests.kit.marks import nightly
from tests.kit.public import PUBLIC, needs_public
from tests.servers.judge_server import JudgeServer, Question, Said, spoken
from tests.servers.openai_server import error
from tests.unit.kg.small import SMALL, taken
from tests.unit.llm.judges import judging
from verifaible.kg.chunks import Chunk, chunks_of, shown, shown_places
from verifaible.kg.extract.by_model import ExtractionInfo
from verifaible.kg.extract.modes import ChunkFailed, extract_chunk, improve_chunk
from verifaible.kg.extract.questions import ChunkText, Questions
from verifaible.kg.filing import read_filing
from verifaible.kg.folder import Extraction, GraphFolder
from verifaible.kg.ontology import read_ontology
from verifaible.kg.triples import Triple

REAL = PUBLIC / "filings"
COMPANY = "Brennock Water Technologies, Inc."
WORDS = "In May 2024 it acquired Calder Flow Systems GmbH for $86 million in cash."
QUESTIONS = Questions(read_ontology(), "single-scripted", "scripted")


def named(head: str, relation: str, tail: str, **more: Any) -> dict[str, Any]:
    return {
        "head": head,
        "head_type": "company",
        "relation": relation,
        "tail": tail,
        "tail_type": "company",
        **more,
    }


BOUGHT = named(COMPANY, "acquired", "Calder Flow Systems GmbH", quote=WORDS)
SOLD = named("Calder Flow Systems GmbH", "owns", COMPANY, quote="it sold everything for $86 million")


def answers(**said: Said | Callable[[Question], Said]) -> Callable[[Question], Said]:
    """What is said to each kind of question."""

    def mind(question: Question) -> Said:
        found = said[question.form]
        return found(question) if callable(found) else found

    return mind


@pytest.fixture(scope="module")
def text() -> ChunkText:
    filing = read_filing(SMALL.read_bytes())
    return next(ChunkText.of(each, filing) for each in chunks_of(filing) if each.item == "1")


def told(triples: tuple[Triple, ...]) -> list[tuple[str, str, str]]:
    return [(each.head, each.relation, each.tail) for each in triples]


# --- quotes


def grounded(text: ChunkText, quote: str) -> Triple:
    item = QUESTIONS.extraction(text)
    said = json.dumps({"triples": [named("a", "b", "c", quote=quote)]})
    (triple,) = item.take(item.form.model_validate_json(said)).data
    return triple


@pytest.mark.parametrize(
    ("words", "quote", "found"),
    [
        (
            "| Net sales | Net sales |  |  | 714 | 714 |",
            "| Net sales | 714 |",
            "| Net sales | Net sales |  |  | 714 | 714 |",
        ),
        ("|  | 12 | 12 | 1 | 1 |", "1 |", "1 | 1 |"),
        ("| Net sales | Net sales |  |  | 714 | 714 |", "Net sales", "Net sales"),
        ("|  |  | Costs | 3 |", "Costs | 3", "Costs | 3"),
        (
            "It sold “pumps” for $3 million.",
            'it sold "pumps" for $3 million',
            "It sold “pumps” for $3 million",
        ),
    ],
)
def test_a_quote_of_what_was_shown_is_found_in_what_stands_there(words: str, quote: str, found: str) -> None:
    assert "".join(words[place] for place in shown_places(words)) == shown(words)
    chunk = Chunk(id="c", start=100, end=100 + len(words), part="", item="", tokens=9)
    triple = grounded(ChunkText(chunk, words), quote)
    assert (triple.ungrounded, triple.quote) == ("", found)
    assert words[triple.start - 100 : triple.end - 100] == found


def test_what_is_shown_is_traced_in_every_chunk() -> None:
    filing = read_filing(SMALL.read_bytes())
    for chunk in chunks_of(filing):
        words = filing.text[chunk.start : chunk.end]
        assert "".join(words[place] for place in shown_places(words)) == shown(words)


@needs_public("filings")
def test_lines_of_a_real_filing_are_found_as_they_are_shown() -> None:
    filing = read_filing((REAL / "unp-10-k-2025-02-07.html").read_bytes())
    folded = 0
    for text in [ChunkText.of(each, filing) for each in chunks_of(filing)[::25]]:
        for line in (each.strip() for each in shown(text.words).splitlines() if any(map(str.isalnum, each))):
            found = grounded(text, line)
            assert (found.ungrounded, shown(found.quote)) == ("", line)
            folded += found.quote != line
    assert folded >= 10  # rows that do not stand there as they are shown


# --- modes


async def test_single_asks_once_with_the_ontology_and_the_context(text: ChunkText, tmp_path: Path) -> None:
    with JudgeServer(answers(single={"triples": [BOUGHT, SOLD]})) as server:
        async with judging(server, tmp_path) as judge:
            got = await extract_chunk("single", judge, QUESTIONS, text)
    (question,) = server.questions
    assert "- acquired: " in question.system
    assert "company -> subsidiary" in question.system
    assert question.parts["the passage"] == shown(text.words).strip()
    assert question.parts["the context"] == "Item 1. Business"
    assert COMPANY in question.parts["the filing"]
    there, not_there = got.triples
    assert (there.quote, there.ungrounded, there.chunk, there.by) == (WORDS, "", text.chunk.id, "scripted")
    assert text.words[there.start - text.chunk.start : there.end - text.chunk.start] == WORDS
    assert (not_there.ungrounded, not_there.quote, not_there.end) == ("not_found", SOLD["quote"], 0)
    assert len({each.id for each in got.triples}) == 2
    assert (got.rounds, got.settled, got.usage.input_tokens) == (0, True, 100)


async def test_a_quote_of_the_context_is_not_in_the_chunk(text: ChunkText, tmp_path: Path) -> None:
    chunk = text.chunk.model_copy(update={"context": ("Net sales of the pumps",)})
    said = {"triples": [named("a", "b", "c", quote="Net sales of the pumps")]}
    with JudgeServer(answers(single=said)) as server:
        async with judging(server, tmp_path) as judge:
            got = await extract_chunk("single", judge, QUESTIONS, ChunkText(chunk, text.words))
    assert got.triples[0].ungrounded == "not_found"


async def test_types_that_the_ontology_does_not_have_are_kept(text: ChunkText, tmp_path: Path) -> None:
    said = named("we", "bought up", "Calder", quote=WORDS, head_type="firm")
    with JudgeServer(answers(single={"triples": [said]})) as server:
        async with judging(server, tmp_path) as judge:
            (triple,) = (await extract_chunk("single", judge, QUESTIONS, text)).triples
    assert (triple.head, triple.head_type, triple.relation) == ("we", "firm", "bought up")


async def test_multi_extracts_freely_and_normalises_with_another_model(
    text: ChunkText, tmp_path: Path
) -> None:
    free = named("Brennock", "took over", "Calder Flow Systems GmbH", quote=WORDS, tail_type="pump maker")
    second = named("the Company", "rivals", "Oriel Pump Works", quote="Brennock competes with")
    normal = {"triples": [{**BOUGHT, "of": 1}]}
    with (
        JudgeServer(answers(free={"triples": [free, second]})) as first,
        JudgeServer(answers(normalise=normal)) as other,
    ):
        async with judging(first, tmp_path) as judge, judging(other, tmp_path) as normaliser:
            got = await extract_chunk("multi", judge, QUESTIONS, text, normaliser=normaliser)
    assert "- acquired: " not in first.questions[0].system
    assert "- acquired: " in other.questions[0].system
    lines = [json.loads(line) for line in other.questions[0].parts["the triples"].splitlines()]
    assert [(line["triple"], line["relation"]) for line in lines] == [(1, "took over"), (2, "rivals")]
    # what the second leaves out keeps its words, and the quote is that of the first
    assert told(got.triples) == [
        (COMPANY, "acquired", "Calder Flow Systems GmbH"),
        ("the Company", "rivals", "Oriel Pump Works"),
    ]
    assert (got.triples[0].quote, got.triples[0].tail_type) == (WORDS, "company")
    assert got.usage.input_tokens == 200


@pytest.mark.parametrize("numbers", [[2], [1, 1], [0]])
async def test_a_normaliser_that_counts_wrong_fails_the_chunk(
    numbers: list[int], text: ChunkText, tmp_path: Path
) -> None:
    plain = {key: value for key, value in BOUGHT.items() if key != "quote"}
    normal = {"triples": [{**plain, "of": number} for number in numbers]}
    with JudgeServer(answers(free={"triples": [BOUGHT]}, normalise=normal)) as server:
        async with judging(server, tmp_path) as judge:
            with pytest.raises(ChunkFailed, match="normalise: content: ") as failed:
                await extract_chunk("multi", judge, QUESTIONS, text)
    assert (failed.value.asked, failed.value.usage.input_tokens) == (True, 300)


async def test_reflection_corrects_until_the_critic_has_nothing_to_say(
    text: ChunkText, tmp_path: Path
) -> None:
    rounds: Iterator[list[dict[str, Any]]] = iter(
        [
            [
                {"triple": 2, "issue": "not in the passage", "suggestion": "drop it"},
                {"triple": 0, "issue": "the head office is missing", "suggestion": "Dunmore, Ohio"},
            ],
            [{"triple": 2, "issue": "generic head", "suggestion": "name the filer"}],
            [],
        ]
    )
    office = named("it", "headquartered_in", "Dunmore, Ohio", quote="headquarters in Dunmore, Ohio")
    corrections: Iterator[dict[str, Any]] = iter(
        [
            {"triples": [{**office, "of": 0}], "dropped": [2]},
            {"triples": [{**office, "head": COMPANY, "of": 2}], "dropped": []},
        ]
    )
    with JudgeServer(
        answers(
            single={"triples": [BOUGHT, SOLD]},
            criticise=lambda question: {"remarks": next(rounds)},
            correct=lambda question: next(corrections),
        )
    ) as server:
        async with judging(server, tmp_path) as judge:
            got = await extract_chunk("reflection", judge, QUESTIONS, text)
    assert [each.form for each in server.questions] == ["single", *["criticise", "correct"] * 2, "criticise"]
    remarks = [json.loads(line) for line in server.questions[2].parts["the remarks"].splitlines()]
    assert remarks[0] == {"triple": 2, "remark": "not in the passage drop it"}
    assert told(got.triples) == [
        (COMPANY, "acquired", "Calder Flow Systems GmbH"),
        (COMPANY, "headquartered_in", "Dunmore, Ohio"),
    ]
    assert len({each.id for each in got.triples}) == 2
    assert (got.rounds, got.settled) == (2, True)


async def test_reflection_ends_after_its_rounds(text: ChunkText, tmp_path: Path) -> None:
    remark = {"remarks": [{"triple": 1, "issue": "wrong", "suggestion": ""}]}
    nothing: dict[str, Any] = {"triples": [], "dropped": []}
    with JudgeServer(answers(single={"triples": [BOUGHT]}, criticise=remark, correct=nothing)) as server:
        async with judging(server, tmp_path) as judge:
            got = await extract_chunk("reflection", judge, QUESTIONS, text, max_rounds=2)
    # nothing was replaced, so the second round's questions are those of the first and cost nothing
    assert Counter(each.form for each in server.questions) == {"single": 1, "criticise": 1, "correct": 1}
    assert (len(got.triples), got.rounds, got.settled) == (1, 2, False)


# --- the correction of others


async def test_improving_leaves_what_has_no_remark_and_keeps_the_id_of_what_is_replaced(
    text: ChunkText, tmp_path: Path
) -> None:
    said = {
        "triples": [
            {**BOUGHT, "of": 2},
            {**BOUGHT, "of": 2, "tail": "Calder"},
            {**BOUGHT, "of": 0, "tail": "Oriel Pump Works"},
        ],
        "dropped": [3],
    }
    with JudgeServer(answers(single={"triples": [BOUGHT, SOLD, SOLD]}, correct=said)) as server:
        async with judging(server, tmp_path) as judge:
            before = (await extract_chunk("single", judge, QUESTIONS, text)).triples
            same, nothing = await improve_chunk(judge, QUESTIONS, text, before, remarks=[(), (), ()])
            assert (same.triples, nothing.input_tokens, len(server.questions)) == (before, 0, 1)
            after, usage = await improve_chunk(
                judge,
                QUESTIONS,
                text,
                before,
                remarks=[(), ("hallucination", "wrong direction"), ("duplicate",)],
                missing=("missing_information",),
            )
    assert after.triples[0] == before[0]
    assert after.triples[1].id == before[1].id
    assert [each.tail for each in after.triples[1:]] == [BOUGHT["tail"], "Calder", "Oriel Pump Works"]
    assert len({each.id for each in (*before, *after.triples)}) == 5
    assert (after.replaced, after.dropped, after.added, usage.input_tokens) == (1, 1, 1, 100)


@pytest.mark.parametrize(
    "said",
    [
        {"triples": [{**BOUGHT, "of": 1}], "dropped": []},
        {"triples": [], "dropped": [1]},
        {"triples": [{**BOUGHT, "of": 2}], "dropped": [2]},
        {"triples": [{**BOUGHT, "of": 7}], "dropped": []},
    ],
)
async def test_a_correction_of_what_nobody_remarked_on_is_refused(
    said: dict[str, Any], text: ChunkText, tmp_path: Path
) -> None:
    with JudgeServer(answers(single={"triples": [BOUGHT, SOLD]}, correct=said)) as server:
        async with judging(server, tmp_path) as judge:
            before = (await extract_chunk("single", judge, QUESTIONS, text)).triples
            with pytest.raises(ChunkFailed, match="correct: content: "):
                await improve_chunk(judge, QUESTIONS, text, before, remarks=[(), ("wrong",)])


# --- a whole filing, by the command


def demo(tmp_path: Path) -> GraphFolder:
    taken(tmp_path, {"VERIFAIBLE_HOME": str(tmp_path)})
    return GraphFolder(tmp_path / "graphs" / "demo")


def environment(folder: GraphFolder, server: JudgeServer) -> dict[str, str]:
    return {
        "VERIFAIBLE_HOME": str(folder.path.parent.parent),
        "VERIFAIBLE_API_KEY": "sk-test",
        "VERIFAIBLE_BASE_URL": server.base_url,
        "VERIFAIBLE_RETRY_S": "0",
    }


def arguments(folder: GraphFolder, *options: str) -> list[str]:
    return ["kg", "extract", str(folder.path), "--model", "some/model", "--api", "chat", *options]


def extract(folder: GraphFolder, server: JudgeServer, *options: str) -> tuple[int, str, str]:
    done = run_command(
        arguments(folder, *options), environment=environment(folder, server), folder=folder.path
    )
    return done.returncode, done.stdout, done.stderr


def info_of(run: Extraction) -> ExtractionInfo:
    return ExtractionInfo.model_validate_json((run.path / "extraction.json").read_bytes())


def a_triple_of(question: Question) -> Said:
    """One triple a passage, of its longest line; none of one that has no long line."""
    line = max(question.parts["the passage"].splitlines(), key=len)
    return {"triples": [named(COMPANY, "reports", "it", quote=line)] if len(line) > 150 else []}


def test_a_filing_is_gone_through_once_and_replayed_without_the_server(tmp_path: Path) -> None:
    folder = demo(tmp_path)
    chunks = folder.chunks()
    with JudgeServer(answers(single=a_triple_of), cost=0.001) as server:
        status, out, err = extract(folder, server, "--mode", "single", "--item", "1A", "--item", "7")
        assert (status, len(server.questions)) == (0, 2), err
        assert extract(folder, server, "--mode", "single", "--chunks", "3")[0] == 0
        assert len(server.questions) == 2 + 2
        status, out, err = extract(folder, server, "--mode", "single", "--json")
        assert (status, len(server.questions)) == (0, len(chunks)), err
    run = folder.run("single-some_model")
    triples = run.triples.read()
    text = folder.filing().text
    assert [each.model_dump(mode="json") for each in triples] == json.loads(out)
    assert [each.chunk for each in triples] == [
        each.id for each in chunks if any(triple.chunk == each.id for triple in triples)
    ]
    assert all(text[each.start : each.end] == each.quote and each.by == "some/model" for each in triples)
    info = info_of(run)
    assert (info.chunks, info.triples, dict(info.failed)) == (len(chunks), len(triples), {})
    assert 0 < len(triples) < len(chunks)
    assert info.usage.cost_usd == pytest.approx(0.001 * len(chunks))
    assert (info.usage.input_tokens, info.seconds > 0) == (100 * len(chunks), True)
    # the server is gone: the same extraction, from the replies that were kept
    before = run.triples.path.read_bytes()
    for file in run.path.iterdir():
        file.unlink()
    status, out, err = extract(folder, server, "--mode", "single")
    assert (status, run.triples.path.read_bytes()) == (0, before), err
    assert info_of(run).usage == info.usage


@pytest.mark.nightly
@pytest.mark.parametrize("number", [nightly(1), 4])
def test_a_process_that_is_killed_loses_no_finished_chunk(number: int, tmp_path: Path) -> None:
    folder = demo(tmp_path)
    arrived, never = threading.Event(), threading.Event()

    def mind(question: Question) -> Said:
        if question.number == number:
            arrived.set()
            return replace(spoken(question, "Too late."), hold=never)
        return a_triple_of(question)

    with JudgeServer(answers(single=mind)) as server:
        command = [
            sys.executable,
            "-m",
            "verifaible.cli",
            *arguments(folder, "--mode", "single", "--concurrency", "1"),
        ]
        with subprocess.Popen(command, env={**os.environ, **environment(folder, server)}) as process:
            assert arrived.wait(300)
            process.kill()
        never.set()
        run = folder.run("single-some_model")
        assert len((run.path / "chunks.jsonl").read_text().splitlines()) == number
        before = run.triples.read()
        assert extract(folder, server, "--mode", "single")[0] == 0
        assert len(server.questions) == len(folder.chunks()) + 1
    assert run.triples.read()[: len(before)] == before
    assert info_of(run).chunks == len(folder.chunks())


def test_what_a_kill_left_half_written_is_written_once(tmp_path: Path) -> None:
    folder = demo(tmp_path)
    with JudgeServer(answers(single=a_triple_of)) as server:
        assert extract(folder, server, "--mode", "single")[0] == 0
        run = folder.run("single-some_model")
        whole = run.triples.path.read_bytes()
        # the triples of a chunk are there and its own line is not, or half of it
        finished = (run.path / "chunks.jsonl").read_text().splitlines(keepends=True)
        last = run.triples.read()[-1].chunk
        kept = [line for line in finished if json.loads(line)["chunk"] != last]
        (run.path / "chunks.jsonl").write_text("".join(kept) + finished[-1][:20])
        run.triples.path.write_bytes(whole + whole[:30])
        asked = len(server.questions)
        assert extract(folder, server, "--mode", "single")[0] == 0
        assert len(server.questions) == asked  # its reply was kept
    assert run.triples.path.read_bytes() == whole
    assert info_of(run).chunks == len(folder.chunks())


def test_a_failed_reply_is_a_failed_chunk_and_asked_again(tmp_path: Path) -> None:
    folder = demo(tmp_path)
    broken = True

    def mind(question: Question) -> Said:
        if broken and "Oriel Pump Works over a patent" in question.user:
            return "There are no triples here."
        if broken and "holders of record" in question.user:
            return error(500, "Out of order.")
        return a_triple_of(question)

    with JudgeServer(answers(single=mind)) as server:
        status, _, err = extract(folder, server, "--mode", "single")
        run = folder.run("single-some_model")
        info = info_of(run)
        assert (status, len(info.failed)) == (1, 2)
        assert all(chunk in err for chunk in info.failed)
        assert {why.split(":")[1].strip() for why in info.failed.values()} == {
            "not_json",
            "model_unreachable",
        }
        assert {each.chunk for each in run.triples.read()}.isdisjoint(info.failed)
        broken, asked = False, len(server.questions)
        # what the endpoint could not answer is asked again; a reply that was kept says the same
        assert extract(folder, server, "--mode", "single")[0] == 1
        assert (len(info_of(run).failed), len(server.questions)) == (1, asked + 1)
    assert info_of(run).chunks == len(folder.chunks())


def test_a_limit_of_cost_leaves_chunks_that_were_not_asked(tmp_path: Path) -> None:
    folder = demo(tmp_path)
    with JudgeServer(answers(single=a_triple_of), cost=0.4) as server:
        status, _, err = extract(folder, server, "--mode", "single", "--max-cost", "1")
        info = info_of(folder.run("single-some_model"))
        assert (status, len(info.failed), len(server.questions)) == (1, 0, 3)
        assert (info.chunks, len(info.not_asked)) == (3, len(folder.chunks()) - 3)
        assert "the limit of 1 US dollars is reached" in err
        assert extract(folder, server, "--mode", "single")[0] == 0
    assert info_of(folder.run("single-some_model")).not_asked == {}


def test_a_limit_of_cost_holds_for_both_models_together(tmp_path: Path) -> None:
    folder = demo(tmp_path)
    plain = {key: value for key, value in BOUGHT.items() if key != "quote"}
    said = answers(free={"triples": [BOUGHT]}, normalise={"triples": [{**plain, "of": 1}]})
    with JudgeServer(said, cost=0.4) as server:
        extract(folder, server, "--mode", "multi", "--normaliser", "other/model", "--max-cost", "1")
        assert {each.body["model"] for each in server.questions} == {"some/model", "other/model"}
        assert len(server.questions) == 3
    assert folder.run("multi-some_model-other_model").path.is_dir()


def test_reflection_over_a_filing_says_where_the_critic_was_not_done(tmp_path: Path) -> None:
    folder = demo(tmp_path)
    said = answers(
        single=a_triple_of,
        criticise=lambda question: {
            "remarks": [{"triple": 1, "issue": "generic", "suggestion": "name it"}]
            if "Three customers" in question.user
            else []
        },
        correct=lambda question: {
            "triples": [named(COMPANY, "exposed_to", "loss of a customer", of=1, quote="Three customers")],
            "dropped": [],
        },
    )
    with JudgeServer(said) as server:
        status, _, err = extract(folder, server, "--mode", "reflection", "--max-rounds", "1")
    run = folder.run("reflection-some_model")
    info = info_of(run)
    assert (status, info.unsettled, info.setup.max_rounds) == (0, 1, 1), err
    assert [each.quote for each in run.triples.read() if each.relation == "exposed_to"] == ["Three customers"]
    assert f"reflection-some_model: {info.triples} triples, 0 of them ungrounded" in err


def test_another_ontology_is_another_extraction(tmp_path: Path) -> None:
    folder = demo(tmp_path)
    own = tmp_path / "own.json"
    shipped = read_ontology().model_dump(mode="json")
    own.write_text(
        json.dumps({**shipped, "types": {**shipped["types"], "ship": {"definition": "It floats."}}})
    )
    with JudgeServer(answers(single=a_triple_of)) as server:
        assert extract(folder, server, "--mode", "single", "--chunks", "1")[0] == 0
        status, _, err = extract(folder, server, "--mode", "single", "--ontology", str(own))
        assert (status, "begun with another setup (instructions" in err) == (2, True)
        assert len(server.questions) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--mode", "single", "--item", "99"], "The filing has no item 99, but 1, 1A"),
        (["--mode", "single", "--model", ""], "Name one with --model"),
    ],
)
def test_what_cannot_be_asked_says_what_to_do(options: list[str], message: str, tmp_path: Path) -> None:
    folder = demo(tmp_path)
    with JudgeServer(answers()) as server:
        status, _, err = extract(folder, server, *options)
    assert (status, message in err) == (2, True), err
