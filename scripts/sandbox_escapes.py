"""Attempts to get out of the sandbox for programs, and how many succeed (``make escapes``).

The attempts are the rows of ``tests/suites/escapes.jsonl``. A program prints ESCAPED where it has reached
something that it must not. What it cannot know is looked at from outside: a server on loopback that nobody
may ask, seconds, bytes of this process, characters that came back, and whether a plain program is right
afterwards.
"""

from __future__ import annotations

import asyncio
import re
import sys
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.kit import suites
from verifaible.crypto.sandbox.running import ProgramFailed, Sandbox

#: By how much a program may make this process grow: its own memory, and what is left of the one before.
MOST_BYTES = 700_000_000
#: Beyond the seconds of a program, on a busy machine.
GRACE_S = 10.0
#: The programs; ``PORT`` stands for the port of a server on loopback.
ATTEMPTS: dict[str, str] = {row.id: row.input["program"] for row in suites.load("escapes")}


@dataclass(frozen=True, slots=True)
class Attempt:
    """How an attempt went: why it counts as an escape (empty: it does not), and what was measured."""

    name: str
    escaped: str
    seconds: float
    said: str


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
        """End it."""
        self._server.shutdown()
        self._server.server_close()


async def attempt(box: Sandbox, name: str, canary: Canary) -> Attempt:
    """Run one attempt, and look at what it reached."""
    asked, before, started = len(canary.asked), _resident(), time.monotonic()
    try:
        ran = await box.run(ATTEMPTS[name].replace("PORT", str(canary.port)), {})
        said = f"{ran.output}\n{ran.result}"
    except ProgramFailed as error:
        said = f"{error.output}\n{error}"
    seconds = time.monotonic() - started
    reasons = []
    if "ESCAPED" in said:
        reasons.append(said[said.index("ESCAPED") :][:120])
    if len(said) > 2 * box.bounds.output_bytes + 1_000:
        reasons.append(f"{len(said)} characters came back")
    if len(canary.asked) > asked:
        reasons.append("the server was asked")
    if seconds > box.bounds.seconds + GRACE_S:
        reasons.append(f"took {seconds:.0f} s")
    if (grown := _resident() - before) > MOST_BYTES:
        reasons.append(f"took {grown / 1e6:.0f} MB")
    if (await box.run("sum(rows)", {"rows": ["1.1", "2.2"]})).result != "3.3":
        reasons.append("a plain program is wrong afterwards")
    return Attempt(name, "; ".join(reasons), seconds, said)


def _resident() -> int:
    """The most bytes that this process has held so far (Linux)."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    found = re.search(r"VmHWM:\s+(\d+)", status)
    return 1024 * int(found[1]) if found else 0


def main() -> None:
    """Try all, or those whose names hold a word that is given."""
    words = [each for each in sys.argv[1:] if not each.startswith("-")]
    names = [name for name in ATTEMPTS if not words or any(word in name for word in words)]
    canary, box, tried = Canary(), Sandbox(), []
    for name in names:
        tried.append(one := asyncio.run(attempt(box, name, canary)))
        print(
            f"{'ESCAPED' if one.escaped else 'held':8} {name}: {one.seconds:.1f} s {one.escaped}", flush=True
        )
        if "-v" in sys.argv:
            print(one.said[:1500], flush=True)
    canary.close()
    escaped = [each for each in tried if each.escaped]
    print(f"{len(escaped)} of {len(tried)} escaped; longest {max(each.seconds for each in tried):.1f} s")
    sys.exit(bool(escaped))


if __name__ == "__main__":
    main()
