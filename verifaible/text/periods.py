"""Periods in a text: days, months, quarters, halves and years by their days; windows by their length.

``3Q25``, ``2025年第三季度`` and ``July to September 2025`` are one span of days. A window (``24h``, ``past
week``) is no date, and a change over it is never the change over another. A fiscal quarter is read as one of
the calendar, since no sentence tells which months it has; ``fiscal`` says so.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Final, TypeAlias

from verifaible.text.dates import DateValue, find_dates, month_number
from verifaible.text.flat import flatten
from verifaible.text.numerals import EN_VALUES, EN_WORDS, parse_zh

#: First and last day.
Days: TypeAlias = tuple[date, date]


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of time that a text names, at ``text[start:end]``.

    Attributes:
        days: its first and last day, one pair for each reading; none for a window and for what has no year.
        name: of a window its length in hours or days (``24h``, ``7d``), or its word (``ytd``, ``yoy``);
            of a date without a year what it states (``--Q3``, ``--10-17``); else empty.
        fiscal: the text says that it is of a fiscal year.
    """

    start: int
    end: int
    days: tuple[Days, ...] = ()
    name: str = ""
    fiscal: bool = False

    @property
    def dated(self) -> bool:
        """Whether it is on the calendar, with or without its year."""
        return bool(self.days) or self.name.startswith("--")


# --- spans of the calendar

_Y: Final = r"(?P<y>(?:19|20)\d\d|\d\d)"
_FULL: Final = r"(?P<y>(?:19|20)\d\d)"
_END: Final = r"(?![\d%]|[.,]\d)"
_FISCAL: Final = r"(?P<f>(?:FY|CY) ?'?|(?:the )?(?:fiscal|financial|calendar)(?: year)? (?:FY ?)?'?)"
_PARTS: Final = {
    **{"first": 1, "second": 2, "third": 3, "fourth": 4, "final": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4},
    **{"一": 1, "二": 2, "三": 3, "四": 4, "上": 1, "下": 2},
}
_Q: Final = rf"(?P<q>{'|'.join(_PARTS)})"
_M: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
#: Quarters, halves and the first nine months, as English and Chinese reports write them: CLDR has names of
#: quarters alone, which :mod:`verifaible.text.dates` reads.
_SPANS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<!\w)(?P<k>[QH])(?P<q>[1-4])(?:[ ,-]{{0,2}}(?:of |in )?(?:{_FISCAL}|')|/| (?:of |in )?(?=(?:19"
        rf"|20)\d\d)){_Y}{_END}",
        rf"(?<![\w.,$])(?P<q>[1-4])(?P<k>[QH])(?:'|[ -]?(?:of )?(?P<f>FY|CY) ?'?|(?=\d\d(?!\d))"
        rf"|[ -]?(?:of )?(?=(?:19|20)\d\d)){_Y}{_END}",
        rf"(?<![\w.,])(?:{_FISCAL}{_Y}[ -]?|(?P<y2>\d\d)|(?P<y3>(?:19"
        rf"|20)\d\d) ?-?)(?P<k>[QH])(?P<q>[1-4])(?!\w)",
        rf"(?<!\w)(?P<f>fiscal )(?P<k>[QH])(?P<q>[1-4])(?: of| in)? {_FULL}{_END}",
        rf"(?<!\w)(?P<f>fiscal |financial )?{_Q}[ -](?P<k>quarter|half)(?:,? (?:of|in"
        rf"|for))? (?:{_FISCAL.replace('<f>', '<f2>')}{_Y}|(?P<y2>(?:19|20)\d\d)){_END}",
        rf"(?<!\w)(?:(?P<f>FY|fiscal ){_Y}|(?P<y2>(?:19|20)\d\d)(?:'s)?(?: fiscal)?) {_Q}[ -](?P<k>quarter"
        rf"|half)\b",
        rf"(?<!\d){_Y}\s?(?P<f>财年|财政年度|年度)\s?(?:第?{_Q}\s?(?P<k>季)度?|Q(?P<q2>[1-4]))",
        rf"(?<!\d){_FULL}\s?年?\s?(?:第)?{_Q}\s?(?P<k>季)度",
        rf"(?<!\d){_Y}\s?(?:年|(?P<f>财年|财政年度|年度))\s?(?P<q>[上下])(?P<k>半)年?",
    )
)
_NINE: Final = re.compile(
    rf"(?:\b(?:first|1st) (?:(?:nine|9) months|three quarters)(?:,? (?:of|in))?(?: {_FISCAL})? {_FULL}{_END}"
    rf"|(?<![\w.])9M ?'?(?:FY ?)?(?P<y3>(?:19|20)\d\d|\d\d){_END}"
    r"|(?P<y5>(?:19|20)\d\d)\s?年?前(?:三季度|三个季度|3个季度|九个月|9个月))",
    re.IGNORECASE,
)
_MONTHS_OF: Final = re.compile(
    rf"(?<!\w)(?P<m>{_M})\.? ?(?:-|to|through|—) ?(?P<m2>{_M})\.?,? {_FULL}{_END}"
    r"|(?P<y2>(?:19|20)\d\d)\s?年\s?(?P<m3>1[0-2]|[1-9])月?\s?[-~至到]\s?(?P<m4>1[0-2]|[1-9])\s?月份?",
    re.IGNORECASE,
)
_HALF_ALONE: Final = re.compile(r"(?<!\w)(?:H(?P<q>[12])|(?P<w>first|second) half)(?!\w)", re.IGNORECASE)
_YEAR_OF: Final = re.compile(
    r"(?<!\w)(?:FY ?'?|fiscal (?:year )?)(?P<y>20\d\d|19\d\d|\d\d)(?!\d)|(?<!\d)(?P<y2>20\d\d|\d\d)\s?(?:财年"
    r"|财政年度)",
    re.IGNORECASE,
)
_DAY: Final = re.compile(
    rf"(?<![\w.,])(?P<d>\d{{1,2}})(?P<sep>[ -])(?P<m>{_M})\.?(?P=sep)'?{_Y}{_END}(?!-)(?! ?[a-z$])"
    rf"|(?<!\w)(?P<m2>{_M})\.? (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?,? '(?P<y2>\d\d){_END}"
    rf"|(?<!\w)(?P<m3>{_M})\.? ?'(?P<y3>\d\d){_END}",
    re.IGNORECASE,
)
_SLASHED: Final = re.compile(r"(?<![\d/.,])(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<y>\d\d)(?![\d/])")
_MONTH_END: Final = re.compile(rf"\b(?:the )?end of (?P<m>{_M})\b(?! \d)(?:,? (?P<y>20\d\d))?", re.IGNORECASE)
_MONTH_ALONE: Final = re.compile(
    rf"\b(?i:in|of|from|for|during|by|since|until|through|to|late|early|last) (?P<m>(?i:{_M}))\b(?! \d)"
)
_YEAR: Final = re.compile(
    r"(?<![\d.,$€£¥_/-])(?:19|20)\d{2}(?![\d%xX_万亿千百]|[.,/]\d|-\d{3}| ?(?:USD|BTC|ETH|tokens|users))"
)


def _months(year: int, first: int, last: int) -> Days:
    return date(year, first, 1), date(year, last, monthrange(year, last)[1])


def _found(match: re.Match[str], name: str) -> str:
    """What the groups of a name, numbered on where one pattern has several, hold."""
    return next(
        (value for group, value in match.groupdict().items() if value and group.rstrip("0123456789") == name),
        "",
    )


def _year(match: re.Match[str]) -> int:
    year = int(_found(match, "y"))
    return year + 2000 if year < 100 else year


def _month(word: str) -> int:
    return int(word) if word.isdigit() else month_number(word)


def _calendar(flat: str) -> Iterator[Period]:
    for match in _NINE.finditer(flat):
        yield Period(*match.span(), (_months(_year(match), 1, 9),), fiscal=bool(_found(match, "f")))
    for pattern in _SPANS:
        for match in pattern.finditer(flat):
            half = _found(match, "k").lower() in ("h", "half", "半")
            part, length = _part(_found(match, "q")), 6 if half else 3
            if half and _found(match, "q").lower() == "final":
                part = 2
            if part * length <= 12:
                days = _months(_year(match), part * length - length + 1, part * length)
                yield Period(*match.span(), (days,), fiscal=bool(_found(match, "f")))
    for match in _MONTHS_OF.finditer(flat):
        first, last = _month(match["m"] or match["m3"]), _month(match["m2"] or match["m4"])
        if first < last:
            yield Period(*match.span(), (_months(_year(match), first, last),))
    yield from _days(flat)
    for match in _HALF_ALONE.finditer(flat):
        yield Period(*match.span(), name=f"--H{match['q'] or (1 if match['w'].lower() == 'first' else 2)}")
    for match in _YEAR_OF.finditer(flat):
        yield Period(*match.span(), (_months(_year(match), 1, 12),), fiscal=True)


def _part(word: str) -> int:
    return int(word) if word.isdigit() else _PARTS[word.lower()]


def _days(flat: str) -> Iterator[Period]:
    """Days with a year of two digits, ends of months, and months without a year."""
    for match in _DAY.finditer(flat):
        month, day = _month(_found(match, "m")), _found(match, "d")
        if day:
            yield from _day(match, [(_year(match), month, int(day))])
        else:
            yield Period(*match.span(), (_months(_year(match), month, month),))
    for match in _SLASHED.finditer(flat):
        a, b, year = int(match["a"]), int(match["b"]), 2000 + int(match["y"])
        yield from _day(match, [(year, a, b), (year, b, a)])
    for match in _MONTH_END.finditer(flat):
        month, year = _month(match["m"]), int(match["y"] or 0)
        last = monthrange(year or 2025, month)[1]
        if year:
            yield from _day(match, [(year, month, last)])
        else:
            yield Period(*match.span(), name=f"--{month:02}-{last}")
    for match in _MONTH_ALONE.finditer(flat):
        if not re.match(r",? (?:19|20)\d\d", flat[match.end() :]):
            yield Period(*match.span("m"), name=f"--{_month(match['m']):02}")


def _day(match: re.Match[str], readings: list[tuple[int, int, int]]) -> Iterator[Period]:
    found = {date(*each) for each in readings if DateValue(*each).exists}
    if found:
        yield Period(*match.span(), tuple((day, day) for day in sorted(found)))


def days_of(value: DateValue) -> Days | None:
    """First and last day of a date that states its year; None without one."""
    if value.year is None:
        return None
    if value.quarter:
        return _months(value.year, 3 * value.quarter - 2, 3 * value.quarter)
    if value.month is None:
        return _months(value.year, 1, 12)
    if value.third:
        last = monthrange(value.year, value.month)[1] if value.third == 3 else value.third * 10
        return date(value.year, value.month, value.third * 10 - 9), date(value.year, value.month, last)
    if value.day:
        day = date(value.year, value.month, value.day)
        return day, day
    return _months(value.year, value.month, value.month)


def _without_year(value: DateValue) -> str:
    if value.quarter:
        return f"--Q{value.quarter}"
    return f"--{value.month:02}" + (
        f"-{value.day:02}" if value.day else f"-{value.third}/3" if value.third else ""
    )


# --- windows

_UNIT_HOURS: Final = {"h": 1, "d": 24, "w": 168, "m": 720, "q": 2184, "y": 8760}
_COUNTS: Final = {word: EN_VALUES[word] for word in EN_WORDS[1:13]} | {
    word: int(parse_zh(word)) for word in "一两三六七十"
}
_N: Final = rf"(?P<n>\d{{1,4}}|{'|'.join(_COUNTS)})"
_UNIT: Final = (
    r"(?P<u>hours?|hrs?|days?|weeks?|wks?|months?|mos?|quarters?|years?|yrs?"
    r"|个?小时|天|日|周|个星期|个月|个季度|年)"
)
_SHORT: Final = r"(?P<u>hrs?|h|d|w|mo|y)"
_PAST: Final = (
    r"(?:\b(?:past|last|previous|prior|trailing|preceding|latest|over|within|in|rolling)(?: (?:the|an?))?"
    r"(?: (?:past|last|previous|prior|trailing))?|过去|最近|近|前)"
)
_MEASURED: Final = (
    r"(?:change|volume|trading|price|high|low|rsi|sma|ema|moving|return|gain|loss|average|decline|drop|rise"
    r"|increase"
    r"|decrease|performance|period|revenue|fees|active|rolling|vwap|inflow|outflow|net|cumulative|annualized"
    r"|total"
    r"|turnover|range|chart|trend|window|apy|apr|tvl|users|liquidations|transactions|exponential|simple)"
)
_WINDOWS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:than|from|versus|vs\.?|compared (?:to|with)) {_N} {_UNIT} (?:ago|earlier|before)\b",
        rf"{_PAST} ?{_N}[ -]?{_UNIT}(?![a-z])",
        rf"(?<![\w.]){_N}[- ]{_UNIT}(?=[ -]{_MEASURED})|(?<![\w.]){_N.replace('<n>', '<n2>')}-"
        rf"{_UNIT.replace('<u>', '<u2>')}(?![a-z])",
        rf"(?<![A-Za-z0-9.$])(?P<n>\d{{1,3}}){_SHORT}(?!\w)",
        rf"(?<![A-Za-z0-9.$])(?P<n>\d{{1,3}}) ?{_UNIT}(?=内|的?(?:上?涨|下?跌|下降|上升|成交|交易|变|收益"
        rf"|波动|最高|最低|均线|累计))",
        rf"(?<![A-Za-z0-9.$]){_N} ?{_UNIT}(?=\s*[:：])",
        r"\b(?:RSI ?\( ?|(?:SMA|EMA|MA|WMA) ?\(? ?)(?P<n>\d{1,3})(?![\d.,]*[%\d]) ?\)?(?P<u>)",
    )
)
_OVER: Final = (
    r"\b(?:past|last|previous|over the|in the|in an?|over an?|over one|in one|one|per)(?: past| last)? "
)
#: Words that are a window on their own.
_NAMED: Final = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("1h", rf"{_OVER}hour\b|\bhourly\b|每小时"),
        ("24h", rf"{_OVER}day\b|\b(?:daily|overnight|day-over-day)\b|单日|每日|日均|日成交"),
        (
            "7d",
            rf"{_OVER}week\b|\b(?:weekly|week[- ](?:over|on)[- ]week|on the week|w/w|wow)\b|上周|(?:过去"
            rf"|近)一周|每周"
            rf"|周(?=成交|涨|跌)",
        ),
        (
            "30d",
            rf"{_OVER}month\b|\b(?:monthly|on the month)\b|上个月|(?:过去|近)一个月|每月|月(?=成交|涨|跌)",
        ),
        ("91d", rf"{_OVER}quarter\b|\bquarterly\b|上季度|每季度"),
        (
            "365d",
            rf"{_OVER.replace('|last|', '|')}year\b|\b(?:annual(?:ly)?|yearly|TTM|LTM)\b|\bp\.?a\.?(?=\s)"
            rf"|(?:过去|近)一年|每年|全年|年度|滚动十二个月",
        ),
        ("180d", r"(?:过去|最近|近)半年"),
        ("14d", r"\bfortnight(?:ly)?\b|(?:过去|最近|近)两周"),
        ("qtd", r"\bq(?:uarter[- ]to[- ]date|td)\b|本季度以来"),
        (
            "ytd",
            r"\b(?:year[- ]to[- ]date|ytd|so far this year|since the start of the year)\b|年初至今|今年以来",
        ),
        ("mtd", r"\b(?:month[- ]to[- ]date|mtd)\b|本月以来"),
        ("annualized", r"\bannuali[sz]ed\b|年化"),
        ("yoy", r"\b(?:year[- ](?:over|on)[- ]year|yoy|y/y)\b|同比"),
        ("qoq", r"\b(?:quarter[- ](?:over|on)[- ]quarter|qoq|q/q)\b"),
        ("mom", r"\b(?:month[- ](?:over|on)[- ]month|mom|m/m)\b"),
        ("on-period", r"环比"),
        ("all", r"\b(?:cumulative|lifetime|since inception|since launch|to date)\b|累计|上线以来"),
        ("this-week", r"\bthis week\b|本周"),
        ("this-month", r"\bthis month\b|本月"),
        ("this-quarter", r"\bthis quarter\b|本季度"),
        ("this-year", r"\bthis year\b|今年"),
        ("last-year", r"\blast year\b|去年"),
    )
)
_RELATIVE: Final = (
    (re.compile(r"\b(?:today|as of now|right now)\b|今天|今日|当日", re.IGNORECASE), 0),
    (re.compile(r"\byesterday\b|昨天|昨日", re.IGNORECASE), -1),
    (re.compile(r"\btomorrow\b|明天|明日", re.IGNORECASE), 1),
)
#: Units of time by their first letter; a bare number, as in RSI(14), is of days.
_LETTERS: Final = {
    "小": "h",
    "天": "d",
    "日": "d",
    "": "d",
    "周": "w",
    "星": "w",
    "月": "m",
    "季": "q",
    "年": "y",
}


def _windows(flat: str) -> Iterator[Period]:
    for pattern in _WINDOWS:
        for match in pattern.finditer(flat):
            word, unit = _found(match, "n").lower(), _found(match, "u").lower().removeprefix("个")
            count = _COUNTS[word] if word in _COUNTS else int(word)
            letter = _LETTERS.get(unit[:1], unit[:1])
            hours = 8760 if letter == "m" and count == 12 else count * _UNIT_HOURS[letter]
            name = f"{hours}h" if letter == "h" or hours == 24 else f"{hours // 24}d"
            yield Period(*match.span(), name=name)
    for name, pattern in _NAMED:
        for match in pattern.finditer(flat):
            yield Period(*match.span(), name=name)


@lru_cache(maxsize=256)
def find_periods(text: str, at: datetime | None = None, language: str = "") -> tuple[Period, ...]:
    """The periods of a text, in order; none overlaps another.

    ``at``: when "today" is; where it is unknown, such words are no dates. ``language``: of the
    names of months, as a primary subtag; empty: as the text tells.
    """
    flat = flatten(text)
    found: list[Period] = []
    for period in (*_calendar(flat), *_stated(text, language), *_windows(flat), *_years_and_days(flat, at)):
        if not any(each.start < period.end and period.start < each.end for each in found):
            found.append(period)
    return tuple(sorted(found, key=lambda period: period.start))


def _stated(text: str, language: str) -> Iterator[Period]:
    for mention in find_dates(text, language):
        if mention.precision == "year" and not re.search(r"\d{4}|元|\d年", mention.raw):
            continue
        days = tuple(span for value in mention.readings if (span := days_of(value)))
        yield Period(mention.start, mention.end, days, "" if days else _without_year(mention.readings[0]))


def _years_and_days(flat: str, at: datetime | None) -> Iterator[Period]:
    for match in _YEAR.finditer(flat):
        yield Period(*match.span(), (_months(int(match[0]), 1, 12),))
    for pattern, distance in _RELATIVE:
        for match in pattern.finditer(flat):
            if at is not None:
                day = at.date() + timedelta(days=distance)
                yield Period(*match.span(), ((day, day),))
            elif distance:
                yield Period(*match.span(), name=f"today{distance:+d}")
