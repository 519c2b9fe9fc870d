"""What folding cannot see: whether two texts that fold alike also say the same.

White space is dropped when text is folded, and a match may begin or end anywhere. So "36" stands
in "136", "123" in "12 3", "0.7" in "-0.7", "notable" in "not able", "同意" in "不同意". Every exact
match passes :func:`objection` before it counts as exact.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, TypeAlias

from verifaible.anchoring.fold import Folded, fold, footnote_marks

#: Why a match is not exact; "" when it is.
Objection: TypeAlias = Literal["", "number", "word", "negation"]

#: Code points of the page that are read on either side of a match.
_MARGIN = 64
_SUPERSCRIPT = "⁰¹²³⁴-⁹⁺⁻"
# Digits that a separator joins without a blank are one number, date, time or ratio. A hyphen
# right before a number is its sign, unless it stands between two digits.
_NUMBER = re.compile(
    r"(?:[+\-±]|(?<![\d)])(?<![\d)][ \u00a0])−[ \u00a0]?|−)?"
    r"(?:(?<!\w)[.](?=\d))?\d+"
    r"(?:[.,:'/·\-−]\d+|(?<=[０-９])，(?=[０-９])\d+|\u00a0\d{3}(?!\d))*"
    rf"[{_SUPERSCRIPT}]*[¼-¾⅐-⅞]?"
)
#: Thousands parted by ordinary blanks.
_GROUPED = re.compile(r"(?<![\d.,])(\d{1,3})((?:[ \u00a0]\d{3})+)(?!\d)")
#: The same where the words around show that it is one number, not two columns.
_GROUPED_IN_PROSE = re.compile(
    r"(?<![\d.,%])(?<!\d )\d{1,3}(?:[ \u00a0]\d{3})+(?!\d|[ \u00a0]\d)(?= ?[^\W\d_]| ?[%€$£¥])"
)
#: Where a number goes on over a line end: behind the comma of its thousands, behind the hyphen of a
#: range, or behind a point if a per cent sign or a Chinese unit follows its decimals.
_BROKEN_NUMBER = re.compile(
    r"(?<=\d,)\n(?=\d{3}(?!\d))|(?<=\d-)\n(?=\d)|(?<=\d\.)\n(?=\d{1,4}(?:%|[\u4e00-\u9fff]))"
)
#: "minus 5", 负5: the sign is a word of its own.
_SIGN_IN_WORDS = re.compile(r"(?:负|負|\b(?:minus|negative)\s)\s*\Z")
#: HK$5 is not $5.
_CURRENCY_SIGNS = frozenset("$£¥")
_CURRENCY_PREFIX = re.compile(r"(?<![a-z])[a-z]{1,3}\Z")
#: 3.5万 of 3.5万亿, 14亿 of 14亿489万: the number goes on in another scale.
_SCALE_AT_END = re.compile(r"[\d十百千][万萬亿億]\Z")
_SCALE_GOES_ON = re.compile(r"[亿億]|\d")
_CHINESE_DIGITS = frozenset("一二三四五六七八九十百千零〇两")

_NEGATION = re.compile(r"\b(?:not|no|never|cannot|neither|nor|none|without|nowhere|nothing|nobody)\b|n't\b")
_NEGATION_BEFORE = re.compile(
    r"(?:\b(?:not|never|cannot|without|neither|nor|nicht|keine?[nmrs]?|не|нет)|n't|\bno)\s+\Z"
    r"|\b(?:non|un|anti|counter)-\s*\Z"
    r"|(?<![南北东西中是])非\s*\Z"
    r"|(?:不|(?<![出沉淹埋吞隐])没|(?<![出沉淹埋吞隐])沒|未|没有|沒有|并非|並非|绝非|无法|無法|不是|不会|不能|不得)\s*\Z"
)
_NEGATION_AFTER = re.compile(r"\s*(?:ない|なかった|ません|지\s?않|지\s?못)")


def objection(page: str, start: int, end: int, quote: str, *, broken_lines: bool = False) -> Objection:
    """Why ``page[start:end]``, which folds like ``quote``, does not say the same.

    "number": a number is cut off at an edge, or its digits are parted otherwise; "word": a word
    of a script with blanks is cut off; "negation": a negation is left out right beside the
    match, or words run together otherwise around one. With ``broken_lines``, as in a PDF, a number may
    go on over a line end behind its separator.
    """
    soft, first, last = _window(page, start, end)
    asked = fold(quote, drop_superscripts=True, keep_space=True).text
    if _other_footnote(page, start, end, quote):
        return "number"
    found = soft.text[first:last]
    same = _same_numbers(found, asked)
    if broken_lines and not same:
        same = _same_numbers(_BROKEN_NUMBER.sub("", found), asked)
    if not same or _cuts_number(soft.text, first, last):
        return "number"
    if _cuts_word(soft.text, first, last):
        return "word"
    if _leaves_out_negation(soft.text, first, last) or not _same_negations(soft.text[first:last], asked):
        return "negation"
    return ""


def widen(page: str, start: int, end: int) -> tuple[int, int]:
    """The span with the numbers, words and negations that its edges cut, for showing it."""
    soft, first, last = _window(page, start, end)
    text = soft.text
    negation = _NEGATION_BEFORE.search(text, 0, first)
    new_first = negation.start() if negation else first
    after = _NEGATION_AFTER.match(text, last)
    new_last = after.end() if after else last
    for pattern in (_NUMBER, _GROUPED_IN_PROSE):
        for match in pattern.finditer(text):
            if match.start() < last and match.end() > first:
                new_first, new_last = min(new_first, match.start()), max(new_last, match.end())
    while new_first > 0 and _within_word(text, new_first):
        new_first -= 1
    while new_last < len(text) and _within_word(text, new_last):
        new_last += 1
    if new_last <= new_first:
        return start, end
    low = max(0, start - _MARGIN)
    wide_start, wide_end = soft.span(new_first, new_last)
    return min(start, low + wide_start), max(end, low + wide_end)


def _window(page: str, start: int, end: int) -> tuple[Folded, int, int]:
    """The match with its surroundings, blanks kept, and where it begins and ends in that."""
    low = max(0, start - _MARGIN)
    soft = fold(page[low : end + _MARGIN], drop_superscripts=True, keep_space=True)
    return soft, soft.index(start - low), soft.index(end - low)


def _other_footnote(page: str, start: int, end: int, quote: str) -> bool:
    """Whether the quote names a footnote and the page, at the same words, only others."""
    asked = [fold(quote[first:last]).text for first, last in footnote_marks(quote)]
    if not asked:
        return False
    low = max(0, start - 1)  # a mark is one only behind something
    around = page[low : end + 12]
    marks = [(first, last) for first, last in footnote_marks(around) if first <= end - low]
    found = iter([fold(around[first:last]).text for first, last in marks])
    return bool(marks) and not all(mark in found for mark in asked)


def _cuts_number(text: str, first: int, last: int) -> bool:
    if text[first : first + 1].isdecimal() and _SIGN_IN_WORDS.search(text, 0, first):
        return True
    if text[first : first + 1] in _CURRENCY_SIGNS and _CURRENCY_PREFIX.search(text, 0, first):
        return True
    if _SCALE_AT_END.search(text, first, last) and _SCALE_GOES_ON.match(text, last):
        return True
    for pattern in (_NUMBER, _GROUPED_IN_PROSE):
        for match in pattern.finditer(text):
            before = match.start() < first < match.end() and text[match.start() : first] != "+"
            if before or match.start() < last < match.end():
                return True
    if last < len(text) and re.match(f"[{_SUPERSCRIPT}]", text[last]):
        return True  # an exponent: footnote marks are gone already
    return any(
        0 < edge < len(text) and text[edge - 1] in _CHINESE_DIGITS and text[edge] in _CHINESE_DIGITS
        for edge in (first, last)
    )


def _numbers(text: str) -> list[str]:
    found = (unicodedata.normalize("NFKC", match.group()) for match in _NUMBER.finditer(text))
    return [re.sub(r"\s", "", number).replace("−", "-") for number in found]


def _same_numbers(found: str, asked: str) -> bool:
    if _numbers(found) == _numbers(asked):
        return True
    return _numbers(_grouped(found)) == _numbers(_grouped(asked))


def _grouped(text: str) -> str:
    return _GROUPED.sub(lambda match: re.sub(r"\s", "", match.group()), text)


def _spaced(char: str) -> bool:
    """Whether a character is part of words that blanks part: a letter, mark or digit, not CJK."""
    if char.isdecimal():
        return True
    if "\u0e00" <= char <= "\u0eff" or "\u1000" <= char <= "\u109f" or "\u1780" <= char <= "\u17ff":
        return False
    if "\u1100" <= char <= "\u11ff" or "\u2e80" <= char <= "\ud7fb" or "\uf900" <= char <= "\ufaff":
        return False
    return unicodedata.category(char)[0] in "LM" and char < "\U00020000"


def _within_word(text: str, edge: int) -> bool:
    """Whether a word goes on over an edge of a match."""
    if not 0 < edge < len(text):
        return False
    if _spaced(text[edge - 1]) and _spaced(text[edge]):
        return True
    return text[edge - 1] == "n" and text[edge : edge + 2] == "'t"


def _cuts_word(text: str, first: int, last: int) -> bool:
    return _within_word(text, first) or _within_word(text, last)


def _leaves_out_negation(text: str, first: int, last: int) -> bool:
    before = _NEGATION_BEFORE.search(text, 0, first)
    if before and not (before.group().strip() == "no" and text[first].isdecimal()):  # "No 5"
        return True
    return _NEGATION_AFTER.match(text, last) is not None


def _same_negations(found: str, asked: str) -> bool:
    return len(_NEGATION.findall(found)) == len(_NEGATION.findall(asked))
