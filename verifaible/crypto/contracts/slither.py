"""Slither on a verified source: laid out, compiled, analysed and read, without a network and within bounds.

Slither is a program of its own (AGPL: never imported), and so are Node.js and the Solidity compilers of npm.
They run on a stranger's input: time, memory and output are bounded, no name of a file leaves their folder,
and they have no network where that can be.

Slither's JSON: https://github.com/crytic/slither/wiki/JSON-output; detectors and their impact:
https://github.com/crytic/slither/wiki/Detector-Documentation.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path, PurePosixPath
from shlex import quote
from subprocess import DEVNULL, run
from typing import Any, Final, Literal, TypeAlias

from pydantic import Field

from verifaible.config import Settings
from verifaible.crypto.contracts.source import VerifiedContract
from verifaible.errors import WrongContent
from verifaible.schema.base import Record
from verifaible.tools.presenting import one_line

Impact: TypeAlias = Literal["High", "Medium", "Low", "Informational", "Optimization"]
#: What a finding is told by; the rest is counted.
KEPT: Final = ("High", "Medium")
#: The largest verified projects have some hundred files and a few megabytes.
MOST_FILES: Final = 1000
MOST_BYTES: Final = 10_000_000
_LONGEST_NAME: Final = 200
_FOLDER: Final = "src"
#: How Slither's result calls the folder it worked in, whose name is another each time.
_WORKED_IN: Final = "/contract"
_ARGUMENTS: Final = (
    *("input.json", "--compile-force-framework", "solc-json", "--solc", "./solc"),
    *("--json", "result.json", "--json-types", "detectors", "--disable-color"),
)
_ANALYSED: Final = re.compile(r"analyzed \((\d+) contracts")
_DETECTORS: Final = "/result/results/detectors"
_NARROWEST: Final = ("node", "variable", "struct", "enum", "event", "function", "contract")
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


class Place(Record):
    """Lines of a source file, both included, and what stands there in Slither's words (``function``).

    ``lines`` is the JSON Pointer of the list of the lines in the sealed result of Slither.
    """

    path: str
    start: int
    end: int
    kind: str = ""
    lines: str = ""


class Doubt(Record):
    """A model's reason to think that a finding is no fault; it removes nothing.

    ``quote`` are the words of the source that it rests on, which begin in a line of a file.
    """

    reason: str
    path: str
    line: int
    quote: str


class Finding(Record):
    """Something that a detector of Slither reports: ``F1`` and so on, the gravest first.

    ``confidence`` is how sure the detector is; ``places`` has the narrowest first.
    """

    id: str = ""
    detector: str
    impact: Impact
    confidence: str
    description: str
    places: tuple[Place, ...]
    doubt: Doubt | None = None


class Detection(Record):
    """What Slither said of a source, or, in ``message``, why it said nothing.

    Attributes:
        findings: those of impact High and Medium.
        first_lines: of each impact, for each finding, the pointer of its first line in the sealed result;
            empty where it has none.
        compiler: the version that compiled the source here.
        slither: the version of Slither.
        network_off: whether the programs ran without a network.
        recorded: whether the result was recorded before.
        source: the mark of Slither's sealed result.
    """

    message: str = ""
    findings: tuple[Finding, ...] = ()
    first_lines: dict[Impact, tuple[str, ...]] = Field(default_factory=dict)
    compiler: str = ""
    slither: str = ""
    network_off: bool = False
    recorded: bool = False
    source: str = ""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a program may use: seconds of the clock, and megabytes of data and of each file that it writes."""

    seconds: float = 240.0  # the 143 files of OpenZeppelin 5.0.2 took 120 on two busy cores
    memory_mb: int = 2048
    file_mb: int = 64


@dataclass(frozen=True, slots=True)
class Programs:
    """Slither, Node.js and the folders of npm's compilers by version, where they are installed."""

    slither: Path | None
    node: Path | None
    compilers: Mapping[str, Path]
    bounds: Bounds = field(default_factory=Bounds)

    @classmethod
    def of(cls, settings: Settings) -> Programs:
        """What is there, by the settings and the search path."""
        modules = (settings.solc_modules or settings.home / "node_modules").resolve()
        found = {}
        for file in [*modules.glob("*/package.json"), *modules.glob("@*/*/package.json")]:
            with suppress(OSError, ValueError, AttributeError):  # a package under whatever alias
                told = json.loads(file.read_bytes())
                if told.get("name") == "solc" and (file.parent / "soljson.js").is_file():
                    found[str(told.get("version"))] = file.parent.resolve()
        slither, node = (shutil.which(name) for name in (settings.slither or "slither", "node"))
        return cls(
            Path(slither).absolute() if slither else None, Path(node).absolute() if node else None, found
        )


@dataclass(frozen=True, slots=True)
class Ran:
    """How a program ended; ``said`` is the end of what it printed, ``code`` None where the time ran out."""

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


def fitting(wanted: str, compilers: Iterable[str]) -> str:
    """The compiler of that version, else the next later of its series (0.8), else the last of it; empty."""

    def key(version: str) -> tuple[int, ...]:
        return tuple(int(part) if part.isdigit() else -1 for part in version.partition("-")[0].split("."))

    series = sorted((each for each in compilers if key(each)[:2] == key(wanted)[:2]), key=key)
    later = [each for each in series if key(each) >= key(wanted)]
    return next(iter(later), series[-1] if series else "")


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
    size = sum(map(len, contract.files.values()))
    if len(contract.files) > MOST_FILES or size > MOST_BYTES:
        raise WrongContent(
            f"The verified source has {len(contract.files)} files and {size} characters; at most "
            f"{MOST_FILES} and {MOST_BYTES} are analysed. Say that it was not analysed."
        )
    sources = {placed(path): {"content": text} for path, text in contract.files.items()}
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
    paths = [path for path in contract.files if not path.startswith("./")]
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


def input_sha256(contract: VerifiedContract) -> str:
    """What is analysed, in one digest: the compiler's input and its version.

    Raises:
        WrongContent: the source cannot be laid out safely.
    """
    given = json.dumps([contract.compiler, standard_json(contract)], sort_keys=True)
    return sha256(given.encode("utf-8", "surrogatepass")).hexdigest()


async def run_slither(contract: VerifiedContract, programs: Programs) -> bytes:
    """Compile a verified source and have Slither look at it.

    Returns:
        A JSON object: the versions of ``slither`` and ``compiler``, the ``input`` by its SHA-256, and the
        ``result`` as Slither wrote it, but for the name of the working folder.

    Raises:
        Unanalysed: a program is missing, or the source cannot be analysed.
    """
    if contract.language.casefold() != "solidity":
        raise Unanalysed(f"The source is {contract.language}; only Solidity is analysed.")
    try:
        given, digest = standard_json(contract), input_sha256(contract)
    except WrongContent as error:
        raise Unanalysed(str(error)) from error
    if programs.slither is None:
        raise Unanalysed(
            "Slither is not installed. Install it beside verifaible (pipx install slither-analyzer), or name "
            "it by VERIFAIBLE_SLITHER."
        )
    if programs.node is None:
        raise Unanalysed("Node.js is not installed; the compiler of Solidity needs it.")
    version = contract.compiler
    if not (compiler := fitting(version, programs.compilers)):
        raise Unanalysed(
            f"No compiler for Solidity {version}. Run: npm install solc-{version}@npm:solc@{version}; "
            "VERIFAIBLE_SOLC_MODULES names the folder."
        )
    with tempfile.TemporaryDirectory(prefix="contract-") as name:
        folder = Path(name)
        await _compile(folder, given, compiler, programs)
        result = await _detect(programs.slither, folder, programs.bounds)
        ran = await run_confined([str(programs.slither), "--version"], folder, Bounds(seconds=60))
    told = {"slither": one_line(ran.said.strip(), 40), "compiler": compiler, "input": digest}
    return json.dumps(told).encode()[:-1] + b', "result": ' + result.strip() + b"}"


async def _compile(folder: Path, given: Mapping[str, Any], version: str, programs: Programs) -> None:
    """Write sources, the compiler's input and output, and a ``solc`` that gives Slither that output."""
    try:
        for name, source in given["sources"].items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(source["content"].encode("utf-8", "surrogatepass"))
    except (OSError, ValueError) as error:
        raise Unanalysed(f"Its files cannot be written: {one_line(str(error), 200)}") from error
    (folder / "input.json").write_text(json.dumps(given), encoding="utf-8")
    command = [str(programs.node), "-e", _COMPILE, str(programs.compilers[version])]
    ran = await run_confined(command, folder, programs.bounds)
    if ran.code is None:
        raise Unanalysed(f"The compiler was stopped after {programs.bounds.seconds:g} s.")
    output = folder / "output.json"
    if ran.code != 0 or not output.is_file():
        raise Unanalysed("The compiler broke off: the source is larger or deeper than it can take.")
    made = json.loads(output.read_bytes())
    faults = [each for each in made.get("errors", ()) if each.get("severity") == "error"]
    if faults or not made.get("sources"):
        said = faults[0].get("formattedMessage", "") if faults else "no syntax tree"
        raise Unanalysed(f"Solidity {version} does not compile it: {one_line(said, 300)}")
    solc = folder / "solc"
    told = quote(f"Version: {version}")
    solc.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo {told} || exec /bin/cat {output.name}\n')
    solc.chmod(0o700)


async def _detect(slither: Path, folder: Path, bounds: Bounds) -> bytes:
    ran = await run_confined([str(slither), *_ARGUMENTS], folder, bounds)
    file = folder / "result.json"
    if ran.code is None:
        raise Unanalysed(f"Slither was stopped after {bounds.seconds:g} s.")
    body = file.read_bytes().replace(str(folder).encode(), _WORKED_IN.encode()) if file.is_file() else b""
    try:
        told = json.loads(body)
        done = told["success"] is True
    except (ValueError, TypeError, KeyError):
        told, done = {"error": ran.said}, False
    if not done:
        # the last line is the error; those before it name places of this machine
        last = (str(told.get("error")).strip().splitlines() or ["it was ended"])[-1]
        raise Unanalysed(f"Slither stopped: {one_line(last.replace(str(folder), _WORKED_IN), 300)}")
    analysed = _ANALYSED.search(ran.said)
    if not analysed or analysed[1] == "0":  # the result is then that of a source without a fault
        raise Unanalysed("Slither read no contract in the source.")
    return body


def read_result(body: bytes, contract: VerifiedContract) -> Detection:
    """The findings in Slither's JSON, each at the lines of the verified source.

    Raises:
        WrongContent: it is not what Slither writes.
    """
    paths = {placed(path): path for path in contract.files}
    first_lines: dict[Impact, tuple[str, ...]] = {}
    findings = []
    try:
        told = json.loads(body)
        for at, each in enumerate(told["result"]["results"].get("detectors", [])):
            description: str = each["description"]
            for name in sorted(paths, key=len, reverse=True):  # Slither writes a place as FILE#LINES
                description = description.replace(f"{name}#", f"{paths[name]}#")
            found = Finding(
                detector=each["check"],
                impact=each["impact"],
                confidence=each["confidence"],
                description=description.strip(),
                places=tuple(_places(each["elements"], paths, at)),
            )
            line = f"{found.places[0].lines}/0" if found.places else ""
            first_lines[found.impact] = (*first_lines.get(found.impact, ()), line)
            findings.append(found)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise WrongContent(
            f"The result is not what Slither is known to write ({one_line(str(error), 80)}). Say that the "
            "source was not analysed; use a version of Slither from 0.10 on."
        ) from error
    kept = [each for impact in KEPT for each in findings if each.impact == impact]
    return Detection(
        findings=tuple(each.model_copy(update={"id": f"F{n}"}) for n, each in enumerate(kept, 1)),
        first_lines=first_lines,
        compiler=str(told.get("compiler", "")),
        slither=str(told.get("slither", "")),
        network_off=bool(network_cut()),
    )


def _places(elements: Sequence[Mapping[str, Any]], paths: Mapping[str, str], finding: int) -> list[Place]:
    places = []
    for number, each in enumerate(elements):
        mapping = each.get("source_mapping") or {}
        path, lines = paths.get(str(mapping.get("filename_relative"))), mapping.get("lines")
        if path is not None and lines:
            pointer = f"{_DETECTORS}/{finding}/elements/{number}/source_mapping/lines"
            kind = str(each.get("type", ""))
            places.append(Place(path=path, start=min(lines), end=max(lines), kind=kind, lines=pointer))
    order = {kind: place for place, kind in enumerate(_NARROWEST)}
    return sorted(places, key=lambda place: order.get(place.kind, len(order)))
