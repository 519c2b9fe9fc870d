"""Proofs that a claim may have: operands whose rows, columns and years it names, and the usual operations.

Nothing here decides: what the claim's words do not say is refused by :mod:`verifaible.judge.proof`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import combinations
from typing import Final

from verifaible.judge.proof.expression import Shape
from verifaible.judge.proof.naming import Named, better
from verifaible.judge.proof.places import Place, SourceText
from verifaible.judge.proof.tables import Table, words_of, years_of

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

    def _is_beaten(self, row: int, words: Named) -> bool:
        return any(better(words, other, self._labels[row]) for other in self._labels.values())


def proposals(cells: Sequence[Place], years: Sequence[int]) -> Iterator[Proposal]:
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
