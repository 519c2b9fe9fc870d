"""Tables: which boxes are cells, and where each stands in the grid. One reader for painted and static pages.

A table of HTML is formed as the HTML standard says ("forming a table", section 4.9.12), with ARIA's indices;
a grid that is made of roles is read by its roles, and by the places of its cells where its rows are drawn in
several containers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, takewhile
from typing import Final, Literal, TypeAlias, cast

from verifaible.extract.boxes import Clip, LayoutBox, Rect
from verifaible.extract.layout import MIN_SHOWN

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
_NEAR: Final = int(SAME_EDGE)
#: A cell is drawn in so many containers at most, heads in heads counted.
_MOST_COPIES: Final = 12
_NO_PLACES: Final[Mapping[int, Rect]] = {}


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
            places = _uncovered(rows)
            cells = (cell for row in rows for cell in row.cells if cell.painted and id(cell) in places)
            return by_place(cells, places)
    return form(rows)


def undrawn(grid: Grid, told: Sequence[bool]) -> set[int]:
    """The cells in whose place nothing is drawn, by index; an empty cell is drawn.

    They have no words, and are hidden or cut off, or out of view in a row or a column in which there are no
    words at all: a grid that draws what is in view fills them once they are scrolled to.

    Args:
        grid: the grid.
        told: of each cell, whether it has words.
    """
    rows, columns = set[int](), set[int]()
    for cell, words in zip(grid.cells, told, strict=True):
        if words and not cell.header:
            rows.update(range(cell.row, cell.row + cell.height))
            columns.update(range(cell.column, cell.column + cell.width))
    return {
        at
        for at, (cell, words) in enumerate(zip(grid.cells, told, strict=True))
        if not words
        and (rect := cell.box.rect) is not None
        and not (
            (cell.box.painted and rect.height >= 1 and _is_whole(rect, cell.box.clip))
            and (_is_whole(rect, cell.box.view) or (cell.row in rows and cell.column in columns))
        )
    }


def _is_whole(rect: Rect, clip: Clip | None) -> bool:
    return clip is None or clip.holds(rect, SAME_EDGE)


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
                    continue  # a copy that is drawn over it
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
    """Rows in several containers that stand side by side, or are copies, joined from left to right."""
    joined: list[_Row] = []
    at: dict[int, list[_Row]] = defaultdict(list)
    # From the top down: a row that is scrolled under one that stays is not it, in whichever container.
    for row in sorted(rows, key=lambda row: -min(cell.order for cell in row.cells)):
        top = round(_rect(row.box or row.cells[0]).y)
        near = (held for y in range(top - _NEAR, top + _NEAR + 1) for held in at[y])
        held = next((each for each in near if _is_one(each, row)), None)
        if held is None:
            held = _Row([], row.group, row.head, row.box)
            joined.append(held)
            at[top].append(held)
        held.cells += row.cells
    places = {id(cell): place for place, row in enumerate(rows) for cell in row.cells}
    joined.sort(key=lambda row: min(places[id(cell)] for cell in row.cells))
    # Heads that stay while rows are scrolled under them are first all the same.
    first = {id(cell) for row in takewhile(_is_head, rows) for cell in row.cells}
    body = [row for row in joined if not _is_head(row)]
    heads = [
        row
        for row in joined
        if _is_head(row)
        and (not first.isdisjoint(map(id, row.cells)) or any(_is_over(row, other) for other in body))
    ]
    rest = [row for row in joined if not any(row is head for head in heads)]
    for row in joined:
        row.cells = _once(row.cells)
    return [*_by_top(heads), *_by_top(rest)]


def _is_one(held: _Row, row: _Row) -> bool:
    """Whether rows at one height are one: as high, both of heads or not, alike where both have a cell."""
    one, other = (_rect(each.box or each.cells[0]) for each in (held, row))
    if abs(one.height - other.height) > SAME_EDGE or _is_head(held) != _is_head(row):
        return False
    both = ((mine, its) for mine in held.cells for its in row.cells if _is_copy(mine, its))
    said = ((_text(mine), _text(its)) for mine, its in both)
    return not any(mine and its and mine != its for mine, its in said)


def _is_over(row: _Row, other: _Row) -> bool:
    """Whether a row is painted over a part of another one."""
    one, under = row.cells[0], other.cells[0]
    apart = _rect(one).y >= _rect(under).bottom - SAME_EDGE or _rect(under).y >= _rect(one).bottom - SAME_EDGE
    return not apart and one.order > under.order


def _text(box: LayoutBox) -> str:
    return "".join(each.text or "" for each in box.within()).strip()


def _is_copy(one: LayoutBox, other: LayoutBox) -> bool:
    """Whether two cells are in the same place."""
    return _level(one, other) and abs(_rect(one).x - _rect(other).x) <= SAME_EDGE


def _is_head(row: _Row) -> bool:
    return all(cell.role in _OVER_COLUMNS for cell in row.cells)


def _by_top(rows: Iterable[_Row]) -> list[_Row]:
    return sorted(rows, key=lambda row: min(_rect(cell).y for cell in row.cells))


def _once(cells: Iterable[LayoutBox]) -> list[LayoutBox]:
    """Cells from left to right, of copies in the same place the one on top; one with words counts."""
    kept: list[LayoutBox] = []
    for cell in sorted(cells, key=lambda cell: (_rect(cell).x, _rect(cell).y)):
        before = range(len(kept) - 1, -1, -1)
        copy = next((at for at in before[:_MOST_COPIES] if _is_copy(kept[at], cell)), None)
        if copy is None:
            kept.append(cell)
        else:
            kept[copy] = max(kept[copy], cell, key=lambda each: (each.has_words(), each.order))
    return kept


def _uncovered(rows: Sequence[_Row]) -> dict[int, Rect]:
    """Where each cell would be drawn if no row was scrolled under heads that stay, by the id of its box.

    Of what is under a cell of the same row that stays, the part beside that, if enough is left.
    """
    heads = [cell for row in takewhile(_is_head, rows) for cell in row.cells]
    body = [_rect(cell).y for row in rows if not _is_head(row) for cell in row.cells]
    up = max(_rect(cell).bottom for cell in heads) - min(body) if heads and body else 0.0
    found = {}
    for row in rows:
        lift = up if up > SAME_EDGE and any(row.cells[0] is cell for cell in heads) else 0.0
        for cell in row.cells:
            left, right = _rect(cell).x, _rect(cell).right
            for other in row.cells:
                if other.order > cell.order and not _is_in(other, cell) and not _is_in(cell, other):
                    over = _rect(other)
                    if over.x - SAME_EDGE <= left < over.right:
                        left = over.right
                    elif left < over.x < right:
                        right = over.x
            if right - left > max(SAME_EDGE, MIN_SHOWN * _rect(cell).width):
                found[id(cell)] = Rect(left, _rect(cell).y - lift, right - left, _rect(cell).height)
    return found


def _is_in(inner: LayoutBox, outer: LayoutBox) -> bool:
    return any(each is outer for each in inner.around())


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


def by_place(cells: Iterable[LayoutBox], places: Mapping[int, Rect] = _NO_PLACES) -> Grid:
    """Cells in rows and columns by their edges; one that covers several bands spans them.

    Args:
        cells: the boxes of the cells.
        places: where they are, by the ids of the boxes, if not where their boxes are.
    """
    boxes = list(cells)
    rects = {id(box): places.get(id(box)) or _rect(box) for box in boxes}
    boxes.sort(key=lambda box: (rects[id(box)].y, rects[id(box)].x))
    columns = _edges([rects[id(box)].x for box in boxes])
    tops = _edges([rects[id(box)].y for box in boxes])
    below: dict[int, float] = {}  # of a head that holds others, where those begin
    for box in boxes:
        top = rects[id(box)].y
        for outer in islice(box.around(), 1, None):
            below[id(outer)] = min(top, below.get(id(outer), top))
    grid, taken = Grid(), [dict[int, int]() for _ in tops]
    for box in boxes:
        rect = rects[id(box)]
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
