"""The rules over whole answers; of many answers in processes of their own, for they keep a core busy."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Collection, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Final

from verifaible.judge.rules.decide import decide
from verifaible.judge.rules.library import Library
from verifaible.schema.analyst import AnalystAnswer, Claim
from verifaible.schema.judged import Finding, Protocol

#: Of fewer answers than this a further process costs more than it saves: each takes a second to begin.
_FEWEST: Final = 16
_MOST_PROCESSES: Final = 8


@dataclass(frozen=True, slots=True)
class Found:
    """What the rules say of a claim: in the sources that it cites, and in all.

    ``marks_lead``: whether any mark of its answer leads to a source. ``fault`` names an error of ours that
    kept the rules from deciding this one claim, which is left to the judge.
    """

    cited: Finding | None = None
    anywhere: Finding | None = None
    marks_lead: bool = False
    fault: str = ""


def by_rules(
    answer: AnalystAnswer, claims: Sequence[Claim], texts: Sequence[str], protocols: Collection[Protocol]
) -> list[Found]:
    """What the rules say of each claim of an answer.

    Args:
        answer: the answer.
        claims: its claims.
        texts: the words of its sources, in their order.
        protocols: which checks are wanted.
    """
    lead = any(claim.cites for claim in claims)
    library = Library(
        list(zip(answer.sources, texts, strict=True)), at=answer.answered_at, topic=answer.query
    )
    return [_found(claim, library, lead, protocols) for claim in claims]


def _found(claim: Claim, library: Library, lead: bool, protocols: Collection[Protocol]) -> Found:
    if not claim.factual or not library.pairs:
        return Found(marks_lead=lead)
    try:
        return Found(
            decide(claim, library, only=claim.cites) if claim.cites and "citations" in protocols else None,
            decide(claim, library) if "hallucination" in protocols else None,
            lead,
        )
    except (
        Exception
    ) as error:  # a fault of ours, or a text like no other, must cost one claim and not the run
        fault = f"The rules failed ({type(error).__name__}: {error})."
        open_ = Finding(verdict="undecided", reason=fault)
        return Found(open_ if claim.cites else None, open_, lead, fault)


class Deciding:
    """Lets the rules decide; closed by :meth:`close`.

    Args:
        answers: how many there will be.
        processes: at once; default: as many as there are cores, and one for a few answers.
    """

    def __init__(self, answers: int, processes: int | None = None) -> None:
        if processes is None:
            processes = 1 if answers < _FEWEST else min(os.cpu_count() or 1, _MOST_PROCESSES)
        self._pool = None
        if processes > 1:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(processes, mp_context=context, initializer=_quiet)

    async def found(
        self,
        answer: AnalystAnswer,
        claims: Sequence[Claim],
        texts: Sequence[str],
        protocols: Collection[Protocol],
    ) -> list[Found]:
        """See :func:`by_rules`."""
        given = (answer, claims, texts, protocols)
        if self._pool is None:
            return await asyncio.to_thread(by_rules, *given)
        return await asyncio.get_running_loop().run_in_executor(self._pool, by_rules, *given)

    def close(self) -> None:
        """End the processes; what they have not begun is left."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


def _quiet() -> None:
    """Leave Ctrl-C to the process that was started by a person."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
