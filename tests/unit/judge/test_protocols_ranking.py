"""Ranking: blind, in balanced orders, and a permutation of what was shown or nothing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.servers.judge_server import JudgeServer, Mind, Question, Said
from tests.servers.openai_server import error
from tests.unit.judge.asked import judging, subject
from verifaible.judge.asking.showing import orders
from verifaible.judge.protocols.ranking import place_bias, ranks
from verifaible.judge.protocols.subject import Subject
from verifaible.schema.judged import RankRow

MODELS = ("grok4", "gpt5", "pplx", "Sentient")


def group(*texts: str, models: tuple[str, ...] = MODELS, **fields: Any) -> list[Subject]:
    names = models[: len(texts)]
    return [
        subject(text, model=name, models=models, **fields) for text, name in zip(texts, names, strict=True)
    ]


FOUR = group("First of all, the best.", "A rather good one.", "It is so-so.", "Bad.")


def by_length(question: Question) -> Said:
    """A judge that likes length, whatever the place."""
    answers = {
        name.removeprefix("answer "): text for name, text in question.parts.items() if "answer " in name
    }
    ranking = sorted(answers, key=lambda name: -len(answers[name]))
    return {"verdict": "ranked", "ranking": ranking, "reason": "It is longer."}


def first_wins(question: Question) -> Said:
    """A judge that likes what it reads first."""
    letters = sorted(name.removeprefix("answer ") for name in question.parts if "answer " in name)
    return {"verdict": "ranked", "ranking": letters, "reason": "It came first."}


async def ranked(
    mind: Mind, folder: Path, subjects: list[Subject] = FOUR, **options: Any
) -> tuple[dict[str, RankRow], list[Question]]:
    with JudgeServer(mind, cost=0.5) as server:
        async with judging(server, folder, **options) as judge:
            return await ranks(judge, subjects), server.questions


async def test_each_answer_stands_in_each_place_and_under_each_letter_equally_often(tmp_path: Path) -> None:
    rows, questions = await ranked(by_length, tmp_path)
    assert len(questions) == 4
    for letter in "ABCD":
        assert len({question.parts[f"answer {letter}"] for question in questions}) == 4
    for question in questions:
        shown = [name for name in question.parts if name.startswith("answer ")]
        assert shown == ["answer A", "answer B", "answer C", "answer D"]
    assert [rows[each.answer.id].rank for each in FOUR] == [1.0, 2.0, 3.0, 4.0]
    assert {(row.outcome, row.of) for row in rows.values()} == {("decided", 4)}
    assert sum(vote.usage.cost_usd or 0 for row in rows.values() for vote in row.votes) == 2.0


async def test_a_judge_that_prefers_a_place_ranks_nobody_first_and_is_found_out(tmp_path: Path) -> None:
    rows, _ = await ranked(first_wins, tmp_path / "a")
    assert {row.rank for row in rows.values()} == {2.5}
    bias = place_bias(rows.values())
    assert bias is not None
    assert (bias.first_wins, bias.fair_wins, bias.mean_rank) == (1.0, 0.25, (1.0, 2.0, 3.0, 4.0))
    fair, _ = await ranked(by_length, tmp_path / "b")
    bias = place_bias(fair.values())
    assert bias is not None
    assert (bias.first_wins, bias.votes, bias.mean_rank) == (0.25, 16, (2.5, 2.5, 2.5, 2.5))
    assert place_bias([]) is None


@pytest.mark.parametrize(
    "ranking",
    [
        [],
        ["A", "B", "C"],
        ["A", "B", "C", "C"],
        ["A", "B", "C", "D", "D"],
        ["A", "B", "C", "D", "E"],
        ["A", "B", "C", "E"],
        ["grok4", "gpt5", "pplx", "Sentient"],
        ["A", "B", "C", "gpt5"],
        ["A", "B", "C=D", "D"],
        ["A > B > C > D"],
        [["A", "B"], "C", "D"],
        [1, 2, 3, 4],
        "ABCD",
        None,
        {"A": 1, "B": 2, "C": 3, "D": 4},
    ],
)
async def test_what_is_no_permutation_of_the_letters_ranks_nobody(ranking: Any, tmp_path: Path) -> None:
    said = {"verdict": "ranked", "ranking": ranking, "reason": "So."}
    rows, questions = await ranked(lambda question: said, tmp_path)
    assert {(row.outcome, row.rank) for row in rows.values()} == {("failed", None)}
    assert len(questions) == 8


async def test_letters_may_be_written_as_they_were_shown(tmp_path: Path) -> None:
    def mind(question: Question) -> Said:
        said = by_length(question)
        assert isinstance(said, dict)
        return {**said, "ranking": [f" answer {letter.lower()} " for letter in said["ranking"]]}

    rows, _ = await ranked(mind, tmp_path)
    assert rows[FOUR[0].answer.id].rank == 1.0


async def test_orders_that_fail_or_abstain_are_not_counted_and_told(tmp_path: Path) -> None:
    replies: list[Any] = [by_length, error(400, "Bad field"), by_length, by_length]

    def mind(question: Question) -> Said:
        reply = replies[question.number]
        return reply(question) if callable(reply) else reply  # type: ignore[no-any-return]

    rows, _ = await ranked(mind, tmp_path / "a", concurrency=1)
    row = rows[FOUR[0].answer.id]
    assert (row.rank, row.reason) == (1.0, "3 of 4 orders could be used. It is longer.")
    said = {"verdict": "abstain", "ranking": [], "reason": "All alike."}
    rows, _ = await ranked(lambda question: said, tmp_path / "b")
    assert {(row.outcome, row.rank, row.reason) for row in rows.values()} == {("abstain", None, "All alike.")}


async def test_a_judge_reads_no_name(tmp_path: Path) -> None:
    subjects = group("I am grok4.", "GPT5 here: better than pplx.", "As Sentient says, pplx.")
    _, questions = await ranked(by_length, tmp_path, subjects)
    for question in questions:
        words = (question.system + question.user).casefold()
        assert not any(name.casefold() in words for name in MODELS)
        assert not any(each.answer.id in question.user for each in subjects)
        assert "[model]" in question.user


async def test_who_may_not_be_ranked_is_left_out_and_told(tmp_path: Path) -> None:
    models = ("grok4", "deepseek-r1", "pplx", "gpt5")
    subjects = group("One answer.", "Kin.", "  ", "Another one.", models=models)
    rows, questions = await ranked(by_length, tmp_path, subjects)
    assert [rows[each.answer.id].outcome for each in subjects] == [
        "decided",
        "not_judged",
        "not_judged",
        "decided",
    ]
    assert "same family" in rows["a-deepseek-r1"].reason
    assert "empty" in rows["a-pplx"].reason
    assert {row.of for row in rows.values() if row.rank} == {2}
    assert len(questions) == 2
    rows, questions = await ranked(by_length, tmp_path, subjects[:2])
    assert {row.outcome for row in rows.values()} == {"not_judged"}
    assert questions == []


async def test_repeats_are_rounded_up_to_whole_squares(tmp_path: Path) -> None:
    _, questions = await ranked(by_length, tmp_path / "a", group("One.", "Two of them."), repeats=3)
    assert len(questions) == 4
    places = Counter(question.parts["answer A"] for question in questions)
    assert sorted(places.values()) == [2, 2]


@given(st.integers(1, 12), st.integers(1, 4), st.text(max_size=5))
def test_whole_squares_are_balanced(number: int, squares: int, seed: str) -> None:
    drawn = orders(number, number * squares, seed)
    assert len(drawn) == number * squares
    for order in drawn:
        assert sorted(order) == list(range(number))
    for place in range(number):
        assert Counter(order[place] for order in drawn) == dict.fromkeys(range(number), squares)
    assert drawn == orders(number, number * squares, seed)


@given(st.integers(0, 40), st.integers(1, 9))
def test_fewer_orders_than_things_still_change_places(number: int, repeats: int) -> None:
    drawn = orders(number, repeats, "x")
    assert len(drawn) == repeats
    if 1 < repeats <= number:
        assert len({order[0] for order in drawn}) == repeats
