"""A program run on a stranger's input: time, memory and output bounded, no network where that can be."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from subprocess import DEVNULL, run
from typing import Final

#: The shell sets the limits on itself, then becomes the program; `-d` and `-f` count in KiB and 512 bytes.
_LIMITED: Final = 'ulimit -d "$1" && ulimit -f "$2" && ulimit -c 0 && shift 2 && exec "$@"'


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a program may use.

    Attributes:
        seconds: of the clock.
        memory_mb: of data.
        file_mb: of each file it writes, its messages among them.
    """

    seconds: float = 240.0  # the 143 files of OpenZeppelin 5.0.2 took 120 on two busy cores
    memory_mb: int = 2048
    file_mb: int = 64


@dataclass(frozen=True, slots=True)
class Ran:
    """How it ended; ``said`` is the end of what it printed, ``code`` is None where the time ran out."""

    code: int | None
    said: str


@cache
def network_cut() -> tuple[str, ...]:
    """The words before a command that leave it no network; empty where this system has no such thing."""
    program = shutil.which("unshare") if sys.platform == "linux" else None
    for options in (("--net",), ("--map-root-user", "--net")):
        if program:
            words = (program, *options, "--")
            tried = run([*words, "true"], stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, check=False)  # noqa: S603 - a fixed program
            if tried.returncode == 0:
                return words
    return ()


async def run_confined(command: Sequence[str], folder: Path, bounds: Bounds) -> Ran:
    """Run a program in a folder of its own; all that it started is ended with it.

    It sees no variable of this process, and finds no other program by name.

    Args:
        command: absolute path of the program, and its arguments.
        folder: where it works and writes.
        bounds: what it may use.

    Raises:
        OSError: it cannot be started.
    """
    log = folder / ".log"
    limits = (str(bounds.memory_mb * 1024), str(bounds.file_mb * 2048))
    with log.open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            *(*network_cut(), "/bin/sh", "-c", _LIMITED, "sh", *limits, *command),
            cwd=folder,
            env={"PATH": "/nonexistent", "HOME": str(folder), "TMPDIR": str(folder), "LANG": "C.UTF-8"},
            stdin=DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        code: int | None = None
        try:
            code = await asyncio.wait_for(process.wait(), bounds.seconds)
        except TimeoutError:
            pass
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    with log.open("rb") as output:
        output.seek(max(0, log.stat().st_size - 2000))
        return Ran(code, output.read().decode("utf-8", "replace"))
