"""What stands beside a number: whether it can be read in one way only, ends of ranges, words that fix it."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Final

from verifaible.old.numbers import NumberMention
from verifaible.old.units import CURRENCY_BEFORE, unit_kind

#: What tells a move from a level to another, and not a range between them.
_MOVES: Final = re.compile(
    r"\b(?:ris(?:e[ns]?|ing)|rose|f[ae]ll\w*|drop\w*|declin\w*|decreas\w*|increas\w*|climb\w*|jump\w*|surg\w*"
    r"|gain\w*|gr[eo]w\w*|up|down|cut\w*|lower\w*|rais\w+|lift\w*|hik\w+|sl[iu]\w*|dip\w*|mov\w+|went|go(?:es|ing)?"
    r"|chang\w+|shift\w*|expan\w*|shr\w+|reduc\w*|improv\w*|adjust\w*|revis\w*|bump\w*|boost\w*|doubl\w*|tripl\w*"
    r"|advanc\w*|eas(?:e[ds]?|ing)|edg\w+|soar\w*|plu\w+|tumbl\w*|sank|re[bcp]o\w+|upgrad\w*|sw[iu]ng\w*|turn\w*"
    r"|scal\w+|ramp\w*|tick\w*|pull\w*|push\w*|drift\w*|transition\w*|migrat\w*|taper\w*|halv\w*|compress\w*"
    r"|widen\w*|narrow\w*|contract\w*|trim\w*|slash\w*|crash\w*|rall\w+|broke|bounc\w+|spik\w+|add\w*|los[tse]\w*)\b"
    r"|[升降涨跌增减调变改扩缩提]|下滑|回落|走",
    re.IGNORECASE,
)
_RANGING: Final = re.compile(
    r"\b(?:rang(?:es?|ed|ing)|anywhere|var(?:y|ies|ied)|vary\w*|span\w*)\b|区间|范围|不等", re.IGNORECASE
)
_TO: Final = re.compile(rf"\s?(?:to|至|到|-)\s?(?:{CURRENCY_BEFORE})?", re.IGNORECASE)


def as_ranges(flat: str, mentions: list[NumberMention]) -> list[NumberMention]:
    """Mark "from 3 to 4" as a range where nothing moves, and give both ends of a range scale and currency."""
    values = [at for at, mention in enumerate(mentions) if mention.role in ("value", "range")]
    for first, second in pairwise(values):
        one, other = mentions[first], mentions[second]
        between = _TO.fullmatch(flat, one.end, other.start)
        if one.earlier and between and one.scaled_value < other.scaled_value:
            still = len(values) == 2 and not _MOVES.search(flat)
            if still or _RANGING.search(flat, 0, one.start):
                mentions[first] = one = replace(one, role="range", earlier=False)
                mentions[second] = other = replace(other, role="range")
        if (
            one.role != "range"
            or other.role != "range"
            or (one.unit and other.unit and one.unit != other.unit)
        ):
            continue
        if one.scale == 1 != other.scale and abs(one.value) < abs(other.value):
            mentions[first] = one = replace(one, scale=other.scale)
        if one.unit and not other.unit and unit_kind(one.unit) == "money":
            mentions[second] = replace(other, unit=one.unit)
    return mentions


#: What a number that is read whole has not beside it.
_JOINED_BEFORE: Final = re.compile(r"\d[,.'_]?\Z")
_JOINED_AFTER: Final = re.compile(r"[,.'_]?\d")
#: A number of so many digits may be the first group of one that is parted by blanks.
_MOST_GROUP: Final = 3
_GROUP_AFTER: Final = re.compile(r" \d{3}(?![\d.,])")
_RUN: Final = re.compile(r"\d(?:[\d.,'\u2009 ，]*\d)?")
_THREES: Final = re.compile(r"\D*[1-9]\d{0,2}[.,]\d{3}(?![.,]?\d)")
_COMMAS: Final = re.compile(
    r"\d,\d{1,2} ?[%€]|\d\.\d{3},\d{1,2}(?!\d)|(?<![\d.,\[(])0,\d+(?![\d,\])])|[€$£]\d+,\d{1,2}(?!\d)"
)


def is_sure(flat: str, mention: NumberMention, text: str) -> bool:
    """Whether a number can be read in one way only, by what stands around it."""
    digits = _RUN.search(flat, mention.start, mention.end)
    if digits is None:
        return True
    first, last = digits.span()
    if _JOINED_BEFORE.search(flat[max(0, first - 2) : first]) or _JOINED_AFTER.match(flat, last):
        return False
    if last - first <= _MOST_GROUP and _GROUP_AFTER.match(flat, last):
        return False
    return not (_THREES.match(flat[first:last]) and shows_commas(text))


@lru_cache(maxsize=256)
def shows_commas(text: str) -> bool:
    """Whether a text has a number with a decimal comma: ``1.234`` in it can be read in two ways."""
    return "," in text and _COMMAS.search(text) is not None


def in_two_ways(raw: str) -> bool:
    """Whether a number is written as two conventions write different ones: ``1.234``, ``1,234``."""
    return _THREES.match(raw) is not None


_FLOW_BEFORE: Final = re.compile(
    r"(?:\b(?P<o>outflows?|withdrawals?)|\b(?P<i>inflows?)|(?P<zo>流出)|(?P<zi>流入))[^.;,，。；\d]{0,20}\Z",
    re.IGNORECASE,
)
_FLOW_AFTER: Final = re.compile(
    r"(?: (?:of|in|worth of))?(?: (?:net|total|daily|weekly))* (?:(?P<o>outflow)|(?P<i>inflow))s?\b",
    re.IGNORECASE,
)
_RATE_BEFORE: Final = re.compile(
    r"\b(AP[YR])\b(?: (?:of|is|was|at|stands at|near|about))*:? ?\Z", re.IGNORECASE
)
_RATE_AFTER: Final = re.compile(r" ?\(?(?:supply |base |net )?(AP[YR])\b", re.IGNORECASE)


def told_beside(before: str, after: str) -> str:
    """What the words beside a number fix of it."""
    if match := _RATE_AFTER.match(after) or _RATE_BEFORE.search(before):
        return match[1].upper()
    if match := _FLOW_BEFORE.search(before):
        return "out" if match["o"] or match["zo"] else "in"
    if match := _FLOW_AFTER.match(after):
        return "out" if match["o"] else "in"
    return ""
