"""Judging of triples: the protocol, the paper's own examples, and what fails is never a score."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.servers.judge_server import JudgeServer
from tests.unit.kg.judged import Forgetful, judge_by, line, question, said, triple
from tests.unit.kg.small import SMALL, STATED, add_stated
from tests.unit.llm.judges import client_of
from verifaible.config import Settings
from verifaible.errors import ConfigError, ModelUnreachable
from verifaible.kg.folder import AskedChunk, GraphFolder, write_records
from verifaible.kg.judging.protocol import Replies, Said, item_of, system_of, tags, tags_of
from verifaible.kg.judging.run import judge_extraction, kin, questions_of
from verifaible.kg.triples import COVERAGE, CRITERIA
from verifaible.llm.replies import ReplyCache
from verifaible.llm.structured import BadReply, read_reply
from verifaible.llm.voting import Judge
from verifaible.store.store import Store

DEAL = "In 2024 and in Texas, OpenAI signed a $1B deal with Microsoft for an AI partnership."


@pytest.fixture
def graph(tmp_path: Path) -> GraphFolder:
    store = Store.open(Settings(home=tmp_path))
    folder = GraphFolder(tmp_path / "graph")
    folder.ingest(SMALL.read_bytes(), "demo.html", store)
    store.close()
    folder.extract()
    add_stated(folder)
    return folder


# --- the protocol


async def test_a_judge_is_asked_one_criterion_in_a_form_that_is_not_sent(tmp_path: Path) -> None:
    judge = judge_by(lambda user: line([said(1), said(0, "vague_relation")]), tmp_path)
    asked = await judge.ask(
        item_of(
            question("precision", DEAL, [triple(1, "OpenAI", "signed", "$1B deal"), triple(2, "a", "b", "c")])
        )
    )
    (system, user), (form,) = judge._client.asked[0], judge._client.forms  # type: ignore[attr-defined]
    assert form is None
    assert asked.taken is not None
    assert [each.verdict for each in asked.taken.data] == [1, 0]
    assert asked.taken.data[1].warnings == ("vague_relation",)
    assert '1. ["OpenAI", "signed", "$1B deal"]\n2. ["a", "b", "c"]' in user
    assert user.endswith("with 2 items.")
    for rule in (
        "conservative",
        "makes no difference",
        "verdict comes first",
        "at most 15 words",
        "single line",
    ):
        assert rule in system


async def test_an_endpoint_is_not_held_to_an_object_and_is_asked_at_temperature_0(tmp_path: Path) -> None:
    with JudgeServer(lambda question: line([said(0, "off_topic")])) as server:
        judge = Judge(client_of(server), ReplyCache(tmp_path))
        asked = await judge.ask(
            item_of(question("relevance", DEAL, [triple(1, "OpenAI", "met", "in Texas")]))
        )
        await judge.aclose()
    (sent,) = server.questions
    assert "response_format" not in sent.body and sent.body["temperature"] == 0.0
    assert asked.taken is not None and asked.taken.data[0].warnings == ("off_topic",)


@pytest.mark.parametrize("criterion", [*CRITERIA, COVERAGE])
def test_the_examples_of_a_prompt_are_replies_that_can_be_used(criterion: str) -> None:
    examples = system_of(criterion).partition("\nExamples\n")[2]
    text, seen = "", 0
    for block in examples.split("\n\n"):
        lines = block.splitlines()
        text = next((each.partition(": ")[2] for each in lines if each.startswith("The text: ")), text)
        given = [json.loads(each.partition(". ")[2]) for each in lines if each[:1].isdigit()]
        (reply,) = [each.partition(": ")[2] for each in lines if each.startswith("The reply: ")]
        asked = question(criterion, text, [triple(at, *each) for at, each in enumerate(given)])
        assert "$" in text or "€" in text or criterion == COVERAGE
        taken = item_of(asked).take(read_reply(reply, Replies).value)
        assert [each.failed for each in taken.data] == [""] * len(asked.ids)
        assert all(len(each.reason.split()) <= 15 for each in taken.data)
        assert all("other" not in each.warnings for each in taken.data)
        seen += len(asked.ids)
    assert seen >= 3


@pytest.mark.parametrize(
    ("warning", "found"),
    [
        ("", ()),
        ("None", ()),
        ("Possible hallucination", ("hallucination",)),
        ("Generic entity", ("generic_entity",)),
        ("Amount mismatch", ("amount_mismatch",)),
        ("Off-topic", ("off_topic",)),
        ("Possible positional bias and missing information.", ("missing_information",)),
        ("Incomplete set of triplets generation.", ("missing_information",)),
        ("wrong_direction, vague_relation", ("wrong_direction", "vague_relation")),
        ("The font is odd", ("other",)),
        ("other", ("other",)),
    ],
)
def test_a_warning_is_read_as_tags(warning: str, found: tuple[str, ...]) -> None:
    assert tags_of(warning) == found
    assert set(found) <= tags().keys()


def test_a_row_that_was_copied_as_it_was_shown_is_found_in_the_chunk() -> None:
    text = "Sales by region\n\n| Region |  | 2024 |\n| --- | --- | --- |\n| East |  | 12.5 |\n| West |  | 12.5 |\n"
    asked = question("faithfulness", text, [triple(1, "West", "reports", "12.5")])
    form = read_reply(line([said(1, span="| West | 12.5 |")]), Replies).value
    (found,) = item_of(asked).take(form).data
    assert text[slice(*found.span)] == "| West |  | 12.5 |"
    with pytest.raises(BadReply, match="not in the source"):
        item_of(asked).take(read_reply(line([said(1, span="| West | 12.6 |")]), Replies).value)


def test_an_array_is_read_as_strictly_as_an_object() -> None:
    assert read_reply("```json\n[1]\n```", Replies).notes == ("fenced",)
    assert read_reply("My verdicts: [2]", Replies).value.root == [2]
    for text, fault in (
        ("{}", "not_an_object"), ("[1", "cut_off"), ("[1] or [2]", "several"), ("yes", "not_json"), ("", "empty"),
        ('[{"verdict": 0, "verdict": 1}]', "doubled_key"),
    ):  # fmt: skip
        with pytest.raises(BadReply) as caught:
            read_reply(text, Replies)
        assert caught.value.fault == fault


# --- the examples of the paper's appendix


def always(reply: str) -> Callable[[str], str]:
    return lambda user: reply


async def replied(asked: Any, reply: str, folder: Path) -> tuple[Said, ...]:
    judge = judge_by(always(reply), folder)
    answer = await judge.ask(item_of(asked))
    assert answer.taken is not None, answer.vote.fault
    return answer.taken.data


@pytest.mark.parametrize(
    ("criterion", "head", "relation", "tail", "verdict", "warning", "found"),
    [
        ("faithfulness", "OpenAI", "Signed", "$1B deal", 1, "None", ()),
        ("faithfulness", "OpenAI", "Buy", "Microsoft", 0, "Possible hallucination", ("hallucination",)),
        ("precision", "OpenAI", "Partners_With", "Microsoft", 1, "None", ()),
        ("precision", "OpenAI", "Signed", "$1Billion deal", 1, "None", ()),
        ("precision", "Company", "Related_To", "Something", 0, "Generic entity", ("generic_entity",)),
        ("precision", "OpenAI", "Signed", "$2Billion deal", 0, "Amount mismatch", ("amount_mismatch",)),
        ("relevance", "OpenAI", "Partners_With", "Microsoft", 1, "None", ()),
        ("relevance", "OpenAI", "Signed", "in Texas", 0, "Off-topic", ("off_topic",)),
    ],
)
async def test_the_papers_triples_get_the_papers_verdicts(
    criterion: str,
    head: str,
    relation: str,
    tail: str,
    verdict: int,
    warning: str,
    found: tuple[str, ...],
    tmp_path: Path,
) -> None:
    asked = question(criterion, DEAL, [triple(1, head, relation, tail)])
    reply = line([said(verdict, warning, "signed a $1B deal" if verdict else "")])
    (one,) = await replied(asked, reply, tmp_path)
    assert (one.verdict, one.warnings, one.failed) == (verdict, found, "")
    if criterion == "faithfulness" and verdict:
        assert DEAL[slice(*one.span)] == "signed a $1B deal"


FACTS = ["$1Billion deal", "in Texas", "for AI partnership", "in 2024"]


@pytest.mark.parametrize(
    ("openai", "microsoft", "verdict", "warning", "found"),
    [
        (FACTS, FACTS, "good", "None", ()),
        (
            FACTS[:3],
            FACTS[:1],
            "partial",
            "Possible positional bias and missing information.",
            ("missing_information",),
        ),
        ([], None, "bad", "Incomplete set of triplets generation.", ("missing_information",)),
    ],
)
async def test_the_papers_sets_get_the_papers_levels(
    openai: list[str],
    microsoft: list[str] | None,
    verdict: str,
    warning: str,
    found: tuple[str, ...],
    tmp_path: Path,
) -> None:
    told = [("OpenAI", "Partners_With", "Microsoft"), *(("OpenAI", "Signed", each) for each in openai)]
    if microsoft is not None:
        told += [
            ("Microsoft", "Partners_With", "OpenAI"),
            *(("Microsoft", "Signed", each) for each in microsoft),
        ]
    asked = question(COVERAGE, DEAL, [triple(at, *each) for at, each in enumerate(told)])
    (one,) = await replied(asked, line([said(verdict, warning)]), tmp_path)
    assert (one.verdict, one.warnings, len(asked.ids)) == (verdict, found, 1)
    # "Score 1 (Poor)" is the paper's other name of bad; one word is asked for, and no other is a verdict
    for other in ("poor", 1, 3, "Good"):
        failed = await judge_by(always(line([said(other)])), tmp_path / str(other)).ask(item_of(asked))
        assert (failed.taken, failed.vote.fault.partition(":")[0]) == (None, "form")


# --- what failed is never a score

Break = Callable[[Random, list[Any], int], object]


def _set(**fields: object) -> Break:
    def broken(draw: Random, items: list[Any], at: int) -> object:
        items[at] = {**items[at], **fields}
        return items

    return broken


def _instead(value: object) -> Break:
    def broken(draw: Random, items: list[Any], at: int) -> object:
        items[at] = value
        return items

    return broken


def _without(field: str) -> Break:
    def broken(draw: Random, items: list[Any], at: int) -> object:
        del items[at][field]
        return items

    return broken


def _reason_first(draw: Random, items: list[Any], at: int) -> object:
    items[at] = dict(reversed(items[at].items()))
    return items


OF_AN_ITEM: dict[str, Break] = {
    "verdict 2": _set(verdict=2), "verdict -1": _set(verdict=-1), "verdict as text": _set(verdict="1"),
    "verdict true": _set(verdict=True), "verdict null": _set(verdict=None), "verdict 1.0": _set(verdict=1.0),
    "verdict yes": _set(verdict="yes"), "no verdict": _without("verdict"), "no reason": _without("reasoning"),
    "reason a number": _set(reasoning=7), "reason first": _reason_first, "null": _instead(None),
    "text": _instead("supported"), "number": _instead(1), "list": _instead([1]), "empty": _instead({}),
    "words that are not there": _set(verdict=1, span="a figure of 77 from nowhere"),
    "no words": _set(verdict=1, span=""), "words without substance": _set(verdict=1, span="."),
    "a changed digit": _set(verdict=1, span="fact number 999 is stated"),
}  # fmt: skip
OF_A_REPLY: dict[str, Break] = {
    "prose": lambda draw, items, at: "All of them are well supported.",
    "cut off": lambda draw, items, at: line(items)[: draw.randrange(1, len(line(items)) - 1)],
    "one too few": lambda draw, items, at: items[:at] + items[at + 1 :],
    "one too many": lambda draw, items, at: [*items, items[at]],
    "object": lambda draw, items, at: {"verdicts": items},
    "one object": lambda draw, items, at: items[at],
    "empty": lambda draw, items, at: "  ",
    "twice": lambda draw, items, at: f"{line(items)} or {line(items[::-1])}",
    "a field twice": lambda draw, items, at: line(items).replace('"verdict"', '"verdict": 1, "verdict"', 1),
    "NaN": lambda draw, items, at: line(items).replace('"reasoning": "So', '"x": NaN, "reasoning": "So', 1),
    "timeout": lambda draw, items, at: ModelUnreachable("No answer within 60 s. Try again later."),
}


@pytest.mark.nightly
async def test_none_of_a_thousand_failures_becomes_a_score_and_those_beside_them_stay(tmp_path: Path) -> None:
    draw = Random(20251007)
    kinds = {**OF_AN_ITEM, **OF_A_REPLY}
    text = " ".join(f"Here fact number {each} is stated." for each in range(5))
    triples = [triple(at, "Filer", "states", f"fact {at}") for at in range(5)]
    seen = Counter[str]()
    for _ in range(1000):
        kind = draw.choice(list(kinds))
        at, truth = draw.randrange(5), [draw.randrange(2) for _ in range(5)]
        items: list[Any] = [
            said(each, span=f"fact number {place} is stated" if each else "")
            for place, each in enumerate(truth)
        ]
        made = kinds[kind](draw, items, at)

        def reply(user: str, made: Any = made) -> str:
            if isinstance(made, Exception):
                raise made
            return (
                made if isinstance(made, str) else line(made) if isinstance(made, list) else json.dumps(made)
            )

        judge = judge_by(reply, Forgetful(tmp_path))
        asked = await judge.ask(item_of(question("faithfulness", text, triples)))
        seen[kind] += 1
        if kind in OF_A_REPLY:
            assert (asked.taken, asked.vote.outcome, bool(asked.vote.fault)) == (None, "failed", True), kind
            continue
        assert asked.taken is not None, kind
        found = asked.taken.data
        assert (found[at].verdict, bool(found[at].failed)) == (None, True), kind
        assert [each.verdict for each in found[:at] + found[at + 1 :]] == truth[:at] + truth[at + 1 :], kind
    assert seen.keys() == kinds.keys()


async def test_a_failure_in_a_folder_is_a_line_without_a_verdict(graph: GraphFolder, tmp_path: Path) -> None:
    run = graph.run(STATED)

    def reply(user: str) -> str:
        if "Brennock Pumps LLC" in user:
            raise ModelUnreachable("No answer within 60 s. Try again later.")
        return all_zeros(user) if user.startswith(COVERAGE) else line([said(1), said(2), said(0)])

    assert await judge_extraction(graph, run, judge_by(reply, tmp_path / "replies")) == ""
    lines = [each for each in run.verdicts if each.criterion == "precision"]
    assert Counter(each.verdict for each in lines) == {1: 1, 0: 1, None: 7}
    assert all(bool(each.failed) == (each.verdict is None) for each in lines)
    assert '"verdict":0' in run.verdicts.path.read_text()  # a 0 is written, not left out as a default
    # what the endpoint failed is asked again, what the judge said is not
    again = judge_by(all_zeros, tmp_path / "replies")
    await judge_extraction(graph, run, again)
    counts = Counter(each.verdict for each in run.verdicts if each.criterion == "precision")
    assert counts == {1: 1, 0: 7, None: 1}
    assert len(again._client.asked) == 4  # type: ignore[attr-defined]


async def test_a_run_in_which_nothing_was_judged_says_so(graph: GraphFolder, tmp_path: Path) -> None:
    run = graph.run(STATED)
    total = len(list(questions_of(graph, run)))
    for calls in (2 * total, 0):  # each question twice, then the replies that were kept
        judge = judge_by(lambda user: "All is well.", tmp_path)
        left = await judge_extraction(graph, run, judge)
        assert left.startswith(f"Nothing was judged: each of the {total} replies failed. The first: not_json")
        assert len(judge._client.asked) == calls  # type: ignore[attr-defined]
        assert {each.verdict for each in (*run.verdicts, *run.coverage)} == {None}


# --- a folder


class Killed(BaseException):
    """The end of a process, within it."""


def all_zeros(user: str) -> str:
    count = int(user.rpartition("with ")[2].split()[0])
    return line([said("bad" if user.startswith(COVERAGE) else 0)] * count)


@pytest.mark.parametrize("stop", [1, 5])
def test_a_kill_loses_nothing_and_what_was_paid_is_not_paid_twice(
    stop: int, graph: GraphFolder, tmp_path: Path
) -> None:
    run, calls = graph.run("xbrl"), 0
    total = len(list(questions_of(graph, run)))

    def dies(user: str) -> str:
        nonlocal calls
        calls += 1
        if calls > stop:
            raise Killed
        return all_zeros(user)

    with suppress(Killed):
        asyncio.run(judge_extraction(graph, run, judge_by(dies, tmp_path, concurrency=1)))
    judge = judge_by(all_zeros, tmp_path)
    asyncio.run(judge_extraction(graph, run, judge))
    assert len(judge._client.asked) == total - stop  # type: ignore[attr-defined]
    lines = run.verdicts.read()
    assert len({(each.triple, each.criterion) for each in lines}) == len(lines) == 3 * 31


async def test_verdicts_of_two_judges_stand_side_by_side_and_come_once(
    graph: GraphFolder, tmp_path: Path
) -> None:
    run = graph.run(STATED)
    for name in ("one", "two", "one"):
        await judge_extraction(graph, run, judge_by(all_zeros, tmp_path / name, name))
    assert Counter(each.judge for each in run.verdicts) == {"one": 27, "two": 27}


async def test_a_limit_of_cost_leaves_the_rest_without_a_line(graph: GraphFolder, tmp_path: Path) -> None:
    run = graph.run("xbrl")
    judge = judge_by(all_zeros, tmp_path, max_cost_usd=0.002, concurrency=1)
    left = await judge_extraction(graph, run, judge)
    assert left.startswith("not judged: the limit")
    assert 0 < len(run.verdicts.read()) + len(run.coverage.read()) < 31


def test_nobody_is_asked_about_a_chunk_whose_extraction_failed(graph: GraphFolder) -> None:
    run, chunks = graph.run(STATED), graph.chunks()
    asked = [AskedChunk(chunk=chunks[0].id), AskedChunk(chunk=chunks[1].id, failed="single: timeout")]
    write_records(run.asked.path, asked)
    assert {each.chunk for each in questions_of(graph, run)} == {chunks[0].id}


def test_a_judge_does_not_judge_its_own_family(graph: GraphFolder, tmp_path: Path) -> None:
    run = graph.run("single-qwen")
    run.replace([each.model_copy(update={"by": "qwen3-max"}) for each in graph.run(STATED).triples.read()])
    with pytest.raises(ConfigError, match="of the same family"):
        kin(judge_by(all_zeros, tmp_path, "qwen/qwen3-32b"), [run])
    assert kin(judge_by(all_zeros, tmp_path, "glm-5"), [run]) == []
