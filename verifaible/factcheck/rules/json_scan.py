"""A JSON value inside a text, with where each of its values stands (RFC 8259): read once, without recursion.

:mod:`verifaible.text.json_pointer` reads texts that are JSON as a whole; a source may hold some amid words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from verifaible.text.json_pointer import escaped_key

LeafKind: TypeAlias = Literal["number", "string", "literal"]

_TOKEN: Final = re.compile(
    r"[ \t\r\n\ufeff]*(?:(?P<sign>[{}\[\]:,])"
    r'|(?P<string>"[^"\\]*(?:\\.[^"\\]*)*")'
    r"|(?P<number>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])"
    r"|(?P<literal>true|false|null|NaN|-?Infinity)(?!\w))",
    re.DOTALL,
)
_ESCAPE: Final = re.compile(
    r"\\u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})"
    r'|\\(?:u(?P<code>[0-9a-fA-F]{4})|(?P<sign>["\\/bfnrt]))'
)
#: Deeper than this a document is not read as JSON; :mod:`json` gives up at about a thousand.
_DEEPEST: Final = 400
_PLAIN: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


@dataclass(slots=True)
class Container:
    """An object or an array, ``text[start:end]``; ``strings`` has an object's string values by key."""

    parent: int
    key: str
    array: bool
    start: int
    end: int = -1
    depth: int = 1
    strings: dict[str, Leaf] = field(default_factory=dict)
    keys: list[str] = field(default_factory=list)
    size: int = 0


@dataclass(frozen=True, slots=True)
class Leaf:
    """A number, string or literal: ``text[start:end]``, with the quotes of a string."""

    kind: LeafKind
    start: int
    end: int
    container: int
    key: str
    index: int


@dataclass(frozen=True, slots=True)
class Scanned:
    """A JSON document: its leaves in order, its containers (the parent of the first is -1), and its end."""

    leaves: Sequence[Leaf]
    containers: Sequence[Container]
    end: int

    def path(self, leaf: Leaf) -> tuple[str, ...]:
        """The keys from the root to a leaf; places in arrays are numbers."""
        keys = [leaf.key]
        at = leaf.container
        while at > 0:
            keys.append(self.containers[at].key)
            at = self.containers[at].parent
        return tuple(reversed(keys))

    def pointer(self, leaf: Leaf) -> str:
        """The JSON Pointer of a leaf."""
        if leaf.container < 0:
            return ""
        return "".join("/" + escaped_key(key) for key in self.path(leaf))


def scan_json(text: str, start: int = 0, *, deepest: int = _DEEPEST) -> Scanned | None:
    """The JSON value that begins at ``start``, or None where none does, it does not end, or is too deep.

    What stands behind the value is not looked at: compare ``end`` with the length of the text.
    """
    scan = _Scan(deepest)
    at = start
    while match := _TOKEN.match(text, at):
        at = match.end()
        if not scan.take(match):
            return None
        if scan.open_at < 0 and scan.state == "next":
            return Scanned(scan.leaves, scan.containers, at)
    return None


class _Scan:
    """What has been read.

    ``state`` says what may come: ``value``, ``first`` (a value or the end of an array), ``key``, ``firstkey``
    (a key or the end of an object), ``colon`` or ``next`` (a comma or an end).
    """

    def __init__(self, deepest: int) -> None:
        self.deepest = deepest
        self.leaves: list[Leaf] = []
        self.containers: list[Container] = []
        self.open_at = -1
        self.key = ""
        self.state = "value"

    def take(self, match: re.Match[str]) -> bool:
        """Take a token; whether it may stand where it stands."""
        sign = match["sign"]
        if sign is None:
            return self._string_key(match) if self.state in ("key", "firstkey") else self._leaf(match)
        if sign == ":":
            allowed, self.state = self.state == "colon", "value"
            return allowed
        if sign == ",":
            if self.state != "next" or self.open_at < 0:
                return False
            self.state = "value" if self.containers[self.open_at].array else "key"
            return True
        return self._open(sign, match.start("sign")) if sign in "{[" else self._close(sign, match.end())

    def _string_key(self, match: re.Match[str]) -> bool:
        if match["string"] is None:
            return False
        self.key, self.state = unescaped(match["string"][1:-1]), "colon"
        self.containers[self.open_at].keys.append(self.key)
        return True

    def _open(self, sign: str, start: int) -> bool:
        if self.state not in ("value", "first"):
            return False
        key = _counted(self.containers, self.open_at, self.key)
        depth = self.containers[self.open_at].depth + 1 if self.open_at >= 0 else 1
        self.containers.append(Container(self.open_at, key, sign == "[", start, depth=depth))
        self.open_at = len(self.containers) - 1
        self.state = "first" if sign == "[" else "firstkey"
        return depth <= self.deepest

    def _close(self, sign: str, end: int) -> bool:
        allowed = self.state in ("next", "first" if sign == "]" else "firstkey")
        if not allowed or self.open_at < 0 or self.containers[self.open_at].array != (sign == "]"):
            return False
        self.containers[self.open_at].end = end
        self.open_at = self.containers[self.open_at].parent
        self.state = "next"
        return True

    def _leaf(self, match: re.Match[str]) -> bool:
        if self.state not in ("value", "first"):
            return False
        key = _counted(self.containers, self.open_at, self.key)
        kind: LeafKind = "number" if match["number"] else "string" if match["string"] else "literal"
        size = self.containers[self.open_at].size if self.open_at >= 0 else 0
        leaf = Leaf(kind, match.start(kind), match.end(), self.open_at, key, size)
        self.leaves.append(leaf)
        if kind == "string" and self.open_at >= 0 and not self.containers[self.open_at].array:
            self.containers[self.open_at].strings[key] = leaf
        self.state = "next"
        return True


def _counted(containers: list[Container], at: int, key: str) -> str:
    """The key of the next value of a container: its number in an array."""
    if at < 0:
        return ""
    container = containers[at]
    container.size += 1
    return str(container.size - 1) if container.array else key


def unescaped(raw: str) -> str:
    """The words of a JSON string, given without its quotes."""
    return _ESCAPE.sub(_char, raw) if "\\" in raw else raw


def _char(match: re.Match[str]) -> str:
    if match["high"]:
        high, low = int(match["high"], 16) - 0xD800, int(match["low"], 16) - 0xDC00
        return chr(0x10000 + (high << 10) + low)
    return chr(int(match["code"], 16)) if match["code"] else _PLAIN.get(match["sign"], match["sign"])


def unescaped_with_places(raw: str, start: int) -> tuple[str, list[int] | None]:
    """The words of a string and where each code point of them, and the end, stands in the text.

    ``start`` is where ``raw`` begins. None: each stands at ``start`` plus its number.
    """
    if "\\" not in raw:
        return raw, None
    words: list[str] = []
    places: list[int] = []
    at = 0
    while at < len(raw):
        match = _ESCAPE.match(raw, at)
        words.append(_char(match) if match else raw[at])
        places.append(start + at)
        at = match.end() if match else at + 1
    places.append(start + len(raw))
    return "".join(words), places
