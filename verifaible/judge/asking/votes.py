"""Questions to a judge, what came of them, and what repeats of one say together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Generic, Literal, TypeVar

from pydantic import BaseModel

from verifaible.schema.judged import Vote

T = TypeVar("T")
FormT = TypeVar("FormT", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Taken(Generic[T]):
    """What a usable reply says: a verdict, its reason, and what was made of the rest of it.

    ``abstain``: the judge says that it cannot tell.
    """

    outcome: Literal["decided", "abstain"]
    value: str
    reason: str
    data: T
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Item(Generic[FormT, T]):
    """One question to a judge.

    Attributes:
        protocol: names the form at the endpoint.
        system: what the judge is to do.
        user: what it is to judge, foreign words between boundaries.
        form: what it fills in.
        take: makes of the filled form what it says, and raises ``BadReply`` (:mod:`.replies`)
            where that cannot be: a quote that is not in the source, a label that was not shown.
    """

    protocol: str
    system: str
    user: str
    form: type[FormT]
    take: Callable[[FormT], Taken[T]]


@dataclass(frozen=True, slots=True)
class Asked(Generic[T]):
    """What came of a question: the vote, and what was taken from the reply where one could be used."""

    vote: Vote
    taken: Taken[T] | None = None


@dataclass(frozen=True, slots=True)
class Tally(Generic[T]):
    """What the repeats of a question say together; ``winner`` is the first of those that carry it."""

    outcome: Literal["decided", "failed", "abstain", "not_judged"]
    value: str = ""
    reason: str = ""
    winner: Taken[T] | None = None


def tally(asked: Sequence[Asked[T]]) -> Tally[T]:
    """What repeats say together: the verdict of more than half of those that could be used.

    Without such a majority, or where most abstain, the outcome is ``abstain``; where none could be used it is
    ``failed``, or ``not_judged`` where nobody was asked.
    """
    usable = [(each.vote, each.taken) for each in asked if each.taken is not None]
    if not usable:
        failed = [each.vote.fault for each in asked if each.vote.outcome == "failed"]
        if failed:
            return Tally("failed", reason=_sentence("failed: ", failed))
        return Tally("not_judged", reason=_sentence("", [each.vote.reason for each in asked]))
    counts = Counter(taken.value if taken.outcome == "decided" else "" for _, taken in usable)
    value, number = counts.most_common(1)[0]
    if not value or 2 * number <= len(usable):
        if len(counts) == 1:
            return Tally("abstain", reason=usable[0][1].reason)
        shares = ", ".join(f"{name or 'abstain'} {times}" for name, times in sorted(counts.items()))
        return Tally("abstain", reason=f"The repeats do not agree: {shares}.")
    winner = next(taken for _, taken in usable if taken.outcome == "decided" and taken.value == value)
    return Tally("decided", value, winner.reason, winner)


def _sentence(head: str, texts: Sequence[str]) -> str:
    return head + " | ".join(dict.fromkeys(text for text in texts if text))


def prompt(name: str) -> str:
    """One of the texts of ``prompts/``."""
    return resources.files("verifaible.judge").joinpath("prompts", name).read_text(encoding="utf-8").strip()
