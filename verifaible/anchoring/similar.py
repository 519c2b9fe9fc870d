"""Text like a quote that is not there: for what changed, and for what a refusal shows. It never verifies.

Runs of whole sentences are compared with the quote by their keys: first roughly, by the words they share, the
best of them by edits. A place counts as the quote changed only where what stood around it says so, too.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz, process
from rapidfuzz.distance import Indel, Levenshtein

from verifaible.anchoring.quote import Index, Place
from verifaible.extract.document import Document
from verifaible.text.normalise import key, tokens

#: A quote of which at most a third was edited may be that quote, changed.
ALIKE = 2 / 3
#: What is less alike is not worth showing.
WORTH_SHOWING = 0.4
#: Sentences that are compared edit by edit.
_MOST_COMPARED = 24
_MOST_SHARED = 200
#: With fewer edits nothing was put in that is worth looking for.
ONE_EDIT_IN_TEN = 0.9
#: Pieces of a quote that stand parted are this long at least, and together this part of it; what was put in
#: between is a sentence or two, in letters and digits.
_SHORTEST_PART, _WHOLE, _WIDEST_GAP = 4, 0.85, 240


@dataclass(frozen=True, slots=True)
class Similar:
    """Words of a Document like a quote; ``score`` is 1 - edits / the quote's length, by keys, below 1."""

    place: Place
    score: float
    text: str


def find_similar(document: Document, quote: str, within: Iterable[int] | None = None) -> list[Similar]:
    """The words most like a quote, best first, each in its own sentence or block; none below 0.4.

    Args:
        document: the source.
        quote: the words that are not there.
        within: the blocks to look in; all unless given.
    """
    asked = key(quote)
    if not asked:
        return []
    spans = _spans(document, within)
    rough = _shared(asked, quote, [document.blocks[s.block].text[s.start : s.end] for s in spans])
    found = [_narrowed(document, spans[at], quote) for at in rough]
    kept: list[Similar] = []
    for each in sorted(found, key=lambda each: (-each.score, each.place.end - each.place.start)):
        if each.score >= WORTH_SHOWING and all(_is_apart(each.place, other.place) for other in kept):
            kept.append(each)
    return kept


def _is_apart(one: Place, other: Place) -> bool:
    return one.block != other.block or one.end <= other.start or other.end <= one.start


def _spans(document: Document, within: Iterable[int] | None) -> list[Place]:
    """Every sentence, and every block of several sentences."""
    numbers = range(len(document.blocks)) if within is None else within
    found = []
    for number in numbers:
        sentences = document.blocks[number].sentences
        found += [Place(number, start, end) for start, end in sentences]
        if len(sentences) > 1:
            found.append(Place(number, sentences[0][0], sentences[-1][1]))
    return found


def _shared(asked: str, quote: str, texts: Sequence[str]) -> list[int]:
    """Which texts share most with the quote: first by rare words, then by their likeness as a whole."""
    wanted = Counter(token.norm for token in tokens(quote) if token.is_word)
    keys = [key(text) for text in texts]
    probes = [each for word in wanted if (each := key(word))]
    counts = {probe: 1 + sum(probe in text for text in keys) for probe in probes[:32]}
    scored = [sum(1 / counts[probe] for probe in counts if probe in text) for text in keys]
    likely = sorted((at for at, score in enumerate(scored) if score), key=lambda at: -scored[at])[
        :_MOST_SHARED
    ]
    best = process.extract(
        asked, {at: keys[at] for at in likely}, scorer=fuzz.partial_ratio, limit=_MOST_COMPARED
    )
    return [at for _, _, at in best]


def _narrowed(document: Document, span: Place, quote: str) -> Similar:
    """The words of a sentence that are most like the quote, cut at the edges of words."""
    asked = key(quote)
    text = document.blocks[span.block].text
    found = [token for token in Index.of(document).tokens(span.block) if span.start <= token.start < span.end]
    keys = [key(token.norm) for token in found]
    joined = "".join(keys)
    edges = [0]
    for each in keys:
        edges.append(edges[-1] + len(each))
    best, score = (0, len(found)), Levenshtein.normalized_similarity(asked, joined)
    aligned = fuzz.partial_ratio_alignment(asked, joined) if len(joined) > len(asked) else None
    tries = [(aligned.dest_start, aligned.dest_end)] if aligned is not None else []
    for start, end in (
        (a, b) for low, high in tries for a in _around(edges, low) for b in _around(edges, high)
    ):
        here = joined[edges[start] : edges[end]] if start < end else ""
        alike = max(0.0, 1 - Levenshtein.distance(asked, here) / len(asked))
        if alike > score:
            best, score = (start, end), alike
    parted = _parted(asked, joined)
    if parted is not None and score < ONE_EDIT_IN_TEN:
        best = (bisect_right(edges, parted[0]) - 1, bisect_left(edges, parted[1]))
        score = max(score, ALIKE)
    if not found:
        return Similar(span, 0.0, "")
    last = best[1]
    while last < len(found) and not keys[last] and text[found[last - 1].end : found[last].end] in quote[-2:]:
        last += 1  # a sign or stop with which the quote ends, too
    place = Place(span.block, found[best[0]].start, found[last - 1].end)
    return Similar(place, min(score, 0.999), text[place.start : place.end])


def _parted(asked: str, joined: str) -> tuple[int, int] | None:
    """From where to where the whole quote stands with other words put in; None where it does not."""
    size = bisect_left(range(len(asked)), 1, key=lambda at: asked[: at + 1] not in joined)
    for cut in range(min(size, len(asked) - _SHORTEST_PART), _SHORTEST_PART - 1, -1):
        start = joined.find(asked[:cut])
        end = joined.find(asked[cut:], start + cut)
        if 0 <= end <= start + cut + _WIDEST_GAP:
            return start, end + len(asked) - cut
    blocks = [b for b in Indel.opcodes(asked, joined).as_matching_blocks() if b.size >= _SHORTEST_PART]
    told = sum(block.size for block in blocks)
    if not blocks or told < _WHOLE * len(asked):
        return None
    first, last = blocks[0].b, blocks[-1].b + blocks[-1].size
    return (first, last) if last - first <= told + _WIDEST_GAP else None


def _around(edges: Sequence[int], at: int) -> list[int]:
    """The edges next to an offset."""
    place = bisect_left(edges, at)
    return list(range(max(0, place - 1), min(len(edges), place + 2)))
