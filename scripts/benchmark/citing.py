"""How long a citation takes beside a bare load with a screenshot, and how large its capture is."""

from __future__ import annotations

import asyncio
import statistics
import zipfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from scripts.benchmark.site import KINDS, Kind, Site, serve
from scripts.benchmark.table import Section
from verifaible.browser.session import Browser
from verifaible.config import Settings
from verifaible.evidence.collect import CiteRequest, Collector
from verifaible.evidence.replay import replay
from verifaible.evidence.store import Store, capture_file
from verifaible.net.web import Web

if TYPE_CHECKING:
    from playwright.async_api import Browser as PlaywrightBrowser

GOAL_SECONDS, GOAL_RATIO, GOAL_SIZE = 2.5, 2.5, 1.2
#: The first round warms the browser and is not counted.
ROUNDS = 6


@dataclass(frozen=True, slots=True)
class Measured:
    """Medians of one kind of page; sizes in bytes, ``parts`` by folder and file of the capture."""

    name: str
    cite_s: float
    bare_s: float
    replay_s: float
    sent_bytes: int
    whole_bytes: int
    parts: dict[str, int]

    @property
    def ratio(self) -> float:
        """Citing over bare loading."""
        return self.cite_s / self.bare_s


async def measure(folder: Path) -> list[Measured]:
    """Cite each kind of page, in turn with bare loads in the same warm browser."""
    settings = Settings(home=folder, allow_hosts=("127.0.0.1",))
    store = Store(folder / "cited")
    found = []
    with serve() as site:
        async with Browser(settings, offline=False) as browser:
            collector = Collector(settings, Web.live(settings), browser, store)
            for kind in KINDS:
                found.append(await _measured(kind, site, collector, browser, settings))
    return found


async def _measured(
    kind: Kind, site: Site, collector: Collector, browser: Browser, settings: Settings
) -> Measured:
    cites, bares, replays, sent = [], [], [], 0
    for number in range(ROUNDS):
        # Each round has an address of its own, so that each makes a capture of its own.
        url = f"{site.url}{kind.path}?round={number}"
        before, started = site.sent_bytes, perf_counter()
        made = await collector.collect(CiteRequest(claim="A claim", url=url, anchor=kind.request))
        cites.append(perf_counter() - started)
        sent = site.sent_bytes - before
        started = perf_counter()
        again = await replay(made.citation, collector.store, browser, settings)
        replays.append(perf_counter() - started)
        if again.verdict != "verified":
            raise SystemExit(f"{kind.name}: {again.message} Its speed means nothing.")
        bares.append(await _bare(browser, url, made.citation.anchor.text, pdf=kind.path.endswith(".pdf")))
    with collector.store.files.local(capture_file(made.citation.capture.sha256)) as path:
        parts = sizes(path)
    return Measured(
        kind.name,
        statistics.median(cites[1:]),
        statistics.median(bares[1:]),
        statistics.median(replays[1:]),
        sent,
        made.citation.capture.size_bytes,
        parts,
    )


async def _bare(browser: Browser, url: str, shown: str, *, pdf: bool) -> float:
    """Seconds for a fresh context, the page, and a picture of all of it; of a PDF, of its page."""
    from playwright.async_api import Error

    warm: PlaywrightBrowser = await browser._ready()  # the very one that cites
    started = perf_counter()
    context = await warm.new_context(viewport={"width": 1280, "height": 900})
    page = await context.new_page()
    if pdf:
        async with page.expect_download() as coming:
            try:
                await page.goto(url)
            except Error as error:
                if "Download is starting" not in error.message:
                    raise
        _render((await (await coming.value).path()).read_bytes())
    else:
        await page.goto(url)
        await page.wait_for_function("text => document.body.innerText.includes(text)", arg=shown)
        await page.screenshot(full_page=True, scale="css")
    await context.close()
    return perf_counter() - started


def _render(body: bytes) -> None:
    from verifaible.extract.pdf import PdfDocument

    with PdfDocument(body) as pdf:
        pdf.render(5)


def sizes(path: Path) -> dict[str, int]:
    """What each file of a capture takes in it, in bytes; ``rest`` is what packs them."""
    with zipfile.ZipFile(path) as file:
        parts = {info.filename: info.compress_size for info in file.infolist()}
    parts["rest"] = path.stat().st_size - sum(parts.values())
    return parts


def sections(measured: list[Measured]) -> list[Section]:
    """The tables of speed and of size."""
    speed = [
        (m.name, f"{m.bare_s:.2f} s", f"{m.cite_s:.2f} s", f"{m.ratio:.2f}", f"{m.replay_s:.2f} s")
        for m in measured
    ]
    speed.append(
        (
            "median",
            f"{statistics.median(m.bare_s for m in measured):.2f} s",
            f"{statistics.median(m.cite_s for m in measured):.2f} s",
            f"{statistics.median(m.ratio for m in measured):.2f}",
            f"{statistics.median(m.replay_s for m in measured):.2f} s",
        )
    )
    speed.append(("goal", "", f"at most {GOAL_SECONDS} s", f"at most {GOAL_RATIO}", "at most 2 s"))
    return [
        Section(
            "Making a citation",
            f"Medians of {ROUNDS - 1} rounds on local pages, after one that is not counted; each round cites "
            "(capture, signature and self-replay included), replays the citation, and does the bare work: a "
            "fresh context of the same warm browser, the page until it shows the cited words, one screenshot "
            "of all of it (of a PDF: the download, and a picture of the cited page).",
            ("page", "bare", "cite", "cite / bare", "offline replay"),
            tuple(speed),
        ),
        Section(
            "Size of a capture",
            "Bytes that the server sent for the page (heads and bodies, text gzipped), and the bytes of its "
            "capture: the part that a web archive holds (`archive/`, `indexes/`, `pages/`, package, "
            f"signature), then the evidence files. The goal is at most {GOAL_SIZE} times the bytes sent. The "
            "evidence is mostly `page.png`, a lossless picture of the whole page, which is many times larger "
            "than a small page's text, so only the archive part can be so small, and on pages of a few "
            "kilobytes not even that: heads, digests and the signature take some kilobytes however little "
            "was sent.",
            ("page", "sent", "archive part", "ratio", "page.png", "other evidence", "whole", "ratio"),
            tuple(size_row(m.name, m.sent_bytes, m.whole_bytes, m.parts) for m in measured),
        ),
    ]


def size_row(name: str, sent: int, whole: int, parts: dict[str, int]) -> tuple[str, ...]:
    """A row of a table of sizes; all in bytes."""
    evidence = sum(size for file, size in parts.items() if file.startswith("evidence/"))
    picture = parts.get("evidence/page.png", 0)
    archive = whole - evidence
    return (
        name,
        _kb(sent),
        _kb(archive),
        f"{archive / sent:.2f}",
        _kb(picture),
        _kb(evidence - picture),
        _kb(whole),
        f"{whole / sent:.2f}",
    )


def _kb(size: int) -> str:
    return f"{size / 1000:.1f} kB"


def run(folder: Path) -> list[Section]:
    """Measure, and give the tables."""
    return sections(asyncio.run(measure(folder)))
