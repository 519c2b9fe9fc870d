"""Looking at many citations again: where it is done, and what has drifted."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING

from verifaible.evidence.changes import SAYS_NOTHING, Change, by_site, changes_of
from verifaible.evidence.recheck import CONCURRENCY, Looker, Replays
from verifaible.reporting.tables import Table
from verifaible.runs.executor import Executor, Local
from verifaible.runs.on_ray import executor_of
from verifaible.schema.base import Record
from verifaible.schema.check import Check
from verifaible.tools.workspace import RemoteWorkspace

if TYPE_CHECKING:
    from verifaible.config import Settings
    from verifaible.store.store import Store


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
        return any(look.verdict in SAYS_NOTHING for look in self.looks)


def watched(store: Store, done: Replays, checks: Sequence[Check]) -> Watched:
    """What the checks of a watch say that is new.

    Raises:
        StoreError: the store cannot be read.
    """
    rows = {row.id: row for row in store.rows()}
    looks, changes = changes_of(store, checks, rows)
    return Watched(
        replays=done,
        looks=tuple(looks),
        changes=tuple(changes),
        sites=by_site(looks, rows, changes),
        uncompared=tuple(
            f"{look.citation_id}: {look.message}"
            for made, look in zip(checks, looks, strict=True)
            if look is not made
        ),
    )
