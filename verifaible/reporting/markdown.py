"""Markdown with coloured spans as HTML, made of nothing but escaped text and our tags.

Every letter that is shown has a place in the text (:func:`_leaves`), so a text is
coloured and cut exactly where spans begin and end, and elements always nest. What stands deeper than the
parser reads is shown as it was written.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from verifaible.text.markdown import (
    Block,
    blocks_in,
    even_lines,
    line_offsets,
    markdown,
    starts_of,
    tokens_of,
)

if TYPE_CHECKING:
    from markdown_it.token import Token

_LISTS: Final = ("bullet_list_open", "ordered_list_open")
_CODE: Final = ("fence", "code_block")
#: What holds words and no other block.
_UNITS: Final = ("paragraph_open", "heading_open", "table_open")
#: Markdown-it leaves out what lies deeper.
_DEEPEST: Final = 18
#: Stand for the brackets of what is replaced while mark-up is parsed, so that these make no link. Like them
#: they are punctuation, beside which emphasis is still emphasis; nobody writes answers in their script.
_SIGNS: Final = {"[": "\U00012470", "]": "\U00012471"}
_NO_BRACKETS: Final = str.maketrans(_SIGNS)
_CELL_END = re.compile(r"[ \t]*\|?")


@dataclass(frozen=True, slots=True)
class Span:
    """``text[start:end]`` gets the class ``kind``, if it has one; ``flag`` is HTML behind it.

    A flag of a place inside a link of the text stands behind the link, where it may be a link itself.
    """

    start: int
    end: int
    kind: str
    flag: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """A paragraph, a heading, an item of a list, a table: ``text[start:end]`` as HTML."""

    start: int
    end: int
    html: str


def marked_html(
    text: str, spans: Sequence[Span], instead: Sequence[Span] = (), *, as_text: bool = False
) -> str:
    """A text as HTML.

    Args:
        text: Markdown; offsets count its code points.
        spans: in order; none overlaps another.
        instead: in their places only their flags are shown; in order, too.
        as_text: show the text as it is written, not as Markdown.
    """
    return _rendered(_marked(text, spans, instead, as_text=as_text))


def marked_pieces(text: str, spans: Sequence[Span]) -> tuple[Piece, ...]:
    """A text as HTML, piece by piece, so that something can be put beside each; see :func:`marked_html`."""
    starts = starts_of(even_lines(text))
    pieces: list[Piece] = []
    for group in _grouped(_marked(text, spans)):
        first, last = group[group[0].type in _LISTS].map or (0, 0)
        pieces.append(Piece(starts[first], starts[last], _rendered(group)))
    return tuple(pieces)


def marked_units(text: str, spans: Sequence[Span], base: str) -> Iterator[tuple[str, bool]]:
    """A text as HTML in parts: each block that holds words, and (False) the tags around such blocks.

    ``base`` is a further class of what spans colour; see :func:`marked_html`.
    """
    unit: list[Token] = []
    for token in _marked(text, spans, base=base):
        unit.append(token)
        if unit[0].type in _UNITS and token.type != unit[0].type.replace("_open", "_close"):
            continue
        yield _rendered(unit), unit[0].type in _UNITS or token.tag == "code"
        unit = []


def _grouped(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The tokens of each block that is in no other; each item of a list is a list of its own."""
    group: list[Token] = []
    opened: Token | None = None
    number = 1
    for token in tokens:
        if token.level == 0 and token.type in _LISTS:
            opened, number = token, int(token.attrs.get("start", 1))
        elif opened and token.level == 0:
            opened = None
        elif opened and token.level == 1 and token.type == "list_item_close":
            head = opened.copy()
            head.attrs = {"start": number} if opened.type == "ordered_list_open" and number != 1 else {}
            foot = opened.copy(type=opened.type.replace("open", "close"), nesting=-1, attrs={}, map=None)
            yield [head, *group, token, foot]
            group, number = [], number + 1
        else:
            group.append(token)
            if not opened and token.level == 0 and token.nesting <= 0:
                yield group
                group = []


def _rendered(tokens: Sequence[Token]) -> str:
    return str(markdown().renderer.render(tokens, markdown().options, {}))


def _marked(
    text: str, spans: Sequence[Span], instead: Sequence[Span] = (), *, base: str = "s", as_text: bool = False
) -> list[Token]:
    from markdown_it.token import Token

    body = even_lines(text)
    starts = starts_of(body)
    tokens = tokens_of(body)
    if as_text or any(token.level >= _DEEPEST for token in tokens):
        tokens = [Token("code_block", "code", 0, content=body, map=[0, len(starts) - 1])]
    writer = _Writer(spans, instead, base)
    blocks = {block.token: block for block in blocks_in(body, tokens)}
    for number, token in enumerate(tokens):
        first, last = token.map or (0, 0)
        if token.type in _CODE:
            if content := token.content.removesuffix("\n"):
                offsets = line_offsets(body, content, starts, first + (token.type == "fence"))
                writer.words(content, (*offsets, offsets[-1] + 1))
            token.type = "html_block"
            token.content = f"<pre><code>{writer.taken(starts[last])}</code></pre>\n"
        elif token.type == "inline":
            block, end = blocks[number], starts[(tokens[number - 1].map or (0, last))[1]]
            if block.kind in ("header", "row") and block.offsets and tokens[number + 2].type != "tr_close":
                behind = _CELL_END.match(body, block.offsets[-1] + 1)
                end = behind.end() if behind else end
            writer.block(block)
            token.children = [token.copy(type="html_inline", content=writer.taken(end), children=None)]
        elif token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 2, 6)}"  # the page has its own first two
        elif aligned := token.attrs.pop("style", ""):  # pages allow no style but their own sheet
            token.attrs["class"] = str(aligned).rpartition(":")[2]
    return tokens


def _at(spans: Sequence[Span], place: int) -> tuple[int, bool, int]:
    """The last span that begins there or before, whether it goes on there, and where that changes."""
    number = bisect_right(spans, place, key=lambda span: span.start) - 1
    if number >= 0 and place < spans[number].end:
        return number, True, spans[number].end
    return number, False, spans[number + 1].start if number + 1 < len(spans) else sys.maxsize


def _near(spans: Sequence[Span], first: int, last: int) -> Sequence[Span]:
    """The spans that have something between two places."""
    begin = bisect_right(spans, first, key=lambda span: span.end)
    return spans[begin : bisect_right(spans, last, lo=begin, key=lambda span: span.start)]


class _Writer:
    """Writes the words of all blocks, in order."""

    def __init__(self, spans: Sequence[Span], instead: Sequence[Span], base: str) -> None:
        self._spans, self._instead, self._base = spans, instead, base
        self._flagged = 0  # so many spans have their flags
        self._replaced = 0  # so many places have what stands instead of them
        self._links = 0
        self._held: list[str] = []  # of places inside a link that has not ended
        self._out: list[str] = []

    def taken(self, until: int) -> str:
        """What was written since the last time, with the flags of all that ends before a place."""
        self._flags(until)
        html = "".join(self._out)
        self._out.clear()
        return html

    def block(self, block: Block) -> None:
        """The inline mark-up of a block."""
        if not block.offsets:
            return
        content = block.content
        for each in _near(self._instead, block.offsets[0], block.offsets[-1]):
            start, end = (bisect_left(block.offsets, place) for place in (each.start, each.end))
            content = content[:start] + content[start:end].translate(_NO_BRACKETS) + content[end:]
        places = (*block.offsets, block.offsets[-1] + 1)
        for token, inside in _leaves(content):
            self._leaf(token, [places[min(at, len(content))] for at in inside])

    def _leaf(self, token: Token, places: Sequence[int]) -> None:
        if token.type in ("text", "text_special", "code_inline"):
            self.words(token.content, places, token.tag)
        elif token.type == "image":  # pictures from elsewhere are not loaded
            named = "[image: "
            self._open_link(token.attrs["src"])
            self.words(f"{named}{token.content}]", (*[places[0]] * len(named), *places, places[-1]))
            self._close_link(places[-1])
        elif token.type == "link_open":
            self._open_link(token.attrs["href"])
        elif token.type == "link_close":
            self._close_link(places[0])
        else:
            self._out.append(_rendered([token]))

    def _open_link(self, address: object) -> None:
        if not self._links:
            shown = str(address)
            for bracket, sign in _SIGNS.items():
                shown = shown.replace(quote(sign), quote(bracket))
            self._out.append(f'<a href="{escape(shown)}" rel="noopener noreferrer">')
        self._links += 1

    def _close_link(self, place: int) -> None:
        self._links -= 1
        if not self._links:
            self._out += ["</a>", *self._held]
            self._held.clear()
            self._flags(place)

    def words(self, content: str, places: Sequence[int], tag: str = "") -> None:
        """Words with their colours, cut where spans begin and end; ``places`` has that of their end, too."""
        at = 0
        while at < len(content):
            self._flags(places[at])
            number, replaced, border = _at(self._instead, places[at])
            if replaced and number >= self._replaced:
                self._replaced = number + 1
                (self._held if self._links else self._out).append(self._instead[number].flag)
            colour, coloured, change = _at(self._spans, places[at])
            end = bisect_left(places, border if replaced else min(border, change), at + 1, len(content))
            if not replaced:
                shown = escape(content[at:end])
                shown = f"<{tag}>{shown}</{tag}>" if tag else shown
                kind = self._spans[colour].kind if coloured else ""
                self._out.append(f'<span class="{self._base} {kind}">{shown}</span>' if kind else shown)
            at = end
        if content:
            self._flags(places[-1])

    def _flags(self, place: int) -> None:
        """The flags of spans that end there or before; none inside a link."""
        while (
            not self._links and self._flagged < len(self._spans) and self._spans[self._flagged].end <= place
        ):
            self._out.append(self._spans[self._flagged].flag)
            self._flagged += 1


def _leaves(content: str) -> Iterator[tuple[Token, Sequence[int]]]:
    """The inline tokens of a block's content: where each of its letters stands in it, and where it ends.

    Text stands right behind what was taken before it; what else a rule took, the parser notes
    (:func:`verifaible.text.markdown.markdown`).
    """
    tokens: list[Token] = []
    markdown().inline.parse(content, markdown(), {}, tokens)
    at, rewritten = 0, ""  # the end of what was taken; the source of an address shown in another spelling
    for token in tokens:
        begin, end = token.meta.get("taken", (at, at + len(token.markup or token.content)))
        length = len(token.content)
        if token.type == "text" and rewritten and rewritten != token.content:
            yield token, [at] * length + [at + len(rewritten)]
        elif token.type == "text":
            yield token, range(at, at + length + 1)
            at += length
        elif token.type == "text_special":
            yield token, [begin] * length + [end]
        elif token.type in ("code_inline", "image"):  # blanks inside ticks may have been taken off
            inside = begin + 2 if token.type == "image" else begin + (end - begin - length) // 2
            yield token, range(inside, inside + length + 1)
        else:
            yield token, [end]
        if token.type == "link_open":
            at = begin + 1
            rewritten = content[at : end - 1] if token.markup == "autolink" else ""
        elif token.type != "text":
            at, rewritten = end, ""
