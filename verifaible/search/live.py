"""The search of the live web: engines asked in turn, until one finds something."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from time import monotonic

from verifaible.errors import PageNotLoaded
from verifaible.net.client import HttpClient
from verifaible.search.base import EngineFault, Query, SearchAnswer, SearchHit, parse_query
from verifaible.search.engine import Engine, EngineFailed

#: Longest time that one engine may take, in seconds.
TIMEOUT_S = 10.0
#: An engine may ask for a pause (Retry-After), up to this.
LONGEST_PAUSE_S = 3600.0


class LiveSearch:
    """Asks one engine after the other; what did not answer is named, never left out in silence.

    Share one between sessions: it remembers which engines asked for a pause.

    Args:
        engines: at least one, the best first.
        client: opens a client of the session's web.
        timeout_s: longest time for one engine.
        clock: seconds, for the pauses.
    """

    name = "live"

    def __init__(
        self,
        engines: Sequence[Engine],
        client: Callable[[], HttpClient],
        *,
        timeout_s: float = TIMEOUT_S,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._engines = tuple(engines)
        self._client = client
        self._timeout_s = timeout_s
        self._clock = clock
        self._paused_until: dict[str, float] = {}

    @property
    def engines(self) -> tuple[str, ...]:
        """The names of the engines, in their order."""
        return tuple(engine.name for engine in self._engines)

    async def search(self, query: str, limit: int = 10) -> SearchAnswer:
        """The pages of the first engine that finds some, in its order.

        Raises:
            BadArguments: the query holds no word, or the limit is not positive.
            PageNotLoaded: no engine answered.
        """
        parsed = parse_query(query, limit)
        answered: list[str] = []
        faults: list[EngineFault] = []
        hits: tuple[SearchHit, ...] = ()
        async with self._client() as client:
            for engine in self._engines:
                try:
                    found = await self._ask(engine, parsed, client)
                except EngineFailed as error:
                    faults.append(EngineFault(engine.name, error.reason))
                    continue
                answered.append(engine.name)
                pages: dict[str, SearchHit] = {}
                for hit in found:
                    if parsed.allows(hit.url):
                        pages.setdefault(hit.url, hit)
                if hits := tuple(pages.values()):
                    break
        if not answered:
            reasons = "; ".join(f"{fault.engine}: {fault.reason}" for fault in faults)
            raise PageNotLoaded(
                f"No search engine answered, so {parsed.text[:200]!r} was not searched for ({reasons}). Try "
                "again in a minute, or open an address that you know and follow its links."
            )
        return SearchAnswer(hits[: parsed.limit], tuple(answered), tuple(faults))

    async def _ask(self, engine: Engine, query: Query, client: HttpClient) -> tuple[SearchHit, ...]:
        """What an engine finds.

        Raises:
            EngineFailed: it does not answer, or asked for a pause.
        """
        if (pause_s := self._paused_until.get(engine.name, 0.0) - self._clock()) > 0:
            raise EngineFailed(f"left alone for {pause_s:.0f} s more, as it asked")
        try:
            async with asyncio.timeout(self._timeout_s):
                return await engine.find(query, client)
        except TimeoutError:
            raise EngineFailed(f"no answer within {self._timeout_s:g} s") from None
        except EngineFailed as error:
            pause_s = min(error.retry_after_s, LONGEST_PAUSE_S)
            self._paused_until[engine.name] = self._clock() + pause_s
            raise
