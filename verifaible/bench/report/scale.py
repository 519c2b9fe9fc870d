"""What a larger run would take, in time and money, from the trials of a recorded one.

Trials are drawn with replacement, case by case, from those recorded, and played in a discrete-event
simulation: each worker does one trial after the other, requests to a model wait for the endpoint's limit, and
a trial's citations for the log of the store, which one writer at a time adds to.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from heapq import heappop, heappush
from itertools import groupby
from statistics import median, quantiles
from typing import Final

from verifaible.bench.report.summary import is_error
from verifaible.errors import RunError, StoreError
from verifaible.evidence.store.store import Store
from verifaible.reporting.tables import Cell, Interval, Row, Table, count, figure, row
from verifaible.schema.base import Record
from verifaible.schema.run import TrialResult

#: Events of the simulation for one figure; more drawings are made of small runs than of large ones.
_EVENTS: Final = 1_500_000
_MOST_DRAWINGS: Final = 200
_FEWEST_DRAWINGS: Final = 5
#: A resource that is in use for so much of the time is what a run waits for.
_BUSY: Final = 0.9


class Larger(Record):
    """A run that is to be planned.

    Attributes:
        cases: how many.
        trials: of each case by each model.
        workers: trials under way at once.
        requests_per_minute: that a model's endpoint takes; 0: as many as come.
        log_s: for which an added citation keeps other writers out of the store's log, in seconds.
        seed: of the drawing.
    """

    cases: int
    trials: int = 1
    workers: int = 1
    requests_per_minute: float = 0
    log_s: float = 0
    seed: int = 0


class Work(Record):
    """What one recorded trial took; ``stored_bytes`` is None where its captures are not at hand."""

    model: str
    duration_s: float
    requests: int
    citations: int
    cost_usd: float | None
    tokens: int
    stored_bytes: int | None


class Played(Record):
    """A simulated run: its seconds, and the parts of them that the endpoint and the log were busy."""

    seconds: float
    endpoint_busy: float
    log_busy: float

    @property
    def waits_for(self) -> str:
        """What more workers would not help against; empty where they would."""
        if self.log_busy >= _BUSY:
            return "the log of the store"
        return "the endpoint's limit" if self.endpoint_busy >= _BUSY else ""


def stored_bytes(store: Store, citations: Iterable[str]) -> dict[str, int]:
    """The bytes of the capture of each citation that the store has, by its id."""
    found = {}
    for each in citations:
        with suppress(StoreError):
            found[each] = store.get(each).capture.size_bytes
    return found


def work_of(results: Iterable[TrialResult], stored: Mapping[str, int]) -> dict[str, list[list[Work]]]:
    """The work of recorded trials: for each model, those of each case.

    Args:
        results: the trials; those that the machine failed are left out.
        stored: bytes of the capture of each citation that is known, by its id.

    Raises:
        RunError: there is none.
    """
    usable = sorted(
        (each for each in results if not is_error(each)), key=lambda each: (each.model, each.case)
    )
    if not usable:
        raise RunError("The run has no completed trial, so nothing can be estimated from it.")
    found: dict[str, list[list[Work]]] = {}
    for (model, _), trials in groupby(usable, key=lambda each: (each.model, each.case)):
        found.setdefault(model, []).append([_work(each, stored) for each in trials])
    return found


def _work(result: TrialResult, stored: Mapping[str, int]) -> Work:
    sizes = [stored.get(each.id) for each in result.citations]
    known = [each for each in sizes if each is not None]
    return Work(
        model=result.model,
        duration_s=result.duration_s,
        requests=result.rounds,
        citations=len(sizes),
        cost_usd=result.cost_usd,
        tokens=result.input_tokens + result.output_tokens,
        stored_bytes=sum(known) if len(known) == len(sizes) else None,
    )


def draw(recorded: Mapping[str, Sequence[Sequence[Work]]], run: Larger, chance: random.Random) -> list[Work]:
    """The trials of a larger run: a case is drawn, then each of its trials from those recorded of it."""
    drawn = [
        chance.choice(case)
        for cases in recorded.values()
        for case in chance.choices(cases, k=run.cases)
        for _ in range(run.trials)
    ]
    chance.shuffle(drawn)  # the models of a run take turns
    return drawn


def play(trials: Sequence[Work], run: Larger) -> Played:
    """Let workers do these trials, in their order."""
    gap_s = 60 / run.requests_per_minute if run.requests_per_minute else 0.0
    waiting = iter(trials)
    #: When a step of a trial may begin: the time, a number that keeps the order, the trial, steps done.
    steps: list[tuple[float, int, Work, int]] = []
    next_slot: dict[str, float] = {}
    number = 0
    now = log_free = log_used = 0.0
    asked: dict[str, int] = {}

    def begin(at: float) -> None:
        nonlocal number
        if (work := next(waiting, None)) is not None:
            heappush(steps, (at, number, work, 0))
            number += 1

    for _ in range(run.workers):
        begin(0.0)
    while steps:
        at, place, work, done = heappop(steps)
        requests = work.requests if gap_s else 0
        if done < max(requests, 1):
            if requests:
                at = max(at, next_slot.get(work.model, 0.0))
                next_slot[work.model] = at + gap_s
                asked[work.model] = asked.get(work.model, 0) + 1
            heappush(steps, (at + work.duration_s / max(requests, 1), place, work, done + 1))
            continue
        if held := run.log_s * work.citations:
            at = log_free = max(at, log_free) + held
            log_used += held
        now = max(now, at)
        begin(at)
    longest = max(asked.values(), default=0) * gap_s
    return Played(
        seconds=now,
        endpoint_busy=min(1.0, longest / now) if now else 0.0,
        log_busy=log_used / now if now else 0.0,
    )


def tables(recorded: Mapping[str, Sequence[Sequence[Work]]], run: Larger) -> tuple[Table, Table]:
    """What the larger run takes, and how its time changes with the workers."""
    chance = random.Random(run.seed)  # noqa: S311 - a simulation
    drawings, seconds = [], []
    for _ in range(_drawings(recorded, run)):
        drawn = draw(recorded, run, chance)
        drawings.append({model: [each for each in drawn if each.model == model] for model in recorded})
        seconds.append(play(drawn, run).seconds)
    rows = [_amounts(model, [each[model] for each in drawings], "") for model in recorded]
    total = [[work for made in each.values() for work in made] for each in drawings]
    rows.append(_amounts("all", total, _span(seconds)))
    note = (
        f"{run.cases:,} cases, {run.trials} trials of each, {run.workers:,} at once. Middle of "
        f"{len(drawings)} simulated runs, in brackets where 95 % of them lie. The trials are drawn from "
        "those recorded: harder cases, or an endpoint that slows down, are not foreseen."
    )
    taken = Table(
        name="larger_run",
        title="What the run would take",
        columns=("model", "trials", "time", "USD", "tokens", "stored, MB"),
        rows=tuple(rows),
        note=note,
    )
    return taken, _by_workers(recorded, run)


def _drawings(recorded: Mapping[str, Sequence[Sequence[Work]]], run: Larger) -> int:
    each = [work for cases in recorded.values() for case in cases for work in case]
    steps = 1 + (sum(work.requests for work in each) / len(each) if run.requests_per_minute else 0)
    events = run.cases * run.trials * len(recorded) * (1 + steps)
    return max(_FEWEST_DRAWINGS, min(_MOST_DRAWINGS, int(_EVENTS / events)))


def _amounts(name: str, drawings: Sequence[Sequence[Work]], time: str) -> Row:
    costs = [[work.cost_usd for work in drawn] for drawn in drawings]
    sizes = [[work.stored_bytes for work in drawn] for drawn in drawings]
    return row(
        name,
        count(len(drawings[0])),
        time,
        _sum(costs, ".2f"),
        _sum([[work.tokens for work in drawn] for drawn in drawings], ",.0f"),
        _sum([[None if each is None else each / 1e6 for each in drawn] for drawn in sizes], ",.1f"),
    )


def _sum(drawings: Sequence[Sequence[float | None]], form: str) -> Cell:
    """The sum of each drawing; what is not known of a trial is not known of the sum."""
    sums = [sum(each for each in drawn if each is not None) for drawn in drawings if None not in drawn]
    if len(sums) < len(drawings):
        return Cell(text="not recorded", state="nothing")
    return figure(median(sums), form, _interval(sums))


def _interval(values: Sequence[float]) -> Interval:
    cuts = quantiles(values, n=40, method="inclusive")
    return cuts[0], cuts[-1]


def _span(seconds: Sequence[float]) -> str:
    low, high = _interval(seconds)
    return f"{_time(median(seconds))} ({_time(low)} to {_time(high)})"


def _time(seconds: float) -> str:
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min" if seconds >= 100 else f"{seconds:.0f} s"


def _by_workers(recorded: Mapping[str, Sequence[Sequence[Work]]], run: Larger) -> Table:
    """The same trials with 1, 2, 4 and more workers, up to twice those planned."""
    trials = draw(recorded, run, random.Random(run.seed))  # noqa: S311 - a simulation
    alone = play(trials, run.model_copy(update={"workers": 1})).seconds
    rows = []
    numbers = sorted({2**power for power in range((2 * run.workers).bit_length())} | {run.workers})
    for workers in numbers:
        played = play(trials, run.model_copy(update={"workers": workers}))
        speed = alone / played.seconds if played.seconds else 1.0
        rows.append(
            row(
                f"{workers:,}",
                Cell(text=_time(played.seconds), state="figure", value=played.seconds),
                figure(speed, ",.1f"),
                figure(speed / workers, ".0%"),
                played.waits_for or ("there are no more trials" if workers >= len(trials) else "-"),
            )
        )
    return Table(
        name="by_workers",
        title="Time by workers",
        columns=("workers", "time", "faster than one", "efficiency", "more would wait for"),
        rows=tuple(rows),
        note="One simulated run, the same trials in each row. A worker needs about one processor core while "
        "it opens pages: many workers on one machine are slower than this says.",
    )
