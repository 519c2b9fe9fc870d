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
    MARKET_MOVES,
    NOT_ENTITIES,
    OFFERS,
    PARAMETER_OF,
    SMALL_WORDS,
)
from verifaible.schema.analyst import ClaimKind
from verifaible.text.language import HAN

_WORD = re.compile(r"[^\W\d_][\w'’./-]*")
_NO_CLAIM = re.compile(f"{DISCLAIMERS}|{OFFERS}|{ADVICE}", re.IGNORECASE)
_LABEL = re.compile(r"\s*([^:：.。!?？]{1,60})[:：](?=\s|[^\x00-\x7f]|[$€£¥~≈\d+–-])\s*")
_ADVICE_LABEL = re.compile(
    r"recommend|actionable|strateg|what to (?:do|watch)|next steps?|my (?:view|take)|take[- ‑]?away|verdict"
    r"|建议|策略|操作",
    re.IGNORECASE,
)
_PARAMETER = re.compile(
    rf"(?:[- ‑]?(?:days?|d|h|hrs?|hours?|w|weeks?|m|months?|y|years?|mins?|小时|日|天|周|个月))?"
    rf"[- ‑]?\s?(?:{PARAMETER_OF})",
    re.IGNORECASE,
)
_COUNTER = re.compile(
    r"(?:\b(?:top|layer|option|step|phase|part|chapter|web|version|tier|no|case|scenario|section|wave"
    r"|point)[ -]?|#|第)\Z",
    re.IGNORECASE,
)
_INDICATOR = re.compile(r"\b(?:RSI|S?MA|EMA|MACD|ATR)\s?[(（]\Z", re.IGNORECASE)
#: Titles that say what follows is about: "What the vault does".
_TOPIC = re.compile(r"\W*(?:what|how|why|who|where)\b", re.IGNORECASE)
_SOURCES = re.compile(
    r"\W*(?:data )?(?:sources?|references?|(?:数据|资料)?(?:来源|出处))\s*[:：]", re.IGNORECASE
)
_FORMULA = re.compile(r"[=≈×÷∝]")
_COPULA_JUDGED = re.compile(
    r"\b(?:is|are|was|were|looks?|seems?|appears?|remains?|stays?|feels?|be)\s+"
    r"(?:\w+ly\s+|very\s+|quite\s+|still\s+|more\s+"
    rf"|less\s+|the\s+|an?\s+|most\s+)*(?:{'|'.join(sorted(JUDGEMENTS))})\b",
    re.IGNORECASE,
)
#: "looks stronger", "是稳健的选择": a comparison without measure, or what is a good choice.
_RATED = re.compile(
    r"\b(?:looks?|seems?|appears?|feels?)\s+(?:\w+ly\s+|much\s+|the\s+|a\s+bit\s+)*"
    r"(?:stronger|weaker|safer|riskier|healthier|brighter|worse|more\s+\w+|less\s+\w+)\b"
    r"|[是为算](?:一个|一种|一项|最|更|较|比较|非常|相对|个)*(?:不错|稳健|稳妥|理想|合适|明智|可靠|优质|好|佳|安全|值得)"
    r"的?(?:选择|机会|时机|标的|方案|工具|配置)",
    re.IGNORECASE,
)
_VIEW = re.compile(
    r"\b(?:overall|sentiment|outlook|narrative|bottom line|in my (?:view|opinion)|thesis|take-?away)\b"
    r"|情绪|前景|总体|整体|展望",
    re.IGNORECASE,
)
_ACCORDING = re.compile(
    r"\b(?:according to|as reported by|per|cited by|data from|says|said|reports?|citing)\b"
    r"\s*(?:the\s+)?[A-Z\d]|\b[Aa]ccording to\b"
)
_WILL = re.compile(r"\b(?:will|won't|going to|set to)\s+(?:\w+ly\s+|not\s+)?(\w+)", re.IGNORECASE)
_EXPECTED = re.compile(r"\b(?:expected|anticipated|projected|forecast|set|poised|likely) to\b", re.IGNORECASE)
_LIKELY = re.compile(
    r"\b(?:is|are|becomes?|remains?|looks?|seems?)\s+(?:\w+\s+)?(?:un)?likely(?:\s*[.,;!]|\s*\Z)",
    re.IGNORECASE,
)
#: What somebody did whose name is not said: it happened or it did not.
_TIMES = re.compile(r"\d[\d.,]*[x×]", re.IGNORECASE)
_REQUEST = re.compile(
    r"(?:please|let me know|what would you|would you|do you|tell me|could you)\b|[您请]", re.IGNORECASE
)
_SAID = re.compile(r"\b(?:said|says|stated|states|announced|reported|confirmed|estimates)\b", re.IGNORECASE)
_CONDITION = re.compile(
    r"\W*(?:(?:if|should|once|unless|when|assuming)\b|若|如果|一旦|假如|倘若|只要|除非|当)", re.IGNORECASE
)
_IF = re.compile(r"^\s*(?:if|once|when|should|for|to)\b[^,]*,\s*", re.IGNORECASE)
_HEDGE_WORDS: Final = HEDGES - {"expected", "anticipated", "poised"}
_SPELLED = re.compile(r"[a-z]+|[一二三四五六七八九十两几]+", re.IGNORECASE)


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
    dated = any(fact.kind == "date" for fact in facts)
    valued: ClaimKind | None = "number" if measured else "date" if dated else None
    if at.label or at.heading:
        stated = measured and (at.label or _shown(text, facts))
        return "number" if stated else "opinion"
    if _is_request(text, at):
        return "opinion"
    forecast = not at.cited and _is_forecast(_up_to_value(_without_dates(text, facts), facts))
    if forecast and not _is_attributed(at.sentence):
        return "opinion"
    return valued or _without_value(text, facts, at)


def _without_dates(text: str, facts: Sequence[Fact]) -> str:
    """The text with dates blanked, so that a month is no hedge (May)."""
    for fact in facts:
        if fact.kind == "date":
            text = text[: fact.start] + "0" * (fact.end - fact.start) + text[fact.end :]
    return text


def _up_to_value(text: str, facts: Sequence[Fact]) -> str:
    """The text to the first value that is stated of the present: what is hedged behind it is no forecast.

    The value must stand behind the verb, or behind a label, and not in a condition.
    """
    first = next((fact for fact in facts if fact.kind == "number" and is_measured(text, fact)), None)
    if first is None:
        return text
    label = _LABEL.match(text)
    at = label.end() if label and label.end() <= first.start else 0
    if _CONDITION.match(text, at):
        return text
    verb = finite_verb(text[at : first.start])
    at_once = at and not re.search(r"[^\W_]", text[at : first.start])
    return text[: first.start] if at_once or (verb and not verb.bare) else text


def _without_value(text: str, facts: Sequence[Fact], at: Setting) -> ClaimKind:
    """What a part without value states: anything that a source could hold, with a verb or without.

    A stretch without verb states something of what it stands under: of its label, its item, its row.
    """
    label = _LABEL.match(text)
    body = text[label.end() :] if label else text
    if _TOPIC.match(body) or _is_judgement(text, body, cell=at.cell, labelled=bool(label)):
        return "opinion"
    names = any(fact.kind == "name" and fact.raw.lower() not in NOT_ENTITIES for fact in facts)
    if finite_verb(body) is None and not _FORMULA.search(text):
        words = _WORD.findall(body)
        told = label or at.cell or len(words) > 2 or HAN.search(body) or (names and at.item)
        judged = {word.lower() for word in words} & JUDGEMENTS and not at.cited
        if judged or not told or not re.search(r"[^\W_]", body):
            return "opinion"
    return "name" if names else "technical"


def is_listing(text: str) -> bool:
    """Whether a line only says where something is from: ``Sources: CoinGecko, Messari``."""
    return _SOURCES.match(text) is not None


def _is_judgement(text: str, body: str, *, cell: bool, labelled: bool) -> bool:
    """Whether a part judges: "is bullish", "overall sentiment", a cell that begins with such a word."""
    first = _WORD.search(body)
    word = first[0].lower() if first else ""
    if cell and (word in JUDGEMENTS or word in ("very", "highly", "moderately")):
        return True
    return bool(_COPULA_JUDGED.search(text) or _RATED.search(text) or (_VIEW.search(text) and not labelled))


# --- values


def has_measured(text: str, facts: Sequence[Fact]) -> bool:
    """Whether a part gives a value that is measured or counted, not one that only names a period."""
    return any(fact.kind == "number" and is_measured(text, fact) for fact in facts)


def is_measured(text: str, fact: Fact) -> bool:
    """Whether a number is measured or counted: not the 14 of RSI (14), nor the 24 of 24h volume."""
    behind, before = text[fact.end : fact.end + 60], text[max(0, fact.start - 30) : fact.start]
    if _COUNTER.search(before) or _INDICATOR.search(before):
        return False
    unit = re.sub(r"^[\d.,]+", "", fact.raw)
    if _PARAMETER.match((unit + behind).lstrip()):
        return False
    if _SPELLED.fullmatch(fact.raw):
        following = re.match(r"\s*([^\W\d_]+)(?:\s+([^\W\d_]+))?", behind)
        words = {each.lower() for each in following.groups() if each} if following else set()
        return bool(words) and not words & COUNTED_POINTS and not HAN.match(fact.raw)
    return True


def _shown(text: str, facts: Sequence[Fact]) -> bool:
    """Whether a heading states a value: it has a verb or a colon, and a number with unit, scale or sign."""
    values = [fact.number for fact in facts if fact.kind == "number" and fact.number]
    telling = any(each.unit or each.sign or each.scale != 1 for each in values)
    return telling and (finite_verb(text) is not None or bool(re.search(r"[:：]\s*\S", text)))


# --- what needs no source


def _is_request(text: str, at: Setting) -> bool:
    ends = (each.rstrip(" \t\"'”’」』)）*_")[-1:] for each in (at.sentence, text))
    label = _LABEL.match(text)
    body = _IF.sub("", text[label.end() :] if label else text)
    first = _WORD.search(body)
    leads = first is not None and not re.search(r"[^\W_]", body[: first.start()])
    told = leads and first is not None and first[0].lower() in IMPERATIVES
    verb = finite_verb(body) if told else None
    return (
        any(end in ("?", "？") for end in ends)
        or _NO_CLAIM.search(text) is not None
        or re.search(DISCLAIMERS, at.sentence, re.IGNORECASE) is not None
        or bool(at.context and (_REQUEST.match(at.context[-1]) or _ADVICE_LABEL.search(at.context[-1])))
        or (label is not None and _ADVICE_LABEL.search(label[1]) is not None)
        or (told and (verb is None or verb.bare))
    )


def _is_forecast(text: str) -> bool:
    words = {word.lower() for word in _WORD.findall(text)}
    if words & _HEDGE_WORDS or _EXPECTED.search(text):
        return True
    will = _WILL.search(text)
    if will and will[1].lower() in MARKET_MOVES:
        return True
    return _LIKELY.search(text) is not None or re.search(HEDGES_HAN, text) is not None


def _is_attributed(sentence: str) -> bool:
    """Whether a forecast is said to be somebody's."""
    words = [word.lower() for word in _WORD.findall(sentence)]
    if _ACCORDING.search(sentence) or _SAID.search(sentence) or re.search(ATTRIBUTED_HAN, sentence):
        return True
    for at, word in enumerate(words):
        if word in FORESEE and any(each in FORECASTERS for each in words[:at]):
            return True
    named = re.search(
        r"(?:^|[^.\w])([A-Z][\w.&-]*)(?:['’]s?)?(?:\s+[\w-]+){0,4}?\s+(?:"
        + "|".join(sorted(FORESEE))
        + r")\b",
        sentence,
    )
    return named is not None and named[1].lower() not in SMALL_WORDS
