"""What a case expects, and whether a number that stands in a text is that."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from verifaible.anchoring.numbers import NumberMention, find_numbers
from verifaible.schema.case import Case, Expected, ListExpected, NumberExpected, TextExpected
from verifaible.text.flat import flatten
from verifaible.text.units import Unit, may_be_same, parse_unit, read_unit, unit_kind

_ASKED_IN_BRACKETS = re.compile(r"[(（]([^()（）]{1,12})[)）]")
_ASKED_HOW_MANY = re.compile(
    r"(?:多少|几)(个月|年|天|小时|分钟|秒|周|万亿元|亿元|万元|万人|亿人|元)"
    r"|how many (months|years|days|hours|minutes|seconds|weeks)\b",
    re.IGNORECASE,
)


def expectation(case: Case) -> Expected:
    """What to match for a case: its ``expect``, or what its ``answer`` says.

    An answer that is one number with at most a unit becomes a :class:`NumberExpected`; without
    a unit of its own it takes the one that the question asks for (``（亿元）``, ``(%)``,
    ``多少个月``). An answer with ``、`` or ``;`` becomes a list, anything else a text. Digits
    with a leading zero are a code, so a text.
    """
    if case.expect is not None:
        return case.expect
    parts = [part.strip() for part in re.split(r"[、;；]", case.answer) if part.strip()]
    items = tuple(_single(part, case.question) for part in parts)
    if len(items) > 1:
        return ListExpected(kind="list", items=items)
    return _single(case.answer.strip(), case.question)


def _single(answer: str, question: str) -> NumberExpected | TextExpected:
    mentions = find_numbers(answer)
    whole = len(mentions) == 1 and mentions[0].raw == answer and mentions[0].role == "value"
    if not whole or re.match(r"0\d", flatten(answer)):
        return TextExpected(kind="text", value=answer)
    number = mentions[0]
    unit = _unit_of(number) or _asked_unit(question)
    return NumberExpected(kind="number", value=number.value, unit=unit, tolerance=Decimal(0))


def _unit_of(number: NumberMention) -> str:
    """Scale and unit of a number as written, with a currency that stands before it (``€5 million``)."""
    behind = read_unit(number.unit_raw)
    if behind.currencies == number.currencies:
        return number.unit_raw or number.unit
    sign = re.match(r"[^\d.]*?(?=[-−+]?[\d.])", number.raw)
    before = re.sub(r"[-−+\s]", "", sign[0]) if sign else ""
    return f"{before} {number.unit_raw}".strip()


def _asked_unit(question: str) -> str:
    units = [text.strip() for text in _ASKED_IN_BRACKETS.findall(question)]
    units += [zh or en for zh, en in _ASKED_HOW_MANY.findall(question)]
    known = [unit for unit in units if unit_kind(parse_unit(unit)[1])]
    return known[-1] if known else ""


#: Measure words that count anything: "36个" answers a question about 笔, "36家" does not.
_ANYTHING: Final = frozenset("个次单")


def units_agree(expected: NumberExpected, mention: NumberMention) -> bool:
    """Whether a number's unit can be the expected one; scales are compared with the values.

    A number without a unit agrees with every unit. An expectation without a unit takes any
    counted thing or currency, but no percentage points, basis points or durations; and a
    percentage only if it has decimals, since statistics print indices either way (49.4 and
    49.4 %), while 36 % is no count. Percentage points never agree with a percentage. A currency
    agrees with one that it can be: ``$`` with CAD and HKD, ``¥`` with CNY and JPY.
    """
    unit = read_unit(expected.unit)
    if unit.currencies and mention.currencies:
        return may_be_same(unit.currencies, mention.currencies)
    if mention.unit in ("", unit.name):
        return mention.unit == unit.name or unit_kind(unit.name) != "ratio" or mention.scale == 1
    if not unit.name:
        kind = unit_kind(mention.unit)
        if mention.unit == "%":
            exponent = expected.value.as_tuple().exponent
            return isinstance(exponent, int) and exponent < 0
        return kind not in ("ratio", "time")
    both_count = unit_kind(unit.name) == unit_kind(mention.unit) == "count"
    return both_count and (unit.name in _ANYTHING or mention.unit in _ANYTHING)


def is_expected(expected: NumberExpected, mention: NumberMention, told: Sequence[Unit] = ()) -> bool:
    """Whether a number is the expected one: the same value, sign, scale and kind of unit.

    A number without scale and unit may stand in the expected unit (``140489`` for 140489 万人,
    as table cells do) or be written out in full (``1404890000``). ``told``: the units that the head and the
    caption of its table give it; where one is of the expected kind, it has one of those.
    """
    if told and not mention.unit and mention.scale == 1:
        kind = unit_kind(read_unit(expected.unit).name)
        own = [unit for unit in told if kind and unit_kind(unit.name) == kind]
        if own:
            given = (replace(mention, scale=u.scale, unit=u.name, currencies=u.currencies) for u in own)
            return any(is_expected(expected, each) for each in given)
    if not units_agree(expected, mention):
        return False
    scale = parse_unit(expected.unit)[0]
    if abs(mention.scaled_value - expected.value * scale) <= expected.tolerance * scale:
        return True
    bare = mention.scale == 1 and not mention.unit
    return bare and abs(mention.value - expected.value) <= expected.tolerance
