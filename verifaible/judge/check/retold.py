"""A claim beside the one sentence of a source that it retells: the same values, or one that differs.

Similarity only finds the sentence. It decides nothing where the sentence has further values or names that the
claim could have been made of, or where another sentence has the claimed value.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from verifaible.answers.facts import Found
from verifaible.answers.moments import Moments
from verifaible.judge.check.read import ReadSource
from verifaible.judge.check.sides import (
    Side,
    are_rivals,
    is_day,
    is_value,
    may_stand_for,
    month_and_day,
    noun_behind,
    side_of,
    states,
    words_beside,
)
from verifaible.schema.analyst import Claim
from verifaible.schema.judged import Finding
from verifaible.text.nearest import Passages, terms_of

#: How much of a claim's words a sentence has that retells it: where its value stands nowhere in the sources,
#: and where it stands in another sentence, which must have much less.
_RETOLD: Final = 0.5
_ALIKE: Final = 0.35
#: Shorter words are articles, prepositions and the like.
_LONG: Final = 4
_CLEARLY: Final = 0.75
_OTHER: Final = 0.5
#: One that says the same has nearly all of them.
_ALL: Final = 0.85
#: A value of so many digits that stands in one sentence alone says which is meant.
_TELLING: Final = 3
_LOOKED_AT: Final = 6


@dataclass(frozen=True, slots=True)
class _Place:
    """A sentence of a source, and how much of the claim's words it has."""

    source: ReadSource
    start: int
    end: int
    share: float
    side: Side


class Retelling:
    """The sentences of the sources of one claim."""

    def __init__(self, read: Sequence[ReadSource], passages: Passages) -> None:
        self._read = read
        self._passages = passages
        self._counts: Counter[str] = Counter()
        self._terms = [
            frozenset(terms_of(passages.texts[text][start:end])) for text, start, end in passages.spans
        ]
        for terms in self._terms:
            self._counts.update(terms)

    def decide(self, claim: Claim) -> Finding | None:
        """What one sentence says of a claim with values; None where nothing plain."""
        ours = side_of(claim.text)
        if not ours.values:
            return None
        places = list(self._places(ours))
        for place in places[:_LOOKED_AT]:
            found = self._compared(ours, place, places)
            if found is not None:
                return found
        return None

    def _places(self, ours: Side) -> Iterator[_Place]:
        """Sentences that have much of a claim's words, most first; rows of tables have their own rules."""
        weights = {term: self._weight(term) for term in ours.terms}
        total = sum(weights.values())
        shares = [
            (sum(weights[term] for term in terms & ours.terms) / total if total else 0.0, number)
            for number, terms in enumerate(self._terms)
        ]
        for share, number in sorted(shares, key=lambda each: (-each[0], each[1])):
            text, start, end = self._passages.spans[number]
            words = self._passages.texts[text][start:end]
            if share > 0 and "|" not in words and "\t" not in words:
                yield _Place(self._read[text], start, end, share, side_of(words))

    def _weight(self, term: str) -> float:
        """How rare a word is; one that stands nowhere is as rare as one that stands once."""
        count, size = max(self._counts[term], 1), len(self._terms)
        return math.log1p((size - count + 0.5) / (count + 0.5)) if size else 0.0

    def _compared(self, ours: Side, place: _Place, places: Sequence[_Place]) -> Finding | None:
        theirs = place.side
        if place.share < _ALIKE or not self._names_agree(ours, place):
            return None
        lacking = [fact for fact in ours.values if not states(theirs, fact)]
        left = [fact for fact in theirs.values if not states(ours, fact)]
        passage = place.source.passage(place.start, place.end)
        if not lacking:
            return self._same(ours, left, place, places)
        if len(lacking) > 1:
            return None
        (claimed,) = lacking
        others = [fact for fact in left if may_stand_for(claimed, fact, ours, theirs)]
        others = [fact for fact in others if is_value(claimed, fact)] or others
        others = [
            fact for fact in others if noun_behind(theirs, fact) == noun_behind(ours, claimed)
        ] or others
        if len(others) != 1 or not self._surely(ours, claimed, others[0], place, places):
            return None
        said = " ".join(passage.quote.split())
        reason = f"The claim says {claimed.raw}; the source says {others[0].raw}."
        if claimed.raw == others[0].raw:
            reason = f"The claim says {claimed.raw} in the other direction."
        return Finding(verdict="refuted", passages=(passage,), said=said, reason=reason)

    def _same(
        self, ours: Side, left: Sequence[Found], place: _Place, places: Sequence[_Place]
    ) -> Finding | None:
        """A sentence that has all values of a claim, and none that the claim could have been made of."""
        numbers = [fact for fact in ours.values if fact.kind == "number"]
        rivals = any(are_rivals(fact, each, ours, place.side) for fact in ours.values for each in left)
        telling = any(
            fact.number is not None
            and len(fact.number.value.normalize().as_tuple().digits) >= _TELLING
            and sum(states(other.side, fact) for other in places) == 1
            for fact in numbers
        )
        enough = place.share >= (_RETOLD if telling else _ALL)
        enough = enough and not self._has_other_words(ours, place)
        if rivals or not numbers or not enough or ours.whole != ours.text or ours.denied != place.side.denied:
            return None
        passage = place.source.passage(place.start, place.end)
        return Finding(verdict="exact", passages=(passage,), reason="One sentence of the source says so.")

    def _names_agree(self, ours: Side, place: _Place) -> bool:
        """Whether a claim's names are the sentence's, or its page's where the sentence has no others."""
        missing = ours.names - place.side.names - frozenset(terms_of(place.side.text))
        if not missing:
            return True
        page = frozenset(
            terms_of(f"{place.source.state.title} {place.source.source.title} {place.source.text[:300]}")
        )
        return missing <= page and not place.side.names - ours.names - page

    def _has_other_words(self, ours: Side, place: _Place) -> bool:
        """Whether a claim has words that the sentence lacks and the sources use elsewhere: it is of these."""
        return any(
            len(term) >= _LONG and self._counts[term]
            for term in ours.terms - frozenset(terms_of(place.side.whole))
        )

    def _surely(
        self, ours: Side, claimed: Found, said: Found, place: _Place, places: Sequence[_Place]
    ) -> bool:
        """Whether the claim retells this sentence and no other, nor something that is not a sentence."""
        others = [other for other in places if other is not place]
        holding = [other for other in others if states(other.side, claimed)]
        clearly = place.share >= _CLEARLY
        if claimed.moment is not None:
            return self._surely_dated(ours, claimed, said, place, holding)
        assert claimed.number is not None and said.number is not None
        if place.share < _RETOLD or (not clearly and self._has_other_words(ours, place)):
            return False
        if abs(claimed.number.value) != abs(said.number.value) and not holding:
            dated = any(each.kind == "date" for each in ours.values)
            elsewhere = any(_holds_digits(source, claimed, place) for source in self._read)
            return not elsewhere or (clearly and dated)  # in a table, or in other words
        return not holding or (clearly and all(other.share <= _OTHER for other in holding))

    def _surely_dated(
        self, ours: Side, claimed: Found, said: Found, place: _Place, holding: Sequence[_Place]
    ) -> bool:
        """The same for a claim whose date differs."""
        assert claimed.moment is not None
        numbers = [each for each in ours.values if each.kind == "number"]
        if Moments(f"{place.source.state.title} {place.source.source.title}").state(claimed.moment):
            return False
        if numbers:
            return place.share >= _RETOLD and not any(
                states(other.side, each) for other in holding for each in numbers
            )
        if is_day(claimed.raw) and month_and_day(claimed.raw) == month_and_day(said.raw):
            return not holding
        beside = words_beside(ours, claimed) & words_beside(place.side, said)
        return bool(beside) and place.share >= _CLEARLY and all(other.share <= _OTHER for other in holding)


def _holds_digits(source: ReadSource, fact: Found, place: _Place) -> bool:
    """Whether the digits of a value stand anywhere in a source but in the sentence itself."""
    assert fact.number is not None
    text = source.text
    if source is place.source:
        text = text[: place.start] + text[place.end :]
    digits = re.escape(f"{abs(fact.number.value.normalize()):f}")
    return re.search(rf"(?<![\d.]){digits}(?![\d]|\.\d)", text.replace(",", "")) is not None
