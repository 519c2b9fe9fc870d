"""Values and names of a claim that stand nowhere in sources that were read whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import permutations
from typing import Final

from verifaible.anchoring.number_mention import NumberMention
from verifaible.anchoring.numbers import find_numbers
from verifaible.answers.facts import find_facts
from verifaible.judge.check.read import ReadSource
from verifaible.schema.analyst import Claim
from verifaible.text.languages import language_of

#: A source of fewer code points says too little for its silence to mean anything.
_SAYS_SOMETHING: Final = 200
#: A passage that has more of a claim's words may be about it under other names.
_ABOUT: Final = 0.35
#: Of more numbers some two give any value by chance; longer sources are not searched for pairs.
_MOST_NUMBERS: Final = 250
_LONGEST: Final = 400_000
_TOKEN: Final = re.compile(r"[^\W_]{2,}")
_DIGITS: Final = re.compile(r"\d[\d.,]*\d|\d")
#: A value that is told roughly, or made of several, need not stand anywhere.
_MADE: Final = re.compile(
    r"\b(?:about|around|roughly|approximately|almost|nearly|some|over|under|more than|less than|close to"
    r"|total\w*|together|combined|altogether|averag\w*|mean|sum|overall|rest|remain\w*|dozens?|half|third|quarter|twice"
    r"|double\w*|triple\w*)\b|[~≈约近超共合]",
    re.IGNORECASE,
)


def value_missing(claim: Claim, read: Sequence[ReadSource]) -> str:
    """Which value of a claim no source has in any scale or rounding, nor any two of its values give.

    Args:
        claim: the claim.
        read: its sources, all of them read whole.

    Returns:
        The reason in one sentence; empty where each value stands somewhere, or may be made of such.
    """
    wanted = [
        fact
        for fact in find_facts(claim.text)
        if fact.kind == "number" and fact.number is not None and _is_exact(fact.number)
    ]
    if not wanted or _MADE.search(claim.text) or sum(len(each.text) for each in read) > _LONGEST:
        return ""
    there = [abs(each.value) for source in read for each in find_numbers(source.text) if each.value]
    values = list(dict.fromkeys(there))
    if len(values) > _MOST_NUMBERS or not values:
        return ""
    for fact in wanted:
        assert fact.number is not None
        if not _stands(fact.number, values) and not _worked_out(fact.number, values):
            return f"The source was read whole and has no {fact.raw}."
    return ""


def _is_exact(mention: NumberMention) -> bool:
    """Whether a number has digits enough to be looked for: small whole ones are written in words, too."""
    digits = mention.value.as_tuple().digits
    return mention.role == "value" and not mention.bound and not mention.negated and len(digits) > 1


def _half(value: Decimal) -> Decimal:
    exponent = value.as_tuple().exponent
    return Decimal(1).scaleb(exponent) / 2 if isinstance(exponent, int) else Decimal(0)


def _stands(mention: NumberMention, values: Iterable[Decimal]) -> bool:
    wanted, half = abs(mention.value), _half(mention.value)
    for value in values:
        for power in range(-9, 10):
            scaled = value.scaleb(power)
            if abs(scaled - wanted) <= max(half, _half(value).scaleb(power) if power < 0 else Decimal(0)):
                return True
    return False


def _worked_out(mention: NumberMention, values: Sequence[Decimal]) -> bool:
    """Whether two values give it: as sum, difference, product, quotient, share or change, in any scale."""
    wanted, half = abs(mention.value), _half(mention.value)
    for one, other in permutations(values, 2):
        share, gap = one / other, abs(one - other)
        made = (one + other, gap, one * other, share, share * 100, gap / other * 100)
        if any(abs(each.scaleb(power) - wanted) <= half for each in made for power in (-9, -6, -3, 0, 3)):
            return True
    return False


def not_mentioned(claim: Claim, share: float, read: Sequence[ReadSource]) -> str:
    """Why sources that were read whole do not have a claim; empty where they may.

    That is said only where none of the claim's names stands in them, in their titles or addresses, none of
    its numbers does either, no passage has much of its words (``share``), and both are of one language.
    """
    names = [fact.raw for fact in find_facts(claim.text) if fact.kind == "name"]
    known = known_words(read)
    words = {word.casefold() for name in names for word in _TOKEN.findall(name)}
    if not words or words & known or _stems(words) & _stems(known) or share >= _ABOUT:
        return ""
    said = "\n".join(source.text for source in read)
    numbers = (each for each in _DIGITS.findall(claim.text) if len(each) > 1)
    if len(said) < _SAYS_SOMETHING or any(each in said for each in numbers):
        return ""
    ours = language_of("", claim.text)
    theirs = {language_of("", each.text[:4000]) for each in read}
    if ours and not theirs <= {ours, ""}:
        return ""
    return f"The source was read whole and does not mention {', '.join(dict.fromkeys(names))}."


def only_introduces(words: str, read: Sequence[ReadSource]) -> bool:
    """Whether words around a quotation state nothing but names that the sources have."""
    known = known_words(read)
    return all(
        fact.kind == "name" and {word.casefold() for word in _TOKEN.findall(fact.raw)} <= known
        for fact in find_facts(words)
    )


def known_words(read: Iterable[ReadSource]) -> set[str]:
    """The words of sources, of their titles and addresses, and the initials of their names."""
    known: set[str] = set()
    for source in read:
        for text in (source.text, source.state.title, source.source.title, source.source.url):
            found = _TOKEN.findall(text)
            known.update(word.casefold() for word in found)
            for size in (2, 3, 4, 5):
                for at in range(len(found) - size + 1):
                    words = found[at : at + size]
                    if all(word[0].isupper() for word in words):
                        known.add("".join(word[0] for word in words).casefold())
    return known


def _stems(words: Iterable[str]) -> set[str]:
    return {word[:5] for word in words if len(word) >= 5}
