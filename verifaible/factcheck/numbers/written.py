"""Numbers in forms that :mod:`verifaible.old.numbers` does not know: read and masked in place.

Groups of India (``12,34,567``), underscores, a single group parted by a blank (``1 024``), decimal commas
that can be nothing else (``0,75 %``), shares in words (``two-thirds``, ``one in five``, ``四分之一``),
dozens, and ranks (``third-largest``, ``#3``, ``第三大``).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from verifaible.text.lists import has_any, parted
from verifaible.text.numerals import parse_zh

#: ``number`` a number as it is; ``share`` a part of a whole, in per cent; ``rank`` a place in an order.
WrittenKind: TypeAlias = Literal["number", "share", "rank"]

_ONES: Final = {
    word: index
    for index, word in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], start=1
    )
} | {"eleven": 11, "twelve": 12}
_ORDINALS: Final = {
    word: index
    for index, word in enumerate(
        parted("first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth"), start=1
    )
}
_PARTS: Final = {
    **{"half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8},
    **{"ninth": 9, "tenth": 10, "twentieth": 20, "hundredth": 100, "thousandth": 1000, "halve": 2},
}
_ONE: Final = "|".join(_ONES)
_ORDINAL: Final = "|".join(_ORDINALS)
_ZH: Final = "零一二两三四五六七八九十百千万"


@dataclass(frozen=True, slots=True)
class Written:
    """A number as it is written in a text, and what it is."""

    start: int
    end: int
    value: Decimal
    kind: WrittenKind = "number"


_Reader: TypeAlias = Callable[[re.Match[str]], tuple[Decimal, WrittenKind] | None]


def _ungrouped(match: re.Match[str]) -> tuple[Decimal, WrittenKind]:
    return Decimal(re.sub(r"[^\d.]", "", match[0])), "number"


def _comma(match: re.Match[str]) -> tuple[Decimal, WrittenKind]:
    return Decimal(match[0].replace(",", ".")), "number"


def _blank_groups(match: re.Match[str]) -> tuple[Decimal, WrittenKind]:
    return Decimal(re.sub(r"[^\d,]", "", match[0]).replace(",", ".")), "number"


def _part(match: re.Match[str]) -> tuple[Decimal, WrittenKind] | None:
    """A fraction in words or digits: in per cent, or as a number where a unit stands behind it."""
    found = match.groupdict()
    count = _count(found.get("n") or "")
    parts = _PARTS.get((found.get("d") or "").lower().removesuffix("s"), 0) or _count(found.get("of") or "")
    if not parts or not 0 < count < parts:
        return None
    if found.get("unit"):
        return Decimal(count) / parts, "number"
    return Decimal(100 * count) / parts, "share"


def _count(word: str) -> int:
    lowered = word.lower()
    return int(word) if word.isdigit() else _ONES.get(lowered, 1 if lowered in ("a", "an", "") else 0)


def _dozens(match: re.Match[str]) -> tuple[Decimal, WrittenKind]:
    if match["half"]:
        return Decimal(6), "number"
    return Decimal(12 * _count(match["n"] or "a")), "number"


def _zh_part(match: re.Match[str]) -> tuple[Decimal, WrittenKind] | None:
    whole, part = (
        Decimal(word) if re.fullmatch(r"[\d.]+", word) else parse_zh(word)
        for word in (match["d"].replace("万", "一万"), match["n"])
    )
    return (part * 100 / whole, "share") if whole > part > 0 else None


def _tenths(match: re.Match[str]) -> tuple[Decimal, WrittenKind]:
    tenths = Decimal(match["n"]) if match["n"].isdigit() else parse_zh(match["n"])
    return tenths * 10 + (5 if match["half"] else 0), "share"


def _fixed(value: str, kind: WrittenKind) -> _Reader:
    return lambda match: (Decimal(value), kind)


def _and_half(match: re.Match[str]) -> tuple[Decimal, WrittenKind]:
    return Decimal(_count(match["n"])) + Decimal("0.5"), "number"


def _power(match: re.Match[str]) -> tuple[Decimal, WrittenKind]:
    return Decimal(100 if match["hundred"] else 1), "number"


def _rank(match: re.Match[str]) -> tuple[Decimal, WrittenKind] | None:
    word = next(filter(None, match.groups()))
    rank = int(word) if word.isdigit() else _ORDINALS.get(word.lower(), 0)
    if not rank and re.fullmatch(rf"[{_ZH}]+", word):
        rank = int(parse_zh(word))
    return (Decimal(rank), "rank") if 0 < rank < 100_000 else None


#: What names a part of a year, and not a share: "the first half of 2025", "three quarters of the year".
_NO_PERIOD: Final = (
    r"(?! (?:of |in )?(?:the )?(?:(?:19|20)\d\d\b|fiscal|FY|year|last year|this year|next year))"
)
_NO_LEAD: Final = r"(?<![\w-])(?<!first )(?<!second )(?<!latter )(?<!other )(?<!next )(?<!last )(?<!past )"
_OF: Final = rf"(?= (?:of|the|all|its|their|our|his|her)\b){_NO_PERIOD}"
#: What may stand before a blank that groups: the beginning, a word that leads up to a number, or a currency.
_LEADS: Final = (
    r"(?:\A|(?<=[$€£¥(:=~≈])|(?<=\bof )|(?<=\bto )|(?<=\bat )|(?<=\bhas )|(?<=\bhad )|(?<=\bwas )"
    r"|(?<=\bhave )|(?<=\bwere )|(?<=\bwith )|(?<=\bare )|(?<=\bis )|(?<=\babout )|(?<=\bover )|(?<=\bthan )"
    r"|(?<=\bby )|(?<=\bfrom )|(?<=\bnearly )|(?<=\bsome )|(?<=\band )|(?<=\bthe )|(?<=\balmost )"
    r"|(?<=\breached )|(?<=\bheld )|(?<=\bholds )|(?<=\bfor )|(?<=[\u3400-\u9fff]))"
)
_UNIT_BEHIND: Final = (
    r"(?=[ \u2009\u00a0\u202f]?(?:[%‰€£$¥]|per ?cent|percent|pp\b|bps?\b|EUR\b|USD\b|Mio|Mrd"
    r"|[mb]illion|[亿万])|[kKMB]\b)"
)
_SUPERLATIVE: Final = (
    r"(?:largest|biggest|highest|lowest|smallest|most|best|worst|longest|fastest|busiest|strongest|top|ranked"
    r"|greatest|richest|cheapest|leading|oldest|youngest|least|slowest)"
)
_PART_WORDS: Final = tuple(_PARTS)
#: What each way of writing is, with parts of it in lower case of which a text must have one.
# fmt: off
_WAYS: Final[tuple[tuple[tuple[str, ...], re.Pattern[str], _Reader], ...]] = tuple(
    (roots, re.compile(pattern, re.IGNORECASE), reader)
    for roots, pattern, reader in (
        (("half a",), r"\bhalf an?(?= (?:percentage|billion|million|trillion|per ?cent|basis))",
         _fixed("0.5", "number")),
        ((",",), r"(?<![\d.,])(?<!\d[ \u2009\u00a0\u202f])[1-9]\d{0,2}(?:[ \u2009\u00a0\u202f]\d{3})+,\d{1,2}"
         r"(?![\d,])(?!\.\d)", _blank_groups),
        ((",",), r"(?<![\d.,'’_])\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?(?![\d,'’_])(?!\.\d)", _ungrouped),
        (("_",), r"(?<![\w.,])\d{1,3}(?:_\d{3})+(?:\.\d+)?(?![A-Za-z0-9_,])", _ungrouped),
        ((",",), r"(?<![\d.,\[(])0,\d+(?![\d,\])])(?!\.\d)", _comma),
        ((",",), rf"(?<![\d.,])(?<!\d[ \u2009\u00a0\u202f])[1-9]\d{{0,2}},\d{{1,2}}(?![\d,])"
         rf"(?!\.\d){_UNIT_BEHIND}", _comma),
        ((",",), r"(?<=[$€£¥])[1-9]\d{0,2},\d{1,2}(?![\d,])(?!\.\d)", _comma),
        # a group that begins with a nought is no number of its own
        ((" 0",), r"(?<![\w.,/:-])(?<![\w.,][  ])[1-9]\d{0,2}[  ]0\d\d(?:\.\d+)?(?![\w,/:-])(?![  ]\d)",
         _ungrouped),
        ((" ",), rf"{_LEADS}[1-9]\d{{0,2}} \d{{3}}(?:\.\d+)?(?= ?[a-z%]{{2,}}| ?(?:[kKMB]\b"
         rf"|[\u3400-\u9fff]))(?! \d)", _ungrouped),
        (_PART_WORDS, rf"(?<![\w-])(?P<n>an?|{_ONE})[ -](?P<d>half|third|quarter|fourth|fifth|eighth|tenth)s?"
         rf"(?P<unit> of an?) (?=percent|per cent|[bmt]r?illion|basis)", _part),
        (_PART_WORDS, rf"(?<![\w-])(?P<n>{_ONE}|\d{{1,2}})[ -](?P<d>(?:third|fourth|fifth|sixth|seventh"
         rf"|eighth|ninth|tenth"
         rf"|twentieth|hundredth)s)\b{_NO_PERIOD}", _part),
        (_PART_WORDS, rf"{_NO_LEAD}(?P<n>an?|one)[ -](?P<d>third|fourth|fifth|sixth|seventh|eighth|ninth"
         rf"|tenth|twentieth"
         rf"|hundredth|thousandth|quarter)\b(?= of\b){_NO_PERIOD}", _part),
        (("quarters",), rf"{_NO_LEAD}(?P<n>two|three)[ -](?P<d>quarters)\b(?= of\b){_NO_PERIOD}", _part),
        (("half",), rf"{_NO_LEAD}(?P<n>one[ -]|a )?(?P<d>half)\b(?! an?\b){_OF}", _fixed("50", "share")),
        ((" in ", " out of ", "in every"),
         rf"(?<![\w.,$-])(?P<n>{_ONE}|\d{{1,2}}) (?:in|out of)(?: every)? (?P<of>{_ONE}"
         rf"|\d{{1,2}})(?![\w.,%-])"
         r"(?! (?:days?|weeks?|months?|years?|hours?|minutes?|quarters?|of\b))(?= \w)", _part),
        (("/",), r"(?<![\w/.])(?P<n>\d{1,2})/(?P<of>\d{1,2})(?![\w/.])(?= of\b|的)", _part),
        (("dozen",), rf"\b(?:(?P<half>half a )|(?P<n>an?|{_ONE}) )dozen\b(?! of\b)", _dozens),
        ((" and a half",),
         rf"(?<![\w-])(?P<n>{_ONE}|\d{{1,3}}) and a half\b(?= (?:[bmt]r?illion|percent|times))", _and_half),
        (("hundred", "thousand", "illion"),
         r"(?<![\w-])an?(?: (?P<hundred>hundred)\b(?! (?:and|thousand|million))| ?(?= (?:thousand"
         r"|[bmt]r?illion)\b))", _power),
        (("nil",), r"\bnil\b", _fixed("0", "number")),
        (("零",), r"零(?=手续费|费用|费率|成本|增长|利率|利息|佣金)", _fixed("0", "number")),
        (("分之",),
         rf"(?P<d>(?!百分|千分)[{_ZH}]{{1,3}}|\d{{1,3}})分之(?P<n>[{_ZH}]{{1,3}}|\d{{1,3}}(?:\.\d+)?)",
         _zh_part),
        (("成",),
         r"(?P<n>[一二三四五六七八九])成(?P<half>半)?(?=的|以上|左右|[^\w]|\Z|供应|用户|节点|持|收入)",
         _tenths),
        (("一半", "半数"), r"(?<![另前后上下])(?:一半|半数)(?!年|时间|会)", _fixed("50", "share")),
        (("first", "second", "third", "th-", "th ", "st-", "st ", "nd-", "nd ", "rd-", "rd "),
         rf"(?<![\w-])(?:({_ORDINAL})|(\d{{1,4}})(?:st|nd|rd|th))[- ](?={_SUPERLATIVE}\b)", _rank),
        (("rank", "place"),
         rf"(?<=\brank )(?:({_ORDINAL})\b)|(?<=\branks )(?:({_ORDINAL})\b)|(?<=\branked )(?:"
         rf"({_ORDINAL})\b)", _rank),
        (("rank",), r"(?:(?<=\brank )|(?<=\branks )|(?<=\branked )|(?<=\branking ))(?:#|No\. ?|number )?"
         r"(\d{1,4})(?:st|nd|rd|th)?(?![\w.,%])", _rank),
        (("#",), r"(?<![\w#&/])#(\d{1,4})(?![\w.,])", _rank),
        (("第", "排名"), rf"(?:排名)?第([{_ZH}]{{1,3}}|\d{{1,4}})(?=大|高|多|低|位|名|[。，,；]|\Z)", _rank),
    )
)
# fmt: on


#: Parts of what is written so in words, in lower case: without any of them, and without digits as below,
#: no pattern needs a try.
_WORDED: Final = parted(
    "half|third|quarter|ourth|ifth|ixth|enth|ighth|ninth|lfth|redth|tieth|usandth|first|"
    "second|dozen|nil|rank|a hundred|a thousand|a million|a billion|a trillion|out of|"
    "one in|in every|in two|in three|in four|in five|in six|in seven|in eight|in nine|"
    "in ten|in eleven|in twelve|分之|一半|半数|零|成|第"
)
_DIGIT: Final = re.compile(r"\d")
_ODD_DIGITS: Final = re.compile(
    r"\d(?:,\d\d?(?!\d)|_\d{3}|[ \u00a0\u2009\u202f]\d{3}(?!\d)|/\d| in \d|st\b|nd\b|rd\b|th\b)|#\d"
    r"|(?<![\d.,])0,\d"
)


def may_be_written(lowered: str) -> bool:
    """Whether a text in lower case may hold such a number."""
    if has_any(lowered, _WORDED):
        return True
    return _DIGIT.search(lowered) is not None and _ODD_DIGITS.search(lowered) is not None


@lru_cache(maxsize=2048)
def written(text: str) -> tuple[Written, ...]:
    """The numbers of a text that are written in one of these ways, in order; they do not overlap."""
    lowered = text.lower()
    if not may_be_written(lowered):
        return ()
    found: list[Written] = []
    for roots, pattern, reader in _WAYS:
        if not has_any(lowered, roots):
            continue
        for match in pattern.finditer(text):
            start, end = match.span()
            if any(each.start < end and start < each.end for each in found):
                continue
            if read := reader(match):
                found.append(Written(start, end - len(match[0]) + len(match[0].rstrip(" -")), *read))
    return tuple(sorted(found, key=lambda each: each.start))


def masked(text: str, found: tuple[Written, ...]) -> str:
    """The text with each of these numbers as one run of digits, so that no character moves."""
    parts: list[str] = []
    at = 0
    for each in found:
        parts += [text[at : each.start], "1".ljust(each.end - each.start, "0")]
        at = each.end
    return "".join((*parts, text[at:]))
