"""Text like a quote that is not there: for what changed, and for what a refusal shows. It never verifies.

Runs of whole sentences are compared with the quote by their keys: first roughly, by the words they share, the
best of them by edits. A place counts as the quote changed only where what stood around it says so, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz, process
from rapidfuzz.distance import Levenshtein

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
    found = [_narrowed(document, spans[at], asked) for at in rough]
    found = [each for each in found if each.score >= WORTH_SHOWING]
    return sorted(found, key=lambda each: -each.score)


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


def _narrowed(document: Document, span: Place, asked: str) -> Similar:
    """The words of a sentence that are most like the quote, cut at the edges of words."""
    text = document.blocks[span.block].text
    found = [token for token in Index.of(document).tokens(span.block) if span.start <= token.start < span.end]
    keys = [key(token.norm) for token in found]
    joined = "".join(keys)
    best, score = (0, len(found)), Levenshtein.normalized_similarity(asked, joined)
    aligned = fuzz.partial_ratio_alignment(asked, joined) if len(joined) > len(asked) else None
    if aligned is not None:
        edges = [0]
        for each in keys:
            edges.append(edges[-1] + len(each))
        starts = _around(edges, aligned.dest_start)
        ends = _around(edges, aligned.dest_end)
        for start in starts:
            for end in (end for end in ends if end > start):
                here = joined[edges[start] : edges[end]]
                alike = max(0.0, 1 - Levenshtein.distance(asked, here) / len(asked))
                if alike > score:
                    best, score = (start, end), alike
    if not found:
        return Similar(span, 0.0, "")
    place = Place(span.block, found[best[0]].start, found[best[1] - 1].end)
    return Similar(place, min(score, 0.999), text[place.start : place.end])


def _around(edges: Sequence[int], at: int) -> list[int]:
    """The three edges nearest to an offset."""
    return sorted(range(len(edges)), key=lambda number: abs(edges[number] - at))[:3]
