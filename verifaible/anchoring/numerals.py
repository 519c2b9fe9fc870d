"""What numbers are made of: characters brought to one form, units and scales, spelled numerals.

:mod:`verifaible.anchoring.numbers` and :mod:`verifaible.anchoring.dates` read text through
:func:`flatten`, which keeps every offset.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from functools import cache, lru_cache
from typing import Final

from verifaible.anchoring.number_words import ARABIC_ENDING, SCALE_PATTERN, SCALES, UNITS

_GROUP_SPACES = "\u00a0\u2007\u2009\u202f"
_SINGLE = {
    # a full-width comma or semicolon ends a clause; its ASCII form may group thousands
    **{char: char for char in "，；"},
    # Arabic percent sign, decimal separator and thousands separator
    **{"\u066a": "%", "\u066b": ".", "\u066c": ","},
    **dict.fromkeys(_GROUP_SPACES, "\u2009"),
    **dict.fromkeys("\u2010\u2011\u2012\u2013", "-"),
    **dict.fromkeys("‘’ʼ′＇", "'"),
    **dict.fromkeys("“”„″＂", '"'),
}


class _FlatTable(dict[int, int]):
    """A ``str.translate`` table that computes each character once."""

    def __missing__(self, code: int) -> int:
        char = chr(code)
        flat = _SINGLE.get(char, "")
        category = unicodedata.category(char)
        if not flat and category == "Nd":
            flat = str(unicodedata.decimal(char))
        elif not flat:
            folded = unicodedata.normalize("NFKC", char)
            # superscripts stay: 49.3¹ is 49.3 with a footnote, not 49.31
            stays = category == "No" or unicodedata.decomposition(char).startswith(("<super>", "<sub>"))
            flat = folded if len(folded) == 1 and not stays else char
        self[code] = ord(flat)
        return self[code]


_TABLE = _FlatTable()


def flatten(text: str) -> str:
    """Bring characters to one form without moving any: the result has as many code points.

    Full-width and other decimal digits become ASCII, hyphens and the en dash become ``-`` (the
    minus sign U+2212 stays, since it is never anything else), typographic quotes become plain
    ones, and grouping spaces become U+2009. A full-width comma is kept (it ends clauses),
    except between full-width digits, where it groups thousands.
    """
    return re.sub(r"(?<=[０-９])，(?=[０-９]{3})", ",", text).translate(_TABLE)


_SPECIAL = re.compile(r"[$.‰€£¥₩]")


def _unit_pattern(spelling: str) -> str:
    pattern = _SPECIAL.sub(lambda match: "\\" + match.group(), spelling).replace(" ", " ?")
    if spelling[-1] in "$€£¥₩" or spelling in ("rmb", "cny", "usd", "hkd", "eur", "gbp", "jpy", "krw"):
        return pattern + r"(?![a-z]| ?[-−]?\d)"  # a currency in front of the next number is not ours
    if "\u0621" <= spelling[0] <= "\u064a":
        return pattern + ARABIC_ENDING
    # "m" is no unit in "m²" nor in "m/min"
    return pattern + ("(?![a-zäöüß²³]|/[a-z])" if spelling[-1] in "?abcdefghijklmnopqrstuvwxyz" else "")


_ALTERNATIVES = sorted(
    ((spelling, unit) for unit, (_, words) in UNITS.items() for spelling in words.split("|")),
    key=lambda pair: -len(pair[0]),
)
#: An optional scale, then an optional unit; blanks between them may not be line ends or tabs.
SUFFIX: Final = re.compile(
    rf"(?P<scale>[ \u2009]*(?:{SCALE_PATTERN}))?"
    rf"(?P<unit>[ \u2009]*-?(?:{'|'.join(_unit_pattern(s) for s, _ in _ALTERNATIVES)}))?",
    re.IGNORECASE,
)


@cache
def _spellings() -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(_unit_pattern(s), re.IGNORECASE), unit) for s, unit in _ALTERNATIVES]


@lru_cache(maxsize=1024)
def canonical_unit(written: str) -> str:
    """The canonical form of a unit as written (``percent`` is ``%``, ``yuan`` is ``元``)."""
    bare = written.strip(" \u2009-")
    return next((unit for pattern, unit in _spellings() if pattern.fullmatch(bare)), bare)


def unit_kind(unit: str) -> str:
    """``ratio``, ``money``, ``count``, ``time`` or ``measure``; empty for an unknown unit."""
    return UNITS[unit][0] if unit in UNITS else ""


def parse_unit(written: str) -> tuple[Decimal, str]:
    """Split a unit such as ``亿元`` into its scale factor and its canonical unit: ``1E+8``, ``元``.

    A unit that is not known comes back as it was written, with the factor 1.
    """
    flat = flatten(written).strip()
    match = SUFFIX.fullmatch(flat)
    if not match:
        return Decimal(1), flat
    return scale_of(match), canonical_unit(match["unit"] or "")


def scale_of(match: re.Match[str]) -> Decimal:
    """The factor of a :data:`SUFFIX` match; 1 where no scale is written."""
    if not match["scale"]:
        return Decimal(1)
    written = match["scale"].strip(" \u2009").lower()
    return SCALES.get(written) or SCALES[written.rstrip("\u0627\u064b")]


_ZH_DIGITS = {char: index for index, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_ZH_SMALL = {"十": 10, "百": 100, "千": 1000}
_ZH_LARGE = {"万": 10**4, "亿": 10**8}
_D = "零〇一二两三四五六七八九"
ZH_NUMERAL: Final = re.compile(
    rf"(?<![数几])(?:[{_D}十][{_D}十百千万亿]*(?:点[{_D}]+(?:万亿|亿|万)?)?)(?![几数分])"
)


def parse_zh(numeral: str) -> Decimal:
    """The value of a Chinese numeral that :data:`ZH_NUMERAL` matched (``三十六``, ``二〇二五``)."""
    whole, _, tail = numeral.partition("点")
    decimals = tail.rstrip("万亿")
    value = Decimal(_zh_integer(whole))
    if decimals:
        value += Decimal("0." + "".join(str(_ZH_DIGITS[char]) for char in decimals))
    for char in tail[len(decimals) :]:
        value *= _ZH_LARGE[char]
    return value


def _zh_integer(text: str) -> int:
    if all(char in _ZH_DIGITS for char in text):
        return int("".join(str(_ZH_DIGITS[char]) for char in text))
    total = section = digit = 0
    for char in text:
        if char in _ZH_DIGITS:
            digit = _ZH_DIGITS[char]
        elif char in _ZH_SMALL:
            section += (digit or 1) * _ZH_SMALL[char]
            digit = 0
        elif char == "亿":
            total = (total + section + digit) * _ZH_LARGE[char]
            section = digit = 0
        else:
            total += (section + digit) * _ZH_LARGE[char]
            section = digit = 0
    return total + section + digit


_ONES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_TEENS = [
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_EN_VALUES = {
    "zero": 0,
    **{word: index + 1 for index, word in enumerate(_ONES)},
    **{word: index + 10 for index, word in enumerate(_TEENS)},
    **{word: (index + 2) * 10 for index, word in enumerate(_TENS)},
}
_EN_LARGE = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ONE, _TEEN, _TEN = ("(?:" + "|".join(words) + ")" for words in (_ONES, _TEENS, _TENS))
_SUB100 = rf"(?:{_TEN}(?:[- ]{_ONE})?|{_TEEN}|{_ONE})"
_SUB1000 = rf"(?:{_ONE} hundred(?: (?:and )?{_SUB100})?|{_SUB100})"
EN_NUMERAL: Final = re.compile(
    rf"(?<![\w-])(?:zero|{_SUB1000}(?: (?:{'|'.join(_EN_LARGE)})(?:,? (?:and )?{_SUB1000})?)*)"
    rf"(?: point(?: (?:zero|{_ONE}))+)?(?!\w)",
    re.IGNORECASE,
)


def parse_en(numeral: str) -> Decimal:
    """The value of an English numeral that :data:`EN_NUMERAL` matched (``thirty-six``)."""
    whole, _, tail = numeral.lower().partition(" point ")
    total = section = 0
    for word in re.findall(r"[a-z]+", whole):
        if word == "hundred":
            section *= 100
        elif word in _EN_LARGE:
            total += section * _EN_LARGE[word]
            section = 0
        elif word != "and":
            section += _EN_VALUES[word]
    decimals = "".join(str(_EN_VALUES[word]) for word in tail.split())
    return Decimal(total + section) + (Decimal("0." + decimals) if decimals else 0)
