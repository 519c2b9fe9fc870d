"""The sources of one answer, read once, and asked by value and by label."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from itertools import chain
from typing import Final

from verifaible.factcheck.numbers.quantities import units_agree
from verifaible.factcheck.rules.lexicon import Lexicon, find_metrics, metric_synonyms
from verifaible.factcheck.rules.page import WORD, Page
from verifaible.factcheck.rules.placing.places import Place, places_of
from verifaible.factcheck.plain_words import stem
from verifaible.factcheck.rules.reading import Reading
from verifaible.schema.analyst import Source
from verifaible.text.language import HAN

#: What rounding of digits may move.
_SLACK: Final = 1e-9


class Library:
    """What the sources of an answer state.

    A source is laid out when it is first asked for; the numbers of a sentence, row or JSON value are read
    when a question leads there, and kept.

    Args:
        pairs: the sources, each with the whole text of its file.
        at: when the answer was given; "today" in a claim is that day.
        topic: what the answer is about (its query): of a claim that names no asset, its only asset.
    """

    def __init__(
        self, pairs: Sequence[tuple[Source, str]], *, at: datetime | None = None, topic: str = ""
    ) -> None:
        self.pairs = tuple(pairs)
        self.at = at
        self.topic = topic
        self._labels: dict[str, tuple[tuple[str, ...], ...]] = {}
        self._places: dict[str, tuple[Place, ...]] = {}

    @cached_property
    def lexicon(self) -> Lexicon:
        """The names known, with those that the sources define."""
        lexicon = Lexicon()
        for _, text in self.pairs:
            lexicon.learn(text)
        for _, text in self.pairs:
            for match in _NAMED_JSON.finditer(text):
                name, symbol = (match["n1"], match["s1"]) if match["n1"] else (match["n2"], match["s2"])
                lexicon.define(name, symbol)
        return lexicon

    @cached_property
    def _pages(self) -> tuple[Page, ...]:
        return tuple(Page(source, text, self.lexicon) for source, text in self.pairs)

    def pages(self, only: Collection[str] | None = None) -> Sequence[Page]:
        """The sources laid out, or those with the ids ``only``."""
        return self._pages if only is None else [page for page in self._pages if page.source.id in only]

    def places(self, only: Collection[str] | None = None) -> tuple[Place, ...]:
        """The numbers of the sources, or of those with the ids ``only``, each with what names it."""
        pages = self.pages(only)
        for page in pages:
            if page.source.id not in self._places:
                self._places[page.source.id] = tuple(places_of(page))
        return tuple(place for page in pages for place in self._places[page.source.id])

    def page_of(self, reading: Reading) -> Page:
        """The source that a reading is of."""
        return next(page for page in self._pages if page.source is reading.source)

    @cached_property
    def _segments(self) -> tuple[tuple[Page, int], ...]:
        """Every segment, numbered as the indexes number them."""
        return tuple((page, index) for page in self._pages for index in range(len(page.segments)))

    @cached_property
    def _words(self) -> dict[str, list[int]]:
        index: defaultdict[str, list[int]] = defaultdict(list)
        for number, words in enumerate(chain.from_iterable(page.words() for page in self._pages)):
            for word in words:
                index[word].append(number)
        return dict(index)

    @cached_property
    def _stems(self) -> dict[str, list[str]]:
        index: dict[str, list[str]] = {}
        for word in self._words:
            index.setdefault(stem(word), []).append(word)
        return index

    @cached_property
    def _digits(self) -> tuple[tuple[list[float], list[int]], list[int]]:
        """Segments by the digits of their numbers, and those with numbers in words."""
        digits: list[tuple[float, int]] = []
        worded: list[int] = []
        base = 0
        for page in self._pages:
            for each, index in page.digits():
                worded.append(base + index) if each is None else digits.append((each, base + index))
            base += len(page.segments)
        digits.sort()
        return ([each for each, _ in digits], [segment for _, segment in digits]), worded

    def _read(self, numbers: Iterable[int], only: Collection[str] | None) -> Iterator[Reading]:
        for number in sorted(numbers):
            page, index = self._segments[number]
            if only is None or page.source.id in only:
                yield from page.read(index)

    def readings(self, only: Collection[str] | None = None) -> Sequence[Reading]:
        """Every value of the sources (or of those with the ids ``only``), in order."""
        return list(self._read(range(len(self._segments)), only))

    def near(
        self,
        value: Decimal,
        tolerance: Decimal,
        unit: str | None = None,
        only: Collection[str] | None = None,
    ) -> Sequence[Reading]:
        """Values at most ``tolerance`` from ``value``; ``unit`` canonical, None: of any unit.

        Found through an index of the digits: segments with other digits are not read.
        """
        return [
            reading
            for reading in self._read(self._with_digits(abs(value) - tolerance, abs(value) + tolerance), only)
            if abs(reading.value - value) <= tolerance and (unit is None or units_agree(unit, reading.unit))
        ]

    def _with_digits(self, low: Decimal, high: Decimal) -> Iterable[int]:
        """Segments whose numbers may be from ``low`` to ``high``, in some scale."""
        if low <= 0 or high >= 10 * low:
            return range(len(self._segments))
        (digits, segments), worded = self._digits
        first, last = (float(each.scaleb(-each.adjusted() - 1)) for each in (low, high))
        one, other = bisect_left(digits, first - _SLACK), bisect_right(digits, last + _SLACK)
        found = segments[one:other] if first <= last else segments[one:] + segments[:other]
        return {*found, *worded}

    def labelled(self, words: Iterable[str], only: Collection[str] | None = None) -> Sequence[Reading]:
        """Values whose labels hold all of some words or phrases.

        A name is found by any of its aliases, a metric by any of its synonyms, other words by their stem.
        """
        return list(self._read(_in_all(map(self._written, words)), only))

    def _written(self, word: str) -> set[int]:
        """Segments that have a word in one of its ways; of one that has no other, by its stem."""
        ways = self._ways(word)
        return set().union(*(self._with(way, stems=len(ways) == 1) for way in ways))

    def _with(self, words: Iterable[str], *, stems: bool) -> set[int]:
        """Segments that have all of some words, or words with the same stems."""
        return _in_all(
            self._of_stem(stem(word)) if stems else set(self._words.get(word, ())) for word in words
        )

    def _of_stem(self, root: str) -> set[int]:
        return set().union(*(self._words[word] for word in self._stems.get(root, ())))

    def stated_with(
        self, stems: Collection[str], names: Iterable[str], only: Collection[str] | None = None
    ) -> Sequence[Reading]:
        """Values of segments that have a word of each stem, and each name by any of its aliases."""
        parts = (part for each in stems for part in (each if HAN.match(each) else (each,)))
        named = (set().union(*(self._with(way, stems=False) for way in self._ways(name))) for name in names)
        return list(self._read(_in_all(chain(map(self._of_stem, parts), named)), only))

    def _ways(self, word: str) -> tuple[tuple[str, ...], ...]:
        """How a word may be written: a tuple of words for each way."""
        known = self._labels.get(word)
        if known is not None:
            return known
        metric, metrics = word, find_metrics(word)
        if len(metrics) == 1 and (metrics[0].start, metrics[0].end) == (0, len(word)):
            metric = word if word in metric_synonyms() else metrics[0].value
        if name := self.lexicon.resolve(word):
            written = self.lexicon.aliases(name)
        else:
            written = metric_synonyms().get(metric, (word,))
        ways = (tuple(WORD.findall(each.lower())) for each in written)
        result = tuple(way for way in dict.fromkeys(ways) if way)
        self._labels[word] = result
        return result


_NAMED_JSON: Final = re.compile(
    r'"symbol"\s*:\s*"(?P<s1>[A-Za-z0-9]{2,10})"\s*,\s*"name"\s*:\s*"(?P<n1>[^"\\\n]{2,40})"'
    r'|"name"\s*:\s*"(?P<n2>[^"\\\n]{2,40})"\s*,\s*"symbol"\s*:\s*"(?P<s2>[A-Za-z0-9]{2,10})"'
)


def _in_all(sets: Iterable[set[int]]) -> set[int]:
    """What every set has; behind an empty one no other is made."""
    left: set[int] | None = None
    for here in sets:
        left = here if left is None else left & here
        if not left:
            break
    return left or set()
