"""Which cells of a table are its headers.

Where headers are marked (``thead``, ``th``, ``scope``) this follows the intent of WHATWG HTML 4.9.12, "header
and data cell semantics". Many statistics tables have only ``td``: there the header rows are those above the
first row with a number in it, and the row headers are the first column and the columns of text behind it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from verifaible.extract.document import Cell, Table
from verifaible.text.equivalence import folded

_NUMBER = re.compile(r"[+\-−±(]?\s*[$€£¥]?\s*\d[\d,.'’\s]*\s*[%‰)]?\s*[*†‡¹²³]*")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_NOTHING = frozenset(("", "-", "--", "—", "——", "–", "…", "...", "n/a", "na", "/", "*", "x"))
#: What stands beside a figure in a cell of its own.
_SIGN = re.compile(r"\s*[$€£¥()%‰*†‡]*\s*")
_YEAR_FIRST = re.compile(r"(\d{4}\s*年)\s*\S")
_MONTH_ONLY = re.compile(r"\d{1,2}\s*月")
#: Header rows are never more than this where nothing marks them.
_MOST_HEADER_ROWS = 8


#: Between the headers of a path.
SEPARATOR = " › "


@dataclass(frozen=True, slots=True)
class Line:
    """A column, or a body row, or its part in one of several column groups that stand side by side.

    Several columns are one where the same header stands over all of them and no row has more than one value
    there: a currency sign, a figure and a closing bracket in cells of their own.

    Attributes:
        rows: those of its slots; of a column the body rows that its headers head.
        columns: those of its slots.
        path: its headers from outer to inner, titles that span the table first.
        labels: the same with those that only an earlier row shows: a year, a title beside empty cells, the
            outer header of a group.
        keys: what may name a row beside its headers: its other cells of words.
    """

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    path: tuple[str, ...]
    labels: tuple[str, ...]
    keys: tuple[str, ...] = ()

    @property
    def row(self) -> int:
        """The row, of a row."""
        return self.rows[0]

    @property
    def first(self) -> int:
        """Its first column."""
        return self.columns[0]

    @property
    def last(self) -> int:
        """Behind its last column."""
        return self.columns[-1] + 1

    @property
    def leaf(self) -> str:
        """The innermost header in its one form."""
        return folded(self.path[-1]) if self.path else ""

    @property
    def joined(self) -> tuple[str, ...]:
        """Every run of two or more neighbours of the headers, written as one."""
        return joins(self.labels)

    @property
    def shown(self) -> str:
        """The header path for a message."""
        return SEPARATOR.join(self.labels)


def joins(labels: tuple[str, ...]) -> tuple[str, ...]:
    """Every run of two or more neighbours of a path, written as one."""
    size = len(labels)
    return tuple("".join(labels[i:j]) for i in range(size) for j in range(i + 2, size + 1))


@dataclass(frozen=True, slots=True)
class Headers:
    """The headers of a table; ``groups`` are the (first, last) columns of column groups.

    Where header rows in the midst of the body differ from the first ones, a column stands in ``columns`` once
    for each part of the body. ``marked`` is False where the mark-up does not say which rows are headers.
    """

    rows: tuple[Line, ...]
    columns: tuple[Line, ...]
    groups: tuple[tuple[int, int], ...]
    head_rows: int
    marked: bool


def find_headers(table: Table, *, first_row_is_body: bool = False) -> Headers:
    """Work out the headers of a table.

    Args:
        table: the table.
        first_row_is_body: a table without marked headers has no header rows at all.
    """
    marked = _marked_head_rows(table)
    head_rows = marked or (0 if first_row_is_body else _guessed_head_rows(table))
    own = _columns_of(table, range(head_rows), range(head_rows, table.height))
    leaves = {heads.columns[0]: heads.leaf for heads in own if heads.path}
    again = [row for row in range(head_rows, table.height) if _is_header_again(table, row, leaves)]
    body = [row for row in range(head_rows, table.height) if row not in again]
    columns = _columns_of_parts(table, head_rows, again, own) if again else own
    groups = _column_groups(table, own, body)
    rows = [heads for first, last in groups for heads in _group_rows(table, body, first, last)]
    rows.sort(key=lambda heads: (heads.row, heads.first))
    named = tuple(heads for heads in columns if heads.path)
    return Headers(tuple(rows), named, groups, head_rows, bool(marked))


# --- cells


@lru_cache(maxsize=16384)
def is_number(text: str) -> bool:
    """Whether a cell holds a number and nothing else; years and dates are no numbers here."""
    plain = unicodedata.normalize("NFKC", text).strip()
    return bool(_NUMBER.fullmatch(plain)) and not _YEAR.fullmatch(plain)


@lru_cache(maxsize=16384)
def is_nothing(text: str) -> bool:
    """Whether a cell is empty or holds only a mark for "no value", or a sign of the cell beside it."""
    plain = unicodedata.normalize("NFKC", text).strip().casefold()
    return plain in _NOTHING or bool(_SIGN.fullmatch(plain))


def row_cells(table: Table, row: int, first: int = 0, last: int | None = None) -> list[Cell]:
    """The cells of a row from left to right, each once."""
    return _once(table.at(row, column) for column in range(first, table.width if last is None else last))


def _down(table: Table, column: int, rows: Iterable[int]) -> list[Cell]:
    return _once(table.at(row, column) for row in rows)


def _once(cells: Iterable[Cell | None]) -> list[Cell]:
    kept: list[Cell] = []
    for cell in cells:
        if cell is not None and not (kept and kept[-1] is cell):
            kept.append(cell)
    return kept


def _told(cells: Iterable[Cell]) -> list[Cell]:
    return [cell for cell in cells if cell.text.strip()]


# --- header rows


def _marked_head_rows(table: Table) -> int:
    marked = 0
    for row in range(table.height):
        cells = row_cells(table, row)
        told = _told(cells)
        heads = [cell for cell in told if cell.header and cell.scope not in ("row", "rowgroup")]
        if not heads or any(cell.column > 0 for cell in told if cell not in heads):
            break
        if len(told) == 1 and row > 0 and table.width > 1:
            break
        if len(heads) == 1 and heads[0].column == 0 and heads[0].width < table.width and len(cells) > 1:
            break  # a row header beside empty cells
        marked = row + 1
    marked = max(marked, min(table.head_rows, table.height))
    return marked + 1 if 0 < marked < table.height and _tells_units(table, marked) else marked


def _tells_units(table: Table, row: int) -> bool:
    """Whether a row below marked headers belongs to them: it is unnamed, and has words over figures."""
    told = _told(row_cells(table, row))
    if not told or told[0].column == 0 or any(is_nothing(cell.text) and cell.text != "%" for cell in told):
        return False
    for cell in told:
        below = [under.text for under in _told(_down(table, cell.column, range(row + 1, table.height)))]
        figures = all(is_number(text) or is_nothing(text) for text in below)
        if is_number(cell.text) or not below or not figures:
            return False
    return True


def _guessed_head_rows(table: Table) -> int:
    for row in range(min(table.height, _MOST_HEADER_ROWS + 1)):
        cells = row_cells(table, row)
        if any(is_number(cell.text) for cell in cells) and not _is_numbering(cells):
            # A title over the first rows of the body is a section, not a header of the columns.
            first = row
            while first > 1 and _is_title(table, first - 1):
                first -= 1
            return first
    return 1 if table.height > 1 else 0


def _is_title(table: Table, row: int) -> bool:
    cells = row_cells(table, row)
    return _is_section(_told(cells), cells, 0, table.width) or _is_soft_title(_told(cells), cells, 0)


def _is_soft_title(told: Sequence[Cell], cells: Sequence[Cell], first: int) -> bool:
    """A row with nothing but its first cell: it may title the rows below, or want its figures."""
    return len(told) == 1 and told[0].column == first and len(cells) > 2


def _is_section(told: Sequence[Cell], cells: Sequence[Cell], first: int, last: int) -> bool:
    """A row that only titles the rows below it: one text over the whole width."""
    if len(told) != 1 or last - first < 2:
        return False
    return told[0].width >= last - first or (told[0].scope == "rowgroup" and len(cells) == 1)


def _is_numbering(cells: Sequence[Cell]) -> bool:
    """A header row that only numbers the columns: 甲 | 1 | 2 | 3."""
    numbers = [cell.text.strip() for cell in cells if is_number(cell.text)]
    return len(numbers) >= 2 and numbers == [str(number) for number in range(1, len(numbers) + 1)]


# --- columns


def _columns_of(table: Table, heads: Sequence[int], body: Sequence[int]) -> list[Line]:
    """The columns under header rows; those that the same header joins are one."""
    found: list[Line] = []
    last: Cell | None = None
    for column in range(table.width):
        cells = _down(table, column, heads)
        path, leaf = tuple(cell.text for cell in _told(cells)), cells[-1] if cells else None
        bare = leaf is None or not leaf.text.strip()
        if bare and path and not _told(_down(table, column, body)):
            continue  # a spacer under a header of the columns beside it
        if leaf is not None and leaf is last and path and found[-1].path == path:
            joined = (*found[-1].columns, column)
            if all(_values(table, row, joined) <= 1 for row in body):
                found[-1] = Line(tuple(body), joined, path, path)
                continue
        found.append(Line(tuple(body), (column,), path, path))
        last = leaf
    return found


def _values(table: Table, row: int, columns: Sequence[int]) -> int:
    """How many different cells of a row say more than a sign or a bracket."""
    cells = {id(cell): cell.text for column in columns if (cell := table.at(row, column)) is not None}
    return sum(not _SIGN.fullmatch(text) for text in cells.values())


def _is_header_again(table: Table, row: int, leaves: Mapping[int, str]) -> bool:
    """Whether a row of the body heads columns: it is all ``th``, or says what the headers say."""
    told = _told(row_cells(table, row))
    if len(told) < 2:
        return False
    if all(cell.header and cell.scope not in ("row", "rowgroup") for cell in told):
        return True
    return len(told) == len(leaves) and all(leaves.get(cell.column) == folded(cell.text) for cell in told)


def _columns_of_parts(table: Table, head_rows: int, again: Sequence[int], own: list[Line]) -> list[Line]:
    """The columns of every part of a body in which header rows stand."""
    parts: list[tuple[list[int], list[int]]] = [(list(range(head_rows)), [])]
    for row in range(head_rows, table.height):
        heads, body = parts[-1]
        if row not in again:
            body.append(row)
        elif body or heads == list(range(head_rows)):
            parts.append(([row], []))
        else:
            heads.append(row)
    found = [_columns_of(table, heads, body) for heads, body in parts if body]
    if all([(c.columns, c.leaf) for c in part] == [(c.columns, c.leaf) for c in own] for part in found):
        body = [row for _, rows in parts for row in rows]
        return [replace(heads, rows=tuple(body)) for heads in own]
    return [heads for part in found for heads in part]


def _column_groups(table: Table, columns: Sequence[Line], body: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Column groups: each begins where the first column's own header stands again.

    So it is, too, where the headers behind the first one stand again behind another column of texts: assets
    and their figures beside liabilities and theirs.
    """
    leaves = [heads.leaf for heads in columns]
    starts = [0]
    if leaves and leaves[0]:
        again = (at for at in range(1, len(leaves)) if leaves[at] == leaves[0] != leaves[at - 1])
        starts += [columns[at].columns[0] for at in again]
        if len(starts) == 1:
            starts = [columns[at].columns[0] for at in _periods(table, leaves, columns, body)]
    return tuple(zip(starts, [*starts[1:], table.width], strict=True))


def _periods(table: Table, leaves: Sequence[str], columns: Sequence[Line], body: Sequence[int]) -> list[int]:
    """Where groups of the same headers behind columns of texts begin."""
    size = len(leaves)
    for period in range(2, size // 2 + 1):
        starts = range(0, size, period)
        tails = {tuple(leaves[at + 1 : at + period]) for at in starts}
        if size % period or len(tails) > 1 or not all(next(iter(tails))):
            continue
        if all(leaves[at] and _holds_texts(table, columns[at].columns[0], body) for at in starts):
            return list(starts)
    return [0]


def _holds_texts(table: Table, column: int, body: Sequence[int]) -> bool:
    texts = [cell.text for cell in _down(table, column, body) if not is_nothing(cell.text)]
    return bool(texts) and not any(map(is_number, texts))


# --- rows


def _group_rows(table: Table, body: Sequence[int], first: int, last: int) -> list[Line]:
    key_columns = _key_columns(table, body, first, last)
    section: tuple[str, ...] = ()
    above = _Above()
    rows: list[Line] = []
    for row in body:
        cells = row_cells(table, row, first, last)
        told = _told(cells)
        if not told:
            continue
        if _is_section(told, cells, first, last):
            section, above = (told[0].text,), _Above()
            continue
        heads = _row_headers(cells, key_columns)
        texts = tuple(cell.text for cell in _told(heads))
        implied = above.implied(heads, texts)
        above.see(heads, texts, titled=_is_soft_title(told, cells, first))
        named = set(map(id, heads))
        rest = [cell.text for cell in cells if id(cell) not in named]
        keys = tuple(text for text in rest if not is_nothing(text) and not is_number(text))
        columns, labels = tuple(range(first, last)), (*section, *implied, *texts)
        rows.append(Line((row,), columns, (*section, *texts), labels, keys))
    return rows


class _Above:
    """What earlier rows say of the later ones: a year, a title beside empty cells, an outer header."""

    def __init__(self) -> None:
        self._year = ""
        self._titles: tuple[str, ...] = ()
        self._was_title = False
        self._outer = ""

    def implied(self, heads: Sequence[Cell], texts: tuple[str, ...]) -> tuple[str, ...]:
        """What goes for a row with these headers."""
        month = bool(texts) and not _YEAR_FIRST.match(texts[0]) and _MONTH_ONLY.fullmatch(texts[0].strip())
        blank = len(heads) > 1 and not heads[0].text.strip() and bool(texts)
        found = (*self._titles, self._outer if blank else "", self._year if month else "")
        return tuple(text for text in found if text)

    def see(self, heads: Sequence[Cell], texts: tuple[str, ...], *, titled: bool) -> None:
        """Take note of a row; ``titled``: nothing stands in it but its first cell."""
        if texts and (found := _YEAR_FIRST.match(texts[0])):
            self._year = found.group(1)
        if titled:
            self._titles = (*(self._titles if self._was_title else ()), *texts)
        self._was_title = titled
        if len(heads) > 1 and heads[0].text.strip():
            self._outer = heads[0].text


def _row_headers(cells: Sequence[Cell], key_columns: Sequence[int]) -> list[Cell]:
    marked = [cell for cell in cells if cell.header and cell.scope not in ("col", "colgroup")]
    if marked and any(not cell.header for cell in cells):
        return marked
    return [cell for cell in cells if cell.column in key_columns]


def _key_columns(table: Table, body: Sequence[int], first: int, last: int) -> list[int]:
    """The first column, and those right after it that hold text, if a column of numbers follows."""
    keys = [first]
    for column in range(first + 1, last):
        cells = [table.at(row, column) for row in body]
        texts = [cell.text for cell in cells if cell is not None and not is_nothing(cell.text)]
        numbers = sum(map(is_number, texts))
        if not texts or 2 * numbers >= len(texts):
            return keys
        keys.append(column)
    return [first]
