"""A judge splits answers: claims lie in the answer, and what it cannot split is left to the rules."""

from __future__ import annotations

from pathlib import Path

from tests.servers.judge_server import JudgeServer, Question, Said, sensible
from tests.unit.judge.asked import answer, source
from tests.unit.llm.judges import judging
from verifaible.judge.rubric import subject_of
from verifaible.judge.split import split_claims

MODELS = ("grok4", "gpt5", "pplx")


async def test_claims_of_a_judge_lie_in_the_answer_and_failures_leave_them_to_the_rules(
    tmp_path: Path,
) -> None:
    page = source("src_1", "The HYPE token trades at $36.36.")
    one = answer("The HYPE token trades at $36.36. As grok4 I like it.\n\nIts supply is 999.9M HYPE.", [page])

    def broken(question: Question) -> Said:
        return "I cannot split that." if question.form == "claims" else sensible(question)

    with JudgeServer() as server:
        async with judging(server, tmp_path / "a") as judge:
            split = await split_claims(judge, subject_of(one, (), MODELS))
        assert not any("grok4" in f"{each.system} {each.user}" for each in server.questions)
    claims = split.read.claims
    assert any(each.kind == "number" and "$36.36" in each.text for each in claims)
    assert not any("[model]" in each.text for each in claims)
    assert [fault.code for fault in split.read.faults] == ["not_found"]
    assert all(0 <= each.start < each.end <= len(one.answer) for each in claims)
    with JudgeServer(broken) as server:
        async with judging(server, tmp_path / "b") as judge:
            split = await split_claims(judge, subject_of(one, (), MODELS))
    assert [vote.outcome for vote in split.votes] == ["failed"]
    assert split.read.filled == len(split.read.claims) > 0
    assert "1 of 1 parts were split by rules" in split.note("m")


async def test_a_long_answer_is_split_part_by_part(tmp_path: Path) -> None:
    text = "\n\n".join(f"Asset {number} trades at ${number}.25 on venue {number}." for number in range(600))
    with JudgeServer() as server:
        async with judging(server, tmp_path) as judge:
            split = await split_claims(judge, subject_of(answer(text), (), MODELS))
    assert len(server.questions) > 3
    assert max(len(question.parts["the answer"]) for question in server.questions) <= 8_000
    assert (len(split.read.claims), split.read.faults) == (600, ())
