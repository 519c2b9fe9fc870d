"""What can be done on a page: its requests, its own objects, its elements, tables and frames."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from verifaible.browser.reading import FrameTable, page_text, tables, visible_frames
from verifaible.browser.scripts import script
from verifaible.browser.session import SCRIPT_TIMEOUT_S, PageSession, bounded
from verifaible.schema.base import Record
from verifaible.schema.web import WebExchange, header

_IDENTIFIER = re.compile(r"[^\W\d][\w$]*|[$_][\w$]*")
_CALLBACK_NAME = re.compile(r"callback|jsonp|^cb$", re.IGNORECASE)
_CACHE_BUSTERS = frozenset({"_", "_t", "t", "ts", "timestamp", "rnd", "random", "nocache"})
#: How much of an answer's beginning is looked at.
_BODY_START = 4_096


class Option(Record):
    """An option of a ``select``."""

    value: str
    label: str


class Element(Record):
    """Something to operate. ``kind``: field, select, button or clickable.

    ``selector`` finds it and nothing else in its frame; ``in_menu``: it stands in the navigation,
    header or footer of the page; ``calendar`` names the date picker of a date box; ``handler`` is
    the script of its ``onclick`` or ``javascript:`` address.
    """

    kind: str
    selector: str
    text: str
    label: str
    type: str
    value: str
    readonly: bool
    disabled: bool
    in_menu: bool
    calendar: str
    handler: str
    options: tuple[Option, ...]
    frame_path: tuple[str, ...] = ()


class LinkedFile(Record):
    """A link to a document such as a PDF."""

    url: str
    text: str


class Box(Record):
    """A container that is shown: a dialog, with its text."""

    selector: str
    text: str


class PlacedTable(Record):
    """A table, with a selector that finds it and nothing else in its frame, and the text above it."""

    selector: str
    title: str
    place: FrameTable


class Pagination(Record):
    """Links or buttons that turn pages: the container's selector and their texts."""

    selector: str
    items: tuple[str, ...]


class Member(Record):
    """A member of a global object: a method's parameters, or a value; ``source`` of a method."""

    name: str
    text: str
    source: str


class GlobalObject(Record):
    """A global that a script of the page defined; a higher ``score`` is likelier to be of use.

    ``parameters`` are a function's parameters, or a short form of a value. ``defined_in`` is the
    address of the script, where one of those loaded declares it.
    """

    name: str
    kind: str
    parameters: str
    members: tuple[Member, ...]
    source: str
    score: int
    defined_in: str = ""


class DataRequest(Record):
    """A request for data that the page's scripts made.

    ``parameters`` are the query's, or the form's; ``callback`` is the name of the JSONP
    parameter; ``beginning`` the first characters of the answer.
    """

    method: str
    address: str
    parameters: tuple[tuple[str, str], ...]
    callback: str
    status: int
    media_type: str
    size: int
    beginning: str


class FrameNote(Record):
    """A frame inside the page."""

    path: tuple[str, ...]
    url: str


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a settled page shows and how it works; nothing is shortened here."""

    url: str
    title: str
    text: str = field(repr=False)
    requests: tuple[DataRequest, ...] = ()
    objects: tuple[GlobalObject, ...] = ()
    libraries: tuple[str, ...] = ()
    elements: tuple[Element, ...] = ()
    files: tuple[LinkedFile, ...] = ()
    links: int = 0
    pagination: tuple[Pagination, ...] = ()
    boxes: tuple[Box, ...] = ()
    tables: tuple[PlacedTable, ...] = ()
    frames: tuple[FrameNote, ...] = ()
    dialogs: tuple[str, ...] = ()
    misses: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    settled: bool = True


class Match(Record):
    """An element that a selector finds; ``inner_tables`` are the paths of tables inside it."""

    css_path: str
    tag: str
    visible: bool
    inner_tables: tuple[str, ...]


class Matches(Record):
    """What a selector finds; ``error`` says why it is no selector, or is empty."""

    error: str
    matches: tuple[Match, ...]


async def analyze(session: PageSession) -> Analysis:
    """Analyze the page that a session has loaded, and its frames."""
    frames = await visible_frames(session)
    elements: list[Element] = []
    files: list[LinkedFile] = []
    pagination: list[Pagination] = []
    boxes: list[Box] = []
    named: dict[tuple[tuple[str, ...], str], tuple[str, str]] = {}
    links = 0
    for path, frame in frames:
        raw: dict[str, Any] = await session.evaluate("analyze_elements", frame=frame)
        elements += [Element.model_validate({**one, "frame_path": path}) for one in raw["elements"]]
        files += [LinkedFile.model_validate(one) for one in raw["documents"]]
        pagination += [Pagination.model_validate(one) for one in raw["pagination"]]
        boxes += [Box.model_validate(one) for one in raw["dialogs"]]
        named.update({(path, one["css_path"]): (one["selector"], one["title"]) for one in raw["tables"]})
        links += int(raw["links"])
    objects, libraries = await _objects(session)
    own_urls = [frame.url for _, frame in frames]
    return Analysis(
        url=session.page.url,
        title=await session.title(),
        text=(await page_text(session)).text,
        requests=data_requests(session.traffic.exchanges, own_urls),
        objects=objects,
        libraries=libraries,
        elements=tuple(elements),
        files=tuple({one.url: one for one in files}.values()),
        links=links,
        pagination=tuple(pagination),
        boxes=tuple(boxes),
        tables=tuple(
            PlacedTable(selector=selector, title=title, place=one)
            for one in await tables(session)
            for selector, title in [named.get((one.frame_path, one.table.css_path), (one.table.css_path, ""))]
        ),
        frames=tuple(FrameNote(path=path, url=frame.url) for path, frame in frames if path),
        dialogs=tuple(session.dialogs),
        misses=tuple(session.traffic.misses),
        refused=tuple(session.traffic.refused),
        settled=session.settled,
    )


async def find_matches(session: PageSession, selector: str) -> Matches:
    """What a CSS selector finds in the main document, at most 20 elements."""
    return Matches.model_validate(await session.evaluate("analyze_matches", {"selector": selector}))


async def _objects(session: PageSession) -> tuple[tuple[GlobalObject, ...], tuple[str, ...]]:
    """Globals of the main document, those of ``let``, ``const`` and ``class`` too.

    The latter are no properties of ``window``; only the debugging protocol can list them.
    """
    cdp = await session.context.new_cdp_session(session.page)
    try:
        listed = await cdp.send("Runtime.globalLexicalScopeNames")
        names = [name for name in listed["names"] if _IDENTIFIER.fullmatch(name)][:200]
        # A getter each: reading one that is not initialised yet throws.
        values = ", ".join(f"[{name!r}, () => {name}]" for name in names)
        lexical = (
            f"Object.fromEntries([{values}].flatMap(([name, read]) => "
            "{ try { return [[name, read()]]; } catch { return []; } }))"
        )
        answer = await bounded(
            cdp.send(
                "Runtime.evaluate",
                {
                    "expression": f"({script('analyze_objects')})({{ lexical: {lexical} }})",
                    "returnByValue": True,
                    "timeout": SCRIPT_TIMEOUT_S * 1000,
                },
            ),
            SCRIPT_TIMEOUT_S + 1,
            "the page",
        )
    finally:
        await cdp.detach()
    if "exceptionDetails" in answer:
        return (), ()
    raw = answer["result"]["value"]
    scripts = _scripts(session.traffic.exchanges)
    objects = [GlobalObject.model_validate(one) for one in raw["objects"]]
    placed = [one.model_copy(update={"defined_in": _defined_in(one.name, scripts)}) for one in objects]
    host = urlsplit(session.page.url).hostname or ""
    site = ".".join(host.split(".")[-2:])
    # What comes from another site is a service the page uses, not its own.
    placed.sort(key=lambda one: -(one.score - (0 if _is_own(one.defined_in, site) else 10)))
    return tuple(placed), tuple(raw["libraries"])


def _is_own(defined_in: str, site: str) -> bool:
    return not defined_in or (urlsplit(defined_in).hostname or "").endswith(site)


def _scripts(exchanges: Sequence[WebExchange]) -> list[tuple[str, str]]:
    """The scripts that were loaded, as (address, source)."""
    return [
        (exchange.request.url, exchange.response.body.decode("utf-8", "replace"))
        for exchange in exchanges
        if "javascript" in exchange.response.content_type and not _callback(exchange)
    ]


def _defined_in(name: str, scripts: Sequence[tuple[str, str]]) -> str:
    quoted = re.escape(name)
    declared = re.compile(
        rf"(?:\b(?:var|let|const|class|function\*?)\s+{quoted}(?![\w$])|\bwindow\.{quoted}\s*=(?!=)"
        rf"|(?:^|[;\n}}])\s*{quoted}\s*=(?!=))"
    )
    return next((url for url, source in scripts if declared.search(source)), "")


def data_requests(exchanges: Sequence[WebExchange], own_urls: Sequence[str]) -> tuple[DataRequest, ...]:
    """The requests by which scripts fetched data: XHR, fetch and JSONP, in order, each once.

    Args:
        exchanges: everything the page asked for.
        own_urls: the addresses of the page and its frames, which are no data.
    """
    pages = {url.partition("#")[0] for url in own_urls}
    found: dict[tuple[str, str, bytes], DataRequest] = {}
    for exchange in exchanges:
        request = exchange.request
        if request.url in pages or not _is_data(exchange):
            continue
        address, _, query = request.url.partition("?")
        callback = _callback(exchange)
        parameters = parse_qsl(query, keep_blank_values=True)
        kept = tuple(
            (name, value)
            for name, value in parameters
            if name != callback and not (name in _CACHE_BUSTERS and value.replace(".", "").isdigit())
        )
        kept += _form(exchange)
        media = exchange.response.content_type
        found[(request.method, f"{address}?{kept}", request.body)] = DataRequest(
            method=request.method,
            address=address,
            parameters=kept,
            callback=callback,
            status=exchange.response.status,
            media_type=media,
            size=len(exchange.response.body),
            beginning=exchange.response.body[:_BODY_START].decode("utf-8", "replace"),
        )
    return tuple(found.values())


def _form(exchange: WebExchange) -> tuple[tuple[str, str], ...]:
    body = exchange.request.body
    if not body:
        return ()
    text = body[:_BODY_START].decode("utf-8", "replace")
    if "form-urlencoded" in header(exchange.request.headers, "content-type"):
        return tuple(parse_qsl(text, keep_blank_values=True))
    return (("(body)", text),)


def _callback(exchange: WebExchange) -> str:
    """The query parameter that names the function a JSONP answer calls; an empty string if none does."""
    start = exchange.response.body[:_BODY_START].decode("utf-8", "replace")
    for name, value in parse_qsl(urlsplit(exchange.request.url).query):
        named = _CALLBACK_NAME.search(name) or len(value) > 5
        if (
            named
            and _IDENTIFIER.fullmatch(value.replace(".", "_"))
            and re.search(rf"(?<![\w$]){re.escape(value)}\s*\(", start)
        ):
            return name
    return ""


def _is_data(exchange: WebExchange) -> bool:
    response = exchange.response
    if 300 <= response.status < 400:
        return False
    if exchange.request.method not in {"GET", "HEAD"}:
        return exchange.request.method != "OPTIONS"
    media = response.content_type
    if media.startswith(("image/", "font/", "video/", "audio/")) or media in {"text/css", "application/pdf"}:
        return False
    if "json" in media or _callback(exchange):
        return True
    accept = header(exchange.request.headers, "accept")
    scripted = header(exchange.request.headers, "x-requested-with") or "json" in accept
    if "javascript" in media:
        return response.body[:64].lstrip()[:1] in (b"{", b"[")
    # Style sheets and scripts ask with */* too, but their answers have gone above.
    return bool(scripted) or (
        accept == "*/*"
        and media in {"text/html", "text/plain", "text/csv", "text/xml", "application/xml", ""}
    )
