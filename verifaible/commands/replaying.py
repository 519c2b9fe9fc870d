"""How ``verifaible replay`` replays: one citation, also in a window; or all of them."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from playwright.async_api import Page

    from verifaible.config import Settings
    from verifaible.evidence.recheck import Looker
    from verifaible.runs.executor import Executor
    from verifaible.schema.check import Check
    from verifaible.schema.citation import Citation
    from verifaible.store.store import Store
    from verifaible.tools.workspace import RemoteWorkspace

#: Pause after each click, text and page in a window, so that the eye can follow.
SLOW_MS = 700
#: A window that nobody can close with a key stays open this long.
SHOWN_S = 10.0


@dataclass(frozen=True, slots=True)
class How:
    """How one citation is replayed; ``by_hand``: somebody sits at the keyboard."""

    live: bool
    headed: bool = False
    by_hand: bool = False


@dataclass(frozen=True, slots=True)
class Where:
    """Where many citations are looked at; ``concurrency`` is at each worker."""

    executor: str = "local"
    workers: int = 0
    concurrency: int | None = None

    def places(self, settings: Settings, store: Store, *, live: bool) -> Executor:
        """The executor, whose workers have browsers for the live web or for captures."""
        from verifaible.evidence.recheck import CONCURRENCY
        from verifaible.runs.executing import executor_of
        from verifaible.runs.executor import Local
        from verifaible.tools.workspace import RemoteWorkspace

        places = self.concurrency or CONCURRENCY
        made = executor_of(self.executor, self.workers, places=places)
        if not store.count(at_most=1):
            return Local(nullcontext, places)  # never opened; to name the store would make one
        opening = partial(open_looker, RemoteWorkspace.of(settings, store, None if live else ()))
        return Local(opening, places) if made is None else made(opening)


@asynccontextmanager
async def open_looker(workspace: RemoteWorkspace) -> AsyncIterator[Looker]:
    """What looks at many citations, as a worker opens it."""
    from verifaible.evidence.recheck import Looker

    async with workspace.opened() as has:
        yield Looker(has.store, has.browser, has.settings, live=not has.offline)


@dataclass(frozen=True, slots=True)
class Many:
    """Which citations are replayed, where, and how it is told."""

    live: bool
    since: datetime | None
    older: timedelta | None
    as_json: bool
    where: Where


# --- one


async def replay_one(settings: Settings, store: Store, citation: Citation, how: How) -> Check:
    """Replay a citation."""
    from verifaible.browser.warm import Browser
    from verifaible.evidence.replay import recheck
    from verifaible.evidence.replay import replay as replayed
    from verifaible.evidence.viewing import Viewing

    async def linger(page: Page) -> None:
        await until_closed(page, by_hand=how.by_hand)

    observer = Viewing(linger) if how.headed else None
    slow_ms = SLOW_MS if how.headed else 0
    async with Browser(settings, offline=not how.live, headed=how.headed, slow_ms=slow_ms) as browser:
        if how.live:
            return await recheck(citation, store, browser, settings, observer=observer)
        return await replayed(citation, store, browser, settings, observer=observer)


async def until_closed(page: Page, *, by_hand: bool) -> None:
    """Wait until the window is closed; or Enter is pressed, or, if nobody is there, some seconds are over."""
    waits: list[asyncio.Future[object]] = [asyncio.ensure_future(page.wait_for_event("close", timeout=0))]
    if by_hand:
        from verifaible.browser.page.session import enter

        click.echo("Close the window, or press Enter here, to go on.", err=True)
        waits.append(asyncio.ensure_future(enter()))
    else:
        waits.append(asyncio.ensure_future(asyncio.sleep(SHOWN_S)))
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
        await asyncio.gather(*waits, return_exceptions=True)


# --- many


def replay_all(settings: Settings, store: Store, many: Many) -> None:
    """Replay every citation, a line each; then say how many had which verdict.

    Raises:
        click.exceptions.Exit: with 1, if not all are verified.
    """
    from verifaible.evidence.recheck import Due, replay_many

    due = None if many.older is None else Due(before=datetime.now(UTC) - many.older)
    progress = _Progress(as_json=many.as_json)

    places = many.where.places(settings, store, live=many.live)
    run = replay_many(store, places, settings, live=many.live, since=many.since, due=due, watch=progress.made)
    try:
        done = asyncio.run(run)
    except KeyboardInterrupt:
        progress.clear()
        click.echo(f"{progress.summary()}; their checks are kept.", err=True)
        raise
    progress.clear()
    if done.unrecorded:
        click.echo(done.unrecorded, err=True)
    if not done.asked:
        click.echo(f"There is no citation to replay in {store.location}.", err=True)
    if many.as_json:
        click.echo(json.dumps({"summary": done.model_dump(mode="json")}, ensure_ascii=False))
    else:
        click.echo(progress.summary())
    if not done.ok:
        raise click.exceptions.Exit(1)


class _Progress:
    """Tells each check on standard output, and on a terminal how far it is."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._terminal = sys.stderr.isatty()
        self._counts: Counter[str] = Counter()
        self._asked = 0

    def made(self, check: Check, asked: int) -> None:
        """One more check, of so many."""
        self._counts[check.verdict] += 1
        self._asked = asked
        self.clear()
        if self._as_json:
            shown = {"id": check.citation_id, **check.model_dump(mode="json")}
            click.echo(json.dumps(shown, ensure_ascii=False))
        else:
            message = " ".join(check.message.split())
            click.echo(f"{check.verdict}\t{check.citation_id}\t{message}")
        if self._terminal:
            click.echo(f"{self._counts.total()} of {asked}", nl=False, err=True)

    def clear(self) -> None:
        """Take the line about how far it is away."""
        if self._terminal:
            click.echo("\r\x1b[K", nl=False, err=True)

    def summary(self) -> str:
        """How many were replayed, and how many had which verdict."""
        counts = ", ".join(f"{count} {verdict}" for verdict, count in self._counts.most_common())
        return f"{self._counts.total()} of {self._asked} replayed: {counts or 'none'}"
