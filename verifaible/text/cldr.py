"""What a language writes for dates, scales, units and money, out of CLDR (Babel), loaded when it is needed.

CLDR gives whole phrases with their plural forms ("Japanese yen", "{0} kilometers"); the words that stand
behind a number are taken from them: the noun of a currency is the word that most of its language's names of
currencies share, by whichever end of the name it stands.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeAlias

from verifaible.text.words import DATA, any_of

#: A currency's ISO 4217 codes: one where the words tell which, else all that they can mean.
Codes: TypeAlias = tuple[str, ...]

_KINDS: Final = frozenset(DATA["cldr_units"]["kinds"].split())
_LEFT_OUT: Final = re.compile(any_of("cldr_units", "left_out"))
_NAMES: Final = {"percent": "%", "permille": "‰", "permyriad": "bp"}
#: A noun is shared by so many currencies; "South" is by two.
_SHARED: Final = 4
_FIRST: Final[list[str]] = DATA["currencies_by_turnover"].split()
_NUMBER: Final = re.compile(r"\{0\}|0+|'|[\u200e\u200f\u061c]")


@dataclass(frozen=True, slots=True)
class Words:
    """What a language writes; words in lower case, symbols in their own.

    Attributes:
        scales: the power of ten of each word or sign for it (``Millionen`` 6, ``Mrd.`` 9).
        units: the unit of each word, as CLDR names it without its kind (``kilometer``), ``%``, ``‰``.
        signs: the same for symbols, where case counts (``MB``, ``km``).
        money: the codes of each name or noun of a currency.
        money_signs: the codes of each symbol.
        months: the number of each month.
        quarters: the number of each quarter (``T1``, ``1. Quartal``).
        stopped: months and days that are written for short, each with the full stop behind it.
        day_stop: whether a full stop stands behind the number of a day.
        comma: whether decimals stand behind a comma.
        percent_first: whether the sign of per cent stands before its number.
    """

    scales: dict[str, int]
    units: dict[str, str]
    signs: dict[str, str]
    money: dict[str, Codes]
    money_signs: dict[str, Codes]
    months: dict[str, int]
    quarters: dict[str, int]
    stopped: frozenset[str]
    day_stop: bool
    comma: bool
    percent_first: bool


@cache
def words_of(language: str) -> Words:
    """The words of a language by its subtag; none for a language that CLDR does not have."""
    from babel import localedata  # 10 ms, and the data of a language 3: only where a number is read

    if not localedata.exists(language):
        return Words(
            {}, {}, {}, {}, {}, {}, {}, frozenset(), day_stop=False, comma=False, percent_first=False
        )
    raw: Any = localedata.load(language)
    data: Any = localedata.LocaleDataDict(raw)
    symbols = data["number_symbols"]
    latin = symbols.get("latn", symbols)
    long, short = _units(data)
    nouns = _money(data)
    return Words(
        scales=_scales(data),
        units=long,
        signs=short,
        money=nouns,
        money_signs=_money_signs(data),
        months=_named(data, "months"),
        quarters=_named(data, "quarters"),
        stopped=_stopped(data),
        day_stop=re.search(r"(?<!d)d\.", str(data["date_formats"]["long"].pattern)) is not None,
        comma=latin.get("decimal") == ",",
        percent_first=str(data["percent_formats"][None].pattern).startswith("%"),
    )


def _plain(phrase: str) -> str:
    return _NUMBER.sub("", phrase).replace("\u00a0", " ").replace("\u202f", " ").strip(" -").strip()


def _scales(data: Any) -> dict[str, int]:
    found: dict[str, int] = {}
    for width in ("long", "short"):
        for forms in data["compact_decimal_formats"].get(width, {}).values():
            for size, pattern in forms.items():
                written = getattr(pattern, "pattern", str(pattern))
                noughts = len(re.findall("0", written))
                word = _plain(written)
                if word and noughts:
                    power = len(size) - noughts
                    found.setdefault(word.lower() if width == "long" or len(word) > 1 else word, power)
    return found


def _units(data: Any) -> tuple[dict[str, str], dict[str, str]]:
    long: dict[str, str] = {}
    short: dict[str, str] = {}
    for name, widths in data["unit_patterns"].items():
        kind, _, unit = name.partition("-")
        if kind not in _KINDS or _LEFT_OUT.search(name):
            continue
        for width, words in (("long", long), ("short", short)):
            for form, pattern in widths.get(width, {}).items():
                word = _plain(pattern) if form != "per" and "{0}" in pattern else ""
                if word and not word.isdigit():
                    words.setdefault(word.lower() if width == "long" else word, _NAMES.get(unit, unit))
    return long, short


@cache
def tender() -> frozenset[str]:
    """The codes that are legal tender today; names of former ones would share words with theirs."""
    from babel.core import get_global

    territories = get_global("territory_currencies").values()
    return frozenset(code for spans in territories for code, _, end, used in spans if used and not end)


def likeliest(codes: Iterable[str]) -> Codes:
    """Codes, the most traded first."""
    return tuple(
        sorted(set(codes), key=lambda code: (_FIRST.index(code) if code in _FIRST else len(_FIRST), code))
    )


def _money(data: Any) -> dict[str, Codes]:
    names = sorted({(code, name) for code, name in _currency_names(data) if code in tender()})
    split = [(code, name, re.findall(r"[^\s()\-–]+", name)) for code, name in names]
    shared = Counter(word for _, word in {(code, word) for code, _, words in split for word in words})
    for word in {part for name in data["territories"].values() for part in name.lower().split()}:
        shared.pop(word, None)  # "Myanmar" is no noun of its kyat
    last = sum(_noun_at(words, shared, default=-1) == len(words) - 1 for _, _, words in split)
    default = -1 if 2 * last >= len(split) else 0
    names_of: dict[str, set[str]] = {}
    nouns: dict[str, set[str]] = {}
    forms: dict[str, set[str]] = {}
    for code, name, words in split:
        noun = words[_noun_at(words, shared, default)]
        names_of.setdefault(name, set()).add(code)
        nouns.setdefault(noun, set()).add(code)
        forms.setdefault(code, set()).add(noun)
    # CLDR has not every form of a noun for every currency that bears it
    family = {
        noun: {each for code in codes for form in forms[code] for each in nouns[form]}
        for noun, codes in nouns.items()
    }
    return {word: likeliest(codes) for word, codes in (names_of | family).items()}


def _noun_at(words: list[str], shared: Counter[str], default: int) -> int:
    """The place of the noun of a currency's name: the word at either end that more names share."""
    if bool(shared[words[0]]) != bool(shared[words[-1]]):
        return 0 if shared[words[0]] else len(words) - 1
    ends = sorted((shared[words[at]], at) for at in {0, len(words) - 1})
    return ends[-1][1] if ends[-1][0] >= _SHARED > ends[0][0] else default % len(words)


def _currency_names(data: Any) -> Iterator[tuple[str, str]]:
    for code, name in data["currency_names"].items():
        yield code, name.replace("\u00a0", " ").lower()
    for code, forms in data["currency_names_plural"].items():
        yield from ((code, name.replace("\u00a0", " ").lower()) for name in forms.values())


def _money_signs(data: Any) -> dict[str, Codes]:
    found: dict[str, set[str]] = {}
    for code, sign in data["currency_symbols"].items():
        if code in tender() and sign != code and _plain(sign):
            found.setdefault(_plain(sign), set()).add(code)
    return {sign: likeliest(codes) for sign, codes in found.items()}


@cache
def scale_words(language: str) -> frozenset[str]:
    """Words that are part of a number, in a language by its tag and in English: "million", "Mrd"."""
    tag = language.replace("_", "-").partition("-")[0].lower()
    words = {re.sub(r"[\s.]", "", word) for each in (tag, "en") for word in words_of(each).scales}
    return frozenset(word for word in words if word.isalpha() and len(word) > 1)


def _stopped(data: Any) -> frozenset[str]:
    months, days = (data[table]["format"] for table in ("months", "days"))
    short = set(months["abbreviated"].values()) - set(months["wide"].values())
    short |= {name for name in days["abbreviated"].values() if name.endswith(".")}
    short |= {word for word in _scales(data) if word.endswith(".")}
    return frozenset(name.casefold().rstrip(".") + "." for name in short)


def _named(data: Any, table: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for style in ("format", "stand-alone"):
        for width in ("wide", "abbreviated"):
            for number, name in data[table].get(style, {}).get(width, {}).items():
                bare = name.lower().rstrip(".")
                if re.search(r"[^\W\d]", bare) and (table == "quarters" or not bare[0].isdigit()):
                    found.setdefault(bare, number)
    return found
