"""Selectors that find one element of a page, and find it again in another session.

A name that an author chose lasts; one that a framework makes up or counts up does not. Elements are looked up
through open shadow roots, as Playwright does, whose ``:has-text()`` is used too.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from verifaible.extract.nodes import ELEMENT, SnapshotNodes, nth_of_type

_TEST_NAMES: Final = ("data-testid", "data-test-id", "data-test", "data-cy", "data-qa", "data-e2e")
#: Attributes that say what an element is for, with the most characters of a value that names it.
_SURE: Final[Mapping[str, int]] = {"name": 80, "aria-label": 40, "for": 60, "placeholder": 60}
_LIKELY: Final[Mapping[str, int]] = {"href": 90, "src": 90, "title": 40}
_PRESSED: Final = frozenset({"submit", "button", "reset"})
#: Classes that say how an element is at the moment.
_STATE: Final = re.compile(
    r"(^|[-_])(active|selected|focus|hover|open|show|hide|hidden|visible|disabled|enabled|load(ing|ed)|checked"
    r"|current|collapsed?|expanded|on|off|in|out|error|valid|invalid|today|first|last|odd|even)$",
    re.IGNORECASE,
)
_NAME: Final = re.compile(r"[^\W\d][\w-]*")
_VOWELS: Final = re.compile(r"[aeiouy]", re.IGNORECASE)
_CLUSTER: Final = re.compile(r"[bcdfghjklmnpqrstvwxz]{4,}", re.IGNORECASE)
_HUMPS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_TEXT: Final = 40
_DEPTH: Final = 8
#: A place of which there are more tells little of where an element is.
_PLACES: Final = 4
#: More elements than these of one name are not told apart by their words.
_ALIKE: Final = 400


class Selectors:
    """Selectors for the elements of one frame, whose node tree is given."""

    def __init__(self, nodes: SnapshotNodes) -> None:
        self.nodes = nodes
        self.reachable = _reachable(nodes)
        self._names: dict[int, tuple[list[str], list[str], list[str]]] = {}
        self._holders: defaultdict[str, list[int]] = defaultdict(list)
        for node in self.reachable:
            self._names[node] = names = self._named(node)
            for name in dict.fromkeys((*names[0], *names[1], *names[2])):
                self._holders[name].append(node)
        self._known: dict[int, str] = {}
        self._ends = list(range(len(nodes.parents)))
        for node in range(len(nodes.parents) - 1, 0, -1):
            parent = nodes.parents[node]
            self._ends[parent] = max(self._ends[parent], self._ends[node])

    def of(self, node: int) -> str:
        """A selector that finds an element and nothing else in its frame; "" where none can reach it."""
        if node not in self._names:
            return ""
        if node not in self._known:
            self._known[node] = self._found(node)
        return self._known[node]

    def _found(self, node: int) -> str:
        sure, likely, weak = self._names[node]
        tag = likely[-1]
        around = list(self._around(node))
        found = self._alone(node, (*sure, *likely)) or self._below(node, around, (*sure, *likely[:-1]))
        found = found or self._by_text(node, likely) or self._below(node, around, (tag,))
        return found or self._alone(node, weak) or self._below(node, around, weak) or self._path(node)

    def _alone(self, node: int, names: Sequence[str]) -> str:
        return next((name for name in names if self._holders[name] == [node]), "")

    def _below(self, node: int, around: Sequence[str], names: Sequence[str]) -> str:
        for place in around:
            for name in names:
                held = self._holders[name]
                inside = 0
                for outer in self._holders[place]:
                    inside += bisect_right(held, self._ends[outer]) - bisect_right(held, outer)
                if inside == 1:  # it is the one: it is in there
                    return f"{place} {name}"
        return ""

    def _around(self, node: int) -> Iterator[str]:
        """The names of the elements around one, the nearest first; plain tags tell little."""
        for outer in islice((each for each in self.nodes.around(node) if each in self._names), _DEPTH):
            sure, likely, _ = self._names[outer]
            if self.nodes.tag(outer) in ("body", "html"):
                return
            yield from (name for name in (*sure, *likely[:-1]) if len(self._holders[name]) <= _PLACES)

    def _by_text(self, node: int, likely: Sequence[str]) -> str:
        """A short wording without figures: those change from day to day."""
        text = self.nodes.words(node)
        if not text or len(text) > _TEXT or any(map(str.isdigit, text)) or not any(map(str.isalpha, text)):
            return ""
        for base in (likely[-1], *likely[:-1]):
            alike = self._holders[base]
            if len(alike) <= _ALIKE:
                holding = [each for each in alike if text.lower() in self.nodes.words(each).lower()]
                if holding == [node]:
                    return f"{base}:has-text({json.dumps(text, ensure_ascii=False)})"
        return ""

    def _path(self, node: int) -> str:
        """The way down from the nearest element with a name of its own."""
        parts = [self._place(node)]
        for outer in (each for each in self.nodes.around(node) if each in self._names):
            sure, likely, _ = self._names[outer]
            if anchor := self._alone(outer, (*sure, *likely)):
                return " > ".join((anchor, *parts))
            parts.insert(0, self._place(outer))
        return " > ".join(parts)

    def _place(self, node: int) -> str:
        return nth_of_type(self.nodes, node, _escaped(self.nodes.tag(node)))

    def _named(self, node: int) -> tuple[list[str], list[str], list[str]]:
        """The names of an element by how sure they are to last, each list from the best; its tag is last."""
        tag, attributes = _escaped(self.nodes.tag(node)), self.nodes.attributes(node)
        sure: list[str] = []
        likely: list[str] = []
        weak: list[str] = []
        name = attributes.get("id", "")
        if name and not is_made_up(name) and not _has_figure(name):
            sure.append(f"#{_escaped(name)}")
        sure += [
            _equal("", key, attributes[key]) for key in _TEST_NAMES if _plain(attributes.get(key, ""), 80)
        ]
        kind = attributes.get("type", "").lower()
        for key, longest in _SURE.items():
            if _plain(value := attributes.get(key, ""), longest):
                (weak if _has_figure(value) else sure).append(_equal(tag, key, value))
                if key == "name" and kind in ("radio", "checkbox") and "value" in attributes:
                    sure.append(_equal(tag, key, value) + _equal("", "value", attributes["value"]))
        if tag == "input" and kind in _PRESSED and _plain(attributes.get("value", ""), _TEXT):
            sure.append(_equal(tag, "value", attributes["value"]))
        for key, longest in _LIKELY.items():
            value = attributes.get(key, "")
            if _plain(value, longest) and not value.lower().startswith(("#", "javascript:")):
                (weak if _has_figure(value) else likely).append(_equal(tag, key, value))
        likely += [
            _equal("", key, value)
            for key, value in attributes.items()
            if key.startswith("data-") and key not in _TEST_NAMES and _lasts(value)
        ]
        classes = [
            each for each in attributes.get("class", "").split() if _lasts(each) and not _STATE.search(each)
        ]
        classes.sort(key=len, reverse=True)  # a longer name says more
        likely += [f".{_escaped(each)}" for each in classes]
        if len(classes) > 1:
            likely.append(tag + "".join(f".{_escaped(each)}" for each in classes[:4]))
        if kind and tag in ("input", "button"):
            likely.append(_equal(tag, "type", attributes["type"]))
        if role := attributes.get("role", ""):
            likely.append(_equal("", "role", role))
        return sure, [*likely, tag], weak


def _reachable(nodes: SnapshotNodes) -> list[int]:
    """The elements that a selector can reach: those in closed shadow roots are not."""
    elements = (node for node, kind in enumerate(nodes.types) if kind == ELEMENT and node not in nodes.pseudo)
    return [node for node in elements if nodes.shadows.get(node, "open") == "open"]


def is_made_up(name: str) -> bool:
    """Whether a name looks like what no person would choose: a hash, a time stamp, random letters."""
    return not _NAME.fullmatch(name) or any(map(_is_noise, re.split(r"[-_:.]+", name)))


def _is_noise(token: str) -> bool:
    if re.search(r"\d{4,}", token) or len(re.findall(r"[A-Za-z](?=\d)|\d(?=[A-Za-z])", token)) >= 2:
        return True
    if re.fullmatch(r"(?=.*\d)[a-f0-9]{6,}", token, re.IGNORECASE):
        return True
    humps = _HUMPS.findall(token)
    if len(humps) > 1 and len(token) / len(humps) < 4:
        return True
    if token.isascii() and token.isalpha() and len(token) >= 5:
        share = len(_VOWELS.findall(token)) / len(token)
        return share < 0.15 or bool(_CLUSTER.search(token))
    return False


def _lasts(value: str) -> bool:
    return len(value) < 30 and _plain(value, 30) and not _has_figure(value) and not is_made_up(value)


def _plain(value: str, longest: int) -> bool:
    """Whether a value is short and says something."""
    words = value.split()
    return (
        0 < len(words) <= 5
        and len(value) <= longest
        and value.isprintable()
        and not any(map(_is_hash, words))
    )


def _is_hash(word: str) -> bool:
    return any(map(_is_noise, re.split(r"[^\w]+|_", word))) if word.isascii() else False


def _has_figure(value: str) -> bool:
    return any(map(str.isdigit, value))


def _equal(tag: str, name: str, value: str) -> str:
    return f"{tag}[{name}={json.dumps(value, ensure_ascii=False)}]"


def _escaped(name: str) -> str:
    return re.sub(r"[^\w-]", lambda sign: f"\\{sign[0]}", name)
