"""A picture with its marks as one file: an SVG that draws them, or a PNG into which they are flattened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from verifaible.errors import IntegrityError
from verifaible.evidence.export.report_view import ShownPicture
from verifaible.extract import pixels
from verifaible.reporting.pages import read_style, templates_of

_PACKAGE = "verifaible.evidence"


def svg_of(picture: ShownPicture, names: Sequence[str]) -> str:
    """An SVG of a picture with its marks, which loads the tiles from these files beside it."""
    tiles = tuple(replace(tile, url=name) for tile, name in zip(picture.tiles, names, strict=True))
    template = templates_of(_PACKAGE).get_template("marked.svg")
    return template.render(picture=replace(picture, tiles=tiles), style=read_style(_PACKAGE, "marks.css"))


def png_of(picture: ShownPicture, files: Sequence[bytes], *, whole: bool) -> bytes:
    """A PNG of a picture with the marks in it: all of it, or the part that shows the evidence.

    Raises:
        IntegrityError: a file is no picture.
    """
    part = (0, 0, picture.width, picture.height) if whole else picture.detail
    tiles = [(tile.y, data) for tile, data in zip(picture.tiles, files, strict=True)]
    try:
        return pixels.flattened(tiles, picture.marks, part)
    except OSError as error:
        raise IntegrityError(
            f"A picture is damaged ({error}). Restore it from a copy of the store."
        ) from error
