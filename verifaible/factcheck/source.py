"""A source, read once: its values, each with the words that govern it.

A cell of a table, a number of a sentence and a number in JSON are the same thing here: a quantity with what
stands beside it and over it. All places count code points of the source's text.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from functools import cached_property
from itertools import zip_longest
from typing import Any, Final, Literal, TypeAlias

from verifaible.factcheck.places import money_in, places_in
from verifaible.factcheck.plain_text import PlainText
from verifaible.factcheck.plain_words import key_words
from verifaible.factcheck.tables import Cell, Table, rows_of
from verifaible.schema.analyst import Source
from verifaible.text.cldr import tender
from verifaible.text.json_pointer import escaped_key, unescaped_key, value_spans
from verifaible.text.language import small_words
from verifaible.text.numbers import find_quantities
from verifaible.text.periods import Period, find_periods
from verifaible.text.quantity import Quantity
from verifaible.text.segmentation import sentences
from verifaible.text.units import languages_of, told_units, unit_kind

Kind: TypeAlias = Literal["cell", "prose", "json"]
#: Values of a source that are read; a longer one is searched by its words.
_MOST_VALUES: Final = 6_000
_HEADING: Final = re.compile(r"#{1,6} +(?P<md>.+)|\*\*(?P<bold>[^*\n]+)\*\*|(?P<lead>[^\n]{1,80})[:：]")
#: A line of fewer code points, without a stop, is the name of what follows.
_TITLE: Final = 80
#: Where a sentence goes on to another thing.
_STOP: Final = re.compile(
    r"(?<!\d)[,;，；、]|[,;，；、](?!\d)|[–—]|\s(?:and|but|while|whereas|versus|vs\.?|against|with|compared|und"
    r"|et|y)\s|[而与和]",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W\d_]+")
#: A string of JSON of fewer code points may name its object.
_NAME: Final = 60
_EPOCH: Final = re.compile(r"1[0-9]{9}(?:\d{3})?")
#: A blank that parts thousands, as in a cell there is no other.
_GROUPED: Final = re.compile(r"(?<=\d)[ \u00a0\u2009\u202f](?=\d{3}(?!\d))")
#: A short name that begins like a currency.
_CODE: Final = re.compile(r"[A-Z]{4,}")
#: Keys under which an object says what it is.
_IDENTITY: Final = re.compile(
    r"name|symbol|title|\Aid\Z|slug|project|protocol|coin|token|asset|ticker|pair|company|entity|subject|label|city"
    r"|country|region|product|item|category|metric",
    re.IGNORECASE,
)
_DAY: Final = re.compile(r"\d{4}-\d\d")
_TIME_KEY: Final = re.compile(r"date|time|stamp|_at\Z|At\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A number where it stands, and what governs it.

    Attributes:
        source: the source that it stands in.
        quantity: with the scale and the unit that a head, a caption or a key gives; its places are of its own
            sentence, cell or leaf.
        start, end: where it stands in the source; ``first``, ``last`` its row, sentence or leaf.
        kind: what it is.
        near: the words beside it: the cells that name its row, a line each, its part of a sentence, its key.
        head: the heads over it in a table.
        line: all words of its sentence; of a cell its row and section, in JSON its keys and the strings that
            name its object.
        over: what stands over it: caption and headings, the short strings of the objects around.
        periods: the periods that it is of, by the nearest words that tell any.
        pointer: its JSON Pointer.
        table, row, column: where it stands in a table.
    """

    source: ReadSource
    quantity: Quantity
    start: int
    end: int
    first: int
    last: int
    kind: Kind
    near: str
    head: str
    line: str
    over: str
    periods: tuple[Period, ...] = ()
    pointer: str = ""
    table: Table | None = None
    row: int = -1
    column: int = -1


class ReadSource:
    """A source with what stands in it.

    Args:
        source: what it is.
        text: the words of its file, all of them.
        at: when it was asked; "today" in it is that day.
    """

    def __init__(self, source: Source, text: str, at: datetime | None = None) -> None:
        self.source = source
        self.text = text
        self.at = at

    @property
    def plain(self) -> PlainText:
        """Its sentences, to look words up in."""
        return PlainText.of(self.text)

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """Its tables, in order."""
        return tuple({id(table): table for table, _ in self._rows.values()}.values())

    @cached_property
    def _rows(self) -> dict[int, tuple[Table, int]]:
        return {} if self._json else rows_of(self.text)

    @cached_property
    def _json(self) -> tuple[int, dict[str, tuple[int, int]]] | None:
        """Where the JSON of the source begins, with the stretch of each of its values; None without any."""
        start = re.search(r"[{\[]", self.text)
        if start is None:
            return None
        try:
            _, length = json.JSONDecoder(strict=False).raw_decode(self.text[start.start() :])
            spans = value_spans(self.text[start.start() : start.start() + length])
        except (ValueError, RecursionError):
            return None
        return (start.start(), spans) if 2 * length > len(self.text) else None

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """Its values, in order, at most some thousands."""
        found: list[Value] = []
        for value in self._leaves(*self._json) if self._json else self._stated():
            found.append(value)
            if len(found) == _MOST_VALUES:
                break
        return tuple(found)

    # --- text

    def _stated(self) -> Iterator[Value]:
        over, at = "", 0
        headings: dict[int, str] = {}
        for line in self.text.split("\n"):
            start, at = at, at + len(line) + 1
            if start in self._rows:
                table, row = self._rows[start]
                yield from self._cells(table, row, over)
                continue
            if heading := _HEADING.fullmatch(line.strip()):
                level = len(line) - len(line.lstrip("#")) or 7
                headings = {depth: words for depth, words in headings.items() if depth < level}
                headings[level] = heading["md"] or heading["bold"] or heading["lead"]
                over = "\n".join(headings.values())
            for low, high in sentences(line):
                yield from self._said(start + low, start + high, over)

    def _said(self, first: int, last: int, over: str) -> Iterator[Value]:
        words = self.text[first:last]
        found = [each for each in find_quantities(words) if each.role in ("value", "range")]
        periods = find_periods(words, self.at)
        found = [
            each for each in found if not any(p.start < each.end and each.start < p.end for p in periods)
        ]
        for number, low, high in _parts(words, found, periods):
            near = words[low:high]
            told = _nearest(find_periods(near, self.at) or periods, number, low) or self._only_period(over)
            yield Value(
                self, number, first + number.start, first + number.end, first, last, "prose",
                near, "", words, over, tuple(told),
            )  # fmt: skip

    def _cells(self, table: Table, row: int, over: str) -> Iterator[Value]:
        if row < max(table.first, 1):
            return
        label, section = table.label(row), table.section(row)
        first, last = table.rows[row][0].start, table.rows[row][-1].end
        above = "\n".join(filter(None, (over, table.caption, section)))
        figures = table.figures(row)
        named = [cell.text for cell in table.rows[row][: figures[0] if figures else 0] if cell.text]
        for column in figures:
            cell = table.rows[row][column]
            words = _GROUPED.sub("", cell.text)
            found = [each for each in find_quantities(words) if each.role in ("value", "range")]
            if len(found) != 1:  # cells that were joined, or a range
                continue
            heads = table.heads(row, column)
            if not table.first and column < len(table.rows[0]):
                heads = (*heads, table.rows[0][column].text)
            head = " ".join(heads)
            told = (find_periods(each, self.at) for each in (*heads, label))
            periods = next(filter(None, told), self._only_period(above))
            number = self._scaled(found[0], cell, (head, label, section, table.caption))
            yield Value(
                self, number, cell.start, cell.end, first, last, "cell", "\n".join(named) or label, head,
                f"{label} {section}", above, tuple(periods), "", table, row, column,
            )  # fmt: skip

    def _only_period(self, words: str) -> tuple[Period, ...]:
        """The period that headings name; none where they name several."""
        found = find_periods(words, self.at)
        return found if len({each.days for each in found if each.dated}) == 1 else ()

    def _scaled(self, number: Quantity, cell: Cell, tells: Sequence[str]) -> Quantity:
        """The number of a cell with the unit and the scale that heads, caption and text give it."""
        stated = places_in(self.text).at(cell.start, cell.end)
        if stated is not None:
            number = replace(number, value=-number.value if stated.value < 0 < number.value else number.value)
            unit = stated.unit
            if stated.shown and stated.value != stated.shown:
                number = replace(number, scale=number.scale * stated.value / stated.shown)
            told = _CODE.sub(" ", " ".join(tells))  # no dollars in "USDC"
            codes = tuple(code for code in stated.currencies if code in money_in(told))
            if not (number.unit or number.ticker) and (unit or codes):
                number = replace(number, unit=unit or codes[0], currencies=codes)
        return _in_unit(number, tells)

    # --- JSON

    def _leaves(self, base: int, spans: Mapping[str, tuple[int, int]]) -> Iterator[Value]:
        names = _names_of(json.JSONDecoder(strict=False).raw_decode(self.text[base:])[0])
        beside: dict[str, str] = defaultdict(str)  # the keys of each object, and its strings
        for pointer, (start, end) in spans.items():
            above, _, key = pointer.rpartition("/")
            said = self.text[base + start : base + end]
            beside[above] += f"{key_words(unescaped_key(key))}\n"
            beside[above] += f"{said}\n" if said.startswith('"') and len(said) <= _NAME else ""
        for pointer, (start, end) in spans.items():
            raw = self.text[base + start : base + end]
            if raw[0] in "{[tfn" or (raw[0] == '"' and len(raw) > _NAME):
                continue
            quoted = int(raw[0] == '"')
            low, high = base + start + quoted, base + end - quoted
            path = [unescaped_key(part) for part in pointer.split("/")[1:]]
            keys = [key_words(part) for part in path if not part.isdigit()]
            last = keys[-1] if keys else ""
            if _TIME_KEY.search(last.replace(" ", "_")) or not (read := find_quantities(self.text[low:high])):
                continue
            if len(read) > 1 or len(read[0].raw) < len(self.text[low:high].strip()):
                continue
            near = " ".join(keys[-2:]) if len(last) < 4 or last.isdigit() else last
            inner, *outer = [names[each] for each in _objects(path) if names.get(each)] or [()]
            line = "\n".join((*keys, *inner))
            over = "\n".join((beside[pointer.rpartition("/")[0]], *(each for one in outer for each in one)))
            periods = next(filter(None, (find_periods(each, self.at) for each in (near, line, over))), ())
            yield Value(
                self, _keyed(read[0], near), low, high, low, high, "json", near, "", line, over,
                tuple(periods), pointer,
            )  # fmt: skip


def _nearest(periods: tuple[Period, ...], number: Quantity, low: int) -> tuple[Period, ...]:
    """The period nearest to a number, and the nearest window; ``low``: where the periods' text begins."""

    def far(period: Period) -> int:
        return min(abs(low + period.start - number.end), abs(number.start - low - period.end))

    dated = sorted((each for each in periods if each.dated), key=far)[:1]
    windows = sorted((each for each in periods if not each.dated), key=far)[:1]
    return (*dated, *windows)


def _parts(
    words: str, found: list[Quantity], periods: Sequence[Period]
) -> Iterator[tuple[Quantity, int, int]]:
    """Each number of a sentence with the stretch of words that are its own.

    Between two numbers a sign or a word that goes on to another thing parts what belongs to each; where there
    is none, the noun right behind the first is its own, and what follows belongs to the second.
    """
    inside = [(each.start, each.end) for each in periods]
    stops = [match.start() for match in _STOP.finditer(words)]
    stops = [stop for stop in stops if not any(low <= stop < high for low, high in inside)]
    low = max((stop for stop in stops if found and stop < found[0].start), default=0)
    for number, behind in zip_longest(found, found[1:]):
        last = behind.start if behind else len(words)
        between = [stop for stop in stops if number.end <= stop < last]
        high = between[0] if between else _noun_end(words, number.end, last) if behind else last
        yield number, low, high
        low = high


def _noun_end(words: str, start: int, end: int) -> int:
    """Where the noun behind a number ends: before a small word, such as a preposition."""
    small = frozenset[str]().union(*map(small_words, languages_of(words)))
    found = (match.start() for match in _WORD.finditer(words, start, end) if match[0].casefold() in small)
    return next(found, start)


def _in_unit(number: Quantity, tells: Sequence[str]) -> Quantity:
    """A number in the unit and the scale that its heads or its caption, the nearest first, declare."""
    for words in tells:
        unit = next(iter(told_units(words)), None)
        if unit is None or (number.scale != 1 and number.unit) or unit_kind(number.unit) not in ("", "money"):
            continue
        if number.scale == 1 and (not number.unit or unit.currencies or not unit.name):
            number = replace(number, scale=unit.scale)
        if not number.unit:
            number = replace(number, unit=unit.name, currencies=unit.currencies)
    return number


def _keyed(number: Quantity, key: str) -> Quantity:
    """A number of JSON in the unit that its key tells: a currency's code, or per cent."""
    words = key.upper().split()
    codes = tuple(word for word in words if word in tender())
    if any(word.startswith("PERCENT") or word == "PCT" for word in words):
        return replace(number, unit="%")
    if "CHANGE" in words:
        return number  # in money or in per cent, which the key leaves open
    return replace(number, unit=codes[0], currencies=codes[:1]) if codes else number


#: The short strings of each object, by its pointer.
Names: TypeAlias = dict[str, tuple[str, ...]]


def _names_of(data: Any, pointer: str = "") -> Names:
    found: Names = {}
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    if isinstance(data, dict):
        own = [value for key, value in data.items() if isinstance(value, str) and _is_named_by(key, value)]
        own += [_day(value) for key, value in data.items() if _TIME_KEY.search(key) and _is_epoch(value)]
        found[pointer] = tuple(own)
    for key, value in items:
        if isinstance(value, dict | list):
            found |= _names_of(value, below := f"{pointer}/{escaped_key(str(key))}")
            if isinstance(data, dict) and isinstance(value, dict):
                found[pointer] += tuple(each for each in found[below] if not _DAY.match(each))
    return found


def _is_named_by(key: str, value: str) -> bool:
    """Whether a string says what its object is, and not where it is or what sort it is of."""
    return len(value) <= _NAME and (
        bool(_IDENTITY.search(key)) or not key.isascii() or bool(_DAY.match(value))
    )


def _is_epoch(value: object) -> bool:
    return isinstance(value, int | float | str) and bool(_EPOCH.fullmatch(str(value).partition(".")[0]))


def _day(value: object) -> str:
    seconds = Decimal(str(value))
    seconds = seconds / 1000 if seconds > Decimal(10) ** 11 else seconds
    return datetime.fromtimestamp(float(seconds), UTC).date().isoformat()


def _objects(path: Sequence[str]) -> Iterator[str]:
    """The pointers of the objects that a value is in, the innermost first."""
    for length in range(len(path) - 1, -1, -1):
        yield "".join(f"/{escaped_key(part)}" for part in path[:length])
