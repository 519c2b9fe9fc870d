"""Whether a reader sees the cited words: their ink is taken away, and the picture must change.

No rule of style decides it. Words may be hidden in more ways than any list has; whatever the way, where
nothing of them is drawn nothing is missing when they are made transparent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from verifaible.browser import driver
from verifaible.browser.page.session import PageSession
from verifaible.browser.pictures.highlight import around, to_document
from verifaible.browser.reading import frame_of
from verifaible.errors import NotReproducible
from verifaible.old.extract.flow import Piece, gap
from verifaible.old.extract.ink import inked
from verifaible.schema.anchor import Rect

#: So many words of a quote or a table are looked at, and the page is scrolled on to further ones so often.
#: What is left then was not looked at, and is said to be so.
MOST_WORDS = 4000
_ROUNDS = 200
#: So often words of which nothing was seen are measured and looked at again.
_TRIES = 3
#: Room around words for what sticks out of their boxes, in CSS pixels.
_MARGIN = 2.0


@dataclass(frozen=True, slots=True)
class Seen:
    """The words that nobody sees; ``cut`` says why not all were looked at."""

    hidden: tuple[str, ...] = ()
    cut: str = ""


async def torn_apart(session: PageSession, frame_path: Sequence[str], text: str) -> tuple[str, str] | None:
    """The first two neighbours of the words that were located last between which the eye does not read on.

    Args:
        session: the page.
        frame_path: the frame they are in.
        text: the words as the text of the page has them.
    """
    frame = await frame_of(session, frame_path) or session.page.main_frame
    words = await session.evaluate("words", {"act": "all", "most": MOST_WORDS}, frame=frame)
    for word in words:
        if word["backwards"]:
            return word["text"][:1], word["text"][1:]
    return gap(_pieces(words, text))


def _pieces(words: Sequence[dict[str, Any]], text: str) -> list[Piece]:
    """The words as pieces of a text; what is turned, or has no extent, is left out."""
    pieces: list[Piece] = []
    at = 0
    for word in words:
        before = at
        while at < len(text) and (text[at].isspace() or text[at] in "[]"):
            at += 1
        joined = before > 0 and not any(char.isspace() for char in text[before:at])
        said = text[at : at + len(word["text"])]
        at += len(said)
        if word["rects"]:
            first, last = (Rect.model_validate(word["rects"][place]) for place in (0, -1))
            pieces.append(Piece(said, first, last, joined, word["block"], word["vertical"]))
    return pieces


async def unseen_words(session: PageSession, frame_path: Sequence[str]) -> Seen:
    """Look at the words that were located last in a frame, one by one.

    The page is scrolled, and as it was otherwise when this returns. Everything that is evidence must have
    been read.

    Raises:
        PageNotLoaded: the browser gave no picture in time.
        NotReproducible: it gave none that can be read, or the page takes the words away when it is scrolled.
    """
    frame = await frame_of(session, frame_path) or session.page.main_frame
    hidden: list[str] = []
    done = 0
    tries = 0
    cut = f"more than {MOST_WORDS} words, or {_ROUNDS} screens of them"
    for _ in range(_ROUNDS):
        asked = {"act": "measure", "from": done, "most": MOST_WORDS - done, "turn": tries}
        found = await session.evaluate("words", asked, frame=frame)
        words = found["words"]
        if found.get("lost"):
            raise NotReproducible(
                "The page draws other words in the place of the cited ones when it is scrolled, so they "
                "could not be looked at. Quote less of it, or cite another source."
            )
        if not words:  # all were looked at
            cut = "" if done < MOST_WORDS else cut
            break
        try:
            unseen = await _without_ink(session, frame, words, done)
        except OSError as error:
            raise NotReproducible(
                "The browser gave no picture of the page, so the cited words could not be looked at. "
                "Try again."
            ) from error
        tries += 1
        if unseen and tries < _TRIES:
            continue  # the page may have moved between the measure and the picture
        hidden += unseen
        done += len(words)
        tries = 0
        if done >= found["total"]:
            cut = ""
            break
    return Seen(tuple(hidden), cut)


async def _without_ink(
    session: PageSession, frame: driver.Frame, words: list[dict[str, Any]], first: int
) -> list[str]:
    rects = [[Rect.model_validate(rect) for rect in word["rects"]] for word in words]
    flat = await to_document(session, frame, [rect for each in rects for rect in each])
    placed = iter(flat)
    boxes = [[next(placed) for _ in each] for each in rects]
    shown = [word["text"] for word, own in zip(words, boxes, strict=True) if not _extent(own)]
    known = [(word["text"], own) for word, own in zip(words, boxes, strict=True) if _extent(own)]
    if not known:
        return shown
    part = _part([rect for _, own in known for rect in own])
    left = known
    before = await session.screenshot(part)
    for act in ("hide", "strip"):
        await session.evaluate("words", {"act": act, "from": first, "most": len(words)}, frame=frame)
        without = await session.screenshot(part)
        await session.evaluate("words", {"act": "show"}, frame=frame)
        after = await session.screenshot(part)
        seen = await asyncio.to_thread(
            inked, (before, without, after), [_within(own, part) for _, own in left]
        )
        left = [word for word, drawn in zip(left, seen, strict=True) if not drawn]
        if not left:
            break
        before = after
    return shown + [text for text, _ in left]


def _extent(rects: Sequence[Rect]) -> bool:
    return any(rect.width > 0 < rect.height for rect in rects)


def _part(rects: Sequence[Rect]) -> Rect:
    box = around(rects)
    x, y = max(0, int(box.x - _MARGIN)), max(0, int(box.y - _MARGIN))
    width, height = (box.x + box.width + _MARGIN - x, box.y + box.height + _MARGIN - y)
    return Rect(x=x, y=y, width=max(1, round(width)), height=max(1, round(height)))


def _within(rects: Sequence[Rect], part: Rect) -> list[tuple[float, float, float, float]]:
    return [(rect.x - part.x, rect.y - part.y, rect.width, rect.height) for rect in rects]
