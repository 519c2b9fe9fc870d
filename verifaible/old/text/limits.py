"""How a number is said: as a limit (``over 36``, ``不足36``), as roughly so, or as a rise."""

from __future__ import annotations

import re
from typing import Final

from verifaible.old.text.units import CURRENCY_BEFORE

_SIGNS: Final = rf"(?:{CURRENCY_BEFORE})?"
_BEFORE: Final = rf"\s*(?:the\s+|a\s+)?{_SIGNS}\s*\Z"
_UP: Final = re.compile(
    r"(?:\b(?:more than|over|above|exceed\w*|higher than|greater than|upwards? of|surpass\w*|topp(?:ed"
    r"|ing)|past|north of|in excess of|>)|超过|超|逾|多于|大于|高于|突破|>)" + _BEFORE,
    re.IGNORECASE,
)
_UP_EQUAL: Final = re.compile(
    r"(?:\b(?:at least|not? (?:less|fewer|lower) than|not below|a minimum of|minimum(?: of)?|as low as"
    r"|as few as|as little as)|不少于|不低于|不小于|至少|最少|起码|≥|>=)" + _BEFORE,
    re.IGNORECASE,
)
_DOWN: Final = re.compile(
    r"(?:\b(?:less than|fewer than|under|below|lower than|smaller than|short of|<)|不足|不到|未达"
    r"|少于|小于|低于|<)" + _BEFORE,
    re.IGNORECASE,
)
_DOWN_EQUAL: Final = re.compile(
    r"(?:\b(?:at most|not? (?:more|greater|higher) than|not (?:above|over|exceed(?:ing)?)|up to|as much as"
    r"|as many as|as high as|maximum of|a maximum of)|不超过|不高于|不多于|不大于|最多|至多|高达|≤|<=)"
    + _BEFORE,
    re.IGNORECASE,
)
_NEARLY: Final = re.compile(
    r"(?:\b(?:nearly|almost|close to|just under|just below|just shy of|approaching)|将近|接近|近|逼近)"
    rf"\s*{_SIGNS}\s*\Z",
    re.IGNORECASE,
)
_ABOUT: Final = re.compile(
    r"(?:\b(?:about|around|approximately|approx\.?|roughly|circa|ca\.|some|or so|near)|[~≈∼]|大约|约为?"
    rf"|大概|左右)\s*{_SIGNS}\s*\Z",
    re.IGNORECASE,
)
_ABOUT_AFTER: Final = re.compile(r"\s?(?:左右|上下|or so\b|-ish\b|approximately\b)")
_UP_AFTER: Final = re.compile(
    r"\s?(?:\+(?!\s?\d)|or (?:more|higher|greater|above)\b|and (?:above|up)\b|以上|[余多](?!头|空|数|元化))"
)
_DOWN_AFTER: Final = re.compile(r"\s?(?:or (?:less|fewer|lower|below)\b|and below\b|以下|以内)")
#: What every word before a limit has.
_LIMITING: Final = re.compile(
    r"[<>≤≥]|\b(?:more|less|fewer|over|under|above|below|exceed|exceeding|high|low|great|up|upward|upwards"
    r"|surpass\w*|topp\w+|past|north|few|little|lower|higher|greater|smaller"
    r"|excess|least|most|minimum|maximum|short|shy|much|many|nearly|almost|close|just|approaching)"
    r"|[超逾多突不至高少近于足到过未起]",
    re.IGNORECASE,
)
_WAYS: Final = ((_UP_EQUAL, ">="), (_DOWN_EQUAL, "<="), (_NEARLY, "~<"), (_UP, ">"), (_DOWN, "<"))


def limit_of(before: str, after: str) -> str:
    """The limit that a number is given as, by what stands beside it; empty where it is none.

    ``>``, ``>=``, ``<``, ``<=`` or ``~<`` (nearly).
    """
    for pattern, sign in _WAYS if _LIMITING.search(before) else ():
        if pattern.search(before):
            return sign
    if _UP_AFTER.match(after):
        return ">="
    return "<=" if _DOWN_AFTER.match(after) else ""


def told_about(before: str, after: str) -> bool:
    """Whether a number is said to be roughly so."""
    return bool(_ABOUT.search(before) or _ABOUT_AFTER.match(after))


_RAISED: Final = re.compile(
    r"(?:\b(?:rose|rise[sn]?|rising|gain(?:s|ed|ing)?|up|increas(?:e|es|ed|ing)|climb(?:s|ed)?|jump(?:s|ed)?"
    r"|surg(?:e|es|ed|ing)|advanc(?:e|es|ed)|soar(?:s|ed)?|rall(?:y|ied)|grew|grow(?:s|n|th)?|higher"
    r"|added|plus)\b"
    r"(?:\s+(?:by|of|about|around|nearly|over|more than|another))*\s*|(?:上涨|增长|上升|涨幅|增加|涨|升"
    r"|回升|增幅)"
    r"(?:了|约|近|超|超过|达|为|幅度)*\s*|[↑▲⬆🔺]\s*)\Z",
    re.IGNORECASE,
)
_RAISED_AFTER: Final = re.compile(
    r"\s?(?:的?(?:涨幅|增长|增幅)|higher\b|(?:price )?(?:gain|increase|rise|jump|surge|growth|rally)\b)",
    re.IGNORECASE,
)


def told_raised(before: str, after: str) -> bool:
    """Whether a number is said to be a rise."""
    return bool(_RAISED.search(before) or _RAISED_AFTER.match(after))
