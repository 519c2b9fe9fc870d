"""An answer with its claims marked: Markdown without HTML and pictures, cut where claims begin and end.

Each block that holds words becomes a unit: the block, and behind it the claims that end in it, so that a page
can set their evidence beside the block or, on a phone, below it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markupsafe import Markup

from verifaible.reporting.pages import is_link
from verifaible.serve.judged.parts import plain_text
from verifaible.serve.judged.places import LineIndex, leaves

if TYPE_CHECKING:
    from markdown_it.token import Token

    from verifaible.serve.judged.places import Leaf

_DEEPEST_HEADING = 6
#: Markdown-it leaves out what lies deeper; such a chunk is shown as it is.
_DEEPEST_BLOCK = 18
#: Stands in the HTML where cards belong; no text holds it, for controls are shown as U+FFFD.
_CARDS = re.compile("\x01(\\d+)\x01")
_ALIGNED = re.compile(r"text-align:(center|right)")
_PLAIN = {
    "blockquote_open": "<blockquote>",
    "blockquote_close": "</blockquote>",
    "bullet_list_open": "<ul>",
    "bullet_list_close": "</ul>",
    "ordered_list_close": "</ol>",
    "list_item_open": "<li>",
    "list_item_close": "</li>",
    "hr": "<hr>",
    "thead_open": "<thead>",
    "thead_close": "</thead>",
    "tbody_open": "<tbody>",
    "tbody_close": "</tbody>",
    "em_open": "<em>",
    "em_close": "</em>",
    "strong_open": "<strong>",
    "strong_close": "</strong>",
    "softbreak": "\n",
    "hardbreak": "<br>",
}


@dataclass(frozen=True, slots=True)
class Mark:
    """A claim in an answer.

    Attributes:
        id: of the claim, which is the address of its card on the page.
        start: first code point in the answer.
        end: behind the last one.
        tone: class of its colour.
        weight: of claims over the same words, the heaviest gives the colour.
        label: what the link to its card is called, without characters that would be obeyed.
        sign: shown before its number.
        number: its number for people.
    """

    id: str
    start: int
    end: int
    tone: str
    weight: int
    label: str
    sign: str
    number: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a drawn answer: HTML, and then the ids of the claims whose cards belong there."""

    html: Markup
    cards: tuple[str, ...] = ()


@dataclass(slots=True)
class _Drawing:
    """What is known while a chunk is drawn."""

    text: str
    lines: LineIndex
    marks: Sequence[Mark]
    region: str
    out: list[str] = field(default_factory=list)
    groups: list[tuple[str, ...]] = field(default_factory=list)
    told: int = 0
    here: list[str] = field(default_factory=list)
    links: int = 0
    row: int = -1
    cell: int = 0
    ends: int = 0
    cuts: list[int] = field(default_factory=list)
    tones: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.cuts, self.tones = _colours(self.marks)

    def words(self, content: str, places: Sequence[int]) -> None:
        """Words with their colours, cut where claims begin and end."""
        at = 0
        while at < len(content):
            self.chips(places[at])
            colour = bisect_right(self.cuts, places[at]) - 1
            border = self.cuts[colour + 1] if colour + 1 < len(self.cuts) else places[-1] + 1
            end = at + 1
            while end < len(content) and places[end] < border:
                end += 1
            tone, piece = self.tones[colour] if colour >= 0 else "", escapeHtml(content[at:end])
            self.out.append(f'<span class="claimed {tone}">{piece}</span>' if tone else piece)
            at = end
        if content:
            self.chips(places[-1])

    def chips(self, place: int) -> None:
        """The links of the claims that end there or before; none inside a link."""
        while not self.links and self.told < len(self.marks) and self.marks[self.told].end <= place:
            mark = self.marks[self.told]
            name, told = escapeHtml(mark.id), escapeHtml(mark.label)
            self.out.append(
                f'<a class="chip {mark.tone}" id="at-{name}" href="#{name}" aria-label="{told}">'
                f'<span aria-hidden="true">{mark.sign}</span>{mark.number}</a>'
            )
            self.here.append(mark.id)
            self.told += 1

    def open_unit(self, tag: str) -> None:
        """Begin a block whose cards stand beside it."""
        self.out.append(f'<div class="answer-unit"><div class="block">{tag}')

    def close_unit(self, tag: str, place: int) -> None:
        """End it: what ends before that place belongs to it."""
        self.chips(place)
        self.out.append(f"{tag}</div>")
        if self.here:
            self.out.append(f'<div class="evidence-cards">\x01{len(self.groups)}\x01</div>')
            self.groups.append(tuple(self.here))
            self.here.clear()
        self.out.append("</div>\n")

    def pieces(self) -> tuple[Piece, ...]:
        """What was drawn, cut where cards belong."""
        parts = _CARDS.split("".join(self.out))
        return tuple(
            Piece(Markup(html), self.groups[int(parts[at + 1])] if at + 1 < len(parts) else ())  # noqa: S704
            for at, html in zip(range(0, len(parts), 2), parts[::2], strict=True)
        )


def draw(
    text: str, chunks: Sequence[tuple[int, int]], marks: Sequence[Mark], *, region: str
) -> tuple[Piece, ...]:
    """Draw a part of an answer with its claims.

    Args:
        text: the answer, as it is.
        chunks: which ranges of it, one behind the other.
        marks: the claims.
        region: what a table that scrolls is called.

    Returns:
        The pieces; a claim that ends elsewhere, or in what shows no word, has no card among them.
    """
    shown = plain_text(text)
    pieces: list[Piece] = []
    for start, end in chunks:
        here = [
            replace(each, start=max(0, each.start - start), end=each.end - start)
            for each in marks
            if each.start < end and each.end > start
        ]
        pieces += _chunk(shown[start:end], here, region)
    return tuple(pieces)


def _chunk(text: str, marks: Sequence[Mark], region: str) -> tuple[Piece, ...]:
    ordered = sorted(marks, key=lambda each: (each.end, each.start))
    drawing = _Drawing(text, LineIndex(text), ordered, region)
    tokens = _markdown().parse(text)
    if any(token.level >= _DEEPEST_BLOCK for token in tokens):
        drawing.open_unit('<pre class="plain">')
        drawing.words(text, range(len(text) + 1))
        drawing.close_unit("</pre>", len(text))
    else:
        for token in tokens:
            _block(token, drawing)
    return drawing.pieces()


def _colours(marks: Sequence[Mark]) -> tuple[list[int], list[str]]:
    """Where the colour changes, and the tone from there on: that of the heaviest claim over the words."""
    changes: dict[int, list[tuple[int, Mark]]] = {}
    for mark in marks:
        changes.setdefault(mark.start, []).append((1, mark))
        changes.setdefault(mark.end, []).append((-1, mark))
    count: dict[tuple[int, str], int] = {}
    cuts, tones = [], []
    for place in sorted(changes):
        for step, mark in changes[place]:
            key = mark.weight, mark.tone
            count[key] = count.get(key, 0) + step
        over = [key for key, number in count.items() if number > 0]
        cuts.append(place)
        tones.append(max(over)[1] if over else "")
    return cuts, tones


@cache
def _markdown() -> MarkdownIt:
    """CommonMark with tables, of which nothing is left out and nothing is loaded."""
    drawn = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table")
    drawn.disable(["image", "html_block", "html_inline", "reference", "text_join"])
    drawn.validateLink = is_link  # type: ignore[method-assign, assignment]
    return drawn


def _block(token: Token, drawing: _Drawing) -> None:
    """Write one token of the text's blocks."""
    if token.type in _PLAIN:
        drawing.out.append(_PLAIN[token.type])
    elif token.type == "inline":
        _inline(token, drawing)
    elif token.type in ("fence", "code_block"):
        _code(token, drawing)
    elif (write := _BLOCKS.get(token.type)) is not None:
        write(token, drawing)
    else:  # of a plugin that we do not load
        drawing.out.append(escapeHtml(token.content))


def _inline(token: Token, drawing: _Drawing) -> None:
    first = token.map[0] if token.map else 0
    if drawing.row >= 0:
        places = drawing.lines.cell(token.content, first, drawing.cell)
        drawing.cell = places[-1]
    else:
        places = drawing.lines.places(token.content, first)
    for leaf in leaves(token, places, _markdown()):
        _leaf(leaf, drawing)
    drawing.links = 0


def _leaf(leaf: Leaf, drawing: _Drawing) -> None:
    """Write one token of a line of text."""
    kind = leaf.token.type
    if kind in ("text", "text_special"):
        drawing.words(leaf.token.content, leaf.places)
    elif kind == "code_inline":
        drawing.out.append("<code>")
        drawing.words(leaf.token.content, leaf.places)
        drawing.out.append("</code>")
    elif kind == "link_open":
        address = escapeHtml(str(leaf.token.attrGet("href") or ""))
        drawing.links += 1
        drawing.out.append(f'<a href="{address}" rel="noopener noreferrer" target="_blank">')
    elif kind == "link_close":
        drawing.links -= 1
        drawing.out.append("</a>")
        drawing.chips(leaf.places[0])
    else:
        drawing.out.append(_PLAIN.get(kind, escapeHtml(leaf.token.content)))


def _code(token: Token, drawing: _Drawing) -> None:
    first = (token.map[0] if token.map else 0) + (token.type == "fence")
    drawing.open_unit("<pre><code>")
    drawing.words(token.content, drawing.lines.places(token.content, first))
    drawing.close_unit("</code></pre>", drawing.lines.start(token.map[1] if token.map else first))


def _open_block(token: Token, drawing: _Drawing) -> None:
    drawing.ends = drawing.lines.start(token.map[1]) if token.map else 0
    tag = "" if token.hidden else f"<{_tag(token)}>"
    drawing.open_unit(tag)


def _close_block(token: Token, drawing: _Drawing) -> None:
    tag = "" if token.hidden else f"</{_tag(token)}>"
    drawing.close_unit(tag, drawing.ends)


def _open_list(token: Token, drawing: _Drawing) -> None:
    start = token.attrGet("start")
    drawing.out.append(f'<ol start="{int(start)}">' if start is not None else "<ol>")


def _open_table(_: Token, drawing: _Drawing) -> None:
    told = escapeHtml(drawing.region)
    drawing.open_unit(f'<div class="wide" tabindex="0" role="region" aria-label="{told}"><table>')


def _close_table(_: Token, drawing: _Drawing) -> None:
    drawing.close_unit("</table></div>", 0)


def _open_row(token: Token, drawing: _Drawing) -> None:
    drawing.row = token.map[0] if token.map else 0
    drawing.cell = drawing.lines.start(drawing.row)
    drawing.out.append("<tr>")


def _close_row(_: Token, drawing: _Drawing) -> None:
    last_cell = drawing.out.pop()
    drawing.chips(drawing.lines.start(drawing.row + 1))
    drawing.out += (last_cell, "</tr>")
    drawing.row = -1


def _open_cell(token: Token, drawing: _Drawing) -> None:
    aligned = _ALIGNED.search(str(token.attrGet("style") or ""))
    drawing.out.append(f'<{token.tag} class="{aligned[1]}">' if aligned else f"<{token.tag}>")


def _close_cell(token: Token, drawing: _Drawing) -> None:
    text, at = drawing.text, drawing.cell
    while at < len(text) and text[at] in " \t":
        at += 1
    drawing.cell = at + (text[at : at + 1] == "|")
    drawing.chips(drawing.cell)
    drawing.out.append(f"</{token.tag}>")


def _tag(token: Token) -> str:
    """Headings stand below those of the page: the first level of an answer is the third of the page."""
    if token.type.startswith("heading"):
        return f"h{min(_DEEPEST_HEADING, int(token.tag[1:]) + 2)}"
    return token.tag


_BLOCKS: dict[str, Callable[[Token, _Drawing], None]] = {
    "paragraph_open": _open_block,
    "paragraph_close": _close_block,
    "heading_open": _open_block,
    "heading_close": _close_block,
    "ordered_list_open": _open_list,
    "table_open": _open_table,
    "table_close": _close_table,
    "tr_open": _open_row,
    "tr_close": _close_row,
    "th_open": _open_cell,
    "th_close": _close_cell,
    "td_open": _open_cell,
    "td_close": _close_cell,
}
