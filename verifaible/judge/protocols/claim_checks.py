"""The two checks of a claim by a judge model, as the rows of the citation and the hallucination check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from verifaible.factcheck.llm_judge import Judgement, Protocol, judge_claim
from verifaible.factcheck.verdicts import finding_of
from verifaible.judge.protocols.subject import Subject
from verifaible.llm.voting import Judge
from verifaible.schema.analyst import Claim, Source
from verifaible.schema.judged import CitationRow, HallucinationRow


@dataclass(frozen=True, slots=True)
class _Read:
    source: Source
    text: str


async def citation_row(judge: Judge, claim: Claim, subject: Subject) -> CitationRow:
    """Let a judge check a claim against the sources that it cites.

    Raises:
        RunError: the replies cannot be kept.
    """
    return CitationRow(**_fields(await _judged(judge, claim, subject, "citations")))


async def hallucination_row(judge: Judge, claim: Claim, subject: Subject) -> HallucinationRow:
    """Let a judge check a claim against all sources of its answer.

    Raises:
        RunError: the replies cannot be kept.
    """
    return HallucinationRow(**_fields(await _judged(judge, claim, subject, "hallucination")))


async def _judged(judge: Judge, claim: Claim, subject: Subject, protocol: Protocol) -> Judgement:
    sources = [_Read(*pair) for pair in subject.pairs]
    return await judge_claim(judge, claim, subject.answer, sources, protocol, names=subject.names)


def _fields(found: Judgement) -> dict[str, Any]:
    decided = found.outcome == "decided"
    return {
        "outcome": found.outcome,
        "status": cast(Any, found.status) if decided else None,
        "by": "judge" if decided else "",
        "finding": finding_of(found.verdict) if found.outcome in ("decided", "abstain") else None,
        "votes": found.votes,
        "reason": found.verdict.reason,
    }
