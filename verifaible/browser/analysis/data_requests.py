"""Which of a page's requests fetched or sent data, what they were asked with, and what they gave."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import parse_qsl, urldefrag, urljoin, urlsplit

from verifaible.browser.traffic.requests import Asked
from verifaible.extract.charset import decode_html
from verifaible.net.client import REDIRECTS
from verifaible.schema.base import Record
from verifaible.schema.web import WebExchange, WebRequest, WebResponse, header

#: A name in JavaScript.
IDENTIFIER: Final = re.compile(r"[^\W\d][\w$]*|[$_][\w$]*")
_CALLBACK_NAME: Final = re.compile(r"callback|jsonp|^cb$", re.IGNORECASE)
_CACHE_BUSTER: Final = re.compile(
    r"_|_dc|_?ts?|timestamp|rnd|rand|random|nocache|cachebuster|v|r", re.IGNORECASE
)
#: The values of a cache-buster: a time in milliseconds or seconds, or a random number.
_BUSTING: Final = re.compile(r"\d{9,19}(?:\.\d+)?|0?\.\d{5,}|\d{5,}")
#: A script that does nothing but give data: ``var hq_str_600000="…";``, as older sites answer.
_DATA_SCRIPT: Final = re.compile(
    r"(?:\s*(?:var|let|const|window\.)?\s*[\w$.\[\]\"']+\s*="
    r"\s*(?:\"[^\"\n]{8,}\"|\"\"|'[^'\n]{8,}'|''|[\[{].*[\]}])\s*;?)+\s*",
    re.DOTALL,
)
_CALLS: Final = re.compile(r"\bfunction\b|=>|\bnew\s")
_FORM: Final = re.compile(r"[^\s=&<>{]+=\S*")
_CHANGING: Final = (
    (re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE), "{uuid}"),
    (re.compile(r"(?:19|20)\d{2}([-/_.]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])(?!\d)"), "{date}"),
)
_HASH: Final = re.compile(r"(?=[^/]*\d)[0-9a-f]{16,}|(?=[^/]*\d)(?=[^/]*[a-z])(?=[^/]*[A-Z])[\w-]{20,}")
#: How much of a body's beginning is looked at.
_BODY_START: Final = 4_096
#: More calls than these that differ in nothing but the words of their parameters are one entry.
_MOST_ALIKE: Final = 3
_MOST_EXAMPLES: Final = 3
_KINDS: Final = {
    "xhr": "XHR",
    "fetch": "fetch",
    "eventsource": "SSE",
    "ping": "beacon",
    "websocket": "WebSocket",
    "document": "document",
}
_DRESSING: Final = ("image/", "font/", "video/", "audio/", "text/css", "application/pdf", "application/wasm")


class DataRequest(Record):
    """A request for data that the page's scripts made; calls that are alike are one entry.

    ``kind``: XHR, fetch, JSONP, SSE (an event stream), beacon, WebSocket, script data, document, or
    request where the browser did not say. ``pattern`` is the address with ids, dates and hashes as
    placeholders, ``address`` the last one as sent, without its query; ``parameters`` are the
    query's and the form's of the last call, cache-busters left out; ``values`` what each of them was
    given in all calls; ``sent`` the first characters of any other body; ``callback`` is the name of the
    JSONP parameter; ``beginning`` the first characters of the answer; ``when`` it was made: at load or by
    which step. ``status`` is 0 where no answer came.
    """

    method: str
    address: str
    parameters: tuple[tuple[str, str], ...]
    callback: str
    status: int
    media_type: str
    size: int
    beginning: str
    kind: str
    pattern: str
    calls: int = 1
    examples: tuple[str, ...] = ()
    values: tuple[tuple[str, tuple[str, ...]], ...] = ()
    sent: str = ""
    when: str = ""
    own: bool = True


def data_requests(
    exchanges: Sequence[WebExchange],
    own_urls: Sequence[str],
    asked: Sequence[Asked] = (),
    steps: Sequence[float] = (),
) -> tuple[DataRequest, ...]:
    """The requests by which scripts fetched or sent data, in order, those that are alike once.

    Args:
        exchanges: everything the page asked for and got.
        own_urls: the addresses of the page and its frames, which are no data.
        asked: what the browser saw of each request.
        steps: monotonic times at which the action steps began.
    """
    pages = {url.partition("#")[0] for url in own_urls}
    site = _site(own_urls[0]) if own_urls else ""
    waiting: defaultdict[tuple[str, str, bytes], deque[Asked]] = defaultdict(deque)
    for one in asked:
        waiting[(one.method, one.url.partition("#")[0], one.body)].append(one)
    found: list[DataRequest] = []
    led_to: dict[str, Asked] = {}  # where an archive answers, the browser sees only the first of several hops
    for exchange in exchanges:
        request = exchange.request
        queue = waiting.get((request.method, request.url.partition("#")[0], request.body))
        seen = queue.popleft() if queue else led_to.pop(request.url.partition("#")[0], None)
        if seen is not None and (place := _redirected_to(exchange)):
            led_to[place] = seen
        is_page = request.method == "GET" and request.url in pages
        if not is_page and _is_data(exchange, seen):
            found.append(_entry(request, exchange.response, seen, steps, site))
    # What has no answer that was kept: a stream that goes on, a beacon, a request that failed.
    for one in (one for queue in waiting.values() for one in queue):
        if one.resource in _KINDS and one.resource != "document" and one.method != "OPTIONS":
            answer = WebResponse(one.status, (("content-type", one.answer_type),), b"")
            found.append(_entry(WebRequest(one.url, one.method, (), one.body), answer, one, steps, site))
    return _folded(found)


def _redirected_to(exchange: WebExchange) -> str:
    """Where an answer sends the browser, or an empty string."""
    place = header(exchange.response.headers, "location")
    if exchange.response.status not in REDIRECTS or not place:
        return ""
    return urldefrag(urljoin(exchange.request.url, place)).url


def _entry(
    request: WebRequest, response: WebResponse, seen: Asked | None, steps: Sequence[float], site: str
) -> DataRequest:
    callback = callback_parameter(request.url, response)
    kind = "script data" if "javascript" in response.content_type else "request"
    kind = "JSONP" if callback else _KINDS.get(seen.resource, kind) if seen is not None else kind
    said = _text(response) or "\n".join(seen.messages if seen else ())
    address, _, query = request.url.partition("#")[0].partition("?")
    content_type = header(request.headers, "content-type") or (seen.content_type if seen else "")
    form = _form(request.body, content_type)
    parameters = (*_asked_with(query, callback), *form)
    parts = urlsplit(address)
    played = sum(start <= seen.at for start in steps) if seen is not None else 0
    return DataRequest(
        method=request.method,
        address=address,
        parameters=parameters,
        callback=callback,
        status=response.status,
        media_type=response.content_type,
        size=len(response.body) or len(said),
        beginning=said,
        kind=kind,
        pattern=f"{parts.scheme}://{parts.netloc}{path_pattern(parts.path)}",
        sent="" if form else _sent(request.body, content_type),
        when="" if seen is None or not steps else f"step {played}" if played else "at load",
        own=_site(address) == site,
    )


def _text(response: WebResponse) -> str:
    """The beginning of an answer, decoded as the page's browser would."""
    return decode_html(response.body[:_BODY_START], header(response.headers, "content-type")).text


def _asked_with(query: str, callback: str) -> tuple[tuple[str, str], ...]:
    """The parameters of a query, without the name of a callback and what only keeps caches out."""
    if query and "=" not in query:
        return () if _BUSTING.fullmatch(query) else (("", query),)
    return tuple(
        (name, value)
        for name, value in parse_qsl(query, keep_blank_values=True)
        if name != callback and not (_CACHE_BUSTER.fullmatch(name) and _BUSTING.fullmatch(value))
    )


def _form(body: bytes, content_type: str) -> tuple[tuple[str, str], ...]:
    """The fields of a form that is sent; none where it is no form."""
    media = content_type.split(";", maxsplit=1)[0].strip().lower()
    text = body.decode("utf-8", "replace")
    if media not in {"", "application/x-www-form-urlencoded"} or not _FORM.fullmatch(text):
        return ()
    return tuple(parse_qsl(text, keep_blank_values=True))


def _sent(body: bytes, content_type: str) -> str:
    try:
        return body.decode("utf-8")[:_BODY_START]
    except UnicodeDecodeError:
        return f"{len(body)} bytes of {content_type or 'an unknown type'}"


def _site(url: str) -> str:
    host = urlsplit(url).hostname or ""
    return host if re.fullmatch(r"[\d.]+", host) else ".".join(host.split(".")[-2:])


def path_pattern(path: str) -> str:
    """A URL path with ids, dates, UUIDs and hashes as ``{id}``, ``{date}``, ``{uuid}`` and ``{hash}``."""
    for pattern, name in _CHANGING:
        path = pattern.sub(name, path)
    return "/".join(_segment(part) for part in path.split("/"))


def _segment(part: str) -> str:
    stem, dot, suffix = part.rpartition(".")
    name, end = (stem, dot + suffix) if dot and stem and len(suffix) <= 5 else (part, "")
    if "{" in name:
        return part
    if name.isdecimal():
        return "{id}" + end
    if _HASH.fullmatch(name):
        return "{hash}" + end
    # A word with a long number in it: item-48213.html.
    return re.sub(r"\d{4,}", "{id}", name) + end


def _is_changing(value: str) -> bool:
    """Whether a parameter's value is of the kind that changes from call to call: a number, date or id."""
    bare = value.strip()
    return not bare or not re.search(r"[A-Za-z\u0080-\uffff]", bare) or path_pattern(bare) != bare


def _folded(requests: Iterable[DataRequest]) -> tuple[DataRequest, ...]:
    """Calls of one address pattern with the same parameters become one entry.

    Calls that differ in a word (``report=YIELDS``) or a body stay apart, unless there are many of them.
    """
    alike: defaultdict[tuple[object, ...], list[DataRequest]] = defaultdict(list)
    for one in requests:
        names = tuple(sorted({name for name, _ in one.parameters}))
        alike[(one.method, one.pattern, one.callback != "", names)].append(one)
    out: list[DataRequest] = []
    for group in alike.values():
        words: defaultdict[tuple[str, ...], list[DataRequest]] = defaultdict(list)
        for one in group:
            said = ("" if _is_changing(value) else value for _, value in one.parameters)
            words[one.sent, *said].append(one)
        out += map(_joined, words.values() if len(words) <= _MOST_ALIKE else [group])
    return tuple(out)


def _joined(group: Sequence[DataRequest]) -> DataRequest:
    values: dict[str, dict[str, None]] = {}
    for name, value in (pair for one in group for pair in one.parameters):
        values.setdefault(name, {})[value] = None
    return group[-1].model_copy(
        update={
            "calls": len(group),
            "examples": tuple(dict.fromkeys(one.address for one in group))[:_MOST_EXAMPLES],
            "values": tuple((name, tuple(given)) for name, given in values.items()),
        }
    )


def callback_parameter(url: str, response: WebResponse) -> str:
    """The query parameter that names the function a JSONP answer calls; an empty string if none does."""
    start = _text(response)
    for name, value in parse_qsl(urlsplit(url).query):
        named = _CALLBACK_NAME.search(name) or len(value) > 5
        is_name = named and IDENTIFIER.fullmatch(re.sub(r"[.\[\]]", "_", value))
        if is_name and re.search(rf"(?<![\w$]){re.escape(value)}\s*\(", start):
            return name
    return ""


def _is_data(exchange: WebExchange, seen: Asked | None) -> bool:
    request, response = exchange.request, exchange.response
    resource, media = seen.resource if seen else "", response.content_type
    if 300 <= response.status < 400 or request.method == "OPTIONS":
        return False
    if request.method not in {"GET", "HEAD"} or resource in {"eventsource", "ping", "websocket"}:
        return True
    if media.startswith(_DRESSING):
        return False
    if ("json" in media and "manifest" not in media) or callback_parameter(request.url, response):
        return True
    if "javascript" not in media:
        return resource in {"xhr", "fetch"}
    start = _text(response)
    only_data = resource in {"", "script"} and _DATA_SCRIPT.fullmatch(start) and not _CALLS.search(start)
    return bool(start.lstrip()[:1] in ("{", "[") or only_data)
