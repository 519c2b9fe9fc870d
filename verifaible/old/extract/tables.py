"""Tables: from markup to source cells, from source cells to a grid, from a grid to text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from lxml import etree

from verifaible.errors import WrongContent
from verifaible.old.extract.visible import css_path, is_hidden, visible_text
from verifaible.schema.table import Grid, GridCell, RawCell, RawTable

#: Limits of the HTML standard on ``colspan`` and ``rowspan``.
MAX_COLSPAN = 1000
MAX_ROWSPAN = 65534
#: Most slots of a grid; the largest statistics tables seen have some 10,000.
MAX_SLOTS = 2_000_000

_INTEGER = re.compile(r"[ \t\n\f\r]*\+?(\d+)")
_SCOPES: dict[str, Literal["row", "col", "rowgroup", "colgroup"]] = {
    "row": "row",
    "col": "col",
    "rowgroup": "rowgroup",
    "colgroup": "colgroup",
}
_GROUP_TAGS = ("thead", "tbody", "tfoot")


def raw_tables(html_root: etree._Element) -> list[RawTable]:
    """Every visible table below an element, in document order; a nested table stands alone.

    The text of a nested table is not part of the cell that holds it.
    """
    return [
        raw_table(element)
        for element in html_root.iter("table")
        if not any(is_hidden(node) for node in (element, *element.iterancestors()))
    ]


def raw_table(element: etree._Element) -> RawTable:
    """One ``table`` element in the order a browser shows it: head, bodies, foot.

    Only the first ``thead`` goes to the top and counts as head rows, as CSS 2 (17.2) has it;
    ``tfoot`` comes last (WHATWG HTML, 4.9.12.1).
    """
    head: list[list[etree._Element]] = []
    bodies: list[list[etree._Element]] = []
    feet: list[list[etree._Element]] = []
    loose: list[etree._Element] = []
    for child in element:
        if child.tag == "tr":
            if not loose:
                bodies.append(loose)
            loose.append(child)
        elif child.tag in _GROUP_TAGS:
            loose = []
            rows = [row for row in child if row.tag == "tr" and not is_hidden(row)]
            if is_hidden(child):
                continue
            target = feet if child.tag == "tfoot" else bodies
            (head if child.tag == "thead" and not head else target).append(rows)
    bodies = [[row for row in rows if not is_hidden(row)] for rows in bodies]
    groups = [rows for rows in (*head, *bodies, *feet) if rows]
    captions = [child for child in element if child.tag == "caption" and not is_hidden(child)]
    return RawTable(
        css_path=css_path(element),
        caption=visible_text(captions[0]) if captions else "",
        rows=tuple(tuple(_cells(row)) for rows in groups for row in rows),
        groups=tuple(len(rows) for rows in groups),
        head_rows=len(head[0]) if head else 0,
    )


def _cells(row: etree._Element) -> Iterator[RawCell]:
    for cell in row:
        if cell.tag not in {"td", "th"} or is_hidden(cell):
            continue
        scope = (cell.get("scope") or "").strip().lower()
        # Every value is of its type; long tables have too many cells to prove it for each.
        yield RawCell.model_construct(
            text=visible_text(cell, skip_tables=True),
            rowspan=_integer(cell.get("rowspan")),
            colspan=_integer(cell.get("colspan")),
            header=cell.tag == "th",
            scope=_SCOPES.get(scope, "") if cell.tag == "th" else "",
        )


def _integer(value: str | None) -> int:
    """HTML's "rules for parsing non-negative integers"; 1 where they fail."""
    match = _INTEGER.match(value or "")
    return int(match[1][:9]) if match else 1


def form_grid(table: RawTable) -> Grid:
    """Place the cells of a table (WHATWG HTML, 4.9.12.1 "Forming a table").

    As browsers lay tables out, a ``rowspan`` ends with its row group. Where two cells overlap
    (a table model error) the earlier one keeps the slot, and every cell keeps its own corner.
    Rows that ``groups`` does not count form one last group.

    Raises:
        WrongContent: the spans make a grid of more than ``MAX_SLOTS`` slots.
    """
    cells: list[GridCell] = []
    slots: list[list[int]] = [[] for _ in table.rows]
    start = 0
    for size in _group_sizes(table):
        _place_group(table, start, start + size, cells, slots)
        start += size
    width = max((len(row) for row in slots), default=0)
    if width * len(slots) > MAX_SLOTS:
        raise WrongContent(_too_large(width, len(slots)))
    return Grid(
        width=width,
        height=len(slots),
        cells=tuple(cells),
        slots=tuple(tuple(row) + (-1,) * (width - len(row)) for row in slots),
        # A second thead stands among the body's rows.
        head_rows=min(table.head_rows, len(slots), *table.groups[:1]),
        caption=table.caption,
        css_path=table.css_path,
    )


def _group_sizes(table: RawTable) -> list[int]:
    sizes: list[int] = []
    left = len(table.rows)
    for size in table.groups:
        sizes.append(min(size, left))
        left -= sizes[-1]
    return [*sizes, left] if left else sizes


def _place_group(
    table: RawTable, start: int, end: int, cells: list[GridCell], slots: list[list[int]]
) -> None:
    """Place the rows ``start`` to ``end`` (exclusive), which form one row group."""
    filled = sum(len(row) for row in slots)
    for row in range(start, end):
        column = 0
        for position, raw in enumerate(table.rows[row]):
            while column < len(slots[row]) and slots[row][column] >= 0:
                column += 1
            if raw.absent:
                _cover(slots[row], column, 1, -1)
                column += 1
                continue
            width = min(raw.colspan or 1, MAX_COLSPAN)
            height = min(raw.rowspan, MAX_ROWSPAN, end - row) or end - row
            filled += width * height
            if filled > MAX_SLOTS:
                raise WrongContent(_too_large(column + width, len(slots)))
            for line in slots[row : row + height]:
                _cover(line, column, width, len(cells))
            cells.append(
                GridCell(
                    text=raw.text,
                    row=row,
                    column=column,
                    width=width,
                    height=height,
                    header=raw.header,
                    scope=raw.scope,
                    source=(row, position),
                )
            )
            column += width


def _cover(line: list[int], column: int, width: int, index: int) -> None:
    line.extend([-1] * (column + width - len(line)))
    for slot in range(column, column + width):
        if line[slot] < 0:
            line[slot] = index


def _too_large(width: int, height: int) -> str:
    return (
        f"A table's spans make a grid of {width} columns and {height} rows, which is more than the "
        f"{MAX_SLOTS} slots that are read. Cite the value as text instead."
    )


def grid_lines(grid: Grid) -> list[list[str]]:
    """The text of every slot, row by row; a spanned cell's text stands in each of its slots.

    Columns in which no cell begins are left out: they only repeat the column before them.
    """
    starts = sorted({cell.column for cell in grid.cells})
    return [
        [grid.cells[row[column]].text if row[column] >= 0 else "" for column in starts] for row in grid.slots
    ]


def header_rows(grid: Grid) -> int:
    """How many of the first rows head the columns, for display.

    Those of ``thead``; else the first rows that hold only ``th``; else the first row, with the
    rows that its cells span down into. At least one row is left as body if there are several.
    """
    if grid.head_rows:
        return grid.head_rows
    rows = 0
    while rows < grid.height and _all_headers(grid, rows):
        rows += 1
    if not rows and grid.height:
        first = [cell for cell in grid.cells if cell.row == 0]
        skip = 1 if len(first) == 1 and grid.height > 1 and first[0].width == grid.width else 0
        rows = max((cell.row + cell.height for cell in grid.cells if cell.row <= skip), default=1)
    return max(min(rows, grid.height - 1), 1) if grid.height else 0


def _all_headers(grid: Grid, row: int) -> bool:
    found = [cell for column in range(grid.width) if (cell := grid.at(row, column)) is not None]
    return bool(found) and all(cell.header and cell.scope not in {"row", "rowgroup"} for cell in found)


def grid_to_markdown(grid: Grid) -> str:
    """The whole table as an aligned pipe table; the caption and full-width titles stand above it.

    Header rows are merged into one, their levels joined by " / ".
    """
    lines = grid_lines(grid)
    if not lines or not lines[0]:
        return grid.caption
    count = header_rows(grid)
    titles = [grid.caption] if grid.caption else []
    levels: list[list[str]] = []
    for row in range(count):
        cell = grid.at(row, 0)
        if cell is not None and cell.width == grid.width > 1 and cell.height == 1 and count > 1:
            titles.append(cell.text)
        else:
            levels.append(lines[row])
    head = [_joined(column) for column in zip(*levels, strict=True)] or [""] * len(lines[0])
    body = _pipe_table([head, *lines[count:]])
    title = "\n".join(f"**{_escaped(text)}**" for text in titles if text)
    return f"{title}\n\n{body}" if title else body


def _joined(levels: tuple[str, ...]) -> str:
    """Levels from outer to inner, without empty ones and without repeating a spanned one."""
    kept: list[str] = []
    for level in levels:
        if level and (not kept or kept[-1] != level):
            kept.append(level)
    return " / ".join(kept)


def _pipe_table(lines: list[list[str]]) -> str:
    escaped = [[_escaped(text) for text in line] for line in lines]
    out = ["| " + " | ".join(line) + " |" for line in escaped]
    out.insert(1, "|" + " --- |" * len(escaped[0]))
    return "\n".join(out)


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")
