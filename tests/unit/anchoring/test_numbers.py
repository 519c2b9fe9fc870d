from __future__ import annotations

from decimal import Decimal
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.kit.cases import cases
from verifaible.old.numbers import find_numbers
from verifaible.old.units import read_unit
from verifaible.text.flat import flatten
from verifaible.text.numbers import noise_spans


def values(text: str) -> list[str]:
    """Scaled values and units of what counts as a value."""
    return [
        f"{mention.scaled_value.normalize():f} {mention.unit}".strip()
        for mention in find_numbers(text)
        if mention.role == "value"
    ]


@cases("numbers", "values")
def test_values(text: str, expected: list[str]) -> None:
    assert values(text) == expected


@cases("numbers", "directions")
def test_direction_words(text: str, expected: list[str]) -> None:
    assert values(text) == expected


@cases("numbers", "roles")
def test_roles(text: str, roles: list[str]) -> None:
    assert [mention.role for mention in find_numbers(text)] == roles


@cases("numbers", "denials and limits")
def test_denials_and_limits(text: str, negated: bool, bound: bool) -> None:
    (mention,) = find_numbers(text)
    assert (mention.negated, mention.bound) == (negated, bound)


@cases("numbers", "earlier levels")
def test_earlier_levels(text: str, earlier: list[str]) -> None:
    assert [mention.raw for mention in find_numbers(text) if mention.earlier] == earlier


@cases("numbers", "signs")
def test_sign_source_and_span(text: str, source: str, raw: str) -> None:
    (mention,) = find_numbers(text)
    assert (mention.sign_source, mention.raw) == (source, raw)
    assert text[mention.start : mention.end] == raw


def test_scale_is_kept_apart_from_the_value() -> None:
    (mention,) = find_numbers("72.4亿元")
    assert (mention.value, mention.scale) == (Decimal("72.4"), Decimal(10**8))
    assert mention.unit_raw == "亿元"
    assert not mention.percent
    assert find_numbers("5%")[0].percent


@cases("numbers", "units")
def test_parse_unit(written: str, scale: int, unit: str) -> None:
    read = read_unit(written)
    assert (read.scale, read.name) == (Decimal(scale), unit)


def test_noise_spans() -> None:
    text = "a [@v:1] b https://x.example/1 c"
    assert [text[start:end] for start, end in noise_spans(text)] == ["[@v:1]", "https://x.example/1"]


@given(st.text(max_size=200))
def test_flatten_moves_nothing(text: str) -> None:
    assert len(flatten(text)) == len(text)


@given(
    st.text(alphabet="0123456789.,-+−–%％年月日亿万元百分之点下降至fell to by()（） \t\n/[]@v:", max_size=60)
)
def test_mentions_are_ordered_disjoint_slices(text: str) -> None:
    mentions = find_numbers(text)
    assert all(text[mention.start : mention.end] == mention.raw for mention in mentions)
    assert all(a.end <= b.start for a, b in pairwise(mentions))


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**12), max_value=10**12))
def test_formatted_decimals_are_read_back(value: Decimal) -> None:
    for written in (f"{value:f}", f"{value:,f}", f"为{value:f}元"):
        assert [mention.value for mention in find_numbers(written)] == [value]
