"""Style sheets to rules: what a reader with a wide screen and a still mouse is shown.

Reads nested rules, ``@media``, ``@supports`` and ``@layer``; other at-rules are passed over. Only
the properties that can hide text are kept, shorthands taken apart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from verifaible.extract.colours import parse_colour
from verifaible.extract.selectors import Selector, parse_selectors, split_outside

#: The window that a page is thought to be shown in, in CSS pixels.
VIEWPORT_WIDTH = 1280
VIEWPORT_HEIGHT = 800

#: (property, value in lower case, important)
Declaration: TypeAlias = tuple[str, str, bool]

_NAMES = (
    "display visibility opacity filter content-visibility font-size zoom color background-color "
    "background-image background-clip -webkit-background-clip -webkit-text-fill-color text-shadow "
    "-webkit-text-stroke -webkit-text-stroke-width width height max-width max-height overflow-x "
    "overflow-y position left right top bottom margin-left margin-top text-indent transform "
    "translate scale clip clip-path padding-top padding-bottom animation"
)
#: The properties that can hide text.
PROPERTIES = frozenset(_NAMES.split())
#: Blocks inside of blocks are read so far.
_DEEPEST = 32
_ALIASES = {
    "animation-name": "animation",
    "-webkit-animation": "animation",
    "-webkit-animation-name": "animation",
    "-webkit-transform": "transform",
    "-ms-transform": "transform",
    "-webkit-clip-path": "clip-path",
    "-webkit-filter": "filter",
}
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_IMPORTANT = re.compile(r"\s*!\s*important\s*\Z", re.IGNORECASE)
_LENGTH_PART = re.compile(r"(-?[\d.]+(?:px|em|rem|ex|ch|pt|pc|in|cm|mm|vw|vh|%)?)(?:/\S+)?\Z")
_MEDIA_LENGTH = re.compile(r"(-?[\d.]+)(px|em|rem)?\Z")
_RANGE = re.compile(r"(width|height)\s*(<=|>=|<|>|=)\s*([\d.]+(?:px|em|rem)?)\Z")
_DESCRIPTORS = frozenset(
    {"font-face", "keyframes", "page", "property", "counter-style", "font-feature-values"}
)


#: What media queries are answered.
_MEDIA = {
    "orientation": "landscape",
    "hover": "hover",
    "any-hover": "hover",
    "pointer": "fine",
    "any-pointer": "fine",
    "prefers-color-scheme": "light",
    "prefers-reduced-motion": "no-preference",
    "prefers-contrast": "no-preference",
    "forced-colors": "none",
    "scripting": "enabled",
    "display-mode": "browser",
}


@dataclass(frozen=True, slots=True)
class Rule:
    """Declarations for what the selectors match; ``layered`` rules lose against the others."""

    selectors: tuple[Selector, ...]
    declarations: tuple[Declaration, ...]
    layered: bool = False


@dataclass(frozen=True, slots=True)
class _Scope:
    """What stands around a block: the selector of a rule, a layer, and how many blocks."""

    parent: str = ""
    layered: bool = False
    depth: int = 0


def parse_sheet(text: str) -> list[Rule]:
    """The rules of a style sheet that apply on a screen, in order."""
    rules: list[Rule] = []
    cleaned = _COMMENT.sub(" ", text).replace("<!--", " ").replace("-->", " ")
    _read(cleaned, 0, _Scope(), rules)
    return rules


def _read(text: str, position: int, scope: _Scope, rules: list[Rule]) -> int:
    """Read a block's content; nested blocks recurse. Returns where the block ended."""
    own: list[str] = []
    nested: list[Rule] = []
    while position < len(text):
        end, mark = _next(text, position)
        piece = text[position:end].strip()
        position = end + 1
        if mark == "{":
            position = _block(text, position, piece, scope, nested)
            continue
        if piece and not piece.startswith("@"):
            own.append(piece)
        if mark == "}" and scope.depth:
            break
    if scope.parent and own and (declarations := parse_declarations(";".join(own))):
        rules.append(Rule(parse_selectors(scope.parent), declarations, scope.layered))
    rules += nested
    return position


def _block(text: str, position: int, prelude: str, scope: _Scope, rules: list[Rule]) -> int:
    """Read the block after ``prelude``, or pass over it."""
    if scope.depth > _DEEPEST or not prelude:
        return _skip(text, position)
    if not prelude.startswith("@"):
        selector = _nested_selector(scope.parent, prelude) if scope.parent else prelude
        return _read(text, position, _Scope(selector, scope.layered, scope.depth + 1), rules)
    name = re.split(r"[\s(]", prelude[1:], maxsplit=1)[0].lower()
    condition = prelude[1 + len(name) :].strip()
    if name.rpartition("-")[2] in _DESCRIPTORS or name in _DESCRIPTORS:
        return _skip(text, position)
    applies = (
        (name == "media" and media_applies(condition))
        or (name == "supports" and not re.match(r"not\b", condition, re.IGNORECASE))
        or name == "layer"
    )
    if not applies:
        return _skip(text, position)
    inner = _Scope(scope.parent, scope.layered or name == "layer", scope.depth + 1)
    return _read(text, position, inner, rules)


def _nested_selector(parent: str, prelude: str) -> str:
    """A nested selector list with ``&`` made ``:is(parent)`` (CSS Nesting)."""
    around = f":is({parent})"
    parts = []
    for part in map(str.strip, split_outside(prelude, ",")):
        parts.append(part.replace("&", around) if "&" in part else f"{around} {part}")
    return ", ".join(parts)


def _next(text: str, start: int) -> tuple[int, str]:
    """Where the next ``{``, ``}`` or ``;`` outside of strings and parentheses stands."""
    quote = ""
    depth = 0
    index = start
    while index < len(text):
        each = text[index]
        if each == "\\":
            index += 1
        elif quote:
            if each in {quote, "\n"}:
                quote = ""
        elif each in "\"'":
            quote = each
        elif each == "(":
            depth += 1
        elif each == ")":
            depth = max(depth - 1, 0)
        elif each in "{}" or (each == ";" and not depth):
            return index, each
        index += 1
    return len(text), ""


def _skip(text: str, position: int) -> int:
    depth = 1
    while position < len(text) and depth:
        end, mark = _next(text, position)
        depth += {"{": 1, "}": -1}.get(mark, 0)
        position = end + 1
    return position


@lru_cache(maxsize=512)
def media_applies(query: str) -> bool:
    """Whether a media query list holds for a wide light screen with a mouse."""
    return any(_query(part.strip().lower()) for part in split_outside(query, ",")) if query.strip() else True


def _query(query: str) -> bool:
    negated = query.startswith("not ")
    query = re.sub(r"^(?:not|only)\s+", "", query)
    held = all(
        any(_feature(each.strip()) for each in re.split(r"\s+or\s+", part))
        for part in re.split(r"\s+and\s+", query)
    )
    return held != negated


def _feature(text: str) -> bool:
    if not text.startswith("("):
        return text in {"screen", "all", ""}
    inner = text.strip("() ")
    if inner.startswith("not "):
        return not _feature(f"({inner[4:]})")
    name, colon, value = (part.strip() for part in inner.partition(":"))
    axis = name.removeprefix("min-").removeprefix("max-").removeprefix("device-")
    if colon and axis in {"width", "height"}:
        size, limit = _viewport(axis), _media_px(value)
        if name.startswith("min-"):
            return size >= limit
        return size <= limit if name.startswith("max-") else size == limit
    return _MEDIA.get(name) == value if colon else _bare_feature(inner)


def _bare_feature(inner: str) -> bool:
    """A feature without a value, or a range such as ``width >= 600px``."""
    compared = _RANGE.fullmatch(inner)
    if compared is None:
        return inner in {"color", "hover", "pointer", "any-hover", "any-pointer", "width", "height"}
    size, limit = _viewport(compared[1]), _media_px(compared[3])
    held = {"<": size < limit, "<=": size <= limit, ">": size > limit, ">=": size >= limit}
    return held.get(compared[2], size == limit)


def _viewport(axis: str) -> float:
    return VIEWPORT_WIDTH if axis == "width" else VIEWPORT_HEIGHT


def _media_px(value: str) -> float:
    match = _MEDIA_LENGTH.match(value)
    if match is None:
        return float("inf")
    try:
        return float(match[1]) * (1 if (match[2] or "px") == "px" else 16)
    except ValueError:
        return float("inf")


@lru_cache(maxsize=16384)
def parse_declarations(text: str) -> tuple[Declaration, ...]:
    """The declarations of a block or a ``style`` attribute that can hide text, in order."""
    found: list[Declaration] = []
    for piece in split_outside(_COMMENT.sub(" ", text), ";"):
        name, colon, value = piece.partition(":")
        name = name.strip()
        if not colon:
            continue
        bare = _IMPORTANT.sub("", value.strip())
        important = bare != value.strip()
        if name.startswith("--"):
            found.append((name, bare, important))
            continue
        found += [(each, one, important) for each, one in _expanded(name.lower(), bare.lower().strip())]
    return tuple(found)


def _expanded(name: str, value: str) -> list[tuple[str, str]]:
    """Longhands of the properties that matter; an empty list for every other one."""
    name = _ALIASES.get(name, name)
    if name in PROPERTIES:
        return [(name, value)]
    parts = [part for part in split_outside(value, " ") if part]
    found: list[tuple[str, str]] = []
    if not parts:
        return found
    if name == "background":
        found = _background(value, parts)
    elif name == "overflow":
        found = [("overflow-x", parts[0]), ("overflow-y", parts[-1])]
    elif name == "font":
        size = next((match[1] for part in parts if (match := _LENGTH_PART.match(part))), "")
        found = [("font-size", size)] if size else []
    elif name in {"inset", "margin", "padding"}:
        prefix = "" if name == "inset" else f"{name}-"
        sides = zip(("top", "right", "bottom", "left"), _sides(parts), strict=True)
        found = [(prefix + side, each) for side, each in sides if prefix + side in PROPERTIES]
    return found


def _sides(parts: list[str]) -> tuple[str, str, str, str]:
    top = parts[0]
    right = parts[1] if len(parts) > 1 else top
    bottom = parts[2] if len(parts) > 2 else top
    return top, right, bottom, parts[3] if len(parts) > 3 else right


def _background(value: str, parts: list[str]) -> list[tuple[str, str]]:
    """Colour and whether there is a picture; a variable alone may be either."""
    image = "url(" in value or "gradient(" in value or "image(" in value
    words = [part for part in parts if "url(" not in part and "gradient(" not in part]
    colour = next(
        (part for part in reversed(words) if is_colour(part) or part.startswith("var(")), "transparent"
    )
    found = [("background-color", colour), ("background-image", "url()" if image else "none")]
    return [*found, ("background-clip", "text")] if "text" in parts else found


def is_colour(text: str) -> bool:
    """Whether a word names a colour."""
    return parse_colour(text) is not None
