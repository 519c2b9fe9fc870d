"""How the digits of a number are written: decimal commas and points, and TeX, rewritten in place.

No character moves, so that every place stays that of the text. What two conventions write alike (``12,4``;
``3.412``) is read by the comma in a text whose language writes it (CLDR), or where the caller says so.
"""

from __future__ import annotations

import re
from typing import Final

from verifaible.text.cldr import words_of
from verifaible.text.flat import flatten
from verifaible.text.language import language_of
from verifaible.text.units import currency_before, unit_at

_START, _END = r"(?<![\d.,])", r"(?!\d|[.,]\d)"
#: Numbers that only one convention writes: a point, or a comma, behind a group or behind nought.
_ONLY_POINT: Final = re.compile(rf"{_START}(?:0|[1-9]\d{{0,2}}(?:,\d{{3}})+)\.\d+{_END}")
_ONLY_COMMA: Final = re.compile(rf"{_START}(?:0|[1-9]\d{{0,2}}(?:\.\d{{3}})+),\d+{_END}")
_CERTAIN: Final = re.compile(
    rf"{_START}[1-9]\d{{0,2}}(?:\.\d{{3}})+,(?:\d{{1,2}}|\d{{4,}}){_END}"
    rf"|{_START}[1-9]\d{{0,2}}(?:\.\d{{3}}){{2,}}{_END}"
    rf"|{_START}(?<!\d[ \u2009])[1-9]\d{{0,2}}(?:[ \u2009]\d{{3}})+,\d{{1,2}}{_END}|{_START}0,\d+{_END}"
)
_BY_COMMA: Final = re.compile(
    rf"{_START}[1-9]\d{{0,2}}(?:\.\d{{3}})+(?:,\d+)?{_END}|{_START}\d+,\d+{_END}"
    rf"|{_START}(?<!\d[ \u2009])[1-9]\d{{0,2}}(?:[ \u2009]\d{{3}})+,\d+{_END}"
)
#: Words and signs for per cent before a number, of which none is before the sign; a blank is told by CLDR.
_PERCENT_BEFORE: Final = re.compile(
    r"(?:百分之|\byüzde ?|(?<!\d)(?<!\d[ \u2009])%(?P<blank>[ \u2009]?))\Z", re.IGNORECASE
)
_YEAR: Final = re.compile(r"(?:19|20)\d\d(?![\d.,])")
_SHORT_COMMA: Final = re.compile(r"(?<![\d.,])\d{1,3}(?:\.\d{3})*,\d{1,2}(?!\d|[.,]\d)")
_SWAP: Final = str.maketrans({".": ",", ",": ".", " ": "\u2009"})


def decimal_comma_of(*texts: str) -> bool | None:
    """Whether a text has a decimal comma; the first that tells decides, by language or numbers."""
    for text in texts:
        if language := language_of("", text):
            return words_of(language).comma
        if balance := len(_ONLY_COMMA.findall(text)) - len(_ONLY_POINT.findall(text)):
            return balance > 0
    return None


def shows_comma(text: str) -> bool:
    """Whether a text without words, such as a table cell, has a number like ``12,4``."""
    return bool(_SHORT_COMMA.search(flatten(text)))


def percent_before(flat: str, at: int, languages: tuple[str, ...], floor: int = 0) -> str:
    """What says "per cent" right before a number: words, the sign, and with a blank where CLDR has it so."""
    match = _PERCENT_BEFORE.search(flat, max(floor, at - 12), at)
    if match is None or (match["blank"] and _YEAR.match(flat, at)):
        return ""
    written = not match["blank"] or any(words_of(language).percent_first for language in languages)
    return match[0] if written else ""


def with_points(flat: str, languages: tuple[str, ...], *, comma: bool | None) -> str:
    """The text with a decimal point in its decimal-comma numbers; no character moves.

    What two conventions write alike (``12,4``, ``3.412``) is read by the comma where ``comma`` says so; else
    only a number that is no list, since a scale, a unit or a currency stands at it.
    """
    if "," not in flat and "." not in flat:
        return flat
    rewritten = (_BY_COMMA if comma else _CERTAIN).sub(_rewritten, flat)
    if comma:
        return rewritten

    def measured(match: re.Match[str]) -> str:
        behind = unit_at(match.string, match.end(), languages)
        told = behind.name or behind.scale != 1 or currency_before(match.string, match.start())[0]
        told = told or percent_before(match.string, match.start(), languages)
        return match[0].translate(_SWAP) if told else match[0]

    return _SHORT_COMMA.sub(measured, rewritten)


def _rewritten(match: re.Match[str]) -> str:
    parts = match[0].split(".")
    if len(parts) == 4 and "," not in match[0] and all(int(part) < 256 for part in parts):
        return match[0]  # an internet address
    return match[0].translate(_SWAP)


# --- TeX

#: Stands for a character that is not painted.
NOTHING: Final = "\u2060"
_MATH: Final = re.compile(r"\$(?=\S)([^$\n]{0,60}[\\{][^$\n]{0,60}|[\d.,]+)(?<=\S)\$(?!\d)")
_TEX: Final = re.compile(
    r"\{,\}|\\[,;: !]|\\[%$#&]|\\(?:mathrm|text|textrm|mathbf|operatorname)\{([^{}]*)\}|\\(?:times"
    r"|cdot)(?![a-z])"
)


def without_tex(flat: str) -> str:
    """The text with TeX's separators and commands as what they paint, in as many characters."""
    flat = _MATH.sub(lambda match: f"{NOTHING}{match[1]}{NOTHING}", flat)
    return _TEX.sub(_painted, flat)


def _painted(match: re.Match[str]) -> str:
    written = match[0]
    if written == "{,}":
        painted = ","
    elif match[1] is not None:
        painted = match[1]
    elif written.startswith(("\\times", "\\cdot")):
        painted = "×"
    else:
        painted = written[1] if written[1] in "%$#&" else "\u2009"
    return painted.rjust(len(written), NOTHING) if written != "{,}" else f"{NOTHING},{NOTHING}"
