"""A number in a text, with what is known of it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Final, Literal, TypeAlias

from verifaible.text.cldr import Codes
from verifaible.text.qualifiers import Limit

#: ``date``: part of a date or a time of day; ``marker``: of a citation marker, an address, a code, a version;
#: ``range``: one end of a range.
Role: TypeAlias = Literal["value", "date", "marker", "ordinal", "range"]


#: Digits beyond those of a number with which it is reckoned: the largest scale has thirteen.
_SPARE: Final = 28


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text.

    Attributes:
        value: signed, as written: without the scale (``72.4亿`` has 72.4).
        scale: the factor of ``亿``, ``million`` and so on; 1 without one.
        unit: as :mod:`verifaible.text.units` names it; empty without a known one.
        currencies: the codes that its currency can be, the likeliest first.
        start, end: code points where sign, currency or digits begin, and behind digits, scale and unit.
        raw: ``text[start:end]``.
        unit_raw: scale and unit behind the digits, as written.
        places: the exponent of the last digit shown: 0 of a whole number, -2 of 36.36.
        sign: what gives its sign: ``sign``, ``word`` (fell, 下降), ``brackets`` (as accounts do), or nothing.
        limit: the text gives it as a limit, not as the value.
        about: the text says that it is roughly so.
        negated: the text denies it (``rather than 36``, ``did not fall 0.3%``).
        earlier: the text gives it as the level before a change (5.4 in ``from 5.4 to 5.3``).
        worded: a share in words ("two-thirds"), in per cent; how exact it is, the words leave open.
        ticker: capitals right behind it that are no known unit: ``SOL`` in ``32 SOL``.
        flow: it is said to flow in or out.
        edge: which end of a range it is.
        role: what it is in the text.
    """

    value: Decimal
    start: int
    end: int
    raw: str
    scale: Decimal = Decimal(1)
    unit: str = ""
    currencies: Codes = ()
    unit_raw: str = ""
    places: int = 0
    sign: Literal["", "sign", "word", "brackets"] = ""
    limit: Limit = ""
    about: bool = False
    negated: bool = False
    earlier: bool = False
    worded: bool = False
    ticker: str = ""
    flow: Literal["", "in", "out"] = ""
    edge: Literal["", "low", "high"] = ""
    role: Role = "value"

    @property
    def scaled_value(self) -> Decimal:
        """The value times its scale: ``72.4亿`` gives 7240000000."""
        with localcontext() as exact:
            exact.prec = len(self.value.as_tuple().digits) + _SPARE
            return self.value * self.scale
