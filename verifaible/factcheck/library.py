"""The sources of one answer, each read once, when it is first asked for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import cached_property

from verifaible.factcheck.alignment import Alignment
from verifaible.factcheck.named_numbers import Place, places_of
from verifaible.factcheck.source import ReadSource
from verifaible.factcheck.terms import Terms
from verifaible.schema.analyst import Source


class Library:
    """The sources of an answer, each read when it is first asked for.

    Args:
        pairs: the sources, each with the whole text of its file.
        at: when the answer was given; "today" in a claim is that day.
        topic: what the answer is about (its query): of a claim that names nothing, its only name.
    """

    def __init__(
        self, pairs: Sequence[tuple[Source, str]], *, at: datetime | None = None, topic: str = ""
    ) -> None:
        self.pairs = tuple(pairs)
        self.at = at
        self.topic = topic
        self._places: dict[str, tuple[Place, ...]] = {}
        self._alignments: dict[tuple[str, ...], Alignment] = {}

    @cached_property
    def terms(self) -> Terms:
        """The names that are known, with those that the sources define."""
        return Terms(text for _, text in self.pairs)

    @cached_property
    def sources(self) -> tuple[ReadSource, ...]:
        """The sources."""
        return tuple(ReadSource(source, text, self.at) for source, text in self.pairs)

    def of(self, only: Collection[str] | None = None) -> Sequence[ReadSource]:
        """The sources, or those with the ids ``only``."""
        return self.sources if only is None else [each for each in self.sources if each.source.id in only]

    def alignment(self, sources: Sequence[ReadSource]) -> Alignment:
        """Aligns claims with some of the sources."""
        key = tuple(each.source.id for each in sources)
        if key not in self._alignments:
            self._alignments[key] = Alignment(sources, self.terms)
        return self._alignments[key]

    def places(self, sources: Sequence[ReadSource]) -> list[Place]:
        """The numbers of some of the sources."""
        found: list[Place] = []
        for each in sources:
            if each.source.id not in self._places:
                self._places[each.source.id] = tuple(places_of(each))
            found += self._places[each.source.id]
        return found
