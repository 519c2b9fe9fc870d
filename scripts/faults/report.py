"""What the fault suite publishes in ``docs/results/cluster.md``, between two marks."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from scripts.faults.plan import MODEL, NOP, ORACLE
from scripts.faults.running import Outcome

PAGE = Path(__file__).resolve().parents[2] / "docs" / "results" / "cluster.md"
_BEGIN, _END = "<!-- make faults -->", "<!-- end of make faults -->"
_AGENTS = {
    NOP: "trials that ask for nothing",
    ORACLE: "of the reference agent",
    MODEL: "of a model's endpoint",
}


def markdown(outcomes: Sequence[Outcome], *, nodes: int, seed: int, seconds: float, alone: bool) -> str:
    """The tables."""
    sizes: Counter[str] = Counter()
    for outcome in outcomes:
        sizes[outcome.run.agent] += outcome.run.size
    hits = [fault.kind for outcome in outcomes for fault in outcome.hit]
    trials = ", ".join(f"{sizes[agent]} {named}" for agent, named in _AGENTS.items() if sizes[agent])
    where = "a network namespace that has only loopback" if alone else "loopback"
    missed = sum(len(outcome.missed) for outcome in outcomes)
    told = (
        f"{len(hits)} faults in {len(outcomes)} runs of `verifaible bench`: {trials}. Ray on {nodes} nodes, "
        f"PostgreSQL and an S3 server on {os.cpu_count()} cores, in {where}; drawn from the seed {seed}; "
        f"{seconds / 60:.0f} minutes."
    )
    if missed:
        told += f" {missed} more came too late to hit their run."
    found = {
        "trials lost": sum(len(each.findings.lost) for each in outcomes),
        "trials doubled": sum(len(each.findings.doubled) for each in outcomes),
        "trials with another verdict than undisturbed": sum(len(each.findings.changed) for each in outcomes),
        "model calls whose cost is not written down once": sum(len(each.findings.spend) for each in outcomes),
        "faults that `verify --all` finds in a store, damaged lines": sum(
            len(each.findings.unsound) for each in outcomes
        ),
        "processes left running": sum(len(each.findings.left) for each in outcomes),
    }
    rows = [f"| {name} | {number} |" for name, number in found.items()]
    rows += [
        f"| trials that took more than one attempt | {sum(each.repeated for each in outcomes)} |",
        f"| continued with `--resume` | {sum(each.sessions - 1 for each in outcomes)} |",
    ]
    kinds = [f"| {kind} | {number} |" for kind, number in sorted(Counter(hits).items())]
    return "\n".join(
        [told, "", "| of all runs | |", "|---|---:|", *rows, "", "| fault | times |", "|---|---:|", *kinds]
    )


def renewed(page: str, text: str) -> str:
    """The page with the text between its marks; they come last where there are none."""
    before, begun, rest = page.partition(_BEGIN)
    after = rest.partition(_END)[2] if begun else "\n"
    return f"{before if begun else page.rstrip() + chr(10) * 2}{_BEGIN}\n{text}\n{_END}{after}"
