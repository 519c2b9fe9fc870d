"""CSS numbers and lengths in pixels, ``calc()`` and its relatives among them (CSS Values 4)."""

from __future__ import annotations

import re
from collections.abc import Callable

#: The window that a page is thought to be shown in, in CSS pixels.
VIEWPORT_WIDTH = 1280
VIEWPORT_HEIGHT = 800

_NUMBER = re.compile(r"([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?)([a-z%]*)\Z")
_UNITS = {
    "": 1.0,
    "px": 1.0,
    "pt": 4 / 3,
    "pc": 16.0,
    "in": 96.0,
    "cm": 37.8,
    "mm": 3.78,
    "q": 0.945,
    "rem": 16.0,
    "%": 0.0,
}
_FONT_UNITS = {"em": 1.0, "ex": 0.5, "ch": 0.5, "ic": 1.0, "cap": 0.7, "lh": 1.2}
_WINDOW = re.compile(r"[sdl]?v(w|h|i|b|min|max)\Z")
_TOKEN = re.compile(
    r"\s*([a-z-]+\(|\(|\)|,|[*/]|[+-](?=\s)|[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?[a-z%]*)"
)
#: Longer values are not worked out.
_LONGEST = 300
_DEEPEST = 12


def fraction(text: str) -> float | None:
    """A number or a percentage as a share of 1; None where it is neither."""
    text = text.strip()
    match = _NUMBER.match(text)
    if match is None:
        return _worked(text, lambda part: fraction(part) if "(" not in part else None)
    if match[2] not in {"", "%"}:
        return None
    return float(match[1]) / (100 if match[2] == "%" else 1)


def length_px(text: str, font_px: float) -> float | None:
    """A length in pixels; percentages count nothing; None where it is no length that is read."""
    text = text.strip()
    match = _NUMBER.match(text)
    if match is None:
        return _worked(text, lambda part: length_px(part, font_px) if "(" not in part else None)
    number, unit = float(match[1]), match[2]
    if unit in _FONT_UNITS:
        return number * max(font_px, 1.0) * _FONT_UNITS[unit]
    if window := _WINDOW.match(unit):
        wide = window[1] in {"w", "i", "max"}
        return number * (VIEWPORT_WIDTH if wide else VIEWPORT_HEIGHT) / 100
    factor = _UNITS.get(unit)
    return None if factor is None else number * factor


def percent(text: str) -> float:
    """The number of a percentage; 0 for everything else."""
    match = _NUMBER.match(text.strip())
    return float(match[1]) if match and match[2] == "%" else 0.0


class _Unread(Exception):
    """The value is not one of sums, products, least and greatest."""


def _worked(text: str, leaf: Callable[[str], float | None]) -> float | None:
    """What a mathematical function comes to; ``leaf`` reads a number with its unit."""
    if not text.endswith(")") or len(text) > _LONGEST:
        return None
    tokens: list[str] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            return None
        tokens.append(match[1])
        position = match.end()
    reading = _Reading(tokens, leaf)
    try:
        value = reading.term(0)
    except (_Unread, IndexError, ZeroDivisionError, OverflowError):
        return None
    return value if reading.position == len(tokens) else None


class _Reading:
    """Reads tokens by descent."""

    def __init__(self, tokens: list[str], leaf: Callable[[str], float | None]) -> None:
        self.tokens = tokens
        self.leaf = leaf
        self.position = 0

    def _next(self) -> str:
        self.position += 1
        return self.tokens[self.position - 1]

    def sum(self, depth: int) -> float:
        value = self._product(depth)
        while self.tokens[self.position] in {"+", "-"}:
            sign = 1 if self._next() == "+" else -1
            value += sign * self._product(depth)
        return value

    def _product(self, depth: int) -> float:
        value = self.term(depth)
        while self.tokens[self.position] in {"*", "/"}:
            if self._next() == "*":
                value *= self.term(depth)
            else:
                value /= self.term(depth)
        return value

    def term(self, depth: int) -> float:
        token = self._next()
        if not token.endswith("("):
            value = self.leaf(token)
            if value is None:
                raise _Unread
            return value
        if depth > _DEEPEST:
            raise _Unread
        values = [self.sum(depth + 1)]
        while self.tokens[self.position] == ",":
            self.position += 1
            values.append(self.sum(depth + 1))
        if self._next() != ")":
            raise _Unread
        return _called(token[:-1], values)


def _called(name: str, values: list[float]) -> float:
    if name in {"", "calc", "-webkit-calc"} and len(values) == 1:
        return values[0]
    if name == "min":
        return min(values)
    if name == "max":
        return max(values)
    if name == "clamp" and len(values) == 3:
        return max(values[0], min(values[1], values[2]))
    if name == "abs" and len(values) == 1:
        return abs(values[0])
    raise _Unread
