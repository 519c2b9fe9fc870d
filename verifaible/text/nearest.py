"""The passages of texts that come nearest to a query: Okapi BM25 over sentences and rows."""

from __future__ import annotations

import heapq
import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from verifaible.text.flat import flatten
from verifaible.text.segmentation import MARKS, sentences

#: The usual weights of BM25: how soon a word said again counts no more, and what length costs.
_K1, _B = 1.2, 0.75
#: Words are compared by their first letters, in place of a stemmer for each language (McNamee and Mayfield,
#: "Character n-gram tokenization for European language text retrieval", 2004, have 5 or 6 as the best).
_STEM: Final = 6
#: A letter of a script that puts no blanks between words, or none between a word and its ending.
IDEOGRAPH: Final = r"[\u0e00-\u0e7f\u2e80-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7a3]"
#: A longer sentence is parted, in code points.
LONGEST: Final = 1000
_TERM: Final = re.compile(rf"{IDEOGRAPH}+|\d+(?:[.,'\u2009]\d+)+|(?:(?!{IDEOGRAPH})[^\W_]|[{MARKS}])+")
_GROUPS: Final = re.compile(r"[,'\u2009](?=\d{3}(?!\d))")
_IDEOGRAPHIC: Final = re.compile(IDEOGRAPH)
#: A row of a table is one passage.
_ROW: Final = re.compile(r"[|\t]")
#: A line at least this long that the next goes on with a small letter was broken for its width.
_WRAPPED: Final = 40
_CUT: Final = re.compile(r"[\s,;|、，；]")


@dataclass(frozen=True, slots=True)
class Near:
    """A passage: ``texts[text][start:end]``, offsets in code points.

    Attributes:
        share: how much of the query stands in it, 0 to 1: its words, names and numbers, each weighed by how
            rare it is among the passages. One that stands nowhere weighs most.
        score: BM25; only for comparison within one query.
    """

    text: int
    start: int
    end: int
    share: float
    score: float


class Passages:
    """Sentences and rows of some texts, indexed once.

    Args:
        texts: the texts.
        terms: what a passage and a query are compared by; default :func:`terms_of`.
    """

    def __init__(self, texts: Sequence[str], *, terms: Callable[[str], Iterable[str]] | None = None) -> None:
        self.texts = tuple(texts)
        self._terms = terms or terms_of
        self.spans = [
            (number, start, end) for number, text in enumerate(self.texts) for start, end in passages_of(text)
        ]
        counted = [Counter(self._terms(self.texts[text][start:end])) for text, start, end in self.spans]
        self._index: dict[str, list[tuple[int, int]]] = {}
        for place, counts in enumerate(counted):
            for term, count in counts.items():
                self._index.setdefault(term, []).append((place, count))
        lengths = [counts.total() for counts in counted]
        mean = sum(lengths) / len(lengths) if lengths else 1.0
        self._norms = [_K1 * (1 - _B + _B * length / (mean or 1.0)) for length in lengths]

    def nearest(self, query: str, count: int = 5, *, texts: Collection[int] | None = None) -> list[Near]:
        """The passages nearest to a query, best first; none that has no word of it.

        Args:
            query: a sentence, or words.
            count: how many at most.
            texts: numbers of the texts that are looked at; None: all. Words are weighed over all.
        """
        scores: Counter[int] = Counter()
        found: Counter[int] = Counter()
        total = 0.0
        for term in dict.fromkeys(self._terms(query)):
            places = self._index.get(term, ())
            weight = math.log1p((len(self.spans) - len(places) + 0.5) / (len(places) + 0.5))
            total += weight
            for place, times in places:
                scores[place] += weight * times * (_K1 + 1) / (times + self._norms[place])  # type: ignore[assignment]
                found[place] += weight  # type: ignore[assignment]
        wanted = scores if texts is None else [place for place in scores if self.spans[place][0] in texts]
        best = heapq.nsmallest(count, wanted, key=lambda place: (-scores[place], place))
        return [Near(*self.spans[place], min(1.0, found[place] / total), scores[place]) for place in best]

    def around(self, near: Near, count: int) -> tuple[int, int]:
        """A passage with up to ``count`` before and behind it in its text, as a span."""
        at = bisect_left(self.spans, (near.text, near.start, near.end))
        beside = [each for each in self.spans[max(0, at - count) : at + count + 1] if each[0] == near.text]
        return beside[0][1], beside[-1][2]


def passages_of(text: str) -> Iterator[tuple[int, int]]:
    """The sentences of a text and the rows of its tables as spans, in order; each has a letter or digit."""
    for low, high in _blocks(text):
        row = _ROW.search(text, low, high)
        for start, end in [(0, high - low)] if row else sentences(text[low:high]):
            yield from _parts(text, low + start, low + end)


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """The lines of a text, joined where one was broken for its width."""
    start = line = 0
    for match in re.finditer(r"\n|\Z", text):
        at = match.start()
        wrapped = at - line >= _WRAPPED and (text[at - 1].isalpha() or text[at - 1] == ",")
        line = at + 1
        if not (wrapped and text[line : line + 1].islower()):
            if start < at:
                yield start, at
            start = line


def _parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A span without white space around, in parts where it is too long for a sentence."""
    while start < end:
        last = end
        if end - start > LONGEST:
            cuts = [match.end() for match in _CUT.finditer(text, start + LONGEST // 2, start + LONGEST)]
            last = cuts[-1] if cuts else start + LONGEST
        piece = text[start:last]
        if any(map(str.isalnum, piece)):
            yield start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
        start = last


def terms_of(text: str) -> Iterator[str]:
    """What a text is compared by: beginnings of words, whole numbers, pairs of ideographs."""
    for match in _TERM.finditer(flatten(text).casefold()):
        term = match[0]
        if _IDEOGRAPHIC.match(term):
            yield from (term[at : at + 2] for at in range(max(1, len(term) - 1)))
        elif term[0].isdigit():
            yield _GROUPS.sub("", term)
        else:
            yield term[:_STEM]
