"""Ink: whether words are drawn, judged by pixels. One threshold for pages and PDFs.

A word is seen where, of the columns of its box, at least :data:`LEAST_COLUMNS` hold a pixel whose colour
differs by :data:`LEAST_CONTRAST` (of 255, in any channel) from what is there without the word, and the
box is at least :data:`LEAST_HEIGHT` pixels high.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from PIL import Image

LEAST_CONTRAST: Final = 12
LEAST_COLUMNS: Final = 0.3
#: CSS pixels of a page; of a PDF it is the height of a letter of three points.
LEAST_HEIGHT: Final = 5.0
#: Pixels for a point in which the ink of a PDF is looked for; the share of a word's letters that must
#: have ink, and of a letter's middle that must be another colour than its ground.
INK_SCALE: Final = 2.0
LEAST_LETTERS, LEAST_INK = 0.8, 0.02
#: Points: smaller letters are read by nobody.
LEAST_POINTS: Final = 3.0

#: Left, top, width and height in pixels of the picture.
Box = tuple[float, float, float, float]


def inked(
    pictures: tuple[bytes, bytes, bytes], words: Sequence[Sequence[Box]], things: Sequence[bool] = ()
) -> list[bool]:
    """Which words are drawn.

    Args:
        pictures: PNGs of one place: as it is, without the ink of the words, and as it is once more. What
            differs between the first and the last moves by itself: only what differs by more is ink.
        words: the boxes of each word; a word that a line end parts has several.
        things: of each word, whether it only tells of a picture or a field, of which any ink will do.
    """
    from PIL import Image, ImageChops

    first, without, last = (Image.open(io.BytesIO(each)).convert("RGB") for each in pictures)
    changed, moving = (_edges(ImageChops.difference(first, other)) for other in (without, last))
    drawn = _mask(ImageChops.subtract(changed, moving))
    least = [0.0 if thing else LEAST_COLUMNS for thing in things] or [LEAST_COLUMNS] * len(words)
    return [_is_drawn(drawn, boxes, share) for boxes, share in zip(words, least, strict=True)]


def _edges(picture: Image.Image) -> Image.Image:
    """How much each pixel differs from the one before it on its row and in its column: what is blurred
    has no edges."""
    from PIL import ImageChops

    across = ImageChops.difference(picture, ImageChops.offset(picture, 1, 0))
    down = ImageChops.difference(picture, ImageChops.offset(picture, 0, 1))
    return ImageChops.lighter(across, down)


def _mask(difference: Image.Image) -> Image.Image:
    """White where any channel differs enough, black elsewhere."""
    from PIL import ImageChops

    red, green, blue = difference.split()
    most = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    return most.point([255 if value >= LEAST_CONTRAST else 0 for value in range(256)])


def _is_drawn(mask: Image.Image, boxes: Sequence[Box], least: float) -> bool:
    """Whether enough columns of some boxes have ink; a vertical word has its columns across."""
    columns = inky = 0
    for left, top, width, height in boxes:
        if width <= 0 or height <= 0:
            continue
        if height < LEAST_HEIGHT:
            return False
        part = mask.crop(
            (round(left), round(top), max(round(left + width), round(left) + 1), round(top + height))
        )
        row = part.resize((part.width, 1), resample=_BOX).tobytes()
        columns += len(row)
        inky += sum(value > 0 for value in row)
    return inky > 0 and inky >= least * columns


class InkSheet:
    """A rendered page of a PDF, in which letters are looked for: there is no picture of it without them.

    The ground of a letter is the colour that most of its middle has.
    """

    def __init__(self, png: bytes, scale: float) -> None:
        from PIL import Image

        self._page = Image.open(io.BytesIO(png)).convert("RGB")
        self._scale = scale

    def shows(self, letters: Sequence[tuple[float, float, float, float]]) -> bool:
        """Whether nearly all letters of a word have ink; each is left, top, right and bottom in points."""
        told = [self._has_ink(box) for box in letters if box[2] > box[0] and box[3] > box[1]]
        return not letters or (bool(told) and sum(told) >= LEAST_LETTERS * len(told))

    def _has_ink(self, box: tuple[float, float, float, float]) -> bool:
        from PIL import Image, ImageChops, ImageStat

        width, height = box[2] - box[0], box[3] - box[1]
        if max(width, height) < LEAST_POINTS + 1:
            return False
        # Letters have ink in the middle of their height; what covers them has it everywhere, or nowhere.
        middle = (box[0], box[1] + 0.3 * height, box[2], box[3] - 0.25 * height)
        left, top, right, bottom = (round(each * self._scale) for each in middle)
        if right <= 0 or bottom <= 0 or left >= self._page.width or top >= self._page.height:
            return False
        part = self._page.crop((left - 1, top, max(right, left + 1) + 1, max(bottom, top + 1)))
        # The colour that most of it has: of a bar its own.
        colours = part.getcolors(part.width * part.height)
        assert colours is not None  # there are no more colours than pixels
        ground: Any = max(colours, key=lambda each: each[0])[1]
        even = Image.new("RGB", part.size, ground)
        share = ImageStat.Stat(_mask(ImageChops.difference(part, even))).mean[0] / 255
        return share >= LEAST_INK


_BOX = 4  # PIL.Image.Resampling.BOX, which is not loaded yet
