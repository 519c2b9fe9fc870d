"""Where a quote stands that was changed: approximate matches, gated by what stood around it.

A quote that is in the page no more is looked for in three ways: by likeness; whole, but with other
text put in; and between the words that stood before and after it. Whatever is found is "changed".
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from rapidfuzz import fuzz
from rapidfuzz.distance import Indel, Levenshtein

from verifaible.old.anchoring.diff import word_diff
from verifaible.old.anchoring.fold import Folded, fold
from verifaible.old.anchoring.places import CONTEXT, Place, Search, occurrences
from verifaible.old.text.words import whole
from verifaible.schema.check import DiffToken

#: Folded characters from which a context that stands unchanged on the page says where.
_TELLING_CONTEXT = 12
#: Folded characters of a context that are looked up to find where it ends or begins.
_EDGE = 24
#: Between unchanged surroundings, this part of a quote's words makes it the quote in another order.
_SAME_WORDS = 0.7
#: What is not exact is never wholly alike.
_ONE_EDIT = 0.999


def find_changed(search: Search, rejected: Sequence[Place]) -> QuoteMatch:
    """The place of a quote that does not stand on the page exactly.

    Args:
        search: what is looked for.
        rejected: places that fold like the quote, and why they do not say the same.
    """
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
    framed = _between_contexts(search, page, asked)
    if framed:
        left = [place for place in left if all(_apart(place, other) for other in framed)] + framed
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
    start, end = whole(search.page, place.start, place.end, search.language)
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


def _between_contexts(search: Search, page: Folded, asked: str) -> list[Place]:
    """What stands between the words before and after the quote, where it is much the same."""
    if not search.has_context:
        return []
    before, after = fold(search.prefix).text[-_EDGE:], fold(search.suffix).text[:_EDGE]
    whole = search.expected_start is not None  # what was cited began or ended its page, if it has no context
    starts = [at + len(before) for at in occurrences(page.text, before)] if before else [0] * whole
    ends = list(occurrences(page.text, after)) if after else [len(page.text)] * whole
    found: list[Place] = []
    for start in starts:
        near = (bisect_left(ends, start + 0.6 * len(asked)), bisect_right(ends, start + 1.6 * len(asked)))
        for end in ends[slice(*near)]:
            said = page.text[start:end]
            score = max(0.0, 1 - Levenshtein.distance(asked, said) / len(asked))
            if score < 2 / 3 and same_words(asked, said) >= _SAME_WORDS:
                score = 2 / 3
            if score >= 2 / 3:
                found.append(search.placed(Place(*page.span(start, end), score=min(score, _ONE_EDIT))))
    return [place for place in _distinct(found) if _plausible(search, place)]


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


#: Pieces of the quote that are looked up.
_MOST_SEEDS = 48
_MOST_CANDIDATES = 8
#: Shorter quotes are not looked for in two parts, nor parts shorter than the second figure.
_SHORTEST_PARTED = 12
_SHORTEST_PART = 3
#: What may have been put in between: a sentence or two, in folded characters.
_WIDEST_GAP = 240


@dataclass(frozen=True, slots=True)
class Near:
    """A folded slice that resembles the quote; ``score`` is 1 - edits / length of the quote."""

    start: int
    end: int
    score: float


def find_near(page: str, quote: str, *, hints: Sequence[int] = ()) -> list[Near]:
    """The places that resemble a quote most, best first.

    Args:
        page: folded text.
        quote: folded quote, not empty.
        hints: offsets at which it may begin.

    Returns:
        At most eight places that do not overlap, those of little likeness too (score >= 0.4).
    """
    size = len(quote)
    slack = size // 3 + 4
    found: list[Near] = []
    for guess in _guesses(page, quote, hints):
        low, high = max(0, guess - slack), min(len(page), guess + size + slack)
        if low >= high:
            continue
        found.append(_refined(page, quote, low, high))
    kept: list[Near] = []
    for place in sorted(found, key=lambda place: -place.score):
        if place.score >= 0.4 and all(place.end <= n.start or place.start >= n.end for n in kept):
            kept.append(place)
    return kept


def find_parted(page: str, quote: str) -> list[Near]:
    """Places at which the whole quote stands, but with other text put in at one point of it.

    Both are folded. ``score`` is the length of the quote over that of the place. The places do
    not contain one another: of two with the same beginning or end the shorter one counts.
    """
    size = len(quote)
    if size < _SHORTEST_PARTED:
        return []
    tails = [at + _SHORTEST_PART for at in _all(page, quote[-_SHORTEST_PART:])]
    found: list[Near] = []
    for start in _all(page, quote[:_SHORTEST_PART]):
        first, last = (bisect_right(tails, start + size + extra) for extra in (0, _WIDEST_GAP))
        if first == last:
            continue
        tail = size - min(_shared(page, start, quote), size - _SHORTEST_PART)
        end = next((end for end in tails[first:last] if page.startswith(quote[-tail:], end - tail)), None)
        if end is not None:
            found.append(Near(start, end, size / (end - start)))
    inner = [n for n in found if not any(n is not o and n.start <= o.start and o.end <= n.end for o in found)]
    return inner[:_MOST_CANDIDATES]


def same_words(quote: str, found: str) -> float:
    """The part of two folded texts that they share when order counts for nothing, 0 to 1.

    The Dice coefficient of their pairs of characters (of three in a Latin text), each as often as it stands.
    """
    size = 3 if quote.isascii() else 2
    asked, said = (
        Counter(text[at : at + size] for at in range(len(text) - size + 1)) for text in (quote, found)
    )
    total = asked.total() + said.total()
    return 2 * (asked & said).total() / total if total else 0.0


def _all(page: str, seed: str) -> list[int]:
    found: list[int] = []
    at = page.find(seed)
    while at >= 0:
        found.append(at)
        at = page.find(seed, at + 1)
    return found


def _shared(page: str, at: int, quote: str) -> int:
    """How many characters of the quote's beginning stand at an offset of the page."""
    low, high = 0, len(quote)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if page.startswith(quote[:middle], at) else (low, middle - 1)
    return low


def _guesses(page: str, quote: str, hints: Iterable[int]) -> list[int]:
    """Where the quote may begin: hints first, then where most of its pieces say so."""
    size = len(quote)
    length = 3 if size < 24 or not quote.isascii() else 6
    if size < 9:
        length = 2
    step = max(1, (size - length + 1) // _MOST_SEEDS)
    votes: Counter[int] = Counter()
    bucket = max(4, size // 4)
    for offset in range(0, size - length + 1, step):
        seed = quote[offset : offset + length]
        votes.update((at - offset) // bucket for at in _all(page, seed))
    best = sorted(votes, key=lambda key: -(votes[key] + votes.get(key + 1, 0)))[:_MOST_CANDIDATES]
    return [*hints, *(key * bucket + bucket // 2 for key in best)]


def _refined(page: str, quote: str, low: int, high: int) -> Near:
    """The slice of a window with the fewest edits: located by ratio, its ends then adjusted."""
    window = page[low:high]
    aligned = fuzz.partial_ratio_alignment(quote, window)
    start, end = (aligned.dest_start, aligned.dest_end) if aligned else (0, len(window))
    if len(quote) > len(window):
        start, end = 0, len(window)
    reach = len(quote) // 3 + 4
    for _ in range(2):
        ends = range(max(start + 1, end - reach), min(len(window), end + reach) + 1)
        end = min(ends, key=lambda at: (_edits(quote, window[start:at]), abs(at - end)))
        starts = range(max(0, start - reach), min(end, start + reach + 1))
        start = min(starts, key=lambda at: (_edits(quote, window[at:end]), abs(at - start)))
    edits = Levenshtein.distance(quote, window[start:end])
    return Near(low + start, low + end, max(0.0, 1 - edits / len(quote)))


def _edits(quote: str, found: str) -> int:
    # Substitutions count twice here: else an inserted word at an edge takes the place of another.
    return Indel.distance(quote, found)


QuoteStatus: TypeAlias = Literal["verified", "moved", "changed", "ambiguous", "gone"]

#: Context that is at least this alike is the same place: a changed word in 64 characters still
#: is, the context of another sentence of the same page is not (it scores about 0.2 to 0.35).
SAME_CONTEXT = 0.6
#: The words right beside a quote must be this alike on one side, or on both taken together: in another
#: sentence put between the same neighbours most of the context stays, and what is nearest does not.
SAME_NEIGHBOUR = 0.8
SAME_NEIGHBOURS = 0.65


@dataclass(frozen=True, slots=True)
class QuoteMatch:
    """Where a quote stands.

    ``start`` and ``end`` are code points of the page text, ``text`` is ``page[start:end]``, and
    ``prefix`` and ``suffix`` the up to 64 code points around it; all are empty (0) for "gone"
    and "ambiguous". ``score`` is 1 - edits / length, 1.0 for an exact match. ``occurrences`` counts
    exact matches; ``candidates`` shows each place of an ambiguous quote with its surroundings.
    ``difference`` leads from the quote to the page's words. ``nearest`` is the most similar text
    of the page when the quote is not there. ``near_found`` is False when ``near`` was asked for
    and stands nowhere beside the match.
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
