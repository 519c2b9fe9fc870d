"""Numbers by their digits: a scale, and which sign parts decimals, leave open more than the digits do."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Final, Literal

from verifaible.judge.numbers.quantities import Quantity, quantities
from verifaible.judge.rules.forms import PAIRED
from verifaible.text.units import unit_kind

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
        return self.quantity.mention.scale if self.quantity else Decimal(1)

    @property
    def sign(self) -> int:
        """-1 of what a cell shows as less than nothing."""
        return -1 if self.below else 1

    @property
    def signed(self) -> Decimal:
        """Its value, less than nothing where a cell shows it so."""
        return self.value * self.sign

    @property
    def unit(self) -> str:
        """Its unit in canonical form; empty where none is known."""
        return self.quantity.unit if self.quantity else ""

    @property
    def in_ten_thousands(self) -> bool:
        """Whether its scale is one of those that go by ten thousands."""
        return self.scale in (10**4, 10**8)

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
    read = [each for each in quantities(text) if each.mention.role in ("value", "range")]
    found = []
    for match in NUMBER.finditer(text):
        quantity = next((q for q in read if q.start < match.end() and match.start() < q.end), None)
        if quantity is None or len(match[0]) > 2 * _DIGITS or _is_joined(text, match.start(), match.end()):
            continue
        last = [q for q in read if q.start < match.end() and match.start() < q.end][-1]
        found.append(number_of(match[0], match.start(), match.end(), last))
    for each in read:
        if not re.search(r"\d", each.mention.raw) and each.value:
            value, half = abs(each.value), each.half or abs(each.value) / 100
            found.append(Number("", each.start, each.end, value, half, None, each))
    return tuple(sorted(found, key=lambda each: each.start))


def figures(text: str) -> tuple[Number, ...]:
    """Every number of a text by its digits, whether it is a value, a date or part of a name."""
    found = (match[0] for match in NUMBER.finditer(text) if len(match[0]) <= 2 * _DIGITS)
    return tuple(number_of(raw, 0, 0, None) for raw in dict.fromkeys(found))


def _is_joined(text: str, start: int, end: int) -> bool:
    """Whether letters or a bar go on behind or before a number, as in a name or a span of years.

    Where nothing parts words from numbers, letters before a number say nothing.
    """
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    before = PAIRED.sub(" ", before)
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
        or (not at % 4 and number.in_ten_thousands)
        or (abs(at) == 2 and number.unit == "%")
    )


def fits(place: Number, number: Number) -> bool:
    """Whether a source's number states a claim's: its digits, rounded as the claim shows them, or coarser."""
    if any(alike(value, number) for value in place.ways):
        return True
    one, other = place.quantity, number.quantity
    if one is None or other is None or not (one.about or one.mention.scale != 1):
        return False
    return abs(one.value - other.value) <= max(one.half, one.loose)


def has_digits(place: Number, number: Number) -> bool:
    """Whether two numbers have the same digits, in any scale."""
    return any(alike(value, number, scaled=True) for value in place.ways)


def is_near(place: Number, number: Number) -> bool:
    """Whether two numbers differ by no more than a last place cut off, or a scale."""
    return any(
        alike(value, number, loose=max(2 * number.half, number.rounded), scaled=True) for value in place.ways
    )
