"""Claims by what stands beside the same numbers: the words of a claim aligned with those that govern a value.

A value supports a claim where all words of the claim govern it, nothing narrows it further, and no value
beside it is named as well by them. The one value that the words of a claim single out, and that differs from
the claim's, contradicts it.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from verifaible.factcheck.asked import Asked
from verifaible.factcheck.governing import Governing
from verifaible.factcheck.plain_words import denial, forecast
from verifaible.factcheck.source import ReadSource, Value
from verifaible.factcheck.terms import Terms, is_name
from verifaible.schema.verdict import Passage, Verdict
from verifaible.text.quantity import Quantity
from verifaible.text.units import may_be_same, unit_kind

#: A claim is a sentence; in longer texts words stand by chance.
_LONGEST: Final = 500
_MOST_NUMBERS: Final = 8
_MOST_SHOWN: Final = 4
#: Values that differ by more than this factor are of other things, or of another scale.
_FAR: Final = 100
#: A name and so many words beside a value, all in all, are of that value alone.
_MUCH: Final = 4
_REASON: Final = "A source states it, with its subject, what it is of, and its unit."


class Alignment:
    """Aligns claims with the values of some sources.

    Args:
        sources: what is read.
        terms: the names that they define.
    """

    def __init__(self, sources: Sequence[ReadSource], terms: Terms) -> None:
        self._values = [value for source in sources for value in source.values]
        self.governing = Governing(terms)

    def decide(self, asked: Asked) -> Verdict | None:
        """What the values say of a claim.

        Returns:
            ``supported`` or ``contradicted``; ``open`` where sources do not agree; None where nothing tells.
        """
        told = len(asked.text) <= _LONGEST and 0 < len(asked.numbers) <= _MOST_NUMBERS
        if not told or not asked.words or denial(asked.text) or forecast(asked.text):
            return None
        fitting = [value for value in self._values if self.governing.fits(asked, value)]
        found = [self._stating(asked, number, fitting) for number in asked.numbers]
        if all(found):
            places = tuple(dict.fromkeys(_passage(each[0]) for each in found))
            others = self._otherwise(asked, asked.numbers[0], found[0][0], fitting)
            reason = f"{_REASON} Another one says {others}." if others else _REASON
            return Verdict(outcome="supported", decided_by="alignment", passages=places, reason=reason)
        if found.count([]) > 1:
            return None
        return self._other(asked, asked.numbers[found.index([])], fitting)

    def _states(self, asked: Asked, number: Quantity, value: Value) -> bool:
        return self.governing.likeness(asked, number, value) == "same"

    def _stating(self, asked: Asked, number: Quantity, fitting: Sequence[Value]) -> list[Value]:
        """The values that state a number, and that no other value is named as well as."""
        same = [value for value in fitting if self._states(asked, number, value)]
        rivals = [value for value in fitting if value not in same]
        return [value for value in same if self._is_singled_out(asked, value, rivals)]

    def _otherwise(self, asked: Asked, number: Quantity, value: Value, fitting: Sequence[Value]) -> str:
        """What another source gives as the same, where that is another value."""
        return next(
            (
                each.source.text[each.start : each.end]
                for each in fitting
                if each.source is not value.source
                and _is_of_a_kind(value.quantity, each.quantity)
                and self.governing.likeness(asked, number, each) == "other"
            ),
            "",
        )

    def _other(self, asked: Asked, number: Quantity, fitting: Sequence[Value]) -> Verdict | None:
        """The value that the words of a claim single out, where no place has the claim's."""
        if number.limit or any(self.governing.likeness(asked, number, each) != "other" for each in fitting):
            return None
        stated = [each for each in asked.numbers if each is not number]
        alike = [
            value
            for value in fitting
            if not value.quantity.earlier
            and _is_of_a_kind(number, value.quantity)
            and self._says_no_more(asked, value)
            and not any(self._states(asked, each, value) for each in stated)
        ]
        best = [value for value in alike if self._is_singled_out(asked, value, alike)]
        told = [value.source.text[value.start : value.end] for value in best]
        if len({value.quantity.scaled_value for value in best}) > 1:
            shown = ", ".join(told[:_MOST_SHOWN])
            return Verdict(outcome="open", reason=f"Sources do not agree: {shown}.")
        if not best or any(_is_unlike(number, value.quantity) for value in best):
            return None
        if any(self._states(asked, number, each) and self._is_near(asked, each) for each in self._values):
            return None
        said = best[0].source.text[best[0].first : best[0].last]
        return Verdict(
            outcome="contradicted",
            decided_by="alignment",
            passages=(_passage(best[0]),),
            said=" ".join(said.split()),
            reason=f"The claim says {number.raw}; a source says {told[0]}.",
        )

    def _is_near(self, asked: Asked, value: Value) -> bool:
        return bool(asked.words & self.governing.words(value).near)

    def _says_no_more(self, asked: Asked, value: Value) -> bool:
        """Whether a sentence says no more of a value than the claim, or much that both say singles it out."""
        words = self.governing.words(value)
        if value.kind != "prose":
            return True
        if not asked.words <= words.near | words.over:
            return False
        own = asked.words & words.near
        much = any(map(is_name, own)) and len(own) >= _MUCH
        return much or words.near | self.governing.before(value) <= asked.allowed

    def _is_singled_out(self, asked: Asked, value: Value, others: Sequence[Value]) -> bool:
        """Whether the words of a claim name no other value of the source as well as this one."""
        mine = self.governing.words(value)
        for other in others:
            rival = other.source is value.source and _is_of_a_kind(value.quantity, other.quantity)
            if not rival or other.quantity.scaled_value == value.quantity.scaled_value:
                continue
            theirs = self.governing.words(other)
            far = [(mine.distance(word), theirs.distance(word)) for word in asked.words | asked.lent]
            if any(their < my for my, their in far):
                return False
            if all(their == my for my, their in far) and not theirs.near - mine.near - asked.words:
                return False
        return True


def _passage(value: Value) -> Passage:
    source = value.source
    return Passage.of(source.source, source.text, value.first, value.last, value.pointer)


def _is_of_a_kind(one: Quantity, other: Quantity) -> bool:
    """Whether two quantities measure the same sort of thing, as far as their units tell."""
    if one.currencies and other.currencies and not may_be_same(one.currencies, other.currencies):
        return False
    kinds = {unit_kind(one.unit), unit_kind(other.unit)}
    return len(kinds) == 1 or kinds <= {"count", ""}


def _is_unlike(one: Quantity, other: Quantity) -> bool:
    """Whether two numbers may be of different things: alike but for a power of ten, or far apart."""
    if one.unit_raw and other.unit_raw and one.value == other.value:
        return False  # "64 MB" beside "64 GB"
    mine, theirs = abs(one.value), abs(other.value)
    low, high = sorted((abs(one.scaled_value), abs(other.scaled_value)))
    if not mine or not theirs or low * _FAR < high:
        return low * _FAR < high
    moved = theirs.scaleb(mine.adjusted() - theirs.adjusted())
    half = Decimal("0.5").scaleb(min(one.places, 0))
    return any(abs(moved.scaleb(at) - mine) <= half for at in (-1, 0, 1))
