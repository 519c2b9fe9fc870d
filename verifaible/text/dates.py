"""Dates in a text, read by value: ``2025年2月10日``, ``2025-02-10``, ``10. Februar 2025`` are one date.

Months and quarters come from CLDR for the language of the text and English; the order of day, month and year
is read as it stands. Chinese, Japanese, Korean and the numeric forms have no words. A date may be as coarse
as a year; :func:`contains_date` says when a finer one implies a coarser one.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from typing import Final, Literal, TypeAlias

from verifaible.text.cldr import words_of
from verifaible.text.flat import flatten
from verifaible.text.numerals import parse_zh
from verifaible.text.segmentation import UNSPACED
from verifaible.text.units import languages_of

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

    @property
    def exists(self) -> bool:
        """Whether a calendar has it; 29 February without a year exists."""
        if self.month is not None and not 1 <= self.month <= 12:
            return False
        try:
            return self.day is None or bool(date(self.year or 2000, self.month or 1, self.day))
        except ValueError:
            return False

    @property
    def precision(self) -> Precision:
        """The finest part that is stated."""
        if self.day is not None:
            return "day"
        if self.third is not None:
            return "ten-day"
        if self.month is not None:
            return "month"
        return "quarter" if self.quarter is not None else "year"


@dataclass(frozen=True, slots=True)
class DateMention:
    """A date in a text. ``start`` and ``end`` count code points.

    ``readings`` has two entries where the order of day and month cannot be known (``02/06/2026``: first
    month/day, then day/month), else one. A range of days (``September 17-18, 2024``) gives one mention for
    each end, both with the span of the whole.
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


#: The year before the first of a Japanese era. CLDR numbers the eras, and has no years of them.
_ERAS: Final = {"令和": 2018, "平成": 1988, "昭和": 1925, "大正": 1911, "明治": 1867}
_ZH: Final = "〇零一二三四五六七八九十"
#: Which of the quarters or halves of a year a word says.
ORDINALS: Final = {
    **{"first": 1, "second": 2, "third": 3, "fourth": 4, "final": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4},
    **{"一": 1, "二": 2, "三": 3, "四": 4, "上": 1, "下": 2},
}
_Y: Final = r"(?P<y>(?:19|20)\d{2})"
_ERA: Final = rf"(?P<era>{'|'.join(_ERAS)})\s?(?P<ey>元|\d{{1,2}})"
_ZH_Y: Final = rf"(?:(?<!\d)(?P<y>(?:19|20)\d{{2}}|[〇零一二三四五六七八九]{{4}})|{_ERA})\s?[年년]"
#: A full stop before a month ends a sentence, but behind a digit.
_NO_DIGIT: Final = r"(?<!\d)(?<!\d\.)"
_ZH_M: Final = rf"{_NO_DIGIT}(?P<m>\d{{1,2}}|[{_ZH}]{{1,3}})\s?[月월]"
_ZH_D: Final = rf"(?P<d>\d{{1,2}}|[{_ZH}]{{1,3}})"
_D: Final = r"(?P<d>\d{1,2})(?:st|nd|rd|th|er|º|ª)?"
_THROUGH: Final = r"(?:\s?(?:-|~|至|到|to|bis)\s?(?P<d2>\d{1,2})(?:st|nd|rd|th)?)?"
_TO: Final = r"(?:\s?(?:-|~|至|到|to|and|bis|、)\s?(?P<d2>\d{1,2})(?:st|nd|rd|th)?)?"
#: Behind a year of two digits.
_SHORT_END: Final = r"(?![\d%-]|[.,]\d| ?[a-z$])"
_OF: Final = r"(?:of\s|de\s|del\s)?"
#: What stands before a year that is one.
_SAID: Final = "|".join(
    rf"(?<=\b{word})" for word in "in ,since ,during ,by ,year ,fiscal ,FY,early ,late ,of ,until ".split(",")
)
#: Tried in order at each place, so a fuller form comes before its own beginning. The first lookahead of one
#: passes over most places at once.
_FORMS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # day before month, wherever dots are written in dates (DIN 5008)
        rf"(?=\d)(?<![\d.])(?P<d>\d{{1,2}})\.\s?(?P<m>\d{{1,2}})\.\s?{_Y}(?!\d|\.\d)",
        rf"(?=[12])(?<![\d.-]){_Y}(?P<sep>[-/.])(?P<m>\d{{1,2}})(?P=sep)(?P<d>\d{{1,2}})(?![\d]|[-/.]\d)",
        r"(?=[12])(?<![a-z0-9_.,/-])(?P<y>(?:19|20)\d{2})(?P<m>\d{2})(?P<d>\d{2})(?![a-z0-9_%]|[.,-]\d)",
        rf"(?:{_ZH_Y}\s?)?{_ZH_M}\s?{_ZH_D}\s?[日号일]?{_TO}\s?[日号일]",
        rf"(?:{_ZH_Y}\s?)?{_ZH_M}份?\s?(?P<third>[上中下])旬",
        rf"(?:{_ZH_Y}\s?)?{_NO_DIGIT}(?P<m>\d{{1,2}})\s?[-~至到]\s?(?P<m2>\d{{1,2}})\s?月份?",
        rf"{_ZH_Y}\s?{_ZH_M}份?",
        rf"{_ZH_M}(?<=月)份?",
        rf"{_ZH_Y}\s?第?(?P<q>[一二三四1-4])\s?(?:季度|분기)",
        rf"{_ZH_Y}\s?Q(?P<q>[1-4])(?!\w)",
        _ZH_Y,
        r"第?(?P<q>[一二三四]|(?<!\d)[1-4])\s?季度",
        rf"(?=\d)(?<![\d/])(?P<a>\d{{1,2}})(?P<sep>[-/])(?P<b>\d{{1,2}})(?P=sep){_Y}(?![\d/])",
        r"(?=\d)(?<![\d/.,])(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<y>\d\d)(?![\d/])",
        rf"(?=q)(?<!\w)Q(?P<q>[1-4])(?:\s?[,/-]?\s?(?:of\s)?{_Y})?(?!\w)",
        rf"(?=[12])(?<!\w){_Y}\s?[-/]?\s?Q(?P<q>[1-4])(?!\w)",
        rf"(?=[fst])\b(?P<q>first|second|third|fourth) quarter(?: of| in)?(?: {_Y})?(?!\w)",
        rf"(?=[12])(?<![\d.-]){_Y}(?P<sep>[-/])(?P<m>0[1-9]|1[0-2])(?![\d/-])",
        rf"(?=[12])(?:{_SAID}){_Y}(?![a-z0-9_%]|[.,]\d)",
    )
)
#: What stands between the forms without words and those of months, which come before slashed dates.
_WORTH: Final = re.compile(r"\d{4}|[月年季旬월년]|q[1-4]|\d\.? ?\w|\w ?\d|quarter", re.IGNORECASE)


#: Where a name can begin: behind no letter, but for those of scripts without blanks before a Latin name.
_BEGINS: Final = rf"(?:(?<![^\W\d_])|(?<=[{UNSPACED}])(?=[a-z]))"


@cache
def month_words(languages: tuple[str, ...]) -> dict[str, int]:
    """The number of each month by its names in some languages, the longer names first."""
    months: dict[str, int] = {"sept": 9} if "en" in languages else {}
    for language in languages:
        months = {flatten(name): number for name, number in words_of(language).months.items()} | months
    return dict(sorted(months.items(), key=lambda each: -len(each[0])))


@cache
def _named_forms(languages: tuple[str, ...]) -> tuple[dict[str, int], tuple[re.Pattern[str], ...]]:
    """The number of each month and quarter by its name in some languages, and forms of dates with them."""
    months = month_words(languages)
    quarters: dict[str, int] = {}
    for language in languages:
        quarters = {flatten(name): number for name, number in words_of(language).quarters.items()} | quarters
    month = rf"{_BEGINS}(?P<m>{_either(months)})(?![^\W\d_])\.?"
    foreign = _either(each for each in months if each not in words_of("en").months)
    quarter = _either(sorted((each for each in quarters if len(each) > 1), key=len, reverse=True))
    forms = (
        rf"{month}\s?{_D}{_TO},?\s{{0,2}}{_Y}(?!\d)",
        rf"(?<!\d){_D}\.?{_TO}\.?\s{_OF}{month},?\s{_OF}{_Y}(?!\d)",
        rf"(?<!\d){_Y}\.?\s{month}\s{_D}\.?(?!\d)",
        rf"{month},?\s{_OF}{_Y}(?!\d)",
        rf"(?<![\w.,]){_D}(?P<sep>[ -]){month}(?P=sep)'?(?P<y>(?:19|20)?\d\d){_SHORT_END}",
        rf"{month}(?:\s{_D},?)? '(?P<y>\d\d){_SHORT_END}",
        rf"{month}\s{_D}{_TO}(?![\d%]|[.,]\d)",
        rf"(?<=\bbetween )(?P<d>\d{{1,2}}) and (?P<d2>\d{{1,2}})\s{month}",
        rf"(?<!\d)(?<!\d[.,])(?<![$€£¥]){_D}{_THROUGH}\s{_OF}{month}",
        rf"(?<!\d){_D}\.\s(?P<m>{foreign})(?![^\W\d_])",
        rf"(?<!\w)(?P<q>{quarter})(?:\s{_OF})?\s?{_Y}(?!\d)",
    )
    return months | quarters, tuple(re.compile(form, re.IGNORECASE) for form in forms)


def _either(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, words)) or "(?!)"


def _number(text: str | None) -> int | None:
    if not text:
        return None
    return int(text) if text.isdigit() else int(parse_zh(text))


def full_year(year: int) -> int:
    """A year that may be written with two digits: 69 to 99 are of the last century (POSIX, strptime)."""
    return year if year > 99 else year + (1900 if year > 68 else 2000)


def _readings(match: re.Match[str], names: dict[str, int]) -> Iterator[tuple[DateValue, ...]]:
    """Each date of a match, with its readings."""
    found = match.groupdict()
    if found.get("a"):
        first, second, written = int(found["a"]), int(found["b"]), full_year(int(found["y"]))
        either = (DateValue(written, first, second), DateValue(written, second, first))
        # a number over 12 cannot be a month; equal numbers read the same both ways
        yield tuple(dict.fromkeys(value for value in either if value.exists))
        return
    month, quarter, third = ((found.get(name) or "").lower() for name in ("m", "q", "third"))
    year = _number(found.get("y"))
    if year is not None:
        year = full_year(year)
    if era := found.get("era"):
        year = _ERAS[era] + (1 if found["ey"] == "元" else int(found["ey"]))
    value = DateValue(
        year=year,
        month=names.get(month) or (_number(month) if month else None),
        day=_number(found.get("d")),
        third="上中下".index(third) + 1 if third else None,
        quarter=ORDINALS.get(quarter) or names.get(quarter) or (_number(quarter) if quarter else None),
    )
    yield (value,)
    if found.get("d2"):
        yield (DateValue(year=value.year, month=value.month, day=_number(found["d2"])),)
    if found.get("m2"):
        yield (DateValue(year=value.year, month=_number(found["m2"])),)


@lru_cache(maxsize=64)
def find_dates(text: str, language: str = "") -> tuple[DateMention, ...]:
    """Every date of a text, in order; spans overlap only for the two ends of a range.

    Read are ISO, slashed and dotted numeric dates, Japanese eras, eight digits standing alone, dates in
    Chinese and Korean, dates with the months of the text's language in either order, months, ten-day
    periods, quarters, and years that say they are years (``2025年``, ``in 2025``). A date that no calendar
    has (``2025-02-30``) is no date; a bare ``2025`` is a number.
    """
    flat = flatten(text)
    if not _WORTH.search(flat):
        return ()
    languages = tuple(dict.fromkeys((language, "en"))) if language else languages_of(flat)
    names, with_months = _named_forms(languages)
    taken: list[tuple[int, int]] = []
    mentions: list[DateMention] = []
    for pattern in (*with_months, *_FORMS):
        for match in pattern.finditer(flat):
            start, end = match.span()
            at = bisect.bisect(taken, (start, end))
            if (at and taken[at - 1][1] > start) or (at < len(taken) and taken[at][0] < end):
                continue
            read = [each for each in _readings(match, names) if each and all(value.exists for value in each)]
            if read:
                taken.insert(at, (start, end))
            mentions += [DateMention(start, end, text[start:end], each[0].precision, each) for each in read]
    return tuple(sorted(mentions, key=lambda mention: (mention.start, mention.end)))


def is_date(text: str) -> bool:
    """Whether the whole text is one date, or one range of dates."""
    stripped = text.strip()
    return any((mention.start, mention.end) == (0, len(stripped)) for mention in find_dates(stripped))


_MONTH_ALONE: Final = re.compile(rf"(\d{{1,2}}|[{_ZH}]{{1,2}})\s?月")


def month_number(text: str) -> int:
    """The month, 1 to 12, that a text names and nothing else; 0 where it names none."""
    flat = flatten(text).strip().lower()
    if match := _MONTH_ALONE.fullmatch(flat):
        number = _number(match[1]) or 0
        return number if number <= 12 else 0
    found = month_words(languages_of(flat)).get(flat.rstrip("."), 0)
    return 0 if re.search(r"\d", flat) else found


_SEGMENT: Final = re.compile(r"[^\n。！？!?；;]+")
#: A year that stands alone.
BARE_YEAR: Final = re.compile(r"(?<![\d.,])(?:19|20)\d{2}(?![\d%]|[.,]\d)")


def implies(found: DateValue, wanted: DateValue, year: int | None = None) -> bool:
    """Whether a date is, or lies in, another; ``year`` is that of a date that states none."""
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
        low, high = (bisect.bisect_left(starts, edge) for edge in segment.span())
        inside = mentions[low:high]
        years = {int(year[0]) for year in BARE_YEAR.finditer(segment[0])}
        years |= {mention.readings[0].year for mention in inside if mention.readings[0].year}
        for mention in inside:
            borrowed = tuple(years) or (None,)
            if any(implies(value, wanted, year) for value in mention.readings for year in borrowed):
                yield mention


def _wanted(text: str) -> tuple[DateMention, ...]:
    if not is_date(text):
        raise ValueError(f"{text!r} is not a date: give one such as 2025-02-10 or 2026年1月.")
    return find_dates(text.strip())


def dates_matching(text: str, wanted: str) -> tuple[DateMention, ...]:
    """The mentions in ``text`` that state, or imply, a date that ``wanted`` names.

    Raises:
        ValueError: ``wanted`` is not a date as a whole (:func:`is_date`).
    """
    values = [value for mention in _wanted(wanted) for value in mention.readings]
    return tuple(mention for value in values for mention in _matching(text, value))


def contains_date(text: str, wanted: str) -> bool:
    """Whether ``text`` states the date ``wanted``, by value.

    A finer date implies a coarser one (10 February 2025 implies February 2025 and its first ten days), never
    the other way round. A date without a year counts only if the year stands in the same line or sentence,
    so a table row ``2026`` + ``1月`` states 2026年1月. Of a range every end must be stated; of an ambiguous
    date each reading is accepted.

    Raises:
        ValueError: ``wanted`` is not a date as a whole (:func:`is_date`).
    """
    return all(
        any(next(_matching(text, value), None) for value in mention.readings) for mention in _wanted(wanted)
    )
