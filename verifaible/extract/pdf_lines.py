"""From the glyphs of a PDF page to lines, by place and direction and not by the order of painting.

What is drawn in a gap is part of the line, whenever it was painted; accents set apart (as TeX does) belong
to their letters; smaller letters above or below a line are raised or lowered in it; what is printed twice to
look bold is read once. All measures are in ems of the letters concerned, unless said otherwise.
"""

from __future__ import annotations

import math
import unicodedata
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby, islice, pairwise
from operator import attrgetter
from typing import Final, Literal

#: Left, top, right and bottom on the page as it is shown, in points.
Area = tuple[float, float, float, float]

#: Letters of one level differ in their baselines by no more.
_LEVEL: Final = 0.12
#: A gap that is a blank; one that may part cells; one that always does.
_BLANK, _WIDE, _PARTING = 0.15, 0.8, 2.0
#: How far above or below a line what belongs to it may stand, if it is smaller, and if it is not.
_SHIFTED, _UNEVEN = 0.75, 0.35
#: An accent's baseline stands so far above or below that of its letter.
_ABOVE, _BELOW = 0.6, 0.2
#: Two prints of a letter are one if they lie no further apart.
_SAME_PLACE: Final = 0.12
#: So many letters over one another are looked through for a second print.
_MOST_STACKED: Final = 32
#: Letters are smaller than others from this part of their size; beside a large first letter, from this.
_SMALLER, _INITIAL = 0.9, 0.55
#: The first line beside a large first letter has its baseline no further below the letter's top.
_FIRST: Final = 1.3
#: Bare accents without a decomposition, and the combining marks that they are.
_ACCENTS: Final = dict(
    zip("`^\u02c6~\u02c7\u02bc\u02cb", "\u0300\u0302\u0302\u0303\u030c\u0313\u0300", strict=True)
)


@dataclass(slots=True, eq=False)
class Glyph:
    """A character (of a ligature: several) in the frame of its writing: ``u`` runs along the line.

    ``base`` is how far down its baseline is, ``area`` its place on the page as shown.
    """

    text: str
    u0: float
    u1: float
    base: float
    size: float
    area: Area
    bold: bool = False
    struck: bool = False
    shift: Literal["", "raised", "lowered"] = ""


@dataclass(slots=True, eq=False)
class Line:
    """Glyphs that are read in one go, in reading order; ``None`` is a blank between two.

    ``marker`` are the letters of the bullet or number that stands far in front of the rest.
    """

    glyphs: list[Glyph | None]
    u0: float
    u1: float
    base: float
    size: float
    level: int = 0
    marker: int = 0
    text: str = field(init=False)

    def __post_init__(self) -> None:
        self.text = "".join(glyph.text if glyph else " " for glyph in self.glyphs)

    @property
    def bold(self) -> bool:
        """Whether all its letters are bold."""
        return all(glyph.bold for glyph in self.glyphs if glyph)

    def first_word(self) -> float:
        """The width of its first word, in points; of a script without blanks that of its first letter."""
        end = start = next(glyph for glyph in self.glyphs if glyph)
        for glyph in self.glyphs:
            if glyph is None or (is_cjk(end.text[-1:]) and glyph is not start):
                break
            end = glyph
        return abs(end.u1 - start.u0)


@cache
def is_cjk(char: str) -> bool:
    """Whether a character is of a script that has no blanks between words (Hangul has)."""
    return unicodedata.east_asian_width(char or " ") in "WF" and not "\uac00" <= char <= "\ud7a3"


@dataclass(slots=True, eq=False)
class _String:
    """Glyphs of one level from left to right; ``size`` is that of its letters."""

    glyphs: list[Glyph]
    u0: float
    u1: float
    base: float
    size: float


def lines(glyphs: Iterable[Glyph]) -> list[Line]:
    """The lines of one direction of writing, from top to bottom; columns and cells are lines of their own."""
    levels = _with_shifted(_with_accents(_levels(glyphs)))
    parted = [strings for level in levels if (strings := _strings(level, _WIDE))]
    # Figures that end at one place in three lines are a column of their own.
    ends = Counter(round(string.u1) for strings in parted for string in strings if _is_figure(string))
    found = []
    for number, strings in enumerate(parted):
        joined = [list(strings[0].glyphs)]
        for before, after in pairwise(strings):
            column = _is_figure(before) and ends[round(before.u1)] > 2
            if column or _is_parting(before, after, parted, number):
                joined.append([])
            joined[-1] += after.glyphs
        found += [line for each in joined if (line := _line(each, number))]
    return _with_initials(found)


def _is_figure(string: _String) -> bool:
    return all(glyph.text.isdigit() for glyph in string.glyphs)


# --- what belongs together


def _levels(glyphs: Iterable[Glyph]) -> list[list[Glyph]]:
    """Glyphs by baseline, from the top, each level from left to right and without what is printed twice."""
    found: list[list[Glyph]] = []
    top = 0.0
    for glyph in sorted(glyphs, key=attrgetter("base")):
        if not found or glyph.base - top > _LEVEL * glyph.size:
            found.append([])
            top = glyph.base
        found[-1].append(glyph)
    return [_once(level) for level in found]


def _once(level: list[Glyph]) -> list[Glyph]:
    """A level from left to right without glyphs that are printed a second time in nearly the same place."""
    level.sort(key=attrgetter("u0"))
    kept: list[Glyph] = []
    for glyph in level:
        least = glyph.u0 - _SAME_PLACE * glyph.size
        for other in islice(reversed(kept), _MOST_STACKED):
            if other.u0 < least:
                kept.append(glyph)
                break
            if other.text == glyph.text and not glyph.text.isspace():
                break
        else:
            kept.append(glyph)
    return kept


class _Letters:
    """Letters by place, in squares as large as they are: each is compared with the accents near it alone."""

    def __init__(self, letters: Iterable[Glyph] = ()) -> None:
        self._squares: dict[tuple[float, int, int], list[Glyph]] = defaultdict(list)
        for letter in letters:
            side = 2.0 ** math.ceil(math.log2(letter.size))
            top, bottom = letter.base - _ABOVE * letter.size, letter.base + _BELOW * letter.size
            for column in range(math.floor(letter.u0 / side), math.floor(letter.u1 / side) + 1):
                for row in range(math.floor(top / side), math.floor(bottom / side) + 1):
                    self._squares[side, column, row].append(letter)
        self._sides = {side for side, *_ in self._squares}

    def under(self, accent: Glyph) -> list[Glyph]:
        """The letters over or under whose middle an accent stands, and near enough to be theirs."""
        middle = (accent.u0 + accent.u1) / 2
        near = (
            letter
            for side in self._sides
            for letter in self._squares.get(
                (side, math.floor(middle / side), math.floor(accent.base / side)), ()
            )
        )
        return [
            letter
            for letter in near
            if letter.u0 <= middle <= letter.u1
            and -_BELOW <= (letter.base - accent.base) / letter.size <= _ABOVE
        ]


def _with_accents(levels: list[list[Glyph]]) -> list[list[Glyph]]:
    """Levels in which accents that are painted apart are part of their letters."""
    marks = [(glyph, mark) for level in levels for glyph in level if (mark := _mark_of(glyph.text))]
    bare = (glyph for level in levels for glyph in level if glyph.text.isalpha())
    letters = _Letters(glyph for glyph in bare if not _mark_of(glyph.text)) if marks else _Letters()
    joined = set()
    for accent, mark in marks:
        under = letters.under(accent)
        if under:
            letter = min(under, key=lambda each: abs(each.base - accent.base))
            dotted = {"ı": "i", "ȷ": "j"}.get(letter.text, letter.text)
            letter.text = unicodedata.normalize("NFC", dotted + mark)
            joined.add(id(accent))
    return [[glyph for glyph in level if id(glyph) not in joined] for level in levels]


@cache
def _mark_of(text: str) -> str:
    """The combining mark that a character alone is: itself, or an accent in its bare form (\u00b4)."""
    if len(text) != 1 or (text.isalnum() and text not in _ACCENTS):
        return ""
    plain = unicodedata.normalize("NFKD", text).lstrip(" ")
    return _ACCENTS.get(text, "") or (plain if unicodedata.combining(plain[:1] or " ") else "")


def _with_shifted(levels: list[list[Glyph]]) -> list[list[Glyph]]:
    """Levels into which raised, lowered and slightly uneven words are put."""
    strings = [_strings(level, 1.0) for level in levels]
    for number, level in enumerate(strings):
        for string in list(level):
            if (found := _host(string, number, strings)) is None:
                continue
            at, host = found
            for glyph in string.glyphs:
                lift = (host.base - glyph.base) / glyph.size
                smaller = glyph.size < _SMALLER * host.size
                glyph.shift = "" if abs(lift) < _BLANK or not smaller else "raised" if lift > 0 else "lowered"
            level.remove(string)
            strings[at].append(string)
    return [
        sorted((glyph for string in level for glyph in string.glyphs), key=attrgetter("u0"))
        for level in strings
        if level
    ]


def _host(string: _String, number: int, strings: list[list[_String]]) -> tuple[int, _String] | None:
    """The string of another level that a string is shifted from, and its level: the nearest that has room."""
    best: tuple[float, int, _String] | None = None
    for at in _around(number, strings, string.base, 4 * _SHIFTED * string.size):
        for other in strings[at]:
            away, near = abs(other.base - string.base), 0.6 * other.size
            smaller = string.size < _SMALLER * other.size
            if away > (_SHIFTED if smaller else _UNEVEN) * other.size or string.size > other.size / _SMALLER:
                continue
            shorter = len(string.glyphs) < len(other.glyphs)
            if not shorter and (not smaller or string.size < _INITIAL * other.size):
                continue
            if any(string.u0 < (g.u0 + g.u1) / 2 < string.u1 for g in other.glyphs if not g.text.isspace()):
                continue
            gap = min(min(abs(g.u0 - string.u1), abs(string.u0 - g.u1)) for g in other.glyphs)
            if gap <= near and (best is None or gap + away < best[0]):
                best = gap + away, at, other
    return best[1:] if best else None


def _around(number: int, strings: list[list[_String]], base: float, reach: float) -> Iterator[int]:
    """The levels around one within a reach."""
    for step in (-1, 1):
        at = number + step
        while 0 <= at < len(strings):
            if strings[at]:
                if abs(strings[at][0].base - base) > reach:
                    break
                yield at
            at += step


def _size(glyphs: Sequence[Glyph]) -> float:
    """The size of letters: the largest that is not of a few alone, as small capitals are beside others."""
    counts: Counter[float] = Counter(map(attrgetter("size"), glyphs))
    return max(size for size, count in counts.items() if count >= 0.15 * len(glyphs))


# --- gaps


def _strings(level: Iterable[Glyph], widest: float) -> list[_String]:
    """A level that is in order from the left, parted at gaps wider than that; blanks bridge no gap."""
    found: list[tuple[list[Glyph], float]] = []
    glyphs: list[Glyph] = []
    end = 0.0
    for glyph in level:
        if glyph.text.isspace():
            if glyphs:
                glyphs.append(glyph)
            continue
        if not glyphs or glyph.u0 - end > widest * glyph.size:
            if glyphs:
                found.append((glyphs, end))
            glyphs, end = [], glyph.u1
        glyphs.append(glyph)
        end = max(end, glyph.u1)
    if glyphs:
        found.append((glyphs, end))
    return [_String(each, each[0].u0, u1, each[0].base, _size(each)) for each, u1 in found]


def _is_parting(before: _String, after: _String, parted: list[list[_String]], number: int) -> bool:
    """Whether a gap parts columns or cells: it is very wide, or goes on in the lines above or below."""
    size, base = max(before.size, after.size), parted[number][0].base
    middle = (before.u1 + after.u0) / 2
    if after.u0 - before.u1 >= _PARTING * size:
        return True
    for levels in (reversed(parted[max(0, number - 12) : number]), parted[number + 1 : number + 13]):
        near = [s for level in levels if abs(level[0].base - base) <= 1.7 * size for s in level]
        if any(s.u1 <= middle for s in near) and any(s.u0 >= middle for s in near):
            return True
    return False


def _line(glyphs: list[Glyph], level: int) -> Line | None:
    shown = [glyph for glyph in glyphs if not glyph.text.isspace()]
    if not shown:
        return None
    size = _size(shown)
    placed: list[Glyph | None] = []
    apart = _apart(shown)
    end = shown[0].u0
    blank = False
    for glyph in glyphs:
        middle = (glyph.u0 + glyph.u1) / 2
        if glyph.text.isspace():
            blank = blank or middle >= end
            continue
        if placed and (
            glyph.u0 - end > apart * min(glyph.size, size) or (blank and glyph.u0 > end - 0.1 * size)
        ):
            placed.append(None)
        placed.append(glyph)
        blank, end = False, max(end, glyph.u1)
    base = sorted(glyph.base for glyph in shown)[len(shown) // 2]
    return Line(_logical(placed), shown[0].u0, end, base, size, level)


def _apart(shown: list[Glyph]) -> float:
    """The gap from which on letters are of two words: wider where all are set apart (N O T I C E)."""
    if len(shown) < 4:
        return _BLANK
    gaps = [(after.u0 - before.u1) / after.size for before, after in pairwise(shown)]
    return max(_BLANK, min(1.5 * min(gaps), 0.6))


def _with_initials(found: list[Line]) -> list[Line]:
    """Lines whose large first letter, which reaches over several of them, is part of the first."""
    from_top = sorted(found, key=attrgetter("base"))
    bases = [line.base for line in from_top]
    joined = set()
    for initial in found:
        if len(initial.text) != 1 or not initial.text.isalpha():
            continue
        top = initial.base - initial.size
        for line in from_top[bisect_left(bases, top) : bisect_left(bases, initial.base)]:
            beside = -0.3 <= (line.u0 - initial.u1) / line.size <= 1.0
            smaller = line.size < _INITIAL * initial.size
            if smaller and beside and line.base - top <= _FIRST * line.size:
                line.glyphs.insert(0, initial.glyphs[0])
                line.text = initial.text + line.text
                joined.add(id(initial))
                break
    return [line for line in found if id(line) not in joined]


# --- right to left


def is_from_right(glyphs: Iterable[Glyph]) -> bool:
    """Whether most letters are of a script that runs from the right."""
    ways = [unicodedata.bidirectional(glyph.text[0]) for glyph in glyphs if not glyph.text.isascii()]
    return 2 * sum(way in ("R", "AL") for way in ways) > len(ways) > 0


def _logical(glyphs: list[Glyph | None]) -> list[Glyph | None]:
    """Glyphs as they are read: where most letters run from the right, from there, but for runs of figures."""
    kinds = [unicodedata.bidirectional(glyph.text[0]) if glyph else "WS" for glyph in glyphs]
    if sum(kind in ("R", "AL") for kind in kinds) <= sum(kind == "L" for kind in kinds):
        return glyphs
    known = [True if k in ("L", "EN", "AN") else False if k in ("R", "AL", "NSM") else None for k in kinds]
    forward = []
    for at, way in enumerate(known):
        before = next((each for each in reversed(known[:at]) if each is not None), False)
        after = next((each for each in known[at + 1 :] if each is not None), False)
        forward.append(way if way is not None else before and after)
    runs = [
        (way, [glyph for glyph, _ in run])
        for way, run in groupby(zip(glyphs, forward, strict=True), key=lambda pair: pair[1])
    ]
    return [glyph for way, run in reversed(runs) for glyph in (run if way else reversed(run))]
