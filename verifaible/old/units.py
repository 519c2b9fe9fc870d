"""Scales, units and currencies as :mod:`verifaible.text.units` reads them, by the names of the first edition.

Judging, answers and graphs know measures by their Chinese names (``千米``), until each moves to CLDR's.
"""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Context, Decimal, localcontext
from functools import lru_cache
from typing import Final, TypeAlias

from verifaible.text import units as text_units
from verifaible.text.cldr import Codes, words_of
from verifaible.text.unit_words import CAPITALS, COUNTS, MONEY
from verifaible.text.unit_words import SCALES as MORE_SCALES
from verifaible.text.units import Unit, languages_of, money_signs

#: The codes a currency can be, the likeliest first; none where there is no currency.
Currencies: TypeAlias = Codes

_NAMES: Final = {
    **{
        "day": "天",
        "week": "周",
        "month": "月",
        "year": "年",
        "hour": "小时",
        "minute": "分钟",
        "second": "秒",
    },
    **{"kilometer": "千米", "meter": "米", "centimeter": "厘米", "millimeter": "毫米", "foot": "英尺"},
    **{"mile": "英里", "inch": "英寸", "kilogram": "千克", "gram": "克", "tonne": "吨", "ton": "吨"},
    **{"square-meter": "平方米", "square-kilometer": "平方千米", "hectare": "公顷", "acre": "英亩"},
    **{"liter": "升", "knot": "节", "celsius": "°C", "fahrenheit": "°F", "kilowatt": "千瓦", "times": "倍"},
    **{"meter-per-second": "米/秒", "centimeter-per-second": "厘米/秒", "kilometer-per-hour": "千米/小时"},
}
#: A coin is an asset with a price in money: its ticker behind a number is read by judging itself.
COINS: Final = ("BTC", "ETH", "satoshi", "gwei", "wei")
_CLDR: Final = {name: unit for unit, name in _NAMES.items()}
#: Languages whose scales are words that heads and captions have.
_LANGUAGES: Final = ("en", "zh", "de", "fr", "es", "it", "pt", "ja", "ko")
#: The factor of a scale word, in lower case; of one that languages read otherwise, the first one's.
SCALES: Final[dict[str, Decimal]] = {
    word.lower(): Decimal(10) ** power
    for scales in (
        *(words_of(language).scales for language in reversed(_LANGUAGES)),
        CAPITALS,
        MORE_SCALES,
    )
    for word, power in scales.items()
    if power > 2 or word in "百"
}
#: Signs and codes that stand before a number, in their own letter case.
CURRENCY_BEFORE: Final = (
    "(?<![A-Za-zÀ-ӿ])(?-i:"
    + "|".join(sorted(map(re.escape, money_signs()), key=len, reverse=True))
    + r")[ \u2009]?"
)


def named(unit: str) -> str | None:
    """The name of a unit here; None for one that is unknown here."""
    known = unit in COUNTS or unit_kind(unit) in ("ratio", "money") or not unit
    return _NAMES.get(unit, unit if known and unit not in COINS else None)


def unit_at(flat: str, at: int) -> Unit:
    """The scale and the unit behind a number that ends at a place of a flattened text."""
    unit = text_units.unit_at(flat, at, languages_of(flat))
    name = named(unit.name)
    if name is not None:
        return replace(unit, name=name)
    end = at if unit.scale == 1 else unit.start + len(first_word(flat[unit.start : unit.end]))
    return replace(unit, name="", currencies=(), end=end)


def first_word(text: str) -> str:
    """The word that a text begins with: the scale before a unit."""
    return re.split(r"[ \u2009]", text, maxsplit=1)[0]


@lru_cache(maxsize=1024)
def read_unit(written: str) -> Unit:
    """Read a unit such as ``亿元``, ``Mio. EUR`` or ``USD millions``; an unknown one keeps its name."""
    unit = text_units.read_unit(written)
    return replace(unit, name=_NAMES.get(unit.name, unit.name))


def told_units(*texts: str) -> tuple[Unit, ...]:
    """The units that texts declare for the numbers beside them: ``（亿元）``, ``(%)``, ``单位：万人``."""
    told = text_units.told_units(*texts)
    return tuple(replace(each, name=_NAMES.get(each.name, each.name)) for each in told)


def unit_kind(unit: str) -> str:
    """``ratio``, ``money``, ``count``, ``time`` or ``measure``; empty for an unknown unit."""
    return text_units.unit_kind(_CLDR.get(unit, unit)) if unit not in COINS else ""


@lru_cache(maxsize=1024)
def currencies_of(written: str) -> Currencies:
    """The codes of the currencies that a sign, a code or a name can be, the likeliest first."""
    bare = written.strip(" \u2009")
    return money_signs().get(bare) or text_units.read_unit(bare).currencies


def unit_words(unit: str) -> tuple[str, ...]:
    """The words, in lower case, for a unit or a currency."""
    known = words_of("en")
    tables: tuple[dict[str, Codes], ...] = (money_signs(), known.money, known.money_signs)
    words = [word for table in tables for word, codes in table.items() if unit in codes]
    words += [word for word, codes in MONEY.items() if unit in codes.split()]
    names = {unit, _CLDR.get(unit, unit)}
    words += [word for table in (known.units, known.signs) for word, name in table.items() if name in names]
    return tuple(dict.fromkeys(word.lower() for word in words))


# --- fixed factors between units of one dimension

#: Quotients are kept to this many digits; the longest figures of accounts have sixteen.
_DIGITS: Final = 34
#: Units of one dimension, each with its factor to the first; dimensions are kept apart.
#: SI brochure (2019) for measures, the international yard and pound agreement (1959) for miles, feet and
#: pounds; 1 ETH = 10^9 gwei = 10^18 wei (Ethereum yellow paper), 1 BTC = 10^8 satoshi.
_DIMENSIONS: Final[tuple[dict[str, str], ...]] = (
    {"秒": "1", "毫秒": "0.001", "分钟": "60", "小时": "3600", "天": "86400", "周": "604800"},
    {"月": "1", "年": "12", "季度": "3"},
    {"%": "1", "pp": "1", "bp": "0.01", "‰": "0.1"},
    {"ETH": "1", "gwei": "1e-9", "wei": "1e-18"},
    {"BTC": "1", "sat": "1e-8"},
    {
        **{"米": "1", "千米": "1000", "厘米": "0.01", "毫米": "0.001", "英尺": "0.3048"},
        **{"英里": "1609.344", "英寸": "0.0254", "yards": "0.9144"},
    },
    {"千克": "1", "吨": "1000", "克": "0.001", "pounds": "0.45359237"},
    {"H/s": "1", "TH/s": "1e12", "PH/s": "1e15", "EH/s": "1e18", "ZH/s": "1e21"},
    {"Wh": "1", "kWh": "1e3", "MWh": "1e6", "GWh": "1e9", "TWh": "1e12"},
    {"W": "1", "千瓦": "1e3", "MW": "1e6", "GW": "1e9"},
    {"B": "1", "KB": "1e3", "MB": "1e6", "GB": "1e9", "TB": "1e12"},
)
_PLACE: Final = {
    unit: (number, Decimal(factor))
    for number, dimension in enumerate(_DIMENSIONS)
    for unit, factor in dimension.items()
}


def factor_of(source: str, target: str) -> Decimal | None:
    """What a value in ``source`` is multiplied by to stand in ``target``; None: no fixed factor is known."""
    if source == target:
        return Decimal(1)
    here, there = _PLACE.get(source), _PLACE.get(target)
    if not here or not there or here[0] != there[0]:
        return None
    with localcontext(Context(prec=_DIGITS)):
        return here[1] / there[1]
