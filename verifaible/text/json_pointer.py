"""The values of a JSON text by their JSON Pointers (RFC 6901), with where each stands in it (RFC 8259).

:mod:`json` gives values without places. This reads the text once more, in code points.
"""

from __future__ import annotations

import json
import re
from typing import Final

from pydantic import JsonValue

_BLANKS: Final = re.compile(r"[ \t\r\n\ufeff]*")
#: A string, or a number or a word of JSON.
_SCALAR: Final = re.compile(r"\"[^\"\\]*(?:\\.[^\"\\]*)*\"|[^\s{}\[\]:,\"]+", re.DOTALL)


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


def value_at(value: JsonValue, pointer: str) -> JsonValue:
    """The value that a pointer leads to; the empty pointer is the whole.

    Raises:
        KeyError: it leads to nothing; the key is the part that is not there.
    """
    if pointer and not pointer.startswith("/"):
        raise KeyError(pointer)
    for part in map(unescaped_key, pointer.split("/")[1:]):
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and re.fullmatch(r"0|[1-9][0-9]{0,17}", part) and int(part) < len(value):
            value = value[int(part)]
        else:
            raise KeyError(part)
    return value


def value_spans(text: str) -> dict[str, tuple[int, int]]:
    """Pointer of each value to the stretch that it fills, strings with their quotes.

    Of a key that an object has twice the last counts, as in :func:`read_json`.

    Raises:
        ValueError: the text is no JSON, or is nested too deep.
    """
    read_json(text)  # what follows stands on it being valid
    spans: dict[str, tuple[int, int]] = {}
    try:
        _note(text, _behind(_BLANKS, text, 0), "", spans)
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    return spans


def _note(text: str, start: int, pointer: str, spans: dict[str, tuple[int, int]]) -> int:
    """Note where the value at a place stands, and those in it; where it ends."""
    if pointer in spans and text[spans[pointer][0]] in "{[":
        for former in [each for each in spans if each == pointer or each.startswith(f"{pointer}/")]:
            del spans[former]
    spans[pointer] = (start, start)
    if text[start] not in "{[":
        end = _behind(_SCALAR, text, start)
    else:
        at, size = _behind(_BLANKS, text, start + 1), 0
        while text[at] not in "}]":
            key = str(size)
            if text[start] == "{":
                behind = _behind(_SCALAR, text, at)
                key = escaped_key(json.loads(text[at:behind], strict=False))
                at = _behind(_BLANKS, text, _behind(_BLANKS, text, behind) + 1)
            at = _behind(_BLANKS, text, _note(text, at, f"{pointer}/{key}", spans))
            at, size = _behind(_BLANKS, text, at + 1) if text[at] == "," else at, size + 1
        end = at + 1
    spans[pointer] = (start, end)
    return end


def _behind(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at
