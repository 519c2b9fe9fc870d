"""The numbers of a claim that must be explained, each with the words that it is told with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from verifaible.anchoring.number_mention import NumberMention
from verifaible.anchoring.numbers import find_numbers
from verifaible.judge.numbers.quantities import quantities
from verifaible.judge.proof.checking import said_of
from verifaible.judge.proof.tables import YEAR

#: The first year of "2018/19".
_YEAR_BEFORE: Final = re.compile(r"\b(?:19|20)\d\d[/–-]\Z")
#: Words before a number that say whether it is a change.
_BESIDE: Final = 4
#: What leads to a level, in a sentence that also tells how much it changed.
_LEVEL: Final = re.compile(
    r"\b(?:to|at|from|reach\w*|versus|compared (?:with|to))\W+(?:\w+\W+)?[^\w\s]*\Z", re.I
)
MOVES: Final = frozenset(("up", "down", "change", "difference"))


@dataclass(frozen=True, slots=True)
class Goal:
    """A number of a claim, and the claim's words without its other numbers.

    ``own`` are the words with only the years that are its own. ``alone``: the claim has no other number;
    ``of``: how many operands it says in words ("together the four").
    """

    number: NumberMention
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
    numbers = [
        each
        for each in find_numbers(text)
        if each.role in ("value", "range")
        and not each.negated
        and not YEAR.fullmatch(each.raw)
        and not _YEAR_BEFORE.search(text[: each.start])
    ]
    if any(each.worded for each in quantities(text)):
        return []
    counted = [each for each in numbers if not re.search(r"\d", each.raw)]
    numbers = [each for each in numbers if each not in counted]
    years = list(YEAR.finditer(text))
    own = _years_of_each(numbers, years)
    of = frozenset(int(each.value) for each in counted)
    found = []
    for number in numbers:
        bare = text
        for other in numbers:
            if other is not number:
                bare = f"{bare[: other.start]}{' ' * (other.end - other.start)}{bare[other.end :]}"
        alone = bare
        for year in years:
            if number in own and own[number] is not year:
                alone = f"{alone[: year.start()]}{' ' * len(year[0])}{alone[year.end() :]}"
        found.append(Goal(number, bare, alone, len(numbers) == 1, of))
    return found


def _years_of_each(
    numbers: Sequence[NumberMention], years: Sequence[re.Match[str]]
) -> dict[NumberMention, re.Match[str]]:
    """Which year a number is of, where there are as many years as numbers, or as values beside a per cent."""
    if len(years) < 2:
        return {}
    for group in (numbers, [each for each in numbers if each.unit not in ("%", "pp", "bp")]):
        if len(group) == len(years):
            return dict(zip(group, years, strict=True))
    return {}


def half_of(number: NumberMention) -> Decimal:
    """Half a unit of the last place that a number shows, without its scale."""
    return Decimal("0.5").scaleb(min(int(number.value.as_tuple().exponent), 0))


def alike(value: Decimal, target: Decimal, half: Decimal) -> bool:
    """Whether two values have the same digits, in any scale and with any sign."""
    if not value or not target:
        return abs(value - target) <= half
    power = round((abs(target) / abs(value)).log10())
    return abs(abs(value).scaleb(power) - abs(target)) <= half
