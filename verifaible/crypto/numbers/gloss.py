"""German, French and Spanish words of market reports in English: one reader then reads all of them.

Each stands for one that is not longer, so that no character moves. A word that is missing here is one that
the reader does not know, and of which it says nothing: only known words can contradict.
"""

from __future__ import annotations

import re
from typing import Final

from verifaible.text.language import small_words
from verifaible.text.lists import words_of

_MONTHS: Final = {
    "Jan": "januar|jänner|janvier|enero",
    "Feb": "februar|février|febrero",
    "Mar": "märz|mars|marzo",
    "Apr": "april|avril|abril",
    "May": "mai|mayo",
    "Jun": "juni|juin|junio",
    "Jul": "juli|juillet|julio",
    "Aug": "august|août|agosto",
    "Sep": "september|septembre|septiembre",
    "Oct": "oktober|octobre|octubre",
    "Nov": "november|novembre|noviembre",
    "Dec": "dezember|décembre|diciembre",
}
_NAMED: Final = {name: month for month, names in _MONTHS.items() for name in names.split("|")}
_DATE: Final = re.compile(
    rf"\b(?P<d>\d{{1,2}})(?:\. ?|er | (?:de )?)(?P<m>{'|'.join(_NAMED)})\b(?:(?: de| del)? (?P<y>20\d\d))?",
    re.IGNORECASE,
)
#: A blank that parts thousands.
_BLANKS: Final = re.compile(r"(?<=\d)[ \u00a0\u202f\u2009](?=\d{3}(?!\d))(?<!\d{4}.)")
_CLOCK: Final = re.compile(r"\b(?P<h>\d{1,2})(?: Uhr(?: \d\d)?| heures?(?= UTC))\b")

_WORDS: Final = {
    # directions
    "rose": "stieg|stiegen|steigt|gestiegen|legte|legten|legt|kletterte|gewann|hausse|grimpé|grimpe|bondi"
    "|bondit|gagné|gagne|monté|augmenté|progressé|progresse|progression|subió|sube|subido|ganó|gana|ganado"
    "|aumentó|aumenta|avanzó|avanza|creció|crece|alza|subida|avance|Anstieg|Zuwachs",
    "up": "zugelegt|gewonnen|envolé|envole|repunta|repuntó",
    "fell": "fiel|fielen|fällt|gefallen|sinkt|gesunken|verlor|verloren|verliert|Rückgang|Verlust|baisse"
    "|baissé|recule|reculé|recul|chuté|chute|perdu|perd|repli|cayó|caído|bajó|baja|bajado|caída|perdió|pierde"
    "|perdido|desplomó|retrocedió|retrocede|descenso|pérdida|rutschte|büßte|eingebüßt",
    "change": "Veränderung|variation|variación",
    # fields
    "price of": "kurs von|kurs des|kurs der",
    "price": "preis|precio|cotización",
    "market cap": "marktkapitalisierung|capitalisation boursière|capitalización de mercado"
    "|capitalización bursátil|capitalización|börsenwert",
    "volume": "handelsvolumen|volumen|volumen de negociación|volume d'échanges|umsatz",
    "value locked": "valeur verrouillée|valeur totale verrouillée|valor bloqueado|valor total bloqueado",
    "volatility": "volatilität|volatilidad",
    "dominance": "dominancia",
    "high": "höchststand|höchstkurs|tageshoch|plus haut|máximo|sommet",
    "low": "tiefststand|tiefstkurs|tagestief|plus bas|mínimo",
    "opened at": "eröffnete",
    "close": "schloss|schlusskurs|clôturé|clôture|clôturait|cerró|cerraba|cierre",
    "supply": "umlaufmenge|offre en circulation|suministro|oferta circulante",
    # times
    "hours": "stunden|heures|horas",
    "hour": "stunde|heure|hora",
    "days": "tagen|tage|jours|días",
    "in a day": "une journée|einem tag|einen tag",
    "day": "journée",
    "weeks": "wochen|semaines|semanas",
    "week": "woche|semaine|semana",
    "months": "monaten|monate",
    "one": "eine|einem|einer|una|une",
    "daily": "diario|diaria|täglich",
    "seven days": "sieben tagen|sept jours|siete días",
    "30 days": "dreißig tagen|trente jours|treinta días",
    "24 hours": "vingt-quatre heures|vierundzwanzig stunden|veinticuatro horas",
    # shares and manners
    "half": "hälfte|moitié|mitad",
    "a third of": "ein drittel",
    "a third": "un tiers|un tercio",
    "a fourth of": "ein viertel",
    "a fourth": "un cuarto|un quart",
    "a fifth of": "ein fünftel|un cinquième",
    "a fifth": "un quinto",
    "a tenth of": "ein zehntel",
    "a tenth": "un dixième|un décimo",
    "two thirds": "zwei drittel|deux tiers|dos tercios",
    "about": "ungefähr|environ|aproximadamente|alrededor de|à peu près",
    "some": "rund|etwa",
    "almost": "presque",
    "nearly": "beinahe",
    "former": "ersterer|erstere|erster|le premier",
    "latter": "letzterer|letztere|le second|el segundo",
    "all coins": "gesamtmarkt",
    "whole market": "gesamte markt|gesamten markt|ensemble du marché|marché total|mercado total"
    "|conjunto del mercado",
}
_ENGLISH: Final = {word.lower(): english for english, words in _WORDS.items() for word in words.split("|")}
_WORD: Final = re.compile(
    rf"\b(?:{'|'.join(sorted(map(re.escape, _ENGLISH), key=len, reverse=True))})\b", re.IGNORECASE
)


_ENGLISH_WORDS: Final = small_words("en")
#: Of numbers and sums in them.
_COUNTED: Final = words_of("de millones billones dólares millionen milliarden billionen mio mrd milliards")
_FOREIGN_WORDS: Final = tuple(_COUNTED | small_words(language) for language in ("de", "fr", "es", "it", "pt"))


def is_foreign(text: str) -> bool:
    """Whether a text has more of the commonest words of a language that groups by stops than of English."""
    words = set(re.findall(r"[^\W\d_]+", text.lower()))
    return max(len(words & common) for common in _FOREIGN_WORDS) > len(words & _ENGLISH_WORDS)


def glossed(text: str) -> str:
    """A text with the words that are known in English, and each character after them where it was."""
    text = text.replace("’", "'")
    text = _DATE.sub(_dated, text)
    if is_foreign(text):  # a stop parts thousands in one more way to read a number, and a blank does not
        text = _BLANKS.sub(".", text)
    text = _CLOCK.sub(lambda match: f"{match['h']}:00".ljust(len(match[0])), text)
    return _WORD.sub(lambda match: _ENGLISH[match[0].lower()].ljust(len(match[0])), text)


def _dated(match: re.Match[str]) -> str:
    told = f"{match['d']} {_NAMED[match['m'].lower()]}" + (f" {match['y']}" if match["y"] else "")
    return told.rjust(len(match[0])) if len(told) <= len(match[0]) else match[0]
