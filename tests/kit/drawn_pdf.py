"""PDFs drawn from rows of data: words at places, and paragraphs that are wrapped, in the order of painting.

A page is ``{"draw": [...], "size": [width, height], "rotation": degrees}``; an entry of ``draw`` is
``[x, baseline, text, options]``. Options: ``size``, ``font`` (names of PyMuPDF), ``color``, ``rotate`` (90, 180, 270),
``mode`` (text render mode), ``width`` (wrap within it), ``leading``, ``upwards`` (paint the last line first), ``gaps``
(words left blank, which other entries fill), ``numbered`` (line numbers at x offset, every how many lines, from).
``["bar", x0, y0, x1, y1, color]`` is a filled rectangle.
"""

from __future__ import annotations

from typing import Any

import pymupdf

_DOWN = {0: (0, 1), 90: (1, 0), 180: (0, -1), 270: (-1, 0)}


def wrapped(text: str, width: float, font: str, size: float) -> list[str]:
    """Text in lines no wider than ``width``; a soft hyphen is a place where a word may be parted."""
    lines, line = [], ""
    for word in text.split():
        pieces = word.split("\u00ad")
        for at in range(len(pieces), -1, -1):
            head, rest = "".join(pieces[:at]), "".join(pieces[at:])
            shown = f"{line} {head}{'-' if rest else ''}".strip() if at else line
            if at == 0 or pymupdf.get_text_length(shown, fontname=font, fontsize=size) <= width:
                break
        if at == len(pieces):
            line = shown
        else:
            lines.append(shown)
            line = rest
    return [each for each in [*lines, line] if each]


def drawn(pages: list[dict[str, Any]]) -> bytes:
    """The bytes of a PDF with these pages."""
    document = pymupdf.open()
    for given in pages:
        width, height = given.get("size", (420, 595))
        page = document.new_page(width=width, height=height)
        for entry in given["draw"]:
            if entry[0] == "bar":
                page.draw_rect(pymupdf.Rect(*entry[1:5]), color=entry[5], fill=entry[5])
            else:
                _draw(page, *entry)
        page.set_rotation(given.get("rotation", 0))
    data: bytes = document.tobytes()
    return data


def _draw(page: pymupdf.Page, x: float, y: float, text: str, options: dict[str, Any] | None = None) -> None:
    given = options or {}
    font, size, turn = given.get("font", "helv"), given.get("size", 10), given.get("rotate", 0)
    lines = wrapped(text, given["width"], font, size) if "width" in given else [text]
    leading = given.get("leading", 1.25 * size)
    placed = [
        (x + _DOWN[turn][0] * leading * at, y + _DOWN[turn][1] * leading * at, line)
        for at, line in enumerate(lines)
    ]
    if "numbered" in given:
        offset, every = given["numbered"]
        placed += [
            (x + offset, y + leading * at, str(at + 1))
            for at in range(0, len(lines), 1)
            if (at + 1) % every == 0
        ]
    for left, base, line in reversed(placed) if given.get("upwards") else placed:
        page.insert_text(
            (left, base),
            line,
            fontname=font,
            fontsize=size,
            color=given.get("color", (0, 0, 0)),
            rotate=turn,
            render_mode=given.get("mode", 0),
        )
