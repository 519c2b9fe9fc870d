"""Where the numbers of a flat text stand: digits in groups, fractions, powers, and numbers in words.

Only their magnitude is read here; :mod:`verifaible.text.numbers` reads sign, scale, unit and role.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from typing import Final

from verifaible.text.conventions import NOTHING
from verifaible.text.numerals import Token, numerals

_J: Final = f"{NOTHING}*"
_TOKEN: Final = re.compile(
    r"(?=[\d.¼-¾⅐-⅞↉])(?:"  # most characters are passed over at once
    r"(?P<version>(?<!\d)\d+(?:\.\d+){2,})"
    r"|(?<![\d/.])(?P<whole>\d{1,3})[- ](?P<n>\d{1,2})/(?P<d>2|3|4|5|8|16|32|64)(?![\d/])"
    r"|(?P<vulgar>(?:(?P<vw>\d+) ?)?[¼-¾⅐-⅞↉])"
    r"|(?<![\d/.])(?P<fn>\d+)/(?P<fd>\d+)(?![\d/.])"
    r"|(?P<num>(?:"
    rf"(?<!\d)(?:\d{{1,3}}(?:{_J},{_J}\d{{3}})+|\d{{1,3}}(?:{_J}[\u2009']\d{{3}})+"
    rf"|\d{{1,3}}(?:_\d{{3}})+)(?![\d_])"
    r"|(?<![\d.,])\d{1,2}(?:,\d{2})+,\d{3}(?![\d,])"  # India's groups
    # a blank or a full-width comma also parts numbers: it groups two or more threes that stand alone
    r"|(?<![\d.,])(?<!\d )[1-9]\d{0,2}(?: \d{3}){2,4}(?!\d| \d|[,/])"
    r"|(?<![\d.,])(?<!\d，)[1-9]\d{0,2}(?:，\d{3}){2,4}(?!\d|，\d|[,/])"
    # a group that begins with a nought is no number of its own
    r"|(?<![\w.,:/-])(?<!\d )[1-9]\d{0,2} 0\d\d(?![\d,/:-]| \d)"
    # and one three, if a word goes on behind it
    r"|(?<![\w.,:/#-])(?<!\d )[1-9]\d{0,2} \d{3}(?=(?:\.\d+)?[ \u2009]?(?:[%€£¥₽]|[^\W\d_]{2}"
    r"|[\u3400-\u9fff\uac00-\ud7a3]))"
    r"|\d+)(?:\.\d+)?"
    r"|(?<![A-Za-z0-9_.)])\.\d+)"
    rf"(?:[eE](?P<e>[+-]?\d{{1,2}})(?!\w)|[ \u2009{NOTHING}]*[×x*][ \u2009{NOTHING}]*10(?:"
    rf"\^\{{?(?P<p>[-−]?\d{{1,2}})\}}?|(?P<sup>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)))?"
    r"(?P<ten>(?<=(?<!\d)10)(?:\^\{?(?P<p2>[-−]?\d{1,2})\}?|(?P<sup2>⁻[⁰¹²³⁴⁵⁶⁷⁸⁹]+|[³⁴⁵⁶⁷⁸⁹]"
    r"|[¹²][⁰¹²³⁴⁵⁶⁷⁸⁹])))?"
    r")"
)
_SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−", "0123456789--")
_GROUPING: Final = re.compile(f"[,，\u2009' _{NOTHING}]")


def number_tokens(flat: str) -> list[Token]:
    """The numbers of a text, by where they start, the longer first; those in words may overlap others."""
    found = map(_token, _TOKEN.finditer(flat))
    return sorted((*found, *numerals(flat)), key=lambda token: (token.start, -token.end))


def _token(match: re.Match[str]) -> Token:
    start, end = match.span()
    if match["num"]:
        value = Decimal(_GROUPING.sub("", match["num"]))
        power = match["e"] or match["p"] or match["sup"]
        if match["ten"]:
            value, power = Decimal(1), match["p2"] or match["sup2"]
        return Token(start, end, value.scaleb(int(power.translate(_SUPERSCRIPTS))) if power else value)
    if match["version"]:
        return Token(start, end, Decimal(match["version"].partition(".")[0]), code=True)
    if match["whole"]:
        return Token(start, end, Decimal(match["whole"]) + Decimal(match["n"]) / Decimal(match["d"]))
    if match["vulgar"]:
        part = Decimal(unicodedata.numeric(match["vulgar"][-1])).quantize(Decimal("1e-12")).normalize()
        return Token(start, end, Decimal(match["vw"] or 0) + part)
    divisor = Decimal(match["fd"])
    share = match.string.startswith((" of", "的"), end) and divisor > Decimal(match["fn"])
    part = Decimal(match["fn"]) / divisor if divisor else Decimal(0)
    return Token(start, end, part * 100 if share else part, share=share)
