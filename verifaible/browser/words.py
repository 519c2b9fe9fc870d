"""Words of a Document in the page they were read from: where they are drawn now, and whether they are seen.

No rule of style decides whether words are seen. They may be hidden in more ways than any list has; whatever
the way, where nothing of them is drawn nothing is missing when they are made transparent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from verifaible.browser.worlds import Worlds
from verifaible.errors import NotReproducible
from verifaible.extract.document import Box, Document
from verifaible.extract.ink import inked
from verifaible.schema.anchor import Rect

#: So many words are looked at, and the page is scrolled on to further ones so often. What is left then was
#: not looked at, and is said to be so.
MOST_WORDS: Final = 4000
_ROUNDS: Final = 200
#: Words of one look: those that are in view together.
_BATCH: Final = 400
#: So often words of which nothing was seen are measured and looked at again.
_TRIES: Final = 3
#: Room around words for what sticks out of their boxes, in CSS pixels.
_MARGIN: Final = 2.0
_EVERYWHERE: Final = Rect(x=-1e6, y=-1e6, width=2e6, height=2e6)


@dataclass(frozen=True, slots=True)
class Words:
    """Words of one line of a block: the document of the snapshot and the node they are in, and about where.

    ``box`` counts from the top left of that document; the letters of a line share its length evenly.
    ``thing``: not the words are drawn but the picture or the box to tick that they tell of.
    """

    document: int
    node: int
    text: str
    box: Rect
    thing: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """The words that nobody sees; ``cut`` says why not all were looked at."""

    hidden: tuple[str, ...] = ()
    cut: str = ""


@dataclass(frozen=True, slots=True)
class Measured:
    """A word as it is drawn now: rectangles of the page's document, and whether the page is dark there.

    ``clip`` is the part of the page in which the boxes around the word let anything be seen; ``thing`` as
    of :class:`Words`.
    """

    text: str
    rects: tuple[Rect, ...]
    dark: bool = False
    clip: Rect = _EVERYWHERE
    thing: bool = False


def words_of(document: Document, places: Iterable[tuple[int, int, int]]) -> list[Words]:
    """The words of places: of each the index of a block, its first code point, and one past its last."""
    found = (
        words_in(document, index, part)
        for index, start, end in places
        for part in document.blocks[index].drawn(start, end)
    )
    return [each for each in found if each.text.strip()]


def words_in(document: Document, index: int, box: Box) -> Words:
    """The words of a box of a block, or of a part of it."""
    block = document.blocks[index]
    text = block.text[box.start : box.end]
    return Words(document.frames[block.frame].document, box.node, text, box.rect, block.is_thing(box))


@dataclass(slots=True)
class LocatedWords:
    """Words that were found in an open page, to be measured and looked at; so many in each document.

    Behind them stand so many ``beside`` them, which are only measured.
    """

    worlds: Worlds
    counts: dict[int, int] = field(default_factory=dict)
    beside: dict[int, int] = field(default_factory=dict)

    @classmethod
    async def of(cls, worlds: Worlds, words: Sequence[Words], around: Sequence[Words] = ()) -> LocatedWords:
        """Find words in the page that a snapshot was taken of; ``around`` are those they are a part of.

        Raises:
            PageError: the page was closed, or shows another document now.
        """
        found = cls(worlds)
        for document in dict.fromkeys(each.document for each in words):
            first = [each for each in words if each.document == document]
            own = [*first, *(each for each in around if each.document == document)]
            asks = [
                {"text": each.text, "box": [px for _, px in each.box], "thing": each.thing} for each in own
            ]
            counts = await worlds.call(document, "ink", "locate", asks, nodes=[each.node for each in own])
            found.counts[document] = sum(counts[: len(first)])
            found.beside[document] = sum(counts[len(first) :])
        return found

    async def view(self) -> None:
        """Scroll the first word into view, as a person could."""
        document = next((document for document, count in self.counts.items() if count), None)
        if document is not None:
            await self._view(document, 0)

    async def measure(self) -> list[Measured]:
        """Where all words are drawn now; what cannot be seen has no extent."""
        return await self._all((document, 0, count) for document, count in self.counts.items())

    async def around(self) -> list[Measured]:
        """Where the words that they are a part of are drawn now."""
        beside = self.beside.items()
        return await self._all((each, self.counts[each], count) for each, count in beside if count)

    async def _all(self, parts: Iterable[tuple[int, int, int]]) -> list[Measured]:
        return [word for part in parts for word in await self._measured(*part) if word is not None]

    async def unseen(self) -> Seen:
        """Look at the words one by one. The page is scrolled, and as it was otherwise when this returns.

        Raises:
            PageNotLoaded: the browser gave no picture in time.
            NotReproducible: it gave none that can be read, or the page takes the words away when scrolled.
        """
        hidden: list[str] = []
        for document, count in self.counts.items():
            seen = await self._unseen(document, count)
            hidden += seen.hidden
            if seen.cut:
                return Seen(tuple(hidden), seen.cut)
        return Seen(tuple(hidden))

    # --- by frame ------------------------------------------------------------------------

    async def _view(self, document: int, word: int) -> None:
        await self.worlds.show_frame(document)
        await self.worlds.call(document, "ink", "view", word)

    async def _measured(self, document: int, start: int, count: int) -> list[Measured | None]:
        raw = await self.worlds.call(document, "ink", "measure", start, count)
        width, height, x, y = raw["window"]
        inner = Rect(x=x, y=y, width=width, height=height)
        window = await self.worlds.window(document) if document else inner

        def placed(rect: Sequence[float]) -> Rect:
            moved = Rect(x=rect[0] + window.x, y=rect[1] + window.y, width=rect[2], height=rect[3])
            return moved if document == 0 else common(moved, window)

        def measured(word: Mapping[str, Any]) -> Measured:
            rects = tuple(map(placed, word["rects"]))
            return Measured(word["text"], rects, word["dark"], placed(word["clip"]), word["thing"])

        return [word and measured(word) for word in raw["words"]]

    async def _unseen(self, document: int, count: int) -> Seen:
        hidden: list[str] = []
        done = tries = 0
        for _ in range(_ROUNDS):
            if done >= min(count, MOST_WORDS):
                break
            await self._view(document, done)
            words = _in_view(await self._measured(document, done, min(_BATCH, count - done)))
            if not words:
                raise NotReproducible(
                    "The page draws other words in the place of the cited ones when it is scrolled, so they "
                    "could not be looked at. Quote less of it, or cite another source."
                )
            try:
                unseen = await self._without_ink(document, words, done)
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
        cut = "" if done >= count else f"more than {MOST_WORDS} words, or {_ROUNDS} screens of them"
        return Seen(tuple(hidden), cut)

    async def _without_ink(self, document: int, words: Sequence[Measured], first: int) -> list[str]:
        """The words of which nothing is missing when their ink is taken away."""
        hidden = [each.text for each in words if not _extent(each)]
        left = [each for each in words if _extent(each)]
        if not left:
            return hidden
        part = _part([rect for each in left for rect in each.rects])
        shot = self.worlds.session.screenshot
        window, _ = await self.worlds.session.layout()
        before = await shot(part, window)
        for act in ("hide", "strip"):
            await self.worlds.call(document, "ink", act, first, len(words))
            without = await shot(part, window)
            await self.worlds.call(document, "ink", "show")
            after = await shot(part, window)
            boxes = [
                [(rect.x - part.x, rect.y - part.y, rect.width, rect.height) for rect in each.rects]
                for each in left
            ]
            things = [each.thing for each in left]
            seen = await asyncio.to_thread(inked, (before, without, after), boxes, things)
            left = [each for each, drawn in zip(left, seen, strict=True) if not drawn]
            if not left:
                break
            before = after
        return hidden + [each.text for each in left]


def _in_view(words: Sequence[Measured | None]) -> list[Measured]:
    """The words from the first on that are there together; the others are looked at when their turn comes."""
    found: list[Measured] = []
    for word in words:
        if word is None or (found and not _extent(word)):
            break
        found.append(word)
    return found


def _extent(word: Measured) -> bool:
    return any(rect.width > 0 < rect.height for rect in word.rects)


def common(rect: Rect, hole: Rect) -> Rect:
    """The part of a rectangle inside another; one without an extent where there is none."""
    left, top = max(rect.x, hole.x), max(rect.y, hole.y)
    right = min(rect.x + rect.width, hole.x + hole.width)
    bottom = min(rect.y + rect.height, hole.y + hole.height)
    return Rect(x=left, y=top, width=max(0.0, right - left), height=max(0.0, bottom - top))


def around(rects: Sequence[Rect]) -> Rect:
    """The smallest rectangle that holds all of them."""
    x, y = min(each.x for each in rects), min(each.y for each in rects)
    right = max(each.x + each.width for each in rects)
    bottom = max(each.y + each.height for each in rects)
    return Rect(x=x, y=y, width=right - x, height=bottom - y)


def _part(rects: Sequence[Rect]) -> Rect:
    box = around([rect for rect in rects if rect.width > 0 < rect.height])
    x, y = max(0, int(box.x - _MARGIN)), max(0, int(box.y - _MARGIN))
    width, height = (box.x + box.width + _MARGIN - x, box.y + box.height + _MARGIN - y)
    return Rect(x=x, y=y, width=max(1, round(width)), height=max(1, round(height)))
