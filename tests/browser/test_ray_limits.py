"""Limits on a real Ray cluster of this machine: they hold over all workers, not for each."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.unit.bench.places import COST_USD, Run, Sealing
from verifaible.config import Settings
from verifaible.errors import RunError
from verifaible.runs.on_ray import OnRay

ray = pytest.importorskip("ray", reason="Ray has no wheel for this Python, or is not installed")


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@asynccontextmanager
async def sealing(settings: Settings) -> AsyncIterator[Sealing]:
    yield Sealing(settings)


@pytest.mark.nightly
async def test_a_limit_of_cost_stops_the_trials_of_all_workers(tmp_path: Path) -> None:
    run = Run(tmp_path, trials=9)  # of 1.50 US dollars each

    def workers() -> OnRay:
        return OnRay(partial(sealing, run.settings), workers=2, places=2)

    with pytest.raises(RunError, match=r"its limit is 8\. .* --resume"):
        await run(workers(), most_cost_usd=8)
    spend = run.folder.spend()["m"]
    # one call more at most, however many are under way
    assert 8 <= (spend.usage.cost_usd or 0.0) <= 8 + COST_USD
    assert spend.calls == run.model.asked and not spend.unanswered
    finished = run.folder.results()
    assert 0 < len(finished) <= 5
    await run(workers(), most_cost_usd=100)
    assert run.folder.results()[: len(finished)] == finished
    assert [each.verified for each in run.folder.results()] == [True] * 9
    assert run.folder.spend()["m"].usage.cost_usd == COST_USD * run.model.asked
