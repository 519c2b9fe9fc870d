"""Whether the quantities of a claim stand in a passage: a model that reads words is not asked about them."""

from __future__ import annotations

from typing import NamedTuple

from verifaible.anchoring.number_mention import NumberMention
from verifaible.anchoring.numbers import find_numbers
from verifaible.text.languages import language_of
from verifaible.text.quantities import quantity_spans
from verifaible.text.units import may_be_same


class Amounts(NamedTuple):
    """The quantities of a text: numbers, dates among them, and quantities in words that are read as none."""

    numbers: tuple[NumberMention, ...]
    words: frozenset[str]

    def stand_in(self, passage: Amounts) -> bool:
        """Whether each is one of the passage's, with its sign, scale and unit."""
        found = (any(_same(own, other) for other in passage.numbers) for own in self.numbers)
        return self.words <= passage.words and all(found)

    def __bool__(self) -> bool:
        return bool(self.numbers or self.words)


def amounts_of(text: str) -> Amounts:
    """The quantities of a text."""
    numbers = tuple(find_numbers(text))
    spans = quantity_spans(text, language_of("", text))
    left = [span for span in spans if not any(n.start < span[1] and span[0] < n.end for n in numbers)]
    return Amounts(numbers, frozenset(text[start:end].casefold() for start, end in left))


def _same(own: NumberMention, other: NumberMention) -> bool:
    alike = own.scaled_value == other.scaled_value and own.negated == other.negated
    if own.currencies and other.currencies:
        return alike and may_be_same(own.currencies, other.currencies)
    return alike and own.unit == other.unit
