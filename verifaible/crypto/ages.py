"""Times and ages in words, for prompts and replies."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR


def stamp(moment: datetime) -> str:
    """A time to the minute, in UTC."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def age(moment: datetime, now: datetime) -> str:
    """How long ago a time is: ``12 minutes``, ``5 hours``, ``3 days``; a later one is ``ahead of now``."""
    seconds = (now - moment).total_seconds()
    if seconds < -_MINUTE:
        return "ahead of now"
    for size, name in ((_DAY, "day"), (_HOUR, "hour"), (_MINUTE, "minute")):
        count = int(seconds // size)
        if count >= (2 if size == _DAY else 1):
            return f"{count} {name}{'s' if count > 1 else ''}"
    return "less than a minute"


def time_note(source: str, moment: datetime, now: datetime) -> str:
    """A line that sets the time of data beside the time of the question."""
    old = age(moment, now)
    if old == "ahead of now":
        return (
            f"Time: now is {stamp(now)}; the data of {source} are of {stamp(moment)}, later than the "
            "question. Say their date with every value."
        )
    return (
        f"Time: now is {stamp(now)}; the data of {source} are {old} old. Say their date with every value, "
        "and say so where they are older than the time that is asked about."
    )
