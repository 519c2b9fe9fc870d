"""Which language a text is in: what the page says, or else its script and its commonest words."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

#: A Chinese character, which Japanese has, too.
HAN: Final = re.compile("[\u3400-\u9fff]")
#: The syllables of Korean, for a character class.
HANGUL: Final = r"\uac00-\ud7a3"
#: Scripts whose words no blank parts, for a character class: Thai (but for the sign of the baht) and Lao,
#: Burmese, Khmer, kana and Chinese. Korean parts its words.
UNSPACED: Final = (
    r"\u0e00-\u0e3e\u0e40-\u0eff\u1000-\u109f\u1780-\u17ff"
    r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
#: The languages of :func:`reservations` that are written in them.
UNSPACED_LANGUAGES: Final = ("ja", "th", "zh")
#: Those with blanks between words whose verb, or the particle or prefix that belongs to it, ends its clause.
VERB_LAST: Final = ("bn", "de", "fa", "hi", "ka", "ko", "nl", "ta", "tr", "ur")
#: Letters of scripts that few languages have. The danda and the sign of the baht stand in other scripts too.
_SCRIPTS: Final = {
    "ja": re.compile("[\u3040-\u30ff]"),
    "ko": re.compile(f"[{HANGUL}]"),
    "zh": HAN,
    "th": re.compile("[\u0e01-\u0e3a\u0e40-\u0e4e]"),
    "el": re.compile("[\u0370-\u03ff]"),
    "he": re.compile("[\u0590-\u05ff]"),
    "hi": re.compile("[\u0900-\u0963\u0970-\u097f]"),
    "bn": re.compile("[\u0980-\u09ff]"),
    "ta": re.compile("[\u0b80-\u0bff]"),
    "hy": re.compile("[\u0530-\u058f]"),
    "ka": re.compile("[\u10a0-\u10ff]"),
}
#: Of a text's letters, so many are in the script of its language: names and code may be in another. Of
#: Japanese, so many characters are kana.
_SHARE, _KANA = 0.25, 0.1
#: Marks that combine with the letters before them, for a character class: ``\\w`` does not have them.
MARKS: Final = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0903"
    "\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09cd\u09d7\u0b82\u0bbe-\u0bcd\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
    "\u200c\u200d"
)
_WORD: Final = re.compile(rf"(?:[^\W\d_]|[{MARKS}])+(?:['’][^\W\d_]+)*")
#: The commonest words of the languages that share a script.
_SMALL: Final = {
    "en": "the of and to in is that for was with are by on from this it at be or as an",
    "de": "der die das und ist nicht ein eine den dem mit zu von auf für im sich auch wird sind des",
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
#: Subtags of written forms, and former ones, of languages that are known by another.
_SAME_LANGUAGE: Final = {"nb": "no", "nn": "no", "iw": "he", "in": "id"}
#: Words that are looked at.
_ENOUGH: Final = 600


@cache
def reservations() -> dict[str, dict[str, list[str]]]:
    """The words of each language that turn a sentence round (``reservations.json``)."""
    found: dict[str, dict[str, list[str]]] = json.loads(
        files(__package__).joinpath("reservations.json").read_text("utf-8")
    )
    return found


def common_words(language: str) -> list[str]:
    """The commonest words of a language; none for one whose script tells it."""
    return _SMALL.get(language, "").split()


@lru_cache(maxsize=64)
def language_of(said: str, text: str) -> str:
    """The language of a text as a primary subtag, "" where it is not known.

    Args:
        said: the tag that the page gives, if it gives one: believed where it is a known language and the
            text has its script.
        text: the text, or the beginning of it.
    """
    named = _language_code(said)
    told = _told_by_script(text)
    if told:
        return named if {named, told} == {"zh", "ja"} else told
    if named in reservations() and (named not in _SCRIPTS or _SCRIPTS[named].search(text)):
        return named
    return _guessed(text)


def _told_by_script(text: str) -> str:
    counts = {language: len(script.findall(text)) for language, script in _SCRIPTS.items()}
    kana, han = counts["ja"], counts["zh"]
    counts["ja" if kana > _KANA * han else "zh"] = kana + han
    most = max(counts, key=lambda language: counts[language])
    return most if counts[most] > _SHARE * sum(map(str.isalpha, text)) else ""


def _language_code(said: str) -> str:
    subtag = said.lower().partition("-")[0]
    return _SAME_LANGUAGE.get(subtag, subtag)


def _guessed(text: str) -> str:
    votes: Counter[str] = Counter()
    known = _small_words()
    for match, _ in zip(_WORD.finditer(text), range(_ENOUGH), strict=False):
        for language in known.get(match.group().casefold(), ()):
            votes[language] += 1
    best = votes.most_common(2)
    # A tie says nothing.
    return best[0][0] if best and (len(best) == 1 or best[0][1] > best[1][1]) else ""


@cache
def _small_words() -> dict[str, tuple[str, ...]]:
    words: dict[str, set[str]] = {}
    for language, entries in _SMALL.items():
        for word in entries.split():
            words.setdefault(word, set()).add(language)
    return {word: tuple(languages) for word, languages in words.items()}
