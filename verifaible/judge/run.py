"""Judging answers: claims, rules, a judge for what the rules leave open, and the lines of the folder.

Answers go in the order of the input, several at a time, and are written in that order, so that a rerun writes
the same bytes.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from verifaible.claims import coverage_of, extract_claims
from verifaible.errors import StoreError
from verifaible.evidence.sources import SourceTexts
from verifaible.factcheck.deciding import Deciding, Found
from verifaible.factcheck.library import Library
from verifaible.factcheck.nli.entailment import Entailment
from verifaible.factcheck.verdicts import NO_MODEL, citation_by_rules, hallucination_by_rules
from verifaible.judge.folder import JudgeFolder
from verifaible.judge.protocols.reviewer import JudgeReviewer
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
    Score,
)

#: Told of each answer that is done: how many are, and of how many.
Watch: TypeAlias = Callable[[int, int], None]
_Row = TypeVar("_Row", CitationRow, HallucinationRow)


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
        local: the local model, which is asked first for what the rules leave open.
        watch: told of progress.

    Returns:
        The claims that an error of ours kept the rules from deciding, a sentence each.

    Raises:
        RunError: the folder cannot be written.
        ConfigError: the local model does not run.
    """
    with closing(Deciding.of(len(answers), local)) as deciding:
        judging = _Judging(texts, plan, reviewer, deciding)
        await _in_order(answers, folder, judging, deciding.at_once, watch)
    return tuple(sorted(judging.faults))


async def _in_order(
    answers: Sequence[AnalystAnswer],
    folder: JudgeFolder,
    judging: _Judging,
    at_once: int,
    watch: Watch | None,
) -> None:
    waiting = deque(answers)
    under_way: deque[asyncio.Task[_Judged]] = deque()
    done = 0
    try:
        while waiting or under_way:
            while waiting and len(under_way) < at_once:
                under_way.append(asyncio.create_task(judging.answer(waiting.popleft())))
            judged = await under_way.popleft()
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
        deciding: Deciding,
    ) -> None:
        self._texts = texts
        self._plan = plan
        self._reviewer = reviewer
        self._deciding = deciding
        self.faults: list[str] = []

    async def answer(self, answer: AnalystAnswer) -> _Judged:
        """One answer, with its claims."""
        answer, library = await asyncio.to_thread(self._read, answer)
        by_judge = False
        if self._plan.claims_by_judge and self._reviewer is not None:
            claims = await self._reviewer.claims(answer)
            split = self._reviewer.splits[answer.id]
            by_judge = any(vote.outcome == "decided" for vote in split.votes)
        else:
            claims = await asyncio.to_thread(extract_claims, answer)
        found = await self._found(claims, answer, library)
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

    async def _found(
        self, claims: Sequence[Claim], answer: AnalystAnswer, library: Library
    ) -> Sequence[Found]:
        texts = [text for _, text in library.pairs]
        found = await self._deciding.found(answer, claims, texts, self._plan.protocols, self._plan.rules)
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
            self._hallucination(claim, answer, library, found),
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
        if found.told is not None:
            return _by_local(citation_by_rules(claim, answer, found.told, marks_lead=True), found.told)
        if self._reviewer is None:
            return row
        return await self._reviewer.citation(claim, answer, library)

    async def _hallucination(
        self, claim: Claim, answer: AnalystAnswer, library: Library, found: Found
    ) -> HallucinationRow | None:
        if "hallucination" not in self._plan.protocols:
            return None
        row = hallucination_by_rules(claim, answer, found.anywhere)
        if row is None or row.outcome == "decided" or not answer.sources_known:
            return row
        if found.told_anywhere is not None:
            told_row = hallucination_by_rules(claim, answer, found.told_anywhere)
            return told_row and _by_local(told_row, found.told_anywhere)
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
