"""The picture of a page of a PDF, with the marks of a passage beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from verifaible.browser.pictures.picture import Taken, missing, tile_of
from verifaible.errors import ToolError
from verifaible.extract.images import lossless_webp
from verifaible.schema.anchor import Rect
from verifaible.schema.citation import Mark, Picture

#: Pixels for a point: letters of 8 points can be read.
_SCALE = 2.0


def picture_page(
    body: bytes,
    number: int,
    rects: Sequence[Rect],
    around: Sequence[Rect] = (),
    *,
    height: int | Literal["full"],
) -> Taken:
    """Picture a page of a PDF; arguments as those of :func:`take_picture`.

    Args:
        body: the PDF.
        number: the page, from 1.
        rects: what is marked on it, in points.
        around: the evidence that this is a part of.
        height: at most so many pixels from top to bottom; a larger page is drawn smaller.
    """
    from verifaible.extract.pdf import PdfFile

    if height == 0:
        return missing("none was wanted (VERIFAIBLE_PICTURE_HEIGHT is 0)")
    try:
        with PdfFile(body) as pdf:
            points, high = pdf.page_size(number)
            limit = _SCALE if height == "full" else min(_SCALE, height / max(high, 1))
            data = pdf.picture(number, scale=limit)
        width, tall = int.from_bytes(data[16:20]), int.from_bytes(data[20:24])  # the header of a PNG
        file = lossless_webp(data)
    except (RuntimeError, ToolError, ValueError) as error:
        return missing(str(error).strip().partition("\n")[0])
    scale = width / points
    marks = (
        *(Mark(rect=_scaled(rect, scale), kind="sentence") for rect in around),
        *(Mark(rect=_scaled(rect, scale), kind="text") for rect in rects),
    )
    tile = tile_of(file, y=0, height=tall)
    return Taken(Picture(width=width, height=tall, tiles=(tile,), marks=marks), (file,))


def _scaled(rect: Rect, scale: float) -> Rect:
    x, y, width, height = (round(each * scale, 2) for each in (rect.x, rect.y, rect.width, rect.height))
    return Rect(x=x, y=y, width=width, height=height)
