"""What evidence is looked for in: a source read into a Document, and what else was seen of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from verifaible.browser.page.readiness import LoadState, failed_of, load_state
from verifaible.browser.page.session import PageSession
from verifaible.browser.snapshot import take_snapshot
from verifaible.browser.worlds import Worlds
from verifaible.errors import BadArguments
from verifaible.extract.content import main_text
from verifaible.extract.document import Document
from verifaible.extract.page import css_path, page_document
from verifaible.extract.snapshot import SNAPSHOT_NAME, Snapshot
from verifaible.schema.anchor import AnchorRequest
from verifaible.schema.transcript import Transcript

#: The files of a capture of a page; the Document is made again from the first.
SNAPSHOT: Final = "snapshot.json"
TEXT: Final = "text.txt"
_PAGE: Final = "page.json"

#: The number of a document in the snapshot, and the path of an element in it.
Element: TypeAlias = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Material:
    """A source, read.

    Attributes:
        document: what a reader sees.
        snapshot: of a page: what the engine told, with the nodes of the open page where it is open.
        selected: the elements that the request's selector or point named; None if it has neither.
        scrolled: the boxes that were scrolled for what is evidence, by path (empty for the page), with pixels
            from the top of each.
        load_state: how far the page had come; not kept in captures.
        transcript: of a video.
    """

    document: Document
    snapshot: Snapshot | None = None
    selected: tuple[Element, ...] | None = None
    scrolled: tuple[tuple[str, float], ...] = ()
    load_state: LoadState = field(default_factory=LoadState)
    transcript: Transcript | None = None

    @property
    def url(self) -> str:
        """Its address."""
        return self.document.url

    @property
    def title(self) -> str:
        """Its title, "" if it has none."""
        return self.document.title

    @property
    def visible_text(self) -> str:
        """Everything that a reader could see."""
        return f"{self.document.title}\n{self.document.text}"


async def read_page(session: PageSession, request: AnchorRequest) -> Material:
    """Read everything of a page that evidence can stand in.

    Raises:
        BadArguments: the selector is not valid.
        PageError, PageNotLoaded: the page cannot be read.
    """
    failed = failed_of(session)
    snapshot, raw = await asyncio.gather(take_snapshot(session.page), session.evaluate("load_state"))
    document = await asyncio.to_thread(page_document, snapshot)
    return Material(
        document=replace(document, url=session.page.url),
        snapshot=snapshot,
        selected=await _selected(session, snapshot, document, request),
        load_state=load_state(session, raw, failed, main_text(document)),
    )


async def read_again(session: PageSession, material: Material) -> Material:
    """The same page as it is now, where its state of loading is known."""
    snapshot = await take_snapshot(session.page)
    document = await asyncio.to_thread(page_document, snapshot)
    return replace(material, document=replace(document, url=session.page.url), snapshot=snapshot)


async def _selected(
    session: PageSession, snapshot: Snapshot, document: Document, request: AnchorRequest
) -> tuple[Element, ...] | None:
    """The elements that the request's selector and point name; None where it has neither."""
    if not request.selector and request.position is None:
        return None
    worlds = await Worlds.of(session, snapshot)
    pointed: tuple[Element, ...] | None = None
    if request.position is not None:
        at = await worlds.at_point(*request.position)
        pointed = ((at[0], css_path(snapshot, *at)),) if at is not None else ()
    if not request.selector:
        return pointed
    frames = [each.frame for each in document.tables if each.css_path == request.selector]
    frames += [each.frame for each in document.images if each.css_path == request.selector]
    named = tuple((document.frames[frame].document, request.selector) for frame in frames)
    if not named:
        try:
            nodes = await worlds.selected(request.selector)
        except ValueError as error:
            raise BadArguments(f"{error} Correct it or leave it out.") from error
        named = tuple((0, css_path(snapshot, 0, node)) for node in nodes)
    # A selector given beside a point must name the same image.
    return named if pointed is None else tuple(each for each in named if each in pointed)


def page_files(material: Material) -> dict[str, bytes]:
    """The files of a capture that hold a page's material; :func:`page_from_files` reads them back."""
    assert material.snapshot is not None
    page = {"url": material.url, "scrolled": material.scrolled, "selected": material.selected}
    return {
        SNAPSHOT_NAME: material.snapshot.to_json(),
        TEXT: material.document.text.encode(),
        _PAGE: json.dumps(page, ensure_ascii=False, indent=1).encode(),
    }


def page_from_files(files: Mapping[str, bytes]) -> Material:
    """A page's material from the files of a capture.

    Raises:
        ValueError: they are damaged.
    """
    page: dict[str, Any] = json.loads(files[_PAGE])
    snapshot = Snapshot.from_json(files[SNAPSHOT_NAME])
    return Material(
        document=replace(page_document(snapshot), url=page["url"]),
        snapshot=snapshot,
        selected=tuple((number, path) for number, path in page["selected"])
        if page["selected"] is not None
        else None,
        scrolled=tuple((path, top) for path, top in page["scrolled"]),
    )


PAGE_FILES: Final = (SNAPSHOT_NAME, _PAGE)
