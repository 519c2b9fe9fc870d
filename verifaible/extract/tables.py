"""Tables: which boxes are cells, and where each stands in the grid. One reader for painted and static pages.

A table of HTML is formed as the HTML standard says ("forming a table", section 4.9.12), with ARIA's indices;
a grid that is made of roles is read by its roles, and by the places of its cells where its rows are drawn in
several containers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice, takewhile
from typing import Final, Literal, TypeAlias, cast

from verifaible.extract.boxes import LayoutBox, Rect

Scope: TypeAlias = Literal["", "row", "col", "rowgroup", "colgroup"]

TABLE_ROLES: Final = frozenset({"table", "grid", "treegrid"})
#: Heads of columns, which may hold those below them; "columngroup" is no role of ARIA, and written for one.
_OVER_COLUMNS: Final = frozenset({"columnheader", "columngroup"})
CELL_ROLES: Final = frozenset({"cell", "gridcell", "rowheader"}) | _OVER_COLUMNS
_NO_TABLE: Final = frozenset({"presentation", "none"})
_GROUPS: Final = frozenset({"thead", "tbody", "tfoot"})
_SCOPES: Final = frozenset({"row", "col", "rowgroup", "colgroup"})
#: Limits of the standard for spans.
MAX_COLSPAN: Final = 1000
MAX_ROWSPAN: Final = 65534
#: Edges that lie so close are one edge, in pixels.
SAME_EDGE: Final = 3.0


@dataclass(slots=True)
class GridCell:
    """A cell and its place: top left slot and slots covered, from 0."""

    box: LayoutBox
    row: int = 0
    column: int = 0
    width: int = 1
    height: int = 1
    header: bool = False
    scope: Scope = ""


@dataclass(slots=True)
class Grid:
    """A table's cells in the order of its rows; ``slots`` as in ``Table``."""

    cells: list[GridCell] = field(default_factory=list)
    slots: list[list[int]] = field(default_factory=list)
    width: int = 0
    height: int = 0
    head_rows: int = 0


@dataclass(slots=True)
class _Row:
    cells: list[LayoutBox]
    group: int = 0
    head: bool = False
    box: LayoutBox | None = None


def is_table(box: LayoutBox) -> bool:
    """Whether mark-up calls it a table."""
    return (box.tag == "table" and box.role not in _NO_TABLE) or box.role in TABLE_ROLES


def is_cell(box: LayoutBox) -> bool:
    """Whether mark-up calls it a cell."""
    return box.tag in ("td", "th") or box.role in CELL_ROLES


def read(root: LayoutBox) -> Grid:
    """The grid of a table."""
    rows = _rows(root)
    if root.tag != "table" and root.rect is not None:
        rows = _beside(rows)
        if not _even(rows):
            return by_place([cell for row in rows for cell in row.cells if cell.painted])
    return form(rows)


def form(rows: Sequence[_Row]) -> Grid:
    """Place cells row by row, spans and ARIA's indices counted."""
    grid = Grid(head_rows=sum(row.head for row in rows))
    taken: list[dict[int, int]] = [{} for _ in rows]
    ends = {row.group: index + 1 for index, row in enumerate(rows)}
    for index, row in enumerate(rows):
        column = 0
        for box in row.cells:
            stated = _number(box, "aria-colindex", 0)
            if stated > 0:
                column = stated - 1
                if (held := taken[index].get(column, -1)) >= 0 and grid.cells[held].row == index:
                    if not grid.cells[held].box.has_words():  # a copy that is drawn over it
                        grid.cells[held].box = box
                    continue
            while column in taken[index]:
                column += 1
            cell = _cell(box, index, column)
            if box.attributes:
                width = _number(box, "colspan", _number(box, "aria-colspan", 1))
                cell.width = min(max(width, 1), MAX_COLSPAN)
                height = _number(box, "rowspan", _number(box, "aria-rowspan", 1))
                left = ends[row.group] - index
                cell.height = left if height == 0 else min(height, left, MAX_ROWSPAN)
            _take(grid, taken, cell)
            column += cell.width
    return _filled(grid, taken)


def even(rows: Sequence[Sequence[LayoutBox]]) -> Grid:
    """A grid of boxes that no mark-up calls cells, a row after the other."""
    grid = Grid(height=len(rows), width=max(map(len, rows), default=0))
    for row, boxes in enumerate(rows):
        grid.slots.append([len(grid.cells) + at if at < len(boxes) else -1 for at in range(grid.width)])
        grid.cells += [GridCell(box, row, column) for column, box in enumerate(boxes)]
    return grid


def _take(grid: Grid, taken: Sequence[dict[int, int]], cell: GridCell) -> None:
    """Put a cell into the slots that are free; ``taken`` has, a row each, the cells by columns."""
    for row in taken[cell.row : cell.row + cell.height]:
        for column in range(cell.column, cell.column + cell.width):
            row.setdefault(column, len(grid.cells))
    grid.cells.append(cell)


def _filled(grid: Grid, taken: Sequence[dict[int, int]]) -> Grid:
    first = min((min(row) for row in taken if row), default=0)
    last = max((max(row) for row in taken if row), default=-1)
    grid.height, grid.width = len(taken), last + 1 - first
    for cell in grid.cells:
        cell.column -= first
    grid.slots = [[row.get(column, -1) for column in range(first, last + 1)] for row in taken]
    return grid


def _cell(box: LayoutBox, row: int, column: int) -> GridCell:
    role = box.role
    scope = box.attributes.get("scope", "").lower()
    if scope not in _SCOPES:
        scope = "col" if role in _OVER_COLUMNS else "row" if role == "rowheader" else ""
    header = box.tag == "th" or role == "rowheader" or role in _OVER_COLUMNS
    return GridCell(box, row, column, header=header, scope=cast("Scope", scope))


def _number(box: LayoutBox, name: str, default: int) -> int:
    if not box.attributes:
        return default
    value = box.attributes.get(name, "").strip()
    return int(value) if value.isascii() and value.isdigit() and len(value) < 9 else default


def _rows(root: LayoutBox) -> list[_Row]:
    """The rows that mark-up names, groups in the order in which they are painted: a foot last."""
    rows: list[_Row] = []
    groups: list[LayoutBox | None] = [None]
    todo: list[tuple[LayoutBox, int, _Row | None]] = [(child, 0, None) for child in reversed(root.children)]
    while todo:
        box, group, row = todo.pop()
        if is_cell(box):
            if row is None:  # its row makes no box: the row is where it stands
                row = rows[-1] if rows and rows[-1].box is None and _level(rows[-1].cells[0], box) else None
                if row is None:
                    row = _Row([], group)
                    rows.append(row)
            row.cells.append(box)
            if box.role not in _OVER_COLUMNS:
                continue
        elif is_table(box):
            continue
        elif box.tag in _GROUPS or box.role == "rowgroup":
            groups.append(box)
            group = len(groups) - 1
        elif box.tag == "tr" or box.role == "row":
            row = _Row([], group, (held := groups[group]) is not None and held.tag == "thead", box)
            rows.append(row)
        todo += [(child, group, row) for child in reversed(box.children)]
    ranks = {
        index: 0 if group is None or group.tag == "tbody" else {"thead": -1, "tfoot": 1}.get(group.tag, 0)
        for index, group in enumerate(groups)
    }
    return sorted((row for row in rows if row.cells and not _flat(row)), key=lambda row: ranks[row.group])


def _flat(row: _Row) -> bool:
    """Whether a row has no height: it only measures columns."""
    rects = [box.rect for box in (row.box, *row.cells) if box is not None]
    return all(rect is not None and rect.height <= 1 for rect in rects)


def _level(one: LayoutBox, other: LayoutBox) -> bool:
    return one.rect is not None and other.rect is not None and abs(one.rect.y - other.rect.y) <= SAME_EDGE


def _beside(rows: Sequence[_Row]) -> list[_Row]:
    """Rows in several containers that stand side by side, joined from left to right."""
    joined: list[_Row] = []
    at: dict[tuple[int, int], _Row] = {}
    for row in rows:
        rect = row.box.rect if row.box is not None else row.cells[0].rect
        key = (round(rect.y), round(rect.height)) if rect is not None else (len(joined), -1)
        held = at.get(key)
        if held is None:
            at[key] = held = _Row([], row.group, row.head, row.box)
            joined.append(held)
        held.cells += row.cells
    for row in joined:
        row.cells = _once(row.cells)
    for row in joined:
        row.cells.sort(key=lambda cell: (_rect(cell).x, _rect(cell).y))
    # Heads that stay while rows are scrolled under them are first all the same.
    heads = len(list(takewhile(_is_head, joined)))
    return [*_by_top(joined[:heads]), *_by_top(joined[heads:])]


def _is_head(row: _Row) -> bool:
    return all(cell.role in _OVER_COLUMNS for cell in row.cells)


def _by_top(rows: Iterable[_Row]) -> list[_Row]:
    return sorted(rows, key=lambda row: min(_rect(cell).y for cell in row.cells))


def _once(cells: Iterable[LayoutBox]) -> list[LayoutBox]:
    """Cells without copies in the same place, as are laid over heads that stay; one with words counts."""
    kept: dict[tuple[int, int], LayoutBox] = {}
    for cell in cells:
        key = round(_rect(cell).x), round(_rect(cell).y)
        if key not in kept or not kept[key].has_words():
            kept[key] = cell
    return list(kept.values())


def _rect(box: LayoutBox) -> Rect:
    return box.rect or Rect(0, 0, 0, 0)


def _even(rows: Sequence[_Row]) -> bool:
    """Whether places add nothing to the order of the cells, or to indices that are true of them."""
    indexed = [(_number(cell, "aria-colindex", 0), cell) for row in rows for cell in row.cells]
    if all(index for index, _ in indexed):
        lefts: dict[int, int] = {}
        return all(
            abs(lefts.setdefault(index, round(_rect(cell).x)) - _rect(cell).x) <= SAME_EDGE
            for index, cell in indexed
        )
    return len({len(row.cells) for row in rows}) == 1


def by_place(cells: Iterable[LayoutBox]) -> Grid:
    """Cells in rows and columns by their edges; one that covers several bands spans them."""
    boxes = sorted(cells, key=lambda box: (_rect(box).y, _rect(box).x))
    columns = _edges([_rect(box).x for box in boxes])
    tops = _edges([_rect(box).y for box in boxes])
    below: dict[int, float] = {}  # of a head that holds others, where those begin
    for box in boxes:
        for outer in islice(box.around(), 1, None):
            below[id(outer)] = min(_rect(box).y, below.get(id(outer), _rect(box).y))
    grid, taken = Grid(), [dict[int, int]() for _ in tops]
    for box in boxes:
        rect = _rect(box)
        row, last_row = _band(tops, rect.y, below.get(id(box), rect.bottom))
        column, last_column = _band(columns, rect.x, rect.right)
        cell = _cell(box, row, column)
        cell.width, cell.height = last_column - column, last_row - row
        if column not in taken[row]:
            _take(grid, taken, cell)
    return _filled(grid, taken)


def _edges(values: Iterable[float]) -> list[float]:
    found: list[float] = []
    for value in sorted(values):
        if not found or value > found[-1] + SAME_EDGE:
            found.append(value)
    return found


def _band(edges: Sequence[float], start: float, end: float) -> tuple[int, int]:
    first = max(bisect_left(edges, start - SAME_EDGE), 0)
    return first, max(bisect_left(edges, end - SAME_EDGE), first + 1)
