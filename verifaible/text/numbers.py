"""Numbers in a text, read by value: sign, scale, unit, role, digits shown, and how they are said.

Digits of any script count by value. What parts the digits of one number: commas, points, apostrophes and
blanks of any kind, in threes or as India groups; in TeX also ``{,}`` and ``\\,``. Whether a comma or a point
stands before the decimals, the language of the text tells (CLDR), or a number that can be read in one way.

What is not a value (part of a date, a citation marker, an ordinal, an end of a range) is reported too, with
its role. A change of a change (``跌幅收窄0.2个百分点``) has no sign of its own: it is read as written.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import Final, Literal

from verifaible.text.cldr import Codes, words_of
from verifaible.text.conventions import NOTHING, decimal_comma_of, percent_before, with_points, without_tex
from verifaible.text.dates import find_dates
from verifaible.text.flat import flatten
from verifaible.text.markers import find_markers
from verifaible.text.numerals import Token, number_tokens
from verifaible.text.qualifiers import (
    CLAUSE_END,
    denied_after,
    denied_before,
    falls,
    flow_of,
    is_about,
    limit_of,
)
from verifaible.text.quantity import Quantity, Role, related
from verifaible.text.units import Unit, currency_before, languages_of, told_units, unit_at

# --- roles

_NOISE: Final = re.compile(
    r"(?:https?://|www\.)[^\s<>()\[\]{}|\"'，。；、（）【】]+"
    r"|[\[【]\s*\^?\s*\d+(?:\s*[,，、;-]\s*\d+)*\s*[\]】]"
    r"|\bcite:\d+",
    re.IGNORECASE,
)
_CODE: Final = re.compile(
    r"[(](?:S[HZ])?[03689]\d{5}(?:\.S[HZSS]{1,2})?[)]|\b[03689]\d{5}(?:-\d|\.S[HZ]\b|\.SS\b)"
)
_TIME: Final = re.compile(
    r"(?<![\d:])\d{1,2}:\d{2}(?::\d{2})?(?![\d:])|(?<=[上下]午)\d{1,2}[点时]"
    r"|\b\d{1,2}(?:[.:]\d{2})? ?(?:[ap]\.?m|Uhr)\b|\b\d{1,2} o['’]clock\b|\bkl(?:\.|okken) \d{1,2}\b",
    re.IGNORECASE,
)
_LIST_ITEM: Final = re.compile(r"^[ \t]*(\d{1,2})[.)、][ \t]+(?=\S)", re.MULTILINE)
_ORDINAL_BEFORE: Final = re.compile(
    r"(?:第|排名第?|[图表]|附件|\bNo\. ?|#|\b(?:table|figure|fig\.|chart|page|section|step|item|rank|case"
    r"|note)\s)\Z",
    re.IGNORECASE,
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


def _roles(flat: str, text: str) -> tuple[tuple[Role, Spans], ...]:
    dates = ((mention.start, mention.end) for mention in find_dates(text))
    return (
        ("marker", noise_spans(flat)),
        ("marker", Spans(match.span() for match in _CODE.finditer(flat))),
        ("date", Spans((*dates, *(match.span() for match in _TIME.finditer(flat))))),
        ("ordinal", Spans(_list_items(flat))),
    )


def _list_items(flat: str) -> Iterator[tuple[int, int]]:
    """Numbers that count the items of a list: each is 1 or follows the one before."""
    expected = 1
    for match in _LIST_ITEM.finditer(flat):
        if int(match[1]) in (1, expected):
            expected = int(match[1]) + 1
            yield match.span(1)


# --- reading

#: A sign is looked for this many code points to the left; the longest wordings seen take 40.
_WINDOW: Final = 60
#: A white triangle is a minus in Japanese and Korean accounts, a black one in text with kana or yen.
_SIGN: Final = re.compile(
    rf"(?:[-+][\u200e\u200f\u061c]?|[−△]{NOTHING}* ?|マイナス ?|마이너스 ?){NOTHING}*\Z"
)
_MINUS: Final = ("-", "−", "△", "マ", "마")
_JAPANESE: Final = re.compile(r"[\u3041-\u30fa円]")
_SEN: Final = re.compile(r"(\d{1,2})銭")
_COMPOUND: Final = re.compile(
    r"[ \u2009]?(?P<n>(?:\d{1,4}|\d,\d{3})(?:\.\d+)?)(?P<scale>[亿億억万萬만])(?![亿億억])"
    r"|[ \u2009]?(?P<rest>\d{4}|\d,\d{3})(?=\s?[元円원人명笔股件건개주])"
)
_SMALLER: Final = {**dict.fromkeys("亿億억", Decimal(10**8)), **dict.fromkeys("万萬만", Decimal(10**4))}


@dataclass(frozen=True, slots=True)
class _Text:
    """A text made ready for reading: flat, with points for decimals."""

    flat: str
    text: str
    languages: tuple[str, ...]
    roles: tuple[tuple[Role, Spans], ...]


@lru_cache(maxsize=64)
def find_quantities(
    text: str,
    *,
    decimal_comma: bool | None = None,
    language: str = "",
) -> tuple[Quantity, ...]:
    """Every number of a text, in order; spans do not overlap.

    A direction word gives its sign only to a number it stands at, inside one clause, and to those
    coordinated with it (``分别下降0.3%和0.5%``). Levels keep theirs: ``fell to 4.9`` is 4.9.

    Args:
        text: the text.
        decimal_comma: how to read what two conventions write alike (``12,4``, ``3.412``); None: by the text.
        language: of the text, as a primary subtag; "": as the text tells.
    """
    flat = flatten(text)
    if "\\" in flat or "$" in flat or "{," in flat:
        flat = without_tex(flat)
    languages = (
        (language, "en") if language not in ("", "en") else languages_of(flat) if not language else ("en",)
    )
    comma = decimal_comma
    if comma is None:
        comma = words_of(language).comma if language else decimal_comma_of(flat)
    flat = with_points(flat, languages, comma=comma)
    if "▲" in flat and _JAPANESE.search(flat):
        flat = flat.replace("▲", "△")
    ready = _Text(flat, text, languages, _roles(flat, text))
    found: list[Quantity] = []
    previous_end = 0
    for token in number_tokens(flat):
        if token.start >= previous_end:
            found.append(_quantity(ready, token, previous_end))
            previous_end = found[-1].end
    return tuple(related(flat, found))


def _quantity(ready: _Text, token: Token, floor: int) -> Quantity:
    flat, text = ready.flat, ready.text
    role: Role | None = next(
        (name for name, spans in ready.roles if spans.cover(token.start, token.end)), None
    )
    if role or token.code or token.rank:
        role = role or ("ordinal" if token.rank else "marker")
        return Quantity(token.value, token.start, token.end, text[token.start : token.end], role=role)
    start, sign, currency = _head(flat, token, floor)
    value, behind = _tail(ready, token, money=bool(currency))
    name, end, unit_start = behind.name, behind.end, token.end
    before = flat[max(floor, start - _WINDOW) : start]
    source: Literal["", "sign", "word", "brackets"] = "sign" if sign else ""
    if bracket := _brackets(ready, start, end, currency, behind):
        start, end, behind, unit_start = bracket
        name, sign, source = behind.name or name, "-", "brackets"
    elif before.endswith("千分之"):
        start, name, before = start - 3, "‰", before[:-3]
    elif not name and (percent := percent_before(flat, start, ready.languages, floor)):
        start, name, before = start - len(percent), "%", before[: -len(percent)]
    if not currency and behind.scale == 1 and (told := _head_unit(flat, start)) and name in ("", told.name):
        behind = replace(told, start=behind.start, end=end)
        name = told.name
    clause = before[max((match.end() for match in CLAUSE_END.finditer(before)), default=0) :]
    after = flat[end : end + 40]
    if not sign and falls(clause, after):
        sign, source = "-", "word"
    currencies = (
        tuple(code for code in behind.currencies if code in currency) or behind.currencies or currency
    )
    limit = limit_of(clause, after)
    exponent = token.value.as_tuple().exponent
    return Quantity(
        value=-value if sign[:1] in _MINUS and sign else value,
        start=start,
        end=end,
        raw=text[start:end],
        scale=behind.scale,
        unit="%"
        if token.share and not name
        else name
        if name and not behind.currencies
        else (currencies or (name,))[0],
        currencies=() if name and not behind.currencies else currencies,
        unit_raw=text[unit_start:end].strip(),
        places=0 if not isinstance(exponent, int) or exponent > 0 else exponent,
        sign=source,
        limit=limit,
        about=not limit and is_about(clause, after),
        negated=denied_before(clause) or denied_after(after),
        worded=token.share,
        flow=flow_of(clause, after),
        ticker="" if currencies or name not in ("", "%") else _ticker(flat, end),
        role=_role(flat, token, start, end),
    )


#: A head right before a number, in which stands what it counts: "(USD millions): 5", "单位：亿元 5".
_HEAD_UNIT: Final = re.compile(
    r"[(（\[]([^()（）\[\]\d]{1,28})[)）\]][^\d\n()|]{0,6}\Z|(?:单位|unit)s?\s*[:：]\s*(\S{1,8})\s+\Z",
    re.IGNORECASE,
)


def _head_unit(flat: str, start: int) -> Unit | None:
    match = _HEAD_UNIT.search(flat, max(0, start - 40), start)
    return next(iter(told_units(match[1] or match[2])), None) if match else None


_TICKER: Final = re.compile(r"[ \u2009]?\$?([A-Z][A-Z0-9]{1,9}|stETH|wstETH|cbBTC)(?![\w/-]|'s\b)")


def _ticker(flat: str, at: int) -> str:
    match = _TICKER.match(flat, at)
    return match[1].upper() if match else ""


def _head(flat: str, token: Token, floor: int) -> tuple[int, str, Codes]:
    """Where sign and currency begin, the sign (empty if none), and the currency."""
    start, sign = _signed(flat, token, token.start, floor)
    currency, at = currency_before(flat, start)
    if not currency or at < floor:
        return start, sign, ()
    if not sign:
        at, sign = _signed(flat, token, at, floor)
    return at, sign, currency


def _signed(flat: str, token: Token, at: int, floor: int) -> tuple[int, str]:
    """Where the sign before a place begins, and the sign; the place itself without one."""
    match = _SIGN.search(flat, max(floor, at - 8), at)
    if match and _is_sign(flat, match.start(), token):
        return match.start(), match[0].strip(f" {NOTHING}")
    return at, ""


def _is_sign(flat: str, at: int, token: Token) -> bool:
    """Whether a dash is a minus and no hyphen, range or part of a code."""
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


def _tail(ready: _Text, token: Token, *, money: bool) -> tuple[Decimal, Unit]:
    """The value, and scale and unit behind the digits; ``14亿489万`` is one value."""
    flat, value = ready.flat, token.value
    behind = unit_at(flat, token.end, ready.languages, money=money)
    if behind.scale != 1 and not behind.name and flat[behind.end - 1] in "兆조亿億억万萬만":
        total, scale, end = value * behind.scale, behind.scale, behind.end
        while more := _COMPOUND.match(flat, end):
            smaller = _SMALLER[more["scale"]] if more["scale"] else Decimal(1)
            part = Decimal((more["n"] or more["rest"]).replace(",", "")) * smaller
            if part >= scale or smaller >= scale:
                break
            total, scale, end = total + part, smaller, more.end()
        rest = unit_at(flat, end, ready.languages)
        if end > behind.end and rest.scale == 1:
            return total, rest
    if behind.scale == 1 and behind.name == "JPY" and (sen := _SEN.match(flat, behind.end)):
        return value + Decimal(sen[1]) / 100, replace(behind, end=sen.end())
    return value, behind


def _brackets(
    ready: _Text, start: int, end: int, currency: Codes, behind: Unit
) -> tuple[int, int, Unit, int] | None:
    """Start, end, unit and its start of a number in accounting brackets, which is less than nothing.

    ``(0.3)%``, ``$(214) million``, ``($214) million``, or a whole cell ``(1,234)``.
    """
    flat = ready.flat
    if flat[max(0, start - 1) : start] != "(" or flat[end : end + 1] != ")":
        return None
    outer, at = currency_before(flat, start - 1)
    closing = unit_at(flat, end + 1, ready.languages, money=bool(currency or outer))
    if behind.scale == 1 and (closing.name in ("%", "pp", "bp") or closing.scale != 1 or outer):
        codes = outer or currency or closing.currencies
        unit = replace(closing, name=closing.name or (codes[0] if codes else behind.name), currencies=codes)
        return at if outer else start - 1, max(closing.end, end + 1), unit, end + 1
    left = re.search(r"(?:\A|[\t\n|])[ ]*\Z", flat[max(0, start - 5) : start - 1])
    alone = bool(left) and bool(re.match(r"\)[ ]*(?:\Z|[\t\n|])", flat[end : end + 6]))
    if alone and (start - 1 > 4 or not flat[: start - 1].strip()) and not flat[start:end].isdigit():
        return start - 1, end, behind, end
    return None


def _role(flat: str, token: Token, start: int, end: int) -> Role:
    before, after = flat[max(0, start - 12) : start], flat[end : end + 3]
    if _ORDINAL_BEFORE.search(before) or re.match(r"(?:st|nd|rd|th)\b|\s?号(?![召称角])", after):
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
