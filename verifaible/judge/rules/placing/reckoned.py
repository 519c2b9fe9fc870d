"""Whether a calculation over the values of some places gives a number of a claim."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import combinations, permutations
from typing import Final

from verifaible.judge.rules.figures import Number, alike, units_told
from verifaible.judge.rules.placing.places import Place, is_year

#: Numbers of one sentence or column that are put together.
_MOST_SUMMED: Final = 8
#: Products are looked for of numbers of more digits.
_MULTIPLIED: Final = 4
#: Sentences of one unit that are further apart, in code points, are not put together.
_BESIDE: Final = 600


class Reckoning:
    """Whether calculations over values give a number, within the digits that it shows.

    ``strict``: ratios only give what is told as one.
    """

    def __init__(self, number: Number, told: Sequence[Number], *, strict: bool) -> None:
        self._number = number
        self._told = [value for each in told for value in each.ways if value]
        self._strict = strict
        self._plain = (
            number.scale == 1 and number.half == Decimal("0.5") and number.value < 1000
        )  # it has no scale
        self._ratio = number.unit in ("%", "pp", "倍") or (
            not strict and not number.unit and number.value < 100
        )
        self._loose = number.rounded * (2 if number.half == number.rounded >= Decimal("0.5") else 1)
        if number.quantity is not None and number.quantity.about:
            self._loose = 4 * number.rounded

    def gives(self, places: Sequence[Place], *, of: Collection[Place] | None = None) -> bool:
        """``of``: values of which one must be in each calculation; None: any."""
        return any(self._each(places, of))

    def _each(self, places: Sequence[Place], of: Collection[Place] | None) -> Iterator[bool]:
        for way in (0, -1):  # one sign parts thousands, or decimals, in all of them
            values = [(place.number.ways[way] * (-1 if place.number.below else 1), place) for place in places]
            yield from self._over([(value, place) for value, place in values if value], of)
        for group in () if self._strict else _groups(places):
            if of is not None and not any(place in of for place in group):
                continue
            named = [place for place in group if of is None or place in of]
            runs = (group[low:high] for low, high in combinations(range(len(group) + 1), 2) if high > low + 1)
            for some in (named, *runs, *combinations(group, len(group) - 1)):
                total = sum((each.number.signed for each in some), Decimal(0))
                yield self._makes(total) or self._makes(total / max(len(some), 1))
                if self._ratio and some is named:
                    yield any(self._pair(total, each.number.value) for each in group if each.number.value)

    def _over(self, values: Sequence[tuple[Decimal, Place]], of: Collection[Place] | None) -> Iterator[bool]:
        for one, other in permutations(values, 2):
            if _together(one[1], other[1]) and (of is None or one[1] in of or other[1] in of):
                yield self._pair(one[0], other[0])
            elif _in_words(one[1], other[1]) and (of is None or other[1] in of):
                yield self._makes(one[0] + other[0])
        for value, place in values:
            if of is not None and place not in of:
                continue
            for mine in self._told:
                yield self._pair(value, mine) or self._pair(mine, value)
                for result in (value * mine, value / mine):
                    yield alike(result, self._number, loose=self._loose, scaled=True)
            yield self._ratio and abs(100 - value - self._number.value) <= self._loose
            yield not self._strict and value < 100 and abs(value - self._number.value) == 1

    def _pair(self, one: Decimal, other: Decimal) -> bool:
        if self._makes(one - other):
            return True
        if not self._strict and (self._makes(one + other) or self._makes((one + other) / 2)):
            return True
        if not self._strict and self._number.significant > _MULTIPLIED:
            product = any(map(self._makes, (one * other, one / other)))
            if product:
                return True
        if not self._ratio or not other:
            return False
        results = [one / other, one / other - 1]
        if not self._strict:
            results += [
                *([one / (one + other)] if one + other else []),
                *([other / (one - other)] if one != other else []),
            ]
        by = (100,) if self._number.unit else (1, 100)
        target = self._number.value
        return any(abs(abs(each) * scale - target) <= self._loose for each in results for scale in by)

    def _makes(self, result: Decimal) -> bool:
        if self._plain:
            return abs(abs(result) - self._number.value) <= self._loose
        return alike(result, self._number, loose=self._loose)


def _together(one: Place, other: Place) -> bool:
    """Whether two values may be set against each other: of one row or column, or of sentences."""
    if one.table is not None or other.table is not None:
        return one.table is other.table and (one.row == other.row or one.column == other.column)
    if is_year(one) != is_year(other) or ("%" in (one.unit, other.unit) and one.unit != other.unit):
        return False
    if one.block == other.block:
        return units_told(one.unit, other.unit) != "other"
    return bool(one.unit) and one.unit == other.unit and abs(one.start - other.start) < _BESIDE


def _in_words(told: Place, cell: Place) -> bool:
    """Whether what a sentence tells may be added to what a cell has."""
    if told.table is not None or cell.table is None or is_year(told):
        return False
    return units_told(told.unit, cell.unit, alone=True) != "other"


def _groups(places: Iterable[Place]) -> Iterator[list[Place]]:
    found: dict[tuple[str, int, int], list[Place]] = {}
    for place in places:
        keys = (
            [("line", place.block, 0)]
            if place.table is None
            else [("row", id(place.table), place.row), ("column", id(place.table), place.column)]
        )
        for key in keys:
            found.setdefault(key, []).append(place)
    for group in found.values():
        unique = list(dict.fromkeys(group))
        for unit in dict.fromkeys(each.unit for each in unique):
            alike_ = [each for each in unique if each.unit == unit]
            if 2 < len(alike_) <= _MOST_SUMMED:
                yield alike_
