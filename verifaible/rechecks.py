"""Looking at many citations again, side by side: in one browser here, or in those of a cluster's workers.

Workers look, and give back what they saw. Whoever started the run writes: each check is made and appended to
its citation's history here, once, however often its worker was lost on the way. What looks at the live web
say that those before did not is told by citation and by site.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, nullcontext
from datetime import UTC, datetime
from functools import partial
from typing import TypeAlias, get_args
from urllib.parse import urlsplit

from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import ExtraMissing, InfrastructureError, StoreError, StoreUnreachable, UserError
from verifaible.evidence.audit import record
from verifaible.evidence.replay import recheck, replay
from verifaible.net.web import Web
from verifaible.reporting.tables import Cell, Column, Table, count, table_of, words
from verifaible.reporting.tables import row as table_row
from verifaible.runs.executor import Executor, Local
from verifaible.runs.on_ray import executor_of
from verifaible.schema.base import Record
from verifaible.schema.check import Check, IndexRow, Verdict
from verifaible.store.store import Store
from verifaible.tools.workspace import RemoteWorkspace

#: How many are replayed at once. 16 small pages on two cores: 5.6 s by one, 3.7 by two, 3.4 by four, 3.7 by
#: eight.
CONCURRENCY = 4
#: Checks that one custody entry names; a power cut loses at most so many.
BATCH = 20
#: A browser that dies, or a worker, takes every page with it; what was open is tried again in a new one.
_TRIES = 2

#: Called with each check as it is made, and how many there will be.
Watch: TypeAlias = Callable[[Check, int], None]
#: A look that failed or was kept out says nothing of the evidence.
_SAYS_NOTHING = ("blocked", "error")


class Due(Record):
    """Which citations are looked at again: neither made nor looked at since ``before``, at most ``limit``."""

    before: datetime
    limit: int | None = None


def chosen(rows: Sequence[IndexRow], due: Due, now: datetime) -> list[IndexRow]:
    """The citations that are due, the most urgent first.

    Urgency is the time since the last look, times the citations that rest on the page: so a page on which
    much rests goes first, and none waits for ever.
    """

    def seen(row: IndexRow) -> datetime:
        return row.live_checked_at or row.created_at

    resting = Counter(row.source_url for row in rows)
    waiting = [row for row in rows if seen(row) < due.before]
    waiting.sort(key=lambda row: (now - seen(row)) * resting[row.source_url], reverse=True)
    return waiting[: due.limit]


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
    executor: Executor,
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
        executor: where there is a :class:`Looker`; opened here, if there is anything to look at.
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
    work = _Work(store, executor, watch, asked=len(rows), delay_s=settings.host_delay_s if live else None)
    async with executor if rows else nullcontext():
        try:
            async with asyncio.TaskGroup() as group:
                for lane in _lanes(rows, None if live else executor.at_once):
                    group.create_task(work.along(lane))
        finally:
            work.write()
    if work.stopped is not None:
        raise work.stopped
    return Replays(
        asked=len(rows),
        checked=work.counts.total(),
        counts=dict(work.counts.most_common()),
        unrecorded=work.unrecorded,
    )


def _lanes(rows: Sequence[IndexRow], at_once: int | None) -> list[Iterable[IndexRow]]:
    """What is done one after the other: so many at once of all, or without a number what is of one host.

    A host's own lane keeps no place from others while it wants to be left alone.
    """
    if at_once is not None:
        return [iter(rows)] * min(at_once, len(rows))  # one iterator: whoever is free takes the next
    hosts: dict[str, list[IndexRow]] = {}
    for row in rows:
        hosts.setdefault(urlsplit(row.source_url).netloc, []).append(row)
    return list(hosts.values())


class _Work:
    """One run over a list of citations; ``delay_s`` is between two looks at a host, None for captures."""

    def __init__(
        self, store: Store, executor: Executor, watch: Watch | None, *, asked: int, delay_s: float | None
    ) -> None:
        self._store, self._executor, self._watch = store, executor, watch
        self._asked, self._delay_s = asked, delay_s
        self._waiting: list[Check] = []
        self._writing = threading.Lock()
        self._looked = False
        self.counts: Counter[Verdict] = Counter()
        self.unrecorded = ""
        self.stopped: UserError | InfrastructureError | None = None

    async def along(self, lane: Iterable[IndexRow]) -> None:
        """Look at one after the other; where nobody can look, nothing else is begun."""
        for number, row in enumerate(lane):
            if self.stopped is not None:
                return
            try:
                check = await self._check(row, first=not number)
            except (UserError, InfrastructureError) as error:  # without a browser none would fare better
                self.stopped = error
                return
            self.counts[check.verdict] += 1
            self._waiting.append(check)
            if self._watch is not None:
                self._watch(check, self._asked)
            if len(self._waiting) % BATCH == 0:  # not for each check while a store is away
                await asyncio.to_thread(self.write)

    async def _check(self, row: IndexRow, *, first: bool) -> Check:
        """Have a worker look, another one where it is lost; what cannot be read is an error of one check.

        Raises:
            InfrastructureError, UserError: there is nobody that can work, or the store is away.
        """
        for number in range(_TRIES):
            if self._delay_s and not (first and not number):
                await asyncio.sleep(self._delay_s)  # leave the host alone; nobody's place is taken meanwhile
            try:
                check: Check = await self._executor.call("look", row.id)
                self._looked = True
                return check
            except StoreUnreachable:  # it says nothing of the evidence
                raise
            except InfrastructureError as error:
                message, last = str(error), number == _TRIES - 1
                if isinstance(error, BrowserNotStarted) and last and not self._looked:
                    raise
                if not last:
                    continue
            except (StoreError, ExtraMissing) as error:  # other kinds of evidence need no extra
                message = str(error)
            except UserError:
                raise
            except Exception as error:  # a fault of ours, or a capture like no other, costs one check
                message = f"Unexpected {type(error).__name__}: {error}. Report it with the id."
            break
        return Check.failed(row.id, "offline" if self._delay_s is None else "live", message)

    def write(self) -> None:
        """Append the checks that wait to their histories; one writer at a time.

        They are taken here: a stop may call off a writer that has not begun. Those that cannot be written
        wait for the next time; a store that has some of them by then has each once.
        """
        with self._writing:
            checks = self._waiting[:]
            del self._waiting[: len(checks)]
            self.unrecorded = record(self._store, checks)
            if self.unrecorded:
                self._waiting[:0] = checks


# --- where it is done


def recheck_executor(
    settings: Settings, store: Store, executor: str, workers: int, concurrency: int | None, *, live: bool
) -> Executor:
    """The executor, whose workers have browsers for the live web or for captures.

    Raises:
        ConfigError: there is no such executor.
    """
    places = concurrency or CONCURRENCY
    made = executor_of(executor, workers, places=places)
    if not store.count(at_most=1):
        return Local(nullcontext, places)  # never opened; to name the store would make one
    opening = partial(open_looker, RemoteWorkspace.of(settings, store, None if live else ()))
    return Local(opening, places) if made is None else made(opening)


@asynccontextmanager
async def open_looker(workspace: RemoteWorkspace) -> AsyncIterator[Looker]:
    """What looks at citations, as a worker opens it."""
    async with workspace.opened() as has:
        yield Looker(has.store, has.browser, has.settings, live=not has.offline)


# --- what has drifted


class Change(Record):
    """A citation of which the live web says something else than it did at the last look."""

    citation_id: str
    at: datetime
    before: Verdict
    now: Verdict
    claim: str
    url: str
    message: str


class Watched(Record):
    """What looking at the live web again gave.

    Attributes:
        replays: how many were looked at, and with which verdicts.
        looks: the looks.
        changes: what they say that the last look that saw the page did not.
        sites: verdicts by site, as a table.
        uncompared: why looks could not be compared with the last ones.
    """

    replays: Replays
    looks: tuple[Check, ...]
    changes: tuple[Change, ...]
    sites: Table
    uncompared: tuple[str, ...] = ()

    @property
    def drifted(self) -> bool:
        """Whether something is no longer as it was cited."""
        return any(change.now != "verified" for change in self.changes)

    @property
    def unseen(self) -> bool:
        """Whether pages were blocked or failed, so that nobody knows."""
        return any(look.verdict in _SAYS_NOTHING for look in self.looks)

    def table(self) -> Table:
        """A row for each change."""
        headings = ("Citation", "Before", "Now", "Address", "What is different")
        rows = [
            table_row(words(each.citation_id), each.before, each.now, words(each.url), words(each.message))
            for each in self.changes
        ]
        return Table(name="changes", title="Changes", columns=headings, rows=tuple(rows), prose=True)


def watched(store: Store, done: Replays, checks: Sequence[Check]) -> Watched:
    """What the checks of a watch say that is new; one that cannot be compared with the last is an "error".

    Raises:
        StoreError: the store cannot be read.
    """
    rows = {each.id: each for each in store.rows()}
    looks: list[Check] = []
    changes: list[Change] = []
    uncompared: list[str] = []
    for look in checks:
        cited = rows[look.citation_id]
        try:
            before = _last_said(store, look)
        except StoreError as error:
            said = f"not compared with its last look. {error}"
            looks.append(look.model_copy(update={"verdict": "error", "message": said}))
            uncompared.append(f"{look.citation_id}: {said}")
            continue
        looks.append(look)
        if look.verdict not in (before, *_SAYS_NOTHING):
            told = {"citation_id": cited.id, "at": look.at, "before": before, "now": look.verdict}
            told |= {"claim": cited.claim, "url": cited.source_url, "message": look.message}
            changes.append(Change.model_validate(told))
    urls = {each.citation_id: rows[each.citation_id].source_url for each in looks}
    return Watched(
        replays=done,
        looks=tuple(looks),
        changes=tuple(changes),
        sites=_by_site([(_site(urls[each.citation_id]), each.verdict) for each in looks], changes),
        uncompared=tuple(uncompared),
    )


def _last_said(store: Store, check: Check) -> Verdict:
    """What the last look before one that saw the page said; a citation was verified when it was made.

    Raises:
        StoreError: its history cannot be read.
    """
    said: Verdict = "verified"
    for each in store.checks(check.citation_id):
        if each.kind == "live" and each.at < check.at and each.verdict not in _SAYS_NOTHING:
            said = each.verdict
    return said


def _by_site(looks: Sequence[tuple[str, Verdict]], changes: Sequence[Change]) -> Table:
    """How many looks at each site have which verdict, those with most drift first."""
    counts = Counter(looks)
    asked = Counter(site for site, _ in looks)
    drifted = Counter(_site(each.url) for each in changes if each.now != "verified")
    occurring = [each for each in get_args(Verdict) if any(verdict == each for _, verdict in looks)]
    columns: list[Column[str, str]] = [
        Column("Site", words),
        Column("Looked at", lambda site: count(asked[site])),
        *(Column(each, partial(_counted, counts, each)) for each in occurring),
        Column("Drifted", lambda site: count(drifted[site])),
    ]
    ordered = sorted(asked, key=lambda site: (-drifted[site], site))
    return table_of("Looks at the live web by site", columns, ordered, name="drift")


def _counted(counts: Counter[tuple[str, Verdict]], verdict: Verdict, site: str) -> Cell:
    return count(counts[site, verdict])


def _site(url: str) -> str:
    return urlsplit(url).netloc
