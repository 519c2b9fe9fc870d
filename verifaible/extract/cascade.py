"""Which declarations win for an element (CSS Cascade 5, author and inline styles, no animations)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from lxml import etree

from verifaible.extract.colours import legacy_colour
from verifaible.extract.css import Declaration, Rule, lowered, parse_declarations
from verifaible.extract.matching import Matcher
from verifaible.extract.selectors import Selector
from verifaible.extract.validity import is_valid

__all__ = ["Cascade", "Declared", "is_valid", "resolved"]

#: Winning values by property, variables among them.
Declared: TypeAlias = dict[str, str]
_Key: TypeAlias = tuple[bool, bool, tuple[int, int, int, int], int]

#: The ``size`` of a font element: one of seven, or so much more or less than the third.
_LEGACY_SIZE = re.compile(r"\s*([+-]?)([0-9]+)")
_SIZES = ("x-small", "small", "medium", "large", "x-large", "xx-large", "xxx-large")
#: Variables put into variables grow no longer than this.
_LONGEST_VALUE = 10_000
_VARIABLE = re.compile(r"var\(\s*(--[^\s,()]+)\s*(?:,((?:[^()]|\([^()]*\))*))?\)")


class Cascade:
    """The author's rules of one page, looked up by the rightmost id, class or tag of a selector."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._matcher = Matcher()
        self._keyframes: set[str] = set()
        self._places: dict[str, list[tuple[Selector, Rule, int]]] = {}
        for order, rule in enumerate(rules):
            if rule.keyframes:
                self._keyframes.add(rule.keyframes)
            for selector in rule.selectors:
                self._places.setdefault(_place(selector), []).append((selector, rule, order))
        self.painted: set[etree._Element] = set()
        self.vague: set[etree._Element] = set()

    @property
    def is_empty(self) -> bool:
        """Whether the page has no rules at all."""
        return not self._places

    def declared(self, element: etree._Element) -> Declared:
        """What the rules, presentational attributes and the ``style`` attribute declare."""
        found: list[tuple[_Key, Declaration]] = []
        if self._places:
            self._matched(element, found)
        style = element.get("style")
        if style:
            found += [((each[2], True, (1, 0, 0, 0), 0), each) for each in parse_declarations(style)]
        values = dict(_hints(element))
        found.sort(key=lambda pair: pair[0])
        for _, (name, value, _) in found:
            if is_valid(name, value):
                values[name] = value
        moving = values.get("animation")
        if moving and self._keyframes.isdisjoint(re.split(r"[\s,]+", moving)) and "var(" not in moving:
            del values["animation"]
        if self._matcher.is_spent:
            self.vague.add(element)
        return values

    def _matched(self, element: etree._Element, found: list[tuple[_Key, Declaration]]) -> None:
        keys = [f".{name}" for name in self._matcher.classes(element)]
        name = element.get("id")
        if name:
            keys.append(f"#{name}")
        for key in (*keys, str(element.tag), "*"):
            for selector, rule, order in self._places.get(key, ()):
                if not self._matcher.matches(element, selector):
                    continue
                if selector.pseudo_element:
                    if any(each[0].startswith("background") for each in rule.declarations):
                        self.painted.add(element)
                    continue
                if rule.vague:
                    self.vague.add(element)
                    continue
                for each in rule.declarations:
                    # Important layered declarations win over unlayered ones, others lose.
                    first = rule.layered if each[2] else not rule.layered
                    found.append(((each[2], first, (0, *selector.specificity), order), each))


def _place(selector: Selector) -> str:
    last = selector.compounds[0]
    if last.ids:
        return f"#{last.ids[0]}"
    if last.classes:
        return f".{last.classes[0]}"
    return last.tag or "*"


def _hints(element: etree._Element) -> Iterable[tuple[str, str]]:
    """Presentational attributes (WHATWG HTML, 15.3)."""
    ground = element.get("bgcolor")
    if ground and (colour := legacy_colour(ground)):
        yield "background-color", f"rgb({colour.red} {colour.green} {colour.blue})"
    if element.get("background"):
        yield "background-image", "url(x)"
    ink = (
        element.get("color")
        if element.tag == "font"
        else element.get("text")
        if element.tag == "body"
        else None
    )
    if ink and (colour := legacy_colour(ink)):
        yield "color", f"rgb({colour.red} {colour.green} {colour.blue})"
    if element.tag == "font" and (size := _LEGACY_SIZE.match(element.get("size") or "")):
        steps = int(size[2][:4])
        place = 3 + steps if size[1] == "+" else 3 - steps if size[1] == "-" else steps
        yield "font-size", _SIZES[min(max(place, 1), 7) - 1]


def resolved(value: str, variables: Mapping[str, str], depth: int = 0) -> str:
    """A value with its variables put in; an empty string where one is unknown and has no fallback."""
    if "var(" not in value:
        return value
    if depth > 16 or len(value) > _LONGEST_VALUE:
        return ""
    unknown = False

    def put(match: re.Match[str]) -> str:
        nonlocal unknown
        known = variables.get(match[1])
        if known is None:
            known = match[2]
        if known is None:
            unknown = True
            return ""
        return lowered(known.strip())

    found = _VARIABLE.sub(put, value)
    return "" if unknown or found == value else resolved(found, variables, depth + 1)
