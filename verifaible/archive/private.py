"""What a recording leaves out: keys, credentials, and what marks one visitor.

A recording is made in fresh contexts without anybody's log-in, so what is removed is little:

- known secrets (the keys in the settings) wherever they stand, also percent-encoded;
- the request headers that carry credentials, and user names and passwords in addresses;
- cookies that a request sent, but for those that a look-up compares: plain words and small numbers;
- the values of cookies that a server set, where they look made up for one visitor (``archive.volatile``)
  and nothing else in the visit uses them; a stand-in of the same form takes their place. A value that
  a page read, sent on or was told elsewhere stays: without it the page would ask for something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from verifaible.archive.fitting import plain_cookies
from verifaible.archive.volatile import looks_made_up
from verifaible.schema.web import Headers, WebExchange, WebRequest, WebResponse

#: Takes the place of a secret.
REMOVED = "-removed-"
#: Shorter ones would be found by accident.
MIN_SECRET = 6
#: Shorter values mark nobody.
MIN_IDENTIFYING = 8

#: Request headers that carry them.
CREDENTIALS = frozenset({"authorization", "proxy-authorization"})
_PARTS = re.compile(r"[^A-Za-z0-9\-]+")


def without_private(
    exchanges: Sequence[WebExchange], secrets: Iterable[str] = (), credentials: Iterable[str] = ()
) -> list[WebExchange]:
    """The exchanges of one visit as they may be kept; see the head of this module.

    Args:
        exchanges: all that one visit asked for and got.
        secrets: values that may stand nowhere; shorter ones than MIN_SECRET are left alone.
        credentials: names, in lower case, of further request headers that are not kept.
    """
    hidden = _spellings(secrets)
    dropped = CREDENTIALS | set(credentials)
    kept = [_without_secrets(one, hidden, dropped) for one in exchanges]
    unused = {value: stand_in(value) for value in _set_values(kept) if _identifies(value, kept)}
    return [_without_cookies(one, unused) for one in kept]


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """A text as it may be kept: the address, the title or the words of a page."""
    return _cleaned(_without_user(text) if "://" in text[:16] else text, _spellings(secrets))


def _spellings(secrets: Iterable[str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for secret in secrets:
        if len(secret) >= MIN_SECRET:
            found |= dict.fromkeys((secret, quote(secret, safe=""), quote(secret)))
    return tuple(sorted(found, key=len, reverse=True))


def _without_secrets(exchange: WebExchange, hidden: tuple[str, ...], dropped: frozenset[str]) -> WebExchange:
    request, response = exchange.request, exchange.response
    sent = tuple(
        (name, value)
        for name, value in request.headers
        if name.lower() not in dropped and not any(secret in value for secret in hidden)
    )
    asked = WebRequest(
        _cleaned(_without_user(request.url), hidden), request.method, sent, _clean_bytes(request.body, hidden)
    )
    got = tuple((name, _cleaned(value, hidden)) for name, value in response.headers)
    answer = WebResponse(response.status, got, _clean_bytes(response.body, hidden))
    return WebExchange(asked, answer, exchange.recorded_at)


def _cleaned(text: str, hidden: tuple[str, ...]) -> str:
    for secret in hidden:
        text = text.replace(secret, REMOVED)
    return text


def _clean_bytes(data: bytes, hidden: tuple[str, ...]) -> bytes:
    for secret in hidden:
        data = data.replace(secret.encode(), REMOVED.encode())
    return data


def _without_user(url: str) -> str:
    """The address without a user name and password, which browsers send as a header."""
    parts = urlsplit(url)
    if "@" not in parts.netloc:
        return url
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _set_values(exchanges: Sequence[WebExchange]) -> Iterator[str]:
    """The value of every cookie that was set."""
    for exchange in exchanges:
        for name, value in exchange.response.headers:
            if name.lower() == "set-cookie":
                for line in value.splitlines():
                    yield line.partition(";")[0].partition("=")[2].strip()


def _identifies(value: str, exchanges: Sequence[WebExchange]) -> bool:
    """Whether a cookie marks one visitor, and nothing in the visit but cookies has its value."""
    parts = _PARTS.split(unquote(value))
    if not any(len(part) >= MIN_IDENTIFYING and looks_made_up(part) for part in (value, *parts)):
        return False
    spellings = {value, unquote(value)}
    return not any(spelling in text for text in _texts(exchanges) for spelling in spellings) and not any(
        spelling.encode() in body
        for exchange in exchanges
        for body in (exchange.request.body, exchange.response.body)
        for spelling in spellings
    )


def _texts(exchanges: Sequence[WebExchange]) -> Iterator[str]:
    for exchange in exchanges:
        yield exchange.request.url
        for name, value in (*exchange.request.headers, *exchange.response.headers):
            if name.lower() not in ("cookie", "set-cookie"):
                yield value


def stand_in(value: str) -> str:
    """A value of the same form that says nothing: digits become 0, letters a."""
    return re.sub(r"[A-Z]", "A", re.sub(r"[a-z]", "a", re.sub(r"[0-9]", "0", value)))


def _without_cookies(exchange: WebExchange, unused: dict[str, str]) -> WebExchange:
    sent: list[tuple[str, str]] = []
    for name, value in exchange.request.headers:
        if name.lower() != "cookie":
            sent.append((name, value))
        elif plain := plain_cookies(value):
            sent.append((name, plain))
    request = replace(exchange.request, headers=tuple(sent))
    response = replace(exchange.response, headers=_with_stand_ins(exchange.response.headers, unused))
    return replace(exchange, request=request, response=response)


def _with_stand_ins(headers: Headers, unused: dict[str, str]) -> Headers:
    kept: list[tuple[str, str]] = []
    for name, value in headers:
        is_set = name.lower() == "set-cookie"
        lines = [_line_with_stand_in(line, unused) for line in value.splitlines()] if is_set else [value]
        kept.append((name, "\n".join(lines)))
    return tuple(kept)


def _line_with_stand_in(line: str, unused: dict[str, str]) -> str:
    pair, semicolon, rest = line.partition(";")
    name, equals, value = pair.partition("=")
    return f"{name}{equals}{unused.get(value.strip(), value)}{semicolon}{rest}"
