"""What analyze_page finds on the fixture pages: endpoints, selectors in new sessions, tokens and time.

The pages are those of the tests in ``tests/browser/test_analyze_*.py``.
"""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, perf_counter

from scripts.benchmark.serving import serving
from scripts.benchmark.table import Section
from tests.browser import test_analyze_endpoints as endpoints
from tests.browser import test_analyze_selectors as selectors
from tests.browser.conftest import Site
from tests.browser.toolboxes import Caller
from verifaible.browser.analysis.analyze import analyze
from verifaible.browser.analysis.watch import RequestWatch
from verifaible.browser.steps.playing import play
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.net.web import Web
from verifaible.schema.action import Click
from verifaible.tools.analyze_page import token_estimate

#: Selectors are checked with names made up from this many seeds.
SEEDS, SEEDS_QUICK = 5, 2


@contextmanager
def serve() -> Iterator[Site]:
    """An empty site on loopback."""
    served = Site()

    def answer(path: str, sent: bytes) -> tuple[int, Mapping[str, str], bytes]:
        page = served.pages.get(path) or served.pages.get(path.partition("?")[0])
        found = page(path, sent) if callable(page) else page
        status, headers, body = found or (404, {"content-type": "text/plain"}, "no such page")
        return status, headers, body.encode() if isinstance(body, str) else body

    with serving(answer) as served.url:
        yield served


async def _endpoints(browser: Browser, web: Web) -> tuple[int, int]:
    """How many of the endpoints were found, of how many."""
    with serve() as site:
        url = endpoints.fill(site)
        async with browser.page(web) as session:
            watch = RequestWatch(session)
            await watch.start()
            await session.open(url)
            starts = []
            for name in ("#one", "#two", "#three"):
                starts.append(monotonic())
                await play(session, [Click(type="click", selector=name)])
            found = await analyze(session, await watch.stop(), starts)
    known = {(one.method, endpoints.path_of(one), one.kind) for one in found.requests}
    return len(endpoints.WANTED & known), len(endpoints.WANTED)


async def _selectors(browser: Browser, web: Web, seeds: int) -> tuple[int, int]:
    """How many selectors were unique and alive in new sessions, of how many."""
    total = failed = 0
    for seed in range(seeds):
        with serve() as site:
            tried, faults = await selectors.check(selectors.serve(site, 1 + 1_000 * seed), web, browser, 1)
        total += tried
        failed += len(faults)
        for fault in faults:
            print(fault, flush=True)
    return total - failed, total


async def _summaries(browser: Browser, web: Web, settings: Settings) -> tuple[int, float]:
    """Most tokens of a summary, and the median seconds of a call, over the fixture pages."""
    call = Caller(settings, web, browser)
    tokens, times = [], []
    with serve() as site:
        for url in [endpoints.fill(site), *selectors.serve(site).values()]:
            started = perf_counter()
            text = (await call("analyze_page", url=url)).text
            times.append(perf_counter() - started)
            tokens.append(token_estimate(text))
    return max(tokens), statistics.median(times)


async def _measured(folder: Path, seeds: int) -> tuple[tuple[str, ...], ...]:
    settings = Settings(home=folder, allow_hosts=("127.0.0.1",))
    web = Web.live(settings)
    async with Browser(settings, offline=False) as browser:
        found, endpoints_total = await _endpoints(browser, web)
        alive, selectors_total = await _selectors(browser, web, seeds)
        tokens, seconds = await _summaries(browser, web, settings)
    return (
        ("endpoints found", f"{found} of {endpoints_total}", ">= 95 %"),
        ("selectors unique and alive in a new session", f"{alive} of {selectors_total}", ">= 98 %"),
        ("longest summary, tokens (estimated)", str(tokens), "<= 2,000"),
        ("a call, median seconds", f"{seconds:.2f}", "-"),
    )


def run(folder: Path, *, quick: bool) -> list[Section]:
    """The table of what was measured."""
    seeds = SEEDS_QUICK if quick else SEEDS
    explained = (
        "Fixture pages on loopback: every way to ask for data, at load and by a click; pages whose ids, "
        f"class names and counters are other ones on every load, from {seeds} seeds."
    )
    rows = asyncio.run(_measured(folder, seeds))
    return [Section("Page analysis", explained, ("measure", "found", "goal"), rows)]
