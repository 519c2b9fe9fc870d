"""Style sheets of captured pages with every address in them replaced.

Reads the tokens of CSS Syntax Level 3 (section 4) as far as addresses need them: comments, strings, names
with escapes, ``url(``. What is written holds no address but those that the caller gave, and nothing that
could end a ``style`` element.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

#: What stands for an address: another one, or "" where nothing is to be loaded.
Resolve: TypeAlias = Callable[[str], str]
#: The text of an imported style sheet with its addresses replaced; "" where it is not held.
Import: TypeAlias = Callable[[str], str]

_ESCAPE = r"\\(?:[0-9a-fA-F]{1,6}(?:\r\n|[ \t\r\n\f])?|[^\r\n\f0-9a-fA-F])"
_IN_STRING = rf"{_ESCAPE}|\\(?:\r\n|[\r\n\f]|\Z)|[^\\\r\n\f"
_TOKEN = re.compile(
    rf"""(?P<comment>/\*.*?(?:\*/|\Z))
    |(?P<string>"(?:{_IN_STRING}"])*(?:"|\Z|(?=[\r\n\f]))
        |'(?:{_IN_STRING}'])*(?:'|\Z|(?=[\r\n\f])))
    |(?P<name>@?(?:[\w-]|[^\x00-\x7f]|{_ESCAPE})+)
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_BARE_URL = re.compile(rf"[ \t\r\n\f]*((?:{_ESCAPE}|[^\\()\"' \t\r\n\f])*)[ \t\r\n\f]*(\)|\Z)", re.DOTALL)
_TO_BRACKET = re.compile(r"(?:\\.|[^\\)])*\)?", re.DOTALL)
_UNESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})(?:\r\n|[ \t\r\n\f])?|(\r\n|[\r\n\f])|(.))", re.DOTALL)
_MAY_LOAD = re.compile(r"[(\\@]")
_SPACE = re.compile(r"[ \t\r\n\f]*")
#: Functions whose strings are addresses (CSS Images 4, CSS Values 5).
_TAKE_ADDRESSES = frozenset({"image-set", "-webkit-image-set", "image", "src"})
_WITHOUT_BLOCK = frozenset({"@charset", "@namespace"})
_LAYER = re.compile(r"layer(?:\(([^()]*)\))?(?=[\s;]|\Z)", re.IGNORECASE)
_SUPPORTS = re.compile(r"supports(\((?:[^()]|\([^()]*\))*\))", re.IGNORECASE)


def rewritten(css: str, resolve: Resolve, imported: Import) -> str:
    """A style sheet, or the value of a ``style`` attribute, with its addresses replaced.

    Args:
        css: the style sheet.
        resolve: the new address for one that the sheet names (still relative, escapes taken out).
        imported: what an ``@import`` brings, in the place of which it is put.

    Returns:
        The style sheet. It can stand in a ``style`` element: neither "</" nor "<!" is in it.
    """
    # Most style attributes: without these no address can be written.
    plain = not _MAY_LOAD.search(css)
    written = css if plain else _Rewriter(css, resolve, imported).run()
    return written.replace("</", "<\\/").replace("<!", "<\\!")


class _Rewriter:
    def __init__(self, css: str, resolve: Resolve, imported: Import) -> None:
        self._css = css
        self._resolve = resolve
        self._imported = imported
        self._at = 0
        self._out: list[str] = []
        self._open: list[str] = []  # the functions and brackets that are open

    def run(self) -> str:
        while self._at < len(self._css):
            match = _TOKEN.match(self._css, self._at)
            assert match is not None  # the last alternative takes anything
            self._at = match.end()
            if match["comment"]:
                self._out.append(" ")
            elif match["string"]:
                self._out.append(self._string(match["string"]))
            elif match["name"]:
                self._name(match["name"])
            else:
                self._other(match["other"])
        return "".join(self._out)

    def _string(self, text: str) -> str:
        value = unescaped(_inside(text))
        if self._open and self._open[-1] in _TAKE_ADDRESSES:
            value = self._resolve(value)
        return quoted(value)

    def _name(self, text: str) -> None:
        name = unescaped(text).lower()
        if name == "@import":
            self._import()
        elif name in _WITHOUT_BLOCK:
            self._statement()
        elif self._css.startswith("(", self._at):
            self._at += 1
            if name == "url":
                self._out.append(self._url())
            else:
                self._open.append(name)
                self._out.append(text + "(")
        else:
            self._out.append(text)

    def _other(self, character: str) -> None:
        if character == "(":
            self._open.append("")
        elif character == ")" and self._open:
            self._open.pop()
        elif character in "{};":
            self._open.clear()
        self._out.append(character)

    def _url(self) -> str:
        return f"url({quoted(self._resolve(self._address()))})"

    def _address(self) -> str:
        """The address after ``url(``, past its bracket; "" for what is no address."""
        start = _match_end(_SPACE, self._css, self._at)
        token = _TOKEN.match(self._css, start)
        if token is not None and token["string"]:
            self._at = _match_end(_TO_BRACKET, self._css, token.end())
            return unescaped(_inside(token["string"]))
        bare = _BARE_URL.match(self._css, self._at)
        if bare is None:
            self._at = _match_end(_TO_BRACKET, self._css, self._at)
            return ""
        self._at = bare.end()
        return unescaped(bare[1])

    def _import(self) -> None:
        self._at = _match_end(_SPACE, self._css, self._at)
        token = _TOKEN.match(self._css, self._at)
        address = ""
        if token is not None and token["string"]:
            self._at = token.end()
            address = unescaped(_inside(token["string"]))
        elif token is not None and unescaped(token["name"] or "").lower() == "url":
            self._at = token.end() + 1
            address = self._address()
        conditions = self._statement()
        if address and not self._open:
            self._out.append(_under(conditions, self._imported(address)))

    def _statement(self) -> str:
        """Pass over what is left of a statement without a block; returns it without comments."""
        parts: list[str] = []
        while self._at < len(self._css) and self._css[self._at] not in ";{}":
            token = _TOKEN.match(self._css, self._at)
            assert token is not None
            self._at = token.end()
            parts.append(" " if token["comment"] else token[0])
        if self._css.startswith(";", self._at):
            self._at += 1
        return "".join(parts).strip()


def _under(conditions: str, css: str) -> str:
    """An imported style sheet under its layer, its ``supports()`` and its media."""
    if not css:
        return ""
    layer = _LAYER.match(conditions)
    if layer is not None:
        css = f"@layer {layer[1] or ''}{{{css}}}"
        conditions = conditions[layer.end() :].strip()
    needed = _SUPPORTS.match(conditions)
    if needed is not None:
        css = f"@supports {needed[1]}{{{css}}}"
        conditions = conditions[needed.end() :].strip()
    if conditions and "url" not in conditions.lower():
        css = f"@media {conditions}{{{css}}}"
    return css + "\n"


def _match_end(pattern: re.Pattern[str], text: str, start: int) -> int:
    match = pattern.match(text, start)
    return match.end() if match is not None else start


def _inside(string: str) -> str:
    """A string token without its quotes; the closing one may be missing."""
    quote = string[0]
    return string[1:-1] if len(string) > 1 and string.endswith(quote) else string[1:]


def unescaped(text: str) -> str:
    """A name, string or address with its escapes taken out (CSS Syntax 3, 4.3.7)."""
    if "\\" not in text:
        return text

    def one(match: re.Match[str]) -> str:
        if match[1]:
            number = int(match[1], 16)
            valid = 0 < number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF
            return chr(number) if valid else "\ufffd"
        return match[3] or ""

    return _UNESCAPE.sub(one, text)


def quoted(text: str) -> str:
    """A text as a CSS string; what could end the string or a ``style`` element is escaped."""
    return '"' + _UNSAFE.sub(lambda match: f"\\{ord(match[0]):x} ", text) + '"'


_UNSAFE = re.compile(r"[\x00-\x1f\x7f\"\\<>&]")
