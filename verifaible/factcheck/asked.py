"""A claim as it is aligned with sources: its numbers, and the words and periods that must govern them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from verifaible.factcheck.plain_words import direction
from verifaible.factcheck.terms import CHANGE, Terms, is_name
from verifaible.schema.analyst import Claim
from verifaible.text.numbers import find_quantities
from verifaible.text.periods import Period, find_periods
from verifaible.text.qualifiers import rises
from verifaible.text.quantity import Quantity

#: A name: a word with a capital inside a sentence.
CAPITAL: Final = re.compile(r"(?<=[\w,;:)] )\$?[A-Z][\w&]+")
_WHOSE: Final = re.compile(r"\w+['’]s\b")
#: Labels of a cell: its column and its row.
_LABELS: Final = 2


@dataclass(frozen=True, slots=True)
class Asked:
    """What a claim asks of a place.

    Attributes:
        text: its words.
        numbers: what it states.
        words: the words that must govern each of its numbers.
        lent: the name that what stands over it gives it, where it has none; its source must be about that.
        around: words that may stand there as well: what stands over the claim.
        units: the words behind its numbers, which may stand there as well.
        periods: when it is of.
        over: when what stands over it is of; a value that tells no time may be of it.
    """

    text: str
    numbers: tuple[Quantity, ...]
    words: frozenset[str]
    lent: frozenset[str]
    around: frozenset[str]
    units: frozenset[str]
    periods: tuple[Period, ...]
    over: tuple[Period, ...]

    @classmethod
    def of(cls, claim: Claim, terms: Terms, topic: str = "", at: datetime | None = None) -> Asked:
        """Read a claim; a value alone, as in a cell, has the words and the periods of its column and row."""
        text, context = claim.text, claim.context
        periods = find_periods(text, at)
        numbers = tuple(each for each in _beside(text, periods) if each.role in ("value", "range"))
        words = terms.of(without(text, (*numbers, *periods)))
        changes = any(is_change(each, text) for each in numbers)
        if not words and not (changes and any(map(str.isalpha, without(text, numbers)))):
            words = terms.of(" ".join(masked(each, at) for each in context[-_LABELS:]))
            periods = periods or tuple(p for each in context[-_LABELS:] for p in find_periods(each, at))
        return cls(
            text,
            numbers,
            words | {CHANGE} if changes else words,
            _lent(text, words, (*reversed(context), topic), terms),
            terms.of(" ".join((*context, topic))),
            terms.of(" ".join(f"{each.unit_raw} {each.ticker}" for each in numbers)),
            periods,
            next(filter(None, (find_periods(label, at) for label in reversed(context))), ()),
        )

    @property
    def allowed(self) -> frozenset[str]:
        """The words that may stand beside a value that states the claim."""
        return self.words | self.around | self.units


def _lent(text: str, words: frozenset[str], over: Iterable[str], terms: Terms) -> frozenset[str]:
    """The one name in the nearest label that has any, for a claim that names nothing."""
    if any(map(is_name, words)) or CAPITAL.search(text) or _WHOSE.match(text):
        return frozenset()
    named = next(filter(None, (terms.names(each) for each in over)), frozenset[str]())
    return named if len(named) == 1 else frozenset()


def is_change(number: Quantity, words: str) -> bool:
    """Whether a number is told as how much something went up or down; ``words``: those that it stands in."""
    if number.unit in ("%", "pp") and (number.sign != "" or direction(words) != 0):
        return True
    return number.sign == "word" or rises(words[: number.start], words[number.end :])


def masked(text: str, at: datetime | None) -> str:
    """A text with blanks for its numbers and periods."""
    periods = find_periods(text, at)
    return without(text, (*_beside(text, periods), *periods))


def _beside(text: str, periods: Sequence[Period]) -> list[Quantity]:
    """The numbers of a text that are no part of its periods."""
    return [
        each
        for each in find_quantities(text)
        if not any(period.start < each.end and each.start < period.end for period in periods)
    ]


def without(text: str, spans: Iterable[Quantity | Period]) -> str:
    """A text with blanks for some numbers, with the tickers behind them, and periods."""
    for span in spans:
        behind = text[span.end + 1 :].startswith(ticker := span.ticker) if isinstance(span, Quantity) else ""
        end = span.end + len(ticker) + 1 if behind and ticker else span.end
        text = text[: span.start] + " " * (end - span.start) + text[end:]
    return text
