"""Where there is nothing to search with yet."""

from __future__ import annotations

from verifaible.errors import PageError
from verifaible.search.base import SearchHit


class NoSearch:
    """Says that search is not available, and what to do instead."""

    async def search(self, query: str, limit: int) -> tuple[SearchHit, ...]:
        """Never finds anything.

        Raises:
            PageError: always.
        """
        raise PageError(
            f"Search is not available on the live web here, so {query!r} was not searched for. "
            f"Start from the "
            "given address and follow the links of its pages."
        )
