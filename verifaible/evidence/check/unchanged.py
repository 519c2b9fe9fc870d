"""Whether a page is what it was, told without a browser: all answers that it was built from are the same.

A capture holds every answer that a page got. Where each of them that words can come from is the same today,
asked for as it was then, the same page is built from them. Each is asked for with its validator, if that is
a strong one (RFC 9110, 8.8.1: it changes with every byte), else whole, and compared by its bytes. A 304 is
believed only if a HEAD request, which sends no validator, is answered with the same one: some servers say
304 to everything, also where the page has gone.

Whatever cannot be asked for again in the same way needs a browser: requests that tell the server something,
sockets, what was answered twice in two ways, addresses with a part that no answer holds (of the clock or of
chance), answers that vary with what is not known. So does evidence whose words stand in no answer.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from html import escape
from time import monotonic
from typing import Any, Final, Literal, TypeAlias
from urllib.parse import unquote, urldefrag, urljoin, urlsplit
from zoneinfo import ZoneInfo

from verifaible.archive.streams import CHANCE
from verifaible.archive.urls import normalise
from verifaible.archive.volatile import looks_made_up, volatile
from verifaible.errors import ToolError
from verifaible.evidence.check.sent import Sent, unheld
from verifaible.evidence.store.store import Store
from verifaible.extract.charset import decode_html
from verifaible.net.client import REDIRECTS, HttpClient
from verifaible.net.identity import Guise
from verifaible.net.robots import robots_of
from verifaible.net.web import Web
from verifaible.schema.check import Check
from verifaible.schema.citation import Citation
from verifaible.schema.web import Headers, WebExchange, WebRequest, WebResponse, header

#: What nobody reads; an SVG may hold words.
_WORDLESS: Final = re.compile(r"(?!image/svg)(?:image|font|audio|video)/")
#: Of a recorded request: said anew by whoever asks now.
_SAID_ANEW: Final = re.compile(
    r"(?:user-agent|accept-language|accept-encoding|cookie|host|range|cache-control|pragma|if-.*|sec-ch-.*)"
)
#: What an answer tells a browser to do with it.
_STEERING: Final = (
    "content-type",
    "content-disposition",
    "location",
    "refresh",
    "content-security-policy",
    "x-content-type-options",
    "x-frame-options",
    "access-control-allow-origin",
    "cross-origin-resource-policy",
)
_NONCE: Final = re.compile(r"'nonce-[^']*'")
#: A date counts as a strong validator only where the answer was sent this long after it (RFC 9110, 8.8.2.2,
#: asks for a second on one clock; 60 was RFC 7232's).
_SETTLED: Final = timedelta(seconds=60)
#: A file older than the web has the date that a reproducible build gives to all; servers make tags of it.
_FIRST_DATE: Final = datetime(1991, 1, 1, tzinfo=UTC)
#: So long, in seconds, what was compared for one page counts for others; and of so many answers.
_KNOWN_S: Final = 600.0
_MOST_KNOWN: Final = 20_000
_UNOPENED: Final = "Unchanged, not opened in a browser:"
#: Of a comment that holds what a script shows: markup or data.
_SCRIPTED: Final = re.compile(r"[<{\[]")
#: A number may be a measure, which scripts show.
_LETTER: Final = re.compile("[A-Za-z]")
_COMMENT: Final = re.compile(r"<!--(.*?)(?:-->|\Z)", re.DOTALL)
_VALUE: Final = re.compile(r"""(?<==)(["']?)([^"'\s<>]{8,500})(?=["'\s>])""")
_PIECES: Final = re.compile(r"[/?&=;,+]")
_PARTS: Final = re.compile(r"[/?&=;,+._:-]")
_FORMS: Final = ("%Y", "%m", "%d", "%Y%m%d", "%Y%m", "%V", "%w", "%A", "%a", "%B", "%b")

_How: TypeAlias = Literal["validator", "bytes", "content"]


class _NeedsBrowser(Exception):
    """Why it can be told only in a browser."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is asked for again, in order, and of which citations that tells something.

    ``own`` are the addresses of the page itself.
    """

    asked: tuple[WebExchange, ...]
    citations: tuple[Citation, ...]
    own: frozenset[str]


class Known:
    """What was compared a short while ago, for the pages of a site that share scripts and styles."""

    def __init__(self) -> None:
        self._ways: dict[object, tuple[float, _How]] = {}

    def find(self, exchange: WebExchange) -> _How | None:
        """How it was found to be the same; None where that is not known."""
        at, way = self._ways.get(_key(exchange), (-math.inf, None))
        return way if monotonic() - at < _KNOWN_S else None

    def add(self, exchange: WebExchange, way: _How) -> None:
        """Keep it, unless a cookie may make the answer one for this visit alone."""
        if len(self._ways) >= _MOST_KNOWN:
            self._ways.clear()
        if not header(exchange.request.headers, "cookie"):
            self._ways[_key(exchange)] = monotonic(), way


def _key(exchange: WebExchange) -> object:
    request, response = exchange.request, exchange.response
    said = tuple(pair for pair in request.headers if pair[0].lower() != "referer")
    return request.url, said, _steered(response), hashlib.sha256(response.body).digest()


async def unchanged(
    citations: Sequence[Citation], store: Store, web: Web, told: Headers, known: Known
) -> tuple[Check, ...]:
    """Checks of the citations that are certainly as they were; nothing is said of the others.

    Args:
        citations: they rest on one capture of one address.
        store: holds the capture.
        web: the live web.
        told: what the browser that would open the page says of its reader.
        known: what was compared before, for other pages.

    Raises:
        StoreError: the capture is missing or was changed.
    """
    started = monotonic()
    try:
        plan = await asyncio.to_thread(_read, citations, store, web)
        if robots := await robots_of(citations[0].source_url, web):  # none where nothing obeys it
            robots.require(citations[0].source_url)
        ways: list[_How] = []
        async with web.client(told=told) as client:
            names = {name.lower() for name, _ in told}
            for exchange in plan.asked:
                shared = exchange.request.url not in plan.own
                way = known.find(exchange) if shared else None
                if way is None:
                    way = await _compared(client, exchange, names)
                    if shared:
                        known.add(exchange, way)
                ways.append(way)
    except (ToolError, _NeedsBrowser):
        return ()
    taken_s = round(monotonic() - started, 3)
    return tuple(
        Check(
            citation_id=each.id,
            at=datetime.now(UTC),
            kind="live",
            verdict="verified",
            message=_said(ways),
            duration_s=taken_s,
        )
        for each in plan.citations
    )


def _said(ways: Sequence[_How]) -> str:
    by: list[str] = []
    told: tuple[tuple[_How, str], ...] = (
        ("validator", "by the validator that the server gave it"),
        ("bytes", "by its bytes"),
        ("content", "by its bytes but for values made anew for each answer"),
    )
    for way, words in told:
        if number := ways.count(way):
            by.append(f"{number} {words}")
    return f"{_UNOPENED} what the page was built from is the same ({'; '.join(by)})."


def is_unopened(check: Check) -> bool:
    """Whether a check was made by :func:`unchanged`."""
    return check.message.startswith(_UNOPENED)


# --- what is asked for


def _read(citations: Sequence[Citation], store: Store, web: Web) -> _Plan:
    first = citations[0]
    with store.open_capture(first) as reader:
        kept = [each for each in reader.exchanges() if each.request.method != CHANCE]
        provenance = json.loads(reader.read("evidence/provenance.json"))
    if first.capture.signed_in or first.capture.match != "live" or web.settings.profile:
        raise _NeedsBrowser("it was seen, or would be, as no other reader sees it")
    _require_guise(provenance, web)
    _require_whole(provenance, kept)
    pictured = any(each.evidence_type == "image" for each in citations)
    asked = tuple(_once(_worded(kept, pictured=pictured)))
    if urldefrag(first.source_url).url not in {each.request.url for each in asked}:
        raise _NeedsBrowser("its capture does not begin with its address")
    sent = Sent.of(kept, code=False)  # which of its words a script shows, it may choose by the clock
    given = [first.source_url, *(value for step in first.steps for value in _texts(step.model_dump()))]
    for exchange in asked:
        _require_given(exchange, kept, given, web.guise.timezone)
        _require_cookies(exchange, kept)
    held = tuple(
        each for each in citations if each.evidence_type != "video" and not unheld(each, sent, loosely=True)
    )
    if not held:
        raise _NeedsBrowser("no answer holds its words")
    own = frozenset(urldefrag(url).url for url in (first.source_url, first.final_url, first.document_url))
    return _Plan(asked, held, own)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(each)


def _require_guise(provenance: Mapping[str, Any], web: Web) -> None:
    then, now = Guise.sealed(provenance), web.guise
    same = (now.language or then.language) == then.language and now.timezone == then.timezone
    if not same or (now.user_agent and now.user_agent != then.user_agent):
        raise _NeedsBrowser("it would be opened as another reader now")


def _require_whole(provenance: Mapping[str, Any], kept: Sequence[WebExchange]) -> None:
    """Everything that the page got is in the capture; a download is, though its page was given up for it."""
    there = {(each.request.method, each.request.url) for each in kept}
    for name in ("not_read", "not_replayable", "not_answered_offline"):
        for each in provenance.get(name) or ():
            method, _, rest = str(each).partition(" ")
            if (method, rest.partition(" ")[0]) not in there:
                raise _NeedsBrowser(f"its capture lacks {each}")


def _worded(kept: Sequence[WebExchange], *, pictured: bool) -> Iterator[WebExchange]:
    """The exchanges that words can come from, or pictures too.

    Raises:
        _NeedsBrowser: one of them cannot be asked for again.
    """
    leads_to_none: set[str] = set()
    found: list[WebExchange] = []
    for each in reversed(kept):  # a redirect stands before what it leads to
        request, response = each.request, each.response
        location = header(response.headers, "location") if response.status in REDIRECTS else ""
        if location:
            wordless = urldefrag(urljoin(request.url, location)).url in leads_to_none
        else:
            wordless = not pictured and bool(_WORDLESS.match(response.content_type))
            empty = not response.body and 200 <= response.status < 300
            silent = request.method != "GET" or header(request.headers, "sec-fetch-dest") == "image"
            wordless = wordless or (empty and silent)  # a script may ask for what there is not yet
        if wordless:
            leads_to_none.add(request.url)
            continue
        if request.method != "GET" or response.status == 206:
            raise _NeedsBrowser(f"{request.method} {request.url} cannot be asked again")
        found.append(each)
    yield from reversed(found)


def _once(exchanges: Iterator[WebExchange]) -> Iterator[WebExchange]:
    """Each address once; "not modified" is what a page got that asked a second time itself."""
    before: dict[str, WebResponse] = {}
    for each in exchanges:
        url, response = each.request.url, each.response
        known = before.setdefault(url, response)
        if known is response:
            yield each
        elif response.status != 304 and (known.status, known.body) != (response.status, response.body):
            raise _NeedsBrowser(f"{url} answered twice in two ways")


def _require_given(
    exchange: WebExchange, kept: Sequence[WebExchange], given: Sequence[str], timezone: str
) -> None:
    """What an address is made of stands in what the page was given: it did not make it up, nor read a clock.

    Each part with a digit does; an address that names the day, month or year of its time does as a whole.
    """
    url = exchange.request.url
    if url == urldefrag(given[0]).url:
        return
    if normalise(url).volatile:
        raise _NeedsBrowser(f"{url} was made up for one time")
    said = [*given, *(header(each.response.headers, "location") for each in kept)]

    def stands(text: str) -> bool:
        spellings = {text, unquote(text), escape(text)}
        if any(one in other for one in spellings for other in said):
            return True
        raw = [one.encode() for one in spellings]
        return any(one in each.response.body for one in raw for each in kept if each is not exchange)

    parts = urlsplit(url)
    address = f"{parts.path}?{parts.query}".rstrip("?")
    for piece in _PIECES.split(address):
        if any(character.isdigit() for character in piece) and not stands(piece):
            raise _NeedsBrowser(f"{url} was made up for one time: no answer holds {piece}")
    past = _calendar(exchange.recorded_at, timezone) - _calendar(datetime.now(UTC), timezone)
    named = {part.lstrip("0") for part in _PARTS.split(address.lower())}
    if past & named and not stands(address):
        raise _NeedsBrowser(f"{url} names a time that is past")


def _calendar(at: datetime, timezone: str) -> set[str]:
    """What an address may call the day, week, month and year of a moment."""
    local = at.astimezone(ZoneInfo(timezone))
    return {f"{local:{form}}".lower().lstrip("0") for form in _FORMS} - {""}


def _require_cookies(exchange: WebExchange, kept: Sequence[WebExchange]) -> None:
    """Whatever cookies a request had were set by answers, so that whoever asks now gets them, too."""
    sent = header(exchange.request.headers, "cookie")
    names = {each.partition("=")[0].strip() for each in sent.split(";") if each.strip()}
    set_by_answers = {
        value.partition("=")[0].strip()
        for each in kept
        for name, value in each.response.headers
        if name.lower() == "set-cookie"
    }
    if names - set_by_answers:
        raise _NeedsBrowser(f"{exchange.request.url} was asked for with a cookie that a script had set")


# --- asking


async def _compared(client: HttpClient, exchange: WebExchange, told: set[str]) -> _How:
    """How an answer was found to be the same.

    Raises:
        _NeedsBrowser: it is another, or cannot be compared.
        ToolError: it cannot be asked for.
    """
    then, request = exchange.response, _again(exchange.request)
    known = told | {name.lower() for name, _ in request.headers}
    _require_varying(then, request, known)
    validator = _validator(exchange)
    if validator:
        now = await _ask(client, replace(request, headers=(*request.headers, validator)))
        if now.status == 304 and await _confirmed(client, request, exchange, known):
            return "validator"
    if not validator or now.status == 304:
        now = await _ask(client, request)
    _require_varying(now, request, known)
    if _steered(now) != _steered(then):
        raise _NeedsBrowser(f"{request.url} answers otherwise")
    if now.status in REDIRECTS or now.body == then.body:
        return "bytes"
    if _steady(now) == _steady(then):
        return "content"
    raise _NeedsBrowser(f"{request.url} has changed")


def _again(request: WebRequest) -> WebRequest:
    """A recorded request as it is sent again; caches have to ask the server (RFC 9111, 5.2.1.4)."""
    kept = tuple((name, value) for name, value in request.headers if not _SAID_ANEW.fullmatch(name.lower()))
    return WebRequest(request.url, "GET", (*kept, ("cache-control", "no-cache")))


async def _ask(client: HttpClient, request: WebRequest) -> WebResponse:
    return (await client.fetch(request, follow_redirects=False)).answer.response


async def _confirmed(client: HttpClient, request: WebRequest, exchange: WebExchange, known: set[str]) -> bool:
    """Whether a server names the same validator when it is sent none."""
    now = await _ask(client, replace(request, method="HEAD"))
    _require_varying(now, request, known)
    then = exchange.response
    same = all(header(now.headers, name) == header(then.headers, name) for name in ("etag", "last-modified"))
    return same and _steered(now) == _steered(then)


def _validator(exchange: WebExchange) -> tuple[str, str] | None:
    """The header that asks whether a strong validator still holds; None where the answer has none."""
    headers = exchange.response.headers
    if exchange.response.status != 200:
        return None
    modified, at = header(headers, "last-modified"), _date(headers, "last-modified")
    if at is not None and at < _FIRST_DATE:
        return None
    if tag := header(headers, "etag"):
        return ("if-none-match", tag) if tag.startswith('"') else None
    sent = _date(headers, "date")
    if at is None or sent is None or sent - at < _SETTLED:
        return None
    return ("if-modified-since", modified)


def _date(headers: Headers, name: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(header(headers, name))
    except (ValueError, TypeError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _steered(response: WebResponse) -> tuple[object, ...]:
    said = {name: _NONCE.sub("", header(response.headers, name)) for name in _STEERING}
    if response.content_type == "application/pdf":
        del said["content-disposition"]  # a PDF is read as a file whatever it says, and captured as one
    return response.status, *said.values()


def _require_varying(response: WebResponse, request: WebRequest, known: set[str]) -> None:
    """Whatever an answer varies with (RFC 9110, 12.5.5) is said as the browser says it."""
    names = {
        each.strip().lower()
        for name, value in response.headers
        if name.lower() == "vary"
        for each in value.split(",")
    } - {"", "accept-encoding", "cookie"}  # the same content, decoded; kept as by a browser
    referer = header(request.headers, "referer")
    if not referer or urlsplit(referer)[:2] == urlsplit(request.url)[:2]:
        names.discard("origin")  # sent to other sites only
    if missing := names - known:
        raise _NeedsBrowser(f"{request.url} varies with {', '.join(sorted(missing))}")


def _steady(response: WebResponse) -> object:
    """An HTML answer without remarks and values that are made anew for each: nonces, tokens of forms.

    A parser only finds these; what is compared is the text, since parsers leave out some of what is shown.
    """
    if response.content_type not in ("text/html", "application/xhtml+xml"):
        return response.body
    from lxml import etree, html

    text = decode_html(response.body, header(response.headers, "content-type")).text
    try:
        root = html.document_fromstring(text.encode(), parser=html.HTMLParser(encoding="utf-8"))
    except (etree.ParserError, ValueError):
        return response.body
    beside = (*root.itersiblings(etree.Comment, preceding=True), *root.itersiblings(etree.Comment))
    remarks = {str(each.text) for each in (*beside, *root.iter(etree.Comment))}
    values: set[str] = set()
    for each in root.iter(etree.Element):
        unseen = each.tag == "meta" or str(each.get("type")).lower() == "hidden"
        for name, value in ((str(key), str(said)) for key, said in each.attrib.items()):
            named = name
            if name in ("value", "content"):
                named = str(each.get("name") or "") if unseen else ""
            if _LETTER.search(value) and looks_made_up(value) and volatile(named, value) == "chance":
                values.add(value)
    remarks = {each for each in remarks if not _SCRIPTED.search(each)}
    text = _COMMENT.sub(lambda found: "" if found[1] in remarks else found[0], text)
    return _VALUE.sub(lambda found: found[1] if found[2] in values else found[0], text)
