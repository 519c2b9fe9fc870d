"""Reading the page that is open, and how far it has come."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from urllib.parse import urldefrag

from verifaible.archive.urls import site_of
from verifaible.browser.page.session import PageSession
from verifaible.browser.snapshot import take_snapshot
from verifaible.browser.worlds import Worlds
from verifaible.errors import BadArguments
from verifaible.evidence.material import Element, LoadState, Material
from verifaible.extract.content import main_text
from verifaible.extract.document import Document, Image, Table
from verifaible.extract.nodes import Paths, SnapshotNodes
from verifaible.extract.page import css_path, page_document
from verifaible.extract.snapshot import Snapshot
from verifaible.schema.anchor import AnchorRequest
from verifaible.schema.base import EvidenceType
from verifaible.schema.web import WebExchange

#: A tag that is not closed at the end of a document.
_CUT_TAG = re.compile(rb"<[a-z/!][^<>]*\Z", re.IGNORECASE)


async def read_page(session: PageSession, request: AnchorRequest) -> Material:
    """Read everything of a page that evidence can stand in.

    Raises:
        BadArguments: the selector is not valid.
        PageError, PageNotLoaded: the page cannot be read.
    """
    failed = _failed(session)
    snapshot, raw = await asyncio.gather(take_snapshot(session.page), session.evaluate("load_state"))
    document = await asyncio.to_thread(page_document, snapshot)
    address = urldefrag(session.page.url).url
    state = LoadState(
        main_text=main_text(document),
        busy=tuple(raw["busy"]),
        empty=tuple(raw["empty"]),
        failed=failed,
        cut=address in session.traffic.requests.half_loaded or _is_cut(session.traffic.exchanges, address),
    )
    return Material(
        document=replace(document, url=session.page.url),
        snapshot=snapshot,
        selected=await _selected(session, snapshot, document, request),
        load_state=state,
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
    drawn: list[Table | Image] = [*document.tables, *document.images]
    frames = [document.frames[each.frame] for each in drawn if each.css_path == request.selector]
    named = tuple((each.document, request.selector) for each in frames)
    if not named:
        try:
            nodes = await worlds.selected(request.selector)
        except ValueError as error:
            raise BadArguments(f"{error} Correct it or leave it out.") from error
        named = tuple(_elements(snapshot, document, nodes, request.evidence_type))
    # A selector given beside a point must name the same image.
    return named if pointed is None else tuple(each for each in named if each in pointed)


def _elements(
    snapshot: Snapshot, document: Document, nodes: Iterable[int], evidence_type: EvidenceType
) -> Iterator[Element]:
    """Nodes of the page's own document; for a table the one that each is in."""
    tree = SnapshotNodes(snapshot, 0)
    paths = Paths(tree)
    tables = {each.css_path for each in document.tables if document.frames[each.frame].document == 0}
    for node in nodes:
        outer = node if evidence_type == "table" else -1
        while outer >= 0 and paths.of(outer) not in tables:
            outer = tree.parents[outer]
        yield 0, paths.of(outer if outer >= 0 else node)


def _failed(session: PageSession) -> tuple[str, ...]:
    """What a page asked of its own site and did not get, each address once."""
    site = site_of(session.page.url)
    return tuple(dict.fromkeys(each for each in session.traffic.requests.failed if site_of(each) == site))


def _is_cut(exchanges: Sequence[WebExchange], url: str) -> bool:
    """Whether the source of a document ends inside a tag or a script."""
    for exchange in reversed(exchanges):
        if exchange.request.url == url and "html" in exchange.response.content_type:
            body = exchange.response.body.rstrip()
            tail = body[-20_000:].lower()
            unclosed = any(
                tail.rfind(b"<" + name) > tail.rfind(b"</" + name) for name in (b"script", b"style")
            )
            return bool(_CUT_TAG.search(tail)) or unclosed
    return False
