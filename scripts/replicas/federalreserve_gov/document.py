"""The PDF of a release: statement first, note after it, set line by line as the Board's own are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import lxml.html
import pymupdf
from lxml.html import HtmlElement

WIDTH, HEIGHT = 612, 792  # US Letter, points
LEFT, RIGHT, TOP, BOTTOM = 72, 540, 84, 716
SIZE, LEADING = 11.5, 15.0
INDENT = 24
FONT, BOLD = "tiro", "tibo"
# The base-14 fonts are set in Latin-1, which has none of these.
LATIN = str.maketrans({"\u2011": "-", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2019": "'"})


@dataclass(frozen=True)
class Part:
    """One document inside the PDF: its title, and the HTML of its body."""

    title: str
    body: str


@dataclass(frozen=True)
class Paragraph:
    """A paragraph at a list depth; ``bullet`` is set for the first one of a list item."""

    text: str
    depth: int
    bullet: bool


def _paragraphs(body: str) -> Iterator[Paragraph]:
    root = lxml.html.fragment_fromstring(body, create_parent="div")
    for element in root.iter("p"):
        parent = element.getparent()
        depth = sum(1 for ancestor in element.iterancestors("li"))
        bullet = isinstance(parent, HtmlElement) and parent.tag == "li" and parent[0] is element
        text = re.sub(r"\s+", " ", str(element.text_content())).translate(LATIN).strip()
        yield Paragraph(text, depth, bullet)


def _wrap(text: str, width: float) -> list[str]:
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and pymupdf.get_text_length(longer, FONT, SIZE) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


class _Setter:
    """Puts lines on pages; a page that runs over ends with "(more)" and the next starts with its number."""

    def __init__(self, document: pymupdf.Document) -> None:
        self.document = document
        self.page: pymupdf.Page | None = None
        self.number = 0
        self.y = float(TOP)

    def new_page(self) -> None:
        self.page = self.document.new_page(width=WIDTH, height=HEIGHT)
        self.number += 1
        self.y = float(TOP)
        if self.number > 1:
            self._put(WIDTH / 2 - 8, 54, f"-{self.number}-", FONT)

    def _put(self, x: float, y: float, text: str, font: str) -> None:
        assert self.page is not None
        self.page.insert_text((x, y), text, fontname=font, fontsize=SIZE)

    def line(self, x: float, text: str, *, font: str = FONT, mark: str = "") -> None:
        if self.y > BOTTOM:
            self._put(WIDTH / 2 - 16, 744, "(more)", FONT)
            self.new_page()
        if mark:
            self._put(x - 14, self.y, mark, font)
        self._put(x, self.y, text, font)
        self.y += LEADING


def release_pdf(day: str, released: str, parts: Sequence[Part]) -> bytes:
    """A PDF with ``parts`` one after the other, each on a new page; the same bytes every time."""
    document: Any = pymupdf.open()  # type: ignore[no-untyped-call]
    setter = _Setter(document)
    for part in parts:
        setter.new_page()
        setter.line(LEFT, "FEDERAL RESERVE press release (replica, synthetic)", font=BOLD)
        setter.line(LEFT, released)
        setter.line(RIGHT - pymupdf.get_text_length(day, FONT, SIZE), day)
        setter.line(LEFT, part.title, font=BOLD)
        setter.y += LEADING / 2
        for paragraph in _paragraphs(part.body):
            x = LEFT + INDENT * paragraph.depth
            mark = "\u00b7" if paragraph.bullet else ""
            for index, text in enumerate(_wrap(paragraph.text, RIGHT - x)):
                setter.line(x, text, mark="" if index else mark)
            setter.y += LEADING / 2
    document.set_metadata(
        {
            "title": parts[-1].title,
            "author": "verifaible replica",
            "creationDate": "D:20260302080000Z",
            "modDate": "D:20260302080000Z",
        }
    )
    data: bytes = document.tobytes(garbage=3, deflate=True, no_new_id=True)
    document.close()
    return data
