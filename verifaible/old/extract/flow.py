"""Whether the eye reads words one after the other: by where they are, not by their order in a file.

Text that lies apart on a page may lie together in its source, and the other way round. A quote is read on
from piece to piece along a line, to the line below, or to the top of the next column of the same block;
anything else is put together from parts.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from verifaible.schema.anchor import Rect

#: Parts of the smaller piece's height: how much two pieces of a line overlap, how far apart they may be
#: with and without a blank between them, how far they may run into one another, and the way to the line
#: below, in a block and from block to block.
_ON_LINE = 0.5
_APART, _TOGETHER, _INTO = 4.0, 0.35, 0.5
_BELOW, _BELOW_BLOCK = 3.0, 6.0
#: How far the middles of two cells of a row may be apart: one may have two lines more than the other.
_ROW = 1.6
_RAISED: Final = frozenset("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾₀₁₂₃₄₅₆₇₈₉₊₋ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ[]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A word, or a part of one.

    Attributes:
        text: what it says, as the text has it.
        first: where it begins, as the rectangle of its first line.
        last: where it ends.
        joined: no white space is between the piece before and this one.
        block: a number that pieces of one paragraph or cell share.
        vertical: its lines run from top to bottom.
    """

    text: str
    first: Rect
    last: Rect
    joined: bool = False
    block: int = 0
    vertical: bool = False


def gap(pieces: Sequence[Piece], *, rows: bool = False) -> tuple[str, str] | None:
    """The first two neighbours between which the eye does not read on, or None.

    With ``rows`` it reads on to the right over any gap, and from a label of several lines: the cells of a
    PDF's tables are nothing but places.
    """
    for before, after in pairwise(pieces):
        if before.vertical != after.vertical:
            continue
        one, other = before.last, after.first
        if before.vertical:
            one, other = _turned(one), _turned(other)
        if not _follows(one, other, before, after) and not (rows and _in_row(one, other)):
            return before.text, after.text
    return None


def _in_row(one: Rect, other: Rect) -> bool:
    high = min(one.height, other.height)
    middles = one.y + one.height / 2, other.y + other.height / 2
    return other.x >= one.x + one.width - _INTO * high and abs(middles[0] - middles[1]) <= _ROW * high


def _follows(one: Rect, other: Rect, before: Piece, after: Piece) -> bool:
    high = min(one.height, other.height)
    if high <= 0:
        return True
    overlap = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
    raised = bool(_RAISED & {*before.text[-1:], *after.text[:1]})
    way = _direction(before, after)
    if overlap >= (0 if after.joined and raised else _ON_LINE * high):
        far = _TOGETHER if after.joined else _APART
        right, left = other.x - one.x - one.width, one.x - other.x - other.width
        ways = {"L": (right,), "R": (left,)}.get(way, (right, left))
        if any(-_INTO * high <= each <= far * high for each in ways):
            return True
    same_block = before.block == after.block
    if after.joined and not same_block:
        return False
    down = other.y - one.y
    if down >= _ON_LINE * high:
        # A line below begins at its beginning: what lies below and further on is a cell of another row.
        on = one.x - other.x - other.width if way == "R" else other.x - one.x - one.width
        near = down - one.height <= (_BELOW if same_block else _BELOW_BLOCK) * high
        return near and (same_block or on <= _APART * high)
    return same_block and down < 0 and overlap <= 0  # the next column, or page of a book


def _direction(before: Piece, after: Piece) -> str:
    """Which way the letters of both pieces run, "L" to the right, "R" to the left, "" where they differ."""
    found = set()
    for piece in (before, after):
        kinds = {unicodedata.bidirectional(char) for char in piece.text} & {"L", "R", "AL"}
        found.add("L" if kinds == {"L"} else "R" if kinds and "L" not in kinds else "")
    return found.pop() if len(found) == 1 else ""


def _turned(rect: Rect) -> Rect:
    return Rect(x=rect.y, y=-rect.x - rect.width, width=rect.height, height=rect.width)
