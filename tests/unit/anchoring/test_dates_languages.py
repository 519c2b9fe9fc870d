"""Dates as German, Japanese, Korean and Arabic write them."""

from __future__ import annotations

import pytest

from verifaible.text.dates import DateValue, contains_date, find_dates, is_date


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("令和5年", DateValue(2023)),
        ("令和 2年", DateValue(2020)),
        ("令和元年5月1日", DateValue(2019, 5, 1)),
        ("平成31年4月30日", DateValue(2019, 4, 30)),
        ("昭和64年1月", DateValue(1989, 1)),
        ("3. März 2024", DateValue(2024, 3, 3)),
        ("10. August 2024", DateValue(2024, 8, 10)),
        ("5. Mai", DateValue(None, 5, 5)),
        ("15.03.2024", DateValue(2024, 3, 15)),
        ("1.1.2023", DateValue(2023, 1, 1)),
        ("04.05.2024", DateValue(2024, 5, 4)),
        ("١٠ يونيو ٢٠٢٥", DateValue(2025, 6, 10)),
        ("مارس ٢٠٢٥", DateValue(2025, 3)),
        ("2025년 3월 12일", DateValue(2025, 3, 12)),
        ("2025년 4분기", DateValue(2025, quarter=4)),
        ("12월 31일", DateValue(None, 12, 31)),
    ],
)
def test_read(text: str, expected: DateValue) -> None:
    (mention,) = find_dates(text)
    assert mention.readings == (expected,)
    assert is_date(text)


@pytest.mark.parametrize("text", ["31.02.2024", "1.2.3.2024", "The share is 5. May was better", "평년 3월분"])
def test_not_read(text: str) -> None:
    assert find_dates(text) == ()


def test_eras_are_told_apart() -> None:
    assert contains_date("平成 2年\t10\n令和 2年\t12", "令和2年")
    assert not contains_date("平成 2年\t10", "令和2年")
    assert contains_date("令和5年10月1日現在", "2023-10-01")
    assert contains_date("gültig ab 01.07.2025", "1. Juli 2025")
