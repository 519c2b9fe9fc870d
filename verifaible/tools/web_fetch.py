"""``web_fetch``: a page, a PDF or a data file as text, in parts."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pydantic import Field

from verifaible.errors import NoText, PageBlocked, PageNotLoaded, ToolError, WrongContent
from verifaible.schema.base import Record
from verifaible.schema.run import ToolReply
from verifaible.schema.web import WebRequest, WebResponse, header
from verifaible.tools.presenting import (
    delimited,
    missing_note,
    one_line,
    outline_of,
    part_at,
    parts_about,
    pdf_page,
)
from verifaible.tools.toolbox import Tool

if TYPE_CHECKING:
    from verifaible.browser.session import PageSession
    from verifaible.extract.html import PageText
    from verifaible.tools.context import ToolContext

_REFUSALS = frozenset({401, 403, 429, 451})
_MOST_PDF_PAGES_LISTED = 40
#: How much of a body decides whether it is text.
_SNIFFED_BYTES = 1024
_HTML_START = re.compile(rb"\s*(?:<!doctype html|<html|<head|<body|<!--)", re.IGNORECASE)
_JSONP = re.compile(r"\s*(?:/\*\*/)?\s*[\w$.]+\s*\((.*)\)\s*;?\s*\Z", re.DOTALL)
_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


class WebFetchArguments(Record):
    """Arguments of ``web_fetch``."""

    url: str = Field(min_length=1, description="http(s) address of a page, PDF, JSON or text file.")
    offset: int = Field(0, ge=0, description="Where to read on, as the last part said.")
    find: str = Field("", description="Only the paragraphs and table rows about these words.")


@dataclass(frozen=True, slots=True)
class _Readable:
    """What a URL says, whole: ``text`` to be paged, ``notes`` on how it was read (ours, trusted)."""

    url: str
    text: str = field(repr=False)
    title: str = ""
    notes: tuple[str, ...] = ()
    outline: tuple[str, ...] = ()


def web_fetch(context: ToolContext) -> Tool[WebFetchArguments]:
    """The tool, over the session's web."""

    async def handle(arguments: WebFetchArguments) -> ToolReply:
        async with context.web.client() as client:
            fetched = await client.fetch(WebRequest(arguments.url.strip()))
        response, url = fetched.answer.response, fetched.answer.url
        check_status(url, response.status)
        redirected = (f"redirected from {arguments.url}",) if fetched.redirects else ()
        readable = await _read(context, url, response)
        return ToolReply(text=_reply(readable, arguments, redirected))

    return Tool(
        "web_fetch",
        "Read a web page as Markdown (tables complete), a PDF as text by page, or JSON, CSV and text. Long "
        "documents come in parts: go on with offset, or give find. Runs the page's scripts only if it is "
        "empty without them, and applies no style sheets, so text that readers do not see may be in it; to "
        "operate a page use analyze_page and test_action_steps.",
        WebFetchArguments,
        handle,
    )


def check_status(url: str, status: int) -> None:
    """Refuse an HTTP error.

    Raises:
        PageBlocked: 401, 403, 429, 451.
        PageNotLoaded: every other status from 400.
    """
    if status in _REFUSALS:
        raise PageBlocked(f"{url} refuses to show the page (HTTP {status}). Use another source.")
    if status >= 400:
        raise PageNotLoaded(f"{url} answered with HTTP {status}. Check the address, or search for the page.")


async def _read(context: ToolContext, url: str, response: WebResponse) -> _Readable:
    kind = _kind(response)
    if kind == "pdf":
        return await asyncio.to_thread(_pdf, url, response.body)
    if kind == "html":
        return await _html(context, url, response)
    if kind == "binary":
        raise WrongContent(
            f"{url} is {response.content_type or 'an unknown file'} of {len(response.body)} bytes, not text. "
            "Use a page, PDF or text file that says the same."
        )
    from verifaible.extract.charset import decode_html

    text = decode_html(response.body, header(response.headers, "content-type")).text
    if not text.strip():
        raise PageBlocked(f"{url} answered without any content. Check the address, or use another source.")
    if kind == "json" and (pretty := pretty_json(text)) is not None:
        return _Readable(url, pretty, notes=("JSON, indented; numbers as they were sent",))
    return _Readable(url, text.replace("\r\n", "\n"), notes=(response.content_type or "text",))


def _kind(response: WebResponse) -> str:
    """``pdf``, ``html``, ``json``, ``text`` or ``binary``, by the bytes where they say it."""
    start = response.body[:_SNIFFED_BYTES]
    media = response.content_type
    if b"%PDF-" in start:
        return "pdf"
    if media in {"text/html", "application/xhtml+xml"} or (
        media in {"", "application/octet-stream", "text/plain"} and _HTML_START.match(start)
    ):
        return "html"
    if "json" in media or "javascript" in media:
        return "json"
    utf16 = start.startswith((b"\xff\xfe", b"\xfe\xff"))
    if media.startswith(("image/", "audio/", "video/", "font/")) or (b"\x00" in start and not utf16):
        return "binary"
    return "json" if start.lstrip()[:1] in (b"{", b"[") else "text"


def pretty_json(text: str) -> str | None:
    """JSON, or the JSON inside a JSONP call, indented; None where it is neither.

    Indented token by token: a number keeps the digits it was sent with (5.40 stays 5.40).
    """
    inner = text.strip().removeprefix("\ufeff")
    call = _JSONP.fullmatch(inner)
    for candidate in (inner, call[1] if call else ""):
        try:
            json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        return _indented(candidate)
    return None


def _indented(text: str) -> str:
    out: list[str] = []
    depth = 0
    pieces = _JSON_TOKEN.findall(text)
    for index, piece in enumerate(pieces):
        following = pieces[index + 1] if index + 1 < len(pieces) else ""
        if piece in "{[":
            depth += 1
            out.append(piece if following in "}]" else f"{piece}\n{' ' * depth}")
        elif piece in "}]":
            depth -= 1
            empty = index > 0 and pieces[index - 1] in "{["
            out.append(piece if empty else f"\n{' ' * depth}{piece}")
        elif piece == ",":
            out.append(f",\n{' ' * depth}")
        elif piece == ":":
            out.append(": ")
        elif piece.startswith('"') and "\\u" in piece:
            out.append(json.dumps(json.loads(piece), ensure_ascii=False))
        else:
            out.append(piece)
    return "".join(out)


async def _html(context: ToolContext, url: str, response: WebResponse) -> _Readable:
    from verifaible.extract.charset import decode_html
    from verifaible.extract.html import to_markdown

    decoded = decode_html(response.body, header(response.headers, "content-type"))
    page = await asyncio.to_thread(to_markdown, decoded.text, url)
    notes = [f"HTML, {decoded.encoding}"]
    if decoded.replaced:
        notes.append(f"{decoded.replaced} damaged characters")
    if not page.needs_javascript:
        return _page(url, page, notes)
    notes.append("the page needs JavaScript, so this is the page after its scripts ran")
    try:
        return await _rendered(context, url, notes)
    except ToolError as error:
        if not page.text.strip():
            raise
        notes[-1] = f"the page needs JavaScript, but rendering failed ({error}); this is the bare markup"
        return _page(url, page, notes)


async def _rendered(context: ToolContext, url: str, notes: list[str]) -> _Readable:
    from verifaible.extract.html import to_markdown

    async with context.browser.page(context.web) as session:
        loaded = await session.open(url)
        if loaded.document is not None:
            return await asyncio.to_thread(_pdf, loaded.url, loaded.document.body)
        page = await asyncio.to_thread(to_markdown, await session.html(), loaded.url)
        frames = await _frames(session)
        notes = [*notes, *missing_note(session.traffic.misses, session.traffic.refused)]
    return _page(loaded.url, page, notes, frames)


async def _frames(session: PageSession) -> str:
    """The frames of a page that a reader can see, as Markdown, each under its address."""
    from verifaible.browser.reading import visible_frames
    from verifaible.extract.html import to_markdown

    parts = []
    for path, frame in await visible_frames(session):
        if path:
            inner = await asyncio.to_thread(to_markdown, await frame.content(), frame.url)
            parts.append(f"## Frame {frame.url}\n\n{inner.markdown}")
    return "\n\n".join(parts)


def _page(url: str, page: PageText, notes: list[str], frames: str = "") -> _Readable:
    text = f"{page.markdown}\n\n{frames}".strip() if frames else page.markdown
    if not text.strip():
        raise PageBlocked(f"{url} shows no text at all. Check the address, or use another source.")
    if page.published:
        notes = [*notes, f"published {page.published}"]
    if page.removed.hidden:
        notes = [*notes, f"{page.removed.hidden} elements hidden from readers left out"]
    return _Readable(url, text, page.title, tuple(notes), tuple(outline_of(text)))


def _pdf(url: str, body: bytes) -> _Readable:
    from verifaible.extract.pdf import PdfDocument

    with PdfDocument(body) as document:
        if not document.has_text:
            raise NoText(
                f"{url} is a PDF of {document.page_count} pages without text, as scans are. Use another copy."
            )
        count = document.page_count
        pages = [pdf_page(number, count, document.page_text(number)) for number in range(1, count + 1)]
        offsets = [0]
        for page in pages:
            offsets.append(offsets[-1] + len(page) + 2)
        outline = [
            f"{offsets[entry.page_number - 1]}: {'  ' * (entry.level - 1)}{one_line(entry.text, 100)} "
            f"(page {entry.page_number})"
            for entry in document.outline
            if 1 <= entry.page_number <= count
        ]
        if not outline and count > 1:
            outline = [f"{offsets[number - 1]}: page {number}" for number in range(1, count + 1)]
        if len(outline) > _MOST_PDF_PAGES_LISTED:
            outline = [
                *outline[:_MOST_PDF_PAGES_LISTED],
                f"… {len(outline) - _MOST_PDF_PAGES_LISTED} more entries",
            ]
        return _Readable(url, "\n\n".join(pages), document.title, (f"PDF, {count} pages",), tuple(outline))


def _reply(readable: _Readable, arguments: WebFetchArguments, redirected: tuple[str, ...]) -> str:
    notes = "; ".join((*redirected, *readable.notes))
    title = f"Title: {one_line(readable.title)}\n" if readable.title else ""
    if arguments.find:
        found = parts_about(readable.text, arguments.find)
        if not found:
            return (
                f"{readable.url} ({notes}) says nothing about {arguments.find!r} in its "
                f"{len(readable.text)} characters. Try other words, or leave find out."
            )
        shown = f"Only the parts about {arguments.find!r}, of {len(readable.text)} characters."
        return f"{readable.url} ({notes}). {shown}\n{delimited(readable.url, title + found)}"
    part = part_at(readable.text, arguments.offset)
    outline = ""
    if arguments.offset == 0 and not part.is_last and len(readable.outline) > 1:
        outline = "Outline (offset: heading)\n" + "\n".join(readable.outline) + "\n\n"
    content = delimited(readable.url, title + outline + part.shown)
    return f"{readable.url} ({notes}). {part.describe()}\n{content}"
