"""A judge with all its protocols: every row from one cache, names nowhere, and a rerun without a call."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.servers.judge_server import JudgeServer, Question, Said, sensible
from tests.unit.judge.asked import answer, claim, client_of, judging, source
from verifaible.judge.rubric import JudgeReviewer
from verifaible.judge.rules.library import Library
from verifaible.schema.judged import DIMENSIONS, ERROR_CATEGORIES

PAGE = source(
    "src_1", "The HYPE token trades at $36.36.\nIts supply is 270.8M HYPE.", url="https://a.example"
)
MODELS = ("grok4", "gpt5", "pplx")
LINES = ("The HYPE token trades at $36.36.", "Its supply is 999.9M HYPE.", "It will go up, says gpt5.")


def answers() -> list[Any]:
    return [answer("\n\n".join(LINES[: 3 - at]), [PAGE], model=name) for at, name in enumerate(MODELS)]


async def reviewed(reviewer: JudgeReviewer) -> list[Any]:
    """All that a run asks of a judge."""
    rows: list[Any] = []
    for each in answers():
        library = Library([PAGE], at=each.answered_at, topic=each.query)
        claims = [claim(line, each.answer) for line in LINES[:2]]
        rows += await asyncio.gather(
            *(reviewer.citation(one, each, library) for one in claims),
            *(reviewer.hallucination(one, each, library) for one in claims),
            reviewer.rubric(each, library),
            reviewer.taxonomy(each, library),
        )
    rows.append([await reviewer.claims(each) for each in answers()])
    return rows


@pytest.mark.parametrize("api", ["chat", "responses"])
async def test_all_protocols_are_asked_blind_and_a_rerun_makes_no_call(
    api: Literal["chat", "responses"], tmp_path: Path
) -> None:
    with JudgeServer(cost=0.01) as server:
        async with judging(server, tmp_path, client=client_of(server, api), repeats=2) as judge:
            first = await reviewed(JudgeReviewer(judge, MODELS))
        async with judging(server, tmp_path, client=client_of(server, api), repeats=2) as again:
            second = await reviewed(JudgeReviewer(again, MODELS))
    assert second == first
    assert (again.spending.calls, again.spending.failed) == (0, 0)
    assert len(server.questions) == judge.spending.calls
    assert {question.form for question in server.questions} == {
        "citations",
        "hallucination",
        "rubric",
        "taxonomy",
        "claims",
    }
    for question in server.questions:
        words = f"{question.system} {question.user}".casefold()
        assert not any(name in words for name in MODELS)
        assert "a-grok4" not in words
    good, bad = first[0], first[1]
    assert (good.status, bad.status) == ("direct", "incorrect")
    assert PAGE[1][good.finding.passages[0].start :].startswith("The HYPE token trades at $36.36.")
    assert list(first[4]) == list(DIMENSIONS)
    assert list(first[5]) == list(ERROR_CATEGORIES)
    # what the rows say they cost is what was spent
    spent = 0.0
    for row in first[:-1]:
        for part in row.values() if isinstance(row, dict) else [row]:
            spent += sum(vote.usage.cost_usd or 0.0 for vote in part.votes)
    split = sum(question.form == "claims" for question in server.questions) * 0.01
    assert spent + split == pytest.approx(judge.spending.usage.cost_usd)


async def test_claims_of_a_judge_lie_in_the_answer_and_failures_leave_them_to_the_rules(
    tmp_path: Path,
) -> None:
    one = answer("The HYPE token trades at $36.36. As grok4 I like it.\n\nIts supply is 999.9M HYPE.", [PAGE])

    def broken(question: Question) -> Said:
        return "I cannot split that." if question.form == "claims" else sensible(question)

    with JudgeServer() as server:
        async with judging(server, tmp_path / "a") as judge:
            reviewer = JudgeReviewer(judge, MODELS)
            claims = await reviewer.claims(one)
    assert any(each.kind == "number" and "$36.36" in each.text for each in claims)
    assert not any("[model]" in each.text for each in claims)
    assert [fault.code for fault in reviewer.splits[one.id].read.faults] == ["not_found"]
    for each in claims:
        assert 0 <= each.start < each.end <= len(one.answer)
    with JudgeServer(broken) as server:
        async with judging(server, tmp_path / "b") as judge:
            reviewer = JudgeReviewer(judge, MODELS)
            claims = await reviewer.claims(one)
    split = reviewer.splits[one.id]
    assert [vote.outcome for vote in split.votes] == ["failed"]
    assert split.read.filled == len(claims) > 0


async def test_a_long_answer_is_split_part_by_part(tmp_path: Path) -> None:
    text = "\n\n".join(f"Asset {number} trades at ${number}.25 on venue {number}." for number in range(600))
    with JudgeServer() as server:
        async with judging(server, tmp_path) as judge:
            reviewer = JudgeReviewer(judge, MODELS)
            claims = await reviewer.claims(answer(text))
    assert len(server.questions) > 3
    assert max(len(question.parts["the answer"]) for question in server.questions) <= 8_000
    assert len(claims) == 600
    assert reviewer.splits["a-grok4"].read.faults == ()
