"""What of a long source is shown to a judge: the parts that hold the words and numbers in question.

Only the copy for the judge is shortened, and it says where; a quote is looked for in the whole source.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

#: Characters of a source that a judge is shown at most: some 1,500 tokens of English.
MOST_CHARACTERS: Final = 6_000
#: A line longer than this is parted: where a sentence ends, else at a blank or a comma where there is one.
_LONG_LINE: Final = 500
#: The beginning of a source is always shown: its title and date stand there.
_OPENING: Final = 300
_WORD: Final = re.compile(r"[^\W\d_]{2,}|[\u3400-\u9fff\uac00-\ud7a3]")
_CJK: Final = re.compile(r"[\u3400-\u9fff]{2,}|[\uac00-\ud7a3]{2,}")
_NUMBER: Final = re.compile(r"\d[\d,]*(?:\.\d+)?")
_CUT: Final = re.compile(r"[\s,;，；。]")
_SENTENCE_END: Final = re.compile(r"[.!?][\"”’)\]]*\s+|[。！？]")
#: A number in common weighs as much as so many words of the same rarity.
_NUMBER_WEIGHT: Final = 3.0


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The copy of a source for a judge.

    Attributes:
        text: its parts in reading order, with lines that say what is left out between them.
        shown: characters of the source in it.
        total: characters of the source.
        score: how much of what was asked for its parts hold; only sources asked for the same compare.
    """

    text: str
    shown: int
    total: int
    score: float


@dataclass(frozen=True, slots=True)
class _Index:
    segments: tuple[tuple[int, int], ...]
    places: dict[str, tuple[int, ...]]
    heads: dict[int, int]


def excerpt(text: str, about: str, *, limit: int = MOST_CHARACTERS, numbered: bool = False) -> Excerpt:
    """The part of a source that a judge sees.

    Args:
        text: the whole source.
        about: the claim and what stands around it, or the query and the answer.
        limit: characters of the source at most, whatever the notes take.
        numbered: put the number of each line before it: ``[12] ``.
    """
    index = _index(text)
    scores = _scores(index, terms(about))
    best = sum(sorted(scores.values(), reverse=True)[:5])
    if len(text) <= limit:
        shown = _joined(text, [(0, len(text))], [0], numbered=numbered)
        return Excerpt(shown, len(text), len(text), best)
    chosen = _chosen(index, scores, limit)
    return Excerpt(
        _joined(text, index.segments, chosen, numbered=numbered),
        sum(index.segments[each][1] - index.segments[each][0] for each in chosen),
        len(text),
        best,
    )


def terms(text: str) -> tuple[str, ...]:
    """The words and numbers by which parts are found; numbers without their power of ten."""
    found = [match[0].casefold() for match in _WORD.finditer(text)]
    for run in _CJK.findall(text):
        found += [run[at : at + 2] for at in range(len(run) - 1)]
    for match in _NUMBER.finditer(text):
        found += _digits(match[0])
    return tuple(dict.fromkeys(found))


def _digits(number: str) -> Iterable[str]:
    """The leading digits of a number, two and three of them: 9.86B, 9,857,283,441, 98.6亿 have ``#99``."""
    plain = number.replace(",", "")
    try:
        value = float(plain)
    except ValueError:
        return ()
    if not value or math.isinf(value):
        return ("#0",)
    mantissa = value / 10 ** math.floor(math.log10(value))
    return tuple(dict.fromkeys(f"#{round(mantissa * 10 ** (places - 1))}".rstrip("0") for places in (2, 3)))


@lru_cache(maxsize=512)  # the claims of an answer ask the same sources, and a few answers are under way
def _index(text: str) -> _Index:
    segments = tuple(_segments(text))
    places: dict[str, list[int]] = {}
    heads: dict[int, int] = {}
    head = -1
    for number, (start, end) in enumerate(segments):
        part = text[start:end]
        if part.startswith("|"):
            head = number if head < 0 else head
            heads[number] = head
        else:
            head = -1
        for term in terms(part):
            places.setdefault(term, []).append(number)
    return _Index(segments, {term: tuple(where) for term, where in places.items()}, heads)


def _segments(text: str) -> Iterable[tuple[int, int]]:
    """Lines, and pieces of long lines."""
    at = 0
    for line in text.splitlines(keepends=True):
        start, end = at, at + len(line)
        at = end
        while end - start > _LONG_LINE:
            middle = start + _LONG_LINE
            ends = [match.end() for match in _SENTENCE_END.finditer(text, start + 1, middle)]
            ends = ends or [match.end() for match in _CUT.finditer(text, middle, min(end, middle + 100))][:1]
            cut = ends[-1] if ends else middle
            yield start, cut
            start = cut
        if start < end:
            yield start, end


def _scores(index: _Index, wanted: Sequence[str]) -> dict[int, float]:
    """How much each segment holds, rare terms counting more."""
    scores: dict[int, float] = {}
    count = len(index.segments)
    for term in wanted:
        where = index.places.get(term, ())
        if not where:
            continue
        weight = math.log((1 + count) / len(where)) * (_NUMBER_WEIGHT if term.startswith("#") else 1.0)
        for number in where:
            scores[number] = scores.get(number, 0.0) + weight
    return scores


def _chosen(index: _Index, scores: dict[int, float], limit: int) -> list[int]:
    """The segments to show: the opening, then the best, each with its table's head and its neighbours."""
    kept: set[int] = set()
    room = limit

    def take(number: int, most: int) -> None:
        nonlocal room
        if number in kept or not 0 <= number < len(index.segments):
            return
        start, end = index.segments[number]
        if end - start <= min(room, most):
            kept.add(number)
            room -= end - start

    for number, (_, end) in enumerate(index.segments):
        if end > _OPENING and number:
            break
        take(number, room)
    ranked = sorted(scores, key=lambda number: (-scores[number], number))
    for number in ranked:
        if room <= 0:
            break
        for near in (number, *_head(index, number), number - 1, number + 1):
            take(near, room)
    for number in range(len(index.segments)):  # nothing asked for is in it: its beginning
        if ranked or room <= 0:
            break
        take(number, room)
    return sorted(kept)


def _head(index: _Index, number: int) -> tuple[int, ...]:
    head = index.heads.get(number)
    return () if head is None else (head, head + 1)


def _joined(text: str, segments: Sequence[tuple[int, int]], chosen: Sequence[int], *, numbered: bool) -> str:
    parts: list[str] = []
    at = 0
    for number in chosen:
        start, end = segments[number]
        if start > at:
            parts.append(_left_out(start - at, parts))
        shown = text[start:end]
        if numbered:
            line = text.count("\n", 0, start)
            begins = start == 0 or text[start - 1] == "\n"
            lines = enumerate(shown.split("\n"), line + 1)
            shown = "\n".join(
                f"[{n}] {each}" if each and (n > line + 1 or begins) else each for n, each in lines
            )
        parts.append(shown)
        at = end
    if at < len(text):
        parts.append(_left_out(len(text) - at, parts))
    return "".join(parts)


def _left_out(count: int, before: Sequence[str]) -> str:
    line = "" if not before or before[-1].endswith("\n") else "\n"
    return f"{line}[... {count} characters left out ...]\n"
