"""How long an answer asks to wait: the header ``Retry-After``, and what it is made of."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def retry_after_s(value: str | None, now: datetime | None = None) -> float | None:
    """Seconds that a ``Retry-After`` header asks for (RFC 9110, section 10.2.3); None if unreadable.

    Some servers give fractions of a second, which the RFC does not know.
    """
    seconds = number(value)
    return max(0.0, seconds) if seconds is not None else until_s(value, now, parsedate_to_datetime)


def until_s(value: str | None, now: datetime | None, parse: Callable[[str], datetime]) -> float | None:
    """Seconds until a moment, 0 if it is past; None if unreadable. One without a time zone is in UTC."""
    try:
        when = parse((value or "").strip())
        when = when if when.tzinfo is not None else when.replace(tzinfo=UTC)
        return max(0.0, (when - (now or datetime.now(UTC))).total_seconds())
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def number(value: str | None) -> float | None:
    """A finite number; None if it is none."""
    try:
        found = float(value or "")
    except ValueError:
        return None
    return found if abs(found) < float("inf") else None
