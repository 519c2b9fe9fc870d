"""The words around a number that change what is said: limits, approximations, directions, denial.

CLDR has none of these words, so they are read in Chinese and English, with the signs of every language. All
patterns read flat text; those for what stands before end where the number, with its sign, begins.
"""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias

#: ``>`` over, ``>=`` at least, ``<`` under, ``<=`` at most, ``~<`` nearly; empty: said as it is.
Limit: TypeAlias = Literal["", ">", ">=", "<", "<=", "~<"]

CLAUSE_END: Final = re.compile(r"[。！？!?；;\n\t|，、]|,\s|(?<!\b[A-Z])\.\s")
_HERE: Final = r"\s*(?:the\s+|a\s+|an\s+)?\Z"


def _before(english: str, chinese: str) -> str:
    """Words and signs right before a number."""
    return rf"(?:\b(?:{english})|{chinese})"


_LIMITS: Final[tuple[tuple[Limit, str], ...]] = (
    (
        ">=",
        _before(
            "at least|not? (?:less|fewer|lower) than|not below|a minimum of|minimum(?: of)?"
            "|as (?:low|few|little) as|mindestens|au moins|al menos|almeno|pelo menos",
            "不少于|不低于|不小于|至少|最少|起码|少なくとも|최소|≥|>=",
        ),
    ),
    (
        "<=",
        _before(
            "at most|not? (?:more|greater|higher) than|not (?:above|over|exceed(?:ing)?)|up to"
            "|as (?:much|many|high) as|a?\\s*maximum of|höchstens|maximal|au plus|como máximo",
            "不超过|不高于|不多于|不大于|最多|至多|高达|최대|≤|<=",
        ),
    ),
    (
        "~<",
        _before(
            "nearly|almost|close to|just (?:under|below|shy of)|approaching|fast|knapp|près de|casi",
            "将近|接近|近|逼近",
        ),
    ),
    (
        ">",
        _before(
            "more than|over|above|exceed\\w*|(?:higher|greater) than|upwards? of|surpass\\w*|topp(?:ed|ing)"
            "|past|north of|in excess of|mehr als|über|plus de|más de|oltre|più di",
            "超过|超|逾|多于|大于|高于|突破|>",
        ),
    ),
    (
        "<",
        _before(
            "(?:less|fewer|lower|smaller) than|under|below|short of|weniger als|unter|moins de|menos de"
            "|meno di",
            "不足|不到|未达|少于|小于|低于|<",
        ),
    ),
)
_LIMIT: Final = re.compile(f"(?:{'|'.join(f'({words})' for _, words in _LIMITS)}){_HERE}", re.IGNORECASE)
_UP_AFTER: Final = re.compile(
    r"\s?(?:\+(?!\s?\d)|or (?:more|higher|greater|above)\b|and (?:above|up)\b|以上|余(?!额|量)"
    r"|多(?=[个家人元笔名]|\Z))"
)
_DOWN_AFTER: Final = re.compile(r"\s?(?:or (?:less|fewer|lower|below)\b|and below\b|以下|以内)")
_ABOUT: Final = re.compile(
    _before(
        "about|around|approximately|approx\\.?|roughly|circa|ca\\.|some|or so|near|etwa|rund|environ|unos",
        "大约|约为?|大概|左右|約|약|[~≈∼]",
    )
    + _HERE,
    re.IGNORECASE,
)
_ABOUT_AFTER: Final = re.compile(r"\s?(?:左右|上下|or so\b|-ish\b|approximately\b|前後|程度)")


def limit_of(before: str, after: str) -> Limit:
    """The limit that a number is given as, by what stands before and behind it."""
    if found := _LIMIT.search(before):
        return _LIMITS[(found.lastindex or 1) - 1][0]
    if _UP_AFTER.match(after):
        return ">="
    return "<=" if _DOWN_AFTER.match(after) else ""


def is_about(before: str, after: str) -> bool:
    """Whether a number is said to be roughly so."""
    return bool(_ABOUT.search(before) or _ABOUT_AFTER.match(after))


# --- directions

_ZH_FILL: Final = (
    r"(?:了|为|是|约|近|大约|达到|达|幅度|同比|环比|分别|均|仅|略微|超过|逾|不足|不到|至少|最多|\s|[:=(\"'])*"
)
_EN_FILL: Final = (
    r"(?:\s|[:=(\"']|\b(?:by|of|about|around|approximately|roughly|nearly|almost|some|an?|the|only|just"
    r"|another"
    r"|further|slightly|sharply|modestly|more than|less than|over|at least|(?:year|month)[- ](?:on|over)[- ]"
    r"(?:year|month)|yoy|mom|was|is|being|been)\b)*"
)
#: A word for a fall, and nothing but fillers up to the number. "To" and 至 are none: behind them is a level.
_FALL_BEFORE: Final = re.compile(
    rf"(?:(?:下降|下跌|下挫|跌去|下滑|下行|下调|降低|调降|调低|减少|缩减|萎缩|回落|走低|负增长|负|(?<!涨)跌幅"
    rf"|降幅|减幅"
    rf"|(?<![涨下])跌|(?<![升下])降|(?<!增)减|少了){_ZH_FILL}"
    r"|\b(?:fell|falls?|falling|fallen|drop(?:s|ped|ping)?|declin(?:e|es|ed|ing)|decreas(?:e|es|ed|ing)|down"
    r"|lower(?:ed)?|reduc(?:ed|es|tion|ing)|slid|slips?|slipped|shrank|shrunk|contract(?:ed|ion)|lost|loss"
    r"|cut"
    rf"|dip(?:s|ped)?|plunged|tumbled|sank|eased|retreated|minus|negative)\b{_EN_FILL}"
    r"|\b(?:moins|menos|meno|минус)\s*|[↓⬇▼▽🔻]\s*)\Z",
    re.IGNORECASE,
)
_FALL_AFTER: Final = re.compile(
    r"\s*(?:的(?:跌幅|降幅|减幅|下降|下跌|下滑|回落)|-?\s?(?:(?:annual|year[- ]on[- ]year|yoy"
    r"|month[- ]on[- ]month|yearly"
    r"|monthly|price)\s)*(?:decline|decrease|drop|fall|reduction|contraction|lower|loss)\b(?!\s+to\b))",
    re.IGNORECASE,
)


_RISE_BEFORE: Final = re.compile(
    r"(?:\b(?:rose|rise[sn]?|rising|gain(?:s|ed|ing)?|up|increas(?:e|es|ed|ing)|climb(?:s|ed)?|jump(?:s|ed)?"
    r"|surg(?:e|es|ed|ing)|advanc(?:e|es|ed)|soar(?:s|ed)?|rall(?:y|ied)|grew|grow(?:s|n|th)?|higher|added"
    r"|plus)\b"
    r"(?:\s+(?:by|of|about|around|nearly|over|more than|another))*\s*"
    r"|(?:上涨|增长|上升|涨幅|增加|涨|升|回升|增幅)(?:了|约|近|超|超过|达|为|幅度)*\s*|[↑▲⬆🔺]\s*)\Z",
    re.IGNORECASE,
)
_RISE_AFTER: Final = re.compile(
    r"\s?(?:的?(?:涨幅|增长|增幅)|higher\b|(?:price )?(?:gain|increase|rise|jump|surge|growth|rally)\b)",
    re.IGNORECASE,
)


def falls(clause: str, after: str) -> bool:
    """Whether a number is said to be a fall; a level that something fell to, or from, is none."""
    if _FALL_BEFORE.search(clause):
        return True
    return bool(_FALL_AFTER.match(after)) and not re.search(r"\b(?:from|than)\b|[从由]", clause[-12:])


def rises(clause: str, after: str) -> bool:
    """Whether a number is said to be a rise."""
    return bool(_RISE_BEFORE.search(clause) or _RISE_AFTER.match(after))


_FLOW_BEFORE: Final = re.compile(
    r"(?:\b(?P<o>outflows?|withdrawals?)|\b(?P<i>inflows?)|(?P<zo>流出)|(?P<zi>流入))[^.;,，。；\d]{0,20}\Z",
    re.IGNORECASE,
)
_FLOW_AFTER: Final = re.compile(
    r"(?: (?:of|in|worth of))?(?: (?:net|total|daily|weekly))* (?:(?P<o>outflow)|(?P<i>inflow))s?\b",
    re.IGNORECASE,
)


def flow_of(before: str, after: str) -> Literal["", "in", "out"]:
    """Whether a number is said to flow in or out, which its sign may say as well."""
    match = _FLOW_BEFORE.search(before) or _FLOW_AFTER.match(after)
    if not match:
        return ""
    return "out" if match["o"] or match.groupdict().get("zo") else "in"


# --- denial

_DENY: Final = (
    r"(?:并不是|不是|并非|而非|绝非|非|不等于|不为|不再是|没有|并没有|没|未|并未|不"
    r"|(?:\b(?:not|never|no longer|rather than|instead of|as opposed to|neither|nor|without|cannot be)|n't))"
    r"(?:\s|[\"'(:]|是|为|有|等于|大?约"
    r"|\b(?:the|an?|by|be|been|being|exactly|equal to|equals|about|as|at|is|was)\b)*"
)
_DENIED: Final = re.compile(rf"{_DENY}\Z", re.IGNORECASE)
_DENIED_NAME: Final = re.compile(rf"(?i:{_DENY})(?:[A-Z][\w.'-]*\s+){{1,3}}\Z")
_CALLED_WRONG: Final = re.compile(
    r"\s*[\"')]*\s*(?:(?:is|was|are|would be)\s+(?:wrong|incorrect|false|not (?:correct|right|true|the answer"
    r"|it))"
    r"|(?:isn't|wasn't) (?:correct|right|true|the answer)"
    r"|(?:这个(?:数字|答案))?(?:是|为)?(?:错误的|错的|不对|不正确|不是答案|有误))",
    re.IGNORECASE,
)
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


def denied_before(clause: str) -> bool:
    """Whether the words before a number or a name, or before the fall it has, deny it.

    First names, initials and titles may stand in between (``not Governor Michelle W. Bowman``).
    """
    if _DENIED.search(clause) or _DENIED_NAME.search(clause):
        return True
    fall = _FALL_BEFORE.search(clause)
    return bool(fall and _DENIED.search(clause[: fall.start()]))


def denied_after(rest: str) -> bool:
    """Whether the words behind a number or a name call it wrong."""
    return bool(_CALLED_WRONG.match(rest))


def denied_by_verb(rest: str, question: str) -> bool:
    """Whether the verb behind a name denies of it what a question asks.

    Read are a negated verb that the question has too, by its first five letters ("did not dissent" where a
    dissenting vote is asked for), and a vote in favour where one against is asked for. A verb that the
    question has not denies nothing: who "did not support the action" may well have dissented.
    """
    negated = _DID_NOT.match(rest)
    if negated and re.search(rf"\b{re.escape(negated[1][:5])}", question, re.IGNORECASE):
        return negated[1].lower() != "vote"
    return bool(_AGAINST.search(question) and _VOTED_FOR.match(rest))
