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
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from verifaible.config import Settings
from verifaible.crypto.contracts.compiling import CompileError, Compiler, compiled, fitting, installed
from verifaible.crypto.contracts.confined import Bounds, network_cut, run_confined
from verifaible.crypto.contracts.layout import placed, standard_json, write_project
from verifaible.crypto.contracts.records import Detection, Ended, Finding, Place, SourceFile, VerifiedContract
from verifaible.errors import WrongContent
from verifaible.tools.presenting import one_line

#: What a finding is told by; the rest is counted.
KEPT: Final = ("High", "Medium")
#: How Slither's result calls the folder it worked in, whose name is another each time.
FOLDER: Final = "/contract"
_ARGUMENTS: Final = (
    *(".", "--ignore-compile", "--compile-force-framework", "hardhat", "--npx-disable"),
    *("--json", "result.json", "--json-types", "detectors", "--disable-color"),
)
_ANALYSED: Final = re.compile(r"analyzed \((\d+) contracts")
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


@dataclass(frozen=True, slots=True)
class Result:
    """Slither's result as JSON, or why there is none.

    Attributes:
        ended: how it went.
        message: what to know or do.
        body: the JSON, with the working folder named :data:`FOLDER`.
        compiler: the version that compiled the source here.
    """

    ended: Ended
    message: str = ""
    body: bytes = b""
    compiler: str = ""


async def run_slither(contract: VerifiedContract, programs: Programs) -> Result:
    """Compile a verified source and have Slither look at it; never raises for what a source does."""
    if contract.language.casefold() != "solidity":
        return Result("not_solidity", f"The source is {contract.language}; only Solidity is analysed.")
    try:
        given = standard_json(contract)
    except WrongContent as error:
        return Result("unsafe_source", str(error))
    if programs.slither is None:
        return Result(
            "no_slither",
            "Slither is not installed. Install it beside verifaible (pipx install slither-analyzer), or name "
            "it by VERIFAIBLE_SLITHER.",
        )
    if programs.node is None:
        return Result("no_node", "Node.js is not installed; the compiler of Solidity needs it.")
    compiler = fitting(contract.compiler, list(programs.compilers))
    if compiler is None:
        version = contract.compiler
        return Result(
            "no_compiler",
            f"No compiler for Solidity {version} is there. Run: npm install solc-{version}@npm:solc@{version}; "
            "VERIFAIBLE_SOLC_MODULES names the folder.",
        )
    with tempfile.TemporaryDirectory(prefix="contract-") as name:
        return await _in_folder(Path(name), given, compiler, programs)


async def _in_folder(
    folder: Path, given: Mapping[str, Any], compiler: Compiler, programs: Programs
) -> Result:
    assert programs.node is not None and programs.slither is not None
    building, project = folder / "build", folder / "project"
    building.mkdir()
    project.mkdir()
    bounds = programs.bounds
    try:
        made = await compiled(given, compiler, programs.node, building, bounds)
        await asyncio.to_thread(write_project, project, given, made, compiler.version)
    except CompileError as error:
        return Result("limit" if error.limit else "compile_error", str(error), compiler=compiler.version)
    except (OSError, ValueError) as error:
        return Result("failed", f"The source cannot be compiled: {one_line(str(error), 200)}")
    ran = await run_confined([str(programs.slither), *_ARGUMENTS], project, bounds)
    file = project / "result.json"
    if ran.code is None:
        return Result("limit", f"Slither was stopped after {bounds.seconds:g} s.", compiler=compiler.version)
    body = file.read_bytes().replace(str(project).encode(), FOLDER.encode()) if file.is_file() else b""
    try:
        told = json.loads(body)
    except ValueError:
        told = {"error": ran.said[-300:]}
    if not isinstance(told, dict) or not told.get("success"):
        why = told.get("error") if isinstance(told, dict) else ""
        return Result("failed", f"Slither stopped: {one_line(str(why), 300)}", compiler=compiler.version)
    analysed = _ANALYSED.search(ran.said)
    if not analysed or not int(
        analysed[1]
    ):  # its result is then the same as that of a source without a fault
        return Result("failed", "Slither read no contract in the source.", compiler=compiler.version)
    return Result("done", "", body, compiler.version)


def read_result(body: bytes, contract: VerifiedContract) -> Detection:
    """The findings in Slither's JSON, each at the lines of the verified source.

    Raises:
        WrongContent: it is not what Slither writes.
    """
    files = {placed(each.path): each for each in contract.files}
    try:
        detectors = json.loads(body)["results"].get("detectors", [])
        kept = [(at, each) for at, each in enumerate(detectors) if each["impact"] in KEPT]
        kept.sort(key=lambda each: (KEPT.index(each[1]["impact"]), each[0]))
        findings = tuple(
            Finding(
                id=f"F{number}",
                detector=each["check"],
                impact=each["impact"],
                confidence=each["confidence"],
                description=_renamed(each["description"], files),
                places=tuple(_places(each["elements"], files, contract.source)),
                pointer=f"/results/detectors/{at}",
            )
            for number, (at, each) in enumerate(kept, 1)
        )
        others = Counter(each["impact"] for each in detectors if each["impact"] not in KEPT)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise WrongContent(
            f"The result is not what Slither is known to write ({one_line(str(error), 80)}). Say that the "
            "source was not analysed; use a version of Slither from 0.10 on."
        ) from error
    return Detection(ended="done", findings=findings, others=dict(others), network_off=bool(network_cut()))


def _places(
    elements: Sequence[Mapping[str, Any]], files: Mapping[str, SourceFile], source: str
) -> list[Place]:
    places = []
    for each in elements:
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
            )
        )
    places.sort(
        key=lambda place: _NARROWEST.index(place.kind) if place.kind in _NARROWEST else len(_NARROWEST)
    )
    return list(dict.fromkeys(places))


def _renamed(description: str, files: Mapping[str, SourceFile]) -> str:
    """Slither's words with the files as they were verified."""
    for name in sorted(files, key=len, reverse=True):
        # Slither writes a place as FILE#LINES
        description = description.replace(f"{name}#", f"{files[name].path}#")
    return description.strip()
