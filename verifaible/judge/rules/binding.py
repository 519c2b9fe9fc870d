"""Readings of a segment: each of its values with subject, metric, period, unit and manner."""

from __future__ import annotations

from dataclasses import replace

from verifaible.judge.rules.binding_json import read_number, read_value
from verifaible.judge.rules.binding_rows import read_row
from verifaible.judge.rules.layout import Segment
from verifaible.judge.rules.lexicon import Lexicon
from verifaible.judge.rules.plain_words import forecast, key_words
from verifaible.judge.rules.reading import Manner, Reading
from verifaible.judge.rules.surroundings import Surroundings, label_words
from verifaible.judge.rules.tagging import Bound, Tagged
from verifaible.schema.analyst import Source


class Reader:
    """Reads the segments of one source.

    Args:
        lexicon: the names known.
        source: the source.
        text: its whole text.
    """

    def __init__(self, lexicon: Lexicon, source: Source, text: str) -> None:
        self._around = Surroundings(lexicon, source, text)

    def read(self, segment: Segment) -> tuple[Reading, ...]:
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

    def may_be_of(self, segment: Segment, subjects: frozenset[str], allowed: frozenset[str]) -> bool:
        """Whether no name but ``subjects``, or of words ``allowed``, stands before or over a sentence."""
        named, _ = self._around.before_or_over(segment)
        return named <= subjects and not self._around.foreign(segment) - allowed

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
            source=self._around.source,
            text=self._around.text,
            start=start,
            end=end,
            place=(segment.start, segment.end),
            value=quantity.value,
            unit=quantity.unit,
            digits=quantity.half,
            mention=quantity.mention,
            labels=(segment.words, *labels),
            subjects=subjects,
            metric=bound.metric,
            moments=told or self._around.heading_dates(segment),
            manner=frozenset(manner),
            words=tagged.words | label_words(labels) | self._around.referred(segment),
            own=tagged.words,
            pointer=segment.pointer,
            kind="prose",
            close=bound.close | bound.qualifiers,
            direction=bound.direction if "/change" not in bound.metric else 0,
            signed=quantity.signed,
            dated=bound.dates,
            quantity=quantity,
            lent=not bound.subjects,
            foreign=foreign,
        )


def _as_sentence(segment: Segment) -> Segment:
    """A JSON string that says more than a number, read as a sentence; its key is a label of it."""
    labels = (*map(key_words, segment.keys[-1:]), *segment.scope.labels)
    return replace(segment, kind="prose", scope=replace(segment.scope, labels=labels))
