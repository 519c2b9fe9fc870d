"""A trial whose browser is lost, or whose run is killed, is done again: it counts once, and all that it cost."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.kit.marks import nightly
from tests.unit.bench.places import COST_USD, Run
from verifaible.bench.run_dir import RunFolder
from verifaible.bench.runner import Runner
from verifaible.bench.trial import Trials
from verifaible.errors import RunError
from verifaible.evidence.audit import audit
from verifaible.runs.lines import Lines
from verifaible.schema.citation import Citation
from verifaible.store.store import Store


def lines(run: Run) -> int:
    path = run.folder.path / "results.jsonl"
    return len(path.read_bytes().splitlines()) if path.exists() else 0


def sealed(run: Run) -> dict[str, Citation]:
    """What is in the store, all of it sound."""
    store = Store.open(run.settings)
    try:
        assert not audit(store).faults
        return {each.id: each for each in store.citations()}
    finally:
        store.close()


def check_answered(run: Run) -> None:
    """The trial has one line, and cites both citations of one session and no other."""
    result = run.result
    assert lines(run) == 1
    assert (result.verified, result.score, result.ended_by, result.error) == (True, 100, "answer", None)
    cited = sealed(run)
    claims = [cited[each.id].claim for each in result.citations]
    session = claims[0].rpartition(":")[0]
    assert claims == [f"{session}: 1", f"{session}: 2"]


async def test_what_a_lost_browser_cost_is_in_the_ledger_and_the_trial_counts_once(tmp_path: Path) -> None:
    run = Run(tmp_path)
    await run(lost={1})  # the second call of the first attempt
    check_answered(run)
    assert (run.result.attempts, run.model.asked) == (2, 5)
    assert run.result.lost_usage is not None
    assert run.folder.spend()["m"].usage.cost_usd == COST_USD * run.model.asked


async def test_a_trial_that_lost_every_browser_is_the_machines_failure_and_done_again(tmp_path: Path) -> None:
    run = Run(tmp_path)
    await run(lost=range(100))
    assert (run.result.ended_by, run.result.failure, run.result.attempts) == (
        "infrastructure",
        "infrastructure",
        3,
    )
    assert run.result.citations == ()
    await run()
    assert (run.result.verified, run.result.attempts, lines(run)) == (True, 1, 2)  # nothing is taken back
    assert run.folder.spend()["m"].usage.cost_usd == COST_USD * run.model.asked


async def test_a_run_ends_before_it_costs_more_than_it_may(tmp_path: Path) -> None:
    run = Run(tmp_path, trials=9)  # of 1.50 US dollars each
    with pytest.raises(RunError, match=r"its limit is 4\. .* --resume"):
        await run(most_cost_usd=4)
    spend = run.folder.spend()["m"]
    assert 4 <= (spend.usage.cost_usd or 0.0) <= 4 + COST_USD
    finished = run.folder.results()
    assert len(finished) in (1, 2)
    await run(most_cost_usd=100)
    assert run.folder.results()[: len(finished)] == finished
    assert [each.verified for each in run.folder.results()] == [True] * 9
    assert run.folder.spend()["m"].usage.cost_usd == COST_USD * run.model.asked


class Killed(BaseException):
    """What a process that is killed does not live to see."""


@contextmanager
def killed(at: int, *, done: bool) -> Iterator[list[int]]:
    """Kill the run at its n-th write, before or after it; gives the numbers of the writes."""
    writes: list[int] = []

    def dying(write: Any) -> Any:
        def written(self: Any, *arguments: Any, **options: Any) -> Any:
            if arguments and arguments[0] == "progress.json":
                return None
            number = len(writes)
            writes.append(number)
            if number < at or (number == at and done):
                value = write(self, *arguments, **options)
            if number >= at:
                raise Killed
            return value

        return written

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Lines, "add", dying(Lines.add))
        patch.setattr(RunFolder, "_write", dying(RunFolder._write))
        yield writes


@pytest.mark.parametrize("done", [False, nightly(True)], ids=["before", "after"])
async def test_a_run_is_killed_at_any_write(tmp_path: Path, done: bool) -> None:
    (tmp_path / "whole").mkdir()
    with killed(1000, done=done) as writes:
        run = Run(tmp_path / "whole")
        await run()
    assert len(writes) >= 11  # what the run is, its prompt, two lines a model call, the trial, its line
    for number in writes:
        (tmp_path / str(number)).mkdir()
        run = Run(tmp_path / str(number))
        with killed(number, done=done), pytest.raises(BaseException) as ended:
            await run()
        assert "Killed" in repr(ended.value)
        finished = lines(run)
        await run()
        check_answered(run)
        spend = run.folder.spend()["m"]
        assert run.model.asked <= spend.calls + spend.unanswered <= run.model.asked + 1
        assert spend.unanswered <= 1
        assert spend.usage.cost_usd == COST_USD * spend.calls
        if finished:
            assert run.model.asked == 3  # what has its line is not done again


async def test_an_interrupted_run_keeps_a_trial_whose_line_waits_for_a_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free, finished, done = threading.Event(), asyncio.Event(), Trials.run_trial
    only = ThreadPoolExecutor(1)
    asyncio.get_running_loop().set_default_executor(only)
    run = Run(tmp_path)

    async def busy(*arguments: Any) -> Any:
        result = await done(*arguments)
        only.submit(free.wait)
        finished.set()
        return result

    monkeypatch.setattr(Trials, "run_trial", busy)
    running = asyncio.create_task(run())
    await finished.wait()
    await asyncio.sleep(0)
    running.cancel()
    await asyncio.sleep(0.05)
    assert not running.done()
    with pytest.raises(RunError, match="Another process"), run.folder.held():
        pass
    free.set()
    with pytest.raises(asyncio.CancelledError):
        await running
    check_answered(run)


async def test_what_was_recorded_is_written_while_the_folder_is_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def written(runner: Runner) -> None:
        with pytest.raises(RunError, match="Another process"), run.folder.held():
            pass
        asked.append(runner)

    asked: list[Runner] = []
    monkeypatch.setattr(Runner, "_write_recording", written)
    run = Run(tmp_path)
    await run()
    assert len(asked) == 1
