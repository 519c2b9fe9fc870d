"""A second batch of mutations, written before the code was tried on them."""

# ruff: noqa: E501 - tables of words; the choice of cases is no secret
from __future__ import annotations

import random
import re
from collections.abc import Callable

from rapidfuzz.distance import Levenshtein

from scripts.accuracy.drift_mutations import FOUND, MONTHS, Class, Mutated, Mutation, put, swap
from verifaible.schema.check import Verdict

#: An edit of more than this share of the characters makes another sentence of a quote.
_LARGEST_EDIT = 0.25
_HAN = re.compile("[\u4e00-\u9fff]")


def _small(mutate: Mutation) -> Mutation:
    """The mutation, where it edits at most a quarter of the characters."""

    def limited(page: str, start: int, end: int, rng: random.Random) -> Mutated | None:
        mutated = mutate(page, start, end, rng)
        if mutated is None or mutated.span is None:
            return mutated
        old, new = page[start:end], mutated.page[slice(*mutated.span)]
        return mutated if Levenshtein.distance(old, new) <= _LARGEST_EDIT * len(old) else None

    return limited


def _pairs(*pairs: tuple[str, str], blanks: bool = True) -> Mutation:
    """One word of a pair becomes the other one, either way."""
    other = {a: b for x, y in pairs for a, b in ((x, y), (y, x))}
    words = "|".join(re.escape(word) for word in sorted(other, key=len, reverse=True))
    # Chinese words have no edges; Latin ones must stand alone.
    edge = r"(?<![A-Za-z])(?:{})(?![A-Za-z])"
    return swap(edge.format(words), lambda match, _: other[match.group()])


# --- numbers

_ONES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")  # fmt: skip
_HAN_DIGITS = "零一二三四五六七八九十"


def spelled_out(page: str, start: int, end: int, rng: random.Random) -> Mutated | None:
    """A small whole number is written as a word, or the other way about."""
    quote = page[start:end]
    chinese = bool(_HAN.search(quote))
    pattern = (
        r"(?<![\d.,:-])(?:[3-9]|10)(?=[年月日个台升次周层枚人米])"
        if chinese
        else r"(?<![\d.,:/-])(?<!\d )(?:[2-9]|1[0-2])(?= [a-z])"
    )
    digits = list(re.finditer(pattern, quote))
    words = [] if chinese else list(re.finditer(rf"\b(?:{'|'.join(_ONES[2:])})\b", quote))
    if not digits and not words:
        return None
    match = rng.choice(digits + words)
    text = match.group()
    new = (_HAN_DIGITS if chinese else _ONES)[int(text)] if text.isdigit() else str(_ONES.index(text))
    return put(page, start, end, quote[: match.start()] + new + quote[match.end() :])


def _separator(match: re.Match[str], _: random.Random) -> str:
    head, tail = match.groups()
    return f"{head}{tail[0]},{tail[1:]}"


def numbers_exchanged(page: str, start: int, end: int, rng: random.Random) -> Mutated | None:
    """Two different numbers of the quote change places."""
    quote = page[start:end]
    numbers = list(re.finditer(r"\d[\d.,]*(?<=\d)", quote))
    pairs = [(a, b) for a in numbers for b in numbers if a.start() < b.start() and a.group() != b.group()]
    if not pairs:
        return None
    a, b = rng.choice(pairs)
    return put(
        page, start, end,
        quote[: a.start()] + b.group() + quote[a.end() : b.start()] + a.group() + quote[b.end() :],
    )  # fmt: skip


_RANGE = r"(?<=[\d度米帕亩元天日] to )\d[\d.,]*|(?<=\d–)\d+|(?<=\d and )\d[\d.,]*|(?<=\d and [$£€])\d[\d.,]*|(?<=[度米帕亩元天日]至)\d[\d,.]*\d"


def _range_end(match: re.Match[str], rng: random.Random) -> str:
    text = match.group()
    at = next(i for i, char in enumerate(text) if char.isdigit())
    return text[:at] + str(int(text[at]) % 9 + 1) + text[at + 1 :]


def _year(match: re.Match[str], rng: random.Random) -> str:
    return str(int(match.group()) + rng.choice([-1, 1, 10]))


def _month(match: re.Match[str], rng: random.Random) -> str:
    text = match.group()
    if text.isdigit():
        return str(int(text) % 12 + 1)
    return rng.choice([month for month in MONTHS if month != text])


# --- words that turn a statement round

_QUARTERS = _pairs(
    ("third quarter", "second quarter"), ("fourth quarter", "first quarter"), ("Q3", "Q4"), ("Q1", "Q2"),
    ("第三季度", "第二季度"), ("第一季度", "第四季度"), ("前三季度", "前两季度"), ("上半年", "下半年"), ("年初", "年末"),
    ("上半场", "下半场"), ("first half", "second half"), ("first", "second"), ("上年", "本年"),
)  # fmt: skip
_DIRECTION = _pairs(
    ("up", "down"), ("rose", "fell"), ("increased", "decreased"), ("raised", "lowered"), ("higher", "lower"),
    ("better", "worse"), ("won", "lost"), ("gains", "losses"), ("allowed", "refused"), ("before", "after"),
    ("valid", "invalid"), ("open", "closed"), ("income", "costs"), ("increase", "decrease"), ("dropped", "climbed"),
    ("增长", "下降"), ("增加", "减少"), ("提高", "降低"), ("上调", "下调"), ("升到", "降到"), ("环比", "同比"),
    ("盈利", "亏损"), ("主场", "客场"), ("投产", "停产"), ("支付", "收取"), ("胜", "负"), ("之前", "之后"),
    ("扩大", "缩小"), ("原告", "被告"), ("最早", "最晚"), ("有效", "无效"), ("以内", "以外"), ("上限", "下限"),
)  # fmt: skip
_BOUND = _pairs(
    ("above", "below"), ("minimum", "maximum"), ("at least", "at most"), ("more than", "less than"),
    ("lower", "upper"), ("highest", "lowest"), ("no more than", "no less than"), ("over", "under"),
    ("高于", "低于"), ("不少于", "不超过"), ("不低于", "不高于"), ("以上", "以下"), ("至少", "至多"), ("超过", "不足"),
    ("最高", "最低"), ("不多于", "不少于"), ("大于", "小于"), ("最大", "最小"),
)  # fmt: skip
_NEGATED = swap(
    r"\b(?:is|was|are|were|will|must|can|may|could|should|has|have|had|would)\b(?! not| no | never)"
    r"|(?<=[\u4e00-\u9fff])(?:应当|可以|要求|支付|接受|支持|获得|达到|承担|开放|计划|维持|构成|存在)",
    lambda match, rng: (
        match.group() + rng.choice([" not", " no longer", " never"])
        if match.group().isascii()
        else rng.choice(["不再", "未", "不", "无法"]) + match.group()
    ),
)
_POINTS = swap(r"(?<=\d)%|(?<=\d)个百分点", lambda match, _: {"%": "个百分点"}.get(match.group(), "%"))


def percent_points(page: str, start: int, end: int, rng: random.Random) -> Mutated | None:
    """Per cent become percentage points, or the other way about."""
    if _HAN.search(page[start:end]):
        return _POINTS(page, start, end, rng)
    mutate = swap(
        r"(?<=\d)%|(?<=\d) percentage points",
        lambda match, _: " percentage points" if match.group() == "%" else "%",
    )
    return mutate(page, start, end, rng)


_SCALE = swap(
    r"(?<=\d) (?:million|billion)|(?<=\d)[万亿](?=[元亩吨股人])|(?<=\d)(?:[万亿])(?=[元亩吨股人])|(?<=\d) thousand",
    lambda match, _: {" million": " billion", " billion": " million", " thousand": " million", "万": "亿", "亿": "万"}[match.group()],
)  # fmt: skip
_CURRENCY = swap(
    r"[$£€](?=\d)|(?<=[\d万亿])元|\b(?:euros|crowns|dalers|dollars|pounds|cents)\b",
    lambda match, rng: (
        rng.choice([sign for sign in "$£€¥" if sign != match.group()])
        if match.group() in "$£€"
        else {"元": rng.choice(["美元", "港元", "欧元"]), "cents": "pence"}.get(match.group(), "francs")
    ),
)

#: Names of persons, firms and places of the Chinese pages that may stand in for one another.
_ZH_NAMES = (
    "恒通公司", "海澜公司", "郑国强", "周启明", "林秀兰", "陈柏年", "苏婉", "高远", "沈元规", "道衍", "范晓峰", "韦强", "徐立",
    "邓一鸣", "艾山", "贺涛", "罗成", "方敏", "石磊", "孟凡", "蓝鲸队", "青屿队", "石门队", "榆城队", "玉米种子", "水稻种子", "蔬菜种子",
    "第一包", "第二包", "第三包", "天然气", "液化气", "鹤鸣塔", "广慧寺塔", "罗敏", "段志华",
)  # fmt: skip


def names_exchanged(page: str, start: int, end: int, rng: random.Random) -> Mutated | None:
    """Two names of the quote change places, or one becomes another name of the page."""
    quote = page[start:end]
    if _HAN.search(quote):
        known = [name for name in _ZH_NAMES if name in page]
        pattern = "|".join(map(re.escape, known)) or r"(?!)"
    else:
        known = sorted(set(re.findall(r"(?<=[a-z,] )[A-Z][a-z]{3,}\b", page)) - set(MONTHS))
        pattern = rf"\b(?:{'|'.join(known) or '(?!)'})\b"
    found = list(re.finditer(pattern, quote))
    different = [m for m in found if m.group() != found[0].group()]
    if found and different:
        a, b = found[0], rng.choice(different)
        text = quote[: a.start()] + b.group() + quote[a.end() : b.start()] + a.group() + quote[b.end() :]
    elif found and len(known) > 1:
        a = rng.choice(found)
        new = rng.choice([name for name in known if name != a.group()])
        text = quote[: a.start()] + new + quote[a.end() :]
    else:
        return None
    return put(page, start, end, text)


# --- sentences that are put together in another way


def split_in_two(page: str, start: int, end: int, rng: random.Random) -> Mutated | None:
    """A sentence becomes two at a comma, a semicolon or an "and"."""
    quote = page[start:end]
    if _HAN.search(quote):
        found = list(re.finditer("[，；](?=[\u4e00-\u9fff]{4})", quote))
        replace: Callable[[re.Match[str]], str] = lambda match: "。"  # noqa: E731
    else:
        found = list(re.finditer(r"(?:, (?:and|but)|;|:|, which) (?=[a-z]+ [a-z]+)", quote))
        replace = lambda match: ". This " if "which" in match.group() else ". "  # noqa: E731
    if not found:
        return None
    match = rng.choice(found)
    rest = quote[match.end() :]
    return put(page, start, end, quote[: match.start()] + replace(match) + rest[:1].upper() + rest[1:])


def merged(page: str, start: int, end: int, rng: random.Random) -> Mutated | None:
    """Two sentences become one."""
    quote = page[start:end]
    chinese = bool(_HAN.search(quote))
    found = list(re.finditer("。(?=[\u4e00-\u9fff]{4})", quote)) if chinese else list(re.finditer(r"\. (?=[A-Z])", quote))  # fmt: skip
    if not found:
        return None
    match = rng.choice(found)
    rest = quote[match.end() :]
    joined = "，而且" + rest if chinese else ", and " + rest[0].lower() + rest[1:]
    return put(page, start, end, quote[: match.start()] + joined)


def clause_moved(page: str, start: int, end: int, rng: random.Random) -> Mutated | None:
    """The clause at the beginning of a sentence now stands at its end."""
    quote = page[start:end]
    match = re.match(r"(?P<head>[^,，。.;；:：()]{4,}?)[,，] ?(?P<rest>[^.。\n]{12,})(?P<end>[.。])$", quote)
    if not match or not 0.12 <= len(match["head"]) / len(quote) <= 0.35 or "\n" in quote:
        return None
    head, rest = match["head"], match["rest"]
    if _HAN.search(quote):
        return put(page, start, end, f"{rest}，{head}{match['end']}")
    return put(page, start, end, f"{rest[0].upper()}{rest[1:]} {head[0].lower()}{head[1:]}{match['end']}")


def paragraph_moved(page: str, start: int, end: int, rng: random.Random) -> Mutated | None:
    """The paragraph that holds the quote changes places with another one."""
    low, high = page.rfind("\n", 0, start) + 1, page.find("\n", end)
    if high < 0 or "\n" in page[start:end]:
        return None
    paragraph = page[low:high]
    rest = page[:low] + page[high + 1 :]
    ends = [m.start() + 1 for m in re.finditer("\n", rest) if abs(m.start() - low) > 150]
    if not ends:
        return None
    at = rng.choice(ends)
    return Mutated(rest[:at] + paragraph + "\n" + rest[at:], (at + start - low, at + end - low))


def wrapped(page: str, start: int, end: int, rng: random.Random) -> Mutated | None:
    """Somebody is made to say the quote."""
    quote = page[start:end]
    chinese = bool(_HAN.search(quote))
    before, after = (
        ("据本报记者了解，有关人士表示：“", "”这位人士没有透露姓名。")
        if chinese
        else ("A person who knows the matter put it like this: “", "” The person asked not to be named.")
    )
    text = page[:start] + before + quote + after + page[end:]
    return Mutated(text, (start + len(before), start + len(before) + len(quote)))


def list_reordered(page: str, start: int, end: int, rng: random.Random) -> Mutated | None:
    """The lines of the list or table that holds the quote, or of the whole page, stand in another order."""
    if "\n" in page[start:end]:
        return None
    lines = page.split("\n")
    index = page.count("\n", 0, start)
    low = high = index
    while low and lines[low - 1].strip():
        low -= 1
    while high + 1 < len(lines) and lines[high + 1].strip():
        high += 1
    if high - low < 2:
        return None
    block = lines[low : high + 1]
    order = list(range(len(block)))
    rng.shuffle(order)
    made = [*lines[:low], *(block[i] for i in order), *lines[high + 1 :]]
    at = sum(len(line) + 1 for line in made[: low + order.index(index - low)])
    offset = start - (page.rfind("\n", 0, start) + 1)
    return Mutated("\n".join(made), (at + offset, at + offset + end - start))


# --- deletions


def _elsewhere(page: str, start: int, end: int, other: str, rng: random.Random) -> Mutated | None:
    rest = page[:start] + page[end:].lstrip(" ")
    ends = [m.start() for m in re.finditer("\n", rest) if abs(m.start() - start) > 200]
    if not ends:
        return None
    at = rng.choice(ends) + 1
    return Mutated(rest[:at] + other + "\n" + rest[at:], None)


def last_years_figures(page: str, start: int, end: int, rng: random.Random) -> Mutated | None:
    """The quote is gone; elsewhere the same sentence gives the figures of another year."""
    quote = page[start:end]
    other = re.sub(r"(?:19|20)\d\d", lambda m: str(int(m.group()) - 1), quote)
    other = re.sub(
        r"(?<![\d.])(?!(?:19|20)\d\d)\d+(?:\.\d+)?",
        lambda m: str(round(float(m.group()) * 0.9 + 1, 1)).removesuffix(".0"),
        other,
    )
    return _elsewhere(page, start, end, other, rng) if other != quote else None


def opposite_elsewhere(page: str, start: int, end: int, rng: random.Random) -> Mutated | None:
    """The quote is gone; elsewhere stands its denial, or the opposite direction."""
    for mutate in rng.sample([_NEGATED, _DIRECTION, _BOUND], 3):
        other = mutate(page, start, end, rng)
        if other is not None and other.span is not None:
            return _elsewhere(page, start, end, other.page[slice(*other.span)], rng)
    return None


def paragraph_deleted(page: str, start: int, end: int, rng: random.Random) -> Mutated | None:
    """The whole paragraph is gone."""
    low, high = page.rfind("\n", 0, start) + 1, page.find("\n", end)
    return Mutated(page[:low] + page[high + 1 :], None) if high >= 0 else None


def note_instead(page: str, start: int, end: int, rng: random.Random) -> Mutated | None:
    """A note says that something stood here."""
    note = "（本段内容因故撤回，特此说明。）" if _HAN.search(page[start:end]) else "[A passage that stood here was withdrawn at the request of a reader.]"  # fmt: skip
    return Mutated(page[:start] + note + page[end:], None)


def neighbour_instead(page: str, start: int, end: int, rng: random.Random) -> Mutated | None:
    """In the place of the quote its neighbour is said twice."""
    line_end = page.find("\n", end)
    after = page[end : line_end if line_end >= 0 else len(page)].strip()
    sentence = re.split(r"(?<=[.。!?])\s*", after)[0] if after else ""
    if len(sentence) < 15 or Levenshtein.normalized_similarity(sentence, page[start:end]) > 0.5:
        return None
    return Mutated(page[:start] + sentence + " " + page[end:].lstrip(" "), None)


def two_elsewhere(page: str, start: int, end: int, rng: random.Random) -> Mutated | None:
    """The quote stands twice, in new surroundings, and nothing says which of them it was."""
    quote = page[start:end]
    chinese = bool(_HAN.search(quote))
    fillers = (
        ("编辑部重新整理了本页。", "读者来信摘录如下。", "以下内容摘自旧版。")
        if chinese
        else ("The editors rearranged this page.", "What readers wrote to us:", "From an earlier edition:")
    )
    rest = page[: max(0, start - 90)] + page[min(len(page), end + 90) :]
    head, tail = f"{fillers[1]}\n{quote}\n{fillers[0]}\n\n", f"\n{fillers[2]}\n{quote}\n{fillers[1]}\n"
    return Mutated(head + rest + tail, None)


_CHANGED: tuple[Verdict, ...] = ("changed",)
_GONE: tuple[Verdict, ...] = ("gone",)
#: Classes that change what is said.
MEANING_LATER: tuple[Class, ...] = tuple(
    (name, _small(mutate), _CHANGED)
    for name, mutate in (
        ("thousands separator moved", swap(r"(\d),(\d{3})(?!\d)", _separator)),
        ("percent and points", percent_points),
        ("million and billion", _SCALE),
        ("quarter or half", _QUARTERS),
        ("year", swap(r"(?<!\d)(?:19|20)\d\d(?!\d)", _year)),
        ("month", swap(rf"\b(?:{'|'.join(MONTHS)})\b|(?<!\d)\d{{1,2}}(?=月)", _month)),
        ("currency", _CURRENCY),
        ("denied", _NEGATED),
        ("direction", _DIRECTION),
        ("bound", _BOUND),
        ("names exchanged", names_exchanged),
        ("numbers exchanged", numbers_exchanged),
        ("range", swap(_RANGE, _range_end)),
    )
)
#: Classes after which the words are still there, or were put together in another way.
FOUND_LATER: tuple[Class, ...] = (
    ("number spelled out", _small(spelled_out), ("changed", *FOUND)),
    ("split in two", split_in_two, _CHANGED),
    ("two merged", merged, _CHANGED),
    ("clause moved", clause_moved, _CHANGED),
    ("paragraph moved", paragraph_moved, FOUND),
    ("wrapped in other words", wrapped, FOUND),
    ("list reordered", list_reordered, FOUND),
)
DELETED_LATER: tuple[Class, ...] = (
    ("deleted, last year's figures elsewhere", last_years_figures, _GONE),
    ("deleted, its opposite elsewhere", opposite_elsewhere, _GONE),
    ("deleted with its paragraph", paragraph_deleted, _GONE),
    ("deleted, a note in its place", note_instead, _GONE),
    ("deleted, its neighbour said twice", neighbour_instead, _GONE),
)
OTHER_LATER: tuple[Class, ...] = (("twice, both elsewhere", two_elsewhere, ("ambiguous",)),)
