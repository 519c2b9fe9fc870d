"""Where the numbers of a flat text stand: digits in groups, fractions, powers, and numbers in words.

Only their magnitude is read here; :mod:`verifaible.text.numbers` reads sign, scale, unit and role. Words are
read in Chinese and English, since CLDR has none: a number in others is left open, never guessed.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from verifaible.text.conventions import NOTHING
from verifaible.text.words import DATA


@dataclass(frozen=True, slots=True)
class Token:
    """A number without sign and unit.

    ``code``: a version or an address; ``spelled``: in words; ``share``: a part of a whole, in per cent;
    ``rank``: a place in an order.
    """

    start: int
    end: int
    value: Decimal
    code: bool = False
    spelled: bool = False
    share: bool = False
    rank: bool = False


# --- in Chinese

_ZH_DIGITS: Final = {char: index for index, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_ZH_TENS: Final = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8}
_D: Final = "零〇一二两三四五六七八九"
_ZH: Final = re.compile(rf"(?<![数几])(?:[{_D}十][{_D}十百千万亿]*(?:点[{_D}]+(?:万亿|亿|万)?)?)(?![几数分])")
_ZH_SHARE: Final = re.compile(
    rf"(?!百分|千分)(?P<d>[{_D}十百万]{{1,3}})分之(?P<n>[{_D}十百]{{1,3}})"
    r"|(?<![前另后上下])(?P<half>一半|半数)(?![年会时])"
    r"|(?P<tenths>[一二三四五六七八九])成(?P<and_half>半)?(?![为立长功本交品员果绩就熟分])"
)
_COUNTABLE: Final = re.compile(r"[个家项只笔名位人票元股倍天年分秒]|个?百分点|[万亿]")


def parse_zh(numeral: str) -> Decimal:
    """The value of a Chinese numeral (``三十六``, ``二〇二五``, ``一点五亿``)."""
    whole, _, tail = numeral.partition("点")
    decimals = tail.rstrip("万亿")
    value = Decimal(_zh_integer(whole))
    if decimals:
        value += Decimal("0." + "".join(str(_ZH_DIGITS[char]) for char in decimals))
    for char in tail[len(decimals) :]:
        value *= _ZH_TENS[char]
    return value


def _zh_integer(text: str) -> int:
    if all(char in _ZH_DIGITS for char in text):
        return int("".join(str(_ZH_DIGITS[char]) for char in text))
    total = section = digit = 0
    for char in text:
        if char in _ZH_DIGITS:
            digit = _ZH_DIGITS[char]
            continue
        size = _ZH_TENS[char]
        if size < 10**4:
            section += (digit or 1) * size
        elif size == 10**8:
            total, section = (total + section + digit) * size, 0
        else:
            total, section = total + (section + digit) * size, 0
        digit = 0
    return total + section + digit


def _zh_share(match: re.Match[str]) -> Token:
    if match["half"]:
        percent = Decimal(50)
    elif match["tenths"]:
        percent = parse_zh(match["tenths"]) * 10 + (5 if match["and_half"] else 0)
    else:
        percent = parse_zh(match["n"]) * 100 / (parse_zh(match["d"].replace("万", "一万")) or 1)
    return _spelled(match, percent, share=True)


def _zh_number(match: re.Match[str]) -> Token | None:
    """A run of Chinese numerals that is a number and no part of a word (统一, 万一)."""
    text, before = match[0], match.string[max(0, match.start() - 3) : match.start()]
    after = match.string[match.end() : match.end() + 4]
    if before.endswith(("百分之", "千分之", "第", "负")):
        is_number = True
    elif len(text) == 1:
        counts = not (text == "一" and after.startswith(("个", "位", "年", "天")))
        is_number = counts and bool(_COUNTABLE.match(after)) and not before.endswith(("之", "唯", "统", "同"))
    else:
        is_number = "点" in text or any(char in _ZH_TENS for char in text) or after.startswith("年")
    return _spelled(match, parse_zh(text)) if is_number else None


# --- in English

EN_WORDS: Final[list[str]] = DATA["number_words"]["units"].split()
_TENS: Final[list[str]] = DATA["number_words"]["tens"].split()
EN_VALUES: Final = {word: n for n, word in enumerate(EN_WORDS)} | {
    word: 20 + 10 * n for n, word in enumerate(_TENS)
}
_LARGE: Final[dict[str, int]] = DATA["number_words"]["large"]
_PARTS: Final[dict[str, int]] = DATA["parts"]
_ORDINALS: Final[list[str]] = DATA["number_words"]["ordinals"].split()
_ONE: Final = f"(?:{'|'.join(EN_WORDS[1:10])})"
#: One to ninety-nine.
EN_SUB100: Final = rf"(?:(?:{'|'.join(_TENS)})(?:[- ]{_ONE})?|{'|'.join(EN_WORDS[19:9:-1])}|{_ONE})"
_SUB1000: Final = rf"(?:{_ONE} hundred(?: (?:and )?{EN_SUB100})?|{EN_SUB100})"
_EN: Final = re.compile(
    rf"(?<![\w-])(?=[zotfsena])(?:zero|(?:{_SUB1000}|a(?= (?:{'|'.join(_LARGE)})\b))"
    rf"(?: (?:{'|'.join(_LARGE)})(?:,? (?:and )?{_SUB1000})?)*)"
    rf"(?P<point> point(?: (?:zero|{_ONE}))+)?(?P<half> and a half)?(?!\w"
    r"|[- ](?:halves|thirds|quarters|fourths|fifths|sixths|eighths|tenths|hundredths)\b)",
    re.IGNORECASE,
)
#: "Three quarters of 2025" and "the first half" are periods.
_SHARE: Final = re.compile(
    rf"(?<![\w-])(?=[ahqotfsen])(?<!first )(?<!second )(?<!last )(?<!next )(?:(?P<n>{_ONE}|an?)[- ])?"
    rf"(?P<d>{'|'.join(_PARTS)})s?\b(?=(?P<of> (?:of|the|all|its|their|our)\b)?)"
    r"(?! (?:of |in )?(?:the )?(?:(?:19|20)\d\d\b|fiscal|FY|year|last|this|next|quarter))",
    re.IGNORECASE,
)
_ONE_PRONOUN: Final = re.compile(
    r"(?:the|this|that|any|no|every|which|only|each|another|a) \Z", re.IGNORECASE
)
_ONE_AFTER: Final = re.compile(r" (?:of|another|more|or|thing|day|can|must|should)\b|-", re.IGNORECASE)
#: "One in five", "3 out of 10": no lead for days, and no scores.
_OUT_OF: Final = re.compile(
    rf"(?<![\w.,:$-])(?P<n>{_ONE}|\d{{1,2}}) (?:in|out of)(?: every)? (?P<of>{_ONE}|ten|\d{{1,3}})"
    r"(?![\w.,%-])(?! (?:days?|weeks?|months?|years?|hours?|minutes?|quarters?|of)\b)(?= [^\W\d])",
    re.IGNORECASE,
)
_FEW: Final = re.compile(
    rf"(?<![\w-])(?=[haotfsen])(?:(?P<half>half a )dozen|(?P<n>an?|{_ONE}) dozen"
    r"|an? (?P<size>hundred|thousand))\b(?! (?:of|and|thousand)\b)",
    re.IGNORECASE,
)
#: "Third-largest", "ranked fourth": an ordinal before a superlative or behind its verb.
_RANK: Final = re.compile(
    rf"(?<![\w-])(?=[fsten])(?:(?P<o>{'|'.join(_ORDINALS)})"
    r"(?=[- ](?:\w{3,}est|most|least|worst|leading|top)\b)"
    rf"|(?:(?<=\brank )|(?<=\branks )|(?<=\branked ))(?P<o2>{'|'.join(_ORDINALS)})\b)",
    re.IGNORECASE,
)
#: "Half a percentage point", "a quarter of a million": no share of anything.
_PART_OF: Final = re.compile(r" (?:of )?an? (?=(?:percent|per cent|basis|[bmtr]+illion)\w*)", re.IGNORECASE)


def _spelled(match: re.Match[str], value: Decimal, *, share: bool = False, rank: bool = False) -> Token:
    return Token(*match.span(), value, spelled=True, share=share, rank=rank)


def _rank(match: re.Match[str]) -> Token:
    place = _ORDINALS.index((match["o"] or match["o2"]).lower()) + 1
    return _spelled(match, Decimal(place), rank=True)


def _few(match: re.Match[str]) -> Token:
    size = {"hundred": 100, "thousand": 1000}.get((match["size"] or "").lower(), 6 if match["half"] else 12)
    return _spelled(match, Decimal(EN_VALUES.get((match["n"] or "").lower(), 1) * size))


def _out_of(match: re.Match[str]) -> Token | None:
    count, whole = (int(word) if word.isdigit() else EN_VALUES[word.lower()] for word in match.groups())
    return _spelled(match, Decimal(100 * count) / whole, share=True) if 0 < count < whole else None


def _share(match: re.Match[str]) -> Token | None:
    """A part in words: "two-thirds", "a quarter of", "half of"; an ordinal or a period is none."""
    count, part = (match["n"] or "").lower(), match["d"].lower()
    number, plural = EN_VALUES.get(count, 1), match[0].lower().endswith("s")
    if rest := _PART_OF.match(match.string, match.end()):
        return Token(match.start(), rest.end(), Decimal(number) / _PARTS[part], spelled=True)
    told = match["of"] is not None or (count not in ("", "a", "an", "one") and plural)
    if not told or (not count and part != "half") or number >= _PARTS[part] or (plural and number == 1):
        return None
    return _spelled(match, Decimal(100 * number) / _PARTS[part], share=True)


def _en_number(match: re.Match[str]) -> Token | None:
    before = match.string[max(0, match.start() - 9) : match.start()]
    if match[0].lower() == "one" and (
        _ONE_PRONOUN.search(before) or _ONE_AFTER.match(match.string, match.end())
    ):
        return None
    whole = match[0].lower().removesuffix(" and a half").partition(" point ")[0]
    total = section = 0
    for word in re.findall(r"[a-z]+", whole):
        if word == "hundred":
            section *= 100
        elif word in _LARGE:
            total, section = total + section * 10 ** _LARGE[word], 0
        elif word != "and":
            section += EN_VALUES.get(word, 1)
    tail = "".join(str(EN_VALUES[word]) for word in (match["point"] or "").lower().split()[1:])
    part = f"0.{tail}" if tail else "0.5" if match["half"] else "0"
    return _spelled(match, Decimal(total + section) + Decimal(part))


#: Each way to write a number in words, and what reads it.
_WORDED: Final = (
    *((_ZH_SHARE, _zh_share), (_ZH, _zh_number), (_RANK, _rank), (_OUT_OF, _out_of), (_SHARE, _share)),
    *((_FEW, _few), (_EN, _en_number)),
)


# --- in digits

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
    # a full stop before a date in Chinese ends a sentence
    r"|(?<![A-Za-z0-9_.)])\.(?!\d{4}\s?年|\d{1,2}\s?(?:[-~至到]\s?\d{1,2}\s?)?月)\d+)"
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
    found = [_token(match) for match in _TOKEN.finditer(flat)]
    worded = (read(match) for pattern, read in _WORDED for match in pattern.finditer(flat))
    return sorted((*found, *filter(None, worded)), key=lambda token: (token.start, -token.end))


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
