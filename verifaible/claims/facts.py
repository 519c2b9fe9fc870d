"""What a sentence states that a source could hold: numbers, dates, names, as spans."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from verifaible.text.dates import find_dates
from verifaible.text.numbers import find_quantities
from verifaible.text.quantity import Quantity

FactKind: TypeAlias = Literal["number", "date", "name", "code"]

_TIME: Final = re.compile(r"(?<![\d:])\d{1,2}:\d{2}(?::\d{2})?(?![\d:])(?:\s?(?:UTC|GMT|[ap]\.?m\b))?")
_YEAR: Final = re.compile(r"(?:19|20)\d{2}(?:年)?")
_ONE: Final = re.compile(r"one|一|eins?|un[ea]?", re.IGNORECASE)
#: Words in quotation marks, and runs of capitalised words.
_QUOTED: Final = re.compile(
    r"[“„«「『《〈]\s?([^“”„«»「」『』《》〈〉\n]{1,80}?)\s?[”“»」』》〉]|(?<!\w)\"([^\"\n]{2,80})\"(?!\w)"
)
_CJK: Final = r"\u3040-\u9fff\uac00-\ud7af"
_WORD: Final = rf"[^\W\d_{_CJK}][^\W_{_CJK}]*(?:[-’'&./][^\W_{_CJK}]+)*"
_CAPITAL: Final = rf"(?=[^\W_]*[-’'&./]?[^\W_]*?[^\W\d_a-zß-öø-ÿ])(?:{_WORD})"
_RUN: Final = re.compile(rf"{_CAPITAL}(?:(?: & | |\u00a0| (?:of|for|the|de|von|di) ){_CAPITAL})*")


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact of a sentence, ``text[start:end]``; ``number`` is set where it has digits.

    A ``code`` is an ordinal, a version, or a number that names a thing.
    """

    kind: FactKind
    start: int
    end: int
    raw: str
    number: Quantity | None = None


def find_facts(text: str) -> tuple[Fact, ...]:
    """The facts of a plain sentence, in order; none overlaps another.

    A number of four digits from 1900 to 2099 without a unit is a year. A spelled "one" is no number. A word
    with a capital is a name unless it only begins the sentence.
    """
    dates = {(each.start, each.end) for each in find_dates(text)}
    dates |= {match.span() for match in _TIME.finditer(text)}
    found = [Fact("date", start, end, text[start:end]) for start, end in _apart(dates)]
    for each in find_quantities(text):
        value, year = each.role in ("value", "range"), _YEAR.fullmatch(each.raw) and not each.sign
        if each.role == "date" or _ONE.fullmatch(each.raw) or _touches(found, each.start, each.end):
            continue
        kind: FactKind = "date" if value and year else "number" if value else "code"
        found.append(Fact(kind, each.start, each.end, each.raw, each))
    codes = [fact for fact in found if fact.kind == "code"]
    for start, end in _names(text):
        if not _touches((fact for fact in found if fact.kind != "code"), start, end):
            found.append(Fact("name", start, end, text[start:end]))
            codes = [code for code in codes if not (start <= code.start and code.end <= end)]
    found = [fact for fact in found if fact.kind != "code" or fact in codes]
    return tuple(sorted(found, key=lambda fact: fact.start))


def _touches(found: Iterable[Fact], start: int, end: int) -> bool:
    return any(fact.start < end and start < fact.end for fact in found)


def _apart(spans: set[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    end = 0
    for span in sorted(spans):
        if span[0] >= end:
            end = span[1]
            yield span


def _names(text: str) -> Iterator[tuple[int, int]]:
    for match in _QUOTED.finditer(text):
        yield match.span(match.lastindex or 0)
    first = re.search(r"[^\W_]", text)
    for match in _RUN.finditer(text):
        alone = " " not in match[0] and sum(map(str.isupper, match[0])) < 2 and not re.search(r"\d", match[0])
        if not (alone and first and match.start() == first.start()):
            yield match.span()
