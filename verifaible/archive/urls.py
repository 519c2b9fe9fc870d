"""Keys under which two spellings of a URL count as the same request.

``exact_key`` removes only what RFC 3986 (6.2.2) and the WHATWG URL standard call the same
address. ``normalise`` goes further, for look-ups that have no exact answer: volatile parameters
(``archive.volatile``: cache-busters, nonces, the time of the request) are set aside, query order
is ignored, a JSONP callback's name is replaced by a placeholder, ``+`` and ``%20`` in a query are
one, and http and https are one. ``www.`` is never dropped, and neither is any parameter whose
value does not look generated.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote_to_bytes

from verifaible.archive.volatile import Pair, set_aside_in

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*)://([^/?#\\]*)([^?#]*)(?:\?([^#]*))?(?:#.*)?", re.DOTALL)
_TRIPLET = re.compile(r"%[0-9A-Fa-f]{2}")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_DEFAULT_PORTS = {"http": "80", "https": "443", "ws": "80", "wss": "443"}
# WHATWG percent-encode sets of the path and of a special scheme's query; ``%`` itself stays.
_PATH_ENCODED = re.compile(r"[^!$%&'()*+,\-./0-9:;=@A-Z\[\\\]^_a-z|~]+")
_QUERY_ENCODED = re.compile(r"[^!$%&()*+,\-./0-9:;=?@A-Z\[\\\]^_`a-z{|}~]+")

#: Parameters that name a JSONP callback, where their value is a JavaScript name.
CALLBACKS = frozenset({"callback", "_callback", "jsoncallback", "jsonpcallback", "jsonp", "_jsonp", "cb"})
_CALLBACK = "\0callback"

_JS_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*|\[\d+\])*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Normalised:
    """A URL as it is compared.

    Attributes:
        key: equal for URLs that ask for the same thing, whatever their volatile parameters say.
        callback: the JSONP callback that the URL names, or an empty string.
        scheme: its scheme in lower case.
        volatile: the parameters set aside, as (name, value); to be compared by
            ``volatile.same_but_for_time``.
        place: scheme, host and path, as in ``key``.
        pairs: the other parameters, sorted by name, the callback's value a placeholder.
    """

    key: str
    callback: str
    scheme: str
    volatile: tuple[Pair, ...]
    place: str
    pairs: tuple[Pair, ...]


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match.group().encode("utf-8", "surrogatepass"))


def _upper(match: re.Match[str]) -> str:
    return match.group().upper()


def _split(url: str) -> tuple[str, str, str, str | None]:
    cleaned = url.strip().replace("\t", "").replace("\r", "").replace("\n", "")
    found = _URL.fullmatch(cleaned)
    if found is None:
        return "", "", cleaned, None
    return found[1], found[2], found[3], found[4]


def _authority(scheme: str, authority: str) -> str:
    user, at, host = authority.rpartition("@")
    host = host.lower()
    if not host.isascii():
        name, colon, port = host.partition(":")
        try:
            host = name.encode("idna").decode("ascii") + colon + port
        except UnicodeError:
            host = _PATH_ENCODED.sub(_percent, host)
    host = host.removesuffix(":" + _DEFAULT_PORTS.get(scheme, "")).removesuffix(":")
    return user + at + host


def _without_dots(path: str) -> str:
    if "/." not in path and "\\" not in path:
        return path or "/"
    kept: list[str] = []
    segments = path.replace("\\", "/").split("/")[1:]
    for index, segment in enumerate(segments):
        plain = segment.lower().replace("%2e", ".")
        if plain == "..":
            del kept[-1:]
        elif plain != ".":
            kept.append(segment)
        if plain in {".", ".."} and index == len(segments) - 1:
            kept.append("")
    return "/" + "/".join(kept)


def recordable(url: str) -> str:
    """The URL as it stands in a record: no fragment, and only characters a URI may hold.

    Characters outside ASCII become UTF-8 percent triplets, host names punycode; nothing else
    is changed, so that a URL that was valid already comes back as it was.
    """
    scheme, authority, path, query = _split(url)
    if not scheme:
        return _PATH_ENCODED.sub(_percent, path)
    if not authority.isascii():
        authority = _authority(scheme.lower(), authority)
    tail = "" if query is None else "?" + _QUERY_ENCODED.sub(_percent, query)
    return f"{scheme}://{authority}{_PATH_ENCODED.sub(_percent, path)}{tail}"


def exact_key(url: str) -> str:
    """The address with the spellings that can not mean anything else made one.

    The fragment goes; scheme and host are lower case; the default port goes; an empty path is
    ``/``; dot segments are resolved; percent triplets are upper case.
    """
    scheme, authority, path, query = _split(url)
    if not scheme:
        return path
    scheme = scheme.lower()
    path = _TRIPLET.sub(_upper, _PATH_ENCODED.sub(_percent, _without_dots(path)))
    tail = "" if query is None else "?" + _TRIPLET.sub(_upper, _QUERY_ENCODED.sub(_percent, query))
    return f"{scheme}://{_authority(scheme, authority)}{path}{tail}"


def is_js_name(value: str) -> bool:
    """Whether a value may name a JavaScript function: ``cb_1``, ``a.b``, ``list[3]``."""
    return bool(_JS_NAME.fullmatch(value))


def _pair(raw: str) -> tuple[str, str]:
    name, _, value = raw.replace("+", " ").partition("=")
    if "%" in raw:  # latin-1 keeps every byte apart, whatever charset the site used
        name = unquote_to_bytes(name).decode("latin-1")
        value = unquote_to_bytes(value).decode("latin-1")
    return name, value


@lru_cache(8192)  # an archive is opened more than once in a process, and asked for the same again
def normalise(url: str) -> Normalised:
    """The key for the second look-up; see the head of this module for what it leaves out.

    Repeated parameters keep the order of their values: only names are sorted.
    """
    exact = exact_key(url)
    scheme, authority, path, query = _split(exact)
    callback = ""
    pairs: list[Pair] = []
    aside: list[Pair] = []
    for raw in (query or "").split("&"):
        if not raw:
            continue
        name, value = _pair(raw)
        steady = set_aside_in(name, value, aside)
        if steady is None:
            continue
        value = steady
        if not callback and name.lower() in CALLBACKS and is_js_name(value):
            callback, value = value, _CALLBACK
        pairs.append((name, value))
    pairs.sort(key=lambda pair: pair[0])
    path = _TRIPLET.sub(_unreserved, path)
    place = f"{'http' if scheme in {'http', 'https'} else scheme}://{authority}{path}"
    tail = "".join(f"\0{name}\0{value}" for name, value in pairs)
    return Normalised(place + tail, callback, scheme, tuple(aside), place, tuple(pairs))


def _unreserved(match: re.Match[str]) -> str:
    char = chr(int(match.group()[1:], 16))
    return char if char in _UNRESERVED else match.group()
