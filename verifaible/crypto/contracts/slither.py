"""Slither, run as a program of its own (AGPL: never imported), and its findings, read from its JSON.

Slither's JSON: https://github.com/crytic/slither/wiki/JSON-output; detectors and their impact:
https://github.com/crytic/slither/wiki/Detector-Documentation.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from pydantic import Field

from verifaible.config import Settings
from verifaible.crypto.contracts.compiling import (
    INPUT,
    SOLC,
    Bounds,
    Compiler,
    Unanalysed,
    compile_in,
    fitting,
    installed,
    network_cut,
    placed,
    run_confined,
    standard_json,
)
from verifaible.crypto.contracts.source import SourceFile, VerifiedContract
from verifaible.errors import WrongContent
from verifaible.schema.base import Record
from verifaible.tools.presenting import one_line

Impact: TypeAlias = Literal["High", "Medium", "Low", "Informational", "Optimization"]
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


class Place(Record):
    """Lines of a source file.

    Attributes:
        path: the file, as verified.
        start: the first line, from 1.
        end: the last line, included.
        kind: what stands there, in Slither's words: ``node``, ``function``, ``variable``, ``contract``.
        source: the mark of the sealed answer that holds the file.
        pointer: the JSON Pointer to its text there.
        lines: the JSON Pointer of the list of the lines in the sealed result of Slither.
    """

    path: str
    start: int
    end: int
    kind: str = ""
    source: str = ""
    pointer: str = ""
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
    """Something that a detector of Slither reports.

    Attributes:
        id: ``F1``, ``F2`` and so on, the gravest first.
        detector: its name, such as ``reentrancy-eth``.
        impact: how grave it is, by the detector.
        confidence: how sure the detector is: ``High``, ``Medium`` or ``Low``.
        description: its words.
        places: the lines; the narrowest first.
        pointer: the JSON Pointer of the finding in Slither's sealed result.
        doubt: set where the review calls it likely false.
    """

    id: str = ""
    detector: str
    impact: Impact
    confidence: str
    description: str
    places: tuple[Place, ...]
    pointer: str
    doubt: Doubt | None = None


class Detection(Record):
    """What Slither said of a source, or why it said nothing.

    Attributes:
        done: whether there is an analysis.
        message: what to know or do where there is none.
        findings: those of impact High and Medium.
        first_lines: of each impact, for each finding, the pointer of its first line in the sealed result;
            empty where it has none.
        compiler: the version that compiled the source here.
        slither: the version of Slither.
        network_off: whether the programs ran without a network.
        recorded: whether the result was recorded before.
        source: the mark of Slither's sealed result.
    """

    done: bool = True
    message: str = ""
    findings: tuple[Finding, ...] = ()
    first_lines: dict[Impact, tuple[str, ...]] = Field(default_factory=dict)
    compiler: str = ""
    slither: str = ""
    network_off: bool = False
    recorded: bool = False
    source: str = ""


@dataclass(frozen=True, slots=True)
class Programs:
    """What the analysis needs beside this package: Slither, Node.js and the compilers of npm, where they are
    installed; and the bounds of each.
    """

    slither: Path | None
    node: Path | None
    compilers: Sequence[Compiler]
    bounds: Bounds = field(default_factory=Bounds)

    @classmethod
    def of(cls, settings: Settings) -> Programs:
        """What is there, by the settings and the search path."""
        modules = settings.solc_modules or settings.home / "node_modules"
        slither, node = (shutil.which(name) for name in (settings.slither or "slither", "node"))
        return cls(
            Path(slither).absolute() if slither else None,
            Path(node).absolute() if node else None,
            installed(modules.resolve()),
        )


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
    compiler = fitting(version := contract.compiler, programs.compilers)
    if compiler is None:
        raise Unanalysed(
            f"No compiler for Solidity {version}. Run: npm install solc-{version}@npm:solc@{version}; "
            "VERIFAIBLE_SOLC_MODULES names the folder."
        )
    with tempfile.TemporaryDirectory(prefix="contract-") as name:
        folder = Path(name)
        await compile_in(folder, given, compiler, programs.node, programs.bounds)
        result = await _run(programs.slither, folder, programs.bounds)
        ran = await run_confined([str(programs.slither), "--version"], folder, Bounds(seconds=60))
    told = {"slither": one_line(ran.said.strip(), 40), "compiler": compiler.version, "input": digest}
    return json.dumps(told).encode()[:-1] + b', "result": ' + result.strip() + b"}"


async def _run(slither: Path, folder: Path, bounds: Bounds) -> bytes:
    ran = await run_confined([str(slither), *_ARGUMENTS], folder, bounds)
    file = folder / "result.json"
    if ran.code is None:
        raise Unanalysed(f"Slither was stopped after {bounds.seconds:g} s.")
    body = file.read_bytes().replace(str(folder).encode(), FOLDER.encode()) if file.is_file() else b""
    try:
        told = json.loads(body)
        done = told["success"] is True
    except (ValueError, TypeError, KeyError):
        told, done = {"error": ran.said}, False
    if not done:
        # the last line is the error; those before it name places of this machine
        last = (str(told.get("error")).strip().splitlines() or ["it was ended"])[-1]
        raise Unanalysed(f"Slither stopped: {one_line(last.replace(str(folder), FOLDER), 300)}")
    analysed = _ANALYSED.search(ran.said)
    if not analysed or analysed[1] == "0":  # the result is then that of a source without a fault
        raise Unanalysed("Slither read no contract in the source.")
    return body


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
    kept = [each for impact in KEPT for each in findings if each.impact == impact]
    return Detection(
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
        place = Place(
            path=file.path,
            start=min(lines),
            end=max(lines),
            kind=str(each.get("type", "")),
            source=source,
            pointer=file.pointer,
            lines=f"{_DETECTORS}/{finding}/elements/{number}/source_mapping/lines",
        )
        places.append(place)
    order = {kind: place for place, kind in enumerate(_NARROWEST)}
    return sorted(places, key=lambda place: order.get(place.kind, len(order)))


def _renamed(description: str, files: Mapping[str, SourceFile]) -> str:
    """Slither's words with the files as they were verified; it writes a place as FILE#LINES."""
    for name in sorted(files, key=len, reverse=True):
        description = description.replace(f"{name}#", f"{files[name].path}#")
    return description.strip()
