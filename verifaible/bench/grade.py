"""What an answer would score, and why: for authors of cases."""

from __future__ import annotations

from typing import Final

from verifaible.errors import UserError
from verifaible.schema.base import Record
from verifaible.schema.case import Case
from verifaible.schema.run import TrialCitation
from verifaible.scoring.gate import facts_of, gated_score
from verifaible.scoring.match import answer_markers, expectation, match_answer

#: In characters, for whoever pipes a page instead of an answer; an answer has a few hundred.
MAX_ANSWER_LENGTH: Final = 200_000


class Grade(Record):
    """The grade of an answer text alone, without a trial.

    ``score`` is the gated score of the text alone; ``score_with_citation`` what it would be if its
    markers belonged to citations of an accepted type.
    """

    case: str
    answer_correct: bool
    expected: str
    explanation: str
    read_instead: tuple[str, ...] = ()
    markers: tuple[int, ...] = ()
    score: int
    score_with_citation: int


def grade(case: Case, answer: str) -> Grade:
    """Grade an answer by its text: the score it would get alone, and with fitting evidence.

    Raises:
        UserError: the answer is longer than :data:`MAX_ANSWER_LENGTH`.
    """
    if len(answer) > MAX_ANSWER_LENGTH:
        raise UserError(
            f"The answer has {len(answer):,} characters; grade takes at most {MAX_ANSWER_LENGTH:,}."
            " Give the answer alone, without the pages it was read from."
        )
    expected = expectation(case)
    match = match_answer(answer, expected, question=case.question)
    markers = answer_markers(answer)
    fitting = tuple(
        TrialCitation(
            number=number,
            id="hypothetical",
            evidence_type=(case.evidence_types or ("text",))[0],
            source_url=case.url,
            text="",
        )
        for number in (markers or (1,))
    )
    return Grade(
        case=case.id,
        answer_correct=match.correct,
        expected=expected.model_dump_json(exclude_defaults=True),
        explanation=match.explanation,
        read_instead=match.stated,
        markers=markers,
        score=gated_score(facts_of(case, answer, ())),
        score_with_citation=gated_score(facts_of(case, answer, fitting)),
    )
