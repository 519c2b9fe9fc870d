"""The Solidity compiler of npm (``solc``): which version is there, and a syntax tree by it.

It runs on a stranger's input: time, memory and output are bounded, and it has no network where that can be.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from subprocess import DEVNULL, run
from typing import Any, Final

from verifaible.crypto.contracts.records import Ended
from verifaible.tools.presenting import one_line

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


#: `compileStandardWrapper` is what versions before 0.5 call it.
_PROGRAM: Final = (
    "const solc = require(process.argv[1]), fs = require('fs');"
    "const compile = solc.compileStandardWrapper || solc.compile;"
    "fs.writeFileSync('output.json', compile(fs.readFileSync('input.json', 'utf8')));"
)


@dataclass(frozen=True, slots=True)
class Compiler:
    """A version of the compiler, and the folder of its package."""

    version: str
    folder: Path


class Unanalysed(Exception):
    """There is no analysis of a source; the message says what to know or do.

    Attributes:
        ended: why, in a word.
    """

    def __init__(self, ended: Ended, message: str) -> None:
        self.ended = ended
        super().__init__(message)


def installed(modules: Path) -> list[Compiler]:
    """The compilers in a folder ``node_modules``, under whatever alias they were installed."""
    found = []
    for file in [*modules.glob("*/package.json"), *modules.glob("@*/*/package.json")]:
        try:
            told = json.loads(file.read_bytes())
        except (OSError, ValueError):
            continue
        if isinstance(told, dict) and told.get("name") == "solc" and (file.parent / "soljson.js").is_file():
            found.append(Compiler(str(told.get("version")), file.parent.resolve()))
    return found


def fitting(wanted: str, compilers: list[Compiler]) -> Compiler | None:
    """The compiler of that version, else the next later of its series (0.8), else the last of it."""

    def key(version: str) -> tuple[int, ...]:
        return tuple(int(part) if part.isdigit() else -1 for part in version.partition("-")[0].split("."))

    sought = key(wanted)
    series = sorted(
        (each for each in compilers if key(each.version)[:2] == sought[:2]), key=lambda c: key(c.version)
    )
    later = [each for each in series if key(each.version) >= sought]
    return next(iter(later), series[-1] if series else None)


async def compiled(
    given: Mapping[str, Any], compiler: Compiler, node: Path, folder: Path, bounds: Bounds
) -> dict[str, Any]:
    """The compiler's output for a standard JSON input.

    Args:
        given: the input.
        compiler: which.
        node: Node.js.
        folder: empty, for its files.
        bounds: what it may use.

    Raises:
        Unanalysed: it gave none, or its errors.
    """
    (folder / "input.json").write_text(json.dumps(given), encoding="utf-8")
    ran = await run_confined([str(node), "-e", _PROGRAM, str(compiler.folder)], folder, bounds)
    output = folder / "output.json"
    if ran.code != 0 or not output.is_file():
        if ran.code is None:
            raise Unanalysed("limit", f"The compiler was stopped after {bounds.seconds:g} s.")
        raise Unanalysed("limit", "The compiler broke off: the source is larger or deeper than it can take.")
    made = json.loads(output.read_bytes())
    faults = [each for each in made.get("errors", ()) if each.get("severity") == "error"]
    if faults or not made.get("sources"):
        said = faults[0].get("formattedMessage", "") if faults else "no syntax tree"
        raise Unanalysed(
            "compile_error", f"Solidity {compiler.version} does not compile it: {one_line(said, 300)}"
        )
    return dict(made)
