"""A number in any style states itself; with a digit changed it never does; scales go there and back."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import assume, given
from hypothesis import strategies as st

from verifaible.factcheck.numbers.quantities import liken_as, quantities

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
    assert liken_as(claimed, stated.unit, stated.value, stated.half, stated=stated) == "same"


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
    assert liken_as(claimed, stated.unit, stated.value, stated.half, stated=stated) != "same"


@given(digits, places, st.sampled_from(sorted(SCALES)), st.sampled_from(["$", "€", ""]))
def test_a_scaled_number_is_the_number_written_out(value: int, decimals: int, scale: str, sign: str) -> None:
    amount = number(value, decimals)
    written_out = amount.scaleb(SCALES[scale])
    blank = " " if scale.isascii() and scale.islower() else ""
    (short,) = quantities(f"is {sign}{amount:f}{blank}{scale} now")
    (long,) = quantities(f"is {sign}{written_out:,.4f} now")
    assert short.value == long.value == written_out
    assert liken_as(short, long.unit, long.value, long.half, stated=long) == "same"


@given(digits, places, st.integers(0, 3))
def test_rounding_states_and_another_neighbour_does_not(value: int, decimals: int, fewer: int) -> None:
    assume(decimals >= fewer)
    exact = number(value, decimals)
    step = Decimal(1).scaleb(fewer - decimals)
    rounded = (exact / step).to_integral_value(rounding="ROUND_HALF_EVEN") * step
    assume(rounded > 0)
    (claimed,) = quantities(f"is {rounded:f} now")
    (stated,) = quantities(f"is {exact:f} now")
    assert liken_as(claimed, stated.unit, stated.value, stated.half, stated=stated) == "same"
    for other in (rounded + step, rounded - step):
        if other > 0 and abs(other - exact) > step / 2:
            (neighbour,) = quantities(f"is {other:f} now")
            assert liken_as(neighbour, stated.unit, stated.value, stated.half, stated=stated) != "same"


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
    assert liken_as(claimed, stated.unit, stated.value, stated.half, stated=stated) != "same"


@given(digits)
def test_basis_points_are_hundredths_of_a_percentage_point(value: int) -> None:
    assume(not 1900 <= value < 2100)  # "by 1999" is a year
    (basis,) = quantities(f"by {value} basis points")
    (points,) = quantities(f"by {Decimal(value).scaleb(-2):f} percentage points")
    assert basis.value == points.value
    assert liken_as(basis, points.unit, points.value, points.half, stated=points) == "same"
    (wrong,) = quantities(f"by {value} percentage points")
    assert liken_as(basis, wrong.unit, wrong.value, wrong.half, stated=wrong) != "same"


def indian(value: int) -> str:
    """12345678 as 1,23,45,678."""
    head, tail = str(value)[:-3], str(value)[-3:]
    pairs = [head[max(0, end - 2) : end] for end in range(len(head), 0, -2)][::-1]
    return ",".join([*pairs, tail])


#: How a whole number and its decimals are written.
LOCALES = {
    "plain": lambda whole, rest: f"{whole}{'.' + rest if rest else ''}",
    "english": lambda whole, rest: f"{whole:,}{'.' + rest if rest else ''}",
    "indian": lambda whole, rest: indian(whole) + ("." + rest if rest else ""),
    "code": lambda whole, rest: f"{whole:_}{'.' + rest if rest else ''}",
    "swiss": lambda whole, rest: f"{whole:,}".replace(",", "'") + ("." + rest if rest else ""),
    "thin blanks": lambda whole, rest: f"{whole:,}".replace(",", "\u202f") + ("." + rest if rest else ""),
}


@given(
    st.integers(1000, 999_999_999),
    st.sampled_from(["", "5", "25", "07"]),
    st.sampled_from(sorted(LOCALES)),
    st.sampled_from(sorted(LOCALES)),
    st.sampled_from([("$", ""), ("", " BTC"), ("", " holders"), ("€", ""), ("", "美元")]),
)
def test_a_number_is_read_back_in_every_locale(
    whole: int, rest: str, one: str, other: str, unit: tuple[str, str]
) -> None:
    assume("plain" not in (one, other) or not 1900 <= whole < 2100)
    wanted = Decimal(f"{whole}.{rest or 0}")
    (claimed,) = quantities(f"it has {unit[0]}{LOCALES[one](whole, rest)}{unit[1]} now")
    (stated,) = quantities(f"it has {unit[0]}{LOCALES[other](whole, rest)}{unit[1]} now")
    assert claimed.value == stated.value == wanted
    assert liken_as(claimed, stated.unit, stated.value, stated.half, stated=stated) == "same"


@given(st.integers(1, 999), st.integers(1, 99), st.sampled_from(["%", " %", " €"]))
def test_a_decimal_comma_is_read_or_left_open_but_never_another_number(
    whole: int, rest: int, unit: str
) -> None:
    assume(not 1900 <= int(f"{whole}{rest}") < 2100)  # a year
    text, point = f"fees of {whole},{rest}{unit} now", f"fees of {whole}.{rest}{unit} now"
    (claimed,), (stated,) = quantities(text), quantities(point)
    assert liken_as(claimed, stated.unit, stated.value, stated.half, stated=stated) == "same"
    (joined,) = quantities(f"fees of {whole}{rest}{unit} now")
    assert liken_as(claimed, joined.unit, joined.value, joined.half, stated=joined) != "same"


@given(st.integers(1, 999), st.integers(0, 999), st.sampled_from([".", ","]))
def test_what_two_conventions_write_alike_is_left_open_beside_a_decimal_comma(
    whole: int, rest: int, sign: str
) -> None:
    number = f"{whole}{sign}{rest:03}"
    stated = quantities(f"it has {number} BTC, a fee of 0,75 %")[0]
    for text in (f"{whole}{rest:03} BTC", f"{whole}.{rest:03} BTC", f"{whole + 1}.{rest:03} BTC"):
        (claimed,) = quantities(f"it has {text} now")
        assert liken_as(claimed, stated.unit, stated.value, stated.half, stated=stated) == "open"


PREFIXES = {"K": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18, "Z": 21}


@given(
    st.integers(1, 9999),
    st.sampled_from(sorted(PREFIXES)),
    st.sampled_from(sorted(PREFIXES)),
    st.sampled_from(["H/s", "Wh", "B/s"]),
)
def test_prefixes_of_units_convert_and_are_never_left_out(
    value: int, one: str, other: str, unit: str
) -> None:
    moved = Decimal(value).scaleb(PREFIXES[one] - PREFIXES[other])
    (claimed,) = quantities(f"is {value} {one}{unit} now")
    (stated,) = quantities(f"is {moved:f} {other}{unit} now")
    assert liken_as(claimed, stated.unit, stated.value, stated.half, stated=stated) == "same"
    (wrong,) = quantities(f"is {value} {other}{unit} now")
    assert (liken_as(claimed, wrong.unit, wrong.value, wrong.half, stated=wrong) == "same") is (one == other)


@given(st.integers(1, 11), st.integers(2, 12))
def test_shares_in_words_are_those_in_digits(part: int, whole: int) -> None:
    assume(part < whole)
    names = [
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
    ]
    zh = ["一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"]
    per_cent = (Decimal(100 * part) / whole).quantize(Decimal("0.1"))
    (stated,) = quantities(f"is {per_cent}% of them")
    (wrong,) = quantities(f"is {per_cent * 2}% of them")
    for text in (
        f"is {names[part - 1]} in {names[whole - 1]} wallets",
        f"占{zh[whole - 1]}分之{zh[part - 1]}的供应",
        f"is {part} in {whole} wallets",
    ):
        (claimed,) = quantities(text)
        assert liken_as(claimed, stated.unit, stated.value, stated.half, stated=stated) == "same"
        assert liken_as(claimed, wrong.unit, wrong.value, wrong.half, stated=wrong) != "same"
