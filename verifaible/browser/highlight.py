"""Painting a highlight, after the evidence has been sealed: nothing here is evidence."""

from __future__ import annotations

from collections.abc import Sequence

from verifaible.browser.reading import PageText, frame_of
from verifaible.browser.session import PageSession
from verifaible.schema.base import Record
from verifaible.schema.citation import Rect

#: Text: a marker's yellow. Boxes: a green that keeps digits readable below it.
TEXT_COLOR = "#ffe066"
STRONG_FILL = "rgba(46, 160, 67, 0.32)"
WEAK_FILL = "rgba(46, 160, 67, 0.12)"
STRONG_LINE = "2px solid rgb(26, 127, 55)"
NO_LINE = "0 none transparent"


class Box(Record):
    """A rectangle to paint; ``strong`` marks the cell itself, weak its row and column."""

    rect: Rect
    strong: bool = True


async def highlight_text(session: PageSession, page: PageText, start: int, end: int) -> bool:
    """Mark the characters [start, end) of a page's text; false if nothing could be marked."""
    part = page.frame_at(start)
    frame = await frame_of(session, part.path)
    return bool(
        await session.evaluate(
            "highlight_text",
            {"start": start - part.start, "end": end - part.start, "color": TEXT_COLOR},
            frame=frame,
        )
    )


async def highlight_boxes(session: PageSession, boxes: Sequence[Box], frame_path: Sequence[str] = ()) -> bool:
    """Paint boxes over a table or an image; false if there was nothing to paint."""
    frame = await frame_of(session, frame_path)
    painted = [
        {
            "rect": box.rect.model_dump(),
            "fill": STRONG_FILL if box.strong else WEAK_FILL,
            "line": STRONG_LINE if box.strong else NO_LINE,
        }
        for box in sorted(boxes, key=lambda box: box.strong)
    ]
    return bool(await session.evaluate("highlight_boxes", {"boxes": painted}, frame=frame))


async def highlight_caption(session: PageSession, text: str, time: str) -> bool:
    """Show a caption line with its time over the page of a video."""
    return bool(await session.evaluate("highlight_caption", {"text": text, "time": time}))
