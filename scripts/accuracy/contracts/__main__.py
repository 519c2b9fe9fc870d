"""Print how many planted bugs are found: ``python -m scripts.accuracy.contracts``.

Needs Slither, Node.js, and the compilers of the contracts (``npm install solc-0.4.26@npm:solc@0.4.26``).
``VERIFAIBLE_SLITHER`` and ``VERIFAIBLE_SOLC_MODULES`` name them.
"""

from __future__ import annotations

import asyncio

from scripts.accuracy.contracts.measure import contracts, measure
from verifaible.config import Settings
from verifaible.crypto.contracts.slither import Programs


async def _main() -> None:
    programs = Programs.of(Settings())
    planted = found = further = 0
    for contract in contracts():
        outcome = await measure(contract, programs)
        missed = [
            f"{bug.detector} at {bug.path}:{bug.line}" for bug in outcome.planted if bug not in outcome.found
        ]
        told = "; ".join(filter(None, [outcome.message, f"missed {', '.join(missed)}" if missed else ""]))
        beyond = ", ".join(each.detector for each in outcome.further)
        print(
            f"{outcome.name}: {len(outcome.found)} of {len(outcome.planted)}"
            f"{f'; {told}' if told else ''}{f' (further: {beyond})' if beyond else ''}"
        )
        planted, found = planted + len(outcome.planted), found + len(outcome.found)
        further += len(outcome.further)
    print(f"found {found} of {planted} planted ({100 * found / planted:.1f} %); {further} further findings")


if __name__ == "__main__":
    asyncio.run(_main())
