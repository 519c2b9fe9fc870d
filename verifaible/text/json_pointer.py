"""The values of a JSON text by their JSON Pointers (RFC 6901), with where each stands in it (RFC 8259).

:mod:`json` gives values without places. This reads the text once more, without recursion, in code points.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

_TOKEN: Final = re.compile(
    r"[ \t\r\n\ufeff]*(?:(?P<sign>[{}\[\]:,])|(?P<string>\"[^\"\\]*(?:\\.[^\"\\]*)*\")"
    r"|(?P<bare>[^\s{}\[\]:,\"]+))",
    re.DOTALL,
)


def read_json(text: str) -> JsonValue:
    """The value of a JSON text; line breaks in strings are let pass, as many programs write them.

    Raises:
        ValueError: it is none, or is nested too deep.
    """
    try:
        value: JsonValue = json.loads(text.removeprefix("\ufeff"), strict=False)
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    return value


def escaped_key(key: str) -> str:
    """A key as it stands in a JSON Pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def unescaped_key(part: str) -> str:
    """The key that a part of a JSON Pointer names."""
    return part.replace("~1", "/").replace("~0", "~")


@dataclass(slots=True)
class _Open:
    """An object or an array that is being read."""

    pointer: str
    start: int
    array: bool
    size: int = 0
    key: str = ""
    named: bool = False

    def child(self) -> str:
        """The pointer of the next value in it."""
        if self.array:
            self.size += 1
            return f"{self.pointer}/{self.size - 1}"
        return f"{self.pointer}/{escaped_key(self.key)}"


def value_spans(text: str) -> dict[str, tuple[int, int]]:
    """Pointer of each value to the stretch that it fills, strings with their quotes.

    Of a key that an object has twice the last counts, as in :func:`read_json`.

    Raises:
        ValueError: the text is no JSON, or is nested too deep.
    """
    read_json(text)  # what follows stands on it being valid
    spans: dict[str, tuple[int, int]] = {}
    stack: list[_Open] = []

    def begun(start: int) -> str:
        pointer = stack[-1].child() if stack else ""
        if pointer in spans and text[spans[pointer][0]] in "{[":
            for former in [each for each in spans if each == pointer or each.startswith(f"{pointer}/")]:
                del spans[former]
        spans[pointer] = (start, start)
        return pointer

    for match in _TOKEN.finditer(text):
        sign, kind = match["sign"], match.lastgroup or "sign"
        start, end = match.span(kind)
        if sign in ("{", "["):
            stack.append(_Open(begun(start), start, array=sign == "["))
        elif sign in ("}", "]"):
            done = stack.pop()
            spans[done.pointer] = (done.start, end)
        elif sign == ":":
            stack[-1].named = True
        elif sign == ",":
            stack[-1].named = False
        elif stack and not stack[-1].array and not stack[-1].named:
            stack[-1].key = json.loads(match["string"], strict=False)
        else:
            spans[begun(start)] = (start, end)
    return spans
