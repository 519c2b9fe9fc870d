"""Marks: the special tokens and tags with which chat templates write calls; and what is written with them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

_MARK = re.compile(r"<(?=[\w/|｜])[^<>\n]{1,300}>|\[/?[A-Z][A-Z_]{2,30}\]|✿/?[A-Z]+✿:?")
#: What the name of a mark holds if it speaks of tools.
_OF_TOOLS = re.compile(r"tool|func|call|invoke|action|python|plugin|arg|param", re.I)
_ATTRIBUTE = re.compile(r"([\w-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>/]+))")


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark: its place, its text, and the last part of its name (``invoke`` in ``<x:invoke name="y">``)."""

    start: int
    end: int
    text: str
    element: str

    @property
    def attributes(self) -> dict[str, str]:
        """The attributes of a tag; ``<function=x>`` has one of its own name."""
        return {match[1]: match[2] or match[3] or match[4] or "" for match in _ATTRIBUTE.finditer(self.text)}

    @property
    def closing(self) -> bool:
        """Whether it ends something."""
        return self.text[1:2] == "/" or bool(re.search(r"end|eo[mts]_|suffix|^<[^|｜]+[|｜]>", self.text))

    @property
    def special(self) -> bool:
        """Whether it has the look of a special token."""
        return self.text[1] in "|｜" or self.text[-2] in "|｜" or self.text in ("<s>", "</s>")

    @property
    def of_tools(self) -> bool:
        """Whether its name speaks of tools."""
        return bool(_OF_TOOLS.search(re.split(r"[\s=]", self.text.strip("</ "), maxsplit=1)[0]))

    @property
    def opens(self) -> bool:
        """Whether it has the look of a token or tag of a chat template that begins something."""
        return self.text[1] != "/" and (self.structural or "_" in self.text)

    @property
    def structural(self) -> bool:
        """Whether it belongs to a chat template, and not to a page or a text."""
        return self.special or self.of_tools


@dataclass(frozen=True, slots=True)
class Written:
    """Calls at one place of a text.

    Attributes:
        start, end: the whole place, marks and fences included.
        core_end: where the arguments end; what is behind may be the opening of the next call.
        calls: names and JSON arguments.
        marked: whether it is marked as a call.
        fenced: whether a code fence is around the marks and all.
    """

    start: int
    end: int
    core_end: int
    calls: tuple[tuple[str, str], ...]
    marked: bool
    fenced: bool


def marks_of(text: str) -> list[Mark]:
    """The special tokens and tags of a text."""
    return [Mark(match.start(), match.end(), match[0], _element(match[0])) for match in _MARK.finditer(text)]


def without_marks(text: str) -> str:
    """The text without the tokens and tags that belong to calls or end a message."""
    for mark in reversed(marks_of(text)):
        if mark.structural:
            text = text[: mark.start] + text[mark.end :]
    return text


def _element(mark: str) -> str:
    inner = mark.strip("<>[]✿:").strip("/|｜ ")
    return re.split(r"[\s=]", re.split(r"[｜|]+\s*|(?<=\w):(?=\w)", inner)[-1])[0].rstrip("/")


class MarkIndex:
    """The marks of a text by their places, so that no search for one is long."""

    def __init__(self, text: str) -> None:
        self._marks = marks_of(text)
        self._starts = [mark.start for mark in self._marks]
        self._of_element: dict[tuple[str, bool], list[Mark]] = {}
        for mark in self._marks:
            self._of_element.setdefault((mark.element, mark.text[1] == "/"), []).append(mark)

    def at(self, place: int) -> Mark | None:
        """The mark that a place is in."""
        before = bisect_right(self._starts, place) - 1
        return self._marks[before] if before >= 0 and place < self._marks[before].end else None

    def between(self, start: int, end: int) -> list[Mark]:
        """The marks that lie between two places."""
        inside = self._marks[bisect_left(self._starts, start) : bisect_left(self._starts, end)]
        return [mark for mark in inside if mark.end <= end]

    def before(self, place: int, most: int) -> list[Mark]:
        """The last marks in front of a place, the nearest first."""
        end = bisect_left(self._starts, place)
        return self._marks[max(0, end - most) : end][::-1]

    def next(self, element: str, start: int, end: int, *, closing: bool) -> Mark | None:
        """The first opening or closing mark of an element between two places."""
        marks = self._of_element.get((element, closing), [])
        at = bisect_left(marks, start, key=lambda mark: mark.start)
        return marks[at] if at < len(marks) and marks[at].end <= end else None
