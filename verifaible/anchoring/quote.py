"""Anchoring a quote in the text of a page: similarity locates, it never verifies.

An exact match is one that folds alike (:mod:`verifaible.anchoring.fold`) and to which
:mod:`verifaible.anchoring.exact` has no objection. Whatever else is found is at best "changed".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from rapidfuzz.distance import Levenshtein

from verifaible.anchoring.approximate import Near, find_near, find_parted
from verifaible.anchoring.diff import kind_of, word_diff
from verifaible.anchoring.exact import widen
from verifaible.anchoring.fold import Folded, fold
from verifaible.anchoring.places import CONTEXT, NEAR, Place, Search, exact_places
from verifaible.schema.citation import DiffToken

QuoteStatus: TypeAlias = Literal["verified", "moved", "changed", "ambiguous", "gone"]

#: Context that is at least this alike is the same place: a changed word in 64 characters still
#: is, the context of another sentence of the same page is not (it scores about 0.2 to 0.35).
SAME_CONTEXT = 0.6
#: Of several places, the best context must lead the next by this much.
LEAD = 0.1

#: Folded characters from which a context that stands unchanged on the page says where.
_TELLING_CONTEXT = 12


@dataclass(frozen=True, slots=True)
class QuoteMatch:
    """Where a quote stands.

    ``start`` and ``end`` are code points of the page text, ``text`` is ``page[start:end]``, and
    ``prefix`` and ``suffix`` the up to 64 code points around it; all are empty (0) for "gone"
    and "ambiguous". ``score`` is 1 - edits / length, 1.0 for an exact match. ``occurrences`` counts
    exact matches; ``candidates`` shows each place of an ambiguous quote with its surroundings.
    ``difference`` leads from the quote to the page's words. ``nearest`` is the most similar text
    of the page when the quote is not there. ``near_found`` is False when ``near`` was asked for
    and stands nowhere beside the match. ``reason`` says why words that fold alike are not exact:
    "number", "word" or "negation".
    """

    status: QuoteStatus
    start: int = 0
    end: int = 0
    text: str = ""
    prefix: str = ""
    suffix: str = ""
    score: float = 0.0
    occurrences: int = 0
    candidates: tuple[str, ...] = ()
    difference: tuple[DiffToken, ...] = ()
    nearest: str = ""
    near_found: bool = True
    reason: str = ""


def find_quote(
    page_text: str,
    quote: str,
    *,
    near: str = "",
    prefix: str = "",
    suffix: str = "",
    expected_start: int | None = None,
    allow_first: bool = False,
    hyphenated: bool = False,
) -> QuoteMatch:
    """Find a quote in the text of a page.

    Args:
        page_text: all the text a reader can see, in reading order.
        quote: the exact words.
        near: a short text inside the quote or within 200 code points of it.
        prefix: what stood before the quote when it was cited; empty if unknown.
        suffix: what stood after it.
        expected_start: the code point it began at.
        allow_first: of several exact occurrences that nothing tells apart, take the first.
        hyphenated: words may be parted by a hyphen at a line end, as in a PDF.

    Returns:
        "verified": exact, and at its place (or no place is known yet). "moved": exact, with other
        surroundings, or without ``near`` beside it. "changed": at most a third of its folded
        characters edited, or all of them there with a sentence or so put in between. "ambiguous":
        several places match equally well. "gone": none of these.
    """
    asked = fold(quote)
    if not asked.text:
        return QuoteMatch("gone")
    search = Search(page_text, quote, near, prefix, suffix, expected_start, fold(near).text)
    exact, rejected = exact_places(search, hyphenated=hyphenated)
    if exact:
        return _choose_exact(search, exact, allow_first=allow_first)
    return _approximate(search, rejected)


def exact_spans(page_text: str, quote: str, *, hyphenated: bool = False) -> list[tuple[int, int]]:
    """Every span (code points) of the page in which the quote stands exactly, in order."""
    if not fold(quote).text:
        return []
    exact, _ = exact_places(Search(page_text, quote), hyphenated=hyphenated)
    return [(place.start, place.end) for place in exact]


def excerpt(page_text: str, start: int, end: int, *, width: int = 40) -> str:
    """A span with up to ``width`` code points on either side, on one line, for a message."""
    low, high = max(0, start - width), min(len(page_text), end + width)
    shown = re.sub(r"\s+", " ", page_text[low:high]).strip()
    return ("…" if low else "") + shown + ("…" if high < len(page_text) else "")


def matched(page_text: str, start: int, end: int, status: QuoteStatus) -> QuoteMatch:
    """A match at a span, with its text and surroundings filled in."""
    return QuoteMatch(
        status,
        start,
        end,
        page_text[start:end],
        page_text[max(0, start - CONTEXT) : start],
        page_text[end : end + CONTEXT],
        score=1.0,
        occurrences=1,
    )


# --- exact matches


def _choose_exact(search: Search, places: list[Place], *, allow_first: bool) -> QuoteMatch:
    count = len(places)
    left = [search.placed(place) for place in places]
    if len(left) > 1:
        left = _by_context(search, left)
    near_found = True
    if search.folded_near:
        left, near_found = _by_near(search, left)
    if len(left) > 1 and search.expected_start is not None:
        left = _by_position(search.expected_start, left)
    if len(left) > 1 and allow_first and near_found:
        left = left[:1]
    if len(left) > 1:
        shown = tuple(excerpt(search.page, place.start, place.end) for place in left[:8])
        return QuoteMatch("ambiguous", score=1.0, occurrences=count, candidates=shown, near_found=near_found)
    place = left[0]
    status: QuoteStatus = "verified" if near_found and _same_place(search, place) else "moved"
    found = replace(
        matched(search.page, place.start, place.end, status), occurrences=count, near_found=near_found
    )
    if unit := _other_unit(search, place):
        return replace(found, status="changed", difference=unit, reason="number")
    return found


def _same_place(search: Search, place: Place) -> bool:
    sides = [side for side in (place.before, place.after) if side is not None]
    if sides:
        return max(sides) >= SAME_CONTEXT
    return search.expected_start is None or place.start == search.expected_start


def _by_context(search: Search, places: list[Place]) -> list[Place]:
    """The places whose context is the best by a clear lead; all, when the best do not agree."""
    if not search.has_context:
        return places
    best = max(place.context for place in places)
    return [place for place in places if place.context > best - LEAD]


def _by_near(search: Search, places: list[Place]) -> tuple[list[Place], bool]:
    """The places beside ``near``: on its line, or much nearer to it than the others."""
    gaps = [(gap, place) for place in places if (gap := search.distance_to_near(place)) is not None]
    if not gaps:
        return places, False
    in_line = [(gap, place) for gap, place in gaps if _shares_line(search, place)]
    gaps = in_line or gaps
    closest = min(gap for gap, _ in gaps)
    return [place for gap, place in gaps if gap <= 2 * closest], True


def _shares_line(search: Search, place: Place) -> bool:
    line_start = search.page.rfind("\n", 0, place.start) + 1
    line_end = search.page.find("\n", place.end)
    line = search.page[line_start : line_end if line_end >= 0 else len(search.page)]
    return search.folded_near in fold(line).text


def _by_position(expected: int, places: list[Place]) -> list[Place]:
    """The place at the expected offset, or one that lies clearly nearer to it than the others."""
    ranked = sorted(places, key=lambda place: abs(place.start - expected))
    first, second = abs(ranked[0].start - expected), abs(ranked[1].start - expected)
    return ranked[:1] if first == 0 or (first <= NEAR and 2 * first < second) else places


_LEADING_UNIT = re.compile(r"\s*(%|％|‰|‱|[^\W\d_]{1,12})")


def _other_unit(search: Search, place: Place) -> tuple[DiffToken, ...]:
    """The difference, when a number at the quote's end has another unit behind it than before."""
    if not place.end or not search.page[place.end - 1].isdecimal():
        return ()
    stored, found = (
        _LEADING_UNIT.match(text) for text in (search.suffix, search.page[place.end : place.end + 16])
    )
    if not stored:
        return ()
    old, new = stored.group(1), found.group(1) if found else ""
    difference = word_diff(old, new)
    changed = any(token.op != "same" and token.kind == "unit" for token in difference)
    return difference if changed or kind_of(old) == "unit" != kind_of(new) else ()


# --- approximate matches


def _approximate(search: Search, rejected: Sequence[Place]) -> QuoteMatch:
    asked = fold(search.quote).text
    page = fold(search.page)
    alike = [Place(*page.span(near.start, near.end), score=near.score) for near in _ranked(search, page)]
    places = _distinct(_widened(search, place, asked) for place in [*rejected, *alike])
    nearest = max(places, key=lambda place: place.score, default=None)
    left = [place for place in map(search.placed, places) if place.score >= 2 / 3]
    if search.has_context:
        left = [place for place in left if _plausible(search, place)]
    parted = _parted(search, page, asked)
    if parted:
        # A part of the quote alone is alike too: the whole of it goes first.
        left = [place for place in left if all(_apart(place, other) for other in parted)] + parted
    if search.folded_near:
        left = [place for place in left if search.distance_to_near(place) is not None]
    if not left:
        shown = search.page[nearest.start : nearest.end] if nearest and nearest.score >= 0.4 else ""
        return QuoteMatch("gone", nearest=shown, score=nearest.score if nearest else 0.0)
    left.sort(key=lambda place: -(place.score + place.context))
    best = left[0]
    rivals = [p for p in left if p.score + p.context > best.score + best.context - 0.02]
    if len(rivals) > 1:
        shown_all = tuple(excerpt(search.page, place.start, place.end) for place in rivals[:8])
        return QuoteMatch("ambiguous", candidates=shown_all, score=best.score)
    found = matched(search.page, best.start, best.end, "changed")
    return replace(
        found,
        score=best.score,
        occurrences=0,
        difference=word_diff(search.quote, found.text),
        nearest=found.text,
        reason=best.reason,
    )


def _ranked(search: Search, page: Folded) -> Iterable[Near]:
    hints = [page.index(search.expected_start)] if search.expected_start is not None else []
    for stored, after in ((fold(search.prefix).text[-24:], True), (fold(search.suffix).text[:24], False)):
        at = page.text.find(stored) if len(stored) >= 6 else -1
        if at >= 0:
            hints.append(at + len(stored) if after else at - len(fold(search.quote).text))
    return find_near(page.text, fold(search.quote).text, hints=hints)


def _widened(search: Search, place: Place, asked: str) -> Place:
    """The place with whole words and numbers; what is not exact has one edit at the least."""
    start, end = widen(search.page, place.start, place.end)
    edits = Levenshtein.distance(asked, fold(search.page[start:end]).text)
    return replace(place, start=start, end=end, score=max(0.0, 1 - max(edits, 1) / max(len(asked), 3)))


def _parted(search: Search, page: Folded, asked: str) -> list[Place]:
    """Places where the whole quote stands with other text put in, where the context agrees."""
    if not search.has_context:
        return []  # nothing says that the two parts belong together
    found = [
        search.placed(Place(*page.span(near.start, near.end), score=near.score))
        for near in find_parted(page.text, asked)
    ]
    return [place for place in found if _framed(place) and not _stands_elsewhere(search, place)]


def _framed(place: Place) -> bool:
    sides = [side for side in (place.before, place.after) if side is not None]
    return max(sides) >= 0.8 and min(sides) >= SAME_CONTEXT - 0.1


def _apart(place: Place, other: Place) -> bool:
    return place.end <= other.start or place.start >= other.end


def _distinct(places: Iterable[Place]) -> list[Place]:
    """Without places that overlap a better one."""
    kept: list[Place] = []
    for place in sorted(places, key=lambda place: -place.score):
        if all(_apart(place, other) for other in kept):
            kept.append(place)
    return kept


def _plausible(search: Search, place: Place) -> bool:
    """Whether the context says that an approximate match is the quote and not a look-alike."""
    text = fold(search.page[place.start : place.end]).text
    neighbours = fold(search.prefix).text + "\0" + fold(search.suffix).text
    if len(text) >= 8 and text in neighbours:
        return False  # it stood beside the quote when that was cited: it is its neighbour
    if _stands_elsewhere(search, place):
        return False
    sides = [side for side in (place.before, place.after) if side is not None]
    return _framed(place) or (max(sides) >= 0.95 and place.score >= 0.75)


def _stands_elsewhere(search: Search, place: Place) -> bool:
    """Whether every stored context is on the page unchanged, but not beside this place."""
    page = fold(search.page)
    first, last = page.index(place.start), page.index(place.end)
    before, after = fold(search.prefix).text, fold(search.suffix).text
    elsewhere: list[bool] = []
    if len(before) >= _TELLING_CONTEXT:
        elsewhere.append(before in page.text and not page.text.endswith(before, 0, first))
    if len(after) >= _TELLING_CONTEXT:
        elsewhere.append(after in page.text and not page.text.startswith(after, last))
    return bool(elsewhere) and all(elsewhere)
