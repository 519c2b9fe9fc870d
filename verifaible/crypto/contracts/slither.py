"""Slither, run as a program of its own (AGPL: never imported), and its findings, read from its JSON.

Slither's JSON: https://github.com/crytic/slither/wiki/JSON-output; detectors and their impact:
https://github.com/crytic/slither/wiki/Detector-Documentation.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from verifaible.config import Settings
from verifaible.crypto.contracts.compiling import (
    Bounds,
    Compiler,
    Unanalysed,
    compiled,
    fitting,
    installed,
    network_cut,
    run_confined,
)
from verifaible.crypto.contracts.layout import INPUT, SOLC, placed, standard_json, write_project
from verifaible.crypto.contracts.records import (
    Detection,
    Finding,
    Impact,
    Place,
    SourceFile,
    VerifiedContract,
)
from verifaible.errors import WrongContent
from verifaible.tools.presenting import one_line

#: What a finding is told by; the rest is counted.
KEPT: Final = ("High", "Medium")
#: How Slither's result calls the folder it worked in, whose name is another each time.
FOLDER: Final = "/contract"
_ARGUMENTS: Final = (
    *(INPUT, "--compile-force-framework", "solc-json", "--solc", f"./{SOLC}"),
    *("--json", "result.json", "--json-types", "detectors", "--disable-color"),
)
_ANALYSED: Final = re.compile(r"analyzed \((\d+) contracts")
_DETECTORS: Final = "/result/results/detectors"
_NARROWEST: Final = ("node", "variable", "struct", "enum", "event", "function", "contract")


@dataclass(frozen=True, slots=True)
class Programs:
    """What the analysis needs beside this package.

    Attributes:
        slither: the program; None where it is not installed.
        node: Node.js; None where it is not installed.
        compilers: those of npm.
        modules: where they were looked for.
        bounds: of each program.
    """

    slither: Path | None
    node: Path | None
    compilers: Sequence[Compiler]
    modules: Path
    bounds: Bounds = field(default_factory=Bounds)

    @classmethod
    def of(cls, settings: Settings) -> Programs:
        """What is there, by the settings and the search path."""
        modules = settings.solc_modules or settings.home / "node_modules"
        return cls(
            _program(settings.slither or "slither"), _program("node"), installed(modules.resolve()), modules
        )


def _program(name: str) -> Path | None:
    found = shutil.which(name)
    return Path(found).absolute() if found else None


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
        ``result`` as Slither wrote it, but for the working folder, which is named :data:`FOLDER`.

    Raises:
        Unanalysed: a program is missing, or the source cannot be analysed.
    """
    given, digest = _laid_out(contract)
    if programs.slither is None:
        raise Unanalysed(
            "no_slither",
            "Slither is not installed. Install it beside verifaible (pipx install slither-analyzer), or name "
            "it by VERIFAIBLE_SLITHER.",
        )
    if programs.node is None:
        raise Unanalysed("no_node", "Node.js is not installed; the compiler of Solidity needs it.")
    compiler = fitting(contract.compiler, list(programs.compilers))
    if compiler is None:
        version = contract.compiler
        raise Unanalysed(
            "no_compiler",
            f"No compiler for Solidity {version}. Run: npm install solc-{version}@npm:solc@{version}; "
            "VERIFAIBLE_SOLC_MODULES names the folder.",
        )
    with tempfile.TemporaryDirectory(prefix="contract-") as name:
        building, project = Path(name) / "build", Path(name) / "project"
        building.mkdir()
        project.mkdir()
        made = await compiled(given, compiler, programs.node, building, programs.bounds)
        try:
            await asyncio.to_thread(write_project, project, given, made, compiler.version)
        except (OSError, ValueError) as error:
            raise Unanalysed("failed", f"Its files cannot be written: {one_line(str(error), 200)}") from error
        result = await _run(programs.slither, project, programs.bounds)
    version = await _slither_version(programs.slither)
    head = json.dumps({"slither": version, "compiler": compiler.version, "input": digest})
    return head.encode()[:-1] + b', "result": ' + result.strip() + b"}"


def _laid_out(contract: VerifiedContract) -> tuple[Mapping[str, Any], str]:
    if contract.language.casefold() != "solidity":
        raise Unanalysed("not_solidity", f"The source is {contract.language}; only Solidity is analysed.")
    try:
        return standard_json(contract), input_sha256(contract)
    except WrongContent as error:
        raise Unanalysed("unsafe_source", str(error)) from error


async def _run(slither: Path, project: Path, bounds: Bounds) -> bytes:
    ran = await run_confined([str(slither), *_ARGUMENTS], project, bounds)
    file = project / "result.json"
    if ran.code is None:
        raise Unanalysed("limit", f"Slither was stopped after {bounds.seconds:g} s.")
    body = file.read_bytes().replace(str(project).encode(), FOLDER.encode()) if file.is_file() else b""
    try:
        told = json.loads(body)
        done = told["success"] is True
    except (ValueError, TypeError, KeyError):
        told, done = {"error": ran.said}, False
    if not done:
        # the last line is the error; those before it name places of this machine
        last = (str(told.get("error")).strip().splitlines() or ["it was ended"])[-1]
        raise Unanalysed("failed", f"Slither stopped: {one_line(last.replace(str(project), FOLDER), 300)}")
    analysed = _ANALYSED.search(ran.said)
    if not analysed or analysed[1] == "0":  # the result is then that of a source without a fault
        raise Unanalysed("failed", "Slither read no contract in the source.")
    return body


async def _slither_version(slither: Path) -> str:
    with tempfile.TemporaryDirectory(prefix="contract-") as name:
        ran = await run_confined([str(slither), "--version"], Path(name), Bounds(seconds=60))
    return one_line(ran.said.strip(), 40)


def read_result(body: bytes, contract: VerifiedContract) -> Detection:
    """The findings in Slither's JSON, each at the lines of the verified source.

    Raises:
        WrongContent: it is not what Slither writes.
    """
    files = {placed(each.path): each for each in contract.files}
    first_lines: dict[Impact, tuple[str, ...]] = {}
    findings = []
    try:
        told = json.loads(body)
        for at, each in enumerate(told["result"]["results"].get("detectors", [])):
            found = Finding(
                id="",
                detector=each["check"],
                impact=each["impact"],
                confidence=each["confidence"],
                description=_renamed(each["description"], files),
                places=tuple(_places(each["elements"], files, contract.source, at)),
                pointer=f"{_DETECTORS}/{at}",
            )
            line = f"{found.places[0].lines}/0" if found.places else ""
            first_lines[found.impact] = (*first_lines.get(found.impact, ()), line)
            findings.append(found)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise WrongContent(
            f"The result is not what Slither is known to write ({one_line(str(error), 80)}). Say that the "
            "source was not analysed; use a version of Slither from 0.10 on."
        ) from error
    kept = sorted(
        (each for each in findings if each.impact in KEPT), key=lambda each: KEPT.index(each.impact)
    )
    return Detection(
        ended="done",
        findings=tuple(each.model_copy(update={"id": f"F{n}"}) for n, each in enumerate(kept, 1)),
        first_lines=first_lines,
        compiler=str(told.get("compiler", "")),
        slither=str(told.get("slither", "")),
        network_off=bool(network_cut()),
    )


def _places(
    elements: Sequence[Mapping[str, Any]], files: Mapping[str, SourceFile], source: str, finding: int
) -> list[Place]:
    places = []
    for number, each in enumerate(elements):
        mapping = each.get("source_mapping") or {}
        file, lines = files.get(str(mapping.get("filename_relative"))), mapping.get("lines")
        if file is None or not lines:
            continue
        kind = str(each.get("type", ""))
        places.append(
            Place(
                path=file.path,
                start=min(lines),
                end=max(lines),
                kind=kind,
                name=one_line(str(each.get("name", "")), 120),
                source=source,
                pointer=file.pointer,
                lines=f"{_DETECTORS}/{finding}/elements/{number}/source_mapping/lines",
            )
        )
    places.sort(
        key=lambda place: _NARROWEST.index(place.kind) if place.kind in _NARROWEST else len(_NARROWEST)
    )
    return places


def _renamed(description: str, files: Mapping[str, SourceFile]) -> str:
    """Slither's words with the files as they were verified."""
    for name in sorted(files, key=len, reverse=True):
        # Slither writes a place as FILE#LINES
        description = description.replace(f"{name}#", f"{files[name].path}#")
    return description.strip()
