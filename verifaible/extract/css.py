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
from verifaible.extract.media import Answer, media_answer, supports
from verifaible.extract.selectors import CACHED_LENGTH, Selector, parse_selectors, split_outside
from verifaible.extract.validity import COLOUR_CALL

#: (property, value in lower case, important)
Declaration: TypeAlias = tuple[str, str, bool]

_NAMES = (
    "display visibility opacity filter content-visibility font-size zoom color background-color "
    "background-image background-clip -webkit-background-clip -webkit-text-fill-color text-shadow "
    "-webkit-text-stroke -webkit-text-stroke-width width height max-width max-height overflow-x "
    "overflow-y position left right top bottom margin-left margin-top text-indent transform "
    "translate scale clip clip-path padding-top padding-bottom animation min-width min-height flex "
    "flex-grow float padding-left"
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
    # In a page that is written from left to right.
    "inset-inline-start": "left",
    "inset-inline-end": "right",
    "inset-block-start": "top",
    "inset-block-end": "bottom",
    "margin-inline-start": "margin-left",
    "margin-block-start": "margin-top",
    "padding-block-start": "padding-top",
    "padding-block-end": "padding-bottom",
    "inline-size": "width",
    "block-size": "height",
    "max-inline-size": "max-width",
    "max-block-size": "max-height",
    "min-inline-size": "min-width",
    "min-block-size": "min-height",
    "overflow-inline": "overflow-x",
    "overflow-block": "overflow-y",
}
_PAIRS = {
    "inset-inline": ("left", "right"),
    "inset-block": ("top", "bottom"),
    "margin-inline": ("margin-left",),
    "margin-block": ("margin-top",),
    "padding-block": ("padding-top", "padding-bottom"),
}
#: A nested selector that has grown longer is not read, nor is a longer value.
_LONGEST_SELECTOR = 4_000
_LONGEST_VALUE = 2_000
# Strings first: what looks like a comment in them is none.
_COMMENT = re.compile(
    r"""(\\.|"(?:\\.|[^"\\\n])*(?:"|\n|\Z)|'(?:\\.|[^'\\\n])*(?:'|\n|\Z))|/\*.*?(?:\*/|\Z)""", re.DOTALL
)
_IMPORTANT = re.compile(r"!\s*important\Z", re.IGNORECASE)
#: A picture that is painted: an address that is empty is none.
_PICTURE = re.compile(
    r"url\(\s*[\"']?\s*[^\s\"')]|gradient\(|image(?:-set)?\(|element\(|paint\(|cross-fade\("
)
_NO_BACKGROUND = re.compile(
    r"(?!(?:none|inherit|initial|unset|revert|revert-layer|transparent|left|right|top|bottom|center|repeat|"
    r"repeat-[xy]|no-repeat|space|round|scroll|fixed|local|auto|cover|contain|text|border-area|"
    r"(?:border|padding|content)-box|[a-z]*text|canvas|field|mark|highlight)[,/]?\Z)[a-z-]+[,/]?\Z"
)
_VARIABLE_NAME = re.compile(r"(--[^\s,()]+)")
# In a font shorthand a bare number is the weight, but for a zero.
_LENGTH_PART = re.compile(
    r"([\d.]+(?:px|em|rem|ex|ch|pt|pc|in|cm|mm|vw|vh|vmin|vmax|%)|0|(?:calc|min|max|clamp)\(.*\)|"
    r"(?:xx?-)?small|medium|(?:xx?x?-)?large|smaller|larger)(?:/\S+)?\Z"
)


@dataclass(frozen=True, slots=True)
class Rule:
    """Declarations for what the selectors match.

    ``layered`` rules lose against the others; of ``vague`` ones only a browser can tell whether they
    apply. ``keyframes`` is the name of an animation that stands here, without selectors.
    """

    selectors: tuple[Selector, ...]
    declarations: tuple[Declaration, ...]
    layered: bool = False
    vague: bool = False
    keyframes: str = ""


@dataclass(frozen=True, slots=True)
class _Scope:
    """What stands around a block: the selector of a rule, a layer, and how many blocks."""

    parent: str = ""
    layered: bool = False
    depth: int = 0
    vague: bool = False


def parse_sheet(text: str, vague: bool = False) -> list[Rule]:
    """The rules of a style sheet that apply on a screen, in order; ``vague`` if it may not apply."""
    rules: list[Rule] = []
    cleaned = _uncommented(text).replace("<!--", " ").replace("-->", " ")
    _read(cleaned, 0, _Scope(vague=vague), rules)
    return rules


def _uncommented(text: str) -> str:
    return _COMMENT.sub(lambda match: match[1] or " ", text) if "/*" in text else text


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
        rules.append(Rule(parse_selectors(scope.parent), declarations, scope.layered, scope.vague))
    rules += nested
    return position


def _block(text: str, position: int, prelude: str, scope: _Scope, rules: list[Rule]) -> int:
    """Read the block after ``prelude``, or pass over it."""
    if scope.depth > _DEEPEST or not prelude:
        return _skip(text, position)
    if not prelude.startswith("@"):
        selector = _nested_selector(scope.parent, prelude) if scope.parent else prelude
        if not parse_selectors(selector):
            return _skip(text, position)
        return _read(text, position, _Scope(selector, scope.layered, scope.depth + 1, scope.vague), rules)
    name = re.split(r"[\s(]", prelude[1:], maxsplit=1)[0].lower()
    condition = prelude[1 + len(name) :].strip()
    if name.endswith("keyframes"):
        rules.append(Rule((), (), keyframes=condition.strip("\"'").lower()))
    answer = _applies(name, condition)
    if answer is False:
        return _skip(text, position)
    inner = _Scope(
        scope.parent, scope.layered or name == "layer", scope.depth + 1, scope.vague or answer is None
    )
    return _read(text, position, inner, rules)


def _applies(name: str, condition: str) -> Answer:
    """Whether the rules in an at-rule count."""
    if name == "media":
        return media_answer(condition)
    if name == "supports":
        return supports(condition)
    return None if name in {"container", "scope"} else name == "layer"


def _nested_selector(parent: str, prelude: str) -> str:
    """A nested selector list with ``&`` made ``:is(parent)`` (CSS Nesting)."""
    around = f":is({parent})"
    if len(around) * (prelude.count("&") + prelude.count(",") + 1) > _LONGEST_SELECTOR:
        return ""
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


@lru_cache(maxsize=16384)
def _short_block(text: str) -> tuple[Declaration, ...]:
    return _declarations(text)


def parse_declarations(text: str) -> tuple[Declaration, ...]:
    """The declarations of a block or a ``style`` attribute that can hide text, in order."""
    return _short_block(text) if len(text) <= CACHED_LENGTH else _declarations(text)


def _declarations(text: str) -> tuple[Declaration, ...]:
    found: list[Declaration] = []
    for piece in split_outside(_uncommented(text), ";"):
        name, colon, value = piece.partition(":")
        name, value = name.strip(), value.strip()
        if not colon:
            continue
        bare = _IMPORTANT.sub("", value).strip()
        important = bare != value
        if len(bare) > _LONGEST_VALUE:
            # Long values are pictures written out.
            bare = "url(long)" if "url(" in bare and name.lower().startswith("background") else ""
        if name.startswith("--"):
            found.append((name, bare, important))
            continue
        found += [(each, one, important) for each, one in _expanded(name.lower(), lowered(bare))]
    return tuple(found)


def lowered(value: str) -> str:
    """A value in lower case but for the names of variables, which are told apart by case."""
    if "--" not in value:
        return value.lower()
    return "".join(part if part.startswith("--") else part.lower() for part in _VARIABLE_NAME.split(value))


def _expanded(name: str, value: str) -> list[tuple[str, str]]:
    """Longhands of the properties that matter; an empty list for every other one."""
    name = _ALIASES.get(name, name)
    if name in PROPERTIES:
        return [(name, value)]
    parts = [part for part in split_outside(" ".join(value.split()), " ") if part]
    found: list[tuple[str, str]] = []
    if not parts:
        return found
    if name == "background":
        found = _background(value, parts)
    elif name == "overflow":
        found = [("overflow-x", parts[0]), ("overflow-y", parts[-1])] if len(parts) < 3 else []
    elif name == "font":
        size = next((match[1] for part in parts if (match := _LENGTH_PART.match(part))), "")
        found = [("font-size", size)] if size else []
    elif name in _PAIRS:
        found = list(zip(_PAIRS[name], (parts[0], parts[-1]), strict=False))
    elif name in {"inset", "margin", "padding"} and len(parts) < 5:
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
    if any(_NO_BACKGROUND.match(part) for part in parts if not is_colour(part)):
        return []
    image = _PICTURE.search(value) is not None
    colour = next((part for part in reversed(parts) if is_colour(part) or "var(" in part), "transparent")
    found = [("background-color", colour), ("background-image", "url(x)" if image else "none")]
    return [*found, ("background-clip", "text")] if "text" in parts else found


def is_colour(text: str) -> bool:
    """Whether a word names a colour, be it in a notation that only a browser reads."""
    return parse_colour(text) is not None or text == "currentcolor" or COLOUR_CALL.match(text) is not None
