"""Pictures: what they are by their bytes, lossless WebP, and marks drawn into a PNG.

Pillow is loaded when a picture is made.
"""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Mapping, Sequence
from typing import Final

from verifaible.schema.anchor import Rect
from verifaible.schema.citation import Mark, MarkKind

#: What Chromium itself encodes as lossless WebP is three to sixty times as large: it takes no effort.
_EFFORT = {"method": 1, "quality": 50}
#: The encoder takes some 27 bytes a pixel while it works: two large pictures at once would double that.
_ENCODING = threading.Lock()
_YELLOW, _PALE_GREEN = "#ffe066", "#dff3e3"
#: What marks are filled with, multiplied with what lies below. Pages have the same in marks.css.
FILLS: Final[Mapping[MarkKind, str]] = {
    "cross": _PALE_GREEN,
    "area": _PALE_GREEN,
    "sentence": "#fff3bf",
    "text": _YELLOW,
    "line": _YELLOW,
    "cell": _YELLOW,
}
#: Marks without an edge.
EDGELESS: Final[frozenset[MarkKind]] = frozenset({"cross", "sentence", "text"})
_EDGE, _EDGE_ON_DARK, _LIGHT = "#1a7f37", "#ffe066", "#ffffff"
_DARK_SHARE = 0.35
_PICTURES: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
)
#: Comments, a document type and an XML declaration may stand before the root. Nothing is tried twice
#: (possessive): the bytes are a stranger's.
_SVG: Final = re.compile(rb"\s*+(?:(?><!--.*?-->|<(?!!--)[?!][^>]*+>)\s*+)*+<svg[\s/>]", re.DOTALL)


def image_type(data: bytes) -> str:
    """What a picture is by its first bytes, as a media type; "" for everything else.

    An SVG is recognised by its root element; it may hold anything, and is only ever shown as a picture.
    """
    for start, kind in _PICTURES:
        if data.startswith(start):
            return kind
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if data[4:12] in (b"ftypavif", b"ftypavis"):
        return "image/avif"
    return "image/svg+xml" if _SVG.match(data[:4096].removeprefix(b"\xef\xbb\xbf")) else ""


def lossless_webp(png: bytes) -> bytes:
    """A PNG as lossless WebP.

    Raises:
        ValueError: it is no picture, or has no pixels.
    """
    from PIL import Image, UnidentifiedImageError

    found = io.BytesIO()
    try:
        with _ENCODING:
            Image.open(io.BytesIO(png)).convert("RGB").save(found, "webp", lossless=True, **_EFFORT)
    except (OSError, UnidentifiedImageError) as error:
        raise ValueError(f"the picture is empty or damaged ({error})") from error
    return found.getvalue()


def flattened(
    tiles: Sequence[tuple[int, bytes]], marks: Sequence[Mark], part: tuple[int, int, int, int]
) -> bytes:
    """A PNG of a part of a picture with the marks in it.

    Args:
        tiles: the picture: each tile with how far below the top it is, in pixels.
        marks: what is marked, in this order.
        part: x, y, width and height in pixels.
    """
    from PIL import Image, ImageChops, ImageColor, ImageDraw

    x, y, width, height = part
    canvas = Image.new("RGB", (width, height), "white")
    for top, data in tiles:
        canvas.paste(Image.open(io.BytesIO(data)).convert("RGB"), (-x, top - y))
    draw = ImageDraw.Draw(canvas)
    for mark in marks:
        box = _box(mark.rect, x, y)
        fill = FILLS.get(mark.kind)
        if fill is not None and box[0] < box[2] and box[1] < box[3]:
            below = canvas.crop(box)
            ink = Image.new("RGB", below.size, ImageColor.getrgb(fill))
            shade = Image.blend(below, ink, _DARK_SHARE) if mark.dark else ImageChops.multiply(below, ink)
            canvas.paste(shade, box)
        if mark.kind not in EDGELESS:
            left, top, right, bottom = box
            draw.rectangle((left - 4, top - 4, right + 3, bottom + 3), outline=_LIGHT, width=2)
            edge = _EDGE_ON_DARK if mark.dark else _EDGE
            draw.rectangle((left - 2, top - 2, right + 1, bottom + 1), outline=edge, width=3)
    found = io.BytesIO()
    canvas.save(found, "png")
    return found.getvalue()


def _box(rect: Rect, x: int, y: int) -> tuple[int, int, int, int]:
    left, top = round(rect.x) - x, round(rect.y) - y
    return left, top, round(rect.x + rect.width) - x, round(rect.y + rect.height) - y
