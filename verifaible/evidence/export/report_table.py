"""The part of a cited table that a report shows: around the evidence, with its headers."""

from __future__ import annotations

from dataclasses import dataclass

from verifaible.anchoring.structure import headers_of
from verifaible.extract.document import Document, Table
from verifaible.schema.anchor import Anchor, TableAnchor

#: Rows shown on either side of the cited ones; cited rows shown at most.
_NEIGHBOURS = 3
_CITED_ROWS = 60
#: The same where there is little room, and columns.
_BRIEF_NEIGHBOURS = 1
_BRIEF_ROWS = 4
_BRIEF_COLUMNS = 8


@dataclass(frozen=True, slots=True)
class ShownCell:
    """A cell of the table as shown; ``mark`` is "cell" (the evidence), "line" (its row or column) or ""."""

    text: str
    rows: int = 1
    columns: int = 1
    header: bool = False
    mark: str = ""


@dataclass(frozen=True, slots=True)
class ShownTable:
    """The part of the cited table around the evidence, and how many rows and columns are not shown."""

    caption: str
    rows: tuple[tuple[ShownCell, ...], ...]
    rows_left_out: int = 0
    columns_left_out: int = 0


def place_in_table(table: TableAnchor) -> str:
    """Where in a table the evidence stands, in words."""
    row, column = " › ".join(table.row_path), " › ".join(table.column_path)
    if table.mode == "crosshair":
        return f"Table cell: row “{row}”, column “{column}”"
    return {"row": f"Table row “{row}”", "column": f"Table column “{column}”"}.get(table.mode, "Whole table")


@dataclass(frozen=True, slots=True)
class _Part:
    """The rows and columns of a table that are shown; the first ``heads`` rows are headers."""

    rows: list[int]
    columns: list[int]
    heads: int


def table_of(document: Document, index: int, anchor: Anchor, *, brief: bool = False) -> ShownTable | None:
    """The part of the cited table around the evidence; None if the evidence stands in no table.

    Args:
        document: what the capture holds.
        index: of the table in it, -1 for none.
        anchor: where the evidence stands.
        brief: for paper, or a card.
    """
    if anchor.table is None or index < 0:
        return None
    grid, table = document.tables[index], anchor.table
    heads = headers_of(document, index).head_rows
    part = _Part(
        _shown_rows(grid, table, heads, brief=brief), _shown_columns(grid, table, brief=brief), heads
    )
    return ShownTable(
        table.caption,
        tuple(_line(grid, row, part, table) for row in part.rows),
        grid.height - len(part.rows),
        grid.width - len(part.columns),
    )


def _shown_rows(grid: Table, table: TableAnchor, heads: int, *, brief: bool) -> list[int]:
    cited = sorted({row for row, _ in table.cells})[: _BRIEF_ROWS if brief else _CITED_ROWS]
    around = _BRIEF_NEIGHBOURS if brief else _NEIGHBOURS
    near = {other for row in cited for other in range(row - around, row + around + 1)}
    return [row for row in range(grid.height) if row < heads or row in near]


def _shown_columns(grid: Table, table: TableAnchor, *, brief: bool) -> list[int]:
    if not brief or grid.width <= _BRIEF_COLUMNS:
        return list(range(grid.width))
    first = min(column for _, column in table.cells) if table.mode in ("crosshair", "column") else 0
    start = min(max(1, first - _BRIEF_COLUMNS // 2), grid.width - _BRIEF_COLUMNS + 1)
    return [0, *range(start, start + _BRIEF_COLUMNS - 1)]


def _line(grid: Table, row: int, part: _Part, table: TableAnchor) -> tuple[ShownCell, ...]:
    """The cells that begin in a row, or that began in a row or column that is not shown."""
    shown: list[ShownCell] = []
    cited = set(table.cells)
    cross = {row for row, _ in cited}, {column for _, column in cited}
    for column in part.columns:
        cell = grid.at(row, column)
        if cell is None:
            shown.append(ShownCell(""))
            continue
        high = [each for each in part.rows if cell.row <= each < cell.row + cell.height]
        wide = [each for each in part.columns if cell.column <= each < cell.column + cell.width]
        if (row, column) != (high[0], wide[0]):
            continue
        mark = "cell" if any((r, c) in cited for r in high for c in wide) else ""
        if not mark and table.mode == "crosshair" and (cross[0] & {*high} or cross[1] & {*wide}):
            mark = "line"
        shown.append(ShownCell(cell.text, len(high), len(wide), cell.header or row < part.heads, mark))
    return tuple(shown)
