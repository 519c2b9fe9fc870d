"""What stands around a value of a source: row, column, scale, unit and year, or its sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Final

from verifaible.factcheck.tables import Table, rows_of, value_in
from verifaible.factcheck.words import YEAR, years_of
from verifaible.text.cldr import Codes, words_of
from verifaible.text.flat import flatten
from verifaible.text.numbers import find_quantities
from verifaible.text.quantity import Quantity
from verifaible.text.segmentation import sentence_around
from verifaible.text.units import money_signs, read_unit, unit_kind
from verifaible.text.words import powers

#: Languages whose scales are words that heads and captions have.
_LANGUAGES: Final = ("en", "zh", "de", "fr", "es", "it", "pt", "ja", "ko")
#: The factor of a scale word, in lower case; of one that languages read otherwise, the first one's.
SCALES: Final[dict[str, Decimal]] = {
    word.lower(): Decimal(10) ** power
    for scales in (
        *(words_of(language).scales for language in reversed(_LANGUAGES)),
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


@dataclass(frozen=True)
class Place:
    """A value where it stands.

    Attributes:
        value: signed and scaled; ``shown`` without the scale that a head or a caption gives.
        unit: its unit, empty where none is told.
        currencies: what its currency can be, also as the head or the other cells tell.
        years: the years that it is of, empty where none is told.
        name: the words that say what it is; ``label`` those of its row, or of its paragraph.
        before: in a sentence, the words between the value before it and this one.
        beside: the same of the other values of the sentence, by where they begin.
        table: with its ``row`` and ``column``; None in a sentence, where ``column`` counts its values.
    """

    start: int
    end: int
    value: Decimal
    shown: Decimal
    unit: str
    currencies: Codes
    years: tuple[int, ...]
    name: str
    label: str = ""
    before: str = ""
    beside: Mapping[int, str] = field(default_factory=dict)
    denied: bool = False
    table: Table | None = None
    row: int = -1
    column: int = -1


class SourceText:
    """A source, read for its tables and sentences."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _rows(self) -> dict[int, tuple[Table, int]]:
        return rows_of(self.text)

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """Its tables, in order."""
        return tuple({id(table): table for table, _ in self._rows.values()}.values())

    def at(self, start: int, end: int) -> Place | None:
        """The value in a range of the source; None where none stands there."""
        begin = self.text.rfind("\n", 0, start) + 1
        if begin in self._rows:
            table, row = self._rows[begin]
            if row < table.first:
                return None
            for column, cell in enumerate(table.rows[row]):
                if cell.start < end and start < cell.end and (number := cell.number):
                    return self._cell(table, row, column, number)
        return self._said(start, end)

    @cached_property
    def _prose(self) -> str:
        """Its lines outside tables: the head of a column tells nothing of another one."""
        at, found = 0, []
        for line in self.text.split("\n"):
            if at not in self._rows:
                found.append(line)
            at += len(line) + 1
        return "\n".join(found)

    def _cell(self, table: Table, row: int, column: int, number: Quantity) -> Place:
        cell, heads, label = table.rows[row][column], table.heads(row, column), table.label(row)
        value = number.value
        if value > 0 and _MINUS.search(cell.text[: cell.text.find(re.search(r"\d", cell.text)[0])]):  # type: ignore[index]
            value = -value
        near = (label, *heads, table.section(row))
        unit = number.unit
        if not unit and any("%" in each or "percent" in each.casefold() for each in near[:-1]):
            unit = "%"
        scale = number.scale
        bare = unit and unit_kind(unit) != "money"
        if scale == 1 and not bare and not any(_UNSCALED.search(each) for each in near):
            tops = (
                *(cells[0].text for cells in table.rows[: max(table.first, 1)]),
                table.caption,
                self._prose,
            )
            scale = next((found for each in (*near, *tops) if (found := _scale_in(each))), Decimal(1))
        texts = (each.text for cells in table.rows for each in cells)
        currencies = number.currencies or next(
            (c for each in (*near, table.caption, *texts) if (c := money_in(each))), ()
        )
        return Place(
            cell.start, cell.end, value * scale, value * number.scale, unit, () if bare else currencies,
            table.years(row, column), " ".join((label, *heads)), label=label,
            table=table, row=row, column=column,
        )  # fmt: skip

    def _said(self, start: int, end: int) -> Place | None:
        low, high = sentence_around(self.text, start, end)
        sentence = self.text[low:high]
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
        return Place(
            low + number.start, low + number.end, number.scaled_value, number.scaled_value, number.unit,
            number.currencies, _years_said(sentence, number, at, len(others)), sentence,
            label=self.text[self.text.rfind("\n", 0, start) + 1 : end + _NEAR],
            before=before.pop(low + number.start, ""),
            beside=before,
            denied=number.negated, column=at,
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


@lru_cache(maxsize=512)
def money_in(text: str) -> Codes:
    """The currencies that the first sign or code of money in a text can be; empty without one."""
    found = re.search(CURRENCY_BEFORE, text) or re.search(r"[美港欧日]?元", text)
    return currencies_of(found[0]) if found else ()


@lru_cache(maxsize=1024)
def currencies_of(written: str) -> Codes:
    """The codes of the currencies that a sign, a code or a name can be, the likeliest first."""
    bare = written.strip(" \u2009")
    return money_signs().get(bare) or read_unit(bare).currencies


def monies_in(sentence: str) -> Codes:
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
