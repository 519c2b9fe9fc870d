"""Lines of a page of which nothing is drawn: words in the colour of their ground, behind something, faded.

One picture of the page says of nearly all lines that something is drawn in their place. Only the others are
looked at as cited words are.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import Sequence
from typing import Any, Final

from verifaible.browser.page.session import PageSession
from verifaible.browser.words import LocatedWords, Words, around, words_in
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


async def unseen_stretches(
    session: PageSession, snapshot: Snapshot, document: Document
) -> list[tuple[int, int, int]]:
    """The stretches of blocks, as (block, start, end), of which nobody sees anything; the page is scrolled.

    Nothing is told of what could not be looked at.
    """
    lines = [
        ((at, box.start, box.end), words_in(document, at, box))
        for at, block in enumerate(document.blocks)
        for box in block.boxes
        if block.text[box.start : box.end].strip()
    ]
    if not lines:
        return []
    whole = around([words.box for _, words in lines])
    width, height = min(whole.x + whole.width, 4 * snapshot.width), min(whole.y + whole.height, _HEIGHT)
    try:
        picture = await session.screenshot(Rect(x=0, y=0, width=max(1, width), height=max(1, height)))
        even = await asyncio.to_thread(_even, picture, [words for _, words in lines])
        suspected = [line for line, is_even in zip(lines, even, strict=True) if is_even]
        if not suspected:
            return []
        worlds = await Worlds.of(session, snapshot)
        located = await LocatedWords.of(worlds, [words for _, words in suspected])
        hidden = {word for text in (await located.unseen()).hidden for word in text.split()}
    except (PageError, PageNotLoaded, NotReproducible, OSError):
        return []  # the page goes on: it is read as it stood
    return [place for place, words in suspected if hidden.issuperset(words.text.split())]


def _even(picture: bytes, lines: Sequence[Words]) -> Sequence[bool]:
    """Of each line whether there is one colour in its place, as far as the picture reaches."""
    from PIL import Image

    sheet = Image.open(io.BytesIO(picture)).convert("RGB")
    found: list[bool] = []
    words = 0
    for line in lines:
        left, top = max(0, round(line.box.x)), max(0, round(line.box.y))
        right = min(sheet.width, round(line.box.x + line.box.width))
        bottom = min(sheet.height, round(line.box.y + line.box.height))
        is_even = False
        if not line.document and right > left and bottom > top and words <= _MOST_WORDS:
            extremes: Any = sheet.crop((left, top, right, bottom)).getextrema()
            is_even = all(high - low < LEAST_CONTRAST for low, high in extremes)
        words += len(line.text.split()) if is_even else 0
        found.append(is_even and words <= _MOST_WORDS)
    return found
