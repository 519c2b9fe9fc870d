# mypy: disable-error-code="no-untyped-call,attr-defined"
"""Sheets of a PDF that are drawn piece by piece.

A piece knows its font, size, direction and letter spacing, so the rectangles of what is found can be
held against the pieces that hold the passage.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pymupdf

from verifaible.schema.citation import Rect


@dataclass(frozen=True, slots=True)
class Piece:
    """Text at (x, y) in points. ``turn`` is its direction in degrees; ``apart`` the points between
    letters. ``reads`` gives other characters for what the font shows (ligatures, Hebrew), one code
    of the text each; ``kind`` is drawn text, a field of a form, or a note beside the text."""

    x: float
    y: float
    text: str
    font: str = "helv"
    size: float = 11
    turn: int = 0
    apart: float = 0
    reads: tuple[tuple[str, str], ...] = ()
    kind: str = "text"

    def steps(self) -> Iterator[tuple[float, float]]:
        """Points within the letters, in the page before it is turned."""
        if self.kind != "text":
            yield self.x + 6, self.y - 4
            return
        length = pymupdf.get_text_length(self.text, fontname=self.font, fontsize=self.size)
        length += self.apart * (len(self.text) - 1)
        along, across = {
            0: ((1, 0), (0, -0.27)),
            90: ((0, -1), (-0.27, 0)),
            180: ((-1, 0), (0, 0.27)),
            270: ((0, 1), (0.27, 0)),
        }[self.turn]
        for step in range(2, max(3, int(length)), 3):
            yield (
                self.x + along[0] * step + across[0] * self.size,
                self.y + along[1] * step + across[1] * self.size,
            )


@dataclass(frozen=True, slots=True)
class Sheets:
    """A document, what is asked for, and the answer: the page and the pieces on it.

    ``page`` 0: nothing may be found as quoted, and the verdict is one of ``verdicts``. ``loose``
    are pieces that a rectangle may touch as well.
    """

    kind: str
    name: str
    pages: tuple[tuple[Piece, ...], ...]
    quote: str
    page: int
    pieces: tuple[int, ...] = ()
    asked: int | None = None
    near: str = ""
    rotation: int = 0
    verdicts: tuple[str, ...] = ("verified",)
    loose: tuple[int, ...] = field(default=())


def _draw(page: pymupdf.Page, piece: Piece) -> None:
    if piece.kind == "field":
        widget = pymupdf.Widget()
        widget.field_name, widget.field_value = f"f{piece.y:.0f}", piece.text
        widget.field_type = pymupdf.PDF_WIDGET_TYPE_TEXT
        widget.rect = pymupdf.Rect(piece.x, piece.y - 14, piece.x + 160, piece.y + 2)
        widget.text_fontsize = 11
        page.add_widget(widget)
    elif piece.kind == "note":
        page.add_text_annot((piece.x, piece.y - 10), piece.text)
    elif piece.kind == "free":
        rect = pymupdf.Rect(piece.x, piece.y - 12, piece.x + 120, piece.y + 8)
        page.add_freetext_annot(rect, piece.text, fontsize=11)
    elif piece.apart:
        x = piece.x
        for char in piece.text:
            page.insert_text((x, piece.y), char, fontsize=piece.size, fontname=piece.font)
            x += pymupdf.get_text_length(char, fontname=piece.font, fontsize=piece.size) + piece.apart
    else:
        font = f"{piece.font}x" if piece.reads else piece.font
        if piece.reads:
            page.insert_font(fontname=font, fontbuffer=pymupdf.Font(piece.font).buffer, set_simple=True)
        page.insert_text(
            (piece.x, piece.y), piece.text, fontsize=piece.size, fontname=font, rotate=piece.turn
        )


def _read_as(made: pymupdf.Document, page: pymupdf.Page, reads: dict[str, str]) -> None:
    """Give the page's own fonts a table of the characters that their codes stand for (PDF 32000, 9.10.3)."""
    codes = {code: chr(code) for code in range(32, 127)} | {ord(a): b for a, b in reads.items()}
    lines = "\n".join(f"<{code:02x}> <{ord(char):04x}>" for code, char in codes.items())
    table = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Own def /CMapType 2 def\n"
        f"1 begincodespacerange <00> <ff> endcodespacerange\n{len(codes)} beginbfchar\n{lines}\nendbfchar\n"
        "endcmap CMapName currentdict /CMap defineresource pop end end"
    )
    xref = made.get_new_xref()
    made.update_object(xref, "<<>>")
    made.update_stream(xref, table.encode())
    for found in page.get_fonts():
        if found[4].endswith("x"):
            made.xref_set_key(found[0], "ToUnicode", f"{xref} 0 R")


def document(case: Sheets) -> bytes:
    """The PDF of a case."""
    with pymupdf.open() as made:
        for pieces in case.pages:
            page = made.new_page(width=595, height=842)
            for piece in pieces:
                _draw(page, piece)
            reads = {a: b for piece in pieces for a, b in piece.reads}
            if reads:
                _read_as(made, page, reads)
            page.set_rotation(case.rotation)
        body: bytes = made.tobytes()
    return body


def touched(case: Sheets, page: int, rects: tuple[Rect, ...]) -> set[int]:
    """The pieces of a page that the rectangles touch."""
    found = set()
    for index, piece in enumerate(case.pages[page - 1]):
        for x, y in piece.steps():
            at = {0: (x, y), 90: (842 - y, x), 180: (595 - x, 842 - y), 270: (y, 595 - x)}[case.rotation]
            if any(r.x <= at[0] <= r.x + r.width and r.y <= at[1] <= r.y + r.height for r in rects):
                found.add(index)
                break
    return found
