"""Claims by what stands beside the same numbers: the words of a claim aligned with those that govern a value.

A value supports a claim where all words of the claim govern it, nothing narrows it further, and no value
beside it has words of the claim that it has not itself. The one value that the words of a claim single out,
and that differs from the claim's, contradicts it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final

from verifaible.factcheck.plain_words import denial, direction, forecast
from verifaible.factcheck.source import ReadSource, Value
from verifaible.factcheck.terms import Terms, is_metric, is_name, is_volatile, narrows, unit_of, window_of
from verifaible.schema.analyst import Claim
from verifaible.schema.verdict import Passage, Verdict
from verifaible.text.cldr import tender
from verifaible.text.compare import Likeness, compare
from verifaible.text.numbers import find_quantities
from verifaible.text.periods import Period, find_periods
from verifaible.text.qualifiers import rises
from verifaible.text.quantity import Quantity
from verifaible.text.units import may_be_same, unit_kind

PRICE: Final = "#price"
CHANGE: Final = "#change"
#: A claim is a sentence; in longer texts words stand by chance.
_LONGEST: Final = 500
_MOST_NUMBERS: Final = 8
_MOST_SHOWN: Final = 4
#: A value of yesterday is that of now.
_DAY: Final = timedelta(days=1)
#: Values that differ by more than this factor are of other things, or of another scale.
_FAR: Final = 100
#: What a source is about stands in so many code points at its beginning.
_BEGINNING: Final = 600
#: Several things and several values, in one order.
_LISTED: Final = re.compile(r"\brespectively\b|分别", re.IGNORECASE)
#: What is told of a stretch of time.
_RATE: Final = re.compile(
    r"\b(?:per|an?|each|every) (?:second|minute|hour|day|week|month|quarter|year)\b|\bannually\b|[每/](?:秒|分|小时|天|日|周|月|年)",
    re.IGNORECASE,
)
#: A name: a word with a capital inside a sentence.
_CAPITAL: Final = re.compile(r"(?<=[\w,;:)] )\$?[A-Z][\w&]+")
#: What a cell adds to its name.
_EXPLAINED: Final = re.compile(r"\s*[(（][^()（）]*[)）]\Z")
_WHOSE: Final = re.compile(r"\w+['’]s\b")
_REASON: Final = "A source states it, with its subject, what it is of, and its unit."


@dataclass(frozen=True, slots=True)
class Asked:
    """What a claim asks of a place.

    Attributes:
        text: its words, with those over it where it is a bare value.
        numbers: what it states.
        words: the words that must govern each of its numbers.
        lent: the name that what stands over it gives it, where it has none; its source must be about that.
        around: words that may stand there as well: what stands over the claim.
        units: the words behind its numbers, which may stand there as well.
        periods: when it is of.
        over: when what stands over it is of; a value that tells no time may be of it.
    """

    text: str
    numbers: tuple[Quantity, ...]
    words: frozenset[str]
    lent: frozenset[str]
    around: frozenset[str]
    units: frozenset[str]
    periods: tuple[Period, ...]
    over: tuple[Period, ...]

    @classmethod
    def of(cls, claim: Claim, terms: Terms, topic: str = "", at: datetime | None = None) -> Asked:
        """Read a claim; a value alone, as in a cell, has the words of its column and row."""
        text = claim.text
        periods = find_periods(text, at)
        numbers = tuple(
            each
            for each in find_quantities(text)
            if each.role in ("value", "range")
            and not any(period.start <= each.start < period.end for period in periods)
        )
        words = terms.of(_without(text, (*numbers, *periods)))
        context = list(claim.context)
        changes = any(_is_change(each, text) for each in numbers)
        own = bool(words) or (changes and any(map(str.isalpha, _without(text, numbers))))
        if not own and context:
            words = terms.of(" ".join(_masked(each, at) for each in context[-2:]))
        if changes:
            words |= {CHANGE}
        units = (f"{each.unit_raw} {each.ticker}" for each in numbers)
        around = terms.of(" ".join((*context, topic)))
        labels = context[-2:] if not own else []
        periods = periods or tuple(each for label in labels for each in find_periods(label, at))
        over = next(filter(None, (find_periods(label, at) for label in reversed(context))), ())
        lent = frozenset[str]()
        if not any(map(is_name, words)) and not _CAPITAL.search(text) and not _WHOSE.match(text):
            named = (frozenset(filter(is_name, terms.of(each))) for each in (*reversed(context), topic))
            lent = next((each for each in named if each), frozenset())
            lent = lent if len(lent) == 1 else frozenset()
        return cls(text, numbers, words, lent, around, terms.of(" ".join(units)), periods, over)


def _is_change(number: Quantity, words: str) -> bool:
    """Whether a number is told as how much something went up or down."""
    if number.unit in ("%", "pp") and (number.sign != "" or direction(words) != 0):
        return True
    return number.sign == "word" or rises(words[: number.start], words[number.end :])


def _masked(text: str, at: datetime | None) -> str:
    return _without(text, (*find_quantities(text), *find_periods(text, at)))


def _without(text: str, spans: Iterable[Quantity | Period]) -> str:
    for span in spans:
        ticker = getattr(span, "ticker", "")
        end = span.end + len(ticker) + 1 if ticker and text[span.end + 1 :].startswith(ticker) else span.end
        text = text[: span.start] + " " * (end - span.start) + text[end:]
    return text


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a value: beside it, in its line, and over it."""

    near: frozenset[str]
    line: frozenset[str]
    over: frozenset[str]

    def level(self, word: str) -> int:
        """How far from the value a word stands; the farther, the more other values it governs."""
        return 0 if word in self.near else 1 if word in self.line else 2 if word in self.over else 3


class Alignment:
    """Aligns claims with the values of some sources.

    Args:
        sources: what is read.
        terms: the names that they define.
    """

    def __init__(self, sources: Sequence[ReadSource], terms: Terms) -> None:
        self.sources = sources
        self._terms = terms
        self._known: dict[Value, _Words] = {}

    def decide(self, asked: Asked) -> Verdict | None:
        """``supported`` or ``contradicted`` by what governs the same numbers; None where that leaves it open."""
        told = len(asked.text) <= _LONGEST and 0 < len(asked.numbers) <= _MOST_NUMBERS
        if not told or not asked.words or denial(asked.text) or forecast(asked.text):
            return None
        values = [value for source in self.sources for value in source.values]
        fitting = [value for value in values if self._governs(asked, value)]
        found = [self._stating(asked, number, fitting) for number in asked.numbers]
        if all(found):
            places = tuple(dict.fromkeys(_passage(each[0]) for each in found))
            others = self._otherwise(asked, asked.numbers[0], found[0][0], fitting)
            reason = f"{_REASON} Another one says {others}." if others else _REASON
            return Verdict(outcome="supported", decided_by="alignment", passages=places, reason=reason)
        if found.count([]) > 1:
            return None
        return self._other(asked, asked.numbers[found.index([])], fitting, values)

    def _stating(self, asked: Asked, number: Quantity, fitting: Sequence[Value]) -> list[Value]:
        same = [value for value in fitting if self._likeness(asked, number, value) == "same"]
        return [value for value in same if self._is_singled_out(asked, value, fitting, number)]

    def _otherwise(self, asked: Asked, number: Quantity, value: Value, fitting: Sequence[Value]) -> str:
        """What another source gives as the same, where that is another value."""
        for each in fitting:
            if each.source is not value.source and self._likeness(asked, number, each) == "other":
                if _is_of_a_kind(value.quantity, each.quantity):
                    return each.source.text[each.start : each.end]
        return ""

    def _other(
        self, asked: Asked, number: Quantity, fitting: Sequence[Value], values: Sequence[Value]
    ) -> Verdict | None:
        """The value that the claim's words single out, where it is another one and no place has the claim's."""
        if number.limit or any(self._likeness(asked, number, value) != "other" for value in fitting):
            return None
        alike = [
            value
            for value in fitting
            if _is_of_a_kind(number, value.quantity) and self._says_the_same(asked, value)
        ]
        stated = [each for each in asked.numbers if each is not number]
        alike = [v for v in alike if not any(self._likeness(asked, each, v) == "same" for each in stated)]
        best = [value for value in alike if self._is_singled_out(asked, value, alike, None)]
        if not best:
            return None
        if len({value.quantity.scaled_value for value in best}) > 1:
            told = ", ".join(value.source.text[value.start : value.end] for value in best[:_MOST_SHOWN])
            return Verdict(outcome="open", reason=f"Sources do not agree: {told}.")
        if any(_has_digits_of(number, value.quantity) or _is_far(number, value.quantity) for value in best):
            return None  # of another scale, which is easily misread, or of another thing
        if any(self._likeness(asked, number, value) == "same" and asked.words & self._words(value).near for value in values):
            return None
        said = best[0].source.text[best[0].first : best[0].last]
        told = best[0].source.text[best[0].start : best[0].end]
        return Verdict(
            outcome="contradicted",
            decided_by="alignment",
            passages=(_passage(best[0]),),
            said=" ".join(said.split()),
            reason=f"The claim says {number.raw}; a source says {told}.",
        )

    def _likeness(self, asked: Asked, number: Quantity, value: Value) -> Likeness:
        """Whether a value is the claim's; a bare number of JSON is in the unit that its metric is counted in."""
        stated = value.quantity
        words = self._words(value).near
        kind = unit_of(words) if value.kind == "json" and not stated.unit else ""
        if value.kind == "json" and not stated.unit and set(filter(is_metric, words)) == {CHANGE}:
            kind = "ratio"
        elif CHANGE in words:
            kind = ""
        if kind == "ratio" and abs(stated.value) < 1:
            kind = ""  # in per cent, or a fraction
        if kind and (kind == unit_kind(number.unit) or kind == "count" and not number.unit) and not _other_money(value, number):
            stated = replace(
                stated, unit=number.unit, currencies=number.currencies, ticker=number.ticker
            )
        if not number.unit and stated.unit and self._terms.of(stated.unit) <= asked.words | asked.around:
            stated = replace(stated, unit="", currencies=())
        return compare(number, stated)

    # --- what governs a value

    def _words(self, value: Value) -> _Words:
        known = self._known.get(value)
        if known is None:
            known = self._known[value] = self._read(value)
        return known

    def _read(self, value: Value) -> _Words:
        at = value.source.at
        source = value.source.source
        near = self._terms.of(_masked(f"{value.near}\n{value.head}", at))
        if value.kind == "prose" and _is_change(value.quantity, value.near):
            near |= {CHANGE}
        over = self._terms.of(_masked(f"{value.over}\n{source.title}", at))
        if value.kind == "json":
            over |= frozenset(filter(is_name, self._terms.of(source.url.replace("/", " "))))
        told = frozenset(filter(is_metric, self._terms.of(f"{source.title}\n{source.url}")))
        if value.kind == "json" and len(told) == 1:
            near, over = near or told, over | told
        if value.kind == "json" and value.quantity.currencies and not any(map(is_metric, near)):
            near |= {PRICE}  # {"bitcoin": {"usd": 1}}
        line = self._terms.of(_masked(value.line, at))
        if value.kind == "prose" and not any(map(is_name, near)):
            lead = value.line[: value.line.find(value.near)] if value.near else ""
            names = [name for name in self._terms.of(_masked(lead, at)) if is_name(name)]
            near |= frozenset(names if len(names) == 1 else ())
        return _Words(near, line, over)

    def _governs(self, asked: Asked, value: Value) -> bool:
        """Whether all words of a claim govern a value, nothing narrows it further, and its time is the claim's."""
        words = self._words(value)
        if not asked.lent <= words.near | words.line | words.over | self._about(value.source):
            return False
        if not asked.words <= words.near | words.line | words.over or not asked.words & (words.near | words.line):
            return False
        metrics = frozenset(filter(is_metric, asked.words))
        if metrics and value.kind != "prose" and not metrics & words.near:
            return False
        over = frozenset(filter(is_metric, words.line | words.over)) - {CHANGE}
        if value.kind == "json" and not metrics - {CHANGE} <= words.near and metrics - {CHANGE} != over:
            return False  # of which of several the change is, nothing tells
        if value.kind == "prose":
            if denial(value.line) or forecast(value.line) or _LISTED.search(value.line):
                return False
            if not _in_order(self._terms.in_order(asked.text), self._terms.in_order(value.line)):
                return False
            if direction(asked.text) not in (0, direction(value.near)):
                return False
            others = words.near - asked.words
            extra = {word for word in others if is_name(word) or narrows(word) or is_metric(word)}
            extra |= frozenset(filter(is_name, words.line)) - asked.words if _is_one(value) else frozenset()
            extra |= self._terms.of(" ".join(_CAPITAL.findall(value.near))) - asked.words
            extra -= (asked.around - frozenset(filter(is_name, asked.around))) | asked.lent
        else:
            extra = words.near - asked.words - asked.around
            if value.kind == "cell" and self._is_of_row(asked, value):
                extra &= self._terms.of(_masked(value.head, value.source.at))
            if value.kind == "json":
                extra |= frozenset(filter(is_name, words.line)) - asked.words - asked.around
            if CHANGE in asked.words and sum(map(is_metric, asked.words)) == 1:
                extra -= {PRICE}  # what nothing else is said of
        extra = frozenset(extra) - asked.units
        rate = _RATE.search(value.near)
        return not extra and bool(rate) == bool(_RATE.search(asked.text)) and _is_of_its_time(asked, value, words.near)

    def is_about(self, asked: Asked, source: ReadSource) -> bool:
        """Whether a source begins with the name that is lent to a claim without one."""
        return asked.lent <= self._about(source)

    def _about(self, source: ReadSource) -> frozenset[str]:
        """The names that a source begins with."""
        begins = f"{source.source.title}\n{source.source.url}\n{source.text[:_BEGINNING]}"
        return self._terms.of(begins)

    def _is_of_row(self, asked: Asked, value: Value) -> bool:
        """Whether the claim has all words of one of the cells that name a row."""
        cells = (
            self._terms.of(way) for each in value.near.split("\n") for way in (each, _EXPLAINED.sub("", each))
        )
        return any(words and words <= asked.words for words in cells)

    def _says_the_same(self, asked: Asked, value: Value) -> bool:
        """Whether the words beside a value are those of the claim, all of them and no others."""
        words = self._words(value)
        if value.kind != "prose":
            return True
        before = self._terms.of(_masked(value.line[: value.start - value.first], value.source.at))
        allowed = asked.words | asked.around | asked.units
        return asked.words <= words.near | words.over and words.near | before <= allowed

    def _is_singled_out(
        self, asked: Asked, value: Value, fitting: Sequence[Value], number: Quantity | None
    ) -> bool:
        """Whether no other value of the kind is named as well by the words of the claim."""
        mine = self._words(value)
        for other in fitting:
            if other is value or other.source is not value.source:
                continue
            if not _is_of_a_kind(value.quantity, other.quantity):
                continue
            if number is not None and self._likeness(asked, number, other) == "same":
                continue
            if number is None and other.quantity.scaled_value == value.quantity.scaled_value:
                continue
            theirs = self._words(other)
            levels = [(mine.level(word), theirs.level(word)) for word in asked.words | asked.lent]
            if any(their < my for my, their in levels):
                return False
            if all(their == my for my, their in levels) and not theirs.near - mine.near - asked.words:
                return False
        return True


def _has_digits_of(one: Quantity, other: Quantity) -> bool:
    """Whether two numbers are alike but for a power of ten, in the digits that the first shows."""
    mine, theirs = abs(one.value), abs(other.value)
    if not mine or not theirs:
        return False
    moved = theirs.scaleb(mine.adjusted() - theirs.adjusted())
    half = Decimal("0.5").scaleb(min(one.places, 0))
    return any(abs(moved.scaleb(at) - mine) <= half for at in (-1, 0, 1))


def _other_money(value: Value, number: Quantity) -> bool:
    """Whether the JSON around a value, or its address, names another currency than a number is in."""
    words = set(re.findall(r"[A-Z]+", f"{value.line} {value.over} {value.source.source.url}".upper()))
    return bool(number.currencies) and bool(found := words & tender()) and not found & set(number.currencies)


def _is_far(one: Quantity, other: Quantity) -> bool:
    """Whether one number is more than a hundred times the other."""
    low, high = sorted((abs(one.scaled_value), abs(other.scaled_value)))
    return low * _FAR < high


def _is_one(value: Value) -> bool:
    """Whether a value is the only number of its sentence, so that all of the sentence is about it."""
    return sum(each.first == value.first for each in value.source.values) == 1


def _in_order(names: Sequence[str], line: Sequence[str]) -> bool:
    """Whether the names of a claim stand in a sentence in the order in which the claim has them."""
    at = [line.index(name) for name in dict.fromkeys(names) if name in line]
    return at == sorted(at)


def _passage(value: Value) -> Passage:
    source = value.source
    return Passage.of(source.source, source.text, value.first, value.last, value.pointer)


def _is_of_a_kind(one: Quantity, other: Quantity) -> bool:
    """Whether two quantities measure the same sort of thing, as far as their units tell."""
    if one.currencies and other.currencies and not may_be_same(one.currencies, other.currencies):
        return False
    kinds = {unit_kind(one.unit), unit_kind(other.unit)}
    return len(kinds) == 1 or kinds <= {"count", ""}


def _is_of_its_time(asked: Asked, value: Value, words: frozenset[str]) -> bool:
    dated = [each for each in asked.periods if each.dated]
    stated = [each for each in value.periods if each.dated]
    around = [each for each in asked.over if each.dated]
    if not dated and around and stated and not any(compare(one, two) != "other" for one in around for two in stated):
        return False
    if dated and not all(any(compare(one, other) == "same" for other in stated) for one in dated):
        return False
    windows = {each.name for each in asked.periods if not each.dated}
    told = {each.name for each in value.periods if not each.dated}
    if windows and windows != (told or window_of(words)):
        return False
    at = value.source.at
    said = {"prose": value.line, "cell": f"{value.near} {value.head}", "json": value.near}[value.kind]
    told_days = [days for each in find_periods(said, at) if each.dated for days in each.days]
    today = at is not None and any(first - _DAY <= at.date() <= last + _DAY for first, last in told_days)
    return bool(dated or around) or not told_days or today or not any(map(is_volatile, asked.words))
