"""How many planted bugs the analysis of contracts finds, each at its line and by its name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from verifaible.crypto.contracts.compiling import Unanalysed
from verifaible.crypto.contracts.records import Finding, SourceFile, VerifiedContract
from verifaible.crypto.contracts.slither import Programs, read_result, run_slither

PLANTED = Path(__file__).resolve().with_name("planted")
_MARK = re.compile(r"// planted: ([\w-]+)")


@dataclass(frozen=True, slots=True)
class Bug:
    """A planted bug: the file and line, and the detector that is to name it."""

    path: str
    line: int
    detector: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one contract: its bugs, those of them that were found, and findings at no planted line."""

    name: str
    planted: tuple[Bug, ...]
    found: tuple[Bug, ...]
    further: tuple[Finding, ...]
    message: str = ""


def contracts() -> Iterator[VerifiedContract]:
    """The 20 contracts, as if they had been verified."""
    for version in sorted(PLANTED.iterdir()):
        for entry in sorted(version.iterdir()):
            files = sorted(entry.rglob("*.sol")) if entry.is_dir() else [entry]
            base = entry if entry.is_dir() else version
            yield VerifiedContract(
                chain=1,
                address=f"{version.name}/{entry.stem}",
                provider="planted",
                source="src_1",
                name=entry.stem,
                compiler=version.name,
                settings={"remappings": ["@tokens/=lib/tokens/src/"]},
                files=tuple(
                    SourceFile(path=file.relative_to(base).as_posix(), content=file.read_text(), pointer="")
                    for file in files
                ),
            )


def bugs(contract: VerifiedContract) -> tuple[Bug, ...]:
    """The bugs that its lines are marked with."""
    return tuple(
        Bug(file.path, number, mark[1])
        for file in contract.files
        for number, line in enumerate(file.content.split("\n"), 1)
        for mark in _MARK.finditer(line)
    )


def names(finding: Finding, bug: Bug) -> bool:
    """Whether a finding is that bug: its detector at its line; where that is a contract, at its first."""
    return finding.detector == bug.detector and any(
        place.path == bug.path
        and place.start <= bug.line <= (place.start if place.kind == "contract" else place.end)
        for place in finding.places
    )


async def measure(contract: VerifiedContract, programs: Programs) -> Outcome:
    """Analyse one contract and compare."""
    planted = bugs(contract)
    try:
        findings = read_result(await run_slither(contract, programs), contract).findings
    except Unanalysed as error:
        return Outcome(contract.address, planted, (), (), f"{error.ended}: {error}")
    found = tuple(bug for bug in planted if any(names(each, bug) for each in findings))
    further = tuple(each for each in findings if not any(names(each, bug) for bug in planted))
    return Outcome(contract.address, planted, found, further)
