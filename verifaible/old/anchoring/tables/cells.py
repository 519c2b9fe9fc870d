"""What stands in the cells of a table: numbers, marks for nothing, signs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from verifaible.schema.table import Grid, GridCell

_NUMBER = re.compile(r"[+\-−±(]?\s*[$€£¥]?\s*\d[\d,.'’\s]*\s*[%‰)]?\s*[*†‡¹²³]*")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_NOTHING = frozenset(("", "-", "--", "—", "——", "–", "…", "...", "n/a", "na", "/", "*", "x"))
#: What stands beside a figure in a cell of its own.
_SIGN = re.compile(r"\s*[$€£¥()%‰*†‡]*\s*")


def is_number(text: str) -> bool:
    """Whether a cell holds a number and nothing else; years and dates are no numbers here."""
    plain = unicodedata.normalize("NFKC", text).strip()
    return bool(_NUMBER.fullmatch(plain)) and not _YEAR.fullmatch(plain)


def is_nothing(text: str) -> bool:
    """Whether a cell is empty or holds only a mark for "no value", or a sign of the cell beside it."""
    plain = unicodedata.normalize("NFKC", text).strip().casefold()
    return plain in _NOTHING or bool(_SIGN.fullmatch(plain))


def row_cells(grid: Grid, row: int, first: int = 0, last: int | None = None) -> list[GridCell]:
    """The cells of a row from left to right, each once."""
    cells: list[GridCell] = []
    for column in range(first, grid.width if last is None else last):
        cell = grid.at(row, column)
        if cell is not None and (not cells or cells[-1] is not cell):
            cells.append(cell)
    return cells


def down(grid: Grid, column: int, rows: Iterable[int]) -> list[GridCell]:
    """The cells of a column in some rows, from top to bottom, each once."""
    cells: list[GridCell] = []
    for row in rows:
        cell = grid.at(row, column)
        if cell is not None and (not cells or cells[-1] is not cell):
            cells.append(cell)
    return cells


def texts_of(cells: Sequence[GridCell]) -> tuple[str, ...]:
    """What the cells say, without empty ones."""
    return tuple(cell.text for cell in cells if cell.text.strip())


def is_sign(text: str) -> bool:
    """Whether a cell is empty or has only what belongs to the figure beside it."""
    return bool(_SIGN.fullmatch(text))
