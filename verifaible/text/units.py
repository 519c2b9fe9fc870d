"""What a number counts: the scale, unit and currency beside it, and how units convert.

Words come from CLDR (:mod:`verifaible.text.cldr`) for the language of the text and English, and where it has
none from ``words.toml``. Behind a number of a text that is too short to tell its language, the other
languages of its script are asked in turn.

A unit is named as CLDR names it (``kilometer``, ``day``, ``megabyte``), as ``%``, ``pp``, ``bp``, ``‰``, or
by its measure word (``家``); a currency by its likeliest ISO 4217 code.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from functools import cache, lru_cache
from typing import Final, TypeAlias

from verifaible.text.cldr import Codes, likeliest, tender, words_of
from verifaible.text.flat import flatten
from verifaible.text.language import SCRIPTS, language_of, script_of, small_words
from verifaible.text.words import DATA, by_word, powers


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


# --- words

#: The power of ten of a scale; the name of a unit, and the codes of a currency.
_Meaning: TypeAlias = tuple[int, str, Codes]
_NOTHING: Final[_Meaning] = (0, "", ())
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
#: Behind a sum of money, small letters are scales too: ``£5m``.
_OF_MONEY: Final = re.compile(r"(?:mm|[kmbt])(?![^\W_]|[²³/])")
#: Foreign words behind a number of a short text are read from so many letters on: "5 an" is English.
_FOREIGN: Final = 3
_LONGEST: Final = 48


@dataclass(frozen=True, slots=True)
class _Lexicon:
    """The words of a language, in lower case, and its symbols, in their own, with what they mean."""

    scales: Mapping[str, int]
    units: Mapping[str, tuple[str, Codes]]
    symbols: Mapping[str, tuple[str, Codes]]
    lengths: Mapping[str, tuple[int, ...]]

    def read(self, text: str, low: str, at: int, *, scale: bool) -> tuple[_Meaning, int]:
        """The scale or the unit at a place and where its word ends; nothing where there is none."""
        for length in self.lengths.get(low[at : at + 1], ()):
            word, written = low[at : at + length].replace("\u2009", " "), text[at : at + length]
            found = self._scale(word, written) if scale else self._unit(word, written)
            if found and len(word) == length:
                end = _ended(word, text, at + length, scale=scale)
                if end is not None:
                    return found, end
        return _NOTHING, at

    def _scale(self, word: str, written: str) -> _Meaning | None:
        power = self.scales.get(word) or self.scales.get(written)
        return (power, "", ()) if power else None

    def _unit(self, word: str, written: str) -> _Meaning | None:
        found = self.symbols.get(written) or self.units.get(word)
        if found and found[1] and written.isupper() and written not in money_signs():
            found = None  # SOL is no Peruvian sol
        if not found and len(word) > 1 and word.isalpha() and written == word.capitalize():
            found = self.symbols.get(word)  # "10 Yr", "5 Kg"
        return (0, *found) if found else None


def _ended(word: str, text: str, at: int, *, scale: bool) -> int | None:
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
    words, common = words_of(language), small_words(language) | small_words("en")
    money = {word: tuple(codes.split()) for word, codes in by_word("money").items()}

    def is_kept(word: str) -> bool:
        """Single letters are symbols of nothing in running text, and some words mean something else."""
        return word not in common and (len(word) > 1 or not word.isascii())

    scales = {word: power for word, power in words.scales.items() if is_kept(word)}
    units: dict[str, tuple[str, Codes]] = {w: (unit, ()) for w, unit in words.units.items() if is_kept(w)}
    units |= {w: (codes[0], codes) for w, codes in words.money.items() if w not in common}
    units |= {word: (codes[0], codes) for word, codes in money.items()}
    symbols: dict[str, tuple[str, Codes]] = {s: (unit, ()) for s, unit in words.signs.items() if is_kept(s)}
    symbols |= {s: (codes[0], codes) for s, codes in words.money_signs.items() if is_kept(s)}
    symbols = {sign: unit for sign, unit in symbols.items() if sign not in money}
    if language == "en":
        scales |= powers("scales") | powers("capitals")
        written = by_word("units")
        letters = {word for word in written if word.isascii() and (len(word) == 1 or not word.isalpha())}
        for word, unit in (by_word("ratios") | written | _counts() | _prefixed("words")).items():
            (symbols if word in letters else units)[word] = (unit, ())
        symbols |= {sign: (codes[0], codes) for sign, codes in money_signs().items()}
        symbols |= {symbol: (unit, ()) for symbol, unit in _prefixed("symbols").items()}
    units = {flatten(word).replace("\u2009", " "): unit for word, unit in units.items()}
    lengths: dict[str, set[int]] = {}
    for word in (*scales, *units, *symbols):
        lengths.setdefault(word[0].lower(), set()).add(len(word))
    ordered = {char: tuple(sorted(found, reverse=True)) for char, found in lengths.items()}
    return _Lexicon(scales, units, symbols, ordered)


@cache
def _counts() -> dict[str, str]:
    """Measure words, and the words that mean the same."""
    return {word: word for word in DATA["measure_words"].split()} | by_word("counts")


def _prefixed(kind: str) -> dict[str, str]:
    """Measures with and without their prefixes, in symbols or in words."""
    measures = by_word(f"prefixed_{kind}")
    prefixes = by_word("prefix_letters") if kind == "symbols" else {each: each for each in DATA["prefixes"]}
    found = {
        letter + word: prefix + unit for letter, prefix in prefixes.items() for word, unit in measures.items()
    }
    if kind == "symbols":  # "B" and "b" alone are no bytes and bits
        found |= {letter + "H": prefixes[letter] + "hash-per-second" for letter in "EPZ"}
        found |= {symbol: unit for symbol, unit in measures.items() if symbol in ("Wh", "W", "Hz", "H/s")}
    return found


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
    found |= words_of("en").money_signs
    found |= {sign: tuple(codes.split()) for sign, codes in by_word("money_signs").items()}
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


# --- beside a number


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
    (_, name, codes), unit_end = _read(text, low, start, languages)
    if money and (short := _OF_MONEY.match(low, start)):
        power, end = powers("capitals")[short[0].upper()], short.end()
    else:
        (power, _, _), end = _read(text, low, start, languages, scale=True)
    if unit_end > end:
        power, end = 0, start  # 千米 is no thousand of something
    if power or not name:
        behind = _skip(low, end)
        if power and (lead := _LEAD.match(low, behind)):
            behind = lead.end()
        elif low.startswith("-", behind):
            behind += 1
        (_, name, codes), unit_end = _read(text, low, behind, languages)
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


def _read(
    text: str, low: str, at: int, languages: tuple[str, ...], *, scale: bool = False
) -> tuple[_Meaning, int]:
    """The longest word that languages know; those after English are asked only where nobody knew.

    A short word of a language that the text only may be in counts in a script of its own.
    """
    best, end = _NOTHING, at
    for number, language in enumerate(languages):
        found, until = _lexicon(language).read(text, low, at, scale=scale)
        sure = number == 0 or language == "en" or until - at >= _FOREIGN or not low[at : at + 1].isascii()
        if until > end and sure:
            best, end = found, until
        if end > at and "en" in languages[: number + 1]:
            break
    return best, end


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
            if end == len(flat) or (behind.end == len(flat) and not behind.name):
                return Unit(behind.scale, codes[0], codes, end=len(flat))
    return Unit(name=flat, end=len(flat))


def unit_kind(unit: str) -> str:
    """``ratio``, ``money``, ``count``, ``time`` or ``measure``; empty for an unknown unit."""
    if unit in ("%", "‰", "pp", "bp"):
        return "ratio"
    if unit in tender() or unit in ("cent", "penny"):
        return "money"
    dimension = _dimension(unit)
    if unit == "岁" or (dimension and "month" in DATA["dimensions"][dimension[0]]):
        return "time"
    if dimension and "second" in DATA["dimensions"][dimension[0]]:
        return "time"
    if unit in _counts().values():
        return "count"
    return "measure" if dimension or unit in _measures() else ""


@cache
def _measures() -> frozenset[str]:
    words = words_of("en")
    return frozenset((*words.units.values(), *words.signs.values(), *DATA["units"]))


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
    """The number of a unit's dimension and its factor there, by its SI prefix where it has one."""
    for number, units in enumerate(DATA["dimensions"]):
        if unit in units:
            return number, Decimal(units[unit])
    for prefix, power in DATA["prefixes"].items():
        if unit.startswith(prefix) and (base := _dimension(unit.removeprefix(prefix))):
            return base[0], base[1].scaleb(power)
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
