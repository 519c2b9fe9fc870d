"""Anchoring in a table: row headers x column headers.

What names a row or a column is in :mod:`verifaible.old.anchoring.tables.names`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal, TypeAlias

from rapidfuzz import fuzz, process

from verifaible.old.anchoring.fold import fold
from verifaible.old.anchoring.tables.cells import row_cells
from verifaible.old.anchoring.tables.headers import Headers, find_headers
from verifaible.old.anchoring.tables.names import SEPARATOR, Found, Line, column_lines, resolve, row_lines
from verifaible.schema.anchor import TableAnchor
from verifaible.schema.table import Grid

#: Of a cited cell's row so much is kept besides; the widest row of the cases' tables has under 20 cells.
MOST_ROW_CELLS: Final = 60
MOST_ROW_CHARACTERS: Final = 4_000

TableStatus: TypeAlias = Literal["verified", "ambiguous", "gone"]


@dataclass(frozen=True, slots=True)
class TableMatch:
    """A place in a table.

    ``anchor`` is None unless the status is "verified". ``text`` is the text of its cells, tabs
    between columns and a line end between rows; an empty cell is an empty text. ``candidates``
    are the header paths that match equally well, ``missing`` says which anchor matches nothing,
    ``nearest`` the headers most like it. ``whole`` is False where a part of a header matched.
    """

    status: TableStatus
    anchor: TableAnchor | None = None
    text: str = ""
    candidates: tuple[str, ...] = ()
    missing: Literal["", "row", "column", "cell", "table"] = ""
    nearest: tuple[str, ...] = ()
    whole: bool = True


def locate(grid: Grid, request_row: tuple[str, ...], request_column: tuple[str, ...]) -> TableMatch:
    """Find a cell (row and column given), a row, a column, or the whole table (neither).

    Args:
        grid: the table.
        request_row: row anchors: header texts, or the text of another text cell of the row.
        request_column: column anchors: header texts.
    """
    return locate_named(grid, named(request_row), named(request_column))


@dataclass(frozen=True, slots=True)
class Names:
    """What names rows or columns: the texts, for messages, and what picks the lines that have them."""

    texts: tuple[str, ...]
    pick: Callable[[Sequence[Line]], Found]


def named(request: tuple[str, ...]) -> Names | None:
    """The names that a request has; None for none."""
    anchors = tuple(anchor for anchor in request if fold(anchor).text)
    return Names(anchors, partial(resolve, anchors=anchors)) if anchors else None


def locate_named(grid: Grid, row: Names | None, column: Names | None) -> TableMatch:
    """See :func:`locate`."""
    headers = find_headers(grid)
    match = _under(grid, headers, row, column)
    if match.missing == "row" and column is None and not headers.marked:
        # Nothing says that the first row heads the columns: in a list of names and values it is a row.
        listed = _under(grid, find_headers(grid, first_row_is_body=True), row, None)
        return listed if listed.status != "gone" else match
    return match


def rest_of_row(grid: Grid, anchor: TableAnchor) -> tuple[tuple[str, str], ...]:
    """The other cells of a cited cell's row, each as the headers of its column and its text.

    None where several rows, or all of one, are cited. Cells are kept whole, and as many of them as the bounds
    allow; headers of the row are left out.
    """
    rows = {row for row, _ in anchor.cells}
    if anchor.mode != "crosshair" or len(rows) != 1:
        return ()
    row = rows.pop()
    names = {
        column: SEPARATOR.join(heads.path)
        for heads in find_headers(grid).columns
        if row in heads.rows
        for column in heads.columns
    }
    cited = [grid.at(*slot) for slot in anchor.cells]
    rest: list[tuple[str, str]] = []
    size = 0
    for cell in row_cells(grid, row):
        if any(cell is each for each in cited) or not cell.text.strip() or cell.text in anchor.row_path:
            continue
        name = names.get(cell.column, "")
        size += len(name) + len(cell.text)
        if len(rest) == MOST_ROW_CELLS or size > MOST_ROW_CHARACTERS:
            break
        rest.append((name, cell.text))
    return tuple(rest)


def _under(grid: Grid, headers: Headers, row: Names | None, column: Names | None) -> TableMatch:
    rows, columns = row_lines(headers), column_lines(headers)
    found_rows = row.pick(rows) if row else Found(())
    if row and not found_rows.lines:
        return _missing("row", rows, row.texts)
    found_columns = _columns_for(columns, column, found_rows, headers)
    if column and not found_columns.lines:
        return _missing("column", columns, column.texts)
    if len(found_rows.lines) > 1 and not found_rows.several:
        return _several("row", found_rows)
    if len(found_columns.lines) > 1 and not found_columns.several:
        return _several("column", found_columns)
    return _placed(grid, headers, found_rows, found_columns)


def locate_in(
    grids: Sequence[Grid], request_row: tuple[str, ...], request_column: tuple[str, ...]
) -> tuple[int, TableMatch]:
    """Find the one table of a page that has the anchors.

    Returns:
        The table's index and the match; (-1, match) when no table, or more than one, has it.
        Tables in which whole headers match go before those where parts of headers do.
    """
    matches = [locate(grid, request_row, request_column) for grid in grids]
    hits = [index for index, match in enumerate(matches) if match.status == "verified"]
    hits = [index for index in hits if matches[index].whole] or hits
    if len(hits) == 1:
        return hits[0], matches[hits[0]]
    if hits:
        return -1, TableMatch("ambiguous", candidates=tuple(_titled(grids[i], i, matches[i]) for i in hits))
    unclear = [index for index, match in enumerate(matches) if match.status == "ambiguous"]
    if len(unclear) == 1:
        return unclear[0], matches[unclear[0]]
    if unclear:
        shown = tuple(f"{_title(grids[i], i)}: {text}" for i in unclear for text in matches[i].candidates)
        return -1, TableMatch("ambiguous", candidates=shown[:12])
    if not matches:
        return -1, TableMatch("gone", missing="table")
    # The table that has the row but not the column says most about what is wrong.
    order = {"cell": 0, "column": 1, "row": 2}
    best = min(range(len(matches)), key=lambda index: order.get(matches[index].missing, 3))
    nearest = tuple(dict.fromkeys(name for match in matches for name in match.nearest))
    wanted = matches[best].missing
    if wanted != "row":
        nearest = matches[best].nearest
    anchors = request_column if wanted == "column" else request_row
    return -1, replace(matches[best], nearest=_most_alike(" ".join(anchors), nearest))


# --- rows and columns


def _columns_for(columns: Sequence[Line], names: Names | None, rows: Found, headers: Headers) -> Found:
    """The columns that are named: those of the part of the table in which the row was found."""
    if names is None:
        return Found(())
    if rows.lines:
        own = [line for line in columns if all(set(row.rows) <= set(line.rows) for row in rows.lines)]
        if len({row.columns for row in rows.lines}) == 1 and len(headers.groups) > 1:
            own = [line for line in own if line.columns[0] in rows.lines[0].columns]
        return names.pick(own)
    parts = [
        [line for line in columns if line.rows == body] for body in dict.fromkeys(c.rows for c in columns)
    ]
    if len(parts) > 1:
        return _continued([names.pick(part) for part in parts])
    found = names.pick(columns)
    in_groups = [
        at
        for line in found.lines
        for at, group in enumerate(headers.groups)
        if line.columns[0] in range(*group)
    ]
    if len(headers.groups) > 1 and in_groups == list(range(len(headers.groups))):
        return replace(found, several=True)
    return found


def _continued(parts: Sequence[Found]) -> Found:
    """A column that goes on under a header row further down; else what is found, with its rivals."""
    told = [found for found in parts if found.lines]
    lines = tuple(line for found in told for line in found.lines)
    one_each = all(len(found.lines) == 1 for found in told)
    whole = all(found.whole for found in told)
    if len(told) > 1 and one_each and len({line.labels for line in lines}) == 1:
        return Found(lines, several=True, whole=whole)
    return told[0] if len(told) == 1 else Found(lines, whole=whole)


# --- from lines to a place


def _placed(grid: Grid, headers: Headers, rows: Found, columns: Found) -> TableMatch:
    slots = _slots(headers, rows, columns, grid)
    if not rows.lines and not columns.lines:
        mode: Literal["crosshair", "row", "column", "table"] = "table"
    elif rows.lines and columns.lines:
        mode = "crosshair"
    else:
        mode = "row" if rows.lines else "column"
    present = [[slot for slot in line if grid.at(*slot) is not None] for line in slots]
    present = [line for line in present if line]
    # In a table of one column the cell that names a row is all that the row has.
    if not present or (mode == "crosshair" and grid.width < 2):
        return TableMatch("gone", missing="cell")
    anchor = TableAnchor(
        mode=mode,
        row_path=_path(rows),
        column_path=_path(columns),
        cells=tuple(slot for line in present for slot in line),
        caption=grid.caption,
    )
    text = "\n".join("\t".join(_text(grid, slot) for slot in line) for line in present)
    return TableMatch("verified", anchor=anchor, text=text, whole=rows.whole and columns.whole)


def _slots(headers: Headers, rows: Found, columns: Found, grid: Grid) -> list[list[tuple[int, int]]]:
    if rows.lines and columns.lines:
        return [
            [
                slot
                for line in columns.lines
                if line.columns[0] in row.columns
                for slot in _cell(grid, row.rows[0], line)
            ]
            for row in rows.lines
        ]
    if rows.lines:
        return [_once(grid, [(row.rows[0], column) for column in row.columns]) for row in rows.lines]
    if columns.lines:
        if columns.several and len({line.labels for line in columns.lines}) == 1:
            return [_cell(grid, row, line) for line in columns.lines for row in line.rows]  # one, continued
        body = columns.lines[0].rows
        return [[slot for line in columns.lines for slot in _cell(grid, row, line)] for row in body]
    body = tuple(range(headers.head_rows, grid.height))
    return [_once(grid, [(row, column) for column in range(grid.width)]) for row in body]


def _cell(grid: Grid, row: int, line: Line) -> list[tuple[int, int]]:
    """The slots of a column in a row; of several columns under one header, those that hold something."""
    slots = _once(grid, [(row, column) for column in line.columns]) if len(line.columns) > 1 else []
    told = [slot for slot in slots if _text(grid, slot).strip()]
    return told or [(row, line.columns[0])]


def _once(grid: Grid, slots: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Without the further slots of a cell that spans several columns."""
    kept: list[tuple[int, int]] = []
    for slot in slots:
        cell = grid.at(*slot)
        if cell is not None and not (kept and grid.at(*kept[-1]) is cell):
            kept.append(slot)
    return kept


def _text(grid: Grid, slot: tuple[int, int]) -> str:
    cell = grid.at(*slot)
    return cell.text if cell is not None else ""


def _path(found: Found) -> tuple[str, ...]:
    if len(found.lines) == 1:
        return found.lines[0].labels
    return tuple(line.shown for line in found.lines)


def _several(which: Literal["row", "column"], found: Found) -> TableMatch:
    """Several lines: of that name, or only with a name of which it is a part; then none has it."""
    shown = tuple(line.shown for line in found.lines[:12])
    if not found.whole:
        return TableMatch("gone", missing=which, nearest=shown)
    return TableMatch("ambiguous", candidates=shown)


def _missing(which: Literal["row", "column"], lines: Sequence[Line], wanted: tuple[str, ...]) -> TableMatch:
    names = dict.fromkeys(text for line in lines for text in (line.shown, *line.keys) if text.strip())
    return TableMatch("gone", missing=which, nearest=_most_alike(" ".join(wanted), tuple(names)))


def _most_alike(wanted: str, names: Sequence[str]) -> tuple[str, ...]:
    alike = process.extract(
        wanted, names, scorer=fuzz.WRatio, processor=lambda text: fold(text).text, limit=5
    )
    return tuple(name for name, _, _ in alike)


def _title(grid: Grid, index: int) -> str:
    return grid.caption or f"table {index + 1}"


def _titled(grid: Grid, index: int, match: TableMatch) -> str:
    anchor = match.anchor
    paths = [path for path in ((anchor.row_path, anchor.column_path) if anchor else ()) if path]
    header = " × ".join(SEPARATOR.join(path) for path in paths)
    return f"{_title(grid, index)}, {header}: {match.text[:60]}" if header else _title(grid, index)
