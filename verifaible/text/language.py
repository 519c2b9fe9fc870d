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

#: The language of a script by the first word of its letters' Unicode names, with others that write it.
SCRIPTS: Final[dict[str, tuple[str, ...]]] = {
    **{"HIRAGANA": ("ja",), "KATAKANA": ("ja",), "HANGUL": ("ko",), "CJK": ("zh", "ja"), "THAI": ("th",)},
    **{"GREEK": ("el",), "HEBREW": ("he",), "DEVANAGARI": ("hi",), "BENGALI": ("bn",), "TAMIL": ("ta",)},
    **{"ARMENIAN": ("hy",), "GEORGIAN": ("ka",), "ARABIC": ("ar", "fa", "ur")},
    "CYRILLIC": ("ru", "uk", "bg", "sr"),
    "LATIN": tuple("en de fr es it pt nl sv da no fi is pl cs sk hu ro tr hr id vi".split()),
}
_SMALL: Final = {
    "en": "the of and to in is that for was with are by on from this it at be or as an which has had per",
    "de": "der die das und ist nicht ein eine den dem mit zu von auf für im sich auch wird sind des um"
    " bei lag es gab beträgt",
    "fr": "le la les des est et un une dans du pour pas qui sur au par il ne sont aux",
    "es": "el la los las que y en un es del por con una para se al lo su más como",
    "it": "il la di che e un è per con del della i le nel sono gli una non alla da",
    "pt": "o a os as que e em um é do da para com não uma no na dos se por",
    "nl": "de het een en van is dat niet met op te voor zijn aan wordt door bij er ook om",
    "sv": "och att det som en er på av för inte är den till med ett om har de var",
    "da": "og at det som en er på af for ikke den til med et har de var der blev fra",
    "no": "og å det som en er på av for ikke den til med et har de var ble fra etter",
    "fi": "ja on ei se että oli mutta ovat joka kun myös hän niin tai mitä kuin vain ne",
    "is": "og að er á sem í það ekki við um var en til af með fyrir hann þetta",
    "pl": "i w na z się nie jest do to że o jak po od dla przez są był oraz za",
    "cs": "a se v na je že s z do to o k ve za jsou byl by pro po od",
    "sk": "a sa v na je že s z do to o k vo za sú bol by pre po od",
    "hu": "a az és hogy nem egy is van volt meg ez de el csak mint már vagy még",
    "ro": "și în de la cu un o este nu care pe a din pentru mai că au fost sau prin",
    "tr": "ve bir bu da de için ile olarak çok daha en gibi olan kadar sonra ne var değil",
    "hr": "i u je na se da za od su nije s kao što iz o koji će ne bi po",
    "id": "dan yang di ini itu dengan untuk dari tidak pada ke akan dalam adalah oleh juga",
    "vi": "và của là có không trong được cho các một với người khi đã ở từ này để",
    "ru": "и в не на что с по это из от для как к был его за о его у же",
    "uk": "і в не на що з та це до від для як у був його за про й або які",
    "bg": "и в на не се за от да е с по са до при като че ще който или бе",
    "sr": "и у је на се да за од није су с као што из који ће не би по",
    "ar": "في من على إلى أن هذا التي عن مع كان ما لا قد الذي بعد هو",
    "fa": "و در به از که این است را با برای آن یک شد می خود تا",
    "ur": "کے کی میں ہے اور سے کا کو نے پر یہ نہیں ہیں اس تھا",
}
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
    return frozenset(_SMALL.get(language, "").split())


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
        for word in entries.split():
            words.setdefault(word, []).append(language)
    return words
