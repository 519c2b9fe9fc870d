"""Numbers in a text, read by value, with sign, scale, unit and role.

Directions, denials and limits are read in Chinese and English; digits and separators
also as German, Japanese, Korean and Arabic write them
(:mod:`verifaible.old.anchoring.numbers.convention`), scales, units and currencies of 36 languages
(:mod:`verifaible.old.text.units`).

What is not a value (a part of a date, a citation marker, an ordinal, an end of a range) is
reported too, with its role, so that a caller can say why it did not count.

Known limits. Outside a text with a decimal comma, a comma groups thousands only before exactly three
digits: ``72,4`` is 72 and 4, ``100,200`` is one number. A change of a change (``跌幅收窄0.2个百分点``)
has no sign of its own: it is read as written, +0.2. ``三分之一`` and ``一半`` are not read. Three to five
groups of at most three digits parted by single blanks or full-width commas are one number: ``12 345 678``.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import Final

from verifaible.old.anchoring.numbers.convention import decimal_comma_of, with_points
from verifaible.old.anchoring.numbers.mention import NumberMention, Role, SignSource
from verifaible.old.anchoring.numbers.relations import coordinated, with_earlier, with_ranges
from verifaible.old.anchoring.numbers.tokens import Token, number_tokens
from verifaible.old.anchoring.wording import (
    BOUND_AFTER,
    BOUND_BEFORE,
    CLAUSE_END,
    DENIAL_ROOTS,
    FALL_AFTER,
    FALL_BEFORE,
    FALL_ROOTS,
    ORDINAL_BEFORE,
    denied_after,
    denied_before,
    has_any,
)
from verifaible.old.text.units import (
    CURRENCY_BEFORE,
    PERCENT_BEFORE,
    SCALES,
    Currencies,
    Unit,
    currencies_of,
    unit_at,
)
from verifaible.text.dates import find_dates
from verifaible.text.flat import flatten
from verifaible.text.markers import find_markers

__all__ = ["NumberMention", "Role", "SignSource", "find_numbers", "noise_spans"]

#: A sign is looked for this many code points to the left; the longest wordings seen take 40.
_WINDOW: Final = 60


#: Behind a sign may stand a mark of direction (U+200E and the like); a white triangle is a minus in
#: Japanese and Korean accounts, a black one (which means "up" elsewhere) in text with kana or yen.
_HEAD = re.compile(
    r"(?P<a>[-+]|[−△] ?|マイナス ?|마이너스 ?)?"
    rf"(?P<cur>{CURRENCY_BEFORE})?"
    r"(?P<b>[-+][\u200e\u200f\u061c]?|[−△] ?)?\Z"
)
_JAPANESE = re.compile(r"[\u3041-\u30fa円]")
#: A sign or a code, its blank and a sign.
_HEAD_LENGTH: Final = 12
_SHORT_SCALE = re.compile(r" ?([kmbt]|bn|mn|tn)(?![A-Za-z0-9²³/])", re.IGNORECASE)
_PERCENT_BEFORE = re.compile(rf"(?<![\d ])(?:{PERCENT_BEFORE})\Z", re.IGNORECASE)
_SEN = re.compile(r"(\d{1,2})銭")
_NOISE = re.compile(
    r"(?:https?://|www\.)[^\s<>()\[\]{}|\"'，。；、（）【】]+"
    r"|[\[【]\s*\^?\s*\d+(?:\s*[,，、;-]\s*\d+)*\s*[\]】]"
    r"|\bcite:\d+",
    re.IGNORECASE,
)
_CODE = re.compile(r"[(](?:S[HZ])?[03689]\d{5}(?:\.S[HZSS]{1,2})?[)]|\b[03689]\d{5}(?:-\d|\.S[HZ]\b|\.SS\b)")
_TIME = re.compile(
    r"(?<![\d:])\d{1,2}:\d{2}(?::\d{2})?(?![\d:])|(?<=[上下]午)\d{1,2}[点时]|\b\d{1,2} ?[ap]\.?m\b",
    re.IGNORECASE,
)
_LIST_ITEM = re.compile(r"^[ \t]*(\d{1,2})[.)、][ \t]+(?=\S)", re.MULTILINE)
_COMPOUND = re.compile(
    r"[ \u2009]?(?P<n>(?:\d{1,4}|\d,\d{3})(?:\.\d+)?)(?P<scale>[亿億억万萬만])(?![亿億억])"
    r"|[ \u2009]?(?P<rest>\d{4}|\d,\d{3})(?=\s?[元円원人명笔股件건개주])"
)


class Spans:
    """Sorted spans that answer whether a stretch lies inside one of them."""

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        self._spans = sorted(spans)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(self._spans)

    def cover(self, start: int, end: int) -> bool:
        """Whether one of them holds ``[start, end)``."""
        at = bisect.bisect(self._spans, (start, 1 << 62))
        return any(s <= start and end <= e for s, e in self._spans[max(0, at - 2) : at])


def noise_spans(text: str) -> Spans:
    """Spans of addresses and citation markers (``[@v:12]``, ``【@v:12】``, ``[12]``, ``[^1]``)."""
    flat = flatten(text)
    markers = ((marker.start, marker.end) for marker in find_markers(flat))
    return Spans((*markers, *(match.span() for match in _NOISE.finditer(flat))))


@lru_cache(maxsize=16)  # one judgement reads the same answer and regions several times
def find_numbers(text: str, *, decimal_comma: bool | None = None) -> tuple[NumberMention, ...]:
    """Every number of a text, in order; spans do not overlap.

    ``decimal_comma`` says how to read what two conventions write alike (``12,4``, ``3.412``); None:
    by the text's own words.

    A direction word gives its sign only to a number it stands at, inside one clause, and to
    the numbers coordinated with that one (``分别下降0.3%和0.5%``). Levels keep theirs:
    ``下调至4.9%`` and ``fell to 4.9`` are 4.9.
    """
    flat = flatten(text)
    comma = decimal_comma_of(flat) if decimal_comma is None else decimal_comma
    flat = with_points(flat, comma=comma)
    if _JAPANESE.search(flat):
        flat = flat.replace("▲", "△")
    roles = _role_spans(flat, text)
    lowered = flat.lower()
    told = _Told(has_any(lowered, FALL_ROOTS), has_any(lowered, DENIAL_ROOTS))
    mentions: list[NumberMention] = []
    previous_end = 0
    for token in number_tokens(flat):
        if token.start < previous_end:
            continue
        mention = _mention(flat, text, token, previous_end, roles=roles, told=told)
        mentions.append(mention)
        previous_end = mention.end
    return tuple(with_earlier(flat, coordinated(flat, with_ranges(flat, mentions))))


@dataclass(frozen=True, slots=True)
class _Told:
    """Whether a text has any word for a fall, and any of denial."""

    fall: bool
    denial: bool


def _role_spans(flat: str, text: str) -> tuple[tuple[Role, Spans], ...]:
    dates = [(mention.start, mention.end) for mention in find_dates(text)]
    return (
        ("marker", noise_spans(flat)),
        ("marker", Spans(match.span() for match in _CODE.finditer(flat))),
        ("date", Spans(dates)),
        ("date", Spans(match.span() for match in _TIME.finditer(flat))),
        ("ordinal", Spans(_list_items(flat))),
    )


def _list_items(flat: str) -> Iterator[tuple[int, int]]:
    """Numbers that count the items of a list: each is 1 or follows its predecessor."""
    expected = 1
    for match in _LIST_ITEM.finditer(flat):
        if int(match[1]) in (1, expected):
            expected = int(match[1]) + 1
            yield match.span(1)


def _mention(
    flat: str,
    text: str,
    token: Token,
    floor: int,
    *,
    roles: tuple[tuple[Role, Spans], ...],
    told: _Told,
) -> NumberMention:
    role = next((name for name, spans in roles if spans.cover(token.start, token.end)), None)
    role = role or ("marker" if token.code else "value")
    if role != "value":
        return NumberMention(
            token.value, Decimal(1), "", token.start, token.end, text[token.start : token.end], role=role
        )
    start, sign, currency = _head(flat, token, floor)
    value, behind = _tail(flat, token)
    scale, unit, end = behind.scale, behind.name, behind.end
    if currency and scale == 1 and (short := _SHORT_SCALE.match(flat, token.end)):
        scale, unit, end = SCALES[short[1].lower()], "", short.end()  # £5m
    source: SignSource = "sign" if sign else ""
    unit_start = token.end
    before = flat[max(floor, start - _WINDOW) : start]
    if _in_brackets(flat, start, end):
        closing = unit_at(flat, end + 1)
        if not unit and closing.name and closing.scale == 1:
            unit_start, end, unit, behind = end + 1, closing.end, closing.name, closing
        start, sign, source = start - 1, "-", "brackets"
    elif before.endswith("千分之"):
        start, unit, before = start - 3, "‰", before[:-3]
    elif not unit and (percent := _PERCENT_BEFORE.search(before)):
        start, unit, before = start - len(percent[0]), "%", before[: percent.start()]
    clause = before[max((match.end() for match in CLAUSE_END.finditer(before)), default=0) :]
    if not sign and told.fall and (FALL_BEFORE.search(clause) or _falls_after(clause, flat[end : end + 40])):
        sign, source = "-", "word"
    after = flat[end : end + 40]
    currencies = _both(currency, behind.currencies) if unit == behind.name else currency
    return NumberMention(
        value=-value if sign[:1] in ("-", "−", "△", "マ", "마") else value,
        scale=scale,
        unit=currencies[0] if currencies and (not unit or behind.currencies) else unit,
        currencies=currencies if not unit or behind.currencies else (),
        start=start,
        end=end,
        raw=text[start:end],
        unit_raw=text[unit_start:end].strip(),
        sign_source=source,
        negated=told.denial and (denied_before(clause) or denied_after(after)),
        bound=bool(BOUND_BEFORE.search(clause) or BOUND_AFTER.match(after)),
        role=_role(flat, token, start, end),
    )


def _head(flat: str, token: Token, floor: int) -> tuple[int, str, Currencies]:
    """Where sign and currency begin, the sign (empty if none), and the currency."""
    match = _HEAD.search(flat, max(floor, token.start - _HEAD_LENGTH), token.start)
    if not match:
        return token.start, "", ()
    currency = currencies_of(match["cur"]) if match["cur"] else ()
    sign = (match["b"] or match["a"] or "").strip()
    start = match.start() if not match["b"] or match["cur"] or not match["a"] else match.start("b")
    if sign and not _is_sign(flat, start, token):
        return (match.start("cur") if match["cur"] else token.start), "", currency
    return start, sign, currency


def _is_sign(flat: str, at: int, token: Token) -> bool:
    """Whether the dash at ``at`` is a minus and not a hyphen, a range or a part of a code."""
    before = flat[max(0, at - 6) : at]
    if not before:
        return True
    if flat[at] == "−":
        return not before[-1].isdigit()
    if before[-1].isascii() and (before[-1].isalnum() or before[-1] in ")]%-/_."):
        return False
    if re.search(r"\d ?(?:[年月日号时分秒]|[万亿元笔人个])\Z", before):
        # "1月-2月" is a range, "1月-0.7%" is a value
        return "." in flat[token.start : token.end] or flat[token.end : token.end + 1] == "%"
    return True


def _both(before: Currencies, behind: Currencies) -> Currencies:
    """The currencies that both the sign before a number and the word behind it can be: "$50 CAD"."""
    return tuple(code for code in behind if code in before) or behind or before


def _tail(flat: str, token: Token) -> tuple[Decimal, Unit]:
    """The value, and scale and unit behind the digits; ``14亿489万`` is one value."""
    value, behind = token.value, unit_at(flat, token.end)
    if behind.scale != 1 and not behind.name and flat[behind.end - 1] in "兆조亿億억万萬만":
        total, end = _compound(flat, value * behind.scale, behind.scale, behind.end)
        rest = unit_at(flat, end)
        if end > behind.end and rest.scale == 1:
            return total, rest
    if behind.scale == 1 and behind.name == "JPY" and (sen := _SEN.match(flat, behind.end)):
        return value + Decimal(sen[1]) / 100, replace(behind, end=sen.end())
    return value, behind


def _compound(flat: str, total: Decimal, scale: Decimal, end: int) -> tuple[Decimal, int]:
    """Add the parts with ever smaller scales that follow: ``72亿`` + ``4211万`` + ``9013元``."""
    while more := _COMPOUND.match(flat, end):
        smaller = SCALES[more["scale"]] if more["scale"] else Decimal(1)
        part = Decimal((more["n"] or more["rest"]).replace(",", "")) * smaller
        if part >= scale or smaller >= scale:
            break
        total, scale, end = total + part, smaller, more.end()
    return total, end


def _in_brackets(flat: str, start: int, end: int) -> bool:
    """Whether a number stands in accounting brackets: ``(0.3)%``, or a whole cell ``(1,234)``."""
    if flat[max(0, start - 1) : start] != "(" or flat[end : end + 1] != ")":
        return False
    if re.match(r"\) ?%", flat[end : end + 3]):
        return True
    left = re.search(r"(?:\A|[\t\n|])[ ]*\Z", flat[max(0, start - 5) : start - 1])
    alone = bool(left) and bool(re.match(r"\)[ ]*(?:\Z|[\t\n|])", flat[end : end + 6]))
    return alone and (start - 1 > 4 or not flat[: start - 1].strip()) and not flat[start:end].isdigit()


def _falls_after(clause: str, after: str) -> bool:
    return bool(FALL_AFTER.match(after)) and not re.search(r"\b(?:from|than)\b|[从由]", clause[-12:])


def _role(flat: str, token: Token, start: int, end: int) -> Role:
    before, after = flat[max(0, start - 12) : start], flat[end : end + 3]
    if ORDINAL_BEFORE.search(before) or re.match(r"(?:st|nd|rd|th)\b|\s?号(?![召称角])", after):
        return "ordinal"
    if token.spelled:
        return "value"
    digits = flat[token.start : token.end]
    if re.fullmatch(r"0\d+", digits):
        return "marker"  # a leading zero makes an identifier
    if start == token.start and (joined := re.search(r"([A-Za-z_]+)(-?)\Z", before)):
        # "PMI49.3" is a value; "GLM-5" and "M2.5" are names; of "CPI-0.7%" nobody knows the sign
        abbreviation = "." in digits and re.fullmatch(r"[A-Z]{2,}", joined[1])
        if joined[2] or not (abbreviation or flat[token.end : token.end + 1] == "%"):
            return "marker"
    if re.match(r"[A-Za-z]{1,2}(?![A-Za-z])", after):
        return "marker"
    return "value"
