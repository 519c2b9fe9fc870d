"""Metrics in the tables of a filing, read as a person reads them: a cell, its heads, what stands over it.

Rows, heads and numbers are read by the readers that proofs are checked with, dates by those of claims. What
is added is what an annual report has: fiscal years, moments and spans, money and shares, and the sign that a
figure has by its name. The words for it are data (``metrics.json``: patterns, in any letter case).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache, cached_property
from importlib import resources
from typing import Final

from verifaible.judge.numbers.periods import find_periods
from verifaible.judge.proof.places import SourceText
from verifaible.judge.proof.tables import WORD, Table, rows_of, years_of
from verifaible.kg.filing import Filing
from verifaible.kg.xbrl import Period
from verifaible.kg.years import FiscalYears, day_in
from verifaible.text.units import SCALES

_DASH: Final = re.compile(r"\W*[—–-]\W*")
_MINUS: Final = re.compile(r"[-−–(]\s*[^\d\w]*\Z")
#: Lines over a table that are looked at, in how many code points before it; the longest that is a caption.
_LINES, _BEFORE, _CAPTION = 4, 3000, 200
#: Months of a span that is no year; a quarter is told without a number.
_MONTHS: Final = {"": 3, "three": 3, "six": 6, "nine": 9}
#: Higher ones are no percentages.
_MOST_PERCENT: Final = 1000
#: What is given in whole shares, whatever the scale of the table.
_WHOLE_SHARES: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Metric:
    """What a cell of a table says.

    Attributes:
        start, end: the cell in the text of the filing, in code points.
        name: of what it is, as its row is named.
        value: signed and scaled; a percentage as a ratio.
        unit: ``USD``, ``USD/shares``, ``shares``, ``pure``.
        period: when it is of.
    """

    start: int
    end: int
    name: str
    value: Decimal
    unit: str
    period: Period


@dataclass(frozen=True)
class _Spot:
    """A figure of a table with the words around it; ``over``: the lines over the table, the nearest first."""

    table: Table
    row: int
    column: int
    over: tuple[str, ...]

    @cached_property
    def label(self) -> str:
        return _label(self.table, self.row)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        return tuple(_label(self.table, at) for at in range(self.table.first, len(self.table.rows)))

    @cached_property
    def sections(self) -> tuple[str, ...]:
        """The rows over it that one text fills, the nearest first."""
        above = (self.table.rows[at] for at in range(self.row - 1, -1, -1))
        told = ({cell.text for cell in cells if cell.text} for cells in above if cells[0].text)
        return tuple(each.pop() for each in told if len(each) == 1)

    @cached_property
    def heads(self) -> tuple[str, ...]:
        return tuple(head for head in self.table.heads(self.row, self.column) if head not in self.sections)

    @cached_property
    def stub(self) -> tuple[str, ...]:
        """The heads of the column of names."""
        tops = (cells[0].text for cells in self.table.rows[: self.table.first])
        return tuple(top for top in tops if top and top not in self.sections)

    def beside(self, step: int) -> str:
        """The nearest other text of its row to the left (-1) or the right (1)."""
        cells, at = self.table.rows[self.row], self.column
        while 0 <= at < len(cells) and cells[at].text in ("", cells[self.column].text):
            at += step
        return cells[at].text if 0 <= at < len(cells) else ""


class MetricReader:
    """Reads the cells of a filing's tables; it knows nothing of tags."""

    def __init__(self, filing: Filing) -> None:
        self._text = filing.text
        self._rows = rows_of(filing.text)
        self._years = FiscalYears(filing.text)
        self._over: dict[int, tuple[str, ...]] = {}
        for start, (table, _) in self._rows.items():
            if id(table) not in self._over:
                self._over[id(table)] = tuple(self._captions(start))

    def cells(self) -> Iterator[Metric]:
        """The figures of all tables that can be read."""
        for table, row in self._rows.values():
            for column, cell in enumerate(table.rows[row]):
                new = column and cell.text != table.rows[row][column - 1].text
                if new and cell.number and (metric := self.at(cell.start, cell.end)):
                    yield metric

    def at(self, start: int, end: int) -> Metric | None:
        """The metric in a span of the text; None where it is in no table, or cannot be read."""
        table, row = self._rows.get(self._text.rfind("\n", 0, start) + 1, (None, 0))
        cells = table.rows[row] if table else ()
        column = next((at for at, cell in enumerate(cells) if cell.start < end and start < cell.end), -1)
        if table is None or column < 0 or self._years.last is None:
            return None
        cell = cells[column]
        if cell.number is None and not _DASH.fullmatch(cell.text):
            first = next(iter(table.figures(row)), column)
            return self._said(_Spot(table, row, first, self._over[id(table)]), column, start, end)
        spot = _Spot(table, row, column, self._over[id(table)])
        value = abs(cell.number.value) * cell.number.scale if cell.number else Decimal(0)
        if _MINUS.search(re.split(r"\d", cell.text, maxsplit=1)[0]):
            value = -value
        signs = f"{spot.beside(-1)[-1:].replace('%', '')}{cell.text}{spot.beside(1)[:1].replace('$', '')}"
        unit = _unit(spot, signs, value)
        value = _signed(value, spot) * self._scale(unit, spot)
        return Metric(cell.start, cell.end, spot.label, value, unit, self._period(spot))

    def _said(self, spot: _Spot, column: int, start: int, end: int) -> Metric | None:
        """A number among the words of a cell."""
        cell = spot.table.rows[spot.row][column]
        place = SourceText(cell.text).at(start - cell.start, end - cell.start)
        if place is None:
            return None
        unit = "pure" if place.unit == "%" else "USD" if place.currencies else "shares"
        if re.match(r"\W*(?:par|per) ", cell.text[place.end :]):
            unit = "USD/shares"
        whole = unit == "USD" or place.value >= _WHOLE_SHARES
        value = place.value * (1 if whole else self._scale(unit, spot))
        period = self._period(spot)
        if day := self._years.ends.get(next(iter(place.years), 0)):
            period = self._years.year_to(day) if period.start else Period(None, day)
        return Metric(cell.start + place.start, cell.start + place.end, cell.text, value, unit, period)

    def _captions(self, end: int) -> Iterator[str]:
        """The lines over a table, the nearest first, up to another table."""
        for line in reversed(self._text[max(0, end - _BEFORE) : end].split("\n")[-4 * _LINES :]):
            if line.startswith("|") and WORD.search(line):
                return
            long = len(line) > _CAPTION and not line.rstrip().endswith(":")
            if not long and not _says("furniture", line) and _says("caption", line):
                yield line

    def _scale(self, unit: str, spot: _Spot) -> Decimal:
        if unit in ("USD/shares", "pure"):
            return Decimal("0.01" if unit == "pure" else 1)
        for text in (*spot.heads, _plain(spot.label), *spot.sections[:2], *spot.stub, *spot.over[:_LINES]):
            if found := _says("scale", text):
                word = found[1].casefold()
                whole = unit == "shares" and _says("but shares", text)
                return Decimal(1) if whole else SCALES["thousand" if word == "thous" else word]
        return self._usual if unit == "USD" else Decimal(1)

    @cached_property
    def _usual(self) -> Decimal:
        """The scale that most tables tell, for those that tell none."""
        told = Counter(re.findall(r"\bin (thousand|million)s\b", self._text.casefold()))
        return SCALES[told.most_common(1)[0][0]] if told else Decimal(1)

    def _period(self, spot: _Spot) -> Period:
        """When a figure is of, by its row, its heads, its section and the lines over the table."""
        label, years = spot.label, self._years
        assert years.last is not None
        balance = not _says("flow", label) and not any(map(years_of, spot.heads))
        if balance and (day := day_in([label])) and day <= years.last:
            return Period(None, years.eve(day))
        later = (day_in([each]) for each in spot.labels[spot.row - spot.table.first + 1 :])
        rolled = next((day for day in later if day in years.ends.values()), None)
        times = (*spot.heads, *(() if _names(label) else (label,)), *spot.sections, *spot.stub)
        dated = day = day_in(times)
        # what is due later is known at the end of the year
        if any(not _names(each) and max(years_of(each), default=0) > max(years.ends) for each in spot.labels):
            return Period(None, day or years.last)
        told = (year for text in times for year in years_of(text)[:1] if year in years.ends)
        if day is None and (day := years.ends.get(next(told, 0))):
            month = next(filter(None, map(_month, (*times, *spot.over))), None)
            day, rolled = date(day.year, *month) if month and month[0] != day.month else day, None
        day = day or rolled or day_in(spot.over) or years.last
        if _begins(label) or any(_begins(head) and not _says("flow", head) for head in spot.heads):
            return Period(None, years.before(day))
        rolls = (rolled and not dated) or any(map(_begins, spot.labels))
        ends = _month(label) or any(_says("end", text) for text in (label, *spot.heads))
        if ends or (not rolls and _is_moment(spot, dated)):
            return Period(None, day)
        part = next(filter(None, (_says("months", text) for text in (*spot.heads, *spot.sections))), None)
        return years.part_to(day, _MONTHS[(part[1] or "").casefold()]) if part else years.year_to(day)


def _is_moment(spot: _Spot, dated: date | None) -> bool:
    """Whether a figure is of a moment, and not of a span: as the words around it tell, else by its name."""
    named = " ".join((spot.label, *spot.sections[:1]))
    stock = bool(_says("stock", named)) and not _says("course", spot.label)
    over = () if stock else spot.over[: 1 if dated else _LINES]
    texts = (*spot.heads, *spot.sections, *spot.stub, *over)
    kinds = (kind for text in texts for kind in ("flow", "moment", "fiscal") if _says(kind, text))
    kind = next(kinds, "")
    return (
        kind == "moment" if kind else stock or bool(dated and not any(_says("course", each) for each in over))
    )


def _signed(shown: Decimal, spot: _Spot) -> Decimal:
    """The sign that a figure has by its name: brackets may only show that it is taken away."""
    if _says("changes", " ".join((spot.label, *spot.sections[:1]))) and _says("assets", spot.label):
        return -shown
    if _says("either", spot.label):
        return -shown if _says("reversed", spot.label) else shown
    over = (*spot.heads[:1], *spot.sections[:1])
    taken = _says("taken", _without("net of", spot.label)) or any(_says("losses", text) for text in over)
    return abs(shown) if taken else shown


def _unit(spot: _Spot, signs: str, value: Decimal) -> str:
    """The unit of a figure: its own, else as its heads tell, else its row, else its section."""
    money, ratio = "$" in signs, "$" not in signs and abs(value) < _MOST_PERCENT
    heads = [head for head in spot.heads if _names(_without("except", head))]
    for told in () if "%" in signs else (*heads, _plain(spot.label), *spot.sections[:2]):
        text = _without("served", _without("except", told))
        if _says("per share", text):
            return "USD/shares"
        if ratio and _says("percent", text):
            return "pure"
        counted = _says("shares", text) and not _says("money", text.replace("number of", ""))
        if counted and not money and (told in heads or not heads):
            return "shares"
    return "pure" if "%" in signs or (ratio and any(_says("percent", top) for top in spot.stub)) else "USD"


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """What words say of a figure, by kind.

    ``served``: what it only served to work out; ``taken`` and ``losses``: that it is taken away; ``either``:
    that it has one of two signs; ``flow`` and ``moment``, for heads; ``course`` and ``stock``, for names.
    """
    text = resources.files("verifaible.kg").joinpath("metrics.json").read_text(encoding="utf-8")
    return {name: re.compile(pattern, re.IGNORECASE) for name, pattern in json.loads(text).items()}


def _says(kind: str, text: str) -> re.Match[str] | None:
    return _patterns()[kind].search(text)


def _without(kind: str, text: str) -> str:
    return _patterns()[kind].sub("", text)


def _label(table: Table, row: int) -> str:
    """What names a row: its first words."""
    return next((cell.text for cell in table.rows[row] if WORD.search(cell.text)), table.rows[row][0].text)


def _plain(label: str) -> str:
    """A name without the figures in it."""
    return re.split(r"[\d$(]", label, maxsplit=1)[0]


@cache
def _names(head: str) -> bool:
    """Whether a head says more than a time and a scale."""
    for found in reversed(find_periods(head)):
        head = head[: found.start] + head[found.end :]
    return bool(WORD.search(_without("time", head)))


def _begins(text: str) -> bool:
    return bool(_says("begin", text)) or _month(text) == (1, 1)


def _month(text: str) -> tuple[int, int] | None:
    """Month and day of a date without its year: "December 31,"."""
    found = (re.fullmatch(r"--(\d\d)-(\d\d)", each.value) for each in find_periods(text))
    return next(((int(match[1]), int(match[2])) for match in found if match), None)
