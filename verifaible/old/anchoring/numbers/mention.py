"""A number in a text, with what is known of it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, TypeAlias

from verifaible.old.text.units import Currencies

Role: TypeAlias = Literal["value", "date", "marker", "ordinal", "range"]
SignSource: TypeAlias = Literal["", "sign", "word", "brackets"]


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
