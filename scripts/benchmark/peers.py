"""``web_fetch`` beside crawl4ai, in one run, on the same pages and the same Chromium.

``python -m scripts.benchmark.peers PYTHON [--write]``, where PYTHON is the interpreter of an environment with
crawl4ai in it: it needs other versions of our libraries, and is no part of what the project installs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from scripts.benchmark.site import serve
from scripts.benchmark.table import PAGE, Section, renewed
from verifaible.browser.launch import find_browser
from verifaible.browser.session import Browser
from verifaible.config import Settings
from verifaible.evidence.collect import Collector
from verifaible.evidence.store import Store
from verifaible.net.web import Web
from verifaible.search.choosing import search_for
from verifaible.tools.context import ToolContext
from verifaible.tools.registry import toolbox

TIMES = 15
_SCRIPT = Path(__file__).with_name("peer_crawl4ai.py")
#: Page, and whether it shows its content only after its scripts have run.
PAGES = (
    ("small page", "/small", False),
    ("page with style sheet, script and two pictures", "/usual", False),
    ("table of 500 rows", "/table", False),
    ("page that loads JSON", "/data", True),
)


def _crawl4ai(python: str, chromium: Path, urls: list[str]) -> dict[str, float]:
    """Median seconds by address."""
    with _debuggable(chromium) as cdp_url:
        done = subprocess.run(
            [python, str(_SCRIPT), cdp_url, str(TIMES), *urls], capture_output=True, text=True, check=False
        )
    if done.returncode:
        raise SystemExit(f"crawl4ai failed: {done.stderr[-600:]}")
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {line["url"]: median(line["seconds"]) for line in lines}


@contextmanager
def _debuggable(chromium: Path) -> Iterator[str]:
    """The same Chromium as ours, on its own, with a debugging port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as profile:
        process = subprocess.Popen(
            [
                chromium,
                f"--remote-debugging-port={port}",
                f"--user-data-dir={profile}",
                "--headless",
                "--no-sandbox",
                "about:blank",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Debian's chromium is a script that starts the browser
        )
        try:
            for _ in range(100):
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except OSError:
                    time.sleep(0.1)
            yield f"http://127.0.0.1:{port}"
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()


async def _ours(folder: Path, urls: list[str]) -> dict[str, float]:
    settings = Settings(home=folder, allow_hosts=("127.0.0.1",))
    web = Web.live(settings)
    found = {}
    async with Browser(settings, offline=False) as browser:
        collector = Collector(settings, web, browser, Store(folder / "store"))
        tools = toolbox(ToolContext(settings, web, browser, collector, search_for(web)))
        for url in urls:
            seconds = []
            for _ in range(TIMES + 1):
                started = time.perf_counter()
                reply = await tools.call("web_fetch", json.dumps({"url": url}))
                seconds.append(time.perf_counter() - started)
                if reply.error_code:
                    raise SystemExit(f"web_fetch did not read {url}: {reply.text}")
            found[url] = median(seconds[1:])
    return found


def section(python: str, folder: Path) -> Section:
    """The table."""
    chromium = find_browser(Settings(), "").path
    with serve() as site:
        urls = [site.url + path for _, path, _ in PAGES]
        ours = asyncio.run(_ours(folder, urls))
        theirs = _crawl4ai(python, chromium, urls)
    rows = []
    for (name, _, rendered), url in zip(PAGES, urls, strict=True):
        goal = "at most 220 ms, 0.6" if rendered else "at most 40 ms, 0.6"
        mine, other = ours[url] * 1000, theirs[url] * 1000
        rows.append((name, f"{mine:.0f} ms", f"{other:.0f} ms", f"{mine / other:.2f}", goal))
    return Section(
        "Reading a page, beside crawl4ai",
        f"Medians of {TIMES} calls after one that is not counted, on local pages, in one run with the same "
        f"Chromium ({chromium.name}), which crawl4ai uses over its debugging port. It opens every "
        "page in the browser; `web_fetch` only one that is empty without its scripts (the last).",
        ("page", "web_fetch", "crawl4ai", "ratio", "goal"),
        tuple(rows),
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("python", help="interpreter of an environment with crawl4ai")
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks.md")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = section(arguments.python, Path(folder))
    print(found.markdown())
    if arguments.write:
        page = PAGE.read_text(encoding="utf-8")
        head = page.partition("## ")[0].rstrip("\n") + "\n"
        PAGE.write_text(renewed(page, head, [found]), encoding="utf-8")


if __name__ == "__main__":
    main()
