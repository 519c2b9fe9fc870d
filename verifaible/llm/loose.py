"""Arguments that models wrote by hand: nearly JSON, or Python."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable
from typing import Any

_SIDE_BY_SIDE = re.compile(r"[\"']\s+[\"']")
_BRACKET = re.compile(r"[()\[\]{}\"'\\]")


def balanced_end(text: str, start: int) -> int | None:
    """Behind the bracket that closes the one at ``start``, brackets in strings aside; None without one."""
    depth, quote, skip = 0, "", -1
    for match in _BRACKET.finditer(text, start):
        char, place = match[0], match.start()
        if place == skip:
            continue
        if char == "\\":
            skip = place + 1
        elif quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            # an apostrophe in bare text, or the quote of a token such as <|"|>, begins no string
            if text[place - 1] in "([{,:= \n" and not text.startswith("|>", place + 1):
                quote = char
        elif char in "([{":
            depth += 1
        elif (depth := depth - 1) == 0:
            return match.end()
    return None


def loose_value(text: str) -> Any:
    """JSON, or a Python literal, or an object with bare keys and quotes of its own; None if it is none."""
    for reading in (text, _plain_quotes(text)):
        try:
            return json.loads(reading, strict=False)
        except (ValueError, RecursionError):
            pass
        try:
            # Python takes two strings side by side for one: a comma is missing there
            return None if _SIDE_BY_SIDE.search(reading) else ast.literal_eval(reading)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            pass
    return None


def _plain_quotes(text: str) -> str:
    """With the quotes that are tokens (``<escape>``, ``<|"|>``) and the bare keys of an object in quotes."""
    text = re.sub(
        r"(<escape>|<\|\"\|>)(.*?)\1",
        lambda match: json.dumps(match[2], ensure_ascii=False),
        text,
        flags=re.S,
    )
    return re.sub(r"([{,]\s*)([A-Za-z_]\w*)\s*:", r'\1"\2":', text)


def keyword_arguments(brackets: str, known: Iterable[str]) -> dict[str, Any] | None:
    """``(name=value, ...)`` as arguments; values without a name in the order of the known ones."""
    try:
        call = ast.parse(f"call{brackets}", mode="eval").body
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    if not isinstance(call, ast.Call):
        return None
    words = {"true": True, "false": False, "null": None}
    found: dict[str, Any] = {}
    given = [*zip(known, call.args, strict=False), *((word.arg or "", word.value) for word in call.keywords)]
    for name, value in given:
        if isinstance(value, ast.Name) and value.id in words:
            found[name] = words[value.id]
            continue
        try:
            found[name] = ast.literal_eval(value)
        except (ValueError, TypeError, RecursionError):
            return None
    return found
