"""A number in any style states itself; with a digit changed it never does; scales go there and back."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import assume, given
from hypothesis import strategies as st

from verifaible.judge.rules.quantities import liken, quantities

SCALES = {
    "K": 3,
    "thousand": 3,
    "M": 6,
    "million": 6,
    "B": 9,
    "billion": 9,
    "T": 12,
    "trillion": 12,
    "万": 4,
    "亿": 8,
    "万亿": 12,
}
UNITS = [
    ("$", ""),
    ("", " USD"),
    ("US$", ""),
    ("", "美元"),
    ("€", ""),
    ("", "%"),
    ("", " percentage points"),
    ("", " HYPE"),
    ("", ""),
]

digits = st.integers(1, 999_999)
places = st.integers(0, 4)


def number(value: int, decimals: int) -> Decimal:
    return Decimal(value).scaleb(-decimals)


def plain(value: Decimal) -> str:
    return f"{value:,f}"


@given(digits, places, st.sampled_from(UNITS), st.sampled_from(["", "-"]), st.booleans())
def test_a_number_states_itself_in_any_style(
    value: int, decimals: int, unit: tuple[str, str], sign: str, grouped: bool
) -> None:
    amount = number(value, decimals)
    first = f"is {sign}{unit[0]}{amount:f}{unit[1]} now"
    second = f"was {sign}{unit[0]}{plain(amount) if grouped else f'{amount:f}'}{unit[1]}."
    (claimed,), (stated,) = quantities(first), quantities(second)
    assert liken(claimed, stated) == "same"


@given(digits, places, st.sampled_from(UNITS), st.data())
def test_a_changed_digit_never_states_it(
    value: int, decimals: int, unit: tuple[str, str], data: st.DataObject
) -> None:
    written = str(value)
    at = data.draw(st.integers(0, len(written) - 1))
    digit = data.draw(st.sampled_from([each for each in "0123456789" if each != written[at]]))
    changed = int(written[:at] + digit + written[at + 1 :])
    first = f"is {unit[0]}{number(value, decimals):f}{unit[1]} now"
    second = f"is {unit[0]}{number(changed, decimals):f}{unit[1]} now"
    (claimed,), (stated,) = quantities(first), quantities(second)
    assert liken(claimed, stated) != "same"


@given(digits, places, st.sampled_from(sorted(SCALES)), st.sampled_from(["$", "€", ""]))
def test_a_scaled_number_is_the_number_written_out(value: int, decimals: int, scale: str, sign: str) -> None:
    amount = number(value, decimals)
    written_out = amount.scaleb(SCALES[scale])
    blank = " " if scale.isascii() and scale.islower() else ""
    (short,) = quantities(f"is {sign}{amount:f}{blank}{scale} now")
    (long,) = quantities(f"is {sign}{written_out:,.4f} now")
    assert short.value == long.value == written_out
    assert liken(short, long) == "same"


@given(digits, places, st.integers(0, 3))
def test_rounding_states_and_another_neighbour_does_not(value: int, decimals: int, fewer: int) -> None:
    assume(decimals >= fewer)
    exact = number(value, decimals)
    step = Decimal(1).scaleb(fewer - decimals)
    rounded = (exact / step).to_integral_value(rounding="ROUND_HALF_EVEN") * step
    assume(rounded > 0)
    (claimed,) = quantities(f"is {rounded:f} now")
    (stated,) = quantities(f"is {exact:f} now")
    assert liken(claimed, stated) == "same"
    for other in (rounded + step, rounded - step):
        if other > 0 and abs(other - exact) > step / 2:
            (neighbour,) = quantities(f"is {other:f} now")
            assert liken(neighbour, stated) != "same"


@given(digits, places, st.sampled_from(UNITS), st.sampled_from(UNITS))
def test_another_unit_is_another_value(
    value: int, decimals: int, one: tuple[str, str], other: tuple[str, str]
) -> None:
    kinds = {("$", ""): 0, ("", " USD"): 0, ("US$", ""): 0, ("", "美元"): 0, ("", ""): 9, ("", " HYPE"): 9}
    first, second = kinds.get(one, one), kinds.get(other, other)
    assume(first != second)
    amount = number(value, decimals)
    (claimed,) = quantities(f"is {one[0]}{amount:f}{one[1]} now")
    (stated,) = quantities(f"is {other[0]}{amount:f}{other[1]} now")
    assert liken(claimed, stated) != "same"


@given(digits)
def test_basis_points_are_hundredths_of_a_percentage_point(value: int) -> None:
    assume(not 1900 <= value < 2100)  # "by 1999" is a year
    (basis,) = quantities(f"by {value} basis points")
    (points,) = quantities(f"by {Decimal(value).scaleb(-2):f} percentage points")
    assert basis.value == points.value
    assert liken(basis, points) == "same"
    (wrong,) = quantities(f"by {value} percentage points")
    assert liken(basis, wrong) != "same"
