"""A value that a source states, with what it is bound to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, TypeAlias

from verifaible.factcheck.numbers.quantities import Quantity
from verifaible.old.numbers import NumberMention
from verifaible.schema.analyst import Source
from verifaible.schema.verdict import Passage

#: ``prose`` a sentence; ``row`` a cell of a table; ``json`` a number, or words, in a JSON document.
PlaceKind: TypeAlias = Literal["prose", "row", "json"]
#: How a value is stated when it is not simply stated: ``forecast`` (could reach), ``denied`` (not 36),
#: ``limit`` (over 36), ``earlier`` (from 36 to 40), ``range`` (36 to 40), ``question``, ``approximate``,
#: ``unclear`` (what the value is of cannot be told).
Manner: TypeAlias = Literal[
    "forecast", "denied", "limit", "earlier", "range", "question", "approximate", "unclear"
]


@dataclass(frozen=True, slots=True)
class Reading:
    """One value that a source states, with what it is bound to.

    Attributes:
        source: the source.
        text: the whole of its file, in which ``start``, ``end`` and ``place`` count code points.
        start: where the value stands, with its sign, scale and unit.
        place: the range of the sentence, table row or JSON value it stands in.
        value: signed and scaled, in its canonical unit (25 bp is 0.25).
        unit: canonical, as :mod:`verifaible.old.units` calls it (``USD``, ``%``, ``pp``,
            ``小时``), a ticker in capitals (``HYPE``), or empty where none is known.
        digits: half a unit of the last place shown, scaled: what rounding the digits leave open.
        mention: the number as it was read; None where JSON states it as a number.
        labels: what it is bound to, from inner to outer: its clause or sentence, row heads, column
            heads, JSON keys with the names in their objects, caption, headings, title of the source.
        subjects: assets, protocols and venues it is bound to (canonical names of the alias table, or
            tickers in capitals).
        metric: canonical name of what it measures (``price``, ``market_cap``); empty where not known.
        moments: dates and periods it is bound to: ``2025-10-17``, ``2025-10``, ``2025-Q3``, ``2025``,
            ``24h``, ``7d``, ``30d``, ``ytd``.
        manner: how it is stated, if not as a plain fact.
        words: stems of the other words of its sentence, row or object.
        close: those of them that lead up to the value itself; a claim without them is of something else.
        own: stems of the words of its own sentence, row or object, without what stands over it.
        named: what its object or row calls what it is of, where no name known is in it: stems of each way.
        direction: 1 where a level is told as a rise to it, -1 as a fall to it.
        signed: whether its sign is told, by a sign or a word.
        dated: those of ``moments`` that are on the calendar and stand beside the value, not in a heading.
        pointer: JSON Pointer (RFC 6901) of the value, where the source is JSON.
        kind: where it stands.
        quantity: the number with its limit and its precision.
        lent: whether ``subjects`` are told by what stands over or before it, and not beside it.
        foreign: where it has no ``subjects``, stems of the unknown names that stand over or before it.
        host: of a JSON value, the protocol whose product its object is of (a ``project`` has a ``symbol``).
        head: of its column, where it stands in a table.
    """

    source: Source
    text: str
    start: int
    end: int
    place: tuple[int, int]
    value: Decimal
    unit: str
    digits: Decimal
    mention: NumberMention | None
    labels: tuple[str, ...]
    subjects: frozenset[str] = frozenset()
    metric: str = ""
    moments: frozenset[str] = frozenset()
    manner: frozenset[Manner] = frozenset()
    words: frozenset[str] = frozenset()
    pointer: str = ""
    kind: PlaceKind = "prose"
    close: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    named: tuple[frozenset[str], ...] = ()
    direction: int = 0
    signed: bool = False
    dated: frozenset[str] = frozenset()
    quantity: Quantity | None = None
    lent: bool = False
    foreign: frozenset[str] = frozenset()
    host: frozenset[str] = frozenset()
    head: str = ""

    @property
    def passage(self) -> Passage:
        """The value itself, to the byte."""
        return self._passage(self.start, self.end)

    @property
    def where(self) -> Passage:
        """The sentence, table row or JSON value that states it, to the byte."""
        return self._passage(*self.place)

    @property
    def cells(self) -> tuple[str, ...]:
        """Of a table's row, the words of its cells that have any."""
        line = self.text[slice(*self.place)]
        return tuple(filter(None, (cell.strip(" *_`") for cell in re.split(r"\||\t", line))))

    def _passage(self, start: int, end: int) -> Passage:
        return Passage.of(self.source, self.text, start, end, self.pointer)
