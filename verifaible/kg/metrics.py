"""Metrics in the tables of a filing, read as a person reads them: from the cell, its heads and what stands over it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from verifaible.judge.numbers.periods import days_of, find_periods
from verifaible.judge.proof.places import Place, SourceText
from verifaible.kg.chunks import Chunk
from verifaible.kg.filing import Filing
from verifaible.kg.xbrl import Period


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


class MetricReader:
    """Reads the cells of a filing's tables; it knows nothing of tags."""

    def __init__(self, filing: Filing, chunks: Sequence[Chunk]) -> None:
        self._chunks = [(each, SourceText(filing.text[each.start : each.end])) for each in chunks]

    def at(self, start: int, end: int) -> Metric | None:
        """The metric of the cell in a span of the text; None where it cannot be read."""
        for chunk, source in self._chunks:
            if chunk.start <= start < chunk.end:
                place = source.at(start - chunk.start, end - chunk.start)
                if place is None or place.table is None or (period := _period(place)) is None:
                    return None
                percent = place.unit == "%"
                return Metric(
                    chunk.start + place.start,
                    chunk.start + place.end,
                    place.label,
                    place.value / 100 if percent else place.value,
                    "pure" if percent else (place.currencies or (place.unit,))[0],
                    period,
                )
        return None


def _period(place: Place) -> Period | None:
    assert place.table is not None
    for head in (*place.table.heads(place.row, place.column), place.label, place.table.caption):
        for found in find_periods(head):
            if found.dated and (days := days_of(found.value)):
                first, last = days
                return Period(None if first == last else first, last)
    return Period(date(place.years[0], 1, 1), date(place.years[0], 12, 31)) if place.years else None
