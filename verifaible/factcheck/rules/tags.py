"""A sentence with its names, metrics, periods and numbers, and the clauses they stand in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Final

from verifaible.factcheck.numbers.periods import Period, find_periods
from verifaible.factcheck.numbers.quantities import Quantity, quantities
from verifaible.factcheck.rules.lexicon import Lexicon, MetricWord, Name, find_metrics, names_of
from verifaible.factcheck.plain_words import content_words, denial, forecast

_PARTS: Final = re.compile(
    r"[;；。，、：]|,(?=\s)|\.(?=\s)"
    r"|\s(?:and|while|whereas|but|versus|vs\.?|compared (?:to|with)|against|or)\s|(?:而|但|和|与|及)(?!量)"
)
#: Behind a share: how far something is from its record.
FROM_RECORD: Final = re.compile(
    r"\s*(?:below|off|away from|from|under|short of|lower than|beneath|down from)\s+"
    r"(?:(?:its|the|their|an|his)\s+)?(?:(?:previous|prior|own)\s+)?"
    r"(?:all[- ]time[- ]high|ath\b|record(?:\s+high)?\b|record peak|all[- ]time peak)",
    re.IGNORECASE,
)
_COORDINATED: Final = re.compile(r"[\s,]*(?:(?:and|or|as well as)\s*)?")


@dataclass
class Tags:
    """A sentence, clause by clause. ``at``: what "today" is; of a source nobody knows."""

    text: str
    lexicon: Lexicon
    at: datetime | None = None

    @cached_property
    def periods(self) -> tuple[Period, ...]:
        """The windows and dates, in order."""
        return find_periods(self.text, self.at)

    @cached_property
    def all_names(self) -> tuple[Name, ...]:
        """Every name, also one that is the unit of a number (3 ETH)."""
        return self.lexicon.find(self.text)

    @cached_property
    def numbers(self) -> tuple[Quantity, ...]:
        """The numbers that are neither a part of a period nor of a name."""
        if not quantities(self.text):
            return ()
        spans = [(period.start, period.end) for period in self.periods]
        spans += [(name.start, name.end) for name in self.all_names]
        return tuple(
            each
            for each in quantities(self.text)
            if not any(s < each.mention.end and each.mention.start < e for s, e in spans)
            or any(s < each.end and s >= each.mention.end - 1 for s, e in spans)
        )

    @cached_property
    def names(self) -> tuple[Name, ...]:
        """The names that are not the unit of a number."""
        return tuple(
            name for name in self.all_names if not any(n.start <= name.start < n.end for n in self.numbers)
        )

    @cached_property
    def unit_names(self) -> frozenset[str]:
        """What the names that are units are called."""
        return names_of(name for name in self.all_names if name not in self.names)

    @cached_property
    def metrics(self) -> tuple[MetricWord, ...]:
        """The metrics, in order."""
        taken = [(n.start, n.end) for n in self.numbers] + [(n.start, n.end) for n in self.all_names]
        return tuple(
            metric
            for metric in find_metrics(self.text)
            if not any(s < metric.end and metric.start < e for s, e in taken)
        )

    @cached_property
    def _spans(self) -> tuple[tuple[int, int], ...]:
        """The ranges of all names, metrics, periods and numbers."""
        return (
            *((name.start, name.end) for name in self.all_names),
            *((metric.start, metric.end) for metric in self.metrics),
            *((period.start, period.end) for period in self.periods),
            *((number.start, number.end) for number in self.numbers),
            *self._record_spans,
        )

    @cached_property
    def _record_spans(self) -> tuple[tuple[int, int], ...]:
        """Behind a number the words "below its all-time high": they are what it measures."""
        shares = (number for number in self.numbers if number.unit == "%")
        found = (FROM_RECORD.match(self.text, number.end) for number in shares)
        return tuple(match.span() for match in found if match)

    @cached_property
    def masked(self) -> str:
        """The text with a blank for each code point of a name, metric, period or number."""
        chars = list(self.text)
        for start, end in self._spans:
            chars[start:end] = " " * (end - start)
        return "".join(chars)

    @cached_property
    def words(self) -> frozenset[str]:
        """Stems of what is neither name, metric, period nor number."""
        return content_words(self.masked)

    @cached_property
    def clauses(self) -> tuple[tuple[int, int], ...]:
        """Clauses: each but the last holds a number; what leads up to a number belongs to its clause."""
        spans = self._spans
        edges = [0]
        for match in _PARTS.finditer(self.text):
            if any(s < match.end() and match.start() < e for s, e in spans) or self._coordinates(match):
                continue
            if any(edges[-1] <= n.start < match.start() for n in self.numbers):
                edges.append(match.end())
        return tuple(zip(edges, [*edges[1:], len(self.text)], strict=True))

    def _coordinates(self, match: re.Match[str]) -> bool:
        """Whether a sign or word joins two names: "BTC and ETH", "BTC, ETH"."""
        before = max((n.end for n in self.names if n.end <= match.start()), default=-1)
        after = min((n.start for n in self.names if n.start >= match.end()), default=-1)
        if before < 0 or after < 0:
            return False
        gap = re.sub(r"[()]", " ", self.text[before : match.start()]) + "," + self.text[match.end() : after]
        return _COORDINATED.fullmatch(gap) is not None

    def clause_of(self, at: int) -> int:
        """The number of the clause that a code point is in."""
        return next(
            i for i, (start, end) in enumerate(self.clauses) if start <= at < end or end == len(self.text)
        )

    def names_in(self, start: int, end: int) -> tuple[Name, ...]:
        """The names between two code points, without providers of data."""
        return tuple(name for name in self.names if start <= name.start < end and name.kind != "provider")

    @cached_property
    def forecasts(self) -> bool:
        """Whether it speaks of what may come."""
        return forecast(self.text)

    @cached_property
    def denies(self) -> bool:
        """Whether it denies something."""
        return denial(self.text)
