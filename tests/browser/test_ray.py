"""Bench and check on a real Ray cluster of this machine: the same results as in one process, none lost or doubled."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Site
from tests.unit.bench.samples import REPOSITORY
from verifaible.agent.oracle import OracleAgent
from verifaible.api import Verifaible
from verifaible.bench.cases.load import load_cases
from verifaible.bench.run.agents import Entrant
from verifaible.bench.run.folder import RunFolder
from verifaible.bench.run.plan import Plan
from verifaible.bench.run.runner import Runner
from verifaible.config import Settings
from verifaible.evidence.check.audit import audit
from verifaible.evidence.check.verify import verify
from verifaible.evidence.store.store import Store
from verifaible.runs import executing
from verifaible.runs.executing import Workers
from verifaible.runs.executor import Opening
from verifaible.runs.on_ray import OnRay, connected
from verifaible.schema.case import Case
from verifaible.schema.checked import Checked
from verifaible.schema.run import TrialResult

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


async def test_workers_that_are_killed_cost_no_result(cluster: None, tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    killed: list[int] = []

    def watch(model: str, case: Case, trial: int, event: object) -> None:
        if not killed:  # a tool has been called for the first time: the trial goes on there
            assert watched.executor is not None
            killed.extend(kill_workers(watched.executor))

    results = await watched.run(watch=watch)
    assert len(killed) == 2
    assert {each.verified for each in results.values()} == {True}
    assert max(each.attempts for each in results.values()) > 1
    progress = watched.folder.progress()
    assert progress is not None and progress.done == progress.total == len(CHOSEN)
    assert progress.lost and not progress.failed and progress.workers == 2
    store = Store.open(watched.settings)
    try:
        assert not audit(store).faults
    finally:
        store.close()
    # what began on a cluster goes on in one process: nothing is left to do there
    assert await watched.run(local=True) == results


PADDING = f"<p>{'The company describes each year what it does, in some detail and for its owners. ' * 4}</p>"
REPORT = """# Acme in 2023

Acme opened 14 shops in Norway in 2023 [1]. Acme opened 41 shops in Sweden in 2023 [1]. Its plant in Bergen has
320 employees [2]. Acme bought Bolt in 2022 [3].

[1] SITE/shops
[2] SITE/plants
[3] SITE/gone
"""


def without_times(checked: Checked) -> dict[str, Any]:
    """The record of a check but for its times, and the names that captures and citations have by theirs."""
    text = checked.model_dump_json(exclude={"checked_at": True, "sources": {"__all__": {"opened_at"}}})
    for source in checked.sources:
        text = text.replace(source.capture, f"capture of {source.id}") if source.capture else text
    said: dict[str, Any] = json.loads(text)
    for claim in said["claims"]:
        claim["citations"] = len(claim["citations"])
    return said


@pytest.mark.nightly
async def test_a_check_whose_workers_are_killed_says_what_it_says_in_one_process(
    cluster: None, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.html("/shops", f"<p>Acme opened 14 shops in Norway in 2023, and 12 shops in Sweden.</p>{PADDING}")
    site.html("/plants", f"<p>Its plant in Bergen has 320 employees.</p>{PADDING}")
    text = REPORT.replace("SITE", site.url).encode()
    executors: list[OnRay] = []
    killed: list[int] = []

    def made(*_: object, places: int) -> Workers:
        return lambda opening: executors.append(OnRay(opening, workers=2, places=1)) or executors[0]

    def kill(what: str, done: int, total: int) -> None:
        if executors and what == "Opening sources" and not killed:
            killed.extend(kill_workers(executors[0]))

    async def check(name: str) -> Checked:
        settings = Settings(home=tmp_path / name, allow_hosts=("127.0.0.1",))
        async with Verifaible(settings) as verifier:
            checked = await verifier.check("report.md", data=text, progress=kill)
            kept = (settings.home / "snapshots" / "checked.jsonl").read_text().splitlines()
            cited = {each for claim in checked.claims for each in claim.citations}
            assert len(kept) == len(checked.sources) + len(cited)
            assert {verify(verifier.store.get(each), verifier.store).check.verdict for each in cited} == {
                "verified"
            }
            assert not audit(verifier.store).faults
        return checked

    here = await check("here")
    monkeypatch.setattr(executing, "executor_of", made)
    there = await check("there")
    assert len(killed) == 2
    assert without_times(there) == without_times(here)
    assert here.count("supported") == 2


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


async def test_what_is_given_up_here_ends_there_and_a_fault_of_ours_is_no_lost_worker(
    cluster: None, tmp_path: Path
) -> None:
    said = str(tmp_path / "said")
    async with OnRay(slow, workers=1, places=2) as executor, executor.place() as place:
        working = asyncio.create_task(place.call("work", said))
        await until(said, "begun")
        working.cancel()
        await until(said, "cancelled")
        with pytest.raises(RuntimeError, match="KeyError at a worker: 'inner'"):
            await place.call("fault")
