"""Dates in Chinese and English text, and as German, Japanese, Korean and Arabic write them, read by value.

``2025年2月10日``, ``2025-02-10``, ``02/10/2025``, ``10. Februar 2025`` and ``令和7年2月10日`` are one date.
A date may be as coarse as a year; :func:`contains_date` says when a finer one implies a coarser one.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Literal, TypeAlias

from verifaible.old.anchoring.date_words import (
    ARABIC_MONTHS,
    ENGLISH_MONTHS,
    ERAS,
    FIRST_FORMS,
    GERMAN_MONTHS,
)
from verifaible.old.text.numerals import parse_zh
from verifaible.text.flat import flatten

Precision: TypeAlias = Literal["day", "ten-day", "month", "quarter", "year"]


@dataclass(frozen=True, slots=True)
class DateValue:
    """One reading of a date; a part that is not stated is None.

    ``third`` is the ten-day part of a month (1 上旬, 2 中旬, 3 下旬), ``quarter`` runs from 1 to 4.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    third: int | None = None
    quarter: int | None = None


@dataclass(frozen=True, slots=True)
class DateMention:
    """A date in a text. ``start`` and ``end`` count code points.

    ``readings`` has two entries where the order of day and month cannot be known
    (``02/06/2026``: first month/day, then day/month), else one. A range of days
    (``September 17-18, 2024``) gives one mention for each end, both with the span of the whole.
    """

    start: int
    end: int
    raw: str
    precision: Precision
    readings: tuple[DateValue, ...]

    @property
    def ambiguous(self) -> bool:
        """Whether the order of day and month cannot be known."""
        return len(self.readings) > 1


_MONTHS = ENGLISH_MONTHS | GERMAN_MONTHS
_MONTH = r"(?P<m>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
_ZH = "〇零一二三四五六七八九十"
_YEAR = r"(?P<y>(?:19|20)\d{2})"
_MONTH_ALONE = re.compile(rf"(\d{{1,2}}|[{_ZH}]{{1,2}})\s?月")
_DAY = r"(?P<d>\d{1,2})(?:st|nd|rd|th)?"
_TO = r"(?:\s?(?:-|~|至|到|to|and|、)\s?(?P<d2>\d{1,2})(?:st|nd|rd|th)?)?"
_QUARTERS = {"一": 1, "二": 2, "三": 3, "四": 4, "first": 1, "second": 2, "third": 3, "fourth": 4}


def _number(text: str | None) -> int | None:
    if not text:
        return None
    return int(text) if text.isdigit() else int(parse_zh(text))


def _parts(match: re.Match[str]) -> Iterator[tuple[DateValue, ...]]:
    found = match.groupdict()
    month = found.get("m") or ""
    third = found.get("third")
    quarter = found.get("q") or ""
    value = DateValue(
        year=_era_year(found) if found.get("era") else _number(found.get("y")),
        month=_MONTHS.get(month.lower()) or ARABIC_MONTHS.get(month) or _number(month),
        day=_number(found.get("d")),
        third="上中下".index(third[0]) + 1 if third else None,
        quarter=_QUARTERS.get(quarter.lower()) or _number(quarter),
    )
    yield (value,)
    if found.get("d2"):
        yield (DateValue(year=value.year, month=value.month, day=_number(found["d2"])),)
    if found.get("m2"):
        yield (DateValue(year=value.year, month=_number(found["m2"])),)


def _era_year(found: dict[str, str | None]) -> int:
    number = found["ey"] or ""
    return ERAS[found["era"] or ""] + (1 if number == "元" else int(number))


def _slashed(match: re.Match[str]) -> Iterator[tuple[DateValue, ...]]:
    first, second, year = int(match["a"]), int(match["b"]), int(match["y"])
    readings = (DateValue(year, first, second), DateValue(year, second, first))
    # a number over 12 cannot be a month; equal numbers read the same both ways
    yield tuple(dict.fromkeys(value for value in readings if _exists(value)))


def _exists(value: DateValue) -> bool:
    if value.month is not None and not 1 <= value.month <= 12:
        return False
    if value.day is None:
        return True
    try:
        date(value.year or 2000, value.month or 1, value.day)
    except ValueError:
        return False
    return True


_Reader: TypeAlias = Callable[[re.Match[str]], Iterator[tuple[DateValue, ...]]]
_ZH_YEAR = r"(?P<y>(?:19|20)\d{2}|[〇零一二三四五六七八九]{4})\s?年"
_ZH_MONTH = rf"(?P<m>\d{{1,2}}|[{_ZH}]{{1,3}})"
_ZH_DAY = rf"(?P<d>\d{{1,2}}|[{_ZH}]{{1,3}})"
#: Tried in order at each place, so a fuller form comes before its own beginning.
_FORMS: tuple[tuple[re.Pattern[str], _Reader], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE | re.ASCII), reader)
    for pattern, reader in (
        *((form, _parts) for form in FIRST_FORMS),
        (
            rf"(?<![\d.-]){_YEAR}(?P<sep>[-/.])(?P<m>\d{{1,2}})(?P=sep)(?P<d>\d{{1,2}})(?![\d]|[-/.]\d)",
            _parts,
        ),
        (r"(?<![\w.,/-])(?P<y>(?:19|20)\d{2})(?P<m>\d{2})(?P<d>\d{2})(?![\w%]|[.,-]\d)", _parts),
        (
            rf"(?:(?<!\d){_ZH_YEAR}\s?)?(?<!\d){_ZH_MONTH}\s?月\s?{_ZH_DAY}\s?[日号]?{_TO}\s?[日号]",
            _parts,
        ),
        (rf"(?:(?<!\d){_ZH_YEAR}\s?)?(?<!\d){_ZH_MONTH}\s?月份?\s?(?P<third>[上中下])旬", _parts),
        (rf"(?:(?<!\d){_ZH_YEAR}\s?)(?P<m>\d{{1,2}})\s?[-~至到]\s?(?P<m2>\d{{1,2}})\s?月份?", _parts),
        (r"(?<![\d.])(?P<m>\d{1,2})\s?[-~至到]\s?(?P<m2>\d{1,2})\s?月份?", _parts),
        (rf"(?:(?<!\d){_ZH_YEAR}\s?)?(?<![\d.]){_ZH_MONTH}\s?月份?", _parts),
        (rf"(?<!\d){_ZH_YEAR}\s?第?(?P<q>[一二三四1-4])\s?季度", _parts),
        (rf"(?<!\d){_ZH_YEAR}\s?Q(?P<q>[1-4])(?!\w)", _parts),
        (rf"(?<!\d){_ZH_YEAR}", _parts),
        (r"第?(?P<q>[一二三四]|(?<!\d)[1-4])\s?季度", _parts),
        (rf"(?<![a-z]){_MONTH}\s?{_DAY}{_TO},?\s{{0,2}}{_YEAR}(?!\d)", _parts),
        (rf"(?<!\d){_DAY}\.?{_TO}\s(?:of\s)?{_MONTH},?\s{_YEAR}(?!\d)", _parts),
        (rf"(?<![a-z]){_MONTH},?\s(?:of\s)?{_YEAR}(?!\d)", _parts),
        (rf"(?<![a-z]){_MONTH}\s{_DAY}{_TO}(?![\d%]|[.,]\d)", _parts),
        (rf"(?<!\d){_DAY}\s(?:of\s)?{_MONTH}(?![a-z])", _parts),
        (rf"(?<!\d){_DAY}\.\s(?P<m>{'|'.join(GERMAN_MONTHS)})(?![a-z])", _parts),
        (rf"(?<![\d/])(?P<a>\d{{1,2}})(?P<sep>[-/])(?P<b>\d{{1,2}})(?P=sep){_YEAR}(?![\d/])", _slashed),
        (rf"(?<![\w])Q(?P<q>[1-4])(?:\s?[,/-]?\s?(?:of\s)?{_YEAR})?(?!\w)", _parts),
        (rf"(?<![\w]){_YEAR}\s?[-/]?\s?Q(?P<q>[1-4])(?!\w)", _parts),
        (rf"\b(?P<q>first|second|third|fourth) quarter(?: of| in)?(?: {_YEAR})?(?!\w)", _parts),
        (rf"(?<![\d.-]){_YEAR}(?P<sep>[-/])(?P<m>0[1-9]|1[0-2])(?![\d/-])", _parts),
        (
            r"(?:(?<=\bin )|(?<=\bsince )|(?<=\bduring )|(?<=\bby )|(?<=\byear )|(?<=\bfiscal )|(?<=\bFY)"
            rf"|(?<=\bearly )|(?<=\blate )|(?<=\bof )|(?<=\buntil )){_YEAR}(?![\w%]|[.,]\d)",
            _parts,
        ),
    )
)


#: What a text must have for a form to be worth trying, by what stands in its pattern; the first one counts.
_MARKS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (mark, re.compile(mark if mark != _MONTH else _MONTH.removesuffix(r"\b\.?"), re.IGNORECASE))
    for mark in ("월", "년", "季度", "旬", "月", "年", _MONTH, "quarter")
)
_FOUR_DIGITS = re.compile(r"\d{4}")
_QUARTER = re.compile(r"Q[1-4]", re.IGNORECASE)
_GERMAN = re.compile("|".join(GERMAN_MONTHS), re.IGNORECASE)


def _needed(pattern: str) -> re.Pattern[str]:
    """A short pattern that every text with a match of a form has a match of too."""
    for mark, needed in _MARKS:
        if mark in pattern:
            return needed
    if "Q(?P<q>" in pattern:
        return _QUARTER
    return _GERMAN if "|".join(GERMAN_MONTHS) in pattern else _FOUR_DIGITS


_NEEDED: tuple[re.Pattern[str], ...] = tuple(_needed(pattern.pattern) for pattern, _ in _FORMS)

_KINDS = frozenset(_NEEDED)
#: What every date has, in a text in lower case.
_WORTH = re.compile(
    r"\d{4}|[月年季旬월년]|jan|feb|mar|mär|apr|ma[iy]|jun|jul|jän|aug|sep|o[ck]t|nov|de[cz]|quarter|q[1-4]"
)


def _precision(value: DateValue) -> Precision:
    for precision, part in (("day", value.day), ("ten-day", value.third), ("month", value.month)):
        if part is not None:
            return precision  # type: ignore[return-value]
    return "quarter" if value.quarter is not None else "year"


def find_dates(text: str) -> tuple[DateMention, ...]:
    """Every date of a text, in order; spans overlap only for the two ends of a day range.

    Read: ISO, slashed and dotted numeric dates, Japanese eras, German, Korean and Arabic dates, eight
    digits standing alone, Chinese dates with Arabic or Chinese digits, English dates in both orders,
    months, ten-day periods, quarters,
    and years that say they are years (``2025年``, ``in 2025``). A date that no calendar has
    (``2025-02-30``) is not a date. A bare ``2025`` is a number.
    """
    flat = flatten(text)
    taken: list[tuple[int, int]] = []
    mentions: list[DateMention] = []
    if not _WORTH.search(flat.lower()):
        return ()
    worth = {needed: needed.search(flat) is not None for needed in _KINDS}
    for (pattern, reader), needed in zip(_FORMS, _NEEDED, strict=True):
        if not worth[needed]:
            continue
        for match in pattern.finditer(flat):
            start, end = match.span()
            at = bisect.bisect(taken, (start, end))
            if (at and taken[at - 1][1] > start) or (at < len(taken) and taken[at][0] < end):
                continue
            read = [readings for readings in reader(match) if readings and all(map(_exists, readings))]
            if read:
                taken.insert(at, (start, end))
            mentions += [
                DateMention(start, end, text[start:end], _precision(readings[0]), readings)
                for readings in read
            ]
    return tuple(sorted(mentions, key=lambda mention: (mention.start, mention.end)))


def is_date(text: str) -> bool:
    """Whether the whole text is one date, or one range of dates."""
    stripped = text.strip()
    return any((mention.start, mention.end) == (0, len(stripped)) for mention in find_dates(stripped))


def month_number(text: str) -> int:
    """The month, 1 to 12, that a text names and nothing else; 0 where it names none."""
    flat = flatten(text).strip().casefold()
    if match := _MONTH_ALONE.fullmatch(flat):
        number = _number(match[1]) or 0
        return number if number <= 12 else 0
    return _MONTHS.get(flat.rstrip("."), 0)


_SEGMENT = re.compile(r"[^\n。！？!?；;]+")
#: A year that stands alone.
BARE_YEAR = re.compile(r"(?<![\d.,])(?:19|20)\d{2}(?![\d%]|[.,]\d)")


def _implies(found: DateValue, wanted: DateValue, year: int | None) -> bool:
    if wanted.year is not None and (found.year or year) != wanted.year:
        return False
    if wanted.day is not None:
        return (found.month, found.day) == (wanted.month, wanted.day)
    if wanted.third is not None:
        third = found.third or (min((found.day - 1) // 10, 2) + 1 if found.day else None)
        return (found.month, third) == (wanted.month, wanted.third)
    if wanted.month is not None:
        return found.month == wanted.month
    if wanted.quarter is not None:
        return wanted.quarter == (found.quarter or ((found.month - 1) // 3 + 1 if found.month else None))
    return True


def _matching(text: str, wanted: DateValue) -> Iterator[DateMention]:
    flat = flatten(text)
    mentions = find_dates(text)
    starts = [mention.start for mention in mentions]
    for segment in _SEGMENT.finditer(flat):
        inside = mentions[
            bisect.bisect_left(starts, segment.start()) : bisect.bisect_left(starts, segment.end())
        ]
        years = {int(year[0]) for year in BARE_YEAR.finditer(segment[0])}
        years |= {mention.readings[0].year for mention in inside if mention.readings[0].year}
        for mention in inside:
            borrowed = tuple(years) or (None,)
            if any(_implies(value, wanted, year) for value in mention.readings for year in borrowed):
                yield mention


def dates_matching(text: str, wanted: str) -> tuple[DateMention, ...]:
    """The mentions in ``text`` that state, or imply, a date that ``wanted`` names.

    Raises:
        ValueError: ``wanted`` is not a date as a whole (:func:`is_date`).
    """
    if not is_date(wanted):
        raise ValueError(f"{wanted!r} is not a date: give one such as 2025-02-10 or 2026年1月.")
    values = [value for mention in find_dates(wanted.strip()) for value in mention.readings]
    return tuple(mention for value in values for mention in _matching(text, value))


def contains_date(text: str, wanted: str) -> bool:
    """Whether ``text`` states the date ``wanted``, by value.

    A finer date implies a coarser one (10 February 2025 implies February 2025 and its first
    ten days), never the other way round. A date without a year counts only if the year stands
    in the same line or sentence, so a table row ``2026`` + ``1月`` states 2026年1月. Of a day
    range every end must be stated. Of an ambiguous date each reading is accepted.

    Raises:
        ValueError: ``wanted`` is not a date as a whole (:func:`is_date`).
    """
    if not is_date(wanted):
        raise ValueError(f"{wanted!r} is not a date: give one such as 2025-02-10 or 2026年1月.")
    return all(
        any(next(_matching(text, value), None) for value in mention.readings)
        for mention in find_dates(wanted.strip())
    )


_JOINS_BEFORE = re.compile(r"(?:\d[.,]|[a-z0-9])\Z", re.IGNORECASE)
_JOINS_AFTER = re.compile(r"[.,]\d|[a-z0-9]", re.IGNORECASE)


def _joined(flat: str, start: int, end: int) -> bool:
    before = flat[start].isascii() and flat[start].isalnum() and _JOINS_BEFORE.search(flat[:start][-2:])
    last = flat[end - 1]
    after = last.isascii() and last.isalnum() and _JOINS_AFTER.match(flat[end : end + 2])
    return bool(before or after)
