"""Dates by value, in any form and language: what is one, and what states which."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kit.cases import cases
from verifaible.text.compare import compare
from verifaible.text.dates import DateValue, contains_date, find_dates, is_date, month_number
from verifaible.text.periods import find_periods


@cases("dates", "one")
def test_one_date(text: str, precision: str, value: dict[str, int | None]) -> None:
    (mention,) = find_dates(text)
    assert mention.precision == precision
    assert mention.readings == (DateValue(**value),)
    assert text[mention.start : mention.end] == mention.raw
    assert is_date(text) is ((mention.start, mention.end) == (0, len(text)))


@cases("readings", "dates")
def test_dates_of_many_languages(text: str, value: dict[str, int]) -> None:
    (found,) = find_dates(text)
    assert found.readings == (DateValue(**value),)


def test_an_ambiguous_date_keeps_both_readings() -> None:
    (mention,) = find_dates("02/06/2026")
    assert mention.ambiguous
    assert mention.readings == (DateValue(2026, 2, 6), DateValue(2026, 6, 2))
    (either,), (day,), (other,) = map(find_periods, ("02/06/2026", "6 February 2026", "7 February 2026"))
    assert (compare(either, day), compare(either, other)) == ("same", "other")


@pytest.mark.parametrize(
    "text", ["September 17-18, 2024", "2024年9月17-18日", "2024年9月17日至18日", "17-18 September 2024"]
)
def test_a_range_of_days_has_two_ends(text: str) -> None:
    days = [mention.readings[0] for mention in find_dates(text)]
    assert days == [DateValue(2024, 9, 17), DateValue(2024, 9, 18)]


@cases("dates", "none")
def test_no_date(text: str) -> None:
    assert find_dates(text) == ()


def test_dates_come_in_order() -> None:
    text = "自2024年2月1日起，比January 31, 2024晚一天；见1-2月"
    assert [mention.raw for mention in find_dates(text)] == [
        "2024年2月1日",
        "January 31, 2024",
        "1-2月",
        "1-2月",
    ]


@cases("dates", "contains")
def test_contains_date(text: str, wanted: str, there: bool) -> None:
    assert contains_date(text, wanted) is there


def test_contains_date_wants_a_date() -> None:
    with pytest.raises(ValueError, match="is not a date"):
        contains_date("2025", "10 Yr")


@pytest.mark.parametrize(("text", "whole"), [(" 2026年1月 ", True), ("2026年1月 PMI", False), ("61", False)])
def test_is_date(text: str, whole: bool) -> None:
    assert is_date(text) is whole


@pytest.mark.parametrize(("text", "month"), [("März", 3), ("三月", 3), ("Sept.", 9), ("4 May", 0), ("x", 0)])
def test_a_month_by_its_name(text: str, month: int) -> None:
    assert month_number(text) == month


@given(st.dates(date(1901, 1, 1), date(2099, 12, 31)))
def test_every_form_of_a_day_is_that_day(day: date) -> None:
    forms = (
        day.isoformat(),
        f"{day.year}年{day.month}月{day.day}日",
        f"{day:%B} {day.day}, {day.year}",
        f"{day.day} {day:%b} {day.year}",
        f"{day:%Y%m%d}",
        f"{day:%m/%d/%Y}",
    )
    other = day.replace(year=day.year - 1 if day.year > 1901 else 1950, day=1)
    for form in forms:
        assert contains_date(f"on {form}.", day.isoformat())
        assert not contains_date(f"on {form}.", other.isoformat())


@given(st.text(max_size=100))
def test_any_text_can_be_read(text: str) -> None:
    for mention in find_dates(text):
        assert text[mention.start : mention.end] == mention.raw
