"""The columns of a table, their headers, and the groups in which they stand side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from verifaible.anchoring.fold import fold
from verifaible.anchoring.grid_cells import down, is_nothing, is_number, is_sign, row_cells, texts_of
from verifaible.schema.table import Grid, GridCell


@dataclass(frozen=True, slots=True)
class ColumnHeads:
    """A column, its headers from outer to inner, and the body rows that they head.

    Several columns are one where the same header stands over all of them and no row has more
    than one value there: a currency sign, a figure and a closing bracket in cells of their own.
    """

    columns: tuple[int, ...]
    path: tuple[str, ...]
    rows: tuple[int, ...]

    @property
    def column(self) -> int:
        """The first of its columns."""
        return self.columns[0]


def columns_of(grid: Grid, heads: Sequence[int], body: Sequence[int]) -> list[ColumnHeads]:
    """The columns under header rows; those that the same header joins are one."""
    found: list[ColumnHeads] = []
    last: GridCell | None = None
    for column in range(grid.width):
        cells = down(grid, column, heads)
        path, leaf = texts_of(cells), cells[-1] if cells else None
        bare = leaf is None or not leaf.text.strip()
        if bare and path and not any(_told(grid, row, column) for row in body):
            continue  # a spacer under a header of the columns beside it
        if leaf is not None and leaf is last and path and found[-1].path == path:
            joined = (*found[-1].columns, column)
            if all(_values(grid, row, joined) <= 1 for row in body):
                found[-1] = ColumnHeads(joined, path, tuple(body))
                continue
        found.append(ColumnHeads((column,), path, tuple(body)))
        last = leaf
    return found


def _values(grid: Grid, row: int, columns: Sequence[int]) -> int:
    """How many different cells of a row say more than a sign or a bracket."""
    cells = {id(cell): cell.text for column in columns if (cell := grid.at(row, column)) is not None}
    return sum(not is_sign(text) for text in cells.values())


def is_header_again(grid: Grid, row: int, columns: Sequence[ColumnHeads]) -> bool:
    """Whether a row of the body heads columns: it is all ``th``, or says what the headers say."""
    told = [cell for cell in row_cells(grid, row) if cell.text.strip()]
    if len(told) < 2:
        return False
    if all(cell.header and cell.scope not in ("row", "rowgroup") for cell in told):
        return True
    leaves = {heads.column: _leaf(heads) for heads in columns if heads.path}
    said = {cell.column: fold(cell.text).text for cell in told}
    return bool(leaves) and said == leaves


def columns_of_parts(
    grid: Grid, head_rows: int, again: Sequence[int], own: list[ColumnHeads]
) -> list[ColumnHeads]:
    """The columns of every part of a body in which header rows stand."""
    parts: list[tuple[list[int], list[int]]] = [(list(range(head_rows)), [])]
    for row in range(head_rows, grid.height):
        if row in again:
            heads, body = parts[-1]
            if body or heads == list(range(head_rows)):
                parts.append(([row], []))
            else:
                heads.append(row)
        else:
            parts[-1][1].append(row)
    found = [columns_of(grid, heads, body) for heads, body in parts if body]
    if all([(c.columns, _leaf(c)) for c in part] == [(c.columns, _leaf(c)) for c in own] for part in found):
        body = [row for _, rows in parts for row in rows]
        return [replace(heads, rows=tuple(body)) for heads in own]
    return [heads for part in found for heads in part]


def column_groups(
    grid: Grid, columns: Sequence[ColumnHeads], body: Sequence[int]
) -> tuple[tuple[int, int], ...]:
    """Column groups: each begins where the first column's own header stands again.

    So it is, too, where the headers behind the first one stand again behind another column of texts:
    assets and their figures beside liabilities and theirs.
    """
    first = _leaf(columns[0]) if columns else ""
    starts = [0]
    if first:
        leaves = [_leaf(heads) for heads in columns]
        starts += [
            columns[at].column
            for at in range(1, len(leaves))
            if leaves[at] == first and leaves[at - 1] != first
        ]
        if len(starts) == 1:
            starts = [columns[at].column for at in _periods(grid, leaves, columns, body)]
    return tuple(zip(starts, [*starts[1:], grid.width], strict=True))


def _periods(
    grid: Grid, leaves: Sequence[str], columns: Sequence[ColumnHeads], body: Sequence[int]
) -> list[int]:
    """Where groups of the same headers behind columns of texts begin."""
    size = len(leaves)
    for period in range(2, size // 2 + 1):
        starts = range(0, size, period)
        tails = {tuple(leaves[at + 1 : at + period]) for at in starts}
        if size % period or len(tails) > 1 or not all(next(iter(tails))):
            continue
        if all(leaves[at] and _holds_texts(grid, columns[at].column, body) for at in starts):
            return list(starts)
    return [0]


def _holds_texts(grid: Grid, column: int, body: Sequence[int]) -> bool:
    cells = [grid.at(row, column) for row in body]
    texts = [cell.text for cell in cells if cell is not None and not is_nothing(cell.text)]
    return bool(texts) and not any(map(is_number, texts))


def _leaf(heads: ColumnHeads) -> str:
    return fold(heads.path[-1]).text if heads.path else ""


def _told(grid: Grid, row: int, column: int) -> bool:
    cell = grid.at(row, column)
    return cell is not None and bool(cell.text.strip())
