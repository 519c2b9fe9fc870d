"""Which language a text is in: what its page says, else its script, its small words, or a detector.

resiliparse tells texts of some paragraphs; of a sentence it is mostly wrong ("Der Umsatz stieg um 3,4
Prozent" is English to it), and CLDR has no small words. So those of a sentence are counted first.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache, lru_cache
from typing import Final

from verifaible.text.words import DATA

#: The languages of a script by the first word of its letters' Unicode names.
SCRIPTS: Final = {script: tuple(languages.split()) for script, languages in DATA["scripts"].items()}
_SMALL: Final = {language: tuple(words.split()) for language, words in DATA["small_words"].items()}
#: A Chinese character, which Japanese has, too.
HAN: Final = re.compile(r"[\u3400-\u9fff]")
#: A word; the letters of an abbreviation such as "U.S." are none, though "u" and "s" are words in Croatian.
_WORD: Final = re.compile(r"(?<![^\W\d_]\.)(?<![^\W\d_])[^\W\d_]+(?!\.?[^\W\d_])")
#: Letters that are looked at; from so many on the detector is right.
_LOOKED_AT, _ENOUGH = 1500, 300
#: Of a text's letters, so many are in the script of its language: names and code may be in another.
_SHARE: Final = 0.25
_KANA: Final = 0.1


@lru_cache(maxsize=256)
def language_of(tag: str, text: str) -> str:
    """The language of a text as a primary subtag (BCP 47), "" where nothing tells it.

    Args:
        tag: the tag that the page gives, "" where it gives none: believed where the text has its script.
        text: the text; its beginning is looked at.
    """
    start = text[:_LOOKED_AT]
    script = script_of(start)
    named = {"nb": "no", "nn": "no", "iw": "he"}.get(subtag := tag.lower().partition("-")[0], subtag)
    languages = SCRIPTS.get(script, ())
    if named and (named in languages or not languages):
        return named
    if len(languages) < 2 or script == "CJK":
        return languages[0] if languages else ""
    votes = Counter(
        language
        for word in _WORD.findall(start.casefold())
        for language in _speakers().get(word, ())
        if language in languages
    )
    (best, most), (_, second) = [*votes.most_common(2), ("", 0), ("", 0)][:2]
    if sum(map(str.isalpha, start)) >= _ENOUGH and most < 2 * second:
        from resiliparse.parse.lang import detect_fast  # 30 ms, and most texts need none

        found = detect_fast(start, langs=list(languages))[0]
        return str(found) if found in languages else best
    return best if most > max(second, 1) else ""  # one word may be a name ("par value")


def small_words(language: str) -> frozenset[str]:
    """The commonest words of a language; none for one whose script tells it."""
    return frozenset(_SMALL.get(language, ()))


def script_of(text: str) -> str:
    """The script of most letters, by the first word of their names; Japanese where kana are among them."""
    counts = Counter(_script_of(char) for char in text if char.isalpha())
    total = sum(counts.values())
    kana = counts["HIRAGANA"] + counts["KATAKANA"]
    if kana and kana >= _KANA * counts["CJK"] and kana + counts["CJK"] > _SHARE * total:
        return "HIRAGANA"
    others = [script for script in counts if script != "LATIN" and counts[script] > _SHARE * total]
    return max(others, key=counts.__getitem__, default="LATIN" if counts else "")


@cache
def _script_of(char: str) -> str:
    return unicodedata.name(char, "").partition(" ")[0]


@cache
def _speakers() -> dict[str, list[str]]:
    words: dict[str, list[str]] = {}
    for language, entries in _SMALL.items():
        for word in entries:
            words.setdefault(word, []).append(language)
    return words
