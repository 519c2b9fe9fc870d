"""A claim before its sources: what of them it names, and what can be reckoned from that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from verifaible.judge.rules.figures import YEAR, Number
from verifaible.judge.rules.forms import names, tells, words_in
from verifaible.judge.rules.page import Page
from verifaible.judge.rules.placing.places import Place
from verifaible.judge.rules.placing.reckoned import Reckoning

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
    pages: Sequence[Page]
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
    def has(self) -> frozenset[str]:
        """The words of the sources that the claim has."""
        return words_in(frozenset().union(*(page.naming for page in self.pages)), self.words)

    @cached_property
    def closely(self) -> frozenset[str]:
        """Those that it has in nearly the same form."""
        return words_in(self.has, self.words, closely=True)

    @cached_property
    def nearby(self) -> frozenset[str]:
        """Those that it has or that stand over it."""
        over = names(" ".join(self.context))
        return self.has | words_in(frozenset().union(*(page.naming for page in self.pages)), over)

    @property
    def is_read_for(self) -> bool:
        """Whether the sources have enough of the claim's words for their silence to mean something."""
        return len([word for word in self.telling if words_in(self.has, (word,))]) >= _READ * len(
            self.telling
        )

    def shares(self, place: Place) -> bool:
        """Whether a place has a telling word of the claim."""
        return any(tells(word) for word in (place.near | place.line | place.over) & self.has)

    def is_about(self, place: Place) -> bool:
        """Whether a sentence has most of the claim's telling words."""
        there = words_in(self.telling, place.line | place.over)
        return bool(self.telling) and len(there) >= _ABOUT * len(self.telling)

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
                or (2 * len(shared[at]) == len(label) and _has_year(shared[at]))
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
        return Reckoning(
            number, [each for each in (*self.told, *self.spelled) if each is not number], strict=strict
        )


def _has_year(words: Iterable[str]) -> bool:
    return any(YEAR.fullmatch(word) for word in words)
