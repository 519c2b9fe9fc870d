"""Painting a highlight, after the evidence has been sealed: nothing here is evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from verifaible.browser.reading import PageText, frame_of
from verifaible.browser.session import PageSession
from verifaible.schema.base import Record
from verifaible.schema.citation import Rect

#: A marker's yellow for the words or the cell, a pale green for the row and column that lead to it.
TEXT_COLOR = "#ffe066"
_CROSS_COLOR = "#dff3e3"
_LINE = "3px solid rgb(26, 127, 55)"
#: Cells whose edges are this near (CSS pixels) are drawn as one box.
_GAP = 4.0

#: ``cell``: the evidence itself. ``line``: the cells of a whole row or column. ``cross``: the row and
#: column that lead to a cell. ``area``: a whole table. ``frame``: an image, of which nothing is covered.
Look: TypeAlias = Literal["cell", "line", "cross", "area", "frame"]

#: The fill, the line, and how far outside the rectangle it is drawn (CSS pixels).
_LOOKS: dict[Look, tuple[str, str, float]] = {
    "cross": (_CROSS_COLOR, "", 0.0),
    "area": (_CROSS_COLOR, _LINE, 2.0),
    "line": (TEXT_COLOR, _LINE, 1.0),
    "cell": (TEXT_COLOR, _LINE, 1.0),
    "frame": ("", _LINE, 4.0),
}


class Box(Record):
    """A rectangle to paint, in page coordinates of its frame, and what it is.

    ``source`` is the table cell in it, as (row, position) in the source, or () for the table itself: of the
    table that was located last, which is painted where it stands when the picture is made. None: as it is.
    """

    rect: Rect
    look: Look = "cell"
    source: tuple[int, int] | tuple[()] | None = None


async def highlight_text(session: PageSession, page: PageText, start: int, end: int) -> bool:
    """Mark the characters [start, end) of a page's text; false if nothing could be marked."""
    part = page.frame_at(start)
    frame = await frame_of(session, part.path)
    return bool(
        await session.evaluate(
            "highlight_text",
            {
                "start": start - part.start,
                "end": end - part.start,
                "readings": page.readings,
                "color": TEXT_COLOR,
            },
            frame=frame,
        )
    )


async def highlight_boxes(session: PageSession, boxes: Sequence[Box], frame_path: Sequence[str] = ()) -> bool:
    """Paint boxes over a table or an image; false if there was nothing to paint."""
    frame = await frame_of(session, frame_path)
    painted = [
        {
            "rects": [box.rect.model_dump() for box in group],
            "sources": [list(box.source) for box in group if box.source is not None],
            "fill": fill,
            "line": line,
            "outset": outset,
        }
        for look, (fill, line, outset) in _LOOKS.items()
        for group in _drawn([box for box in boxes if box.look == look], look)
    ]
    return bool(await session.evaluate("highlight_boxes", {"boxes": painted}, frame=frame))


def _drawn(boxes: list[Box], look: Look) -> list[list[Box]]:
    """The boxes to draw as one: the cells of a row or column that touch, else each by itself."""
    if look != "line":
        return [[box] for box in boxes]
    joined: list[tuple[Rect, list[Box]]] = []
    for box in sorted(boxes, key=lambda each: (each.rect.y, each.rect.x)):
        last = next((index for index, (one, _) in enumerate(joined) if _touch(one, box.rect)), None)
        if last is None:
            joined.append((box.rect, [box]))
        else:
            one, group = joined[last]
            joined[last] = (_around(one, box.rect), [*group, box])
    return [group for _, group in joined]


def _touch(one: Rect, other: Rect) -> bool:
    """Whether two rectangles of a row, or of a column, lie edge to edge."""
    beside = abs(one.y - other.y) < 2 and abs(one.height - other.height) < 2
    below = abs(one.x - other.x) < 2 and abs(one.width - other.width) < 2
    across = abs(other.x - one.x - one.width) <= _GAP
    down = abs(other.y - one.y - one.height) <= _GAP
    return (beside and across) or (below and down)


def _around(one: Rect, other: Rect) -> Rect:
    x, y = min(one.x, other.x), min(one.y, other.y)
    right = max(one.x + one.width, other.x + other.width)
    bottom = max(one.y + one.height, other.y + other.height)
    return Rect(x=x, y=y, width=right - x, height=bottom - y)


async def highlight_caption(session: PageSession, text: str, time: str) -> bool:
    """Show a caption line with its time over the page of a video."""
    return bool(await session.evaluate("highlight_caption", {"text": text, "time": time}))
