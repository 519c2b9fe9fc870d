"""Where the words of a Markdown block stand in it: a place for every letter that is shown.

Markdown-it says of a block which lines it is from, and of a word nothing. Its tokens are laid along the text
again, which is exact: each token names the signs that it took from it.
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


def leaves(source: str, tokens: Sequence[Token], places: Sequence[int], parser: MarkdownIt) -> Iterator[Leaf]:
    """The tokens of a block's text, in their order, each with its place.

    Args:
        source: the text.
        tokens: as the inline parser gives them (rules of its core, such as ``text_join``, have not run).
        places: of each letter of the text, and of its end.
        parser: which made the tokens.
    """
    at = 0
    links: list[bool] = []
    for child in tokens:
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
        elif kind == "image":
            begin = _seek(source, "![", at) + 2
            yield _leaf(child, places, begin, len(child.content))
            at = _behind_link(source, begin + len(child.content), parser)
        elif kind in ("softbreak", "hardbreak"):
            match = _BREAK.match(source, at)
            at = match.end() if match else at
            yield Leaf(child, [places[at]])
        else:
            at = _behind_markup(child, source, at, links, parser)
            yield Leaf(child, [places[at]])


def _behind_markup(child: Token, source: str, at: int, links: list[bool], parser: MarkdownIt) -> int:
    """Where the text goes on behind an opening or a closing token."""
    if child.type == "link_open":
        links.append(child.markup == "autolink")
        return _seek(source, "<" if links[-1] else "[", at) + 1
    if child.type == "link_close":
        automatic = links.pop() if links else False
        return _seek(source, ">", at) + 1 if automatic else _behind_link(source, at, parser)
    return _seek(source, child.markup, at) + len(child.markup) if child.markup else at


def _behind_link(source: str, at: int, parser: MarkdownIt) -> int:
    """Where the text goes on behind ``](address "title")``."""
    place = _seek(source, "](", at) + 2
    place = _behind_space(source, place)
    address = parser.helpers.parseLinkDestination(source, place, len(source))
    if address.ok:
        place = _behind_space(source, address.pos)
    title = parser.helpers.parseLinkTitle(source, place, len(source))
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
