"""Looking on in a window while a citation is checked: what was found is marked, and the window left open."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from verifaible.anchoring.quote import find_places
from verifaible.browser.page.session import PageSession
from verifaible.browser.pictures.highlight import Box, Marking, highlight_caption, paint
from verifaible.browser.words import LocatedWords, words_of
from verifaible.browser.worlds import Worlds
from verifaible.config import PICTURE_HEIGHT_PX
from verifaible.errors import InfrastructureError, ToolError
from verifaible.evidence.mark import picture_page
from verifaible.evidence.material import Material
from verifaible.evidence.replay import Attempt
from verifaible.net.transcripts import watch_url
from verifaible.reporting.pages import data_url
from verifaible.schema.citation import Citation, Picture

if TYPE_CHECKING:
    from playwright.async_api import Page

#: Of a quote that stands in many places so many are marked.
_MARKED_PLACES = 20

#: Called with the page once it is marked; the window stays open until it returns.
Linger: TypeAlias = Callable[["Page"], Awaitable[None]]


class Viewing:
    """An observer that marks what was found.

    Args:
        linger: keeps the window open until this returns.
    """

    def __init__(self, linger: Linger) -> None:
        self._linger = linger

    async def look(self, session: PageSession, citation: Citation, attempt: Attempt) -> None:
        """See :class:`Observer`. A page that can not be marked any more is left as it is."""
        from playwright.async_api import Error

        try:
            await self._show(session, citation, attempt)
            await self._linger(session.page)
        except (Error, ToolError, InfrastructureError):
            return

    async def _show(self, session: PageSession, citation: Citation, attempt: Attempt) -> None:
        observed, file = attempt.observed, attempt.observed.document if attempt.observed else None
        if attempt.pictures:  # the page cannot be re-executed: its sealed picture is shown
            await _show_picture(session, attempt.pictures, citation.picture)
        elif file is not None:  # a browser shows no place in a PDF; its page is shown as a picture instead
            page = (attempt.placement.anchor or citation.anchor).page_number or 1
            taken = await asyncio.to_thread(
                picture_page, file.body, page, attempt.rects, height=PICTURE_HEIGHT_PX
            )
            await _show_picture(session, taken.tiles, taken.picture)
        elif observed is not None and observed.material.transcript is not None:
            await _show_caption(session, citation, attempt)
        elif observed is not None and observed.material.snapshot is not None:
            await paint(session, await _marking(session, attempt, observed.material))


async def _show_picture(session: PageSession, tiles: Sequence[bytes], picture: Picture) -> None:
    urls = [data_url(each, "image/webp") for each in tiles]
    shown = "".join(f'<img style="display:block" src="{url}">' for url in urls)
    await session.page.set_content(f'<body style="margin:0">{shown}')
    await paint(session, Marking(boxes=tuple(Box(rect=each.rect) for each in picture.marks)))


async def _show_caption(session: PageSession, citation: Citation, attempt: Attempt) -> None:
    placement = attempt.placement
    await session.open(watch_url(citation.source_url))
    said, at = placement.text or placement.nearest, "≈"
    if placement.anchor is not None and placement.anchor.time is not None:
        minutes, seconds = divmod(placement.anchor.time.start_s, 60)
        at = f"{minutes:.0f}:{seconds:04.1f}"
    if said:
        await highlight_caption(session, said, at)


async def _marking(session: PageSession, attempt: Attempt, material: Material) -> Marking:
    """What to mark: what was found, or else what comes nearest."""
    if attempt.drawn is not None:
        return attempt.drawn.marking
    assert material.snapshot is not None
    found, words = attempt.placement, attempt.placement.words
    if not words and (nearest := found.nearest.strip("… ")):
        matches = find_places(material.document, nearest).exact[:_MARKED_PLACES]
        words = tuple(word for match in matches for word in match.words)
    places = ((each.block, each.start, each.end) for each in words)
    worlds = await Worlds.of(session, material.snapshot)
    located = await LocatedWords.of(worlds, words_of(material.document, places))
    await located.view()
    return Marking(words=located)
