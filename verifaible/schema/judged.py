"""What was found and judged of a claim and of an answer."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, TypeAlias, get_args

from pydantic import Field

from verifaible.schema.analyst import AnalystAnswer, Claim, Coverage
from verifaible.schema.base import Record
from verifaible.schema.chat import Usage
from verifaible.schema.verdict import Passage, Verdict

Protocol: TypeAlias = Literal["citations", "hallucination", "rubric", "taxonomy"]
#: The form of a folder of judging that this version writes, and reads.
JUDGE_FORMAT = 2
PROTOCOLS: tuple[Protocol, ...] = get_args(Protocol)
#: ``failed`` no usable reply came; ``abstain`` the judge would not say, or its repeats do not agree;
#: ``not_judged`` nobody was asked. None of the three is ever a score.
Outcome: TypeAlias = Literal["decided", "failed", "abstain", "not_judged"]
CitationStatus: TypeAlias = Literal["direct", "derivable", "incorrect", "missing", "not_needed"]
HallucinationStatus: TypeAlias = Literal["exact", "derivable", "fabricated", "contradiction"]
Dimension: TypeAlias = Literal["temporal_relevance", "data_consistency", "depth", "relevance"]
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)
#: In the order of table 6 of the seed.
ErrorCategory: TypeAlias = Literal[
    "staleness_missing_time_bounds",
    "inconsistent_claims",
    "source_reconciliation_failure",
    "shallow_synthesis",
    "missing_risk_or_mechanism_context",
    "overconfident_prediction",
    "partial_or_misframed_answer",
]
ERROR_CATEGORIES: tuple[ErrorCategory, ...] = get_args(ErrorCategory)


class Vote(Record):
    """One reply of a judge to one item, and what became of it.

    ``call`` names the reply in the cache. ``fault`` says why a reply could not be used; ``notes`` what of a
    usable one was tolerated (a fence around it, a reason of too many words).
    """

    outcome: Outcome
    value: str = ""
    reason: str = ""
    fault: str = ""
    call: str = ""
    usage: Usage = Field(default_factory=Usage)
    notes: tuple[str, ...] = ()


class _Row(Record):
    """A check of a claim; ``by`` says who decided."""

    outcome: Outcome
    by: Literal["rules", "judge", ""] = ""
    finding: Verdict | None = None
    votes: tuple[Vote, ...] = ()
    reason: str = ""


class CitationRow(_Row):
    """The citation check of a claim."""

    status: CitationStatus | None = None


class HallucinationRow(_Row):
    """The hallucination check of a claim."""

    status: HallucinationStatus | None = None


class JudgedClaim(Record):
    """One line of ``claims.jsonl``: a claim of an answer with everything that was found of it.

    ``finding`` is over the sources that the claim cites, ``anywhere`` over all of its answer.
    """

    answer: str
    claim: Claim
    finding: Verdict | None = None
    anywhere: Verdict | None = None
    citations: CitationRow | None = None
    hallucination: HallucinationRow | None = None

    @property
    def grounds(self) -> tuple[Passage, ...]:
        """Every passage that one of its findings rests on, each once."""
        rows = (self.citations, self.hallucination)
        findings = (self.finding, self.anywhere, *(row.finding for row in rows if row is not None))
        return tuple(dict.fromkeys(each for found in findings if found is not None for each in found.grounds))


class Score(Record):
    """One dimension of the rubric (1 to 10), or one category of the taxonomy (0 or 1)."""

    outcome: Outcome
    value: float | None = None
    reason: str = ""
    votes: tuple[Vote, ...] = ()


class JudgedAnswer(Record):
    """One line of ``answers.jsonl``: an answer, its coverage by claims, and what was judged of the whole."""

    answer: AnalystAnswer
    coverage: Coverage
    claims: int = 0
    claims_by: Literal["rules", "judge"] = "rules"
    rubric: dict[Dimension, Score] = Field(default_factory=dict)
    taxonomy: dict[ErrorCategory, Score] = Field(default_factory=dict)


class JudgeInfo(Record):
    """``judge.json``: what a run of judging was made of."""

    format: int = JUDGE_FORMAT
    id: str
    started_at: datetime
    finished_at: datetime | None = None
    version: str
    input: str
    input_sha256: str = ""
    protocols: tuple[Protocol, ...]
    judge: str = ""
    repeats: int = 1
    deterministic: bool = True
    usage: Usage = Field(default_factory=Usage)
    calls: int = 0
    cached_calls: int = 0
    settings: dict[str, Any] = Field(default_factory=dict)
