"""Numbers written with a decimal comma, rewritten in place with a decimal point.

``1.638,50`` and ``2.000.000`` cannot mean anything else and are always read so. What two
conventions write alike (``12,4``; ``3.412``) is read by the comma only in a text whose words are of a
language that writes it (CLDR 46, decimal symbol ``,`` and grouping ``.``), or where the caller says so.
"""

from __future__ import annotations

import re
from typing import Final

from verifaible.old.text.units import CURRENCY_BEFORE, PERCENT_BEFORE, unit_at

#: Frequent words of languages with a decimal comma, without those that English has too.
_COMMA_WORDS: Final = re.compile(
    # German, Dutch
    r"\b(?:der|das|den|dem|des|und|ist|sind|nicht|von|vom|zum|zur|für|mit|auf|bei|wird|werden|wurden?|eine[mnr]?"
    r"|ein|nach|über|gemäß|beträgt|betrug|liegt|lag|prozent|jahre?|monate|het|een|van|voor|werd"
    # French, Spanish, Italian, Portuguese
    r"|le|les|du|aux?|est|sont|une|pour|avec|dans|par|el|l[ao]s|del|es|son|una|por|para|con|il|lo|gli|della|dei"
    r"|è|di|che|nel|d[ao]s|em|é|são|uma|um)\b"
)
_POINT_WORDS: Final = re.compile(
    r"\b(?:the|of|and|is|are|was|were|to|for|with|by|at|from|that|this|its?|which|per|be|been|has|had)\b"
)
_SHOWN: Final = re.compile(r"(?<![\d.,])\d{1,3}(?:\.\d{3})*,\d{1,2}(?!\d|[.,]\d)")

_END = r"(?!\d|[.,]\d)"
_START = r"(?<![\d.,])"
_CERTAIN = re.compile(
    rf"{_START}[1-9]\d{{0,2}}(?:\.\d{{3}})+,(?:\d{{1,2}}|\d{{4,}}){_END}"
    rf"|{_START}[1-9]\d{{0,2}}(?:\.\d{{3}}){{2,}}{_END}"
)
_BY_COMMA = re.compile(
    rf"{_START}[1-9]\d{{0,2}}(?:\.\d{{3}})+(?:,\d+)?{_END}|{_START}\d+,\d+{_END}|"
    # grouped by blanks, as French and DIN 1333 do
    rf"{_START}(?<!\d[ \u2009])[1-9]\d{{0,2}}(?:[ \u2009]\d{{3}})+,\d+{_END}"
)
#: What says before a number what it counts.
_MEASURE_BEFORE: Final = re.compile(rf"(?:{CURRENCY_BEFORE}|(?:{PERCENT_BEFORE}))\Z")
#: Numbers that only one convention writes: a point, or a comma, behind a group or behind nought.
_POINT_NUMBER: Final = re.compile(rf"{_START}(?:0|[1-9]\d{{0,2}}(?:,\d{{3}})+)\.\d+{_END}")
_COMMA_NUMBER: Final = re.compile(rf"{_START}(?:0|[1-9]\d{{0,2}}(?:\.\d{{3}})+),\d+{_END}")
_SWAP = str.maketrans({".": ",", ",": ".", " ": "\u2009"})


def decimal_comma_of(*texts: str) -> bool | None:
    """Whether a text has a decimal comma; the first text that tells decides.

    Its words tell, by their language. One word may be a name ("par value"): a number that can be read in one
    way only (``0.001``; ``1.234,5``) then tells more. None where nothing has more of one side.
    """
    for text in texts:
        lowered = text.lower()
        words, numbers = (
            len(comma.findall(lowered)) - len(point.findall(lowered))
            for comma, point in ((_COMMA_WORDS, _POINT_WORDS), (_COMMA_NUMBER, _POINT_NUMBER))
        )
        if told := (words if abs(words) > 1 else numbers or words):
            return told > 0
    return None


def shows_comma(flat: str) -> bool:
    """Whether a flattened text without words, such as a table cell, has a number like ``12,4``."""
    return bool(_SHOWN.search(flat))


def with_points(flat: str, *, comma: bool | None) -> str:
    """The same text with a decimal point in its decimal-comma numbers; no character moves.

    ``comma``: read what two conventions write alike by the comma (``12,4``, ``3.412``, ``1,234``); None,
    where nothing tells: only a number that cannot be a list, since it has a scale, a unit or a currency.
    """
    rewritten = (_BY_COMMA if comma else _CERTAIN).sub(_rewritten, flat)
    return _SHOWN.sub(_measured, rewritten) if comma is None else rewritten


def _measured(match: re.Match[str]) -> str:
    behind = unit_at(match.string, match.end())
    told = (
        behind.name
        or behind.scale != 1
        or _MEASURE_BEFORE.search(match.string, max(0, match.start() - 12), match.start())
    )
    return match[0].translate(_SWAP) if told else match[0]


def _rewritten(match: re.Match[str]) -> str:
    number = match[0]
    parts = number.split(".")
    if len(parts) == 4 and "," not in number and all(int(part) < 256 for part in parts):
        return number  # an internet address
    return number.translate(_SWAP)
