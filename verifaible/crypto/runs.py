"""Many queries answered into a folder, one after the other or side by side; a run that was stopped goes on.

``harness.json`` says what the run is made of, ``trials.jsonl`` takes a line the moment a query is done.
The files for readers and judges (``answers.jsonl``, ``answers.csv``) are made from it, the traces with each
trial.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeAlias

from verifaible.crypto.harness import Asking, attempt, failed
from verifaible.crypto.prompting import prompts_sha256
from verifaible.crypto.public_files import write_answers, write_table, write_trace
from verifaible.crypto.records import HarnessRun, HarnessTrial
from verifaible.errors import InfrastructureError, RunError, StoreError
from verifaible.runs.folder import read_info
from verifaible.runs.lines import Lines, usable, write_whole
from verifaible.schema.chat import Usage
from verifaible.version import __version__

RUN = "harness.json"
TRIALS = "trials.jsonl"
FORMAT: Final = 1
#: Errors of a model that the next query would meet as well.
_HOPELESS: Final = frozenset({"key_rejected", "no_credit", "model_not_there"})

#: Told of each query that is done: its trial, how many are, and of how many.
Told: TypeAlias = Callable[[HarnessTrial, int, int], None]


@dataclass(frozen=True, slots=True)
class Asked:
    """A query of a file: its number from 1, its words, its tags."""

    row: int
    query: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a run has come to: the last trial of each row, in their order; ``left`` rows were not asked."""

    folder: Path
    trials: tuple[HarnessTrial, ...]
    left: int

    @property
    def usage(self) -> Usage:
        """Tokens and cost of the trials that count."""
        return sum((each.usage for each in self.trials), Usage())


async def run_queries(
    queries: Sequence[Asked],
    folder: Path,
    asking: Asking,
    *,
    now: datetime | None = None,
    at_once: int = 1,
    most_cost_usd: float | None = None,
    told: Told = lambda trial, done, of: None,
) -> RunReport:
    """Answer queries into a folder; rows that it has an answer to are not asked again.

    A query that fails keeps its line, with the reason and an empty answer, and is asked again when the run
    goes on.

    Args:
        queries: with their rows.
        folder: made if it is not there.
        asking: how they are asked.
        now: when; default the present for each.
        at_once: queries under way at once.
        most_cost_usd: no query begins once all trials, those of earlier attempts too, have cost so much.
        told: told of each.

    Raises:
        RunError: the folder is of another run or cannot be written, or the model will refuse every query.
    """
    run = _Run(folder, asking, queries, now=now, most_cost_usd=most_cost_usd, told=told)
    run.begin()
    try:
        await run.all(at_once)
    finally:
        run.publish()
    return run.report()


class _Run:
    """A run on its way."""

    def __init__(
        self,
        folder: Path,
        asking: Asking,
        queries: Sequence[Asked],
        *,
        now: datetime | None,
        most_cost_usd: float | None,
        told: Told,
    ) -> None:
        self._folder, self._asking, self._queries, self._now = folder, asking, queries, now
        self._most, self._told = most_cost_usd, told
        self._lines = Lines(folder / TRIALS, HarnessTrial, alone=True)
        self._last: dict[int, HarnessTrial] = {}
        self._spent = 0.0
        self._hopeless = ""

    def begin(self) -> None:
        """Write ``harness.json``, or hold the run against the one that is there."""
        locked: dict[str, Any] = {
            "switches": self._asking.switches.model_dump(),
            "limits": self._asking.limits.model_dump(),
            "rewriting": self._asking.rewriting,
            "web": self._asking.context.web.mode,
            "endpoints": self._asking.endpoints.model_dump(),
            "prompts_sha256": prompts_sha256(),
            "now": self._now.isoformat() if self._now else "",
        }
        path = self._folder / RUN
        with usable(path):
            self._folder.mkdir(parents=True, exist_ok=True)
            if not path.is_file():
                info = HarnessRun(
                    model=self._asking.model, started_at=datetime.now(UTC), version=__version__, locked=locked
                )
                write_whole(path, info.model_dump_json(indent=1) + "\n")
        self._compare(path, locked)
        for trial in self._lines:
            self._spent += trial.usage.cost_usd or 0.0
            self._last[trial.row] = trial
        for each in self._queries:
            done = self._last.get(each.row)
            if done is not None and done.key != _key(each.query):
                raise RunError(
                    f"Row {each.row} of the queries is not the one that {self._folder} has an answer to. Use "
                    "the same file, or another folder."
                )

    def _compare(self, path: Path, locked: dict[str, Any]) -> None:
        there = read_info(path, HarnessRun, FORMAT, "Use another folder, or update verifaible.")
        differing = sorted(name for name, value in locked.items() if there.locked.get(name) != value)
        differing += ["model"] if there.model != self._asking.model else []
        if differing:
            raise RunError(
                f"{self._folder} has a run with other settings ({', '.join(differing)}). Continue with the "
                "same ones, or use another folder."
            )

    async def all(self, at_once: int) -> None:
        """Ask what has no answer yet."""
        waiting = [each for each in self._queries if not self._is_done(each)]
        places = asyncio.Semaphore(max(1, at_once))

        async def one(each: Asked) -> None:
            async with places:
                if not self._hopeless and not self._is_spent():
                    await self._ask(each)

        async with asyncio.TaskGroup() as group:
            for each in waiting:
                group.create_task(one(each))
        if self._hopeless:
            raise RunError(f"The run was stopped, since every query would meet the same: {self._hopeless}")

    def _is_done(self, each: Asked) -> bool:
        last = self._last.get(each.row)
        return last is not None and bool(last.answer.answer)

    def _is_spent(self) -> bool:
        return self._most is not None and self._spent >= self._most

    async def _ask(self, each: Asked) -> None:
        now = self._now or datetime.now(UTC)
        asking = self._asking
        if self._most is not None:
            left = max(self._most - self._spent, 1e-9)
            cost = min(asking.limits.cost_usd or left, left)
            asking = replace(asking, limits=asking.limits.model_copy(update={"cost_usd": cost}))
        try:
            trial = await attempt(each.query, asking, now=now, row=each.row, tags=each.tags)
        except (InfrastructureError, StoreError) as error:
            trial = failed(each.query, asking, error, now=now, row=each.row, tags=each.tags)
        await asyncio.to_thread(write_trace, self._folder, trial)
        self._lines.add(trial, durable=True)
        self._last[trial.row] = trial
        self._spent += trial.usage.cost_usd or 0.0
        if trial.error_code in _HOPELESS:
            self._hopeless = trial.error
        self._told(trial, len(self._last), len(self._queries))

    def publish(self) -> None:
        """Make the files for readers from the last trial of each row."""
        trials = self.report().trials
        write_answers(self._folder, trials)
        write_table(self._folder, trials, self._asking.model)

    def report(self) -> RunReport:
        """The run so far."""
        trials = tuple(self._last[row] for row in sorted(self._last))
        rows = {each.row for each in self._queries}
        return RunReport(self._folder, trials, len(rows - self._last.keys()))


def _key(query: str) -> str:
    return sha256(query.encode("utf-8", "replace")).hexdigest()
