"""Units behind a number that are told by a sign or a prefix, and how units of one thing convert.

SI prefixes (BIPM brochure, table 7) before H/s, Wh, W, B, bit/s and the like; the small parts of coins.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Final

_POWERS: Final = {"": 0, "k": 3, "m": 6, "g": 9, "t": 12, "p": 15, "e": 18, "z": 21, "y": 24}
_PREFIX_WORDS: Final = {
    **{"kilo": 3, "mega": 6, "giga": 9, "tera": 12, "peta": 15, "exa": 18, "zetta": 21, "yotta": 24},
    **{"千": 3, "兆": 6, "吉": 9, "太": 12, "拍": 15},
}
_SIGNED: Final = {
    **{"h/s": "H/s", "hash/s": "H/s", "hps": "H/s", "h/sec": "H/s", "hashes/s": "H/s"},
    **{
        "wh": "Wh",
        "w": "W",
        "b": "B",
        "b/s": "B/s",
        "bps": "bit/s",
        "bit/s": "bit/s",
        "hz": "Hz",
        "vb": "vB",
    },
}
_NAMED: Final = {"hash": "H/s", "byte": "B", "hertz": "Hz"}
_NAMED_ZH: Final = {"瓦时": "Wh", "瓦": "W", "字节": "B", "赫兹": "Hz", "赫": "Hz", "哈希/秒": "H/s"}
_SIGN: Final = re.compile(
    r"[ \u2009\u00a0]?(?:(?P<p>[kKMGTPEZY])?(?P<s>H/s(?:ec)?|[Hh]ash(?:es)?/s|Wh|W|Hz|vB)"
    r"|(?P<p2>[kKMGTPEZ])(?P<s2>B/s|bps|bit/s|B)|(?P<p3>[KMGTPE])(?P<s3>H))(?![\w/])"
)
_WORD: Final = re.compile(
    r"[ -]?(?:(?P<p>kilo|mega|giga|tera|peta|exa|zetta|yotta)-?)"
    r"(?P<s>hash(?:es)?(?:[ -]?(?:per second|/s(?:ec)?|a second))?|watt(?:[ -]?hour)?|byte|hertz)s?\b",
    re.IGNORECASE,
)
_ZH_WORD: Final = re.compile(r" ?(?P<p>[千兆吉太拍])(?P<s>瓦时|瓦|字节|赫兹|赫|哈希/秒)")
_SMALL: Final = re.compile(
    r"[ \u00a0]?-?(?P<u>milliseconds?|msecs?|ms|毫秒|microseconds?|µs|μs|gwei|wei|satoshis?|sats?|bitcoins?"
    r"|ether"
    r"|lamports?)(?!\w)",
    re.IGNORECASE,
)
_SMALL_UNITS: Final = {
    **dict.fromkeys(("millisecond", "msec", "m", "毫秒"), ("秒", -3)),
    **dict.fromkeys(("microsecond", "µ", "μ"), ("秒", -6)),
    **{"gwei": ("gwei", 0), "wei": ("gwei", -9), "satoshi": ("sat", 0), "sat": ("sat", 0)},
    **{"bitcoin": ("BTC", 0), "ether": ("ETH", 0), "lamport": ("SOL", -9)},
}
_RATE: Final = re.compile(
    r"[ \u00a0]?(?:tps\b|(?:transactions?|txs?|txns?|trades?) ?(?:per|/|a) ?(?:second|sec|s)\b|笔"
    r"(?:交易)?(?:每"
    r"|/)秒)",
    re.IGNORECASE,
)
#: Units of one thing: what it is, and the factor to its base.
_FACTORS: Final[dict[str, tuple[str, Decimal]]] = {
    **{"ETH": ("ether", Decimal(1)), "gwei": ("ether", Decimal("1e-9"))},
    **{"BTC": ("bitcoin", Decimal(1)), "sat": ("bitcoin", Decimal("1e-8"))},
    **{"秒": ("time", Decimal(1)), "分钟": ("time", Decimal(60)), "小时": ("time", Decimal(3600))},
    **{"天": ("time", Decimal(86400)), "周": ("time", Decimal(604800))},
    **{"月": ("long time", Decimal(1)), "年": ("long time", Decimal(12))},
    **{"米": ("length", Decimal(1)), "千米": ("length", Decimal(1000)), "厘米": ("length", Decimal("0.01"))},
    **{"毫米": ("length", Decimal("0.001")), "千克": ("mass", Decimal(1)), "吨": ("mass", Decimal(1000))},
    **{"千瓦": ("power", Decimal(1000)), "W": ("power", Decimal(1))},
    **{"USD": ("dollar", Decimal(1)), "cent": ("dollar", Decimal("0.01"))},
    **{"B": ("data", Decimal(1)), "vB": ("block data", Decimal(1))},
}
#: Coins that are meant to be worth a dollar: a price in them is near one in dollars, and not the same.
_STABLE: Final = frozenset(("USDT", "USDC", "DAI", "BUSD", "FDUSD", "TUSD", "PYUSD", "USDE", "USDS", "USD"))


@dataclass(frozen=True, slots=True)
class Measure:
    """A unit with the factor that its prefix gives, and where it ends."""

    unit: str
    factor: Decimal
    end: int


@lru_cache(maxsize=1024)
def _power(exponent: int) -> Decimal:
    return Decimal(10) ** exponent


def measure_at(text: str, at: int) -> Measure | None:
    """The unit of a measure that stands at a place of a text, or None."""
    if match := _SMALL.match(text, at):
        word = match["u"].lower().removesuffix("s") if match["u"].lower() != "ms" else "m"
        unit, power = _SMALL_UNITS[word]
        return Measure(unit, _power(power), match.end())
    if match := _RATE.match(text, at):
        return Measure("笔/秒", Decimal(1), match.end())
    if match := _SIGN.match(text, at):
        prefix = match["p"] or match["p2"] or match["p3"] or ""
        sign = (match["s"] or match["s2"] or match["s3"]).lower()
        unit = "H/s" if sign == "h" else _SIGNED[sign]
        return Measure(unit, _power(_POWERS[prefix.lower()]), match.end())
    if match := _WORD.match(text, at):
        return Measure(_named(match["s"].lower()), _power(_PREFIX_WORDS[match["p"].lower()]), match.end())
    if match := _ZH_WORD.match(text, at):
        return Measure(_NAMED_ZH[match["s"]], _power(_PREFIX_WORDS[match["p"]]), match.end())
    return None


def _named(word: str) -> str:
    """The unit that a word behind its prefix is: "watt hour", "hashes per second"."""
    if word.startswith("watt"):
        return "Wh" if "hour" in word else "W"
    return next(unit for name, unit in _NAMED.items() if word.startswith(name))


def factor(one: str, other: str) -> Decimal | None:
    """What a number in one unit is multiplied by to be in the other; None where they do not convert."""
    if one == other:
        return Decimal(1)
    if one not in _FACTORS or other not in _FACTORS:
        return None
    (thing, first), (same, second) = _FACTORS[one], _FACTORS[other]
    return first / second if thing == same else None


def near_in_kind(one: str, other: str) -> bool:
    """Whether two units may be of one thing though they are not one: a dollar and a coin worth a dollar."""
    stable = {"USD" if unit in _STABLE else unit for unit in (one, other)} == {"USD"}
    return one != other and (stable or factor(one, other) is not None)
