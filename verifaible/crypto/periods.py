"""The times that a query asks about, as days; and times as replies write them.

:mod:`verifaible.text.periods` reads them; here its windows ("last 30 days") become days from the day on which
it is asked, and words for weeks, months, quarters and years of the calendar are read, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Final

from verifaible.schema.base import Record
from verifaible.text.flat import flatten
from verifaible.text.periods import find_periods as read_periods

#: Longer spans are no period of a market.
_MOST_DAYS: Final = 20_000
_WINDOW: Final = re.compile(r"(\d+)([hd])")
#: What is asked about in these words is the present, the last month, or a part of the calendar.
_CALENDAR: Final = re.compile(
    r"(?P<until>(?:by |until |till )?(?:the )?end of )?\b(?P<way>the|this|current|last|previous|next|coming) "
    r"(?P<unit>week|month|quarter|year)\b|(?P<now>\b(?:now|currently|tonight)\b|现在|目前|当前|오늘|지금|현재)"
    r"|(?P<lately>\brecently\b|\blately\b|最近(?!\s*\d)|近期|최근(?!\s*\d))"
    r"|(?:지난|최근) ?(?P<count>\d{1,4}) ?(?P<korean>일|주|개월|달|년)",
    re.IGNORECASE,
)
_KOREAN: Final = {"일": 1, "주": 7, "개월": 30, "달": 30, "년": 365}
_BY: Final = {"last": -1, "previous": -1, "next": 1, "coming": 1}
_UNIT_OF: Final = {"wtd": "week", "mtd": "month", "qtd": "quarter", "ytd": "year"}


class Period(Record):
    """A time that a query asks about: its words, and the days from ``start`` to ``end``, both included (UTC).

    ``start`` is None where only the end is said ("by end of this month" has its end ahead).
    """

    written: str
    start: date | None = None
    end: date | None = None


def find_periods(text: str, today: date) -> tuple[Period, ...]:
    """The times that a text names, in its order; what overlaps a longer one is left out.

    Args:
        text: in any case.
        today: the day from which words such as "this week" count.
    """
    flat = flatten(text)
    found = [*_of_calendar(flat, today), *_read(flat, today)]
    found.sort(key=lambda each: (each[0] - each[1], each[0]))
    kept: list[tuple[int, int, date | None, date | None]] = []
    for each in found:
        if all(each[1] <= other[0] or each[0] >= other[1] for other in kept):
            kept.append(each)
    return tuple(
        Period(written=text[start:end].strip(), start=first, end=last)
        for start, end, first, last in sorted(kept, key=lambda each: each[:2])
    )


def _read(flat: str, today: date) -> Iterator[tuple[int, int, date | None, date | None]]:
    """What the reader of periods finds, as days."""
    now = datetime(today.year, today.month, today.day, tzinfo=UTC)
    for period in read_periods(flat, now):
        name = period.name
        if period.days:
            yield (period.start, period.end, *period.days[0])
        elif match := _WINDOW.fullmatch(name):
            days = -(-int(match[1]) // 24) if match[2] == "h" else int(match[1])
            if 0 < days <= _MOST_DAYS:
                yield period.start, period.end, today - timedelta(days=days), today
        elif name.startswith("--Q"):
            yield (period.start, period.end, *_part("quarter", date(today.year, 3 * int(name[3:]) - 2, 1), 0))
        elif unit := _UNIT_OF.get(name):
            yield period.start, period.end, _part(unit, today, 0)[0], today


def _of_calendar(flat: str, today: date) -> Iterator[tuple[int, int, date | None, date | None]]:
    for match in _CALENDAR.finditer(flat):
        first: date | None
        if match["unit"]:
            by = _BY.get(match["way"].lower(), 0)
            if match["way"].lower() == "the" and not match["until"]:
                continue
            first, last = _part(match["unit"].lower(), today, by)
            if match["until"]:
                first = None
            elif not by:
                last = today
        else:
            back = (
                int(match["count"]) * _KOREAN[match["korean"]]
                if match["count"]
                else 30
                if match["lately"]
                else 0
            )
            if back > _MOST_DAYS:
                continue
            first, last = today - timedelta(days=back), today
        yield (*match.span(), first, last)


def _part(unit: str, day: date, by: int) -> tuple[date, date]:
    """The first and last day of the week, month, quarter or year of a day, or of one so many further on."""
    if unit == "week":
        monday = day - timedelta(days=day.weekday()) + timedelta(weeks=by)
        return monday, monday + timedelta(days=6)
    length = {"month": 1, "quarter": 3, "year": 12}[unit]
    months = day.year * 12 + (day.month - 1) // length * length + by * length
    first, after = (date(each // 12, each % 12 + 1, 1) for each in (months, months + length))
    return first, after - timedelta(days=1)


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
    told = f"of {stamp(moment)}, later than the question" if old == "ahead of now" else f"{old} old"
    return (
        f"Time: now is {stamp(now)}; the data of {source} are {told}. Say their date with every value, and "
        "say so where they are older than the time that is asked about."
    )
