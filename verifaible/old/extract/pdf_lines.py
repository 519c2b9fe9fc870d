"""The lines of a PDF page as a reader takes them: from glyphs with places to text.

A PDF only says where each glyph stands. Here raised figures become superscripts ("2023⁴" must not
read 20234), lines of Hebrew or Arabic are put into reading order, what was printed twice to look
bold is taken once, letters that are set apart make a word, what was filled into a form stands
behind its label, and a gap parts paragraphs.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import TypeAlias

#: Left, top, right and bottom, in points.
Box: TypeAlias = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Glyph:
    """A character (of a ligature: several) and its box.

    ``raised`` if it stands above the line; ``made`` if it is a blank that the file does not have, for a gap.
    """

    text: str
    box: Box
    raised: bool = False
    made: bool = False


Line: TypeAlias = tuple[Glyph, ...]

_RAISED = dict(zip("0123456789+-−=()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾", strict=True))
_RAISED_LETTERS = dict(zip("abcdefghijklmnoprstuvwxyz", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ", strict=True))
#: Two prints of a line are one if they lie no further apart than this part of its height.
_SAME_PLACE = 0.15
#: Gaps between lines, in parts of the lower one's height: that a paragraph's end has at least, before a
#: capital letter and before one that has no case, and by how much it exceeds those inside a paragraph.
_PARAGRAPH, _PARAGRAPH_UNCASED, _WIDER = 0.6, 1.2, 0.3
#: Of a line whose letters are all set apart: how many it has at least, the widest gap between two of a word
#: in parts of its height, and how much wider than the narrowest it may be.
_FEWEST_APART, _WIDEST_APART, _AS_WIDE = 4, 0.6, 1.5
_LEFT_TO_RIGHT = ("L", "EN", "AN")
_RIGHT_TO_LEFT = ("R", "AL")


def reading_lines(lines: Iterable[Line], fields: Sequence[Box] = ()) -> tuple[Line, ...]:
    """The lines of a page, each in reading order, without what was printed twice.

    Args:
        lines: glyphs line by line, in the order of the file.
        fields: the boxes of form fields, whose text the file has behind all the rest.
    """
    found = _beside_labels(_once(lines), fields)
    return tuple(_with_superscripts(_in_reading_order(_together(line))) for line in found)


def paragraphs(lines: Sequence[Line]) -> tuple[int, ...]:
    """Which lines begin a paragraph below a gap, by their index; a paragraph without a gap is not told.

    A sentence goes on before a small letter: there the page shows how far apart its lines are, so text that
    is set widely is not taken for single lines.
    """
    pairs = [(at, _letter(lines[at]), _gap(*lines[at - 1 : at + 1])) for at in range(1, len(lines))]
    within = sorted(gap for _, letter, gap in pairs if letter.islower())
    usual = within[len(within) // 2] if within else 0.0
    return tuple(
        at
        for at, letter, gap in pairs
        if not letter.islower()
        and gap > max(_PARAGRAPH if letter.isupper() else _PARAGRAPH_UNCASED, usual + _WIDER)
    )


def _letter(line: Line) -> str:
    """The first letter or figure of a line, or ""."""
    return next((char for glyph in line for char in glyph.text if char.isalnum()), "")


def _gap(above: Line, below: Line) -> float:
    """How far below a line the next one is, in parts of its height; less than nothing for one beside it."""
    bottom, (_, top, _, end) = _bounds(above)[3], _bounds(below)
    return (top - bottom) / (end - top) if end > top else 0.0


def _once(lines: Iterable[Line]) -> list[Line]:
    kept: dict[str, list[Line]] = {}
    found: list[Line] = []
    for line in lines:
        if not line:
            continue
        same = kept.setdefault("".join(glyph.text for glyph in line), [])
        if not any(_covers(other, line) for other in same):
            found.append(line)
        same.append(line)
    return found


def _covers(one: Line, other: Line) -> bool:
    return all(
        max(abs(x - y) for x, y in zip(a.box, b.box, strict=True)) <= _SAME_PLACE * (a.box[3] - a.box[1])
        for a, b in zip(one, other, strict=False)
    )


def _bounds(line: Line) -> Box:
    boxes = [glyph.box for glyph in line]
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )


# --- forms


def _beside_labels(lines: list[Line], fields: Sequence[Box]) -> list[Line]:
    """The lines, those inside form fields put behind the text that stands left of them."""
    if not fields:
        return lines
    filled = [line for line in lines if any(_inside(_bounds(line), box) for box in fields)]
    rest = [line for line in lines if line not in filled]
    for line in filled:
        left, top, _, bottom = _bounds(line)
        middle = (top + bottom) / 2
        labels = [
            (box[2], at)
            for at, other in enumerate(rest)
            if (box := _bounds(other))[1] <= middle <= box[3] and box[2] <= left
        ]
        at = max(labels)[1] + 1 if labels else len(rest)
        rest.insert(at, line)
    return rest


def _inside(box: Box, field: Box) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return field[0] <= x <= field[2] and field[1] <= y <= field[3]


# --- letters set apart


def _together(line: Line) -> Line:
    """A line without the gaps inside its words where every letter is set apart from the next: N O T I C E.

    Figures that stand apart may be those of several cells, so they are left apart.
    """
    shown = [glyph for glyph in line if not glyph.text.isspace()]
    touching = any(not (one.text.isspace() or other.text.isspace()) for one, other in pairwise(line))
    if touching or len(shown) < _FEWEST_APART or not all(glyph.text.isalpha() for glyph in shown):
        return line
    widths = [glyph.box[2] - glyph.box[0] for glyph in line if glyph.made]
    _, top, _, bottom = _bounds(line)
    widest = min([_AS_WIDE * min(widths, default=0.0), _WIDEST_APART * (bottom - top)])
    return tuple(glyph for glyph in line if not glyph.made or glyph.box[2] - glyph.box[0] > widest)


# --- right to left


def _in_reading_order(line: Line) -> Line:
    """A line of a script that runs from the right, its runs from right to left."""
    text = "".join(glyph.text for glyph in line)
    if text.isascii():
        return line
    kinds = [unicodedata.bidirectional(char) for char in text]
    if sum(kind in _RIGHT_TO_LEFT for kind in kinds) <= sum(kind == "L" for kind in kinds):
        return line
    runs = [
        (latin, tuple(glyph for glyph, _ in run))
        for latin, run in groupby(zip(line, _directions(line), strict=True), key=lambda pair: pair[1])
    ]
    runs.sort(key=lambda run: -_bounds(run[1])[2])
    return tuple(glyph for latin, run in runs for glyph in (run if latin else _from_the_right(run)))


def _directions(line: Line) -> list[bool]:
    """For each glyph whether it runs left to right; blanks and signs do between two that do."""
    known = [_direction(glyph) for glyph in line]
    found: list[bool] = []
    for at, direction in enumerate(known):
        before = next((d for d in reversed(known[:at]) if d is not None), False)
        after = next((d for d in known[at + 1 :] if d is not None), False)
        found.append(direction if direction is not None else bool(before and after))
    return found


def _direction(glyph: Glyph) -> bool | None:
    kind = unicodedata.bidirectional(glyph.text[0])
    return True if kind in _LEFT_TO_RIGHT else False if kind in (*_RIGHT_TO_LEFT, "NSM") else None


def _from_the_right(run: Line) -> Line:
    """The letters of a run from right to left, each with its vowel signs."""
    letters: list[list[Glyph]] = []
    for glyph in run:
        if letters and unicodedata.bidirectional(glyph.text[0]) == "NSM":
            letters[-1].append(glyph)
        else:
            letters.append([glyph])
    letters.sort(key=lambda glyphs: -glyphs[0].box[0])
    return tuple(glyph for glyphs in letters for glyph in glyphs)


# --- superscripts


def _with_superscripts(line: Line) -> Line:
    if not any(glyph.raised for glyph in line) or all(glyph.raised for glyph in line):
        return line
    made: list[Glyph] = []
    for raised, run in groupby(line, key=lambda glyph: glyph.raised):
        glyphs = list(run)
        if raised:
            # "1st" and "Mme" stay: only a letter by itself is a mark.
            letters = sum(glyph.text.isalpha() for glyph in glyphs)
            table = _RAISED | (_RAISED_LETTERS if letters == 1 else {})
            glyphs = [replace(glyph, text=table.get(glyph.text, glyph.text)) for glyph in glyphs]
        made += glyphs
    return tuple(made)
