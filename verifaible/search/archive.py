"""Full-text search over the pages of the offline archives (SQLite FTS5, in memory).

Chinese, Japanese and Korean text has no blanks between words, so every such character is a
token of its own, and a query's run of them becomes its overlapping pairs, each an exact
phrase: a word of two characters is found wherever it stands. Latin words are folded and
stemmed (unicode61, Porter).
"""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from verifaible.errors import BadArguments
from verifaible.search.base import MAX_HITS, SearchHit

if TYPE_CHECKING:
    from verifaible.archive.lookup import Archive

#: Length of a snippet, in characters.
SNIPPET_CHARACTERS = 240
#: Weights of title, text and address. The title's makes up for BM25's handicap of long pages:
#: below 12 a short page that mentions a word beats the long one that is about it.
_WEIGHTS = (12.0, 1.0, 1.5)

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003134f"
_CJK_CHARACTER = re.compile(f"([{_CJK}])")
_PIECE = re.compile(f"[{_CJK}]+|[^\\s{_CJK}]+")
_SITE = re.compile(r"\bsite:(\S+)", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“”]([^\"“”]+)[\"“”]")


@dataclass(frozen=True, slots=True)
class _Query:
    """Terms in reading order, each to be found as a phrase; ``site`` a host or an empty string."""

    terms: tuple[str, ...]
    site: str


class ArchiveSearch:
    """Searches the pages of one archive; the index is built at the first search.

    Share one between sessions: building reads the text of every page.
    """

    name = "archive"

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._index: sqlite3.Connection | None = None

    async def search(self, query: str, limit: int = 10) -> tuple[SearchHit, ...]:
        """Pages with all words first, then pages with some of them; best first by BM25.

        ``"quoted words"`` have to stand together; ``site:host`` keeps to one host.

        Raises:
            BadArguments: the query holds no word, or the limit is not positive.
        """
        if limit < 1:
            raise BadArguments("limit: it must be 1 or more. Call again with a positive number.")
        parsed = _parsed(query)
        if self._index is None:
            self._index = _built(self._archive)
        limit = min(limit, MAX_HITS)
        hits: dict[str, SearchHit] = {}
        for operator in (" AND ", " OR "):
            if len(hits) < limit:
                for hit in _found(self._index, parsed, operator, limit):
                    hits.setdefault(hit.url, hit)
        return tuple(hits.values())[:limit]


def _parsed(query: str) -> _Query:
    text = unicodedata.normalize("NFKC", query)
    site = _SITE.search(text)
    text = _SITE.sub(" ", text)
    terms = [match[1].strip() for match in _QUOTED.finditer(text)]
    for piece in _PIECE.findall(_QUOTED.sub(" ", text)):
        if _CJK_CHARACTER.match(piece) and len(piece) > 2:
            terms += [piece[index : index + 2] for index in range(len(piece) - 1)]
        else:
            terms.append(piece)
    words = tuple(dict.fromkeys(term for term in terms if any(char.isalnum() for char in term)))
    if not words:
        raise BadArguments("query: it holds no word to search for. Give a few words of what you look for.")
    host = (site[1] if site else "").lower().removeprefix("https://").removeprefix("http://")
    return _Query(words, host.split("/")[0].removeprefix("*.").removeprefix("www."))


def _spaced(text: str) -> str:
    """Text for the index: compatibility forms folded, every CJK character a word."""
    return _CJK_CHARACTER.sub(r" \1 ", unicodedata.normalize("NFKC", text))


def _built(archive: Archive) -> sqlite3.Connection:
    index = sqlite3.connect(":memory:", check_same_thread=False)
    index.execute(
        "CREATE TABLE page (id INTEGER PRIMARY KEY, url TEXT UNIQUE, host TEXT, title TEXT, text TEXT)"
    )
    index.execute(
        "CREATE VIRTUAL TABLE words USING fts5(title, text, address, content='', "
        "tokenize='porter unicode61 remove_diacritics 2')"
    )
    for page in archive.pages():
        if not page.text.strip():
            continue
        parts = urlsplit(page.url)
        host = (parts.hostname or "").removeprefix("www.")
        title = page.title or page.url
        cursor = index.execute(
            "INSERT OR IGNORE INTO page (url, host, title, text) VALUES (?, ?, ?, ?)",
            (page.url, host, title, page.text),
        )
        if cursor.rowcount == 1:
            address = unquote(f"{host} {parts.path} {parts.query}")
            index.execute(
                "INSERT INTO words (rowid, title, text, address) VALUES (?, ?, ?, ?)",
                (cursor.lastrowid, _spaced(title), _spaced(page.text), _spaced(address)),
            )
    index.commit()
    return index


def _found(index: sqlite3.Connection, query: _Query, operator: str, limit: int) -> list[SearchHit]:
    phrases = operator.join('"' + _spaced(term).replace('"', " ") + '"' for term in query.terms)
    rows = index.execute(
        "SELECT page.title, page.url, page.text, -bm25(words, ?, ?, ?) AS score "
        "FROM words JOIN page ON page.id = words.rowid "
        "WHERE words MATCH ? AND (? = '' OR page.host = ? OR page.host LIKE '%.' || ?) "
        "ORDER BY score DESC, page.id LIMIT ?",
        (*_WEIGHTS, phrases, query.site, query.site, query.site, limit),
    )
    return [
        SearchHit(
            title=title,
            url=url,
            snippet=snippet(text, query.terms),
            score=round(score, 6),
            source=ArchiveSearch.name,
        )
        for title, url, text, score in rows
    ]


def snippet(text: str, terms: Sequence[str], length: int = SNIPPET_CHARACTERS) -> str:
    """The stretch of a text that holds most of the terms; "…" marks where it was cut."""
    flat = " ".join(text.split())
    folded = flat.lower()
    if len(folded) != len(flat):
        folded = flat  # a few letters change their length in lower case
    places = sorted(
        (match.start(), number)
        for number, term in enumerate(terms)
        for match in re.finditer(re.escape(term.lower()), folded)
    )
    best, start = 0, 0
    for first, (place, _) in enumerate(places):
        inside = {number for other, number in places[first : first + 200] if other < place + length * 3 // 4}
        if len(inside) > best:
            best, start = len(inside), place
    begin = max(0, min(start - length // 6, len(flat) - length))
    if begin and (blank := flat.find(" ", begin, min(begin + 20, start))) >= 0:
        begin = blank + 1
    cut = flat[begin : begin + length].strip()
    return ("…" if begin else "") + cut + ("…" if begin + length < len(flat) else "")
