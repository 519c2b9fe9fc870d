"""A sealed source as text that is read whole: its Document with the tables in place, and the way back.

Every place of the text leads back to what can be cited: whole sentences of a block, or a cell or a row by its
headers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from verifaible.anchoring.cells import locate, named
from verifaible.anchoring.evidence import page_of
from verifaible.anchoring.quote import Place, find_places
from verifaible.anchoring.structure import headers_of
from verifaible.evidence.material import Material
from verifaible.extract.document import Document
from verifaible.extract.markdown import Markdown, document_markdown
from verifaible.schema.anchor import AnchorRequest

#: The file of a capture that holds the text.
READ_NAME: Final = "read.md"
READ: Final = f"evidence/{READ_NAME}"
#: Sentences of more code points are not quoted for one of their words: those are quoted then.
_LONGEST: Final = 600
_NEAR: Final = 60


@dataclass(frozen=True, slots=True)
class Readable:
    """A Document as Markdown, and what to cite for each place of it."""

    markdown: Markdown
    document: Document

    @property
    def text(self) -> str:
        """All of it."""
        return self.markdown.text

    def request(self, start: int, end: int) -> AnchorRequest | None:
        """What to cite for the words ``text[start:end]``: their sentences, cell or row; None for no words."""
        words = self.text[start:end].lstrip(" |\n")
        start = end - len(words)
        piece = self.markdown.piece_at(start)
        last = self.markdown.piece_at(max(start, end - 1))
        if piece is None or last is None or not words.strip():
            return None
        if piece.table >= 0:
            one = (piece.table, piece.row, piece.column) == (last.table, last.row, last.column)
            return cell_request(self.document, piece.table, piece.row, piece.column if one else -1)
        block = self.document.blocks[piece.block]
        length = len(block.text)
        low = min(piece.offset + start - piece.start, length)
        high = min(last.offset + end - last.start, length) if last.block == piece.block else length
        return self._quote(piece.block, low, high)

    def _quote(self, at: int, first: int, last: int) -> AnchorRequest | None:
        block = self.document.blocks[at]
        held = [span for span in block.sentences if span[0] < last and span[1] > first]
        low, high = (held[0][0], held[-1][1]) if held else (first, last)
        if high - low > _LONGEST:
            low, high = first, last
        quote = block.text[low:high].strip()
        if not quote:
            return None
        near = ""
        if len(find_places(self.document, quote).exact) > 1:
            text, begin = self.document.text, self.document.starts[at]
            before = text[max(0, begin + low - _NEAR) : begin + low].strip()
            after = text[begin + high : begin + high + _NEAR].strip()
            near = before.rpartition("\n")[2] or after.partition("\n")[0]
        return AnchorRequest(
            evidence_type="pdf" if self.document.medium == "pdf" else "text",
            quote=quote,
            near=near,
            page_number=page_of(self.document, Place(at, low, high)) or None,
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
    return Readable(document_markdown(material.document), material.document)
