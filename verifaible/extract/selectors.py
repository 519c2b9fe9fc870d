"""CSS selectors over a static tree (Selectors Level 4, the part that needs no browser).

Rightmost compound first. What depends on a state (``:hover``), on a pseudo-element or on
something unknown never matches: a page at rest does not show it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from lxml import etree

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
_NTH = re.compile(r"(?:([+-]?\d*)n(?:\s*([+-]\s*\d+))?|([+-]?\d+))(?:\s+of\s+.*)?\Z")
_CHILD = re.compile(r"(?:first|last|only|nth|nth-last)-(?:child|of-type)")
_ESCAPE = re.compile(r"\\([0-9a-fA-F]{1,6}\s?|.)")
_OLD_PSEUDO_ELEMENTS = frozenset({"before", "after", "first-line", "first-letter"})
_PAINTED = frozenset({"before", "after"})


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
def parse_selectors(text: str) -> tuple[Selector, ...]:
    """The selectors of a list; those that are not understood are left out."""
    found = (_parse(part.strip()) for part in split_outside(text, ","))
    return tuple(selector for selector in found if selector is not None)


def _unescaped(name: str) -> str:
    def put(match: re.Match[str]) -> str:
        digits = match[1].strip()
        if re.fullmatch(r"[0-9a-fA-F]+", digits):
            point = int(digits, 16)
            return chr(point) if 0 < point < 0x110000 else "\ufffd"
        return match[1]

    return _ESCAPE.sub(put, name) if "\\" in name else name


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


def _parse(text: str) -> Selector | None:
    compounds: list[Compound] = []
    building = _Builder("")
    element = ""
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            return None
        position = match.end()
        if match["space"] is not None:
            if building.empty:
                return None
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
                element = name
            else:
                building.pseudos.append(_pseudo(name, argument))
        else:
            _add(building, match)
    if building.empty:
        return None
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


def _pseudo(name: str, argument: str) -> Pseudo:
    if name in {"not", "is", "where", "matches", "any", "-webkit-any", "-moz-any"}:
        return Pseudo("is" if name not in {"not", "where"} else name, argument, parse_selectors(argument))
    if name == "has":
        return Pseudo(name, argument, parse_selectors(re.sub(r"(^|,)\s*[>+~]\s*", r"\1", argument)))
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


class Matcher:
    """Matches selectors against the elements of one tree; keeps what it looked up."""

    def __init__(self) -> None:
        self._classes: dict[etree._Element, frozenset[str]] = {}

    def classes(self, element: etree._Element) -> frozenset[str]:
        """The class names of an element."""
        known = self._classes.get(element)
        if known is None:
            known = frozenset((element.get("class") or "").split())
            self._classes[element] = known
        return known

    def matches(self, element: etree._Element, selector: Selector) -> bool:
        """Whether a selector's subject is the element; pseudo-elements are left aside."""
        return self._from(element, selector.compounds, 0)

    def _from(self, element: etree._Element, compounds: tuple[Compound, ...], index: int) -> bool:
        compound = compounds[index]
        if not self._is(element, compound):
            return False
        if index + 1 == len(compounds):
            return True
        return any(self._from(each, compounds, index + 1) for each in _related(element, compound.combinator))

    def _is(self, element: etree._Element, compound: Compound) -> bool:
        if compound.tag and element.tag != compound.tag:
            return False
        if compound.ids and any(element.get("id") != name for name in compound.ids):
            return False
        if compound.classes and not self.classes(element).issuperset(compound.classes):
            return False
        if not all(_attribute(element, *each) for each in compound.attributes):
            return False
        return all(self._pseudo(element, each) for each in compound.pseudos)

    def _pseudo(self, element: etree._Element, pseudo: Pseudo) -> bool:
        name = pseudo.name
        if name in {"is", "where"}:
            return any(self.matches(element, each) for each in pseudo.inner)
        if name == "not":
            known = len(split_outside(pseudo.text, ",")) == len(pseudo.inner)
            return known and not any(self.matches(element, each) for each in pseudo.inner)
        if name == "has":
            return any(
                self.matches(inner, each)
                for inner in element.iterdescendants()
                if isinstance(inner.tag, str)
                for each in pseudo.inner
            )
        return _structural(element, name, pseudo.text)


def _related(element: etree._Element, combinator: str) -> Iterator[etree._Element]:
    if combinator in {" ", ">"}:
        for parent in element.iterancestors():
            yield parent
            if combinator == ">":
                return
    else:
        for sibling in element.itersiblings(preceding=True):
            if isinstance(sibling.tag, str):
                yield sibling
                if combinator == "+":
                    return


def _attribute(element: etree._Element, name: str, operator: str, value: str, folded: bool) -> bool:
    found = element.get(name)
    if found is None or not operator:
        return found is not None
    if folded:
        found, value = found.lower(), value.lower()
    if operator in {"^=", "$=", "*="} and not value:
        return False
    return {
        "=": found == value,
        "~=": value in found.split(),
        "|=": found == value or found.startswith(value + "-"),
        "^=": found.startswith(value),
        "$=": found.endswith(value),
        "*=": value in found,
    }[operator]


def _structural(element: etree._Element, name: str, argument: str) -> bool:
    if _CHILD.fullmatch(name):
        return _nth_child(element, name, argument)
    if name == "lang":
        return any(
            (node.get("lang") or "").lower().startswith(argument.lower())
            for node in (element, *element.iterancestors())
        )
    is_root = element.getparent() is None
    return {
        "root": is_root,
        "scope": is_root,
        "empty": len(element) == 0 and not element.text,
        "link": element.tag in {"a", "area"} and element.get("href") is not None,
        "any-link": element.tag in {"a", "area"} and element.get("href") is not None,
        "checked": element.get("checked") is not None,
        "disabled": element.get("disabled") is not None,
        "required": element.get("required") is not None,
    }.get(name, False)


def _nth_child(element: etree._Element, name: str, argument: str) -> bool:
    """``:nth-child(…)`` and its relatives, of which ``:first-child`` and the like are short forms."""
    of_type, backwards = name.endswith("of-type"), "last" in name
    if name.startswith("only"):
        return _position(element, of_type, False) == _position(element, of_type, True) == 1
    formula = argument if name.startswith("nth") else "1"
    return _nth(formula, _position(element, of_type, backwards))


def _position(element: etree._Element, of_type: bool, backwards: bool) -> int:
    return 1 + sum(
        1
        for each in element.itersiblings(preceding=not backwards)
        if isinstance(each.tag, str) and (not of_type or each.tag == element.tag)
    )


def _nth(formula: str, position: int) -> bool:
    formula = {"odd": "2n+1", "even": "2n"}.get(formula.lower(), formula.lower())
    match = _NTH.match(formula.strip())
    if match is None:
        return False
    if match[3]:
        return position == int(match[3])
    step = int(match[1] + "1") if match[1] in {"", "+", "-"} else int(match[1])
    start = int((match[2] or "0").replace(" ", ""))
    left = position - start
    return left == 0 if step == 0 else left % step == 0 and left // step >= 0
