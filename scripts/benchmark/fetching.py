"""``web_fetch`` beside crawl4ai and playwright-mcp: the same pages, the same Chromium, in turn."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
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
#: Reads an address, and gives the milliseconds that it took.
_Reader = Callable[[str], float]
_CRAWL4AI, _PLAYWRIGHT = "crawl4ai", "@playwright/mcp"


def _web_fetch(server: peers.McpServer, url: str) -> None:
    _check(server.call("web_fetch", url=url), url)


def _navigate(server: peers.McpServer, url: str) -> None:
    """Navigate, and ask for the page: the answer to the navigation only links to a file of it."""
    server.call("browser_navigate", url=url)
    _check(server.call("browser_snapshot"), url)


def _check(text: str, url: str) -> None:
    if _RENDERED in url and QUOTE not in text:
        raise peers.PeerFailed(f"{url} was read before it showed its words.")


def _timed(call: Callable[[], object]) -> float:
    started = perf_counter()
    call()
    return (perf_counter() - started) * 1000


def _readers(stack: ExitStack, program: Path, folder: Path) -> dict[str, _Reader | str]:
    """Each tool, warm; or why there is no figure of it."""
    server = stack.enter_context(peers.verifaible_mcp(folder, program))
    found: dict[str, _Reader | str] = {
        "": lambda url: _timed(lambda: _web_fetch(server, url)),
        _CRAWL4AI: peers.NOT_INSTALLED,
        _PLAYWRIGHT: peers.NOT_INSTALLED,
    }
    if peers.version(_CRAWL4AI):
        port = stack.enter_context(peers.debuggable(program))
        script = Path(__file__).with_name("peer_crawl4ai.py")
        lines = stack.enter_context(peers.Lines([peers.PYTHON, script, port], peers.environment(folder)))

        def crawl(url: str) -> float:
            lines.send(url)
            answer = lines.receive()
            _check(answer["text"], url)
            return 1000 * float(answer["seconds"])

        found[_CRAWL4AI] = crawl
    if peers.version(_PLAYWRIGHT):
        other = stack.enter_context(peers.playwright_mcp(folder, program))
        found[_PLAYWRIGHT] = lambda url: _timed(lambda: _navigate(other, url))
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
            start = partial(peers.verifaible_mcp, folder, program)
            return _timed(lambda: _web_fetch(stack.enter_context(start()), address))

    def playwright(address: str) -> float:
        with ExitStack() as stack:
            start = partial(peers.playwright_mcp, folder, program)
            return _timed(lambda: _navigate(stack.enter_context(start()), address))

    theirs = playwright if peers.version(_PLAYWRIGHT) else peers.NOT_INSTALLED
    return _measured({"": ours, _PLAYWRIGHT: theirs}, url, rounds)


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
            "playwright-mcp (`browser_navigate`, then `browser_snapshot`) are called over MCP; crawl4ai is "
            "timed in its own process. All of them open every page in the browser, `web_fetch` "
            "in a fresh context. "
            f"{peers.versions(_CRAWL4AI, _PLAYWRIGHT)}.",
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
