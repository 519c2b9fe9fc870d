"""One source: laid out, indexed by words and digits, read where it is asked for."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from functools import cached_property
from typing import Final

from verifaible.factcheck.numbers.written import may_be_written
from verifaible.factcheck.plain_text import PlainText
from verifaible.factcheck.rules.binding_json import read_number, read_value
from verifaible.factcheck.rules.binding_rows import read_row
from verifaible.factcheck.rules.figures import Number, figures, names
from verifaible.factcheck.rules.layout import Segment, lay_out
from verifaible.factcheck.rules.lexicon import Lexicon
from verifaible.factcheck.plain_words import content_words, forecast, key_words
from verifaible.factcheck.rules.reading import Manner, Reading
from verifaible.factcheck.rules.surroundings import Surroundings, label_words
from verifaible.factcheck.rules.tagging import Bound, Tagged
from verifaible.factcheck.stated import Place as Stated
from verifaible.factcheck.stated import SourceText
from verifaible.factcheck.tables import Table
from verifaible.schema.analyst import Source

_DIGITS: Final = re.compile(r"\d{1,3}(?:[,，'’\u2009\u00a0 ]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?")
#: Numbers whose separators may be read in two ways.
_PARTED: Final = re.compile(r"\d+(?:[.,]\d+){2,}|\d+,\d+")
#: What makes a number that its digits alone do not show.
_IN_WORDS: Final = re.compile(
    r"[½¼¾⅓⅔⅛⅜⅝⅞]|\d/\d|[零一二两三四五六七八九十百千]|[亿億万萬]\s?\d|\d[eE][+-]?\d"
    r"|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half|hundred|point"
    r"|\w{3,5}teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty)\b",
    re.IGNORECASE,
)
WORD: Final = re.compile(r"[a-z0-9À-ÿ]+|[\u3400-\u9fff]")
#: How a sentence begins that speaks of what the one before it named.
_REFERS: Final = re.compile(
    r"\W*(?:its?|the (?:token|coin|price|protocol|network|asset)|their|this|其|该|它)\b", re.IGNORECASE
)
#: Places of one quotation in one source that are looked at.
_MOST_PLACES: Final = 20


class Page:
    """One source laid out, with what its segments state as far as it was asked for."""

    def __init__(self, source: Source, text: str, lexicon: Lexicon) -> None:
        self.source = source
        self.text = text
        self.lexicon = lexicon
        self.segments: list[Segment] = lay_out(text, source.title)
        self._around = Surroundings(lexicon, source, text)
        self._read: dict[int, tuple[Reading, ...]] = {}

    def read(self, index: int) -> tuple[Reading, ...]:
        """The values of a segment."""
        found = self._read.get(index)
        if found is None:
            found = self._read[index] = self._values(self.segments[index])
        return found

    def _values(self, segment: Segment) -> tuple[Reading, ...]:
        """The values of a segment, in order."""
        if segment.literal:
            return read_number(self._around, segment)
        if segment.kind == "row":
            return read_row(self._around, segment)
        tagged = Tagged(segment.words, self._around.lexicon)
        if not tagged.numbers:
            return ()
        if segment.kind == "json":
            if len(tagged.numbers) == 1 and not (tagged.words or tagged.names):
                return (read_value(self._around, segment, tagged.numbers[0]),)
            segment = _as_sentence(segment)
        return tuple(self._sentence(segment, tagged, bound) for bound in tagged.bound)

    def _sentence(self, segment: Segment, tagged: Tagged, bound: Bound) -> Reading:
        quantity, labels = bound.quantity, segment.scope.labels
        manner: set[Manner] = set(bound.manner)
        subjects = bound.subjects
        foreign: frozenset[str] = frozenset()
        if not subjects:
            subjects, clear = self._around.before_or_over(segment)
            foreign = self._around.foreign(segment) if not subjects else frozenset()
            if not clear:
                manner.add("unclear")
        if any(map(forecast, labels[:-1])):
            manner.add("forecast")
        start, end = segment.span(quantity.start, quantity.end)
        told = bound.windows | bound.dates
        return Reading(
            source=self.source, text=self.text, start=start, end=end, place=(segment.start, segment.end),
            value=quantity.value, unit=quantity.unit, digits=quantity.half, mention=quantity.mention,
            labels=(segment.words, *labels), subjects=subjects, metric=bound.metric,
            moments=told or self._around.heading_dates(segment), manner=frozenset(manner),
            words=tagged.words | label_words(labels) | self._around.referred(segment), own=tagged.words,
            pointer=segment.pointer, kind="prose", close=bound.close | bound.qualifiers,
            direction=bound.direction if "/change" not in bound.metric else 0, signed=quantity.signed,
            dated=bound.dates, quantity=quantity, lent=not bound.subjects, foreign=foreign,
        )  # fmt: skip

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Stems of all its words, and of its title and address."""
        return content_words(f"{self.source.title}\n{self.source.url}\n{self.text}")

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """Its tables."""
        return self._source_text.tables

    @cached_property
    def naming(self) -> frozenset[str]:
        """The words of its text that can name something, and of its title."""
        return names(f"{self.source.title}\n{self.text}")

    @cached_property
    def figures(self) -> tuple[Number, ...]:
        """Every number of its text by its digits, whatever it is of."""
        return figures(self.text)

    @cached_property
    def _source_text(self) -> SourceText:
        return SourceText(self.text)

    def place_at(self, start: int, end: int) -> Stated | None:
        """The value in a range with its scale, unit and currency as heads and captions tell them."""
        return self._source_text.at(start, end)

    def scale_at(self, start: int, end: int) -> Decimal:
        """The scale that the head or the caption of a table gives to the cell in a range; 1 elsewhere."""
        place = self.place_at(start, end)
        return place.value / place.shown if place and place.table and place.shown else Decimal(1)

    @cached_property
    def _starts(self) -> list[int]:
        return [segment.start for segment in self.segments]

    def segment_at(self, start: int) -> Segment | None:
        """The segment that a code point of the text is in."""
        at = bisect_right(self._starts, start) - 1
        return self.segments[at] if at >= 0 and start < self.segments[at].end else None

    def may_be_of(self, segment: Segment, subjects: frozenset[str], allowed: frozenset[str]) -> bool:
        """Whether no name but ``subjects``, or of words ``allowed``, stands before or over a sentence."""
        named, _ = self._around.before_or_over(segment)
        return named <= subjects and not self._around.foreign(segment) - allowed

    @cached_property
    def _plain(self) -> PlainText:
        return PlainText(self.text)

    def places(self, words: str) -> list[tuple[int, int]]:
        """Where these words stand, as ranges of its text."""
        return self._plain.places(words)[:_MOST_PLACES]

    def words(self) -> Iterator[set[str]]:
        """For each segment the words of its own and of what stands over it."""
        over: dict[int, frozenset[str]] = {}
        for segment in self.segments:
            scope = segment.scope
            above = over.get(id(scope))
            if above is None:
                labels = (*scope.labels, *map(_spaced, scope.labels), *scope.table)
                above = over[id(scope)] = frozenset(WORD.findall(" ".join(labels).lower()))
            own = set(WORD.findall(segment.words.lower())) if not segment.literal else set()
            if segment.before and _REFERS.match(segment.words):
                own.update(WORD.findall(segment.before.words.lower()))
            if segment.keys:
                keys = " ".join((*segment.keys, *map(key_words, segment.keys)))
                own.update(WORD.findall(keys.lower()))
            own |= above
            yield own

    def digits(self) -> Iterator[tuple[float | None, int]]:
        """The digits of the numbers, each with its segment; None where words make a number.

        Digits are read behind a decimal point, from 0.1 to 1: a scale may stand anywhere beside them.
        """
        for number, segment in enumerate(self.segments):
            words = segment.words
            for pattern in (_DIGITS, _PARTED):
                for run in pattern.findall(words):
                    digits = "".join(str(int(char)) for char in run if char.isdecimal()).lstrip("0")
                    yield float(f"0.{digits or 0}"), number
            if not segment.literal and (may_be_written(words.lower()) or _IN_WORDS.search(words)):
                yield None, number


def _spaced(label: str) -> str:
    return key_words(label) if "_" in label or not label.islower() else ""


def _as_sentence(segment: Segment) -> Segment:
    """A JSON string that says more than a number, read as a sentence; its key is a label of it."""
    labels = (*map(key_words, segment.keys[-1:]), *segment.scope.labels)
    return replace(segment, kind="prose", scope=replace(segment.scope, labels=labels))
