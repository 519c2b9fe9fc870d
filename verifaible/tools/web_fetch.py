"""``web_fetch``: a page, a PDF or a data file as text, in parts."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urldefrag

from pydantic import Field

from verifaible.errors import NoText, PageBlocked, PageNotLoaded, WrongContent
from verifaible.schema.base import Record
from verifaible.schema.run import ToolReply
from verifaible.schema.web import WebAnswer, WebRequest, WebResponse, header
from verifaible.text.delimited import delimited
from verifaible.tools.fetch_status import (
    check_status,
    file_kind,
    media_type,
    named,
    refuse_other_pages,
)
from verifaible.tools.presenting import (
    Part,
    missing_note,
    one_line,
    outline_of,
    page_size,
    part_at,
    parts_about,
    pdf_page,
    used_links,
)
from verifaible.tools.toolbox import Tool

if TYPE_CHECKING:
    from verifaible.browser.page.session import PageSession
    from verifaible.evidence.material import Material
    from verifaible.net.client import HttpClient
    from verifaible.tools.context import ToolContext

#: A page may send its readers on so often (``meta refresh``), after so many seconds at most.
MOST_REFRESHES = 5
LONGEST_REFRESH_S = 10
#: A page up to this size is handed to the browser; to load a longer one again is quicker.
LONGEST_GIVEN_BYTES = 4_000_000
#: Text and link addresses of a part together have at most so many characters.
LONGEST_REPLY = 12_000
_MOST_PDF_PAGES_LISTED = 40
#: How much of a body decides whether it is text.
_SNIFFED_BYTES = 1024
#: Possessive, so that no body makes it try again and again.
_HTML_START = re.compile(
    rb"(?:\s++|<\?xml[^>]*+>|<!--.*?-->)*+<(?:!doctype html|html|head|body)\b", re.I | re.S
)
#: Of a page that is handed to the browser these are ours to say: it is shown, as decoded, where it is.
_OURS = frozenset({"content-type", "content-disposition", "refresh"})
_REFRESHES = re.compile(r"(\bhttp-equiv)\s*+=\s*+([\"']?)\s*+refresh\b", re.IGNORECASE)
#: A page that names such a thing may say when it was published.
_DATED = re.compile(r"publi|date|dcterms|created", re.IGNORECASE)
_MARKUP = frozenset({"text/html", "application/xhtml+xml"})
_VAGUE = frozenset({"", "application/octet-stream", "text/plain", "binary/octet-stream"})
_DOMAIN = re.compile(r"[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/?#]|\Z)")


class WebFetchArguments(Record):
    """Arguments of ``web_fetch``."""

    url: str = Field(min_length=1)
    offset: int = Field(0, ge=0, description="Where the last part said.")
    find: str = Field("", description="Only the parts about these words.")


@dataclass(frozen=True, slots=True)
class _Readable:
    """What a URL says, whole: ``text`` to be paged.

    ``notes`` on how it was read are ours and trusted, ``said`` are notes with words of the page in them.
    """

    url: str
    text: str = field(repr=False)
    title: str = ""
    notes: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    outline: tuple[str, ...] = ()
    links: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class _Arrived:
    """The answer at the end of all redirects, and the addresses that led to it; markup is decoded."""

    url: str
    response: WebResponse
    passed: tuple[str, ...]
    encoding: str = ""
    replaced: int = 0
    published: str = ""


def web_fetch(context: ToolContext) -> Tool[WebFetchArguments]:
    """The tool, over the session's web.

    A page is read as it is painted, in all its frames and shadow roots: generated text, values of fields and
    alternative texts of pictures (which are told apart) are read, what style hides, closed details, text
    for screen readers only, metadata and invisible characters are not. Menus around the content are left
    out.
    """

    async def handle(arguments: WebFetchArguments) -> ToolReply:
        url = _address(arguments.url)
        async with await context.client() as client:
            arrived = await _arrive(client, url)
        readable = await _past_check(context, arrived)
        if readable is None:
            check_status(arrived.url, arrived.response)
            readable = await _read(context, arrived)
        redirected = (f"redirected from {named(url)}",) if arrived.passed else ()
        return ToolReply(text=_reply(readable, arguments, redirected))

    return Tool(
        "web_fetch",
        "Read a web page as Markdown (tables complete, links as [text][n]), a PDF as text by page, or JSON, "
        "CSV, feeds and text. Text hidden from readers is left out and counted. Long documents come in "
        "parts: go on with offset, or give find. Scripts of a page run; nothing is clicked.",
        WebFetchArguments,
        handle,
    )


def _address(text: str) -> str:
    """The address as it was meant: without quotes around it, and with a scheme."""
    url = text.strip().strip("<>\"'`").strip()
    return f"https://{url}" if "://" not in url and _DOMAIN.match(url) else url


async def _arrive(client: HttpClient, url: str) -> _Arrived:
    """Follow redirects, those that a page asks for by ``meta refresh`` too."""
    passed: list[str] = []
    while True:
        fetched = await client.fetch(WebRequest(url))
        passed += fetched.redirects
        here, response = fetched.answer.url, fetched.answer.response
        if response.status >= 400 or kind_of(response) != "html":
            return _Arrived(here, response, tuple(passed))
        arrived, target = await asyncio.to_thread(_parsed, here, response, tuple(passed))
        if not target:
            return arrived
        passed.append(here)
        if target in passed or len(passed) > MOST_REFRESHES + len(fetched.redirects):
            raise PageNotLoaded(
                f"{named(here)} sends its readers on in a circle (meta refresh to {named(target)}). "
                "Look for another address."
            )
        url = target


def _parsed(url: str, response: WebResponse, passed: tuple[str, ...]) -> tuple[_Arrived, str]:
    from verifaible.extract.charset import decode_html
    from verifaible.extract.metadata import page_tree, published_date, refresh_target

    decoded = decode_html(response.body, header(response.headers, "content-type"))
    sent = header(response.headers, "refresh")
    # To build the tree takes a moment: only for a page that names the thing.
    asks = sent or "refresh" in decoded.text.lower()
    target = refresh_target(page_tree(decoded.text), url, sent, LONGEST_REFRESH_S) if asks else ""
    shown = _REFRESHES.sub(r"\1=\2no-refresh", decoded.text) if asks else decoded.text
    kept = [each for each in response.headers if each[0].lower() not in _OURS]
    headers = (*kept, ("content-type", "text/html; charset=utf-8"))
    page = WebResponse(response.status, headers, shown.encode("utf-8", "replace"))
    published = "" if target or not _DATED.search(decoded.text) else published_date(page_tree(decoded.text))
    return _Arrived(url, page, passed, decoded.encoding, decoded.replaced, published), target


async def _past_check(context: ToolContext, arrived: _Arrived) -> _Readable | None:
    """What a browser comes to where the answer may be a check that it passes by itself; None where it is not.

    Nor where a profile is used, of which only the browser knows: there the page is always opened in it.
    """
    from verifaible.browser.page.session import may_pass

    response = arrived.response
    scripted = kind_of(response) == "html" and b"<script" in response.body.lower()
    is_check = may_pass(response.status) and scripted
    if context.web.archive is not None or not (is_check or context.settings.profile):
        return None
    with suppress(PageBlocked, PageNotLoaded):
        async with context.browser.page(context.web, pictures=False) as session:
            loaded = await session.open(arrived.url)
            if loaded.document is not None:
                headers = (("content-type", loaded.document.media_type),)
                response = WebResponse(200, headers, loaded.document.body)
                return await _read_file(loaded.url, response)
            await session.traffic.drain()
            sent = [
                each for each in session.traffic.exchanges if each.request.url == urldefrag(loaded.url).url
            ]
            if sent and kind_of(sent[-1].response) != "html":
                return await _read_file(loaded.url, sent[-1].response)
            return await _page_read(
                session, loaded.url, ["HTML, after a check that the page passed by itself"]
            )
    return None


async def _read(context: ToolContext, arrived: _Arrived) -> _Readable:
    if kind_of(arrived.response) == "html":
        return await _html(context, arrived)
    return await _read_file(arrived.url, arrived.response)


async def _read_file(url: str, response: WebResponse) -> _Readable:
    kind = kind_of(response)
    if kind == "pdf":
        return await asyncio.to_thread(_pdf, url, response.body)
    if kind == "binary":
        raise WrongContent(
            f"{named(url)} is {file_kind(response)} of {len(response.body)} bytes, not text. "
            "Use a page, PDF or text file that says the same."
        )
    return await asyncio.to_thread(_data, url, kind, response)


def _data(url: str, kind: str, response: WebResponse) -> _Readable:
    from verifaible.extract.charset import decode_html
    from verifaible.text.unseen import without_unseen

    text = decode_html(response.body, header(response.headers, "content-type")).text
    if not text.strip():
        raise PageBlocked(
            f"{named(url)} answered without any content. Check the address, or use another source."
        )
    text, unseen = without_unseen(text.replace("\r\n", "\n"))
    try:
        shown, title, note, links = _file_text(url, kind, text)
    except WrongContent:  # it is not what it says that it is
        shown, title, note, links = text, "", media_type(response) or "text", ()
    # Escapes and references have become characters by now.
    shown, more = without_unseen(shown)
    notes = (note, f"{unseen + more} invisible characters left out") if unseen + more else (note,)
    outline = tuple(outline_of(shown)) if kind == "xml" else ()
    return _Readable(url, shown, title, notes, outline=outline, links=links)


def _file_text(url: str, kind: str, text: str) -> tuple[str, str, str, tuple[str, ...]]:
    """A file as text, its title, what it is, and the addresses of its links.

    Raises:
        WrongContent: it is nothing of the kind.
    """
    from verifaible.extract.data import csv_document, feed_document, indented_json
    from verifaible.extract.markdown import document_markdown

    if kind == "json":
        return indented_json(text), "", "JSON, indented; numbers as they were sent", ()
    if kind == "csv":
        document = csv_document(text, url)
        rows = document.tables[0].height - 1
        return document_markdown(document).text, "", f"CSV, {rows} rows below the header", ()
    if kind == "xml":
        document = feed_document(text, url)
        if any(block.kind == "heading" for block in document.blocks):
            entries = document_markdown(document, linked=True)
            return entries.text, document.title, "feed", entries.links
        return text.strip(), "", "XML", ()
    raise WrongContent("This is text.")


def kind_of(response: WebResponse) -> str:
    """``pdf``, ``html``, ``json``, ``csv``, ``xml``, ``text`` or ``binary``, if possible by the bytes."""
    start = response.body[:_SNIFFED_BYTES]
    media = response.content_type
    if b"%PDF-" in start:
        return "pdf"
    wide = (
        start.startswith((b"\xff\xfe", b"\xfe\xff"))
        or "utf-16" in header(response.headers, "content-type").lower()
    )
    if b"\x00" in start and not wide:
        return "binary"
    first = start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if _HTML_START.match(start.removeprefix(b"\xef\xbb\xbf")) or (
        media in _MARKUP and first not in {b"{", b"["}
    ):
        return "html"
    if media.startswith(("image/", "audio/", "video/", "font/")):
        return "binary"
    return _data_kind(media, first)


def _data_kind(media: str, first: bytes) -> str:
    if "json" in media or "javascript" in media or (first in {b"{", b"["} and media in _MARKUP | _VAGUE):
        return "json"
    if media in {"text/csv", "text/tab-separated-values", "application/csv", "application/vnd.ms-excel"}:
        return "csv"
    if media.endswith(("/xml", "+xml")) or (first == b"<" and media in _VAGUE):
        return "xml"
    return "text"


async def _html(context: ToolContext, arrived: _Arrived) -> _Readable:
    notes = [f"HTML, {arrived.encoding}"]
    if arrived.replaced:
        notes.append(f"{arrived.replaced} damaged characters")
    if arrived.published:
        notes.append(f"published {arrived.published}")
    live = context.web.archive is None and context.web.recorder is None
    short = len(arrived.response.body) <= LONGEST_GIVEN_BYTES
    given = WebAnswer(arrived.url, arrived.response, "live", datetime.now(UTC)) if live and short else None
    for pictures in (False, True):
        async with context.browser.page(context.web, pictures=pictures, given=given) as session:
            if context.web.recorder is None:
                session.traffic.keep_nothing(session.frame)
            loaded = await session.open(arrived.url)
            if loaded.document is not None:
                return await asyncio.to_thread(_pdf, loaded.url, loaded.document.body)
            read = await _page_read(session, loaded.url, list(notes), whole=pictures)
        if read is not None:
            return read
    raise AssertionError("a page with its pictures is always read")


async def _page_read(
    session: PageSession, url: str, notes: list[str], *, whole: bool = True
) -> _Readable | None:
    """The page that is open; None where only its pictures (``whole``: it has them) say what of it is seen."""
    from verifaible.browser.unseen import unseen_stretches
    from verifaible.evidence.reading import read_page
    from verifaible.schema.anchor import AnchorRequest

    material = await read_page(session, AnchorRequest(evidence_type="image"))  # nothing is looked for in it
    assert material.snapshot is not None
    unseen = await unseen_stretches(session, material.snapshot, material.document)
    if unseen and not whole:
        return None  # they may stand over a picture
    said = missing_note(session.traffic.lacking, session.traffic.refused)
    if session.dialogs:
        notes.append(f"{len(session.dialogs)} dialogs answered")
        said.append(f"The first dialog: {one_line(session.dialogs[0], 80)!r}")
    if not session.settled:
        notes.append("the page still changed while it was read")
    return await asyncio.to_thread(_page, url, material, notes, said, unseen)


def _page(
    url: str,
    material: Material,
    notes: Sequence[str],
    said: Sequence[str],
    unseen: Sequence[tuple[int, int, int]],
) -> _Readable:
    from verifaible.evidence.blocked import why_blocked
    from verifaible.extract.content import main_content, without
    from verifaible.extract.markdown import document_markdown

    document = without(material.document, unseen)
    if hidden := len(material.document.text) - len(document.text):
        notes = [*notes, f"{hidden} characters that nobody sees left out"]
    content = main_content(document)
    parts = [(at, 0, len(document.blocks[at].text)) for at in content]
    page = document_markdown(document, parts, linked=True)
    if not page.text.strip():
        raise PageBlocked(f"{named(url)} shows no text at all. Check the address, or use another source.")
    if len(document.frames) == 1:
        refuse_other_pages(url, why_blocked(material))
    notes = [
        *notes,
        *(
            f"a table draws {table.height} rows here, about {table.row_count - table.height} more where it "
            "is scrolled to; verifaible_cite names them all the same"
            for table in document.tables
            if table.row_count > table.height
        ),
    ]
    if left := len(document.text) - sum(end for _, _, end in parts) - len(document.blocks) + 1:
        notes = [*notes, f"{left} characters of menus left out"]
    return _Readable(
        url, page.text, document.title, tuple(notes), tuple(said), tuple(outline_of(page.text)), page.links
    )


def _pdf(url: str, body: bytes) -> _Readable:
    from verifaible.extract.content import by_page
    from verifaible.extract.markdown import document_markdown
    from verifaible.extract.pdf import PdfFile

    with PdfFile(body, url) as pdf:
        document, count, bookmarks = pdf.document, pdf.page_count, pdf.outline
    if not document.blocks:
        raise NoText(f"{named(url)} is a PDF of {count} pages without text, as scans are. Use another copy.")
    parts = by_page(document)
    texts = (document_markdown(document, parts.get(number, ())).text for number in range(1, count + 1))
    pages = [pdf_page(number, count, text) for number, text in enumerate(texts, start=1)]
    offsets = [0]
    for page in pages:
        offsets.append(offsets[-1] + len(page) + 2)
    outline = [
        f"{offsets[page - 1]}: {'  ' * (level - 1)}{one_line(text, 100)} (page {page})"
        for level, text, page in bookmarks
        if 1 <= page <= count
    ]
    if not outline and count > 1:
        outline = [f"{offsets[number - 1]}: page {number}" for number in range(1, count + 1)]
    if len(outline) > _MOST_PDF_PAGES_LISTED:
        more = len(outline) - _MOST_PDF_PAGES_LISTED
        outline = [*outline[:_MOST_PDF_PAGES_LISTED], f"… {more} more entries"]
    return _Readable(
        url, "\n\n".join(pages), document.title, (f"PDF, {count} pages",), outline=tuple(outline)
    )


def _reply(readable: _Readable, arguments: WebFetchArguments, redirected: tuple[str, ...]) -> str:
    notes = "; ".join((*redirected, *readable.notes))
    name = named(readable.url)
    title = f"Title: {one_line(readable.title)}\n" if readable.title else ""
    title += "".join(f"({line})\n" for line in readable.said)
    if arguments.find.strip():
        found = parts_about(readable.text, arguments.find)
        if not found:
            nothing = (
                f"{name} ({notes}) says nothing about {arguments.find!r} in its "
                f"{len(readable.text)} characters. Try other words, or leave find out."
            )
            return f"{nothing}\n{delimited(readable.url, title)}" if readable.said else nothing
        shown = f"Only the parts about {arguments.find!r}, of {len(readable.text)} characters."
        text = title + found + used_links(found, readable.links)
        return f"{name} ({notes}). {shown}\n{delimited(readable.url, text)}"
    part = _part(readable, arguments.offset)
    outline = ""
    if arguments.offset == 0 and not part.is_last and len(readable.outline) > 1:
        outline = "Outline (offset: heading)\n" + "\n".join(readable.outline) + "\n\n"
    text = title + outline + part.shown + used_links(part.shown, readable.links)
    return f"{name} ({notes}). {part.describe()}\n{delimited(readable.url, text)}"


def _part(readable: _Readable, offset: int) -> Part:
    """A part that is shorter where many long links stand in it."""
    limit = page = page_size(readable.text)
    while True:
        part = part_at(readable.text, offset, limit)
        size = len(part.shown) + len(used_links(part.shown, readable.links))
        if size <= LONGEST_REPLY or limit <= page // 4:
            return part
        limit = max(page // 4, limit * 3 // 4)
