"""Tables that mark-up does not tell whole: heads in a table of their own, grids made by style or places."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Final

from verifaible.extract import tables
from verifaible.extract.boxes import LayoutBox, Rect
from verifaible.extract.drafts import Draft, Side, TableDraft

#: A table of heads stands over its body with no more between them, in pixels.
MAX_APART_PX: Final = 8.0
#: A table of heads has at most so many rows.
MAX_HEAD_ROWS: Final = 4
#: Boxes with more words are columns of a page, no cells.
MAX_CELL_CHARACTERS: Final = 300
#: The same of boxes that nothing but their places puts into rows: a line of prose is longer.
MAX_PLACED_CHARACTERS: Final = 40


def join_tables(found: list[TableDraft], sides: Sequence[Side], blocks: Sequence[Draft], frame: int) -> None:
    """Join tables of heads to their bodies, and add the grids that style alone makes.

    Args:
        found: the tables so far; those of this frame are joined, new ones added at the end.
        sides: boxes of the frame whose children stand side by side.
        blocks: all blocks so far.
        frame: the frame that was read.
    """
    own = [table for table in found if table.frame == frame]
    _join_heads(own, own, found)
    for table in own:
        for other in own:
            if table in found and other in found and _is_beside(table, other):
                _join(table, other, table, below=False)
                found.remove(other)
    if not sides:
        return
    standings = (draft.standing() for draft in blocks if draft.frame == frame)
    used = {steps[-1].container for steps, cell in standings if steps and cell is None}
    mine = (side for side in sides if side.container in used)
    styled = []
    for _, group in groupby(mine, key=lambda side: (id(side.box.parent), _edges(side))):
        joined = list(group)
        grid = _styled([row for side in joined for row in side.rows if len(row) > 1])
        if grid is not None:
            styled.append(_draft(grid, joined, frame))
    found += styled
    _join_heads(own, styled, found)


def _join_heads(heads: Sequence[TableDraft], bodies: Sequence[TableDraft], found: list[TableDraft]) -> None:
    """Join each body to the table of heads over it, which is no table of its own then."""
    for body in bodies:
        head = next((each for each in heads if each in found and _is_head(each, body)), None)
        if head is not None:
            _join(head, body, body, below=True)
            body.caption = body.caption or head.caption
            body.lead_in = head.lead_in
            found.remove(head)


def _is_head(head: TableDraft, body: TableDraft) -> bool:
    """Whether a table holds the heads of another one, which stands under it."""
    over, under = head.box.rect, _in_view(body.box)
    if head is body or over is None or under is None or head.grid.width != body.grid.width:
        return False
    if head.grid.height > MAX_HEAD_ROWS or not all(cell.header for cell in head.grid.cells):
        return False
    if any(cell.header and cell.row == 0 for cell in body.grid.cells) or not body.grid.cells:
        return False
    # Of rows that are scrolled, the first one may stand a part of a row below where they come into view.
    tops = [under.y, *([body.box.view.top] if body.box.view is not None else [])]
    if not any(-1 <= top - over.bottom <= MAX_APART_PX for top in tops):
        return False
    return all(
        abs(one - other) <= tables.SAME_EDGE for one, other in zip(_lefts(head), _lefts(body), strict=False)
    )


def _is_beside(left: TableDraft, right: TableDraft) -> bool:
    """Whether two grids of roles are panes of one: rows at the same heights, the second to the right.

    It may be drawn over the end of the first, whose last columns are out of view then.
    """
    one, other = _in_view(left.box), _in_view(right.box)
    if left is right or one is None or other is None or "table" in (left.box.tag, right.box.tag):
        return False
    tops = [[cell.box.rect.y for cell in table.grid.cells if cell.box.rect] for table in (left, right)]
    same = left.grid.height == right.grid.height and all(
        abs(mine - its) <= tables.SAME_EDGE
        for mine, its in zip(sorted(set(tops[0])), sorted(set(tops[1])), strict=False)
    )
    ends = _lefts(left), _lefts(right)
    if not (same and ends[0] and ends[1]) or ends[0][0] >= ends[1][0] - tables.SAME_EDGE:
        return False
    return ends[0][-1] < ends[1][0] - tables.SAME_EDGE or abs(one.right - other.right) <= tables.SAME_EDGE


def _join(first: TableDraft, second: TableDraft, kept: TableDraft, *, below: bool) -> None:
    """Make one of two tables, the second below the first or beside it; ``kept`` becomes the one."""
    one, other, count = first.grid, second.grid, len(first.grid.cells)
    down, right = (one.height, 0) if below else (0, one.width)
    for cell in other.cells:
        cell.row += down
        cell.column += right
    slots = [[slot + count if slot >= 0 else slot for slot in row] for row in other.slots]
    kept.grid = tables.Grid(
        [*one.cells, *other.cells],
        [*one.slots, *slots] if below else [[*row, *its] for row, its in zip(one.slots, slots, strict=True)],
        one.width if below else one.width + other.width,
        one.height + other.height if below else one.height,
        one.height if below else one.head_rows,
    )
    kept.claim()


def _in_view(box: LayoutBox) -> Rect | None:
    """Where a table is drawn, of which a part may be scrolled out of view."""
    if box.rect is None or box.view is None:
        return box.rect
    left, top, right, bottom = box.view.cut(box.rect)
    return Rect(left, top, max(right - left, 0.0), max(bottom - top, 0.0))


def _lefts(table: TableDraft) -> list[float]:
    """Left edges of the columns, of cells that cover one."""
    lefts: dict[int, float] = {}
    for cell in table.grid.cells:
        if cell.width == 1 and cell.box.rect is not None:
            lefts.setdefault(cell.column, cell.box.rect.x)
    return [lefts[column] for column in sorted(lefts)]


def _edges(side: Side) -> tuple[int, ...]:
    """The left edges of what stands side by side; alike in rows that are boxes of their own."""
    longest = max(side.rows, key=len)
    return tuple(round(box.rect.x) for box in longest if box.rect is not None)


def _styled(rows: Sequence[Sequence[LayoutBox]]) -> tables.Grid | None:
    """A grid of rows that are as even as those of a table; None of a menu, or of columns of a page."""
    if len(rows) < 2 or len({len(row) for row in rows}) > 1:
        return None
    boxes = [box for row in rows for box in row]
    words = ["".join(each.text or "" for each in box.within()).strip() for box in boxes]
    links = [box for box in boxes if any(each.tag == "a" for each in box.within())]
    held = any(tables.is_table(each) for box in boxes for each in box.within())
    if held or 2 * len(links) > len(boxes) or max(map(len, words)) > MAX_CELL_CHARACTERS:
        return None
    return tables.even(rows)


def _draft(grid: tables.Grid, sides: Sequence[Side], frame: int) -> TableDraft:
    """The table of what stands in the rows of several boxes, one under the other."""
    first, above = sides[0], 0
    for side in sides:
        if above:
            side.claim(first.container, above)
        above += len(side.rows)
    for index, cell in enumerate(grid.cells):
        cell.box.cell = (first.container, index)
    return TableDraft(grid, first.box, first.container, frame, first.heading, marked=False)


def placed_tables(blocks: list[Draft], frame: int, container: Callable[[], int]) -> list[TableDraft]:
    """The grids of boxes that nothing but absolute places puts into rows and columns; each row is read whole.

    Args:
        blocks: all blocks so far, in reading order; those of a grid are put into the order of its rows.
        frame: the frame that was read.
        container: gives the number of a new container.
    """
    boxes: dict[int, dict[int, LayoutBox]] = defaultdict(dict)
    drafts: dict[int, list[int]] = defaultdict(list)
    for at, draft in enumerate(blocks):
        if draft.frame != frame or draft.place.in_cell:
            continue
        around = (each for each in draft.owner.around() if each.text is None)
        box = next((each for each in around if each.style.position == "absolute"), None)
        if box is not None and not draft.standing()[0]:
            boxes[id(_holder(box))][id(box)] = box
            drafts[id(box)].append(at)
    found = []
    for placed in boxes.values():
        grid = tables.by_place(placed.values())
        whole = len(grid.cells) == len(placed) == grid.width * grid.height
        longest = max(sum(len(blocks[at].text) for at in drafts[each]) for each in placed)
        if whole and grid.width > 1 and grid.height > 2 and longest <= MAX_PLACED_CHARACTERS:
            own = [drafts[id(cell.box)] for cell in grid.cells]
            box, heading = _holder(grid.cells[0].box), blocks[own[0][0]].heading
            table = TableDraft(grid, box, container(), frame, heading, marked=False)
            table.claim()
            found.append(table)
            ordered = [blocks[at] for each in own for at in each]
            for at, draft in zip(sorted(at for each in own for at in each), ordered, strict=True):
                blocks[at] = draft
    return found


def _holder(box: LayoutBox) -> LayoutBox:
    """What absolutely placed boxes, one in the other, are placed in."""
    return next((outer for outer in box.around() if outer.style.position != "absolute"), box)
