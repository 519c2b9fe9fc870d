"""The arithmetic of derivations: operations on exact decimals, units, conversions, rounding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from functools import reduce
from typing import Final

from verifaible.errors import UserError
from verifaible.judge.rules.quantities import units_agree
from verifaible.schema.judged import Operation
from verifaible.text.dimensions import factor_of
from verifaible.text.units import unit_kind

#: Quotients are kept to this many digits; the longest figures of accounts have sixteen.
_DIGITS: Final = 34
#: Operands that an operation takes: the fewest and the most.
ARITY: Final[dict[Operation, tuple[int, int]]] = {
    "sum": (2, 64),
    "average": (2, 64),
    "product": (2, 4),
    "difference": (2, 2),
    "ratio": (2, 2),
    "share": (2, 2),
    "percent_change": (2, 2),
    "convert": (1, 2),
}
PERCENT: Final = frozenset({"%", "pp", "bp", "‰"})
TIMES: Final = "倍"


class DerivationError(UserError):
    """A calculation that cannot be carried out: wrong number of operands, a zero denominator, no number."""

    code = "derivation"


@dataclass(frozen=True, slots=True)
class Amount:
    """A value with its unit, and half a unit of the last digit shown."""

    value: Decimal
    unit: str = ""
    half: Decimal = Decimal(0)


def compute(operation: Operation, values: Sequence[Decimal]) -> Decimal:
    """Carry out an operation on exact decimals; quotients keep 34 digits.

    ``percent_change`` (earlier first, over the size of the earlier) and ``share`` give per cent; ``convert``
    multiplies by its second value.

    Raises:
        DerivationError: wrong number of operands, a zero to divide by, or a value that is no number.
    """
    fewest, most = ARITY[operation]
    if not fewest <= len(values) <= most:
        raise DerivationError(
            f"{operation} takes {fewest} to {most} values and got {len(values)}: name each operand once."
        )
    if not all(value.is_finite() for value in values):
        raise DerivationError(f"{operation} needs numbers; one of the values is none. Give finite decimals.")
    with localcontext(Context(prec=_DIGITS)) as context:
        context.clear_traps()
        result = _computed(operation, values)
    if not result.is_finite():
        raise DerivationError(f"{operation} of these values has no result: the value divided by is zero.")
    return result


def _computed(operation: Operation, values: Sequence[Decimal]) -> Decimal:
    if operation in ("sum", "average"):
        total = sum(values, Decimal(0))
        return total / len(values) if operation == "average" else total
    if operation in ("product", "convert"):
        return reduce(lambda a, b: a * b, values)
    first, second = values
    if operation == "difference":
        return first - second
    if operation == "percent_change":
        return (second - first) / abs(first) * 100
    return first / second * (100 if operation == "share" else 1)


def fits(result: Decimal, unit: str, claimed: Amount, *, loose: bool = False) -> bool:
    """Whether a claimed value is a result rounded to the digits the claim shows.

    At a tie both ways of rounding are right; cutting digits off is not rounding. ``loose`` (about, roughly,
    约) allows one unit of the last digit more. The unit must be the same or be joined by a fixed factor; a
    result without a unit may be a count of anything.
    """
    brought = result
    if unit != claimed.unit:
        factor = factor_of(unit, claimed.unit)
        if factor is not None:
            brought = result * factor
        elif not _same_kind(unit, claimed.unit):
            return False
    gap = abs(brought - claimed.value)
    if gap == claimed.half and gap and not loose:
        even = claimed.value / (claimed.half * 2) % 2 == 0
        return even or abs(claimed.value) > abs(brought)
    return gap <= claimed.half * (3 if loose else 1)


def _same_kind(result: str, claimed: str) -> bool:
    """A result and a claim where one of them names no unit, or both are counts."""
    if result and claimed:
        return units_agree(claimed, result) or unit_kind(result) == unit_kind(claimed) == "count"
    named = result or claimed
    return named not in PERCENT and named != TIMES


def unit_of_result(operation: Operation, units: Sequence[str]) -> str | None:
    """The unit that an operation on values of these units gives; None if it is not defined for them.

    Values without a unit go with counts. A product keeps the money, or the share of what it is a share of.
    """
    if operation == "ratio":
        return _unit_of_ratio(units)
    if operation == "product":
        return _unit_of_product(units)
    if operation == "convert":
        return units[0]
    joined = _joined({("%" if unit in PERCENT else unit) for unit in units})
    if joined is not None and operation in ("percent_change", "share"):
        return "%"
    return "pp" if operation == "difference" and joined == "%" else joined


def _unit_of_product(units: Sequence[str]) -> str | None:
    kept = [unit for unit in units if unit not in PERCENT and unit != TIMES]
    money = [unit for unit in kept if unit_kind(unit) == "money"]
    if len(money) > 1:
        return None
    return money[0] if money else next((unit for unit in kept if unit), kept[0] if kept else "%")


def _joined(units: set[str]) -> str | None:
    """The one unit of several that may be added or compared."""
    if len(units) == 1:
        return next(iter(units))
    named = units - {""}
    if len(named) == 1:
        only = next(iter(named))
        return None if only in PERCENT or unit_kind(only) in ("money", "time") else only
    return "" if all(unit_kind(unit) == "count" for unit in named) else None


def _unit_of_ratio(units: Sequence[str]) -> str | None:
    first, second = ("%" if unit in PERCENT else unit for unit in units)
    if first == second:
        return ""
    if "%" in (first, second):
        return None
    if unit_kind(first) == "money" and unit_kind(second) == "money":
        return None
    return first
