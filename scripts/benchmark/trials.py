"""Speed and memory of the bench, beside a plain Playwright script that does the least possible.

The plain script opens the same 21 pages once from the same archives, runs the same steps, waits only until
the evidence is on the page, and takes one screenshot of the whole page; it finds, seals, stores and replays
nothing.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import re
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scripts.benchmark import bare
from scripts.benchmark.site import deflated_size
from scripts.benchmark.sizes import COLUMNS, EXPLAINED, files, sizes
from scripts.benchmark.table import Section
from verifaible.archive.reader import WaczReader
from verifaible.bench.cases import load_cases
from verifaible.config import Settings
from verifaible.net.web import Web
from verifaible.schema.action import ActionStep, Click, ExecJs, Select, Type
from verifaible.schema.web import WebExchange
from verifaible.store.sealed import capture_file, picture_files
from verifaible.store.store import Store
from verifaible.tools.cite import CiteArguments

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

ROOT = Path(__file__).resolve().parents[2]
#: Goals of the project for two cores.
GOAL_SECONDS, GOAL_RATIO, GOAL_HELP_SECONDS, GOAL_MEMORY_MB = 60.0, 2.2, 0.5, 300.0
GOAL_SPEED_UP = 1.6
#: So often the bench and the plain script take turns.
ROUNDS, ROUNDS_QUICK = 3, 1


@dataclass(frozen=True, slots=True)
class Visit:
    """One page of the plain script: what to open, what to do, what to wait for."""

    url: str
    steps: tuple[ActionStep, ...]
    text: str
    pdf: bool


def visits(texts: dict[str, str]) -> list[Visit]:
    """The pages that the oracle cites, with the text that it captured there."""
    found = []
    for case in load_cases(Settings(home=ROOT).cases_dir):
        assert case.oracle is not None
        for step in case.oracle.steps:
            if step.tool == "verifaible_cite":
                request = CiteArguments.model_validate(step.arguments).request()
                kind = request.anchor.evidence_type
                # Of a video nothing but the watch page itself can be waited for.
                text = "" if kind in ("video", "pdf") else texts[case.id]
                found.append(Visit(request.url, request.steps, text, kind == "pdf"))
    return found


async def plain(pages: list[Visit], web: Web) -> float:
    """Seconds that the plain script takes; opening the archives is set-up and not counted."""
    from playwright.async_api import async_playwright

    from verifaible.browser.chromium.launch import launch

    started = perf_counter()
    async with async_playwright() as playwright:
        browser = await launch(playwright, web.settings, offline=True)
        for visit in pages:
            await _visit(browser, visit, web)
        await browser.close()
    return perf_counter() - started


async def _visit(browser: Browser, visit: Visit, web: Web) -> None:
    from verifaible.browser.traffic.offline import route_offline
    from verifaible.browser.traffic.traffic import Traffic

    player = web.player()
    assert player is not None
    async with bare.fresh_page(browser) as page:
        traffic = Traffic(player=player)
        await route_offline(traffic, page.context)
        await page.goto(visit.url)
        for step in visit.steps:
            await _do(page, step)
        if visit.pdf:
            while not traffic.documents:
                await asyncio.sleep(0.005)
            bare.render(traffic.documents[-1].body, 2)
        else:
            await bare.wait_for_words(page, visit.text)
            await page.screenshot(full_page=True, scale="css")


async def _do(page: Page, step: ActionStep) -> None:
    if isinstance(step, ExecJs):
        await page.evaluate(step.code)
    elif isinstance(step, Click):
        target = page.locator(step.selector) if step.selector else page.get_by_text(step.elementText)
        if step.selector and step.elementText:
            target = target.filter(has_text=step.elementText)
        await target.first.click()
    elif isinstance(step, Type):
        await page.locator(step.selector).first.fill(step.value)
    elif isinstance(step, Select):
        await page.locator(step.selector).first.select_option(step.value)


def oracle(concurrency: int, folder: Path) -> tuple[float, float, dict[str, str]]:
    """Run the oracle in a process of its own.

    Returns:
        Seconds of the whole command, peak memory of its Python process in MB, and the text
        that each case captured.
    """
    code = (
        "import resource, sys, atexit\n"
        "atexit.register(lambda: print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, "
        "file=sys.stderr))\n"
        "from verifaible.cli.bench import bench\n"
        "from verifaible.console.options import guarded\n"
        "guarded(bench)\n"
    )
    command = [sys.executable, "-c", code, "--model", "oracle", "--json"]
    command += ["--concurrency", str(concurrency), "--output", str(folder)]
    started = perf_counter()
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "VERIFAIBLE_STORE": str(folder / "store"), "VERIFAIBLE_HOME": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
        timeout=900,
    )
    seconds = perf_counter() - started
    run = Path(json.loads(done.stdout)["run"])
    results = [json.loads(line) for line in (run / "results.jsonl").read_text().splitlines()]
    if any(result["score"] != 100 or not result["verified"] for result in results):
        raise SystemExit("The oracle did not reach 100 and verified everywhere: its speed means nothing.")
    peak = float(done.stderr.strip().splitlines()[-1])
    scale = 1024 * 1024 if platform.system() == "Darwin" else 1024
    return seconds, peak / scale, {each["case"]: each["citations"][0]["text"] for each in results}


def help_seconds() -> float:
    """Median seconds of ``python -m verifaible.bench --help``, of five runs."""
    taken = []
    for _ in range(5):
        started = perf_counter()
        subprocess.run(
            [sys.executable, "-m", "verifaible.bench", "--help"], cwd=ROOT, capture_output=True, check=True
        )
        taken.append(perf_counter() - started)
    return statistics.median(taken)


def replica_sizes(folder: Path) -> Section:
    """What the citations of the replicas take, by host."""
    store = Store(folder)
    there = files(folder)
    sent: dict[str, int] = {}
    names: dict[str, set[str]] = {}
    for row in store.rows():
        citation = store.get(row.id)
        host, capture = urlsplit(citation.final_url).hostname or "", capture_file(citation.capture.sha256)
        if capture not in names.setdefault(host, set()):
            with WaczReader(folder / capture) as reader:
                sent[host] = sent.get(host, 0) + sum(map(_sent, reader.exchanges()))
        names[host] |= {capture, *picture_files(citation), *(name for name in there if citation.id in name)}
    return Section(
        "Size of the captures of the replicas",
        "Bytes of the archived answers, by site (text gzipped, with heads; replicas come out of an archive), "
        f"for all citations that the 21 oracle trials made, beside {EXPLAINED}",
        ("site", *COLUMNS),
        tuple((host, *sizes(folder, names[host]).cells(sent[host])) for host in sorted(names)),
    )


def _sent(exchange: WebExchange) -> int:
    """The bytes that a server would send for an archived answer."""
    response = exchange.response
    text = re.match(r"text/|application/(json|javascript|xml)", response.content_type)
    body = min(len(response.body), deflated_size(response.body)) if text else len(response.body)
    return body + sum(len(name) + len(value) + 4 for name, value in response.headers) + 19


def run(folder: Path, *, quick: bool) -> list[Section]:
    """Measure, and give the tables."""
    web = Web.offline(Settings(home=ROOT))
    alone, simple, memory = [], [], 0.0
    for number in range(ROUNDS_QUICK if quick else ROUNDS):
        seconds, memory, texts = oracle(1, folder / str(number))
        alone.append(seconds)
        simple.append(asyncio.run(plain(visits(texts), web)))
    together, _, _ = oracle(2, folder / "together")
    four, _, _ = oracle(4, folder / "four")
    ratio = statistics.median(ours / theirs for ours, theirs in zip(alone, simple, strict=True))
    rows = (
        ("bench / plain script, both one after the other", f"{ratio:.2f}", f"at most {GOAL_RATIO}"),
        ("21 oracle trials, one after the other", f"{statistics.median(alone):.1f} s", ""),
        ("plain Playwright script, one after the other", f"{statistics.median(simple):.1f} s", ""),
        ("21 oracle trials, two at once (the default)", f"{together:.1f} s", f"under {GOAL_SECONDS:.0f} s"),
        ("21 oracle trials, four at once", f"{four:.1f} s", ""),
        (
            "one after the other / four at once",
            f"{statistics.median(alone) / four:.2f}",
            f"at least {GOAL_SPEED_UP}",
        ),
        ("`python -m verifaible.bench --help`", f"{help_seconds():.2f} s", f"under {GOAL_HELP_SECONDS} s"),
        ("peak memory of the Python process", f"{memory:.0f} MB", f"under {GOAL_MEMORY_MB:.0f} MB"),
    )
    explained = (__doc__ or "").split("\n\n")[-1].strip()
    explained += f" Both take turns; medians of {len(alone)}." if len(alone) > 1 else ""
    sections = [Section("The bench", explained, ("what", "measured", "goal"), rows)]
    return [*sections, replica_sizes(folder / "0" / "store")]
