"""CSS selectors over a static tree (Selectors Level 4, the part that needs no browser).

Rightmost compound first. What depends on a state (``:hover``) never matches: a page at rest does not
show it. A list with a part that no browser knows is dropped as a whole, as browsers do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

Specificity: TypeAlias = tuple[int, int, int]

_NAME = r"(?:[\w\u00a0-\U0010ffff-]|\\.)+"
_TOKEN = re.compile(
    rf"""(?P<space>\s*(?P<comb>[>+~])\s*|\s+)
    |(?P<tag>\*|{_NAME})
    |\#(?P<id>{_NAME})
    |\.(?P<cls>{_NAME})
    |\[\s*(?P<attr>{_NAME})\s*(?:(?P<op>[~|^$*]?=)\s*(?P<val>"[^"]*"|'[^']*'|[^\]\s]+)\s*(?P<flag>[iIsS])?\s*)?\]
    |(?P<pseudo>::?)(?P<pname>{_NAME})(?P<paren>\()?
    |(?P<amp>&)""",
    re.VERBOSE,
)
#: ``an+b``, or a number alone.
NTH = re.compile(r"(?:([+-]?\d{0,9})n(?:\s*([+-]\s*\d{1,9}))?|([+-]?\d{1,9}))(?:\s+of\s+.*)?\Z")
#: The pseudo-classes that count siblings.
CHILD = re.compile(r"(?:first|last|only|nth|nth-last)-(?:child|of-type)")
_ESCAPE = re.compile(r"\\([0-9a-fA-F]{1,6}\s?|.)")
_OLD_PSEUDO_ELEMENTS = frozenset({"before", "after", "first-line", "first-letter"})
_PSEUDO_ELEMENTS_TEXT = (
    "before after first-line first-letter selection placeholder marker backdrop cue part slotted "
    "file-selector-button target-text spelling-error grammar-error highlight details-content "
    "view-transition view-transition-group view-transition-image-pair view-transition-old "
    "view-transition-new scroll-marker scroll-marker-group scroll-button column checkmark picker "
    "picker-icon"
)
_PSEUDO_ELEMENTS = frozenset(_PSEUDO_ELEMENTS_TEXT.split())
#: States that a page at rest is not in.
_STATES_TEXT = (
    "hover active focus focus-visible focus-within visited target target-within target-current "
    "current past future playing paused muted seeking buffering stalled volume-locked autofill "
    "-webkit-autofill fullscreen -webkit-full-screen picture-in-picture modal popover-open "
    "placeholder-shown default indeterminate valid invalid user-valid user-invalid in-range "
    "out-of-range blank local-link host host-context has-slotted state active-view-transition "
    "active-view-transition-type -webkit-drag window-inactive picker-open xr-overlay"
)
_STATES = frozenset(_STATES_TEXT.split())
_ANSWERED_TEXT = (
    "root scope empty link any-link -webkit-any-link checked disabled enabled required optional "
    "read-only read-write defined dir lang open"
)
_ANSWERED = frozenset(_ANSWERED_TEXT.split())
_LISTS = frozenset({"not", "is", "where", "has", "matches", "any", "-webkit-any"})
#: Lists within lists are read so far; longer selectors are not.
_DEEPEST = 16
_MOST_COMPOUNDS = 64
#: Results are kept for texts up to this length, so that no page fills the memory.
CACHED_LENGTH = 500


@dataclass(frozen=True, slots=True)
class Pseudo:
    """A pseudo-class: its name, and its argument as selectors or as text."""

    name: str
    text: str = ""
    inner: tuple[Selector, ...] = ()


@dataclass(frozen=True, slots=True)
class Compound:
    """What one element must be, and how the compound on its left relates to it."""

    tag: str = ""
    ids: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    attributes: tuple[tuple[str, str, str, bool], ...] = ()
    pseudos: tuple[Pseudo, ...] = ()
    combinator: str = ""


@dataclass(frozen=True, slots=True)
class Selector:
    """Compounds from right to left; ``pseudo_element`` is ``before``, ``after``, another or ""."""

    compounds: tuple[Compound, ...]
    specificity: Specificity
    pseudo_element: str = ""


def split_outside(text: str, mark: str) -> list[str]:
    """Split at a character that stands outside of brackets and strings."""
    parts: list[str] = []
    depth = 0
    quote = ""
    start = 0
    skip = False
    for index, each in enumerate(text):
        if skip:
            skip = False
        elif each == "\\":
            skip = True
        elif quote:
            quote = "" if each == quote else quote
        elif each in "\"'":
            quote = each
        elif each in "([{":
            depth += 1
        elif each in ")]}":
            depth = max(depth - 1, 0)
        elif each == mark and not depth:
            parts.append(text[start:index])
            start = index + 1
    return [*parts, text[start:]]


@lru_cache(maxsize=8192)
def _short_list(text: str) -> tuple[Selector, ...]:
    return _strict(text, 0)


def parse_selectors(text: str) -> tuple[Selector, ...]:
    """The selectors of a list; none at all if one of them is not valid (CSS Selectors 4, 3.9)."""
    return _short_list(text) if len(text) <= CACHED_LENGTH else _strict(text, 0)


def _strict(text: str, depth: int, relative: bool = False) -> tuple[Selector, ...]:
    try:
        return tuple(_parse(part.strip(), depth, relative) for part in split_outside(text, ","))
    except _NotValid:
        return ()


def _forgiving(text: str, depth: int) -> tuple[Selector, ...]:
    return tuple(one for part in split_outside(text, ",") for one in _strict(part, depth))


def _unescaped(name: str) -> str:
    def put(match: re.Match[str]) -> str:
        digits = match[1].strip()
        if re.fullmatch(r"[0-9a-fA-F]+", digits):
            point = int(digits, 16)
            return chr(point) if 0 < point < 0x110000 else "\ufffd"
        return match[1]

    return _ESCAPE.sub(put, name) if "\\" in name else name


class _NotValid(Exception):
    """A name or an argument that browsers do not know."""


class _Builder:
    """Collects one compound."""

    def __init__(self, combinator: str) -> None:
        self.combinator = combinator
        self.tag = ""
        self.ids: list[str] = []
        self.classes: list[str] = []
        self.attributes: list[tuple[str, str, str, bool]] = []
        self.pseudos: list[Pseudo] = []
        self.empty = True

    def done(self) -> Compound:
        return Compound(
            self.tag,
            tuple(self.ids),
            tuple(self.classes),
            tuple(self.attributes),
            tuple(self.pseudos),
            self.combinator,
        )


def _parse(text: str, depth: int = 0, relative: bool = False) -> Selector:
    """One selector; ``relative`` ones may begin with a combinator. Raises where it is not valid."""
    leading = re.match(r"[>+~]", text) if relative else None
    compounds: list[Compound] = []
    building = _Builder((leading[0] if leading else " ") if relative else "")
    element = ""
    text = text[1:].lstrip() if leading else text
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or depth > _DEEPEST:
            raise _NotValid
        position = match.end()
        if match["space"] is not None:
            if building.empty or len(compounds) >= _MOST_COMPOUNDS:
                raise _NotValid
            compounds.append(building.done())
            building = _Builder(match["comb"] or " ")
            continue
        building.empty = False
        if match["pseudo"]:
            argument = ""
            if match["paren"]:
                end = _closing(text, position)
                argument, position = text[position:end].strip(), end + 1
            name = match["pname"].lower()
            if match["pseudo"] == "::" or name in _OLD_PSEUDO_ELEMENTS:
                element = _pseudo_element(name)
                continue
            building.pseudos.append(_pseudo(name, argument, depth + 1))
        else:
            _add(building, match)
    if building.empty:
        raise _NotValid
    compounds.append(building.done())
    compounds.reverse()
    return Selector(tuple(compounds), _specificity(compounds), element)


def _add(building: _Builder, match: re.Match[str]) -> None:
    if match["tag"]:
        building.tag = "" if match["tag"] == "*" else match["tag"].lower()
    elif match["id"]:
        building.ids.append(_unescaped(match["id"]))
    elif match["cls"]:
        building.classes.append(_unescaped(match["cls"]))
    elif match["attr"]:
        value = match["val"] or ""
        value = value[1:-1] if value[:1] in "\"'" and value else value
        folded = (match["flag"] or "").lower() == "i"
        building.attributes.append((match["attr"].lower(), match["op"] or "", _unescaped(value), folded))


def _closing(text: str, start: int) -> int:
    depth = 1
    for index in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if not depth:
            return index
    return len(text)


def _pseudo_element(name: str) -> str:
    if name not in _PSEUDO_ELEMENTS and not name.startswith("-webkit-"):
        raise _NotValid
    return name


def _pseudo(name: str, argument: str, depth: int) -> Pseudo:
    """A pseudo-class; raises where browsers know none of that name or with that argument."""
    if name in _LISTS:
        if name in {"not", "has"}:
            inner = _strict(argument, depth, relative=name == "has")
            if not inner:
                raise _NotValid
            return Pseudo(name, argument, inner)
        return Pseudo("where" if name == "where" else "is", argument, _forgiving(argument, depth))
    formula = argument.strip().lower()
    counts = not name.startswith("nth") or formula in {"odd", "even"} or NTH.match(formula)
    if name not in _STATES and name not in _ANSWERED and not (CHILD.fullmatch(name) and counts):
        raise _NotValid
    return Pseudo(name, argument)


def _specificity(compounds: list[Compound]) -> Specificity:
    ids = classes = tags = 0
    for each in compounds:
        ids += len(each.ids)
        classes += len(each.classes) + len(each.attributes)
        tags += bool(each.tag)
        for pseudo in each.pseudos:
            if pseudo.name in {"is", "not", "has"}:
                inner = max((one.specificity for one in pseudo.inner), default=(0, 0, 0))
                ids, classes, tags = ids + inner[0], classes + inner[1], tags + inner[2]
            elif pseudo.name != "where":
                classes += 1
    return ids, classes, tags
