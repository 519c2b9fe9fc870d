"""Scores and categories of whole answers: what a judge says of each part, and nothing it adds up itself."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.servers.judge_server import JudgeServer, Mind, Question, Said
from tests.servers.openai_server import error
from tests.unit.judge.asked import source, subject
from tests.unit.llm.judges import judging
from verifaible.judge.rubric import Subject, answer_scores
from verifaible.schema.judged import DIMENSIONS, ERROR_CATEGORIES, Score

PAGE = source("src_1", "HYPE trades at $36.36.")
ANSWER = "HYPE trades at $36.36 and will surely reach $1,000."


def scores(*values: Any, **fields: Any) -> dict[str, Any]:
    given = values * 4 if len(values) == 1 else values
    return {
        name: {"score": value, "reason": f"{name} it is."}
        for name, value in zip(DIMENSIONS, given, strict=True)
    } | fields


def flags(*present: str, **fields: Any) -> dict[str, Any]:
    return {
        name: {"present": int(name in present), "reason": f"{name} it is."} for name in ERROR_CATEGORIES
    } | fields


async def rubric(mind: Mind, folder: Path, about: Subject | None = None, **options: Any) -> dict[str, Score]:
    with JudgeServer(mind, cost=0.25) as server:
        async with judging(server, folder, **options) as judge:
            return await answer_scores(judge, about or subject(ANSWER, [PAGE]), "rubric")


async def taxonomy(
    mind: Mind, folder: Path, about: Subject | None = None, **options: Any
) -> dict[str, Score]:
    with JudgeServer(mind) as server:
        async with judging(server, folder, **options) as judge:
            return await answer_scores(judge, about or subject(ANSWER, [PAGE]), "taxonomy")


def in_order(*said: Said) -> Mind:
    replies = iter(said)
    return lambda question: next(replies)


async def test_four_scores_come_from_one_reply_whose_cost_counts_once(tmp_path: Path) -> None:
    found = await rubric(in_order(scores(9, 8, 7, 10, overall=2, mean=99.0)), tmp_path)
    assert list(found) == list(DIMENSIONS)
    assert [score.value for score in found.values()] == [9.0, 8.0, 7.0, 10.0]
    assert found["depth"].reason == "depth it is."
    votes = [score.votes[0] for score in found.values()]
    assert len({vote.call for vote in votes}) == 1
    assert [vote.usage.cost_usd for vote in votes] == [0.25, None, None, None]
    assert all("further fields" in vote.notes for vote in votes)


@pytest.mark.parametrize(
    "reply",
    [
        scores(0),
        scores(11),
        scores(8.5),
        scores("8"),
        scores(True),
        scores(None),
        {name: 8 for name in DIMENSIONS},
        {"temporal_relevance": {"score": 8, "reason": "x"}},
        scores(8) | {"depth": {"score": 8}},
        {"scores": scores(8)},
    ],
)
async def test_a_reply_with_one_wrong_part_scores_nothing(reply: dict[str, Any], tmp_path: Path) -> None:
    found = await rubric(lambda question: reply, tmp_path)
    for score in found.values():
        assert (score.outcome, score.value) == ("failed", None)
        assert score.reason.startswith("failed: form: ")


async def test_repeats_give_the_mean_of_what_they_scored(tmp_path: Path) -> None:
    found = await rubric(
        in_order(scores(6, 8, 8, "abstain"), scores(7, 8, "abstain", "abstain"), scores(9, 8, 8, 5)),
        tmp_path,
        repeats=3,
        concurrency=1,
    )
    assert found["temporal_relevance"].value == pytest.approx(22 / 3)
    assert found["data_consistency"].value == 8.0
    assert (found["depth"].value, found["depth"].outcome) == (8.0, "decided")
    assert (found["relevance"].value, found["relevance"].outcome) == (None, "abstain")
    assert [vote.value for vote in found["depth"].votes] == ["8", "", "8"]
    assert [vote.outcome for vote in found["relevance"].votes] == ["abstain", "abstain", "decided"]


async def test_a_failed_repeat_is_no_score_among_others(tmp_path: Path) -> None:
    mind = in_order(error(400, "Bad field"), scores(4), scores(6))
    found = await rubric(mind, tmp_path, repeats=3, concurrency=1)
    assert [score.value for score in found.values()] == [5.0] * 4
    assert [vote.outcome for vote in found["depth"].votes] == ["failed", "decided", "decided"]


async def test_categories_are_those_that_most_repeats_see(tmp_path: Path) -> None:
    found = await taxonomy(
        in_order(
            flags("overconfident_prediction", "shallow_synthesis", proportion=0.5),
            flags("overconfident_prediction", invented_category={"present": 1, "reason": "x"}),
            flags("overconfident_prediction", "inconsistent_claims"),
        ),
        tmp_path,
        repeats=3,
        concurrency=1,
    )
    assert [name for name, score in found.items() if score.value == 1.0] == ["overconfident_prediction"]
    assert [score.outcome for score in found.values()] == ["decided"] * 7
    found = await taxonomy(
        in_order(flags("shallow_synthesis"), flags()), tmp_path / "even", repeats=2, concurrency=1
    )
    assert (found["shallow_synthesis"].outcome, found["shallow_synthesis"].value) == ("abstain", None)
    assert found["inconsistent_claims"].value == 0.0


@pytest.mark.parametrize("present", [2, -1, True, False, "1", None, 0.5])
async def test_a_category_is_0_or_1(present: object, tmp_path: Path) -> None:
    reply = flags() | {"shallow_synthesis": {"present": present, "reason": "x"}}
    found = await taxonomy(lambda question: reply, tmp_path)
    assert {(score.outcome, score.value) for score in found.values()} == {("failed", None)}


async def test_a_category_may_be_left_open(tmp_path: Path) -> None:
    reply = flags() | {"shallow_synthesis": {"present": "abstain", "reason": "Not shown."}}
    found = await taxonomy(lambda question: reply, tmp_path)
    assert (found["shallow_synthesis"].outcome, found["shallow_synthesis"].value) == ("abstain", None)
    assert found["shallow_synthesis"].reason == "Not shown."
    assert found["overconfident_prediction"].value == 0.0


async def test_a_judge_sees_the_day_of_the_answer_and_never_todays(tmp_path: Path) -> None:
    seen: list[Question] = []

    def mind(question: Question) -> Said:
        seen.append(question)
        return scores(8)

    await rubric(mind, tmp_path)
    old = subject(ANSWER, [PAGE], given=datetime(2021, 3, 5, tzinfo=UTC))
    await rubric(mind, tmp_path, old)
    await rubric(mind, tmp_path, subject(ANSWER, [PAGE], given=None))
    await rubric(mind, tmp_path, subject(ANSWER, given=None))
    assert seen[0].user.startswith("The answer was given on 4 November 2025 (2025-11-04).")
    assert seen[1].user.startswith("The answer was given on 5 March 2021 (2021-03-05).")
    assert seen[2].user.startswith("The answer's date is not known.")
    assert "What its author had been given is not known." in seen[3].user
    today = datetime.now(UTC)
    for question in seen:
        assert f"{today:%Y-%m-%d}" not in question.system + question.user
        assert f"{today:%B %Y}" not in question.system + question.user


async def test_questions_about_the_past_have_a_rule(tmp_path: Path) -> None:
    seen: list[Question] = []

    def mind(question: Question) -> Said:
        seen.append(question)
        return scores(8)

    await rubric(mind, tmp_path, repeats=4)
    assert all("Questions about the past" in question.system for question in seen)
    firsts = {min(DIMENSIONS, key=lambda name: question.system.index(f"- {name}:")) for question in seen}
    assert firsts == set(DIMENSIONS)


async def test_an_empty_answer_and_a_judge_of_the_family_are_not_asked(tmp_path: Path) -> None:
    with JudgeServer() as server:
        async with judging(server, tmp_path) as judge:
            for about in (subject("  \n"), subject(ANSWER, model="DeepSeek V3")):
                for found in (
                    await answer_scores(judge, about, "rubric"),
                    await answer_scores(judge, about, "taxonomy"),
                ):
                    assert {score.outcome for score in found.values()} == {"not_judged"}
                    assert all(score.reason.startswith("not judged: ") for score in found.values())
    assert server.questions == []


async def test_an_answer_of_two_megabytes_is_shown_in_part_and_says_so(tmp_path: Path) -> None:
    seen: list[Question] = []

    def mind(question: Question) -> Said:
        seen.append(question)
        return scores(8)

    about = subject("Price is $36.36. " * 120_000, [PAGE])
    found = await rubric(mind, tmp_path, about)
    assert found["depth"].value == 8.0
    assert len(seen[0].user) < 200_000
    assert "characters left out ...]" in seen[0].parts["the answer"]
