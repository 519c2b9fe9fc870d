"""``web_fetch`` beside crawl4ai and playwright-mcp: the same pages, the same Chromium, in turn."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from time import perf_counter

from scripts.benchmark import peers
from scripts.benchmark.bare import chromium
from scripts.benchmark.site import QUOTE, serve
from scripts.benchmark.table import Section

GOAL_CRAWL4AI, GOAL_PLAYWRIGHT, GOAL_START_S = 0.6, 1.0, 2.0
ROUNDS, ROUNDS_QUICK, STARTS, STARTS_QUICK = 15, 5, 5, 3
PAGES = (
    ("small page", "/small"),
    ("page with style sheet, script and two pictures", "/usual"),
    ("table of 500 rows", "/table"),
    ("long page (300 KB of text)", "/long"),
    ("page that loads JSON (rendered)", "/data"),
)
_RENDERED = PAGES[-1][1]
#: Milliseconds to read an address, and who reads so.
_Reader = Callable[[str], float]
_CRAWL4AI, _PLAYWRIGHT = "crawl4ai", "@playwright/mcp"


def _timed(call: Callable[[], object]) -> float:
    started = perf_counter()
    call()
    return (perf_counter() - started) * 1000


def _readers(stack: ExitStack, program: Path, folder: Path) -> dict[str, _Reader | str]:
    """Each tool, warm; or why there is no figure of it."""

    def ours() -> _Reader:
        server = stack.enter_context(peers.verifaible_mcp(folder, program))
        return lambda url: _timed(lambda: server.call("web_fetch", url=url))

    def crawl4ai() -> _Reader:
        port = stack.enter_context(peers.debuggable(program))
        script = Path(__file__).with_name("peer_crawl4ai.py")
        lines = peers.Lines([peers.PYTHON, script, port], peers.environment(folder))
        stack.enter_context(lines)

        def read(url: str) -> float:
            lines.send(url)
            return 1000 * float(lines.receive()["seconds"])

        return read

    def playwright() -> _Reader:
        server = stack.enter_context(peers.playwright_mcp(folder, program))
        return lambda url: _timed(lambda: server.call("browser_navigate", url=url))

    found: dict[str, _Reader | str] = {"": ours()}
    for name, start in ((_CRAWL4AI, crawl4ai), (_PLAYWRIGHT, playwright)):
        found[name] = start() if peers.version(name) else peers.NOT_INSTALLED
    return found


def _measured(readers: dict[str, _Reader | str], url: str, rounds: int) -> dict[str, float | str]:
    """The median of each reader of a page; the first round is not counted."""
    times: dict[str, list[float]] = {name: [] for name in readers}
    given = dict(readers)
    for number in range(rounds + 1):
        for name, reader in list(given.items()):
            if isinstance(reader, str):
                continue
            try:
                times[name].append(reader(f"{url}?{number}"))
            except (peers.PeerFailed, OSError) as error:
                if not name:
                    raise
                print(f"{name}: {error}", file=sys.stderr)
                given[name] = readers[name] = "failed"
    return {
        name: reader if isinstance(reader, str) else median(times[name][1:]) for name, reader in given.items()
    }


def _cells(found: dict[str, float | str]) -> tuple[str, ...]:
    """Ratios, then milliseconds."""
    mine = found[""]
    assert not isinstance(mine, str)
    ratios = [each if isinstance(each, str) else f"{mine / each:.2f}" for name, each in found.items() if name]
    return *ratios, *(each if isinstance(each, str) else f"{each:.0f} ms" for each in found.values())


def _started(program: Path, folder: Path, url: str, rounds: int) -> dict[str, float | str]:
    """From the start of a server's process to what it says of a page that loads JSON."""

    def ours(address: str) -> float:
        with ExitStack() as stack:
            return _timed(
                lambda: _told(
                    stack.enter_context(peers.verifaible_mcp(folder, program)), "web_fetch", address
                )
            )

    def playwright(address: str) -> float:
        with ExitStack() as stack:
            return _timed(
                lambda: stack.enter_context(peers.playwright_mcp(folder, program)).call(
                    "browser_navigate", url=address
                )
            )

    installed = peers.version(_PLAYWRIGHT)
    readers: dict[str, _Reader | str] = {
        "": ours,
        _PLAYWRIGHT: playwright if installed else peers.NOT_INSTALLED,
    }
    return _measured(readers, url, rounds)


def _told(server: peers.McpServer, tool: str, url: str) -> None:
    if QUOTE not in server.call(tool, url=url):
        raise SystemExit(f"{tool} did not render {url}: its speed means nothing.")


def run(folder: Path, *, quick: bool) -> list[Section]:
    """Measure, and give the tables."""
    program = chromium()
    rounds, starts = (ROUNDS_QUICK, STARTS_QUICK) if quick else (ROUNDS, STARTS)
    with serve() as site:
        with ExitStack() as stack:
            readers = _readers(stack, program, folder)
            read = [(name, _measured(readers, site.url + path, rounds)) for name, path in PAGES]
        first = _started(program, folder, site.url + _RENDERED, starts)
    goal = f"{GOAL_CRAWL4AI} of crawl4ai, {GOAL_PLAYWRIGHT} of playwright-mcp"
    return [
        Section(
            "Reading a page, beside crawl4ai and playwright-mcp",
            f"Medians of {rounds} calls in turn after one that is not counted, on local pages, with the same "
            f"Chromium ({program.name}), which crawl4ai uses over its debugging port. `web_fetch` and "
            "playwright-mcp (`browser_navigate`) are called over MCP, crawl4ai is timed in its own process. "
            "They open every page in the browser; `web_fetch` only one that is empty without its scripts "
            f"(the last), then in a fresh context. {peers.versions(_CRAWL4AI, _PLAYWRIGHT)}.",
            ("page", "/ crawl4ai", "/ playwright-mcp", "web_fetch", "crawl4ai", "playwright-mcp", "at most"),
            tuple((name, *_cells(found), goal) for name, found in read),
        ),
        Section(
            "An MCP server from its start",
            f"From the start of the process to its first result of a page that loads JSON; medians of "
            f"{starts} in turn, after one that is not counted.",
            ("what", "/ playwright-mcp", "verifaible mcp", "playwright-mcp", "at most"),
            (("first rendered page", *_cells(first), f"{GOAL_START_S:g} s"),),
        ),
    ]
