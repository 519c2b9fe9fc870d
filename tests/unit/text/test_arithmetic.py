"""Arithmetic over amounts: units convert, or are refused with what to do."""

from __future__ import annotations

from decimal import Decimal

import pytest

from verifaible.errors import BadArguments
from verifaible.text.arithmetic import Amount, evaluate, mean, total


def amount(value: str, unit: str = "") -> Amount:
    return Amount(Decimal(value), unit)


REVENUE, COST = amount("1250", "USD"), amount("1000", "USD")


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (total([amount("1", "gigabyte"), amount("500", "megabyte")]), amount("1.5", "gigabyte")),
        (amount("2", "hour") - amount("30", "minute"), amount("1.5", "hour")),
        (mean([amount("3", "%"), amount("5", "%")]), amount("4", "%")),
        (amount("40", "EUR") * amount("5", "%"), amount("2", "EUR")),
        (amount("3") * amount("40", "EUR") * amount("2"), amount("240", "EUR")),
        (REVENUE / COST, amount("1.25")),
        (COST / amount("4"), amount("250", "USD")),
        (amount("6", "kilometer") / amount("1500", "meter"), amount("4")),
        (amount("25", "bp").to("pp"), amount("0.25", "pp")),
        (evaluate("(new - old) / old * 100", {"new": [REVENUE], "old": [COST]}), amount("25")),
        (evaluate("sum(costs) / 2", {"costs": [COST, REVENUE]}), amount("1125", "USD")),
        (evaluate("costs[0] + costs[-1]", {"costs": [COST, REVENUE]}), amount("2250", "USD")),
        (evaluate("max(costs) - min(costs)", {"costs": [COST, REVENUE]}), amount("250", "USD")),
        (evaluate("abs(a - b)", {"a": [COST], "b": [REVENUE]}), amount("250", "USD")),
    ],
)
def test_amounts_keep_their_units(found: Amount, expected: Amount) -> None:
    assert found == expected


@pytest.mark.parametrize(
    "expression",
    [
        "usd + eur",
        "usd - 5",
        "usd * eur",
        "usd / eur",
        "usd ** 2",
        "5 // usd",
        "sqrt(usd)",
        "usd + share",
        "max(both)",
        "both[2]",
        "both[-3]",
        "both[0.5]",
    ],
)
def test_units_that_do_not_allow_it_are_refused(expression: str) -> None:
    dollars, euros = amount("5", "USD"), amount("5", "EUR")
    given = {"usd": [dollars], "eur": [euros], "share": [amount("5", "%")], "both": [dollars, euros]}
    with pytest.raises(BadArguments):
        evaluate(expression, given)


def test_a_mean_needs_something() -> None:
    with pytest.raises(BadArguments):
        mean([])
