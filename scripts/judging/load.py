"""10,000 claims against contexts of 100 sources, in two processes; prints JSON."""

from __future__ import annotations

import asyncio
import json
import resource
from collections import Counter
from pathlib import Path
from time import perf_counter

from scripts.benchmark.judging_load import contexts
from verifaible.factcheck.deciding import Deciding
from verifaible.schema.analyst import AnalystAnswer, Claim, Source


async def decided() -> tuple[Counter[str], int]:
    """The verdicts by what was done to a claim, and the characters of all sources."""
    verdicts: Counter[str] = Counter()
    size = 0
    deciding = Deciding(processes=2)
    slots = asyncio.Semaphore(4)

    async def one(pairs: list[tuple[Source, str]], told_claims: list[tuple[str, Claim]]) -> None:
        sources = tuple(source for source, _ in pairs)
        answer = AnalystAnswer(
            id="a", origin="csv", model="m", query="q", answer="x", sources=sources, sources_known=True
        )
        try:
            claims = [claim for _, claim in told_claims]
            found = await deciding.found(answer, claims, [text for _, text in pairs], ["hallucination"])
        finally:
            slots.release()
        for (made, _), each in zip(told_claims, found, strict=True):
            verdicts[f"{made}: {each.anywhere.outcome if each.anywhere else 'none'}"] += 1

    tasks = []
    for pairs, told_claims in contexts():
        size += sum(len(text) for _, text in pairs)
        await slots.acquire()
        tasks.append(asyncio.create_task(one(pairs, told_claims)))
    await asyncio.gather(*tasks)
    deciding.close()
    return verdicts, size


def main() -> None:
    """Measure and print."""
    begun = perf_counter()
    verdicts, size = asyncio.run(decided())
    # Not ru_maxrss: of a program that another one started, that includes what the other one held.
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    own = int(status.partition("VmHWM:")[2].split()[0]) / 1024
    theirs = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    found = {
        "verdicts": verdicts,
        "characters": size,
        "seconds": perf_counter() - begun,
        "peak_mb": own + 2 * theirs,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
