"""Numerals in Chinese and English words, read in flat text (:func:`verifaible.text.flat.flatten`)."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

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
