"""The places of a page in which a quote stands, and what is known of their surroundings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from rapidfuzz.distance import Levenshtein

from verifaible.old.anchoring.fold import Folded, fold
from verifaible.old.text.same import Span, same
from verifaible.old.text.words import whole

#: Code points of prefix and suffix, as the W3C TextQuoteSelector of a citation keeps them.
CONTEXT = 64
#: Folded characters that are right beside a quote: a word or two of English, a clause of Chinese.
BESIDE = 12
#: How far from a quote ``near`` may stand, in code points.
NEAR = 200
#: Exact places that are compared with one another; of those that only fold alike so many are kept.
_MOST_PLACES = 500


@dataclass(frozen=True, slots=True)
class Place:
    """A span of the page, its likeness to the quote, and how well the context agrees (0 to 1).

    ``spelled``: it has the quote's own spelling, so that no difference had to be allowed.
    """

    start: int
    end: int
    score: float = 1.0
    before: float | None = None
    after: float | None = None
    spelled: bool = True

    @property
    def context(self) -> float:
        """The mean of what is known of the context; 0 when nothing is."""
        known = [side for side in (self.before, self.after) if side is not None]
        return sum(known) / len(known) if known else 0.0


@dataclass(frozen=True, slots=True)
class Search:
    """A quote being looked for in a page."""

    page: str
    quote: str
    near: str = ""
    prefix: str = ""
    suffix: str = ""
    expected_start: int | None = None
    folded_near: str = ""
    cased: tuple[Span, ...] = ()
    language: str = ""
    at_place: Callable[[int, int], bool | None] | None = None

    def placed(self, place: Place) -> Place:
        """The place with its context compared to the one that was stored."""
        before = fold(self.page[max(0, place.start - 2 * CONTEXT) : place.start]).text
        after = fold(self.page[place.end : place.end + 2 * CONTEXT]).text
        stored_before, stored_after = fold(self.prefix).text, fold(self.suffix).text
        return replace(
            place,
            before=_likeness(stored_before, before[-len(stored_before) :]) if stored_before else None,
            after=_likeness(stored_after, after[: len(stored_after)]) if stored_after else None,
        )

    def beside(self, place: Place) -> tuple[float, ...]:
        """How alike the words right beside the place are to those stored, on each side that was stored."""
        before = fold(self.page[max(0, place.start - CONTEXT) : place.start]).text
        after = fold(self.page[place.end : place.end + CONTEXT]).text
        stored_before, stored_after = fold(self.prefix).text, fold(self.suffix).text
        sides = ((stored_before[::-1], before[::-1]), (stored_after, after))  # read away from the quote
        return tuple(_begins_alike(stored[:BESIDE], found) for stored, found in sides if stored)

    @property
    def has_context(self) -> bool:
        """Whether a prefix or a suffix was given."""
        return bool(fold(self.prefix).text or fold(self.suffix).text)

    def distance_to_near(self, place: Place) -> int | None:
        """Folded characters between the place and ``near`` (0: inside), None if it is too far."""
        low, high = max(0, place.start - NEAR), min(len(self.page), place.end + NEAR)
        around = fold(self.page[low:high])
        first, last = around.index(place.start - low), around.index(place.end - low)
        best: int | None = None
        for at in occurrences(around.text, self.folded_near):
            gap = max(0, first - at - len(self.folded_near), at - last)
            best = gap if best is None else min(best, gap)
        return best


def _likeness(stored: str, found: str) -> float:
    if not stored and not found:
        return 1.0
    return Levenshtein.normalized_similarity(stored, found)


def _begins_alike(stored: str, found: str) -> float:
    """The likeness of a text to the beginning of another, so far as suits it best: words may be put in."""
    ends = range(len(stored) // 2, 2 * len(stored) + 1)
    return max(_likeness(stored, found[:end]) for end in ends)


def occurrences(text: str, wanted: str) -> Iterator[int]:
    """Every offset at which ``wanted`` stands, overlapping ones too; none if it is empty."""
    at = text.find(wanted) if wanted else -1
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)


def exact_places(search: Search, *, hyphenated: bool, edges: bool = True) -> tuple[list[Place], list[Place]]:
    """Exact places, and those that fold alike but say something else, from the plainest pass on.

    With ``edges`` a place that cuts a word or a quantity says something else.
    """
    rejected: list[Place] = []
    passes = [(False, False), (True, False)] + [(True, True)] * hyphenated
    plain_page, plain = fold(search.page), fold(search.quote).text
    for drop, hyphens in passes:
        page = fold(search.page, drop_superscripts=drop)
        asked = fold(search.quote, drop_superscripts=drop).text
        same_as_before = drop and not hyphens and page is plain_page and asked == plain
        if not asked or same_as_before:
            continue
        spans = _hyphenated_spans(search, page) if hyphens else _spans(search, page, asked)
        exact: list[Place] = []
        for start, end in spans:
            alike = same(search.page, start, end, search.quote, cased=search.cased, broken_lines=hyphenated)
            place = Place(start, end, spelled=alike == "exact")
            cut = edges and whole(search.page, start, end, search.language) != (start, end)
            if alike and not cut:
                exact.append(place)
            elif len(rejected) < _MOST_PLACES:
                rejected.append(place)
            if len(exact) == _MOST_PLACES:
                break
        if exact:
            return sorted(exact, key=lambda place: place.start), rejected
    return [], rejected


def _spans(search: Search, page: Folded, asked: str) -> list[tuple[int, int]]:
    """Where the folded quote stands; those with its surroundings first, then those near where it was."""
    size = len(asked)
    spans: list[tuple[int, int]] = []
    for hit in occurrences(page.text, asked):
        if not page.is_cut(hit, hit + size):
            span = page.span(hit, hit + size)
            if not spans or span[0] >= spans[-1][1]:
                spans.append(span)
    if len(spans) <= _MOST_PLACES:
        return spans
    before, after = fold(search.prefix).text[-6:], fold(search.suffix).text[:6]
    expected = search.expected_start or 0

    def likely(span: tuple[int, int]) -> tuple[bool, int]:
        first, last = page.index(span[0]), page.index(span[1])
        alike = (before and page.text.endswith(before, 0, first)) or (
            after and page.text.startswith(after, last)
        )
        return not alike, abs(span[0] - expected)

    return sorted(spans, key=likely)


_LINE_HYPHEN = re.compile(r"(?<=[^\W\d_])[-‐\u00ad][ \t]*\r?\n\s*(?=[^\W\d_])")
_WORD_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")


def _hyphenated_spans(search: Search, page: Folded) -> list[tuple[int, int]]:
    """Where the quote stands when a hyphen at a line end may be there or not."""
    optional = {page.index(match.start()) for match in _LINE_HYPHEN.finditer(search.page)}
    if not optional:
        return []
    asked = fold(search.quote, drop_superscripts=True).text
    kept = [i for i in range(len(page.text)) if i not in optional]
    joined = "".join(page.text[i] for i in kept)
    # A real hyphen may stand at a line end too: look for the quote without its hyphens there.
    bare = _WORD_HYPHEN.sub("", asked)
    loose = [i for i in kept if not _WORD_HYPHEN.match(page.text, i)]
    loosest = "".join(page.text[i] for i in loose)
    spans = [(kept[hit], kept[hit + len(asked) - 1]) for hit in occurrences(joined, asked)]
    spans += [(loose[hit], loose[hit + len(bare) - 1]) for hit in occurrences(loosest, bare)]
    found: list[tuple[int, int]] = []
    for first, last in sorted(set(spans)):
        same = _reads_as(page.text, first, last + 1, asked, optional)
        if same and not page.is_cut(first, last + 1):
            found.append(page.span(first, last + 1))
    return found


def _reads_as(text: str, first: int, last: int, asked: str, optional: set[int]) -> bool:
    """Whether a folded slice is what was asked for, hyphens at line ends being optional."""
    position = 0
    for index in range(first, last):
        if position < len(asked) and text[index] == asked[position]:
            position += 1
        elif index not in optional:
            return False
    return position == len(asked)
