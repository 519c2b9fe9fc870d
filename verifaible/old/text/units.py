"""What a number counts: the scale, the unit and the currency beside it, and whether two can be the same.

The words are those of ``quantities.json``, by language and by meaning. A currency is named by its ISO 4217
codes: by one where the words tell which (``EUR``, ``Canadian dollars``, ``HK$``), else by every one that
the sign or the word can be (``$``, ``crowns``), the likeliest first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain
from typing import Any, Final, TypeAlias

from verifaible.text.flat import flatten
from verifaible.text.language import language_of, small_words
from verifaible.text.segmentation import MARKS

#: The codes a currency can be, the likeliest first; none where there is no currency.
Currencies: TypeAlias = tuple[str, ...]


@cache
def quantity_words() -> dict[str, Any]:
    """The words of quantities, as ``quantities.json`` has them."""
    found: dict[str, Any] = json.loads(files(__package__).joinpath("quantities.json").read_text("utf-8"))
    return found


_DATA: Final = quantity_words()
#: Languages whose words win where another has the same word for something else.
_FIRST: Final = ("en", "zh", "de", "ja", "ko", "ar")
_LANGUAGES: Final = (*_FIRST, *(name for name in _DATA["scales"] if name not in _FIRST))
#: A letter of a script that parts words by blanks.
_LETTER: Final = rf"[A-Za-zµß-ɏͰ-ԯא-ת\u1e00-\u1fff\u0900-\u0dff\u06d4-\u06d5{MARKS}]"
#: What may not stand behind a word: "m" is no unit in "m²" nor in "m/min".
_GOES_ON: Final = re.compile(rf"{_LETTER}|[²³]|/[a-z]", re.IGNORECASE)
#: The accusative of an Arabic noun (دينارًا), then no further letter.
_ARABIC_ENDING: Final = re.compile(r"(?:\u0627\u064b?|\u064b\u0627?)?(?![\u0621-\u064b\u066e-\u06d3])")
#: Behind a scale in Hangul stand a unit, a particle or the end: 만기 begins no scale.
_HANGUL_ENDING: Final = re.compile(r"(?=[^가-힣]|[원명건개주대달유엔위파여을를이은는가의에로와과]|\Z)")
#: What begins a longer word instead.
_NOT_BEFORE: Final = {"千": "米克瓦", "百": "分", "배": "당"}
_NEXT_NUMBER: Final = re.compile(r"[ \u2009]?[-−]?\d")
_BLANKS: Final = re.compile(r"[ \u2009]*")


def _plain(word: str) -> str:
    return flatten(word).lower().replace("\u2009", " ")


_Node: TypeAlias = dict[str, Any]


class _Words:
    """Words by their letters, to find the longest that stands at a place of a text."""

    def __init__(self, words: Iterable[str]) -> None:
        self._root: _Node = {}
        for word in words:
            node = self._root
            for char in word:
                node = node.setdefault(char, {})
            node[""] = word

    def at(self, text: str, start: int, *, scale: bool = False) -> tuple[str, int]:
        """The longest word that ends where a word can, and where it ends; empty where there is none."""
        node, found, at = self._root, ("", start), start
        while at < len(text) and (node := node.get(" " if text[at] == "\u2009" else text[at], {})):
            at += 1
            word = node.get("")
            if word and (end := _ended(word, text, at, scale=scale)) is not None:
                found = word, end
        return found


def _ended(word: str, text: str, at: int, *, scale: bool) -> int | None:
    """Where a word that was read up to a place ends, with its ending; None where it goes on."""
    last = word[-1]
    if text[at : at + 1] and text[at] in _NOT_BEFORE.get(word, ""):
        return None
    if "\u0621" <= last <= "\u06d3":
        ending = _ARABIC_ENDING.match(text, at)
        return ending.end() if ending else None
    if "가" <= last <= "힣":
        return at if not scale or _HANGUL_ENDING.match(text, at) else None
    if last.isalpha() and re.match(_LETTER, last) and _GOES_ON.match(text, at):
        return None
    return at


def _is_common(word: str, language: str) -> bool:
    """Whether a word is mostly something else: "in" is a word before it is an inch."""
    return word in small_words(language) or word in small_words("en")


# --- scales

_SHORTEST: Final = 3


def _scale_words() -> Iterator[tuple[str, str, int]]:
    """Each word for a scale with its language and its power of ten."""
    for language in _LANGUAGES:
        for word, power in _DATA["scales"][language].items():
            alphabetic = word[0] < "\u0e00"
            short = alphabetic and language != "en" and len(word.rstrip(".")) < _SHORTEST
            few = power < 3 and word not in ("百", "백")
            vague = word[0] in "余餘多数數수" or word in ("京", "경", "십조")
            if not (few or short or vague) and not _is_common(word, language):
                yield language, _plain(word), power


_WHERE: Final[dict[str, frozenset[str]]] = {}
_POWERS: Final[dict[str, dict[int, list[str]]]] = {}
for _language, _word, _power in _scale_words():
    _POWERS.setdefault(_word, {}).setdefault(_power, []).append(_language)

#: The factor of a scale word, in lower case; of one that languages read otherwise, the first one's.
SCALES: Final[dict[str, Decimal]] = {
    word: Decimal(10) ** next(iter(powers)) for word, powers in _POWERS.items()
}
#: Scales that are units in small letters: "5M" is five million, "5m" are metres.
_CAPITALS: Final = re.compile(r"(?:MM|[MBT])(?![A-Za-z0-9²³/])")
_SCALE_WORDS: Final = _Words(word for word in SCALES if word not in ("m", "b", "t", "mm"))

# --- units and currencies


def _meanings(table: str) -> Iterator[tuple[str, str, str]]:
    for language in _LANGUAGES:
        for meaning, words in _DATA[table].get(language, {}).items():
            if meaning:
                yield from (
                    (language, _plain(word), meaning) for word in words if not _is_common(word, language)
                )


def _currency_signs() -> Iterator[tuple[str, str]]:
    for meaning, signs in _DATA["symbols"]["currency"].items():
        yield from ((flatten(sign), meaning) for sign in signs)
    yield from ((code, code) for code in _DATA["symbols"]["currency_codes"])


_SHARED: Final[dict[str, Currencies]] = {
    name: tuple(codes) for name, codes in _DATA["shared_currencies"].items()
}
_SIGNS: Final = dict(_currency_signs())
_MONEY: Final[dict[str, str]] = {}
_UNITS: Final[dict[str, str]] = {"%": "%", "‰": "‰"}
for _table, _words in (("percent", _UNITS), ("units", _UNITS), ("currencies", _MONEY)):
    for _language, _word, _meaning in _meanings(_table):
        _WHERE[_word] = _WHERE.get(_word, frozenset()) | {_language}
        if _word not in _UNITS:
            _words.setdefault(_word, _meaning)
_SIGN_WORDS: Final = sorted(
    (sign for sign in _SIGNS if not sign.isalpha() or len(sign) > 1), key=len, reverse=True
)
#: Signs and codes that stand before a number, in their own letter case.
CURRENCY_BEFORE: Final = rf"(?<![A-Za-zÀ-ӿ])(?-i:{'|'.join(map(re.escape, _SIGN_WORDS))})[ \u2009]?"
#: Words for per cent before a number.
PERCENT_BEFORE: Final = "|".join(f"{word}[ \u2009]?" for word in _DATA["symbols"]["percent_before"])
_UNIT_WORDS: Final = _Words({**_UNITS, **_MONEY})
_BEHIND: Final = _Words(
    sign for sign in _SIGN_WORDS if sign in _DATA["symbols"]["currency_codes"] or _plain(sign) not in _UNITS
)
_LEAD: Final = re.compile(r"(?:of|de|di|do|da)[ \u2009]|d'", re.IGNORECASE)
_CURRENCY_FIRST: Final = re.compile(rf"(?P<cur>{CURRENCY_BEFORE})(?P<scale>.+)")

#: Scale and unit are looked for this many code points to the right.
_LONGEST: Final = 80


@dataclass(frozen=True, slots=True)
class Unit:
    """What a value is given in.

    Attributes:
        scale: the factor; 1 without one.
        name: the canonical unit, the likeliest code of a currency; empty without one.
        currencies: the codes that a currency can be.
        start: where scale or unit begin.
        end: where scale and unit end.
    """

    scale: Decimal = Decimal(1)
    name: str = ""
    currencies: Currencies = ()
    start: int = 0
    end: int = 0


def unit_at(flat: str, at: int) -> Unit:
    """The scale and the unit behind a number that ends at a place of a flattened text."""
    near = flat[at : at + _LONGEST]
    lowered = near.lower() if len(near.lower()) == len(near) else near
    start = _blanks(lowered, 0)
    word, scale_end = _SCALE_WORDS.at(lowered, start, scale=True)
    if word and not _of_language(word, {name for names in _POWERS[word].values() for name in names}, flat):
        word = ""
    if not word and (capitals := _CAPITALS.match(flat, at + start)):
        word, scale_end = capitals[0].lower(), capitals.end() - at
    unit_start = _blanks(lowered, scale_end if word else 0)
    if word and (lead := _LEAD.match(lowered, unit_start)):
        unit_start = lead.end()
    elif lowered.startswith("-", unit_start):
        unit_start += 1
    unit, end = _UNIT_WORDS.at(lowered, unit_start)
    meaning, money = (_UNITS[unit], False) if unit in _UNITS else (_MONEY.get(unit, ""), True)
    sign, sign_end = _BEHIND.at(flat, at + unit_start)
    if sign and sign_end - at >= end:
        unit, end, meaning, money = sign, sign_end - at, _SIGNS[sign], True
    before_next = (
        money and unit and (unit in _SIGNS or unit.upper() in _SIGNS) and _NEXT_NUMBER.match(lowered, end)
    )
    if not unit or before_next or not _of_language(unit, _WHERE.get(unit, ()), flat):
        meaning, money, end = "", False, scale_end if word else 0
    codes = _SHARED.get(meaning, (meaning,)) if money else ()
    return Unit(
        _factor(word, flat) if word else Decimal(1),
        codes[0] if codes else meaning,
        codes,
        at + start,
        at + end,
    )


def _blanks(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    return match.end() if match else at


def _of_language(word: str, languages: Collection[str], text: str) -> bool:
    """Whether a word of some languages can be one of a text: "5 miles" are thousands in Spanish only."""
    if not languages or "en" in languages or not word[0].isalpha() or word[0] > "\u024f":
        return True
    language = language_of("", text)
    return language in languages or (language != "en" and "en" not in _WHERE.get(word, ()))


def _factor(word: str, text: str) -> Decimal:
    """The factor of a scale word; of one that languages read otherwise (``billion``), as the text's does."""
    if len(powers := _POWERS[word]) > 1:
        language = language_of("", text)
        return next((Decimal(10) ** power for power in powers if language in powers[power]), SCALES[word])
    return SCALES[word]


@lru_cache(maxsize=1024)
def currencies_of(written: str) -> Currencies:
    """The codes of the currencies that a sign, a code or a name can be, the likeliest first."""
    bare = written.strip(" \u2009")
    meaning = _SIGNS.get(bare) or _MONEY.get(_plain(bare), "")
    return _SHARED.get(meaning, (meaning,)) if meaning else ()


_KINDS: Final[dict[str, str]] = {
    **{unit: kind for kind, units in _DATA["unit_kinds"].items() for unit in units},
    **dict.fromkeys(chain(_MONEY.values(), _SIGNS.values(), *_SHARED.values()), "money"),
}
_KINDS.pop("BTC")  # no code of ISO 4217: a coin is an asset, with a price in money


def unit_kind(unit: str) -> str:
    """``ratio``, ``money``, ``count``, ``time`` or ``measure``; empty for an unknown unit."""
    return _KINDS.get(unit, "")


def unit_words(unit: str) -> tuple[str, ...]:
    """The words, in lower case, for a canonical unit or a currency."""
    words = [word for word, meaning in _UNITS.items() if meaning == unit]
    words += [
        word
        for word, meaning in (*_MONEY.items(), *_SIGNS.items())
        if unit in _SHARED.get(meaning, (meaning,))
    ]
    return tuple(dict.fromkeys(word.lower() for word in words))


@lru_cache(maxsize=1024)
def read_unit(written: str) -> Unit:
    """Read a unit such as ``亿元``, ``Mio. EUR`` or ``USD millions``; an unknown one keeps its name."""
    flat = flatten(written).strip()
    found = unit_at(flat, 0)
    if found.end == len(flat):
        return found
    if first := _CURRENCY_FIRST.fullmatch(flat):
        word = first["scale"].lower()
        if scale := SCALES.get(word) or SCALES.get(word.removesuffix("s")):
            codes = currencies_of(first["cur"])
            return Unit(scale, codes[0], codes, end=len(flat))
    if codes := currencies_of(flat):
        return Unit(Decimal(1), codes[0], codes, end=len(flat))
    return Unit(name=flat, end=len(flat))


def parse_unit(written: str) -> tuple[Decimal, str]:
    """The scale factor and the canonical unit of a unit as written; see :func:`read_unit`."""
    unit = read_unit(written)
    return unit.scale, unit.name


def may_be_same(one: Currencies, other: Currencies) -> bool:
    """Whether two currencies can be one: ``$`` and CAD can, ``$`` and EUR cannot."""
    return not set(one).isdisjoint(other)


_BRACKETED: Final = re.compile(r"[(（\[]([^()（）\[\]]{1,24})[)）\]]")
_DECLARED: Final = re.compile(
    r"(?:单位|單位|単位|unit|units|einheit|en|in)\s*[:：]?\s*"
    r"([^\s,，;；:：()（）]{1,12}(?: [a-z]{2,12}){0,2})",
    re.IGNORECASE,
)
_UNIT_LEAD: Final = re.compile(r"^(?:单位|単位|unit|in)\s*[:：]?\s*", re.IGNORECASE)
_PARTS: Final = re.compile(r"[,，;；、]|(?<=[a-z]) in ")


def told_units(*texts: str) -> tuple[Unit, ...]:
    """The units that texts declare for the numbers beside them: ``（亿元）``, ``(%)``, ``单位：万人``."""
    found: dict[Unit, None] = {}
    for text in texts:
        inside = [match[1] for match in (*_BRACKETED.finditer(text), *_DECLARED.finditer(text))]
        inside += [part for each in inside for part in _PARTS.split(each)]
        for each in (*inside, text):
            words = _UNIT_LEAD.sub("", each.strip())
            unit = read_unit(words)
            if words and (unit_kind(unit.name) or (unit.scale != 1 and not unit.name)):
                found[Unit(unit.scale, unit.name, unit.currencies)] = None
    return tuple(found)
