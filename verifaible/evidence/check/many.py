"""Replaying many citations, several at once in one browser, each in a context of its own."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import InfrastructureError, StoreError, UserError
from verifaible.evidence.check.audit import record
from verifaible.evidence.check.replay import recheck, replay
from verifaible.evidence.store.store import Store
from verifaible.net.web import Web
from verifaible.schema.base import Record
from verifaible.schema.check import Check, IndexRow, Verdict

#: How many are replayed at once. 16 small pages on two cores: 5.6 s by one, 3.7 by two, 3.4 by four, 3.7 by
#: eight.
CONCURRENCY = 4
#: Checks that one custody entry names; a power cut loses at most so many.
BATCH = 20
#: A browser that dies takes every page with it; what was open is tried again in a new one.
_RETRIES = 1

#: Called with each check as it is made, and how many there will be.
Watch: TypeAlias = Callable[[Check, int], None]


class Replays(Record):
    """What replaying many citations gave.

    ``counts`` has only verdicts that occurred. ``unrecorded`` says why checks were not added to
    their histories; empty if all were.
    """

    asked: int
    checked: int
    counts: dict[Verdict, int]
    unrecorded: str = ""

    @property
    def ok(self) -> bool:
        """Whether every citation was verified."""
        return self.counts.get("verified", 0) == self.asked


async def replay_many(
    store: Store,
    browser: Browser,
    settings: Settings,
    *,
    live: bool = False,
    since: datetime | None = None,
    unseen_since: datetime | None = None,
    concurrency: int = CONCURRENCY,
    watch: Watch | None = None,
) -> Replays:
    """Replay every citation of a store and append the checks to their histories.

    One that cannot be replayed (its capture is missing, say) is an "error" and stops no other. If
    this is cancelled, the checks that were made are kept.

    Args:
        store: the store.
        browser: the browser for all; offline or live as ``live`` says.
        settings: the settings.
        live: against today's web, one page of a host at a time, instead of the captures.
        since: only citations made at that time or later.
        unseen_since: only those that were neither made nor looked at on the live web at that time or later.
        concurrency: how many at once.
        watch: told of each check.

    Raises:
        BrowserMissing, InfrastructureError: no browser could be started.
        StoreError: the store cannot be read at all.
    """
    rows = await asyncio.to_thread(store.rows, since=since)
    if unseen_since is not None:
        rows = [row for row in rows if (row.live_checked_at or row.created_at) < unseen_since]
    work = _Work(store, browser, settings, "live" if live else "offline", watch)
    return await work.run(rows, concurrency)


class _Work:
    """One run over a list of citations."""

    def __init__(
        self,
        store: Store,
        browser: Browser,
        settings: Settings,
        kind: Literal["live", "offline"],
        watch: Watch | None,
    ) -> None:
        self._store, self._browser, self._settings = store, browser, settings
        self._kind: Literal["live", "offline"] = kind
        self._web = Web.live(settings)
        self._watch = watch
        self._asked = 0
        self._counts: Counter[Verdict] = Counter()
        self._waiting: list[Check] = []
        self._writing = threading.Lock()
        self._unrecorded = ""
        self._stopped: UserError | InfrastructureError | None = None

    async def run(self, rows: Sequence[IndexRow], concurrency: int) -> Replays:
        self._asked = len(rows)
        places = asyncio.Semaphore(concurrency)
        hosts: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

        async def one(row: IndexRow) -> None:
            turn = hosts[urlsplit(row.source_url).netloc] if self._kind == "live" else nullcontext()
            async with turn, places:
                if self._stopped is None:
                    await self._one(row)

        try:
            async with asyncio.TaskGroup() as group:
                for row in rows:
                    group.create_task(one(row))
        finally:
            self._write(self._taken())
        if self._stopped is not None:
            raise self._stopped
        return Replays(
            asked=self._asked,
            checked=self._counts.total(),
            counts=dict(self._counts.most_common()),
            unrecorded=self._unrecorded,
        )

    async def _one(self, row: IndexRow) -> None:
        try:
            check = await self._check(row)
        except (UserError, InfrastructureError) as error:  # without a browser none would fare better
            self._stopped = error
            return
        self._counts[check.verdict] += 1
        self._waiting.append(check)
        if self._watch is not None:
            self._watch(check, self._asked)
        if len(self._waiting) >= BATCH:
            await asyncio.to_thread(self._write, self._taken())

    async def _check(self, row: IndexRow) -> Check:
        try:
            return await self._replayed(row)
        except StoreError as error:
            return self._failed(row, str(error))
        except (UserError, InfrastructureError):
            raise
        except Exception as error:  # a fault of ours, or a capture like no other, must cost one check
            return self._failed(row, f"Unexpected {type(error).__name__}: {error}. Report it with the id.")

    async def _replayed(self, row: IndexRow) -> Check:
        citation = await asyncio.to_thread(self._store.get, row.id)
        for attempt in range(_RETRIES + 1):
            try:
                if self._kind == "live":
                    return await recheck(
                        citation, self._store, self._browser, self._settings, web=self._web, scheduled=True
                    )
                return await replay(citation, self._store, self._browser, self._settings)
            except InfrastructureError as error:
                if not self._browser.version:
                    raise  # it never started
                if attempt == _RETRIES:
                    return self._failed(row, str(error))
        raise AssertionError("unreachable")

    def _failed(self, row: IndexRow, message: str) -> Check:
        at = datetime.now(UTC)
        return Check(citation_id=row.id, at=at, kind=self._kind, verdict="error", message=message)

    def _taken(self) -> list[Check]:
        taken, self._waiting = self._waiting, []
        return taken

    def _write(self, checks: Sequence[Check]) -> None:
        """Append checks to their histories; one writer at a time, also when one was left to end by itself."""
        with self._writing:
            self._unrecorded = record(self._store, checks) or self._unrecorded
