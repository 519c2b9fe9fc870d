"""The times that a query asks about, as days: ``today``, ``last 30 days``, ``end of this month``."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Final, TypeAlias

from verifaible.crypto.records import Period
from verifaible.text.dates import DateValue, find_dates

_Days: TypeAlias = tuple[date | None, date | None]
_Rule: TypeAlias = tuple[re.Pattern[str], Callable[[re.Match[str], date], _Days]]
#: Longer spans are no period of a market.
_MOST_DAYS: Final = 20_000
_UNITS: Final = {
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours", "小时", "시간"), 0),
    **dict.fromkeys(("d", "day", "days", "天", "日", "일"), 1),
    **dict.fromkeys(("w", "week", "weeks", "周", "星期", "주"), 7),
    **dict.fromkeys(("month", "months", "mo", "个月", "月", "개월", "달"), 30),
    **dict.fromkeys(("y", "yr", "year", "years", "年", "년"), 365),
}
_NUMBERS: Final = {
    **{"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10},
    **{"twelve": 12, "few": 3, "couple of": 2, "一": 1, "两": 2, "三": 3, "六": 6, "七": 7},
}
_COUNT: Final = rf"(?P<count>\d{{1,4}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_WORDS: Final = r"(?P<unit>hours?|hrs?|days?|weeks?|months?|years?)"


def find_periods(text: str, today: date) -> tuple[Period, ...]:
    """The times that a text names, in its order; what overlaps a longer one is left out.

    Args:
        text: in any case.
        today: the day from which words such as "this week" count.
    """
    found: list[tuple[int, int, _Days]] = []
    text = _SPACES.sub(" ", text)
    for pattern, days in _RULES:
        for match in pattern.finditer(text):
            try:
                found.append((match.start(), match.end(), days(match, today)))
            except (ValueError, OverflowError):
                continue
    for mention in find_dates(text):
        if (span := _dated(mention.readings[0])) is not None:
            found.append((mention.start, mention.end, span))
    found.sort(key=lambda each: (each[0] - each[1], each[0]))
    kept: list[tuple[int, int, _Days]] = []
    for start, end, span in found:
        if all(end <= other[0] or start >= other[1] for other in kept):
            kept.append((start, end, span))
    return tuple(
        Period(written=text[start:end].strip(), start=span[0], end=span[1])
        for start, end, span in sorted(kept)
    )


_SPACES = re.compile(r"[\u00a0\u2000-\u200a\u202f\u205f\u3000]")


def _dated(value: DateValue) -> _Days | None:
    """The days of a date that states its year."""
    if value.year is None or not 1 <= value.year <= 9999:
        return None
    if value.quarter:
        return _quarter(value.year, value.quarter)
    if value.month is None:
        return date(value.year, 1, 1), date(value.year, 12, 31)
    if value.day is None:
        return _month(value.year, value.month)
    try:
        day = date(value.year, value.month, value.day)
    except ValueError:
        return None
    return day, day


def _month(year: int, month: int) -> _Days:
    return date(year, month, 1), date(year, month, monthrange(year, month)[1])


def _quarter(year: int, number: int) -> _Days:
    first = 3 * number - 2
    return date(year, first, 1), _month(year, first + 2)[1]


def _moved(year: int, month: int, by: int) -> tuple[int, int]:
    count = year * 12 + month - 1 + by
    return count // 12, count % 12 + 1


def _span(match: re.Match[str], today: date) -> _Days:
    """The last, or the next, so many units."""
    told = match.groupdict().get("count") or "one"
    count = int(told) if told.isdigit() else _NUMBERS[told.lower()]
    length = _UNITS[match["unit"].lower()]
    days = count * length if length else -(-count // 24)
    if not 0 < days <= _MOST_DAYS:
        raise ValueError
    ahead = (match.groupdict().get("way") or "").lower() in {"next", "coming", "未来", "다음"}
    return (today, today + timedelta(days=days)) if ahead else (today - timedelta(days=days), today)


def _calendar(match: re.Match[str], today: date) -> _Days:
    """This, the last, or the next week, month, quarter or year."""
    way, unit = match["way"].lower(), match["unit"].lower()
    by = {"this": 0, "current": 0, "last": -1, "previous": -1, "next": 1, "coming": 1}[way]
    if unit == "week":
        monday = today - timedelta(days=today.weekday()) + timedelta(weeks=by)
        end = monday + timedelta(days=6)
    elif unit == "month":
        monday, end = _ends(_month(*_moved(today.year, today.month, by)))
    elif unit == "quarter":
        year, month = _moved(today.year, today.month, 3 * by)
        monday, end = _ends(_quarter(year, (month + 2) // 3))
    else:
        monday, end = date(today.year + by, 1, 1), date(today.year + by, 12, 31)
    return monday, min(end, today) if by == 0 else end


def _ends(span: _Days) -> tuple[date, date]:
    start, end = span
    assert start is not None
    assert end is not None
    return start, end


def _named_quarter(match: re.Match[str], today: date) -> _Days:
    year = int(match["year"]) if match["year"] else today.year
    year += 2000 if year < 100 else 0
    return _quarter(year, int(match["number"]))


def _half(match: re.Match[str], today: date) -> _Days:
    year = int(match["year"]) if match["year"] else today.year
    return (
        (date(year, 1, 1), date(year, 6, 30))
        if match["number"] == "1"
        else (date(year, 7, 1), date(year, 12, 31))
    )


def _until(match: re.Match[str], today: date) -> _Days:
    unit = match["unit"].lower()
    ends = {"week": today + timedelta(days=6 - today.weekday()), "year": date(today.year, 12, 31)}
    ends["month"] = _ends(_month(today.year, today.month))[1]
    ends["quarter"] = _ends(_quarter(today.year, (today.month + 2) // 3))[1]
    return None, ends[unit]


def _rule(pattern: str, days: Callable[[re.Match[str], date], _Days]) -> _Rule:
    return re.compile(pattern, re.IGNORECASE), days


def _back(days: int) -> Callable[[re.Match[str], date], _Days]:
    return lambda match, today: (today - timedelta(days=days), today)


_RULES: Final[tuple[_Rule, ...]] = (
    _rule(
        r"\b(?:today|now|right now|currently|at the moment|tonight|this morning|this evening)\b(?:'s)?"
        r"|今天|现在|目前|当前|今日|오늘|지금|현재",
        lambda match, today: (today, today),
    ),
    _rule(
        r"\byesterday\b|昨天|昨日|어제",
        lambda match, today: (today - timedelta(days=1), today - timedelta(days=1)),
    ),
    _rule(r"\brecently\b|\blately\b|最近(?!\s*\d)|近期|최근", _back(30)),
    _rule(
        r"\b(?:over |in |for |during )?(?:the )?(?P<way>last|past|previous|next|coming) "
        rf"{_COUNT}[ -]?{_WORDS}\b",
        _span,
    ),
    _rule(r"\b(?:over |in |during )?(?:the )?past (?P<unit>day|week|month|year)\b", _span),
    _rule(r"(?<![\w.$])(?P<count>\d{1,3})[ -]?(?P<unit>h|d|w|hours?|days?|weeks?)(?![\w%])", _span),
    _rule(
        rf"(?P<way>过去|最近|近|未来)\s*(?:的)?\s*{_COUNT}\s*(?P<unit>小时|天|日|周|星期|个月|月|年)", _span
    ),
    _rule(rf"(?P<way>지난|최근|다음)\s*{_COUNT}\s*(?P<unit>시간|일|주|개월|달|년)", _span),
    _rule(r"本周|这周|이번\s*주", lambda match, today: (today - timedelta(days=today.weekday()), today)),
    _rule(r"本月|这个月|이번\s*달", lambda match, today: (today.replace(day=1), today)),
    _rule(r"今年|올해|\byear[ -]to[ -]date\b|\bytd\b", lambda match, today: (date(today.year, 1, 1), today)),
    _rule(
        r"\b(?P<way>this|current|last|previous|next|coming) (?P<unit>week|month|quarter|year)\b", _calendar
    ),
    _rule(
        r"\b(?:by |until |till )?(?:the )?end of (?:the |this )?(?P<unit>week|month|quarter|year)\b", _until
    ),
    _rule(r"\bQ(?P<number>[1-4])(?:[ ,-]*(?:of )?'?(?P<year>20\d\d|\d\d(?!\d)))?\b", _named_quarter),
    _rule(r"\bH(?P<number>[12])(?:[ ,-]*(?P<year>20\d\d))?\b", _half),
)

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
