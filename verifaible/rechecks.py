"""Looking at many citations again: where it is done, and what the live web says that it did not before."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, nullcontext
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, get_args
from urllib.parse import urlsplit

from verifaible.errors import StoreError
from verifaible.evidence.recheck import CONCURRENCY, Looker, Replays
from verifaible.reporting.tables import Cell, Column, Table, count, row, table_of, words
from verifaible.runs.executor import Executor, Local
from verifaible.runs.on_ray import executor_of
from verifaible.schema.base import Record
from verifaible.schema.check import Check, Verdict
from verifaible.tools.workspace import RemoteWorkspace

if TYPE_CHECKING:
    from verifaible.config import Settings
    from verifaible.store.store import Store

#: A look that failed or was kept out says nothing of the evidence.
_SAYS_NOTHING = ("blocked", "error")


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
            row(words(each.citation_id), each.before, each.now, words(each.url), words(each.message))
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
