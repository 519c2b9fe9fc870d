"""The tables of a text with their rows, heads and sections."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

from verifaible.factcheck.words import years_of
from verifaible.text.numbers import find_quantities
from verifaible.text.quantity import Quantity
from verifaible.text.units import unit_kind

_RULE: Final = re.compile(r"\s*\|?[\s:|-]*-[\s:|-]*\Z")


@dataclass(frozen=True)
class Cell:
    """A cell of a table: its words, and where they stand in the source."""

    text: str
    start: int
    end: int

    @cached_property
    def number(self) -> Quantity | None:
        """Its value; None where it is a name, a year, a date or a span of time."""
        found = value_in(self.text) if _FIGURE.fullmatch(self.text) else None
        return None if found is None or unit_kind(found.unit) == "time" else found


#: A cell that holds a figure and perhaps its unit, but no name; a year alone names a column.
_FIGURE: Final = re.compile(
    r"(?!\W*(?:19|20)\d\d(?:\W+(?:19|20)?\d\d)?\W*\Z)[^\w]*(?:[A-Z]{2,3}\W+)?\d(?:[^A-Za-z]|[A-Za-z]{1,3}\b|[A-Za-z]{5,8}\Z)*"
)


def value_in(text: str, start: int = 0, end: int | None = None) -> Quantity | None:
    """The one value of a cell, or the one that overlaps a range of a sentence; None where there is none."""
    found = [
        each
        for each in find_quantities(text)
        if each.role in ("value", "range")
        and each.start < (len(text) if end is None else end)
        and start < each.end
    ]
    return found[0] if found else None


@dataclass(frozen=True)
class Table:
    """Rows of cells below one another, and the lines over them as its caption."""

    rows: tuple[tuple[Cell, ...], ...]
    caption: str

    def figures(self, row: int) -> tuple[int, ...]:
        """The columns of a row that hold figures; the first names the row."""
        return tuple(at for at, cell in enumerate(self.rows[row]) if at and cell.number)

    @cached_property
    def first(self) -> int:
        """The first row that has a name and figures; what is above it are heads."""
        return next((row for row, cells in enumerate(self.rows) if cells[0].text and self.figures(row)), 0)

    def label(self, row: int) -> str:
        """What names a row: its words left of the first figure."""
        figures = self.figures(row)
        first = figures[0] if figures else len(self.rows[row])
        label = " ".join(cell.text for cell in self.rows[row][:first] if cell.text)
        return label or f"Total {self.section(row)}".strip()

    def section(self, row: int) -> str:
        """The nearest row over it that has a name and nothing else."""
        for above in range(row - 1, -1, -1):
            cells = self.rows[above]
            if cells and cells[0].text and not any(cell.text for cell in cells[1:]):
                return cells[0].text
        return ""

    def heads(self, row: int, column: int) -> tuple[str, ...]:
        """The heads over a cell, the nearest first; a head goes on over the empty cells behind it."""
        found = []
        for above in range(row - 1, -1, -1):
            cells = self.rows[above]
            inside = above >= self.first and (cells[0].text or self.figures(above))
            if inside or not any(cell.text for cell in cells[1:]):
                continue
            before = [cell.text for cell in cells[1 : column + 1] if cell.text]
            behind = [cell.text for cell in cells[column + 1 :] if cell.text]
            found.append((before[-1:] or behind[:1])[0])
        return tuple(found)

    def names(self, row: int) -> str:
        """What names the cells of a row: its own name, and the heads of all its figures."""
        heads = (head for column in self.figures(row) for head in self.heads(row, column))
        return " ".join((self.label(row), *heads))

    def years(self, row: int, column: int) -> tuple[int, ...]:
        """The years of a cell: of the nearest head that has any, else of its row's name or section."""
        for head in (*self.heads(row, column), self.label(row), self.section(row)):
            if years := years_of(head, through=True):
                return years
        return ()


def _lines(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for line in text.split("\n"):
        yield at, line
        at += len(line) + 1


def _cells_of(line: str, start: int) -> tuple[Cell, ...]:
    """The cells of a row of Markdown, or of one parted by tabs; none where it is no row."""
    sign = "|" if line.count("|") > 1 else "\t"
    if sign not in line or _RULE.match(line):
        return ()
    edges = [-1, *(at for at, char in enumerate(line) if char == sign), len(line)]
    if sign == "|":
        edges = edges[
            1 if not line[: edges[1]].strip() else 0 : -1 if not line[edges[-2] + 1 :].strip() else None
        ]
    cells = []
    for first, last in pairwise(edges):
        words = line[first + 1 : last]
        left = first + 1 + len(words) - len(words.lstrip())
        cells.append(Cell(words.strip(), start + left, start + left + len(words.strip())))
    return tuple(cells)


#: Lines over a table that are its caption.
_OVER: Final = 2


def rows_of(text: str) -> dict[int, tuple[Table, int]]:
    """The table and the row of each line that belongs to one, by where the line begins."""
    found: dict[int, tuple[Table, int]] = {}
    rows: list[tuple[Cell, ...]] = []
    starts, over = list[int](), list[str]()
    for start, line in (*_lines(text), (len(text), "")):
        cells = _cells_of(line, start)
        if cells:
            rows.append(cells)
            starts.append(start)
        elif rows and not _RULE.match(line):
            table = Table(tuple(rows), " ".join(over[-_OVER:]))
            found |= {begin: (table, number) for number, begin in enumerate(starts)}
            rows, starts = [], []
        if not cells and line.strip() and not _RULE.match(line):
            over.append(line)
    return found


def tables_of(text: str) -> tuple[Table, ...]:
    """The tables of a text, in order."""
    return tuple({id(table): table for table, _ in rows_of(text).values()}.values())
