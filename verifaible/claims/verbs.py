"""Finite verbs of a stretch of a sentence, by their form and what stands around them.

English has a closed set of auxiliaries and irregular verbs; the others end in -ed or -s, and a word in -s is
a verb where what follows cannot follow a noun. What is not found makes two claims one, and loses none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from verifaible.text.language import HAN
from verifaible.text.lists import words_of

_AUXILIARIES: Final = words_of(
    """
    is are was were has have had will would can could may might must should does do did isn't aren't wasn't
    weren't hasn't haven't hadn't won't can't cannot couldn't doesn't don't didn't it's that's there's
    remains stays becomes looks seems appears feels
    """
)
#: Past forms that do not end in -ed.
_PAST: Final = words_of(
    """
    rose fell grew held lost stood sat broke rebounded shrank began led left built ran bought sold sued
    paid lent said saw showed cost spent drew became went came brought took made gave got set put kept
    meant chose hit cut won beat fed slid sank swung withdrew hid spun stole drove wrote told found
    """
)
#: Stand before a noun.
_ARTICLES: Final = words_of(
    "the a an its their his her our your my each every some any no of in on at for with"
)
_PRONOUNS: Final = words_of("it they we he she who which also")
#: Follow a verb and no noun.
_BEHIND: Final = words_of(
    "at above below near around between for from to on by about roughly just only more over under the a an"
    " its this that their all no up down than with as back out into through and"
)
_WORD: Final = re.compile(r"[^\W_][\w'’&./+-]*|\$")
_BRACKETS: Final = re.compile(r"\([^()]*\)|（[^（）]*）|\"[^\"]*\"|“[^“”]*”")
_ENDS_AS_PAST: Final = re.compile(
    r"(?!based|related|backed|denominated|weighted|adjusted|mixed|limited|united|so-called)[a-z]{2,}ed"
)
_ENDS_AS_THIRD: Final = re.compile(r"[a-z]{2,}(?<![su])(?<!i)s|(?:focu|acce|proce|pa|addre|cro)sses")
_ADVERB: Final = re.compile(r"(?!(?:supply|rally|reply|family|ally|assembly|monopoly|july|italy)\b)\w+ly")
_VERB_HAN: Final = re.compile(
    r"上涨|下跌|上升|下降|增长|减少|增加|涨|跌|升|降|为|达|是|有|报|占|超过|突破|支持|采用|推出|完成|融资|获得|发布|宣布|成立|收购|批准"
    r"|通过|拒绝|起诉|暂停|恢复|使用|允许|提供|运行|销毁|质押|锁定|解锁|释放|流入|流出|持有|控制|发行|回购|投资|升级|部署|看涨|看跌|认为"
    r"|预计|表示|指出|显示|处于|保持|位于|属于|由|需要|会|能|出现|来自|高于|低于|回落|反弹|拥有|包括|包含|收取|支付|执行|上线|并存"
)
#: A clause has its verb in so many characters, or none is looked for: a long line stays linear.
_REACH: Final = 400


@dataclass(frozen=True, slots=True)
class Verb:
    """A finite verb: ``text[start:end]``; ``bare`` where nothing before it could be its subject."""

    start: int
    end: int
    bare: bool


def finite_verb(text: str) -> Verb | None:
    """The first finite verb of a stretch; None where there is none."""
    return _finite_verb(text[:_REACH])


@lru_cache(maxsize=4096)
def _finite_verb(text: str) -> Verb | None:
    shown = _BRACKETS.sub(lambda match: " " * len(match[0]), text)
    words = list(_WORD.finditer(shown))
    for at, match in enumerate(words):
        if _is_finite(words, at, shown):
            bare = all(_ADVERB.fullmatch(word[0].lower()) for word in words[:at])
            return Verb(match.start(), match.end(), bare)
    han = _VERB_HAN.search(shown) if HAN.search(shown) else None
    return Verb(*han.span(), not re.search(r"[^\W_]", shown[: han.start()])) if han else None


def _is_finite(words: Sequence[re.Match[str]], at: int, text: str) -> bool:
    word = words[at][0].lower().replace("’", "'")
    before = words[at - 1][0].lower() if at else ""
    after = words[at + 1][0].lower() if at + 1 < len(words) else ""
    if word in _AUXILIARIES:
        return not (words[at][0] == "May" and (before[-1:].isdigit() or after[:1].isdigit()))
    if before in _ARTICLES:
        return False
    if word in _PAST or _ENDS_AS_PAST.fullmatch(word):
        participle = after == "by" or before in _AUXILIARIES or before in ("by", "to", "be", "been", "being")
        return not participle and (word in _PAST or before in _PRONOUNS or _goes_on(text, words, at))
    third = _ENDS_AS_THIRD.fullmatch(words[at][0]) or (not at and word.endswith("s"))
    return bool(third) and (before in _PRONOUNS or _goes_on(text, words, at))


def _goes_on(text: str, words: Sequence[re.Match[str]], at: int) -> bool:
    """Whether what follows a word that may be a noun shows that it is a verb."""
    rest = text[words[at].end() :][:3].lstrip()
    after = words[at + 1][0] if at + 1 < len(words) else ""
    if not after or rest[:1] in ",.;:)":
        return False
    if rest[:1].isdigit() or rest[:1] in "$€£¥~≈+-" or _ADVERB.fullmatch(after.lower()):
        return True
    return after.lower() in _BEHIND or after[:1].isupper()
