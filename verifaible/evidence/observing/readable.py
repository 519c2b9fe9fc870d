"""A sealed source as text that is read whole: its Document with the tables in place, and the way back.

Blocks stand as paragraphs, each table in its place as a Markdown table. Every place of the text leads back to
what can be cited: whole sentences of a block, or a cell or a row by its headers.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Final

from verifaible.anchoring.cells import locate, named
from verifaible.anchoring.evidence import page_of
from verifaible.anchoring.quote import Place, find_places
from verifaible.anchoring.structure import headers_of
from verifaible.evidence.observing.material import Material
from verifaible.extract.document import Document, Table
from verifaible.schema.anchor import AnchorRequest

#: The file of a capture that holds the text.
READ_NAME: Final = "read.md"
READ: Final = f"evidence/{READ_NAME}"
#: Sentences of more code points are not quoted for one of their words: those are quoted then.
_LONGEST: Final = 600
_NEAR: Final = 60


@dataclass(frozen=True, slots=True)
class _Piece:
    """From ``start`` on: the words of a block, or a cell (of a table, by its slot; column -1 for a row)."""

    start: int
    block: int = -1
    table: int = -1
    row: int = -1
    column: int = -1


@dataclass(slots=True)
class _Text:
    parts: list[str] = field(default_factory=list)
    pieces: list[_Piece] = field(default_factory=list)
    length: int = 0

    def add(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)


@dataclass(frozen=True, slots=True)
class Readable:
    """The text, and where its parts are from."""

    text: str
    pieces: tuple[_Piece, ...]
    document: Document

    def request(self, start: int, end: int) -> AnchorRequest | None:
        """What to cite for the words ``text[start:end]``: their sentences, cell or row; None for no words."""
        words = self.text[start:end].lstrip(" |\n")
        start = end - len(words)
        at = bisect_right([piece.start for piece in self.pieces], start) - 1
        if at < 0 or not words.strip():
            return None
        piece = self.pieces[at]
        if piece.table >= 0:
            within = at + 1 == len(self.pieces) or end <= self.pieces[at + 1].start
            return cell_request(self.document, piece.table, piece.row, piece.column if within else -1)
        return self._quote(piece, start - piece.start, end - piece.start)

    def _quote(self, piece: _Piece, first: int, last: int) -> AnchorRequest | None:
        block = self.document.blocks[piece.block]
        last = min(last, len(block.text))
        held = [span for span in block.sentences if span[0] < last and span[1] > first]
        low, high = (held[0][0], held[-1][1]) if held else (first, last)
        if high - low > _LONGEST:
            low, high = first, last
        quote = block.text[low:high].strip()
        if not quote:
            return None
        near = ""
        if len(find_places(self.document, quote).exact) > 1:
            text, begin = self.document.text, self.document.starts[piece.block]
            before = text[max(0, begin + low - _NEAR) : begin + low].strip()
            after = text[begin + high : begin + high + _NEAR].strip()
            near = before.rpartition("\n")[2] or after.partition("\n")[0]
        return AnchorRequest(
            evidence_type="pdf" if self.document.medium == "pdf" else "text",
            quote=quote,
            near=near,
            page_number=page_of(self.document, Place(piece.block, low, high)) or None,
        )


def cell_request(document: Document, table: int, row: int, column: int = -1) -> AnchorRequest | None:
    """A cell by the headers that lead to it and to no other; its row where there are none, else None."""
    headers, path = headers_of(document, table), document.tables[table].css_path
    heads = [each.path for each in headers.columns if row in each.rows and column in each.columns]
    for line in (each for each in headers.rows if each.row == row):
        for name in (line.path, line.labels, line.keys):
            for over in (*heads, ()):
                found = locate(document, table, named(name), named(over)) if name else None
                if found is None or found.anchor is None:
                    continue
                slots = found.anchor.cells
                if {each for each, _ in slots} == {row} and (not over or column in {c for _, c in slots}):
                    return AnchorRequest(evidence_type="table", row=name, column=over, selector=path)
    return None


def readable(material: Material) -> Readable:
    """A source as it is read; the same material gives the same text."""
    document, text = material.document, _Text()
    done: set[int] = set()
    for index, block in enumerate(document.blocks):
        table = block.cell[0] if block.cell is not None else -1
        if table >= 0 and document.tables[table].height > 1 and document.tables[table].width > 1:
            if table not in done:
                done.add(table)
                _add_table(text, document.tables[table], table)
            continue
        text.pieces.append(_Piece(text.length, block=index))
        text.add(block.text)
        text.add("\n")
    return Readable("".join(text.parts), tuple(text.pieces), document)


def _add_table(text: _Text, table: Table, number: int) -> None:
    for row in range(table.height):
        text.add("\n|" if row == 0 else "|")
        for column in range(table.width):
            cell = table.at(row, column)
            own = cell is not None and (cell.row, cell.column) == (row, column)
            text.add(" ")
            text.pieces.append(_Piece(text.length, table=number, row=row, column=column))
            text.add(" ".join(cell.text.split()).replace("|", "\\|") if cell is not None and own else "")
            text.add(" |")
        text.add("\n")
        if row == max(table.head_rows, 1) - 1:
            text.add("|" + " --- |" * table.width + "\n")
    text.add("\n")
