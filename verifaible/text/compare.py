"""Whether a stated value is the claimed one: one function for quantities and for periods, dates among them.

``same``: the statement says it. ``open``: neither said nor denied (coarser, cut off, a limit, a unit that is
not told). ``other``: it says another value.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from decimal import ROUND_DOWN, Decimal, localcontext
from typing import Final, Literal, TypeAlias

from verifaible.text.periods import Days, Period, days_in
from verifaible.text.quantity import Quantity
from verifaible.text.units import factor, may_be_same, unit_kind

Likeness: TypeAlias = Literal["same", "open", "other"]

#: Digits beyond those of the numbers with which they are reckoned: factors have up to 34.
_SPARE: Final = 40
#: Measure words that count anything say nothing of what they count.
_ANYTHING: Final = ("个", "次", "单")
#: "About" leaves open at most this share of a value; within the wider one nothing contradicts it.
_ABOUT, _ROUGHLY = Decimal("0.03"), Decimal("0.1")
#: Of dates without a year: it has every day.
_LEAP: Final = 2000
#: A share in words is stated by one in digits that shows at least whole per cents.
_WHOLE: Final = Decimal("0.5")
#: A number "over" a limit is within half as much again of it; nearer is what the word means.
_FAR: Final = Decimal("1.5")


def compare(claimed: Quantity | Period, stated: Quantity | Period) -> Likeness:
    """Whether ``stated`` says what is ``claimed``, by the digits, unit and precision that the claim shows.

    Quantities are compared by number, scale, unit, currency, sign, per cent or percentage point, digits shown
    and limits; a unit that only one side tells leaves it open. Periods, dates among them, by their days: a
    finer one inside the claimed one states it, a coarser one leaves it open. Values of different kinds are
    ``other``.
    """
    if isinstance(claimed, Quantity) and isinstance(stated, Quantity):
        with localcontext() as exact:
            exact.prec = 2 * sum(len(each.value.as_tuple().digits) for each in (claimed, stated)) + _SPARE
            return _quantities(claimed, stated)
    if isinstance(claimed, Period) and isinstance(stated, Period):
        return _periods(claimed, stated)
    return "other"


def _best(found: Iterable[Likeness]) -> Likeness:
    there = set(found)
    return "same" if "same" in there else "open" if "open" in there else "other"


# --- periods


def _periods(claimed: Period, stated: Period) -> Likeness:
    if not claimed.dated and not stated.dated:
        return "same" if claimed.name == stated.name else "other"
    if not claimed.dated or not stated.dated:
        return "other"
    year = next((days[0].year for each in (claimed, stated) for days in each.days), _LEAP)
    found = _best(_spans(one, other) for one in days_in(claimed, year) for other in days_in(stated, year))
    return "open" if found == "same" and claimed.days and not stated.days else found


def _spans(claimed: Days, stated: Days) -> Likeness:
    """A day inside the claimed span states it; a longer part of it does not: a quarter is not its year."""
    (first, last), (begin, end) = claimed, stated
    if (begin, end) == (first, last) or first <= begin == end <= last:
        return "same"
    return "open" if begin <= last and first <= end else "other"


# --- quantities


def _quantities(claimed: Quantity, stated: Quantity) -> Likeness:
    roles = {each.role if each.role != "range" else "value" for each in (claimed, stated)}
    if len(roles) > 1:
        return "other"  # the 36th is no 36
    flows = {claimed.flow, stated.flow}
    signs = claimed.value * stated.value < 0
    if flows == {"in", "out"} or (flows == {"", "out"} and signs):
        stated = replace(stated, value=-stated.value)  # a flow out is one in of less than nothing
    per = _factor(claimed, stated)
    if per is None and claimed.unit and stated.unit:
        if not may_be_same(claimed.currencies, stated.currencies):
            return "other"
        return "open" if _values(claimed, stated, Decimal(1)) != "other" else "other"
    if per is None:
        if unit_kind(claimed.unit or stated.unit) == "ratio" and Decimal(1) not in (
            claimed.scale,
            stated.scale,
        ):
            return "other"  # no share is in millions
        bare = claimed if not claimed.unit and claimed.scale == 1 else stated
        other = stated if bare is claimed else claimed
        # a bare number may stand in the other's unit, as in a cell
        factors = (Decimal(1), other.scale if bare.scale == 1 and not bare.unit else Decimal(1))
        if bare is claimed:
            factors = (factors[0], 1 / factors[1])
        return "open" if any(_values(claimed, stated, each) != "other" for each in factors) else "other"
    found = _values(claimed, stated, per)
    unlike = (
        claimed.negated != stated.negated
        or claimed.earlier != stated.earlier
        or claimed.edge != stated.edge
        or bool(claimed.ticker and stated.ticker and claimed.ticker != stated.ticker)
    )
    return "open" if found == "same" and unlike else found


def _factor(claimed: Quantity, stated: Quantity) -> Decimal | None:
    """What the stated value is multiplied by to be in the claim's unit; None where nothing tells."""
    units = tuple(each.unit if each.unit not in _ANYTHING else "" for each in (claimed, stated))
    if not any(units):
        if claimed.ticker and stated.ticker:
            return Decimal(1)
        return Decimal(1) if claimed.ticker == stated.ticker else None
    if not all(units):
        return None
    return factor(stated.unit, claimed.unit)


def _half(quantity: Quantity) -> Decimal:
    """Half a unit of the last place shown."""
    return Decimal(0) if quantity.worded else _WHOLE.scaleb(quantity.places) * quantity.scale


def _loose(claimed: Quantity, value: Decimal, half: Decimal) -> Decimal:
    """What is left open beyond rounding: noughts that fill a whole number; more behind "about"."""
    step = half * 2
    if value == 0 or step == 0:
        return step
    digits = value / step
    while claimed.places == 0 and digits % 10 == 0:
        digits, step = digits / 10, step * 10
    return max(half, min(step, abs(value) * _ABOUT)) if claimed.about else step / 2


def _values(claimed: Quantity, stated: Quantity, per: Decimal) -> Likeness:
    value, shown = claimed.scaled_value, _half(claimed)
    other, half = stated.scaled_value * per, _half(stated) * per
    if claimed.limit or stated.limit:
        return _limits(claimed, stated, value, other)
    gap, loose = abs(other - value), _loose(claimed, value, shown)
    if gap == 0 or (gap <= shown and half < shown) or (claimed.about and gap <= loose):
        return "same"
    if claimed.worded and gap <= half <= _WHOLE:
        return "same"
    coarser = gap <= half and half >= shown
    roughly = (claimed.about or claimed.worded or stated.about) and gap <= abs(value) * _ROUGHLY
    step = shown * 2
    cut = step > 0 and (other / step).to_integral_value(ROUND_DOWN) * step == value
    return "open" if coarser or roughly or gap <= loose or cut else "other"


def _limits(claimed: Quantity, stated: Quantity, value: Decimal, other: Decimal) -> Likeness:
    way = claimed.limit
    if stated.limit:
        if not way:
            beyond = other > value if stated.limit[0] == ">" else other < value
            return "other" if beyond else "open"
        if stated.limit[0] == way[0] and other == value:
            return "same"
        return "other" if other == value and {way[0], stated.limit[0]} == {"<", ">"} else "open"
    low, high = sorted((value, value * _FAR))
    under_low, under_high = sorted((value / 2, value))
    if way == "~<":
        low, high = sorted((value * Decimal("0.9"), value))
        held = low <= other < high
    elif way[0] == ">":
        held = low < other <= high or (way == ">=" and other == value)
    else:
        held = under_low <= other < under_high or (way == "<=" and other == value)
    if held:
        return "same"
    wrong = (way[0] == ">" and other < value) or (way[0] == "<" and other > value)
    return "other" if wrong or way == "~<" else "open"
