"""Whether it says something against a claim that no source has its value.

It does only where the value would stand somewhere if it were true: it is read surely, with its unit; the
claim does not tell of a difference, a rate or a sum; no place has it in other digits or another scale; and
the numbers that stand near what the claim is of do not make it. That search supports no claim: it only keeps
one from being called made up.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from itertools import combinations, islice
from typing import Final

from verifaible.judge.rules.agreeing import likeness
from verifaible.judge.rules.derive import names_calculation
from verifaible.judge.rules.library import Library
from verifaible.judge.rules.quantities import Quantity, units_agree
from verifaible.judge.rules.reading import Reading
from verifaible.judge.rules.wanted import Want, Wanted
from verifaible.text.units import unit_kind

#: A source may state a value so much rounded that this share of it is lost.
_COARSE: Final = Decimal("0.06")
#: Powers of ten by which a table may have a value without telling so.
_UNTOLD_SCALES: Final = (3, 4, 6, 8, 9, -2, 2)
#: Tokens that stand for a dollar; a source may state their number in dollars.
_DOLLAR_TOKENS: Final = frozenset(("USDT", "USDC", "FDUSD", "DAI"))
#: The sign of a unit that is not read: "J/TH", "kWp".
_OTHER_UNIT: Final = re.compile(r"[ \u00a0]?(?:[A-Za-zµ]{1,6}/[A-Za-z]|[a-z]{1,2}[A-Z]|cents?\b|[¢%‰])")
_REACHED: Final = re.compile(
    r"\b(?:grew|rose|fell|climbed|dropped|declined|increased|decreased|jumped|surged|slid|dipped) to"
    r"\s*(?:US\$|[$€£¥])?\Z"
    r"|(?:升|降|涨|跌|增|减)(?:少|加)?(?:至|到)\s*\Z",
    re.IGNORECASE,
)
#: Words that tell of a difference, a rest, a sum, a rate or a case, be its operands named or not.
_WORKED_OUT: Final = re.compile(
    r"\b(?:shed|add(?:s|ed|ing)?|left|leav(?:es|ing)|remains?|worth|valued|the two|both|each|every"
    r"|apiece|top (?:two|three|four|five|ten|\d+)|over the (?:two|three|four|five|six|\w+ (?:months|years))"
    r"|annual(?:ly)?(?= (?:pace|rate|basis))|pace|run[- ]rate|runway|sav(?:es|ed|ing)|spare|unused"
    r"|room|headroom|another|further|missed|short of|ahead|behind|beat(?:s|en)?|exceed\w*|surpass\w*|surplus"
    r"|deficit|shortfall|typical|fewer|excess|above|below|beyond|since|of which|balance due|needs?|cheaper"
    r"|dearer|wider|narrower|larger|smaller|bigger|higher|lower|longer|shorter|deposit of"
    r"|invest(?:ing|ed)? \$|stake of)\b"
    r"|[两三四五六七八九十]个?(?:月|季度|年|周|家|者)|多出|少了|多了|高出|低出|超出|领先|落后|相差|相距|比.{1,20}[多少高低大小]"
    r"|较.{1,20}[多少高低大小]|净|剩|余额|尚余|每|平均|人均|合计|合共|价值|市值约|存入|投入|可得|另有|还需|还差|距",
    re.IGNORECASE,
)
#: An amount that stands for a case: "a $10,000 deposit".
_A_CASE: Final = re.compile(r"\b(?:an?|every|each|any|per)\s+(?:US\$|[$€£¥])?\s?\Z|每\s*\Z", re.IGNORECASE)
#: Words of a rate, and what parts its periods from others.
_RATE: Final = re.compile(
    r"\b(?:dai?ly|days?|weekly|week|monthly|month|quarterly|quarter|yearly|annual\w*|year|hour\w*)\b"
    r"|[日天周月季年时]",
    re.IGNORECASE,
)
#: A rate worked out from a rounded number may miss by this share.
_RATE_LOSES: Final = 0.002
_PERIODS: Final = (2, 3, 4, 7, 12, 24, 30, 31, 52, 90, 365)
_NUMBER: Final = re.compile(
    r"(?<![A-Za-z\d.])(\d{1,3}(?:[, \u00a0']\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?:\s?(trillion|billion|bn|million|mn|thousand|[KMBTkmb](?![A-Za-z])|万亿|亿|百万|万))?"
)
_SCALES: Final = {
    "trillion": 1e12, "t": 1e12, "万亿": 1e12, "billion": 1e9, "bn": 1e9, "b": 1e9, "亿": 1e8, "million": 1e6,
    "mn": 1e6, "m": 1e6, "百万": 1e6, "万": 1e4, "thousand": 1e3, "k": 1e3,
}  # fmt: skip
#: Sentences and rows about a claim that are looked at, and numbers of one and its neighbours.
_MOST_PLACES: Final = 60
_MOST_NUMBERS: Final = 24
#: A price, a share or a count of periods is no larger.
_LARGEST_FACTOR: Final = 200_000


def speaks_against(want: Want, wanted: Wanted, library: Library, only: Collection[str] | None) -> bool:
    """Whether a value that no source has refutes its claim.

    Args:
        want: the value, which no source has.
        wanted: its claim.
        library: the sources of the answer.
        only: ids of the sources that count; None: all.
    """
    return (
        _is_sure(want, wanted)
        and not names_calculation(wanted.text)
        and not _near_enough(want, library, only)
        and not _is_made(want, wanted, library, only)
    )


def makes(words: str, want: Want) -> bool:
    """Whether two or more numbers of one place add up to a value, or differ by it."""
    return _add_up(_numbers(words), *_sought(want))


def _is_sure(want: Want, wanted: Wanted) -> bool:
    """Whether a value is read surely, is not worked out, and says enough."""
    quantity = want.quantity
    if not quantity.sure or _OTHER_UNIT.match(wanted.text, quantity.end):
        return False
    cases = (_A_CASE.search(wanted.text[: each.quantity.start]) for each in wanted.values)
    if _WORKED_OUT.search(wanted.text) or any(cases):
        return False
    if (
        (wanted.derived and not _is_level(want, wanted))
        or quantity.limit
        or quantity.about
        or {"forecast", "range", "earlier"} & want.manner
    ):
        return False
    if (
        quantity.unit in _DOLLAR_TOKENS
        or unit_kind(quantity.unit) in ("ratio", "time")
        or quantity.unit == "倍"
        or "/change" in want.metric
    ):
        return False
    digits = str(abs(quantity.mention.value)).replace(".", "").strip("0")
    return len(digits) >= 3 or bool(unit_kind(quantity.unit) == "money")


def _is_level(want: Want, wanted: Wanted) -> bool:
    """Whether the one value of a claim is what something rose or fell to."""
    before = wanted.text[: want.quantity.start]
    return len(wanted.values) == 1 and _REACHED.search(before) is not None


def _near_enough(want: Want, library: Library, only: Collection[str] | None) -> bool:
    """Whether a source has the value in fewer digits, or its digits in a scale that a table does not tell."""
    quantity = want.quantity
    for reading in library.near(quantity.value, abs(quantity.value) * _COARSE, None, only):
        if likeness(quantity, reading) != "other":
            return True
    for power in _UNTOLD_SCALES:
        value, half = quantity.value.scaleb(-power), quantity.half.scaleb(-power)
        for reading in library.near(value, half, None, only):
            plain = reading.mention is None or reading.mention.scale == 1
            apart = reading.unit and not units_agree(quantity.unit, reading.unit)
            if plain and not apart:
                return True
    for reading in library.alike_in_digits(quantity.value, quantity.half, only):
        if _unsure(reading) or likeness(quantity, reading) != "other":
            return True
        if not (quantity.unit and reading.unit) and _same_digits(quantity, reading):
            return True  # a head, a key or a word that is not read may tell the unit and its scale
    return _stands_unread(want, library, only)


def _unsure(reading: Reading) -> bool:
    return reading.quantity is not None and not reading.quantity.sure


def _same_digits(quantity: Quantity, reading: Reading) -> bool:
    """Whether two numbers have the same digits, the one as exactly as the other shows them."""
    if not (quantity.value and reading.value):
        return False
    apart = math.log10(abs(quantity.value)) - math.log10(abs(reading.value))
    shown = math.log10(1 + float(quantity.half / abs(quantity.value)))
    return abs(apart - round(apart)) <= shown + 1e-9


def _stands_unread(want: Want, library: Library, only: Collection[str] | None) -> bool:
    """Whether a source has the digits with letters behind them that are no scale: "41.2EH/s"."""
    digits = re.match(r"\W*(\d[\d.,]*\d|\d)", want.quantity.mention.raw)
    if digits is None:
        return False
    glued = re.compile(rf"(?<![\d.,]){re.escape(digits[1])}(?!(?:[KMBTkmbt]|bn|mn|tn)\b)[A-Za-zµ]")
    return any(digits[1] in page.text and glued.search(page.text) for page in library.pages(only))


# --- what the numbers of a place make


def _is_made(want: Want, wanted: Wanted, library: Library, only: Collection[str] | None) -> bool:
    """Whether numbers that stand together, near what the claim is of, make its value."""
    value, half = _sought(want)
    rate = _RATE.search(wanted.text) is not None
    for numbers in islice(_places(want, wanted, library, only), _MOST_PLACES):
        if _add_up(numbers, value, half) or _multiplies(numbers, value, half):
            return True
        if rate and any(
            abs(way - value) <= max(half, value * _RATE_LOSES)
            for one in numbers
            for by in _PERIODS
            for way in (one * by, one / by)
        ):
            return True
    return False


def _sought(want: Want) -> tuple[float, float]:
    """The size of a value, and by how much what makes it may miss it."""
    return abs(float(want.quantity.value)), float(want.quantity.half) * 1.01


def _places(
    want: Want, wanted: Wanted, library: Library, only: Collection[str] | None
) -> Iterator[list[float]]:
    """The numbers of each sentence or row that is of what a claim is of, with those around it."""
    names = wanted.own_subjects or want.subjects
    ways = [(word,) for word in wanted.proper_words] if not names else []
    found = library.sentences_with(ways, names, only) if names or ways else ()
    if not found:
        found = [(page, at) for page in library.pages(only) for at in range(min(len(page.segments), 40))]
    for page, at in found:
        near = page.segments[max(0, at - 1) : at + 2]
        yield _numbers("\n".join(segment.words for segment in near if not segment.literal))


def _numbers(words: str) -> list[float]:
    found = []
    for match in islice(_NUMBER.finditer(words), _MOST_NUMBERS):
        plain = re.sub(r"[^\d.]", "", match[1])
        found.append(float(plain) * _SCALES.get((match[2] or "").lower(), 1.0))
    return found


def _add_up(numbers: Sequence[float], value: float, half: float) -> bool:
    """Whether two numbers, or three or more in a row, add up to a value, or two differ by it."""
    for one, other in combinations(numbers, 2):
        if abs(one + other - value) <= half or abs(abs(one - other) - value) <= half:
            return True
    for first in range(len(numbers)):
        total = 0.0
        for number in numbers[first:]:
            total += number
            if total - value > half:
                break
            if abs(total - value) <= half and number != total:
                return True
    return False


def _multiplies(numbers: Sequence[float], value: float, half: float) -> bool:
    """Whether a number, times or by a smaller one, or so many per cent of it, are a value."""
    for one, other in combinations(numbers, 2):
        low, high = sorted((one, other))
        if not 0 < low <= _LARGEST_FACTOR:
            continue
        ways = (low * high, low * high / 100, high / low, high * (1 - low / 100), high * (1 + low / 100))
        if any(abs(way - value) <= half for way in ways):
            return True
    return False
