"""What a quote leaves out of its sentence that turns the meaning round: a negation, a condition,
somebody's claim, or the verb that its clause ends with.

The words of each language are data (``reservations.json``). They are looked for only in what was left
out, so a word that is in the quote itself is no matter. The sentence is sealed and shown in any case:
this only refuses, when a citation is made, what would mislead whoever reads the quote alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal, TypeAlias

from verifaible.old.text.languages import MARKS, UNSPACED_LANGUAGES, VERB_LAST, reservations

Kind: TypeAlias = Literal[
    "negation", "condition", "doubt", "qualifier", "question", "quotation", "ending", "block"
]

#: Parts clauses for good: what stands behind it is not negated by what stands before.
_CLAUSE_END: Final = re.compile(r"[;:—–()（）；：·。.!?！？|]|\s-\s|[,，、،](?!\d)")
_QUESTION: Final = re.compile("[?\uff1f\u061f\u2e2e\u037e]\\W*\\Z")
_ASKED: Final = re.compile('[\\s"\u201d\u00bb\u300d]*[?\uff1f\u061f\u2e2e\u037e]')
_QUOTES: Final = re.compile('[“”„‟«»「」『』‹›"]')
_WORD: Final = re.compile(rf"(?:[^\W_]|[{MARKS}])+(?:['’\-](?:[^\W_]|[{MARKS}])+)*")
#: The month, which is not the verb that it is spelt like.
_MAY: Final = re.compile(r"(?<=\w )May\b|\bMay(?= \d)")
#: Words before or after the quote among which a qualifier is looked for.
_BESIDE, _BESIDE_SIGNS = 3, 12


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What was left out, and of what kind it is."""

    kind: Kind
    words: str


def left_out(sentence: str, start: int, end: int, language: str = "") -> LeftOut | None:
    """The first reservation in what ``sentence[start:end]`` leaves out of its sentence, or None.

    Args:
        sentence: the whole sentence.
        start: where the quote begins in it.
        end: one past where it ends.
        language: that of the text, as :func:`verifaible.old.text.languages.language_of` gives it.
    """
    before, after = sentence[:start], sentence[end:]
    if language == "el":  # whose question mark may be typed as a semicolon
        sentence = sentence.replace(";", "\u037e")
    if _asks(sentence, start, end):
        return LeftOut("question", after.strip()[-1:])
    if not _WORD.search(before + after):
        return None
    clause_before, clause_after = _CLAUSE_END.split(before)[-1], _CLAUSE_END.split(after)[0]
    beside = _beside(clause_before, last=True), _beside(clause_after, last=False)
    kinds: tuple[tuple[Kind, tuple[str, str]], ...] = (
        ("negation", (clause_before, clause_after)),
        ("qualifier", beside),
        ("condition", (before, after)),
        ("doubt", (clause_before, clause_after) if language in UNSPACED_LANGUAGES else (before, after)),
    )
    words = _words_of(language)
    for kind, parts in kinds if words is not None else ():
        for part in parts:
            if words is not None and (found := words.find(kind, part)):
                return LeftOut(kind, found)
    if words is not None and (prefix := words.prefix_of(before)):
        return LeftOut("qualifier", prefix)
    if len(_QUOTES.findall(before)) % 2 == 1 and _QUOTES.search(after):
        return LeftOut("quotation", (before + "…" + after).strip())
    return LeftOut("ending", clause_after.strip()) if _is_ending(clause_after, language) else None


def _is_ending(rest: str, language: str) -> bool:
    """Whether a quote stops just short of the verb or particle that decides its clause ("legt … ab")."""
    return language in VERB_LAST and len(_WORD.findall(rest)) == 1


def _beside(clause: str, *, last: bool) -> str:
    """The last words of a clause, or its first; of a script without blanks the last characters."""
    words = list(_WORD.finditer(clause))
    chosen = words[-_BESIDE:] if last else words[:_BESIDE]
    if not chosen:
        return ""
    text = clause[chosen[0].start() : chosen[-1].end()]
    if len(chosen) < _BESIDE and len(text) > _BESIDE_SIGNS and not text.isascii():
        return text[-_BESIDE_SIGNS:] if last else text[:_BESIDE_SIGNS]
    return text


def _asks(sentence: str, start: int, end: int) -> bool:
    """Whether the question mark of what is quoted is left out."""
    if _QUESTION.search(sentence[start:end]):
        return False
    return bool(_QUESTION.search(sentence) or _ASKED.match(sentence, end))


class _Words:
    """The words of one language."""

    def __init__(self, language: str, entries: dict[str, list[str]]) -> None:
        self._kinds = {
            kind: _pattern(entries.get(kind, []), whole=language not in UNSPACED_LANGUAGES)
            for kind in ("negation", "condition", "doubt", "qualifier")
        }
        self._prefixes = entries.get("prefix", [])
        inside = entries.get("negation_inside", [])
        self._inside = _pattern(inside, whole=False) if inside else None
        innocent = entries.get("not_negation", [])
        self._innocent = _pattern(innocent, whole=False) if innocent else None

    def prefix_of(self, before: str) -> str:
        """The prefix that the text before a quote ends with ("ex-", 前), or "" for none."""
        return next((each for each in self._prefixes if _plain(before).rstrip("-‐‑ ").endswith(each)), "")

    def find(self, kind: Kind, text: str) -> str:
        """The first word of a kind in a text, or "" for none."""
        lowered = _plain(_MAY.sub(" ", text))
        if kind == "negation":
            lowered = self._without_innocent(lowered)
        for pattern in (self._kinds[kind], self._inside if kind == "negation" else None):
            found = pattern.search(lowered) if pattern is not None else None
            if found:
                return found.group()
        return ""

    def _without_innocent(self, text: str) -> str:
        """A text whose innocent words are blotted out, but for those that a longer negation holds."""
        if self._innocent is None:
            return text
        patterns = (self._kinds["negation"], self._inside)
        negations = [found.span() for each in patterns if each is not None for found in each.finditer(text)]

        def blotted(word: re.Match[str]) -> str:
            first, last = word.span()
            longer = any(
                low <= first and last <= high and word.span() != (low, high) for low, high in negations
            )
            return word.group() if longer else "·" * (last - first)

        return self._innocent.sub(blotted, text)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text.casefold().replace("’", "'"))


def _pattern(entries: Iterable[str], *, whole: bool) -> re.Pattern[str] | None:
    folded = sorted({_plain(entry) for entry in entries}, key=lambda each: (-len(each), each))
    if not folded:
        return None
    body = "|".join(re.escape(each).replace(r"\ ", r"\s+") for each in folded)
    return re.compile(rf"(?<![^\W_]|[{MARKS}])(?:{body})(?![^\W_]|[{MARKS}])" if whole else body)


@cache
def _words_of(language: str) -> _Words | None:
    entries = reservations().get(language)
    return _Words(language, entries) if entries is not None else None
