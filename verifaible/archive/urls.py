"""Keys under which two spellings of a URL count as the same request.

``exact_key`` removes only what RFC 3986 (6.2.2) and the WHATWG URL standard call the same
address. ``normalise`` goes further, for look-ups that have no exact answer: cache-busters are
dropped, query order is ignored, a JSONP callback's name is replaced by a placeholder, ``+``
and ``%20`` in a query are one, and http and https are one. ``www.`` is never dropped, and
neither is any parameter whose value does not look generated.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*)://([^/?#\\]*)([^?#]*)(?:\?([^#]*))?(?:#.*)?", re.DOTALL)
_TRIPLET = re.compile(r"%[0-9A-Fa-f]{2}")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_DEFAULT_PORTS = {"http": "80", "https": "443", "ws": "80", "wss": "443"}
# WHATWG percent-encode sets of the path and of a special scheme's query; ``%`` itself stays.
_PATH_ENCODED = re.compile(r"[^!$%&'()*+,\-./0-9:;=@A-Z\[\\\]^_a-z|~]+")
_QUERY_ENCODED = re.compile(r"[^!$%&()*+,\-./0-9:;=?@A-Z\[\\\]^_`a-z{|}~]+")

#: Parameters that only ever hold a cache-buster: any number in them is ignored.
BUSTERS = frozenset({"_", "_dc", "rnd", "rand", "random", "nocache", "no-cache", "cachebuster", "cachebust"})
#: Parameters that often hold a cache-buster and sometimes content (``t=90`` is a second of a
#: video): ignored only where the value is a time stamp or has the form of ``Math.random()``.
#: ``v`` is not among them: it names a version, or on YouTube the video.
MAYBE_BUSTERS = frozenset({"t", "_t", "__t", "ts", "_ts", "timestamp", "time", "r", "_r", "cb"})
#: Parameters that name a JSONP callback, where their value is a JavaScript name.
CALLBACKS = frozenset({"callback", "_callback", "jsoncallback", "jsonpcallback", "jsonp", "_jsonp", "cb"})

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_EPOCH = re.compile(r"[1-3]\d{9}(?:\.\d+)?|[1-3]\d{12}")  # seconds or milliseconds, 2001 to 2096
_RANDOM_FLOAT = re.compile(r"0?\.\d{6,}")
_JS_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*|\[\d+\])*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Normalised:
    """A URL's normalised key, the JSONP callback it names (or an empty string), and its scheme."""

    key: str
    callback: str
    scheme: str


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


def is_buster(name: str, value: str) -> bool:
    """Whether a query parameter is a cache-buster, by its name and by what its value looks like."""
    name = name.lower()
    if name in BUSTERS:
        return bool(_NUMBER.fullmatch(value) or _RANDOM_FLOAT.fullmatch(value))
    return name in MAYBE_BUSTERS and bool(_EPOCH.fullmatch(value) or _RANDOM_FLOAT.fullmatch(value))


def _pair(raw: str) -> tuple[str, str]:
    name, _, value = raw.replace("+", " ").partition("=")
    if "%" in raw:  # latin-1 keeps every byte apart, whatever charset the site used
        name = unquote_to_bytes(name).decode("latin-1")
        value = unquote_to_bytes(value).decode("latin-1")
    return name, value


def normalise(url: str) -> Normalised:
    """The key for the second look-up; see the head of this module for what it leaves out.

    Repeated parameters keep the order of their values: only names are sorted.
    """
    exact = exact_key(url)
    scheme, authority, path, query = _split(exact)
    callback = ""
    pairs: list[tuple[str, str]] = []
    for raw in (query or "").split("&"):
        if not raw:
            continue
        name, value = _pair(raw)
        if is_buster(name, value):
            continue
        if not callback and name.lower() in CALLBACKS and _JS_NAME.fullmatch(value):
            callback, value = value, "\0callback"
        pairs.append((name, value))
    pairs.sort(key=lambda pair: pair[0])
    path = _TRIPLET.sub(_unreserved, path)
    family = "http" if scheme in {"http", "https"} else scheme
    tail = "".join(f"\0{name}\0{value}" for name, value in pairs)
    return Normalised(f"{family}://{authority}{path}{tail}", callback, scheme)


def _unreserved(match: re.Match[str]) -> str:
    char = chr(int(match.group()[1:], 16))
    return char if char in _UNRESERVED else match.group()
