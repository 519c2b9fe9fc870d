"""The seed's score of a trial: section 2.3, all or nothing on the answer, then 40/25/15/20."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from verifaible.schema.case import Case
from verifaible.schema.run import ScoreFacts, TrialCitation
from verifaible.scoring.match import answer_markers, expectation, match_answer

#: ``answer``: the formula as printed; ``citation``: an answer without a citation scores 0 too,
#: which is what the seed's own matrix does (Appendix B, video_002).
Gate: TypeAlias = Literal["answer", "citation"]

ANSWER_POINTS: Final = 40
CITATION_POINTS: Final = 25
MARKER_POINTS: Final = 15
TYPE_POINTS: Final = 20


def gated_score(facts: ScoreFacts, gate: Gate = "answer") -> int:
    """The score of a trial, from 0 to 100 (seed, section 2.3)."""
    if not facts.answer_correct or (gate == "citation" and not facts.citation_created):
        return 0
    return (
        ANSWER_POINTS
        + CITATION_POINTS * facts.citation_created
        + MARKER_POINTS * facts.citation_in_text
        + TYPE_POINTS * facts.evidence_type_match
    )


def facts_of(case: Case, answer: str, citations: Sequence[TrialCitation]) -> ScoreFacts:
    """The four facts of a trial.

    Only a marker of a citation made in this trial counts. The evidence type is judged on the
    citations that the answer marks, or on all of them where it marks none; a case without
    accepted types takes any, but not the absence of a citation.
    """
    marked_numbers = set(answer_markers(answer))
    marked = [citation for citation in citations if citation.number in marked_numbers]
    return ScoreFacts(
        answer_correct=match_answer(answer, expectation(case), question=case.question).correct,
        citation_created=bool(citations),
        citation_in_text=bool(marked),
        evidence_type_match=any(
            not case.evidence_types or citation.evidence_type in case.evidence_types
            for citation in marked or citations
        ),
    )
