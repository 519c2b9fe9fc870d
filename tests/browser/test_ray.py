"""The bench on a real Ray cluster of this machine: the same results as in one process, none lost or doubled."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.unit.bench.samples import REPOSITORY
from verifaible.agent.oracle import OracleAgent
from verifaible.bench.agents import Entrant
from verifaible.bench.cases import load_cases
from verifaible.bench.config import Plan
from verifaible.bench.run_dir import RunFolder
from verifaible.bench.runner import Runner
from verifaible.config import Settings
from verifaible.evidence.audit import audit
from verifaible.runs.executor import Opening
from verifaible.runs.on_ray import OnRay, connected
from verifaible.schema.case import Case
from verifaible.schema.run import TrialResult
from verifaible.store.store import Store

pytest.importorskip("ray", reason="Ray has no wheel for this Python, or is not installed")

CASES = {case.id: case for case in load_cases(REPOSITORY / "cases")}
CHOSEN = ("us_text_001", "us_table_001", "cn_text_001")


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """A cluster that the executors of all tests use, started as the first of them would start it."""
    with connected(""):
        yield


class Watched:
    """Runs the chosen cases on two workers, and keeps what they run on."""

    def __init__(self, folder: Path) -> None:
        self.settings = Settings(home=REPOSITORY, store=str(folder / "store"))
        self.folder = RunFolder.create(folder / "runs", ("oracle",))
        self.executor: OnRay | None = None

    def made(self, opening: Opening) -> OnRay:
        self.executor = OnRay(opening, workers=2, places=1)
        return self.executor

    async def run(
        self, *names: str, local: bool = False, watch: Any = lambda *_: None
    ) -> dict[str, TrialResult]:
        cases = tuple(CASES[name] for name in CHOSEN)
        plan = Plan((Entrant("oracle", OracleAgent()),), cases, workers=None if local else self.made)
        await Runner(self.settings, plan, self.folder, watch).run()
        results = self.folder.results()
        assert sorted(each.case for each in results) == sorted(CHOSEN)
        return {each.case: each for each in results}


def kill_workers(executor: OnRay) -> list[int]:
    """Kill the processes of the workers, and tell which."""
    import ray

    killed: list[int] = ray.get(
        [each.__ray_call__.remote(lambda _: os.getpid()) for each in executor._actors]
    )
    for process in killed:
        os.kill(process, signal.SIGKILL)
    return killed


@pytest.mark.nightly
async def test_workers_that_are_killed_cost_no_result(cluster: None, tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    killed: list[int] = []

    def watch(model: str, case: Case, trial: int, event: object) -> None:
        if not killed:  # a trial has ended: the others go on there
            assert watched.executor is not None
            killed.extend(kill_workers(watched.executor))

    results = await watched.run(watch=watch)
    assert len(killed) == 2
    assert {each.verified for each in results.values()} == {True}
    progress = watched.folder.progress()
    assert progress is not None and progress.done == progress.total == len(CHOSEN)
    assert not progress.failed
    store = Store.open(watched.settings)
    try:
        assert not audit(store).faults
    finally:
        store.close()
    # what began on a cluster goes on in one process: nothing is left to do there
    assert await watched.run(local=True) == results


def note(said: str, word: str = "") -> str:
    path = Path(said)
    if word:
        path.write_text(word)
    return path.read_text() if path.exists() else ""


class Slow:
    """Says in a file what becomes of its work."""

    async def work(self, said: str) -> None:
        try:
            note(said, "begun")
            await asyncio.sleep(600)
            note(said, "done")
        except asyncio.CancelledError:
            note(said, "cancelled")
            raise

    async def fault(self) -> None:
        raise KeyError("inner")


@asynccontextmanager
async def slow() -> AsyncIterator[Slow]:
    yield Slow()


async def until(said: str, word: str) -> None:
    async with asyncio.timeout(180):
        while note(said) != word:  # noqa: ASYNC110 - written by another process
            await asyncio.sleep(0.05)


@pytest.mark.nightly
async def test_what_is_given_up_here_ends_there_and_a_fault_of_ours_is_no_lost_worker(
    cluster: None, tmp_path: Path
) -> None:
    said = str(tmp_path / "said")
    async with OnRay(slow, workers=1, places=2) as executor:
        working = asyncio.create_task(executor.call("work", said))
        await until(said, "begun")
        working.cancel()
        await until(said, "cancelled")
        with pytest.raises(RuntimeError, match="KeyError at a worker: 'inner'"):
            await executor.call("fault")
