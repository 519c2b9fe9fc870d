"""Metrics in the tables of a filing, read as a person reads them: the cell, its heads and what stands over it.

Rows, heads and numbers are read by the readers that proofs are checked with, dates by those of claims. What is
added is what an annual report has: fiscal years, moments and spans of time, money and shares, and the sign that
a figure has by its name.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import cached_property
from typing import Final

from verifaible.judge.numbers.periods import days_of, find_periods
from verifaible.judge.proof.places import SourceText
from verifaible.judge.proof.tables import WORD, Table, rows_of, years_of
from verifaible.kg.filing import Filing
from verifaible.kg.xbrl import Period
from verifaible.text.units import SCALES


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_DASH, _MINUS = re.compile(r"\W*[—–-]\W*"), re.compile(r"[-−–(]\s*[^\d\w]*\Z")
_SCALE: Final = _words(r"\b(thous(?:and)?|million|billion)s?\b")
_PERCENT: Final = _words(
    r"(?<!\d)(?<!\d )%|\bpercent(?:age)?s?\b|\b(?:rate|yield|volatility|margin)s?\W*(?:\(.*\)\W*)?\Z"
)
_PER_SHARE: Final = _words(
    r"\bper (?:\w+ )?(?:share|unit)|\baverage (?:\w+ )?price|\b(?:exercise|stock|share) price"
    r"|\baverage grant[- ]date fair value"
)
_SHARES: Final = _words(
    r"\bshares\b|(?:\bnumber|#) of\b|\b[RP]SUs?\b|\b(?:units|awards|options)\W*(?:\(.*\)\W*)?\Z"
)
#: What is counted in money though it speaks of shares, and what a value only served to work out.
_MONEY: Final = _words(
    r"\$|\b(?:values?|amounts?|costs?|expense|proceeds|dividends|capital|compensation|payments?)\b"
)
_SERVED: Final = _words(r"\b(?:used|excluded|included|for computing)\b.*")
_EXCEPT, _BUT_SHARES = _words(r"\b(?:except|unless)\b.*"), _words(r"(?<!per )\b(?:shares?|number)\b")
#: Names of what is taken away: brackets around its figure do not make it negative.
_TAKEN: Final = _words(
    r"^\W*(?:less|payments?|(?:re)?purchases?|repayments?|acquisitions?|dividends?|cash dividends|treasury|share repurchase"
    r"|capital (?:expend|invest)|provision|additions|exercised|vested|forfeited|cancel|expired|settlements?|distributions?"
    r"|decreases?|reductions?|lapses?|deductions?|accumulated (?:depr|amort))"
    r"|\b(?:paid|repaid|repurchased|withheld|expenses?|taxes|tax|allowances?|payments|withholding)\b"
)
#: Of the two signs that a name may have, the first is as shown: "income (loss)"; but gains count against losses.
_EITHER, _REVERSED = (
    _words(r"\(\w+\)"),
    _words(r"^\W*\((?:gains?|income)\)|\bloss(?:es)? \(gains?\)|\bexpense \(income\)"),
)
_CHANGES, _ASSETS = (
    _words(r"\bchanges? in\b"),
    _words(r"\b(?:receivables?|inventor(?:y|ies)|prepaid|(?<!and )assets\Z|materials)\b"),
)
_FLOW: Final = _words(
    r"\b(?:years?|months?|quarters?|weeks?|periods?) end(?:ed|ing)\b|\bduring\b|\bfor the (?:fiscal )?(?:years?|period)"
    r"|\bstatements? of (?:operations|income|earnings|comprehensive|cash)|\bcash flows\b"
)
_MOMENT: Final = _words(
    r"\bas (?:of|at)\b|\bat (?:the )?(?:end|year|beginning|start|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*)\b"
    r"|\bbalance sheets?\b|\bfinancial position\b|\bend of\b|\byear[- ]end\b"
)
_STOCK: Final = _words(
    r"\b(?:assets|liabilit(?:y|ies)|receivables?|payables?|balances?|inventor(?:y|ies)|goodwill|securities|debt|notes|equity|unrecognized)\b"
    r"|\bcash\b(?! (?:paid|flow|received|provided|used))"
)
_COURSE: Final = _words(
    r"\b(?:costs?|expenses?|returns?|income|revenues?|sales|earnings|payments?|proceeds|amortization of)\b(?! tax)"
)
_BEGIN: Final = _words(r"\b(?:beginning|start) of\b|\b(?:beginning|opening) balances?\b|, beginning\b")
_END: Final = _words(r"\bend of\b|\b(?:ending|closing) balances?\b|\byear[- ]end\b|, end\b")
_MONTHS: Final = _words(r"\b(three|six|nine) months\b|\b(quarter) ended\b")
#: Words of a head that name nothing but a time, a scale or a currency.
_TIMES: Final = _words(
    r"\b(?:in|and|the|for|of|as|at|years?|months?|fiscal|ended|ending|thous\w*|millions?|billions?|amounts?|dollars?|data|three)\b"
)
_YEAR_ENDED: Final = _words(r"\byear ended\b")
#: Lines that a page repeats: its number, a rule, the way back to the contents.
_FURNITURE: Final = _words(r"[\W\d_]*|\W*table of contents\W*")
#: Lines over a table that are looked at, and code points of one that can be a caption.
_LINES, _CAPTION = 4, 200
#: Days by which the end of a fiscal year of weeks moves about its anniversary.
_WEEK: Final = 8


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
class _Row:
    """A row of a table with the words around the figure of one of its columns, the nearest first."""

    table: Table
    row: int
    column: int
    over: tuple[str, ...]

    @cached_property
    def label(self) -> str:
        return _label(self.table, self.row)

    @cached_property
    def heads(self) -> tuple[str, ...]:
        """The heads over it, but for rows that one text fills: they begin a section."""
        return tuple(head for head in self.table.heads(self.row, self.column) if head not in self.sections)

    @cached_property
    def stub(self) -> tuple[str, ...]:
        tops = tuple(cells[0].text for cells in self.table.rows[: self.table.first] if cells[0].text)
        return tuple(top for top in tops if top not in self.sections)

    @cached_property
    def sections(self) -> tuple[str, ...]:
        """The rows over it that have one text, from the first column on, and no figures."""
        above = (self.table.rows[at] for at in range(self.row - 1, -1, -1))
        told = ({cell.text for cell in cells if cell.text} for cells in above if cells[0].text)
        return tuple(each.pop() for each in told if len(each) == 1)

    def beside(self, step: int) -> str:
        """The nearest other text of its row, to the left or the right; of a cell that spans columns, none."""
        cells, at = self.table.rows[self.row], self.column
        while 0 <= at < len(cells) and cells[at].text in ("", cells[self.column].text):
            at += step
        return cells[at].text if 0 <= at < len(cells) else ""

    @cached_property
    def labels(self) -> tuple[str, ...]:
        return tuple(_label(self.table, at) for at in range(self.table.first, len(self.table.rows)))

    def percents(self) -> bool:
        """Whether its column has percentages and no money."""
        rows = (_Row(self.table, at, self.column, ()) for at in range(self.table.first, len(self.table.rows)))
        told = [each for each in rows if self.column in self.table.figures(each.row)]
        ratios = any(
            each.beside(1)[:1] == "%" or "%" in self.table.rows[each.row][self.column].text for each in told
        )
        return ratios and not any(each.beside(-1) == "$" for each in told)


class MetricReader:
    """Reads the cells of a filing's tables; it knows nothing of tags."""

    def __init__(self, filing: Filing) -> None:
        self._text = filing.text
        self._rows = rows_of(filing.text)
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
        if table is None or column < 0 or not self._ends:
            return None
        cell, over = cells[column], self._over[id(table)]
        if cell.number is None and not _DASH.fullmatch(cell.text):
            figures = table.figures(row)
            told = _Row(table, row, figures[0] if figures else column, over)
            return self._said(told, cell.text, cell.start, start, end)
        told = _Row(table, row, column, over)
        value = Decimal(0)
        if cell.number is not None:
            value = abs(cell.number.value) * cell.number.scale
            shown = -value if _MINUS.search(re.split(r"\d", cell.text, maxsplit=1)[0]) else value
            value = _signed(shown, told)
        signs = f"{told.beside(-1)[-1:].replace('%', '')}{cell.text}{told.beside(1)[:1].replace('$', '')}"
        unit = _unit(told, signs, value)
        return Metric(
            cell.start, cell.end, told.label, value * self._scale(unit, told), unit, self._period(told)
        )

    def _said(self, told: _Row, words: str, begin: int, start: int, end: int) -> Metric | None:
        """A number among the words of a cell."""
        place = SourceText(words.replace("\n", " ")).at(start - begin, end - begin)
        if place is None:
            return None
        after = words[place.end : place.end + 12]
        unit = "USD" if place.currencies else "shares"
        unit = "pure" if place.unit == "%" else "USD/shares" if re.match(r"\W*(?:par|per) ", after) else unit
        scale = Decimal("0.01") if unit == "pure" else Decimal(1)
        if unit == "shares" and place.value < 1_000_000:
            scale = self._scale(unit, told)
        period = self._period(told)
        if place.years and place.years[0] in self._ends:
            day = self._ends[place.years[0]]
            period = self._year(day) if period.start else Period(None, day)
        return Metric(begin + place.start, begin + place.end, words, place.value * scale, unit, period)

    def _captions(self, end: int) -> Iterator[str]:
        """The lines over a table, the nearest first, up to another table."""
        for line in reversed(self._text[max(0, end - 3000) : end].split("\n")[-4 * _LINES :]):
            if line.startswith("|") and WORD.search(line):
                return
            if not _FURNITURE.fullmatch(line) and (len(line) <= _CAPTION or line.rstrip().endswith(":")):
                yield line

    def _scale(self, unit: str, told: _Row) -> Decimal:
        if unit in ("USD/shares", "pure"):
            return Decimal(1 if unit != "pure" else "0.01")
        for text in (*told.heads, _plain(told.label), *told.sections[:2], *told.stub, *told.over[:_LINES]):
            if found := _SCALE.search(text):
                excepted = _EXCEPT.search(text)
                if unit == "shares" and excepted and _BUT_SHARES.search(excepted[0]):
                    return Decimal(1)
                word = found[1].casefold()
                return SCALES["thousand" if word == "thous" else word]
        return self._usual if unit == "USD" else Decimal(1)

    @cached_property
    def _usual(self) -> Decimal:
        """The scale that most tables tell, for those that tell none."""
        told = Counter(
            each.casefold() for each in re.findall(r"\bin (thousand|million)s\b", self._text, re.IGNORECASE)
        )
        return SCALES[told.most_common(1)[0][0]] if told else Decimal(1)

    @cached_property
    def _ends(self) -> dict[int, date]:
        """The day that each fiscal year ends, by its name; empty where the cover tells no year."""
        ended = (match.end() for match in _YEAR_ENDED.finditer(self._text))
        last = next((day for at in ended if (day := _day([self._text[at : at + 60].title()]))), None)
        if last is None:
            return {}
        told = Counter(found.value for found in find_periods(self._text) if found.dated)
        named = Counter(
            int(year) for year in re.findall(r"\bfiscal (?:year )?(20\d\d)\b", self._text, re.IGNORECASE)
        )
        early = last.month < 3 and named[last.year] < named[last.year - 2]
        whole_months, found = (last + timedelta(days=1)).day == 1, {}
        for year in range(last.year - 15, last.year + 1):
            day = date(year, last.month, min(last.day, monthrange(year, last.month)[1]))
            near = [day + timedelta(days=by) for by in range(-_WEEK, _WEEK + 1)]
            near = [day] if whole_months else [each for each in near if each.weekday() == last.weekday()]
            found[year - early] = max(
                near, key=lambda each: (told[each.isoformat()], -abs((each - day).days))
            )
        return found

    def _period(self, told: _Row) -> Period:
        last, label = max(self._ends.values()), told.label
        if (day := _day([label])) and not _FLOW.search(label):  # a balance on a day, or on the morning after
            eve = day - timedelta(days=1)
            return Period(None, eve if eve in self._ends.values() else day)
        due = any(
            not _names(each) and (years := years_of(each)) and years[0] > max(self._ends)
            for each in told.labels
        )
        later = (_day([each]) for each in told.labels[told.row - told.table.first + 1 :])
        rolled = next((day for day in later if day in self._ends.values()), None)
        times = (*told.heads, *(() if _names(label) else (label,)), *told.sections, *told.stub)
        dated = day = _day(times)
        if day is None:
            years = next(
                (years for text in times if (years := years_of(text)) and years[0] in self._ends), ()
            )
            if years:
                day = self._ends[years[0]]
                month = next(
                    (month for text in (*times, *told.over) if (month := _month(text))), (day.month, day.day)
                )
                day, rolled = day if month[0] == day.month else date(day.year, *month), None
            else:
                day = None if due else rolled or _day(told.over)
            day = day or last
        if due:
            return Period(None, day)
        for text in (label, *told.heads):
            if _BEGIN.search(text) or (_month(text) == (1, 1) and not _FLOW.search(text)):
                return Period(None, self._before(day))
            if _END.search(text) or (text == label and _month(text)):
                return Period(None, day)
        if (rolled and not dated) or any(
            _BEGIN.search(each) or _month(each) == (1, 1) for each in told.labels
        ):
            return self._year(day)
        stock = _STOCK.search(" ".join((label, *told.sections[:1]))) and not _COURSE.search(label)
        for text in (*told.heads, *told.sections, *told.stub, *told.over[: 1 if dated else _LINES]):
            if text in told.over and stock:
                break
            if _FLOW.search(text):
                return self._year(day, _MONTHS.search(text))
            if _MOMENT.search(text):
                return Period(None, day)
            if re.search(r"\bfiscal\b", text, re.IGNORECASE):
                return self._year(day)
        return (
            Period(None, day)
            if stock or (dated and not any(map(_COURSE.search, told.over[:1])))
            else self._year(day)
        )

    def _year(self, day: date, months: re.Match[str] | None = None) -> Period:
        if months:
            back = {"three": 3, "six": 6, "nine": 9}.get((months[1] or "three").lower(), 3)
            year, month = divmod(day.year * 12 + day.month - 1 - back, 12)
            eve = date(year, month + 1, monthrange(year, month + 1)[1] if day.day > 27 else day.day)
            return Period(eve + timedelta(days=1), day)
        return Period(self._before(day) + timedelta(days=1), day)

    def _before(self, day: date) -> date:
        """The end of the year before the one that ends on a day."""
        same = date(day.year - 1, day.month, min(day.day, 28) if day.month == 2 else day.day)
        return next((end for end in self._ends.values() if abs((end - same).days) <= _WEEK), same)


def _signed(shown: Decimal, told: _Row) -> Decimal:
    """The sign that a figure has by its name: brackets show what is taken away."""
    if any(map(_CHANGES.search, (told.label, *told.sections[:1]))) and _ASSETS.search(told.label):
        return -shown
    if _EITHER.search(told.label):
        return -shown if _REVERSED.search(told.label) else shown
    return abs(shown) if _TAKEN.search(told.label) else shown


def _unit(told: _Row, signs: str, value: Decimal) -> str:
    """The unit of a figure: its own, else as its heads tell, else its row, else its section."""
    heads = [text for each in told.heads if _names(text := _EXCEPT.sub("", each))]
    for text in (*heads, _plain(told.label), *told.sections[:2]):
        text = _SERVED.sub("", _EXCEPT.sub("", text))
        if "%" in signs:
            return "pure"
        if _PER_SHARE.search(text):
            return "USD/shares"
        if "$" in signs:
            continue
        if _PERCENT.search(text) and abs(value) < 1000:
            return "pure"
        if (
            _SHARES.search(text)
            and not _MONEY.search(text.replace("number of", ""))
            and (text in heads or not heads)
        ):
            return "shares"
    percents = (
        "$" not in signs and abs(value) < 1000 and (told.percents() or any(map(_PERCENT.search, told.stub)))
    )
    return "pure" if "%" in signs or percents else "USD"


def _label(table: Table, row: int) -> str:
    """What names a row: its first words."""
    return next((cell.text for cell in table.rows[row] if WORD.search(cell.text)), table.rows[row][0].text)


def _plain(label: str) -> str:
    """A name without the figures in it."""
    return re.split(r"[\d$(]", label, maxsplit=1)[0]


def _names(head: str) -> bool:
    """Whether a head says more than a time and a scale."""
    for found in reversed(find_periods(head)):
        head = head[: found.start] + head[found.end :]
    return bool(WORD.search(_TIMES.sub("", head)))


def _day(texts: Iterable[str]) -> date | None:
    """The first date with day, month and year."""
    days = (days_of(found.value) for text in texts for found in find_periods(text))
    return next((each[0] for each in days if each and each[0] == each[1]), None)


def _month(text: str) -> tuple[int, int] | None:
    """Month and day of a date without its year: "December 31,"."""
    found = (re.fullmatch(r"--(\d\d)-(\d\d)", each.value) for each in find_periods(text))
    return next(((int(match[1]), int(match[2])) for match in found if match), None)
