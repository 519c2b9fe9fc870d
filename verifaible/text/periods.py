"""Periods in a text: days, months, quarters, halves and years by their days; windows by their length.

``3Q25``, ``2025年第三季度`` and ``July to September 2025`` are one span of days. A window (``24h``, ``past
week``) is no date, and a change over it is never the change over another. A fiscal quarter is read as one of
the calendar, since no sentence tells which months it has; ``fiscal`` says so.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache, lru_cache
from itertools import groupby
from typing import Final, TypeAlias

from verifaible.text.dates import ORDINALS, DateValue, find_dates, full_year, month_number, month_words
from verifaible.text.flat import flatten
from verifaible.text.numerals import EN_SUB100, EN_VALUES, parse_zh
from verifaible.text.words import DATA, any_of

#: First and last day.
Days: TypeAlias = tuple[date, date]


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of time that a text names, at ``text[start:end]``.

    Attributes:
        days: its first and last day, one pair for each reading; none for a window and for what has no year.
        name: of a window its length in hours or days (``24h``, ``7d``), or its word (``ytd``, ``yoy``);
            of a date without a year what it states (``--Q3``, ``--10-17``, ``--10-17/22``); else empty.
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

_END: Final = r"(?![\d%]|[.,]\d)"
_FULL: Final = r"(?P<y>(?:19|20)\d\d)"
_FISCAL: Final = r"(?P<f>(?:FY|CY) ?'?|(?:the )?(?:fiscal|financial|calendar)(?: year)? (?:FY ?)?'?)"
#: A year of two digits says that it is one, by an apostrophe or as a fiscal year.
_YEAR: Final = rf"(?:{_FISCAL}(?P<y2>(?:19|20)?\d\d)|'(?P<y3>\d\d)|{_FULL}){_END}"
_PART: Final = rf"(?P<q>{'|'.join(ORDINALS)})"
_FISCAL_ZH: Final = r"(?P<f>财年|财政年度|年度)"
#: Quarters, halves and the first nine months, as English and Chinese reports write them: CLDR has names of
#: quarters alone, which :mod:`verifaible.text.dates` reads.
_SPANS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<!\w)(?P<f2>fiscal )?(?P<k>[QH])(?P<q>[1-4])(?:/(?P<y4>(?:19|20)?\d\d){_END}"
        rf"|[ ,-]{{0,2}}(?:(?:of|in) )?{_YEAR})",
        rf"(?<![\w.,$])(?P<q>[1-4])(?P<k>[QH])(?:(?P<y4>\d\d){_END}|[ -]?(?:of )?{_YEAR})",
        rf"(?<![\w.,])(?:{_FISCAL}(?P<y>(?:19|20)?\d\d)[ -]?|(?P<y2>\d\d)|(?P<y3>(?:19|20)\d\d) ?-?)"
        r"(?P<k>[QH])(?P<q>[1-4])(?!\w)",
        rf"(?<!\w)(?P<f2>fiscal |financial )?{_PART}[ -](?P<k>quarter|half)(?:,? (?:of|in|for))? {_YEAR}",
        rf"(?<!\w)(?:(?P<f>FY|fiscal )(?P<y2>(?:19|20)?\d\d)|{_FULL}(?:'s)?(?P<f2> fiscal)?) {_PART}[ -]"
        r"(?P<k>quarter|half)\b",
        rf"(?<!\d)(?P<y>(?:19|20)?\d\d)\s?{_FISCAL_ZH}\s?(?:第?{_PART}\s?(?P<k>季)度?|Q(?P<q2>[1-4]))",
        rf"(?<!\d){_FULL}\s?年?\s?(?:第)?{_PART}\s?(?P<k>季)度",
        rf"(?<!\d)(?P<y>(?:19|20)?\d\d)\s?(?:年|{_FISCAL_ZH})\s?(?P<q>[上下])(?P<k>半)年?",
        r"\b(?:first|1st) (?P<k>(?:nine|9) months|three quarters)(?:,? (?:of|in))?"
        rf" (?:{_FISCAL})?{_FULL}{_END}",
        rf"(?<![\w.])(?P<k>9M) ?'?(?:FY ?)?(?P<y>(?:19|20)?\d\d){_END}",
        rf"{_FULL}\s?年?前(?P<k>三季度|三个季度|3个季度|九个月|9个月)",
        rf"{_FULL}\s?年\s?(?P<m>1[0-2]|[1-9])月?\s?[-~至到]\s?(?P<n>1[0-2]|[1-9])\s?月份?",
        r"(?<!\w)(?P<f>FY ?'?|fiscal (?:year )?)(?P<y>(?:19|20)?\d\d)(?!\d)",
        r"(?<!\d)(?P<y>(?:20)?\d\d)\s?(?P<f>财年|财政年度)",
    )
)
_NINE_MONTHS_ALONE: Final = re.compile(r"前(?:三季度|三个季度|3个季度|九个月|9个月)")
_HALF_ALONE: Final = re.compile(r"(?<!\w)(?:H(?P<q>[12])|(?P<w>first|second) half)(?!\w)", re.IGNORECASE)
#: From year to year: one stretch, of which a value is none of its single years'.
_YEARS: Final = re.compile(
    rf"\bbetween (?P<a>(?:19|20)\d\d) and (?P<b>(?:19|20)\d\d){_END}"
    r"|\b(?:from|during|over|in) (?P<c>(?:19|20)\d\d) ?(?:to|through|until|-|–|—) ?(?P<d>(?:19|20)\d\d)"
    rf"{_END}"
    r"|(?<!\d)(?P<e>(?:19|20)\d\d)\s?年?\s?[至到~-]\s?(?P<f>(?:19|20)\d\d)\s?年",
    re.IGNORECASE,
)
_YEAR_ALONE: Final = re.compile(
    r"(?<![\d.,$€£¥_/-])(?:19|20)\d{2}(?![\d%xX_万亿千百]|[.,/]\d|-\d{3}| ?(?:USD|BTC|ETH|tokens|users))"
)


@cache
def _of_months() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """From month to month, the end of a month, and a month alone; compiled late, since CLDR names months."""
    month = rf"(?:{'|'.join(month_words(('en',)))})(?![^\W\d_])"
    patterns = (
        rf"(?<!\w)(?P<m>{month})\.? ?(?:-|to|through|—) ?(?P<n>{month})\.?,? {_FULL}{_END}",
        rf"\b(?:the )?end of (?P<m>{month})(?! \d)(?:,? (?P<y>20\d\d))?",
        r"\b(?:in|of|from|for|during|by|since|until|through|to|late|early|last)"
        rf" (?P<m>{month})(?! \d|,? (?:19|20)\d\d)",
    )
    between, end, alone = (re.compile(pattern, re.IGNORECASE) for pattern in patterns)
    return between, end, alone


def _months(year: int, first: int, last: int) -> Days:
    return date(year, first, 1), date(year, last, monthrange(year, last)[1])


def _month(word: str) -> int:
    return int(word) if word.isdigit() else month_number(word)


def _calendar(flat: str) -> Iterator[Period]:
    between, month_end, month_alone = _of_months()
    for pattern in (*_SPANS, between):
        for match in pattern.finditer(flat):
            # groups of one meaning are numbered where a pattern has several
            said = {name[0]: words.lower() for name, words in match.groupdict().items() if words}
            first, last = _part_of_year(said)
            if first < last <= 12:
                year = full_year(int(said["y"]))
                yield Period(*match.span(), (_months(year, first, last),), fiscal="f" in said)
    for match in _NINE_MONTHS_ALONE.finditer(flat):
        yield Period(*match.span(), name="--01/09")
    for match in _HALF_ALONE.finditer(flat):
        yield Period(*match.span(), name=f"--H{match['q'] or (1 if match['w'].lower() == 'first' else 2)}")
    for match in month_end.finditer(flat):
        month = _month(match["m"])
        last = monthrange(int(match["y"] or 2025), month)[1]
        days = date(int(match["y"]), month, last) if match["y"] else None
        yield Period(*match.span(), ((days, days),) if days else (), "" if days else f"--{month:02}-{last}")
    for match in month_alone.finditer(flat):
        yield Period(*match.span("m"), name=f"--{_month(match['m']):02}")


def _years(flat: str, dated: Sequence[Period]) -> Iterator[Period]:
    """From a year to a year, or to a day, month or part of the later one."""
    for match in _YEARS.finditer(flat):
        start, end = match.span()
        first, last = (int(each) for each in match.groups() if each)
        days = (date(first, 1, 1), date(last, 12, 31))
        for each in dated:
            if each.days and start < each.start < end < each.end:
                end, days = each.end, (days[0], each.days[0][1])
        if first < last:
            yield Period(start, end, (days,))


def _part_of_year(said: dict[str, str]) -> tuple[int, int]:
    """The first and the last month that a span names: from month to month, a quarter, a half, or all."""
    if "m" in said:
        return _month(said["m"]), _month(said["n"])
    if "q" not in said:
        return 1, 9 if "k" in said else 12
    size = 6 if said.get("k") in ("h", "half", "半") else 3
    part = 12 // size if said["q"] == "final" else ORDINALS.get(said["q"]) or int(said["q"])
    return size * part - size + 1, size * part


def days_of(value: DateValue) -> Days | None:
    """First and last day of a date that states its year; None without one."""
    if value.year is None:
        return None
    if value.quarter:
        return _months(value.year, 3 * value.quarter - 2, 3 * value.quarter)
    if value.month is None:
        return _months(value.year, 1, 12)
    first, last = _months(value.year, value.month, value.month)
    if value.day:
        first = last = first.replace(day=value.day)
    elif value.third:
        first = first.replace(day=value.third * 10 - 9)
        last = last if value.third == 3 else last.replace(day=value.third * 10)
    return first, last


def _without_year(value: DateValue, last: DateValue | None = None) -> str:
    """What a date without a year states, or a range of days or months of which ``last`` is the end."""
    if value.quarter:
        return f"--Q{value.quarter}"
    day = f"-{value.day:02}" if value.day else f"-{value.third}/3" if value.third else ""
    end = f"/{last.day or last.month:02}" if last else ""
    return f"--{value.month:02}{day}{end}"


_WITHOUT_YEAR: Final = re.compile(
    r"--(?:Q(?P<q>\d)|H(?P<h>\d)|(?P<m>\d\d)(?:/(?P<n>\d\d)|-(?P<third>\d)/3|-(?P<d>\d\d)(?:/(?P<e>\d\d))?)?)"
)


def days_in(period: Period, year: int) -> tuple[Days, ...]:
    """The days of a period; of one that states no year those in ``year``, none where that has no such day."""
    match = _WITHOUT_YEAR.fullmatch(period.name)
    if period.days or not match:
        return period.days
    said = {name: int(digits) for name, digits in match.groupdict().items() if digits}
    if half := said.get("h"):
        return (_months(year, 6 * half - 5, 6 * half),)
    month, day, third = (said.get(each) for each in ("m", "d", "third"))
    ends = [DateValue(year, month, day, third, said.get("q"))]
    if last := said.get("e") or said.get("n"):
        ends.append(DateValue(year, month, last) if day else DateValue(year, last))
    spans = [span for each in ends if each.exists and (span := days_of(each))]
    return ((spans[0][0], spans[-1][1]),) if len(spans) == len(ends) else ()


# --- windows

#: Hours of each unit of time by its first letter; a bare number, as in RSI(14), is of days.
_HOURS: Final = {"h": 1, "d": 24, "w": 168, "m": 720, "q": 2184, "y": 8760, "": 24} | {
    **{"小": 1, "天": 24, "日": 24, "周": 168, "星": 168, "月": 720, "季": 2184, "年": 8760}
}
_ZH_ONE: Final = "[一二两三四五六七八九]"
#: A numeral as a whole: no end of "1,030", "twenty-one" or 三十; 三五 is no single number, 第三 no count.
_N: Final = (
    r"(?P<n>(?<!\d[.,])(?<!第)\d{1,4}"
    rf"|(?<![\w-])(?<!\bhundred )(?<!\bhundred and ){EN_SUB100}"
    r"|(?<![\d〇零一二两三四五六七八九十百千万亿点第几数])"
    rf"(?:(?:{_ZH_ONE}百零?)?(?:{_ZH_ONE}?十{_ZH_ONE}?|{_ZH_ONE})|{_ZH_ONE}百))"
)
_UNIT: Final = (
    r"(?P<u>hours?|hrs?|days?|weeks?|wks?|months?|mos?|quarters?|years?|yrs?"
    r"|个?小时|天|日|周|个星期|个月|个季度|年)"
)
_PAST: Final = (
    r"(?:\b(?:past|last|previous|prior|trailing|preceding|latest|over|within|in|rolling)(?: (?:the|an?))?"
    r"(?: (?:past|last|previous|prior|trailing))?|过去|最近|近|前)"
)
_OVER: Final = (
    r"\b(?:past|last|previous|over the|in the|in an?|over an?|over one|in one|one|per)(?: past| last)? "
)
_WINDOWS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:than|from|versus|vs\.?|compared (?:to|with)) {_N} {_UNIT} (?:ago|earlier|before)\b",
        rf"{_PAST} ?{_N}[ -]?{_UNIT}(?![a-z])",
        rf"(?<![\w.]){_N}(?:-{_UNIT}(?![a-z])|[- ]{_UNIT.replace('<u>', '<u2>')}"
        rf"(?=[ -]{any_of('measured', 'words')}))",
        r"(?<![A-Za-z0-9.$])(?<!\d,)(?P<n>\d{1,3})(?P<u>hrs?|h|d|w|mo|y)(?!\w)",
        rf"(?<![A-Za-z0-9.$]){_N} ?{_UNIT}(?={any_of('measured', 'unspaced')})",
        r"\b(?:RSI ?\( ?|(?:SMA|EMA|MA|WMA) ?\(? ?)(?P<n>\d{1,3})(?![\d.,]*[%\d]) ?\)?(?P<u>)",
    )
)
_NAMED: Final = {
    name: re.compile(any_of("windows", name).replace("{over}", _OVER), re.IGNORECASE)
    for name in DATA["windows"]
}
_RELATIVE: Final = {
    int(distance): re.compile(any_of("relative_days", distance), re.IGNORECASE)
    for distance in DATA["relative_days"]
}


def _count(numeral: str) -> int:
    """The number that :data:`_N` finds."""
    if numeral.isdigit():
        return int(numeral)
    words = re.split("[ -]", numeral)
    return sum(EN_VALUES[word] for word in words) if words[0] in EN_VALUES else int(parse_zh(numeral))


def _windows(flat: str) -> Iterator[Period]:
    for pattern in _WINDOWS:
        for match in pattern.finditer(flat):
            said = {name[0]: words.lower() for name, words in match.groupdict().items() if words}
            unit = said.get("u", "").removeprefix("个")[:1]
            count = _count(said["n"])
            hours = 8760 if unit in ("m", "月") and count == 12 else count * _HOURS[unit]
            named = f"{hours}h" if _HOURS[unit] == 1 or hours == 24 else f"{hours // 24}d"
            yield Period(*match.span(), name=named)
    for name, words in _NAMED.items():
        for match in words.finditer(flat):
            yield Period(*match.span(), name=name)


@lru_cache(maxsize=256)
def find_periods(text: str, at: datetime | None = None, language: str = "") -> tuple[Period, ...]:
    """The periods of a text, in order; none overlaps another.

    ``at``: when "today" is; where it is unknown, such words are no dates. ``language``: of the
    names of months, as a primary subtag; empty: as the text tells.
    """
    flat = flatten(text)
    dated = (*_calendar(flat), *_stated(text, language))
    found: list[Period] = []
    for period in (*_years(flat, dated), *dated, *_windows(flat), *_years_and_days(flat, at)):
        if not any(each.start < period.end and period.start < each.end for each in found):
            found.append(period)
    return tuple(sorted(found, key=lambda period: period.start))


#: Two days that are named one by one are no stretch of time: "17 and 22 November", 17日、18日.
_LISTED: Final = re.compile(r"、|(?<!\w)and(?!\w)", re.IGNORECASE)


def _stated(text: str, language: str) -> Iterator[Period]:
    for (start, end), mentions in groupby(
        find_dates(text, language), key=lambda each: (each.start, each.end)
    ):
        first, *ends = mentions
        if first.precision == "year" and not re.search(r"\d{4}|元|\d年", first.raw):
            continue
        value, last = first.readings[0], ends[0].readings[0] if ends else None
        listed = _LISTED.search(first.raw) and not text[:start].lower().endswith("between ")
        if last and (listed or (last.month, last.day) <= (value.month, value.day)):
            last = None
        days = tuple(span for each in first.readings if (span := days_of(each)))
        if days and last and (until := days_of(last)):
            days = ((days[0][0], until[1]),)
        yield Period(start, end, days, "" if days else _without_year(value, last))


def _years_and_days(flat: str, at: datetime | None) -> Iterator[Period]:
    for match in _YEAR_ALONE.finditer(flat):
        yield Period(*match.span(), (_months(int(match[0]), 1, 12),))
    for distance, words in _RELATIVE.items():
        for match in words.finditer(flat):
            if at is not None:
                day = at.date() + timedelta(days=distance)
                yield Period(*match.span(), ((day, day),))
            elif distance:
                yield Period(*match.span(), name=f"today{distance:+d}")
