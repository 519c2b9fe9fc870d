"""Answers to one query, ranked against each other: blind, in balanced orders, and never with a name.

Each order is a row of a Latin square, so each answer stands in each place, and under each letter, equally
often. What remains of a preference for a place is measured from the votes.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final, Literal, TypeAlias

from verifaible.judge.asking.asking import Judge
from verifaible.judge.asking.replies import BadReply, Form
from verifaible.judge.asking.showing import MOST_OF_ALL, Part, bounded, orders, when
from verifaible.judge.asking.votes import Asked, Item, Taken, prompt, tally
from verifaible.judge.protocols.subject import CLOSING, Subject, seed
from verifaible.schema.base import Record
from verifaible.schema.chat import Usage
from verifaible.schema.judged import RankRow, Vote

#: More answers than letters are not ranked in one question.
MOST: Final = len(string.ascii_uppercase)
_SHOWN: Final = "shown "

#: The rank of each answer, by its number among those that are ranked.
_Ranks: TypeAlias = tuple[int, ...]


class RankingForm(Form):
    """The letters of all answers, best first."""

    verdict: Literal["ranked", "abstain"]
    ranking: tuple[str, ...]
    reason: str


class PlaceBias(Record):
    """Whether a judge prefers a place.

    Attributes:
        votes: votes that were looked at.
        mean_rank: of the answers shown in each place, first place first; without bias all are alike.
        wins: share of the orders in which the answer shown in each place was ranked first.
        first_wins: the same of the first place.
        fair_wins: what that share would be without bias.
    """

    votes: int
    mean_rank: tuple[float, ...]
    wins: tuple[float, ...] = ()
    first_wins: float
    fair_wins: float


@dataclass(frozen=True, slots=True)
class _Group:
    """Answers that are ranked, and those that this judge may not rank."""

    subjects: tuple[Subject, ...]
    rows: dict[str, RankRow]


async def ranks(judge: Judge, subjects: Sequence[Subject]) -> dict[str, RankRow]:
    """The places of answers to one query, by their ids: the mean over all orders that could be used.

    There are as many orders as answers, or a multiple of it that is at least the judge's repeats. An answer
    that this judge must not judge, or that is empty, is left out, and its row says why.

    Raises:
        RunError: the replies cannot be kept.
    """
    group = _group(judge, subjects)
    number = len(group.subjects)
    if number < 2 or number > MOST:
        why = (
            "There is no second answer to this query."
            if number < 2
            else f"There are more than {MOST} answers."
        )
        row = RankRow(outcome="not_judged", of=number, reason=f"not judged: {why}")
        return group.rows | {subject.answer.id: row for subject in group.subjects}
    squares = -(-judge.repeats // number)
    texts = sorted(subject.answer.answer for subject in group.subjects)
    drawn = orders(number, number * squares, seed("ranking", group.subjects[0].answer.query, *texts))
    asked = await judge.ask_all([_item(group.subjects, order) for order in drawn])
    rows = {subject.answer.id: _row(asked, drawn, at, number) for at, subject in enumerate(group.subjects)}
    return group.rows | rows


def place_bias(rows: Iterable[RankRow]) -> PlaceBias | None:
    """How much a place counted, over all rows with the commonest number of answers; None without votes."""
    by_size: dict[int, list[tuple[int, int]]] = {}
    for row in rows:
        for vote in row.votes:
            if vote.outcome == "decided" and (place := _place(vote)):
                by_size.setdefault(row.of, []).append((place, int(vote.value)))
    if not by_size:
        return None
    size, seen = max(by_size.items(), key=lambda item: (len(item[1]), item[0]))
    places = [[rank for place, rank in seen if place == wanted] for wanted in range(1, size + 1)]
    wins = tuple(sum(rank == 1 for rank in each) / len(each) if each else 0.0 for each in places)
    return PlaceBias(
        votes=len(seen),
        mean_rank=tuple(fmean(each) if each else 0.0 for each in places),
        wins=wins,
        first_wins=wins[0],
        fair_wins=1 / size,
    )


def _group(judge: Judge, subjects: Sequence[Subject]) -> _Group:
    kept: list[Subject] = []
    rows: dict[str, RankRow] = {}
    for subject in subjects:
        why = judge.barred(subject.answer.model)
        if not subject.answer.answer.strip():
            why = why or "The answer is empty."
        if why:
            rows[subject.answer.id] = RankRow(outcome="not_judged", reason=f"not judged: {why}")
        else:
            kept.append(subject)
    return _Group(tuple(kept), rows)


def _item(subjects: Sequence[Subject], order: Sequence[int]) -> Item[RankingForm, _Ranks]:
    letters = string.ascii_uppercase[: len(order)]
    first = subjects[0]
    each = MOST_OF_ALL // len(order)
    answers = [
        subjects[at].whole(f"answer {letter}", each) for letter, at in zip(letters, order, strict=True)
    ]
    shown = {letter: at for letter, at in zip(letters, order, strict=True)}
    parts: list[Part] = [first.query(), *answers]
    return Item(
        protocol="ranking",
        system=prompt("ranking.md"),
        user="\n\n".join((_day(subjects), bounded(parts), CLOSING)),
        form=RankingForm,
        take=_taker(shown),
    )


def _day(subjects: Sequence[Subject]) -> str:
    """The day of the answers, where it is the same of all."""
    days = {when(subject.answer) for subject in subjects}
    if len(days) == 1:
        return days.pop()
    return "The answers were given on different days. Judge each by the dates that it gives."


def _taker(shown: Mapping[str, int]) -> Callable[[RankingForm], Taken[_Ranks]]:
    def take(form: RankingForm) -> Taken[_Ranks]:
        reason = " ".join(form.reason.split())
        if form.verdict == "abstain":
            return Taken("abstain", "", reason, ())
        given = [label.strip().removeprefix("answer ").strip().upper() for label in form.ranking]
        if sorted(given) != sorted(shown):
            raise BadReply(
                "content",
                f"The ranking {' > '.join(given)[:80]!r} is not one of the answers {', '.join(shown)}.",
            )
        places = {shown[letter]: place for place, letter in enumerate(given, 1)}
        return Taken("decided", " > ".join(given), reason, tuple(places[at] for at in range(len(shown))))

    return take


def _row(asked: Sequence[Asked[_Ranks]], drawn: Sequence[Sequence[int]], at: int, number: int) -> RankRow:
    """The row of one answer; what the calls took is counted with the first answer."""
    votes: list[Vote] = []
    ranked: list[int] = []
    for each, order in zip(asked, drawn, strict=True):
        vote = each.vote if at == 0 else each.vote.model_copy(update={"usage": Usage()})
        if each.taken is not None and each.taken.outcome == "decided":
            rank = each.taken.data[at]
            ranked.append(rank)
            place = f"{_SHOWN}{order.index(at) + 1} of {number}"
            vote = vote.model_copy(update={"value": str(rank), "notes": (*vote.notes, place)})
        votes.append(vote)
    if sum(vote.outcome == "abstain" for vote in votes) >= max(1, len(ranked)) or not ranked:
        found = tally(asked)
        outcome = "abstain" if found.outcome == "decided" else found.outcome
        return RankRow(outcome=outcome, of=number, reason=found.reason, votes=tuple(votes))
    part = "" if len(ranked) == len(asked) else f"{len(ranked)} of {len(asked)} orders could be used. "
    reason = next(each.taken.reason for each in asked if each.taken is not None and each.taken.data)
    return RankRow(
        outcome="decided", rank=fmean(ranked), of=number, reason=f"{part}{reason}", votes=tuple(votes)
    )


def _place(vote: Vote) -> int:
    """The place in which an answer was shown for a vote; 0 where it does not say."""
    note = next((each for each in vote.notes if each.startswith(_SHOWN)), "")
    return int(note.removeprefix(_SHOWN).partition(" ")[0]) if note else 0
