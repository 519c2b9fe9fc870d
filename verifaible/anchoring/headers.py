"""Which cells of a table are its headers.

Where headers are marked (``thead``, ``th``, ``scope``) this follows the intent of WHATWG HTML
4.9.12, "header and data cell semantics". Many statistics tables have only ``td``: there the
header rows are those above the first row with a number in it, and the row headers are the first
column and the columns of text right after it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from verifaible.anchoring.fold import fold
from verifaible.schema.table import Grid, GridCell

_NUMBER = re.compile(r"[+\-−±(]?\s*[$€£¥]?\s*\d[\d,.'’\s]*\s*[%‰)]?\s*[*†‡¹²³]*")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_YEAR_FIRST = re.compile(r"(\d{4}\s*年)\s*\S")
_MONTH_ONLY = re.compile(r"\d{1,2}\s*月")
_NOTHING = frozenset(("", "-", "--", "—", "——", "–", "…", "...", "n/a", "na", "/", "*", "x"))
#: Header rows are never more than this where nothing marks them.
_MOST_HEADER_ROWS = 8


@dataclass(frozen=True, slots=True)
class ColumnHeads:
    """A column and its headers from outer to inner."""

    column: int
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RowHeads:
    """A body row, or its part in one of several column groups that stand side by side.

    ``path`` is its headers from outer to inner; ``implied`` a year that only an earlier row
    shows; ``keys`` the texts of the leading text columns; ``first`` and ``last`` the columns it
    covers, ``last`` excluded.
    """

    row: int
    path: tuple[str, ...]
    implied: tuple[str, ...]
    keys: tuple[str, ...]
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Headers:
    """The headers of a table; ``groups`` are the (first, last) columns of column groups."""

    rows: tuple[RowHeads, ...]
    columns: tuple[ColumnHeads, ...]
    groups: tuple[tuple[int, int], ...]
    head_rows: int


def find_headers(grid: Grid) -> Headers:
    """Work out the headers of a table."""
    head_rows = _head_rows(grid)
    columns = tuple(
        ColumnHeads(column, _texts(_down(grid, column, head_rows))) for column in range(grid.width)
    )
    groups = _groups(columns)
    rows: list[RowHeads] = []
    for first, last in groups:
        rows += _group_rows(grid, head_rows, first, last)
    rows.sort(key=lambda heads: (heads.row, heads.first))
    return Headers(tuple(rows), columns, groups, head_rows)


def is_number(text: str) -> bool:
    """Whether a cell holds a number and nothing else; years and dates are no numbers here."""
    plain = unicodedata.normalize("NFKC", text).strip()
    return bool(_NUMBER.fullmatch(plain)) and not _YEAR.fullmatch(plain)


def is_nothing(text: str) -> bool:
    """Whether a cell is empty or holds only a mark for "no value"."""
    return unicodedata.normalize("NFKC", text).strip().casefold() in _NOTHING


def _row_cells(grid: Grid, row: int, first: int = 0, last: int | None = None) -> list[GridCell]:
    """The cells of a row from left to right, each once."""
    cells: list[GridCell] = []
    for column in range(first, grid.width if last is None else last):
        cell = grid.at(row, column)
        if cell is not None and (not cells or cells[-1] is not cell):
            cells.append(cell)
    return cells


def _down(grid: Grid, column: int, rows: int) -> list[GridCell]:
    cells: list[GridCell] = []
    for row in range(rows):
        cell = grid.at(row, column)
        if cell is not None and (not cells or cells[-1] is not cell):
            cells.append(cell)
    return cells


def _texts(cells: Sequence[GridCell]) -> tuple[str, ...]:
    return tuple(cell.text for cell in cells if cell.text.strip())


def _head_rows(grid: Grid) -> int:
    marked = 0
    for row in range(grid.height):
        cells = _row_cells(grid, row)
        told = [cell for cell in cells if cell.text.strip()]
        heads = [cell for cell in told if cell.header and cell.scope not in ("row", "rowgroup")]
        rest = [cell for cell in told if cell not in heads]
        if (
            not heads
            or any(cell.column > 0 for cell in rest)
            or (len(told) == 1 and row > 0 and grid.width > 1)
        ):
            break
        if len(heads) == 1 and heads[0].column == 0 and heads[0].width < grid.width and len(cells) > 1:
            break  # a row header beside empty cells
        marked = row + 1
    marked = max(marked, min(grid.head_rows, grid.height))
    return marked or _guessed_head_rows(grid)


def _guessed_head_rows(grid: Grid) -> int:
    for row in range(min(grid.height, _MOST_HEADER_ROWS + 1)):
        cells = _row_cells(grid, row)
        if any(is_number(cell.text) for cell in cells) and not _is_numbering(cells):
            # A title over the first rows of the body is a section, not a header of the columns.
            first = row
            while first > 1 and _is_title(grid, first - 1):
                first -= 1
            return first
    return 1 if grid.height > 1 else 0


def _is_title(grid: Grid, row: int) -> bool:
    cells = _row_cells(grid, row)
    return _is_section([cell for cell in cells if cell.text.strip()], cells, 0, grid.width)


def _is_numbering(cells: Sequence[GridCell]) -> bool:
    """A header row that only numbers the columns: 甲 | 1 | 2 | 3."""
    numbers = [cell.text.strip() for cell in cells if is_number(cell.text)]
    return len(numbers) >= 2 and numbers == [str(number) for number in range(1, len(numbers) + 1)]


def _groups(columns: Sequence[ColumnHeads]) -> tuple[tuple[int, int], ...]:
    """Column groups: each begins where the first column's own header stands again."""
    width = len(columns)
    first = _leaf(columns[0]) if columns else ""
    starts = [0]
    if first:
        starts += [
            heads.column
            for heads in columns[1:]
            if _leaf(heads) == first and _leaf(columns[heads.column - 1]) != first
        ]
    return tuple(zip(starts, [*starts[1:], width], strict=True))


def _leaf(heads: ColumnHeads) -> str:
    return fold(heads.path[-1]).text if heads.path else ""


def _group_rows(grid: Grid, head_rows: int, first: int, last: int) -> list[RowHeads]:
    key_columns = _key_columns(grid, head_rows, first, last)
    section: tuple[str, ...] = ()
    year = ""
    rows: list[RowHeads] = []
    for row in range(head_rows, grid.height):
        cells = _row_cells(grid, row, first, last)
        told = [cell for cell in cells if cell.text.strip()]
        if not told:
            continue
        if _is_section(told, cells, first, last):
            section = (told[0].text,)
            continue
        if all(cell.header for cell in told) and len(told) > 1:
            continue  # headers again in the middle of the body
        heads = _row_headers(cells, key_columns)
        texts = _texts(heads)
        own = texts[0] if texts else ""
        if found := _YEAR_FIRST.match(own):
            year = found.group(1)
        implied = (year,) if year and _MONTH_ONLY.fullmatch(own.strip()) else ()
        keys = tuple(
            cell.text
            for cell in cells
            if cell not in heads and cell.text.strip() and not is_number(cell.text)
        )
        rows.append(RowHeads(row, (*section, *texts), implied, keys, first, last))
    return rows


def _is_section(told: Sequence[GridCell], cells: Sequence[GridCell], first: int, last: int) -> bool:
    """A row that only titles the rows below it: one text over the whole width."""
    if len(told) != 1 or last - first < 2:
        return False
    cell = told[0]
    return cell.width >= last - first or (cell.scope == "rowgroup" and len(cells) == 1)


def _row_headers(cells: Sequence[GridCell], key_columns: Sequence[int]) -> list[GridCell]:
    marked = [cell for cell in cells if cell.header and cell.scope not in ("col", "colgroup")]
    if marked and any(not cell.header for cell in cells):
        return marked
    return [cell for cell in cells if cell.column in key_columns]


def _key_columns(grid: Grid, head_rows: int, first: int, last: int) -> list[int]:
    """The first column, and those right after it that hold text, if a column of numbers follows."""
    keys = [first]
    for column in range(first + 1, last):
        cells = [grid.at(row, column) for row in range(head_rows, grid.height)]
        texts = [cell.text for cell in cells if cell is not None and not is_nothing(cell.text)]
        numbers = sum(map(is_number, texts))
        if not texts or 2 * numbers >= len(texts):
            return keys
        keys.append(column)
    return [first]
