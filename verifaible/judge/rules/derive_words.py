"""The words of a claim as the rules for derivations read them: its values and dates masked, offsets kept."""

from __future__ import annotations

import re
from calendar import month_name
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Final

from verifaible.judge.rules.derive_math import TIMES, Amount
from verifaible.judge.rules.periods import Period, find_periods
from verifaible.judge.rules.quantities import Quantity, quantities
from verifaible.text.flat import flatten

#: Patterns of a masked value and of a masked date: one character of its own, then filling.
FILL: Final = "\uf000"
NUMBER: Final = f"[\ue000-\ue3ff]{FILL}*+"
#: The value that is asked about, where one of several is (:meth:`Words.about`).
RESULT: Final = f"\uefff{FILL}*+"
DATE: Final = f"[\ue400-\ue7ff]{FILL}*+"

#: Units that stand behind a number and that the reading of numbers leaves to the words (in lower case).
_UNITS: Final = {
    "mi": "英里",
    **dict.fromkeys(("millisecond", "milliseconds", "ms", "毫秒"), "毫秒"),
    **dict.fromkeys(("yard", "yards"), "yards"),
    **dict.fromkeys(("lb", "lbs"), "pounds"),
    **dict.fromkeys(("quarter", "quarters", "个季度"), "季度"),
    **{name.lower(): name for name in ("H/s", "TH/s", "PH/s", "EH/s", "ZH/s")},
    **{name.lower(): name for name in ("kWh", "MWh", "GWh", "TWh", "MW", "GW", "KB", "MB", "GB", "TB")},
}
_UNIT_AFTER = re.compile(
    r"[ \u2009]?-?("
    + ""
    r"|".join(re.escape(u) for u in sorted(_UNITS, key=len, reverse=True))
    + r")(?![a-z/])",
    re.IGNORECASE,
)
#: "by a ratio of 3.9 to 1".
_TO_ONE = re.compile(r"(?: to (?:one|1)|(?: ?: ?)1)(?![\d.,]*\d|\s?(?:%|million|billion))\b")
_MONEY_TIMES = re.compile(r"(?:US)?\$ ?\d[\d,]*(?:\.\d+)?(?= times\b)")
_SUMS_UP = re.compile(r"\b(?:add(?:s|ed|ing)?|sum(?:s|med)?) up to\s*\Z", re.IGNORECASE)
_AROUND_DATE = re.compile(f"[(（]({DATE})[)）]")
_TRILLION = re.compile(r"(?:US)?\$ ?(\d[\d,]*(?:\.\d+)?) ?[Tt](?![a-z])")
#: Words that are a multiple; each is right within one part in forty, as a reader takes them.
_MULTIPLES: Final = (
    (r"\btwice\b|\bdoubled?\b|\bdoubl(?:es|ing)\b|翻倍|翻(?:了)?一番|翻番|两倍", Decimal(2)),
    (r"\bthrice\b|\btripled?\b|\btripl(?:es|ing)\b|\btreble[ds]?\b|三倍|\bthree times\b", Decimal(3)),
    (r"\bquadrupled?\b|\bquadrupl(?:es|ing)\b|四倍|\bfour times\b", Decimal(4)),
    (r"\bquintupled?\b|五倍|\bfive times\b", Decimal(5)),
    (r"\btenfold\b|十倍|\bten times\b", Decimal(10)),
    (r"\bhalv(?:ed|es|ing)\b|\bhalf\b|一半|减半|腰斩", Decimal("0.5")),
    (r"\b(?:one|a)[- ]third\b|三分之一", Decimal(1) / 3),
    (r"\btwo[- ]thirds\b|三分之二", Decimal(2) / 3),
    (r"\b(?:a|one)[- ]quarter\b(?!ly)|四分之一", Decimal("0.25")),
    (r"\b(?<!first )(?<!last )(?<!past )three[- ]quarters (?=of|as)|四分之三", Decimal("0.75")),
    (r"\b(?:a|one)[- ]fifth\b|五分之一", Decimal("0.2")),
    (r"\b(?:a|one)[- ]tenth\b|十分之一", Decimal("0.1")),
)
_MULTIPLE = tuple((re.compile(pattern, re.IGNORECASE), value) for pattern, value in _MULTIPLES)
_OVER = re.compile(r"\b(?:more than|over)\s\Z|超过?\s?\Z", re.IGNORECASE)
_PARTED: Final = Decimal(40)
_RELATIVE: Final = frozenset({"yoy", "qoq", "mom", "on-period", "last-year", "this-week", "this-month"})
_WINDOWED = re.compile(r"\d{1,3} ?(?:小时|日|天)(?=交易|成交|价|最|高|低|涨|跌|振)")


@dataclass(frozen=True, slots=True)
class Value:
    """A value that a claim states.

    Attributes:
        amount: value (with an explicit sign only), canonical unit, half a unit of the last digit shown.
        start: where it stands in the claim, with its sign and unit.
        loose: whether the claim gives it as about so much.
        limit: 1 where it is a lower limit, -1 an upper one, 0 none.
        word: whether it is a word such as "doubled", which is also what happened.
    """

    amount: Amount
    start: int
    end: int
    loose: bool = False
    limit: int = 0
    word: bool = False

    @property
    def multiple(self) -> bool:
        """Whether it says how many times as much something is."""
        return self.amount.unit == TIMES

    @property
    def percent(self) -> bool:
        """Whether it is a percentage (points and basis points are not)."""
        return self.amount.unit == "%"


@dataclass(frozen=True, slots=True)
class Words:
    """A claim with its values and dates masked; offsets are those of ``text``."""

    text: str
    masked: str
    values: tuple[Value, ...]
    periods: tuple[Period, ...]

    def about(self, result: Value) -> Words:
        """The same words with one value marked as the one asked about."""
        at = result.start
        return replace(self, masked=f"{self.masked[:at]}\uefff{self.masked[at + 1 :]}")

    def values_in(self, start: int, end: int) -> tuple[Value, ...]:
        """The values that stand in a range."""
        return tuple(value for value in self.values if start <= value.start and value.end <= end)


def words_of(text: str, at: datetime | None = None) -> Words:
    """Read a claim: its values, its dates and periods, and the rest in lower case."""
    flat = flatten(text)
    low = "".join(char.lower() if len(char.lower()) == 1 else char for char in flat)
    periods = [each for each in find_periods(text, at) if each.value not in _RELATIVE]
    if told := _ordinals(flat):
        kept = [e for e in periods if not any(e.start < o.end and o.start < e.end for o in told)]
        periods = sorted([*told, *kept], key=lambda each: each.start)
    periods = _of_year(_with_months(flat, periods))
    spans = [
        (each.start, each.end)
        for each in periods
        if each.dated or re.search(r"\d", flat[each.start : each.end])
    ]
    values = _values(text, flat, spans)
    masked = list(low)
    for base, marked in ((0xE400, spans), (0xE000, [(value.start, value.end) for value in values])):
        for number, (start, end) in enumerate(marked[:1024]):
            masked[start:end] = chr(base + number) + FILL * (end - start - 1)
    joined = _AROUND_DATE.sub(lambda match: f" {match[1]} ", "".join(masked))
    return Words(text, joined, tuple(values[:1024]), tuple(periods))


_ORDINALS: Final = {"first": "1", "second": "2", "third": "3", "fourth": "4"}
_OF_TWO = re.compile(
    r"\b(first|second|third) (?:and|to|or) (?:the )?(second|third|fourth) (quarters?|hal(?:f"
    r"|ves))\b(?: of (\d{4}))?",
    re.I,
)


def _ordinals(flat: str) -> list[Period]:
    """The two dates of "the second and third quarters"."""
    found = []
    for match in _OF_TWO.finditer(flat):
        letter = "Q" if match[3].lower().startswith("q") else "H"
        year = f"{match[4]}-" if match[4] else ""
        for group, end in ((1, match.end(1)), (2, match.end())):
            found.append(
                Period(match.start(group), end, f"{year}{letter}{_ORDINALS[match[group].lower()]}", True)
            )
    return found


_MONTHS: Final = {
    name.lower(): f"--{number:02d}" for number, name in enumerate(month_name) if name and name != "May"
}
_BARE_MONTH = re.compile(
    rf"(?<![\w-])(?:{'|'.join(name for name in month_name if name and name != 'May')})\b"
)


def _with_months(flat: str, periods: list[Period]) -> list[Period]:
    """The periods with the months that stand alone ("September's 55,230")."""
    found = list(periods)
    for match in _BARE_MONTH.finditer(flat):
        if not any(each.start < match.end() and match.start() < each.end for each in periods):
            found.append(Period(*match.span(), _MONTHS[match[0].lower()], True))
    return sorted(found, key=lambda each: each.start)


def _of_year(periods: list[Period]) -> list[Period]:
    """Months and days without a year, in that of the date before them."""
    found, year = [], ""
    for each in periods:
        if each.dated and each.value[:2] in ("19", "20"):
            year = each.value[:4]
        dayless = re.fullmatch(r"--\d\d(?:-\d\d)?", each.value)
        found.append(replace(each, value=f"{year}{each.value[1:]}") if dayless and year else each)
    return found


def unit_behind(text: str, end: int) -> str:
    """The unit that stands behind a number and that the reading of numbers leaves to the words."""
    match = _UNIT_AFTER.match(text, end)
    return _UNITS[match[1].lower()] if match else ""


def _values(text: str, flat: str, dates: list[tuple[int, int]]) -> list[Value]:
    found = [_value(flat, each) for each in quantities(text) if not _counting(each)]
    for match in _TRILLION.finditer(flat):
        number = Decimal(match[1].replace(",", ""))
        half = Decimal(1).scaleb(int(number.as_tuple().exponent)) / 2
        found.append(Value(Amount(number * 10**12, "USD", half * 10**12), *match.span()))
    for pattern, value in _MULTIPLE:
        for match in pattern.finditer(flat):
            before = flat[max(0, match.start() - 12) : match.start()]
            limit = int(bool(_OVER.search(before)))
            found.append(Value(Amount(value, TIMES, value / _PARTED), *match.span(), limit=limit, word=True))
    kept: list[Value] = []
    for each in sorted(found, key=lambda value: (value.start, -value.end, -value.word)):
        inside = any(start < each.end and each.start < end for start, end in dates)
        inside = inside or (each.amount.unit in ("小时", "天") and bool(_WINDOWED.match(flat, each.start)))
        if not inside and (not kept or each.start >= kept[-1].end):
            adds = flat[each.start] in "+＋" and kept and not flat[kept[-1].end : each.start].strip()
            kept.append(replace(each, start=each.start + 1) if adds else each)  # "1.26 + 1.05" adds
    return kept


def _counting(quantity: Quantity) -> bool:
    """Whether a number word counts what is listed ("the three cash flows", 两家) and is no value."""
    spelled = not any(map(str.isdigit, flatten(quantity.mention.raw)))
    small = abs(quantity.value) <= 12 and quantity.mention.scale == 1
    return spelled and small and quantity.unit not in ("周", "天", "小时", "分钟", "秒", TIMES, "%", "pp")


def _value(flat: str, quantity: Quantity) -> Value:
    value, unit, end, half = quantity.value, quantity.unit, quantity.end, quantity.half
    if unit == TIMES and (money := _MONEY_TIMES.match(flat, quantity.start)):
        unit, end = "USD", money.end()  # "$184.57 times its supply" multiplies
    if quantity.basis:
        value, half, unit = value * 100, half * 100, "bp"
    if quantity.mention.sign_source == "word":
        value = -value
    if unit in ("", "月") and (behind := _UNIT_AFTER.match(flat, quantity.mention.end)):
        unit, end = _UNITS[behind[1].lower()], behind.end()
    limit = {">": 1, "<": -1}.get(quantity.limit[:1], 0)
    if limit and _SUMS_UP.search(flat[max(0, quantity.start - 20) : quantity.start]):
        limit = 0
    if unit == "" and (to_one := _TO_ONE.match(flat, end)):
        unit, end = TIMES, to_one.end()
    return Value(
        Amount(value, unit, half),
        quantity.start,
        end,
        loose=quantity.about or quantity.limit == "~<",
        limit=limit,
    )
