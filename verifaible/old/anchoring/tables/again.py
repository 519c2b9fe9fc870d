"""A cited place of a table, found again: the same headers, in the same order among those that are left.

A row or a column that is not there any more is gone: never is another one taken for it, however much alike
their headers are. Pure functions.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz.distance import Levenshtein

from verifaible.old.anchoring.fold import fold
from verifaible.old.anchoring.order import Order
from verifaible.old.anchoring.tables.cells import is_number, row_cells
from verifaible.old.anchoring.tables.headers import find_headers
from verifaible.old.anchoring.tables.locate import Names, TableMatch, locate_named, named
from verifaible.old.anchoring.tables.names import Found, Line, column_lines, joins, resolve, row_lines
from verifaible.schema.anchor import TableAnchor
from verifaible.schema.table import Grid

#: A header is the same, edited, if at most a third of it was, or if it keeps one of several levels.
_ALIKE = 2 / 3


def locate_again(
    grid: Grid,
    cited: TableAnchor,
    request_row: tuple[str, ...],
    request_column: tuple[str, ...],
    then: Grid | None = None,
) -> TableMatch:
    """Find what was cited again: only under the very headers that it had, footnote marks included.

    Args:
        grid: the table now.
        cited: the anchor with the header paths of then.
        request_row: what the row was named by when it was cited.
        request_column: the same for the column.
        then: the table as it was, where it is known.
    """
    row, column = named(request_row), named(request_column)
    if row is not None:
        lines = row_lines(find_headers(then)) if then is not None else []
        own = [line for line in lines if line.labels == cited.row_path]
        keys = tuple(key for line in own for key in line.keys if _asks(row.texts, key))
        row = _Path(row.texts, cited.row_path, keys).names
    if column is not None:
        column = _Path(column.texts, cited.column_path).names
    return locate_named(grid, row, column)


@dataclass(frozen=True, slots=True)
class _Path:
    """The headers of a cited line; ``keys`` are cells of it by which it was named, where they are known."""

    anchors: tuple[str, ...]
    labels: tuple[str, ...]
    keys: tuple[str, ...] = ()

    @property
    def names(self) -> Names:
        """What finds the line again; messages show its headers of then."""
        return Names(self.labels, self._pick)

    def _pick(self, lines: Sequence[Line]) -> Found:
        """The lines that still have the headers; of several cited lines each under its own."""
        by_header = any(_asks(self.anchors, label) for label in (*self.labels, *joins(self.labels)))
        ranked = [line.labels[:1] for line in lines] == [(str(n),) for n in range(1, len(lines) + 1)]
        labels = self._telling(self.labels, ranked=ranked)
        found = tuple(
            line
            for line in lines
            if self._telling(line.labels, ranked=ranked) == labels and (by_header or self._has_keys(line))
        )
        if found or len(self.labels) < 2:
            return Found(found)
        each = [
            [line for line in lines if fold(line.shown).text == fold(shown).text] for shown in self.labels
        ]
        one_each = all(len(one) == 1 for one in each)
        return Found(tuple(one[0] for one in each) if one_each else (), several=True)

    def _telling(self, labels: tuple[str, ...], *, ranked: bool) -> list[str]:
        """The labels, without the rank of a row that was not named by it."""
        counts = ranked and bool(labels) and is_number(labels[0]) and not _asks(self.anchors, labels[0])
        return [_said(label) for label in labels[counts:]]

    def _has_keys(self, line: Line) -> bool:
        if not self.keys:
            return bool(resolve([line], self.anchors).lines)
        own = {fold(key).text for key in line.keys}
        return all(fold(key).text in own for key in self.keys)


def _said(label: str) -> str:
    """A header as it is compared: without the arrow of a sorted column."""
    folded = fold(label).text
    signs = "".join(char for char in folded if unicodedata.category(char) in ("So", "Sm"))
    return folded.strip(signs) or folded


def _asks(anchors: tuple[str, ...], text: str) -> bool:
    """Whether an anchor names a text, whole or by a part of it."""
    line = Line((), (), (text,), ())
    return any(resolve([line], (anchor,)).lines for anchor in anchors)


@dataclass(frozen=True, slots=True)
class Edited:
    """A header that was edited, then and now, and the place under it."""

    old: str
    new: str
    match: TableMatch


def find_edited(grid: Grid, cited: TableAnchor, text: str, then: Grid, match: TableMatch) -> Edited | None:
    """The row or column whose header was edited, where it is certain that it is that one.

    It has a new header, much like the one that is missing or with words more or less, stands at the place of
    that one, and holds the cited text.

    Args:
        grid: the table now.
        cited: the anchor of then.
        text: the cited text.
        then: the table as it was.
        match: what the cited headers gave in the table now.
    """
    if match.status != "gone" or match.missing not in ("row", "column"):
        return None
    read = row_lines if match.missing == "row" else column_lines
    path = cited.row_path if match.missing == "row" else cited.column_path
    known = {line.labels for line in read(find_headers(then))}
    old, found = " › ".join(path), []
    for line in read(find_headers(grid)):
        if line.labels in known or not _edited(path, line.labels):
            continue
        rows = line.labels if match.missing == "row" else cited.row_path
        columns = line.labels if match.missing == "column" else cited.column_path
        again = cited.model_copy(update={"row_path": rows, "column_path": columns})
        there = locate_again(grid, again, rows, columns)
        if there.anchor and _same(there.text, text) and keeps_order(grid, there.anchor, then, cited):
            found.append(Edited(old, line.shown, there))
    return found[0] if len(found) == 1 else None


def _edited(path: tuple[str, ...], labels: tuple[str, ...]) -> bool:
    if len(path) == len(labels) > 1 and any(map(_same, path, labels)):
        return True  # "Rate, in millions" that is "Rate, in thousands" now
    old, new = (fold(" › ".join(each)).text for each in (path, labels))
    return old in new or new in old or Levenshtein.normalized_similarity(old, new) >= _ALIKE


def _same(one: str, other: str) -> bool:
    return fold(one, keep_space=True).text == fold(other, keep_space=True).text


def keeps_order(grid: Grid, found: TableAnchor, then: Grid, cited: TableAnchor) -> bool:
    """Whether a place has its order among the rows and columns that are left, told by their headers."""
    axes: tuple[Literal[0, 1], ...] = {"crosshair": (0, 1), "row": (0,), "column": (1,), "table": ()}[
        found.mode
    ]  # type: ignore[assignment]
    for axis in axes:
        before, now = _keys(then, axis), _keys(grid, axis)
        cited_lines, lines = ([slot[axis] for slot in each.cells] for each in (cited, found))
        order = Order(before, (min(cited_lines), max(cited_lines)), now)
        if order.holds(min(lines), max(lines)) is False:
            return False
    return True


def _keys(grid: Grid, axis: Literal[0, 1]) -> list[str]:
    """What heads each row (0) or column (1), folded."""
    headers = find_headers(grid)
    keys = [""] * (grid.width if axis else grid.height)
    for line in column_lines(headers) if axis else row_lines(headers):
        at = (line.columns if axis else line.rows)[0]
        keys[at] += fold("\0".join(line.labels)).text
    return keys


def likeness(grid: Grid, then: Grid) -> float:
    """How much of two tables is the same, 0 to 2: of their headers, and of their rows as they read."""
    shares = []
    for one, other in (
        ({*_keys(grid, 0), *_keys(grid, 1)}, {*_keys(then, 0), *_keys(then, 1)}),
        (set(_rows(grid)), set(_rows(then))),
    ):
        shares.append(len(one & other) / max(1, len(one | other)))
    return sum(shares)


def _rows(grid: Grid) -> list[str]:
    """What each row reads, folded."""
    return ["".join(fold(cell.text).text for cell in row_cells(grid, row)) for row in range(grid.height)]


def span_in(text: str, grid: Grid) -> tuple[int, int] | None:
    """Where a table stands in the text of its page (code points); None where that is not certain.

    Its cells follow one another there; a cell over several rows is read in the first.
    """
    page = fold(text)
    whole = "".join(
        fold(cell.text).text for row in range(grid.height) for cell in row_cells(grid, row) if cell.row == row
    )
    at = page.text.find(whole) if whole else -1
    if at < 0 or page.text.find(whole, at + 1) >= 0:
        return None
    return page.span(at, at + len(whole))
