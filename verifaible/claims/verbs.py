"""Finite verbs of a stretch of a sentence, by their form and what stands around them.

English has a closed set of auxiliaries and irregular verbs; the others end in -ed or -s, and a word in -s is
a verb where what follows cannot follow a noun. What is not found makes two claims one, and loses none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from verifaible.claims.words import AUXILIARIES, DETERMINERS, PAST, RELATIVES, SMALL_WORDS, VERBS_HAN
from verifaible.text.language import HAN
from verifaible.text.lists import words_of

Form: TypeAlias = Literal["aux", "third", "past", "base"]

_WORD = re.compile(r"[^\W_][\w'’&./+-]*|\$")
_BRACKETS = re.compile(r"\([^()]*\)|（[^（）]*）|\"[^\"]*\"|“[^“”]*”")
#: Stand between a subject and its verb, or end in -ly; nouns in -ly are none.
_ADVERBS: Final = words_of("still also now then currently already only even again just never not")
_NO_ADVERBS: Final = words_of("supply rally reply family ally assembly anomaly monopoly july italy")
#: Follow a verb and no noun.
_BEHIND: Final = words_of(
    "at above below near around between for from to on by about roughly just only more over under the a an"
    " its this that their all no up down than with as back out into through and"
)
_ENDS_AS_PAST = re.compile(
    r"(?!based|related|backed|denominated|weighted|adjusted|mixed|limited|united|so-called)[a-z]{2,}ed"
)
_ENDS_AS_THIRD = re.compile(r"[a-z]{2,}(?<![su])(?<!i)s|(?:focu|acce|proce|pa|addre|cro)sses")
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
        if match[0].lower() in RELATIVES and at and words[at - 1][0].lower() != "of":
            relative = True
        elif form := _form(words, at, shown):
            if not relative:
                return Verb(match.start(), match.end(), form, _bare(words, at))
            relative = False
    han = _HAN_VERB.search(shown) if HAN.search(shown) else None
    return Verb(*han.span(), "third", not re.search(r"[^\W_]", shown[: han.start()])) if han else None


def _bare(words: list[re.Match[str]], at: int) -> bool:
    """Whether only adverbs stand before a verb."""
    before = [match[0].lower() for match in words[:at]]
    return not any(
        word not in _ADVERBS and not (word.endswith("ly") and word not in _NO_ADVERBS) for word in before
    )


def _form(words: list[re.Match[str]], at: int, text: str) -> Form | None:
    word = words[at][0].lower().replace("’", "'")
    before = words[at - 1][0].lower() if at else ""
    after = words[at + 1][0].lower() if at + 1 < len(words) else ""
    noun = bool(at) and before in DETERMINERS - {"that", "this", "these", "those"}
    month = words[at][0] == "May" and (before[-1:].isdigit() or after[:1].isdigit())
    form: Form | None = None
    if word in AUXILIARIES:
        form = None if month else "aux"
    elif noun:
        form = None
    elif word in PAST or _ENDS_AS_PAST.fullmatch(word):
        participle = after == "by" or before in AUXILIARIES | {"by", "to", "be", "been", "being"}
        sure = word in PAST or _goes_on(text, words, at) or _is_subject(before)
        form = "past" if sure and not participle else None
    elif _ENDS_AS_THIRD.fullmatch(words[at][0]) or (not at and word.endswith("s")):
        form = "third" if _goes_on(text, words, at) or _subject_of(words, at, text) else None
    elif at and words[at][0].islower() and word not in SMALL_WORDS and _is_plural(words, at, text):
        form = "base" if _goes_on(text, words, at) else None
    return form


def _is_subject(before: str) -> bool:
    return before in ("it", "they", "we", "he", "she", "who", "which", "also")


def _subject_of(words: list[re.Match[str]], at: int, text: str) -> bool:
    """Whether article and noun, or a name, stand before a word that may be a noun, and no verb follows it."""
    after = words[at + 1][0].lower() if at + 1 < len(words) else ""
    parted = text[words[at].end() :].lstrip()[:1] in ",.;:)"
    if parted or not after or after in AUXILIARIES | PAST | {"of", "and"} or _ENDS_AS_PAST.fullmatch(after):
        return False
    before = words[at - 1][0] if at else ""
    article = at > 1 and words[at - 2][0].lower() in ("the", "a", "an", "its", "this", "each", "every")
    return article or before.lower() in ("it", "he", "she", "also") or (at == 1 and before[:1].isupper())


def _goes_on(text: str, words: list[re.Match[str]], at: int) -> bool:
    """Whether what follows a word that may be a noun shows that it is a verb."""
    end = words[at].end()
    rest = text[end : end + 3].lstrip()
    after = words[at + 1][0] if at + 1 < len(words) else ""
    if not after or rest[:1] in ",.;:)":
        return False
    if rest[:1].isdigit() or rest[:1] in "$€£¥~≈+-" or (after.endswith("ly") and after not in _NO_ADVERBS):
        return True
    return after.lower() in _BEHIND or after[:1].isupper()


def _is_plural(words: list[re.Match[str]], at: int, text: str) -> bool:
    """Whether what stands before a word is a plural subject, or several names."""
    before = words[at - 1][0]
    if text[words[at - 1].end() : words[at].start()].strip():
        return False
    joined = any(match[0].lower() == "and" for match in words[max(0, at - 4) : at])
    if before.lower() in ("they", "we", "you", "i") or (before[0].isupper() and joined):
        return True
    return before.lower().endswith("s") and not before.lower().endswith(("ss", "us", "is", "'s"))
