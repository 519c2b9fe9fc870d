"""Carrying out a planned calculation, and whether the claim states what comes out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from verifaible.judge.rules.derive_bind import in_own_unit
from verifaible.judge.rules.derive_math import (
    PERCENT,
    TIMES,
    Amount,
    DerivationError,
    compute,
    fits,
    unit_of_result,
)
from verifaible.judge.rules.derive_plans import Plan
from verifaible.judge.rules.derive_shelf import Profile
from verifaible.judge.rules.lexicon import metric_units
from verifaible.judge.rules.reading import Reading
from verifaible.schema.judged import Derivation, Operand, Operation
from verifaible.text.dimensions import factor_of
from verifaible.text.units import unit_kind

_SHAPES: Final[dict[str, Operation]] = {
    "list": "sum",
    "mean": "average",
    "minus": "difference",
    "gap": "difference",
    "product": "product",
    "convert": "convert",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a plan: the calculation, the readings it used, and whether the claim states its result."""

    plan: Plan
    derivation: Derivation
    readings: tuple[Reading, ...]
    fits: bool


def worked_out(plan: Plan, operands: Sequence[Profile], *, losses: bool = False) -> Outcome | None:
    """Carry out a plan; None where its units do not work out, or the claim's value is of another kind.

    ``losses``: the claim speaks of losses, and tells them by their size.
    """
    operation = _operation(plan)
    told = _told_money(plan, [operand.reading for operand in operands])
    sizes = _magnitudes(operation, told)
    if losses and plan.result.amount.value > 0 and operation in ("sum", "average"):
        sizes = [replace(each, value=-each.value) for each in sizes] if _all_below(sizes) else sizes
    readings = _ordered(plan, operation, sizes)
    if not _kinds_agree(plan, operation):
        return None
    found = _calculated(plan, operation, readings, lasts=_lasts(plan, operands))
    if found is None or not _unit_ok(found[1], plan.result.amount.unit):
        return None
    value, unit = found
    derivation = Derivation(
        operation=operation,
        operands=tuple(
            Operand(name=_name(each.labels), value=each.value, unit=each.unit, passage=each.passage)
            for each in readings
        ),
        result=value,
        unit=unit,
    )
    return Outcome(plan, derivation, tuple(readings), _right(plan, value, unit, operation))


def _ordered(plan: Plan, operation: Operation, readings: list[Reading]) -> list[Reading]:
    """The readings in the order of the operation: what was later, or of a gap the larger, comes first."""
    turned = plan.shape == "change" and operation != "percent_change"
    turned = turned or (plan.shape == "gap" and readings[0].value < readings[1].value)
    return readings[::-1] if turned else readings


#: Labels of money that goes out; accounts put it in brackets, and people say how much it is.
_OUTFLOW: Final = re.compile(
    r"\b(?:expens|costs?\b|purchas|paid\b|payments?\b|buybacks?\b|repurchas|dividend|tax|repay"
    r"|outflow|used (?:in|for)\b"
    r"|charges?\b|capex\b|capital expend|acquisition|depreciat|amorti[sz]|impair|spend|distribut|provision)"
    r"|支出|费用|成本|支付|购建|回购|分红|股利|税|减值|折旧|摊销|偿还|流出",
    re.IGNORECASE,
)


def _magnitudes(operation: Operation, readings: list[Reading]) -> list[Reading]:
    """The readings with what goes out as the amount it is: "dividends took 26 %", of (386.1) in a table.

    Only of all operands at once where they are added or compared: a sum of what comes and goes keeps signs.
    """
    out = [each.value < 0 and bool(_OUTFLOW.search(" ".join(each.labels[:1]))) for each in readings]
    if operation not in ("share", "ratio", "product") and not all(out):
        return readings
    return [
        replace(each, value=-each.value) if gone else each for each, gone in zip(readings, out, strict=True)
    ]


def _all_below(readings: Sequence[Reading]) -> bool:
    return all(each.value < 0 for each in readings)


def _kinds_agree(plan: Plan, operation: Operation) -> bool:
    """Whether the claimed value can be the result of such an operation; "fell by -5" says neither."""
    amount = plan.result.amount
    if plan.shape == "change" and plan.direction < 0 and amount.value < 0:
        return False
    return not (plan.result.multiple and operation in ("sum", "average", "difference", "product"))


def _calculated(
    plan: Plan, operation: Operation, readings: Sequence[Reading], *, lasts: bool
) -> tuple[Decimal, str] | None:
    """The result and its unit; None where it is not defined. In a product a percentage is a part of one."""
    claimed = plan.result.amount.unit
    if operation == "convert":
        written, source = in_own_unit(readings[0])
        written = abs(written) if plan.result.amount.value > 0 else written  # "cut by 25 bp"
        factor = factor_of(source, claimed)
        return (
            None
            if factor is None or (source == claimed and not plan.parts[0].value)
            else (written * factor, claimed)
        )
    joins = operation != "product" and not (operation == "ratio" and unit_kind(claimed) == "money")
    unit = unit_of_result(operation, _units(readings) if joins else [each.unit for each in readings])
    if unit is None:
        return None
    product = operation == "product"
    try:
        value = compute(
            operation, [e.value / 100 if product and e.unit in PERCENT else e.value for e in readings]
        )
    except DerivationError:
        return None
    if operation == "ratio" and unit == "" and not plan.result.multiple and claimed:
        if lasts:
            return value, claimed
        return (value, unit) if unit_kind(claimed) == "count" else None
    return value, unit


def _told_money(plan: Plan, readings: list[Reading]) -> list[Reading]:
    """The readings, those without a unit in the money that the claim states for them."""
    if len(plan.parts) != len(readings):
        return readings
    units = [part.value.amount.unit if part.value else "" for part in plan.parts]
    return [
        replace(reading, unit=unit) if not reading.unit and unit_kind(unit) == "money" else reading
        for reading, unit in zip(readings, units, strict=True)
    ]


def _units(readings: Sequence[Reading]) -> list[str]:
    """The units of operands; a cell or JSON value without one has the money of the others of its source."""
    money = {reading.unit for reading in readings if unit_kind(reading.unit) == "money"}
    sources = {reading.source.id for reading in readings}
    if len(money) != 1 or len(sources) != 1:
        return [reading.unit for reading in readings]
    told = next(iter(money))
    return [
        told
        if not reading.unit
        and reading.kind != "prose"
        and metric_units().get(reading.metric, "money") in ("money", "")
        else reading.unit
        for reading in readings
    ]


def _operation(plan: Plan) -> Operation:
    result = plan.result
    if plan.shape == "change":
        return "percent_change" if result.percent else "ratio" if result.multiple else "difference"
    if plan.shape in ("multiple", "quotient"):
        return "share" if result.amount.unit in ("%", "bp", "‰") else "ratio"
    return _SHAPES[plan.shape]


_SPANS: Final = {"月": "30d", "天": "24h", "年": "365d", "周": "7d"}


def _lasts(plan: Plan, operands: Sequence[Profile]) -> bool:
    """Whether a quotient is a time: a sum over what is spent a month gives months."""
    window = _SPANS.get(plan.result.amount.unit)
    return window is not None and window in operands[-1].own.moments


def _unit_ok(unit: str, claimed: str) -> bool:
    shown = "" if claimed == TIMES else claimed
    return fits(Decimal(0), unit, Amount(Decimal(0), shown)) if unit != shown else True


def _right(plan: Plan, value: Decimal, unit: str, operation: Operation) -> bool:
    """Whether the claimed value is the one that comes out, with its direction and limits."""
    claimed = plan.result.amount
    shown = claimed.value
    if plan.shape == "change" and operation != "ratio" and plan.direction:
        shown = shown if plan.direction > 0 else -abs(shown)  # "-5 more" says neither
    if (
        plan.shape == "change"
        and operation == "ratio"
        and plan.direction
        and (value > 1) != (plan.direction > 0)
    ):
        return False
    amount = Amount(shown, "" if plan.result.multiple else claimed.unit, claimed.half)
    if plan.result.limit:
        factor = factor_of(unit, amount.unit) or Decimal(1)
        gap = (abs(value * factor) - abs(shown)) * plan.result.limit
        if plan.result.word:  # "more than doubled" is short of tripled
            return 0 < gap < 1
        return (value < 0) == (shown < 0) and 0 <= gap <= claimed.half * 2
    return fits(value, unit, amount, loose=plan.result.loose)


def _name(labels: Sequence[str]) -> str:
    """What a reading is called, for people."""
    words = " · ".join(dict.fromkeys(" ".join(label.split()) for label in labels[:3] if label.strip()))
    return words if len(words) <= 120 else words[:119] + "…"
