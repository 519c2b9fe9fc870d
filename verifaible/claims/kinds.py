"""What kind of claim a part of a sentence is: a value, a date, a name, how something works, or an opinion.

The first that fits counts. An opinion is what no source could hold as a fact: questions, offers, advice,
disclaimers, forecasts that nobody else is said to make, judgements without a value, and what has neither
value nor name and cites nothing. All others need a citation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from verifaible.claims.facts import Fact
from verifaible.claims.verbs import finite_verb
from verifaible.claims.words import (
    ADVICE,
    ATTRIBUTED_HAN,
    COUNTED_POINTS,
    DISCLAIMERS,
    FORECASTERS,
    FORESEE,
    HEDGES,
    HEDGES_HAN,
    IMPERATIVES,
    JUDGEMENTS,
    NOT_ENTITIES,
    OFFERS,
    PARAMETER_OF,
    SMALL_WORDS,
)
from verifaible.schema.analyst import ClaimKind
from verifaible.text.language import HAN

_WORD: Final = re.compile(r"[^\W\d_][\w'’./-]*")
_SAYS: Final = re.compile(r"[^\W_]")
_NO_CLAIM: Final = re.compile(f"{DISCLAIMERS}|{OFFERS}|{ADVICE}", re.IGNORECASE)
_DISCLAIMED: Final = re.compile(DISCLAIMERS, re.IGNORECASE)
_LABEL: Final = re.compile(r"\s*([^:：.。!?？]{1,60})[:：](?=\s|[^\x00-\x7f]|[$€£¥~≈\d+–-])\s*")
#: Labels and headings of what the author advises.
_ADVICE_LABEL: Final = re.compile(
    r"recommend|actionable|strateg|what to (?:do|watch)|next steps?|my (?:view|take)|take[- ‑]?away|verdict"
    r"|建议|策略|操作",
    re.IGNORECASE,
)
#: A number that says over which time, or what of several, is spoken of: 24h volume, RSI (14), Layer 2.
_PARAMETER: Final = re.compile(
    rf"(?:[- ‑]?(?:days?|d|h|hrs?|hours?|w|weeks?|m|months?|y|years?|mins?|小时|日|天|周|个月))?"
    rf"[- ‑]?\s?(?:{PARAMETER_OF})",
    re.IGNORECASE,
)
_COUNTER: Final = re.compile(
    r"(?:\b(?:top|layer|option|step|phase|part|chapter|web|version|tier|no|case|scenario|section|wave"
    r"|point)[ -]?|#|第|\b(?:RSI|S?MA|EMA|MACD|ATR)\s?[(（])\Z",
    re.IGNORECASE,
)
_SPELLED: Final = re.compile(r"[a-z]+|[一二三四五六七八九十两几]+", re.IGNORECASE)
#: Titles that say what follows is about: "What the vault does".
_TOPIC: Final = re.compile(r"\W*(?:what|how|why|who|where)\b", re.IGNORECASE)
_SOURCES: Final = re.compile(
    r"\W*(?:data )?(?:sources?|references?|(?:数据|资料)?(?:来源|出处))\s*[:：]", re.IGNORECASE
)
#: Judgements: "is bullish", "looks stronger", "overall sentiment", "是稳健的选择".
_JUDGED: Final = re.compile(
    r"\b(?:is|are|was|were|looks?|seems?|appears?|remains?|stays?|feels?|be)\s+"
    r"(?:\w+ly\s+|very\s+|quite\s+|still\s+|more\s+|less\s+|the\s+|an?\s+|most\s+)*"
    rf"(?:{'|'.join(sorted(JUDGEMENTS))})\b"
    r"|\b(?:looks?|seems?|appears?|feels?)\s+(?:\w+ly\s+|much\s+|the\s+|a\s+bit\s+)*"
    r"(?:stronger|weaker|safer|riskier|healthier|brighter|worse|more\s+\w+|less\s+\w+)\b"
    r"|[是为算](?:一个|一种|一项|最|更|较|比较|非常|相对|个)*(?:不错|稳健|稳妥|理想|合适|明智|可靠|优质|好|佳|安全|值得)"
    r"的?(?:选择|机会|时机|标的|方案|工具|配置)",
    re.IGNORECASE,
)
_VIEW: Final = re.compile(
    r"\b(?:overall|sentiment|outlook|narrative|bottom line|in my (?:view|opinion)|thesis|take-?away)\b"
    r"|情绪|前景|总体|整体|展望",
    re.IGNORECASE,
)
_EXPECTED: Final = re.compile(
    r"\b(?:expected|anticipated|projected|forecast|set|poised|likely) to\b"
    r"|\b(?:is|are|becomes?|remains?|looks?|seems?)\s+(?:\w+\s+)?(?:un)?likely(?:\s*[.,;!]|\s*\Z)"
    rf"|{HEDGES_HAN}",
    re.IGNORECASE,
)
_ACCORDING: Final = re.compile(
    r"\b(?:[Aa]ccording to|said|says|stated|states|announced|reported|confirmed|estimates)\b"
    r"|\b(?:as reported by|[Pp]er|cited by|data from|reports?|citing)\b\s*(?:the\s+)?[A-Z\d]"
    rf"|{ATTRIBUTED_HAN}"
)
_FORESEEN_BY: Final = re.compile(
    r"(?:^|[^.\w])([A-Z][\w.&-]*)(?:['’]s?)?(?:\s+[\w-]+){0,4}?\s+(?:" + "|".join(sorted(FORESEE)) + r")\b"
)
_CONDITION: Final = re.compile(
    r"\W*(?:(?:if|should|once|unless|when|assuming)\b|若|如果|一旦|假如|倘若|只要|除非|当)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Setting:
    """What decides with the words of a part what kind it is.

    Attributes:
        sentence: the sentence that it is from.
        context: headings, label, head and row over it.
        heading: whether it is a heading or a line that leads in what follows.
        cell: whether it is a cell of a table.
        item: whether it is an item of a list.
        label: whether it is the cell that says what its row is about.
        cited: whether it has marks of its own, of its sentence, its item or its row.
    """

    sentence: str
    context: tuple[str, ...] = ()
    heading: bool = False
    cell: bool = False
    item: bool = False
    label: bool = False
    cited: bool = False


def kind_of(text: str, facts: Sequence[Fact], at: Setting) -> ClaimKind:
    """The kind of a part of a sentence.

    Args:
        text: the plain words of the part.
        facts: those in it; ``start`` and ``end`` count in ``text``.
        at: where it stands.
    """
    measured = has_measured(text, facts)
    if at.label or at.heading:
        states = re.search(r"[:：]\s*\S", text) or finite_verb(text)
        return "number" if measured and (at.label or states) else "opinion"
    if _is_request(text, at):
        return "opinion"
    forecast = not at.cited and _is_forecast(_up_to_value(text, facts))
    if forecast and not _is_attributed(at.sentence):
        return "opinion"
    if measured:
        return "number"
    return "date" if any(fact.kind == "date" for fact in facts) else _without_value(text, facts, at)


def has_measured(text: str, facts: Sequence[Fact]) -> bool:
    """Whether a part gives a value that is measured or counted, not one that only names a period."""
    return any(fact.kind == "number" and is_measured(text, fact) for fact in facts)


def is_measured(text: str, fact: Fact) -> bool:
    """Whether a number is measured or counted: not the 14 of RSI (14), nor the 24 of 24h volume."""
    behind, before = text[fact.end : fact.end + 60], text[max(0, fact.start - 30) : fact.start]
    unit = re.sub(r"^[\d.,]+", "", fact.raw)
    if _COUNTER.search(before) or _PARAMETER.match((unit + behind).lstrip()):
        return False
    if _SPELLED.fullmatch(fact.raw):
        words = {each.lower() for each in re.findall(r"[^\W\d_]+", behind)[:2]}
        return bool(words) and not words & COUNTED_POINTS and not HAN.match(fact.raw)
    return True


def is_listing(text: str) -> bool:
    """Whether a line only says where something is from: ``Sources: CoinGecko, Messari``."""
    return _SOURCES.match(text) is not None


def _up_to_value(text: str, facts: Sequence[Fact]) -> str:
    """The text to the first value that is stated of the present: what is hedged behind it is no forecast.

    Dates are blanked, so that a month is no hedge (May). The value must stand behind the verb, or behind a
    label, and not in a condition.
    """
    for fact in facts:
        if fact.kind == "date":
            text = text[: fact.start] + "0" * (fact.end - fact.start) + text[fact.end :]
    first = next((fact for fact in facts if fact.kind == "number" and is_measured(text, fact)), None)
    label = _LABEL.match(text)
    at = label.end() if label and first and label.end() <= first.start else 0
    if first is None or _CONDITION.match(text, at):
        return text
    verb = finite_verb(text[at : first.start])
    at_once = at and not _SAYS.search(text[at : first.start])
    return text[: first.start] if at_once or (verb and not verb.bare) else text


def _without_value(text: str, facts: Sequence[Fact], at: Setting) -> ClaimKind:
    """What a part without value states: anything that a source could hold, with a verb or without.

    A stretch without verb states something of what it stands under: of its label, its item, its row.
    """
    label = _LABEL.match(text)
    body = text[label.end() :] if label else text
    words = _WORD.findall(body)
    judged = at.cell and words and words[0].lower() in JUDGEMENTS | {"very", "highly", "moderately"}
    if judged or _TOPIC.match(body) or _JUDGED.search(text) or (_VIEW.search(text) and not label):
        return "opinion"
    names = any(fact.kind == "name" and fact.raw.lower() not in NOT_ENTITIES for fact in facts)
    if finite_verb(body) is None:
        said = label or at.cell or len(words) > 2 or HAN.search(body) or (names and at.item)
        valued = {word.lower() for word in words} & JUDGEMENTS and not at.cited
        if valued or not said or not _SAYS.search(body):
            return "opinion"
    return "name" if names else "technical"


# --- what needs no source


def _is_request(text: str, at: Setting) -> bool:
    """Whether a part asks, offers, advises, or says what it is not."""
    label = _LABEL.match(text)
    body = text[label.end() :] if label else text
    first = _WORD.search(body)
    leads = first is not None and not _SAYS.search(body[: first.start()])
    told = leads and first is not None and first[0].lower() in IMPERATIVES
    verb = finite_verb(body) if told else None
    ends = (each.rstrip(" \t\"'”’」』)）*_")[-1:] for each in (at.sentence, text))
    return (
        any(end in ("?", "？") for end in ends)
        or _NO_CLAIM.search(text) is not None
        or _DISCLAIMED.search(at.sentence) is not None
        or any(_ADVICE_LABEL.search(each) for each in (*at.context[-1:], label[1] if label else ""))
        or (told and (verb is None or verb.bare))
    )


def _is_forecast(text: str) -> bool:
    words = {word.lower() for word in _WORD.findall(text)}
    return bool(words & HEDGES) or _EXPECTED.search(text) is not None


def _is_attributed(sentence: str) -> bool:
    """Whether a forecast is said to be somebody's."""
    words = [word.lower() for word in _WORD.findall(sentence)]
    foreseen = next((at for at, word in enumerate(words) if word in FORESEE), 0)
    if _ACCORDING.search(sentence) or any(word in FORECASTERS for word in words[:foreseen]):
        return True
    named = _FORESEEN_BY.search(sentence)
    return named is not None and named[1].lower() not in SMALL_WORDS
