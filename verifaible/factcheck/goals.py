"""The numbers of a claim that a proof must explain."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from verifaible.factcheck.proof import MOVES, said_of
from verifaible.factcheck.result import PERCENT, numbers_of
from verifaible.factcheck.words import YEAR
from verifaible.text.numbers import find_quantities
from verifaible.text.quantity import Quantity

#: What leads to a level, in a sentence that also tells how much it changed.
_LEVEL: Final = re.compile(
    r"\b(?:to|at|from|reach\w*|versus|compared (?:with|to))\W+(?:\w+\W+)?[^\w\s]*\Z", re.I
)
#: Words before a number that say whether it is a change.
_BESIDE: Final = 4

#: What stands before the second year of a span ("2018/19"), and before a basis ("per 100 g").
_NO_GOAL: Final = re.compile(r"(?:\b(?:19|20)\d\d[/–-]|\bper |每)\Z")


@dataclass(frozen=True, slots=True)
class Goal:
    """A number of a claim, and the claim's words without its other numbers.

    ``own`` are the words with only the years that are its own. ``alone``: the claim has no other number;
    ``of``: how many operands it says in words ("together the four").
    """

    number: Quantity
    text: str
    own: str
    alone: bool
    of: frozenset[int]

    @property
    def is_level(self) -> bool:
        """Whether it is told as a level, where the claim also tells of a change."""
        before, behind = self.text[: self.number.start], self.text[self.number.end :]
        if _LEVEL.search(before):
            return True
        near = " ".join((*before.split()[-_BESIDE:], "0", *behind.split()[:2]))
        return not (self.alone or said_of(near, ()) & MOVES)


def goals_of(text: str) -> list[Goal]:
    """The numbers of a claim; none where it has one in words that no proof could have ("a third")."""
    numbers = [each for each in numbers_of(text) if not _NO_GOAL.search(text[: each.start])]
    if any(each.worded for each in find_quantities(text)):
        return []
    counted = [each for each in numbers if not re.search(r"\d", each.raw)]
    numbers = [each for each in numbers if each not in counted]
    years = list(YEAR.finditer(text))
    year_of = _years_of_each(numbers, years)
    of = frozenset(int(each.value) for each in counted)
    found = []
    for number in numbers:
        bare = _without(text, [(each.start, each.end) for each in numbers if each is not number])
        theirs = [year.span() for year in years if year_of.get(number, year) is not year]
        found.append(Goal(number, bare, _without(bare, theirs), len(numbers) == 1, of))
    return found


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    for start, end in spans:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text


def _years_of_each(
    numbers: Sequence[Quantity], years: Sequence[re.Match[str]]
) -> Mapping[Quantity, re.Match[str]]:
    """Which year a number is of, where there are as many years as numbers, or as values beside a per cent."""
    groups = (numbers, [each for each in numbers if each.unit not in PERCENT])
    fit = next((group for group in groups if len(group) == len(years) > 1), ())
    return dict(zip(fit, years, strict=False))
