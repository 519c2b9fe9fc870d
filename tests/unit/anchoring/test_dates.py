from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifaible.anchoring.dates import DateValue, contains_date, context_visible, find_dates, is_date

DAY = DateValue(2025, 2, 10)


@pytest.mark.parametrize(
    ("text", "precision", "value"),
    [
        ("2025-02-10", "day", DAY),
        ("2025/2/10", "day", DAY),
        ("2025.2.10", "day", DAY),
        ("20250210", "day", DAY),
        ("日期20250210", "day", DAY),
        ("2025-02-10T08:00:00", "day", DAY),
        ("2025年2月10日", "day", DAY),
        ("2025年02月10号", "day", DAY),
        ("２０２５年２月１０日", "day", DAY),
        ("2025 年 2 月 10 日", "day", DAY),
        ("二〇二五年二月十日", "day", DAY),
        ("February 10, 2025", "day", DAY),
        ("Feb. 10 2025", "day", DAY),
        ("Feb 10th, 2025", "day", DAY),
        ("10 February 2025", "day", DAY),
        ("10th of February, 2025", "day", DAY),
        ("2月10日", "day", DateValue(None, 2, 10)),
        ("February 10", "day", DateValue(None, 2, 10)),
        ("2026年1月", "month", DateValue(2026, 1)),
        ("2026年1月份", "month", DateValue(2026, 1)),
        ("2026-01", "month", DateValue(2026, 1)),
        ("January 2026", "month", DateValue(2026, 1)),
        ("1月", "month", DateValue(None, 1)),
        ("2026年1月下旬", "ten-day", DateValue(2026, 1, third=3)),
        ("2月上旬", "ten-day", DateValue(None, 2, third=1)),
        ("2026年一季度", "quarter", DateValue(2026, quarter=1)),
        ("2026年第一季度", "quarter", DateValue(2026, quarter=1)),
        ("Q1 2026", "quarter", DateValue(2026, quarter=1)),
        ("2026Q1", "quarter", DateValue(2026, quarter=1)),
        ("first quarter of 2026", "quarter", DateValue(2026, quarter=1)),
        ("2025年", "year", DateValue(2025)),
        ("in 2025", "year", DateValue(2025)),
        ("02/13/2026", "day", DateValue(2026, 2, 13)),
        ("13/02/2026", "day", DateValue(2026, 2, 13)),
        ("02/02/2026", "day", DateValue(2026, 2, 2)),
    ],
)
def test_one_date(text: str, precision: str, value: DateValue) -> None:
    (mention,) = find_dates(text)
    assert mention.precision == precision
    assert mention.readings == (value,)
    assert text[mention.start : mention.end] == mention.raw


def test_an_ambiguous_date_keeps_both_readings() -> None:
    (mention,) = find_dates("02/06/2026")
    assert mention.ambiguous
    assert mention.readings == (DateValue(2026, 2, 6), DateValue(2026, 6, 2))


@pytest.mark.parametrize(
    "text", ["September 17-18, 2024", "2024年9月17-18日", "2024年9月17日至18日", "17-18 September 2024"]
)
def test_a_range_of_days_has_two_ends(text: str) -> None:
    days = [mention.readings[0] for mention in find_dates(text)]
    assert days == [DateValue(2024, 9, 17), DateValue(2024, 9, 18)]


@pytest.mark.parametrize(
    "text",
    [
        "2025-02-30",
        "2025-13-01",
        "20251301",
        "t20260119_1962338",
        "2025",
        "3-4",
        "600916-1",
        "1.2.3",
        "12个月",
        "7,242,119,013",
        "Mayor 2025",
    ],
)
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


@pytest.mark.parametrize(
    ("text", "wanted", "there"),
    [
        ("2025年2月10日成交", "2025-02-10", True),
        ("as of 02/10/2025", "2025-02-10", True),
        ("as of 10/02/2025", "2025-02-10", True),
        ("2025-02-10", "2025年2月10日", True),
        ("2026年2月10日", "2025-02-10", False),
        ("2025年2月11日", "2025-02-10", False),
        ("2025年2月", "2025-02-10", False),
        ("2026年1月31日", "2026年1月", True),
        ("January 5, 2026", "2026年1月", True),
        ("2026年", "2026年1月", False),
        ("1月", "2026年1月", False),
        ("1月\t2026", "2026年1月", True),
        ("2026年，其中1月上升", "2026年1月", True),
        ("2026\n1月", "2026年1月", False),
        ("2026年。1月", "2026年1月", False),
        ("2025\t1月\n2026\t2月", "2026年1月", False),
        ("2026年1月下旬", "2026年1月下旬", True),
        ("2026年1月下旬", "2026年1月", True),
        ("2026年1月中旬", "2026年1月下旬", False),
        ("2026年1月31日", "2026年1月下旬", True),
        ("2026年1月20日", "2026年1月下旬", False),
        ("2026年1月", "2026年1月下旬", False),
        ("2026年3月", "2026年一季度", True),
        ("2026年4月", "Q1 2026", False),
        ("2026-02-06", "2026年", True),
        ("September 17-18, 2024", "2024-09-18", True),
        ("September 17-18, 2024", "2024年9月17-18日", True),
        ("September 18, 2024", "September 17-18, 2024", False),
        ("", "2025-02-10", False),
    ],
)
def test_contains_date(text: str, wanted: str, there: bool) -> None:
    assert contains_date(text, wanted) is there


def test_contains_date_wants_a_date() -> None:
    with pytest.raises(ValueError, match="is not a date"):
        contains_date("2025", "10 Yr")


@pytest.mark.parametrize(("text", "whole"), [(" 2026年1月 ", True), ("2026年1月 PMI", False), ("61", False)])
def test_is_date(text: str, whole: bool) -> None:
    assert is_date(text) is whole


@pytest.mark.parametrize(
    ("text", "wanted", "there"),
    [
        ("截至2025年2月10日", "2025-02-10", True),
        ("郑　　州", "郑州", True),
        ("the 10 Yr rate", "10 yr", True),
        ("110 Yr", "10 Yr", False),
        ("10 Yrs", "10 Yr", False),
        ("110 Yr or 10 Yr", "10 Yr", True),
        ("49.35", "49.3", False),
        ("149.3", "49.3", False),
        ("1,49.3", "49.3", False),
        ("49.3。", "49.3", True),
        ("49.3.", "49.3", True),
        ("“Seasonally” adjusted", '"seasonally"', True),
        ("unadjusted", "adjusted", False),
        ("", "x", False),
        ("x", "  ", False),
    ],
)
def test_context_visible(text: str, wanted: str, there: bool) -> None:
    assert context_visible(text, wanted) is there


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
