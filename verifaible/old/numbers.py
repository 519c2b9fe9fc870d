"""Numbers in a text as judging, answers and graphs know them, read by :mod:`verifaible.text.numbers`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Final, Literal, TypeAlias

from verifaible.old.units import COINS, SCALES, Currencies, first_word, named
from verifaible.text import conventions
from verifaible.text.cldr import words_of
from verifaible.text.flat import flatten
from verifaible.text.language import SCRIPTS, small_words
from verifaible.text.numbers import find_quantities
from verifaible.text.quantity import Quantity, Role
from verifaible.text.units import money_signs

SignSource: TypeAlias = Literal["", "sign", "word", "brackets"]
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_TICKER_BEFORE: Final = re.compile(rf"(?:{'|'.join(COINS)})[ \u2009]*(?=[\d+\-−])")


@dataclass(frozen=True, slots=True)
class NumberMention:
    """A number in a text.

    Attributes:
        value: signed, as written: without the scale (``72.4亿`` has 72.4), a mixed fraction
            (``4-3/4``) as a decimal.
        scale: the factor of ``亿``, ``万``, ``million`` and so on; 1 without one.
        unit: canonical unit without the scale: ``%``, ``pp`` (percentage points), ``bp``,
            ``人``, ``笔``, ``点``, the likeliest ISO 4217 code of a currency, and so on; empty without
            a known one.
        currencies: the codes that its currency can be, the likeliest first: many for ``$``, one for ``EUR``.
        start: code point where sign, currency or digits begin.
        end: code point behind the last character of digits, scale and unit.
        raw: ``text[start:end]``.
        unit_raw: scale and unit as written.
        sign_source: ``sign``, ``word`` (下降, fell), ``brackets`` (accounting), or empty.
        negated: the text denies it (``不是36``, ``rather than 36``, ``did not fall 0.3%``).
        bound: the text gives it as a limit (``over 36``, ``不足36``), not as the value.
        earlier: the text gives it as the level before a change to another (5.4 in ``from 5.4 to
            5.3``, ``由5.4降至5.3``, ``5.3, down from 5.4``).
        role: ``value``; ``date`` (part of a date or a time of day); ``marker`` (citation
            marker, address, code, version); ``ordinal``; ``range`` (one end of a range).
    """

    value: Decimal
    scale: Decimal
    unit: str
    start: int
    end: int
    raw: str
    unit_raw: str = ""
    sign_source: SignSource = ""
    negated: bool = False
    bound: bool = False
    role: Role = "value"
    earlier: bool = False
    currencies: Currencies = ()

    @property
    def scaled_value(self) -> Decimal:
        """The value times its scale: ``72.4亿`` gives 7240000000."""
        return self.value * self.scale

    @property
    def percent(self) -> bool:
        """Whether it is a percentage; percentage points are not."""
        return self.unit == "%"


def decimal_comma_of(*texts: str) -> bool | None:
    """Whether a text has a decimal comma, told by its language, its numbers, or a single small word.

    The first text that tells decides; None where none does.
    """
    for text in texts:
        if (told := conventions.decimal_comma_of(text)) is not None:
            return told
        words = _WORD.findall(text.lower())
        commas, points = (sum(word in known for word in words) for known in _small_words())
        if commas != points:
            return commas > points
    return None


@cache
def _small_words() -> tuple[frozenset[str], frozenset[str]]:
    """The small words of the languages that have a decimal comma, and those of the others, English first."""
    sides: dict[bool, frozenset[str]] = {True: frozenset(), False: frozenset()}
    for language in SCRIPTS["LATIN"]:
        sides[words_of(language).comma] |= small_words(language)
    return sides[True] - small_words("en"), sides[False]


def find_numbers(text: str, *, decimal_comma: bool | None = None) -> list[NumberMention]:
    """Every number of a text, in order; spans do not overlap.

    Args:
        text: the text.
        decimal_comma: how to read what two conventions write alike (``12,4``, ``3.412``); None: by the text.
    """
    comma = decimal_comma_of(flatten(text)) if decimal_comma is None else decimal_comma
    return [_mention(each, text) for each in find_quantities(text, decimal_comma=comma)]


def _is_ticker(told: str) -> bool:
    """Whether capitals that spell a currency's name are a coin's ticker: SOL is no Peruvian sol."""
    word = re.split(r"[ \u2009]", told)[-1]
    capitals = word.isalpha() and word.isascii() and word.isupper()
    return capitals and word.lower() not in SCALES and word not in money_signs()


def _mention(quantity: Quantity, text: str) -> NumberMention:
    unit, end, told = named(quantity.unit), quantity.end, quantity.unit_raw
    currencies = quantity.currencies
    if unit is None or (currencies and _is_ticker(told)):  # it ends where its scale does
        kept = first_word(told) if quantity.scale != 1 else ""
        end, told, unit, currencies = end - len(told) + len(kept), kept, "", ()
        end = quantity.start + len(text[quantity.start : end].rstrip())
    start = quantity.start
    if ticker := _TICKER_BEFORE.match(text, start, end):  # what the number is of, and not its unit
        start = ticker.end()
    return NumberMention(
        value=quantity.value,
        scale=quantity.scale,
        unit=unit,
        start=start,
        end=end,
        raw=text[start:end],
        unit_raw=told,
        sign_source=quantity.sign,
        negated=quantity.negated,
        bound=quantity.limit not in ("", "~<"),
        role=quantity.role,
        earlier=quantity.earlier,
        currencies=currencies,
    )
