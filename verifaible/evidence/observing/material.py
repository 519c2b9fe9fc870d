"""What evidence is looked for in: a source read into a Document, and what else was seen of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from verifaible.browser.page.readiness import LoadState, failed_of, load_state
from verifaible.browser.page.session import PageSession
from verifaible.browser.snapshot import take_snapshot
from verifaible.browser.worlds import Worlds
from verifaible.errors import BadArguments
from verifaible.evidence.make.capture import SNAPSHOT
from verifaible.extract.content import main_text
from verifaible.extract.document import Document
from verifaible.extract.page import css_path, page_document
from verifaible.extract.snapshot import Snapshot
from verifaible.schema.anchor import AnchorRequest
from verifaible.schema.transcript import Transcript

#: The files of a capture of a page; the Document is made again from the first.
TEXT: Final = "text.txt"
_PAGE: Final = "page.json"


@dataclass(frozen=True, slots=True)
class Material:
    """A source, read.

    Attributes:
        document: what a reader sees.
        snapshot: of a page: what the engine told, with the nodes of the open page where it is open.
        selected: the paths of the elements that the request's selector named; None if it named none.
        scrolled: the boxes that were scrolled for what is evidence, by path (empty for the page), with pixels
            from the top of each.
        load_state: how far the page had come; not kept in captures.
        transcript: of a video.
    """

    document: Document
    snapshot: Snapshot | None = None
    selected: tuple[str, ...] | None = None
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
        selected=await _selected(session, snapshot, document, request.selector),
        load_state=load_state(session, raw, failed, main_text(document)),
    )


async def read_again(session: PageSession, material: Material) -> Material:
    """The same page as it is now, where its state of loading is known."""
    snapshot = await take_snapshot(session.page)
    document = await asyncio.to_thread(page_document, snapshot)
    return replace(material, document=replace(document, url=session.page.url), snapshot=snapshot)


async def _selected(
    session: PageSession, snapshot: Snapshot, document: Document, selector: str
) -> tuple[str, ...] | None:
    if not selector:
        return None
    known = {each.css_path for each in document.tables} | {each.css_path for each in document.images}
    if selector in known:
        return (selector,)
    worlds = await Worlds.of(session, snapshot)
    try:
        nodes = await worlds.selected(selector)
    except ValueError as error:
        raise BadArguments(f"{error} Correct it or leave it out.") from error
    return tuple(css_path(snapshot, 0, node) for node in nodes)


def page_files(material: Material) -> dict[str, bytes]:
    """The files of a capture that hold a page's material; :func:`page_from_files` reads them back."""
    assert material.snapshot is not None
    page = {"url": material.url, "scrolled": material.scrolled, "selected": material.selected}
    return {
        SNAPSHOT: material.snapshot.to_json(),
        TEXT: material.document.text.encode(),
        _PAGE: json.dumps(page, ensure_ascii=False, indent=1).encode(),
    }


def page_from_files(files: Mapping[str, bytes]) -> Material:
    """A page's material from the files of a capture.

    Raises:
        ValueError: they are damaged.
    """
    page: dict[str, Any] = json.loads(files[_PAGE])
    snapshot = Snapshot.from_json(files[SNAPSHOT])
    return Material(
        document=replace(page_document(snapshot), url=page["url"]),
        snapshot=snapshot,
        selected=tuple(page["selected"]) if page["selected"] is not None else None,
        scrolled=tuple((path, top) for path, top in page["scrolled"]),
    )


PAGE_FILES: Final = (SNAPSHOT, _PAGE)
