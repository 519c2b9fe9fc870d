"""Which of a page's requests fetched data: XHR, fetch and JSONP."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import parse_qsl, urlsplit

from verifaible.schema.base import Record
from verifaible.schema.web import WebExchange, header

_IDENTIFIER = re.compile(r"[^\W\d][\w$]*|[$_][\w$]*")
_CALLBACK_NAME = re.compile(r"callback|jsonp|^cb$", re.IGNORECASE)
_CACHE_BUSTERS = frozenset({"_", "_t", "t", "ts", "timestamp", "rnd", "random", "nocache"})
#: How much of an answer's beginning is looked at.
_BODY_START = 4_096


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
        callback = callback_parameter(exchange)
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


def callback_parameter(exchange: WebExchange) -> str:
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
    if "json" in media or callback_parameter(exchange):
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
