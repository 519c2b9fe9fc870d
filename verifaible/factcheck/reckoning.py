"""A claim before its sources: what of them it names, and what can be reckoned from that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import chain, combinations, permutations
from typing import Final

from verifaible.factcheck.figures import YEAR, Number, alike, fits, names, tells, units_told, words_in
from verifaible.factcheck.named_numbers import Place
from verifaible.factcheck.source import ReadSource

#: The part of a claim's telling words that a sentence must have to be about the same.
_ABOUT: Final = 0.6
#: The part of them that the sources must have to be about the same at all.
_READ: Final = 1 / 3
#: Values in more places are not reckoned with.
_MOST_RECKONED: Final = 400


@dataclass(frozen=True)
class Asked:
    """A claim before its sources.

    Attributes:
        context: what stands over the claim.
        told: its figures in digits, without those that name something.
        spelled: its figures in words.
        places: the numbers of the sources.
    """

    text: str
    context: Sequence[str]
    told: Sequence[Number]
    spelled: Sequence[Number]
    sources: Sequence[ReadSource]
    places: Sequence[Place]

    @cached_property
    def words(self) -> frozenset[str]:
        """The claim's words but its figures."""
        bare = self.text
        for each in self.told:
            bare = bare[: each.start] + " " * (each.end - each.start) + bare[each.end :]
        return names(bare)

    @cached_property
    def telling(self) -> frozenset[str]:
        """Those that may tell one place from another."""
        return frozenset(filter(tells, self.words))

    @cached_property
    def _vocabulary(self) -> frozenset[str]:
        return frozenset[str]().union(*(names(f"{each.source.title}\n{each.text}") for each in self.sources))

    @cached_property
    def has(self) -> frozenset[str]:
        """The words of the sources that the claim has."""
        return words_in(self._vocabulary, self.words)

    @cached_property
    def closely(self) -> frozenset[str]:
        """Those that it has in nearly the same form."""
        return words_in(self.has, self.words, closely=True)

    @cached_property
    def nearby(self) -> frozenset[str]:
        """Those that it has or that stand over it."""
        over = names(" ".join(self.context))
        return self.has | words_in(self._vocabulary, over)

    @property
    def is_read_for(self) -> bool:
        """Whether the sources have enough of the claim's words for their silence to mean something."""
        there = [word for word in self.telling if words_in(self.has, (word,))]
        return len(there) >= _READ * len(self.telling)

    def shares(self, place: Place) -> bool:
        """Whether a place has a telling word of the claim."""
        return any(tells(word) for word in (place.near | place.line | place.over) & self.has)

    def is_about(self, place: Place) -> bool:
        """Whether a sentence has most of the claim's telling words."""
        there = words_in(self.telling, place.line | place.over)
        return bool(self.telling) and len(there) >= _ABOUT * len(self.telling)

    @cached_property
    def lines(self) -> dict[tuple[int, int], list[Place]]:
        """The sentences and rows that have numbers, each with its places."""
        found: dict[tuple[int, int], list[Place]] = {}
        for place in self.places:
            found.setdefault((id(place.source), place.first), []).append(place)
        return found

    def worth(self, number: Number) -> dict[tuple[int, int], float]:
        """What each shares with the claim but one figure; a word is worth less the more of them have it."""
        shared: dict[tuple[int, int], set[str]] = {
            line: {
                word
                for word in self.has
                & (places[0].line if places[0].table else places[0].line | places[0].over)
                if tells(word)
            }
            for line, places in self.lines.items()
        }
        for each in self.told:
            for line, places in self.lines.items():
                if each is not number and any(fits(place.number, each) for place in places):
                    shared[line].add(each.raw)
        often = Counter(chain.from_iterable(shared.values()))
        return {line: sum(1 / often[word] for word in words) for line, words in shared.items()}

    def named(self, labels: dict[int, frozenset[str]]) -> list[int]:
        """The rows or columns that the claim names by words of their own, and none names better."""
        often = {
            word
            for word in frozenset().union(*labels.values())
            if len(labels) > 1 and 2 * sum(word in label for label in labels.values()) > len(labels)
        }
        own = {at: label - often for at, label in labels.items()}
        shared = {at: label & self.closely for at, label in own.items()}
        return [
            at
            for at, label in own.items()
            if shared[at]
            and (
                2 * len(shared[at]) > len(label)
                or (2 * len(shared[at]) == len(label) and any(map(YEAR.fullmatch, shared[at])))
            )
            and not any(shared[at] < other for other in shared.values())
        ]

    def makes(self, number: Number) -> bool:
        """Whether a calculation over what the claim names, and over sentences, gives a figure."""
        named = {place for place in self.places if place.table is None}
        bare: set[Place] = set()
        for cells in self.tables():
            rows = self.named({place.row: place.near for place in cells})
            columns = self.named({place.column: place.head for place in cells})
            chosen = {place for place in cells if place.row in rows or place.column in columns}
            named |= chosen
            bare |= set(() if chosen else cells)
        if len(self.places) > _MOST_RECKONED:
            return True
        reckoning = self.reckoning(number)
        return reckoning.gives(self.places, of=named) or self.reckoning(number, strict=True).gives(list(bare))

    def tables(self) -> Iterator[list[Place]]:
        """The cells of each table."""
        found: dict[int, list[Place]] = {}
        for place in self.places:
            if place.table is not None:
                found.setdefault(id(place.table), []).append(place)
        yield from found.values()

    def reckoning(self, number: Number, *, strict: bool = False) -> Reckoning:
        """What can be reckoned for one figure, with the others as operands."""
        others = [each for each in (*self.told, *self.spelled) if each is not number]
        return Reckoning(number, others, strict=strict)


#: Numbers of one sentence or column that are put together.
_MOST_SUMMED: Final = 8
#: Products are looked for of numbers of more digits.
_MULTIPLIED: Final = 4
#: Sentences of one unit that are further apart, in code points, are not put together.
_BESIDE: Final = 600


class Reckoning:
    """Whether calculations over values give a number, within the digits that it shows.

    ``strict``: ratios only give what is told as one.
    """

    def __init__(self, number: Number, told: Sequence[Number], *, strict: bool) -> None:
        self._number = number
        self._told = [value for each in told for value in each.ways if value]
        self._strict = strict
        #: it has no scale
        self._plain = number.scale == 1 and number.half == Decimal("0.5") and number.value < 1000
        bare = not strict and not number.unit and number.value < 100
        self._ratio = bare or number.unit in ("%", "pp", "倍")
        self._loose = number.rounded * (2 if number.half == number.rounded >= Decimal("0.5") else 1)
        if number.quantity is not None and number.quantity.about:
            self._loose = 4 * number.rounded

    def gives(self, places: Sequence[Place], *, of: Collection[Place] | None = None) -> bool:
        """``of``: values of which one must be in each calculation; None: any."""
        return any(self._each(places, of))

    def _each(self, places: Sequence[Place], of: Collection[Place] | None) -> Iterator[bool]:
        for way in (0, -1):  # one sign parts thousands, or decimals, in all of them
            values = [(place.number.ways[way] * (-1 if place.number.below else 1), place) for place in places]
            yield from self._over([(value, place) for value, place in values if value], of)
        for group in () if self._strict else _groups(places):
            if of is not None and not any(place in of for place in group):
                continue
            named = [place for place in group if of is None or place in of]
            runs = (group[low:high] for low, high in combinations(range(len(group) + 1), 2) if high > low + 1)
            for some in (named, *runs, *combinations(group, len(group) - 1)):
                total = sum((each.number.signed for each in some), Decimal(0))
                yield self._makes(total) or self._makes(total / max(len(some), 1))
                if self._ratio and some is named:
                    yield any(self._pair(total, each.number.value) for each in group if each.number.value)

    def _over(self, values: Sequence[tuple[Decimal, Place]], of: Collection[Place] | None) -> Iterator[bool]:
        for one, other in permutations(values, 2):
            if _together(one[1], other[1]) and (of is None or one[1] in of or other[1] in of):
                yield self._pair(one[0], other[0])
            elif _in_words(one[1], other[1]) and (of is None or other[1] in of):
                yield self._makes(one[0] + other[0])
        for value, place in values:
            if of is not None and place not in of:
                continue
            for mine in self._told:
                yield self._pair(value, mine) or self._pair(mine, value)
                for result in (value * mine, value / mine):
                    yield alike(result, self._number, loose=self._loose, scaled=True)
            yield not self._strict and value < 100 and abs(value - self._number.value) == 1

    def _pair(self, one: Decimal, other: Decimal) -> bool:
        if self._makes(one - other):
            return True
        if not self._strict and (self._makes(one + other) or self._makes((one + other) / 2)):
            return True
        many = not self._strict and self._number.significant > _MULTIPLIED
        if many and any(map(self._makes, (one * other, one / other))):
            return True
        if not self._ratio or not other:
            return False
        results = [one / other, one / other - 1]
        if not self._strict:
            results += [one / (one + other)] if one + other else []
            results += [other / (one - other)] if one != other else []
        by = (100,) if self._number.unit else (1, 100)
        target = self._number.value
        return any(abs(abs(each) * scale - target) <= self._loose for each in results for scale in by)

    def _makes(self, result: Decimal) -> bool:
        if self._plain:
            return abs(abs(result) - self._number.value) <= self._loose
        return alike(result, self._number, loose=self._loose)


def _together(one: Place, other: Place) -> bool:
    """Whether two values may be set against each other: of one row or column, or of sentences."""
    if one.table is not None or other.table is not None:
        return one.table is other.table and (one.row == other.row or one.column == other.column)
    if one.is_year != other.is_year or ("%" in (one.unit, other.unit) and one.unit != other.unit):
        return False
    if one.block == other.block:
        return units_told(one.unit, other.unit) != "other"
    return bool(one.unit) and one.unit == other.unit and abs(one.value.start - other.value.start) < _BESIDE


def _in_words(told: Place, cell: Place) -> bool:
    """Whether what a sentence tells may be added to what a cell has."""
    if told.table is not None or cell.table is None or told.is_year:
        return False
    return units_told(told.unit, cell.unit, alone=True) != "other"


def _groups(places: Iterable[Place]) -> Iterator[list[Place]]:
    found: dict[tuple[str, int, int], list[Place]] = {}
    for place in places:
        keys = (
            [("line", place.block, 0)]
            if place.table is None
            else [("row", id(place.table), place.row), ("column", id(place.table), place.column)]
        )
        for key in keys:
            found.setdefault(key, []).append(place)
    for group in found.values():
        unique = list(dict.fromkeys(group))
        for unit in dict.fromkeys(each.unit for each in unique):
            alike_ = [each for each in unique if each.unit == unit]
            if 2 < len(alike_) <= _MOST_SUMMED:
                yield alike_
