"""One metric over the years of filings, and the question that asks for it, answered by rules from triples.

Every number of an answer is a tagged triple with its sealed place. A question that no metric answers, or that
several answer alike, is not answered: the metrics that come nearest are named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Final

from verifaible.errors import ConfigError
from verifaible.factcheck.words import words_of, years_of
from verifaible.kg.folder import GraphFolder
from verifaible.kg.triples import XBRL, Triple
from verifaible.reporting.tables import Cell, Table, figure, row, words
from verifaible.schema.analyst import Source

#: Words of a question that name no metric.
_ASKING: Final = words_of(
    "amount annual change compare decline decrease develop drop evolve fall fell fiscal give grew grow "
    "growth increase last list past please report reported rise rose say show since tell total trend value "
    "year"
)
_SINCE: Final = re.compile(r"\b(?:since|after|from)\s+(?:\w+\s+){0,2}?((?:19|20)\d\d)\b", re.IGNORECASE)
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
#: What follows the noun that a tag names: ``RevenueFromContract``. ``Net`` and ``Loss`` at its end tell how
#: it is counted, or its other sign (``NetIncomeLoss``).
_RELATED: Final = re.compile(
    r"\s(?:of|from|with|to|for|in|on|by|excluding|including|before|after)\s", re.IGNORECASE
)
_ENDING: Final = re.compile(r"(?<=\w)\s(?:Net|Loss)\Z")
#: Days of a year of 52 or 53 weeks.
_YEAR: Final = range(357, 379)
_NEAREST: Final = 5


@dataclass(frozen=True, slots=True)
class Point:
    """A value of a metric.

    Attributes:
        year: the fiscal year, as the filing names it.
        end: the last day of the year, or the day that it is of.
        source: the capture, and the file in it that the triple's span counts in.
    """

    year: int
    end: date
    triple: Triple
    source: Source

    @property
    def value(self) -> Decimal:
        """The number, scaled and signed."""
        return self.triple.value or Decimal(0)


@dataclass(slots=True)
class Series:
    """A metric of one company or segment by fiscal year; of filings that tell one year the latest counts.

    Attributes:
        concept: the words of its tag.
        members: what of the company it is of, by axis; empty: all of it.
        missing: years that were asked for, and that no filing tells.
    """

    head: str
    concept: str
    members: tuple[tuple[str, str], ...]
    unit: str
    points: dict[int, Point] = field(default_factory=dict)
    missing: tuple[int, ...] = ()

    @property
    def inside(self) -> str:
        """The members as words."""
        return ", ".join(_words(member.removesuffix("Member")) for _, member in self.members)

    @property
    def name(self) -> str:
        """``Apple Inc.: Revenue From Contract With Customer (Service)``."""
        return f"{self.head}: {self.concept}{f' ({self.inside})' if self.inside else ''}"

    @property
    def words(self) -> frozenset[str]:
        """The words that name it, without those of whose it is."""
        return words_of(f"{self.concept} {self.inside}")

    def answers(self, wanted: frozenset[str]) -> bool:
        """Whether the words of a question name this metric and no other.

        All of them are its words or of whose it is, and among them are its members and the noun of its tag:
        what asks for revenue asks neither for the cost of revenue nor for that of services.
        """
        noun = _ENDING.sub("", _RELATED.split(self.concept)[0])
        return words_of(f"{noun} {self.inside}") <= wanted <= self.words | words_of(self.head)


def _words(name: str) -> str:
    return _CAMEL.sub(" ", name.rpartition(":")[2])


def series_of(folders: Sequence[GraphFolder]) -> list[Series]:
    """Every tagged metric of some filings by fiscal year; shorter periods are left out.

    Raises:
        ConfigError: a folder holds no filing.
        IntegrityError: a capture is gone or was changed.
    """
    found: dict[tuple[object, ...], Series] = {}
    for folder in sorted(folders, key=lambda each: str(each.ingested.period)):
        for concept, point in _points(folder):
            triple = point.triple
            series = Series(triple.head, _words(concept), triple.members, triple.unit)
            series = found.setdefault((triple.head, concept, triple.members, triple.unit), series)
            before = series.points.get(point.year)
            # of one filing the most exact figure counts: prose rounds what a table has
            if before is None or before.source != point.source or _exact(point) > _exact(before):
                series.points[point.year] = point
    return list(found.values())


def _exact(point: Point) -> int:
    return len(point.value.normalize().as_tuple().digits)


def _points(folder: GraphFolder) -> Iterator[tuple[str, Point]]:
    filing, source = folder.filing(), folder.ingested.source
    told = next((each.words for each in filing.facts if each.concept == "dei:DocumentFiscalYearFocus"), "")
    shift = int(told) - filing.period.year if told.isdecimal() and filing.period else 0
    periods = {each.period for each in filing.facts if each.period}
    ends = {each.end for each in periods if each.days in _YEAR}
    for triple in folder.run(XBRL).triples:
        fact = filing.facts[int(triple.id.removeprefix(f"{XBRL}-"))]
        if triple.value is None or triple.ungrounded or fact.period is None:
            continue
        if fact.period.days in _YEAR or (not fact.period.days and fact.period.end in ends):
            yield fact.concept, Point(fact.period.end.year + shift, fact.period.end, triple, source)


def find_series(question: str, folders: Sequence[GraphFolder]) -> Series:
    """The metric that a question names, with the years that it asks for, in their order.

    Raises:
        ConfigError: there is none, or there are several; names those that come nearest.
        IntegrityError: a capture is gone or was changed.
    """
    wanted, years = words_of(question) - _ASKING, set(years_of(question, through=True))
    since = _SINCE.search(question) if len(years) == 1 else None
    found: list[tuple[bool, int, Series]] = []
    for series in series_of(folders):
        series.points = {
            year: point
            for year, point in sorted(series.points.items())
            if (year >= int(since[1]) if since else year in years or not years)
        }
        if series.words & wanted:
            answers = bool(series.points) and series.answers(wanted)
            found.append((answers, len(wanted & (series.words | words_of(series.head))), series))
    found.sort(key=lambda each: (not each[0], -each[1], len(each[2].name), each[2].name))
    answering = [each[2] for each in found if each[0]]
    if len(answering) != 1:
        why = "Several metrics are" if answering else "No metric is"
        near = "; ".join(each.name for *_, each in found[:_NEAREST]) or "none"
        raise ConfigError(f"{why} what this asks for. The nearest: {near}. Ask in the words of one of them.")
    (series,) = answering
    series.missing = tuple(sorted(years - series.points.keys()))
    return series


def series_table(series: Series) -> Table:
    """The years of a metric, each with its change, the words that it rests on, and their sealed place."""
    points = list(series.points.values())
    rows = [
        row(
            f"{point.year} (to {point.end})",
            Cell(text=f"{point.value:,f} {series.unit}".strip(), state="figure", value=float(point.value)),
            _change(before, point) if before else words("-"),
            words(point.triple.quote),
            words(
                f"{point.source.capture[:16]}, {point.source.file}, {point.triple.start}-{point.triple.end}"
            ),
        )
        for before, point in zip([None, *points], points, strict=False)
    ]
    notes = []
    if len(points) > 1:
        notes.append(f"From {points[0].year} to {points[-1].year}: {_change(points[0], points[-1]).text}.")
    if series.missing:
        notes.append(f"Not told by these filings: {', '.join(map(str, series.missing))}.")
    return Table(
        name="series",
        title=series.name,
        columns=("Year", "Value", "Change", "Sealed words", "Capture, file, place"),
        rows=tuple(rows),
        note=" ".join(notes),
    )


def _change(before: Point, after: Point) -> Cell:
    """The relative change; none from a number that is not positive."""
    if before.value <= 0:
        return words("-")
    return figure(float(after.value / before.value - 1), "+.1f", share=True)
