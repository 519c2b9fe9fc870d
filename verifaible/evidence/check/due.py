"""Which citations are looked at on the live web, in which order, and which in a browser in any case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final
from zlib import crc32

from verifaible.schema.base import Record
from verifaible.schema.check import IndexRow

#: A page whose server says that nothing has changed is opened all the same after this long.
FULL_EVERY: Final = timedelta(days=30)


class Due(Record):
    """Which citations are looked at again.

    Attributes:
        before: those that were neither made nor looked at since.
        limit: at most so many, the most urgent.
        openings: at most so many pages are opened in a browser; the rest of those that need it stay due.
        full_every: each is opened in a browser once in such a time, whatever its server says; 0: always.
    """

    before: datetime
    limit: int | None = None
    openings: int | None = None
    full_every: timedelta = FULL_EVERY


def last_seen(row: IndexRow) -> datetime:
    """When a citation was made, or last looked at on the live web."""
    return row.live_checked_at or row.created_at


def chosen(rows: Sequence[IndexRow], due: Due, now: datetime) -> list[IndexRow]:
    """The citations that are due, the most urgent first.

    Urgency is the time since the last look, times the citations that rest on the page: so a page on which
    much rests goes first, and none waits for ever.
    """
    resting = Counter(row.source_url for row in rows)
    waiting = [row for row in rows if last_seen(row) < due.before]
    waiting.sort(key=lambda row: (now - last_seen(row)) * resting[row.source_url], reverse=True)
    return waiting[: due.limit]


def by_capture(rows: Iterable[IndexRow]) -> list[list[IndexRow]]:
    """The same rows, those that rest on one capture of one address together, in the order of their first."""
    found: dict[tuple[str, str], list[IndexRow]] = {}
    for row in rows:
        found.setdefault((row.source_url, row.capture_sha256), []).append(row)
    return list(found.values())


def must_be_opened(row: IndexRow, due: Due, now: datetime) -> bool:
    """Whether a browser has to look, whatever the server says.

    So it is where the last look did not verify the evidence, and for the first look in each period of
    ``full_every``. The periods of citations begin at different times, so that the full looks spread.
    """
    if row.live_verdict not in (None, "verified"):
        return True
    every_s = due.full_every.total_seconds()
    if every_s <= 0:
        return True
    offset = crc32(row.id.encode()) % every_s
    return (last_seen(row).timestamp() + offset) // every_s != (now.timestamp() + offset) // every_s
