"""The arithmetic of derivations."""

from __future__ import annotations

from decimal import Decimal as D

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifaible.judge.rules.derive_math import Amount, DerivationError, compute, fits, unit_of_result
from verifaible.schema.judged import Operation
from verifaible.text.dimensions import factor_of


@pytest.mark.parametrize(
    ("operation", "values", "result"),
    [
        ("sum", ["0.1", "0.2", "0.3"], "0.6"),
        ("difference", ["5", "8.5"], "-3.5"),
        ("product", ["36.36", "270800000"], "9846288000"),
        ("ratio", ["1.2", "0.8"], "1.5"),
        ("average", ["1", "2", "6"], "3"),
        ("percent_change", ["80", "60"], "-25"),
        ("percent_change", ["-50", "25"], "150"),
        ("share", ["10", "40"], "25"),
        ("convert", ["36", "0.5"], "18"),
        ("convert", ["36"], "36"),
    ],
)
def test_operations(operation: Operation, values: list[str], result: str) -> None:
    assert compute(operation, [D(value) for value in values]) == D(result)


@pytest.mark.parametrize(
    ("operation", "values"),
    [
        ("ratio", ["1", "0"]),
        ("share", ["0", "0"]),
        ("percent_change", ["0", "5"]),
        ("sum", ["1"]),
        ("difference", ["1", "2", "3"]),
        ("average", []),
        ("sum", ["NaN", "1"]),
        ("product", ["Infinity", "1"]),
    ],
)
def test_what_has_no_result_says_so(operation: Operation, values: list[str]) -> None:
    with pytest.raises(DerivationError, match=operation):
        compute(operation, [D(value) for value in values])


@pytest.mark.parametrize(
    ("result", "unit", "shown", "claimed_unit", "ok"),
    [
        ("5.349", "%", "5.3", "%", True),
        ("5.351", "%", "5.3", "%", False),
        ("36.9", "", "36", "", False),  # cut off, not rounded
        ("2.5", "", "2", "", True),  # half to even
        ("2.5", "", "3", "", True),  # half up
        ("3.5", "", "3", "", False),
        ("38.495", "USD", "38.49", "USD", False),
        ("0.57", "pp", "57", "bp", True),
        ("0.57", "pp", "0.57", "%", True),
        ("168", "小时", "7", "天", True),
        ("5", "%", "5", "USD", False),
        ("5", "USD", "5", "EUR", False),
        ("5", "", "5", "%", False),
        ("-5", "%", "5", "%", False),
    ],
)
def test_a_claim_shows_a_result_by_its_digits(
    result: str, unit: str, shown: str, claimed_unit: str, ok: bool
) -> None:
    value = D(shown)
    half = D(1).scaleb(int(value.as_tuple().exponent)) / 2
    assert fits(D(result), unit, Amount(value, claimed_unit, half)) is ok


def test_about_leaves_one_unit_more_open() -> None:
    assert not fits(D("2.27"), "", Amount(D("2.1"), "", D("0.05")))
    assert fits(D("2.2"), "", Amount(D("2.1"), "", D("0.05")), loose=True)
    assert not fits(D("2.27"), "", Amount(D("2.1"), "", D("0.05")), loose=True)


@pytest.mark.parametrize(
    ("operation", "units", "result"),
    [
        ("sum", ["%", "USD"], None),
        ("sum", ["USD", "EUR"], None),
        ("difference", ["%", "%"], "pp"),
        ("product", ["USD", ""], "USD"),
        ("product", ["USD", "USD"], None),
        ("product", ["%", "枚"], "枚"),
        ("share", ["USD", "USD"], "%"),
        ("share", ["USD", "人"], None),
        ("ratio", ["USD", "人"], "USD"),
        ("ratio", ["USD", "CNY"], None),
        ("ratio", ["ETH", "ETH"], ""),
    ],
)
def test_units_must_work_out(operation: Operation, units: list[str], result: str | None) -> None:
    assert unit_of_result(operation, units) == result


def test_factors_are_fixed_and_within_one_dimension() -> None:
    assert factor_of("天", "小时") == 24
    assert factor_of("ETH", "gwei") == D(10) ** 9
    assert factor_of("sat", "BTC") == D("1e-8")
    assert factor_of("bp", "%") == D("0.01")
    assert factor_of("USD", "EUR") is None
    assert factor_of("月", "天") is None


@given(st.decimals(-(10**12), 10**12, places=4), st.integers(0, 4))
def test_a_rounded_result_always_fits_and_the_next_digit_never_does(value: D, places: int) -> None:
    unit = D(1).scaleb(-places)
    shown = value.quantize(unit)
    assert fits(value, "", Amount(shown, "", unit / 2))
    assert not fits(value, "", Amount(shown + 2 * unit, "", unit / 2))
    assert not fits(value, "", Amount(shown - 2 * unit, "", unit / 2))
