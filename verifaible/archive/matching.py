"""Which recorded requests ask for the same thing as another: by address, body and headers; and JSONP."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from typing import Literal, TypeAlias
from urllib.parse import parse_qsl, unquote_to_bytes

from verifaible.archive.urls import exact_key
from verifaible.archive.volatile import Pair, looks_made_up, set_aside, set_aside_in, words_of
from verifaible.schema.web import Headers, WebExchange, WebRequest, header

# --- addresses

_UNRESERVED = re.compile(r"%(?:2D|2E|5F|7E|3\d|[46][1-9A-F]|[57][0-9A])")


@dataclass(frozen=True, slots=True)
class Normalised:
    """A URL as it is compared.

    Attributes:
        key: equal for URLs that ask for the same thing, whatever their volatile parameters say.
        scheme: its scheme.
        volatile: the parameters set aside, as (name, value); to be compared by
            ``volatile.same_but_for_time``.
        place: host and path, as in ``key``.
        pairs: the other parameters, sorted by name.
    """

    key: str
    scheme: str
    volatile: tuple[Pair, ...]
    place: str
    pairs: tuple[Pair, ...]


@lru_cache(8192)  # an archive is opened more than once in a process, and asked for the same again
def normalise(url: str) -> Normalised:
    """The URL without what does not say what is asked for.

    Volatile parameters are set aside, the order of names in the query is ignored (repeated names keep the
    order of their values), ``+`` and ``%20`` in a query are one, and http and https are one. ``www.`` is
    never dropped, and neither is any parameter whose value does not look generated.
    """
    address, _, query = exact_key(url).partition("?")
    scheme, _, rest = address.partition(":")
    place = f"{'http' if scheme == 'https' else scheme}:{_UNRESERVED.sub(_decoded, rest)}"
    aside: list[Pair] = []
    pairs: list[Pair] = []
    for name, value in map(_pair, filter(None, query.split("&"))):
        steady = set_aside_in(name, value, aside)
        if steady is not None:
            pairs.append((name, steady))
    pairs.sort(key=lambda pair: pair[0])
    tail = "".join(f"\0{name}\0{value}" for name, value in pairs)
    return Normalised(place + tail, scheme, tuple(aside), place, tuple(pairs))


def _decoded(triplet: re.Match[str]) -> str:
    return chr(int(triplet[0][1:], 16))


def _pair(raw: str) -> Pair:
    # Latin-1 keeps every byte apart, whatever charset the site used.
    name, _, value = raw.replace("+", " ").partition("=")
    return unquote_to_bytes(name).decode("latin-1"), unquote_to_bytes(value).decode("latin-1")


# --- bodies

_FORM = re.compile(rb"[^\s=&{}<>\"]+=[^\s{}<>\"]*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Body:
    """A request body as it is compared.

    ``same`` is equal for bodies that mean the same (JSON key order and white space, form encoding,
    multipart boundaries aside); ``steady`` also leaves out the volatile fields, which stand in ``aside``.
    """

    same: str
    steady: str
    aside: tuple[Pair, ...] = ()


def body_of(body: bytes, content_type: str) -> Body:
    """What a request body says; its form is read from its type and its first bytes."""
    aside: list[Pair] = []
    fields = fields_of(body, content_type) if body.strip() else None  # no body is one, whatever its type
    try:
        if isinstance(fields, list):
            same: object = _by_name(fields)
            kept = [(name, set_aside_in(name, value, aside)) for name, value in fields]
            steady: object = _by_name(pair for pair in kept if pair[1] is not None)
        elif fields is not None:
            same, steady = fields.root, set_aside(fields.root, aside)
        else:
            same = steady = hashlib.sha256(body.strip()).hexdigest()
        kind = type(fields).__name__
        return Body(_hash(kind, same), _hash(kind, steady), tuple(aside))
    except RecursionError:
        digest = hashlib.sha256(body).hexdigest()
        return Body(digest, digest)


@dataclass(frozen=True, slots=True)
class Json:
    """A body that is JSON, read."""

    root: object


def fields_of(body: bytes, content_type: str) -> Json | list[Pair] | None:
    """The JSON value or the form fields that a request body holds; None for any other body."""
    media = content_type.partition(";")[0].strip().lower()
    if "json" in media or body.lstrip()[:1] in {b"{", b"["}:
        try:
            return Json(json.loads(body))
        except (ValueError, RecursionError):
            pass
    if media.startswith("multipart/"):
        return _multipart(body, content_type) or None
    if media == "application/x-www-form-urlencoded" or (not media and _FORM.fullmatch(body)):
        text = body.decode("ascii", "surrogateescape")
        return parse_qsl(text, keep_blank_values=True, encoding="latin-1")
    return None


def leaves(root: object) -> Iterator[tuple[str, object]]:
    """The leaves of a JSON value in order, each with the name of the field that it is in."""
    stack: list[tuple[str, object]] = [("", root)]
    while stack:
        name, value = stack.pop()
        if isinstance(value, dict):
            stack.extend((str(key), item) for key, item in reversed(value.items()))
        elif isinstance(value, list):
            stack.extend((name, item) for item in reversed(value))
        else:
            yield name, value


def _multipart(body: bytes, content_type: str) -> list[Pair]:
    boundary = re.search(r"boundary=\"?([^\";,]+)", content_type, re.IGNORECASE)
    pairs: list[Pair] = []
    for part in body.split(b"--" + boundary[1].strip().encode())[1:] if boundary else ():
        head, _, data = part.partition(b"\r\n\r\n")
        if name := re.search(rb"[; ]name=\"([^\"]*)\"", head):
            pairs.append((name[1].decode("latin-1"), data.removesuffix(b"\r\n").decode("latin-1")))
    return pairs


def _by_name(pairs: Iterable[tuple[str, object]]) -> list[tuple[str, object]]:
    """Sorted by name only: repeated fields keep the order of their values."""
    return sorted(pairs, key=lambda pair: pair[0])


def _hash(kind: str, value: object) -> str:
    text = json.dumps([kind, value], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


# --- headers

#: ``same``: every header that can select an answer is equal; ``open``: some are missing or differ,
#: and nothing says that they matter; ``other``: the request asks for something else.
Fit: TypeAlias = Literal["same", "open", "other"]

#: Set by the browser itself, or about the connection and the reader, not about the content.
_IGNORED = re.compile(
    r"host|connection|content-length|user-agent|referer|origin|accept-encoding|cache-control|pragma|cookie"
    r"|upgrade(-insecure-requests)?|priority|purpose|te|dnt|date|via|forwarded|save-data|authorization"
    r"|x-requested-with|x-client-data|traceparent|tracestate|baggage|expect|trailer|keep-alive"
    r"|(:|sec-|proxy-|access-control-|x-forwarded-|x-b3-|sentry-).*"
)
#: Whether these matter is said by the answer (Vary: RFC 9110, 12.5.5) or its status.
_STANDARD = re.compile(r"accept(-language|-charset)?|content-(type|encoding)|range|if-[a-z-]+")
_MADE_ANEW = frozenset("id token nonce sign signature timestamp time trace key session visitor".split())
#: The value of a cookie that is not made up for the visitor: a language, a tab, a page.
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
    own = {name for name in differing if not _STANDARD.fullmatch(name)}
    return "other" if own or differing & varies & ours.keys() & theirs.keys() else "open"


def _status_fits(request: WebRequest, recorded: WebExchange) -> bool:
    """A 304 answers only a conditional request, and a 206 only the same range."""
    status = recorded.response.status
    if status == HTTPStatus.NOT_MODIFIED:
        return bool(header(request.headers, "if-none-match") or header(request.headers, "if-modified-since"))
    if status == HTTPStatus.PARTIAL_CONTENT:
        part = header(request.headers, "range")
        return bool(part) and header(recorded.request.headers, "range") == part
    return True


def _cookies_differ(request: WebRequest, recorded: WebRequest) -> bool:
    """Whether a cookie that both have says something else: a plain word or a small number."""
    ours, theirs = (dict(cookies(header(each.headers, "cookie"))) for each in (request, recorded))
    return any(
        ours[name] != theirs[name] and is_plain(ours[name]) and is_plain(theirs[name])
        for name in ours.keys() & theirs.keys()
    )


def cookies(value: str) -> list[Pair]:
    """The names and values of a ``Cookie`` header."""
    parts = [part.strip().partition("=") for part in value.split(";")]
    return [(name, said) for name, _, said in parts if name]


def is_plain(value: str) -> bool:
    """Whether a value is a plain word or a small number, which chooses a page and marks nobody."""
    return bool(_PLAIN.fullmatch(value))


def selecting(headers: Headers) -> Mapping[str, str]:
    """The headers that can select an answer, without those made up for each request."""
    found: dict[str, str] = {}
    for name, value in headers:
        lower = name.lower()
        made_anew = _MADE_ANEW.intersection(words_of(lower)[-1:]) and looks_made_up(value)
        if not made_anew and not _IGNORED.fullmatch(lower):
            # The boundary of a multipart body is made up.
            found[lower] = value.partition(";")[0].strip() if lower == "content-type" else value
    return found


# --- JSONP

_JS_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*|\[\d+\])*", re.ASCII)
_PRELUDE = rb"(?:\xef\xbb\xbf)?(?:\s|;|/\*.*?\*/|//[^\n]*\n)*"


def is_js_name(value: str) -> bool:
    """Whether a value may name a JavaScript function: ``cb_1``, ``a.b``, ``list[3]``."""
    return bool(_JS_NAME.fullmatch(value))


def rename_callback(body: bytes, recorded: str, asked: str) -> bytes | None:
    """The body with its call of ``recorded`` made a call of ``asked``; None where it is no such call.

    It has to begin with that call: after white space, comments, and guards on the same name
    (``/**/cb && cb(``, ``typeof cb === 'function' && cb(``, ``try{cb(``). Every later mention of
    the name stays as it was recorded.
    """
    found = _call(body, recorded)
    if found is None:
        return None
    # A function, so that no character of the new name is read as a group reference.
    head = re.sub(_name(recorded), lambda _: asked.encode(), found[2])
    return found[1] + head + body[found.end() :]


def _name(name: str) -> bytes:
    return rb"(?<![\w$])" + re.escape(name.encode()) + rb"(?![\w$])"


def _call(body: bytes, called: str) -> re.Match[bytes] | None:
    name = rb"(?:window\.)?" + _name(called)
    test = rb"(?:typeof\s*\(?\s*" + name + rb"\s*\)?\s*={2,3}\s*['\"]function['\"]|" + name + rb")"
    guard = rb"(?:" + test + rb"\s*&&\s*|if\s*\(\s*" + test + rb"\s*\)\s*\{?\s*|try\s*\{\s*)*"
    return re.match(rb"(" + _PRELUDE + rb")(" + guard + name + rb"\s*\()", body, re.DOTALL)
