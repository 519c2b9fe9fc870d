"""The fiscal years of a filing: which day each ends, as its text tells."""

from __future__ import annotations

import re
from calendar import monthrange
from collections import Counter
from collections.abc import Iterable
from datetime import date, timedelta
from typing import Final

from verifaible.judge.numbers.periods import days_of, find_periods
from verifaible.kg.xbrl import Period

_ENDED: Final = re.compile(r"\byear ended\b", re.IGNORECASE)
_NAMED: Final = re.compile(r"\bfiscal (?:year )?(20\d\d)\b", re.IGNORECASE)
#: Code points behind "year ended" in which its day stands.
_BEHIND: Final = 60
#: Days by which the end of a year of 52 or 53 weeks moves about its anniversary.
_WEEK: Final = 8
#: Years before the last that tables may tell of.
_BACK: Final = 15


class FiscalYears:
    """The fiscal years of a filing.

    Attributes:
        last: the day on which the report's own year ends; None where the text tells none.
        ends: the last day of each year, by its name: 2024 may end in February 2025.
    """

    def __init__(self, text: str) -> None:
        ended = (match.end() for match in _ENDED.finditer(text))
        self.last = next((day for at in ended if (day := day_in([text[at : at + _BEHIND].title()]))), None)
        self.ends: dict[int, date] = {}
        if self.last is None:
            return
        told = Counter(found.value for found in find_periods(text) if found.dated)
        named = Counter(map(int, _NAMED.findall(text)))
        early = self.last.month < 3 and named[self.last.year] < named[self.last.year - 2]
        whole_months = (self.last + timedelta(days=1)).day == 1
        for year in range(self.last.year - _BACK, self.last.year + 1):
            day = date(year, self.last.month, min(self.last.day, monthrange(year, self.last.month)[1]))
            near = [day + timedelta(days=by) for by in range(-_WEEK, _WEEK + 1)]
            near = [day] if whole_months else [each for each in near if each.weekday() == self.last.weekday()]
            likely = max(near, key=lambda each: (told[each.isoformat()], -abs((each - day).days)))
            self.ends[year - early] = likely

    def before(self, day: date) -> date:
        """The end of the year before the one that ends on a day."""
        same = date(day.year - 1, day.month, min(day.day, 28) if day.month == 2 else day.day)
        return next((end for end in self.ends.values() if abs((end - same).days) <= _WEEK), same)

    def year_to(self, day: date) -> Period:
        """The year that ends on a day."""
        return Period(self.before(day) + timedelta(days=1), day)

    @staticmethod
    def part_to(day: date, months: int) -> Period:
        """The months of a year up to a day."""
        year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
        return Period(date(year, month + 1, monthrange(year, month + 1)[1]) + timedelta(days=1), day)

    def eve(self, day: date) -> date:
        """A day, or the end of the year before it where it begins one: a balance of its morning."""
        return eve if (eve := day - timedelta(days=1)) in self.ends.values() else day


def day_in(texts: Iterable[str]) -> date | None:
    """The first date with day, month and year."""
    days = (days_of(found.value) for text in texts for found in find_periods(text))
    return next((each[0] for each in days if each and each[0] == each[1]), None)
