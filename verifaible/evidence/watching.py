"""Looking on while a citation is checked: marking what was found, a picture of it, a window left open."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from verifaible.anchoring.quote import exact_spans
from verifaible.browser.highlight import Box, highlight_boxes, highlight_caption, highlight_text
from verifaible.browser.reading import PageText, locate_text
from verifaible.browser.session import PageSession
from verifaible.browser.traffic import Document
from verifaible.errors import InfrastructureError, ToolError
from verifaible.evidence.material import PageMaterial, PdfMaterial, VideoMaterial
from verifaible.evidence.observe import mark
from verifaible.evidence.pages import data_url, is_link
from verifaible.evidence.replay import Sight
from verifaible.net.transcripts import watch_url
from verifaible.schema.citation import Citation, Rect

if TYPE_CHECKING:
    from playwright.async_api import Page

#: Of a quote that stands in many places so many are marked.
_MARKED_PLACES = 20

#: Called with the page once it is marked; the window stays open until it returns.
Linger: TypeAlias = Callable[["Page"], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Shown:
    """The page at the end of a check, for people; never evidence.

    ``picture`` is a PNG, ``rects`` are what is marked in it, in its pixels (empty if that counts
    from elsewhere), ``marked`` says in a sentence what is.
    """

    picture: bytes
    rects: tuple[Rect, ...]
    marked: str
    url: str
    title: str


class Viewing:
    """An onlooker that marks what was found.

    Args:
        picture: keep a picture of it in ``shown``.
        linger: keep the window open until this returns.

    Attributes:
        sight: what the check saw; None before, and where no page could be opened at all.
        shown: the picture, if one was asked for and could be made.
    """

    def __init__(self, *, picture: bool = False, linger: Linger | None = None) -> None:
        self._picture = picture
        self._linger = linger
        self.sight: Sight | None = None
        self.shown: Shown | None = None

    async def look(self, session: PageSession, citation: Citation, sight: Sight) -> None:
        """See :class:`Onlooker`. A page that can not be marked or pictured any more is left as it is."""
        from playwright.async_api import Error

        self.sight = sight
        try:
            shown = await self._show(session, citation, sight)
            if self._picture:
                self.shown = shown
            if self._linger is not None:
                await self._linger(session.page)
        except (Error, ToolError, InfrastructureError):
            return

    async def _show(self, session: PageSession, citation: Citation, sight: Sight) -> Shown | None:
        observed = sight.observed
        if observed is not None and isinstance(observed.material, VideoMaterial):
            return await self._show_caption(session, citation, sight)
        if observed is not None and observed.document is not None:
            assert isinstance(observed.material, PdfMaterial)
            return await self._show_document(session, citation, sight, observed.document, observed.material)
        if not is_link(session.page.url):
            return None
        rects: tuple[Rect, ...] = ()
        marked = "Nothing is marked: it is not what was cited."
        if observed is not None and isinstance(observed.material, PageMaterial):
            rects, marked = await _mark(session, citation, sight, observed.material)
        picture = await session.screenshot() if self._picture else b""
        return Shown(picture, rects, marked, session.page.url, await session.title())

    async def _show_caption(self, session: PageSession, citation: Citation, sight: Sight) -> Shown:
        placement = sight.placement
        await session.open(watch_url(citation.source_url))
        said, marked = placement.found or placement.nearest, "What is said there."
        if placement.anchor is not None and placement.anchor.time is not None:
            minutes, seconds = divmod(placement.anchor.time.start_s, 60)
            await highlight_caption(session, said, f"{minutes:.0f}:{seconds:04.1f}")
        elif said:
            await highlight_caption(session, said, "≈")
            marked = "The nearest words of the captions."
        picture = await session.screenshot() if self._picture else b""
        return Shown(picture, (), marked, session.page.url, await session.title())

    async def _show_document(
        self,
        session: PageSession,
        citation: Citation,
        sight: Sight,
        document: Document,
        material: PdfMaterial,
    ) -> Shown:
        from verifaible.extract.pdf import PdfDocument

        number, span, marked = _on_a_page(citation, sight, material)
        with PdfDocument(document.body) as pdf:
            points = pdf.rects(number, *span) if span else ()
            picture = pdf.render(number, highlight=points)
            pixels = int.from_bytes(picture[16:20])  # the width, in the header of a PNG
            scale = pixels / pdf.page_size(number)[0]
        rects = tuple(
            Rect(x=r.x * scale, y=r.y * scale, width=r.width * scale, height=r.height * scale) for r in points
        )
        if self._linger is not None:
            # A browser shows no place in a PDF; its page is shown as a picture instead.
            await session.page.set_content(
                '<body style="margin:0;background:#444">'
                f'<img style="display:block;margin:0 auto;max-width:100%" src="{data_url(picture)}">'
            )
        return Shown(picture, rects, f"Page {number}. {marked}", document.url, material.title)


async def _mark(
    session: PageSession, citation: Citation, sight: Sight, material: PageMaterial
) -> tuple[tuple[Rect, ...], str]:
    """Paint what was found, or else what comes nearest; the rectangles of it, and a sentence."""
    drawn = sight.drawn
    if drawn is not None:
        await mark(session, material, drawn)
        return () if drawn.anchor.frame_path else drawn.anchor.rects, "What was found is marked."
    placement, text = sight.placement, material.page.text
    if placement.verdict == "ambiguous" and citation.evidence_type == "text":
        return await _mark_all(session, material.page, exact_spans(text, citation.anchor.text))
    near = exact_spans(text, placement.nearest.strip("… ")) if placement.nearest else []
    if near:
        start, end = near[0]
        located = await locate_text(session, material.page, start, end)
        await highlight_text(session, material.page, start, end)
        inside = material.page.frame_at(start).path
        return () if inside else located.rects, "The nearest text is marked; it is not what was cited."
    return (), "Nothing is marked: nothing like it was found."


async def _mark_all(
    session: PageSession, page: PageText, spans: Sequence[tuple[int, int]]
) -> tuple[tuple[Rect, ...], str]:
    """Paint every place of a quote; the rectangles of the first."""
    first: tuple[Rect, ...] = ()
    for start, end in spans[:_MARKED_PLACES]:
        located, path = await locate_text(session, page, start, end), page.frame_at(start).path
        await highlight_boxes(session, [Box(rect=rect) for rect in located.rects], path)
        first = first or (() if path else located.rects)
    return first, f"{len(spans)} places are alike; {min(len(spans), _MARKED_PLACES)} of them are marked."


def _on_a_page(
    citation: Citation, sight: Sight, material: PdfMaterial
) -> tuple[int, tuple[int, int] | None, str]:
    """Which page of a PDF to show, the code points to mark on it, and what to say of them."""
    anchor, nearest = sight.placement.anchor, sight.placement.nearest.strip("… ")
    if anchor is not None and anchor.page_number is not None and anchor.start is not None:
        assert anchor.end is not None
        return anchor.page_number, (anchor.start, anchor.end), "What was found is marked."
    for number, text in enumerate(material.pages, start=1):
        if nearest and (spans := exact_spans(text, nearest, hyphenated=True)):
            return number, spans[0], "The nearest text is marked; it is not what was cited."
    cited = citation.anchor.page_number or 1
    return min(cited, len(material.pages)), None, "Nothing is marked: nothing like it was found."
