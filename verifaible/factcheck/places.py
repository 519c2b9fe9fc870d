"""The values of a text as proofs use them: each with its scale and unit, and with what names it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Final, Protocol

from verifaible.factcheck.tables import Table, rows_of, value_in
from verifaible.factcheck.words import YEAR, words_of, years_of
from verifaible.schema.analyst import Source
from verifaible.text import cldr
from verifaible.text.arithmetic import Amount
from verifaible.text.flat import flatten
from verifaible.text.numbers import find_quantities
from verifaible.text.quantity import Quantity
from verifaible.text.segmentation import sentence_around
from verifaible.text.units import money_signs, read_unit, unit_kind
from verifaible.text.words import powers

#: Texts of sources that are kept read.
_KEPT: Final = 64
#: Languages whose scales are words that heads and captions have.
_LANGUAGES: Final = ("en", "zh", "de", "fr", "es", "it", "pt", "ja", "ko")
#: The factor of a scale word, in lower case; of one that languages read otherwise, the first one's.
SCALES: Final[dict[str, Decimal]] = {
    word.lower(): Decimal(10) ** power
    for scales in (
        *(cldr.words_of(language).scales for language in reversed(_LANGUAGES)),
        powers("capitals"),
        powers("scales"),
    )
    for word, power in scales.items()
    if power > 2 or word in "百"
}
#: Signs and codes that stand before a number, in their own letter case.
CURRENCY_BEFORE: Final = (
    "(?<![A-Za-zÀ-ӿ])(?-i:"
    + "|".join(sorted(map(re.escape, money_signs()), key=len, reverse=True))
    + r")[ \u2009]?"
)
#: "in thousands", "($ millions)", "$'000", "US$m": how heads and captions give a scale.
_SCALE: Final = re.compile(
    rf"(?:\b(?:in|of)\s+(?:[^\W\d]+\s+)?(?:{CURRENCY_BEFORE})?\s*|[(（,]\s*|(?:{CURRENCY_BEFORE})\s?|\A\s*)['’]?"
    r"(?P<word>thousands?|millions?|billions?|trillions?|mn|bn|m|k|亿|億|万|萬)(?![^\W\d])"
    r"|['’](?P<zeros>000)s?\b|(?<![\d. ])(?P<han>[亿億万萬])[美港欧日]?元",
    re.IGNORECASE,
)
#: What no scale of a head applies to: "in millions, except per share".
_UNSCALED: Final = re.compile(r"\bper\b(?! ?cent)|\bratios?\b|每", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Place:
    """A value where it stands, and what names it.

    Attributes:
        start, end: where it stands in its source.
        value: signed and scaled; ``shown`` without the scale that a head or a caption gives.
        unit: its unit, empty where none is told.
        currencies: what its currency can be, also as the head or the other cells tell.
        years: the years that it is of, empty where none is told.
        row, section, column, caption: the words that name it in a table or in JSON.
        label, head: row and column as they are written.
        names: row and column as one.
        sentence: the words of its paragraph; ``before`` those of its sentence between it and the
            value before it, and ``beside`` the same of the other values, with where they begin.
        rate_of: the other money that its sentence names: of a rate there are two.
        denied: whether its sentence says that it is not so.
        table, line, rank: which table, row and column it is of; ``peers`` are all values of the table.
    """

    start: int
    end: int
    value: Decimal
    shown: Decimal
    unit: str = ""
    currencies: cldr.Codes = ()
    years: tuple[int, ...] = ()
    row: frozenset[str] = frozenset()
    section: frozenset[str] = frozenset()
    column: frozenset[str] = frozenset()
    caption: frozenset[str] = frozenset()
    label: str = ""
    head: str = ""
    names: str = ""
    sentence: frozenset[str] = frozenset()
    before: frozenset[str] = frozenset()
    beside: tuple[tuple[str, int], ...] = ()
    rate_of: str = ""
    denied: bool = False
    table: int = -1
    line: int = -1
    rank: int = -1
    peers: Sequence[Place] = field(default=(), repr=False)

    @property
    def in_table(self) -> bool:
        """Whether it has a row and a column."""
        return self.table >= 0

    def amount(self, *, bare: bool = False) -> Amount:
        """Its value in its unit; ``bare``: not in a currency that only its table tells."""
        if self.unit or bare or not self.currencies:
            return Amount(self.value, f"{self.unit}/{self.rate_of}" if self.rate_of and bare else self.unit)
        return Amount(self.value, self.currencies[0])


class ReadSource(Protocol):
    """A source and its whole text."""

    @property
    def source(self) -> Source:
        """What it is."""

    @property
    def text(self) -> str:
        """All of its file."""


class Places:
    """The values of a text."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _rows(self) -> dict[int, tuple[Table, int]]:
        return rows_of(self._text)

    @cached_property
    def tables(self) -> tuple[tuple[Place, ...], ...]:
        """The values of each table, in order."""
        tables = {id(table): table for table, _ in self._rows.values()}.values()
        return tuple(tuple(self._cells(table, number)) for number, table in enumerate(tables))

    @cached_property
    def _by_start(self) -> dict[int, Place]:
        return {place.start: place for table in self.tables for place in table}

    @cached_property
    def _prose(self) -> str:
        """Its lines outside tables: the head of a column tells nothing of another one."""
        at, found = 0, []
        for line in self._text.split("\n"):
            if at not in self._rows:
                found.append(line)
            at += len(line) + 1
        return "\n".join(found)

    def at(self, start: int, end: int) -> Place | None:
        """The value in a range of the text; None where none stands there."""
        begin = self._text.rfind("\n", 0, start) + 1
        if begin in self._rows:
            table, row = self._rows[begin]
            cells = (each for each in table.rows[row] if each.start < end and start < each.end)
            figure = next((each for each in cells if each.number), None)
            if row < table.first or figure is not None:
                return self._by_start.get(figure.start) if figure and row >= table.first else None
        return self._said(start, end)

    def _cells(self, table: Table, number: int) -> Iterator[Place]:
        peers: list[Place] = []
        for row in range(table.first, len(table.rows)):
            label, section = table.label(row), table.section(row)
            for column in table.figures(row):
                cell, heads = table.rows[row][column], table.heads(row, column)
                quantity = cell.number
                if quantity is None:
                    continue
                value, near, head = quantity.value, (label, *heads, section), " ".join(heads)
                if value > 0 and _MINUS.search(re.split(r"\d", cell.text, maxsplit=1)[0]):
                    value = -value
                unit = quantity.unit
                if not unit and any("%" in each or "percent" in each.casefold() for each in near[:-1]):
                    unit = "%"
                bare = bool(unit) and unit_kind(unit) != "money"
                scale = quantity.scale if bare else self._scale(quantity.scale, near, table)
                place = Place(
                    cell.start, cell.end, value * scale, value * quantity.scale,
                    read_unit(unit).name if unit else "",
                    () if bare else quantity.currencies or _money_of(near, table), table.years(row, column),
                    row=words_of(label), section=words_of(section), column=words_of(head),
                    caption=words_of(table.caption), label=label, head=head, names=f"{label} {head}",
                    table=number, line=row, rank=column, peers=peers,
                )  # fmt: skip
                peers.append(place)
                yield place

    def _scale(self, own: Decimal, near: Sequence[str], table: Table) -> Decimal:
        """The scale of a cell: its own, else what the heads, the caption or the text around give it."""
        if own != 1 or any(_UNSCALED.search(each) for each in near):
            return own
        tops = (cells[0].text for cells in table.rows[: max(table.first, 1)])
        told = (*near, *tops, table.caption, self._prose)
        return next((found for each in told if (found := _scale_in(each))), own)

    def _said(self, start: int, end: int) -> Place | None:
        low, high = sentence_around(self._text, start, end)
        sentence = self._text[low:high]
        number = value_in(sentence, start - low, end - low)
        if number is None:
            return None
        others = [
            each
            for each in find_quantities(sentence)
            if each.role in ("value", "range") and not YEAR.fullmatch(each.raw)
        ]
        at = next((place for place, each in enumerate(others) if each.start == number.start), 0)
        ends = [0, *(each.end for each in others)]
        before = {
            low + each.start: sentence[end : each.start] for each, end in zip(others, ends, strict=False)
        }
        own = before.pop(low + number.start, "")
        monies = [each for each in monies_in(sentence) if each != number.unit]
        paragraph = self._text[self._text.rfind("\n", 0, start) + 1 : end + _NEAR]
        return Place(
            low + number.start, low + number.end, number.scaled_value, number.scaled_value,
            read_unit(number.unit).name if number.unit else "", number.currencies,
            _years_said(sentence, number, at, len(others)),
            sentence=words_of(paragraph), before=words_of(own),
            beside=tuple((words, begin) for begin, words in before.items()),
            rate_of=monies[0] if monies and unit_kind(number.unit) == "money" else "",
            denied=number.negated,
        )  # fmt: skip


#: Characters behind a value that say what it is.
_NEAR: Final = 200
_MINUS: Final = re.compile(r"[-−–△(]\s*[^\d\w]*\Z")


def _scale_in(text: str) -> Decimal | None:
    found = _SCALE.search(text)
    if found is None:
        return None
    word = (found["word"] or found["han"] or "thousand").casefold()
    return SCALES.get(word) or SCALES.get(word.removesuffix("s"))


def _money_of(near: Sequence[str], table: Table) -> cldr.Codes:
    """The currency that the names of a cell tell, else its caption, else any cell of its table."""
    cells = (each.text for row in table.rows for each in row)
    return next((codes for each in (*near, table.caption, *cells) if (codes := money_in(each))), ())


@lru_cache(maxsize=512)
def money_in(text: str) -> cldr.Codes:
    """The currencies that the first sign or code of money in a text can be; empty without one."""
    found = re.search(CURRENCY_BEFORE, text) or re.search(r"[美港欧日]?元", text)
    return currencies_of(found[0]) if found else ()


@lru_cache(maxsize=1024)
def currencies_of(written: str) -> cldr.Codes:
    """The codes of the currencies that a sign, a code or a name can be, the likeliest first."""
    bare = written.strip(" \u2009")
    return money_signs().get(bare) or read_unit(bare).currencies


def monies_in(sentence: str) -> cldr.Codes:
    """The currencies that a sentence names, by sign, code or word: of a rate there are two."""
    flat = flatten(sentence)
    found = [currencies_of(each) for each in re.findall(rf"{CURRENCY_BEFORE}|[^\W\d_]+", flat)]
    return tuple(dict.fromkeys(codes[0] for codes in found if codes))


def _years_said(sentence: str, number: Quantity, at: int, of: int) -> tuple[int, ...]:
    """The years that a value of a sentence is of: by "respectively" or their order, else the nearest."""
    years, found = years_of(sentence), list(YEAR.finditer(sentence))
    apart = bool(found) and (number.start > found[-1].end() or number.end < found[0].start())
    if len(years) > 1 and of % len(years) == 0 and (apart or re.search(r"respectively|分别", sentence)):
        return (years[at % len(years)],)
    near = [(min(abs(m.start() - number.end), abs(number.start - m.end())), m[0]) for m in found]
    return years_of(min(near)[1]) if len(years) > 1 else years


@lru_cache(maxsize=_KEPT)
def places_in(text: str) -> Places:
    """The values of a text, read once."""
    return Places(text)
