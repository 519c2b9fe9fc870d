"""Trials and their scores, as a run folder holds them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, TypeAlias

from pydantic import Field

from verifaible.schema.anchor import Shown
from verifaible.schema.base import EvidenceType, Record, StorableText
from verifaible.schema.chat import Usage
from verifaible.schema.data import Display

#: Why a trial ended: the agent answered, a limit, the model endpoint, or the machine.
EndedBy: TypeAlias = Literal["answer", "rounds", "tokens", "seconds", "cost", "model_error", "infrastructure"]
#: Why a trial did not get all that there is (seed, appendix B, and the machine's own faults).
FailureReason: TypeAlias = Literal[
    "",
    "wrong_answer",
    "wrong_date",
    "type_mismatch",
    "no_citation",
    "no_marker",
    "evidence_not_verified",
    "round_trip_exhaustion",
    "other_limit",
    "premature_stop",
    "navigation_failure",
    "model_error",
    "infrastructure",
]


class ToolEvent(Record):
    """One tool call of a trial, whole: what was asked and everything that came back."""

    round: int
    name: str
    arguments: str
    result: str
    error_code: str = ""
    citation: int | None = Field(None, description="The number N of [@v:N], if the call made a citation.")
    call_id: str = Field("", description="The model's id of the call; empty for agents without a model.")
    duration_s: float = 0.0


class ModelEvent(Record):
    """One answer of the model."""

    round: int
    text: str
    reasoning: str = Field("", description="What the model thought aloud, where its endpoint tells.")
    tool_calls: int
    usage: Usage
    model: str = ""
    duration_s: float = 0.0
    served_by: str = Field("", description="The provider behind the endpoint, if told.")
    notes: tuple[str, ...] = Field((), description="Failed attempts, and what was left out of the request.")


class TrialCitation(Record):
    """A citation made in a trial: its number in the answer and its id in the store.

    ``text`` is the words asked for, ``shown`` the whole evidence, shortened at its end.
    """

    number: int
    id: str
    evidence_type: EvidenceType
    source_url: str
    text: str
    shown: Shown = Field(default_factory=Shown)


class ToolReply(Record):
    """What a tool call gives back: ``text`` goes to the model as it is."""

    text: StorableText
    error_code: str = ""
    citation: TrialCitation | None = None
    displays: tuple[Display, ...] = Field((), description="For a person; the model has the text.")


class AgentOutcome(Record):
    """What an agent did with one case."""

    answer: str
    citations: tuple[TrialCitation, ...] = ()
    rounds: int = 0
    tool_calls: int = 0
    usage: Usage = Field(default_factory=Usage)
    events: tuple[ModelEvent | ToolEvent, ...] = ()
    ended_by: EndedBy = "answer"
    error: str = ""
    error_code: str = Field("", description="Code of the error that ended it, such as context_overflow.")
    served_by: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class ScoreFacts(Record):
    """The four facts the seed's formula is computed from (seed, section 2.3)."""

    answer_correct: bool
    citation_created: bool
    citation_in_text: bool
    evidence_type_match: bool


class VerifiedScore(Record):
    """Whether the evidence carries the answer; ``reasons`` names every condition that failed.

    ``unreviewed`` are the addresses of the evidence if nothing failed but this: it stands on the case's site,
    on pages that the case does not name. A person can accept them (``bench accept``).
    """

    passed: bool
    reasons: tuple[str, ...] = ()
    unreviewed: tuple[str, ...] = ()


class TrialKey(Record):
    """Which trial: a model, a case, and its number from 1."""

    model: str
    case: str
    trial: int


class TrialResult(Record):
    """One line of ``results.jsonl``.

    Tokens, rounds and cost are of the attempt that counts; ``lost_usage`` is what attempts that the
    machine failed had cost before it. ``tool_errors`` counts the error codes that tools gave back.
    ``served_by`` are the providers behind the endpoint; ``notes`` tell each attempt
    of a model call that failed, and how the endpoint had to be asked otherwise.
    """

    model: str
    case: str
    category: str
    language: str = ""
    difficulty: str = ""
    trial: int
    score: int
    verified: bool
    facts: ScoreFacts
    verified_reasons: tuple[str, ...] = ()
    unreviewed: tuple[str, ...] = ()
    failure: FailureReason = ""
    answer: str
    citations: tuple[TrialCitation, ...] = ()
    rounds: int = 0
    tool_calls: int = 0
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cost_usd: float | None = None
    billed_usd: float | None = Field(None, description="The part of cost_usd that the provider stated.")
    attempts: int = 1
    lost_usage: Usage | None = None
    tool_errors: dict[str, int] = Field(default_factory=dict)
    duration_s: float = 0.0
    ended_by: EndedBy = "answer"
    error: str | None = None
    error_code: str = ""
    served_by: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    finished_at: datetime

    @property
    def key(self) -> TrialKey:
        """Which trial it is."""
        return TrialKey(model=self.model, case=self.case, trial=self.trial)


class ReplayedCalls(Record):
    """How a run without a model went: whose answers it was given, and how well they fitted.

    ``differing`` are requests that were not word for word those of the recording: the answer of the same
    turn was given all the same.
    """

    run: str
    exact: int = 0
    differing: int = 0


class RunInfo(Record):
    """``run.json``: what a run was made of.

    ``locked`` holds the digests and versions that a run must still have when it is continued, in sections;
    ``options`` is what the command line was given, for the same purpose. ``beside_published`` says whether
    the published models may stand beside its models: they were asked the same questions, or it was wanted.
    """

    id: str
    started_at: datetime
    finished_at: datetime | None = None
    version: str
    models: tuple[str, ...]
    web: Literal["live", "record", "offline"]
    gate: Literal["answer", "citation"]
    cases: dict[str, str] = Field(description="Case id to the SHA-256 of its canonical JSON.")
    settings: dict[str, Any] = Field(default_factory=dict)
    options: dict[str, Any] = Field(default_factory=dict)
    limits: dict[str, Any] = Field(default_factory=dict)
    locked: dict[str, dict[str, str]] = Field(default_factory=dict)
    resumed_at: tuple[datetime, ...] = ()
    replayed: ReplayedCalls | None = None
    rescored: str = Field("", description="Id of the run whose trials these are, scored again.")
    beside_published: bool = False
