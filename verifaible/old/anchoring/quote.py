"""Anchoring a quote in the text of a page: similarity locates, it never verifies.

An exact match is one that folds alike (:mod:`verifaible.old.anchoring.fold`), differs by nothing that
:mod:`verifaible.old.text.same` does not allow, and cuts no word and no quantity
(:mod:`verifaible.old.text.words`). Whatever else is found is at best "changed".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from verifaible.old.anchoring.changed import (
    SAME_CONTEXT,
    SAME_NEIGHBOUR,
    SAME_NEIGHBOURS,
    QuoteMatch,
    QuoteStatus,
    excerpt,
    find_changed,
    matched,
)
from verifaible.old.anchoring.fold import fold
from verifaible.old.anchoring.places import NEAR, Place, Search, exact_places
from verifaible.old.text.languages import language_of
from verifaible.old.text.same import Span

__all__ = ["QuoteMatch", "QuoteStatus", "exact_spans", "excerpt", "find_quote", "matched"]

#: Code points of a page from which its language is told.
_TELLING = 4000
#: Of several places, the best context must lead the next by this much.
LEAD = 0.1


def find_quote(
    page_text: str,
    quote: str,
    *,
    near: str = "",
    prefix: str = "",
    suffix: str = "",
    expected_start: int | None = None,
    hyphenated: bool = False,
    cased: tuple[Span, ...] = (),
    language: str = "",
    edges: bool = True,
    at_place: Callable[[int, int], bool | None] | None = None,
) -> QuoteMatch:
    """Find a quote in the text of a page.

    Args:
        page_text: all the text a reader can see, in reading order.
        quote: the exact words.
        near: a short text inside the quote or within 200 code points of it.
        prefix: what stood before the quote when it was cited; empty if unknown.
        suffix: what stood after it.
        expected_start: the code point it began at.
        hyphenated: words may be parted by a hyphen at a line end, as in a PDF.
        cased: spans of the page's text whose letter case its style makes.
        language: the tag that the page gives its language.
        edges: an exact match cuts no word and no quantity.
        at_place: whether a span is where the quote was cited, where the whole page of then is known (see
            :class:`verifaible.old.anchoring.order.TextOrder`). Without it, and where it gives None, the words
            around the span tell.

    Returns:
        "verified": exact, and at its place (or no place is known yet). "moved": exact, but elsewhere, or
        without ``near`` beside it. "changed": at most a third of its folded
        characters edited, or all of them there with a sentence or so put in between, or much the same
        words in another order between the surroundings it had. "ambiguous": several places match
        equally well. "gone": none of these.
    """
    asked = fold(quote)
    if not asked.text:
        return QuoteMatch("gone")
    search = Search(
        page_text,
        quote,
        near,
        prefix,
        suffix,
        expected_start,
        fold(near).text,
        cased,
        language_of(language, page_text[:_TELLING]),
        at_place,
    )
    exact, rejected = exact_places(search, hyphenated=hyphenated, edges=edges)
    if exact:
        return _choose_exact(search, exact)
    return find_changed(search, rejected)


def exact_spans(
    page_text: str,
    quote: str,
    *,
    hyphenated: bool = False,
    cased: tuple[Span, ...] = (),
    edges: bool = True,
) -> list[tuple[int, int]]:
    """Every span (code points) of the page in which the quote stands exactly, in order.

    Without ``edges`` it may begin and end inside a word or a quantity.
    """
    if not fold(quote).text:
        return []
    language = language_of("", page_text[:_TELLING])
    search = Search(page_text, quote, cased=cased, language=language)
    exact, _ = exact_places(search, hyphenated=hyphenated, edges=edges)
    return [(place.start, place.end) for place in exact]


# --- exact matches


def _choose_exact(search: Search, places: list[Place]) -> QuoteMatch:
    count = len(places)
    left = [search.placed(place) for place in places]
    if search.at_place is not None:
        left = [place for place in left if search.at_place(place.start, place.end)] or left
    left = [place for place in left if place.spelled] or left
    if len(left) > 1:
        left = _by_context(left)
    near_found = True
    if search.folded_near:
        left, near_found = _by_near(search, left)
    if len(left) > 1 and search.expected_start is not None and _may_be_placed(search, left):
        left = _by_position(search.expected_start, left)
    if len(left) > 1:
        shown = tuple(excerpt(search.page, place.start, place.end) for place in left[:8])
        return QuoteMatch("ambiguous", score=1.0, occurrences=count, candidates=shown, near_found=near_found)
    place = left[0]
    status: QuoteStatus = "verified" if near_found and _same_place(search, place) else "moved"
    return replace(
        matched(search.page, place.start, place.end, status), occurrences=count, near_found=near_found
    )


def _same_place(search: Search, place: Place) -> bool:
    held = search.at_place(place.start, place.end) if search.at_place is not None else None
    if held is not None:
        return held
    sides = [side for side in (place.before, place.after) if side is not None]
    if sides:
        return max(sides) >= SAME_CONTEXT and _same_neighbours(search.beside(place))
    return search.expected_start is None or place.start == search.expected_start


def _same_neighbours(beside: tuple[float, ...]) -> bool:
    return max(beside) >= SAME_NEIGHBOUR or sum(beside) / len(beside) >= SAME_NEIGHBOURS


def _by_context(places: list[Place]) -> list[Place]:
    """The places whose context is the best by a clear lead; all, when none is that of the quote."""
    told = [place for place in places if _has_its_context(place)]
    best = max((place.context for place in told), default=0.0)
    return [place for place in told if place.context > best - LEAD] or places


def _has_its_context(place: Place) -> bool:
    return (
        max((side for side in (place.before, place.after) if side is not None), default=0.0) >= SAME_CONTEXT
    )


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


def _may_be_placed(search: Search, places: list[Place]) -> bool:
    """Whether an offset may decide: not where the context is known and stands at none of the places."""
    return not search.has_context or all(map(_has_its_context, places))


def _by_position(expected: int, places: list[Place]) -> list[Place]:
    """The place at the expected offset, or one that lies clearly nearer to it than the others."""
    ranked = sorted(places, key=lambda place: abs(place.start - expected))
    first, second = abs(ranked[0].start - expected), abs(ranked[1].start - expected)
    return ranked[:1] if first == 0 or (first <= NEAR and 2 * first < second) else places
