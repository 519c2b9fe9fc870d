"""Sets Chinese announcements as PDF pages with a real text layer, the same to the byte each time."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import pymupdf as _pymupdf

# The library has no annotations of its own.
pymupdf: Any = _pymupdf

PAGE_WIDTH, PAGE_HEIGHT = 595.0, 842.0
MARGIN = 72.0
BOTTOM = PAGE_HEIGHT - 80.0
BODY_SIZE, BODY_LEADING = 10.5, 21.0
CELL_SIZE, CELL_LEADING, CELL_PAD = 9.5, 14.0, 5.0
ROW_PADDING = 15.0
#: Punctuation that Chinese typesetting does not let stand at the start of a line.
NOT_FIRST = "，。；：、！？）》】％%”’"
#: A number or a Latin word stays on one line; every other character may begin a line.
UNBREAKABLE = re.compile(r"[0-9A-Za-z.,%+-]+|.")
#: Resolution of a page that stands for a scanned one.
SCAN_DPI = 110


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a document: ``kind`` is meta, title, heading, para, right, table or break.

    ``widths`` (points) and ``rows`` belong to a table; its first row is the header, which is
    repeated on the next page.
    """

    kind: str
    text: str = ""
    widths: tuple[float, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass(slots=True)
class _Setter:
    """The document being set and the pen's height on its last page."""

    header: str
    font: Any
    document: Any = field(default_factory=pymupdf.open)
    height: float = 0.0

    def new_page(self) -> None:
        page = self.document.new_page(width=PAGE_WIDTH, height=PAGE_HEIGHT)
        page.draw_line((MARGIN, 58), (PAGE_WIDTH - MARGIN, 58), width=0.5)
        self.height = 70.0
        self.write(PAGE_WIDTH - MARGIN - self.length(self.header, 9), 52, self.header, 9)

    def length(self, text: str, size: float) -> float:
        return float(self.font.text_length(text, fontsize=size))

    def write(self, left: float, baseline: float, text: str, size: float, page_index: int = -1) -> None:
        page = self.document[page_index]
        writer = pymupdf.TextWriter(page.rect)
        writer.append((left, baseline), text, font=self.font, fontsize=size)
        writer.write_text(page)

    def lines(self, text: str, size: float, width: float, indent: float = 0.0) -> list[str]:
        """``text`` broken into lines of at most ``width``, the first shorter by ``indent``."""
        broken: list[str] = []
        line = ""
        for token in UNBREAKABLE.findall(text):
            room = width - (0.0 if broken else indent)
            if line and self.length(line + token, size) > room:
                kept = len(line) - 1 if token in NOT_FIRST and len(line) > 1 else len(line)
                broken.append(line[:kept])
                line = line[kept:]
            line += token
        return [*broken, line]

    def paragraph(self, text: str, size: float, align: str = "left", indent: float = 0.0) -> None:
        width = PAGE_WIDTH - 2 * MARGIN
        leading = BODY_LEADING * size / BODY_SIZE
        for number, line in enumerate(self.lines(text, size, width, indent)):
            if self.height + leading > BOTTOM:
                self.new_page()
            self.height += leading
            spare = width - self.length(line, size)
            shift = {"left": indent if number == 0 else 0.0, "center": spare / 2, "right": spare}[align]
            self.write(MARGIN + shift, self.height, line, size)

    def table(self, block: Block) -> None:
        self.height += 8
        self._row(block, block.rows[0], is_header=True)
        for row in block.rows[1:]:
            cells = self._cells(block, row)
            if self.height + _row_height(cells) > BOTTOM:
                self.new_page()
                self._row(block, block.rows[0], is_header=True)
            self._row(block, row)
        self.height += 8

    def _cells(self, block: Block, row: tuple[str, ...]) -> list[list[str]]:
        return [
            self.lines(text, CELL_SIZE, width - 2 * CELL_PAD)
            for text, width in zip(row, block.widths, strict=True)
        ]

    def _row(self, block: Block, row: tuple[str, ...], *, is_header: bool = False) -> None:
        cells = self._cells(block, row)
        row_height = _row_height(cells)
        left = MARGIN
        for column, (cell, width) in enumerate(zip(cells, block.widths, strict=True)):
            box = pymupdf.Rect(left, self.height, left + width, self.height + row_height)
            self.document[-1].draw_rect(box, width=0.6)
            baseline = self.height + (row_height - CELL_LEADING * len(cell)) / 2 + CELL_SIZE
            for line in cell:
                spare = width - 2 * CELL_PAD - self.length(line, CELL_SIZE)
                shift = spare / 2 if is_header else spare if column else 0.0
                self.write(left + CELL_PAD + shift, baseline, line, CELL_SIZE)
                baseline += CELL_LEADING
            left += width
        self.height += row_height

    def block(self, block: Block) -> None:
        if block.kind == "table":
            self.table(block)
        elif block.kind == "break":
            self.new_page()
        elif block.kind == "title":
            self.height += 10
            for line in block.text.split("\n"):
                self.paragraph(line, 16, "center")
            self.height += 10
        elif block.kind == "right":
            self.paragraph(block.text, BODY_SIZE, "right")
        else:
            self.paragraph(block.text, BODY_SIZE, indent=0.0 if block.kind == "meta" else 2 * BODY_SIZE)


def _row_height(cells: list[list[str]]) -> float:
    return max(len(cell) for cell in cells) * CELL_LEADING + ROW_PADDING


def typeset(header: str, title: str, day: str, blocks: tuple[Block, ...], *, scanned: bool = False) -> bytes:
    """The PDF of ``blocks``; ``header`` stands on every page, ``day`` (ISO) is its metadata date.

    ``scanned`` turns each page into a picture, without any text layer.
    """
    setter = _Setter(header, pymupdf.Font("china-s"))
    setter.new_page()
    for block in blocks:
        setter.block(block)
    count = setter.document.page_count
    for index in range(count):
        label = f"{index + 1} / {count}"
        setter.write((PAGE_WIDTH - setter.length(label, 9)) / 2, PAGE_HEIGHT - 40, label, 9, index)
    document = _photographed(setter.document) if scanned else setter.document
    stamp = f"D:{day.replace('-', '')}180000+08'00'"
    document.set_metadata({"title": title, "creationDate": stamp, "modDate": stamp, "producer": "replica"})
    document.subset_fonts()
    return bytes(document.tobytes(garbage=4, deflate=True, no_new_id=True))


def _photographed(document: Any) -> Any:
    scan = pymupdf.open()
    for page in document:
        picture = page.get_pixmap(dpi=SCAN_DPI, colorspace=pymupdf.csGRAY)
        copy = scan.new_page(width=PAGE_WIDTH, height=PAGE_HEIGHT)
        copy.insert_image(copy.rect, stream=picture.tobytes("png"))
    return scan
