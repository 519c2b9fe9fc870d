"""Looking on in a window while a citation is checked: what was found is marked, and the window left open."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from verifaible.browser.page.session import PageSession
from verifaible.browser.pictures.highlight import Box, Marking, highlight_caption, paint
from verifaible.browser.reading import PageText, locate_text
from verifaible.browser.traffic.traffic import Document
from verifaible.config import PICTURE_HEIGHT_PX
from verifaible.errors import InfrastructureError, ToolError
from verifaible.evidence.check.replay import Attempt
from verifaible.evidence.observing.material import PageMaterial, PdfMaterial, VideoMaterial
from verifaible.evidence.observing.observe import marking_of
from verifaible.evidence.observing.pdf_picture import picture_page
from verifaible.net.transcripts import watch_url
from verifaible.old.anchoring.quote import exact_spans
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
        if observed is not None and isinstance(observed.material, VideoMaterial):
            await _show_caption(session, citation, attempt)
        elif observed is not None and observed.document is not None:
            assert isinstance(observed.material, PdfMaterial)
            await _show_document(session, citation, attempt, observed.document, observed.material)
        elif observed is not None and isinstance(observed.material, PageMaterial):
            await paint(session, await _marking(session, citation, attempt, observed.material))


async def _show_caption(session: PageSession, citation: Citation, attempt: Attempt) -> None:
    placement = attempt.placement
    await session.open(watch_url(citation.source_url))
    said, at = placement.found or placement.nearest, "≈"
    if placement.anchor is not None and placement.anchor.time is not None:
        minutes, seconds = divmod(placement.anchor.time.start_s, 60)
        at = f"{minutes:.0f}:{seconds:04.1f}"
    if said:
        await highlight_caption(session, said, at)


async def _show_document(
    session: PageSession, citation: Citation, attempt: Attempt, document: Document, material: PdfMaterial
) -> None:
    from verifaible.old.extract.pdf import PdfDocument

    number, span = _on_a_page(citation, attempt, material)
    with PdfDocument(document.body) as pdf:
        points = pdf.rects(number, *span) if span else ()
    taken = await asyncio.to_thread(picture_page, document.body, number, points, height=PICTURE_HEIGHT_PX)
    if taken.tiles:
        # A browser shows no place in a PDF; its page is shown as a picture instead.
        page = f'<body style="margin:0"><img style="display:block" src="{data_url(taken.tiles[0])}">'
        await session.page.set_content(page)
        await paint(session, Marking(boxes=tuple(Box(rect=m.rect) for m in taken.picture.marks)))


async def _marking(
    session: PageSession, citation: Citation, attempt: Attempt, material: PageMaterial
) -> Marking:
    """What to mark: what was found, or else what comes nearest."""
    if attempt.drawn is not None:
        return marking_of(material, attempt.drawn)
    placement, text = attempt.placement, material.page.text
    if placement.verdict == "ambiguous" and citation.evidence_type == "text":
        return await _marking_of_all(session, material.page, exact_spans(text, citation.anchor.text))
    near = exact_spans(text, placement.nearest.strip("… ")) if placement.nearest else []
    if near:
        await locate_text(session, material.page, *near[0])
        return Marking.of_text(material.page, *near[0])
    return Marking()


async def _marking_of_all(session: PageSession, page: PageText, spans: Sequence[tuple[int, int]]) -> Marking:
    """The places of a quote that are in one frame with the first."""
    boxes: list[Box] = []
    path = page.frame_at(spans[0][0]).path if spans else ()
    marked = [span for span in spans if page.frame_at(span[0]).path == path][:_MARKED_PLACES]
    for span in marked:
        located = await locate_text(session, page, *span)
        boxes += [Box(rect=rect) for rect in located.rects]
    return Marking(frame_path=path, boxes=tuple(boxes))


def _on_a_page(
    citation: Citation, attempt: Attempt, material: PdfMaterial
) -> tuple[int, tuple[int, int] | None]:
    """Which page of a PDF to show, and the code points to mark on it."""
    anchor, nearest = attempt.placement.anchor, attempt.placement.nearest.strip("… ")
    if anchor is not None and anchor.page_number is not None and anchor.start is not None:
        assert anchor.end is not None
        return anchor.page_number, (anchor.start, anchor.end)
    for number, text in enumerate(material.pages, start=1):
        if nearest and (spans := exact_spans(text, nearest, hyphenated=True)):
            return number, spans[0]
    return min(citation.anchor.page_number or 1, len(material.pages)), None
