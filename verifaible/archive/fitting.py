"""Which recorded answers a request's headers allow.

Two requests for one address may ask for different things by their headers: a page number in a
header of the site's own, a media type, a language, a part of the file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Literal, TypeAlias

from verifaible.archive.volatile import looks_made_up, words_of
from verifaible.schema.web import Headers, WebExchange, WebRequest, header

#: ``same``: every header that can select an answer is equal; ``open``: some are missing or differ,
#: and nothing says that they matter; ``other``: the request asks for something else.
Fit: TypeAlias = Literal["same", "open", "other"]

# Set by the browser itself, or about the connection and the reader, not about the content.
_IGNORED = frozenset(
    {
        "host",
        "connection",
        "content-length",
        "user-agent",
        "referer",
        "origin",
        "accept-encoding",
        "cache-control",
        "pragma",
        "cookie",
        "upgrade-insecure-requests",
        "priority",
        "purpose",
        "te",
        "dnt",
        "date",
        "via",
        "forwarded",
        "save-data",
        "authorization",
        "x-requested-with",
        "x-client-data",
        "traceparent",
        "tracestate",
        "baggage",
        "expect",
        "trailer",
        "upgrade",
        "keep-alive",
    }
)
_PREFIXES = (":", "sec-", "proxy-", "access-control-", "x-forwarded-", "x-b3-", "sentry-")
# Whether these matter is said by the answer (Vary: RFC 9110, 12.5.5) or its status.
_STANDARD = frozenset(
    {
        "accept",
        "accept-language",
        "accept-charset",
        "content-type",
        "content-encoding",
        "if-none-match",
        "if-modified-since",
        "if-match",
        "if-unmodified-since",
        "if-range",
        "range",
    }
)

# A cookie that is not made up for the visitor: a language, a tab, a page.
_PLAIN = re.compile(r"[A-Za-z]{1,20}|\d{1,4}", re.ASCII)


def fit(request: WebRequest, recorded: WebExchange) -> Fit:
    """How far the headers of a request allow a recorded answer."""
    if not _status_fits(request, recorded) or _cookies_differ(request, recorded.request):
        return "other"
    ours, theirs = selecting(request.headers), selecting(recorded.request.headers)
    if ours == theirs:
        return "same"
    if not recorded.request.headers or not request.headers:
        return "open"  # made by hand, or asked by one who sets none
    varies = {part.strip().lower() for part in header(recorded.response.headers, "vary").split(",")}
    differing = {name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name)}
    differing.discard("content-type")  # the bodies themselves are compared
    own = differing - _STANDARD
    return "other" if own or differing & varies & ours.keys() & theirs.keys() else "open"


def _status_fits(request: WebRequest, recorded: WebExchange) -> bool:
    """A 304 answers only a conditional request, and a 206 only the same range."""
    status = recorded.response.status
    if status == HTTPStatus.NOT_MODIFIED:
        return bool(header(request.headers, "if-none-match") or header(request.headers, "if-modified-since"))
    if status == HTTPStatus.PARTIAL_CONTENT:
        wanted = header(request.headers, "range")
        return bool(wanted) and header(recorded.request.headers, "range") == wanted
    return True


def _cookies_differ(request: WebRequest, recorded: WebRequest) -> bool:
    """Whether a cookie that both have says something else: a plain word or a small number."""
    ours, theirs = _cookies(request), _cookies(recorded)
    return any(
        ours[name] != theirs[name] and _PLAIN.fullmatch(ours[name]) and _PLAIN.fullmatch(theirs[name])
        for name in ours.keys() & theirs.keys()
    )


def _cookies(request: WebRequest) -> Mapping[str, str]:
    parts = [part.strip().partition("=") for part in header(request.headers, "cookie").split(";")]
    return {name: value for name, _, value in parts if name}


def plain_cookies(value: str) -> str:
    """The pairs of a ``Cookie`` header that a look-up compares: those not made up for a visitor."""
    pairs = [part.strip() for part in value.split(";")]
    return "; ".join(pair for pair in pairs if _PLAIN.fullmatch(pair.partition("=")[2]))


def selecting(headers: Headers) -> Mapping[str, str]:
    """The headers that can select an answer, without those made up for each request."""
    found: dict[str, str] = {}
    for name, value in headers:
        lower = name.lower()
        if lower in _IGNORED or lower.startswith(_PREFIXES) or _is_made_up(lower, value):
            continue
        # The boundary of a multipart body is made up.
        found[lower] = value.partition(";")[0].strip() if lower == "content-type" else value
    return found


def _is_made_up(name: str, value: str) -> bool:
    last = words_of(name)[-1:]
    ends = {
        "id",
        "token",
        "nonce",
        "sign",
        "signature",
        "timestamp",
        "time",
        "trace",
        "key",
        "session",
        "visitor",
    }
    return bool(ends.intersection(last)) and looks_made_up(value)
