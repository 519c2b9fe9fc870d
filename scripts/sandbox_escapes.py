"""Attempts to get out of the sandbox for programs, and how many succeed (``make escapes``).

The attempts are the rows of ``tests/suites/escapes.jsonl``. A program prints ESCAPED where it has reached
something that it must not. What it cannot know is looked at from outside: requests that left the worker, a
server on loopback that nobody may ask, seconds, bytes of the browser's processes, characters that came back,
and whether a plain program is right afterwards.
"""

from __future__ import annotations

import asyncio
import re
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.kit import suites
from verifaible.config import Settings
from verifaible.crypto.sandbox.running import Bounds, ProgramFailed, Sandbox

#: What the browser of a sandbox may take in all: an idle one with Python loaded takes some 0.5 GB.
MOST_BYTES = 1_600_000_000
#: Beyond the seconds of a program, on a busy machine: ending it and closing its page.
GRACE_S = 20.0

#: The programs; ``PORT`` stands for the port of a server on loopback.
ATTEMPTS: dict[str, str] = {row.id: row.input["program"] for row in suites.load("escapes")}


@dataclass(frozen=True, slots=True)
class Attempt:
    """How an attempt went: why it counts as an escape (empty: it does not), and what was measured."""

    name: str
    escaped: str
    seconds: float
    most_bytes: int
    said: str


async def attempt(box: Sandbox, name: str, canary: Canary) -> Attempt:
    """Run one attempt, and look at what it reached."""
    asked, refused, peak = len(canary.asked), len(box.refused), Peak()
    started = time.monotonic()
    reasons = []
    with peak.watching():
        try:
            ran = await box.run(ATTEMPTS[name].replace("PORT", str(canary.port)), {})
            said = f"{ran.output}\n{ran.result}"
        except ProgramFailed as error:
            said = f"{error.output}\n{error}"
    if len(said) > 2 * box.bounds.output_bytes + 1_000:
        reasons.append(f"{len(said)} characters came back")
    seconds = time.monotonic() - started - box.started_s
    if "ESCAPED" in said:
        reasons.append(said[said.index("ESCAPED") :][:120])
    if len(canary.asked) > asked:
        reasons.append("the server was asked")
    if len(box.refused) > refused:
        reasons.append(f"asked for {box.refused[-1]}")
    if seconds > box.bounds.seconds + GRACE_S:
        reasons.append(f"took {seconds:.0f} s")
    if peak.most > MOST_BYTES:
        reasons.append(f"took {peak.most / 1e6:.0f} MB")
    return Attempt(name, "; ".join(reasons), seconds, peak.most, said)


class Canary:
    """A server on loopback that notes whoever asks it."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        noted = self.asked

        class Handler(BaseHTTPRequestHandler):
            def handle(self) -> None:
                noted.append("asked")

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class Peak:
    """The most memory that this process's children held at once, looked at ten times a second (Linux)."""

    def __init__(self) -> None:
        self.most = 0

    @contextmanager
    def watching(self) -> Iterator[None]:
        over = threading.Event()

        def watch() -> None:
            while not over.wait(0.1):
                self.most = max(self.most, _resident())

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            over.set()
            watcher.join()


def _resident() -> int:
    """Private bytes of all descendants but Playwright's driver, which is no browser."""
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
    total, found = 0, {_own()}
    for child in sorted(parents):
        if parents[child] in found:
            found.add(child)
            try:
                status = Path(f"/proc/{child}/status").read_text()
                held = re.search(r"RssAnon:\s+(\d+)", status)
                total += 1024 * int(held[1]) if held and "node" not in status.splitlines()[0] else 0
            except OSError:
                continue
    return total


def _own() -> int:
    import os

    return os.getpid()


async def measure(names: list[str]) -> list[Attempt]:
    """Each attempt once, and a plain program after each."""
    canary = Canary()
    tried = []
    try:
        async with Sandbox(Settings(), Bounds()) as box:
            for name in names:
                tried.append(await attempt(box, name, canary))
                one = tried[-1]
                print(
                    f"{'ESCAPED' if one.escaped else 'held':8} {name}: {one.seconds:.1f} s, "
                    f"{one.most_bytes / 1e6:.0f} MB {one.escaped}",
                    flush=True,
                )
                if "-v" in sys.argv:
                    print(one.said[:1500], flush=True)
            plain = await box.run("sum(rows)", {"rows": ["1.1", "2.2"]})
            print("plain program afterwards:", plain.result)
            assert plain.result == "3.3"
    finally:
        canary.close()
    return tried


def main() -> None:
    """Measure all, or those whose names hold a word that is given."""
    words = [each for each in sys.argv[1:] if not each.startswith("-")]
    names = [name for name in ATTEMPTS if not words or any(word in name for word in words)]
    tried = asyncio.run(measure(names))
    escaped = [each for each in tried if each.escaped]
    print(
        f"{len(escaped)} of {len(tried)} escaped; longest {max(each.seconds for each in tried):.1f} s, "
        f"most memory {max(each.most_bytes for each in tried) / 1e6:.0f} MB"
    )
    sys.exit(bool(escaped))


if __name__ == "__main__":
    main()
