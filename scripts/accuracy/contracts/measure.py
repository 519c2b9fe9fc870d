"""How many planted bugs the analysis of contracts finds, each at its line and by its name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tests.kit import suites
from verifaible.crypto.contracts.slither import Finding, Programs, Unanalysed, read_result, run_slither
from verifaible.crypto.contracts.source import VerifiedContract


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
    for row in suites.load("contracts"):
        given = row.input
        entry = suites.ROOT / (given["folder"] if "folder" in given else given["file"])
        base, files = (entry, sorted(entry.rglob("*.sol"))) if entry.is_dir() else (entry.parent, [entry])
        yield VerifiedContract(
            chain=1,
            address=row.id,
            provider="planted",
            source="src_1",
            name=given["name"],
            compiler=given["compiler"],
            settings={"remappings": ["@tokens/=lib/tokens/src/"]},
            files={file.relative_to(base).as_posix(): file.read_text() for file in files},
        )


def bugs(contract: VerifiedContract) -> tuple[Bug, ...]:
    """The bugs of one of the contracts, whose lines are marked with them."""
    (row,) = (row for row in suites.load("contracts") if row.id == contract.address)
    found = tuple(Bug(**each) for each in row.expect["bugs"])
    lines = {path: text.split("\n") for path, text in contract.files.items()}
    for bug in found:
        if not lines[bug.path][bug.line - 1].endswith(f"// planted: {bug.detector}"):
            raise suites.SuiteError(f"contracts: row {row.id!r}: line {bug.line} of {bug.path} is not marked")
    return found


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
        return Outcome(contract.address, planted, (), (), str(error))
    found = tuple(bug for bug in planted if any(names(each, bug) for each in findings))
    further = tuple(each for each in findings if not any(names(each, bug) for bug in planted))
    return Outcome(contract.address, planted, found, further)
