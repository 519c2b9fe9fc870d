"""The numbers of a claim that must be explained, and the proofs that they may have.

A proof has operands whose rows, columns and years the claim names, and one of the usual operations.

Nothing here decides: what the claim's words do not say is refused by :mod:`verifaible.judge.proof`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import combinations
from typing import Final

from verifaible.judge.numbers.quantities import quantities
from verifaible.judge.proof.checking import said_of
from verifaible.judge.proof.expression import Shape
from verifaible.judge.proof.naming import Named, better
from verifaible.judge.proof.places import Place, SourceText
from verifaible.judge.proof.tables import YEAR, Table, words_of, years_of
from verifaible.old.numbers import NumberMention, find_numbers

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


#: Cells of one table that a claim may name; a claim that names more names none of them.
_MOST_CELLS: Final = 60
#: Rows that are put together.
_MOST_ROWS: Final = 5


@dataclass(frozen=True, slots=True)
class Proposal:
    """An expression over places, and what it is."""

    shape: Shape
    expression: str
    places: Mapping[str, Place]
    value: Decimal


class Sheet:
    """A table of a source, with what names its cells."""

    def __init__(self, source: SourceText, table: Table) -> None:
        self._source, self._table = source, table

    @cached_property
    def cells(self) -> tuple[Place, ...]:
        """Its figures."""
        found = (
            self._source.at(cell.start, cell.end)
            for row, cells in enumerate(self._table.rows)
            if row >= self._table.first
            for column, cell in enumerate(cells)
            if column in self._table.figures(row)
        )
        return tuple(place for place in found if place is not None)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words that name its rows and columns."""
        return words_of(
            " ".join(cell.text for cells in self._table.rows for cell in cells if not cell.number)
        )

    @cached_property
    def _labels(self) -> dict[int, tuple[frozenset[str], frozenset[str]]]:
        rows = {cell.row for cell in self.cells}
        return {row: (words_of(self._table.label(row)), words_of(self._table.section(row))) for row in rows}

    def named(self, claim: str) -> list[Place]:
        """The cells that a claim may name: no other row or column is named better, and the years fit."""
        words, years = Named(claim), set(years_of(claim, through=True))
        if not words.all & self.words:
            return []
        shared = {row for row, label in self._labels.items() if words.all & (label[0] | label[1])}
        rows = [row for row in shared or self._labels if not self._is_beaten(row, words)]
        found = [cell for cell in self.cells if cell.row in rows]
        heads = {cell.column: words_of(" ".join(self._table.heads(cell.row, cell.column))) for cell in found}
        if any(head & words.all for head in heads.values()):
            found = [
                cell
                for cell in found
                if not any(heads[cell.column] & words.all < other & words.all for other in heads.values())
            ]
        if years:
            near = years | {year - 1 for year in years}
            found = [cell for cell in found if not cell.years or near & set(cell.years)]
        return found if len(found) <= _MOST_CELLS else []

    def proposals(self, claim: str) -> Iterator[Proposal]:
        """The proofs over it that a claim may have."""
        return _proposals(self.named(claim), years_of(claim, through=True))

    def _is_beaten(self, row: int, words: Named) -> bool:
        return any(better(words, other, self._labels[row]) for other in self._labels.values())


def _proposals(cells: Sequence[Place], years: Sequence[int]) -> Iterator[Proposal]:
    """What cells may be operands of: each alone, two of a row or a column, and whole rows and columns."""
    for cell in cells:
        yield Proposal("value", "a", {"a": cell}, cell.value)
    for one, other in combinations(cells, 2):
        if one.row == other.row or one.column == other.column:
            yield from _pairs(one, other)
    for group in _groups(cells, years):
        names = [f"a{number}" for number in range(len(group))]
        places = dict(zip(names, group, strict=True))
        total = sum((each.value for each in group), Decimal(0))
        yield Proposal("sum", " + ".join(names), places, total)
        yield Proposal("mean", f"mean({', '.join(names)})", places, total / len(group))


def _pairs(one: Place, other: Place) -> Iterator[Proposal]:
    orders = [(one, other), (other, one)]
    if one.years and other.years and max(one.years) != max(other.years):
        orders = [(one, other) if max(one.years) > max(other.years) else (other, one)]
        late, early = orders[0]
        yield Proposal("difference", "b - a", {"a": late, "b": early}, early.value - late.value)
    for first, second in orders:
        places = {"a": first, "b": second}
        yield Proposal("difference", "a - b", places, first.value - second.value)
        if second.value:
            change = (first.value - second.value) / abs(second.value)
            base = "b" if second.value > 0 else "abs(b)"
            yield Proposal("change", f"(a - b) / {base}", places, change)
            yield Proposal("ratio", "a / b", places, first.value / second.value)


def _groups(cells: Sequence[Place], years: Sequence[int]) -> Iterator[tuple[Place, ...]]:
    """Cells of one row, of all years and of those that are named; and of rows in one column."""
    found: dict[tuple[int, ...], tuple[Place, ...]] = {}
    for row in {cell.row for cell in cells}:
        beside = [cell for cell in cells if cell.row == row and cell.years]
        named = [cell for cell in beside if set(cell.years) & set(years)]
        for group in (beside, named):
            found[tuple(each.start for each in group)] = tuple(group)
    for column in {cell.column for cell in cells}:
        below = [cell for cell in cells if cell.column == column]
        if len(below) <= _MOST_ROWS:
            for size in range(2, len(below) + 1):
                for group in map(list, combinations(below, size)):
                    found[tuple(each.start for each in group)] = tuple(group)
    return (group for group in found.values() if len(group) > 1)
