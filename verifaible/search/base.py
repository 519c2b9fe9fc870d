"""What every search backend is, and what a search gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, overload

from pydantic import Field

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
