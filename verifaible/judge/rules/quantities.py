"""Numbers with their units, as claims and sources write them, and whether one states the other.

On top of :mod:`verifaible.anchoring.numbers`: the last place shown, limits ("over", "nearly"),
approximations, currencies with a country's letter, tickers as units, and multiples ("3x").
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import ROUND_DOWN, Decimal
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from verifaible.anchoring.number_mention import NumberMention
from verifaible.anchoring.number_words import SCALES
from verifaible.anchoring.numbers import find_numbers
from verifaible.anchoring.numerals import flatten, unit_kind
from verifaible.anchoring.wording import has_any
from verifaible.answers.name_words import words_of
from verifaible.answers.support import told_units

#: ``same`` the source states it; ``open`` neither stated nor denied (coarser, cut off, a limit, another unit
#: that is not told); ``other`` another value.
Likeness: TypeAlias = Literal["same", "open", "other"]

_DIGIT: Final = re.compile(r"\d")
_TIMES: Final = re.compile(r"(?<=\d)(?:[x×X](?![\w×])|(?:-| )?fold\b)")
_HALF_A: Final = re.compile(
    r"\bhalf an? (?=(?:percentage|billion|million|trillion|per ?cent))", re.IGNORECASE
)
_LETTERS: Final = re.compile(r"(?<![A-Za-z])(A|AU|C|CA|S|SG|NT|R|NZ|MX|AR)\Z")
_TICKER_AFTER: Final = re.compile(r"[ \u00a0]?\$?(?P<t>[A-Z][A-Z0-9]{1,9}|stETH|wstETH|cbBTC)(?![\w/-]|'s\b)")
_SMALL_UNITS: Final = re.compile(
    r"[ \u00a0]?(?P<t>gwei|wei|satoshis?|sats?|bitcoins?|ether)(?!\w)", re.IGNORECASE
)
_SMALL: Final = {
    "satoshi": "sat",
    "satoshis": "sat",
    "sats": "sat",
    "bitcoin": "BTC",
    "bitcoins": "BTC",
    "ether": "ETH",
}
#: Capitals behind a number that name what is counted or measured, not a coin.
NOT_TICKERS: Final = words_of(
    """
    TVL APY APR RSI TPS ATH ATL FDV USD US EU UK AI API ETF ETFS DEX CEX NFT NFTS DAO DAOS EMA SMA MA MACD
    MM BN YOY QOQ MOM YTD ROI AUM CPI GDP FOMC SEC KYC VC TH ST ND RD AM PM UTC EST EDT GMT CEO IPO L1 L2
    TGE OI MC DEFI LP LPS PNL PPS GB MB KB TB EH PH GPU GPUS CPU MW GW KW
    """
)
_CODES: Final = words_of(
    """
    AUD CAD CHF INR SGD TWD BRL MXN TRY RUB THB IDR PHP VND NZD AED
    """
)
_GENERIC: Final = frozenset(("", "个", "枚", "只", "次", "件", "项", "家", "条", "名", "人", "笔", "股"))
_TOKENS_AFTER: Final = re.compile(r"\s?(?:tokens?|coins?)\b", re.IGNORECASE)

_UP: Final = re.compile(
    r"(?:\b(?:more than|over|above|exceed\w*|higher than|greater than|upwards? of|surpass\w*|topp(?:ed"
    r"|ing)|past"
    r"|north of|in excess of|>)|超过|超|逾|多于|大于|高于|突破|>)\s*(?:the\s+|a\s+)?(?:US\$|[$€£¥])?\s*\Z",
    re.IGNORECASE,
)
_UP_EQUAL: Final = re.compile(
    r"(?:\b(?:at least|no less than|a minimum of|minimum)|不少于|不低于|至少|≥|>=)\s*(?:US\$|[$€£¥])?\s*\Z",
    re.IGNORECASE,
)
_DOWN: Final = re.compile(
    r"(?:\b(?:less than|fewer than|under|below|lower than|short of|<)|不足|不到|少于|小于|低于|<)"
    r"\s*(?:the\s+|a\s+)?(?:US\$|[$€£¥])?\s*\Z",
    re.IGNORECASE,
)
_DOWN_EQUAL: Final = re.compile(
    r"(?:\b(?:at most|no more than|up to|as much as|as many as|maximum of|a maximum of)|不超过|最多|至多"
    r"|高达|≤|<=)"
    r"\s*(?:US\$|[$€£¥])?\s*\Z",
    re.IGNORECASE,
)
_NEARLY: Final = re.compile(
    r"(?:\b(?:nearly|almost|close to|just under|just shy of|approaching)|将近|接近|近|逼近)\s*(?:US\$"
    r"|[$€£¥])?\s*\Z",
    re.IGNORECASE,
)
_ABOUT: Final = re.compile(
    r"(?:\b(?:about|around|approximately|approx\.?|roughly|circa|ca\.|some|or so|near)|[~≈∼]|大约|约为?"
    r"|大概|左右)"
    r"\s*(?:US\$|[$€£¥])?\s*\Z",
    re.IGNORECASE,
)
_ABOUT_AFTER: Final = re.compile(r"\s?(?:左右|上下|or so\b|-ish\b|approximately\b)")
_UP_AFTER: Final = re.compile(r"\s?(?:\+(?!\s?\d)|or more\b|and above\b|以上|[余多](?!头|空|数|元化))")
_DOWN_AFTER: Final = re.compile(r"\s?(?:or less\b|or fewer\b|以下|以内)")
#: A head in which stands the scale of what follows: "(USD millions)", "($M)", "（亿元）", "单位：亿元".
_HEAD: Final = re.compile(
    r"[(（\[](?P<told>[^()（）\[\]\d]{1,28})[)）\]][^\d\n()|]{0,6}\Z|(?:单位"
    r"|unit)s?\s*[:：]\s*(?P<plain>\S{1,8})\s+\Z",
    re.IGNORECASE,
)
_SHORT_SCALE: Final = re.compile(
    r"(US\$|HK\$|[$€£¥])\s?(thousands?|millions?|billions?|trillions?|[KMBT]|bn|mn|m)?", re.IGNORECASE
)
_MONEY_SIGNS: Final = {"$": "美元", "US$": "美元", "HK$": "港元", "€": "欧元", "£": "英镑", "¥": "元"}
_LONG_SCALE: Final = re.compile(
    r"(?:in\s+)?(?P<s>thousands?|millions?|billions?|trillions?)(?:\s+of)?(?:\s+(?P<u>[A-Za-z.$ ]{2,12}))?"
    r"|(?P<u2>[A-Z]{3}|US\$|\$)\s+(?P<s2>thousands?|millions?|billions?|trillions?|mn|bn|[KMB])",
    re.IGNORECASE,
)


#: A sum in brackets behind its currency is less than nothing, as accounts write it.
_BRACKETED: Final = re.compile(r"(US\$|HK\$|[$€£¥])\s?\(\Z", re.IGNORECASE)
#: A number of more digits is no amount of anything, and would be rounded in reckoning.
_MOST_DIGITS: Final = 28
#: "About" leaves open at most this share of a value.
_ABOUT_SHARE: Final = Decimal("0.03")

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
    if not _DIGIT.search(text) and not has_any(text.lower(), _SPELLED):
        return ()
    ready = _HALF_A.sub(lambda match: "0.5".ljust(len(match[0])), text)
    ready = _TIMES.sub(lambda match: "倍".ljust(len(match[0])), ready)
    flat = flatten(ready)
    found = []
    for mention in find_numbers(ready):
        digits = mention.value.as_tuple().digits
        if mention.role in ("value", "range") and len(digits) <= _MOST_DIGITS:
            found.append(_quantity(text, flat, mention))
    return tuple(found)


#: Parts of numbers in words, in lower case.
_SPELLED: Final = (
    *(
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "half",
        "teen",
        "ty",
    ),
    *("hundred", "thousand", "million", "billion", "trillion", *"零一二两三四五六七八九十百千万亿½¼¾"),
)


def _quantity(text: str, flat: str, mention: NumberMention) -> Quantity:
    start, end, unit = mention.start, mention.end, mention.unit
    value, scale = mention.scaled_value, mention.scale
    before, after = flat[max(0, start - 28) : start], flat[end : end + 24]
    bracketed = _BRACKETED.search(before) if after.startswith(")") and not mention.sign_source else None
    if bracketed and unit in ("", _MONEY_SIGNS[bracketed[1].upper()]):  # $(1,585.4)
        value, unit = -abs(value), _MONEY_SIGNS[bracketed[1].upper()]
    if unit == "美元" and flat[start : start + 1] == "$" and (country := _LETTERS.search(before)):
        unit, start = country[1] + "$", start - len(country[1])
        before = before[: country.start()]
    elif not unit and (small := _SMALL_UNITS.match(text, end)):
        written = small["t"].lower()
        unit, end = _SMALL.get(written, written), small.end()
    elif not unit and (ticker := _TICKER_AFTER.match(text, end)) and ticker["t"].upper() not in NOT_TICKERS:
        unit, end = ticker["t"].upper(), ticker.end()
    elif not unit and (tokens := _TOKENS_AFTER.match(text, end)):
        unit, end = "枚", tokens.end()
    half = _half(mention)
    basis = unit == "bp"
    if basis:
        value, half, unit = value / 100, half / 100, "pp"
    elif unit == "‰":
        value, half, unit = value / 10, half / 10, "%"
    elif (
        unit in ("", "美元", "%")
        and scale == 1
        and (head := _HEAD.search(flat[max(0, mention.start - 40) : mention.start]))
    ):
        told_scale, told_unit = told_unit_of(head["told"] or head["plain"])
        if not unit or unit == told_unit:
            value, half, unit = value * told_scale, half * told_scale, told_unit or unit
    after = flat[end : end + 24]
    limit = _limit(before, after)
    about = not limit and bool(_ABOUT.search(before) or _ABOUT_AFTER.match(after))
    return Quantity(
        replace(mention, role=mention.role),
        value,
        unit,
        half,
        start,
        end,
        limit,
        about,
        basis,
        bool(mention.sign_source) or bracketed is not None or _raised(before, after),
    )


_RAISED: Final = re.compile(
    r"(?:\b(?:rose|rise[sn]?|rising|gain(?:s|ed|ing)?|up|increas(?:e|es|ed|ing)|climb(?:s|ed)?|jump(?:s|ed)?"
    r"|surg(?:e|es|ed|ing)|advanc(?:e|es|ed)|soar(?:s|ed)?|rall(?:y|ied)|grew|grow(?:s|n|th)?|higher"
    r"|added|plus)\b"
    r"(?:\s+(?:by|of|about|around|nearly|over|more than|another))*\s*|(?:上涨|增长|上升|涨幅|增加|涨|升"
    r"|回升|增幅)"
    r"(?:了|约|近|超|超过|达|为|幅度)*\s*|[↑▲⬆🔺]\s*)\Z",
    re.IGNORECASE,
)
_RAISED_AFTER: Final = re.compile(
    r"\s?(?:的?(?:涨幅|增长|增幅)|higher\b|(?:price )?(?:gain|increase|rise|jump|surge|growth|rally)\b)",
    re.IGNORECASE,
)


def _raised(before: str, after: str) -> bool:
    return bool(_RAISED.search(before) or _RAISED_AFTER.match(after))


#: What every word before a limit has.
_LIMITING: Final = re.compile(
    r"[<>≤≥]|\b(?:more|less|fewer|over|under|above|below|exceed|high|low|great|up|upward|upwards"
    r"|surpass\w*|topp\w+|past|north"
    r"|excess|least|most|minimum|maximum|short|shy|much|many|nearly|almost|close|just|approaching)"
    r"|[超逾多突不至高少近于足到过]",
    re.IGNORECASE,
)


def _limit(before: str, after: str) -> str:
    for pattern, sign in (
        (
            (_UP_EQUAL, ">="),
            (_DOWN_EQUAL, "<="),
            (_UP, ">"),
            (_DOWN, "<"),
            (_NEARLY, "~<"),
        )
        if _LIMITING.search(before)
        else ()
    ):
        if pattern.search(before):
            return sign
    if _UP_AFTER.match(after):
        return ">="
    return "<=" if _DOWN_AFTER.match(after) else ""


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
    if short := _SHORT_SCALE.fullmatch(words):
        return _scale(short[2]), _MONEY_SIGNS[short[1].upper()]
    if long := _LONG_SCALE.fullmatch(words):
        scale = _scale(long["s"] or long["s2"])
        _, unit = next(iter(told_units(long["u"] or long["u2"] or "")), (Decimal(1), ""))
        return scale, unit
    for scale, unit in told_units(words):
        return scale, unit
    return Decimal(1), ""


def _scale(word: str | None) -> Decimal:
    if not word:
        return Decimal(1)
    lowered = word.lower()
    short = {"k": 3, "m": 6, "b": 9, "t": 12}.get(lowered)
    return Decimal(10) ** short if short else SCALES[lowered.rstrip("s")]


def units_agree(claimed: str, stated: str, *, basis: bool = False) -> bool:
    """Whether a number in one unit can be one in the other. ``basis``: one of them is in basis points."""
    if claimed == stated or (basis and {claimed, stated} <= {"pp", "%"}):
        return True
    if claimed in _GENERIC and stated in _GENERIC:
        return not (claimed and stated) or bool({"个", "枚"} & {claimed, stated})
    one, other = sorted((claimed, stated))
    if one == "" or one in ("枚", "个"):
        return other.isascii() and other.isupper() and other not in _CODES and "$" not in other
    if other in ("枚", "个"):
        return one.isascii() and one.isupper() and one not in _CODES and "$" not in one
    return False


def liken(claimed: Quantity, stated: Quantity) -> Likeness:
    """Whether a source's number states the number of a claim, by the digits that the claim shows."""
    if not units_agree(claimed.unit, stated.unit, basis=claimed.basis or stated.basis):
        bare = not claimed.unit or not stated.unit
        return "open" if bare and unit_kind(claimed.unit or stated.unit) == "money" else "other"
    return liken_values(claimed, stated.value, stated.half, stated.limit)


def liken_values(claimed: Quantity, value: Decimal, half: Decimal, limit: str = "") -> Likeness:
    """The same for a value alone; ``half``: half a unit of its last place."""
    if claimed.limit or limit:
        return _liken_limits(claimed, value, limit)
    gap = abs(value - claimed.value)
    loose = claimed.loose
    if gap == 0 or (gap <= claimed.half and half < claimed.half) or (claimed.about and gap <= loose):
        return "same"
    coarser = gap <= half and half >= claimed.half
    roughly = claimed.about and gap <= abs(claimed.value) * _OPEN_SHARE
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
