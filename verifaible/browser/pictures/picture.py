"""The picture of the evidence and its surroundings: lossless, bounded, with its marks beside it.

It is taken once, after everything that is evidence has been read. What goes wrong with it is said in
it and costs nothing else.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from verifaible.browser import driver
from verifaible.browser.page.session import PageSession
from verifaible.browser.pictures.highlight import Marked, Marking, measure, moved
from verifaible.browser.waiting import answers
from verifaible.browser.words import common
from verifaible.errors import ToolError
from verifaible.extract.images import lossless_webp
from verifaible.schema.anchor import Rect
from verifaible.schema.citation import Mark, Picture, PictureTile

#: WebP has 14 bits for a side (RFC 9649, 3.4).
_WEBP_SIDE_PX = 16_383
#: A page that is wider is pictured around the evidence; no table of the offline cases is.
_WIDTH_PX = 4_096
#: A page that moves while it is pictured is pictured so often; then nothing is marked in the picture.
_TRIES = 2
_NOWHERE = Rect(x=0, y=0, width=0, height=0)
#: Of one pixel and less marks may move by themselves: text is laid out in fractions of one.
_MOVED_PX = 1.0


@dataclass(frozen=True, slots=True)
class Taken:
    """A picture with the bytes of its tiles."""

    picture: Picture
    tiles: tuple[bytes, ...] = ()


def missing(why: str) -> Taken:
    """No picture, and the reason."""
    return Taken(Picture(missing=why))


@dataclass(frozen=True, slots=True)
class Shots:
    """A part of the page as the browser pictured it, to be developed; or why there is nothing."""

    part: Rect = _NOWHERE
    tiles: tuple[tuple[Rect, bytes], ...] = ()
    marks: tuple[Mark, ...] = ()
    missing: str = ""

    def developed(self) -> Taken:
        """The picture, compressed: that takes time, and no page."""
        if self.missing:
            return missing(self.missing)
        try:
            return _taken(self.part, self.tiles, self.marks)
        except ValueError as error:
            return missing(driver.first_line(error))


async def take_picture(session: PageSession, marking: Marking, *, height: int | Literal["full"]) -> Taken:
    """Picture the open page around what is to be marked; arguments as those of :func:`shoot`."""
    shots = await shoot(session, marking, height=height)
    return await asyncio.to_thread(shots.developed)


async def shoot(session: PageSession, marking: Marking, *, height: int | Literal["full"]) -> Shots:
    """Picture the open page around what is to be marked: after that the page is not needed any more.

    Args:
        session: the page, as it is scrolled.
        marking: what is to be marked.
        height: at most so many CSS pixels from top to bottom; ``full`` for all of the page, 0 for nothing.
    """
    if height == 0:
        return Shots(missing="none was wanted (VERIFAIBLE_PICTURE_HEIGHT is 0)")
    try:
        await hold(session)
        before = await measure(session, marking)
        for _ in range(_TRIES):
            part = _part(before, height)
            tiles = [(tile, await session.screenshot(tile)) for tile in _tiles(part)]
            after = await measure(session, marking)
            if _alike(before.words, after.words):
                return Shots(part, tuple(tiles), before.marks)
            before = after
        return Shots(part, tuple(tiles))
    except (driver.Error, ToolError, ValueError) as error:
        return Shots(missing=driver.first_line(error))


async def hold(session: PageSession) -> None:
    """Hold a page still: what ends has ended, and what moves for ever has not begun."""
    for frame in session.page.frames:
        with suppress(driver.Error):  # it may go
            if await answers(frame):
                await session.evaluate("hold", frame=frame)


def _part(seen: Marked, height: int | Literal["full"]) -> Rect:
    """The part of the document to picture, in whole CSS pixels: the marks in its middle."""
    wide = min(seen.width, _WEBP_SIDE_PX if height == "full" else _WIDTH_PX)
    high = seen.height if height == "full" else min(seen.height, height)
    around = [mark.rect for mark in seen.marks if mark.kind not in ("cross", "sentence")]
    middle_x = _middle([(rect.x, rect.x + rect.width) for rect in around], wide)
    middle_y = _middle([(rect.y, rect.y + rect.height) for rect in around], high)
    x = max(0, min(round(middle_x - wide / 2), round(seen.width - wide)))
    y = max(0, min(round(middle_y - high / 2), round(seen.height - high)))
    return Rect(x=x, y=y, width=round(wide), height=round(high))


def _middle(spans: Sequence[tuple[float, float]], size: float) -> float:
    """The middle of what is marked; of what is too long for the picture, so that its beginning is there."""
    if not spans:
        return 0.0
    first, last = min(start for start, _ in spans), max(end for _, end in spans)
    return (first + last) / 2 if last - first <= size else first + size / 2


def _tiles(part: Rect) -> Iterator[Rect]:
    top, bottom = part.y, part.y + part.height
    while top < bottom:
        high = min(_WEBP_SIDE_PX, bottom - top)
        yield Rect(x=part.x, y=top, width=part.width, height=high)
        top += high


def _alike(before: Sequence[Rect], after: Sequence[Rect]) -> bool:
    return len(before) == len(after) and all(
        abs(was - now) <= _MOVED_PX
        for one, other in zip(before, after, strict=True)
        for (_, was), (_, now) in zip(one, other, strict=True)
    )


def _taken(part: Rect, shots: Sequence[tuple[Rect, bytes]], marks: Sequence[Mark]) -> Taken:
    files = tuple(lossless_webp(data) for _, data in shots)
    tiles = tuple(
        tile_of(data, y=round(tile.y - part.y), height=round(tile.height))
        for (tile, _), data in zip(shots, files, strict=True)
    )
    inside = (mark.model_copy(update={"rect": _inside(mark.rect, part)}) for mark in marks)
    picture = Picture(
        width=round(part.width),
        height=round(part.height),
        x=part.x,
        y=part.y,
        tiles=tiles,
        marks=tuple(mark for mark in inside if mark.rect.width > 0 < mark.rect.height),
    )
    return Taken(picture, files)


def tile_of(data: bytes, *, y: int, height: int) -> PictureTile:
    """What a picture says of one of its files."""
    digest = hashlib.sha256(data).hexdigest()
    return PictureTile(sha256=digest, size_bytes=len(data), y=y, height=height)


def _inside(rect: Rect, part: Rect) -> Rect:
    """A rectangle of the document in the pixels of a picture of a part of it, cut off at its edges."""
    whole = Rect(x=0, y=0, width=part.width, height=part.height)
    return Rect(**{side: round(px, 2) for side, px in common(moved(rect, -part.x, -part.y), whole)})
