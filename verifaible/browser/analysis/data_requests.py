"""Which of a page's requests fetched or sent data, what they were asked with, and what they gave."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from verifaible.browser.page.happenings import Asked
from verifaible.extract.charset import decode_html
from verifaible.schema.base import Record
from verifaible.schema.web import WebExchange, WebRequest, WebResponse, header

#: A name in JavaScript.
IDENTIFIER = re.compile(r"[^\W\d][\w$]*|[$_][\w$]*")
_CALLBACK_NAME = re.compile(r"callback|jsonp|^cb$", re.IGNORECASE)
_CACHE_BUSTER = re.compile(r"_|_dc|_?ts?|timestamp|rnd|rand|random|nocache|cachebuster|v|r", re.IGNORECASE)
#: The values of a cache-buster: a time in milliseconds or seconds, or a random number.
_BUSTING = re.compile(r"\d{9,19}(?:\.\d+)?|0?\.\d{5,}|\d{5,}")
#: A script that does nothing but give data: ``var hq_str_600000="…";``, as older sites answer.
_DATA_SCRIPT = re.compile(
    r"(?:\s*(?:var|let|const|window\.)?\s*[\w$.\[\]\"']+\s*="
    r"\s*(?:\"[^\"\n]{8,}\"|\"\"|'[^'\n]{8,}'|''|[\[{].*[\]}])\s*;?)+\s*",
    re.DOTALL,
)
_CALLS = re.compile(r"\bfunction\b|=>|\bnew\s")
_FORM = re.compile(r"[^\s=&<>{]+=\S*")
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_DATE = re.compile(r"(?:19|20)\d{2}([-/_.]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])(?!\d)")
_HASH = re.compile(r"(?=[^/]*\d)[0-9a-f]{16,}|(?=[^/]*\d)(?=[^/]*[a-z])(?=[^/]*[A-Z])[\w-]{20,}")
#: How much of a body's beginning is looked at.
_BODY_START = 4_096
#: More calls than these that differ in nothing but the words of their parameters are one entry.
_MOST_ALIKE = 3
_MOST_EXAMPLES = 3
_KINDS = {"xhr": "XHR", "fetch": "fetch", "eventsource": "SSE", "ping": "beacon", "websocket": "WebSocket"}
_DRESSING = ("image/", "font/", "video/", "audio/")
_READABLE = frozenset({"text/html", "text/plain", "text/csv", "text/xml", "application/xml", ""})
_NO_DATA = frozenset({"text/css", "application/pdf", "application/wasm"})


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
    kind: str = "request"
    pattern: str = ""
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
        asked: what the browser saw of each request; where it is empty, kinds are told from headers.
        steps: monotonic times at which the action steps began.
    """
    pages = {url.partition("#")[0] for url in own_urls}
    site = _site(own_urls[0]) if own_urls else ""
    waiting: defaultdict[tuple[str, str, bytes], deque[Asked]] = defaultdict(deque)
    for one in asked:
        waiting[(one.method, one.url.partition("#")[0], one.body)].append(one)
    found: list[DataRequest] = []
    for exchange in exchanges:
        request = exchange.request
        queue = waiting.get((request.method, request.url.partition("#")[0], request.body))
        seen = queue.popleft() if queue else None
        if (request.method == "GET" and request.url in pages) or not _is_data(exchange, seen):
            continue
        found.append(_of_exchange(exchange, seen, steps, site))
    unanswered = [one for queue in waiting.values() for one in queue if one.resource in _KINDS]
    found += [_of_asked(one, steps, site) for one in unanswered if one.method != "OPTIONS"]
    return _folded(found)


def _text(response: WebResponse, most: int) -> str:
    """The first ``most`` bytes of an answer, decoded as the page's browser would."""
    return decode_html(response.body[:most], header(response.headers, "content-type")).text


def _of_exchange(exchange: WebExchange, seen: Asked | None, steps: Sequence[float], site: str) -> DataRequest:
    response = exchange.response
    callback = callback_parameter(exchange)
    script = "script data" if "javascript" in response.content_type else "request"
    if callback:
        kind = "JSONP"
    elif seen is None:
        kind = script
    else:
        kind = _KINDS.get(seen.resource, "document" if seen.resource == "document" else script)
    request = exchange.request
    content_type = header(request.headers, "content-type") or (seen.content_type if seen else "")
    return _entry(
        request,
        content_type,
        site,
        callback=callback,
        status=response.status,
        media_type=response.content_type,
        size=len(response.body),
        beginning=_text(response, _BODY_START) or "\n".join(seen.messages if seen else ()),
        kind=kind,
        when=_when(seen, steps),
    )


def _of_asked(one: Asked, steps: Sequence[float], site: str) -> DataRequest:
    """A request whose answer was not kept: a stream that goes on, a beacon, one that failed."""
    beginning = "\n".join(one.messages)
    return _entry(
        WebRequest(one.url, one.method, (), one.body),
        one.content_type,
        site,
        status=one.status,
        media_type=one.answer_type.split(";")[0].strip().lower(),
        size=len(beginning),
        beginning=beginning,
        kind=_KINDS[one.resource],
        when=_when(one, steps),
    )


def _entry(
    request: WebRequest, content_type: str, site: str, *, callback: str = "", **found: Any
) -> DataRequest:
    address, _, query = request.url.partition("#")[0].partition("?")
    kept = tuple(
        (name, value)
        for name, value in parse_qsl(query, keep_blank_values=True)
        if name != callback and not (_CACHE_BUSTER.fullmatch(name) and _BUSTING.fullmatch(value))
    )
    if query and not kept and "=" not in query and not _BUSTING.fullmatch(query):
        kept = (("", query),)
    form = _form(request.body, content_type)
    kept += form
    parts = urlsplit(address)
    return DataRequest(
        method=request.method,
        address=address,
        parameters=kept,
        callback=callback,
        pattern=f"{parts.scheme}://{parts.netloc}{path_pattern(parts.path)}",
        examples=(address,),
        values=tuple((name, (value,)) for name, value in kept),
        sent="" if form else _sent(request.body, content_type),
        own=_site(address) == site,
        **found,
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


def _when(seen: Asked | None, steps: Sequence[float]) -> str:
    if seen is None or not steps:
        return ""
    played = sum(start <= seen.at for start in steps)
    return f"step {played}" if played else "at load"


def _site(url: str) -> str:
    host = urlsplit(url).hostname or ""
    return host if re.fullmatch(r"[\d.]+", host) else ".".join(host.split(".")[-2:])


def path_pattern(path: str) -> str:
    """A URL path with ids, dates, UUIDs and hashes as ``{id}``, ``{date}``, ``{uuid}`` and ``{hash}``."""
    dated = _DATE.sub("{date}", _UUID.sub("{uuid}", path))
    return "/".join(_segment(part) for part in dated.split("/"))


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
        parts = list(words.values()) if len(words) <= _MOST_ALIKE else [group]
        out += [_joined(part) for part in parts]
    return tuple(out)


def _joined(group: Sequence[DataRequest]) -> DataRequest:
    values: dict[str, dict[str, None]] = {}
    for one in group:
        for name, value in one.parameters:
            values.setdefault(name, {})[value] = None
    return group[-1].model_copy(
        update={
            "calls": len(group),
            "examples": tuple(dict.fromkeys(one.address for one in group))[:_MOST_EXAMPLES],
            "values": tuple((name, tuple(given)) for name, given in values.items()),
        }
    )


def callback_parameter(exchange: WebExchange) -> str:
    """The query parameter that names the function a JSONP answer calls; an empty string if none does."""
    start = _text(exchange.response, _BODY_START)
    for name, value in parse_qsl(urlsplit(exchange.request.url).query):
        named = _CALLBACK_NAME.search(name) or len(value) > 5
        if (
            named
            and IDENTIFIER.fullmatch(re.sub(r"[.\[\]]", "_", value))
            and re.search(rf"(?<![\w$]){re.escape(value)}\s*\(", start)
        ):
            return name
    return ""


def _is_data(exchange: WebExchange, seen: Asked | None) -> bool:
    response = exchange.response
    resource = seen.resource if seen else ""
    if 300 <= response.status < 400 or exchange.request.method == "OPTIONS":
        return False
    if exchange.request.method not in {"GET", "HEAD"} or resource in {"eventsource", "ping", "websocket"}:
        return True
    media = response.content_type
    if media.startswith(_DRESSING) or media in _NO_DATA:
        return False
    if callback_parameter(exchange) or ("json" in media and "manifest" not in media):
        return True
    if "javascript" in media:
        return _is_data_script(_text(response, _BODY_START), resource)
    return resource in {"xhr", "fetch"} if seen is not None else _looks_asked(exchange.request, media)


def _is_data_script(start: str, resource: str) -> bool:
    if start.lstrip()[:1] in ("{", "["):
        return True
    return resource in {"", "script"} and bool(_DATA_SCRIPT.fullmatch(start)) and not _CALLS.search(start)


def _looks_asked(request: WebRequest, media: str) -> bool:
    """Whether a script asked, by the headers; style sheets and scripts ask with ``*/*`` too."""
    accept = header(request.headers, "accept")
    if header(request.headers, "x-requested-with") or "json" in accept:
        return True
    return accept == "*/*" and media in _READABLE
