"""How far a run is: what is under way and where, what it has cost, how long it takes, and what is stuck."""

from __future__ import annotations

import random
import time
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from heapq import heapify, heapreplace
from itertools import count
from math import exp, fsum, log, sqrt
from statistics import fmean, quantiles
from typing import Final

from verifaible.schema.base import Record

#: Tasks that must have ended before the time left is told, and at least so many times as run side by side:
#: those that end first are the short ones.
_FEWEST_ENDED: Final = 10
_ROUNDS_ENDED: Final = 2
#: The middle 90 % of so many drawings are told: 0.2 s of a processor for 64 tasks at once.
_DRAWINGS: Final = 100
_MOST_DRAWN: Final = 2_000
_FORECAST_EVERY_S: Final = 30.0
#: Durations that are remembered of each kind of call.
_REMEMBERED: Final = 500
_FEWEST_CALLS: Final = 20
#: A call counts as taking this long where those seen are shorter or too few: a live page has 30 s to load,
#: and a worker opens in some 10.
_LEAST_USUAL_S: Final = 10.0
#: Of those that are stuck, so many are named.
_MOST_NAMED: Final = 10


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
        left_s: least and most seconds until the end, which in simulated runs lay between in some 85 of 100
            cases; None: too few have ended.
        workers: that are wanted.
        answering: that answer.
        slowest: the task that is under way for the longest.
        stuck: tasks no call of which has begun or ended for several times the usual, the longest first.
        dashboard: address of the cluster's own pages.
    """

    at: datetime
    total: int
    done: int
    failed: int = 0
    lost: int = 0
    under_way: int = 0
    cost_usd: float | None = None
    left_s: tuple[float, float] | None = None
    workers: int = 1
    answering: int = 1
    slowest: UnderWay | None = None
    stuck: tuple[UnderWay, ...] = ()
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
    clock = task.tracker.clock
    began = task.since = clock()
    task.calls.append(call)
    task.worker = task.worker if worker is None else worker
    try:
        yield
        task.tracker.took(call, clock() - began)
    finally:
        task.calls.remove(call)
        task.since = clock()


def attempt_lost() -> None:
    """Count an attempt at the task of this context, which was lost and is made again."""
    if task := _TASK.get():
        task.tracker.lost += 1


class Tracker:
    """Follows the tasks of a run.

    Args:
        total: tasks of the run.
        done: that had ended before.
        patience: a task is stuck when it is quiet for so many times what 95 of 100 calls of its kind take.
        clock: in seconds.

    Attributes:
        at_once: tasks that run side by side.
        lost: attempts that were lost, and made again.
    """

    def __init__(
        self,
        total: int,
        *,
        done: int = 0,
        patience: float = 6.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.at_once = 1
        self.lost = 0
        self.clock = clock
        self._total = total
        self._done = done
        self._failed = 0
        self._patience = patience
        self._tasks: dict[int, _Task] = {}
        self._numbers = count()
        self._seconds: list[float] = []
        self._calls: dict[str, deque[float]] = {}
        self._forecast: tuple[float, float, float] | None = None

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

    def ended(self, seconds: float, *, failed: bool = False) -> None:
        """Count a task that has ended after so many seconds."""
        self._done += 1
        self._failed += failed
        self._seconds.append(seconds)

    def took(self, call: str, seconds: float) -> None:
        """Note how long a call took."""
        self._calls.setdefault(call, deque(maxlen=_REMEMBERED)).append(seconds)

    def progress(
        self, *, cost_usd: float | None = None, workers: int = 1, answering: int = 1, dashboard: str = ""
    ) -> Progress:
        """How far the run is now; arguments are those of :class:`Progress`."""
        now = self.clock()
        usual = {call: _usual(seconds) for call, seconds in self._calls.items()}
        under_way = [
            UnderWay(
                task=task.name,
                worker=task.worker,
                doing=task.calls[-1] if task.calls else "",
                seconds=now - task.began,
                quiet_s=now - task.since,
            )
            for task in self._tasks.values()
        ]
        patience = {each.doing: self._patience * usual.get(each.doing, _LEAST_USUAL_S) for each in under_way}
        stuck = [each for each in under_way if each.quiet_s > patience[each.doing]]
        return Progress(
            at=datetime.now(UTC),
            total=self._total,
            done=self._done,
            failed=self._failed,
            lost=self.lost,
            under_way=len(under_way),
            cost_usd=cost_usd,
            left_s=self._left([each.seconds for each in under_way]),
            workers=workers,
            answering=answering,
            slowest=max(under_way, key=lambda each: each.seconds, default=None),
            stuck=tuple(sorted(stuck, key=lambda each: -each.quiet_s)[:_MOST_NAMED]),
            dashboard=dashboard,
        )

    def _left(self, under_way: list[float]) -> tuple[float, float] | None:
        if len(self._seconds) < max(_FEWEST_ENDED, _ROUNDS_ENDED * self.at_once):
            return None
        now = self.clock()
        if self._forecast is None or now - self._forecast[0] >= _FORECAST_EVERY_S:
            to_begin = max(0, self._total - self._done - len(under_way))
            self._forecast = (now, *_left(self._seconds, under_way, to_begin, self.at_once))
        at, low, high = self._forecast
        return max(0.0, low - (now - at)), max(0.0, high - (now - at))


def _left(seen: list[float], under_way: list[float], to_begin: int, at_once: int) -> tuple[float, float]:
    """Between which times the rest of a run lies, if it goes on as it did.

    The durations are drawn from those seen, of which one under way is known to be longer than it is now
    (Kaplan and Meier 1958), smoothed, so that one may be longer than all of them (Silverman 1986); and they
    are played as the run does, which also has an end at which places stand empty.
    """
    values, reached = [], []  # the durations, and which share is not longer
    longer, both = 1.0, sorted([*((each, False) for each in seen), *((each, True) for each in under_way)])
    for before, (seconds, cut_off) in enumerate(both):
        if not cut_off:
            longer *= 1 - 1 / (len(both) - before)
            values.append(seconds)
            reached.append(1 - longer)
    differ = _stdev([log(max(each, 0.1)) for each in seen])
    spread = 1.06 * differ * len(seen) ** -0.2
    # of the mean of skewed durations (Cox, in Zhou and Gao 1997)
    error = sqrt(differ**2 / len(seen) + differ**4 / (2 * len(seen) - 2))
    one_by_one = min(to_begin, 4 * at_once + 100)
    bulk = to_begin - one_by_one
    chance = random.Random(0)  # noqa: S311
    ends = []
    for _ in range(_DRAWINGS):
        own = chance.choices(values, cum_weights=reached, k=min(len(values), _MOST_DRAWN))
        slower = exp(chance.gauss(0, error))

        def smooth(seconds: float) -> float:
            return seconds * exp(chance.gauss(-spread * spread / 2, spread))

        places = [0.0] * max(0, at_once - len(under_way))
        for elapsed in under_way:
            first = bisect_right(values, elapsed)
            at = bisect_right(reached, chance.uniform(reached[first - 1] if first else 0.0, 1.0))
            if at < len(values):
                places.append(max(0.0, smooth(values[at]) - elapsed))
            else:  # longer than all that have ended
                places.append(max(elapsed, values[-1]) * exp(abs(chance.gauss(0, differ))) - elapsed)
        heapify(places)
        for seconds in chance.choices(own, k=one_by_one):
            heapreplace(places, places[0] + slower * smooth(seconds))
        ahead = slower * bulk * fmean(own) + (chance.gauss(0, sqrt(bulk)) * _stdev(own) if bulk else 0.0)
        ends.append(max(places) + ahead / at_once)
    shares = quantiles(ends, n=20)
    return shares[0], shares[-1]


def _stdev(values: list[float]) -> float:
    """As :func:`statistics.stdev`, whose exact fractions take a hundred times as long."""
    mean = fmean(values)
    return sqrt(fsum((each - mean) ** 2 for each in values) / (len(values) - 1))


def _usual(seconds: deque[float]) -> float:
    """What 95 of 100 calls of a kind take at most."""
    seen = quantiles(seconds, n=20)[-1] if len(seconds) >= _FEWEST_CALLS else max(seconds, default=0.0)
    return max(_LEAST_USUAL_S, seen)


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
    if progress.left_s is not None and progress.done < progress.total:
        parts.append(f"{spoken(progress.left_s[0])} to {spoken(progress.left_s[1])} left")
    if progress.slowest is not None:
        parts.append(f"slowest: {told_task(progress.slowest)}")
    return ", ".join(parts)


def told_task(task: UnderWay) -> str:
    """A task under way in words: which, for how long, where, and what it does."""
    where = f" at {task.worker}" if task.worker else ""
    does = f": {task.doing} for {spoken(task.quiet_s)}" if task.doing else ""
    return f"{task.task} ({spoken(task.seconds)}{where}{does})"


def spoken(seconds: float) -> str:
    """A time as people say it: ``40 s``, ``12 min``, ``3.5 h``."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 100 * 60 else f"{seconds / 3600:.1f} h"
