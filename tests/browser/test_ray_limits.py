"""Limits on a real Ray cluster of this machine: they hold over all workers, not for each."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from tests.unit.bench.places import COST_USD, Run, Sealing
from tests.unit.net.local_site import local_site
from verifaible.config import Settings
from verifaible.errors import RunError
from verifaible.net.manners import RENEW_S
from verifaible.net.robots import robots_of
from verifaible.net.web import Web
from verifaible.runs.on_ray import OnRay
from verifaible.schema.web import WebRequest
from verifaible.version import __version__

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


class Asks:
    """Asks hosts through a web of its own, as every worker does."""

    def __init__(self) -> None:
        self._web = Web.live(Settings(allow_hosts=("127.0.0.1",), host_delay_s=DELAY_S, robots="always"))

    async def ask(self, url: str) -> None:
        assert await robots_of(url, self._web) is not None
        async with self._web.client() as client:
            await client.fetch(WebRequest(url))

    async def leaves(self, number: int) -> list[float]:
        """The milliseconds that the leave for each of so many pages takes, at hosts that are free."""
        took = []
        for each in range(number):
            began = monotonic()
            async with self._web.manners.turn(f"{each}.example"):
                took.append(1000 * (monotonic() - began))
        return took


@asynccontextmanager
async def asks() -> AsyncIterator[Asks]:
    yield Asks()


DELAY_S = 0.3


@pytest.mark.nightly
async def test_delays_and_robots_hold_over_all_workers_and_outlive_who_keeps_them() -> None:
    came: list[float] = []

    def page(handler: BaseHTTPRequestHandler) -> None:
        came.append(monotonic())
        handler.send_response(200)
        handler.send_header("content-length", "0")
        handler.end_headers()

    with local_site() as site:
        site.give("/robots.txt", body=b"User-agent: *\nDisallow: /closed", Content_Type="text/plain")
        site.answers["/page"] = page
        async with OnRay(asks, workers=2, places=3) as executor:

            async def one(method: str = "ask", *arguments: Any) -> None:
                async with executor.place() as place:
                    await place.call(method, *(arguments or (f"{site.url}/page",)))

            await asyncio.gather(*(one("leaves", 1) for _ in range(6)))  # all workers are there
            began = monotonic()
            await asyncio.gather(*(one() for _ in range(6)))
            assert site.seen.count("GET /robots.txt") == 1
            # the file comes first, at one of the workers
            assert all(at - began >= number * DELAY_S for number, at in enumerate(came, 1))
            async with executor.place() as place:
                took = await place.call("leaves", 200)
            assert (
                sorted(took)[100] < 250
            )  # a few where nothing else runs; a look every half second would show
            came.clear()
            keeper = ray.get_actor(f"turns-{__version__}", namespace="verifaible")
            asking = asyncio.gather(*(one() for _ in range(6)))
            while len(came) < 2:  # noqa: ASYNC110 - the site is another thread
                await asyncio.sleep(0.01)
            ray.kill(keeper, no_restart=False)
            await asking
            gaps = [after - before for before, after in pairwise(came)]
            assert len(came) == 6 and any(gap > 2 * RENEW_S - 0.5 for gap in gaps)
