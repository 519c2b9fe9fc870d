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
        return self.words <= passage.words and all(
            any(_same(own, other) for other in passage.numbers) for own in self.numbers
        )

    def __bool__(self) -> bool:
        return bool(self.numbers or self.words)


def amounts_of(text: str) -> Amounts:
    """The quantities of a text."""
    numbers = find_numbers(text)
    spans = quantity_spans(text, language_of("", text))
    left = [
        text[start:end].casefold()
        for start, end in spans
        if not any(each.start < end and start < each.end for each in numbers)
    ]
    return Amounts(tuple(numbers), frozenset(left))


def _same(own: NumberMention, other: NumberMention) -> bool:
    if own.scaled_value != other.scaled_value or own.negated != other.negated:
        return False
    if own.currencies and other.currencies:
        return may_be_same(own.currencies, other.currencies)
    return own.unit == other.unit
