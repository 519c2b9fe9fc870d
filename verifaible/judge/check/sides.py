"""What a claim or a sentence states, as two of them are compared: words, values and names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from verifaible.anchoring.number_mention import NumberMention
from verifaible.answers.facts import Found, find_facts
from verifaible.answers.moments import Moments
from verifaible.text.nearest import terms_of
from verifaible.text.units import may_be_same

#: A day with its month's name and its year.
_DATE_PARTS: Final = 3
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
class Side:
    """A claim or a sentence: its words and what it states; ``text`` without what it compares with."""

    whole: str
    text: str
    terms: frozenset[str]
    facts: tuple[Found, ...]
    names: frozenset[str]

    @property
    def denied(self) -> bool:
        """Whether it denies something."""
        return _DENIED.search(self.text) is not None

    @property
    def values(self) -> tuple[Found, ...]:
        """Its numbers and dates."""
        return tuple(fact for fact in self.facts if fact.kind in ("number", "date"))


def side_of(text: str) -> Side:
    """What a text of one sentence states."""
    plain = _BASE.sub(lambda match: " " * len(match[0]), text)
    facts = find_facts(plain)
    blanked = plain
    for fact in facts:
        if fact.kind in ("number", "date"):
            blanked = blanked[: fact.start] + " " * (fact.end - fact.start) + blanked[fact.end :]
    names = frozenset(term for fact in facts if fact.kind == "name" for term in terms_of(fact.raw))
    if (first := _FIRST.match(blanked)) is not None:
        names |= frozenset(terms_of(first[1]))
    return Side(text, plain, frozenset(terms_of(blanked)) - names, facts, names)


def states(side: Side, fact: Found) -> bool:
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


def may_stand_for(claimed: Found, said: Found, ours: Side, theirs: Side) -> bool:
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
    beside = words_beside(ours, claimed) & words_beside(theirs, said)
    alike = _units_agree(one, other) and bool(one.unit) == bool(other.unit)
    return bool(beside) and alike and _added(ours, claimed) == _added(theirs, said)


def is_value(one: Found, other: Found) -> bool:
    """Whether two numbers differ by sign, unit or scale only."""
    return (
        one.number is not None
        and other.number is not None
        and abs(one.number.value) == abs(other.number.value)
    )


def are_rivals(claimed: Found, other: Found, ours: Side, theirs: Side) -> bool:
    """Whether a further value of a sentence is of the kind of a claim's: it could be what is meant."""
    if claimed.number is None or other.number is None:
        return claimed.moment is not None and other.moment is not None
    if claimed.number.unit or other.number.unit:
        return _units_agree(claimed.number, other.number)
    return noun_behind(ours, claimed) == noun_behind(theirs, other)


def noun_behind(side: Side, fact: Found) -> str:
    """The word behind a value, which says what it counts."""
    behind = _WORD.findall(side.text[fact.end : fact.end + 60])
    return next(terms_of(behind[0]), "") if behind else ""


def _last_digit(mention: NumberMention) -> Decimal:
    """The worth of the last digit of a number that is not a nought."""
    exponent = mention.value.normalize().as_tuple().exponent
    return Decimal(1).scaleb(exponent) * mention.scale if isinstance(exponent, int) else Decimal(0)


def is_day(raw: str) -> bool:
    """Whether a date names a day, its month and its year."""
    return len(_WORD.findall(raw)) == _DATE_PARTS and bool(_NAME.search(raw))


def month_and_day(raw: str) -> str:
    """A date without its year."""
    return " ".join(
        word for word in _WORD.findall(raw.casefold()) if len(word) != _DATE_PARTS + 1 or not word.isdigit()
    )


def _added(side: Side, fact: Found) -> bool:
    """Whether a value is told as a change, a sum or a part."""
    return _ADDED.search(side.text, max(0, fact.start - 25), min(len(side.text), fact.end + 25)) is not None


def words_beside(side: Side, fact: Found) -> frozenset[str]:
    """The words on both sides of a value."""
    before = _WORD.findall(side.text[: fact.start])[-_BESIDE:]
    behind = _WORD.findall(side.text[fact.end :])[:_BESIDE]
    return frozenset(term for term in terms_of(" ".join((*before, *behind))) if len(term) > 3)
