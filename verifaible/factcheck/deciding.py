"""What decides claims without a judge model, by rules or a local model.

An answer is decided as a whole, since its claims share sources that are read once.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Collection, Sequence
from concurrent.futures import Executor as Pool
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from verifaible.factcheck.decide import decide
from verifaible.factcheck.library import Library
from verifaible.factcheck.nli.entailment import Entailment
from verifaible.schema.analyst import AnalystAnswer, Claim
from verifaible.schema.judged import Protocol
from verifaible.schema.verdict import Verdict

#: Of fewer answers than this a further process costs more than it saves: each takes a second to begin.
_FEWEST: Final = 16
_MOST_PROCESSES: Final = 8
#: While the rules read one answer, the claims of another are written down.
_FEWEST_AT_ONCE: Final = 4


@dataclass(frozen=True, slots=True)
class Found:
    """What is said of a claim: in the sources that it cites, and in all.

    Attributes:
        cited, anywhere: by the rules, or by the local model what they leave open.
        marks_lead: whether any mark of its answer leads to a source.
        fault: an error of ours that kept the rules from deciding this one claim, which is left to the judge.
    """

    cited: Verdict | None = None
    anywhere: Verdict | None = None
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
    library = _library(answer, texts)
    return [_found(claim, library, lead, protocols) for claim in claims]


def _library(answer: AnalystAnswer, texts: Sequence[str]) -> Library:
    return Library(list(zip(answer.sources, texts, strict=True)), at=answer.answered_at, topic=answer.query)


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
        open_ = Verdict(outcome="open", reason=fault)
        return Found(open_ if claim.cites else None, open_, lead, fault)


class Deciding:
    """Decides the claims of answers.

    Args:
        processes: in which the rules decide; 1: this one.
        local: the local model, which is asked for what the rules leave open.

    Attributes:
        at_once: answers that may be under way side by side.
    """

    def __init__(self, processes: int = 1, local: Entailment | None = None) -> None:
        self.at_once = max(_FEWEST_AT_ONCE, 2 * processes)
        self._local = local
        self._pool: Pool | None = None
        if processes > 1:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(processes, mp_context=context, initializer=_quiet)

    @classmethod
    def of(cls, answers: int, local: Entailment | None = None) -> Self:
        """Decides so many answers on the cores of this machine; a few, in this process."""
        return cls(1 if answers < _FEWEST else min(os.cpu_count() or 1, _MOST_PROCESSES), local)

    async def found(
        self,
        answer: AnalystAnswer,
        claims: Sequence[Claim],
        texts: Sequence[str],
        protocols: Collection[Protocol],
        rules: bool = True,
    ) -> list[Found]:
        """What is said of each claim of an answer.

        Args:
            answer: the answer.
            claims: its claims.
            texts: the words of its sources, in their order.
            protocols: which checks are wanted.
            rules: whether the rules decide first.

        Raises:
            ConfigError: the local model does not run.
        """
        found = [Found(marks_lead=any(each.cites for each in claims))] * len(claims)
        if rules:
            found = await self._by_rules(answer, claims, texts, protocols)
        if self._local is None:
            return found
        library = _library(answer, texts)
        return [
            await _asked(self._local, claim, answer, library, each, protocols=protocols)
            for claim, each in zip(claims, found, strict=True)
        ]

    async def _by_rules(self, *given: Any) -> list[Found]:
        loop, pool = asyncio.get_running_loop(), self._pool
        try:
            return await loop.run_in_executor(pool, by_rules, *given)
        except BrokenProcessPool:
            # A process was killed, mostly for want of memory: from now on one answer after the other.
            if self._pool is pool:
                self._pool = ThreadPoolExecutor(1)
            return await loop.run_in_executor(self._pool, by_rules, *given)

    def close(self) -> None:
        """End the processes; what they have not begun is left."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


async def _asked(
    local: Entailment,
    claim: Claim,
    answer: AnalystAnswer,
    library: Library,
    found: Found,
    *,
    protocols: Collection[Protocol],
) -> Found:
    """What was found of a claim, with what the local model says where the rules leave it open."""
    cited, anywhere = found.cited, found.anywhere
    if "citations" in protocols and claim.factual and claim.cites and _is_open(cited):
        cited = await local.decide(claim, library) or cited
    if "hallucination" in protocols and claim.factual and answer.sources_known and _is_open(anywhere):
        anywhere = await local.decide(claim, library, only=()) or anywhere
    return replace(found, cited=cited, anywhere=anywhere)


def _is_open(verdict: Verdict | None) -> bool:
    return verdict is None or verdict.outcome == "open"


def _quiet() -> None:
    """Leave Ctrl-C to the process that was started by a person."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
