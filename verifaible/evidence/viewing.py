"""Looking on in a window while a citation is checked: what was found is marked, and the window left open."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from verifaible.anchoring.quote import find_places
from verifaible.browser.page.session import PageSession
from verifaible.browser.pictures.highlight import Box, Marking, highlight_caption, paint
from verifaible.browser.traffic.traffic import Document as File
from verifaible.browser.words import LocatedWords, words_of
from verifaible.browser.worlds import Worlds
from verifaible.config import PICTURE_HEIGHT_PX
from verifaible.errors import InfrastructureError, ToolError
from verifaible.evidence.mark import picture_page
from verifaible.evidence.material import Material
from verifaible.evidence.replay import Attempt
from verifaible.net.transcripts import watch_url
from verifaible.reporting.pages import data_url
from verifaible.schema.citation import Citation

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
        observed = attempt.observed
        if attempt.pictures:
            await _show_picture(session, citation, attempt)
        elif observed is not None and observed.material.transcript is not None:
            await _show_caption(session, citation, attempt)
        elif observed is not None and observed.document is not None:
            await _show_document(session, citation, attempt, observed.document, observed.material)
        elif observed is not None and observed.material.snapshot is not None:
            await paint(session, await _marking(session, attempt, observed.material))


async def _show_caption(session: PageSession, citation: Citation, attempt: Attempt) -> None:
    placement = attempt.placement
    await session.open(watch_url(citation.source_url))
    said, at = placement.text or placement.nearest, "≈"
    if placement.anchor is not None and placement.anchor.time is not None:
        minutes, seconds = divmod(placement.anchor.time.start_s, 60)
        at = f"{minutes:.0f}:{seconds:04.1f}"
    if said:
        await highlight_caption(session, said, at)


async def _show_picture(session: PageSession, citation: Citation, attempt: Attempt) -> None:
    """Where the page cannot be re-executed, its sealed picture is shown."""
    urls = [data_url(each, "image/webp") for each in attempt.pictures]
    tiles = "".join(f'<img style="display:block" src="{url}">' for url in urls)
    await session.page.set_content(f'<body style="margin:0">{tiles}')
    await paint(session, Marking(boxes=tuple(Box(rect=each.rect) for each in citation.picture.marks)))


async def _show_document(
    session: PageSession, citation: Citation, attempt: Attempt, file: File, material: Material
) -> None:
    """A browser shows no place in a PDF; its page is shown as a picture instead."""
    places = list(_places(attempt, material))
    blocks = material.document.blocks
    number = attempt.placement.anchor.page_number if attempt.placement.anchor is not None else None
    number = number or (blocks[places[0][0]].page_number if places else citation.anchor.page_number) or 1
    rects = [
        part.rect
        for block, start, end in places
        for part in blocks[block].drawn(start, end)
        if part.page == number
    ]
    taken = await asyncio.to_thread(picture_page, file.body, number, rects, height=PICTURE_HEIGHT_PX)
    if taken.tiles:
        page = f'<body style="margin:0"><img style="display:block" src="{data_url(taken.tiles[0])}">'
        await session.page.set_content(page)
        await paint(session, Marking(boxes=tuple(Box(rect=m.rect) for m in taken.picture.marks)))


async def _marking(session: PageSession, attempt: Attempt, material: Material) -> Marking:
    """What to mark: what was found, or else what comes nearest."""
    if attempt.drawn is not None:
        return attempt.drawn.marking
    assert material.snapshot is not None
    words = words_of(material.document, _places(attempt, material))
    located = await LocatedWords.of(await Worlds.of(session, material.snapshot), words)
    await located.view()
    return Marking(words=located)


def _places(attempt: Attempt, material: Material) -> Iterator[tuple[int, int, int]]:
    """The words that were found; of a quote that stands in many places these, else the nearest."""
    found = attempt.placement
    if found.words:
        yield from ((each.block, each.start, each.end) for each in found.words)
        return
    wanted = found.nearest.strip("… ")
    for match in find_places(material.document, wanted).exact[:_MARKED_PLACES] if wanted else ():
        yield from ((each.block, each.start, each.end) for each in match.words)
