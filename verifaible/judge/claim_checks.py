"""The rows of the two claim checks: from what was found of a claim, and from what a judge says of it.

A mark that leads to no source counts as a citation, and as an incorrect one where other marks of the answer
do lead to sources: the reader who follows it finds nothing. Where none does, it is not known what the answer
calls its sources, and nothing can be said of the mark.
"""

from __future__ import annotations

from typing import Any, Final, Literal, TypeVar, cast

from verifaible.factcheck.llm_judge import NO_SOURCES, judge_claim
from verifaible.judge.rubric import Subject
from verifaible.llm.voting import Judge
from verifaible.schema.analyst import AnalystAnswer, Claim
from verifaible.schema.judged import (
    CitationRow,
    CitationStatus,
    HallucinationRow,
    HallucinationStatus,
)
from verifaible.schema.verdict import Outcome, Verdict

#: Why a claim was not judged.
NO_MODEL: Final = "not judged: no model"
NO_NAMES: Final = "not judged: no mark of the answer leads to a source, so it is not known what it calls them"
_CITED: Final[dict[Outcome, CitationStatus]] = {
    "supported": "direct",
    "derived": "derivable",
    "contradicted": "incorrect",
    "not_found": "incorrect",
}
_ANYWHERE: Final[dict[Outcome, HallucinationStatus]] = {
    "supported": "exact",
    "derived": "derivable",
    "contradicted": "fabricated",
    "not_found": "fabricated",
}
RowT = TypeVar("RowT", CitationRow, HallucinationRow)


def citation_row(
    claim: Claim, answer: AnalystAnswer, finding: Verdict | None, *, marks_lead: bool
) -> CitationRow:
    """The citation check of a claim as far as it is decided without a judge.

    Args:
        claim: the claim.
        answer: its answer.
        finding: what was found in the sources that it cites; None where it cites none that is known.
        marks_lead: whether any mark of the answer leads to a source.

    Returns:
        The row; ``not_judged`` where a judge has to say.
    """
    if not claim.factual:
        return _decided("not_needed", "It states nothing that a source could hold.")
    if not claim.cites and not claim.broken:
        return _decided("missing", "It states a fact and cites nothing.")
    if finding is not None and finding.outcome in _CITED:
        return _decided(_CITED[finding.outcome], finding.reason, finding)
    if claim.cites:
        return CitationRow(outcome="not_judged", finding=finding, reason=NO_MODEL)
    if answer.sources_known and marks_lead:
        return _decided("incorrect", f"{', '.join(claim.broken)} leads to no source.")
    return CitationRow(outcome="not_judged", reason=NO_NAMES if answer.sources_known else NO_SOURCES)


def _decided(status: CitationStatus, reason: str, finding: Verdict | None = None) -> CitationRow:
    return CitationRow(outcome="decided", status=status, by=_by(finding), finding=finding, reason=reason)


def _by(finding: Verdict | None) -> Literal["rules", "judge"]:
    """Who decided; a local model is a judge, too."""
    return "judge" if finding is not None and finding.decided_by == "entailment" else "rules"


def hallucination_row(
    claim: Claim, answer: AnalystAnswer, anywhere: Verdict | None
) -> HallucinationRow | None:
    """The hallucination check of a claim as far as no judge is needed; None for what states no fact.

    Args:
        claim: the claim.
        answer: its answer.
        anywhere: what was found in all sources of the answer; None where it has none.
    """
    if not claim.factual:
        return None
    if not answer.sources_known or anywhere is None:
        return HallucinationRow(outcome="not_judged", reason=NO_SOURCES)
    if anywhere.outcome not in _ANYWHERE:
        return HallucinationRow(outcome="not_judged", finding=anywhere, reason=NO_MODEL)
    # where no source says otherwise, nothing contradicts the claim: none has it
    contradicted = anywhere.outcome == "contradicted" and anywhere.said
    status = "contradiction" if contradicted else _ANYWHERE[anywhere.outcome]
    return HallucinationRow(
        outcome="decided", status=status, by=_by(anywhere), finding=anywhere, reason=anywhere.reason
    )


async def judged_row(kind: type[RowT], judge: Judge, claim: Claim, subject: Subject) -> RowT:
    """Let a judge check a claim: against the sources that it cites, or against all of its answer.

    Raises:
        RunError: the replies cannot be kept.
    """
    found = await judge_claim(
        judge,
        claim,
        subject.answer,
        subject.sources,
        "citations" if kind is CitationRow else "hallucination",
        names=subject.names,
    )
    decided = found.outcome == "decided"
    fields: dict[str, Any] = {
        "outcome": found.outcome,
        "status": cast(Any, found.status) if decided else None,
        "by": "judge" if decided else "",
        "finding": found.verdict if found.outcome in ("decided", "abstain") else None,
        "votes": found.votes,
        "reason": found.verdict.reason,
    }
    return kind(**fields)
