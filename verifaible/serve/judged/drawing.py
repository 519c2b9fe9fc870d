"""An answer with its claims marked: Markdown without HTML and pictures, cut where claims begin and end.

Each block that holds words becomes a unit: the block, and behind it the claims that end in it, so that a page
can set their evidence beside the block or, on a phone, below it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape, unescape
from itertools import pairwise

from markupsafe import Markup

from verifaible.reporting.marked import Span, marked_units
from verifaible.serve.judged.parts import plain_text
from verifaible.serve.runs.answer import for_viewer

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
    pieces: list[Piece] = []
    html: list[str] = []
    for shown, has_words in marked_units(text, _spans(marks), "claimed"):
        if not has_words:
            html.append(shown)
            continue
        html.append(f'<div class="answer-unit"><div class="block">{for_viewer(shown, region)}</div>')
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
