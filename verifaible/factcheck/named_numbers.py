"""The numbers of a source, each with the words that name it, in any language."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from verifaible.factcheck.figures import NUMBER, YEAR, Number, names, number_of, numbers_of
from verifaible.factcheck.source import Kind, ReadSource, Value
from verifaible.factcheck.tables import Table


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A number where it stands; the words are those of its :class:`~verifaible.factcheck.source.Value`."""

    value: Value
    number: Number
    near: frozenset[str]
    head: frozenset[str]
    line: frozenset[str]
    over: frozenset[str]
    block: int

    @property
    def source(self) -> ReadSource:
        """The source that it stands in."""
        return self.value.source

    @property
    def kind(self) -> Kind:
        """What it is."""
        return self.value.kind

    @property
    def unit(self) -> str:
        """Its unit; empty where none is told."""
        return self.value.quantity.unit

    @property
    def first(self) -> int:
        """Where its row, its sentence or itself begins."""
        return self.value.first

    @property
    def table(self) -> Table | None:
        """The table that it stands in, with ``row`` and ``column``."""
        return self.value.table

    @property
    def row(self) -> int:
        """Its row."""
        return self.value.row

    @property
    def column(self) -> int:
        """Its column."""
        return self.value.column

    @property
    def is_year(self) -> bool:
        """Whether it is a bare year."""
        return bool(YEAR.fullmatch(self.number.raw)) and not self.unit

    @property
    def is_no_ratio(self) -> bool:
        """Whether its sentence tells no ratio, so that a bare number in it is none."""
        return self.kind == "prose" and not any(
            each.unit in ("%", "pp", "‰") for each in numbers_of(self.value.line)
        )


def places_of(source: ReadSource) -> Iterator[Place]:
    """The numbers of a source, in order."""
    for value in source.values:
        match = NUMBER.search(value.quantity.raw)
        if match is None:
            continue
        number = number_of(match[0], 0, 0, value.quantity, below=value.quantity.value < 0)
        table = value.table
        block = table.rows[0][0].start if table else source.text.rfind("\n", 0, value.first) + 1
        label = names(value.near)
        yield Place(
            value, number, label, names(value.head), names(f"{value.near}\n{value.line}"),
            names(value.over), block,
        )  # fmt: skip


def label_numbers(source: ReadSource) -> frozenset[str]:
    """The numbers in the names of rows and columns, as they are written."""
    return frozenset(
        match[0]
        for table in source.tables
        for row, cells in enumerate(table.rows)
        for cell in cells
        if row < max(table.first, 1) or cell.number is None or cell is cells[0]
        for match in NUMBER.finditer(cell.text)
    )
