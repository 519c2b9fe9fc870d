"""An answer with its claims marked: Markdown without HTML and pictures, cut where claims begin and end.

Each block that holds words becomes a unit: the block, and behind it the claims that end in it, so that a page
can set their evidence beside the block or, on a phone, below it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from html import escape, unescape
from itertools import pairwise
from typing import TYPE_CHECKING

from markupsafe import Markup

from verifaible.reporting.markdown import Span, marked_units
from verifaible.viewer.runs.answer import for_viewer
from verifaible.viewer.runs.timeline import visible

if TYPE_CHECKING:
    from verifaible.schema.analyst import Claim


#: The link of a claim to its card; the text cannot forge it, for its angle brackets are escaped.
_CHIP = re.compile(r'<a class="chip [^"]*" id="at-([^"]*)"')


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


def draw(text: str, chunks: Sequence[tuple[int, int]], marks: Sequence[Mark]) -> tuple[Piece, ...]:
    """Draw a part of an answer with its claims.

    Args:
        text: the answer, as it is.
        chunks: which ranges of it, one behind the other.
        marks: the claims.

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
        pieces += _chunk(shown[start:end], here)
    return tuple(pieces)


def _chunk(text: str, marks: Sequence[Mark]) -> tuple[Piece, ...]:
    pieces: list[Piece] = []
    html: list[str] = []
    for shown, has_words in marked_units(text, _spans(marks), "claimed"):
        if not has_words:
            html.append(shown)
            continue
        html.append(f'<div class="answer-unit"><div class="block">{for_viewer(shown)}</div>')
        if cards := tuple(map(unescape, _CHIP.findall(shown))):
            html.append('<div class="evidence-cards">')
            pieces.append(Piece(Markup("".join(html)), cards))  # noqa: S704 - of escaped text and our own tags
            html = ["</div>"]
        html.append("</div>\n")
    return (*pieces, Piece(Markup("".join(html))))  # noqa: S704


def _spans(marks: Sequence[Mark]) -> list[Span]:
    """The colours of a text, and behind each the links of the claims that end with it."""
    cuts, tones = _colours(marks)
    chips: dict[int, str] = {}
    for mark in sorted(marks, key=lambda each: (each.end, each.start)):
        name, told = escape(mark.id), escape(mark.label)
        chips[mark.end] = chips.get(mark.end, "") + (
            f'<a class="chip {mark.tone}" id="at-{name}" href="#{name}" aria-label="{told}">'
            f'<span aria-hidden="true">{mark.sign}</span>{mark.number}</a>'
        )
    return [
        Span(start, end, tone, chips.get(end, ""))
        for (start, end), tone in zip(pairwise(cuts), tones, strict=False)
    ]


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


#: Markdown can take time with the square of its length, so a long answer is drawn piece by piece.
CHUNK_CHARS = 20_000
#: Of a longer answer a page shows one part.
PART_CHARS = 60_000


def plain_text(text: str) -> str:
    """A text in which nothing is obeyed, letter for letter as long as it was."""
    return visible(text.replace("\r\n", " \n").replace("\r", "\n"))


def parts_of(text: str) -> tuple[tuple[tuple[int, int], ...], ...]:
    """The parts of an answer that a page shows at once, each of some chunks: ranges in code points."""
    chunks: list[tuple[int, int]] = []
    start = 0
    while start < len(text):
        end = len(text) if len(text) - start <= CHUNK_CHARS else _border(text, start, start + CHUNK_CHARS)
        chunks.append((start, end))
        start = end
    most = PART_CHARS // CHUNK_CHARS
    return tuple(tuple(chunks[at : at + most]) for at in range(0, len(chunks), most)) or ((),)


def range_of(parts: Sequence[Sequence[tuple[int, int]]], part: int) -> tuple[int, int | None]:
    """The range of a part of an answer, by its number from 1; None for the end of the last one."""
    chunks = parts[part - 1]
    return (chunks[0][0] if chunks else 0), (chunks[-1][1] if part < len(parts) else None)


def unplaced(claims: Sequence[Claim], placed: Collection[str], end: int | None) -> tuple[str, ...]:
    """The claims that a part of an answer should show and does not: those that end in it, without a place."""
    return tuple(each.id for each in claims if each.id not in placed and (end is None or each.end <= end))


def _border(text: str, start: int, limit: int) -> int:
    """Where a chunk ends: before a heading, else behind a blank line, a line, or in the midst of one."""
    for border, kept in (("\n#", 1), ("\n\n", 2), ("\n", 1)):
        found = text.rfind(border, start + CHUNK_CHARS // 2, limit)
        if found >= 0:
            return found + kept
    return limit
