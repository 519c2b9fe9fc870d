"""What governs the values of sources, and which of them the words of a claim fit.

A word of a claim may stand beside a value, in its line or over it; the nearer it stands, the fewer other
values it governs. What stands beside a value and is not in the claim narrows it: it is of something else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from verifaible.extract.drafts import asks
from verifaible.factcheck.asked import Asked, is_change, masked
from verifaible.factcheck.plain_words import denial, direction, forecast, stem
from verifaible.factcheck.source import ReadSource, Value
from verifaible.factcheck.terms import (
    CHANGE,
    PRICE,
    Terms,
    is_metric,
    is_name,
    is_volatile,
    unit_of,
    window_of,
)
from verifaible.text.cldr import tender, words_of
from verifaible.text.compare import Likeness, compare
from verifaible.text.language import small_words
from verifaible.text.periods import Period, find_periods
from verifaible.text.quantity import Quantity
from verifaible.text.units import languages_of, unit_kind

#: What a source is about stands in so many code points at its beginning.
_BEGINNING: Final = 600
#: A value of yesterday is that of now.
_DAY: Final = timedelta(days=1)
#: Several things and several values, in one order.
_LISTED: Final = re.compile(r"\brespectively\b|分别", re.IGNORECASE)
#: What is told of a stretch of time.
_RATE: Final = re.compile(
    r"\b(?:per|an?|each|every) (?:second|minute|hour|day|week|month|quarter|year)\b|\bannually\b"
    r"|[每/](?:秒|分|小时|天|日|周|月|年)",
    re.IGNORECASE,
)
#: What a sentence can do without: "(IORB)", ", in a unanimous vote,".
_ASIDE: Final = re.compile(r"\([^()\d]{1,40}\)|(?<=\w), [^,;:.\d]{3,40},(?= )")
_RELATION: Final = re.compile(
    r"\b(?:by|from|than|against|von|durch|par|por|contre|gegen)\b(?! ?[$€£]?\d)|[被向给]", re.IGNORECASE
)
#: A word of direction with the word that it leads to.
_RELATED: Final = re.compile(
    r"\b(to|from|by|than|against|for|with|without|under|over|before|after)\s+(?:(?:the|an?|its|their|his|her)\s+)?"
    r"([^\W\d_]{2,})",
    re.IGNORECASE,
)
#: One comma or point before three digits parts thousands here and decimals there.
_TWO_WAYS: Final = re.compile(r"(?<![\d.,])\d{1,3}[.,]\d{3}(?![\d.,])")
#: What a cell adds to its name.
_EXPLAINED: Final = re.compile(r"\s*[(（][^()（）]*[)）]\Z")


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a value: beside it, in its line, and over it."""

    near: frozenset[str]
    line: frozenset[str]
    over: frozenset[str]

    @property
    def all(self) -> frozenset[str]:
        """All of them."""
        return self.near | self.line | self.over

    def distance(self, word: str) -> int:
        """How far from the value a word stands: 0 beside it, 3 nowhere."""
        return 0 if word in self.near else 1 if word in self.line else 2 if word in self.over else 3


class Governing:
    """Reads what governs values.

    Args:
        terms: the names that their sources define.
    """

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._known: dict[Value, Words] = {}

    def words(self, value: Value) -> Words:
        """The words that govern a value."""
        known = self._known.get(value)
        if known is None:
            known = self._known[value] = _READERS[value.kind](self, value)
        return known

    def about(self, source: ReadSource) -> frozenset[str]:
        """The names that a source begins with."""
        begins = f"{source.source.title}\n{source.source.url}\n{source.text[:_BEGINNING]}"
        return self._terms.names(begins)

    def before(self, value: Value) -> frozenset[str]:
        """The words of a sentence before its value, without its asides."""
        return self._read(value, _without_asides(value.line)[: value.start - value.first])

    def _read(self, value: Value, text: str) -> frozenset[str]:
        return self._terms.of(masked(text, value.source.at))

    def _over(self, value: Value) -> frozenset[str]:
        return self._read(value, f"{value.over}\n{value.source.source.title}")

    def _of_cell(self, value: Value) -> Words:
        near = self._read(value, f"{value.near}\n{value.head}")
        return Words(near, self._read(value, value.line), self._over(value))

    def _of_sentence(self, value: Value) -> Words:
        near = self._read(value, _without_asides(value.near))
        if is_change(value.quantity, value.near):
            near |= {CHANGE}
        if not any(map(is_name, near)):  # who is named first does all that the sentence tells
            names = frozenset(filter(is_name, self._read(value, value.line[: value.line.find(value.near)])))
            near |= names if len(names) == 1 else frozenset()
        return Words(near, self._read(value, value.line), self._over(value))

    def _of_leaf(self, value: Value) -> Words:
        near, over = self._read(value, value.near), self._over(value)
        source = value.source.source
        over |= self._terms.names(source.url.replace("/", " "))
        told = frozenset(filter(is_metric, self._terms.of(f"{source.title}\n{source.url}")))
        if len(told) == 1:
            near, over = near or told, over | told
        if value.quantity.currencies and not any(map(is_metric, near)):
            near |= {PRICE}  # {"bitcoin": {"usd": 1}}
        return Words(near, self._read(value, value.line), over)

    # --- claims

    def fits(self, asked: Asked, value: Value) -> bool:
        """Whether all words of a claim govern a value, nothing narrows it, and its time is the claim's."""
        words = self.words(value)
        has = asked.words <= words.all and bool(asked.words & (words.near | words.line))
        if not has or not asked.lent <= words.all | self.about(value.source):
            return False
        extra = self._said_besides(asked, value) if value.kind == "prose" else self._labelled(asked, value)
        if extra is None or extra - asked.units:
            return False
        per = bool(_RATE.search(value.near)) == bool(_RATE.search(asked.text))
        return per and _is_of_its_time(asked, value, words.near)

    def _said_besides(self, asked: Asked, value: Value) -> frozenset[str] | None:
        """What a sentence has beside a value that narrows it; None where it says something else of it."""
        words = self.words(value)
        told = f"{value.over}\n{value.line}"
        if denial(told) or forecast(value.line) or _LISTED.search(value.line) or asks(value.line):
            return None
        if direction(asked.text) not in (0, direction(value.near) or direction(value.line)):
            return None
        said = _without_asides(value.line)
        if not self._in_order(asked.text, said, value):
            return None
        before = self.before(value)
        behind = said.partition(value.near)[2]
        elsewhere = (
            self._of_others(value) | (words.line - self._read(value, said)) | self._read(value, behind)
        )
        elsewhere -= words.near | before
        if asked.words & elsewhere or _relations(asked.text) - _relations(value.line):
            return None
        # a word that nobody knows may turn what is said, or narrow it, in any language
        extra = words.near | before
        return extra - asked.words - asked.lent - frozenset(w for w in asked.around if not is_name(w))

    def _in_order(self, claim: str, said: str, value: Value) -> bool:
        """Whether the words of a claim stand in a sentence in their order: who did what to whom."""
        ours, theirs = (self._terms.in_order(masked(each, None)) for each in (claim, said))
        at = [theirs.index(word) for word in dict.fromkeys(ours) if word in theirs]
        if at != sorted(at):
            return False
        before = said[: said.find(value.near) + len(value.near)] if value.near in said else said
        stated = _related(before)
        return all(stated.get(word, relation) == relation for word, relation in _related(claim).items())

    def _of_others(self, value: Value) -> frozenset[str]:
        """The words of a sentence that are beside its other values."""
        line = (each for each in value.source.values if each.first == value.first and each is not value)
        return frozenset[str]().union(*(self._read(each, each.near) for each in line))

    def _labelled(self, asked: Asked, value: Value) -> frozenset[str] | None:
        """What labels say beside the claim; None where they do not tell what the value is of."""
        words = self.words(value)
        metrics = frozenset(filter(is_metric, asked.words))
        if metrics and not metrics & words.near:
            return None
        if direction(asked.text) and CHANGE not in asked.words:
            return None  # that something rose to its value, the value alone does not show
        extra = words.near - asked.words - asked.around
        if value.kind == "cell" and self._names_row(asked, value):
            extra &= self._read(value, value.head)
        if value.kind == "json":
            of = metrics - {CHANGE}
            told = frozenset(filter(is_metric, words.line | words.over)) - {CHANGE}
            if not of <= words.near and of != told:
                return None  # of which of several the change is, nothing tells
            extra |= frozenset(filter(is_name, words.line)) - asked.words - asked.around
        if metrics == {CHANGE}:
            extra -= {PRICE}  # what nothing else is said of
        return extra

    def _names_row(self, asked: Asked, value: Value) -> bool:
        """Whether the claim has all words of one of the cells that name a row."""
        ways = (way for each in value.near.split("\n") for way in (each, _EXPLAINED.sub("", each)))
        return any(words and words <= asked.words for words in map(self._terms.of, ways))

    def likeness(self, asked: Asked, number: Quantity, value: Value) -> Likeness:
        """Whether a value is the claim's; a bare number of JSON is in the unit of its metric."""
        stated = value.quantity
        bare = value.kind == "json" and not stated.unit and not _other_money(value, number)
        if bare and self._counted_in(value) == _kind(number):
            stated = replace(stated, unit=number.unit, currencies=number.currencies, ticker=number.ticker)
        if not number.unit and stated.unit and self._terms.of(stated.unit) <= asked.words | asked.around:
            stated = replace(stated, unit="", currencies=())
        found = compare(number, stated)
        told_apart = number.raw in stated.raw or not _TWO_WAYS.search(number.raw)
        return found if found == "open" or told_apart or not _has_decimal_commas(asked.text) else "open"

    def _counted_in(self, value: Value) -> str:
        metrics = frozenset(filter(is_metric, self.words(value).near))
        # the change of a price may be in money as well
        kind = unit_of(metrics) if CHANGE not in metrics else "ratio" if len(metrics) == 1 else ""
        return "" if kind == "ratio" and abs(value.quantity.value) < 1 else kind or "untold"


def _has_decimal_commas(text: str) -> bool:
    """Whether a text has a small word, not an English one, of a language with decimal commas."""
    words = frozenset(text.casefold().split()) - small_words("en")
    return any(words_of(each).comma and words & small_words(each) for each in languages_of(text))


def _kind(number: Quantity) -> str:
    return unit_kind(number.unit) or ("" if number.unit else "count")


_READERS: Final = {"cell": Governing._of_cell, "prose": Governing._of_sentence, "json": Governing._of_leaf}


def _other_money(value: Value, number: Quantity) -> bool:
    """Whether the JSON around a value, or its address, names another currency than a number is in."""
    words = set(re.findall(r"[A-Z]+", f"{value.line} {value.over} {value.source.source.url}".upper()))
    return bool(number.currencies) and bool(found := words & tender()) and not found & set(number.currencies)


def _without_asides(line: str) -> str:
    """A sentence with blanks for what stands in brackets or between two commas and has no number."""
    return _ASIDE.sub(lambda match: " " * len(match[0]), line)


def _relations(text: str) -> frozenset[str]:
    """The small words of a text that say who does what to whom, but for those before numbers."""
    return frozenset(match[0].casefold() for match in _RELATION.finditer(text))


def _related(text: str) -> dict[str, str]:
    """The small word before each word that has one: "exports *to* China"."""
    return {stem(match[2]): match[1].casefold() for match in _RELATED.finditer(text)}


def _dated(periods: Sequence[Period]) -> list[Period]:
    return [each for each in periods if each.dated]


def _is_of_its_time(asked: Asked, value: Value, near: frozenset[str]) -> bool:
    dated, stated, over = _dated(asked.periods), _dated(value.periods), _dated(asked.over)
    if not dated and over and stated and all(compare(a, b) == "other" for a in over for b in stated):
        return False
    if dated and not all(any(compare(one, other) == "same" for other in stated) for one in dated):
        return False
    windows = {each.name for each in asked.periods if not each.dated}
    told = {each.name for each in value.periods if not each.dated}
    if windows and windows != (told or window_of(near)):
        return False
    at = value.source.at
    said = {"prose": value.line, "cell": f"{value.near} {value.head}", "json": value.near}[value.kind]
    days = [span for each in find_periods(said, at) if each.dated for span in each.days]
    today = at is not None and any(first - _DAY <= at.date() <= last + _DAY for first, last in days)
    return bool(dated or over) or not days or today or not any(map(is_volatile, asked.words))
