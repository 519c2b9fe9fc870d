"""The words around a number or a name that change what is said: falls, limits, denials.

All patterns read text that went through :func:`verifaible.text.flat.flatten`. Those
that look at what stands before are anchored at the end of the clause before the number.
"""

from __future__ import annotations

import re
from typing import Final

from verifaible.old.text.units import CURRENCY_BEFORE

CLAUSE_END: Final = re.compile(r"[。！？!?；;\n\t|，、]|,\s|(?<!\b[A-Z])\.\s")

_ZH_FILL = (
    r"(?:了|为|是|约|近|大约|达到|达|幅度|同比|环比|分别|均|仅|略微|超过|逾|不足|不到|至少|最多|\s|[:=(\"'])*"
)
_EN_FILL = (
    r"(?:\s|[:=(\"']|\b(?:by|of|about|around|approximately|roughly|nearly|almost|some|a|an|the|only"
    r"|just|another|further|slightly|sharply|modestly|more than|less than|over|at least"
    r"|(?:year|month)[- ](?:on|over)[- ](?:year|month)|yoy|mom|was|is|being|been)\b)*"
)
_FALL_ZH = (
    r"(?:下降|下跌|下挫|跌去|下滑|下行|下调|降低|调降|调低|减少|缩减|萎缩|回落|走低|负增长|负"
    r"|(?<!涨)跌幅|降幅|减幅|(?<![涨下])跌|(?<![升下])降|(?<!增)减|少了)"
)
_FALL_EN = (
    r"\b(?:fell|falls?|falling|fallen|drop(?:s|ped|ping)?|declin(?:e|es|ed|ing)"
    r"|decreas(?:e|es|ed|ing)|down|lower|lowered|reduc(?:ed|es|tion|ing)|slid|slips?|slipped|shrank"
    r"|shrunk|contract(?:ed|ion)|lost|loss|cut|dip(?:s|ped)?|plunged|tumbled|sank|eased|retreated"
    r"|minus|negative)\b"
)
#: A word for a fall, and nothing but fillers up to the number. "To" and 至 are no fillers: a
#: number behind them is a level.
FALL_BEFORE: Final = re.compile(
    rf"(?:{_FALL_ZH}{_ZH_FILL}|{_FALL_EN}{_EN_FILL}|[↓⬇▼▽🔻]\s*)\Z",
    re.IGNORECASE,
)
#: Parts of words for a fall, in lower case: without any of them no pattern of a fall can match.
FALL_ROOTS: Final = (
    *(
        "fell",
        "fall",
        "drop",
        "declin",
        "decreas",
        "down",
        "lower",
        "reduc",
        "slid",
        "slip",
        "shr",
        "contract",
        "lost",
    ),
    *("loss", "cut", "dip", "plunged", "tumbled", "sank", "eased", "retreated", "minus", "negative"),
    *("跌", "降", "减", "下", "调", "少", "缩", "回落", "走低", "负", "↓", "⬇", "▼", "▽", "🔻"),
)
FALL_AFTER: Final = re.compile(
    r"\s*(?:的(?:跌幅|降幅|减幅|下降|下跌|下滑|回落)"
    r"|-?\s?(?:(?:annual|year[- ]on[- ]year|yoy|month[- ]on[- ]month|yearly|monthly|price)\s)*"
    r"(?:decline|decrease|drop|fall|reduction|contraction|lower)\b(?!\s+to\b))",
    re.IGNORECASE,
)

_DENY_ZH = r"(?:并不是|不是|并非|而非|绝非|非|不等于|不为|不再是|没有|并没有|没|未|并未|不)"
_DENY_EN = (
    r"(?:\b(?:not|never|no longer|rather than|instead of|as opposed to|neither|nor|without"
    r"|cannot be)|n't)"
)
_DENY_FILL = (
    r"(?:\s|[\"'(:]|是|为|有|等于|大?约"
    r"|\b(?:the|a|an|by|be|been|being|exactly|equal to|equals|about|as|at|is|was)\b)*"
)
_DENY: Final = re.compile(rf"(?:{_DENY_ZH}|{_DENY_EN}){_DENY_FILL}\Z", re.IGNORECASE)
_DENY_NAME: Final = re.compile(
    rf"(?i:{_DENY_ZH}|{_DENY_EN}){_DENY_FILL}(?:[A-Z][\w.'-]*\s+){{1,3}}\Z",
)
_DENY_WRONG: Final = re.compile(
    r"\s*[\"')]*\s*(?:(?:is|was|are|would be)\s+"
    r"(?:wrong|incorrect|false|not (?:correct|right|true|the answer|it))"
    r"|(?:isn't|wasn't) (?:correct|right|true|the answer)"
    r"|(?:这个(?:数字|答案))?(?:是|为)?(?:错误的|错的|不对|不正确|不是答案|有误))",
    re.IGNORECASE,
)


#: Parts of words of denial, in lower case: without any of them nothing is denied.
DENIAL_ROOTS: Final = (
    *("not", "never", "longer", "rather", "instead", "opposed", "neither", "nor", "without", "n't"),
    *("wrong", "incorrect", "false", "不", "非", "没", "未", "错", "误"),
)


def has_any(lowered: str, roots: tuple[str, ...]) -> bool:
    """Whether a text in lower case has one of some parts of words; much quicker than a pattern."""
    return any(map(lowered.__contains__, roots))


def denied_before(clause: str) -> bool:
    """Whether the words before a number or a name, or before the fall it has, deny it.

    First names, initials and titles may stand in between (``not Governor Michelle W. Bowman``).
    """
    if _DENY.search(clause) or _DENY_NAME.search(clause):
        return True
    fall = FALL_BEFORE.search(clause)
    return bool(fall and _DENY.search(clause[: fall.start()]))


def denied_after(rest: str) -> bool:
    """Whether the words behind a number or a name call it wrong."""
    return bool(_DENY_WRONG.match(rest))


_SUBJECT: Final = r"\s*(?:,?\s*who\s+)?"
_DID_NOT: Final = re.compile(
    rf"{_SUBJECT}(?:(?:did|does|do|has|have|had|is|was|were)(?: not|n't)|never)\s+(?:\w+ly\s+)?([a-z]{{4,}})",
    re.IGNORECASE,
)
_VOTED_FOR: Final = re.compile(
    rf"{_SUBJECT}voted\s+(?:yes|in favou?r|with the majority|for(?=\s+(?:the|this|it)\b|\s*(?:[.,;]|\Z)))\b",
    re.IGNORECASE,
)
_AGAINST: Final = re.compile(r"\b(?:dissent|against|oppos)", re.IGNORECASE)


def denied_by_verb(rest: str, question: str) -> bool:
    """Whether the verb behind a name denies of it what the question asks.

    Read are a negated verb that the question has too, by its first five letters ("did not
    dissent" where a dissenting vote is asked for), and a vote in favour where one against is
    asked for. A verb that the question does not have denies nothing: who "did not support the
    action" may well have dissented.
    """
    negated = _DID_NOT.match(rest)
    if negated and re.search(rf"\b{re.escape(negated[1][:5])}", question, re.IGNORECASE):
        return negated[1].lower() != "vote"
    return bool(_AGAINST.search(question) and _VOTED_FOR.match(rest))


BOUND_BEFORE: Final = re.compile(
    r"(?:(?:超过|超|逾|不足|不到|不超过|不少于|不低于|至少|最多|至多|多于|少于|大于|小于|高于|低于|突破)\s*"
    r"|\b(?:more than|less than|fewer than|over|under|at least|at most|above|below"
    r"|exceed(?:s|ing|ed)?|higher than|lower than|greater than|no more than|no less than)"
    r"\s+(?:the\s+|a\s+)?)\Z",
    re.IGNORECASE,
)
BOUND_AFTER: Final = re.compile(
    r"\s?(?:以上|以下|以内|余(?!额|量)|多(?=[个家人元笔名])|\+(?!\d)|or (?:more|less|fewer)\b)"
)

ORDINAL_BEFORE: Final = re.compile(
    r"(?:第|排名第?|[图表]|附件|\bNo\. ?|#"
    r"|\b(?:table|figure|fig\.|chart|page|section|step|item|rank|case|note)\s)\Z",
    re.IGNORECASE,
)
RANGE_JOIN: Final = re.compile(rf"\s?(?:[-~—]|(?P<word>至|到|to))\s?(?:{CURRENCY_BEFORE})?")
#: "Between A and B": what opens and joins, or joins and closes, a range.
BETWEEN: Final = re.compile(rf"(?:\bbetween|介于)\s*(?:{CURRENCY_BEFORE})?\Z", re.IGNORECASE)
BETWEEN_JOIN: Final = re.compile(rf"\s*(?:and|和|与|及|至|到)\s*(?:{CURRENCY_BEFORE})?", re.IGNORECASE)
BETWEEN_AFTER: Final = re.compile(r"\s*之间")

_LEVEL_FILL: Final = (
    r"(?:\s|\b(?:the|a|an|its|about|around|roughly|approximately|last|prior|previous|earlier|year|month"
    r"|quarter)(?:'s)?\b|\b(?:level|rate|reading|high|low|peak|of)\b|\b[A-Z][a-z]+(?:'s)?\s(?:(?:19|20)\d\d\s)?)*"
)
#: "From" or 由 and the words up to an earlier level; 从…看 and 由于 open something else.
FROM_BEFORE: Final = re.compile(
    rf"(?:\b(?i:from){_LEVEL_FILL}|(?:从(?![而事])|由(?!于)|(?<!来)自(?![然由己从]))"
    r"(?:\d{1,4}[年月日]|[^\d,，。；;、看来起为是示]){0,10})\Z"
)
#: "To" or 至 and the words up to a new level.
TO_BEFORE: Final = re.compile(
    rf"(?:\b(?i:to){_LEVEL_FILL}|(?:至|(?<!达)到|[变调改升降]为|变成)了?\s*约?\s*)\Z"
)
#: "4.4, down from 4.9": the earlier level stands last.
DOWN_FROM: Final = re.compile(
    rf"[\s,，(]*(?i:(?P<verb>down|up|lowered|raised|cut|reduced|changed)\s+)?(?i:from){_LEVEL_FILL}"
)

COORDINATOR: Final = re.compile(r"\s*(?:,?\s*(?:和|与|及|以及|或|and|or)|、|,|，|;)\s*", re.IGNORECASE)


def parted(words: str) -> tuple[str, ...]:
    """Words and phrases that are written with bars between them."""
    return tuple(words.split("|"))
