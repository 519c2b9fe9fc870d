"""Extraction by models, against a scripted one over real HTTP: each mode, quotes, failures, kills, replay."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import run_command
from tests.kit.public import PUBLIC, needs_public
from tests.servers.judge_server import JudgeServer, Question, Said, spoken
from tests.servers.openai_server import error
from tests.unit.kg.small import SMALL, taken
from tests.unit.llm.judges import judging
from verifaible.kg.chunks import chunks_of, shown, shown_places
from verifaible.kg.extraction import ChunkFailed, ChunkSteps
from verifaible.kg.extraction_prompts import ChunkText, Questions, Remark
from verifaible.kg.filing import read_filing
from verifaible.kg.folder import GraphFolder
from verifaible.kg.ontology import read_ontology
from verifaible.kg.quoted import rests_on, shown_place
from verifaible.kg.triples import Triple

REAL = PUBLIC / "filings"
COMPANY = "Brennock Water Technologies, Inc."
WORDS = "In May 2024 it acquired Calder Flow Systems GmbH for $86 million in cash."
QUESTIONS = Questions(read_ontology(), "single-scripted", "scripted")


def named(head: str, relation: str, tail: str, **more: Any) -> dict[str, Any]:
    types = {"head_type": "company", "tail_type": "company"}
    return {"head": head, "relation": relation, "tail": tail, **types, **more}


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


@pytest.mark.parametrize(
    ("words", "quote", "found"),
    [
        ("| Net sales | Net sales |  | 714 | 714 |", "| Net sales | 714 |", "| Net sales | Net sales |  | 714 | 714 |"),
        ("|  | 12 | 12 | 1 | 1 |", "1 |", "1 | 1 |"),
        ("| Net sales | Net sales |  |  | 714 | 714 |", "Net sales", "Net sales"),
        ("|  |  | Costs | 3 |", "Costs | 3", "Costs | 3"),
        ("It sold “pumps” for $3.", 'it sold "pumps" for $3', "It sold “pumps” for $3"),
    ],
)  # fmt: skip
def test_a_quote_of_what_was_shown_is_found_in_what_stands_there(words: str, quote: str, found: str) -> None:
    assert "".join(words[place] for place in shown_places(words)) == shown(words)
    place = shown_place(words, quote)
    assert place is not None and words[slice(*place)] == found


@needs_public("filings")
def test_lines_of_a_real_filing_are_found_as_they_are_shown() -> None:
    filing = read_filing((REAL / "unp-10-k-2025-02-07.html").read_bytes())
    folded = 0
    for chunk in chunks_of(filing)[::25]:
        words = filing.text[chunk.start : chunk.end]
        for line in (each.strip() for each in shown(words).splitlines() if any(map(str.isalnum, each))):
            place = shown_place(words, line)
            assert place is not None and shown(words[slice(*place)]) == line
            folded += words[slice(*place)] != line
    assert folded >= 10  # rows that do not stand there as they are shown


@pytest.mark.parametrize(
    ("head", "tail", "words", "bears"),
    [
        ("The Home Depot, Inc.", "SRS Distribution", "the", False),
        ("The Home Depot, Inc.", "SRS Distribution", "the Company acquired SRS", True),
        ("Brennock", "leased trucks", "and in the year", False),
        ("Brennock", "470,100 associates", "we employed associates", False),
        ("Brennock", "470,100 associates", "we employed approximately 470,100 associates", True),
        ("Brennock", "3 customers", "Three customers of Brennock", True),
        ("Brennock", "risk of loss", "losses and risks of it", True),
    ],
)
def test_words_bear_a_triple_whose_name_and_figure_they_hold(
    head: str, tail: str, words: str, bears: bool
) -> None:
    triple = Triple.model_validate({**named(head, "reports", tail), "id": "t", "by": "m"})
    assert rests_on(triple, words) == bears


# --- modes


async def test_single_asks_once_with_the_ontology_and_the_context(text: ChunkText, tmp_path: Path) -> None:
    idle = {**BOUGHT, "quote": "In May"}
    with JudgeServer(answers(single={"triples": [BOUGHT, SOLD, idle]})) as server:
        async with judging(server, tmp_path) as judge:
            steps = ChunkSteps(judge, QUESTIONS, text)
            there, not_there, unsupported = await steps.extract("single")
    (question,) = server.questions
    assert "- acquired: " in question.system
    assert "company -> subsidiary" in question.system
    assert question.parts["the passage"] == shown(text.words).strip()
    assert question.parts["the context"] == "Item 1. Business"
    assert COMPANY in question.parts["the filing"]
    assert (there.quote, there.ungrounded, there.chunk, there.by) == (WORDS, "", text.chunk.id, "scripted")
    assert text.words[there.start - text.chunk.start : there.end - text.chunk.start] == WORDS
    assert (not_there.ungrounded, not_there.quote, not_there.end) == ("not_found", "", 0)
    assert (unsupported.ungrounded, unsupported.end) == ("unsupported", 0)
    assert len({there.id, not_there.id, unsupported.id}) == 3
    assert (steps.settled, steps.usage.input_tokens) == (True, 100)


async def test_a_quote_of_the_context_is_not_in_the_chunk_and_other_types_are_kept(
    text: ChunkText, tmp_path: Path
) -> None:
    chunk = text.chunk.model_copy(update={"context": ("Net sales of the pumps",)})
    said = named("pumps", "bought up", "sales", quote="Net sales of the pumps", head_type="firm")
    with JudgeServer(answers(single={"triples": [said]})) as server:
        async with judging(server, tmp_path) as judge:
            (got,) = await ChunkSteps(judge, QUESTIONS, ChunkText(chunk, text.words)).extract("single")
    assert (got.ungrounded, got.head_type, got.relation) == ("not_found", "firm", "bought up")


async def test_multi_extracts_freely_and_normalises(text: ChunkText, tmp_path: Path) -> None:
    free = named("Brennock", "took over", "Calder Flow Systems GmbH", quote=WORDS, tail_type="pump maker")
    second = named("the Company", "rivals", "Oriel Pump Works", quote="Brennock competes with")
    normal = {"triples": [{**BOUGHT, "of": 1}]}
    with JudgeServer(answers(free={"triples": [free, second]}, normalise=normal)) as server:
        async with judging(server, tmp_path) as judge:
            steps = ChunkSteps(judge, QUESTIONS, text)
            got = await steps.extract("multi")
    first, other = server.questions
    assert "- acquired: " not in first.system
    assert "- acquired: " in other.system
    lines = [json.loads(line) for line in other.parts["the triples"].splitlines()]
    assert [(line["triple"], line["relation"]) for line in lines] == [(1, "took over"), (2, "rivals")]
    # what the second leaves out keeps its words, and the quote is that of the first
    assert told(got) == [
        (COMPANY, "acquired", "Calder Flow Systems GmbH"),
        ("the Company", "rivals", "Oriel Pump Works"),
    ]
    assert (got[0].quote, got[0].tail_type, steps.usage.input_tokens) == (WORDS, "company", 200)


@pytest.mark.parametrize("numbers", [[2], [1, 1], [0]])
async def test_a_normaliser_that_counts_wrong_fails_the_chunk(
    numbers: list[int], text: ChunkText, tmp_path: Path
) -> None:
    plain = {key: value for key, value in BOUGHT.items() if key != "quote"}
    normal = {"triples": [{**plain, "of": number} for number in numbers]}
    with JudgeServer(answers(free={"triples": [BOUGHT]}, normalise=normal)) as server:
        async with judging(server, tmp_path) as judge:
            steps = ChunkSteps(judge, QUESTIONS, text)
            with pytest.raises(ChunkFailed, match="normalise: content: ") as failed:
                await steps.extract("multi")
    assert (failed.value.asked, steps.usage.input_tokens) == (True, 300)


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
            steps = ChunkSteps(judge, QUESTIONS, text)
            got = await steps.extract("reflection")
    assert [each.form for each in server.questions] == ["single", *["criticise", "correct"] * 2, "criticise"]
    remarks = [json.loads(line) for line in server.questions[2].parts["the remarks"].splitlines()]
    assert remarks[0] == {"triple": 2, "remark": "not in the passage drop it"}
    assert told(got) == [
        (COMPANY, "acquired", "Calder Flow Systems GmbH"),
        (COMPANY, "headquartered_in", "Dunmore, Ohio"),
    ]
    assert len({each.id for each in got}) == 2
    assert steps.settled


async def test_reflection_ends_after_its_rounds(text: ChunkText, tmp_path: Path) -> None:
    remark = {"remarks": [{"triple": 1, "issue": "wrong", "suggestion": ""}]}
    nothing: dict[str, Any] = {"triples": [], "dropped": []}
    with JudgeServer(answers(single={"triples": [BOUGHT]}, criticise=remark, correct=nothing)) as server:
        async with judging(server, tmp_path) as judge:
            steps = ChunkSteps(judge, QUESTIONS, text)
            got = await steps.extract("reflection", max_rounds=2)
    # nothing was replaced, so the second round's questions are those of the first and cost nothing
    assert [each.form for each in server.questions] == ["single", "criticise", "correct"]
    assert (len(got), steps.settled) == (1, False)


async def test_a_correction_leaves_what_has_no_remark_and_keeps_the_id_of_what_is_replaced(
    text: ChunkText, tmp_path: Path
) -> None:
    instead = [
        {**BOUGHT, "of": 2},
        {**BOUGHT, "of": 2, "tail": "Calder"},
        {**BOUGHT, "of": 0, "tail": "cash"},
    ]
    said = {"triples": instead, "dropped": [3]}
    with JudgeServer(answers(single={"triples": [BOUGHT, SOLD, SOLD]}, correct=said)) as server:
        async with judging(server, tmp_path) as judge:
            steps = ChunkSteps(judge, QUESTIONS, text)
            before = await steps.extract("single")
            assert await steps.correct(before, []) == before
            assert len(server.questions) == 1
            after = await steps.correct(
                before, [Remark(2, "hallucination"), Remark(3, "twice"), Remark(0, "?")]
            )
    assert after[0] == before[0]
    assert after[1].id == before[1].id
    assert [each.tail for each in after[1:]] == [BOUGHT["tail"], "Calder", "cash"]
    assert len({each.id for each in (*before, *after)}) == 5


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
            steps = ChunkSteps(judge, QUESTIONS, text)
            with pytest.raises(ChunkFailed, match="correct: content: "):
                await steps.correct(await steps.extract("single"), [Remark(2, "wrong")])


# --- a whole filing, by the command


@pytest.fixture
def folder(tmp_path: Path) -> GraphFolder:
    taken(tmp_path, {"VERIFAIBLE_HOME": str(tmp_path)})
    return GraphFolder(tmp_path / "graphs" / "demo")


def command(folder: GraphFolder, server: JudgeServer, *options: str) -> tuple[list[str], dict[str, str]]:
    home = {"VERIFAIBLE_HOME": str(folder.path.parent.parent), "VERIFAIBLE_API_KEY": "sk-test"}
    home |= {"VERIFAIBLE_BASE_URL": server.base_url, "VERIFAIBLE_RETRY_S": "0"}
    return ["kg", "extract", str(folder.path), "--model", "some/model", "--api", "chat", *options], home


def extract(folder: GraphFolder, server: JudgeServer, *options: str) -> tuple[int, str, str]:
    arguments, home = command(folder, server, *options)
    done = run_command(arguments, environment=home, folder=folder.path)
    return done.returncode, done.stdout, done.stderr


def a_triple_of(question: Question) -> Said:
    """One triple a passage, of its longest line; none of one that has no long line."""
    line = max(question.parts["the passage"].splitlines(), key=len)
    name = max(line.split(), key=len)
    return {"triples": [named(COMPANY, "reports", name, quote=line)] if len(line) > 150 else []}


def test_a_filing_is_gone_through_once_and_replayed_without_the_server(folder: GraphFolder) -> None:
    chunks = folder.chunks()
    with JudgeServer(answers(single=a_triple_of), cost=0.001) as server:
        status, out, err = extract(folder, server, "--mode", "single", "--item", "1A", "--item", "7")
        assert (status, len(server.questions)) == (0, 2), err
        assert extract(folder, server, "--mode", "single", "--chunks", "3")[0] == 0
        assert len(server.questions) == 2 + 2
        assert len(folder.run("single-some_model").asked.read()) == 4
        status, out, err = extract(folder, server, "--mode", "single", "--json")
        assert (status, len(server.questions)) == (0, len(chunks)), err
    run = folder.run("single-some_model")
    triples, text = run.triples.read(), folder.filing().text
    assert [each.model_dump(mode="json") for each in triples] == json.loads(out)
    order = {each.id: at for at, each in enumerate(chunks)}
    assert [order[each.chunk] for each in triples] == sorted(order[each.chunk] for each in triples)
    assert all(text[each.start : each.end] == each.quote and each.by == "some/model" for each in triples)
    assert [each.chunk for each in run.asked] == [each.id for each in chunks]
    assert 0 < len(triples) < len(chunks)
    assert f"{100 * len(chunks):,} tokens in, {10 * len(chunks):,} out, ${0.001 * len(chunks):.4f}" in err
    # the server is gone: the same extraction, from the replies that were kept
    before = run.triples.path.read_bytes()
    for file in run.path.iterdir():
        file.unlink()
    again = extract(folder, server, "--mode", "single")
    assert (again[0], run.triples.path.read_bytes(), again[2]) == (0, before, err)


@pytest.mark.nightly
def test_a_process_that_is_killed_pays_for_no_reply_twice(folder: GraphFolder) -> None:
    arrived, never = threading.Event(), threading.Event()

    def mind(question: Question) -> Said:
        if question.number == 4:
            arrived.set()
            return replace(spoken(question, "Too late."), hold=never)
        return a_triple_of(question)

    with JudgeServer(answers(single=mind)) as server:
        words, home = command(folder, server, "--mode", "single", "--concurrency", "1")
        with subprocess.Popen(
            [sys.executable, "-m", "verifaible.cli", *words], env={**os.environ, **home}
        ) as process:
            assert arrived.wait(300)
            process.kill()
        never.set()
        assert extract(folder, server, "--mode", "single")[0] == 0
        assert len(server.questions) == len(folder.chunks()) + 1


def test_a_failed_reply_is_a_failed_chunk_and_asked_again(folder: GraphFolder) -> None:
    broken = True

    def mind(question: Question) -> Said:
        if broken and "Oriel Pump Works over a patent" in question.user:
            return "There are no triples here."
        if broken and "holders of record" in question.user:
            return error(500, "Out of order.")
        return a_triple_of(question)

    def failed() -> dict[str, str]:
        return {each.chunk: each.failed for each in folder.run("single-some_model").asked if each.failed}

    with JudgeServer(answers(single=mind)) as server:
        status, _, err = extract(folder, server, "--mode", "single")
        found = failed()
        assert (status, len(found)) == (1, 2)
        assert all(chunk in err for chunk in found)
        assert {why.split(":")[1].strip() for why in found.values()} == {"not_json", "model_unreachable"}
        assert {each.chunk for each in folder.run("single-some_model").triples}.isdisjoint(found)
        broken, asked = False, len(server.questions)
        # what the endpoint could not answer is asked again; a reply that was kept says the same
        assert extract(folder, server, "--mode", "single")[0] == 1
        assert (len(failed()), len(server.questions)) == (1, asked + 1)


def test_a_limit_of_cost_leaves_chunks_unasked(folder: GraphFolder) -> None:
    with JudgeServer(answers(single=a_triple_of), cost=0.4) as server:
        status, _, err = extract(folder, server, "--mode", "single", "--max-cost", "1")
        assert (status, "the limit of 1 US dollars is reached" in err) == (1, True)
        run = folder.run("single-some_model")
        assert (len(run.asked.read()), len(server.questions)) == (3, 3)
        assert not any(each.failed for each in run.asked)
        assert extract(folder, server, "--mode", "single")[0] == 0
    assert len(run.asked.read()) == len(folder.chunks())


def test_reflection_over_a_filing_says_where_the_critic_was_not_done(folder: GraphFolder) -> None:
    remark = {"triple": 1, "issue": "generic", "suggestion": "name it"}
    instead = named(COMPANY, "exposed_to", "loss of customers", of=1, quote="Three customers")
    said = answers(
        single=a_triple_of,
        criticise=lambda question: {"remarks": [remark] if "Three customers" in question.user else []},
        correct={"triples": [instead], "dropped": []},
    )
    with JudgeServer(said) as server:
        status, _, err = extract(folder, server, "--mode", "reflection", "--max-rounds", "1")
    run = folder.run("reflection-some_model")
    assert (status, "0 of them failed, 1 with remarks left" in err) == (0, True), err
    assert sum(not each.settled for each in run.asked) == 1
    assert [each.quote for each in run.triples if each.relation == "exposed_to"] == ["Three customers"]


def test_another_ontology_asks_anew(folder: GraphFolder, tmp_path: Path) -> None:
    own, shipped = tmp_path / "own.json", read_ontology().model_dump(mode="json")
    types = {**shipped["types"], "ship": {"definition": "It floats."}}
    own.write_text(json.dumps({**shipped, "types": types}))
    with JudgeServer(answers(single=a_triple_of)) as server:
        for more in ((), ("--ontology", str(own)), ()):
            assert extract(folder, server, "--mode", "single", "--chunks", "1", *more)[0] == 0
        assert ["- ship: It floats." in each.system for each in server.questions] == [False, True]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--mode", "single", "--item", "99"], "The filing has no item 99, but 1, 1A"),
        (["--mode", "single", "--model", ""], "Name one with --model"),
    ],
)
def test_what_cannot_be_asked_says_what_to_do(options: list[str], message: str, folder: GraphFolder) -> None:
    with JudgeServer(answers()) as server:
        status, _, err = extract(folder, server, *options)
    assert (status, message in err) == (2, True), err
