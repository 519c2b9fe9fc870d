"""The Solidity compiler of npm (``solc``): which version is there, and a syntax tree by it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from verifaible.crypto.contracts.confined import Bounds, run_confined
from verifaible.crypto.contracts.records import Ended
from verifaible.tools.presenting import one_line

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
