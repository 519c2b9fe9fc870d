"""What the guard costs: a page loaded live through the proxy, and by the same browser without it.

Everything is on loopback, where the way is as short as it can be and the share of the proxy as large.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

from scripts.benchmark import bare
from scripts.benchmark.site import KINDS, Site, serve
from scripts.benchmark.table import Section
from verifaible.browser.chromium.running import Identity
from verifaible.browser.page.fresh import Contexts, Kind
from verifaible.net.egress import EgressProxy
from verifaible.net.guard import UrlGuard

if TYPE_CHECKING:
    from playwright.async_api import Browser

ROUNDS, ROUNDS_QUICK = 12, 6


async def load(contexts: Contexts, browser: Browser, url: str) -> float:
    """Milliseconds from asking for a fresh context to the load event of a page in it."""
    started = perf_counter()
    fresh = await contexts.take(Kind(browser, Identity(), UrlGuard(bare.LOOPBACK)))
    await fresh.page.goto(url, wait_until="load")
    spent = perf_counter() - started
    contexts.give_back(fresh)
    return spent * 1000


async def measure(site: Site, rounds: int) -> list[tuple[str, float, float]]:
    """Name of the page, median without the proxy and median with it, in milliseconds."""
    from playwright.async_api import async_playwright

    found = []
    async with EgressProxy() as proxy, async_playwright() as playwright:
        through = await bare.start(playwright, f"--proxy-server={proxy.url}")
        ways = [(await bare.start(playwright), Contexts()), (through, Contexts(proxy))]
        for kind in KINDS:
            if kind.path.endswith(".pdf") or not kind.usual:
                continue
            spent: tuple[list[float], list[float]] = ([], [])
            for turn in range(rounds + 1):
                # Taking turns, so that whatever else the machine does falls on both.
                for way in (0, 1) if turn % 2 else (1, 0):
                    browser, contexts = ways[way]
                    took = await load(contexts, browser, f"{site.url}{kind.path}?{turn}")
                    if turn:
                        spent[way].append(took)
            found.append((kind.name, median(spent[0]), median(spent[1])))
        for browser, contexts in ways:
            await contexts.close()
            await browser.close()
    return found


def run(_: Path, *, quick: bool) -> list[Section]:
    """What the guard costs, as a table."""
    rounds = ROUNDS_QUICK if quick else ROUNDS
    with serve() as site:
        found = asyncio.run(measure(site, rounds))
    rows = [(name, f"{way / alone:.2f}", f"{alone:.0f} ms", f"{way:.0f} ms") for name, alone, way in found]
    together = sum(way for _, _, way in found) / sum(alone for _, alone, _ in found)
    rows.append(("together", f"{together:.2f}", "", ""))
    return [
        Section(
            "What the guard costs",
            f"A page loaded live by the same Chromium without and with the proxy, medians of {rounds} loads "
            "in turn; goal: at most 1.10 together.",
            ("page", "ratio", "without", "with"),
            tuple(rows),
        )
    ]
