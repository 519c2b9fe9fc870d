"""Looking on while a citation is checked: marking what was found, a picture of it, a window left open."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from verifaible.anchoring.quote import exact_spans
from verifaible.browser.page.session import PageSession
from verifaible.browser.pictures.highlight import Box, Marking, highlight_caption, paint
from verifaible.browser.pictures.picture import Taken, take_picture
from verifaible.browser.reading import PageText, locate_text
from verifaible.browser.traffic.traffic import Document
from verifaible.config import PICTURE_HEIGHT_PX
from verifaible.errors import InfrastructureError, ToolError
from verifaible.evidence.check.replay import Attempt
from verifaible.evidence.observing.material import PageMaterial, PdfMaterial, VideoMaterial
from verifaible.evidence.observing.observe import marking_of
from verifaible.evidence.observing.pdf_picture import picture_page
from verifaible.net.transcripts import watch_url
from verifaible.reporting.pages import data_url, is_link
from verifaible.schema.citation import Citation

if TYPE_CHECKING:
    from playwright.async_api import Page

#: Of a quote that stands in many places so many are marked.
_MARKED_PLACES = 20

#: Called with the page once it is marked; the window stays open until it returns.
Linger: TypeAlias = Callable[["Page"], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Shown:
    """The page at the end of a check, for people; never evidence.

    ``picture`` is None where none was asked for; ``marked`` says in a sentence what is marked in it.
    """

    picture: Taken | None
    marked: str
    url: str
    title: str


class Viewing:
    """An observer that marks what was found.

    Args:
        picture: keep a picture of it in ``shown``.
        linger: keep the window open until this returns.
        height: how much of the page is pictured; see :func:`take_picture`.

    Attributes:
        attempt: what the check saw; None before, and where no page could be opened at all.
        shown: the picture, if one was asked for and could be made.
    """

    def __init__(
        self,
        *,
        picture: bool = False,
        linger: Linger | None = None,
        height: int | Literal["full"] = PICTURE_HEIGHT_PX,
    ) -> None:
        self._picture = picture
        self._linger = linger
        self._height = height
        self.attempt: Attempt | None = None
        self.shown: Shown | None = None

    async def look(self, session: PageSession, citation: Citation, attempt: Attempt) -> None:
        """See :class:`Observer`. A page that can not be marked or pictured any more is left as it is."""
        from playwright.async_api import Error

        self.attempt = attempt
        try:
            shown = await self._show(session, citation, attempt)
            if self._picture:
                self.shown = shown
            if self._linger is not None:
                await self._linger(session.page)
        except (Error, ToolError, InfrastructureError):
            return

    async def _show(self, session: PageSession, citation: Citation, attempt: Attempt) -> Shown | None:
        observed = attempt.observed
        if observed is not None and isinstance(observed.material, VideoMaterial):
            return await self._show_caption(session, citation, attempt)
        if observed is not None and observed.document is not None:
            assert isinstance(observed.material, PdfMaterial)
            return await self._show_document(session, citation, attempt, observed.document, observed.material)
        if not is_link(session.page.url):
            return None
        marking, marked = Marking(), "Nothing is marked: it is not what was cited."
        if observed is not None and isinstance(observed.material, PageMaterial):
            marking, marked = await _mark(session, citation, attempt, observed.material)
        return await self._pictured(session, marking, marked)

    async def _pictured(self, session: PageSession, marking: Marking, marked: str) -> Shown:
        taken = await take_picture(session, marking, height=self._height) if self._picture else None
        if self._linger is not None:
            await paint(session, marking)
        return Shown(taken, marked, session.page.url, await session.title())

    async def _show_caption(self, session: PageSession, citation: Citation, attempt: Attempt) -> Shown:
        placement = attempt.placement
        await session.open(watch_url(citation.source_url))
        said, at = placement.found or placement.nearest, "≈"
        if placement.anchor is not None and placement.anchor.time is not None:
            minutes, seconds = divmod(placement.anchor.time.start_s, 60)
            at = f"{minutes:.0f}:{seconds:04.1f}"
        shown = await self._pictured(session, Marking(), "The page of the video.")
        if said and self._linger is not None:
            await highlight_caption(session, said, at)
        return shown

    async def _show_document(
        self,
        session: PageSession,
        citation: Citation,
        attempt: Attempt,
        document: Document,
        material: PdfMaterial,
    ) -> Shown:
        from verifaible.extract.pdf import PdfDocument

        number, span, marked = _on_a_page(citation, attempt, material)
        with PdfDocument(document.body) as pdf:
            points = pdf.rects(number, *span) if span else ()
        taken = await asyncio.to_thread(picture_page, document.body, number, points, height=self._height)
        if self._linger is not None and taken.tiles:
            # A browser shows no place in a PDF; its page is shown as a picture instead.
            page = f'<body style="margin:0"><img style="display:block" src="{data_url(taken.tiles[0])}">'
            await session.page.set_content(page)
            await paint(session, Marking(boxes=tuple(Box(rect=m.rect) for m in taken.picture.marks)))
        return Shown(taken, f"Page {number}. {marked}", document.url, material.title)


async def _mark(
    session: PageSession, citation: Citation, attempt: Attempt, material: PageMaterial
) -> tuple[Marking, str]:
    """What to mark: what was found, or else what comes nearest; and a sentence that says which."""
    if attempt.drawn is not None:
        return marking_of(material, attempt.drawn), "What was found is marked."
    placement, text = attempt.placement, material.page.text
    if placement.verdict == "ambiguous" and citation.evidence_type == "text":
        return await _mark_all(session, material.page, exact_spans(text, citation.anchor.text))
    near = exact_spans(text, placement.nearest.strip("… ")) if placement.nearest else []
    if near:
        await locate_text(session, material.page, *near[0])
        marking = Marking.of_text(material.page, *near[0])
        return marking, "The nearest text is marked; it is not what was cited."
    return Marking(), "Nothing is marked: nothing like it was found."


async def _mark_all(
    session: PageSession, page: PageText, spans: Sequence[tuple[int, int]]
) -> tuple[Marking, str]:
    """The places of a quote that are in one frame with the first."""
    boxes: list[Box] = []
    path = page.frame_at(spans[0][0]).path if spans else ()
    marked = [span for span in spans if page.frame_at(span[0]).path == path][:_MARKED_PLACES]
    for span in marked:
        located = await locate_text(session, page, *span)
        boxes += [Box(rect=rect) for rect in located.rects]
    said = f"{len(spans)} places are alike; {len(marked)} of them are marked."
    return Marking(frame_path=path, boxes=tuple(boxes)), said


def _on_a_page(
    citation: Citation, attempt: Attempt, material: PdfMaterial
) -> tuple[int, tuple[int, int] | None, str]:
    """Which page of a PDF to show, the code points to mark on it, and what to say of them."""
    anchor, nearest = attempt.placement.anchor, attempt.placement.nearest.strip("… ")
    if anchor is not None and anchor.page_number is not None and anchor.start is not None:
        assert anchor.end is not None
        return anchor.page_number, (anchor.start, anchor.end), "What was found is marked."
    for number, text in enumerate(material.pages, start=1):
        if nearest and (spans := exact_spans(text, nearest, hyphenated=True)):
            return number, spans[0], "The nearest text is marked; it is not what was cited."
    cited = citation.anchor.page_number or 1
    return min(cited, len(material.pages)), None, "Nothing is marked: nothing like it was found."
