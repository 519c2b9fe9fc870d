"""Where the words of a drawn answer stand in its Markdown: a place for every letter that is shown.

Markdown-it says of a block which lines it is from, and of a word nothing. Its tokens are laid along those
lines again, which is exact: each token names the signs that it took from the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

#: What a line break inside a paragraph takes from the source.
_BREAK = re.compile(r" *\\?\n[ \t]*")


@dataclass(frozen=True, slots=True)
class Leaf:
    """A token of a line with its place.

    Attributes:
        token: the token.
        places: of each letter of its content, and of the end; empty for a token that shows nothing.
    """

    token: Token
    places: Sequence[int] = ()


class LineIndex:
    """The lines of a Markdown text and where they begin, in code points."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)
        self._end = len(text)

    def start(self, line: int) -> int:
        """Where a line begins; of one behind the last, the end of the text."""
        return min(self.starts[min(line, len(self.starts) - 1)], self._end)

    def places(self, content: str, first: int) -> list[int]:
        """The place of each letter of a block's content, and of its end.

        Args:
            content: lines joined by line breaks; of each, what was before it and behind it may be gone.
            first: the line of the source that the first of them is from.
        """
        found: list[int] = []
        end = self.start(first)
        for at, line in enumerate(content.split("\n")):
            number = first + at
            source = self.lines[number] if number < len(self.lines) else ""
            words = line.strip()
            place = len(source.rstrip()) - len(words)
            if place < 0 or source[place : place + len(words)] != words:
                place = max(0, source.find(words))
            begin = self.start(number) + place - (len(line) - len(line.lstrip()))
            if at:
                found.append(end)  # the line break
            found.extend(max(0, begin + step) for step in range(len(line)))
            end = min(max(0, begin + len(line)), self.start(number + 1))
        found.append(end)
        return found

    def cell(self, content: str, line: int, behind: int) -> list[int]:
        """The place of each letter of a table's cell, and of its end.

        Args:
            content: of the cell; a bar that was escaped stands without its backslash.
            line: the line of its row.
            behind: place behind the cell before it.
        """
        place = behind
        found: list[int] = []
        source, start = self.lines[line], self.start(line)
        place = max(0, place - start)
        written = content.replace("|", "\\|")
        at = source.find(written, place)
        if at < 0:  # not every bar needs a backslash in what is no row of ours
            written, at = content, max(place, source.find(content, place))
        step = at
        for letter in content:
            if letter == "|" and source[step : step + 2] == "\\|":
                step += 1
            found.append(start + min(step, len(source)))
            step += 1
        found.append(start + min(step, len(source)))
        return found


def leaves(token: Token, places: Sequence[int], drawn: MarkdownIt) -> Iterator[Leaf]:
    """The tokens of a line of text, in their order, each with its place.

    Args:
        token: an ``inline`` token whose texts were not joined behind escapes (``text_join`` is off).
        places: of each letter of its content, and of the end.
        drawn: who made the token.
    """
    source, at = token.content, 0
    links: list[bool] = []
    for child in token.children or ():
        kind = child.type
        if kind == "code_inline":
            begin = _seek(source, child.markup, at) + len(child.markup)
            shift = 0 if _flat(source[begin : begin + len(child.content)]) == child.content else 1
            begin += shift
            yield _leaf(child, places, begin, len(child.content))
            at = _seek(source, child.markup, begin + len(child.content)) + len(child.markup)
        elif kind == "text" and links and links[-1]:  # the words of <https://...> may be written otherwise
            end = max(at, source.find(">", at))
            if source[at:end] == child.content:
                yield _leaf(child, places, at, end - at)
            else:
                yield Leaf(child, [places[at]] * len(child.content) + [places[end]])
            at = end
        elif kind == "text":
            begin = _seek(source, child.content, at)
            yield _leaf(child, places, begin, len(child.content))
            at = begin + len(child.content)
        elif kind == "text_special":
            begin = _seek(source, child.markup, at)
            at = begin + len(child.markup)
            yield Leaf(child, [places[begin]] * len(child.content) + [places[at]])
        elif kind in ("softbreak", "hardbreak"):
            match = _BREAK.match(source, at)
            at = match.end() if match else at
            yield Leaf(child, [places[at]])
        else:
            at = _behind_markup(child, source, at, links, drawn)
            yield Leaf(child, [places[at]])


def _behind_markup(child: Token, source: str, at: int, links: list[bool], drawn: MarkdownIt) -> int:
    """Where the text goes on behind an opening or a closing token."""
    if child.type == "link_open":
        links.append(child.markup == "autolink")
        return _seek(source, "<" if links[-1] else "[", at) + 1
    if child.type == "link_close":
        automatic = links.pop() if links else False
        return _seek(source, ">", at) + 1 if automatic else _behind_link(source, at, drawn)
    return _seek(source, child.markup, at) + len(child.markup) if child.markup else at


def _behind_link(source: str, at: int, drawn: MarkdownIt) -> int:
    """Where the text goes on behind ``](address "title")``."""
    place = _seek(source, "](", at) + 2
    place = _behind_space(source, place)
    address = drawn.helpers.parseLinkDestination(source, place, len(source))
    if address.ok:
        place = _behind_space(source, address.pos)
    title = drawn.helpers.parseLinkTitle(source, place, len(source))
    if title.ok:
        place = _behind_space(source, title.pos)
    return min(len(source), place + 1) if source[place : place + 1] == ")" else min(place, len(source))


def _behind_space(source: str, at: int) -> int:
    while at < len(source) and source[at] in " \t\n":
        at += 1
    return at


def _seek(source: str, words: str, at: int) -> int:
    """Where the words stand from there on, which is there unless something was left out before them."""
    if source.startswith(words, at):
        return at
    found = source.find(words, at)
    return found if found >= 0 else min(at, max(0, len(source) - len(words)))


def _leaf(token: Token, places: Sequence[int], begin: int, length: int) -> Leaf:
    end = min(begin + length, len(places) - 1)
    found = list(places[begin : end + 1])
    return Leaf(token, found + [found[-1]] * (length + 1 - len(found)))


def _flat(text: str) -> str:
    return text.replace("\n", " ")
