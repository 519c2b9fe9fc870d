"""A trial whose worker is lost, or whose run is killed, is done again: it counts once, and all that it cost."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.kit.marks import nightly
from tests.unit.bench.places import COST_USD, Losing, Run
from verifaible.bench.run.folder import RunFolder
from verifaible.bench.run.runner import Runner
from verifaible.bench.run.trials import Trials
from verifaible.bench.run.workshop import Workshop
from verifaible.errors import InfrastructureError, RunError
from verifaible.evidence.audit import audit
from verifaible.runs.lines import Lines
from verifaible.schema.citation import Citation
from verifaible.store.store import Store

#: The calls of a trial that nothing disturbs.
CALLS = ("specs", "begin", "call", "call", "end")


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
    session = claims[0].partition(":")[0]
    assert claims == [f"{session}: 1", f"{session}: 2"]


async def check_lost(tmp_path: Path, lost: Collection[int], done: bool) -> None:
    run = Run(tmp_path)
    places = Losing(run.settings, lost, done=done)
    await run(places)
    check_answered(run)
    result, spend = run.result, run.folder.spend()["m"]
    assert result.attempts == 1 + sum(method in ("begin", "call") for method in places.gone)
    assert len(sealed(run)) == places.sealed  # those of lost attempts, too
    assert (spend.calls, spend.unanswered) == (run.model.asked, 0)
    repeated = result.lost_usage.cost_usd or 0.0 if result.lost_usage else 0.0
    assert spend.usage.cost_usd == COST_USD * run.model.asked == 3 * COST_USD + repeated


async def test_the_calls_of_a_trial(tmp_path: Path) -> None:
    run = Run(tmp_path)
    places = Losing(run.settings)
    await run(places)
    check_answered(run)
    assert tuple(places.calls) == CALLS


@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("number", range(len(CALLS)), ids=lambda number: f"{number}-{CALLS[number]}")
async def test_a_worker_is_lost_at_any_call(tmp_path: Path, number: int, done: bool) -> None:
    await check_lost(tmp_path, {number}, done)


@pytest.mark.nightly
@pytest.mark.parametrize(
    # Two in a row, and two with others between them; the other distances are tried nightly.
    "lost",
    [
        lost if lost[1] - lost[0] in (1, len(CALLS) - 1) else nightly(lost)
        for lost in combinations(range(2 * len(CALLS)), 2)
    ],
    ids=str,
)
async def test_workers_are_lost_at_any_two_calls(tmp_path: Path, lost: tuple[int, int]) -> None:
    await check_lost(tmp_path, lost, done=True)


async def test_a_trial_that_lost_every_worker_is_the_machines_failure_and_done_again(tmp_path: Path) -> None:
    run = Run(tmp_path)
    places = Losing(run.settings, range(3, 100), done=True)
    await run(places)
    result = run.result
    assert (result.ended_by, result.failure, result.attempts) == ("infrastructure", "infrastructure", 3)
    assert result.citations == ()
    before = run.folder.spend()["m"]
    assert before.usage.cost_usd == COST_USD * run.model.asked > 0
    await run(Losing(run.settings))
    result = run.result
    assert (result.verified, result.attempts, lines(run)) == (True, 1, 2)  # that it failed is not taken back
    assert run.folder.spend()["m"].usage.cost_usd == COST_USD * run.model.asked


class Killed(BaseException):
    """What a process that is killed does not live to see."""


@contextmanager
def killed(at: int, *, done: bool) -> Iterator[list[int]]:
    """Kill the run at its n-th write, before or after it; gives the numbers of the writes."""
    writes: list[int] = []

    def dying(write: Any) -> Any:
        def written(*arguments: Any, **options: Any) -> Any:
            number = len(writes)
            writes.append(number)
            if number < at or (number == at and done):
                value = write(*arguments, **options)
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
        await run(Losing(run.settings))
    assert len(writes) >= 11  # what the run is, its prompt, two lines a model call, the trial, its line
    for number in writes:
        (tmp_path / str(number)).mkdir()
        run = Run(tmp_path / str(number))
        with killed(number, done=done), pytest.raises(BaseException) as ended:
            await run(Losing(run.settings))
        assert "Killed" in repr(ended.value)
        finished = lines(run)
        await run(Losing(run.settings))
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
    free, finished, done = threading.Event(), asyncio.Event(), Trials.run
    only = ThreadPoolExecutor(1)
    asyncio.get_running_loop().set_default_executor(only)
    run = Run(tmp_path)

    async def busy(*arguments: Any) -> Any:
        result = await done(*arguments)
        only.submit(free.wait)
        finished.set()
        return result

    monkeypatch.setattr(Trials, "run", busy)
    running = asyncio.create_task(run(Losing(run.settings)))
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
    await run(Losing(run.settings))
    assert len(asked) == 1


async def test_a_session_of_a_lost_worker_is_no_session_of_the_next() -> None:
    before, after = (Workshop(cast(Any, SimpleNamespace(speaking=lambda _: None))) for _ in range(2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("verifaible.bench.run.workshop.toolbox", lambda _: None)
        lost, other = await before.begin("", "key"), await after.begin("", "key")
    with pytest.raises(InfrastructureError, match="lost"):
        await after.call(lost, "web_fetch", "{}")
    await before.end(lost)
    await after.end(other)


async def test_a_worker_that_hangs_at_the_end_holds_up_no_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Hanging(Losing):
        async def call(self, method: str, *arguments: Any) -> Any:
            return await (asyncio.Event().wait() if method == "end" else super().call(method, *arguments))

    monkeypatch.setattr("verifaible.bench.run.workshop._END_WAIT_S", 0.05)
    run = Run(tmp_path)
    async with asyncio.timeout(60):
        await run(Hanging(run.settings))
    check_answered(run)


async def test_a_cluster_without_workers_ends_the_run_and_no_trial(tmp_path: Path) -> None:
    class Nobody(Losing):
        def place(self) -> Any:
            if len(self.calls) < 2:
                return super().place()
            raise InfrastructureError("No worker of the cluster has answered for 600 s.")

    run = Run(tmp_path, trials=3)
    with pytest.raises(RunError, match=r"No worker .* --resume"):
        await run(Nobody(run.settings))
    assert lines(run) == 1
    await run(Losing(run.settings))
    assert {each.verified for each in run.folder.results()} == {True}
    assert lines(run) == 3
