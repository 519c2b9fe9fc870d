"""What numbers are made of: characters brought to one form, units and scales, spelled numerals.

:mod:`verifaible.anchoring.numbers` and :mod:`verifaible.anchoring.dates` read text through
:func:`flatten`, which keeps every offset.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from functools import lru_cache
from typing import Final

_GROUP_SPACES = "\u00a0\u2007\u2009\u202f"
_SINGLE = {
    # a full-width comma or semicolon ends a clause; its ASCII form may group thousands
    **{char: char for char in "，；"},
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


SCALES: Final[dict[str, Decimal]] = {
    word: Decimal(10) ** power
    for power, words in {
        2: "百",
        3: "千 thousand k",
        4: "万",
        5: "十万",
        6: "百万 million mn m",
        7: "千万",
        8: "亿",
        9: "十亿 billion bn b",
        10: "百亿",
        11: "千亿",
        12: "万亿 trillion tn",
    }.items()
    for word in words.split()
}

#: Canonical unit: kind, and the spellings it is written in (lower case).
_UNITS: Final[dict[str, tuple[str, str]]] = {
    "pp": ("ratio", "个百分点|百分点|percentage points?|% points?|%-points?|pct pts?|ppts?|pp"),
    "bp": ("ratio", "个基点|基点|basis points?|bps|bp"),
    "%": ("ratio", "%|percent|per cent|pct"),
    "‰": ("ratio", "‰"),
    "美元": ("money", "美元|美金|us dollars?|u.s. dollars?|dollars?|usd|us$|$"),
    "港元": ("money", "港元|港币|hk dollars?|hkd|hk$"),
    "欧元": ("money", "欧元|euros?|eur|€"),
    "英镑": ("money", "英镑|pounds?|gbp|£"),
    "日元": ("money", "日元|yen|jpy"),
    "元": ("money", "元人民币|人民币|元|块|chinese yuan|yuan|renminbi|rmb|cny|¥"),
    "人": ("count", "人|名|位|people|persons?|inhabitants"),
    "笔": ("count", "笔|transactions?|trades?|deals?"),
    "股": ("count", "股|shares?"),
    "点": ("count", "点|points?"),
    "月": ("time", "个月|months?"),
    "年": ("time", "年|years?|yrs?"),
    "天": ("time", "天|日|days?"),
    "小时": ("time", "个小时|小时|hours?|hrs?"),
    "分钟": ("time", "分钟|minutes?|mins?"),
    "秒": ("time", "秒钟|秒|seconds?|secs?"),
    "周": ("time", "个星期|星期|周|weeks?"),
    "岁": ("time", "周岁|岁"),
    "页": ("count", "页|pages?"),
    "吨": ("measure", "吨|tonnes?|tons?"),
    "千米": ("measure", "千米|公里|kilometers?|kilometres?|km"),
    "千克": ("measure", "千克|公斤|kilograms?|kg"),
    "米": ("measure", "米|meters?|metres?"),
    "千瓦": ("measure", "千瓦|kilowatts?|kw"),
    "倍": ("measure", "倍|times"),
    **{word: ("count", word) for word in "个家只项次户件条种套份票张台辆座所支例宗单层部届场轮篇"},
}
_SPECIAL = re.compile(r"[$.‰€£¥]")


def _unit_pattern(spelling: str) -> str:
    pattern = _SPECIAL.sub(lambda match: "\\" + match.group(), spelling).replace(" ", " ?")
    if spelling[-1] in "$€£¥" or spelling in ("rmb", "cny", "usd", "hkd", "eur", "gbp", "jpy"):
        return pattern + r"(?![a-z]| ?[-−]?\d)"  # a currency in front of the next number is not ours
    return pattern + ("(?![a-z])" if spelling[-1] in "?abcdefghijklmnopqrstuvwxyz" else "")


_ALTERNATIVES = sorted(
    ((spelling, unit) for unit, (_, words) in _UNITS.items() for spelling in words.split("|")),
    key=lambda pair: -len(pair[0]),
)
_SCALE = (
    r"万亿|千亿|百亿|十亿|亿|千万|百万|十万|万|千(?![米克瓦])|百(?!分)"
    r"|(?:thousand|million|billion|trillion|mn|bn|tn|k)(?![a-z0-9])|(?-i:[MB])(?![a-z0-9])"
)
#: An optional scale, then an optional unit; blanks between them may not be line ends or tabs.
SUFFIX: Final = re.compile(
    rf"(?P<scale>[ \u2009]*(?:{_SCALE}))?"
    rf"(?P<unit>[ \u2009]*-?(?:{'|'.join(_unit_pattern(s) for s, _ in _ALTERNATIVES)}))?",
    re.IGNORECASE,
)
_SPELLINGS = [(re.compile(_unit_pattern(s), re.IGNORECASE), unit) for s, unit in _ALTERNATIVES]


@lru_cache(maxsize=1024)
def canonical_unit(written: str) -> str:
    """The canonical form of a unit as written (``percent`` is ``%``, ``yuan`` is ``元``)."""
    bare = written.strip(" \u2009-")
    return next((unit for pattern, unit in _SPELLINGS if pattern.fullmatch(bare)), bare)


def unit_kind(unit: str) -> str:
    """``ratio``, ``money``, ``count``, ``time`` or ``measure``; empty for an unknown unit."""
    return _UNITS[unit][0] if unit in _UNITS else ""


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
    return SCALES[match["scale"].strip(" \u2009").lower()] if match["scale"] else Decimal(1)


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
