"""Browsers that somebody else started, as far as verifaible knows."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from verifaible.browser.chromium.launch import ARGUMENTS, find_browser
from verifaible.config import Settings


@dataclass(frozen=True, slots=True)
class Running:
    """A Chromium: its DevTools address, and its process, which leads a group of all of its own."""

    address: str
    process: int

    def signal(self, number: signal.Signals) -> None:
        """Send all of its processes a signal, if they are there."""
        with suppress(ProcessLookupError):
            os.killpg(self.process, number)


@asynccontextmanager
async def chromium(folder: Path) -> AsyncIterator[Running]:
    """A Chromium with nothing but a debugging port: no proxy, no WebRTC policy."""
    process = await asyncio.create_subprocess_exec(
        str(find_browser(Settings(), "").path),
        "--headless",
        "--no-sandbox",
        "--remote-debugging-port=0",
        f"--user-data-dir={folder}",
        *ARGUMENTS,
        "about:blank",
        start_new_session=True,  # the program on the PATH may be a script that starts the browser
        stderr=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
    )
    assert process.stderr is not None
    address = ""
    while not address:
        line = (await asyncio.wait_for(process.stderr.readline(), 120)).decode()
        address = line.partition("DevTools listening on ")[2].strip()
    running = Running(address, process.pid)
    try:
        yield running
    finally:
        running.signal(signal.SIGKILL)
        await asyncio.wait_for(process.communicate(), 120)


@asynccontextmanager
async def playwright_server(
    folder: Path, host: str = "127.0.0.1", options: Mapping[str, object] | None = None
) -> AsyncIterator[str]:
    """The address of a Playwright server with a Chromium that knows nothing of our arguments, or has these options."""
    config = folder / "server.json"
    path = find_browser(Settings(), "").path
    usual = {"headless": True, "chromiumSandbox": False, **(options or {})}
    config.write_text(json.dumps({**usual, "executablePath": str(path), "host": host, "port": 0}))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "playwright", "launch-server", "--browser", "chromium"),
        *("--config", str(config)),
        start_new_session=True,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    assert process.stdout is not None
    try:
        address = (await asyncio.wait_for(process.stdout.readline(), 120)).decode().strip()
        assert address.startswith(f"ws://{host}:"), address
        yield address
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await asyncio.wait_for(process.communicate(), 120)
