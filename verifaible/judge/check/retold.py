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
from decimal import Decimal
from typing import Final

from verifaible.anchoring.number_mention import NumberMention
from verifaible.answers.facts import Found, find_facts
from verifaible.answers.moments import Moments
from verifaible.judge.check.read import ReadSource
from verifaible.schema.analyst import Claim
from verifaible.schema.judged import Finding
from verifaible.text.nearest import Passages, terms_of
from verifaible.text.units import may_be_same

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
#: A day with its month's name and its year.
_DATE_PARTS: Final = 3
_LOOKED_AT: Final = 6
#: Words on each side of a value, of which one must be on a side of the other, too.
_BESIDE: Final = 3
_WORD: Final = re.compile(r"[^\W_]+")
_NAME: Final = re.compile(r"[^\W\d_]{2,}")
#: A first word may be a name; short ones are articles and the like.
_FIRST: Final = re.compile(r"\W*([A-ZÀ-Þ][^\W\d_]{3,})")
_DENIED: Final = re.compile(r"\b(?:not?|never|none|neither|without|cannot)\b|n't\b|[不没未]", re.IGNORECASE)
_ROUGHLY: Final = re.compile(
    r"(?:\b(?:almost|nearly|about|around|roughly|approximately|some|close to|just|over|under|more than"
    r"|less than)|[~≈约近超])\s*\W?\s*$",
    re.IGNORECASE,
)
#: What a value is compared with is another time than the sentence's own.
_BASE: Final = re.compile(
    r"\b(?:from|than(?: in)?|compared (?:with|to)|against|versus|vs\.?|over)\b"
    r"(?=(?:[^,;.]|[.,](?=\d))*?\d)(?:[^,;.]|[.,](?=\d))*?(?=\sto\s|[,;]|\.(?!\d)|$)",
    re.IGNORECASE,
)
_RISE: Final = re.compile(
    r"\b(?:rose|risen|rise[sn]?|rising|grew|grow\w*|increas\w*|up|gain\w*|climb\w*|jump\w*|higher)\b",
    re.IGNORECASE,
)
_ADDED: Final = re.compile(
    r"\b(?:by|total\w*|together|combined|altogether|averag\w*|difference|rest|remain\w*"
    r"|half|third|per(?! ?cent))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Side:
    """A claim or a sentence: its words and what it states; ``text`` without what it compares with."""

    whole: str
    text: str
    terms: frozenset[str]
    facts: tuple[Found, ...]
    names: frozenset[str]

    @property
    def denied(self) -> bool:
        return _DENIED.search(self.text) is not None

    @property
    def values(self) -> tuple[Found, ...]:
        return tuple(fact for fact in self.facts if fact.kind in ("number", "date"))


@dataclass(frozen=True, slots=True)
class _Place:
    """A sentence of a source, and how much of the claim's words it has."""

    source: ReadSource
    start: int
    end: int
    share: float
    side: _Side


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
        ours = _side(claim.text)
        if not ours.values:
            return None
        places = list(self._places(ours))
        for place in places[:_LOOKED_AT]:
            found = self._compared(ours, place, places)
            if found is not None:
                return found
        return None

    def _places(self, ours: _Side) -> Iterator[_Place]:
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
                yield _Place(self._read[text], start, end, share, _side(words))

    def _weight(self, term: str) -> float:
        """How rare a word is; one that stands nowhere is as rare as one that stands once."""
        count, size = max(self._counts[term], 1), len(self._terms)
        return math.log1p((size - count + 0.5) / (count + 0.5)) if size else 0.0

    def _compared(self, ours: _Side, place: _Place, places: Sequence[_Place]) -> Finding | None:
        theirs = place.side
        if place.share < _ALIKE or not self._names_agree(ours, place):
            return None
        lacking = [fact for fact in ours.values if not _states(theirs, fact)]
        left = [fact for fact in theirs.values if not _states(ours, fact)]
        passage = place.source.passage(place.start, place.end)
        if not lacking:
            return self._same(ours, left, place, places)
        if len(lacking) > 1:
            return None
        (claimed,) = lacking
        others = [fact for fact in left if _may_stand_for(claimed, fact, ours, theirs)]
        others = [fact for fact in others if _is_value(claimed, fact)] or others
        others = [fact for fact in others if _noun(theirs, fact) == _noun(ours, claimed)] or others
        if len(others) != 1 or not self._surely(ours, claimed, others[0], place, places):
            return None
        said = " ".join(passage.quote.split())
        reason = f"The claim says {claimed.raw}; the source says {others[0].raw}."
        if claimed.raw == others[0].raw:
            reason = f"The claim says {claimed.raw} in the other direction."
        return Finding(verdict="refuted", passages=(passage,), said=said, reason=reason)

    def _same(
        self, ours: _Side, left: Sequence[Found], place: _Place, places: Sequence[_Place]
    ) -> Finding | None:
        """A sentence that has all values of a claim, and none that the claim could have been made of."""
        numbers = [fact for fact in ours.values if fact.kind == "number"]
        rivals = any(_rivals(fact, each, ours, place.side) for fact in ours.values for each in left)
        telling = any(
            fact.number is not None
            and len(fact.number.value.normalize().as_tuple().digits) >= _TELLING
            and sum(_states(other.side, fact) for other in places) == 1
            for fact in numbers
        )
        enough = place.share >= (_RETOLD if telling else _ALL)
        enough = enough and not self._has_other_words(ours, place)
        if rivals or not numbers or not enough or ours.whole != ours.text or ours.denied != place.side.denied:
            return None
        passage = place.source.passage(place.start, place.end)
        return Finding(verdict="exact", passages=(passage,), reason="One sentence of the source says so.")

    def _names_agree(self, ours: _Side, place: _Place) -> bool:
        """Whether a claim's names are the sentence's, or its page's where the sentence has no others."""
        missing = ours.names - place.side.names - frozenset(terms_of(place.side.text))
        if not missing:
            return True
        page = frozenset(
            terms_of(f"{place.source.state.title} {place.source.source.title} {place.source.text[:300]}")
        )
        return missing <= page and not place.side.names - ours.names - page

    def _has_other_words(self, ours: _Side, place: _Place) -> bool:
        """Whether a claim has words that the sentence lacks and the sources use elsewhere: it is of these."""
        return any(
            len(term) >= _LONG and self._counts[term]
            for term in ours.terms - frozenset(terms_of(place.side.whole))
        )

    def _surely(
        self, ours: _Side, claimed: Found, said: Found, place: _Place, places: Sequence[_Place]
    ) -> bool:
        """Whether the claim retells this sentence and no other, nor something that is not a sentence."""
        others = [other for other in places if other is not place]
        holding = [other for other in others if _states(other.side, claimed)]
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
        self, ours: _Side, claimed: Found, said: Found, place: _Place, holding: Sequence[_Place]
    ) -> bool:
        """The same for a claim whose date differs."""
        assert claimed.moment is not None
        numbers = [each for each in ours.values if each.kind == "number"]
        if Moments(f"{place.source.state.title} {place.source.source.title}").state(claimed.moment):
            return False
        if numbers:
            return place.share >= _RETOLD and not any(
                _states(other.side, each) for other in holding for each in numbers
            )
        if _is_day(claimed.raw) and _month_and_day(claimed.raw) == _month_and_day(said.raw):
            return not holding
        beside = _beside(ours, claimed) & _beside(place.side, said)
        return bool(beside) and place.share >= _CLEARLY and all(other.share <= _OTHER for other in holding)


def _side(text: str) -> _Side:
    plain = _BASE.sub(lambda match: " " * len(match[0]), text)
    facts = find_facts(plain)
    blanked = plain
    for fact in facts:
        if fact.kind in ("number", "date"):
            blanked = blanked[: fact.start] + " " * (fact.end - fact.start) + blanked[fact.end :]
    names = frozenset(term for fact in facts if fact.kind == "name" for term in terms_of(fact.raw))
    if (first := _FIRST.match(blanked)) is not None:
        names |= frozenset(terms_of(first[1]))
    return _Side(text, plain, frozenset(terms_of(blanked)) - names, facts, names)


def _states(side: _Side, fact: Found) -> bool:
    """Whether a side states a value."""
    if fact.moment is not None:
        return Moments(side.text).state(fact.moment)
    return any(
        each.number is not None and fact.number is not None and _same(fact.number, each.number)
        for each in side.values
    )


def _same(one: NumberMention, other: NumberMention) -> bool:
    """Whether two numbers are one value to the digits shown, in units that can be the same."""
    gap = abs(one.scaled_value - other.scaled_value)
    return gap <= max(_half(one), _half(other)) and _units_agree(one, other) and one.negated == other.negated


def _half(mention: NumberMention) -> Decimal:
    exponent = mention.value.as_tuple().exponent
    digits = Decimal(1).scaleb(exponent) if isinstance(exponent, int) and exponent < 0 else Decimal(1)
    return digits * mention.scale / 2 if exponent != 0 or mention.scale != 1 else Decimal(0)


def _units_agree(one: NumberMention, other: NumberMention) -> bool:
    if one.currencies and other.currencies:
        return may_be_same(one.currencies, other.currencies)
    return not one.unit or not other.unit or one.unit == other.unit


def _may_stand_for(claimed: Found, said: Found, ours: _Side, theirs: _Side) -> bool:
    """Whether a sentence says one value in the place where a claim says another."""
    if claimed.moment is not None or said.moment is not None:
        return claimed.moment is not None and said.moment is not None
    one, other = claimed.number, said.number
    assert one is not None and other is not None
    hedged = one.bound or other.bound or one.negated or other.negated
    if hedged or {one.role, other.role} != {"value"} or one.earlier != other.earlier:
        return False
    if one.scaled_value == -other.scaled_value:
        risen, fallen = (ours, theirs) if one.value > 0 else (theirs, ours)
        return bool(_RISE.search(risen.text)) and not _RISE.search(fallen.text)
    if one.value == other.value:
        return True  # the unit or the scale is another
    gap = abs(one.scaled_value - other.scaled_value)
    if _ROUGHLY.search(ours.text[: claimed.start]) and gap <= _last_digit(one):
        return False
    beside = _beside(ours, claimed) & _beside(theirs, said)
    alike = _units_agree(one, other) and bool(one.unit) == bool(other.unit)
    return bool(beside) and alike and _added(ours, claimed) == _added(theirs, said)


def _is_value(one: Found, other: Found) -> bool:
    """Whether two numbers differ by sign, unit or scale only."""
    return (
        one.number is not None
        and other.number is not None
        and abs(one.number.value) == abs(other.number.value)
    )


def _rivals(claimed: Found, other: Found, ours: _Side, theirs: _Side) -> bool:
    """Whether a further value of a sentence is of the kind of a claim's: it could be what is meant."""
    if claimed.number is None or other.number is None:
        return claimed.moment is not None and other.moment is not None
    if claimed.number.unit or other.number.unit:
        return _units_agree(claimed.number, other.number)
    return _noun(ours, claimed) == _noun(theirs, other)


def _noun(side: _Side, fact: Found) -> str:
    """The word behind a value, which says what it counts."""
    behind = _WORD.findall(side.text[fact.end : fact.end + 60])
    return next(terms_of(behind[0]), "") if behind else ""


def _last_digit(mention: NumberMention) -> Decimal:
    """The worth of the last digit of a number that is not a nought."""
    exponent = mention.value.normalize().as_tuple().exponent
    return Decimal(1).scaleb(exponent) * mention.scale if isinstance(exponent, int) else Decimal(0)


def _is_day(raw: str) -> bool:
    return len(_WORD.findall(raw)) == _DATE_PARTS and bool(_NAME.search(raw))


def _month_and_day(raw: str) -> str:
    return " ".join(
        word for word in _WORD.findall(raw.casefold()) if len(word) != _DATE_PARTS + 1 or not word.isdigit()
    )


def _added(side: _Side, fact: Found) -> bool:
    """Whether a value is told as a change, a sum or a part."""
    return _ADDED.search(side.text, max(0, fact.start - 25), min(len(side.text), fact.end + 25)) is not None


def _beside(side: _Side, fact: Found) -> frozenset[str]:
    before = _WORD.findall(side.text[: fact.start])[-_BESIDE:]
    behind = _WORD.findall(side.text[fact.end :])[:_BESIDE]
    return frozenset(term for term in terms_of(" ".join((*before, *behind))) if len(term) > 3)


def _holds_digits(source: ReadSource, fact: Found, place: _Place) -> bool:
    """Whether the digits of a value stand anywhere in a source but in the sentence itself."""
    assert fact.number is not None
    text = source.text
    if source is place.source:
        text = text[: place.start] + text[place.end :]
    digits = re.escape(f"{abs(fact.number.value.normalize()):f}")
    return re.search(rf"(?<![\d.]){digits}(?![\d]|\.\d)", text.replace(",", "")) is not None
