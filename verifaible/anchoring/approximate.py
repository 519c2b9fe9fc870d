"""Locating text that resembles a quote, in folded text."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz
from rapidfuzz.distance import Indel, Levenshtein

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
