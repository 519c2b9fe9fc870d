"""Where the numbers of a text stand: digits, fractions, powers, and spelled numerals.

Only their magnitude is read here; sign, scale, unit and role are the matter of
:mod:`verifaible.old.anchoring.numbers.reading`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from verifaible.old.text.numerals import EN_NUMERAL, ZH_NUMERAL, parse_en, parse_zh


@dataclass(frozen=True, slots=True)
class Token:
    """A number without sign and unit. ``code`` is true for versions and addresses (1.2.3)."""

    start: int
    end: int
    value: Decimal
    code: bool = False
    spelled: bool = False


_TOKEN = re.compile(
    r"(?P<version>(?<!\d)\d+(?:\.\d+){2,})"
    r"|(?<![\d/.])(?P<whole>\d{1,3})[- ](?P<n>\d{1,2})/(?P<d>2|3|4|5|8|16|32|64)(?![\d/])"
    r"|(?P<vulgar>(?P<vw>\d+)? ?[½¼¾⅓⅔⅛⅜⅝⅞])"
    r"|(?<![\d/.])(?P<fn>\d+)/(?P<fd>\d+)(?![\d/.])"
    r"|(?P<num>(?:(?<!\d)(?:\d{1,3}(?:,\d{3})+|\d{1,3}(?:[\u2009']\d{3})+)(?!\d)"
    # a blank or a full-width comma also parts numbers: it groups two or more threes that stand alone
    r"|(?<![\d.,])(?<!\d )[1-9]\d{0,2}(?: \d{3}){2,4}(?!\d| \d|[,/])"
    r"|(?<![\d.,])(?<!\d，)[1-9]\d{0,2}(?:，\d{3}){2,4}(?!\d|，\d|[,/])"
    r"|\d+)(?:\.\d+)?"
    r"|(?<![A-Za-z0-9_.)])\.\d+)"
    r"(?:[eE](?P<e>[+-]?\d{1,2})(?!\w)| ?[×x*] ?10(?:\^\{?(?P<p>[-−]?\d{1,2})\}?|(?P<sup>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)))?"
)
_VULGAR = {"½": ".5", "¼": ".25", "¾": ".75", "⅛": ".125", "⅜": ".375", "⅝": ".625", "⅞": ".875"}
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_COUNTABLE = re.compile(r"[个家项只笔名位人票元股倍天年分秒]|个?百分点|[万亿]")
_ONE_PRONOUN = re.compile(r"(?:the|this|that|any|no|every|which|only|each|another|a) \Z", re.IGNORECASE)
_ONE_AFTER = re.compile(r" (?:of|another|more|or|thing|day|can|must|should)\b|-", re.IGNORECASE)


def number_tokens(flat: str) -> list[Token]:
    """The number tokens of a flattened text, by where they start; spelled ones may overlap."""
    found = [_digits_token(match) for match in _TOKEN.finditer(flat)]
    occupied = [token.start for token in found]
    for match in ZH_NUMERAL.finditer(flat):
        if _is_zh_number(flat, match):
            found.append(Token(match.start(), match.end(), parse_zh(match[0]), spelled=True))
    for match in EN_NUMERAL.finditer(flat):
        before, after = flat[max(0, match.start() - 9) : match.start()], flat[match.end() : match.end() + 10]
        if match[0].lower() != "one" or not (_ONE_PRONOUN.search(before) or _ONE_AFTER.match(after)):
            found.append(Token(match.start(), match.end(), parse_en(match[0]), spelled=True))
    return sorted(found, key=lambda token: token.start) if len(found) > len(occupied) else found


def _is_zh_number(flat: str, match: re.Match[str]) -> bool:
    """Whether a run of Chinese numerals is a number and not a part of a word (统一, 万一)."""
    text, before, after = match[0], flat[max(0, match.start() - 3) : match.start()], flat[match.end() :][:4]
    if before.endswith(("百分之", "千分之", "第", "负")):
        return True
    if len(text) == 1:
        plain = bool(_COUNTABLE.match(after)) and not (
            text == "一" and after.startswith(("个", "位", "年", "天"))
        )
        return plain and not before.endswith(("之", "唯", "统", "同"))
    return "点" in text or any(char in "十百千万亿" for char in text) or after.startswith("年")


def _digits_token(match: re.Match[str]) -> Token:
    start, end = match.span()
    if match["version"]:
        return Token(start, end, Decimal(re.findall(r"\d+", match["version"])[0]), code=True)
    if match["whole"]:
        return Token(start, end, Decimal(match["whole"]) + Decimal(match["n"]) / Decimal(match["d"]))
    if match["vulgar"]:
        part = match["vulgar"][-1]
        fraction = Decimal(_VULGAR[part]) if part in _VULGAR else Decimal("⅓⅔".index(part) + 1) / 3
        return Token(start, end, Decimal(match["vw"] or 0) + fraction)
    if match["fn"]:
        divisor = Decimal(match["fd"])
        return Token(start, end, Decimal(match["fn"]) / divisor if divisor else Decimal(0))
    value = Decimal(re.sub(r"[,，\u2009' ]", "", match["num"]))
    power = (
        match["e"] or (match["p"] or "").replace("−", "-") or (match["sup"] or "").translate(_SUPERSCRIPTS)
    )
    return Token(start, end, value.scaleb(int(power)) if power else value)
