"""Expressions over sealed values: what they give, in decimals, and what is refused."""

from __future__ import annotations

import sys
from decimal import Decimal

import pytest

from verifaible.errors import BadArguments
from verifaible.evidence.computation import compute

GIVEN = {
    "old": [Decimal("80")],
    "new": [Decimal("84.4")],
    "closes": [Decimal("1.5"), Decimal("2.5"), Decimal("5")],
    "none": [],
}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("(new - old) / old * 100", "5.5"),
        ("new / old", "1.055"),
        ("-old + 2 ** 10", "944"),
        ("0.1 + 0.2", "0.3"),
        ("1.23456789012345678901234567 * 1", "1.23456789012345678901234567"),
        ("sum(closes) / len(closes)", "3"),
        ("mean(closes)", "3"),
        ("max(closes) - min(closes)", "3.5"),
        ("closes[-1] / closes[0] - 1", "2.333333333333333333333333333333333333333"),
        ("sqrt(old * 20)", "40"),
        ("abs(old - new)", "4.4"),
        ("17 // 5 + 17 % 5", "5"),
        (" 1_000 + 1e3 ", "2000"),
    ],
)
def test_what_an_expression_gives(expression: str, expected: str) -> None:
    assert compute("formula", GIVEN, {"expression": expression}) == Decimal(expected)


@pytest.mark.parametrize(
    "expression",
    [
        "__import__('os').system('true')",
        "old.__class__",
        "(lambda: 1)()",
        "[x for x in closes]",
        "open('/etc/passwd')",
        "'a' * 3",
        "old if new else 1",
        "old and new",
        "sum(closes, closes)",
        "max(old, new, key=abs)",
        "f'{old}'",
        "True + 1",
        "(old := 3)",
        "unknown + 1",
        "closes * 2",
        "closes[3]",
        "closes[0.5]",
        "closes[1e9999999]",
        "sum(none)",
        "old /",
        "old / (old - 80)",
        "sqrt(-1)",
        "ln(0)",
        "9 ** 9 ** 9 ** 9",
        "2 ** 0.5 ** -99999999",
        "exp(10 ** 9)",
        "(" * 300 + "1" + ")" * 300,
        "1" + " + 1" * 400,
        "-" * 998 + "1",
        "",
    ],
)
def test_anything_else_is_refused_with_what_to_do(expression: str) -> None:
    with pytest.raises(BadArguments):
        compute("formula", GIVEN, {"expression": expression})


def test_how_deep_is_too_deep_is_not_the_hosts_to_say() -> None:
    before = sys.getrecursionlimit()
    try:
        for limit in (before, 20_000):
            sys.setrecursionlimit(limit)
            assert compute("formula", GIVEN, {"expression": "1" + " + 1" * 190}) == Decimal(191)
            with pytest.raises(BadArguments, match="nested more than"):
                compute("formula", GIVEN, {"expression": "-" * 998 + "1"})
    finally:
        sys.setrecursionlimit(before)
