"""What every search backend is."""

from __future__ import annotations

from typing import Protocol

from pydantic import Field

from verifaible.schema.base import Record

#: Most hits that one search gives, whatever was asked for.
MAX_HITS = 50


class SearchHit(Record):
    """One result.

    ``score`` is the backend's own, higher is better, comparable inside one answer only.
    ``published`` is an ISO 8601 date, or empty where the backend does not know it; ``source``
    names the backend.
    """

    title: str
    url: str
    snippet: str = ""
    published: str = ""
    score: float = 0.0
    source: str = Field(description="Name of the backend.")


class SearchBackend(Protocol):
    """Finds pages for a query."""

    async def search(self, query: str, limit: int) -> tuple[SearchHit, ...]:
        """At most ``limit`` hits (and never more than ``MAX_HITS``), best first.

        Raises:
            BadArguments: the query holds no word, or the limit is not positive.
        """
        ...
