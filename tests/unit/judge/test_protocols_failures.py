"""A thousand failures of every kind, over real HTTP: none becomes a score, and coverage tells of each."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.kit.marks import nightly
from tests.servers.judge_server import JudgeServer, Question, Said, sensible, spoken
from tests.servers.openai_server import Reply, error
from tests.unit.judge.asked import claim, source, subject
from tests.unit.llm.judges import client_of, judging
from verifaible.judge.claim_checks import judged_row
from verifaible.judge.rubric import answer_scores
from verifaible.llm.voting import Judge
from verifaible.schema.judged import CitationRow, HallucinationRow, Score

Row: TypeAlias = CitationRow | HallucinationRow | Score


def as_text(change: Callable[[str], str]) -> Callable[[Question], Said]:
    """The good reply as a text that is changed until nobody can use it."""
    return lambda question: change(json.dumps(sensible(question)))


def a_type_changed(question: Question) -> Said:
    good = sensible(question)
    assert isinstance(good, dict)
    first = next(iter(good))
    return {
        **good,
        first: {"score": "8", "present": "1", "reason": "x"} if isinstance(good[first], dict) else True,
    }


def a_field_lost(question: Question) -> Said:
    good = sensible(question)
    assert isinstance(good, dict)
    return dict(list(good.items())[1:])


def a_verdict_invented(question: Question) -> Said:
    good = sensible(question)
    assert isinstance(good, dict)
    if question.form == "rubric":
        return good | {"depth": {"score": 11, "reason": "Great."}}
    if question.form == "taxonomy":
        return good | {"shallow_synthesis": {"present": 2, "reason": "Very."}}
    return good | {"verdict": "partially correct"}


def a_quote_invented(question: Question) -> Said:
    good = sensible(question)
    assert isinstance(good, dict)
    if "quotes" not in good:
        return a_field_lost(question)
    verdict = "direct" if question.form == "citations" else "exact"
    return good | {"verdict": verdict, "quotes": [{"source": "S1", "quote": "Nobody ever wrote this 12345."}]}


KINDS: dict[str, Callable[[Question], Said]] = {
    "prose": lambda question: "The claim is supported. Score: 10/10.",
    "half": as_text(lambda text: text[: len(text) // 2]),
    "half in a fence": as_text(lambda text: f"```json\n{text[:-2]}"),
    "twice": as_text(lambda text: f"{text}\n{text}"),
    "list": as_text(lambda text: f"[{text}]"),
    "string": as_text(json.dumps),
    "wrapped": as_text(lambda text: f'{{"result": {text}}}'),
    "braces": as_text(lambda text: text.replace("}", "", 1) + "{{{"),
    "null": lambda question: "null",
    "empty": lambda question: "",
    "NaN": as_text(lambda text: text[:-1] + ', "x": NaN}'),
    "doubled": as_text(lambda text: text[:-1] + "," + text[1:]),
    "huge": as_text(lambda text: text[:-1] + ', "x": "' + "y" * 1_100_000 + '"}'),
    "type": a_type_changed,
    "field": a_field_lost,
    "verdict": a_verdict_invented,
    "quote": a_quote_invented,
    "refusal": lambda question: spoken(question, None, message={"refusal": "No."}),
    "filter": lambda question: spoken(question, None, finish_reason="content_filter"),
    "length": lambda question: spoken(question, None, finish_reason="length"),
    "nothing": lambda question: spoken(question, None),
    "500": lambda question: error(500, "Internal error"),
    "429": lambda question: error(429, "Slow down"),
    "400": lambda question: error(400, "The field logprobs is wrong"),
    "page": lambda question: Reply(b"<html>504</html>", headers={"Content-Type": "text/html"}),
    "rubbish": lambda question: Reply(b"\xff\xfe\x00{]" * 100),
    "gone": lambda question: Reply(drop="before"),
    "torn": lambda question: Reply(b'{"choices": []}' * 10, drop="middle"),
}
#: Replies, which the judge asks for once more; the rest are failures of the endpoint.
REPLIES = frozenset(list(KINDS)[:20]) - {"nothing"}


def drawn(question: Question) -> tuple[str, str]:
    """What happens to a question, by its words: it always fails, fails once, or never; and how."""
    digest = hashlib.sha256((question.system + question.user).encode()).digest()
    return ("always", "always", "once", "never")[digest[0] % 4], list(KINDS)[
        int.from_bytes(digest[1:3], "big") % len(KINDS)
    ]


class Unreliable:
    """A judge with a fate for each question, which notes what it did."""

    def __init__(self) -> None:
        self.failures: Counter[str] = Counter()
        self.asked: Counter[str] = Counter()
        self.doomed = 0

    def __call__(self, question: Question) -> Said:
        fate, kind = drawn(question)
        key = question.system + question.user
        self.asked[key] += 1
        if fate == "never" or (fate == "once" and (kind not in REPLIES or self.asked[key] > 1)):
            return sensible(question)
        self.doomed += fate == "always" and self.asked[key] == 1
        self.failures[kind] += 1
        return KINDS[kind](question)


async def judged(judge: Judge, queries: int) -> list[Row]:
    """Rows of all four protocols, many of each."""
    tasks: list[Coroutine[Any, Any, Mapping[Any, Row]]] = []
    for number in range(queries):
        lines = "\n".join(f"Asset {number}-{place} trades at ${number}.{place}5." for place in range(10, 20))
        page = source(f"src_{number}", lines)
        answers = [
            subject(f"{lines}\nIn short: {model[::-1]}.", [page], model=model, query=f"Question {number}?")
            for model in ("grok4", "gpt5")
        ]
        tasks += [answer_scores(judge, each, "rubric") for each in answers]
        tasks += [answer_scores(judge, each, "taxonomy") for each in answers]
        for line in lines.splitlines():
            one = claim(line, lines, cites=[page[0].id])
            tasks += [
                _one(judged_row(CitationRow, judge, one, answers[0])),
                _one(judged_row(HallucinationRow, judge, one, answers[0])),
            ]
    return [row for rows in await asyncio.gather(*tasks) for row in rows.values()]


async def _one(row: Coroutine[Any, Any, Row]) -> dict[str, Row]:
    return {"": await row}


#: Of ten queries each kind of failure meets a question; of forty there are a thousand failures.
@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(("queries", "failures"), [(10, 220), nightly(40, 1_000)])
async def test_of_a_thousand_failures_none_becomes_a_score(
    tmp_path: Path, queries: int, failures: int
) -> None:
    mind = Unreliable()
    with JudgeServer(mind) as server:
        client = client_of(server, timeout_s=60.0)
        async with judging(server, tmp_path, client=client, concurrency=32) as judge:
            rows = await judged(judge, queries)
    assert sum(mind.failures.values()) >= failures
    assert set(mind.failures) == set(KINDS)
    for row in rows:
        value = row.value if isinstance(row, Score) else row.status
        assert (value is not None) == (row.outcome == "decided")
        for vote in row.votes:
            assert bool(vote.value) == (vote.outcome == "decided")
            assert bool(vote.fault) == (vote.outcome == "failed")
    # coverage: each question that had no chance is a failed vote, and no other is
    assert judge.spending.failed == mind.doomed
    assert judge.spending.votes == len(mind.asked)
    outcomes = Counter(row.outcome for row in rows)
    assert outcomes["decided"] + outcomes["failed"] == len(rows)
    assert outcomes["failed"] > len(rows) / 5
    # what was decided is what a judge says who never fails
    with JudgeServer() as server:
        async with judging(server, tmp_path / "reliable", concurrency=32) as judge:
            truth = await judged(judge, queries)
    for row, true in zip(rows, truth, strict=True):
        assert true.outcome == "decided"
        if isinstance(row, CitationRow | HallucinationRow) and row.outcome == "decided":
            assert isinstance(true, CitationRow | HallucinationRow)
            assert row.status == true.status
            assert row.finding == true.finding
        if isinstance(row, Score) and row.outcome == "decided":
            assert isinstance(true, Score)
            assert row.value == true.value
