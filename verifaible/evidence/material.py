"""What evidence is looked for in: a page, a PDF, or captions, read once and kept as records."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from pydantic import ConfigDict

from verifaible.browser import reading
from verifaible.browser.reading import FRAME_BREAK, Field, FrameTable, FrameText, Image, PageText
from verifaible.browser.session import PageSession
from verifaible.errors import BadArguments
from verifaible.extract.tables import form_grid
from verifaible.schema.base import Record
from verifaible.schema.citation import AnchorRequest
from verifaible.schema.table import Grid
from verifaible.schema.transcript import Transcript


class FrameMark(Record):
    """A frame of a page, and the length of its text in code points."""

    path: tuple[str, ...]
    url: str
    length: int


class PageMaterial(Record):
    """A settled page as a reader sees it.

    ``selected`` are the CSS paths that the request's selector named, empty if it named none.
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

    @cached_property
    def grids(self) -> tuple[Grid, ...]:
        """The tables as grids, in the same order."""
        return tuple(form_grid(each.table) for each in self.tables)

    @property
    def visible_text(self) -> str:
        """Everything a reader could see: title, text, and the values of form fields."""
        values = "\n".join(f"{field.label}: {field.value}" for field in self.fields)
        return f"{self.title}\n{self.page.text}\n{values}"


class PdfMaterial(Record):
    """The text of a PDF, page by page."""

    kind: Literal["pdf"] = "pdf"
    url: str
    title: str = ""
    pages: tuple[str, ...]

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
    return PageMaterial(
        url=session.page.url,
        title=await session.title(),
        page=await reading.page_text(session),
        tables=await reading.tables(session),
        fields=await reading.fields(session),
        images=await reading.images(session),
        selected=tuple(selected),
    )


def page_files(material: PageMaterial) -> dict[str, bytes]:
    """The files of a capture that hold a page's material; :func:`page_from_files` reads them back."""
    marks = _Marks(
        url=material.url,
        title=material.title,
        frames=tuple(
            FrameMark(path=frame.path, url=frame.url, length=len(frame.text))
            for frame in material.page.frames
        ),
        fields=material.fields,
        images=material.images,
        selected=material.selected,
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
            FrameText(path=mark.path, url=mark.url, start=start, text=text[start : start + mark.length])
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
    )


class _Marks(Record):
    url: str
    title: str
    frames: tuple[FrameMark, ...]
    fields: tuple[Field, ...]
    images: tuple[Image, ...]
    selected: tuple[str, ...] = ()


class _Tables(Record):
    tables: tuple[FrameTable, ...]
