"""What the guard costs: a page loaded live through the proxy, and by the same browser without it.

``python -m scripts.benchmark.egress`` prints a table of medians and their ratios. Everything is on
loopback, where the way is as short as it can be and the share of the proxy as large.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

from scripts.benchmark.site import KINDS, Site, serve
from scripts.benchmark.table import Section
from verifaible.browser.fresh import Contexts
from verifaible.browser.launch import ARGUMENTS, find_browser
from verifaible.config import Settings
from verifaible.net.guard import UrlGuard
from verifaible.net.proxy import EgressProxy

if TYPE_CHECKING:
    from playwright.async_api import Browser, Playwright

ALLOWED = ("127.0.0.1",)


async def load(contexts: Contexts, browser: Browser, url: str) -> float:
    """Milliseconds from asking for a fresh context to the load event of a page in it."""
    started = perf_counter()
    fresh = await contexts.take(browser)
    if fresh.admission is not None:
        fresh.admission.use(UrlGuard(ALLOWED))
    await fresh.page.goto(url, wait_until="load")
    spent = perf_counter() - started
    contexts.give_back(fresh)
    return spent * 1000


async def start(playwright: Playwright, proxy: EgressProxy | None) -> Browser:
    """A Chromium whose contexts choose their way out themselves."""
    found = find_browser(Settings(), playwright.chromium.executable_path)
    arguments = [*ARGUMENTS, f"--proxy-server={proxy.url}"] if proxy else list(ARGUMENTS)
    return await playwright.chromium.launch(
        executable_path=found.path, args=arguments, chromium_sandbox=False
    )


async def measure(site: Site, rounds: int) -> list[tuple[str, float, float]]:
    """Name of the page, median without the proxy and median with it, in milliseconds."""
    from playwright.async_api import async_playwright

    found = []
    async with EgressProxy() as proxy, async_playwright() as playwright:
        ways = [(await start(playwright, each), Contexts(each)) for each in (None, proxy)]
        for kind in KINDS:
            if kind.path.endswith(".pdf"):
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


def run(_folder: Path, rounds: int = 12) -> list[Section]:
    """What the guard costs, as a table."""
    with serve() as site:
        found = asyncio.run(measure(site, rounds))
    rows = [(name, f"{bare:.0f} ms", f"{way:.0f} ms", f"{way / bare:.2f}") for name, bare, way in found]
    together = sum(way for _, _, way in found) / sum(bare for _, bare, _ in found)
    rows.append(("together", "", "", f"{together:.2f}"))
    return [
        Section(
            "What the guard costs",
            f"A page loaded live by the same Chromium without and with the proxy, medians of {rounds} loads "
            "in turn; goal: at most 1.10 together.",
            ("page", "without", "with", "ratio"),
            tuple(rows),
        )
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20, help="loads of each page and way")
    for section in run(Path(), parser.parse_args().rounds):
        print(section.markdown())


if __name__ == "__main__":
    main()
