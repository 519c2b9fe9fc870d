"""Dates and times of day in a text, by value, as an answer's check compares them.

Beside what :mod:`verifaible.text.dates` reads: years that stand alone, times of day.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from verifaible.text.dates import (
    BARE_YEAR,
    DateMention,
    DateValue,
    contains_date,
    find_dates,
    is_date,
)
from verifaible.text.flat import flatten

_YEARS = re.compile(
    r"(?<![\d.,-])((?:19|20)\d{2}) ?(?:[-~—/]|至|到|から|〜|～) ?((?:19|20)\d{2})(?![\d%-]|[.,]\d)年?"
)
_TIME = re.compile(
    r"(?P<half>[上下]午|午[前后後])?\s?(?:(?<![\d:.])(?P<h>\d{1,2})[:：](?P<m>\d{2})(?::\d{2})?(?![\d:])"
    r"|(?<![\d.])(?P<h2>\d{1,2})(?:(?:[时時](?![间間])|(?:(?<=[上下]午\d)|(?<=[上下]午\d\d))点|点(?=\d{1,2}分))"
    r"(?:\s?(?P<m2>\d{1,2})分)?))"
    r"(?:\s?(?P<pm>[ap])\.?m\b\.?)?|\b(?P<h3>\d{1,2})\s?(?P<pm3>[ap])\.?m\b\.?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Moment:
    """A date or a time of day in a text; what it says, by value.

    ``wanted`` has for each date of it (a range has two) its readings, in the form that
    :func:`~verifaible.text.dates.contains_date` takes; ``minutes`` is a time of day.
    """

    start: int
    end: int
    wanted: tuple[tuple[str, ...], ...] = ()
    minutes: int | None = None


def find_moments(text: str) -> tuple[Moment, ...]:
    """The dates and times of day of a text, in order; a bare year is not among them (:func:`is_year`)."""
    flat = flatten(text)
    found: list[Moment] = []
    by_span: dict[tuple[int, int], list[DateMention]] = {}
    for mention in find_dates(text):
        by_span.setdefault((mention.start, mention.end), []).append(mention)
    for match in _YEARS.finditer(flat):
        if int(match[1]) < int(match[2]):
            found.append(Moment(*match.span(), ((year_of(match[1]),), (year_of(match[2]),))))
    for (start, end), mentions in by_span.items():
        if not _overlaps(found, start, end):
            wanted = tuple(tuple(map(_written, mention.readings)) for mention in mentions)
            found.append(Moment(start, end, wanted))
    for match in _TIME.finditer(flat):
        start = match.start() + len(match[0]) - len(match[0].lstrip())
        if not _overlaps(found, start, match.end()):
            found.append(Moment(start, match.end(), minutes=_minutes(match)))
    return tuple(sorted(found, key=lambda moment: moment.start))


def _overlaps(found: list[Moment], start: int, end: int) -> bool:
    return any(moment.start < end and start < moment.end for moment in found)


def _written(value: DateValue) -> str:
    """A date in the form that every reader of dates here takes."""
    year = f"{value.year}年" if value.year else ""
    if value.quarter:
        return f"{year}第{value.quarter}季度"
    if value.month is None:
        return year
    third = f"{'上中下'[value.third - 1]}旬" if value.third else ""
    return f"{year}{value.month}月{third}" + (f"{value.day}日" if value.day else "")


def _minutes(match: re.Match[str]) -> int:
    hours = int(match["h"] or match["h2"] or match["h3"])
    late = (match["half"] or "") in ("下午", "午后", "午後") or (
        match["pm"] or match["pm3"] or ""
    ).lower() == "p"
    early = (match["pm"] or match["pm3"] or "").lower() == "a"
    hours = hours + 12 if late and hours < 12 else 0 if early and hours == 12 else hours
    return hours * 60 + int(match["m"] or match["m2"] or 0)


def year_of(text: str) -> str:
    """What a bare year of four digits is wanted as."""
    return f"{text}年"


class Moments:
    """The dates and times that a piece of evidence states.

    Args:
        text: what it says, line by line; a date without a year borrows that of its line.
    """

    def __init__(self, text: str) -> None:
        flat = flatten(text)
        self._text = flat
        self._years = {match[0] for match in BARE_YEAR.finditer(flat)}
        self._minutes = {moment.minutes for moment in find_moments(self._text) if moment.minutes is not None}

    def state(self, moment: Moment) -> bool:
        """Whether the evidence states a date or time, or a finer one that implies it."""
        if moment.minutes is not None:
            return moment.minutes in self._minutes
        return all(any(map(self._has, readings)) for readings in moment.wanted)

    def _has(self, wanted: str) -> bool:
        bare = wanted.removesuffix("年")
        if bare in self._years:
            return True
        return is_date(wanted) and contains_date(self._text, wanted)
