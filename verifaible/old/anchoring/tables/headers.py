"""Which cells of a table are its headers.

Where headers are marked (``thead``, ``th``, ``scope``) this follows the intent of WHATWG HTML
4.9.12, "header and data cell semantics". Many statistics tables have only ``td``: there the
header rows are those above the first row with a number in it, and the row headers are the first
column and the columns of text right after it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from verifaible.old.anchoring.fold import fold
from verifaible.old.anchoring.tables.cells import down, is_nothing, is_number, is_sign, row_cells, texts_of
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


_YEAR_FIRST = re.compile(r"(\d{4}\s*年)\s*\S")
_MONTH_ONLY = re.compile(r"\d{1,2}\s*月")
#: Header rows are never more than this where nothing marks them.
_MOST_HEADER_ROWS = 8


@dataclass(frozen=True, slots=True)
class RowHeads:
    """A body row, or its part in one of several column groups that stand side by side.

    ``path`` is its headers from outer to inner, the first ``sections`` of them titles that span
    the table; ``implied`` what only an earlier row shows: a year, a title beside empty cells, the
    outer header of a group. ``keys`` are the texts of the leading text columns; ``first`` and
    ``last`` the columns it covers, ``last`` excluded.
    """

    row: int
    path: tuple[str, ...]
    sections: int
    implied: tuple[str, ...]
    keys: tuple[str, ...]
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Headers:
    """The headers of a table; ``groups`` are the (first, last) columns of column groups.

    ``body`` are the rows below the first headers, without header rows in their midst; where those
    differ from the first ones, a column stands in ``columns`` once for each part of the body.
    ``marked`` is False where the markup does not say which rows are headers.
    """

    rows: tuple[RowHeads, ...]
    columns: tuple[ColumnHeads, ...]
    groups: tuple[tuple[int, int], ...]
    head_rows: int
    body: tuple[int, ...]
    marked: bool


def find_headers(grid: Grid, *, first_row_is_body: bool = False) -> Headers:
    """Work out the headers of a table.

    Args:
        grid: the table.
        first_row_is_body: a table without marked headers has no header rows at all.
    """
    marked = _marked_head_rows(grid)
    head_rows = marked or (0 if first_row_is_body else _guessed_head_rows(grid))
    own = columns_of(grid, range(head_rows), range(head_rows, grid.height))
    again = [row for row in range(head_rows, grid.height) if is_header_again(grid, row, own)]
    body = [row for row in range(head_rows, grid.height) if row not in again]
    columns = columns_of_parts(grid, head_rows, again, own) if again else own
    groups = column_groups(grid, own, body)
    rows: list[RowHeads] = []
    for first, last in groups:
        rows += _group_rows(grid, body, first, last)
    rows.sort(key=lambda heads: (heads.row, heads.first))
    named = tuple(heads for heads in columns if heads.path)
    return Headers(tuple(rows), named, groups, head_rows, tuple(body), bool(marked))


def _marked_head_rows(grid: Grid) -> int:
    marked = 0
    for row in range(grid.height):
        cells = row_cells(grid, row)
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
    return marked + 1 if 0 < marked < grid.height and _tells_units(grid, marked) else marked


def _tells_units(grid: Grid, row: int) -> bool:
    """Whether a row below marked headers belongs to them: it is unnamed, and has words over figures."""
    told = [cell for cell in row_cells(grid, row) if cell.text.strip()]
    if not told or told[0].column == 0 or any(is_nothing(cell.text) and cell.text != "%" for cell in told):
        return False
    below = range(row + 1, grid.height)
    return all(
        not is_number(cell.text)
        and (figures := [under.text for under in down(grid, cell.column, below) if under.text.strip()])
        and all(is_number(text) or is_nothing(text) for text in figures)
        for cell in told
    )


def _guessed_head_rows(grid: Grid) -> int:
    for row in range(min(grid.height, _MOST_HEADER_ROWS + 1)):
        cells = row_cells(grid, row)
        if any(is_number(cell.text) for cell in cells) and not _is_numbering(cells):
            # A title over the first rows of the body is a section, not a header of the columns.
            first = row
            while first > 1 and _is_title(grid, first - 1):
                first -= 1
            return first
    return 1 if grid.height > 1 else 0


def _is_title(grid: Grid, row: int) -> bool:
    cells = row_cells(grid, row)
    told = [cell for cell in cells if cell.text.strip()]
    return _is_section(told, cells, 0, grid.width) or _is_soft_title(told, cells, 0)


def _is_soft_title(told: Sequence[GridCell], cells: Sequence[GridCell], first: int) -> bool:
    """A row with nothing but its first cell: it may title the rows below, or want its figures."""
    return len(told) == 1 and told[0].column == first and len(cells) > 2


def _is_numbering(cells: Sequence[GridCell]) -> bool:
    """A header row that only numbers the columns: 甲 | 1 | 2 | 3."""
    numbers = [cell.text.strip() for cell in cells if is_number(cell.text)]
    return len(numbers) >= 2 and numbers == [str(number) for number in range(1, len(numbers) + 1)]


def _group_rows(grid: Grid, body: Sequence[int], first: int, last: int) -> list[RowHeads]:
    key_columns = _key_columns(grid, body, first, last)
    section: tuple[str, ...] = ()
    above = _Above()
    rows: list[RowHeads] = []
    for row in body:
        cells = row_cells(grid, row, first, last)
        told = [cell for cell in cells if cell.text.strip()]
        if not told:
            continue
        if _is_section(told, cells, first, last):
            section, above = (told[0].text,), _Above()
            continue
        heads = _row_headers(cells, key_columns)
        texts = texts_of(heads)
        implied = above.implied(heads, texts)
        above.see(heads, texts, titled=_is_soft_title(told, cells, first))
        keys = tuple(
            cell.text
            for cell in cells
            if cell not in heads and not is_nothing(cell.text) and not is_number(cell.text)
        )
        rows.append(RowHeads(row, (*section, *texts), len(section), implied, keys, first, last))
    return rows


class _Above:
    """What earlier rows say of the later ones: a year, a title beside empty cells, an outer header."""

    def __init__(self) -> None:
        self._year = ""
        self._titles: tuple[str, ...] = ()
        self._was_title = False
        self._outer = ""

    def implied(self, heads: Sequence[GridCell], texts: tuple[str, ...]) -> tuple[str, ...]:
        """What goes for a row with these headers."""
        year = (
            self._year
            and texts
            and not _YEAR_FIRST.match(texts[0])
            and _MONTH_ONLY.fullmatch(texts[0].strip())
        )
        blank = len(heads) > 1 and not heads[0].text.strip() and bool(texts)
        found = (*self._titles, self._outer if blank else "", self._year if year else "")
        return tuple(text for text in found if text)

    def see(self, heads: Sequence[GridCell], texts: tuple[str, ...], *, titled: bool) -> None:
        """Take note of a row; ``titled``: nothing stands in it but its first cell."""
        if texts and (found := _YEAR_FIRST.match(texts[0])):
            self._year = found.group(1)
        if titled:
            self._titles = (*(self._titles if self._was_title else ()), *texts)
        self._was_title = titled
        if len(heads) > 1 and heads[0].text.strip():
            self._outer = heads[0].text


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


def _key_columns(grid: Grid, body: Sequence[int], first: int, last: int) -> list[int]:
    """The first column, and those right after it that hold text, if a column of numbers follows."""
    keys = [first]
    for column in range(first + 1, last):
        cells = [grid.at(row, column) for row in body]
        texts = [cell.text for cell in cells if cell is not None and not is_nothing(cell.text)]
        numbers = sum(map(is_number, texts))
        if not texts or 2 * numbers >= len(texts):
            return keys
        keys.append(column)
    return [first]
