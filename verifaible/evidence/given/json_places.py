"""Where the values of a JSON text stand in it, by JSON Pointer (RFC 6901)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from pydantic import JsonValue

_TOKEN = re.compile(r'[ \t\n\r]*(?:([{}\[\],:])|("(?:[^"\\]|\\.)*")|([^\s{}\[\],:"]+))', re.DOTALL)
_BOM = "\ufeff"


@dataclass(slots=True)
class _Open:
    """An object or a list that has begun; ``key`` is of the value that comes next."""

    start: int
    pointer: str
    closing: str
    key: str = ""
    index: int = 0
    wants_key: bool = False


def read_json(text: str) -> JsonValue:
    """The value of a JSON text; line breaks in strings are let pass, as many programs write them.

    Raises:
        ValueError: it is none, or is nested too deep.
    """
    try:
        value: JsonValue = json.loads(text.removeprefix(_BOM), strict=False)
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    return value


def value_spans(text: str) -> dict[str, tuple[int, int]]:
    """Pointer of each value to the range of code points it fills, strings with their quotes.

    Of a key that an object has twice the last counts, as in :func:`read_json`.

    Raises:
        ValueError: the text is no JSON, or is nested too deep.
    """
    read_json(text)
    spans: dict[str, tuple[int, int]] = {}
    stack: list[_Open] = []
    for match in _TOKEN.finditer(text, len(text) - len(text.removeprefix(_BOM))):
        sign, string, _ = match.groups()
        start, end = match.span(match.lastindex or 0)
        if sign == ":":
            continue
        if sign == ",":
            stack[-1].wants_key = stack[-1].closing == "}"
            stack[-1].index += 1
        elif sign in ("}", "]"):
            done = stack.pop()
            spans[done.pointer] = (done.start, end)
        elif string is not None and stack and stack[-1].wants_key:
            stack[-1].key, stack[-1].wants_key = str(json.loads(string, strict=False)), False
        else:
            pointer = _pointer(stack)
            if sign == "{":
                stack.append(_Open(start, pointer, "}", wants_key=True))
            elif sign == "[":
                stack.append(_Open(start, pointer, "]"))
            else:
                spans[pointer] = (start, end)
    return spans


def _pointer(stack: list[_Open]) -> str:
    if not stack:
        return ""
    top = stack[-1]
    name = str(top.index) if top.closing == "]" else top.key.replace("~", "~0").replace("/", "~1")
    return f"{top.pointer}/{name}"
