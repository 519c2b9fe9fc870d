from __future__ import annotations

import pytest

from verifaible.archive.volatile import Moment, Pair, looks_made_up, same_but_for_time, seconds, volatile

NOW = 1_741_083_630
MOMENT = Moment(float(NOW))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1741083630", NOW),
        ("1741083630123", NOW + 0.123),
        ("2025-03-04T10:20:30Z", NOW),
        ("2025-03-04T10:20:30.123Z", NOW + 0.123),
        ("2025-03-04T11:20:30+01:00", NOW),
        ("2025-03-04 10:20:30", NOW),
        ("20250304102030", NOW),
        ("20250304102030123", NOW),
        ("Tue Mar 04 2025 10:20:30 GMT+0000 (Coordinated Universal Time)", NOW),
        ("Tue, 04 Mar 2025 10:20:30 GMT", NOW),
    ],
)
def test_time_stamps_are_read(value: str, expected: float) -> None:
    assert seconds(value) == pytest.approx(expected)


@pytest.mark.parametrize(
    "value", ["", "90", "2025-03-04", "20250304", "2025-13-04T10:20:30Z", "v1741083630", "0.5"]
)
def test_other_values_are_no_time_stamps(value: str) -> None:
    assert seconds(value) is None


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("rnd", "42", "chance"),
        ("t", "0.4383715", "chance"),
        ("nonce", "0123456789abcdef", "chance"),
        ("X-CSRF-Token", "0123456789abcdef", "chance"),
        ("csrf_token", "0123456789abcdef", "chance"),
        ("requestId", "7b0c9f7e-7d2b-4d6d-8f5e-0a4be0f0a111", "chance"),
        ("elapsed", "24.9", "chance"),
        ("_", "1741083630123", "stamp"),
        ("anything", "1741083630123", "stamp"),
        ("before", "1741083630123", "range"),
        ("startTime", "1741083630123", "range"),
        ("t", "2", ""),
        ("_", "3", ""),
        ("nonce", "1", ""),
        ("nextToken", "0123456789abcdef", ""),
        ("id", "7b0c9f7e-7d2b-4d6d-8f5e-0a4be0f0a111", ""),
        ("lat", "0.4383715", ""),
        ("day", "2025-03-04", ""),
    ],
)
def test_a_value_is_volatile_by_its_name_and_its_form(name: str, value: str, expected: str) -> None:
    assert volatile(name, value) == expected


@pytest.mark.parametrize(
    ("asked", "recorded", "same"),
    [
        ((("_", f"{NOW + 9}000"),), (("_", f"{NOW}000"),), True),
        ((("_", f"{NOW + 9}000"),), (), True),
        ((("ts", str(NOW + 900)),), (("ts", str(NOW)),), False),
        ((("ts", str(NOW)),), (("ts", str(NOW - 900)),), False),
        ((("ts", str(NOW - 900)),), (("ts", str(NOW - 900)),), True),
        ((("rnd", "1"),), (("rnd", "2"),), True),
        ((("from", str(NOW - 900)), ("t", str(NOW + 5))), (("from", str(NOW - 905)), ("t", str(NOW))), True),
        ((("from", str(NOW - 900)), ("t", str(NOW + 5))), (("from", str(NOW - 950)), ("t", str(NOW))), False),
        ((("before", str(NOW)),), (("before", str(NOW - 5)),), False),
        ((("before", str(NOW)),), (), False),
    ],
)
def test_requests_are_the_same_but_for_time(
    asked: tuple[Pair, ...], recorded: tuple[Pair, ...], same: bool
) -> None:
    now_s = NOW + 1e8
    assert same_but_for_time(asked, recorded, MOMENT, now_s, lambda _: False) is same


def test_a_client_without_a_clock_of_then_may_ask_now() -> None:
    asked, recorded = (("_", str(NOW + 10_000_000)),), (("_", str(NOW)),)
    assert same_but_for_time(asked, recorded, MOMENT, NOW + 10_000_001, lambda _: False)
    assert not same_but_for_time(asked, recorded, MOMENT, NOW + 20_000_000, lambda _: False)


def test_a_given_value_has_to_be_equal() -> None:
    asked, recorded = (("nonce", "0123456789abcdef"),), (("nonce", "fedcba9876543210"),)
    assert same_but_for_time(asked, recorded, MOMENT, NOW, lambda _: False)
    assert not same_but_for_time(asked, recorded, MOMENT, NOW, lambda value: value == "0123456789abcdef")


@pytest.mark.parametrize("value", ["Basel", "de", "2025", "12345", "5.33", "page-2", ""])
def test_readable_values_do_not_look_made_up(value: str) -> None:
    assert not looks_made_up(value)
