"""What a sentence or an item of a list says at each of its values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from verifaible.judge.rules.derive_labels import Bag, Term, bag_of, chinese_content, content_stems, word_list
from verifaible.judge.rules.lexicon import Lexicon, find_metrics
from verifaible.judge.rules.periods import find_periods
from verifaible.judge.rules.plain_words import stem
from verifaible.judge.rules.reading import Reading

#: Words that do not say what a value is of.
_SAID: Final = frozenset(map(stem, word_list("soft")))
#: How an earlier time is told without a date.
AGO: Final = re.compile(
    r"(?:year|quarter|month|week)(?:'s)? (?:earlier|ago|before|prior)|(?:prior|previous|last|preceding)[- "
    r"](?:year|quarter|month|week)"
    r"|上年|去年|上季|上一季|上月|上个月|上周|上期",
    re.IGNORECASE,
)
#: What leads up to the base of a comparison.
_BASE: Final = re.compile(
    r"(?:\b(?:compared (?:with|to)|versus|vs\.?|against|(?:up|down) from)|相比|较)\s*(?:the |about |an? "
    r")?(?:US)?[$€£¥]?\Z",
    re.IGNORECASE,
)
_BREAK: Final = re.compile(
    r"[,;:，；、：。（(]|\b(?:at|and|while|whereas|against|compared (?:with|to)|from|versus|but|with"
    r"|plus)\b"
    r"|[和与及]|其中|，?上[年周月]"
)
#: A name with "and" in it behind a comma: ", research and development expense ".
_AND_INSIDE: Final = re.compile(r",\s+(?!and\b)[a-z-]+ and [a-z-]+ (?:[a-z]+ ){0,2}\Z")
_LEADING: Final = re.compile(r"\s*(?:[A-Z0-9][\w’'&.-]*\s+|(?:of|the|and|in|on)\s+(?=[A-Z0-9]))+")
#: An item of a list.
_ITEM: Final = re.compile(r"\s*(?:[-*•·]|\d{1,2}[.)])\s")
_YEAR_AGO: Final = re.compile(
    r"\byear(?:'s)? (?:earlier|ago|before|prior)|(?:prior|previous|preceding|last)[- ]year|上年|去年",
    re.IGNORECASE,
)
_OF_WHOLE: Final = re.compile(r"\s+of\s+([^,.;:()]{3,48})")
#: Stems that leave a piece of a sentence without content of its own ("$7.85 billion a year earlier").
_FILLING: Final = frozenset(map(stem, word_list("filling")))
_PERIOD_WORD: Final = re.compile(r"[qh][1-4]|fy\d*")


def is_noun(term: Term) -> bool:
    """Whether a word that a source need not say is a thing ("assets"), and tells no calculation."""
    return term.kind == "word" and term.key not in _SAID


def words_at(reading: Reading) -> str:
    """The words close to a value, up to the next sign that parts a sentence behind it."""
    after = re.split(
        r"[,;，；。]|\band\b", reading.text[reading.end : min(reading.place[1], reading.end + 40)]
    )[0]
    before = re.split(
        r"[,;，；。]|\band\b", reading.text[max(reading.place[0], reading.start - 24) : reading.start]
    )[-1]
    return f"{before} {after}".lower()


def own_words(there: list[Reading], lexicon: Lexicon) -> dict[tuple[str, int], Bag]:
    """The words of a sentence that stand at each of its values, between it and its neighbours."""
    text, begin = there[0].text, there[0].place[0]
    shared = bag_of(_subject_of(text, begin, there[0].start), lexicon)
    cuts = _cuts(there)
    found: dict[tuple[str, int], Bag] = {}
    last = Bag()
    for reading, start, stop in zip(there, cuts, cuts[1:], strict=False):
        bag = Bag()
        bag.add(bag_of(text[start : reading.start] + " " + text[reading.end : stop], lexicon))
        if (
            not bag.metrics
            and not any(map(_has_content, bag.words - shared.words))
            and not chinese_content(bag.cjk)
        ):
            carried = Bag(metrics=set(last.metrics), words=set(last.words), cjk=last.cjk)
            carried.names = set() if bag.names else set(last.names)
            ago = AGO.search(text[start:stop])
            carried.moments = set() if bag.moments or ago else set(last.moments)
            bag.add(carried)
        bag.words |= shared.words
        bag.cjk += "\n" + shared.cjk
        if not bag.names:
            bag.names |= shared.names
        found[(reading.source.id, reading.start)] = bag
        last = bag
    return found


def _cuts(there: list[Reading]) -> list[int]:
    """Where the words of each value of a sentence begin, and the end of the last one's."""
    text, (begin, end) = there[0].text, there[0].place
    cuts = [begin]
    for before, after in pairwise(there):
        gap = text[before.end : after.start]
        breaks = list(_BREAK.finditer(gap))
        if named := _AND_INSIDE.search(gap):
            breaks = [each for each in breaks if each.start() <= named.start()]
        opened = max(gap.rfind("("), gap.rfind("（"))
        if opened >= 0 and not re.search(r"[)）]", gap[opened:]):
            cuts.append(before.end + opened)  # what a bracket tells goes with the value in it
        else:
            cuts.append(before.end + (breaks[-1].start() if breaks else 0))
    cuts.append(end)
    return cuts


def _subject_of(text: str, begin: int, first: int) -> str:
    """The words that begin a sentence and go with each of its values: its subject, as far as is seen."""
    if re.match(
        r"\s*(?:its?|they|their|the (?:token|company|protocol|firm|project))\b",
        text[begin:first],
        re.IGNORECASE,
    ):
        before = text[max(0, begin - 400) : begin].rstrip()
        named = _LEADING.match(re.split(r"(?<=[.!?])\s+|\n", before)[-1])
        return named[0] if named else ""
    lead = text[begin:first]
    if re.search(r"[\u3400-\u9fff]", lead):
        metrics = find_metrics(lead)
        head = lead[: metrics[0].start] if metrics else ""
        told = list(re.finditer(r"[本上今去][年月周季]|\d年.{0,3}?(?:半年|季度|月)?|的|，", head))
        return head[: told[-1].start()] if told else " ".join(re.findall(r"[A-Za-z][\w]+", head))
    match = _LEADING.match(lead)
    return match[0] if match else ""


def _has_content(word: str) -> bool:
    return word not in _FILLING and not _PERIOD_WORD.fullmatch(word)


def date_back(mine: Bag, near: str, bags: Sequence[Bag]) -> None:
    """Give "a year earlier" its date, where the sentence has one date that it is told from."""
    if mine.moments or not _YEAR_AGO.search(near):
        return
    told = {moment for bag in bags for moment in bag.moments if moment[:2] in ("19", "20")}
    if len(told) == 1 and (date := shifted(told.pop(), "year")):
        mine.moments.add(date)


def shifted(moment: str, relative: str) -> str:
    """A period that much earlier; empty where it is not known."""
    if re.fullmatch(r"Q[1-4]", moment) and relative in ("quarter", "period"):
        return f"Q{(int(moment[1]) - 2) % 4 + 1}"
    year = moment[:4]
    if not year.isdigit():
        return ""
    if relative == "year":
        return f"{int(year) - 1}{moment[4:]}"
    if (quarter := re.fullmatch(r"(\d{4})-Q(\d)", moment)) and relative in ("quarter", "period"):
        number = int(quarter[1]) * 4 + int(quarter[2]) - 2
        return f"{number // 4}-Q{number % 4 + 1}"
    if (month := re.fullmatch(r"(\d{4})-(\d\d)", moment)) and relative in ("month", "period"):
        number = int(month[1]) * 12 + int(month[2]) - 2
        return f"{number // 12}-{number % 12 + 1:02d}"
    return ""


def whole_of(reading: Reading) -> frozenset[str]:
    """The metrics behind "of" where the words before a value say of what it is: it is a part of them."""
    behind = _OF_WHOLE.match(reading.text, reading.end, reading.place[1])
    lead = re.split(r"[,;:]|\band\b", reading.text[reading.place[0] : reading.start])[-1]
    if not behind or not content_stems(lead) - _SAID or find_metrics(lead):
        return frozenset()
    return frozenset(metric.value for metric in find_metrics(behind[1]))


def _line_over_list(reading: Reading) -> str:
    """The line that a list stands under."""
    for line in reversed(reading.text[max(0, reading.place[0] - 4000) : reading.place[0]].split("\n")):
        if line.strip() and not _ITEM.match(line):
            return line
    return ""


def _first_moment(text: str) -> set[str]:
    """The first date of a line."""
    dated = [period.value for period in find_periods(text) if period.dated]
    return set(dated[:1])


def _lead(reading: Reading) -> str:
    return reading.text[max(reading.place[0], reading.start - 32) : reading.start]


def is_ago(reading: Reading) -> bool:
    """Whether a value is told as of an earlier time ("a year earlier", "compared with")."""
    return bool(AGO.search(words_at(reading)) or _BASE.search(_lead(reading)))


def moments_over(reading: Reading) -> set[str]:
    """The date of the line over a list, for its items."""
    return _first_moment(_line_over_list(reading)) if _ITEM.match(reading.text, *reading.place) else set()
