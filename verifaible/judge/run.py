"""Judging answers: claims, rules, a judge for what the rules leave open, and the lines of the folder.

Answers to one query are judged together, since they are ranked against each other; queries go in the order of
the input, several at a time, and are written in that order, so that a rerun writes the same bytes.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar

from verifaible.errors import StoreError
from verifaible.evidence.given.sources import SourceTexts
from verifaible.judge.claims import claims_of, coverage_of
from verifaible.judge.folder import JudgeFolder
from verifaible.judge.nli.entailment import Entailment
from verifaible.judge.protocols.reviewer import JudgeReviewer
from verifaible.judge.rules.decide import decide
from verifaible.judge.rules.library import Library
from verifaible.judge.verdicts import NO_MODEL, citation_by_rules, hallucination_by_rules
from verifaible.schema.analyst import AnalystAnswer, Claim, InputFault, Source
from verifaible.schema.judged import (
    DIMENSIONS,
    ERROR_CATEGORIES,
    CitationRow,
    Dimension,
    ErrorCategory,
    Finding,
    HallucinationRow,
    JudgedAnswer,
    JudgedClaim,
    Protocol,
    RankRow,
    Score,
)

#: Told of each answer that is done: how many are, and of how many.
Watch: TypeAlias = Callable[[int, int], None]
_Row = TypeVar("_Row", CitationRow, HallucinationRow)
#: Queries under way at once; a judge has a bound of its own for its calls.
_QUERIES_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Plan:
    """What is done with each answer.

    Attributes:
        protocols: which checks.
        rules: whether rules decide what they can before the judge is asked.
        claims_by_judge: whether the judge splits answers into claims.
    """

    protocols: Collection[Protocol]
    rules: bool = True
    claims_by_judge: bool = False


async def judge_answers(
    answers: Sequence[AnalystAnswer],
    folder: JudgeFolder,
    texts: SourceTexts,
    plan: Plan,
    *,
    reviewer: JudgeReviewer | None = None,
    local: Entailment | None = None,
    watch: Watch | None = None,
) -> tuple[str, ...]:
    """Judge answers into a folder.

    Args:
        answers: in the order of the input.
        folder: takes a line for each claim and each answer.
        texts: the words of the sources.
        plan: what is done.
        reviewer: the judge; None: what rules leave open stays ``not_judged``.
        local: the local judge, which reads claims only; asked where there is no reviewer.
        watch: told of progress.

    Returns:
        The claims that an error of ours kept the rules from deciding, a sentence each.

    Raises:
        RunError: the folder cannot be written.
    """
    deciding = Deciding(len(answers))
    judging = _Judging(texts, plan, reviewer, local, deciding)
    waiting = deque(_by_query(answers))
    under_way: deque[asyncio.Task[list[_Judged]]] = deque()
    done = 0
    try:
        while waiting or under_way:
            while waiting and len(under_way) < _QUERIES_AT_ONCE:
                under_way.append(asyncio.create_task(judging.query(waiting.popleft())))
            for judged in await under_way.popleft():
                for claim in judged.claims:
                    folder.add_claim(claim)
                folder.add_answer(judged.answer)
                done += 1
                if watch is not None:
                    watch(done, len(answers))
    finally:
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        deciding.close()
    return tuple(sorted(judging.faults))


def _by_query(answers: Sequence[AnalystAnswer]) -> list[list[AnalystAnswer]]:
    groups: dict[str, list[AnalystAnswer]] = {}
    for answer in answers:
        groups.setdefault(answer.query, []).append(answer)
    return list(groups.values())


@dataclass(frozen=True, slots=True)
class _Judged:
    answer: JudgedAnswer
    claims: tuple[JudgedClaim, ...]


def _by_local(row: _Row, told: Finding) -> _Row:
    """A row made from what the local judge found."""
    by = "judge" if row.outcome == "decided" else ""
    return row.model_copy(update={"by": by, "reason": told.reason})


class _Judging:
    def __init__(
        self,
        texts: SourceTexts,
        plan: Plan,
        reviewer: JudgeReviewer | None,
        local: Entailment | None,
        deciding: Deciding,
    ) -> None:
        self._texts = texts
        self._plan = plan
        self._reviewer = reviewer
        self._local = local
        self._deciding = deciding
        self.faults: list[str] = []

    async def query(self, answers: Sequence[AnalystAnswer]) -> list[_Judged]:
        """The answers to one query."""
        judged = await asyncio.gather(*(self._answer(answer) for answer in answers))
        if "ranking" not in self._plan.protocols or len(answers) < 2:
            return list(judged)
        if self._reviewer is None:
            row = RankRow(outcome="not_judged", of=len(answers), reason=NO_MODEL)
            ranks = {answer.id: row for answer in answers}
        else:
            ranks = await self._reviewer.ranking(answers)
        return [
            _Judged(each.answer.model_copy(update={"rank": ranks.get(each.answer.answer.id)}), each.claims)
            for each in judged
        ]

    async def _answer(self, answer: AnalystAnswer) -> _Judged:
        answer, library = await asyncio.to_thread(self._read, answer)
        by_judge = False
        if self._plan.claims_by_judge and self._reviewer is not None:
            claims = await self._reviewer.claims(answer)
            split = self._reviewer.splits[answer.id]
            by_judge = any(vote.outcome == "decided" for vote in split.votes)
        else:
            claims = await asyncio.to_thread(claims_of, answer)
        found = await self._by_rules(claims, answer, library)
        rows, rubric, taxonomy = await asyncio.gather(
            asyncio.gather(
                *(
                    self._claim(claim, answer, library, each)
                    for claim, each in zip(claims, found, strict=True)
                )
            ),
            self._rubric(answer, library),
            self._taxonomy(answer, library),
        )
        whole = JudgedAnswer(
            answer=answer,
            coverage=await asyncio.to_thread(coverage_of, answer, claims),
            claims=len(claims),
            claims_by="judge" if by_judge else "rules",
            rubric=rubric,
            taxonomy=taxonomy,
        )
        return _Judged(whole, tuple(rows))

    def _read(self, answer: AnalystAnswer) -> tuple[AnalystAnswer, Library]:
        """The sources of an answer. One whose capture is damaged is a fault, and then not all are known."""
        pairs: list[tuple[Source, str]] = []
        faults: list[InputFault] = []
        for source in answer.sources:
            try:
                pairs.append((source, self._texts.text(source)))
            except StoreError as error:
                pairs.append((source, ""))
                faults.append(InputFault(code="source_unreadable", message=f"Source {source.id}: {error}"))
        if faults:
            answer = answer.model_copy(update={"faults": (*answer.faults, *faults), "sources_known": False})
        return answer, Library(pairs, at=answer.answered_at, topic=answer.query)

    # --- claims

    async def _by_rules(
        self, claims: Sequence[Claim], answer: AnalystAnswer, library: Library
    ) -> Sequence[Found]:
        if not self._plan.rules:
            return [Found(marks_lead=any(each.cites for each in claims))] * len(claims)
        texts = [text for _, text in library.pairs]
        found = await self._deciding.found(answer, claims, texts, self._plan.protocols)
        self.faults += [
            f"{answer.id} {claim.id}: {each.fault}"
            for claim, each in zip(claims, found, strict=True)
            if each.fault
        ]
        return found

    async def _claim(
        self, claim: Claim, answer: AnalystAnswer, library: Library, found: Found
    ) -> JudgedClaim:
        citations, hallucination = await asyncio.gather(
            self._citation(claim, answer, library, found),
            self._hallucination(claim, answer, library, found.anywhere),
        )
        return JudgedClaim(
            answer=answer.id,
            claim=claim,
            finding=found.cited,
            anywhere=found.anywhere,
            citations=citations,
            hallucination=hallucination,
        )

    async def _citation(
        self, claim: Claim, answer: AnalystAnswer, library: Library, found: Found
    ) -> CitationRow | None:
        if "citations" not in self._plan.protocols:
            return None
        row = citation_by_rules(claim, answer, found.cited, marks_lead=found.marks_lead)
        if row.outcome == "decided" or not claim.cites:
            return row
        if self._local is not None and (told := await self._local.decide(claim, library)):
            return _by_local(citation_by_rules(claim, answer, told, marks_lead=True), told)
        if self._reviewer is None:
            return row
        return await self._reviewer.citation(claim, answer, library)

    async def _hallucination(
        self, claim: Claim, answer: AnalystAnswer, library: Library, anywhere: Finding | None
    ) -> HallucinationRow | None:
        if "hallucination" not in self._plan.protocols:
            return None
        row = hallucination_by_rules(claim, answer, anywhere)
        if row is None or row.outcome == "decided" or not answer.sources_known:
            return row
        if self._local is not None and (told := await self._local.decide(claim, library, only=())):
            told_row = hallucination_by_rules(claim, answer, told)
            return told_row and _by_local(told_row, told)
        if self._reviewer is None:
            return row
        return await self._reviewer.hallucination(claim, answer, library)

    # --- the whole answer

    async def _rubric(self, answer: AnalystAnswer, library: Library) -> dict[Dimension, Score]:
        if "rubric" not in self._plan.protocols:
            return {}
        if self._reviewer is None:
            return dict.fromkeys(DIMENSIONS, Score(outcome="not_judged", reason=NO_MODEL))
        return await self._reviewer.rubric(answer, library)

    async def _taxonomy(self, answer: AnalystAnswer, library: Library) -> dict[ErrorCategory, Score]:
        if "taxonomy" not in self._plan.protocols:
            return {}
        if self._reviewer is None:
            return dict.fromkeys(ERROR_CATEGORIES, Score(outcome="not_judged", reason=NO_MODEL))
        return await self._reviewer.taxonomy(answer, library)


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
