"""Times as options say them: how long ago (``30m``, ``24h``, ``7d``), and days."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from verifaible.errors import ConfigError

_AGE: Final = re.compile(r"(\d{1,6})\s*([smhd])")
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def age_of(option: str, text: str) -> timedelta:
    """The time that an option names.

    Raises:
        ConfigError: it names none.
    """
    match = _AGE.fullmatch(text.strip().lower())
    if match is None:
        raise ConfigError(f"{option} {text}: give a number and s, m, h or d, such as 24h.")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def day(text: str | None) -> datetime | None:
    """A day or a time given as an option, in UTC where it names no zone."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise ConfigError(
            f"--since {text}: give a day as 2026-03-02, or a time as 2026-03-02T08:00."
        ) from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
