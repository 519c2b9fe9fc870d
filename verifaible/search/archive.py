"""Full-text search over the pages of the offline archives (SQLite FTS5, in memory).

Chinese, Japanese and Korean text has no blanks between words, so every such character is a
token of its own. A query is looked for in three ways, each only for what the ones before left
free: each of its words as one phrase, so that a substring of any length is found where it
stands whole; runs of such characters as their overlapping pairs, all of them; some of the pairs.
Latin words are folded and stemmed (unicode61, Porter).
"""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote, urlsplit

from verifaible.search.base import SearchHit, parse_query

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
_QUOTED = re.compile(r"[\"“”]([^\"“”]+)[\"“”]")


@dataclass(frozen=True, slots=True)
class _Terms:
    """What to look for, in reading order, and the host to keep to or an empty string.

    ``whole`` are the words and quoted phrases; ``parts`` the same with runs of Chinese, Japanese
    and Korean characters as pairs.
    """

    whole: tuple[str, ...]
    parts: tuple[str, ...]
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
        """Pages that hold the words whole, then all parts of them, then some; each best first by BM25.

        ``"quoted words"`` have to stand together; ``site:host`` keeps to one host.

        Raises:
            BadArguments: the query holds no word, or the limit is not positive.
        """
        parsed = parse_query(unicodedata.normalize("NFKC", query), limit)
        terms = _terms(parsed.words, parsed.site)
        if self._index is None:
            self._index = _built(self._archive)
        hits: dict[str, SearchHit] = {}
        whole, parts = ([_spaced(term) for term in each] for each in (terms.whole, terms.parts))
        for asked in (_asked(whole, " AND "), _asked(parts, " AND "), _asked(parts, " OR ")):
            if len(hits) < parsed.limit:
                for hit in _found(self._index, asked, terms, parsed.limit):
                    hits.setdefault(hit.url, hit)
        return tuple(hits.values())[: parsed.limit]


def _terms(words: str, site: str) -> _Terms:
    whole = [match[1].strip() for match in _QUOTED.finditer(words)]
    parts = list(whole)
    for word in _QUOTED.sub(" ", words).split():
        whole.append(word)
        for piece in _PIECE.findall(word):
            if _CJK_CHARACTER.match(piece) and len(piece) > 2:
                parts += [piece[index : index + 2] for index in range(len(piece) - 1)]
            else:
                parts.append(piece)
    return _Terms(_worded(whole), _worded(parts), site)


def _worded(terms: Sequence[str]) -> tuple[str, ...]:
    """The terms that hold a letter or a digit, once each."""
    return tuple(dict.fromkeys(term for term in terms if any(char.isalnum() for char in term)))


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


def _asked(phrases: Sequence[str], operator: Literal[" AND ", " OR "]) -> str:
    """An FTS5 expression: phrases, joined."""
    return operator.join('"' + phrase.replace('"', " ") + '"' for phrase in phrases)


def _found(index: sqlite3.Connection, asked: str, terms: _Terms, limit: int) -> list[SearchHit]:
    rows = index.execute(
        "SELECT page.title, page.url, page.text FROM words JOIN page ON page.id = words.rowid "
        "WHERE words MATCH ? AND (? = '' OR page.host = ? OR page.host LIKE '%.' || ?) "
        "ORDER BY bm25(words, ?, ?, ?), page.id LIMIT ?",
        (asked, terms.site, terms.site, terms.site, *_WEIGHTS, limit),
    )
    return [
        SearchHit(title=title, url=url, snippet=snippet(text, (*terms.whole, *terms.parts)), source="archive")
        for title, url, text in rows
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
