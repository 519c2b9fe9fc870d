"""What a number counts: the scale, unit and currency beside it, and how units convert.

Words come from CLDR (:mod:`verifaible.text.cldr`) for the language of the text and English. Behind a number
of a text that is too short to tell its language, the other languages of its script are asked in turn.

A unit is named as CLDR names it (``kilometer``, ``day``, ``megabyte``), as ``%``, ``pp``, ``bp``, ``‰``, or
by its measure word (``家``); a currency by its likeliest ISO 4217 code.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from functools import cache, lru_cache
from typing import Final, TypeVar

from verifaible.text.cldr import Codes, likeliest, tender, words_of
from verifaible.text.flat import flatten
from verifaible.text.language import SCRIPTS, language_of, script_of, small_words
from verifaible.text.unit_words import (
    CAPITALS,
    COUNTS,
    MONEY,
    OF_MONEY,
    PLACES,
    PREFIXED,
    PREFIXED_SYMBOLS,
    PREFIXES,
    RATIOS,
    SCALES,
    SIGNS,
    UNITS,
)

FoundT = TypeVar("FoundT")


@dataclass(frozen=True, slots=True)
class Unit:
    """What a value is given in.

    Attributes:
        scale: the factor; 1 without one.
        name: the unit, or the likeliest code of a currency; empty without one.
        currencies: the codes that a currency can be, the likeliest first.
        start: where scale or unit begin.
        end: where scale and unit end.
    """

    scale: Decimal = Decimal(1)
    name: str = ""
    currencies: Codes = ()
    start: int = 0
    end: int = 0


#: Letters and what else goes on with a word: "m" is no unit in "m²" nor in "m/min".
_GOES_ON: Final = re.compile(r"[^\W_]|[²³\u0300-\u036f\u0900-\u0dff]|/[a-z]", re.IGNORECASE)
_ARABIC_END: Final = re.compile(r"(?:\u0627\u064b?|\u064b\u0627?)?(?![\u0621-\u064b\u066e-\u06d3])")
#: Behind a scale in Hangul stand a unit, a particle or the end: 만기 begins no scale.
_HANGUL_END: Final = re.compile(r"(?=[^가-힣]|[원명건개주대달유엔위파여을를이은는가의에로와과]|\Z)")
#: What begins a longer word instead.
_LONGER: Final = {
    "月": "份",
    "日": "本元圆圓",
    "年": "代",
    "点": "半",
    "位": "于置",
    "份": "额",
    "部": "分门",
}
_BLANKS: Final = re.compile(r"[ \u2009\u2060]*")
#: "1970s" is a decade: seconds stand behind a blank.
_DECADE: Final = re.compile(r"s(?![^\W_])")
#: Scripts whose words no blank parts.
_UNSPACED: Final = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_LEAD: Final = re.compile(r"(?:of|de|di|do|da)[ \u2009]|d'", re.IGNORECASE)
_NEXT_NUMBER: Final = re.compile(r"[ \u2009]?[-−]?\d")
#: Foreign words behind a number of a short text are read from so many letters on: "5 an" is English.
_FOREIGN: Final = 3
_LONGEST: Final = 48


@dataclass(frozen=True, slots=True)
class _Lexicon:
    """The words of a language, in lower case, and its symbols, in their own, with what they mean."""

    scales: dict[str, int]
    units: dict[str, tuple[str, Codes]]
    symbols: dict[str, tuple[str, Codes]]
    lengths: dict[str, tuple[int, ...]]

    def scale(self, text: str, low: str, at: int) -> tuple[int, int]:
        """The power of the scale at a place and where its word ends; 0 where there is none."""
        for length in self.lengths.get(low[at : at + 1], ()):
            word, end = low[at : at + length].replace("\u2009", " "), at + length
            power = self.scales.get(word, 0) or self.scales.get(text[at:end], 0)
            if power and len(word) == length and (ended := _ended(word, text, end, scale=True)) is not None:
                return power, ended
        return 0, at

    def unit(self, text: str, low: str, at: int) -> tuple[tuple[str, Codes], int]:
        """The unit at a place and where its word ends; an empty one where there is none."""
        for length in self.lengths.get(low[at : at + 1], ()):
            word, end = low[at : at + length].replace("\u2009", " "), at + length
            written = text[at:end]
            found = self.symbols.get(written) or self.units.get(word)
            if found and found[1] and written.isupper() and written not in money_signs():
                found = None  # SOL is no Peruvian sol
            if (
                not found and word.isalpha() and length > 1 and written == word.capitalize()
            ):  # "10 Yr", "5 Kg"
                found = self.symbols.get(word)
            if found and len(word) == length and (ended := _ended(word, text, end)) is not None:
                return found, ended
        return ("", ()), at


def _ended(word: str, text: str, at: int, *, scale: bool = False) -> int | None:
    """Where a word that was read up to a place ends, with its case ending; None where it goes on."""
    last, after = word[-1], text[at : at + 1]
    if after and after in _LONGER.get(word, ""):
        return None
    if last in "x×" and _NEXT_NUMBER.match(text, at):
        return None  # 8 x 10
    if "\u0621" <= last <= "\u06d3":
        ending = _ARABIC_END.match(text, at)
        return ending.end() if ending else None
    if "가" <= last <= "힣":
        return at if not scale or _HANGUL_END.match(text, at) else None
    if last.isalpha() and not "\u0e00" <= last <= "\u9fff" and _GOES_ON.match(text, at):
        return None
    return at


@cache
def _lexicon(language: str) -> _Lexicon:
    words = words_of(language)
    common = small_words(language) | small_words("en")

    def kept(word: str) -> bool:
        return len(word) > 1 or not word.isascii()

    scales = {word: power for word, power in words.scales.items() if kept(word) and word not in common}
    units: dict[str, tuple[str, Codes]] = {
        word: (unit, ()) for word, unit in words.units.items() if kept(word) and word not in common
    }
    units |= {word: (codes[0], codes) for word, codes in words.money.items() if word not in common}
    symbols: dict[str, tuple[str, Codes]] = {
        sign: (unit, ()) for sign, unit in words.signs.items() if kept(sign) and sign not in common
    }
    symbols |= {sign: (codes[0], codes) for sign, codes in words.money_signs.items() if kept(sign)}
    symbols = {sign: unit for sign, unit in symbols.items() if sign not in MONEY}
    units |= {word: (codes.split()[0], tuple(codes.split())) for word, codes in MONEY.items()}
    if language == "en":
        scales |= SCALES | CAPITALS
        letters = {
            word: unit
            for word, unit in UNITS.items()
            if word.isascii() and (len(word) == 1 or not word.isalpha())
        }
        units |= {word: (unit, ()) for word, unit in (RATIOS | UNITS).items() if word not in letters}
        symbols |= {word: (unit, ()) for word, unit in letters.items()}
        units |= {word: (unit, ()) for unit, same in COUNTS.items() for word in same.split()}
        symbols |= {sign: (codes[0], codes) for sign, codes in money_signs().items()}
        symbols |= {symbol: (unit, ()) for symbol, unit in PREFIXED_SYMBOLS.items()}
        units |= {word: (unit, ()) for word, unit in PREFIXED.items()}
    units = {flatten(word).replace("\u2009", " "): unit for word, unit in units.items()}
    lengths: dict[str, set[int]] = {}
    for table in (scales, units, symbols):
        for word in table:
            lengths.setdefault(word[0].lower(), set()).add(len(word))
    return _Lexicon(
        scales, units, symbols, {char: tuple(sorted(all_, reverse=True)) for char, all_ in lengths.items()}
    )


@cache
def money_signs() -> dict[str, Codes]:
    """The signs and codes of money in any text, with the codes that each can be.

    A sign of Unicode's block of currency symbols is the money that it is named for: U+20BD RUBLE SIGN.
    """
    money = words_of("en").money
    found: dict[str, Codes] = {code: (code,) for code in tender()}
    for point in (0xA2, 0xA3, 0xE3F, *range(0x20A0, 0x20C2)):
        name = (
            unicodedata.name(chr(point), "").lower().replace(" sign", "").replace("thai currency symbol ", "")
        )
        if codes := money.get(name) or money.get(name.split()[-1] if name else ""):
            found[chr(point)] = codes
    # the Philippines write ₱, Taiwan NT$ or 元
    dollars = (code for code in (*money["dollars"], *money["pesos"]) if code not in ("PHP", "TWD"))
    found |= words_of("en").money_signs | {sign: tuple(codes.split()) for sign, codes in SIGNS.items()}
    return found | {"$": likeliest(dollars), "£": money["pounds"]}


def languages_of(text: str) -> tuple[str, ...]:
    """The languages whose words a text may have, the first surest; English is among them.

    One that is told stands alone with English; else all that write its script.
    """
    told = language_of("", text)
    if told:
        alike = {"zh": ("ja",), "ja": ("zh",)}.get(told, ())
        return tuple(dict.fromkeys((told, *alike, "en")))
    return ("en", *(each for each in SCRIPTS.get(script_of(text), ()) if each != "en"))


def unit_at(flat: str, at: int, languages: tuple[str, ...] = ("en",), *, money: bool = False) -> Unit:
    """The scale and the unit behind a number that ends at a place of a flattened text.

    ``money``: a currency stands before the number, so that "m" is a million.
    """
    text = flat[at : at + _LONGEST]
    low = lowered if len(lowered := text.lower()) == len(text) else text
    start = _skip(low, 0)
    if start >= len(text) or _DECADE.match(text):
        return Unit(start=at + start, end=at)
    if low.startswith("-", start) and low[start + 1 : start + 2].isalpha():
        start += 1  # "$2.5-million"
    power, end = _scale_at(text, low, start, languages, money=money)
    (name, codes), unit_end = _unit_at(text, low, start, languages)
    if not power or unit_end > end:  # 千米 is no thousand of something
        power, end = (power, end) if power and unit_end <= end else (0, start)
    if power or not name:
        behind = _skip(low, end)
        if power and (lead := _LEAD.match(low, behind)):
            behind = lead.end()
        elif low.startswith("-", behind):
            behind += 1
        (name, codes), unit_end = _unit_at(text, low, behind, languages)
    glued = codes and _NEXT_NUMBER.match(text, unit_end) and text[unit_end - 1 : unit_end] in _glued()
    if glued or (low.startswith("-%", start) and text[unit_end : unit_end + 1].isdigit()):
        name, codes = "", ()  # it stands before the next number
    if not name:
        unit_end = end if power else 0
    return Unit(Decimal(10) ** power, name, codes, at + start, at + unit_end)


@cache
def _glued() -> frozenset[str]:
    return frozenset(sign[-1] for sign in money_signs())


def _skip(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    return match.end() if match else at


def _scale_at(text: str, low: str, at: int, languages: tuple[str, ...], *, money: bool) -> tuple[int, int]:
    if money and (match := re.match(r"(?:mm|[kmbt])(?![^\W_]|[²³/])", low[at:])):
        return OF_MONEY[match[0]], at + match.end()
    return _known(
        lambda words: words.scale(text, low, at), 0, at, languages, foreign=not low[at : at + 1].isascii()
    )


def _known(
    read: Callable[[_Lexicon], tuple[FoundT, int]],
    nothing: FoundT,
    at: int,
    languages: tuple[str, ...],
    *,
    foreign: bool,
) -> tuple[FoundT, int]:
    """The longest of what languages know; those after English are asked only where nobody knew.

    ``foreign``: a short word counts in any language, since it is in its script.
    """
    best, end = nothing, at
    for number, language in enumerate(languages):
        found, until = read(_lexicon(language))
        sure = number == 0 or language == "en" or until - at >= _FOREIGN or foreign
        if until > end and sure:
            best, end = found, until
        if end > at and "en" in languages[: number + 1]:
            break
    return best, end


def _unit_at(text: str, low: str, at: int, languages: tuple[str, ...]) -> tuple[tuple[str, Codes], int]:
    foreign = not low[at : at + 1].isascii()
    return _known(lambda words: words.unit(text, low, at), ("", ()), at, languages, foreign=foreign)


def currency_before(flat: str, at: int) -> tuple[Codes, int]:
    """The currency whose sign or code ends at a place, with a blank at most, and where it begins."""
    end = at - 1 if flat[at - 1 : at] in (" ", "\u2009") else at
    signs = money_signs()
    for length in range(min(4, end), 0, -1):
        sign = flat[end - length : end]
        before = flat[end - length - 1 : end - length] if end > length else ""
        if sign in signs and not (sign[0].isalpha() and before.isalpha() and not _UNSPACED.match(before)):
            return signs[sign], end - length
    return (), at


# --- units on their own


@lru_cache(maxsize=1024)
def read_unit(written: str) -> Unit:
    """Read a unit such as ``亿元``, ``Mio. EUR`` or ``USD millions``; an unknown one keeps its name."""
    flat = flatten(written).strip()
    languages = languages_of(flat)
    found = unit_at(flat, 0, languages)
    if found.end == len(flat):
        return found
    for end in range(min(5, len(flat)), 0, -1):
        codes, start = currency_before(flat, end)
        if codes and start == 0:
            behind = unit_at(flat, end, languages, money=True)
            if behind.end == len(flat) and not behind.name:
                return Unit(behind.scale, codes[0], codes, end=len(flat))
            if end == len(flat):
                return Unit(Decimal(1), codes[0], codes, end=len(flat))
    return Unit(name=flat, end=len(flat))


def unit_kind(unit: str) -> str:
    """``ratio``, ``money``, ``count``, ``time`` or ``measure``; empty for an unknown unit."""
    if unit in ("%", "‰", "pp", "bp"):
        return "ratio"
    if unit in COUNTS:
        return "time" if unit == "岁" else "count"
    if unit in tender() or unit in ("cent", "penny"):
        return "money"
    if PLACES.get(unit, (2,))[0] < 2:
        return "time"
    return "measure" if unit in _measures() or _dimension(unit) else ""


@cache
def _measures() -> frozenset[str]:
    words = words_of("en")
    return frozenset((*words.units.values(), *words.signs.values(), *UNITS.values()))


def may_be_same(one: Collection[str], other: Collection[str]) -> bool:
    """Whether two currencies can be one: ``$`` and CAD can, ``$`` and EUR cannot."""
    return not set(one).isdisjoint(other)


def factor(source: str, target: str) -> Decimal | None:
    """What a value in ``source`` is multiplied by to be in ``target``; None: no fixed factor is known."""
    if source == target:
        return Decimal(1)
    if {source, target} == {"bp", "%"}:
        return Decimal("0.01") if source == "bp" else Decimal(100)
    here, there = _dimension(source), _dimension(target)
    if not here or not there or here[0] != there[0]:
        return None
    with localcontext(Context(prec=34)):
        return here[1] / there[1]


@cache
def _dimension(unit: str) -> tuple[int, Decimal] | None:
    """The dimension of a unit and its factor there, by its SI prefix where it has one."""
    if unit in PLACES:
        return PLACES[unit]
    for prefix, power in PREFIXES.items():
        if unit.startswith(prefix) and (base := unit.removeprefix(prefix)) in PLACES:
            number, per = PLACES[base]
            return number, per.scaleb(power)
    return None


_BRACKETED: Final = re.compile(r"[(（\[]([^()（）\[\]]{1,24})[)）\]]")
_DECLARED: Final = re.compile(
    r"(?:单位|單位|単位|\b(?:units?|einheit|en|in)\b)\s*[:：]?\s*"
    r"([^\s,，;；:：()（）]{1,12}(?: [a-z]{2,12}){0,2})",
    re.IGNORECASE,
)
_UNIT_LEAD: Final = re.compile(r"^(?:单位|単位|unit|in)\s*[:：]?\s*", re.IGNORECASE)
_PARTS: Final = re.compile(r"[,，;；、]|(?<=[a-z]) in ")


def told_units(*texts: str) -> tuple[Unit, ...]:
    """The units that heads and captions declare for the numbers under them: ``(%)``, ``单位：万人``."""
    found: dict[Unit, None] = {}
    for text in texts:
        inside = [match[1] for match in (*_BRACKETED.finditer(text), *_DECLARED.finditer(text))]
        for each in (*(part for one in inside for part in (one, *_PARTS.split(one))), text):
            words = _UNIT_LEAD.sub("", each.strip())
            unit = read_unit(words) if words else Unit()
            if unit_kind(unit.name) or (unit.scale != 1 and not unit.name):
                found[Unit(unit.scale, unit.name, unit.currencies)] = None
    return tuple(found)
