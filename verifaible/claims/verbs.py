"""Finite verbs of a stretch of a sentence, found by rule and by word list: where something is stated."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from verifaible.claims.words import (
    AUXILIARIES,
    BASES,
    DETERMINERS,
    NOUN_FORMS,
    PAST,
    RELATIVES,
    THIRD_PERSON,
    VERBS_HAN,
)
from verifaible.text.language import HAN
from verifaible.text.lists import words_of

Form: TypeAlias = Literal["aux", "third", "past", "base"]

_WORD = re.compile(r"[^\W_][\w'’&./+-]*|\$")
_BRACKETS = re.compile(r"\([^()]*\)|（[^（）]*）|\"[^\"]*\"|“[^“”]*”")
_ADVERBS: Final = words_of("still also now then currently already only even again just never not has") - {
    "has"
}
_NO_ADVERBS: Final = words_of("supply rally reply family ally assembly anomaly monopoly july italy")
_BEHIND_NOUN: Final = words_of(
    """
    at above below near around between for from to on by about roughly just only more over under the a
    an its this that their all no up down than with as back out into through
    """
)
_PLURAL_SUBJECTS: Final = words_of("they we you most many some both all few several others people data i")
_ENDS_AS_PAST = re.compile(
    r"(?!based|related|backed|denominated|weighted|adjusted|mixed|limited|united|so-called)[a-z]{3,}ed"
)
#: A clause has its verb in so many characters, or none is looked for: a long line stays linear.
_REACH: Final = 400
_HAN_VERB = re.compile(VERBS_HAN)


@dataclass(frozen=True, slots=True)
class Verb:
    """A finite verb: ``text[start:end]``; ``bare`` where nothing before it could be its subject."""

    start: int
    end: int
    form: Form
    bare: bool


def finite_verb(text: str) -> Verb | None:
    """The first finite verb of a stretch that is not one of a relative clause; None where there is none."""
    return _finite_verb(text[:_REACH])


@lru_cache(maxsize=4096)
def _finite_verb(text: str) -> Verb | None:
    shown = _BRACKETS.sub(lambda match: " " * len(match[0]), text)
    words = list(_WORD.finditer(shown))
    relative = False
    for at, match in enumerate(words):
        word = match[0].lower().replace("’", "'")
        if word in RELATIVES and at and words[at - 1][0].lower() != "of":
            relative = True
            continue
        form = _form(words, at, shown)
        if form is None:
            continue
        if relative:
            relative = False
            continue
        return Verb(match.start(), match.end(), form, _bare(words, at))
    if HAN.search(shown):
        han = _HAN_VERB.search(shown)
        if han:
            return Verb(han.start(), han.end(), "aux", not shown[: han.start()].strip())
    return None


def _bare(words: list[re.Match[str]], at: int) -> bool:
    before = [match[0].lower() for match in words[:at]]
    return all(word in _ADVERBS or (word.endswith("ly") and word not in _NO_ADVERBS) for word in before)


def _form(words: list[re.Match[str]], at: int, text: str) -> Form | None:
    word = words[at][0].lower().replace("’", "'")
    before = words[at - 1][0].lower() if at else ""
    after = words[at + 1][0] if at + 1 < len(words) else ""
    form: Form | None = None
    if words[at][0] == "May" and (before[-1:].isdigit() or after[:1].isdigit()):
        form = None  # the month
    elif word in AUXILIARIES:
        form = "aux"
    elif at and before in DETERMINERS - {"that", "this", "these", "those"}:
        form = None
    elif word in PAST:
        participle = after.lower() == "by" or before in AUXILIARIES | {"to", "be", "been", "being"}
        form = None if participle else "past"
    elif _ENDS_AS_PAST.fullmatch(word) and at and before not in AUXILIARIES | {"by", "to"}:
        form = "past" if _goes_on(text, words[at].end(), after) and after.lower() != "by" else None
    elif word in THIRD_PERSON:
        sure = word not in NOUN_FORMS or _goes_on(text, words[at].end(), after) or _subject_of(words, at)
        form = "third" if sure else None
    elif word in BASES and at and _is_plural(words, at, text):
        form = "base"
    return form


def _subject_of(words: list[re.Match[str]], at: int) -> bool:
    """Whether article and noun stand before a word that may be a noun, and no verb follows it."""
    if at < 2 or words[at - 2][0].lower() not in ("the", "a", "an", "its", "this", "each", "every"):
        return False
    after = words[at + 1][0].lower() if at + 1 < len(words) else ""
    return bool(after) and after not in AUXILIARIES | PAST | BASES | {"of", "and"}


def _goes_on(text: str, end: int, after: str) -> bool:
    """Whether what follows a word that may be a noun shows that it is a verb."""
    rest = text[end : end + 3].lstrip()
    if not after or rest[:1] in ",.;:)":
        return False
    return (
        rest[:1].isdigit() or rest[:1] in "$€£¥~≈+-" or after.lower() in _BEHIND_NOUN or after[:1].isupper()
    )


def _is_plural(words: list[re.Match[str]], at: int, text: str) -> bool:
    before = words[at - 1][0]
    low = before.lower()
    if low in _PLURAL_SUBJECTS or (low.endswith("ly") and at > 1):
        return low in _PLURAL_SUBJECTS or _is_plural(words, at - 1, text)
    if text[words[at - 1].end() : words[at].start()].strip():
        return False
    joined = any(match[0].lower() == "and" for match in words[max(0, at - 4) : at])
    if before[0].isupper() and joined:
        return True
    return low.endswith("s") and not low.endswith(("ss", "us", "is", "'s"))
