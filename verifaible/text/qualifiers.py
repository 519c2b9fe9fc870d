"""The words around a number that change what is said: limits, approximations, directions, denial.

CLDR has none of these words, so they are read in Chinese and English, with the signs of every language. All
patterns read flat text; those for what stands before end where the number, with its sign, begins.
"""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias, get_args

from verifaible.text.words import any_of

#: ``>`` over, ``>=`` at least, ``<`` under, ``<=`` at most, ``~<`` nearly; empty: said as it is.
Limit: TypeAlias = Literal["", ">", ">=", "<", "<=", "~<"]

CLAUSE_END: Final = re.compile(r"[。！？!?；;\n\t|，、]|,\s|(?<!\b[A-Z])\.\s")


def _limiting(name: str) -> re.Pattern[str]:
    """Words right before a number, up to which an article may stand; they may end inside a word: "ca."."""
    words = rf"(?:\b{any_of('limits', name)}|{any_of('limits_unspaced', name)})\s*(?:the\s+|a\s+|an\s+)?\Z"
    return re.compile(words, re.IGNORECASE)


def _behind(name: str) -> re.Pattern[str]:
    return re.compile(rf"\s?{any_of('limits_behind', name)}")


#: The longer signs and words first: "not more than" ends with "more than".
_ORDER: Final[tuple[Limit, ...]] = (">=", "<=", "~<", ">", "<")
_LIMITS: Final = {limit: _limiting(limit) for limit in _ORDER}
_LIMITS_BEHIND: Final = {limit: _behind(limit) for limit in get_args(Limit) if limit in (">=", "<=")}
_ABOUT, _ABOUT_BEHIND = _limiting("about"), _behind("about")


def limit_of(before: str, after: str) -> Limit:
    """The limit that a number is given as, by what stands before and behind it."""
    for limit, words in _LIMITS.items():
        if words.search(before):
            return limit
    return next((limit for limit, words in _LIMITS_BEHIND.items() if words.match(after)), "")


def is_about(before: str, after: str) -> bool:
    """Whether a number is said to be roughly so."""
    return bool(_ABOUT.search(before) or _ABOUT_BEHIND.match(after))


# --- directions

_FILLERS: Final = (
    rf"(?:\s|[:=(\"']|{any_of('fillers', 'unspaced')}|{any_of('fillers', 'words', spaced=True)})*"
)


def _directed(name: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What tells a direction before a number, with nothing but fillers between, and behind it."""
    before = rf"(?:{any_of(name, 'unspaced')}|{any_of(name, 'words', spaced=True)}){_FILLERS}\Z"
    attributes = rf"-?\s?(?:{any_of('fillers', 'behind')}\s)*"
    behind = rf"\s*(?:的{any_of(name, 'unspaced_behind')}|{attributes}{any_of(name, 'behind')}\b(?!\s+to\b))"
    return re.compile(before, re.IGNORECASE), re.compile(behind, re.IGNORECASE)


_FALL, _RISE = _directed("fall"), _directed("rise")
_LEFT: Final = re.compile(r"\b(?:from|than)\b|[从由]")


def falls(clause: str, after: str) -> bool:
    """Whether a number is said to be a fall; a level that something fell to, or from, is none."""
    return _changes(_FALL, clause, after)


def rises(clause: str, after: str) -> bool:
    """Whether a number is said to be a rise."""
    return _changes(_RISE, clause, after)


def _changes(words: tuple[re.Pattern[str], re.Pattern[str]], clause: str, after: str) -> bool:
    before, behind = words
    return bool(before.search(clause) or (behind.match(after) and not _LEFT.search(clause[-12:])))


_FLOW_BEFORE: Final = re.compile(
    r"(?:\b(?:inflows?|(?P<out>outflows?|withdrawals?))|流入|(?P<out2>流出))[^.;,，。；\d]{0,20}\Z",
    re.IGNORECASE,
)
_FLOW_AFTER: Final = re.compile(
    r"(?: (?:of|in|worth of))?(?: (?:net|total|daily|weekly))* (?:inflow|(?P<out>outflow))s?\b", re.IGNORECASE
)


def flow_of(before: str, after: str) -> Literal["", "in", "out"]:
    """Whether a number is said to flow in or out, which its sign may say as well."""
    match = _FLOW_BEFORE.search(before) or _FLOW_AFTER.match(after)
    if not match:
        return ""
    return "out" if any(match.groups()) else "in"


# --- denial

_DENY: Final = (
    rf"(?:{any_of('denial', 'unspaced')}|\b{any_of('denial', 'words')}|n't)"
    rf"(?:\s|[\"'(:]|{any_of('denial', 'between_unspaced')}|{any_of('denial', 'between', spaced=True)})*"
)
_DENIED: Final = re.compile(rf"{_DENY}\Z", re.IGNORECASE)
_DENIED_NAME: Final = re.compile(rf"(?i:{_DENY})(?:[A-Z][\w.'-]*\s+){{1,3}}\Z")
_CALLED_WRONG: Final = re.compile(rf"\s*[\"')]*\s*{any_of('denial', 'behind')}", re.IGNORECASE)
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
    fall = _FALL[0].search(clause)
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
