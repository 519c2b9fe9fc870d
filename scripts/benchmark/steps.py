"""What ``test_action_steps`` costs beside the bare page, whether it repeats, and what calls leave behind."""

from __future__ import annotations

import asyncio
import gc
import json
import re
import statistics
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, cast

from scripts.benchmark import bare
from scripts.benchmark.steps_site import KINDS, Kind, serve
from scripts.benchmark.table import Section
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.evidence.cite import Collector
from verifaible.net.web import Web
from verifaible.search.base import SearchBackend
from verifaible.tools.action_steps import action_steps
from verifaible.tools.context import ToolContext
from verifaible.tools.toolbox import Toolbox

if TYPE_CHECKING:
    from playwright.async_api import Browser as PlaywrightBrowser

GOAL_OVERHEAD_MS, GOAL_GROWTH = 150.0, 0.05
REPEATS, REPEATS_QUICK = 50, 10
#: Rounds that are timed, after one that warms the browser.
ROUNDS, ROUNDS_QUICK = 10, 5
#: Calls after which memory and processes are looked at.
CALLS, CALLS_QUICK = 200, 50
#: So often memory is looked at; the first looks, at which caches still fill, do not count.
_LOOKS, _WARMING = 25, 2
#: So many looks make the early and the late figure.
_WINDOW = 6


@dataclass(frozen=True, slots=True)
class Timed:
    """Medians in milliseconds: the tool, and the bare page with the same steps."""

    name: str
    tool_ms: float
    bare_ms: float


@dataclass(frozen=True, slots=True)
class Memory:
    """Megabytes: this process, Playwright's driver, and the browser with all its processes."""

    python_mb: float
    driver_mb: float
    browser_mb: float

    @property
    def total_mb(self) -> float:
        """All of it."""
        return self.python_mb + self.driver_mb + self.browser_mb


@dataclass(frozen=True, slots=True)
class Left:
    """What calls leave behind: processes, and memory by and by.

    The driver's collector lets garbage pile up for a hundred calls and more before it takes it all, so that
    one look says little: what is kept is the least that a few looks in a row see.
    """

    calls: int
    orphans: int
    looks: tuple[Memory, ...]

    @property
    def early(self) -> Memory:
        """What was kept soon after the start."""
        return _least(self.looks[_WARMING : _WARMING + _WINDOW])

    @property
    def late(self) -> Memory:
        """What was kept at the end."""
        return _least(self.looks[-_WINDOW:])

    @property
    def growth(self) -> float:
        """By how much memory grew, as a share."""
        return self.late.total_mb / self.early.total_mb - 1


def _least(looks: Sequence[Memory]) -> Memory:
    return Memory(
        min(each.python_mb for each in looks),
        min(each.driver_mb for each in looks),
        min(each.browser_mb for each in looks),
    )


@asynccontextmanager
async def _toolbox(folder: Path) -> AsyncIterator[Toolbox]:
    settings = Settings(home=folder, allow_hosts=("127.0.0.1",))
    async with Browser(settings, offline=False) as browser:
        nothing = cast(Collector, None), cast(SearchBackend, None)
        context = ToolContext(settings, Web.live(settings), browser, *nothing)
        yield Toolbox([action_steps(context)])


async def _call(toolbox: Toolbox, url: str, kind: Kind) -> str:
    arguments = {"url": url + kind.path, "action_steps": list(kind.steps), "anchor": kind.anchor}
    return (await toolbox.call("test_action_steps", json.dumps(arguments))).text


async def _bare(browser: PlaywrightBrowser, url: str, kind: Kind) -> None:
    """The page by hand: a context, the steps, and a wait for the words that the steps bring."""
    async with bare.fresh_page(browser) as page:
        await page.goto(url + kind.path)
        for step in kind.steps:
            if step["type"] == "click":
                await page.click(step["selector"])
            elif step["type"] == "type":
                await page.fill(step["selector"], step["value"])
            elif step["type"] == "select":
                await page.select_option(step["selector"], step["value"])
            elif step["type"] == "exec_js":
                await page.evaluate(step["code"])
        await page.get_by_text(kind.anchor).first.wait_for()


async def measure_overhead(folder: Path, rounds: int) -> list[Timed]:
    """The tool and the bare page in turn, each in a warm browser."""
    from playwright.async_api import async_playwright

    found = []
    with serve() as url:
        async with _toolbox(folder) as toolbox, async_playwright() as playwright:
            running = await bare.start(playwright)
            for kind in KINDS:
                tool, alone = [], []
                for _ in range(rounds + 1):
                    started = perf_counter()
                    await _call(toolbox, url, kind)
                    tool.append(perf_counter() - started)
                    started = perf_counter()
                    await _bare(running, url, kind)
                    alone.append(perf_counter() - started)
                found.append(Timed(kind.name, _median_ms(tool[1:]), _median_ms(alone[1:])))
            await running.close()
    return found


async def measure_repeats(folder: Path, repeats: int) -> list[tuple[str, int, int]]:
    """Of each kind: how often the words were found, and how many different replies there were."""
    found = []
    with serve() as url:
        async with _toolbox(folder) as toolbox:
            for kind in KINDS:
                replies = [await _call(toolbox, url, kind) for _ in range(repeats)]
                hits = sum("\nFOUND exactly" in reply for reply in replies)
                shapes = {re.sub(r"\b[0-9a-f]{8}\b|in \d+ ms", "", reply) for reply in replies}
                found.append((kind.name, hits, len(shapes)))
    return found


async def measure_left(folder: Path, calls: int) -> Left:
    """Play many calls, one after the other, and look at processes and memory."""
    before = _descendants()
    looks: list[Memory] = []
    with serve() as url:
        async with _toolbox(folder) as toolbox:
            for number in range(calls):
                await _call(toolbox, url, KINDS[number % len(KINDS)])
                if (number + 1) * _LOOKS // calls > len(looks):
                    looks.append(await _resting())
    orphans = len(_descendants() - before)
    return Left(calls, orphans, tuple(looks))


async def _resting() -> Memory:
    """Memory once what is being closed is closed."""
    await asyncio.sleep(1.0)
    gc.collect()
    drivers = {pid for pid in _descendants() if _is_driver(pid)}
    browsers = _descendants() - drivers
    return Memory(_memory_mb({_own()}), _memory_mb(drivers), _memory_mb(browsers))


def _is_driver(pid: int) -> bool:
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return Path(command.partition(b"\0")[0].decode()).name.startswith("node")


def _memory_mb(pids: Collection[int]) -> float:
    return sum(_memory_kb(pid) for pid in pids) / 1024


def _own() -> int:
    return int(Path("/proc/self").resolve().name)


def _descendants() -> set[int]:
    """The processes that this one has started, and those that they have, as Linux knows them."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                stat = (folder / "stat").read_text()
            except OSError:
                continue  # it ended while we looked
            parents[int(folder.name)] = int(stat.rpartition(")")[2].split()[1])
    found = {_own()}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {_own()}


def _memory_kb(pid: int) -> int:
    """Memory of a process with its part of what is shared, in kilobytes; 0 once it has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def _median_ms(seconds: Sequence[float]) -> float:
    return statistics.median(seconds) * 1000


def run(folder: Path, *, quick: bool) -> list[Section]:
    """The tables on action steps."""
    rounds, repeats, calls = (ROUNDS_QUICK, REPEATS_QUICK, CALLS_QUICK) if quick else (ROUNDS, REPEATS, CALLS)
    timed = asyncio.run(measure_overhead(folder, rounds))
    repeated = asyncio.run(measure_repeats(folder, repeats))
    left = asyncio.run(measure_left(folder, calls))
    over = statistics.median(each.tool_ms - each.bare_ms for each in timed)
    return [
        Section(
            "Action steps beside the bare page",
            f"Medians of {rounds} calls in turn with the same steps in bare Playwright, which waits for the "
            "words they bring.",
            ("page and steps", "more", "test_action_steps", "bare", "goal"),
            (
                *(
                    (
                        one.name,
                        f"{one.tool_ms - one.bare_ms:+.0f} ms",
                        f"{one.tool_ms:.0f} ms",
                        f"{one.bare_ms:.0f} ms",
                        "",
                    )
                    for one in timed
                ),
                ("median", f"{over:+.0f} ms", "", "", f"at most {GOAL_OVERHEAD_MS:+.0f} ms"),
            ),
        ),
        Section(
            "The same steps again",
            f"Of {repeats} calls, those that found the words; and how many different replies there were, "
            "times and boundaries aside.",
            ("page and steps", "found", "different replies"),
            tuple((name, f"{hits} of {repeats}", str(shapes)) for name, hits, shapes in repeated),
        ),
        Section(
            "Many calls",
            f"{left.calls} calls, after which {left.orphans} processes were left. Memory is looked at "
            f"{_LOOKS} times; early and late are the least that {_WINDOW} looks in a row saw, the first "
            f"{_WARMING} looks aside. Goal: no process, and less than {GOAL_GROWTH:.0%} more.",
            ("memory of", "early", "late", "growth"),
            tuple(
                (name, f"{early:.0f} MB", f"{late:.0f} MB", f"{late / early - 1:+.1%}")
                for name, early, late in (
                    ("this process", left.early.python_mb, left.late.python_mb),
                    ("Playwright's driver", left.early.driver_mb, left.late.driver_mb),
                    ("the browser", left.early.browser_mb, left.late.browser_mb),
                    ("all", left.early.total_mb, left.late.total_mb),
                )
            ),
        ),
    ]
