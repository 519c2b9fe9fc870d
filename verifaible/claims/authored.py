"""Sources named by author and year: the entries of a list of references, and the marks that lead to them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

_YEAR: Final = r"(?:1[89]|20)\d\d[a-z]?"
#: ``Smith, J., & Lee, K. (2023). ...``, ``World Bank. (2023). ...``, ``Smith, J. 2023. ...``
_AUTHORED: Final = re.compile(
    rf"(?P<authors>[^\W\d_][^()\[\]\n]{{1,200}}?)[,.]?\s*[(（]?(?P<year>{_YEAR}|n\.d\.)(?:,[^()\n]{{1,30}})?[)）.,]"
)
_YEARS: Final = re.compile(rf"[(（]([^()（）\n]{{2,300}}?{_YEAR}[^()（）\n]{{0,60}})[)）]")
_PART: Final = re.compile(rf"(?P<authors>[^\W\d_][^;；]*?)[,，]?\s*(?P<year>{_YEAR})")
_NARRATIVE: Final = re.compile(
    rf"(?P<authors>[^\W\d_][\w.'’\-]*(?:[ ](?:[A-Z][\w.'’\-]*|of|the|for|et|al\.?|and|&)){{0,6}})\s"
    rf"(?P<paren>[(（](?P<year>{_YEAR})(?:,[^()\n]{{1,30}})?[)）])"
)
_LEAD: Final = re.compile(
    r"^(?:(?:see|e\.g\.|cf\.|also|in|by|from|according to|und|vgl\.)[,:]?\s+)+", re.IGNORECASE
)
_FIRST: Final = re.compile(r"\s*(?:,|，|\set\sal|\s(?:and|und|et|y)\s|&|\.\s|\.$)")


def author_year(line: str) -> str:
    """What marks call an entry of a list: its first author (or body) and year; empty for other lines."""
    match = _AUTHORED.match(line.strip().strip("*_"))
    return _authors(match["authors"], match["year"]) if match else ""


def find_authored(text: str, known: Collection[str]) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Marks such as ``(Smith & Lee, 2023; World Bank, 2021)`` and ``Smith (2023)`` that lead to known names.

    Gives start, end and the names; of the second form only the year with its brackets is the mark.
    """
    taken: set[int] = set()
    for match in _YEARS.finditer(text):
        parts = (_PART.search(part) for part in re.split(r"[;；]", match[1]))
        names = [name for part in parts if part and (name := _among(part["authors"], part["year"], known))]
        if names:
            taken.add(match.start())
            yield match.start(), match.end(), tuple(dict.fromkeys(names))
    for match in _NARRATIVE.finditer(text):
        words = match["authors"].split(" ")
        tries = (_among(" ".join(words[number:]), match["year"], known) for number in range(len(words)))
        if match.start("paren") not in taken and (name := next(filter(None, tries), "")):
            yield *match.span("paren"), (name,)


def _among(authors: str, year: str, known: Collection[str]) -> str:
    name = _authors(_LEAD.sub("", authors.strip()), year)
    return name if name in known else ""


def _authors(authors: str, year: str) -> str:
    first = _FIRST.split(authors.strip(" *_.,"), maxsplit=1)[0].strip(" *_.,")
    return f"{' '.join(first.split())} {year}".casefold() if first else ""
