"""Judging answers: claims, what is decided of them, a judge for what is open, and the lines of the folder.

Answers go in the order of the input, several at a time, and are written in that order, so that a rerun writes
the same bytes.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, cast

from verifaible.claims import coverage_of, extract_claims
from verifaible.errors import StoreError
from verifaible.evidence.sources import SourceTexts
from verifaible.factcheck.deciding import Deciding, Found
from verifaible.factcheck.nli.entailment import Entailment
from verifaible.judge.claim_checks import NO_MODEL, RowT, citation_row, hallucination_row, judged_row
from verifaible.judge.folder import JudgeFolder
from verifaible.judge.rubric import Subject, answer_scores, subject_of
from verifaible.judge.split import split_claims
from verifaible.llm.voting import Judge
from verifaible.schema.analyst import AnalystAnswer, Claim, InputFault, Source
from verifaible.schema.judged import (
    DIMENSIONS,
    ERROR_CATEGORIES,
    CitationRow,
    Dimension,
    ErrorCategory,
    HallucinationRow,
    JudgedAnswer,
    JudgedClaim,
    Protocol,
    Score,
)

#: Told of each answer that is done: how many are, and of how many.
Watch: TypeAlias = Callable[[int, int], None]
_Judged: TypeAlias = tuple[JudgedAnswer, tuple[JudgedClaim, ...]]


@dataclass(slots=True)
class Judging:
    """Judges answers.

    Attributes:
        texts: the words of the sources.
        protocols: which checks are made.
        judge: the judge model; None: what is left open stays ``not_judged``.
        models: names of models that are masked in what the judge reads.
        split_by_model: whether the judge splits answers into claims.
        local: the local model, which is asked before any judge.
        notes: what a reader must know: claims that an error of ours left open, what could not be split.
    """

    texts: SourceTexts
    protocols: Collection[Protocol]
    judge: Judge | None = None
    models: Collection[str] = ()
    split_by_model: bool = False
    local: Entailment | None = None
    notes: list[str] = field(default_factory=list)

    async def into(
        self, folder: JudgeFolder, answers: Sequence[AnalystAnswer], watch: Watch | None = None
    ) -> None:
        """Judge answers, in the order of the input, into a folder.

        Raises:
            RunError: the folder cannot be written.
            ConfigError: the local model does not run.
        """
        waiting = deque(answers)
        under_way: deque[asyncio.Task[_Judged]] = deque()
        done = 0
        with closing(Deciding.of(len(answers), self.local)) as deciding:
            try:
                while waiting or under_way:
                    while waiting and len(under_way) < deciding.at_once:
                        under_way.append(asyncio.create_task(self._judged(waiting.popleft(), deciding)))
                    answer, claims = await under_way.popleft()
                    for claim in claims:
                        folder.add_claim(claim)
                    folder.add_answer(answer)
                    done += 1
                    if watch is not None:
                        watch(done, len(answers))
            finally:
                for task in under_way:
                    task.cancel()
                await asyncio.gather(*under_way, return_exceptions=True)
        self.notes.sort()

    async def _judged(self, answer: AnalystAnswer, deciding: Deciding) -> _Judged:
        answer, pairs = await asyncio.to_thread(self._read, answer)
        subject = subject_of(answer, pairs, self.models)
        claims, by_model = await self._claims(answer)
        found = await deciding.found(answer, claims, [text for _, text in pairs], self.protocols)
        both = list(zip(claims, found, strict=True))
        self.notes += [f"{answer.id} {claim.id}: {each.fault}" for claim, each in both if each.fault]
        rubric, taxonomy, rows = await asyncio.gather(
            self._scores(subject, "rubric", DIMENSIONS),
            self._scores(subject, "taxonomy", ERROR_CATEGORIES),
            asyncio.gather(*(self._claim(claim, subject, each) for claim, each in both)),
        )
        whole = JudgedAnswer(
            answer=answer,
            coverage=await asyncio.to_thread(coverage_of, answer, claims),
            claims=len(claims),
            claims_by="judge" if by_model else "rules",
            rubric=cast("dict[Dimension, Score]", rubric),
            taxonomy=cast("dict[ErrorCategory, Score]", taxonomy),
        )
        return whole, tuple(rows)

    def _read(self, answer: AnalystAnswer) -> tuple[AnalystAnswer, tuple[tuple[Source, str], ...]]:
        """The sources of an answer. One whose capture is damaged is a fault, and then not all are known."""
        pairs: list[tuple[Source, str]] = []
        faults: list[InputFault] = []
        for source in answer.sources:
            try:
                pairs.append((source, self.texts.text(source)))
            except StoreError as error:
                pairs.append((source, ""))
                faults.append(InputFault(code="source_unreadable", message=f"Source {source.id}: {error}"))
        if faults:
            answer = answer.model_copy(update={"faults": (*answer.faults, *faults), "sources_known": False})
        return answer, tuple(pairs)

    async def _claims(self, answer: AnalystAnswer) -> tuple[tuple[Claim, ...], bool]:
        """The claims of an answer, and whether the judge split any part of it."""
        if not self.split_by_model or self.judge is None:
            return await asyncio.to_thread(extract_claims, answer), False
        # The sources do not count here: a name that the answer has and the query has not is masked.
        split = await split_claims(self.judge, subject_of(answer, (), self.models))
        if note := split.note(f"{answer.model}, “{answer.query[:80]}”"):
            self.notes.append(note)
        return split.read.claims, any(vote.outcome == "decided" for vote in split.votes)

    async def _scores(
        self, subject: Subject, protocol: Literal["rubric", "taxonomy"], parts: Sequence[str]
    ) -> dict[str, Score]:
        if protocol not in self.protocols:
            return {}
        if self.judge is None:
            return dict.fromkeys(parts, Score(outcome="not_judged", reason=NO_MODEL))
        return await answer_scores(self.judge, subject, protocol)

    async def _claim(self, claim: Claim, subject: Subject, found: Found) -> JudgedClaim:
        """A claim with its checks: what neither rules nor a local model decide is asked of the judge."""
        answer, judge = subject.answer, self.judge
        citations: CitationRow | None = None
        hallucination: HallucinationRow | None = None
        if "citations" in self.protocols:
            citations = citation_row(claim, answer, found.cited, marks_lead=found.marks_lead)
            if citations.reason == NO_MODEL and judge is not None:
                citations = await judged_row(CitationRow, judge, claim, subject)
            citations = self._left_open(citations)
        if "hallucination" in self.protocols:
            hallucination = hallucination_row(claim, answer, found.anywhere)
            if hallucination is not None and hallucination.reason == NO_MODEL and judge is not None:
                hallucination = await judged_row(HallucinationRow, judge, claim, subject)
            hallucination = hallucination and self._left_open(hallucination)
        return JudgedClaim(
            answer=answer.id,
            claim=claim,
            finding=found.cited,
            anywhere=found.anywhere,
            citations=citations,
            hallucination=hallucination,
        )

    def _left_open(self, row: RowT) -> RowT:
        """A row that nobody judged, with the reason of the local model where that was asked."""
        if self.local is None or row.reason != NO_MODEL or row.finding is None:
            return row
        return row.model_copy(update={"reason": row.finding.reason or NO_MODEL})
