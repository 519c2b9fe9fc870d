"""The law and ordinance gazette: a list of issues, and PDF files set in two columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pymupdf as _pymupdf

from scripts.replicas.common import Exchange
from scripts.replicas.gesetze_example.figures import HOST, RECORDED_AT
from scripts.replicas.gesetze_example.rendering import HERE, html_exchange

# The library has no annotations of its own.
pymupdf: Any = _pymupdf

WIDTH, HEIGHT, MARGIN, GAP = 595.0, 842.0, 56.0, 22.0
COLUMN = (WIDTH - 2 * MARGIN - GAP) / 2
SIZE, LEADING, BOTTOM = 9.5, 12.4, HEIGHT - 64.0
#: Number, day of issue, title, address.
ISSUES = (
    ("Nr. 21", "18. Juli 2025", "Gesetz zur Änderung des Nordmärkischen Fischereigesetzes", ""),
    ("Nr. 18", "20. Juni 2025", "Gesetz zur Neuordnung des Wohnraumschutzes", "/gvbl/2025/gvbl-2025-18.pdf"),
    ("Nr. 17", "13. Juni 2025", "Verordnung über die Erhebung von Verwaltungsgebühren", ""),
    ("Nr. 9", "28. März 2025", "Haushaltsbegleitgesetz 2025/2026", ""),
)


def exchanges() -> Iterator[Exchange]:
    """The list of issues, and the one that can be read."""
    yield html_exchange("/gvbl/2025/", "gazette.html", "Gesetz- und Verordnungsblatt 2025", issues=ISSUES)
    text = (HERE / "gvbl-2025-18.txt").read_text(encoding="utf-8")
    yield Exchange(
        f"{HOST}/gvbl/2025/gvbl-2025-18.pdf",
        _typeset(text.split("\n")),
        "application/pdf",
        page_title="Gesetz- und Verordnungsblatt für das Land Nordmark, Nr. 18/2025",
        recorded_at=RECORDED_AT,
    )


def _broken(text: str, font: Any, width: float) -> list[str]:
    """Lines of at most ``width``; a bar in a word is where it may be hyphenated."""
    lines, line = [], ""
    for word in text.split(" "):
        parts = word.split("|")
        joined = f"{line} {''.join(parts)}".strip()
        if font.text_length(joined, fontsize=SIZE) <= width:
            line = joined
            continue
        kept = 0
        for count in range(len(parts) - 1, 0, -1):
            start = f"{line} {''.join(parts[:count])}-".strip()
            if font.text_length(start, fontsize=SIZE) <= width:
                line, kept = start, count
                break
        lines.append(line)
        line = "".join(parts[kept:])
    return [*lines, line]


def _typeset(paragraphs: list[str]) -> bytes:
    """Two columns a page; a paragraph with ``# `` is a heading, one with ``! `` stands over both."""
    fonts = {False: pymupdf.Font("tiro"), True: pymupdf.Font("tibo")}
    document = pymupdf.open()
    top, column, height = 0.0, 2, BOTTOM
    for paragraph in paragraphs:
        wide, bold = paragraph.startswith("! "), paragraph.startswith(("! ", "# "))
        font = fonts[bold]
        width = WIDTH - 2 * MARGIN if wide else COLUMN
        for line in _broken(paragraph[2:] if bold else paragraph, font, width):
            if height + LEADING > BOTTOM:
                column += 1
                if column >= 2:
                    page = document.new_page(width=WIDTH, height=HEIGHT)
                    top, column = _head(page, fonts[False], document.page_count), 0
                height = top
            height += LEADING
            left = MARGIN + (0 if wide else column * (COLUMN + GAP))
            if bold:
                left += (width - font.text_length(line, fontsize=SIZE)) / 2
            _write(page, left, height, line, font)
            if wide:
                top = height + 6
        height += 4
    stamp = "D:20250620080000+02'00'"
    document.set_metadata(
        {
            "title": "GVBl. Nordmark Nr. 18/2025",
            "creationDate": stamp,
            "modDate": stamp,
            "producer": "synthetic",
        }
    )
    document.subset_fonts()
    return bytes(document.tobytes(garbage=4, deflate=True, no_new_id=True))


def _head(page: Any, font: Any, number: int) -> float:
    left = f"{210 + number}" if number % 2 == 0 else "GVBl. Nordmark Nr. 18/2025"
    right = "GVBl. Nordmark Nr. 18/2025" if number % 2 == 0 else f"{210 + number}"
    _write(page, MARGIN, 46, left, font)
    _write(page, WIDTH - MARGIN - font.text_length(right, fontsize=SIZE), 46, right, font)
    page.draw_line((MARGIN, 52), (WIDTH - MARGIN, 52), width=0.5)
    return 60.0


def _write(page: Any, left: float, baseline: float, text: str, font: Any) -> None:
    writer = pymupdf.TextWriter(page.rect)
    writer.append((left, baseline), text, font=font, fontsize=SIZE)
    writer.write_text(page)
