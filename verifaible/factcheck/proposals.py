"""The formulas that a claim may mean: over the values of a table whose rows, columns and years it names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import combinations
from typing import Final

from verifaible.factcheck.expression import Shape
from verifaible.factcheck.naming import Named
from verifaible.factcheck.places import Place, ReadSource, places_in
from verifaible.factcheck.words import years_of

#: Cells of one table that a claim may name; a claim that names more names none of them.
_MOST_CELLS: Final = 60
#: Rows that are put together.
_MOST_ROWS: Final = 5


@dataclass(frozen=True, slots=True)
class Proposal:
    """A formula over values of a table, and what it gives."""

    shape: Shape
    expression: str
    places: Mapping[str, Place]
    value: Decimal

    @property
    def starts(self) -> frozenset[int]:
        """Where its operands stand."""
        return frozenset(place.start for place in self.places.values())


class Sheet:
    """A table of a source, with what names its values."""

    def __init__(self, source: ReadSource, cells: Sequence[Place]) -> None:
        self.source, self.cells = source, cells

    @cached_property
    def words(self) -> frozenset[str]:
        """The words that name its rows and columns."""
        return frozenset[str]().union(*(each.row | each.section | each.column for each in self.cells))

    def proposals(self, claim: str) -> Iterator[Proposal]:
        """Each value that a claim may name alone, two of a row or a column, and whole rows and columns."""
        cells = self._named(claim)
        for cell in cells:
            yield Proposal("value", "a", {"a": cell}, cell.value)
        for one, other in combinations(cells, 2):
            if one.line == other.line or one.rank == other.rank:
                yield from _pairs(one, other)
        for group in _groups(cells, years_of(claim, through=True)):
            places = {f"a{number}": place for number, place in enumerate(group)}
            total = sum((each.value for each in group), Decimal(0))
            yield Proposal("sum", " + ".join(places), places, total)
            yield Proposal("mean", f"mean({', '.join(places)})", places, total / len(group))

    def _named(self, claim: str) -> list[Place]:
        """The values that a claim may name: no other row or column is named better, and the years fit."""
        words, years = Named(claim), set(years_of(claim, through=True))
        if not words.all & self.words:
            return []
        rows = {each.line: (each.row, each.section) for each in self.cells}
        shared = {line for line, (row, section) in rows.items() if words.all & (row | section)}
        lines = [
            line
            for line in shared or rows
            if not any(
                words.better(row, rows[line][0], (section, rows[line][1])) for row, section in rows.values()
            )
        ]
        found = [each for each in self.cells if each.line in lines]
        heads = {each.column & words.all for each in found}
        found = [each for each in found if not any(each.column & words.all < head for head in heads)]
        if years:
            near = years | {year - 1 for year in years}
            found = [each for each in found if not each.years or near & set(each.years)]
        return found if len(found) <= _MOST_CELLS else []


def sheets_of(source: ReadSource) -> list[Sheet]:
    """The tables of a source that have values."""
    return [Sheet(source, cells) for cells in places_in(source.text).tables if cells]


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
            yield Proposal("change", f"(a - b) / {'b' if second.value > 0 else 'abs(b)'}", places, change)
            yield Proposal("ratio", "a / b", places, first.value / second.value)


def _groups(cells: Sequence[Place], years: Sequence[int]) -> Iterator[tuple[Place, ...]]:
    """Values of one row, of all years and of those that are named; and of rows in one column."""
    found: dict[tuple[int, ...], tuple[Place, ...]] = {}
    for line in {cell.line for cell in cells}:
        beside = [cell for cell in cells if cell.line == line and cell.years]
        named = [cell for cell in beside if set(cell.years) & set(years)]
        for group in (beside, named):
            found[tuple(each.start for each in group)] = tuple(group)
    for rank in {cell.rank for cell in cells}:
        below = [cell for cell in cells if cell.rank == rank]
        if len(below) <= _MOST_ROWS:
            for size in range(2, len(below) + 1):
                for rows in combinations(below, size):
                    found[tuple(each.start for each in rows)] = rows
    return (group for group in found.values() if len(group) > 1)
