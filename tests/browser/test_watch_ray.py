"""Re-checks on a real Ray cluster of this machine: one line each, also of those whose worker was killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from tests.browser.citing import Bench
from tests.browser.conftest import Site
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.net.web import Web
from verifaible.rechecks import Due, open_looker, replay_many
from verifaible.runs.on_ray import OnRay
from verifaible.schema.check import Check
from verifaible.tools.workspace import RemoteWorkspace

pytest.importorskip("ray", reason="Ray has no wheel for this Python, or is not installed")
pytestmark = [pytest.mark.usefixtures("no_patience"), pytest.mark.slow]

PAGE = f"<h1>Report</h1><p>In February the rate was 5.33% in Shanghai.</p>{'<p>Words that fill.</p>' * 6}"


@pytest.fixture
def cluster() -> Iterator[None]:
    """One for all executors of a test."""
    import ray

    ray.init(num_cpus=2, log_to_driver=False, include_dashboard=False)
    yield
    ray.shutdown()


@pytest.mark.nightly
@pytest.mark.usefixtures("cluster")
async def test_what_a_killed_worker_looked_at_is_written_once(
    site: Site, tmp_path: Path, settings: Settings, live_web: Web, browser: Browser
) -> None:
    import ray

    bench = Bench(tmp_path, settings, live_web, browser)
    cited = [
        await bench.cite(
            site.html(f"/{n}", PAGE.replace("Report", f"Report {n}")), quote="the rate was 5.33%"
        )
        for n in range(6)
    ]
    changed = cited[0]
    site.html("/0", PAGE.replace("5.33", "5.38"))
    at_workers = settings.model_copy(update={"store": bench.store.location, "home": tmp_path})
    offline, live = (RemoteWorkspace.of(at_workers, bench.store, archives) for archives in ((), None))
    killed: list[int] = []
    checks: list[Check] = []

    def watch(check: Check, _: int) -> None:
        checks.append(check)
        if not killed:
            asked = [each.__ray_call__.remote(lambda _: os.getpid()) for each in executor._actors]
            killed.extend(ray.get(asked))
            for process in killed:
                os.kill(process, signal.SIGKILL)

    executor = OnRay(partial(open_looker, offline), workers=2, places=1)
    done = await replay_many(bench.store, executor, at_workers, watch=watch)
    assert len(killed) == 2
    assert (done.counts, done.ok, len(checks)) == ({"verified": 6}, True, 6)
    assert [len(bench.store.checks(each.id)) for each in cited] == [2] * 6
    assert bench.store.custody.faults() == []

    checks.clear()
    due = Due(before=datetime.now(UTC))
    places = OnRay(partial(open_looker, live), workers=1, places=2)
    done = await replay_many(
        bench.store, places, at_workers, live=True, due=due, watch=lambda check, _: checks.append(check)
    )
    assert done.counts == {"verified": 5, "changed": 1}
    assert [each.citation_id for each in checks if each.verdict == "changed"] == [changed.id]
