"""Lines of a page of which nothing is drawn: words in the colour of their ground, behind something, faded.

One picture of the page says of nearly all lines that something is drawn in their place. Only the others are
looked at as cited words are.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from verifaible.browser.page.session import PageSession
from verifaible.browser.words import LocatedWords, Words
from verifaible.browser.worlds import Worlds
from verifaible.errors import NotReproducible, PageError, PageNotLoaded
from verifaible.extract.document import Document
from verifaible.extract.ink import LEAST_CONTRAST
from verifaible.extract.snapshot import Snapshot
from verifaible.schema.anchor import Rect

#: The picture shows so much of a page, from its top, in CSS pixels; what is below is not looked at.
_HEIGHT: Final = 12_000.0
#: So many words without anything drawn in their place are looked at one by one.
_MOST_WORDS: Final = 800


@dataclass(frozen=True, slots=True)
class _Line:
    block: int
    start: int
    end: int
    words: Words


async def unseen_stretches(
    session: PageSession, snapshot: Snapshot, document: Document
) -> list[tuple[int, int, int]]:
    """The stretches of blocks, as (block, start, end), of which nobody sees anything; the page is scrolled.

    Nothing is told of what could not be looked at.
    """
    lines = list(_lines(document))
    if not lines:
        return []
    width = max(each.words.box.x + each.words.box.width for each in lines)
    height = max(each.words.box.y + each.words.box.height for each in lines)
    part = Rect(x=0, y=0, width=max(1, min(width, 4 * snapshot.width)), height=max(1, min(height, _HEIGHT)))
    try:
        picture = await session.screenshot(part)
        suspected = await asyncio.to_thread(_even, picture, lines)
        if not suspected:
            return []
        worlds = await Worlds.of(session, snapshot)
        located = await LocatedWords.of(worlds, [each.words for each in suspected])
        hidden = {word for text in (await located.unseen()).hidden for word in text.split()}
    except (PageError, PageNotLoaded, NotReproducible, OSError):
        return []  # the page goes on: it is read as it stood
    return [
        (each.block, each.start, each.end) for each in suspected if hidden.issuperset(each.words.text.split())
    ]


def _lines(document: Document) -> Sequence[_Line]:
    found = []
    for at, block in enumerate(document.blocks):
        frame = document.frames[block.frame]
        for box in block.boxes:
            text = block.text[box.start : box.end]
            if text.strip():
                words = Words(frame.document, box.node, text, box.rect, block.is_thing(box))
                found.append(_Line(at, box.start, box.end, words))
    return found


def _even(picture: bytes, lines: Sequence[_Line]) -> list[_Line]:
    """The lines in whose place there is one colour, as far as the picture reaches."""
    from PIL import Image

    sheet = Image.open(io.BytesIO(picture)).convert("RGB")
    found: list[_Line] = []
    words = 0
    for line in lines:
        box = line.words.box
        left, top = max(0, round(box.x)), max(0, round(box.y))
        right, bottom = (
            min(sheet.width, round(box.x + box.width)),
            min(sheet.height, round(box.y + box.height)),
        )
        if line.words.document or right <= left or bottom <= top:
            continue
        extremes = sheet.crop((left, top, right, bottom)).getextrema()
        if all(high - low < LEAST_CONTRAST for low, high in extremes):  # type: ignore[misc]
            words += len(line.words.text.split())
            if words > _MOST_WORDS:
                break
            found.append(line)
    return found
