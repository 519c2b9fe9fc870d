"""Several engines asked side by side, their rankings made into one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from time import monotonic

from verifaible.errors import PageNotLoaded
from verifaible.net.client import HttpClient
from verifaible.search.base import EngineFault, SearchAnswer, SearchHit
from verifaible.search.breaker import FAILURES_TO_OPEN, OPEN_S, Breaker
from verifaible.search.engine import Engine, EngineFailed
from verifaible.search.fusion import fuse
from verifaible.search.query import Query, parse_query

#: Longest time that one engine may take, in seconds.
TIMEOUT_S = 10.0
#: After the first engine that found something, the others are waited for this long, in seconds.
PATIENCE_S = 3.0


class FederatedSearch:
    """Asks every engine at once; what did not answer is named, never left out in silence.

    Share one between sessions: it remembers which engines keep failing.

    Args:
        engines: at least one, in the order that decides between equal ranks.
        client: opens a client of the session's web.
        timeout_s: longest time for one engine.
        patience_s: how long others are waited for after the first that found something.
        failures_to_open: consecutive failures after which an engine is left alone.
        open_s: for how long, in seconds.
        clock: seconds, for the breakers.
    """

    name = "live"

    def __init__(
        self,
        engines: Sequence[Engine],
        client: Callable[[], HttpClient],
        *,
        timeout_s: float = TIMEOUT_S,
        patience_s: float = PATIENCE_S,
        failures_to_open: int = FAILURES_TO_OPEN,
        open_s: float = OPEN_S,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._engines = tuple(engines)
        self._client = client
        self._timeout_s = timeout_s
        self._patience_s = patience_s
        self._breakers = {engine.name: Breaker(failures_to_open, open_s, clock) for engine in self._engines}

    @property
    def engines(self) -> tuple[str, ...]:
        """The names of the engines, in their order."""
        return tuple(engine.name for engine in self._engines)

    async def search(self, query: str, limit: int = 10) -> SearchAnswer:
        """The pages that the engines found, best first by reciprocal rank fusion.

        Raises:
            BadArguments: the query holds no word, or the limit is not positive.
            PageNotLoaded: no engine answered.
        """
        parsed = parse_query(query, limit)
        async with self._client() as client:
            outcomes = await self._ask_all(parsed, client)
        faults = tuple(
            EngineFault(name, outcome) for name, outcome in outcomes.items() if isinstance(outcome, str)
        )
        rankings = [(name, outcome) for name, outcome in outcomes.items() if not isinstance(outcome, str)]
        if not rankings:
            reasons = "; ".join(f"{fault.engine}: {fault.reason}" for fault in faults)
            raise PageNotLoaded(
                f"No search engine answered, so {parsed.text[:200]!r} was not searched for ({reasons}). Try "
                "again in a minute, or open an address that you know and follow its links."
            )
        kept = [(name, [hit for hit in hits if parsed.allows(hit.url)]) for name, hits in rankings]
        return SearchAnswer(fuse(kept, parsed.limit), tuple(name for name, _ in rankings), faults)

    async def _ask_all(self, query: Query, client: HttpClient) -> Mapping[str, tuple[SearchHit, ...] | str]:
        """What each engine found, or why it did not answer; in the order of the engines."""
        tasks = {
            asyncio.create_task(self._ask(engine, query, client)): engine.name for engine in self._engines
        }
        pending = set(tasks)
        deadline = monotonic() + self._timeout_s
        waited = self._timeout_s
        try:
            while pending and (left := deadline - monotonic()) > 0:
                done, pending = await asyncio.wait(pending, timeout=left, return_when=asyncio.FIRST_COMPLETED)
                if any(not isinstance(found := task.result(), str) and found for task in done):
                    soon = monotonic() + self._patience_s
                    waited, deadline = min(
                        (waited, deadline), (self._patience_s, soon), key=lambda pair: pair[1]
                    )
            for task in pending:
                self._breakers[tasks[task]].failed()
        finally:
            await _cancelled(pending)
        late = f"no answer within {waited:g} s" + (
            " after the first engine" if waited < self._timeout_s else ""
        )
        return {name: late if task in pending else task.result() for task, name in tasks.items()}

    async def _ask(self, engine: Engine, query: Query, client: HttpClient) -> tuple[SearchHit, ...] | str:
        """The engine's hits, or why there are none."""
        breaker = self._breakers[engine.name]
        if not breaker.enter():
            return f"left alone for {breaker.wait_s:.0f} s more, it kept failing"
        try:
            hits = await engine.find(query, client)
        except EngineFailed as error:
            breaker.failed(error.retry_after_s)
            return error.reason
        except BaseException:
            breaker.abandoned()
            raise
        breaker.succeeded()
        return hits


async def _cancelled(tasks: set[asyncio.Task[tuple[SearchHit, ...] | str]]) -> None:
    """Stop the tasks and wait until they have stopped: the client is closed after them."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
