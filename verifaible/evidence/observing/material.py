"""What evidence is looked for in: a page, a PDF, or captions, read once and kept as records."""

from __future__ import annotations

import asyncio
from functools import cached_property
from typing import Literal

from pydantic import ConfigDict

from verifaible.browser import reading
from verifaible.browser.page.readiness import LoadState, failed_of, load_state
from verifaible.browser.page.session import PageSession
from verifaible.browser.reading import FRAME_BREAK, Field, FrameTable, FrameText, Image, PageText, Readings
from verifaible.errors import BadArguments
from verifaible.old.anchoring.quote import exact_spans
from verifaible.old.extract.tables import form_grid
from verifaible.schema.anchor import AnchorRequest
from verifaible.schema.base import Record
from verifaible.schema.table import Grid
from verifaible.schema.transcript import Transcript

_WITH_READINGS: tuple[Readings, ...] = ("rt", "rp")


class FrameMark(Record):
    """A frame of a page, the length of its text in code points, and what else its :class:`FrameText` has."""

    path: tuple[str, ...]
    url: str
    length: int
    language: str = ""
    cased: tuple[tuple[int, int], ...] = ()


class PageMaterial(Record):
    """A settled page as a reader sees it.

    ``selected`` are the CSS paths that the request's selector or position named, empty if it named none;
    ``selected_in`` is the path of the frame of the position. ``scrolled`` is where a row was found that its
    table draws only while it is scrolled to: the CSS path of the box that scrolls (empty for the page), and
    pixels from its top. ``load_state`` is how far the page had come;
    it is not kept in captures.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", ignored_types=(cached_property,))

    kind: Literal["page"] = "page"
    url: str
    title: str
    page: PageText
    tables: tuple[FrameTable, ...] = ()
    fields: tuple[Field, ...] = ()
    images: tuple[Image, ...] = ()
    selected: tuple[str, ...] = ()
    selected_in: tuple[str, ...] | None = None
    scrolled: tuple[str, float] | None = None
    load_state: LoadState = LoadState()

    @cached_property
    def grids(self) -> tuple[Grid, ...]:
        """The tables as grids, in the same order."""
        return tuple(form_grid(each.table) for each in self.tables)

    def with_tables(self, tables: tuple[FrameTable, ...]) -> PageMaterial:
        """The same with other tables. A copy would keep the grids of the old ones."""
        kept = {name: getattr(self, name) for name in type(self).model_fields}
        return PageMaterial(**{**kept, "tables": tables})

    @property
    def visible_text(self) -> str:
        """Everything a reader could see: title, text, and the values of form fields."""
        values = "\n".join(f"{field.label}: {field.value}" for field in self.fields)
        return f"{self.title}\n{self.page.text}\n{values}"


class PdfMaterial(Record):
    """The text of a PDF, page by page.

    ``paragraphs`` are, of each page, the code points at which a paragraph begins below a gap.
    """

    kind: Literal["pdf"] = "pdf"
    url: str
    title: str = ""
    pages: tuple[str, ...]
    paragraphs: tuple[tuple[int, ...], ...] = ()

    @property
    def visible_text(self) -> str:
        """Everything a reader could see."""
        return "\n".join((self.title, *self.pages))


class VideoMaterial(Record):
    """The captions of a video."""

    kind: Literal["video"] = "video"
    url: str
    title: str
    transcript: Transcript

    @property
    def visible_text(self) -> str:
        """Everything a reader could see."""
        return "\n".join((self.title, *(caption.text for caption in self.transcript.captions)))


Material = PageMaterial | PdfMaterial | VideoMaterial


async def read_page(session: PageSession, request: AnchorRequest) -> PageMaterial:
    """Read everything of a settled page that evidence can stand in."""
    from playwright.async_api import Error

    selected: list[str] = []
    if request.selector:
        try:
            selected = await session.evaluate("matching", {"selector": request.selector})
        except Error as error:
            raise BadArguments(
                f"{request.selector!r} is not a valid CSS selector. Correct it or leave it out."
            ) from error
    pointed = await reading.image_at(session, *request.position) if request.position else None
    if pointed is not None:
        # A selector given besides must name the same image.
        selected = [pointed[1]] if not request.selector or pointed[1] in selected else []
    failed = failed_of(session)
    title, found = await asyncio.gather(session.title(), reading.page_content(session, failed=bool(failed)))
    return PageMaterial(
        url=session.page.url,
        title=title,
        page=await _quotable_text(session, found.text, request),
        tables=found.tables,
        fields=found.fields,
        images=found.images,
        selected=tuple(selected),
        selected_in=pointed[0] if pointed is not None else None,
        load_state=load_state(session, found.load_state, failed),
    )


async def _quotable_text(session: PageSession, page: PageText, request: AnchorRequest) -> PageText:
    """The text of the page; with the readings over ruby only if the quote has them."""
    if (
        page.ruby
        and request.quote
        and not exact_spans(page.text, request.quote, cased=page.cased, edges=False)
    ):
        for readings in _WITH_READINGS:
            other = await reading.page_text(session, readings)
            if exact_spans(other.text, request.quote, cased=other.cased, edges=False):
                return other
    return page


def page_files(material: PageMaterial) -> dict[str, bytes]:
    """The files of a capture that hold a page's material; :func:`page_from_files` reads them back."""
    marks = _Marks(
        url=material.url,
        title=material.title,
        frames=tuple(
            FrameMark(
                path=frame.path,
                url=frame.url,
                length=len(frame.text),
                language=frame.language,
                cased=frame.cased,
            )
            for frame in material.page.frames
        ),
        fields=material.fields,
        images=material.images,
        selected=material.selected,
        selected_in=material.selected_in,
        scrolled=material.scrolled,
    )
    return {
        "text.txt": material.page.text.encode(),
        "page.json": marks.model_dump_json(indent=1).encode(),
        "table.json": _Tables(tables=material.tables).model_dump_json(exclude_defaults=True).encode(),
    }


def page_from_files(files: dict[str, bytes]) -> PageMaterial:
    """A page's material from the files of a capture."""
    marks = _Marks.model_validate_json(files["page.json"])
    text = files["text.txt"].decode()
    frames: list[FrameText] = []
    start = 0
    for mark in marks.frames:
        frames.append(
            FrameText(
                path=mark.path,
                url=mark.url,
                start=start,
                text=text[start : start + mark.length],
                language=mark.language,
                cased=mark.cased,
            )
        )
        start += mark.length + len(FRAME_BREAK)
    return PageMaterial(
        url=marks.url,
        title=marks.title,
        page=PageText(frames=tuple(frames)),
        tables=_Tables.model_validate_json(files["table.json"]).tables,
        fields=marks.fields,
        images=marks.images,
        selected=marks.selected,
        selected_in=marks.selected_in,
        scrolled=marks.scrolled,
    )


class _Marks(Record):
    url: str
    title: str
    frames: tuple[FrameMark, ...]
    fields: tuple[Field, ...]
    images: tuple[Image, ...]
    selected: tuple[str, ...] = ()
    selected_in: tuple[str, ...] | None = None
    scrolled: tuple[str, float] | None = None


class _Tables(Record):
    tables: tuple[FrameTable, ...]
