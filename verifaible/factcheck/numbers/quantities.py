"""Numbers with their units, as claims and sources write them, and whether one states the other.

On top of :mod:`verifaible.old.numbers`: the last place shown, limits ("over", "nearly"),
approximations, currencies with a country's letter, tickers as units, and multiples ("3x").
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import ROUND_DOWN, Decimal
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from verifaible.factcheck.numbers.beside import as_ranges, is_sure, told_beside
from verifaible.factcheck.numbers.measures import factor, measure_at, near_in_kind
from verifaible.factcheck.numbers.written import Written, masked, written
from verifaible.old.numbers import NumberMention, find_numbers
from verifaible.old.units import Currencies, read_unit, told_units, unit_at, unit_kind
from verifaible.text.flat import flatten
from verifaible.text.lists import has_any, words_of
from verifaible.text.qualifiers import is_about, limit_of, rises
from verifaible.text.units import Unit, may_be_same

#: ``same`` the source states it; ``open`` neither stated nor denied (coarser, cut off, a limit, another unit
#: that is not told); ``other`` another value.
Likeness: TypeAlias = Literal["same", "open", "other"]

_DIGIT: Final = re.compile(r"\d")
_TIMES: Final = re.compile(r"(?<=\d)(?:[x×X](?![\w×])|(?:-| )?fold\b)")
#: "$5MM" is five million, as bankers write it.
_MILLIONS: Final = re.compile(r"(?<=\d)MM\b")
_TICKER_AFTER: Final = re.compile(r"[ \u00a0]?\$?(?P<t>[A-Z][A-Z0-9]{1,9}|stETH|wstETH|cbBTC)(?![\w/-]|'s\b)")
#: Capitals behind a number that name what is counted or measured, not a coin.
NOT_TICKERS: Final = words_of(
    """
    TVL APY APR RSI TPS ATH ATL FDV USD US EU UK AI API ETF ETFS DEX CEX NFT NFTS DAO DAOS EMA SMA MA MACD
    MM BN YOY QOQ MOM YTD ROI AUM CPI GDP FOMC SEC KYC VC TH ST ND RD AM PM UTC EST EDT GMT CEO IPO L1 L2
    TGE OI MC DEFI LP LPS PNL PPS GB MB KB TB EH PH GPU GPUS CPU MW GW KW
    """
)
_GENERIC: Final = frozenset(("", "个", "枚", "只", "次", "件", "项", "家", "条", "名", "人", "笔", "股"))
_TOKENS_AFTER: Final = re.compile(r"\s?(?:tokens?|coins?)\b", re.IGNORECASE)

#: A head in which stands the scale of what follows: "(USD millions)", "($M)", "（亿元）", "单位：亿元".
_HEAD: Final = re.compile(
    r"[(（\[](?P<told>[^()（）\[\]\d]{1,28})[)）\]][^\d\n()|]{0,6}\Z|(?:单位"
    r"|unit)s?\s*[:：]\s*(?P<plain>\S{1,8})\s+\Z",
    re.IGNORECASE,
)

#: A sum in brackets, behind its currency or before its scale, is less than nothing, as accounts write it.
_BRACKETED: Final = re.compile(r"(US\$|HK\$|[$€£¥])\s?\(\Z", re.IGNORECASE)
_OPENED: Final = re.compile(r"(?<![\w)])\((?:US\$|HK\$|[$€£¥])?\Z", re.IGNORECASE)
#: A number of more digits is no amount of anything, and would be rounded in reckoning.
_MOST_DIGITS: Final = 28
#: "About" leaves open at most this share of a value.
_ABOUT_SHARE: Final = Decimal("0.03")

#: A share in words is stated by one in digits that shows at least whole per cents.
_WORDED_HALF: Final = Decimal("0.5")

#: Within this share of it nothing contradicts "about".
_OPEN_SHARE: Final = Decimal("0.1")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of a text: value scaled and in its canonical unit, and how it is said.

    Attributes:
        half: half a unit of the last place shown.
        limit: ``>``, ``>=``, ``<``, ``<=`` or ``~<`` (nearly); empty where it is said as it is.
        about: said as an approximation.
        basis: written in basis points; ``value`` and ``unit`` are then in percentage points.
        signed: whether a sign or a direction word gives its sign.
        worded: a share in words ("two-thirds"), of which the words leave open how exact it is.
        sure: whether it can be read in one way only; ``1.234`` beside ``0,75`` cannot.
        currencies: the codes that its currency can be, as a mention has them.
        told: what the words beside it fix: ``APY``, ``APR``, ``in`` or ``out`` (of a flow); or which end of a
            range it is, ``low`` or ``high``.
    """

    mention: NumberMention
    value: Decimal
    unit: str
    half: Decimal
    start: int
    end: int
    limit: str = ""
    about: bool = False
    basis: bool = False
    signed: bool = False
    worded: bool = False
    sure: bool = True
    currencies: Currencies = ()
    told: str = ""

    @property
    def loose(self) -> Decimal:
        """What is left open beyond rounding: noughts that fill a whole number; more behind "about"."""
        step = self.half * 2
        if self.value == 0 or step == 0:
            return step
        digits = self.value / step
        while _places(self.mention) == 0 and digits % 10 == 0:
            digits /= 10
            step *= 10
        if self.about:
            return max(self.half, min(step, abs(self.value) * _ABOUT_SHARE))
        return step / 2


@lru_cache(maxsize=1024)
def quantities(text: str) -> tuple[Quantity, ...]:
    """The numbers of a text that are values or ends of ranges, in order."""
    odd = written(text)
    if not odd and not _DIGIT.search(text) and not has_any(text.lower(), _SPELLED):
        return ()
    ready = _TIMES.sub(lambda match: "倍".ljust(len(match[0])), masked(text, odd))
    ready = _MILLIONS.sub("M ", ready) if "MM" in ready else ready
    flat = flatten(ready)
    mentions = as_ranges(flat, [_restored(each, odd, text) for each in find_numbers(ready)])
    spans = {each.end: each for each in odd}
    found = []
    for mention in mentions:
        if mention.role in ("value", "range") and not _ZERO_OF_A_WORD.match(flat, mention.start):
            way = next((spans[at] for at in spans if mention.start < at <= mention.end), None)
            if way or len(mention.value.as_tuple().digits) <= _MOST_DIGITS:
                found.append(_quantity(text, flat, mention, way))
    return tuple(_with_ends(found))


def _with_ends(found: list[Quantity]) -> list[Quantity]:
    """Say of both ends of each range which one it is."""
    low = True
    for at, each in enumerate(found):
        if each.mention.role == "range":
            found[at] = replace(each, told="low" if low else "high")
            low = not low
    return found


def _restored(mention: NumberMention, odd: tuple[Written, ...], text: str) -> NumberMention:
    """A number with the value that it has in the text, where a mask stood for it."""
    for way in odd:
        if way.start < mention.end and mention.start < way.end:
            value = -way.value if mention.value < 0 else way.value
            return replace(mention, value=value, raw=text[mention.start : mention.end])
    return mention


_ZERO_OF_A_WORD: Final = re.compile(r"zero-[a-z]", re.IGNORECASE)
#: Parts of numbers in words, in lower case.
_SPELLED: Final = (
    *("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "half"),
    *("teen", "ty", "hundred", "thousand", "million", "billion", "trillion", "zero"),
    *"零一二两三四五六七八九十百千万亿½¼¾⅓⅔",
)


def _quantity(text: str, flat: str, mention: NumberMention, way: Written | None) -> Quantity:
    start, (mention, unit, end) = mention.start, _measured(text, flat, mention)
    value, scale, half = mention.scaled_value, mention.scale, _half(mention)
    before, after = flat[max(0, start - 28) : start], flat[end : end + 24]
    bracketed, unit, end = _in_brackets(flat, mention, unit, end)
    if bracketed != 1:
        value, half = -abs(value) * abs(bracketed), half * abs(bracketed)
    sign = "" if bracketed == 1 else "-"
    if way and way.kind != "number":
        unit, half = ("%" if way.kind == "share" else "第"), Decimal(0)
    basis = unit == "bp"
    if basis:
        value, half, unit = value / 100, half / 100, "pp"
    elif unit == "‰":
        value, half, unit = value / 10, half / 10, "%"
    elif (
        unit in ("", "USD", "%")
        and scale == 1
        and (head := _HEAD.search(flat[max(0, mention.start - 40) : mention.start]))
    ):
        told_scale, told_unit = told_unit_of(head["told"] or head["plain"])
        if not unit or unit == told_unit:
            value, half, unit = value * told_scale, half * told_scale, told_unit or unit
    after = flat[end : end + 24]
    limit = limit_of(before, after)
    return Quantity(
        mention,
        value,
        unit,
        half,
        start,
        end,
        limit=limit,
        about=not limit and is_about(before, after),
        basis=basis,
        signed=bool(mention.sign_source or sign) or rises(before, after),
        worded=way is not None and way.kind == "share",
        sure=way is not None or is_sure(flat, mention, text),
        currencies=mention.currencies if unit in mention.currencies else read_unit(unit).currencies,
        told=told_beside(before, flat[end : end + 40]),
    )


def _measured(text: str, flat: str, mention: NumberMention) -> tuple[NumberMention, str, int]:
    """A number with its scale and value mended, its unit, and where it ends."""
    end, unit = mention.end, mention.unit
    if text.startswith("MM", end - 1):
        end += 1
    if not unit and text[end - 1 : end] == "兆" and (mega := measure_at(text, end - 1)):
        return replace(mention, scale=mega.factor), mega.unit, mega.end
    if unit == "千瓦" and (hours := re.match(r"时|小时|[ -]?hours?\b", flat[end : end + 6])):
        return replace(mention, scale=mention.scale * 1000), "Wh", end + hours.end()
    measure = measure_at(text, end - len(mention.unit_raw) if unit else end) if unit in ("", "笔") else None
    if measure and (not unit or measure.unit == "笔/秒"):
        return replace(mention, scale=mention.scale * measure.factor), measure.unit, measure.end
    return (mention, *((unit, end) if unit else _coin(text, end)))


def _coin(text: str, end: int) -> tuple[str, int]:
    """The ticker behind a number without a unit, and where both end."""
    if (ticker := _TICKER_AFTER.match(text, end)) and ticker["t"].upper() not in NOT_TICKERS:
        return ticker["t"].upper(), ticker.end()
    tokens = _TOKENS_AFTER.match(text, end)
    return ("枚", tokens.end()) if tokens else ("", end)


def _in_brackets(flat: str, mention: NumberMention, unit: str, end: int) -> tuple[Decimal, str, int]:
    """The scale behind an account's brackets, less than nothing, with unit and end; 1 where there are none.

    ``$(1,585.4)``, ``$(214) million``, ``($214) million``.
    """
    if not flat.startswith(")", mention.end) or mention.sign_source or mention.scale != 1:
        return Decimal(1), unit, end
    before = flat[max(0, mention.start - 5) : mention.start]
    behind = unit_at(flat, mention.end + 1)
    scale = behind.scale
    if sign := _BRACKETED.search(before):
        money = read_unit(sign[1]).name
        if unit in ("", money):
            return -scale, money, behind.end if scale != 1 else end
    if scale != 1 and (unit or len(mention.raw) > 2) and _OPENED.search(before):
        return -scale, unit or behind.name, behind.end
    return Decimal(1), unit, end


def _half(mention: NumberMention) -> Decimal:
    return Decimal("0.5").scaleb(_places(mention)) * mention.scale


def _places(mention: NumberMention) -> int:
    """The exponent of the last place shown: 0 of a whole number, -2 of 36.36."""
    exponent = mention.value.as_tuple().exponent
    return exponent if isinstance(exponent, int) and exponent < 0 else 0


@lru_cache(maxsize=1024)
def told_unit_of(head: str) -> tuple[Decimal, str]:
    """The scale and unit that a head gives the numbers under it; 1 and empty where it gives none."""
    words = flatten(head).strip().removeprefix("in ").strip()
    unit = next(iter((*told_units(words), Unit())))
    return unit.scale, unit.name


def units_agree(claimed: str, stated: str, *, basis: bool = False) -> bool:
    """Whether a number in one unit can be one in the other. ``basis``: one of them is in basis points."""
    if claimed == stated or (basis and {claimed, stated} <= {"pp", "%"}):
        return True
    if claimed in _GENERIC and stated in _GENERIC:
        return not (claimed and stated) or bool({"个", "枚"} & {claimed, stated})
    one, other = sorted((claimed, stated))
    if one == "" or one in ("枚", "个"):
        return _is_ticker(other)
    if other in ("枚", "个"):
        return _is_ticker(one)
    return False


def _is_ticker(unit: str) -> bool:
    return (
        unit.isascii()
        and unit.isupper()
        and unit.isalnum()
        and unit_kind(unit) != "money"
        and unit not in _SIGNS
    )


#: Signs of units in capitals that are no tickers.
_SIGNS: Final = frozenset(("W", "B"))


def units_may_agree(
    claimed: str, stated: str, *, currencies: tuple[Currencies, Currencies] = ((), ())
) -> bool:
    """Whether it cannot be told that a number in one unit is none in the other.

    One of them tells none, and the other no time and no count; or both may be of one thing (a dollar and a
    coin worth one), or have a sign that several currencies have (``currencies``).
    """
    if near_in_kind(claimed, stated):
        return True
    if not claimed or not stated:
        return unit_kind(claimed or stated) not in ("time", "count")
    return may_be_same(*currencies)


def liken_as(
    claimed: Quantity, unit: str, value: Decimal, half: Decimal, *, stated: Quantity | None = None
) -> Likeness:
    """Whether a source's value states the number of a claim, by the digits that the claim shows.

    ``unit``: of the value, as what stands around it tells; ``stated``: the number as it is written.
    """
    limit, basis, sure = (stated.limit, stated.basis, stated.sure) if stated else ("", False, True)
    told = {claimed.told, stated.told if stated else ""}
    if told == {"APY", "APR"}:
        return "other"
    if told == {"in", "out"} or ("out" in told and len(told) > 1 and claimed.value * value < 0):
        value = -value
    if told == {"low", "high"} or not (sure and claimed.sure):
        return "open"
    if units_agree(claimed.unit, unit, basis=claimed.basis or basis):
        return liken_values(claimed, value, half, limit)
    if scale := factor(unit, claimed.unit):
        return liken_values(claimed, value * scale, half * scale, limit)
    signs = (claimed.currencies, stated.currencies if stated else read_unit(unit).currencies)
    if not units_may_agree(claimed.unit, unit, currencies=signs):
        return "other"
    return "open" if liken_values(claimed, value, half, limit) != "other" else "other"


def liken_values(claimed: Quantity, value: Decimal, half: Decimal, limit: str = "") -> Likeness:
    """The same for a value alone; ``half``: half a unit of its last place."""
    if claimed.limit or limit:
        return _liken_limits(claimed, value, limit)
    gap = abs(value - claimed.value)
    loose = claimed.loose
    if gap == 0 or (gap <= claimed.half and half < claimed.half) or (claimed.about and gap <= loose):
        return "same"
    if claimed.worded and gap <= half <= _WORDED_HALF:
        return "same"
    coarser = gap <= half and half >= claimed.half
    roughly = (claimed.about or claimed.worded) and gap <= abs(claimed.value) * _OPEN_SHARE
    return "open" if coarser or roughly or gap <= loose or _cut(claimed, value) else "other"


def _cut(claimed: Quantity, value: Decimal) -> bool:
    """Whether the claim has the value with digits cut off instead of rounded."""
    step = claimed.half * 2
    return step > 0 and (value / step).to_integral_value(ROUND_DOWN) * step == claimed.value


def _liken_limits(claimed: Quantity, value: Decimal, limit: str) -> Likeness:
    way, bound = claimed.limit, claimed.value
    if limit:
        same = limit[0] == way[:1] and value == bound
        return "same" if same else "open"
    low, high = sorted((bound, bound * Decimal("1.5")))
    under_low, under_high = sorted((bound / 2, bound))
    if way == "~<":
        nearly = sorted((bound * Decimal("0.9"), bound))
        held = nearly[0] <= value < nearly[1]
    elif way[0] == ">":
        held = low < value <= high or (way == ">=" and value == bound)
    else:
        held = under_low <= value < under_high or (way == "<=" and value == bound)
    if held:
        return "same"
    wrong = (way[0] == ">" and value < bound) or (way[0] == "<" and value > bound)
    return "other" if wrong or way == "~<" else "open"
