"""What a claim's words name, and whether the labels of a reading cover it: names, metrics, periods, words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib import resources
from typing import Final, Literal, TypeAlias

from verifaible.judge.rules.derive_words import FILL, Words
from verifaible.judge.rules.lexicon import Lexicon, find_metrics, metric_window
from verifaible.judge.rules.periods import find_periods, implies
from verifaible.judge.rules.plain_words import HARMLESS, key_words, stem
from verifaible.text.flat import flatten

TermKind: TypeAlias = Literal["name", "metric", "moment", "window", "word", "cjk"]


def word_list(name: str) -> frozenset[str]:
    """A list of ``derive_words.json``.

    ``stop`` words say nothing; ``soft`` ones name a calculation or are said of any figure, and need not stand
    in a source; ``filling`` ones leave a piece of a sentence without content.
    """
    text = resources.files("verifaible.judge.rules").joinpath("derive_words.json").read_text(encoding="utf-8")
    lines: list[str] = json.loads(text)[name]
    return frozenset(" ".join(lines).split())


_STOP: Final = word_list("stop")
_SOFT: Final = word_list("soft")
_STOP_ZH: Final = re.compile(
    "需要?|扩张至?|缩短[至到]?|延长[至到]?|净[增减]|[上下]半年|减去|除以|乘以|数量|金额|规模|两项|三项|贡献|按.{0,2}计算|对应|加总|共计|高出|相当于|约为|约是|合计|总计|共计|总共|之和|加上|加总|合共|累计|总和|相加|平均值?|均值|同比|环比|较上?|上年同期|去年同期|上季度|上月|上周"
    "|本周|本月|同期|增长率?|上升|增加|上涨|增幅|涨幅|升幅|上调|提高|提升|攀升|增多|多出|高出|下降|减少|下跌|降幅|跌幅|减幅|下滑|回落|下调|降低|萎缩|增至|升至|降至|跌至"
    "|达到|达|占比?|比重|比例|份额|百分比|之比|比值|比率|之差|相差|差额|差距|之间|实现|录得|分别|其中|截至|目前|为止|变为|变成|两者|三者|两家|三家|两周|两年|三年|三家|每"
    "|个百分点|个基点|基点|百分点|亿|万|美元|人民币|元|倍|[的是为与和及比从由至到了在约近末按加减除算应超各共即合占其该于之以较年月日周增升降涨跌高低多少个家名位人笔有中里将对同也均已并在计它]"
)
_LATIN = re.compile(r"[a-z][a-z0-9]*(?:['’]s)?")
#: "Series A", "Class B": a letter that is part of a name.
_LETTERED = re.compile(r"\b([A-Za-z]{3,})s? ([A-Z])\b(?!['’.])")
_CJK = re.compile(r"[\u3400-\u9fff]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_|(?<=[A-Z])(?=[A-Z][a-z])")
#: Nouns that name a quotient; with their modifiers they need no label where the quotient is written out.
_DEFINED = re.compile(
    r"(?:\b[a-z]+\s){0,2}\b(?:margin|rate|ratio|utili[sz]ation|turnover|turnout|participation|penetration|multiple|yield|intensity"
    r"|efficiency|share)\b"
    r"|\b(?:per|for every|for each|an?|every)\s(?:(?!(?:at|in|on|of|for|by)\b)[a-z]+\s?){1,3}"
    r"|\bimplied\b|[\u3400-\u9fff]{0,6}率|人均"
)


@dataclass(frozen=True, slots=True)
class Term:
    """Something that a claim's words name. ``soft``: a source need not say it."""

    kind: TermKind
    key: str
    parts: frozenset[str]
    start: int
    end: int
    soft: bool = False
    raw: str = ""


@dataclass(slots=True)
class Bag:
    """What the labels of a reading name."""

    names: set[str] = field(default_factory=set)
    metrics: set[str] = field(default_factory=set)
    moments: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    cjk: str = ""

    def covers(self, term: Term) -> bool:
        """Whether a term stands in the labels, by alias, synonym, stem or period."""
        if term.kind == "name":
            return term.key in self.names
        if term.kind == "metric":
            return term.key in self.metrics or term.parts <= self.words or term.raw in self.cjk
        if term.kind == "moment":
            if len(term.key) == 2:  # a quarter or a half without its year
                return any(moment[-2:] == term.key for moment in self.moments)
            return any(implies(moment, term.key) for moment in self.moments)
        if term.kind == "window":
            return term.key in self.moments
        return term.key in self.words if term.kind == "word" else _pieced(term.key, self.cjk)

    def spells(self, term: Term) -> bool:
        """Whether a metric is called by the very words of the term."""
        if term.raw and not term.raw.isascii():
            return term.raw in self.cjk
        return term.parts <= self.words

    def add(self, other: Bag) -> None:
        """Take in what another names."""
        self.names |= other.names
        self.metrics |= other.metrics
        self.moments |= other.moments
        self.words |= other.words
        self.cjk += "\n" + other.cjk


def _pieced(chunk: str, text: str) -> bool:
    """Whether a run of characters stands in a text, whole or in pieces of at least two."""
    if chunk in text:
        return True
    return any(
        chunk[:at] in text and _pieced(chunk[at:], text)
        for at in range(2, len(chunk) - 1)
        if chunk[:at] in text
    )


_RATE: Final = re.compile(
    r"(?:a )?cumulative(?:ly)?|(?:over )?(?:the )?(?:two|three|four|five|six|seven|ten"
    r"|twelve)[ -]\w+|[两二三四五六].{1,2}|hourly|daily|weekly|monthly"
    r"|quarterly|yearly|annual(?:ly)?|(?:per|a|each) \w+|[每日周月年].{0,2}|.*[本上今去][年月周日].*"
)
#: Words of metrics that are verbs of any figure.
_SOFT_METRICS: Final = frozenset(
    {
        "raised",
        "raise",
        "change",
        "changed",
        "percentage change",
        "percent change",
        "trades at",
        "trade at",
        "highs",
        "lows",
        "open",
    }
)
_SOFT_STEMS: Final = frozenset(stem(word) for word in _SOFT | HARMLESS)


#: Half a year, as accounts tell it.
_HALF: Final = re.compile(
    r"(?:截至)?(20\d\d) ?年 ?(?:6 ?月 ?30 ?日止六个月|中期)"
    r"|\bsix months (?:ended|to|ending) (?:30 June|June 30),? (20\d\d)\b",
    re.IGNORECASE,
)
#: Numbers that keys spell out ("fiftyTwoWeekHigh", "twoHundredDayAverage").
_SPELLED_KEYS: Final = (
    ("fifty two week", "52-week"),
    ("two hundred day", "200-day"),
    ("fifty day", "50-day"),
    ("cashflow", "cash flow"),
)


def _in_figures(key: str) -> str:
    """A key in words with the numbers it spells out in figures."""
    for spelled, figures in _SPELLED_KEYS:
        key = re.sub(spelled, figures, key, flags=re.IGNORECASE)
    return key


def bag_of(text: str, lexicon: Lexicon, *, keys: bool = False) -> Bag:
    """What a label names. ``keys``: it is a key of JSON (``totalVolume``), to be read as words."""
    spread = _in_figures(key_words(text)) if keys else text
    low = flatten(spread).lower()
    bag = Bag(cjk="".join(_CJK.findall(low)))
    bag.words = {stem(word) for word in _LATIN.findall(low)} | {stem(w) for w in _LATIN.findall(text.lower())}
    bag.words |= {f"{stem(match[1].lower())} {match[2]}" for match in _LETTERED.finditer(flatten(spread))}
    if keys:
        bag.words.add(stem(re.sub(r"[^a-z0-9]", "", text.lower())))  # a claim may quote the key as it stands
    bag.names = {name.value for name in lexicon.find(text)}
    if keys and len(text) < 24 and (alone := lexicon.resolve(text, symbol=len(text) < 8)):
        bag.names.add(alone)
    bag.metrics = {metric.value for metric in find_metrics(low)}
    bag.moments = {period.value for period in find_periods(spread)} | {p.value for p in find_periods(text)}
    if "-quarter" in low or "-half" in low:
        bag.moments |= {p.value for p in find_periods(re.sub("-(?=quarter|half)", " ", text))}
    bag.moments |= {f"{match[1] or match[2]}-H1" for match in _HALF.finditer(text)}
    if not any(moment[:2] not in ("19", "20", "--") for moment in bag.moments):
        bag.moments |= {window for name in bag.metrics if (window := metric_window(name))}
    return bag


def content_stems(label: str) -> frozenset[str]:
    """The stems of a label's words, without those that say nothing."""
    return frozenset(stem(word) for word in _LATIN.findall(flatten(label).lower()) if word not in _STOP)


def chinese_content(text: str) -> bool:
    """Whether Chinese words are left when those that say nothing of what is meant are taken out."""
    return bool(_STOP_ZH.sub("", text).strip())


def terms_of(
    words: Words, spans: Iterable[tuple[int, int]], lexicon: Lexicon, *, defines: bool = False
) -> list[Term]:
    """What ranges of a claim name, in order; ``defines``: names of a quotient count for nothing."""
    found: list[Term] = []
    for start, end in spans:
        found += _terms(words, start, end, lexicon, defines)
    return found


def _terms(words: Words, start: int, end: int, lexicon: Lexicon, defines: bool) -> list[Term]:
    text = list(words.masked)
    found = _periods(words, text, start, end)
    if defines:
        for match in _DEFINED.finditer("".join(text)):
            text[match.start() : match.end()] = FILL * (match.end() - match.start())
    phrases: list[tuple[TermKind, int, int, str, bool]] = [
        ("name", name.start, name.end, name.value, False) for name in lexicon.find(words.text)
    ]
    for metric in find_metrics("".join(text)):
        soft = words.text[metric.start : metric.end].lower() in _SOFT_METRICS
        soft = soft or (defines and metric.value not in _LEVELS)
        phrases.append(("metric", metric.start, metric.end, metric.value, soft))
    for kind, at, to, key, soft in phrases:
        if start <= at and to <= end and FILL not in text[at:to]:
            found.append(_phrase(kind, key, (at, to), soft, words.text[at:to].lower()))
            text[at:to] = FILL * (to - at)
    for match in _LETTERED.finditer(words.text, start, end):
        if FILL not in text[match.start() : match.end()]:
            key = f"{stem(match[1].lower())} {match[2]}"
            found.append(Term("word", key, frozenset((key,)), *match.span()))
            text[match.start() : match.end()] = FILL * len(match[0])
    rest = "".join(text)
    for match in _LATIN.finditer(rest, start, end):
        bare = re.sub(r"['’]s\Z", "", match[0])
        root = stem(bare)
        if bare not in _STOP:
            soft = bare in _SOFT or root in _SOFT_STEMS or len(bare) == 1
            found.append(Term("word", root, frozenset((root,)), *match.span(), soft))
    for match in _CJK.finditer(rest, start, end):
        at = match.start()
        for piece in re.finditer(r"[^ ]+", _STOP_ZH.sub(lambda m: " " * len(m[0]), match[0])):
            found.append(Term("cjk", piece[0], frozenset(), at + piece.start(), at + piece.end()))
    return sorted(found, key=lambda term: term.start)


#: Metrics that a written-out calculation uses as an operand only, never as what comes out.
_LEVELS: Final = frozenset(("ath", "atl", "high", "low"))


#: Half a year without its year.
_HALF_ZH: Final = re.compile(r"(?<!年)[上下]半年")


def _periods(words: Words, text: list[str], start: int, end: int) -> list[Term]:
    """The periods of a range, taken out of its text. "Daily" may describe an average; "ten-year" never."""
    found = []
    for period in words.periods:
        if start <= period.start < end:
            kind: TermKind = "moment" if period.dated else "window"
            rate = bool(_RATE.fullmatch(words.text[period.start : period.end].lower()))
            found.append(
                Term(kind, period.value, frozenset(), period.start, period.end, kind == "window" and rate)
            )
            text[period.start : period.end] = FILL * (period.end - period.start)
    for match in _HALF_ZH.finditer(words.text, start, end):
        if FILL not in text[match.start() : match.end()]:
            half = "H1" if match[0][0] == "上" else "H2"
            found.append(Term("moment", half, frozenset(), *match.span()))
            text[match.start() : match.end()] = FILL * len(match[0])
    return found


def _phrase(kind: TermKind, key: str, span: tuple[int, int], soft: bool, raw: str) -> Term:
    parts = frozenset(map(stem, _LATIN.findall(raw))) or frozenset(map(stem, key.lower().split("_")))
    return Term(kind, key, parts, *span, soft, raw)
