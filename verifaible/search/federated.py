"""Several engines asked side by side, their rankings made into one."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from urllib.parse import urlsplit, urlunsplit

from verifaible.archive.urls import normalise
from verifaible.errors import PageNotLoaded
from verifaible.net.client import HttpClient
from verifaible.search.base import EngineFault, Query, SearchAnswer, SearchHit, parse_query
from verifaible.search.engine import Engine, EngineFailed

#: Consecutive failures after which an engine is left alone, and for how long.
FAILURES_TO_OPEN = 3
OPEN_S = 60.0
#: An engine may ask for a longer pause (Retry-After), up to this.
LONGEST_OPEN_S = 3600.0


@dataclass(slots=True)
class Breaker:
    """Counts the failures of one engine.

    Closed, it lets every call through. After ``failures_to_open`` failures in a row it is open for
    ``open_s`` seconds; then it is half open: one call is let through, and decides.
    """

    failures_to_open: int = FAILURES_TO_OPEN
    open_s: float = OPEN_S
    clock: Callable[[], float] = monotonic
    _failures: int = field(default=0, init=False)
    _open_until: float | None = field(default=None, init=False)
    _trying: bool = field(default=False, init=False)

    def enter(self) -> bool:
        """Whether a call may be made now; each True must be followed by one of the three below."""
        if self._open_until is None:
            return True
        if self._trying or self.clock() < self._open_until:
            return False
        self._trying = True
        return True

    @property
    def wait_s(self) -> float:
        """How long calls are refused from now, in seconds; 0 when closed or half open."""
        return 0.0 if self._open_until is None else max(0.0, self._open_until - self.clock())

    def succeeded(self) -> None:
        """The call was answered: closed again."""
        self._failures, self._open_until, self._trying = 0, None, False

    def failed(self, retry_after_s: float = 0.0) -> None:
        """The call failed; with ``retry_after_s`` the other side asked for a pause itself."""
        self._failures += 1
        if retry_after_s > 0:
            self._open_until = self.clock() + min(retry_after_s, LONGEST_OPEN_S)
        elif self._trying or self._failures >= self.failures_to_open:
            self._open_until = self.clock() + self.open_s
        self._trying = False

    def abandoned(self) -> None:
        """The call was cancelled from outside: it says nothing about the engine."""
        self._trying = False


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


# One ranking from several: reciprocal rank fusion.
#
# Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank
# Learning Methods" (SIGIR 2009): a page scores the sum of 1 / (k + rank) over the rankings.

#: The constant of the paper (section 2), found there to matter little.
K = 60

#: Parameters that say how a reader came to a page, not which page it is.
_TRACKING = re.compile(
    r"utm_\w+|gclid|dclid|fbclid|msclkid|yclid|igshid|mc_[ce]id|spm|ref_src|srsltid", re.IGNORECASE
)


def same_page_key(url: str) -> str:
    """Equal for the spellings under which engines give one page.

    Beyond :func:`verifaible.archive.urls.normalise`: tracking parameters, ``www.``, a slash at the
    end and the fragment are left out.
    """
    parts = urlsplit(url)
    pairs = [pair for pair in parts.query.split("&") if not _TRACKING.fullmatch(pair.partition("=")[0])]
    host = parts.netloc.lower().removeprefix("www.")
    path = parts.path.rstrip("/") or "/"
    return normalise(urlunsplit((parts.scheme, host, path, "&".join(pairs), ""))).key


def fuse(rankings: Sequence[tuple[str, Sequence[SearchHit]]], limit: int) -> tuple[SearchHit, ...]:
    """The pages of several rankings in one, best first.

    Each page is shown as the engine that ranks it best gave it; what that one lacks (a snippet, a
    date) comes from the next. Ties go to the better best rank, then to the earlier engine.

    Args:
        rankings: (name of the engine, its hits, best first); an engine counts once for a page.
        limit: how many hits to give.
    """
    placed: dict[str, dict[int, tuple[int, SearchHit]]] = {}
    for number, (_, hits) in enumerate(rankings):
        for rank, hit in enumerate(hits, start=1):
            placed.setdefault(same_page_key(hit.url), {}).setdefault(number, (rank, hit))
    merged = []
    for found in placed.values():
        order = sorted(found, key=lambda number: (found[number][0], number))
        score = sum(1 / (K + rank) for rank, _ in found.values())
        hits = [found[number][1] for number in order]
        best = hits[0].model_copy(
            update={
                "snippet": next((hit.snippet for hit in hits if hit.snippet), ""),
                "published": next((hit.published for hit in hits if hit.published), ""),
                "score": round(score, 6),
                "engines": tuple(rankings[number][0] for number in order),
            }
        )
        merged.append((-score, found[order[0]][0], order[0], best))
    merged.sort(key=lambda entry: entry[:3])
    return tuple(entry[3] for entry in merged[:limit])
