"""Marks: where the evidence is on its page. They are neither evidence nor part of a picture."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from verifaible.browser.page.session import PageSession
from verifaible.browser.words import LocatedWords, around
from verifaible.extract.images import EDGELESS, FILLS
from verifaible.schema.anchor import Rect
from verifaible.schema.base import Record
from verifaible.schema.citation import Mark, MarkKind

_LINE = "3px solid rgb(26, 127, 55)"
#: Marks whose edges are this near (CSS pixels) are drawn as one.
_GAP = 4.0
#: Words of a line are; what parts them is so much of their height at most.
_WORD_GAP = 0.6

#: How far outside the rectangle the line is painted in a window (CSS pixels).
_OUTSET: dict[MarkKind, float] = {"area": 2.0, "line": 1.0, "cell": 1.0, "frame": 4.0}
#: In this order they are drawn over one another; the evidence itself last.
ORDER: tuple[MarkKind, ...] = (*FILLS, "frame")


class Box(Record):
    """A rectangle to mark, in pixels of the page's document, and what it is."""

    rect: Rect
    kind: MarkKind = "cell"


@dataclass(frozen=True, slots=True)
class Marking:
    """What to mark: boxes, and words that are measured whenever marks are drawn.

    With ``mark_words`` off the words only tell whether, and how far, the page has moved since the first of
    them stood at ``origin`` and the boxes were as they are.
    """

    boxes: tuple[Box, ...] = ()
    words: LocatedWords | None = None
    mark_words: bool = True
    origin: Rect | None = None


class Marked(Record):
    """Marks as they were measured, in pixels of the page's document, and its size."""

    marks: tuple[Mark, ...]
    width: float
    height: float
    words: tuple[Rect, ...] = ()


async def measure(session: PageSession, marking: Marking) -> Marked:
    """Where everything to be marked is now; what cannot be seen is left out."""
    words, origin = marking.words, marking.origin
    measured = await words.measure() if words is not None else []
    rects = [(rect, each.dark) for each in measured for rect in each.rects]
    dark = bool(rects and rects[0][1])
    shift = (rects[0][0].x - origin.x, rects[0][0].y - origin.y) if rects and origin is not None else (0, 0)
    found: list[tuple[Rect, MarkKind, bool]] = [
        (moved(box.rect, *shift), box.kind, dark) for box in marking.boxes
    ]
    if marking.mark_words and words is not None:
        found += [(rect, "text", dark) for rect, dark in rects]
        found += [(rect, "sentence", dark) for each in await words.around() for rect in each.rects]
    _, size = await session.layout()
    return Marked(
        marks=tuple(boxes_joined(found)),
        width=size.width,
        height=size.height,
        words=tuple(rect for rect, _ in rects),
    )


async def paint(session: PageSession, marking: Marking) -> bool:
    """Paint marks over the open page, for somebody who watches; false if there was nothing to paint."""
    painted = [
        {
            **mark.rect.model_dump(),
            "dark": mark.dark,
            "fill": FILLS.get(mark.kind, ""),
            "line": "" if mark.kind in EDGELESS else _LINE,
            "outset": _OUTSET.get(mark.kind, 0.0),
        }
        for mark in (await measure(session, marking)).marks
    ]
    return bool(await session.evaluate("paint", {"marks": painted}))


def moved(rect: Rect, x: float, y: float) -> Rect:
    """A rectangle so much further to the right and down."""
    return rect.model_copy(update={"x": rect.x + x, "y": rect.y + y})


def boxes_joined(found: Iterable[tuple[Rect, MarkKind, bool]]) -> list[Mark]:
    """What can be seen as marks, those of one kind that lie edge to edge as one; the evidence itself last."""
    marks = (Mark(rect=rect, kind=kind, dark=dark) for rect, kind, dark in found)
    joined: list[Mark] = []
    for mark in sorted(
        (each for each in marks if each.rect.width > 0 < each.rect.height),
        key=lambda each: (ORDER.index(each.kind), each.rect.y, each.rect.x),
    ):
        gap = max(_GAP, _WORD_GAP * mark.rect.height) if mark.kind in ("text", "sentence") else _GAP
        near = (
            n for n, one in enumerate(joined) if one.kind == mark.kind and _touch(one.rect, mark.rect, gap)
        )
        place = next(near, None)
        if place is None or mark.kind == "frame":
            joined.append(mark)
        else:
            joined[place] = mark.model_copy(update={"rect": around([joined[place].rect, mark.rect])})
    return joined


def _touch(one: Rect, other: Rect, gap: float) -> bool:
    """Whether two rectangles of a row, or of a column, lie edge to edge."""
    beside = abs(one.y - other.y) < 2 and abs(one.height - other.height) < 2
    below = abs(one.x - other.x) < 2 and abs(one.width - other.width) < 2
    across = abs(other.x - one.x - one.width) <= gap
    down = abs(other.y - one.y - one.height) <= _GAP
    return (beside and across) or (below and down)


async def highlight_caption(session: PageSession, text: str, time: str) -> bool:
    """Show a caption line with its time over the page of a video."""
    return bool(await session.evaluate("highlight_caption", {"text": text, "time": time}))
