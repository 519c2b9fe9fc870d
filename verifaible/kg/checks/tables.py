"""The tables of a filing's text, and the words that name something."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

from verifaible.text.flat import flatten

WORD: Final = re.compile(r"[^\W\d_]{2,}")
_YEAR: Final = re.compile(r"(?<![\d.,])(?:19|20)\d\d(?![\d%]|[.,]\d)")
_THROUGH: Final = re.compile(r"\s*(?:-|–|—|to|through|and)\s*", re.IGNORECASE)
_RULE: Final = re.compile(r"\s*\|?[\s:|-]*-[\s:|-]*\Z")
_FIGURE: Final = re.compile(r"\W*(?:[A-Z]{2,3}\W+)?\d[\d.,]*(?:\W*|\W*[A-Za-z]{1,7})\Z")
_YEAR_ALONE: Final = re.compile(r"\W*(?:19|20)\d\d\W*\Z")
#: Words that name nothing by themselves.
_EMPTY: Final = frozenset(
    "the of in on at to by for from with and or as is wa was were are be its their than an per that thi this "
    "which what how much many did doe does do our we it ha has have had if between during into".split()
)


def words_of(text: str) -> frozenset[str]:
    """The words of a text that can name something, in a form that singular and plural share."""
    found = (stem(word) for word in WORD.findall(flatten(text)))
    return frozenset(word for word in found if word not in _EMPTY)


def stem(word: str) -> str:
    """A word in lower case, its plural as its singular."""
    word = word.casefold()
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def years_of(text: str) -> frozenset[int]:
    """The years that a text names, and those between two that a range joins."""
    found, last, year = set[int](), -1, 0
    for match in _YEAR.finditer(text):
        if last >= 0 and _THROUGH.fullmatch(text, last, match.start()):
            found.update(range(year, int(match[0])))
        year, last = int(match[0]), match.end()
        found.add(year)
    return frozenset(found)


@dataclass(frozen=True)
class Cell:
    """A cell of a table: its words, and where they stand in the text."""

    text: str
    start: int
    end: int

    @cached_property
    def is_figure(self) -> bool:
        """Whether it holds a figure and perhaps its unit, but no name; a year alone names a column."""
        return bool(_FIGURE.match(self.text)) and not _YEAR_ALONE.match(self.text)


@dataclass(frozen=True)
class Table:
    """Rows of cells below one another."""

    rows: tuple[tuple[Cell, ...], ...]
    caption: str

    @cached_property
    def first(self) -> int:
        """The first row that has a name and figures; what is above it are heads."""
        named = (row for row, cells in enumerate(self.rows) if cells[0].text and self._has_figures(row))
        return next(named, 0)

    def heads(self, row: int, column: int) -> tuple[str, ...]:
        """The heads over a cell, the nearest first; a head goes on over the empty cells behind it."""
        found = []
        for above in range(row - 1, -1, -1):
            cells = self.rows[above]
            inside = above >= self.first and (cells[0].text or self._has_figures(above))
            if inside or not any(cell.text for cell in cells[1:]):
                continue
            before = [cell.text for cell in cells[1 : column + 1] if cell.text]
            behind = [cell.text for cell in cells[column + 1 :] if cell.text]
            found.append((before[-1:] or behind[:1])[0])
        return tuple(found)

    def _has_figures(self, row: int) -> bool:
        return any(cell.is_figure for cell in self.rows[row][1:])


#: Lines over a table that are its caption.
_OVER: Final = 2


def tables_of(text: str) -> Iterator[Table]:
    """The tables of a text in Markdown, in order."""
    rows: list[tuple[Cell, ...]] = []
    over: list[str] = []
    at = 0
    for line in (*text.split("\n"), ""):
        rule = _RULE.match(line)
        if cells := () if rule else _cells_of(line, at):
            rows.append(cells)
        elif rows and not rule:
            yield Table(tuple(rows), " ".join(over[-_OVER:]))
            rows = []
        if not cells and line.strip() and not rule:
            over.append(line)
        at += len(line) + 1


def _cells_of(line: str, start: int) -> tuple[Cell, ...]:
    """The cells of a row; none where a line is no row."""
    if line.count("|") < 2:
        return ()
    edges = [at for at, char in enumerate(line) if char == "|"]
    edges = edges if line.startswith("|") else [-1, *edges]
    edges = edges if line.rstrip().endswith("|") else [*edges, len(line)]
    cells = []
    for first, last in pairwise(edges):
        words = line[first + 1 : last]
        left = start + first + 1 + len(words) - len(words.lstrip())
        cells.append(Cell(words.strip(), left, left + len(words.strip())))
    return tuple(cells)
