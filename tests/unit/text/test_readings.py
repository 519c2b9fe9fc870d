"""The one reader of values: numbers, units, dates and periods by value, and what states what."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kit.cases import cases
from tests.kit.suites import load
from verifaible.text.compare import Likeness, compare
from verifaible.text.conventions import decimal_comma_of
from verifaible.text.numbers import find_quantities, noise_spans
from verifaible.text.periods import Period, find_periods
from verifaible.text.quantity import Quantity
from verifaible.text.units import Unit, factor, read_unit, told_units

#: Rows of the first edition's suite whose right answer is another now.
_CHANGED = {"12 m² of 3 m": ["12 m²", "3 m"]}  # square metres are a unit


def expected_of(written: list[str]) -> list[tuple[Decimal, str]]:
    """Values in words of a suite (``7240000000 CNY``, ``61 天``) as the reader gives them."""
    parts = [each.partition(" ") for each in written]
    units = [read_unit(unit) for _, _, unit in parts]
    return [
        (Decimal(value) * unit.scale, unit.name) for (value, _, _), unit in zip(parts, units, strict=True)
    ]


def values(text: str, *roles: str) -> list[tuple[Decimal, str]]:
    wanted = roles or ("value",)
    return [(each.scaled_value, each.unit) for each in find_quantities(text) if each.role in wanted]


@cases("readings", "numbers")
def test_numbers_of_many_languages(text: str, expected: list[str]) -> None:
    assert values(text, "value", "range") == expected_of(expected)


@pytest.mark.parametrize(
    "kind", ["values", "directions", "decimal comma", "Arabic", "Japanese and Korean", "measures"]
)
def test_numbers_of_the_first_suite(kind: str) -> None:
    for row in load("numbers", kind=kind):
        text = row.input["text"]
        expected = _CHANGED.get(text, row.expect["expected"])
        assert values(text) == expected_of(expected), text


@cases("numbers", "roles")
def test_what_only_looks_like_a_value(text: str, roles: list[str]) -> None:
    assert [each.role for each in find_quantities(text)] == roles


@cases("numbers", "denials and limits")
def test_denials_and_limits(text: str, negated: bool, bound: bool) -> None:
    (found,) = find_quantities(text)
    assert (found.negated, bool(found.limit)) == (negated, bound)


@cases("numbers", "earlier levels")
def test_earlier_levels(text: str, earlier: list[str]) -> None:
    assert [each.raw for each in find_quantities(text) if each.earlier] == earlier


@cases("numbers", "signs")
def test_what_gives_a_sign(text: str, source: str, raw: str) -> None:
    (found,) = find_quantities(text)
    assert (found.sign, found.raw) == (source, raw)


@cases("numbers", "units")
def test_a_unit_on_its_own(written: str, scale: int, unit: str) -> None:
    assert (read_unit(written).scale, read_unit(written).name) == (Decimal(scale), unit)


def test_the_mark_of_a_footnote_joins_no_number() -> None:
    assert [each.raw for each in find_quantities("a rate of 4.251 per cent")] == ["4.251 per cent"]
    assert [each.value for each in find_quantities("a rate of 4.25¹ per cent")] == [Decimal("4.25")]


def test_who_calls_may_say_what_two_conventions_write_alike() -> None:
    assert [each.value for each in find_quantities("3.412", decimal_comma=True)] == [3412]
    assert [each.value for each in find_quantities("3.412", language="de")] == [3412]
    assert [each.value for each in find_quantities("3.412")] == [Decimal("3.412")]
    assert decimal_comma_of("12,4", "Wie hoch ist der Anteil?", "the share") is True
    assert decimal_comma_of("12,4", "What is the share of it?") is False
    assert decimal_comma_of("12,4", "") is None
    assert decimal_comma_of("$0.001 par value; 80,000 shares") is False


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("megabyte", "gigabyte", "0.001"),
        ("megabyte", "megabit", "8"),
        ("hour", "minute", "60"),
        ("bp", "pp", "0.01"),
        ("gwei", "ETH", "1e-9"),
        ("kilometer", "kilogram", None),
        ("%", "pp", None),
        ("month", "day", None),
    ],
)
def test_units_convert_by_fixed_factors_alone(source: str, target: str, expected: str | None) -> None:
    assert factor(source, target) == (Decimal(expected) if expected else None)


def _in(quantity: Quantity, told: Unit) -> Quantity:
    return replace(quantity, scale=told.scale, unit=told.name, currencies=told.currencies)


def test_a_head_tells_the_unit_of_the_numbers_under_it() -> None:
    (told,) = told_units("Revenue (€m)")
    (bare,) = find_quantities("143.9")
    (claimed,) = find_quantities("EUR 143.9 million")
    assert compare(claimed, bare) == "open"
    assert compare(claimed, _in(bare, told)) == "same"
    assert compare(claimed, _in(bare, told_units("Revenue (USD million)")[0])) == "other"


# --- periods


def only_period(text: str) -> Period:
    (found,) = find_periods(text)
    return found


@cases("readings", "periods")
def test_periods_are_spans_of_days(claimed: str, stated: str, likeness: Likeness) -> None:
    assert compare(only_period(claimed), only_period(stated)) == likeness


@cases("readings", "no period")
def test_part_of_a_numeral_is_no_count_of_days(text: str) -> None:
    assert find_periods(text) == ()


# --- what states what


@cases("readings", "pairs")
def test_what_states_what(claimed: str, stated: str, likeness: Likeness) -> None:
    (claim,), (source,) = find_quantities(claimed), find_quantities(stated)
    assert compare(claim, source) == likeness


def states(claim: str, source: str) -> bool:
    """Whether each value and period of a claim is stated by one of a source."""
    read = []
    for text in (claim, source):
        periods = find_periods(text)
        numbers = [
            each
            for each in find_quantities(text)
            if each.role in ("value", "range", "ordinal")
            and not any(period.start < each.end and each.start < period.end for period in periods)
        ]
        read.append((numbers, periods))
    (numbers, periods), (there, there_periods) = read
    if {each.name for each in periods if not each.dated} != {
        each.name for each in there_periods if not each.dated
    }:
        return False
    ranges = [any(each.role == "range" for each in side) for side in (numbers, there)]
    dated = [each for each in periods if each.dated]
    return (
        all(any(compare(each, other) == "same" for other in there_periods) for each in dated)
        and all(any(compare(each, other) == "same" for other in there) for each in numbers)
        and bool(numbers or dated)
        and not (ranges[1] and not ranges[0])
    )


#: Rows that come out right; none of the others is wrongly said to be stated.
@pytest.mark.parametrize(("split", "right"), [("dev", 773), ("heldout-1", 175), ("heldout-2", 141)])
def test_claims_are_stated_by_value(split: str, right: int) -> None:
    rows = load("values", split=split)
    found = sum(states(row.input["claim"], row.input["source"]) is row.expect["states"] for row in rows)
    assert found >= right


# --- properties


def test_words_of_languages_are_loaded_where_a_number_is_read() -> None:
    loaded = "import sys, verifaible.text.compare; print('babel' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_noise_spans() -> None:
    text = "a [@v:1] b https://x.example/1 c"
    assert [text[start:end] for start, end in noise_spans(text)] == ["[@v:1]", "https://x.example/1"]


@given(
    st.text(
        alphabet="0123456789.,-+−–%％年月日亿万元百分之下降至 ½\\{}$⁶fell to by()（）\t\n/[]@v:", max_size=60
    )
)
def test_quantities_are_ordered_disjoint_slices(text: str) -> None:
    found = find_quantities(text)
    assert all(text[each.start : each.end] == each.raw for each in found)
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert all(compare(each, each) == "same" for each in found if each.limit == "")


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**12), max_value=10**12))
def test_formatted_decimals_are_read_back(value: Decimal) -> None:
    for written in (f"{value:f}", f"{value:,f}", f"为{value:f}元"):
        assert [each.value for each in find_quantities(written)] == [value]


@given(st.integers(1, 999_999), st.integers(0, 4), st.sampled_from(["$", "€", ""]), st.data())
def test_a_changed_digit_never_states_it(value: int, places: int, sign: str, data: st.DataObject) -> None:
    written = str(value)
    at = data.draw(st.integers(0, len(written) - 1))
    digit = data.draw(st.sampled_from([each for each in "0123456789" if each != written[at]]))
    changed = int(written[:at] + digit + written[at + 1 :])
    claimed, stated = (
        find_quantities(f"is {sign}{Decimal(each).scaleb(-places):f} now")[0] for each in (value, changed)
    )
    assert compare(claimed, stated) != "same"


@given(st.integers(1, 1899))
def test_basis_points_are_hundredths_of_a_percentage_point(value: int) -> None:
    (basis,) = find_quantities(f"by {value} basis points")
    (points,) = find_quantities(f"by {Decimal(value).scaleb(-2):f} percentage points")
    (wrong,) = find_quantities(f"by {value} percentage points")
    assert compare(basis, points) == "same"
    assert compare(basis, wrong) != "same"


@given(st.integers(0, 10**12), st.integers(0, 99))
def test_german_money_is_read_back(euros: int, cents: int) -> None:
    written = f"{euros:,}".replace(",", ".") + f",{cents:02d}"
    (found,) = find_quantities(f"Das sind {written} Euro")
    assert found.value * 100 == euros * 100 + cents
    assert (found.raw, found.unit) == (f"{written} Euro", "EUR")
