"""Periods as reports write them: ``3Q25``, ``Q2 FY25``, ``1H25``, ``9M25``, ``前三季度``, ``17-Oct-25``.

A fiscal quarter is written as one of the calendar: which months it has is told nowhere in a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Final

from verifaible.text.cldr import words_of
from verifaible.text.lists import has_any

_Y: Final = r"(?P<y>(?:19|20)\d\d|\d\d)"
#: The months as English names and shortens them.
ENGLISH_MONTHS: Final = {**words_of("en").months, "sept": 9}
ENGLISH_MONTH: Final = "|".join(sorted(ENGLISH_MONTHS, key=len, reverse=True))
_FULL: Final = r"(?P<y>(?:19|20)\d\d)"
#: What says that two digits behind it are a year.
_FISCAL: Final = r"(?:(?:FY|CY) ?'?|(?:the )?(?:fiscal|financial|calendar)(?: year)? (?:FY ?)?'?)"
_END: Final = r"(?![\d%]|[.,]\d)"
_ORDINALS: Final = {
    **{"first": "1", "second": "2", "third": "3", "fourth": "4", "final": "4", "opening": "1"},
    **{"1st": "1", "2nd": "2", "3rd": "3", "4th": "4"},
    **{"一": "1", "二": "2", "三": "3", "四": "4"},
}
_Q: Final = rf"(?P<q>{'|'.join(_ORDINALS)})"
_PERIODS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # Q3 FY25, Q3'25, Q2 of fiscal 2025, H1 FY2025
        rf"(?<!\w)(?P<k>[QH])(?P<q>[1-4])(?:[ ,-]{{0,2}}(?:of |in )?(?:{_FISCAL}|')|/){_Y}{_END}",
        # 3Q25, 3Q 2025, 1H'25, 2HFY25
        rf"(?<![\w.,$])(?P<q>[1-4])(?P<k>[QH])(?:'|[ -]?(?:of )?(?:FY|CY) ?'?|(?=\d\d(?!\d))|[ -]?"
        rf"(?:of )?(?=(?:19|20)\d\d)){_Y}{_END}",
        # 25Q3, FY25 Q3, FY2025 H1, 2025 Q3
        rf"(?<![\w.,])(?:{_FISCAL}{_Y}[ -]?|(?P<y2>\d\d)|(?P<y3>(?:19|20)\d\d) ?-?)(?P<k>[QH])"
        rf"(?P<q>[1-4])(?!\w)",
        rf"(?<!\w)fiscal (?P<k>[QH])(?P<q>[1-4])(?: of| in)? {_FULL}{_END}",
        # the second quarter of fiscal 2025, fiscal third-quarter 2025, 2025's second quarter
        rf"(?<!\w)(?:fiscal |financial )?{_Q}[ -](?P<k>quarter|half)(?:,? (?:of|in"
        rf"|for))? {_FISCAL}{_Y}{_END}",
        rf"(?<!\w)(?:fiscal |financial )?{_Q}[ -](?P<k>quarter|half)(?:,? (?:of|in|for))? {_FULL}{_END}",
        rf"(?<!\w)(?P<k>Q)(?P<q>[1-4])(?: of| in)? (?:the )?{_FULL} (?:fiscal|financial) year",
        rf"(?<!\w)(?:(?:FY|fiscal ){_Y}|(?P<y2>(?:19|20)\d\d)(?:'s)?(?: fiscal)?) {_Q}[ -]"
        rf"(?P<k>quarter|half)\b",
        rf"(?<!\d)(?P<y>(?:19|20)\d\d|\d\d)\s?(?:财年|财政年度|年度)\s?(?:第?{_Q}\s?(?P<k>季)度?|Q"
        rf"(?P<q2>[1-4]))",
        rf"(?<!\d){_FULL} (?:第)?{_Q}\s?(?P<k>季)度?",
        r"(?<!\d)(?P<y>(?:19|20)\d\d|\d\d)\s?(?:财年|财政年度|年度)\s?(?P<q>[上下])(?P<k>半)年?",
    )
)
_NINE: Final = re.compile(
    rf"(?:\b(?:first|1st) (?:nine|9) months(?:,? (?:of|in))?(?: {_FISCAL})? {_FULL}{_END}"
    rf"|\b(?:first|1st) three quarters(?: of| in)? (?P<y2>(?:19|20)\d\d){_END}"
    rf"|(?<![\w.])9M ?'?(?:FY ?)?(?P<y3>(?:19|20)\d\d|\d\d){_END}"
    rf"|(?<!\w)Q1 ?(?:-|to) ?Q3,? (?P<y4>(?:19|20)\d\d){_END}"
    rf"|(?P<y5>(?:19|20)\d\d)\s?年?前(?:三季度|三个季度|3个季度|九个月|9个月))",
    re.IGNORECASE,
)
_MONTHS_OF: Final = re.compile(
    rf"(?<!\w)(?P<m>{ENGLISH_MONTH})\.? ?(?:-|to|through|—) ?(?P<m2>{ENGLISH_MONTH})\.?,? {_FULL}{_END}"
    rf"|(?P<y2>(?:19|20)\d\d)\s?年\s?(?P<m3>1[0-2]|[1-9])月?\s?[-~至到]\s?(?P<m4>1[0-2]|[1-9])\s?月份?",
    re.IGNORECASE,
)
_DAY: Final = re.compile(
    rf"(?<![\w.,])(?P<d>\d{{1,2}})(?P<sep>[ -])(?P<m>{ENGLISH_MONTH})\.?(?P=sep)'?{_Y}{_END}(?!-)(?! ?[a-z$])"
    rf"|(?<!\w)(?P<m2>{ENGLISH_MONTH})\.? (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?,? '(?P<y2>\d\d){_END}"
    rf"|(?<!\w)(?P<m3>{ENGLISH_MONTH})\.? ?'(?P<y3>\d\d){_END}"
    rf"|(?<!\w)(?P<m4>{ENGLISH_MONTH})\.? (?P<d4>\d{{1,2}})(?:st|nd|rd|th),? (?P<y4>(?:19|20)\d\d){_END}",
    re.IGNORECASE,
)
_SLASHED: Final = re.compile(r"(?<![\w/.,$])(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<y>\d\d)(?![\w/]|[.,]\d)")
#: What the periods, the spans of months, and the days have, each.
_PARTED: Final = re.compile(r"\d[QHqh]|[QHqh][1-4]")
_PARTS: Final = ("quarter", "half", "季", "半")
_NINES: Final = ("nine months", "9 months", "three quarters", "9m", "q1", "前")
_SHORT: Final = "|".join(name for name in ENGLISH_MONTHS if len(name) == 3)
_SPANNED: Final = re.compile(
    rf"(?:[-—]|to |through ) ?(?:{_SHORT})|\d月?\s?[-~至到]\s?\d{{1,2}}\s?月", re.IGNORECASE
)
_DAYED: Final = re.compile(rf"\d[ -](?:{_SHORT})|'\d|\d(?:st|nd|rd|th)\b|\d/\d", re.IGNORECASE)


def reported(flat: str, lowered: str) -> Iterator[tuple[int, int, str]]:
    """Such periods of a flattened text, also given in lower case: where each stands, and its value.

    Values are those of :mod:`verifaible.factcheck.numbers.periods`.
    """
    for match in _NINE.finditer(flat) if has_any(lowered, _NINES) else ():
        yield *match.span(), f"{_year(match)}-9M"
    if has_any(lowered, _PARTS) or _PARTED.search(flat):
        for pattern in _PERIODS:
            for match in pattern.finditer(flat):
                if part := _part(match):
                    yield *match.span(), f"{_year(match)}-{part}"
    for match in _MONTHS_OF.finditer(flat) if _SPANNED.search(flat) else ():
        first, last = (_month(match[each] or match[other]) for each, other in (("m", "m3"), ("m2", "m4")))
        if first < last:
            yield *match.span(), f"{_year(match)}-{_span(first, last)}"
    if _DAYED.search(flat):
        yield from _days(flat)


def _part(match: re.Match[str]) -> str:
    """The quarter or half of a match: ``Q3``; empty where there is no such one."""
    found = match.groupdict()
    kind = "H" if (found.get("k") or "").lower() in ("h", "half", "半") else "Q"
    number = found.get("q") or found.get("q2") or ""
    number = {"上": "1", "下": "2"}.get(number) or _ORDINALS.get(number.lower(), number)
    if kind == "H" and number == "4" and (found.get("q") or "").lower() == "final":
        number = "2"
    return f"{kind}{number}" if number in ("1", "2") or kind == "Q" else ""


def _year(match: re.Match[str]) -> str:
    year: str = next(value for name, value in match.groupdict().items() if name[0] == "y" and value)
    return year if len(year) == 4 else "20" + year


def _month(word: str) -> int:
    return int(word) if word.isdigit() else ENGLISH_MONTHS[word.lower()]


def _span(first: int, last: int) -> str:
    """Whole months as the quarter, half or nine months that they are."""
    if last - first == 2 and first % 3 == 1:
        return f"Q{(first + 2) // 3}"
    known = {(1, 6): "H1", (7, 12): "H2", (1, 9): "9M"}
    return known.get((first, last), f"{first:02}..{last:02}")


def _days(flat: str) -> Iterator[tuple[int, int, str]]:
    """Dates with a year of two digits, or with the day behind the month as an ordinal."""
    for match in _DAY.finditer(flat):
        found = match.groupdict()
        month = next(value for name, value in found.items() if name[0] == "m" and value)
        day = next((value for name, value in found.items() if name[0] == "d" and value), "")
        written = f"{_year(match)}-{_month(month):02}" + (f"-{int(day):02}" if day else "")
        if not day or _exists(written):
            yield *match.span(), written
    for match in _SLASHED.finditer(flat):
        pairs = {(match["a"], match["b"]), (match["b"], match["a"])}
        ways = {f"20{match['y']}-{int(month):02}-{int(day):02}" for month, day in pairs}
        if told := sorted(filter(_exists, ways)):
            yield *match.span(), "|".join(told)


def _exists(written: str) -> bool:
    try:
        date.fromisoformat(written)
    except ValueError:
        return False
    return True
