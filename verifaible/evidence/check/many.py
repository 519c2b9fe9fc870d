"""Looking at many citations again, side by side: in one browser here, or in those of a cluster's workers.

Workers look, and give back what they saw. Whoever started the run writes: each check is made and appended to
its citation's history here, once, however often its worker was lost on the way.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from datetime import UTC, datetime
from time import monotonic
from typing import Any, Literal, Protocol, Self, TypeAlias
from urllib.parse import urlsplit

from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import InfrastructureError, StoreError, StoreUnreachable, UserError
from verifaible.evidence.check.audit import record
from verifaible.evidence.check.replay import recheck, replay
from verifaible.net.web import Web
from verifaible.schema.base import Record
from verifaible.schema.check import Check, IndexRow, Verdict
from verifaible.store.store import Store

#: How many are replayed at once. 16 small pages on two cores: 5.6 s by one, 3.7 by two, 3.4 by four, 3.7 by
#: eight.
CONCURRENCY = 4
#: Checks that one custody entry names; a power cut loses at most so many.
BATCH = 20
#: A browser that dies, or a worker, takes every page with it; what was open is tried again in a new one.
_RETRIES = 1

#: Called with each check as it is made, and how many there will be.
Watch: TypeAlias = Callable[[Check, int], None]
_Kind: TypeAlias = Literal["live", "offline"]


class Place(Protocol):
    """Where a :class:`Looker` is."""

    async def call(self, method: str, *arguments: Any) -> Any:
        """Await a method of it; InfrastructureError where it is lost, or its browser."""


class Places(Protocol):
    """Gives out places; an executor of :mod:`verifaible.runs`, which stands above.

    Attributes:
        at_once: places that there are.
    """

    at_once: int

    async def __aenter__(self) -> Self: ...

    async def __aexit__(self, *_: object) -> None: ...

    def place(self) -> AbstractAsyncContextManager[Place]:
        """A place, as soon as there is one."""


class Due(Record):
    """Which citations are looked at again: neither made nor looked at since ``before``, at most ``limit``."""

    before: datetime
    limit: int | None = None


def chosen(rows: Sequence[IndexRow], due: Due, now: datetime) -> list[IndexRow]:
    """The citations that are due, the most urgent first.

    Urgency is the time since the last look, times the citations that rest on the page: so a page on which
    much rests goes first, and none waits for ever.
    """
    resting = Counter(row.source_url for row in rows)
    waiting = [row for row in rows if _last_seen(row) < due.before]
    waiting.sort(key=lambda row: (now - _last_seen(row)) * resting[row.source_url], reverse=True)
    return waiting[: due.limit]


def _last_seen(row: IndexRow) -> datetime:
    """When a citation was made, or last looked at on the live web."""
    return row.live_checked_at or row.created_at


class Replays(Record):
    """What replaying many citations gave.

    ``counts`` has only verdicts that occurred. ``unrecorded`` says why checks were not added to their
    histories; empty if all were.
    """

    asked: int
    checked: int
    counts: dict[Verdict, int]
    unrecorded: str = ""

    @property
    def ok(self) -> bool:
        """Whether every citation was verified."""
        return self.counts.get("verified", 0) == self.asked


class BrowserNotStarted(InfrastructureError):
    """Whoever was asked has no browser; where nobody has one, no other citation would fare better."""


class _Lost(Exception):
    """Whoever was asked is gone."""


class Looker:
    """What looks at citations, in this process or at a worker."""

    def __init__(self, store: Store, browser: Browser, settings: Settings, *, live: bool) -> None:
        self._store, self._browser, self._settings, self._live = store, browser, settings, live
        self._web = Web.live(settings)

    async def look(self, citation_id: str) -> Check:
        """A check by a browser.

        Raises:
            BrowserNotStarted: there is none; InfrastructureError: it died.
            StoreError: the citation or its capture cannot be read.
        """
        citation = await asyncio.to_thread(self._store.get, citation_id)
        try:
            if self._live:
                return await recheck(
                    citation, self._store, self._browser, self._settings, web=self._web, scheduled=True
                )
            return await replay(citation, self._store, self._browser, self._settings)
        except InfrastructureError as error:
            if not self._browser.version:
                raise BrowserNotStarted(str(error)) from error
            raise


async def replay_many(
    store: Store,
    places: Places,
    settings: Settings,
    *,
    live: bool = False,
    since: datetime | None = None,
    due: Due | None = None,
    watch: Watch | None = None,
) -> Replays:
    """Replay every citation of a store and append the checks to their histories.

    One that cannot be replayed (its capture is missing, say) is an "error" and stops no other. If
    this is cancelled, the checks that were made are kept.

    Args:
        store: the store.
        places: where there is a :class:`Looker`; opened here, if there is anything to look at.
        settings: the settings.
        live: they look at today's web, one page of a host at a time, instead of the captures.
        since: only citations made at that time or later.
        due: live, only those that are due, the most urgent first.
        watch: told of each check.

    Raises:
        BrowserMissing, InfrastructureError: no browser could be started.
        StoreError: the store cannot be read at all.
    """
    rows = await asyncio.to_thread(store.rows, since=since)
    if due is not None:
        rows = chosen(rows, due, datetime.now(UTC))
    kind: _Kind = "live" if live else "offline"
    work = _Work(store, places, kind, delay_s=settings.host_delay_s, watch=watch)
    return await work.run(rows)


class _Work:
    """One run over a list of citations."""

    def __init__(
        self,
        store: Store,
        places: Places,
        kind: _Kind,
        *,
        delay_s: float,
        watch: Watch | None,
    ) -> None:
        self._store, self._places, self._kind = store, places, kind
        self._delay_s, self._watch = delay_s, watch
        self._asked = 0
        self._counts: Counter[Verdict] = Counter()
        self._next_turn: defaultdict[str, float] = defaultdict(float)
        self._waiting: list[Check] = []
        self._writing = threading.Lock()
        self._unrecorded = ""
        self._stopped: UserError | InfrastructureError | None = None
        self._looked = False

    async def run(self, rows: Sequence[IndexRow]) -> Replays:
        self._asked = len(rows)
        async with self._places if rows else nullcontext():
            try:
                async with asyncio.TaskGroup() as group:
                    for lane in self._lanes(rows):
                        group.create_task(self._along(lane))
            finally:
                self._write()
        if self._stopped is not None:
            raise self._stopped
        return Replays(
            asked=self._asked,
            checked=self._counts.total(),
            counts=dict(self._counts.most_common()),
            unrecorded=self._unrecorded,
        )

    def _lanes(self, rows: Sequence[IndexRow]) -> Iterator[Iterator[IndexRow]]:
        """What is done one after the other: where hosts are asked, what is of one of them."""
        if self._kind == "offline":
            all_of_them = iter(rows)
            for _ in range(min(self._places.at_once, len(rows))):
                yield all_of_them
            return
        hosts: dict[str, list[IndexRow]] = {}
        for row in rows:
            hosts.setdefault(_host(row), []).append(row)
        yield from map(iter, hosts.values())

    async def _along(self, lane: Iterator[IndexRow]) -> None:
        for row in lane:
            if self._stopped is not None:
                return
            try:
                await self._made(await self._check(row))
            except (UserError, InfrastructureError) as error:  # without a browser none would fare better
                self._stopped = error

    async def _made(self, check: Check) -> None:
        self._counts[check.verdict] += 1
        self._waiting.append(check)
        if self._watch is not None:
            self._watch(check, self._asked)
        if len(self._waiting) % BATCH == 0:  # not for each check while a store is away
            await asyncio.to_thread(self._write)

    async def _check(self, row: IndexRow) -> Check:
        try:
            return await self._looked_at(row)
        except StoreUnreachable:  # it says nothing of the evidence
            raise
        except StoreError as error:
            return self._failed(row, str(error))
        except (UserError, InfrastructureError):
            raise
        except _Lost as error:
            return self._failed(row, str(error))
        except Exception as error:  # a fault of ours, or a capture like no other, must cost one check
            return self._failed(row, f"Unexpected {type(error).__name__}: {error}. Report it with the id.")

    async def _looked_at(self, row: IndexRow) -> Check:
        """Have a worker look, in its host's turn; another one where it is lost.

        Raises:
            _Lost: the others were lost, too.
            InfrastructureError, UserError: there is none that can work.
        """
        lost: InfrastructureError | None = None
        for _ in range(_RETRIES + 1):
            # Whoever waits for a host's turn takes no place; and workers know of no others' turns.
            await asyncio.sleep(self._next_turn[_host(row)] - monotonic())
            async with self._places.place() as place:
                try:
                    check: Check = await place.call("look", row.id)
                    self._looked = True
                    return check
                except InfrastructureError as error:
                    lost = error
                finally:
                    if self._kind == "live":
                        self._next_turn[_host(row)] = monotonic() + self._delay_s
        if isinstance(lost, BrowserNotStarted) and not self._looked:
            raise lost
        raise _Lost(str(lost)) from lost

    def _failed(self, row: IndexRow, message: str) -> Check:
        return Check.failed(row.id, self._kind, message)

    def _write(self) -> None:
        """Append the checks that wait to their histories; one writer at a time.

        They are taken here: a stop may call off a writer that has not begun. Those that cannot be written
        wait for the next time; a store that has some of them by then has each once.
        """
        with self._writing:
            checks = self._waiting[:]
            del self._waiting[: len(checks)]
            self._unrecorded = record(self._store, checks)
            if self._unrecorded:
                self._waiting[:0] = checks


def _host(row: IndexRow) -> str:
    return urlsplit(row.source_url).netloc
