"""What a check says of a triple, and what is around its words: the cell with its table, or the sentence."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import cached_property
from typing import Final, Literal, TypeAlias, get_args

from verifaible.factcheck.tables import Cell, Table, tables_of
from verifaible.factcheck.words import words_of, years_of
from verifaible.kg.chunks import Chunk
from verifaible.kg.filing import Filing
from verifaible.kg.triples import Triple
from verifaible.schema.base import Record
from verifaible.text.numbers import find_quantities
from verifaible.text.periods import Days, find_periods
from verifaible.text.quantity import Quantity
from verifaible.text.segmentation import sentence_around
from verifaible.text.units import money_signs

Check: TypeAlias = Literal[
    "type", "relation", "pair", "generic", "length", "duplicate", "named", "direction",
    "amount", "unit", "date", "negation", "modality", "tags",
]  # fmt: skip
CHECKS: Final[tuple[Check, ...]] = get_args(Check)
#: ``wrong`` only where the text cannot bear the triple; ``open`` where it cannot be decided.
CheckVerdict: TypeAlias = Literal["ok", "wrong", "open"]


class Finding(Record):
    """A verdict of one check on one triple.

    Attributes:
        triple: its id.
        said: why; empty where it is ``ok``.
        instead: what a field is read as; the triple itself stays as it was extracted.
    """

    triple: str
    check: Check
    verdict: CheckVerdict
    said: str = ""
    instead: Mapping[str, str] = {}


#: Code points over a table that are read for its caption, its scale and its unit.
_OVER: Final = 1_200
#: An annual report tells of events up to so long after its year.
AFTER: Final = timedelta(days=180)
#: A year of 52 or 53 weeks ends so many days from where the last one did, at the most.
_WEEK: Final = timedelta(days=10)


#: "in millions" declares a scale; a singular stands behind its own number.
_SCALE: Final = re.compile(r"\b(thousand|million|billion)s\b", re.IGNORECASE)
_SCALES: Final = {"thousand": Decimal(10**3), "million": Decimal(10**6), "billion": Decimal(10**9)}


def scales_in(text: str) -> Iterator[Decimal]:
    """The scales that a text declares for the figures near it."""
    for match in _SCALE.finditer(text):
        yield _SCALES[match[1].lower()]


def figures_in(text: str) -> tuple[Quantity, ...]:
    """The values that a text names; no years, marks or parts of names."""
    return tuple(each for each in find_quantities(text, language="en") if each.role in ("value", "range"))


@dataclass(frozen=True)
class Window:
    """A piece of a filing that is read by itself, and where it begins."""

    start: int
    text: str

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """Its tables, in order."""
        return tables_of(self.text)


class Pages:
    """A filing, read around any place of it; what was read once is kept.

    Args:
        filing: as it was read.
        chunks: its chunks.
    """

    def __init__(self, filing: Filing, chunks: Sequence[Chunk]) -> None:
        self.filing = filing
        self.chunks = {each.id: each for each in chunks}
        self._windows: dict[int, Window] = {}
        self._around: dict[tuple[int, int], Around] = {}
        self._named: dict[str, tuple[frozenset[str], frozenset[str]]] = {}

    def around(self, triple: Triple) -> Around:
        """What stands around the words of a triple."""
        key = triple.start, triple.end
        if key not in self._around:
            self._around[key] = Around(self, *key)
        return self._around[key]

    def named(self, start: int) -> frozenset[str]:
        """The words of the chunk that a place stands in, of its context, and of the registrant's name."""
        return self._read(start)[0]

    def years(self, start: int) -> frozenset[str]:
        """The years that the chunk names."""
        return self._read(start)[1]

    def _read(self, start: int) -> tuple[frozenset[str], frozenset[str]]:
        chunk = next(each for each in self.chunks.values() if each.start <= start < each.end)
        if chunk.id not in self._named:
            told = " ".join((*chunk.context, self.filing.text[chunk.start : chunk.end]))
            years = frozenset(map(str, years_of(told, through=True)))
            self._named[chunk.id] = words_of(f"{told} {self.filing.name}"), years
        return self._named[chunk.id]

    def window(self, start: int) -> Window:
        """The table that a place stands in, with what is over it; in prose its paragraph."""
        text = self.filing.text
        first = last = text.rfind("\n", 0, start) + 1
        row = text.startswith("|", first)
        while row and first and text.startswith("|", before := text.rfind("\n", 0, first - 1) + 1):
            first = before
        if first not in self._windows:
            over = text.rfind("\n", 0, max(0, first - _OVER)) + 1 if row else first
            while row and text.startswith("|", last):
                last = text.find("\n", last) + 1 or len(text)
            end = last if row else text.find("\n", first)
            # what is over a table is prose for it, also where it stands in a table of its own
            words = text[over:first].replace("|", " ") + text[first : end if end >= 0 else len(text)]
            self._windows[first] = Window(over, words)
        return self._windows[first]

    @cached_property
    def fiscal(self) -> int:
        """What the name of a fiscal year is, less the calendar year that it ends in: -1 at some shops."""
        told = next((f.words for f in self.filing.facts if f.concept == "dei:DocumentFiscalYearFocus"), "")
        end = self.filing.period
        return int(told) - end.year if told.isdecimal() and end else 0

    @property
    def year(self) -> int | None:
        """The name of the report's fiscal year."""
        return self.filing.period.year + self.fiscal if self.filing.period else None

    @cached_property
    def scales(self) -> frozenset[Decimal]:
        """The scales that the filing declares for its tables."""
        return frozenset(scales_in(self.filing.text))

    @cached_property
    def currencies(self) -> frozenset[str]:
        """The currencies that the signs of the filing can be."""
        signs = {sign for sign in set(self.filing.text) if unicodedata.category(sign) == "Sc"}
        return frozenset(code for sign in signs for code in money_signs().get(sign, ()))

    def year_end(self, day: date) -> int | None:
        """The name of the fiscal year that ends about a day; None where none does."""
        end = self.filing.period
        if end is None:
            return None
        for year in (day.year - 1, day.year, day.year + 1):
            if abs(day - end.replace(year=year, day=min(end.day, 28))) <= _WEEK:
                return year + self.fiscal
        return None


@dataclass(frozen=True)
class Around:
    """What stands around a span of a filing."""

    pages: Pages
    start: int
    end: int

    @cached_property
    def window(self) -> Window:
        """Its table or paragraph."""
        return self.pages.window(self.start)

    @cached_property
    def figure(self) -> Quantity | None:
        """The number there, with its own sign, scale and unit; None where none stands there."""
        at = self.start - (self._cell_start if self.cell else self._sentence_start)
        size = self.end - self.start
        text = self.row[self.cell[2]].text if self.cell else self.sentence
        return next((each for each in figures_in(text) if each.start < at + size and at < each.end), None)

    @property
    def _cell_start(self) -> int:
        return self.window.start + (self.row[self.cell[2]].start if self.cell else 0)

    @cached_property
    def _sentence_start(self) -> int:
        return sentence_around(self.pages.filing.text, self.start, self.end)[0]

    @cached_property
    def in_table(self) -> bool:
        """Whether it stands in a table."""
        text = self.pages.filing.text
        return text.startswith("|", text.rfind("\n", 0, self.start) + 1)

    @cached_property
    def sentence(self) -> str:
        """Its sentence; of a cell the whole row."""
        text = self.pages.filing.text
        if self.in_table:
            low = text.rfind("\n", 0, self.start) + 1
            high = text.find("\n", self.end)
            return text[low : high if high >= 0 else len(text)]
        return text[slice(*sentence_around(text, self.start, self.end))]

    @cached_property
    def cell(self) -> tuple[Table, int, int] | None:
        """The table, row and column that it stands in, be it a figure or a dash; None in prose."""
        at = self.start - self.window.start
        for table in self.window.tables if self.in_table else ():
            for row, cells in enumerate(table.rows):
                if cells and cells[0].start <= at <= cells[-1].end:
                    return table, row, next(n for n, cell in enumerate(cells) if at <= cell.end)
        return None

    @cached_property
    def row(self) -> tuple[Cell, ...]:
        """The cells of its row; none in prose."""
        return self.cell[0].rows[self.cell[1]] if self.cell else ()

    @cached_property
    def label(self) -> str:
        """What its row begins with; a cell that spans columns counts once."""
        return self.row[0].text if self.row and self.cell and self.cell[2] else ""

    @cached_property
    def section(self) -> str:
        """The nearest row over it that has one text and nothing else."""
        if self.cell is None:
            return ""
        table, row, _ = self.cell
        return next((text for cells in reversed(table.rows[:row]) if (text := _band(cells))), "")

    @cached_property
    def heads(self) -> str:
        """The heads over its cell, from the top down, without rows that head the whole table."""
        if self.cell is None:
            return ""
        table, row, column = self.cell
        bands = {_band(cells) for cells in table.rows[:row]}
        return " ".join(each for each in reversed(table.heads(row, column)) if each not in bands)

    @cached_property
    def near(self) -> str:
        """What its own row and column are named by; of a figure among words those words."""
        if self.cell is None or not self.cell[2]:
            return self.row[0].text if self.cell else self.sentence
        return f"{self.label} {self.section} {self.heads}"

    def below(self) -> Iterator[str]:
        """The first cells of the rows below it."""
        if self.cell:
            yield from (cells[0].text for cells in self.cell[0].rows[self.cell[1] + 1 :] if cells)

    @cached_property
    def years(self) -> frozenset[str]:
        """The years that its chunk names, as it writes them."""
        return self.pages.years(self.start)

    @cached_property
    def named(self) -> frozenset[str]:
        """The words of its chunk with its context, and of the registrant's name."""
        return self.pages.named(self.start)

    def dates(self, text: str) -> list[str]:
        """The dates and years of a text that a figure can be of: none of a year behind the report's."""
        end = self.pages.filing.period or date(9998, 1, 1)
        found = (days for each in find_periods(text) for days in each.days)
        return [written(days) for days in found if days[0].year <= end.year and days[0] <= end + AFTER]


def written(days: Days) -> str:
    """A stretch of days as ISO 8601 has it: a day, a month, a year, else its first and last day."""
    first, last = days
    if first == last:
        return first.isoformat()
    if (first.month, first.day, last.month, last.day) == (1, 1, 12, 31) and first.year == last.year:
        return f"{first.year}"
    if first.day == 1 and (first.year, first.month) == (last.year, last.month):
        return f"{first:%Y-%m}"
    return f"{first}/{last}"


def _band(cells: Sequence[Cell]) -> str:
    """The text of a row that has one text and nothing else, also where it spans columns; else empty."""
    texts = {cell.text for cell in cells if cell.text}
    return texts.pop() if len(texts) == 1 and cells[0].text else ""
