"""The pause that an answer asks for, in both of its forms, and with the liberties that servers take."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from verifaible.net.politeness import retry_after_s

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("1.5", 1.5),
        ("-3", 0.0),
        ("Sat, 21 Nov 2026 12:00:30 GMT", 30.0),
        ("Saturday, 21-Nov-26 12:00:30 GMT", 30.0),
        ("Sat, 21 Nov 2026 12:00:30 -0000", 30.0),
        ("Sat, 21 Nov 2026 11:00:00 GMT", 0.0),
        ("soon", None),
        ("nan", None),
        ("inf", None),
        ("\u00b2", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after_is_read_in_both_its_forms(value: str | None, seconds: float | None) -> None:
    assert retry_after_s(value, NOW) == seconds
