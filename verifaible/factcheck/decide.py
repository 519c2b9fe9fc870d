"""What rules say of a claim: the deciders in their order, the first answer wins.

``quotation``: its words are whole sentences of a source. ``alignment``: all its words govern a value that is the
claim's, or single out one that is not. ``derivation``: its numbers follow from rows and columns that it names.
``lookup``: its numbers stand at another place than the one that it names, or nowhere.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import cached_property
from typing import Final

from verifaible.factcheck.alignment import Alignment, Asked
from verifaible.factcheck.derivation import derive
from verifaible.factcheck.lookup import look_up
from verifaible.factcheck.named_numbers import Place, places_of
from verifaible.factcheck.plain_words import denial, forecast
from verifaible.factcheck.source import ReadSource
from verifaible.factcheck.terms import Terms
from verifaible.schema.analyst import Claim, Source
from verifaible.schema.verdict import Passage, Verdict

#: A longer text is no claim, in code points.
_LONGEST: Final = 4_000
#: A shorter one is not looked for word for word.
_SHORTEST: Final = 16
_MOST_PLACES: Final = 3_000


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

    def of(self, only: Collection[str] | None) -> Sequence[ReadSource]:
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


def decide(
    claim: Claim, library: Library, *, only: Collection[str] | None = None, whole: bool = False
) -> Verdict:
    """What the rules say of a claim.

    Args:
        claim: the claim.
        library: the sources of its answer.
        only: ids of the sources that count; None: all.
        whole: these are all that the claim rests on, and all of each was read: a figure that none of them
            has is then contradicted.

    Returns:
        the verdict; ``open`` with what is missing.
    """
    if not claim.factual or len(claim.text) > _LONGEST:
        return _open("An opinion is not checked against sources, nor what is too long to be one claim.")
    sources = library.of(only)
    if not sources or not claim.text.strip():
        return _open("There is no source to check it against.")
    if quoted := _quoted(claim, sources):
        return quoted
    asked = Asked.of(claim, library.terms, library.topic, library.at)
    found = library.alignment(sources).decide(asked) or derive(claim, sources)
    if found is not None:
        return found
    places = library.places(sources)
    missed = look_up(claim, sources, places) if len(places) <= _MOST_PLACES else None
    if missed is not None and (missed.said or whole):
        return missed
    return _open("No source states it in words and places that rules can tell apart.")


def _open(reason: str) -> Verdict:
    return Verdict(outcome="open", reason=reason)


def _quoted(claim: Claim, sources: Sequence[ReadSource]) -> Verdict | None:
    """A claim whose words are whole sentences of a source, which nothing before them turns."""
    words = claim.text.strip().strip('"“”„«»「」').strip()
    if len(words) < _SHORTEST:
        return None
    for each in sources:
        span = each.plain.states(words)
        if span is not None:
            line = each.text.rfind("\n", 0, span[0]) + 1
            if not denial(before := each.text[line : span[0]]) and not forecast(before):
                passage = Passage.of(each.source, each.text, *span)
                reason = "A source has these words."
                return Verdict(outcome="supported", decided_by="quotation", passages=(passage,), reason=reason)
    return None
