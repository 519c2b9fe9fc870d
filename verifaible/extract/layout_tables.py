"""Tables that mark-up does not tell whole: heads in a table of their own, grids made by style or places."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from verifaible.extract import tables
from verifaible.extract.boxes import LayoutBox, Rect
from verifaible.extract.document import Step
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
        sides: boxes whose children stand side by side.
        blocks: all blocks so far.
        frame: the frame that was read.
    """
    own = [table for table in found if table.frame == frame]
    _join_heads(own, own, found, blocks)
    for table in own:
        for other in own:
            if table in found and other in found and _is_beside(table, other):
                _join(table, other, table, (each for each in blocks if each.frame == frame), below=False)
                found.remove(other)
    by_container: dict[int, list[Draft]] = {}
    for draft in blocks:
        if draft.frame == frame and draft.place.table is None and draft.place.rows:
            by_container.setdefault(draft.place.rows[-1].container, []).append(draft)
    mine = [side for side in sides if side.frame == frame and side.container in by_container]
    for _, group in groupby(mine, key=lambda side: (id(side.box.parent), _edges(side))):
        joined = list(group)
        grid = _styled([row for side in joined for row in side.rows if len(row) > 1])
        if grid is not None:
            found.append(_draft(grid, joined, by_container))
    unmarked = [table for table in found if table.frame == frame and not table.marked]
    _join_heads(own, unmarked, found, blocks)


def _join_heads(
    heads: Sequence[TableDraft],
    bodies: Sequence[TableDraft],
    found: list[TableDraft],
    blocks: Sequence[Draft],
) -> None:
    """Join each body to the table of heads over it, which is no table of its own then."""
    for body in bodies:
        head = next((each for each in heads if each in found and _is_head(each, body)), None)
        if head is not None:
            _join(head, body, body, (draft for draft in blocks if draft.frame == body.frame), below=True)
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


def _join(
    first: TableDraft, second: TableDraft, kept: TableDraft, blocks: Iterable[Draft], *, below: bool
) -> None:
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
    moves = {first.container: (0, 0), second.container: (down, right)}
    container, both = kept.container, (first, second)
    kept.blocks = [*first.blocks, *second.blocks]
    for draft in blocks:
        place = draft.place
        if any(step.container in moves for step in place.rows):
            rows = tuple(
                Step(container, step.row + moves[step.container][0], step.place + moves[step.container][1])
                if step.container in moves
                else step
                for step in place.rows
            )
            place = replace(place, rows=rows)
        if any(place.table is each for each in both):
            moved = count if place.table is second and place.cell >= 0 else 0
            place = replace(place, table=kept, cell=place.cell + moved)
        draft.place = place


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


def _draft(grid: tables.Grid, sides: Sequence[Side], by_container: dict[int, list[Draft]]) -> TableDraft:
    first, offset, count = sides[0], 0, 0
    table = TableDraft(grid, first.box, first.container, first.frame, first.heading, None, marked=False)
    table.blocks = [[] for _ in grid.cells]
    for side in sides:
        places = {
            (row, place): count + at
            for at, (row, place) in enumerate(
                (row, place)
                for row, cells in enumerate(side.rows)
                if len(cells) > 1
                for place in range(len(cells))
            )
        }
        for draft in by_container[side.container]:
            step = draft.place.rows[-1]
            index = places.get((step.row, step.place))
            if index is None:
                continue
            rows = (*draft.place.rows[:-1], Step(first.container, step.row + offset, step.place))
            draft.place = replace(draft.place, rows=rows, table=table, cell=index)
            table.blocks[index].append(draft)
        offset += len(side.rows)
        count += len(places)
    return table


def placed_tables(blocks: list[Draft], frame: int, container: Callable[[], int]) -> list[TableDraft]:
    """The grids of boxes that nothing but absolute places puts into rows and columns; each row is read whole.

    Args:
        blocks: all blocks so far, in reading order; those of a grid are put into the order of its rows.
        frame: the frame that was read.
        container: gives the number of a new container.
    """
    holders: dict[int, dict[int, LayoutBox]] = defaultdict(dict)
    drafts: dict[int, list[Draft]] = defaultdict(list)
    for draft in blocks:
        box = draft.words.owners[0][1].placed() if draft.frame == frame and not draft.place.rows else None
        if box is not None:
            holders[id(_holder(box))][id(box)] = box
            drafts[id(box)].append(draft)
    found = []
    for boxes in holders.values():
        grid = tables.by_place(boxes.values())
        whole = len(grid.cells) == len(boxes) == grid.width * grid.height
        longest = max(sum(len(draft.text) for draft in drafts[each]) for each in boxes)
        if whole and grid.width > 1 and grid.height > 2 and longest <= MAX_PLACED_CHARACTERS:
            found.append(_placed_table(grid, drafts, blocks, container()))
    return found


def _holder(box: LayoutBox) -> LayoutBox:
    """What absolutely placed boxes, one in the other, are placed in."""
    return next((outer for outer in box.around() if outer.style.position != "absolute"), box)


def _placed_table(
    grid: tables.Grid, drafts: Mapping[int, list[Draft]], blocks: list[Draft], container: int
) -> TableDraft:
    own = [drafts[id(cell.box)] for cell in grid.cells]
    first, holder = own[0][0], _holder(grid.cells[0].box)
    table = TableDraft(grid, holder, container, first.frame, first.heading, None, marked=False, blocks=own)
    for index, cell in enumerate(grid.cells):
        step = Step(container, cell.row, cell.column)
        for draft in own[index]:
            draft.place = replace(draft.place, rows=(step,), table=table, cell=index)
    held = {id(draft) for each in own for draft in each}
    at = [place for place, draft in enumerate(blocks) if id(draft) in held]
    rows = sorted(
        (blocks[place] for place in at),
        key=lambda draft: (draft.place.rows[0].row, draft.place.rows[0].place),
    )
    for place, draft in zip(at, rows, strict=True):
        blocks[place] = draft
    return table
