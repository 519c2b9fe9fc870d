"""How far a run is: what is under way and where, and what it has cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count

from verifaible.schema.base import Record


class UnderWay(Record):
    """A task under way.

    Attributes:
        task: its name.
        worker: where its last call went; empty: this process.
        doing: the call under way, such as a tool; empty: between two calls.
        seconds: since the task began.
        quiet_s: since a call of it began or ended.
    """

    task: str
    worker: str = ""
    doing: str = ""
    seconds: float
    quiet_s: float


class Progress(Record):
    """How far a run is.

    Attributes:
        at: when this was so.
        total: tasks of the run.
        done: that have ended, with those that failed.
        failed: that a machine or an endpoint failed.
        lost: attempts that were lost, and made again.
        under_way: tasks.
        cost_usd: so far, in US dollars; None where nothing was paid.
        workers: that are wanted.
        answering: that answer.
        slowest: the task that is under way for the longest.
        dashboard: address of the cluster's own pages.
    """

    at: datetime
    total: int
    done: int
    failed: int = 0
    lost: int = 0
    under_way: int = 0
    cost_usd: float | None = None
    workers: int = 1
    answering: int = 1
    slowest: UnderWay | None = None
    dashboard: str = ""


@dataclass(slots=True)
class _Task:
    name: str
    began: float
    since: float
    tracker: Tracker
    worker: str = ""
    calls: list[str] = field(default_factory=list)


_TASK: ContextVar[_Task | None] = ContextVar("task", default=None)


@contextmanager
def doing(call: str, worker: str | None = None) -> Iterator[None]:
    """Say what the task of this context does; nothing where there is none.

    Args:
        call: the kind of the call, such as the name of a tool.
        worker: where; None: where the last one was.
    """
    task = _TASK.get()
    if task is None:
        yield
        return
    task.since = task.tracker.clock()
    task.calls.append(call)
    task.worker = task.worker if worker is None else worker
    try:
        yield
    finally:
        task.calls.remove(call)
        task.since = task.tracker.clock()


def attempt_lost() -> None:
    """Count an attempt at the task of this context, which was lost and is made again."""
    if task := _TASK.get():
        task.tracker.lost += 1


class Tracker:
    """Follows the tasks of a run.

    Args:
        total: tasks of the run.
        done: that had ended before.
        clock: in seconds.

    Attributes:
        lost: attempts that were lost, and made again.
    """

    def __init__(self, total: int, *, done: int = 0, clock: Callable[[], float] = time.monotonic) -> None:
        self.lost = 0
        self.clock = clock
        self._total = total
        self._done = done
        self._failed = 0
        self._tasks: dict[int, _Task] = {}
        self._numbers = count()

    @contextmanager
    def task(self, name: str) -> Iterator[None]:
        """A task is under way; what its context says with :func:`doing` is part of it."""
        now, number = self.clock(), next(self._numbers)
        self._tasks[number] = task = _Task(name, now, now, self)
        before = _TASK.set(task)
        try:
            yield
        finally:
            _TASK.reset(before)
            del self._tasks[number]

    def ended(self, *, failed: bool = False) -> None:
        """Count a task that has ended."""
        self._done += 1
        self._failed += failed

    def progress(
        self, *, cost_usd: float | None = None, workers: int = 1, answering: int = 1, dashboard: str = ""
    ) -> Progress:
        """How far the run is now; arguments are those of :class:`Progress`."""
        now = self.clock()
        slowest = min(self._tasks.values(), key=lambda task: task.began, default=None)
        return Progress(
            at=datetime.now(UTC),
            total=self._total,
            done=self._done,
            failed=self._failed,
            lost=self.lost,
            under_way=len(self._tasks),
            cost_usd=cost_usd,
            workers=workers,
            answering=answering,
            slowest=slowest
            and UnderWay(
                task=slowest.name,
                worker=slowest.worker,
                doing=slowest.calls[-1] if slowest.calls else "",
                seconds=now - slowest.began,
                quiet_s=now - slowest.since,
            ),
            dashboard=dashboard,
        )


def told(progress: Progress) -> str:
    """A progress in one line."""
    parts = [f"{progress.done:,} of {progress.total:,} done"]
    parts += [f"{progress.failed:,} failed"] if progress.failed else []
    parts += [f"{progress.lost:,} attempts lost"] if progress.lost else []
    parts.append(f"{progress.under_way:,} under way")
    if progress.workers > 1 or not progress.answering:
        parts.append(f"{progress.answering} of {progress.workers} workers answer")
    if progress.cost_usd is not None:
        parts.append(f"${progress.cost_usd:,.4f}")
    if progress.slowest is not None:
        parts.append(f"slowest: {_told_task(progress.slowest)}")
    return ", ".join(parts)


def _told_task(task: UnderWay) -> str:
    """A task under way in words: which, for how long, where, and what it does."""
    where = f" at {task.worker}" if task.worker else ""
    does = f": {task.doing} for {_spoken(task.quiet_s)}" if task.doing else ""
    return f"{task.task} ({_spoken(task.seconds)}{where}{does})"


def _spoken(seconds: float) -> str:
    """A time as people say it: ``40 s``, ``12 min``, ``3.5 h``."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 100 * 60 else f"{seconds / 3600:.1f} h"
