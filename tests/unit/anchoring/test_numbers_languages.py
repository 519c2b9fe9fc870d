"""Numbers as German, Japanese, Korean and Arabic write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kit.cases import cases
from verifaible.old.numbers import find_numbers
from verifaible.old.units import read_unit
from verifaible.text.conventions import decimal_comma_of, with_points


def values(text: str, *, decimal_comma: bool | None = None) -> list[str]:
    """Scaled values and units of what counts as a value."""
    return [
        f"{mention.scaled_value.normalize():f} {mention.unit}".strip()
        for mention in find_numbers(text, decimal_comma=decimal_comma)
        if mention.role == "value"
    ]


@cases("numbers", "decimal comma")
def test_decimal_comma(text: str, expected: list[str]) -> None:
    assert values(text) == expected


def test_the_caller_may_say_what_a_bare_number_means() -> None:
    assert values("3.412", decimal_comma=True) == ["3412"]
    assert values("12,4 %", decimal_comma=True) == ["12.4 %"]
    assert values("12,4") == ["12", "4"]
    assert values("das ist 3.412", decimal_comma=False) == ["3.412"]
    assert decimal_comma_of("12,4", "Wie hoch ist der Anteil?", "the share") is True
    assert decimal_comma_of("12,4", "What is the share of it?") is False
    assert decimal_comma_of("12,4", "") is None
    assert decimal_comma_of("$0.001 par value; 80,000 shares") is False
    assert decimal_comma_of("Die Version 0.9 ist mit 12,4 Sekunden die schnellste") is True


@cases("numbers", "Arabic")
def test_arabic(text: str, expected: list[str]) -> None:
    assert values(text) == expected


@cases("numbers", "Japanese and Korean")
def test_japanese_and_korean(text: str, expected: list[str]) -> None:
    assert values(text) == expected


@cases("numbers", "measures")
def test_measures(text: str, expected: list[str]) -> None:
    assert values(text) == expected


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ("百万円", (6, "JPY")),
        ("億円", (8, "JPY")),
        ("백만원", (6, "KRW")),
        ("억원", (8, "KRW")),
        ("Mio. Euro", (6, "EUR")),
        ("ألف دينار", (3, "KWD")),
        ("Prozentpunkte", (0, "pp")),
        ("Wochen", (0, "周")),
    ],
)
def test_units_of_expectations(unit: str, expected: tuple[int, str]) -> None:
    read = read_unit(unit)
    assert (read.scale.adjusted(), read.name) == expected


@given(st.integers(0, 10**12), st.integers(0, 99))
def test_german_money_is_read_back(euros: int, cents: int) -> None:
    written = f"{euros:,}".replace(",", ".") + f",{cents:02d}"
    (mention,) = find_numbers(f"Das sind {written} Euro")
    assert mention.value * 100 == euros * 100 + cents
    assert mention.raw == f"{written} Euro"


@given(st.text(alphabet="0123456789., ٬٫，-der", max_size=30), st.booleans())
def test_rewriting_moves_no_character(text: str, comma: bool) -> None:
    flat = with_points(text, ("en",), comma=comma)
    assert len(flat) == len(text)
    assert all(a == b or {a, b} <= set(".,  \u2009") for a, b in zip(text, flat, strict=True))
