"""Periods and dates of a text, by value: ``24h``, ``7d``, ``ytd``, ``2025-10-17``, ``2025-Q3``.

A window (``24h``) and a calendar date (``2025-10``) are different things: a change over a window is never the
change over another one, and a date is met by a finer date inside it.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Final

from verifaible.factcheck.numbers.reported import reported
from verifaible.text.dates import DateValue, find_dates
from verifaible.text.flat import flatten
from verifaible.text.lists import has_any, parted

_UNIT_DAYS: Final = {"h": 0, "d": 1, "w": 7, "m": 30, "q": 91, "y": 365}
_UNITS: Final = {
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours", "小时", "个小时"), "h"),
    **dict.fromkeys(("d", "day", "days", "天", "日"), "d"),
    **dict.fromkeys(("w", "wk", "week", "weeks", "周", "个星期"), "w"),
    **dict.fromkeys(("mo", "mos", "month", "months", "个月", "月"), "m"),
    **dict.fromkeys(("quarter", "quarters", "个季度"), "q"),
    **dict.fromkeys(("y", "yr", "yrs", "year", "years", "年"), "y"),
}
_NUMBERS: Final = {
    **{"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9},
    **{"ten": 10, "eleven": 11, "twelve": 12, "a": 1, "an": 1},
    **{"一": 1, "两": 2, "三": 3, "七": 7, "十": 10},
}
_N: Final = r"(?P<n>\d{1,4}|one|two|three|four|five|six|seven|eight|nine|ten|twelve|一|两|三|七|十)"
_WORD: Final = (
    r"(?P<u>hours?|hrs?|days?|weeks?|wks?|months?|mos?|quarters?|years?|yrs?"
    r"|个?小时|天|日|周|个星期|个月|个季度|年)"
)
_SHORT: Final = r"(?P<u>hrs?|h|d|w|mo|y)"
_PAST: Final = (
    r"(?:\b(?:past|last|previous|prior|trailing|preceding|latest|over|within|in|rolling)"
    r"(?: (?:the|a|an))?(?: (?:past|last|previous|prior|trailing))?|过去|最近|近|前)"
)
_WINDOWS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:than|from|versus|vs\.?|compared (?:to|with)) {_N} {_WORD} (?:ago|earlier|before)\b",
        rf"{_PAST} ?{_N}[ -]?{_WORD}(?![a-z])",
        rf"(?<![\w.]){_N}[- ]{_WORD}(?=[ -](?:change|volume|trading|price|high|low|rsi|sma|ema|moving|return"
        r"|gain|loss|average|decline|drop|rise|increase|decrease|performance|period|revenue|fees|active"
        r"|rolling"
        r"|vwap|inflow|outflow|net|cumulative|annualized|total|turnover|range|chart|trend|window|apy|apr|tvl"
        r"|users|liquidations|transactions|moving|exponential|simple))",
        rf"(?<![\w.]){_N}-{_WORD}(?![a-z])",
        rf"(?<![A-Za-z0-9.$])(?P<n>\d{{1,3}}){_SHORT}(?![\w])",
        rf"(?<![A-Za-z0-9.$])(?P<n>\d{{1,3}}) ?{_WORD}(?=内|的?(?:上?涨|下?跌|下降|上升|成交|交易|变"
        rf"|收益|波动|最高|最低|均线|累计))",
        rf"(?<![A-Za-z0-9.$]){_N} ?{_WORD}(?=\s*[:：])",
        r"\b(?:RSI ?\( ?|(?:SMA|EMA|MA|WMA) ?\(? ?)(?P<n>\d{1,3})(?![\d.,]*[%\d]) ?\)?(?P<u>)",
        rf"(?<=[a-z])[_ ](?P<n>\d{{1,3}}){_SHORT}(?![a-z])",
    )
)
#: Parts of the words of a window, in lower case: without any of them its pattern needs no try.
_ROOTS: Final[dict[str, tuple[str, ...]]] = {
    "1h": ("hour", "时"),
    "24h": ("day", "daily", "overnight", "24/7", "日"),
    "7d": ("week", "w/w", "wow", "周"),
    "30d": ("month", "月"),
    "91d": ("quarter", "季"),
    "365d": ("year", "annual", "p.a", "pa ", "tm", "滚动", "年"),
    "180d": ("半年",),
    "14d": ("fortnight", "两周"),
    "qtd": ("qtd", "quarter", "本季"),
    "annualized": ("annuali", "年化"),
    "yoy": ("year", "yoy", "y/y", "同比"),
    "qoq": ("qoq", "quarter", "q/q"),
    "mom": ("mom", "month", "m/m"),
    "on-period": ("环比",),
    "ytd": ("year", "ytd", "年"),
    "mtd": ("month", "mtd", "本月"),
    "all": ("cumul", "lifetime", "inception", "launch", "to date", "累计", "上线"),
    "this-week": ("this week", "本周"),
    "this-month": ("this month", "本月"),
    "this-quarter": ("this quarter", "本季"),
    "this-year": ("this year", "今年"),
    "last-year": ("last year", "去年"),
}
#: Words that are a window on their own.
# fmt: off
_NAMED: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), window, _ROOTS[window])
    for pattern, window in (
        (r"\b(?:(?:past|last|previous|over the|in the|in a) (?:last |past )?)hour\b|\bhourly\b|每小时", "1h"),
        (r"\b(?:past|last|in the last|over the|in the past|in a|in one|over one) day\b|\bdaily\b"
         r"|\bper day\b"
         r"|\bday-over-day\b|\bovernight\b|\b24/7 volume\b|单日|每日|日均|日成交", "24h"),
        (r"\b(?:past|last|previous|over the|in the|in a|over a|one|per) (?:past |last )?week\b|\bweekly\b"
         r"|\bweek[- ](?:over|on)[- ]week\b|\bon the week\b|\bw/w\b"
         r"|上周|过去一周|近一周|每周|周(?=成交|涨|跌)", "7d"),
        (r"\b(?:past|last|previous|over the|in the|in a|over a|one|per) (?:past |last )?month\b"
         r"|\bmonthly\b|\bon the month\b"
         r"|上个月|过去一个月|近一个月|每月|月(?=成交|涨|跌)", "30d"),
        (r"\b(?:past|last|previous|per|over the|in the) (?:past |last )?quarter\b|\bquarterly\b"
         r"|上季度|每季度", "91d"),
        (r"\b(?:past|previous|over the|over one|one|in one|per) (?:past |last )?year\b|\bannual\b"
         r"|\byearly\b"
         r"|\bannually\b|\bp\.?a\.?(?=\s)|过去一年|近一年|每年|全年|年度", "365d"),
        (r"\b(?:TTM|LTM)\b|滚动十二个月", "365d"),
        (r"(?:过去|最近|近)半年", "180d"),
        (r"\bfortnight(?:ly)?\b|(?:过去|最近|近)两周", "14d"),
        (r"\bwow\b", "7d"),
        (r"\bq(?:uarter[- ]to[- ]date|td)\b|本季度以来", "qtd"),
        (r"\bannuali[sz]ed\b|年化", "annualized"),
        (r"\b(?:year[- ]over[- ]year|year[- ]on[- ]year|yoy|y/y)\b|同比", "yoy"),
        (r"\b(?:quarter[- ]over[- ]quarter|quarter[- ]on[- ]quarter|qoq|q/q)\b", "qoq"),
        (r"\b(?:month[- ]over[- ]month|month[- ]on[- ]month|mom|m/m)\b", "mom"),
        (r"环比", "on-period"),
        (r"\b(?:year[- ]to[- ]date|ytd|so far this year|since the start of the year)\b|年初至今|今年以来",
         "ytd"),
        (r"\b(?:month[- ]to[- ]date|mtd)\b|本月以来", "mtd"),
        (r"\b(?:cumulative|lifetime|since inception|since launch|to date)\b|累计|上线以来", "all"),
        (r"\bthis week\b|本周", "this-week"),
        (r"\bthis month\b|本月", "this-month"),
        (r"\bthis quarter\b|本季度", "this-quarter"),
        (r"\bthis year\b|今年", "this-year"),
        (r"\blast year\b|去年", "last-year"),
    )
)
# fmt: on
#: Without any of them no named window needs a try.
_NAMED_ROOTS: Final = tuple(dict.fromkeys(root for _, _, roots in _NAMED for root in roots))
_RELATIVE: Final = (
    (re.compile(r"\b(?:today|as of now|right now)\b|今天|今日|当日", re.IGNORECASE), 0),
    (re.compile(r"\byesterday\b|昨天|昨日", re.IGNORECASE), -1),
    (re.compile(r"\btomorrow\b|明天|明日", re.IGNORECASE), 1),
)
_DIGIT = re.compile(r"\d")
_DAYS: Final = ("today", "now", "yesterday", "tomorrow", *"今当昨明")
_HALF = re.compile(
    r"(?<!\w)(?:H(?P<h>[12])(?: ?(?:of )?(?P<y>20\d\d|19\d\d))?(?!\w)|(?P<y2>20\d\d) ?H(?P<h2>[12])(?!\w)"
    r"|(?P<w>first|second) half(?: of)?(?: (?P<y3>20\d\d))?|(?P<y4>20\d\d) ?年?(?P<z>[上下])半年)",
    re.IGNORECASE,
)
_HALVES: Final = {"f": "1", "s": "2", "上": "1", "下": "2"}
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
#: A month without a day, and the end of one.
_MONTH = re.compile(
    r"\b(?i:(?P<last>(?:the )?end of )|(?:in|of|from|for|during|by|since|until|through|to|late|early|last) )"
    rf"(?P<m>{'|'.join(_MONTHS)})\b(?! \d{{1,2}}(?:st|nd|rd|th)?\b)(?:,? (?P<y>20\d\d))?"
)
_FISCAL = re.compile(
    r"(?<!\w)(?:FY ?'?|fiscal (?:year )?)(?P<y>20\d\d|19\d\d|\d\d)(?!\d)"
    r"|(?<!\d)(?P<y2>20\d\d|\d\d)\s?(?:财年|财政年度)",
    re.IGNORECASE,
)
_YEAR = re.compile(
    r"(?<![\d.,$€£¥_/-])(?:19|20)\d{2}(?![\d%xX_万亿千百]|[.,/]\d|-\d{3}| ?(?:USD|BTC|ETH|tokens|users))"
)
_ISO = re.compile(r"(?<![\d-])(20\d\d)-(\d\d)-(\d\d)(?=T\d\d:)")
#: Parts of what is a period, in lower case, where there is no digit.
_CHEAP: Final = (
    *parted("hour|day|dai|week|month|quarter|year|annual|ytd|yoy|qoq|mom|mtd|cumul|lifetime|to date|since"),
    *parted("now|tomorrow|overnight|half|/w|/m|/q|/y|p.a|pa|ttm|ltm|fortnight|wow|qtd"),
    *(month.lower() for month in _MONTHS),
    *"年月日周天季时度今昨明半",
    *("累计", "上线", "同比", "环比", "以来", "过去"),
)


@dataclass(frozen=True, slots=True)
class Period:
    """A window or a date in a text. ``dated``: whether it is on the calendar."""

    start: int
    end: int
    value: str
    dated: bool


#: What every window with a number has, in lower case.
_COUNTED: Final = re.compile(
    r"(?:\d|one|two|three|four|five|six|seven|eight|nine|ten|twelve|[一两三七十])"
    r"[ -]?(?:[hdwmyq个天日周月年]|小时)"
    r"|(?:rsi|ma) ?\(? ?\d"
)


@lru_cache(maxsize=2048)
def find_periods(text: str, at: datetime | None = None) -> tuple[Period, ...]:
    """The periods and dates of a text, in order. ``at``: what "today" is; unknown, it is no date."""
    lowered = text.lower()
    if not _DIGIT.search(text) and not has_any(lowered, _CHEAP):
        return ()
    flat = flatten(text)
    found: list[Period] = []
    for period in (
        *_dates(flat, text, lowered),
        *_windows(flat, lowered),
        *_years_and_days(flat, lowered, at),
    ):
        if not any(each.start < period.end and period.start < each.end for each in found):
            found.append(period)
    return tuple(sorted(found, key=lambda period: period.start))


def _dates(flat: str, text: str, lowered: str) -> Iterator[Period]:
    """Dates by day, month, quarter, half and fiscal year."""
    for match in _ISO.finditer(flat):
        yield Period(*match.span(), match[0], True)
    for start, end, value in reported(flat, lowered):
        yield Period(start, end, value, True)
    for match in _HALF.finditer(flat):
        half = match["h"] or match["h2"] or _HALVES.get((match["w"] or match["z"] or "")[:1].lower(), "")
        year = match["y"] or match["y2"] or match["y3"] or match["y4"] or ""
        yield Period(*match.span(), f"{year}-H{half}".removeprefix("-"), True)
    for match in _FISCAL.finditer(flat):
        year = match["y"] or match["y2"]
        yield Period(*match.span(), year if len(year) == 4 else "20" + year, True)
    for match in _MONTH.finditer(flat):
        month, year = _MONTHS.index(match["m"]) + 1, match["y"] or ""
        if match["last"]:
            day = monthrange(int(year or 2025), month)[1]
            yield Period(*match.span(), f"{year or '-'}-{month:02}-{day:02}", True)
        elif not year:
            yield Period(*match.span("m"), f"--{month:02}", True)
    for mention in find_dates(text):
        if mention.precision != "year" or re.search(r"\d{4}", mention.raw):
            values = sorted({_written(value) for value in mention.readings})
            yield Period(mention.start, mention.end, "|".join(values), True)


def _windows(flat: str, lowered: str) -> Iterator[Period]:
    """Windows with a number, then those that are a word."""
    if _COUNTED.search(lowered):
        for pattern in _WINDOWS:
            for match in pattern.finditer(flat):
                yield Period(*match.span(), _window(match), False)
    for pattern, value, roots in _NAMED if has_any(lowered, _NAMED_ROOTS) else ():
        for match in pattern.finditer(flat) if has_any(lowered, roots) else ():
            yield Period(*match.span(), value, False)


def _years_and_days(flat: str, lowered: str, at: datetime | None) -> Iterator[Period]:
    """Years alone, and days by their distance from ``at``."""
    for match in _YEAR.finditer(flat):
        yield Period(*match.span(), match[0], True)
    for pattern, days in _RELATIVE if has_any(lowered, _DAYS) else ():
        for match in pattern.finditer(flat):
            if at is not None:
                yield Period(*match.span(), (at.date() + timedelta(days=days)).isoformat(), True)
            elif days:
                yield Period(*match.span(), f"today{days:+d}", False)


def _window(match: re.Match[str]) -> str:
    number = match["n"].lower()
    count = _NUMBERS.get(number) or int(number)
    unit = _UNITS.get(match["u"].lower(), "d")
    if unit == "h":
        return f"{count}h"
    days = count * _UNIT_DAYS[unit] if not (unit == "m" and count == 12) else 365
    return "24h" if days == 1 else f"{days}d"


def _written(value: DateValue) -> str:
    year = str(value.year) if value.year else ""
    if value.quarter:
        return f"{year}-Q{value.quarter}".removeprefix("-")
    if value.month is None:
        return year
    day = f"-{value.day:02d}" if value.day else f"-{value.third}/3" if value.third else ""
    return f"{year}-{value.month:02d}{day}" if year else f"--{value.month:02d}{day}"


def implies(found: str, wanted: str) -> bool:
    """Whether a date, as :func:`find_periods` writes it, is, or lies inside, another one."""
    return any(_inside(one, other) for one in found.split("|") for other in wanted.split("|"))


def _inside(found: str, wanted: str) -> bool:
    year, _, rest = wanted.partition("-")
    if found == wanted:
        return True
    if not year:  # a day or a month without its year
        return (
            found.endswith(wanted[1:]) or found[4:].startswith(wanted[1:]) or found.startswith(f"{wanted}-")
        )
    if not found.startswith(year):
        return False
    month, quarter = re.match(r"\d{4}-(\d\d)", found), re.match(r"\d{4}-Q(\d)", found)
    if rest[:1] == "Q" and month:
        return (int(month[1]) + 2) // 3 == int(rest[1])
    if rest[:1] == "H":
        half = (int(month[1]) + 5) // 6 if month else (int(quarter[1]) + 1) // 2 if quarter else 0
        return half == int(rest[1])
    return not rest or found.startswith(wanted + "-")


def days_of(value: str) -> tuple[date, date] | None:
    """First and last day of a date with a year, or None for a window or a date without one."""
    match = re.fullmatch(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", value.split("|", maxsplit=1)[0])
    if not match:
        return None
    year, month, day = (int(part) if part else None for part in match.groups())
    assert year is not None
    first = date(year, month or 1, day or 1)
    if day:
        return first, first
    last = date(year + 1, 1, 1) if not month or month == 12 else date(year, month + 1, 1)
    return first, last - timedelta(days=1)


def agree(wanted: Iterable[str], found: Iterable[str]) -> bool:
    """Whether every date of one set is, or contains, a date of the other."""
    there = tuple(found)
    return all(any(implies(each, want) for each in there) for want in wanted)
