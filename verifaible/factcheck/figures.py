"""Numbers by their digits and words in any form: no language is known.

A scale, and which sign parts decimals, leave open more than the digits of a number do. Two words are the same
where they are equal, share a long beginning, or one ends with the other.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Final, Literal

from verifaible.text.compare import compare
from verifaible.text.numbers import find_quantities
from verifaible.text.quantity import Quantity
from verifaible.text.segmentation import UNSPACED
from verifaible.text.units import unit_kind

#: What is read in pairs: a Korean word has a blank before it, but its particles and counters stand on to it.
_PAIRED: Final = re.compile(rf"[{UNSPACED}\uac00-\ud7a3]")
_TOKEN: Final = re.compile(rf"{_PAIRED.pattern}+|(?:(?!{_PAIRED.pattern})[^\W_])+")
#: Words that share as much of their beginning are one word in two forms, in letters and as a share.
_STEM, _SHARED = 4, 0.7
#: "2018/19", of which the second year is 2019.
_SPAN: Final = re.compile(r"(?<!\d)((?:19|20))(\d\d)[/–-](\d\d)(?!\d)")


@lru_cache(maxsize=8192)
def tokens(text: str) -> tuple[str, ...]:
    """The words and numbers of a text in order, without case, accents and the signs in them.

    A single letter keeps its case: it names something as a capital only. Scripts without blanks are
    read in pairs, and so is Korean.
    """
    found: list[str] = []
    for match in _TOKEN.finditer(unicodedata.normalize("NFKC", text)):
        word = match[0]
        if _PAIRED.match(word):
            found += [word[at : at + 2] for at in range(len(word) - 1)] or [word]
        elif len(word) == 1:
            found.append(word)
        else:
            plain = unicodedata.normalize("NFKD", word.casefold())
            found.append("".join(char for char in plain if not unicodedata.combining(char)))
    found += [f"{years[1]}{years[3]}" for years in _SPAN.finditer(text)]
    return tuple(found)


@lru_cache(maxsize=8192)
def names(text: str) -> frozenset[str]:
    """Those of them that can name something: no single letter in lower case."""
    return frozenset(word for word in tokens(text) if len(word) > 1 or not word.islower())


def same_word(one: str, other: str, *, closely: bool = False) -> bool:
    """Whether two words are equal, or share a long beginning; ``closely``: most of both."""
    if one == other:
        return True
    if closely and min(len(one), len(other)) < _SHARED * max(len(one), len(other)):
        return False
    least = min(len(one), len(other))
    if least < _STEM or not (one.isalpha() and other.isalpha()) or _PAIRED.match(one):
        return False
    shared = next((at for at in range(least) if one[at] != other[at]), least)
    if shared == least or shared >= max(_STEM + 1, _SHARED * least):
        return True
    return least > _STEM + 1 and (one.endswith(other) or other.endswith(one))


def words_in(vocabulary: Collection[str], claim: Iterable[str], *, closely: bool = False) -> frozenset[str]:
    """The words of a source that a claim has, in any form."""
    starts: dict[str, list[str]] = {}
    for word in vocabulary:
        for key in {word[:_STEM], f"…{word[-_STEM:]}"}:
            starts.setdefault(key, []).append(word)
    return frozenset(
        word
        for ours in claim
        for key in (ours[:_STEM], f"…{ours[-_STEM:]}")
        for word in starts.get(key, ())
        if same_word(ours, word, closely=closely)
    )


#: Words of fewer letters join sentences in many languages, and tell no place from another.
_TELLING: Final = 4


def tells(word: str) -> bool:
    """Whether a word may tell places apart: longer ones, numbers, and capitals that stand alone."""
    return len(word) >= _TELLING or any(char.isdigit() for char in word) or not word.isascii()


#: A number with the signs that part it: "1,234.5", "1 234,5", "1'234".
NUMBER: Final = re.compile(
    r"(?<![\d.,])\d{1,3}(?:(?P<s>[ \u00a0\u2009\u202f'’.,，])\d{3})(?:(?P=s)\d{3})*(?:[.,]\d+)?(?!\d)"
    r"|\d+(?:[.,]\d+)?"
)
#: More digits than these are compared as if they were not there.
_DIGITS: Final = 12
#: A unit that no kind is known of, such as a ticker.
_LETTERED: Final = re.compile(r"[A-Za-z]")
YEAR: Final = re.compile(r"1[0-9]\d\d|20\d\d")


@dataclass(frozen=True, slots=True)
class Number:
    """A number by its digits: ``value`` with the last sign before fewer than three digits as the decimal one.

    ``other`` is the second way to read it ("36.800"); ``half`` is half a unit of the last place shown;
    ``below``: a cell shows it as less than nothing.
    """

    raw: str
    start: int
    end: int
    value: Decimal
    half: Decimal
    other: Decimal | None
    quantity: Quantity | None
    below: bool = False

    @property
    def ways(self) -> tuple[Decimal, ...]:
        """Its value in the one or two ways to read it, without its sign."""
        return (self.value,) if self.other is None else (self.value, self.other)

    @property
    def scale(self) -> Decimal:
        """The scale that words beside it give."""
        return self.quantity.scale if self.quantity else Decimal(1)

    @property
    def signed(self) -> Decimal:
        """Its value, less than nothing where a cell shows it so."""
        return -self.value if self.below else self.value

    @property
    def unit(self) -> str:
        """Its unit in canonical form; empty where none is known."""
        return self.quantity.unit if self.quantity else ""

    @property
    def rounded(self) -> Decimal:
        """Half a unit of its last digit but noughts at the end of a whole number."""
        digits = re.sub(r"\D", "", self.raw)
        noughts = len(digits) - len(digits.rstrip("0")) if self.half == Decimal("0.5") else 0
        return self.half.scaleb(noughts)

    @property
    def significant(self) -> int:
        """How many digits it shows, without noughts at either end of a whole number."""
        digits = re.sub(r"\D", "", self.raw).lstrip("0")
        return len(digits.rstrip("0") if re.fullmatch(r"[1-9]\d*0+", digits) else digits)


@lru_cache(maxsize=4096)
def numbers_of(text: str) -> tuple[Number, ...]:
    """The numbers of a text that its reader takes for values, in order."""
    read = [each for each in find_quantities(text) if each.role in ("value", "range")]
    found = []
    for match in NUMBER.finditer(text):
        start, end = match.span()
        at = [each for each in read if each.start < end and start < each.end]
        if at and len(match[0]) <= 2 * _DIGITS and not _is_joined(text, start, end):
            found.append(number_of(match[0], start, end, at[-1]))
    for each in read:
        if not re.search(r"\d", each.raw) and each.value:
            value = abs(each.value)
            half = Decimal("0.5").scaleb(each.places) if not each.worded else value / 100
            found.append(Number("", each.start, each.end, value, half, None, each))
    return tuple(sorted(found, key=lambda each: each.start))


@lru_cache(maxsize=64)
def figures(text: str) -> tuple[Number, ...]:
    """Every number of a text by its digits, whether it is a value, a date or part of a name."""
    found = (match[0] for match in NUMBER.finditer(text) if len(match[0]) <= 2 * _DIGITS)
    return tuple(number_of(raw, 0, 0, None) for raw in dict.fromkeys(found))


def _is_joined(text: str, start: int, end: int) -> bool:
    """Whether letters or a bar go on behind or before a number, as in a name or a span of years.

    Where nothing parts words from numbers, letters before a number say nothing.
    """
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    before = _PAIRED.sub(" ", before)
    return bool(re.search(r"[^\W\d_][-‐‑]?\Z|\d[/-]\Z", before) or re.match(r"[/]\d|[-‐‑]\d\d", after))


def number_of(raw: str, start: int, end: int, quantity: Quantity | None, *, below: bool = False) -> Number:
    """The number that some digits with their signs are."""
    signs = re.findall(r"\D", raw)
    parts = re.split(r"\D", raw)
    grouped = bool(signs) and all(len(part) == 3 for part in parts[1:]) and len(set(signs)) == 1
    whole, fraction = "".join(parts), 0
    if signs and not grouped:
        fraction = len(parts[-1])
    value = Decimal(whole).scaleb(-fraction)
    half = Decimal("0.5").scaleb(-fraction)
    other = Decimal(whole).scaleb(-3) if grouped and len(signs) == 1 and signs[0] in ".,，" else None
    return Number(raw, start, end, value, half, other, quantity, below)


def is_name(number: Number, text: str) -> bool:
    """Whether a number names something: a bare year, or one behind a name ("Line 2")."""
    if number.scale != 1:
        return False
    if YEAR.fullmatch(number.raw) and not unit_kind(number.unit):
        return True
    if number.unit:
        return False
    before = re.search(r"([^\W\d_]+)[ \u00a0]\Z", text[: number.start])
    return bool(
        before and before[1][0].isupper() and text[: before.start()].strip() and number.significant < 3
    )


def units_told(one: str, other: str, *, alone: bool = False) -> Literal["same", "open", "other"]:
    """Whether a number in one unit is one in another; a unit that is not told leaves it open.

    ``alone``: it stands in a sentence that tells no ratio, so that it is none.
    """
    if {one, other} == {"%", "pp"}:
        return "other"
    if one == other or (
        {unit_kind(one), unit_kind(other)} <= {"count", ""} and not _LETTERED.search(one + other)
    ):
        return "same"
    if not one or not other:
        return "other" if alone and unit_kind(one or other) == "ratio" else "open"
    kinds = {unit_kind(one), unit_kind(other)}
    return "open" if kinds in ({"money"}, {"money", "count"}) else "other"


def alike(value: Decimal, number: Number, *, loose: Decimal | None = None, scaled: bool = False) -> bool:
    """Whether a value has the digits of a number, as far as the number shows them.

    Their scales may differ by thousands or ten thousands, as words and heads give them; ``scaled``: by any
    power.
    """
    target, half = abs(number.value), number.rounded if loose is None else loose
    if not value or not target:
        return abs(value) <= half and not target
    power = target.adjusted() - abs(value).adjusted()
    return any(
        abs(abs(value).scaleb(at) - target) <= half
        for at in (power - 1, power, power + 1)
        if scaled
        or not at % 3
        or (not at % 4 and number.scale in (10**4, 10**8))
        or (abs(at) == 2 and number.unit == "%")
    )


def fits(place: Number, number: Number) -> bool:
    """Whether a source's number states a claim's: its digits, rounded as the claim shows them, or coarser."""
    if any(alike(value, number) for value in place.ways):
        return True
    one, other = place.quantity, number.quantity
    if one is None or other is None or not (one.about or one.scale != 1):
        return False
    return compare(one, other) == "same"


def has_digits(place: Number, number: Number) -> bool:
    """Whether two numbers have the same digits, in any scale."""
    return any(alike(value, number, scaled=True) for value in place.ways)


def is_near(place: Number, number: Number) -> bool:
    """Whether two numbers differ by no more than a last place cut off, or a scale."""
    return any(
        alike(value, number, loose=max(2 * number.half, number.rounded), scaled=True) for value in place.ways
    )
