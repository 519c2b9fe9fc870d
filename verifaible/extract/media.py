"""Conditions of style sheets: ``@media`` and ``@supports``, for a wide light screen with a mouse.

An answer is True, False, or None where only a browser can tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

from verifaible.extract.lengths import VIEWPORT_HEIGHT, VIEWPORT_WIDTH
from verifaible.extract.selectors import parse_selectors, split_outside
from verifaible.extract.validity import is_valid

Answer: TypeAlias = bool | None

#: Longer conditions are not read.
_LONGEST = 500
_DEEPEST = 8
_LENGTH = re.compile(r"(-?[\d.]+)(px|em|rem)?\Z")
_RANGE = re.compile(r"(width|height)\s*(<=|>=|<|>|=)\s*([\d.]+(?:px|em|rem)?)\Z")
_BETWEEN = re.compile(
    r"([\d.]+(?:px|em|rem)?)\s*(<=?|>=?)\s*(width|height)(?:\s*(<=?|>=?)\s*([\d.]+(?:px|em|rem)?))?\Z"
)
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_FOREIGN = ("-moz-", "-ms-", "-o-", "-khtml-", "-apple-")
_FOREIGN_NAMES = frozenset({"-webkit-touch-callout", "-webkit-overflow-scrolling", "-webkit-hyphens"})
_TESTED_TEXT = (
    "grid grid-template-columns grid-template-rows grid-template-areas grid-area gap row-gap column-gap "
    "object-fit object-position aspect-ratio backdrop-filter mask mask-image mask-size mix-blend-mode "
    "shape-outside scroll-snap-type scroll-snap-align scroll-behavior scroll-margin-top text-wrap "
    "accent-color appearance animation-timeline view-timeline-name container-type contain will-change "
    "writing-mode touch-action columns column-count hyphens line-clamp user-select inset margin padding "
    "overflow background font border border-radius flex flex-wrap justify-content align-items order "
    "perspective transition text-decoration-color text-underline-offset overscroll-behavior tab-size "
    "font-variation-settings font-feature-settings margin-inline-start padding-inline-start "
    "box-shadow box-sizing caret-color cursor isolation anchor-name position-anchor initial-letter "
    "inset-inline-start content line-height text-align vertical-align z-index scrollbar-gutter "
    "scrollbar-color scrollbar-width overflow-wrap word-break"
)
_TESTED = frozenset(_TESTED_TEXT.split())
#: What media queries are answered.
_MEDIA = {
    "orientation": "landscape",
    "hover": "hover",
    "any-hover": "hover",
    "pointer": "fine",
    "any-pointer": "fine",
    "prefers-color-scheme": "light",
    "prefers-reduced-motion": "no-preference",
    "prefers-reduced-transparency": "no-preference",
    "prefers-reduced-data": "no-preference",
    "prefers-contrast": "no-preference",
    "inverted-colors": "none",
    "forced-colors": "none",
    "scripting": "enabled",
    "display-mode": "browser",
    "grid": "0",
    "monochrome": "0",
    "update": "fast",
}
_OTHER_MEDIA = frozenset(
    {"print", "speech", "tty", "tv", "projection", "handheld", "braille", "embossed", "aural"}
)
_BARE = frozenset({"color", "hover", "pointer", "any-hover", "any-pointer", "width", "height"})


@lru_cache(maxsize=512)
def _media(query: str) -> Answer:
    return _any([_query(part.strip().lower()) for part in split_outside(query, ",")])


def media_answer(query: str) -> Answer:
    """Whether a media query list holds."""
    if not query.strip():
        return True
    return _media(" ".join(query.split())) if len(query) <= _LONGEST else None


def media_applies(query: str) -> bool:
    """Whether a media query list holds for certain, or may hold."""
    return media_answer(query) is not False


def supports(condition: str) -> Answer:
    """Whether an ``@supports`` condition holds in a current Chromium (CSS Conditional 4)."""
    if len(condition) > _LONGEST:
        return None
    return _condition(" ".join(condition.lower().split()), _declaration, 0)


def _any(answers: list[Answer]) -> Answer:
    if True in answers:
        return True
    return None if None in answers else False


def _all(answers: list[Answer]) -> Answer:
    if False in answers:
        return False
    return None if None in answers else True


def _not(answer: Answer) -> Answer:
    return None if answer is None else not answer


def _condition(text: str, leaf: Callable[[str], Answer], depth: int) -> Answer:
    """``not``, ``and`` and ``or`` over what stands in parentheses."""
    words = [each for each in split_outside(text.strip(), " ") if each]
    if depth > _DEEPEST or not words:
        return None
    if words[0] == "not":
        return _not(_condition(" ".join(words[1:]), leaf, depth + 1))
    for joint, answer in (("or", _any), ("and", _all)):
        if joint in words:
            parts = re.split(rf"\x00{joint}\x00", "\x00".join(words))
            return answer([_condition(part.replace("\x00", " "), leaf, depth + 1) for part in parts])
    only = " ".join(words)
    if not (only.startswith("(") and only.endswith(")")):
        return leaf(only)
    inner = only[1:-1].strip()
    if inner.startswith(("(", "not ", "selector(")):
        return _condition(inner, leaf, depth + 1)
    return leaf(inner)


def _query(query: str) -> Answer:
    query = query.removeprefix("only ")
    return _condition(query, _feature, 0)


def _feature(text: str) -> Answer:
    if text in {"screen", "all", ""}:
        return True
    if text.startswith(_FOREIGN) or text in _OTHER_MEDIA:
        return False
    name, colon, value = (part.strip() for part in text.partition(":"))
    axis = name.removeprefix("min-").removeprefix("max-").removeprefix("device-")
    if colon and axis in {"width", "height"}:
        sign = {"min": ">=", "max": "<="}.get(name[:3], "=")
        return _compared(_viewport(axis), sign, value)
    if "resolution" in name or "device-pixel-ratio" in name:
        return _dense(name, value)
    if colon:
        return _MEDIA[name] == value if name in _MEDIA else None
    return _bare_feature(name)


def _dense(name: str, value: str) -> Answer:
    """A screen has one dot a pixel."""
    match = re.match(r"([\d.]{1,9})(dppx|x|dpi|dpcm|)\Z", value)
    if match is None or match[1].count(".") > 1 or match[1] == ".":
        return None
    dots = float(match[1]) / {"dpi": 96.0, "dpcm": 37.8}.get(match[2], 1.0)
    if "min-" in name:
        return dots <= 1
    return dots >= 1 if "max-" in name else dots == 1


def _bare_feature(inner: str) -> Answer:
    """A feature without a value, or a range such as ``width >= 600px``."""
    if compared := _RANGE.fullmatch(inner):
        return _compared(_viewport(compared[1]), compared[2], compared[3])
    if between := _BETWEEN.fullmatch(inner):
        size = _viewport(between[3])
        first = _compared(size, _TURNED[between[2]], between[1])
        return first and (not between[4] or _compared(size, between[4], between[5]))
    if inner in _BARE:
        return True
    return False if re.fullmatch(r"[a-z]+", inner) and inner not in _MEDIA else None


def _compared(size: float, sign: str, value: str) -> bool:
    limit = _px(value)
    held = {"<": size < limit, "<=": size <= limit, ">": size > limit, ">=": size >= limit}
    return held.get(sign, size == limit)


def _viewport(axis: str) -> float:
    return VIEWPORT_WIDTH if axis == "width" else VIEWPORT_HEIGHT


def _px(value: str) -> float:
    match = _LENGTH.match(value)
    try:
        return float(match[1]) * (1 if (match[2] or "px") == "px" else 16) if match else float("inf")
    except ValueError:
        return float("inf")


def _declaration(text: str) -> Answer:
    """Whether a declaration, or a selector, is one that the browser takes."""
    if text.startswith("selector(") and text.endswith(")"):
        return bool(parse_selectors(text[9:-1].strip()))
    name, colon, value = (part.strip() for part in text.partition(":"))
    if not colon or not value or "(" in name:
        return None
    if name.startswith(_FOREIGN) or name in _FOREIGN_NAMES:
        return False
    if name.startswith("--") or name in _TESTED:
        return True
    from verifaible.extract.css import PROPERTIES

    return is_valid(name, value) if name in PROPERTIES or name.startswith("-webkit-") else None
