"""What a settled page shows: its text, tables, form values and images, with where they stand."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypeVar

from pydantic import TypeAdapter

from verifaible.browser import driver
from verifaible.browser.page.session import PageSession
from verifaible.schema.anchor import Rect
from verifaible.schema.base import Record
from verifaible.schema.table import RawTable

#: Stands between the texts of two frames. Folding drops white space and what cannot be seen, but
#: keeps U+241E (symbol for record separator): no quote reaches from one frame into the next.
FRAME_BREAK = "\n\u241e\n"

_RAW_TABLES = TypeAdapter(list[RawTable])
_FRAME_INDEX = "(e) => [...e.ownerDocument.querySelectorAll('iframe, frame')].indexOf(e)"

#: The CSS selectors of the frames from the top of the page down to one; empty for the top.
_Path: TypeAlias = tuple[str, ...]
FoundT = TypeVar("FoundT")
#: What is read of ruby annotations: nothing, the readings (``rt``), or these with their brackets (``rp``).
Readings: TypeAlias = Literal["", "rt", "rp"]


class FrameText(Record):
    """The visible text of one frame, and where it starts in the text of the page.

    ``language`` is the tag that the frame gives, ``cased`` the spans of its text (code points) whose letter
    case its style makes.
    """

    path: tuple[str, ...]
    url: str
    start: int
    text: str
    language: str = ""
    cased: tuple[tuple[int, int], ...] = ()

    @property
    def end(self) -> int:
        """Where the frame's text ends in the text of the page."""
        return self.start + len(self.text)


class PageText(Record):
    """The visible text of a page, frame after frame; offsets count Unicode code points.

    ``readings`` says what of ruby annotations is in it, ``ruby`` whether the page has any.
    """

    frames: tuple[FrameText, ...]
    readings: Readings = ""
    ruby: bool = False

    @property
    def text(self) -> str:
        """All of it, the frames separated by :data:`FRAME_BREAK`."""
        return FRAME_BREAK.join(frame.text for frame in self.frames)

    @property
    def cased(self) -> tuple[tuple[int, int], ...]:
        """The spans of the page's text whose letter case its style makes."""
        return tuple(
            (frame.start + first, frame.start + last) for frame in self.frames for first, last in frame.cased
        )

    def frame_at(self, start: int) -> FrameText:
        """The frame in whose text an offset of the page's text lies."""
        return next((frame for frame in self.frames if frame.start <= start <= frame.end), self.frames[0])


class Field(Record):
    """A form field that shows a value."""

    selector: str
    label: str
    value: str


class Image(Record):
    """An image a reader can see."""

    css_path: str
    tag: str
    alt: str
    src: str
    width: int
    height: int
    complete: bool
    rect: Rect
    frame_path: tuple[str, ...] = ()


class ShownMarkup(Record):
    """Markup of what the layout shows; ``closed``: words stand in details that are closed.

    ``partly`` says of each table that draws only the rows in view how many those are, and about how many
    it has.
    """

    html: str
    closed: bool
    partly: tuple[tuple[int, int], ...] = ()


class Located(Record):
    """Where something stands: rectangles in page coordinates of its frame, and its element."""

    rects: tuple[Rect, ...]
    css_path: str = ""


class FrameTable(Record):
    """A table with the frame it stands in, and the heading before it (empty where none is near)."""

    frame_path: tuple[str, ...]
    table: RawTable
    heading: str = ""


async def visible_frames(session: PageSession) -> list[tuple[tuple[str, ...], driver.Frame]]:
    """The frames a reader can see, main frame first, each with its path of CSS selectors."""
    found: list[tuple[tuple[str, ...], driver.Frame]] = []

    async def walk(frame: driver.Frame, path: tuple[str, ...]) -> None:
        found.append((path, frame))
        for index, child in enumerate(frame.child_frames):
            try:
                element = await child.frame_element()
                raw = await session.evaluate("frame", element, frame=frame)
            except driver.Error:
                if child.is_detached():
                    continue
                raise
            if raw["shown"] and not child.is_detached():
                await walk(child, (*path, f"#{raw['id']}" if raw["id"] else f":frame({index})"))

    await walk(session.page.main_frame, ())
    return found


async def _of_frames(
    session: PageSession, read: Callable[[_Path, driver.Frame], Awaitable[FoundT]]
) -> list[tuple[_Path, driver.Frame, FoundT]]:
    """What is read of each frame that a reader can see; one that leaves meanwhile is no part of the page."""
    found: list[tuple[_Path, driver.Frame, FoundT]] = []
    for path, frame in await visible_frames(session):
        try:
            found.append((path, frame, await read(path, frame)))
        except driver.Error:
            if not (path and frame.is_detached()):
                raise
    return found


async def frame_of(session: PageSession, path: Sequence[str]) -> driver.Frame | None:
    """The frame with that path, or None where the page has none."""
    return next((frame for known, frame in await visible_frames(session) if known == tuple(path)), None)


async def page_text(session: PageSession, readings: Readings = "") -> PageText:
    """The text of the page that a reader can see, frame after frame."""
    given = {"readings": readings}
    read = await _of_frames(session, lambda _, frame: session.evaluate("text", given, frame=frame))
    return _joined(read, readings)


def _joined(read: Iterable[tuple[_Path, driver.Frame, Any]], readings: Readings = "") -> PageText:
    """The text of a page from what the script ``text`` gave of each of its frames."""
    frames: list[FrameText] = []
    start = 0
    ruby = False
    for path, frame, raw in read:
        text = str(raw["text"])
        ruby = ruby or bool(raw["ruby"])
        language, cased = raw["language"], raw["cased"]
        frames.append(
            FrameText(path=path, url=frame.url, start=start, text=text, language=language, cased=cased)
        )
        start += len(text) + len(FRAME_BREAK)
    return PageText(frames=tuple(frames), readings=readings, ruby=ruby)


async def shown_markup(session: PageSession, frame: driver.Frame | None = None) -> ShownMarkup:
    """The markup of what a reader can see of the page, or of one of its frames."""
    return ShownMarkup.model_validate(await session.evaluate("shown", frame=frame))


async def tables(session: PageSession, *, unmarked: bool = False) -> tuple[FrameTable, ...]:
    """The tables a reader can see, in document order, frame after frame.

    Args:
        session: the page.
        unmarked: also the grids that no markup tells of, in the place of tables that are parts of them; this
            measures every block of words of the page.
    """
    which = {"unmarked": unmarked}
    read = await _of_frames(
        session, lambda _, frame: session.evaluate_together(frame, tables=which, headings=which)
    )
    return tuple(each for path, _, found in read for each in _tables_in(path, found))


def _tables_in(path: _Path, found: Mapping[str, Any]) -> list[FrameTable]:
    """The tables of a frame from what the scripts ``tables`` and ``headings`` gave of it."""
    return [
        FrameTable(frame_path=path, table=raw, heading=found["headings"].get(raw.css_path, ""))
        for raw in _RAW_TABLES.validate_json(found["tables"])
    ]


async def fields(session: PageSession) -> tuple[Field, ...]:
    """The form fields that show a value."""
    read = await _of_frames(session, lambda _, frame: session.evaluate("fields", frame=frame))
    return tuple(Field.model_validate(raw) for _, _, found in read for raw in found)


async def images(session: PageSession) -> tuple[Image, ...]:
    """The images a reader can see, in document order."""
    read = await _of_frames(session, lambda _, frame: session.evaluate("images", frame=frame))
    return tuple(each for path, _, found in read for each in _images_in(path, found))


def _images_in(path: _Path, raw: Iterable[Mapping[str, Any]]) -> list[Image]:
    return [Image.model_validate({**each, "frame_path": path}) for each in raw]


@dataclass(frozen=True, slots=True)
class PageContent:
    """All of a page that evidence can stand in, frame after frame, each frame read in one moment.

    Attributes:
        text: the text that a reader can see.
        tables: the tables, in document order; no grids without markup.
        fields: the form fields that show a value.
        images: the images, in document order.
        load_state: what the script of that name says of the top frame.
    """

    text: PageText
    tables: tuple[FrameTable, ...]
    fields: tuple[Field, ...]
    images: tuple[Image, ...]
    load_state: Mapping[str, Any]


async def page_content(session: PageSession, *, failed: bool = False) -> PageContent:
    """Read all of a settled page that evidence can stand in.

    Args:
        session: the page.
        failed: whether the page did not get something that it asked of its own site.
    """
    which = {"unmarked": False}
    parts: dict[str, Any] = dict(text={}, tables=which, headings=which, fields=None, images=None)
    of_top = {"load_state": {"failed": failed}}

    def read(path: _Path, frame: driver.Frame) -> Awaitable[dict[str, Any]]:
        return session.evaluate_together(frame, **parts, **({} if path else of_top))

    found = await _of_frames(session, read)
    return PageContent(
        _joined((path, frame, raw["text"]) for path, frame, raw in found),
        tuple(each for path, _, raw in found for each in _tables_in(path, raw)),
        tuple(Field.model_validate(each) for _, _, raw in found for each in raw["fields"]),
        tuple(each for path, _, raw in found for each in _images_in(path, raw["images"])),
        found[0][2]["load_state"],
    )


async def image_at(session: PageSession, x: float, y: float) -> tuple[tuple[str, ...], str] | None:
    """The image at a point of the page: the path of its frame and its CSS path; None where none is.

    The point counts in CSS pixels from the top left of the document, through frames too.
    """
    frame = session.page.main_frame
    path: tuple[str, ...] = ()
    while True:
        raw = await session.evaluate("image_at", {"x": x, "y": y}, frame=frame)
        if raw["image"]:
            return path, str(raw["image"])
        if raw["frame"] < 0:
            return None
        for known, child in await visible_frames(session):
            if known[:-1] == path and child.parent_frame is frame:
                element = await child.frame_element()
                if await element.evaluate(_FRAME_INDEX) == raw["frame"]:
                    frame, path = child, known
                    break
        else:
            return None
        offset = await frame.evaluate("[scrollX, scrollY]")
        x, y = raw["x"] + offset[0], raw["y"] + offset[1]


async def locate_text(session: PageSession, page: PageText, start: int, end: int) -> Located:
    """Where the characters [start, end) of a page's text stand."""
    part = page.frame_at(start)
    frame = await frame_of(session, part.path)
    span = {"start": start - part.start, "end": end - part.start, "readings": page.readings}
    raw = await session.evaluate("locate_text", span, frame=frame)
    return Located(rects=_rects(raw["rects"]), css_path=raw["css_path"])


async def locate_cells(
    session: PageSession,
    frame_path: Sequence[str],
    css_path: str,
    sources: Sequence[tuple[int, int]],
    *,
    named: int = 0,
) -> tuple[Located, Rect | None]:
    """The rectangles of table cells, by (row, position) in the source; and that of the table.

    The first ``named`` of the cells hold the words that are cited: what a reader must see.
    """
    frame = await frame_of(session, frame_path)
    asked = {"css_path": css_path, "sources": [list(source) for source in sources], "named": named}
    raw = await session.evaluate("locate_cells", asked, frame=frame)
    table = Rect.model_validate(raw["table"]) if raw["table"] else None
    return Located(rects=_rects(raw["rects"]), css_path=css_path), table


def _rects(raw: list[dict[str, float]]) -> tuple[Rect, ...]:
    return tuple(Rect.model_validate(each) for each in raw)
