"""The local judge in a run of judging: it checks claims, and says nothing of whole answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from verifaible.judge.claims import claims_of
from verifaible.judge.nli.entailment import Entailment
from verifaible.judge.protocols.splitting import Split
from verifaible.judge.rules.library import Library
from verifaible.judge.verdicts import citation_by_rules, hallucination_by_rules
from verifaible.schema.analyst import AnalystAnswer, Claim
from verifaible.schema.judged import (
    DIMENSIONS,
    ERROR_CATEGORIES,
    CitationRow,
    Dimension,
    ErrorCategory,
    Finding,
    HallucinationRow,
    RankRow,
    Score,
)

_WHOLE: Final = "not judged: a local model reads claims, not whole answers"
_NOTHING: Final = Finding(verdict="undecided", reason="No source has a word of it.")


class NliReviewer:
    """The local judge for the two checks of a claim; all else is ``not_judged``."""

    def __init__(self, entailment: Entailment) -> None:
        self._entailment = entailment
        self.splits: Mapping[str, Split] = {}

    async def claims(self, answer: AnalystAnswer) -> tuple[Claim, ...]:
        """The claims by the rules."""
        return claims_of(answer)

    async def citation(self, claim: Claim, answer: AnalystAnswer, library: Library) -> CitationRow:
        """The citation check of a claim that cites sources."""
        found = await self._entailment.decide(claim, library) or _NOTHING
        row = citation_by_rules(claim, answer, found, marks_lead=True)
        by = "judge" if row.outcome == "decided" else ""
        return row.model_copy(update={"by": by, "reason": found.reason})

    async def hallucination(self, claim: Claim, answer: AnalystAnswer, library: Library) -> HallucinationRow:
        """The hallucination check of a claim."""
        everything = tuple(source.id for source, _ in library.pairs)
        found = await self._entailment.decide(claim, library, only=everything) or _NOTHING
        row = hallucination_by_rules(claim, answer, found)
        assert row is not None  # of opinions no reviewer is asked
        by = "judge" if row.outcome == "decided" else ""
        return row.model_copy(update={"by": by, "reason": found.reason})

    async def rubric(self, answer: AnalystAnswer, library: Library) -> dict[Dimension, Score]:
        """The four scores of an answer: not judged."""
        return dict.fromkeys(DIMENSIONS, Score(outcome="not_judged", reason=_WHOLE))

    async def taxonomy(self, answer: AnalystAnswer, library: Library) -> dict[ErrorCategory, Score]:
        """The seven categories of an answer: not judged."""
        return dict.fromkeys(ERROR_CATEGORIES, Score(outcome="not_judged", reason=_WHOLE))

    async def ranking(self, answers: Sequence[AnalystAnswer]) -> dict[str, RankRow]:
        """The places of answers to one query: not judged."""
        row = RankRow(outcome="not_judged", of=len(answers), reason=_WHOLE)
        return {answer.id: row for answer in answers}
