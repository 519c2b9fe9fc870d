"""Kinds of values that options of several commands take."""

from __future__ import annotations

from datetime import UTC

import pytest

from verifaible.console.options import Day
from verifaible.errors import ConfigError


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("2026-03-02T10:00+02:00", "2026-03-02 08:00"),
        ("2026-03-02T10:00", "2026-03-02 10:00"),
        ("2026-03-02", "2026-03-02 00:00"),
    ],
)
def test_a_time_is_told_in_utc(written: str, told: str) -> None:
    moment = Day().convert(written, None, None)
    assert (moment.tzinfo, f"{moment:%Y-%m-%d %H:%M}") == (UTC, told)


@pytest.mark.parametrize("written", ["tomorrow", "0001-01-01T00:00+14:00"])
def test_what_is_no_time_is_told_in_a_sentence(written: str) -> None:
    with pytest.raises(ConfigError, match="give a day as 2026-03-02"):
        Day().convert(written, None, None)
