"""What is done to a page in the drift suite; every mutation knows where the quote stands afterwards."""

# ruff: noqa: E501 - tables of words; the choice of cases is no secret
from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from verifaible.schema.check import Verdict


@dataclass(frozen=True, slots=True)
class Mutated:
    """A changed page, and the span at which the quote stands now; None where it is gone."""

    page: str
    span: tuple[int, int] | None


Mutation: TypeAlias = Callable[[str, int, int, random.Random], "Mutated | None"]
#: Class, mutation, verdicts that are right.
Class: TypeAlias = tuple[str, Mutation, tuple[Verdict, ...]]

# --- mutations that leave what is said as it is


def put(page: str, start: int, end: int, text: str) -> Mutated:
    """The page with that text in the place of the quote."""
    return Mutated(page[:start] + text + page[end:], (start, start + len(text)))


def same(page: str, start: int, end: int, rng: random.Random) -> Mutated:
    """Nothing changes."""
    return Mutated(page, (start, end))


def white_space(page: str, start: int, end: int, rng: random.Random) -> Mutated | None:
    """Blanks double, become line ends or no-break spaces; Chinese lines break anywhere."""
    quote = page[start:end]
    if " " in quote:
        blanks = [rng.choice(["  ", "\n", "\u00a0 ", " \t"]) for _ in quote]
        text = "".join(blanks[i] if char == " " else char for i, char in enumerate(quote))
    else:
        places = [
            i for i in range(1, len(quote)) if not re.match(r"[\w.%‰+-]{2}", quote[i - 1 : i + 1], re.A)
        ]
        if not places:
            return None
        at = rng.choice(places)
        text = quote[:at] + rng.choice(["\n", " ", "\u3000"]) + quote[at:]
    return put(page, start, end, text)


def surroundings(page: str, start: int, end: int, rng: random.Random) -> Mutated | None:
    """What stands before and after the quote is written anew."""
    chinese = not page.isascii() and bool(re.search("[\u4e00-\u9fff]{4}", page))
    before = (
        "以下内容由编辑部于近日重新整理，供读者参考："
        if chinese
        else "The editors have since rearranged this section. "
    )
    after = (
        "（编者注：原文此处另有说明，现已略去。）"
        if chinese
        else " Further remarks were left out of this edition."
    )
    low, high = max(0, start - 90), min(len(page), end + 90)
    page_new = page[:low] + "\n" + before + page[start:end] + after + "\n" + page[high:]
    at = low + 1 + len(before)
    return Mutated(page_new, (at, at + end - start))


def duplicated(page: str, start: int, end: int, rng: random.Random) -> Mutated | None:
    """The quote is said once more, at the other end of the page."""
    quote = page[start:end]
    if start > len(page) // 2:
        text = quote + "\n"
        return Mutated(text + page, (start + len(text), end + len(text)))
    return Mutated(page + "\n" + quote + "\n", (start, end))


def moved(page: str, start: int, end: int, rng: random.Random) -> Mutated | None:
    """The quote now stands in another paragraph."""
    rest = page[:start] + page[end:]
    ends = [m.start() for m in re.finditer("\n", rest) if abs(m.start() - start) > 200]
    if not ends:
        return None
    at = rng.choice(ends) + 1
    return Mutated(rest[:at] + page[start:end] + "\n" + rest[at:], (at, at + end - start))


# --- mutations of words

_WORD = re.compile(r"(?<![\w'-])[a-z]{5,}(?![\w'-])")
_ZH_WORD = re.compile("[\u4e00-\u9fff]{2}")
_ZH_KEEP = frozenset("不未没无非勿禁免一二三四五六七八九十百千万亿零两半年月日时元个人户吨米里分点秒度倍成岁")


def typo(page: str, start: int, end: int, rng: random.Random) -> Mutated | None:
    """One letter of a word is wrong, missing, doubled or changes places with its neighbour."""
    quote = page[start:end]
    words = list(_WORD.finditer(quote))
    if words:
        word = rng.choice(words)
        text = word.group()
        at = rng.randrange(1, len(text) - 1)
        wrong = rng.choice(
            [
                text[:at] + text[at + 1 :],
                text[:at] + text[at] + text[at:],
                text[:at] + ("k" if text[at] != "k" else "v") + text[at + 1 :],
            ]
        )
        return put(page, start, end, quote[: word.start()] + wrong + quote[word.end() :])
    places = [i for i, char in enumerate(quote) if "\u4e00" <= char <= "\u9fff" and char not in _ZH_KEEP]
    if len(quote) < 10 or not places:
        return None
    at = rng.choice(places)
    return put(page, start, end, quote[:at] + rng.choice("亍囗彡夂") + quote[at + 1 :])


_OTHER_EN = ("nearby", "several", "usual", "further", "agreed", "recent", "ordinary", "common", "written")
_OTHER_ZH = ("有关", "相应", "各类", "具体", "后续", "上述", "近期", "部分")


def reworded(page: str, start: int, end: int, rng: random.Random) -> Mutated | None:
    """About a sixth of the words are others."""
    quote = page[start:end]
    found = list(_WORD.finditer(quote))
    other: tuple[str, ...] = _OTHER_EN
    if not found:
        found = [m for m in _ZH_WORD.finditer(quote) if not set(m.group()) & _ZH_KEEP]
        other = _OTHER_ZH
    size = sum(1 for char in quote if not char.isspace())
    budget, chosen = size / 5, []
    rng.shuffle(found)
    for word in found:
        new = rng.choice(other)
        cost = max(len(new), len(word.group()))
        if cost <= budget:
            budget -= cost
            chosen.append((word.start(), word.end(), new))
    if not chosen:
        return None
    text = quote
    for a, b, new in sorted(chosen, reverse=True):
        text = text[:a] + new + text[b:]
    return put(page, start, end, text) if text != quote else None


_SHORT_EN = (", so far,", " (as reported)", ", in part,", " also")
_SHORT_ZH = ("（初步）", "，据悉，", "依照规定")
_LONG_EN = (
    ", which the office confirmed in a note to this newspaper later in the day,",
    ", as had been agreed with all of the parties after a long exchange of letters,",
    " (this passage was amended after publication in order to clear up a misunderstanding)",
)
_LONG_ZH = (
    "（该部分内容在发布之后根据各方意见作了补充和说明）",
    "，有关方面随后在书面答复中对此作出了进一步的解释，",
)


def _inserted(short: bool) -> Mutation:
    def mutate(page: str, start: int, end: int, rng: random.Random) -> Mutated | None:
        quote = page[start:end]
        if " " in quote:
            places = [m.start() for m in re.finditer(r"(?<=[a-z]) (?=[a-z])", quote)]
            extra = rng.choice(_SHORT_EN if short else _LONG_EN)
        else:
            places = [
                i
                for i in range(3, len(quote) - 3)
                if re.fullmatch("[\u4e00-\u9fff]{2}", quote[i - 1 : i + 1])
                and not set(quote[i - 1 : i + 1]) & _ZH_KEEP
            ]
            extra = rng.choice(_SHORT_ZH if short else _LONG_ZH)
        size = len(quote.replace(" ", ""))
        places = [at for at in places if min(at, len(quote) - at) >= len(quote) // 5]
        if not places or size < 16 or (short and len(extra) > size / 3):
            return None
        at = rng.choice(places)
        return put(page, start, end, quote[:at] + extra + quote[at:])

    return mutate


# --- deletions


def deleted(page: str, start: int, end: int, rng: random.Random) -> Mutated | None:
    """The quote is gone; half of the time with the rest of its paragraph's sentence end."""
    return Mutated(page[:start] + page[end:].lstrip(" "), None)


def lookalike(page: str, start: int, end: int, rng: random.Random) -> Mutated | None:
    """The quote is gone; elsewhere a sentence of the same mould says something else."""
    quote = page[start:end]
    other = re.sub(r"\d", lambda m: str((int(m.group()) + 3) % 10 or 4), quote)
    if other == quote:
        swap = reworded(page, start, end, rng)
        if swap is None or swap.span is None:
            return None
        other = swap.page[swap.span[0] : swap.span[1]]
    rest = page[:start] + page[end:].lstrip(" ")
    ends = [m.start() for m in re.finditer("\n", rest) if abs(m.start() - start) > 200]
    if not ends:
        return None
    at = rng.choice(ends) + 1
    return Mutated(rest[:at] + other + "\n" + rest[at:], None)


def lookalike_here(page: str, start: int, end: int, rng: random.Random) -> Mutated | None:
    """A row of a table or a numbered paragraph is gone; its neighbours of the same mould are left."""
    low = page.rfind("\n", 0, start) + 1
    high = page.find("\n", end)
    line = page[low : high if high >= 0 else len(page)]
    if (start, end) == (low, high) or len(line) > 200 or "\n" in page[start:end]:
        low, high = start, end
    near = page[max(0, low - 200) : low] + page[high : high + 200]
    if "\t" not in line and not re.match(r"\(\d\)|第.{1,3}条|[A-Z][\w -]+:", line):
        return None
    return Mutated(page[:low] + page[high + 1 :], None) if near else None


# --- mutations of what is said


def swap(pattern: str, change: Callable[[re.Match[str], random.Random], str]) -> Mutation:
    """A mutation of one match of the pattern in the quote."""
    compiled = re.compile(pattern)

    def mutate(page: str, start: int, end: int, rng: random.Random) -> Mutated | None:
        quote = page[start:end]
        found = list(compiled.finditer(quote))
        if not found:
            return None
        match = rng.choice(found)
        return put(page, start, end, quote[: match.start()] + change(match, rng) + quote[match.end() :])

    return mutate


def _digit(match: re.Match[str], rng: random.Random) -> str:
    return str((int(match.group()) + rng.randrange(1, 10)) % 10)


_UNITS = {
    "million": "billion", "billion": "million", "tonnes": "kilograms", "kilograms": "pounds", "%": "‰", "£": "€",
    "minutes": "hours", "days": "weeks", "months": "weeks", "euros": "dollars", "crowns": "francs", "metres": "feet",
    "percentage points": "basis points", "weeks": "days", "years": "months", "dB": "Hz", "MB": "GB", "pounds": "pence",
    "亿": "万", "万": "亿", "公里": "英里", "元": "美元", "‰": "%", "吨": "公斤", "个百分点": "个基点", "公斤": "吨",
    "工作日": "自然日", "个月": "年", "分钟": "小时", "米": "厘米", "平方公里": "公顷", "万人次": "人次", "户": "人",
}  # fmt: skip
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")  # fmt: skip


def _date(match: re.Match[str], rng: random.Random) -> str:
    text = match.group()
    if text in MONTHS:
        return rng.choice([month for month in MONTHS if month != text])
    number = int(text)
    return str(number + 1 if number > 31 else number % 11 + 1)


def _negation(match: re.Match[str], rng: random.Random) -> str:
    text = match.group()
    removed = {" not ": " ", " no longer ": " ", "cannot": "can", "不得": "得", "不会": "会", "没有": "有", "尚未": "已",
               "不能": "能", "不": "", "未": "", "No ": "A ", " never ": " always "}  # fmt: skip
    if text in removed:
        return removed[text]
    return {"应当": "不应当", "可以": "不可以", "需要": "不需要", "已经": "没有", "增长": "未增长"}.get(
        text
    ) or text + " not"


def _sign(match: re.Match[str], rng: random.Random) -> str:
    sign = match.group("sign")
    return {"+": "-", "-": "+", "": rng.choice("-−")}[sign] + match.group("n")


_UNIT = "|".join(re.escape(unit) for unit in sorted(_UNITS, key=len, reverse=True) if unit != "£")
unit = swap(rf"(?:(?<=\d)|(?<=\d ))(?:{_UNIT})|£(?=\d)", lambda match, _: _UNITS[match.group()])
digit = swap(r"\d", _digit)
date = swap(
    rf"\b(?:{'|'.join(MONTHS)})\b|\b20\d\d\b|(?<!\d)20\d\d(?=年)|(?<!\d)\d{{1,2}}(?=[月日])"
    rf"|\b\d{{1,2}}(?= (?:{'|'.join(MONTHS)}))",
    _date,
)
negation = swap(
    r" not | no longer |cannot| never |\bNo (?=[a-z])|不得|不会|不能|没有|尚未"
    r"|\b(?:is|was|are|will|must|may|shall|can|has|have|were)\b(?! not| no )|应当|(?<!不)可以|(?<!不)需要|已经|增长(?=\d)",
    _negation,
)
sign = swap(r"(?<![\w.,%-])(?P<sign>[+-]?)(?P<n>\d+\.\d+|\d+(?=%))", _sign)
separator = swap(r"(?<=\d),(?=\d{3})|(?<=\d)\.(?=\d)", lambda match, _: "." if match.group() == "," else ",")
regrouped = swap(r"(?<=\d),(?=\d{3})", lambda _, rng: rng.choice(["", "\u00a0", "\u202f", "'"]))

FOUND: tuple[Verdict, ...] = ("verified", "moved")
#: Class, mutation, verdicts that are right.
CLASSES: tuple[Class, ...] = (
    ("unchanged", same, ("verified",)),
    ("white space", white_space, ("verified",)),
    ("surroundings rewritten", surroundings, FOUND),
    ("said twice", duplicated, ("verified",)),
    ("moved", moved, ("moved",)),
    ("typo", typo, ("changed",)),
    ("reworded", reworded, ("changed",)),
    ("inserted, a few words", _inserted(True), ("changed",)),
    ("inserted, a clause", _inserted(False), ("changed",)),
    ("digit", digit, ("changed",)),
    ("unit", unit, ("changed",)),
    ("date", date, ("changed",)),
    ("negation", negation, ("changed",)),
    ("sign", sign, ("changed",)),
    ("separator, another value", separator, ("changed",)),
    ("separator, same value", regrouped, ("verified", "changed")),
    ("deleted", deleted, ("gone",)),
    ("deleted, lookalike elsewhere", lookalike, ("gone",)),
    ("deleted, lookalikes around", lookalike_here, ("gone",)),
)
