"""Anchoring in a table: row headers x column headers.

An anchor names a header by its text; the order of preference is

1. the whole text of a header, white space, case and typography aside ("郑　　州" is "郑州");
2. the header path written as one ("2025年" over "2月" is "2025年2月");
3. for rows, the whole text of another text cell of the row (a company's name in column 2);
4. a part of a header or of such a cell, if only one row or column has it; never for anchors
   made of digits (a date or a rank is named whole or not at all).

Several anchors are the path of one row or column from outer to inner if there is one that has
them all in this order; otherwise each names a row or column of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from rapidfuzz import fuzz, process

from verifaible.anchoring.exact import objection
from verifaible.anchoring.fold import fold
from verifaible.anchoring.headers import Headers, find_headers
from verifaible.schema.citation import TableAnchor
from verifaible.schema.table import Grid

TableStatus: TypeAlias = Literal["verified", "ambiguous", "gone"]

_SEPARATOR = " › "
_DIGITS_ONLY = re.compile(r"[\d\s./:年月日,\-−–]+")
_FOOTNOTE_FIGURE = re.compile(r"(?<=[^\W\d_]{4})(?:\d{1,2}|[*†‡]+|[a-z](?:,[a-z])+)$")


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


@dataclass(frozen=True, slots=True)
class _Line:
    """A row or a column as the matching sees it. ``labels``: headers, outer to inner."""

    index: int
    labels: tuple[str, ...]
    joined: tuple[str, ...]
    keys: tuple[str, ...]
    first: int
    last: int

    @property
    def shown(self) -> str:
        return _SEPARATOR.join(self.labels)


@dataclass(frozen=True, slots=True)
class _Found:
    """The lines that anchors name; ``several`` when each anchor names its own."""

    lines: tuple[_Line, ...]
    several: bool = False
    whole: bool = True
    rivals: tuple[_Line, ...] = ()


def locate(grid: Grid, request_row: tuple[str, ...], request_column: tuple[str, ...]) -> TableMatch:
    """Find a cell (row and column given), a row, a column, or the whole table (neither).

    Args:
        grid: the table.
        request_row: row anchors: header texts, or the text of another text cell of the row.
        request_column: column anchors: header texts.
    """
    headers = find_headers(grid)
    rows, columns = _row_lines(headers), _column_lines(headers)
    row_anchors = tuple(anchor for anchor in request_row if fold(anchor).text)
    column_anchors = tuple(anchor for anchor in request_column if fold(anchor).text)
    found_rows = _resolve(rows, row_anchors) if row_anchors else _Found(())
    if row_anchors and not found_rows.lines:
        return _missing("row", rows, row_anchors, found_rows)
    found_columns = _columns_for(columns, column_anchors, found_rows, headers)
    if column_anchors and not found_columns.lines:
        return _missing("column", columns, column_anchors, found_columns)
    if len(found_rows.lines) > 1 and not found_rows.several:
        return _ambiguous(found_rows)
    if len(found_columns.lines) > 1 and not found_columns.several:
        return _ambiguous(found_columns)
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


# --- rows and columns by name


def _row_lines(headers: Headers) -> list[_Line]:
    lines: list[_Line] = []
    for row in headers.rows:
        labels = (*row.implied, *row.path)
        lines.append(_Line(row.row, labels, _joins(labels), row.keys, row.first, row.last))
    return lines


def _column_lines(headers: Headers) -> list[_Line]:
    return [
        _Line(heads.column, heads.path, _joins(heads.path), (), heads.column, heads.column + 1)
        for heads in headers.columns
        if heads.path
    ]


def _joins(labels: tuple[str, ...]) -> tuple[str, ...]:
    """Every run of two or more neighbours of a path, written as one."""
    size = len(labels)
    return tuple("".join(labels[i:j]) for i in range(size) for j in range(i + 2, size + 1))


def _is(text: str, anchor: str) -> bool:
    """Whether a header's whole text is the anchor."""
    for drop in (False, True):
        if fold(text, drop_superscripts=drop).text == fold(anchor, drop_superscripts=drop).text:
            return not objection(text, 0, len(text), anchor)
    return False


def _has(text: str, anchor: str) -> bool:
    """Whether the anchor is a part of a header, not cut out of a number or a word.

    A figure or two, or letters with commas, right behind a word are footnote marks whose raised
    position was lost.
    """
    if _is(_FOOTNOTE_FIGURE.sub("", text), anchor):
        return True
    folded, wanted = fold(text), fold(anchor).text
    at = folded.text.find(wanted)
    while at >= 0:
        start, end = folded.span(at, at + len(wanted))
        if not folded.is_cut(at, at + len(wanted)) and not objection(text, start, end, anchor):
            return True
        at = folded.text.find(wanted, at + 1)
    return False


def _in_order(labels: Sequence[str], anchors: Sequence[str], same: Callable[[str, str], bool]) -> bool:
    left = iter(labels)
    return all(any(same(label, anchor) for label in left) for anchor in anchors)


def _resolve(lines: Sequence[_Line], anchors: tuple[str, ...]) -> _Found:
    """The lines that anchors name: by a path, or else each its own."""
    found = _by_path(lines, anchors)
    if found.lines or len(anchors) == 1:
        return found
    each = [_by_path(lines, (anchor,)) for anchor in anchors]
    for one in each:
        if len(one.lines) != 1:
            return _Found(one.lines, rivals=one.rivals)
    together = tuple(dict.fromkeys(one.lines[0] for one in each))
    return _Found(together, several=True, whole=all(one.whole for one in each))


def _by_path(lines: Sequence[_Line], anchors: tuple[str, ...]) -> _Found:
    whole = [line for line in lines if _in_order(line.labels, anchors, _is)]
    if whole:
        own = [line for line in whole if _is(line.labels[-1], anchors[-1])]
        return _Found(tuple(own if len(own) == 1 else whole))
    anchor = anchors[0]
    if len(anchors) == 1:
        for named in (_named(lines, anchor, "joined"), _named(lines, anchor, "keys")):
            if named:
                return _Found(named)
    if len(anchors) == 1 and _DIGITS_ONLY.fullmatch(anchor):
        return _Found(())
    partly = [line for line in lines if _in_order(line.labels, anchors, _names)]
    if not partly and len(anchors) == 1:
        partly = [line for line in lines if any(_has(text, anchor) for text in (*line.joined, *line.keys))]
    return _Found(tuple(partly), whole=False)


def _names(label: str, anchor: str) -> bool:
    """A date or a rank is named whole, other headers may be named by a part."""
    return _is(label, anchor) if _DIGITS_ONLY.fullmatch(anchor) else _has(label, anchor)


def _named(lines: Sequence[_Line], anchor: str, texts: Literal["joined", "keys"]) -> tuple[_Line, ...]:
    return tuple(line for line in lines if any(_is(text, anchor) for text in getattr(line, texts)))


def _columns_for(
    columns: Sequence[_Line], anchors: tuple[str, ...], rows: _Found, headers: Headers
) -> _Found:
    """The columns that anchors name, in the column group in which the row was found."""
    if not anchors:
        return _Found(())
    if rows.lines and len({line.first for line in rows.lines}) == 1 and len(headers.groups) > 1:
        first, last = rows.lines[0].first, rows.lines[0].last
        return _resolve([line for line in columns if first <= line.index < last], anchors)
    found = _resolve(columns, anchors)
    if len(headers.groups) > 1 and len(found.lines) == len(headers.groups):
        in_groups = [
            (first, last)
            for line in found.lines
            for first, last in headers.groups
            if first <= line.index < last
        ]
        if len(set(in_groups)) == len(headers.groups):
            return replace(found, several=True)
    return found


# --- from lines to a place


def _placed(grid: Grid, headers: Headers, rows: _Found, columns: _Found) -> TableMatch:
    slots = _slots(headers, rows, columns, grid)
    if not rows.lines and not columns.lines:
        mode: Literal["crosshair", "row", "column", "table"] = "table"
    elif rows.lines and columns.lines:
        mode = "crosshair"
    else:
        mode = "row" if rows.lines else "column"
    present = [[slot for slot in line if grid.at(*slot) is not None] for line in slots]
    present = [line for line in present if line]
    if not present:
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


def _slots(headers: Headers, rows: _Found, columns: _Found, grid: Grid) -> list[list[tuple[int, int]]]:
    if rows.lines and columns.lines:
        return [
            [(row.index, column.index) for column in columns.lines if row.first <= column.index < row.last]
            for row in rows.lines
        ]
    if rows.lines:
        return [_once(grid, [(row.index, c) for c in range(row.first, row.last)]) for row in rows.lines]
    body = range(headers.head_rows, grid.height)
    if columns.lines:
        if columns.several and len({line.labels for line in columns.lines}) == 1:
            return [[(row, line.index)] for line in columns.lines for row in body]  # one column, continued
        return [[(row, line.index) for line in columns.lines] for row in body]
    return [_once(grid, [(row, column) for column in range(grid.width)]) for row in body]


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


def _path(found: _Found) -> tuple[str, ...]:
    if len(found.lines) == 1:
        return found.lines[0].labels
    return tuple(line.shown for line in found.lines)


def _ambiguous(found: _Found) -> TableMatch:
    return TableMatch("ambiguous", candidates=tuple(line.shown for line in found.lines[:12]))


def _missing(
    which: Literal["row", "column"], lines: Sequence[_Line], anchors: tuple[str, ...], found: _Found
) -> TableMatch:
    if found.rivals:
        return TableMatch("ambiguous", candidates=tuple(line.shown for line in found.rivals[:12]))
    names = dict.fromkeys(text for line in lines for text in (line.shown, *line.keys) if text.strip())
    return TableMatch("gone", missing=which, nearest=_most_alike(" ".join(anchors), tuple(names)))


def _most_alike(wanted: str, names: Sequence[str]) -> tuple[str, ...]:
    alike = process.extract(
        wanted, names, scorer=fuzz.WRatio, processor=lambda text: fold(text).text, limit=5
    )
    return tuple(name for name, _, _ in alike)


def _folded(text: str) -> str:
    return fold(text).text


def _title(grid: Grid, index: int) -> str:
    return grid.caption or f"table {index + 1}"


def _titled(grid: Grid, index: int, match: TableMatch) -> str:
    anchor = match.anchor
    paths = [path for path in ((anchor.row_path, anchor.column_path) if anchor else ()) if path]
    header = " × ".join(_SEPARATOR.join(path) for path in paths)
    return f"{_title(grid, index)}, {header}: {match.text[:60]}" if header else _title(grid, index)
