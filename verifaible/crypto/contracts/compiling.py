"""A verified source in a folder that no name of a file leaves, and the Solidity compiler of npm on it.

Programs run on a stranger's input: time, memory and output are bounded, and they have no network where that
can be.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from shlex import quote
from subprocess import DEVNULL, run
from typing import Any, Final

from verifaible.crypto.contracts.source import VerifiedContract
from verifaible.errors import WrongContent
from verifaible.tools.presenting import one_line

#: The largest verified projects have some hundred files and a few megabytes.
MOST_FILES: Final = 1000
MOST_BYTES: Final = 10_000_000
#: The compiler's input in the folder that Slither works in, and the compiler that it is given.
INPUT: Final = "input.json"
SOLC: Final = "solc"
_OUTPUT: Final = "output.json"
_LONGEST_NAME: Final = 200
_FOLDER: Final = "src"
_HEAD: Final = re.compile(r"[^/]*/+")
#: The shell sets the limits on itself, then becomes the program; `-d` and `-f` count in KiB and 512 bytes.
_LIMITED: Final = 'ulimit -d "$1" && ulimit -f "$2" && ulimit -c 0 && shift 2 && exec "$@"'
#: `compileStandardWrapper` is what versions before 0.5 call it. No bytecode is made: detectors read the tree
#: alone, and code that is too deep for it is analysed too; Slither wants its places.
_COMPILE: Final = """
const solc = require(process.argv[1]), fs = require('fs'), code = {object: '', sourceMap: ''};
const compile = solc.compileStandardWrapper || solc.compile;
const made = JSON.parse(compile(fs.readFileSync('input.json', 'utf8')));
for (const file of Object.values(made.contracts || {}))
    for (const each of Object.values(file)) each.evm = {bytecode: code, deployedBytecode: code};
fs.writeFileSync('output.json', JSON.stringify(made));
"""


class Unanalysed(Exception):
    """There is no analysis of a source; the message says what to know or do."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a program may use: seconds of the clock, and megabytes of data and of each file that it writes."""

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


@dataclass(frozen=True, slots=True)
class Compiler:
    """A version of the compiler, and the folder of its package."""

    version: str
    folder: Path


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


def fitting(wanted: str, compilers: Sequence[Compiler]) -> Compiler | None:
    """The compiler of that version, else the next later of its series (0.8), else the last of it."""

    def key(version: str) -> tuple[int, ...]:
        return tuple(int(part) if part.isdigit() else -1 for part in version.partition("-")[0].split("."))

    sought = key(wanted)
    series = [each for each in compilers if key(each.version)[:2] == sought[:2]]
    series.sort(key=lambda each: key(each.version))
    later = [each for each in series if key(each.version) >= sought]
    return next(iter(later), series[-1] if series else None)


def placed(path: str) -> str:
    """The name of a source file below the working folder.

    Verified names may be absolute, or addresses (``https://host/A.sol``): those become folders too.

    Raises:
        WrongContent: it leads out of the folder, or is no name of a file.
    """
    head = _HEAD.match(path)
    rest = path[head.end() :] if head and not head[0].strip("/") else path
    parts = [part for part in rest.split("/") if part not in ("", ".")]
    bad = not parts or ".." in parts or any(ord(sign) < 32 for sign in path)
    if bad or any(len(part.encode()) > _LONGEST_NAME for part in parts):
        raise WrongContent(
            f"The verified source has a file named {path[:80]!r}, which leads out of its folder or "
            "is no name of a file. It was not analysed: say so."
        )
    return "/".join((_FOLDER, *(("root",) if rest is not path else ()), *parts))


def standard_json(contract: VerifiedContract) -> dict[str, Any]:
    """The compiler's input (standard JSON) that gives the syntax tree, and no bytecode.

    Each first part of a name is remapped to where the files are; relative imports need nothing.

    Raises:
        WrongContent: a name is unsafe, two files would be one, or the source is too large.
    """
    size = sum(len(each.content) for each in contract.files)
    if len(contract.files) > MOST_FILES or size > MOST_BYTES:
        raise WrongContent(
            f"The verified source has {len(contract.files)} files and {size} characters; at most "
            f"{MOST_FILES} and {MOST_BYTES} are analysed. Say that it was not analysed."
        )
    sources = {placed(each.path): {"content": each.content} for each in contract.files}
    names = {PurePosixPath(name) for name in sources}
    if len(sources) < len(contract.files) or any(names & set(name.parents) for name in names):
        raise WrongContent(
            "Two files of the verified source have the same name in a folder. It was not analysed: say so."
        )
    settings: dict[str, Any] = {
        "remappings": _remappings(contract),
        "outputSelection": {"*": {"*": ["abi"], "": ["ast"]}},
    }
    if version := contract.settings.get("evmVersion"):
        settings["evmVersion"] = str(version)
    return {"language": "Solidity", "sources": sources, "settings": settings}


def _remappings(contract: VerifiedContract) -> list[str]:
    paths = [each.path for each in contract.files if not each.path.startswith("./")]
    heads = {head[0] if (head := _HEAD.match(path)) else path for path in paths}
    own = {head: _prefix(head) for head in sorted(heads)}
    given: list[str] = []
    for each in contract.settings.get("remappings", ()):
        before, _, target = each.partition("=")
        context, colon, prefix = before.partition(":")
        context, prefix = (context, prefix) if colon else ("", context)
        if not prefix or any(ord(sign) < 32 for sign in each):
            continue
        if not context:
            own.pop(prefix, None)
        given.append(f"{_prefix(context) if context else ''}:{prefix}={_prefix(target)}")
    # a colon before the name ends its context, which is empty: an address has one of its own
    return [*(f":{head}={place}" for head, place in own.items()), *given]


def _prefix(path: str) -> str:
    """Where names that begin so are; nothing is read from there but the files that were given."""
    absolute = path.startswith("/")
    body = re.sub(r"/+", "/", path.removeprefix("./")).lstrip("/")
    return f"{_FOLDER}/{'root/' if absolute else ''}{body}"


async def compile_in(
    folder: Path, given: Mapping[str, Any], compiler: Compiler, node: Path, bounds: Bounds
) -> None:
    """Write sources and the compiler's input and output, and a ``solc`` that answers with that output.

    Args:
        folder: empty.
        given: the compiler's input.
        compiler: which.
        node: Node.js.
        bounds: what it may use.

    Raises:
        Unanalysed: it gave no tree, or its errors.
    """
    try:
        for name, source in given["sources"].items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(source["content"].encode("utf-8", "surrogatepass"))
    except (OSError, ValueError) as error:
        raise Unanalysed(f"Its files cannot be written: {one_line(str(error), 200)}") from error
    (folder / INPUT).write_text(json.dumps(given), encoding="utf-8")
    ran = await run_confined([str(node), "-e", _COMPILE, str(compiler.folder)], folder, bounds)
    if ran.code is None:
        raise Unanalysed(f"The compiler was stopped after {bounds.seconds:g} s.")
    output = folder / _OUTPUT
    if ran.code != 0 or not output.is_file():
        raise Unanalysed("The compiler broke off: the source is larger or deeper than it can take.")
    made = json.loads(output.read_bytes())
    faults = [each for each in made.get("errors", ()) if each.get("severity") == "error"]
    if faults or not made.get("sources"):
        said = faults[0].get("formattedMessage", "") if faults else "no syntax tree"
        raise Unanalysed(f"Solidity {compiler.version} does not compile it: {one_line(said, 300)}")
    solc = folder / SOLC
    told = quote(f"Version: {compiler.version}")
    solc.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo {told} || exec /bin/cat {_OUTPUT}\n')
    solc.chmod(0o700)
