"""What every search backend is, and what a search gives."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from email.utils import parsedate_to_datetime
from html import unescape
from typing import NamedTuple, Protocol
from urllib.parse import urlsplit

from verifaible.archive.urls import recordable
from verifaible.errors import BadArguments, PageNotLoaded
from verifaible.net.client import HttpClient
from verifaible.schema.base import Record

#: Most hits that one search gives, whatever was asked for.
MAX_HITS = 50


class SearchHit(Record):
    """One result.

    ``published`` is an ISO 8601 date, or empty where the engine does not know it; ``source`` is the engine.
    """

    title: str
    url: str
    snippet: str = ""
    published: str = ""
    source: str


class EngineFault(NamedTuple):
    """An engine that gave nothing, and why: ``reason`` is a clause without a full stop."""

    engine: str
    reason: str


class SearchAnswer(tuple[SearchHit, ...]):
    """The hits of a search by several engines, best first, and what is missing from them.

    Attributes:
        answered: the engines that answered, also those that found nothing.
        faults: the engines that did not.
    """

    answered: tuple[str, ...] = ()
    faults: tuple[EngineFault, ...] = ()

    @classmethod
    def of(
        cls,
        hits: Iterable[SearchHit],
        answered: Iterable[str] = (),
        faults: Iterable[EngineFault] = (),
    ) -> SearchAnswer:
        """The answer with these hits."""
        answer = cls(hits)
        answer.answered, answer.faults = tuple(answered), tuple(faults)
        return answer


class SearchBackend(Protocol):
    """Finds pages for a query."""

    async def search(self, query: str, limit: int) -> Sequence[SearchHit]:
        """At most ``limit`` hits (and never more than ``MAX_HITS``), best first.

        A :class:`SearchAnswer` says besides which engines did not answer.

        Raises:
            BadArguments: the query holds no word, or the limit is not positive.
            PageNotLoaded: no engine answered; the message gives the reason of each.
        """
        ...


_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_SITE = re.compile(r"(?<!\S)site:(\S+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Query:
    """A search.

    Attributes:
        text: the query as it was given, on one line.
        words: the same without ``site:``.
        site: a host in lower case without ``www.``, or an empty string.
        limit: how many hits are wanted, 1 to ``MAX_HITS``.
    """

    text: str
    words: str
    site: str
    limit: int

    def allows(self, url: str) -> bool:
        """Whether a page is of the host that was asked for, or of one below it."""
        if not self.site:
            return True
        host = urlsplit(url).hostname or ""
        return host.removeprefix("www.") == self.site or host.endswith("." + self.site)


def parse_query(query: str, limit: int) -> Query:
    """A query as engines are asked.

    Raises:
        BadArguments: it holds no word, or the limit is not positive.
    """
    if limit < 1:
        raise BadArguments("limit: it must be 1 or more. Call again with a positive number.")
    text = " ".join(unicodedata.normalize("NFC", query).split())
    words = " ".join(_SITE.sub(" ", text).split())
    if not any(char.isalnum() for char in words):
        raise BadArguments("query: it holds no word to search for. Give a few words of what you look for.")
    found = _SITE.search(text)
    # https://www.example.org/x and *.example.org are example.org too
    site = re.sub(r"\Ahttps?://", "", found[1].lower()).split("/")[0] if found else ""
    site = site.removeprefix("*.").removeprefix("www.").strip(".")
    return Query(text, words, site, min(limit, MAX_HITS))


class EngineFailed(PageNotLoaded):
    """An engine gave no results that can be used.

    Attributes:
        reason: why, as a clause without a full stop; it holds no text of a page, and no key.
    """

    def __init__(self, reason: str, *, status: int = 0) -> None:
        self.reason = reason
        super().__init__(f"The search engine gave no results: {reason}. Try again later.", status=status)


class Engine(Protocol):
    """A search engine of the live web; it keeps nothing from one search to the next.

    Attributes:
        name: in settings and results.
        endpoint: an address of the person's own, which may be local; empty for engines of the web.
    """

    name: str
    endpoint: str

    async def find(self, query: Query, client: HttpClient) -> tuple[SearchHit, ...]:
        """Hits, best first; empty only if the engine said that it found nothing.

        Raises:
            EngineFailed: anything else.
        """
        ...


def hits_of(engine: str, given: Iterable[tuple[str, str, str, str]]) -> tuple[SearchHit, ...]:
    """The results that lead to a page, of addresses, titles, snippets and dates.

    Marks of HTML and characters that cannot be seen are taken out of title and snippet.

    Raises:
        EngineFailed: the engine gave entries, and none of them can be used.
    """
    entries = list(given)
    found = [
        SearchHit(
            title=plain(title) or address,
            url=address,
            snippet=plain(snippet),
            published=iso_date(published),
            source=engine,
        )
        for url, title, snippet, published in entries
        if (address := page_url(url))
    ]
    if entries and not found:
        raise EngineFailed("its results have no addresses that can be opened")
    return tuple(found)


def page_url(url: str) -> str:
    """An address of the web as it is shown, or an empty string for anything else."""
    try:
        parts = urlsplit(url.strip())
        usable = parts.scheme.lower() in {"http", "https"} and bool(parts.hostname)
        return recordable(url.strip()) if usable else ""
    except ValueError:
        return ""


def plain(text: str) -> str:
    """Text on one line without HTML and without characters that cannot be seen."""
    kinds = ((char, unicodedata.category(char)) for char in unescape(_TAG.sub("", text)))
    seen = (" " if kind == "Cc" else char for char, kind in kinds if kind not in {"Cf", "Co", "Cs", "Cn"})
    return " ".join("".join(seen).split())


def iso_date(value: str) -> str:
    """The day of an ISO 8601 or RFC 5322 date, or an empty string ("3 days ago" has none)."""
    text = value.strip()
    try:
        return date.fromisoformat(text[:10]).isoformat()
    except ValueError:
        pass
    try:
        return parsedate_to_datetime(text).date().isoformat()
    except (TypeError, ValueError, OverflowError):
        return ""
