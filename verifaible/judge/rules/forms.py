"""Words of a claim and of a source in any form: no language is known.

Two words are the same where they are equal, share a long beginning, or one ends with the other.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Final

from verifaible.text.languages import HANGUL, UNSPACED

#: What is read in pairs: a Korean word has a blank before it, but its particles and counters stand on to it.
_PAIRED: Final = f"{UNSPACED}{HANGUL}"
PAIRED: Final = re.compile(f"[{_PAIRED}]")
_TOKEN: Final = re.compile(rf"[{_PAIRED}]+|(?:(?![{_PAIRED}])[^\W_])+")
#: Words that share as much of their beginning are one word in two forms, in letters and as a share.
_STEM, _SHARED = 4, 0.7
#: "2018/19", of which the second year is 2019.
_SPAN: Final = re.compile(r"(?<!\d)((?:19|20))(\d\d)[/–-](\d\d)(?!\d)")


@lru_cache(maxsize=8192)
def tokens(text: str) -> tuple[str, ...]:
    """The words and numbers of a text in order, without case, accents and the signs in them.

    A single letter keeps its case: it names something as a capital only. Scripts without blanks are
    read in pairs, and so is Korean.
    """
    found: list[str] = []
    for match in _TOKEN.finditer(unicodedata.normalize("NFKC", text)):
        word = match[0]
        if PAIRED.match(word):
            found += [word[at : at + 2] for at in range(len(word) - 1)] or [word]
        elif len(word) == 1:
            found.append(word)
        else:
            plain = unicodedata.normalize("NFKD", word.casefold())
            found.append("".join(char for char in plain if not unicodedata.combining(char)))
    found += [f"{years[1]}{years[3]}" for years in _SPAN.finditer(text)]
    return tuple(found)


def names(text: str) -> frozenset[str]:
    """Those of them that can name something: no single letter in lower case."""
    return frozenset(word for word in tokens(text) if len(word) > 1 or not word.islower())


def same_word(one: str, other: str, *, closely: bool = False) -> bool:
    """Whether two words are equal, or share a long beginning; ``closely``: most of both."""
    if one == other:
        return True
    if closely and min(len(one), len(other)) < _SHARED * max(len(one), len(other)):
        return False
    least = min(len(one), len(other))
    if least < _STEM or not (one.isalpha() and other.isalpha()) or PAIRED.match(one):
        return False
    shared = next((at for at in range(least) if one[at] != other[at]), least)
    if shared == least or shared >= max(_STEM + 1, _SHARED * least):
        return True
    return least > _STEM + 1 and (one.endswith(other) or other.endswith(one))


def words_in(vocabulary: Collection[str], claim: Iterable[str], *, closely: bool = False) -> frozenset[str]:
    """The words of a source that a claim has, in any form."""
    starts: dict[str, list[str]] = {}
    for word in vocabulary:
        for key in {word[:_STEM], f"…{word[-_STEM:]}"}:
            starts.setdefault(key, []).append(word)
    return frozenset(
        word
        for ours in claim
        for key in (ours[:_STEM], f"…{ours[-_STEM:]}")
        for word in starts.get(key, ())
        if same_word(ours, word, closely=closely)
    )


#: Words of fewer letters join sentences in many languages, and tell no place from another.
_TELLING: Final = 4


def tells(word: str) -> bool:
    """Whether a word may tell places apart: longer ones, numbers, and capitals that stand alone."""
    return len(word) >= _TELLING or any(char.isdigit() for char in word) or not word.isascii()
