"""How long a citation takes beside a bare load with a screenshot, and what it adds to the store."""

from __future__ import annotations

import asyncio
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from scripts.benchmark import bare
from scripts.benchmark.site import KINDS, Kind, Site, serve
from scripts.benchmark.sizes import COLUMNS, EXPLAINED, Sizes, files, sizes
from scripts.benchmark.table import Section, megabytes
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import NotReproducible, ToolError
from verifaible.evidence.cite import Collector
from verifaible.evidence.replay import replay
from verifaible.evidence.request import CiteRequest
from verifaible.net.web import Web
from verifaible.store.sealed import picture_files
from verifaible.store.store import Store

if TYPE_CHECKING:
    from playwright.async_api import Browser as PlaywrightBrowser

GOAL_MEDIAN, GOAL_EACH, GOAL_REPLAY_S = 1.8, 2.5, 2.0
#: Further goals by the path of the page: seconds of a citation, and megabytes that it adds to the store.
#: The table took 7,994 ms before, on the machine that the goals were set on.
GOALS = {"/long": (3.0, 0.6), "/table": (0.6 * 7.994, None)}
#: Rounds that count, after one that warms the browser: of usual pages, and of those that take long.
ROUNDS, ROUNDS_QUICK, ROUNDS_SLOW = 5, 3, 2
#: All rounds of a page; a page that hangs takes no other with it.
PAGE_TIMEOUT_S = 240


@dataclass(frozen=True, slots=True)
class Measured:
    """Medians of one kind of page, and what its citation added to the store."""

    kind: Kind
    cite_s: float
    bare_s: float
    replay_s: float
    ratio: float
    sent_bytes: int
    added: Sizes

    def row(self) -> tuple[str, ...]:
        """The row of the table of speed."""
        seconds, stored_mb = GOALS.get(self.kind.path, (None, None))
        goal = f"at most {GOAL_EACH}"
        goal += "" if seconds is None else f", {seconds:.1f} s"
        goal += "" if stored_mb is None else f", {stored_mb} MB"
        return (
            self.kind.name,
            f"{self.ratio:.2f}",
            f"{self.cite_s:.2f} s",
            f"{self.bare_s:.2f} s",
            f"{self.replay_s:.2f} s",
            megabytes(self.added.whole),
            goal,
        )


@dataclass(frozen=True, slots=True)
class _Bench:
    """The two browsers, and where the pages and the citations are."""

    settings: Settings
    site: Site
    browser: Browser
    plain: PlaywrightBrowser
    collector: Collector

    async def measure(self, kind: Kind, rounds: int) -> Measured:
        """Cite, replay and load bare, in turn; of a usual page, once more before, which is not counted."""
        first = int(kind.usual)
        store = Path(self.collector.store.location)
        cites, bares, replays = [], [], []
        for number in range(rounds + first):
            # Each round has an address of its own, so that each makes a capture of its own.
            url = f"{self.site.url}{kind.path}?round={number}"
            there, sent = files(store), self.site.sent_bytes
            started = perf_counter()
            made = await self.collector.collect(CiteRequest(claim="A claim", url=url, anchor=kind.request))
            cites.append(perf_counter() - started)
            # Equal pictures share a file: it counts all the same.
            new = (files(store) - there) | set(picture_files(made.citation))
            sent, added = self.site.sent_bytes - sent, sizes(store, new)
            started = perf_counter()
            again = await replay(made.citation, self.collector.store, self.browser, self.settings)
            replays.append(perf_counter() - started)
            if again.verdict != "verified":
                raise NotReproducible(f"{again.message} Its speed means nothing.")
            bares.append(await _bare(self.plain, url, made.citation.anchor.text, kind.path.endswith(".pdf")))
        return Measured(
            kind,
            statistics.median(cites[first:]),
            statistics.median(bares[first:]),
            statistics.median(replays[first:]),
            statistics.median(cite / alone for cite, alone in zip(cites[first:], bares[first:], strict=True)),
            sent,
            added,
        )


async def measure(folder: Path, *, quick: bool) -> list[Measured | tuple[str, ...]]:
    """Each kind of page; of one beside the usual that cannot be cited, a row that says so."""
    from playwright.async_api import Error, async_playwright

    settings = Settings(home=folder, allow_hosts=bare.LOOPBACK)
    found: list[Measured | tuple[str, ...]] = []
    with serve() as site:
        async with async_playwright() as playwright, Browser(settings, offline=False) as browser:
            collector = Collector(settings, Web.live(settings), browser, Store(folder / "cited"))
            bench = _Bench(settings, site, browser, await bare.start(playwright), collector)
            for kind in KINDS:
                rounds = ROUNDS_QUICK if quick else ROUNDS
                rounds = rounds if kind.usual else ROUNDS_SLOW - quick
                try:
                    async with asyncio.timeout(PAGE_TIMEOUT_S):
                        found.append(await bench.measure(kind, rounds))
                except (ToolError, TimeoutError, Error) as error:
                    if kind.usual:
                        raise
                    print(f"{kind.name}: {error or type(error).__name__}", file=sys.stderr)
                    why = "not cited" if isinstance(error, ToolError) else "no figure"
                    found.append((kind.name, why, *[""] * 5))
                print(f"citing, {kind.name}: done", file=sys.stderr)
            await bench.plain.close()
    return found


async def _bare(browser: PlaywrightBrowser, url: str, shown: str, pdf: bool) -> float:
    """Seconds for a fresh context, the page, and a picture of all of it; of a PDF, of its page."""
    started = perf_counter()
    async with bare.fresh_page(browser) as page:
        if pdf:
            bare.render(await (await page.request.get(url)).body(), 5)
        else:
            await page.goto(url)
            await bare.wait_for_words(page, shown)
            await page.screenshot(full_page=True, scale="css", timeout=120_000)
    return perf_counter() - started


def _median(usual: list[Measured]) -> tuple[str, ...]:
    return (
        "median",
        f"{statistics.median(m.ratio for m in usual):.2f}",
        f"{statistics.median(m.cite_s for m in usual):.2f} s",
        f"{statistics.median(m.bare_s for m in usual):.2f} s",
        f"{statistics.median(m.replay_s for m in usual):.2f} s",
        "",
        f"at most {GOAL_MEDIAN}, replay {GOAL_REPLAY_S:g} s",
    )


def run(folder: Path, *, quick: bool) -> list[Section]:
    """Measure, and give the tables of speed and of size."""
    found = asyncio.run(measure(folder, quick=quick))
    measured = [each for each in found if isinstance(each, Measured)]
    usual = [each for each in measured if each.kind.usual]
    rows = [each.row() if isinstance(each, Measured) else each for each in found]
    return [
        Section(
            "Making a citation",
            f"Medians of {ROUNDS_QUICK if quick else ROUNDS} rounds on local pages after one that is not "
            f"counted, {ROUNDS_SLOW - quick} on the last {len(rows) - len(usual)}. Each round cites "
            "(capture, signature and self-replay included), replays the citation, and does the bare work in "
            "another warm browser of the same kind, without a proxy: a fresh context, the page until it "
            "shows the cited words, one screenshot of all of it (of a PDF: the download, and a picture of "
            "the cited page). Stored is what the citation adds to the store. The median is that of the first "
            f"{len(usual)} pages.",
            ("page", "cite / bare", "cite", "bare", "offline replay", "stored", "goal"),
            (*rows[: len(usual)], _median(usual), *rows[len(usual) :]),
        ),
        Section(
            "Size of a capture",
            f"Bytes that the server sent for the page (heads and bodies, text gzipped), beside {EXPLAINED}",
            ("page", *COLUMNS),
            tuple((each.kind.name, *each.added.cells(each.sent_bytes)) for each in measured),
        ),
    ]
