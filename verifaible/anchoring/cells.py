"""A cell, a row, a column or a whole table of a Document, by the paths of its headers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal, TypeAlias

from rapidfuzz import fuzz, process

from verifaible.anchoring.headers import SEPARATOR, Headers, Line, find_headers, row_cells
from verifaible.anchoring.names import Named, resolve
from verifaible.anchoring.structure import headers_of, with_raised
from verifaible.extract.document import Document, Table
from verifaible.schema.anchor import TableAnchor
from verifaible.text.equivalence import folded
from verifaible.text.normalise import key

#: Of a cited cell's row so much is kept besides; the widest row of the cases' tables has under 20 cells.
MOST_ROW_CELLS: Final = 60
MOST_ROW_CHARACTERS: Final = 4_000
_MOST_SHOWN: Final = 12

Missing: TypeAlias = Literal["", "row", "column", "cell", "table"]
Axis: TypeAlias = Literal["row", "column"]


@dataclass(frozen=True, slots=True)
class Located:
    """A place in a table.

    ``anchor`` is None unless the verdict is ``verified``. ``text`` is that of its cells, tabs between columns
    and a line end between rows; an empty cell is an empty text. ``candidates`` are the header paths that
    match equally well, ``missing`` says which anchor matches nothing, ``nearest`` the headers most like it.
    ``whole`` is False where a part of a header matched.
    """

    verdict: Literal["verified", "ambiguous", "gone"]
    anchor: TableAnchor | None = None
    text: str = ""
    candidates: tuple[str, ...] = ()
    missing: Missing = ""
    nearest: tuple[str, ...] = ()
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Names:
    """What names rows or columns: the texts, for messages, and what picks the lines that have them."""

    texts: tuple[str, ...]
    pick: Callable[[Sequence[Line]], Named]


def named(request: tuple[str, ...]) -> Names | None:
    """The names that a request has; None for none."""
    anchors = tuple(anchor for anchor in request if folded(anchor))
    return Names(anchors, partial(resolve, anchors=anchors)) if anchors else None


def locate_in(
    document: Document, tables: Sequence[int], row: tuple[str, ...], column: tuple[str, ...]
) -> tuple[int, Located]:
    """Find the one table that has what is asked for.

    Args:
        document: the source.
        tables: the tables to look in.
        row: row anchors: header texts, or the text of another text cell of the row.
        column: column anchors: header texts.

    Returns:
        The table's index and the place; (-1, place) when no table, or more than one, has it. Tables in which
        whole headers match go before those where parts of headers do.
    """
    found = {at: locate(document, at, named(row), named(column)) for at in tables}
    hits = [at for at, match in found.items() if match.verdict == "verified"]
    hits = [at for at in hits if found[at].whole] or hits
    if len(hits) == 1:
        return hits[0], found[hits[0]]
    if hits:
        shown = tuple(_titled(document, at, found[at]) for at in hits[:_MOST_SHOWN])
        return -1, Located("ambiguous", candidates=shown)
    unclear = [at for at, match in found.items() if match.verdict == "ambiguous"]
    if len(unclear) == 1:
        return unclear[0], found[unclear[0]]
    if unclear:
        shown = tuple(f"{_title(document, at)}: {each}" for at in unclear for each in found[at].candidates)
        return -1, Located("ambiguous", candidates=shown[:_MOST_SHOWN])
    return -1, _nearest_miss(list(found.values()), row, column)


def _nearest_miss(found: Sequence[Located], row: tuple[str, ...], column: tuple[str, ...]) -> Located:
    """Of tables that have nothing of it: the one that has the row but not the column says most."""
    if not found:
        return Located("gone", missing="table")
    order = {"cell": 0, "column": 1, "row": 2}
    best = min(found, key=lambda match: order.get(match.missing, 3))
    nearest = best.nearest
    if best.missing == "row":
        nearest = tuple(dict.fromkeys(name for match in found for name in match.nearest))
    return replace(best, nearest=_most_alike(" ".join(column if best.missing == "column" else row), nearest))


def locate(document: Document, table: int, row: Names | None, column: Names | None) -> Located:
    """Find a cell (row and column named), a row, a column, or the whole table (neither) in one table."""
    grid, headers = document.tables[table], headers_of(document, table)
    match = _under(document, grid, headers, row, column)
    if match.missing == "row" and column is None and not headers.marked:
        # Nothing says that the first row heads the columns: in a list of names and values it is a row.
        listed = _under(
            document, grid, find_headers(with_raised(document, table), first_row_is_body=True), row, None
        )
        return listed if listed.verdict != "gone" else match
    return match


def _under(
    document: Document, grid: Table, headers: Headers, row: Names | None, column: Names | None
) -> Located:
    rows, columns = headers.rows, headers.columns
    found_rows = row.pick(rows) if row else Named()
    if row and not found_rows.lines:
        return _missing("row", rows, row.texts)
    found_columns = _columns_for(columns, column, found_rows, headers)
    if column and not found_columns.lines:
        return _missing("column", columns, column.texts)
    if len(found_rows.lines) > 1 and not found_rows.several:
        return _several("row", found_rows)
    if len(found_columns.lines) > 1 and not found_columns.several:
        return _several("column", found_columns)
    return _placed(document, grid, headers, found_rows, found_columns)


# --- rows and columns


def _columns_for(columns: Sequence[Line], names: Names | None, rows: Named, headers: Headers) -> Named:
    """The columns that are named: those of the part of the table in which the row was found."""
    if names is None:
        return Named()
    if rows.lines:
        own = [line for line in columns if all(set(row.rows) <= set(line.rows) for row in rows.lines)]
        if len({row.columns for row in rows.lines}) == 1 and len(headers.groups) > 1:
            own = [line for line in own if line.columns[0] in rows.lines[0].columns]
        return names.pick(own)
    bodies = dict.fromkeys(line.rows for line in columns)
    if len(bodies) > 1:
        return _continued([names.pick([line for line in columns if line.rows == body]) for body in bodies])
    found = names.pick(columns)
    first = [line.columns[0] for line in found.lines]
    in_groups = [at for each in first for at, group in enumerate(headers.groups) if each in range(*group)]
    if len(headers.groups) > 1 and in_groups == list(range(len(headers.groups))):
        return replace(found, several=True)
    return found


def _continued(parts: Sequence[Named]) -> Named:
    """A column that goes on under a header row further down; else what is found, with its rivals."""
    told = [found for found in parts if found.lines]
    lines = tuple(line for found in told for line in found.lines)
    one_each = all(len(found.lines) == 1 for found in told)
    whole = all(found.whole for found in told)
    if len(told) > 1 and one_each and len({line.labels for line in lines}) == 1:
        return Named(lines, several=True, whole=whole)
    return told[0] if len(told) == 1 else Named(lines, whole=whole)


# --- from lines to a place


def _placed(document: Document, grid: Table, headers: Headers, rows: Named, columns: Named) -> Located:
    mode: Literal["crosshair", "row", "column", "table"] = "table"
    if rows.lines or columns.lines:
        mode = "row" if not columns.lines else "column" if not rows.lines else "crosshair"
    lines = [
        [slot for slot in line if _is_there(grid, slot)] for line in _slots(headers, rows, columns, grid)
    ]
    present = [line for line in lines if line]
    # In a table of one column the cell that names a row is all that the row has.
    if not present or (mode == "crosshair" and grid.width < 2):
        return Located("gone", missing="cell")
    caption, heading = titles(document, grid)
    anchor = TableAnchor(
        mode=mode,
        row_path=_path(rows),
        column_path=_path(columns),
        cells=tuple(slot for line in present for slot in line),
        caption=caption,
        heading=heading,
    )
    text = "\n".join("\t".join(cell_text(grid, slot) for slot in line) for line in present)
    return Located("verified", anchor, text, whole=rows.whole and columns.whole)


def _is_there(grid: Table, slot: tuple[int, int]) -> bool:
    cell = grid.at(*slot)
    return cell is not None and not cell.absent


def _slots(headers: Headers, rows: Named, columns: Named, grid: Table) -> list[list[tuple[int, int]]]:
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


def _cell(grid: Table, row: int, line: Line) -> list[tuple[int, int]]:
    """The slots of a column in a row; of several columns under one header, those that hold something."""
    slots = _once(grid, [(row, column) for column in line.columns]) if len(line.columns) > 1 else []
    told = [slot for slot in slots if cell_text(grid, slot).strip()]
    return told or [(row, line.columns[0])]


def _once(grid: Table, slots: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Without the further slots of a cell that spans several columns."""
    kept: list[tuple[int, int]] = []
    for slot in slots:
        cell = grid.at(*slot)
        if cell is not None and not (kept and grid.at(*kept[-1]) is cell):
            kept.append(slot)
    return kept


def cell_text(grid: Table, slot: tuple[int, int]) -> str:
    """What the cell of a slot says; "" where none covers it."""
    cell = grid.at(*slot)
    return cell.text if cell is not None else ""


def titles(document: Document, grid: Table) -> tuple[str, str]:
    """The caption and the heading of a table."""
    caption = " ".join(document.blocks[block].text for block in grid.caption)
    return caption, document.blocks[grid.heading].text if grid.heading is not None else ""


def _path(found: Named) -> tuple[str, ...]:
    if len(found.lines) == 1:
        return found.lines[0].labels
    return tuple(line.shown for line in found.lines)


def rest_of_row(document: Document, table: int, anchor: TableAnchor) -> tuple[tuple[str, str], ...]:
    """The other cells of a cited cell's row, each as the headers of its column and its text.

    None where several rows, or all of one, are cited. Cells are kept whole, and as many of them as the bounds
    allow; headers of the row are left out.
    """
    rows = {row for row, _ in anchor.cells}
    if anchor.mode != "crosshair" or len(rows) != 1:
        return ()
    row, grid = rows.pop(), document.tables[table]
    heads = [each for each in headers_of(document, table).columns if row in each.rows]
    names = {column: SEPARATOR.join(each.path) for each in heads for column in each.columns}
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


# --- what to say


def _several(which: Axis, found: Named) -> Located:
    """Several lines: of that name, or only with a name of which it is a part; then none has it."""
    shown = tuple(line.shown for line in found.lines[:_MOST_SHOWN])
    if not found.whole:
        return Located("gone", missing=which, nearest=shown)
    return Located("ambiguous", candidates=shown)


def _missing(which: Axis, lines: Sequence[Line], wanted: tuple[str, ...]) -> Located:
    names = dict.fromkeys(text for line in lines for text in (line.shown, *line.keys) if text.strip())
    return Located("gone", missing=which, nearest=_most_alike(" ".join(wanted), tuple(names)))


def _most_alike(wanted: str, names: Sequence[str]) -> tuple[str, ...]:
    alike = process.extract(key(wanted), {name: key(name) for name in names}, scorer=fuzz.WRatio, limit=5)
    return tuple(name for _, _, name in alike)


def _title(document: Document, table: int) -> str:
    return titles(document, document.tables[table])[0] or f"table {table + 1}"


def _titled(document: Document, table: int, match: Located) -> str:
    anchor = match.anchor
    paths = [path for path in ((anchor.row_path, anchor.column_path) if anchor else ()) if path]
    header = " × ".join(SEPARATOR.join(path) for path in paths)
    title = _title(document, table)
    return f"{title}, {header}: {match.text[:60]}" if header else title
