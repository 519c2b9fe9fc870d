"""Where quantities are in a text: sign, currency, number, scale, unit, per cent, range and date as one token.

The words are data (``quantities.json``), of 36 languages; those of the text's own are tried, and
those of English, which all write.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any, Final, Literal, TypeAlias

from verifaible.old.text.languages import MARKS, common_words
from verifaible.old.text.lists import in_order
from verifaible.old.text.units import PERCENT_BEFORE, quantity_words

_Kind: TypeAlias = Literal[
    "number", "scale", "unit", "currency", "month", "range", "joiner", "sign", "blank", ""
]

#: Blanks part thousands in prose only, where a word or a unit follows; in a table they part columns.
_FIGURES: Final = (
    r"(?<![\d.,])(?<!\d )\d{1,3}(?: \d{3})+(?!\d|[.,]\d| \d)(?= ?[^\W\d_]| ?[%€$£¥])"
    r"|[.]?\d+(?:[.,:'’/·]\d+|[\u00a0\u2007\u2009\u202f]\d{3}(?!\d))*[⁰¹²³⁴-⁹⁺⁻]*[¼-¾⅐-⅞]?|[¼-¾⅐-⅞]"
)
_NUMERALS: Final = "〇零一二三四五六七八九十百千万萬亿億兆两兩"
#: A letter of a script that puts no blanks between words, or none between a word and its ending.
IDEOGRAPH: Final = r"[\u0e00-\u0e7f\u2e80-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7a3]"
_BLANKS: Final = r"[ \u00a0\u2007\u2009\u202f\n]"
#: What joins the figures of a range, or figures and their unit.
_LINKS: Final = "-‐‑–—~〜～/"
_SIGNS: Final = "+-−–±＋－≈<>≤≥"
#: Signs in words; no other word of these languages is spelt like them.
_SIGN_WORDS: Final = in_order(
    """
    minus negative moins menos meno mínus mínusz минус мінус eksi μείον מינוס ناقص سالب منفی منفي 負 负
    零下 マイナス 氷点下 마이너스 영하 ลบ âm trừ
    """
)
#: Per cent before its number, and not behind another.
_PER_CENT: Final = re.compile(rf"(?<!\d)(?<!\d\s)(?:{PERCENT_BEFORE})\Z", re.IGNORECASE)
_LONGEST_WORDS, _LONGEST_SIGNS = 3, 8


@dataclass(frozen=True, slots=True)
class _Token:
    kind: _Kind
    start: int
    end: int


def quantity_spans(text: str, language: str = "") -> list[tuple[int, int]]:
    """Every quantity of a text, in order, as (first code point, one past the last); ``language`` is a tag."""
    tokens = list(_tokens(text, language))
    spans: list[tuple[int, int]] = []
    place = 0
    while place < len(tokens):
        if tokens[place].kind not in ("number", "month"):
            place += 1
            continue
        first, last = _before(tokens, place, text), _behind(tokens, place, text)
        start, end = tokens[first].start, tokens[last].end
        if before := _PER_CENT.search(text, max(0, start - _LONGEST_SIGNS), start):
            start = before.start()
        if spans and start < spans[-1][1]:
            start = spans.pop()[0]
        spans.append((start, end))
        place = last + 1
    return spans


def _before(tokens: list[_Token], place: int, text: str) -> int:
    """The first token of a quantity whose number is at a place: its currency and its sign come before it,
    and in words its hundreds or thousands."""
    first = place
    for kind in ("scale", "sign", "currency", "sign"):
        at = first - 1
        blank = at >= 0 and tokens[at].kind == "blank"
        if kind == "scale" and not _spelled(text, tokens[place]):
            continue
        if blank and (kind in ("scale", "currency") or (at and _stands_apart(text, tokens[at - 1]))):
            at -= 1
        elif blank:
            continue
        if at >= 0 and tokens[at].kind == kind and not (kind == "sign" and _links(tokens, at, text)):
            first = at
    return first


def _stands_apart(text: str, token: _Token) -> bool:
    """Whether a sign may be parted from its number: a true minus sign, and one in words."""
    return text[token.start] == "−" or text[token.start].isalpha()


def _links(tokens: list[_Token], at: int, text: str) -> bool:
    """Whether a sign stands between two numbers, or behind a letter: then it is a link."""
    return (
        not text[tokens[at].start].isalpha()
        and at > 0
        and tokens[at - 1].kind != "blank"
        and tokens[at - 1].kind != "currency"
    )


def _behind(tokens: list[_Token], place: int, text: str) -> int:
    """The last token of a quantity whose number, or month, is at a place."""
    last, numbers_only = place, tokens[place].kind == "month"
    while True:
        at = _next(tokens, last)
        if at is None:
            return last
        if (over := _over_stop(tokens, last, text)) is not None:
            last, numbers_only = over, tokens[over].kind == "month"
            continue
        kind = tokens[at].kind
        if numbers_only and kind != "number":
            return last
        if kind == "currency" and at + 1 < len(tokens) and tokens[at + 1].kind == "number":
            return last  # it is the next one's
        if kind in ("scale", "unit", "currency", "month"):
            last, numbers_only = at, kind == "month"
        elif kind == "number" and (
            numbers_only
            or _spelled(text, tokens[last], tokens[at])
            or (_goes_on(tokens, last, at) and "\n" not in text[tokens[last].end : tokens[at].start])
        ):
            last = at
        elif kind in ("range", "joiner", "sign") and (other := _after_link(tokens, at)) is not None:
            shared = tokens[last].kind == "number" and _is_counted(tokens, other)  # between 45 and 60 minutes
            if kind == "joiner" and not shared and not _spelled(text, tokens[last], tokens[other]):
                return last
            last, numbers_only = other, False
        else:
            return last


def _goes_on(tokens: list[_Token], last: int, at: int) -> bool:
    """Whether a number belongs to the quantity whose scale or unit comes before it: 3月5日, 2 h 14 min."""
    unit = tokens[last].kind == "unit" and (at == last + 1 or _has_unit(tokens, at))
    return unit or tokens[last].kind == "scale"


def _has_unit(tokens: list[_Token], at: int) -> bool:
    return _is_counted(tokens, at, "unit")


def _is_counted(tokens: list[_Token], at: int, *kinds: _Kind) -> bool:
    """Whether what a number counts stands behind it."""
    behind = _next(tokens, at)
    return behind is not None and tokens[behind].kind in (kinds or ("unit", "scale", "currency"))


def _over_stop(tokens: list[_Token], last: int, text: str) -> int | None:
    """The month behind a day with its full stop ("5. Mai"), or the year behind its comma ("May 5, 2024")."""
    at = last + 1
    if at + 1 >= len(tokens) or tokens[last].kind != "number":
        return None
    stop = text[tokens[at].start : tokens[at].end]
    other = at + 2 if tokens[at + 1].kind == "blank" else at + 1
    if other >= len(tokens):
        return None
    if stop == "." and tokens[other].kind == "month":
        return other
    month = any(token.kind == "month" for token in tokens[max(0, last - 2) : last])
    year = tokens[other].kind == "number" and tokens[other].end - tokens[other].start == 4
    return other if stop == "," and month and year else None


def _next(tokens: list[_Token], last: int) -> int | None:
    at = last + 1
    if at < len(tokens) and tokens[at].kind == "blank":
        at += 1
    return at if at < len(tokens) else None


def _after_link(tokens: list[_Token], at: int) -> int | None:
    """The number that a link leads to, over a blank, a sign or a currency; None where it leads to none."""
    for other in range(at + 1, min(at + 5, len(tokens))):
        if tokens[other].kind == "number":
            return other
        if tokens[other].kind not in ("blank", "currency", "sign"):
            return None
    return None


def _spelled(text: str, *tokens: _Token) -> bool:
    """Whether numbers are written in words."""
    return all(not text[token.start].isdigit() for token in tokens)


def _tokens(text: str, language: str) -> Iterator[_Token]:
    kinds = _kinds(language)
    at = 0
    while at < len(text):
        found = _PIECES.match(text, at)
        assert found is not None
        end, kind = found.end(), found.lastgroup
        if kind == "figures":
            yield _Token("number", at, end)
        elif kind == "blank":
            yield _Token("blank", at, end)
        elif kind == "numerals" and end - at > 1:
            yield _Token("number", at, end)
        else:
            end, known = _longest(text, at, end, kinds)
            yield _Token(known, at, end)
        at = end


_PIECES: Final = re.compile(
    rf"(?P<figures>{_FIGURES})|(?P<blank>{_BLANKS}+)|(?P<numerals>[{_NUMERALS}]+)|(?P<ideograph>{IDEOGRAPH})"
    rf"|(?P<word>(?:[^\W\d_]|[{MARKS}]|['’](?=[^\W\d_]))+\.?)|(?P<other>.)",
    re.DOTALL,
)


def _longest(text: str, at: int, end: int, kinds: dict[str, _Kind]) -> tuple[int, _Kind]:
    """The longest known word or sign from a place on, and its kind; the piece itself where none is."""
    ends = {end, *range(at + 1, min(at + _LONGEST_SIGNS, len(text)) + 1)} if not text[at].isalpha() else {end}
    if re.match(IDEOGRAPH, text[at]):
        ends = set(range(at + 1, min(at + _LONGEST_SIGNS, len(text)) + 1))
    elif text[at].isalpha():
        reached = end
        for _ in range(_LONGEST_WORDS - 1):
            more = _MORE.match(text, reached)
            if not more:
                break
            reached = more.end()
            ends.add(reached)
    for stop in sorted(ends, reverse=True):
        word = re.sub(r"\s", " ", text[at:stop])
        for written in (word, word.rstrip(".")):
            kind = kinds.get(written) or kinds.get(written.casefold() + _FOLDED)
            if kind and not (kind == "unit" and _begins_word(text, at, stop)):
                return at + len(written), kind
    return end, ""


def _begins_word(text: str, at: int, stop: int) -> bool:
    """Whether one ideograph that may be a unit begins a word instead: 人口, 成交."""
    alone = stop == at + 1 and re.match(IDEOGRAPH, text[at]) is not None and text[at] not in _ALWAYS_UNITS
    return alone and re.match(IDEOGRAPH, text[stop : stop + 1]) is not None


#: Ideographs that are units behind a number whatever follows.
_ALWAYS_UNITS: Final = "年月日号號元円％時时岁歳度"
_MORE: Final = re.compile(rf"[ \u00a0\n]?(?:[^\W\d_]|[{MARKS}])+\.?|[$²³/°][^\W\d_]*[²³]?")
#: Languages that count with classifiers, which belong to their number; elsewhere "people" is a noun.
_CLASSIFYING: Final = frozenset(("zh", "ja", "ko", "th", "vi"))
#: Marks words that are known whatever their letter case.
_FOLDED: Final = "\0"


@cache
def _kinds(language: str) -> dict[str, _Kind]:
    """The kind of each word of a language, and of each sign."""
    data = quantity_words()
    kinds: dict[str, _Kind] = {}
    for name in (language, "en"):
        counted = () if name in _CLASSIFYING else data["unit_kinds"]["count"]
        units = (words for unit, words in data["units"].get(name, {}).items() if unit not in counted)
        tables: tuple[tuple[_Kind, Any], ...] = (
            ("range", data["ranges"].get(name, ())),
            ("joiner", data["joiners"].get(name, ())),
            ("number", data["numbers"].get(name, ())),
            ("number", data["fractions"].get(name, ())),
            ("unit", chain(*units)),
            ("unit", chain(*data["percent"].get(name, {}).values())),
            ("currency", chain(*data["currencies"].get(name, {}).values())),
            ("month", data["months"].get(name, ())),
            ("scale", data["scales"].get(name, ())),
        )
        for kind, words in tables:
            kinds |= {word.casefold() + _FOLDED: kind for word in words}
    signs = data["symbols"]
    kinds |= dict.fromkeys(signs["units"], "unit")
    # "in" is a word before it is an inch.
    for word in {*common_words(language), *common_words("en")}:
        kinds.pop(word, None)
        if kinds.get(word + _FOLDED) not in ("number", "joiner", "range"):
            kinds.pop(word + _FOLDED, None)
    kinds |= dict.fromkeys((*chain(*signs["currency"].values()), *signs["currency_codes"]), "currency")
    kinds |= dict.fromkeys(_LINKS, "range")
    kinds |= dict.fromkeys(_SIGNS, "sign")
    kinds |= {word + _FOLDED: "sign" for word in _SIGN_WORDS}
    return kinds
