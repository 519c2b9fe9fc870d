"""What every search backend is, and what a search gives."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, overload
from urllib.parse import urlsplit

from pydantic import Field

from verifaible.errors import BadArguments
from verifaible.schema.base import Record

#: Most hits that one search gives, whatever was asked for.
MAX_HITS = 50


class SearchHit(Record):
    """One result.

    ``score`` is the backend's own, higher is better, comparable inside one answer only.
    ``published`` is an ISO 8601 date, or empty where the backend does not know it; ``source``
    names the backend, ``engines`` every one that found the page, best rank first.
    """

    title: str
    url: str
    snippet: str = ""
    published: str = ""
    score: float = 0.0
    source: str = Field(description="Name of the backend.")
    engines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EngineFault:
    """An engine that gave nothing, and why: ``reason`` is a clause without a full stop."""

    engine: str
    reason: str


@dataclass(frozen=True, slots=True)
class SearchAnswer(Sequence[SearchHit]):
    """The hits of a search by several engines, best first, and what is missing from them.

    Attributes:
        hits: the results.
        answered: the engines that answered, also those that found nothing.
        faults: the engines that did not.
    """

    hits: tuple[SearchHit, ...] = ()
    answered: tuple[str, ...] = ()
    faults: tuple[EngineFault, ...] = ()

    @overload
    def __getitem__(self, index: int) -> SearchHit: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[SearchHit]: ...

    def __getitem__(self, index: int | slice) -> SearchHit | Sequence[SearchHit]:
        return self.hits[index]

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[SearchHit]:
        return iter(self.hits)


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
    return Query(text, words, host_of_site(found[1]) if found else "", min(limit, MAX_HITS))


def host_of_site(site: str) -> str:
    """The host in what follows ``site:``: ``https://www.example.org/x`` and ``*.example.org`` too."""
    host = site.lower().removeprefix("https://").removeprefix("http://")
    return host.split("/")[0].removeprefix("*.").removeprefix("www.").strip(".")
