"""Marks: where the evidence is on its page. They are neither evidence nor part of a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from verifaible.browser import driver
from verifaible.browser.page.session import PageSession
from verifaible.browser.reading import PageText, Readings, frame_of
from verifaible.schema.anchor import Rect
from verifaible.schema.base import Record
from verifaible.schema.citation import Mark, MarkKind

#: A marker's yellow for the words or the cell, a pale green for the row and column that lead to it.
_TEXT_COLOR = "#ffe066"
_CROSS_COLOR = "#dff3e3"
_LINE = "3px solid rgb(26, 127, 55)"
#: Marks whose edges are this near (CSS pixels) are drawn as one.
_GAP = 4.0

#: The fill, the line, and how far outside the rectangle it is painted in a window (CSS pixels). Pages that
#: show a picture have the same in ``evidence/templates/marks.css``.
_LOOKS: dict[MarkKind, tuple[str, str, float]] = {
    "cross": (_CROSS_COLOR, "", 0.0),
    "area": (_CROSS_COLOR, _LINE, 2.0),
    "text": (_TEXT_COLOR, "", 0.0),
    "line": (_TEXT_COLOR, _LINE, 1.0),
    "cell": (_TEXT_COLOR, _LINE, 1.0),
    "frame": ("", _LINE, 4.0),
}
#: In this order they are drawn over one another; the evidence itself last.
ORDER: tuple[MarkKind, ...] = tuple(_LOOKS)
_INNER = (
    "(element) => { const box = element.getBoundingClientRect(); return [box.left + element.clientLeft, "
    "box.top + element.clientTop, element.clientWidth, element.clientHeight]; }"
)


class Box(Record):
    """A rectangle to mark, in page coordinates of its frame, and what it is.

    ``source`` is the table cell in it, as (row, position) in the source, or () for the table itself: of the
    table that was located last, which is marked where it is when it is measured. None: as it is.
    """

    rect: Rect
    kind: MarkKind = "cell"
    source: tuple[int, int] | tuple[()] | None = None


class Marking(Record):
    """What to mark in one frame: boxes, or the characters [start, end) of the frame's text."""

    frame_path: tuple[str, ...] = ()
    boxes: tuple[Box, ...] = ()
    start: int = 0
    end: int = 0
    readings: Readings = ""

    @classmethod
    def of_text(cls, page: PageText, start: int, end: int) -> Marking:
        """The characters [start, end) of a page's text."""
        part = page.frame_at(start)
        begin, stop = start - part.start, end - part.start
        return cls(frame_path=part.path, start=begin, end=stop, readings=page.readings)


class Marked(Record):
    """Marks as they were measured, in the coordinates of the whole document, and its size in CSS pixels."""

    marks: tuple[Mark, ...]
    width: float
    height: float


async def measure(session: PageSession, marking: Marking) -> Marked:
    """Where everything to be marked is now; what cannot be seen is left out."""
    frame = await frame_of(session, marking.frame_path) or session.page.main_frame
    found = await _measured(session, marking, frame)
    marks = found["marks"]
    rects = await to_document(session, frame, [rect for rect, _, _ in marks])
    marks = [(rect, kind, dark) for rect, (_, kind, dark) in zip(rects, marks, strict=True)]
    top = (
        found if frame.parent_frame is None else await _measured(session, Marking(), session.page.main_frame)
    )
    width, height = top["page"]
    return Marked(marks=tuple(_joined(marks)), width=width, height=height)


async def to_document(session: PageSession, frame: driver.Frame, rects: Sequence[Rect]) -> list[Rect]:
    """Rectangles in page coordinates of a frame as those of the document, cut off by its frames."""
    found = list(rects)
    if frame.parent_frame is None:
        return found
    inside = (await _measured(session, Marking(), frame))["scroll"]
    while frame.parent_frame is not None:
        element = await frame.frame_element()
        left, top, width, height = await element.evaluate(_INNER)
        frame = frame.parent_frame
        scroll = (await _measured(session, Marking(), frame))["scroll"]
        shift = (left + scroll[0] - inside[0], top + scroll[1] - inside[1])
        hole = Rect(x=left + scroll[0], y=top + scroll[1], width=width, height=height)
        found = [cut(moved(rect, *shift), hole) for rect in found]
        inside = scroll
    return found


async def paint(session: PageSession, marking: Marking) -> bool:
    """Paint marks over the open page, for somebody who watches; false if there was nothing to paint."""
    frame = await frame_of(session, marking.frame_path) or session.page.main_frame
    marks = (await _measured(session, marking, frame))["marks"]
    looks = [(mark, _LOOKS[mark.kind]) for mark in _joined(marks)]
    painted = [
        {**mark.rect.model_dump(), "dark": mark.dark, "fill": fill, "line": line, "outset": outset}
        for mark, (fill, line, outset) in looks
    ]
    return bool(await session.evaluate("paint", {"marks": painted}, frame=frame))


async def _measured(session: PageSession, marking: Marking, frame: driver.Frame) -> dict[str, Any]:
    """What ``marks.js`` says of a frame; the marks as rectangle, kind, and whether the page is dark there."""
    span = {"start": marking.start, "end": marking.end, "readings": marking.readings}
    boxes = [{"rect": box.rect.model_dump(), "source": box.source} for box in marking.boxes]
    asked = {"boxes": boxes, "span": span if marking.end > marking.start else None}
    found = await session.evaluate("marks", asked, frame=frame)
    kinds = [box.kind for box in marking.boxes] or ["text"] * len(found["marks"])
    marks = [
        (Rect.model_validate(each["rect"]), kind, bool(each["dark"]))
        for each, kind in zip(found["marks"], kinds, strict=True)
    ]
    return {**found, "marks": marks}


def moved(rect: Rect, x: float, y: float) -> Rect:
    """A rectangle so much further to the right and down."""
    return rect.model_copy(update={"x": rect.x + x, "y": rect.y + y})


def cut(rect: Rect, hole: Rect) -> Rect:
    """The part of a rectangle inside another; one without an extent where there is none."""
    left, top = max(rect.x, hole.x), max(rect.y, hole.y)
    right = min(rect.x + rect.width, hole.x + hole.width)
    bottom = min(rect.y + rect.height, hole.y + hole.height)
    return Rect(x=left, y=top, width=max(0.0, right - left), height=max(0.0, bottom - top))


def _joined(found: Sequence[tuple[Rect, MarkKind, bool]]) -> list[Mark]:
    """What can be seen as marks, those of one kind that lie edge to edge as one; the evidence itself last."""
    marks = (Mark(rect=rect, kind=kind, dark=dark) for rect, kind, dark in found)
    joined: list[Mark] = []
    for mark in sorted(
        (each for each in marks if each.rect.width > 0 < each.rect.height),
        key=lambda each: (ORDER.index(each.kind), each.rect.y, each.rect.x),
    ):
        near = (n for n, one in enumerate(joined) if one.kind == mark.kind and _touch(one.rect, mark.rect))
        place = next(near, None)
        if place is None or mark.kind == "frame":
            joined.append(mark)
        else:
            joined[place] = mark.model_copy(update={"rect": around([joined[place].rect, mark.rect])})
    return joined


def _touch(one: Rect, other: Rect) -> bool:
    """Whether two rectangles of a row, or of a column, lie edge to edge."""
    beside = abs(one.y - other.y) < 2 and abs(one.height - other.height) < 2
    below = abs(one.x - other.x) < 2 and abs(one.width - other.width) < 2
    across = abs(other.x - one.x - one.width) <= _GAP
    down = abs(other.y - one.y - one.height) <= _GAP
    return (beside and across) or (below and down)


def around(rects: Sequence[Rect]) -> Rect:
    """The smallest rectangle that holds all of them."""
    x, y = min(each.x for each in rects), min(each.y for each in rects)
    right = max(each.x + each.width for each in rects)
    bottom = max(each.y + each.height for each in rects)
    return Rect(x=x, y=y, width=right - x, height=bottom - y)


async def highlight_caption(session: PageSession, text: str, time: str) -> bool:
    """Show a caption line with its time over the page of a video."""
    return bool(await session.evaluate("highlight_caption", {"text": text, "time": time}))
