"""A sealed source as text that is read whole: its page with the tables in place, and the way back.

The words of a page stand in ``evidence/text.txt`` as a reader sees them, a table's rows as lines without
their heads. For reading, each table is put in its place as a Markdown table. Every place of that text leads
back to what can be cited: words of the page, a cell or a row by its headers, or words of a page of a PDF.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from verifaible.evidence.observing.material import PageMaterial, PdfMaterial
from verifaible.old.anchoring.tables.headers import find_headers
from verifaible.old.anchoring.tables.locate import locate
from verifaible.old.extract.tables import grid_to_markdown, header_rows
from verifaible.old.text.sentences import sentence_span
from verifaible.schema.anchor import AnchorRequest
from verifaible.schema.table import Grid

#: The file of a capture that holds the text.
READ_NAME: Final = "read.md"
READ: Final = f"evidence/{READ_NAME}"
#: A sentence of more code points is not quoted for one of its words: those are quoted then.
_LONGEST: Final = 600
_NEAR: Final = 60
#: A line of a PDF that is this part of the longest is full.
_FULL: Final = 0.85
_ENDED: Final = re.compile(r"[.!?:;。！？：；][\"'”’)\]]*\s*$")
_CELL: Final = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class _Piece:
    """From ``start`` on: words from ``at`` of ``page`` (of a PDF; 0: a web page), or a table."""

    start: int
    at: int = 0
    page: int = 0
    table: int = -1


@dataclass(frozen=True, slots=True)
class Readable:
    """The text, and where its parts are from."""

    text: str
    pieces: tuple[_Piece, ...]
    material: PageMaterial | PdfMaterial

    def request(self, start: int, end: int) -> AnchorRequest | None:
        """What to cite for the words ``text[start:end]``: their sentence, cell or row; None for no words."""
        piece = self._piece(start)
        if isinstance(self.material, PageMaterial) and piece.table >= 0:
            return self._cell(piece, start, end)
        whole = self._words_of(piece)
        first, last = start - piece.start + piece.at, end - piece.start + piece.at
        if not whole[first:last].strip():
            return None
        lines = isinstance(self.material, PdfMaterial)
        low, high = sentence_span(whole, first, last, lines=lines)
        if high - low > _LONGEST or last > high:
            low, high = first, last
        quote = whole[low:high].strip()
        near = ""
        if whole.count(quote) > 1:
            before = whole[max(0, low - _NEAR) : low].strip()
            near = before.rpartition("\n")[2] or before or whole[high : high + _NEAR].strip()
        kind = "pdf" if lines else "text"
        return AnchorRequest.model_validate(
            {"evidence_type": kind, "quote": quote, "near": near, "page_number": piece.page or None}
        )

    def _piece(self, start: int) -> _Piece:
        at = bisect_right([piece.start for piece in self.pieces], start) - 1
        return self.pieces[max(at, 0)]

    def _words_of(self, piece: _Piece) -> str:
        if isinstance(self.material, PageMaterial):
            return self.material.page.text
        return self.material.pages[piece.page - 1] if self.material.pages else self.text

    def _cell(self, piece: _Piece, start: int, end: int) -> AnchorRequest | None:
        assert isinstance(self.material, PageMaterial)
        grid = self.material.grids[piece.table]
        line_start = self.text.rfind("\n", 0, start) + 1
        body = self.text[piece.start : line_start].split("\n")
        rule = next((number for number, line in enumerate(body) if _is_rule(line)), -1)
        if rule < 0:
            return None
        row = header_rows(grid) + len(body) - 1 - (rule + 1)
        bars = [match.start() for match in _CELL.finditer(self.text[line_start : start + 1])]
        closing = self.text.find("\n", start)
        columns = sorted({cell.column for cell in grid.cells})
        within = _CELL.search(self.text, start, min(end, closing if closing >= 0 else end)) is None
        column = columns[len(bars) - 1] if within and 0 < len(bars) <= len(columns) else -1
        return named_cell(grid, row, column)


def named_cell(grid: Grid, row: int, column: int = -1) -> AnchorRequest | None:
    """A cell by the headers that lead to it and to no other; its row where there are none, else None."""
    headers = find_headers(grid)
    rows = [each for each in headers.rows if each.row == row]
    if not rows:
        return None
    heads = [each.path for each in headers.columns if row in each.rows and column in each.columns]
    for line in rows:
        for name in (line.path, (*line.implied, *line.path), line.keys):
            for path in (*heads, ()):
                found = locate(grid, tuple(name), tuple(path)) if name else None
                if found is None or found.status != "verified" or found.anchor is None:
                    continue
                slots = found.anchor.cells
                if {each for each, _ in slots} == {row} and (not path or column in {c for _, c in slots}):
                    return AnchorRequest(
                        evidence_type="table", row=tuple(name), column=tuple(path), selector=grid.css_path
                    )
    return None


def readable(material: PageMaterial | PdfMaterial) -> Readable:
    """A page or a PDF as it is read; the same material gives the same text."""
    if isinstance(material, PdfMaterial):
        pieces, at = [], 0
        for number, page in enumerate(material.pages, start=1):
            pieces.append(_Piece(at, 0, number))
            at += len(page) + 1
        text = "\n".join(map(unwrapped, material.pages))
        return Readable(text, tuple(pieces or [_Piece(0)]), material)
    text = material.page.text
    parts: list[str] = []
    pieces = [_Piece(0)]
    at = length = 0

    def add(part: str, piece: _Piece) -> None:
        nonlocal length
        pieces.append(_Piece(length, piece.at, piece.page, piece.table))
        parts.append(part)
        length += len(part)

    for first, last, table in _in_place(material):
        add(text[at:first], _Piece(0, at))
        add("\n" + grid_to_markdown(material.grids[table]) + "\n", _Piece(0, table=table))
        at = last
    add(text[at:], _Piece(0, at))
    return Readable("".join(parts), tuple(pieces), material)


def unwrapped(page: str) -> str:
    """A page of a PDF whose sentences go over line ends; each line end becomes a blank, so no place moves."""
    lines = page.split("\n")
    width = max(map(len, lines), default=0)
    joined = lines[0]
    for before, line in pairwise(lines):
        goes_on = line[:1].islower() or (len(before) >= _FULL * width and not _ENDED.search(before))
        words = sum(map(str.isalpha, before)) > len(before) / 2
        joined += (" " if goes_on and words and line.strip() else "\n") + line
    return joined


def _in_place(material: PageMaterial) -> Iterator[tuple[int, int, int]]:
    """Where the lines of each table stand in the page's text; of one that is not found, at the end."""
    text = material.page.text
    lines = list(_lines(text))
    flat = [_flat(line) for _, _, line in lines]
    taken, left = 0, []
    for number, grid in enumerate(material.grids):
        if grid.height < 2 or grid.width < 2:
            continue
        rows = [_flat(" ".join(cell.text for cell in row)) for row in material.tables[number].table.rows]
        found = _run(flat, [row for row in rows if row], taken)
        if found is None:
            left.append(number)
            continue
        first, last = found
        taken = last
        if grid.caption and first and flat[first - 1] == _flat(grid.caption):
            first -= 1
        yield lines[first][0], lines[last - 1][1], number
    yield from ((len(text), len(text), number) for number in left)


def _run(lines: Sequence[str], rows: Sequence[str], begin: int) -> tuple[int, int] | None:
    """The lines that hold all rows one after the other, a cell a line or a row a line."""
    for first in range(begin, len(lines)):
        if not rows or not lines[first] or not rows[0].startswith(lines[first]):
            continue
        at, row = first, 0
        built = ""
        while at < len(lines) and row < len(rows):
            built += lines[at]
            at += 1
            if built == rows[row]:
                row, built = row + 1, ""
            elif not rows[row].startswith(built):
                break
        if row == len(rows):
            return first, at
    return None


def _lines(text: str) -> Iterator[tuple[int, int, str]]:
    at = 0
    for line in text.split("\n"):
        yield at, at + len(line), line
        at += len(line) + 1


def _flat(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _is_rule(line: str) -> bool:
    return line.startswith("|") and not line.strip("|- :")
