"""Where a quote may begin and end: never inside a word, a compound or a quantity.

Words are those of Unicode Standard Annex 29, as uniseg finds them, joined over hyphens. A quantity is
sign, currency, number in figures or words, scale, unit, per cent, range or date: one token, whatever
parts it (``quantities.json`` has the words of 36 languages).
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

from uniseg.wordbreak import word_boundaries

from verifaible.old.text.quantities import quantity_spans

#: Code points on either side of an edge that are looked at.
_AROUND = 80
_HYPHENS = frozenset("-‐‑")
#: What parts words for certain; Annex 29 takes a full-width comma between figures for one of their number.
_PARTING = " \n\t，；"
#: What elides before a vowel in French, Italian and Catalan is a word of its own; the negation "n'" stays
#: with its verb.
_ELIDED = re.compile(
    r"(?<!\w)(?:l|d|j|m|t|s|c|qu|jusqu|lorsqu|puisqu|quoiqu|dell|nell|all|dall|sull|coll|un|quest|quell)['’]\Z",
    re.IGNORECASE,
)


def whole(text: str, start: int, end: int, language: str = "") -> tuple[int, int]:
    """The span with every word and quantity whole that its edges cut; the same span where they cut none.

    ``language`` is that of the text, as :func:`verifaible.old.text.languages.language_of` gives it.
    """
    low, high = _widened(text, start, language), _widened(text, end, language)
    if text[end : high[1]] == ".":  # it ends the sentence, too
        high = end, end
    return min(start, low[0]), max(end, high[1])


def _widened(text: str, edge: int, language: str) -> tuple[int, int]:
    """The token that an edge stands in, as a span; empty at the edge where it stands in none."""
    if not 0 < edge < len(text):
        return edge, edge
    low = max(0, edge - _AROUND)
    around = text[low : edge + _AROUND]
    at = edge - low
    if _ELIDED.search(around, 0, at):
        return edge, edge
    cut = [
        span
        for span in (*_compounds(around, at), *quantity_spans(around, language))
        if span[0] < at < span[1] and _shown(around[span[0] : at]) and _shown(around[at : span[1]])
    ]
    return low + min((first for first, _ in cut), default=at), low + max(
        (last for _, last in cut), default=at
    )


def _shown(text: str) -> bool:
    """Whether any of it is seen: marks of direction and the like part no word."""
    return any(unicodedata.category(char) != "Cf" for char in text)


def _compounds(text: str, at: int) -> list[tuple[int, int]]:
    """The words around a place, joined where a hyphen joins them."""
    first = max(text.rfind(char, 0, at) for char in _PARTING) + 1
    last = min((found for char in _PARTING if (found := text.find(char, at)) >= 0), default=len(text))
    edges = [first + edge for edge in word_boundaries(text[first:last])]
    kept = [edge for edge in edges if not _at_hyphen(text, edge)]
    return list(pairwise(kept))


def _at_hyphen(text: str, edge: int) -> bool:
    """Whether a boundary stands before or after a hyphen that joins two words."""
    for place in (edge - 1, edge):
        if 0 < place < len(text) - 1 and text[place] in _HYPHENS:
            return text[place - 1].isalnum() and text[place + 1].isalnum()
    return False
