"""A folder of judged answers as reports read it: once, each answer with the sums of its claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from verifaible.judge.claim_checks import NO_MODEL
from verifaible.judge.folder import JudgeFolder
from verifaible.judge.report.metrics import (
    CitationMetrics,
    HallucinationMetrics,
    Outcomes,
    citation_metrics,
    hallucination_metrics,
    outcome,
    outcomes_of,
)
from verifaible.judge.report.published import MODELS, PublishedModel, were_asked
from verifaible.schema.judged import (
    DIMENSIONS,
    ERROR_CATEGORIES,
    Dimension,
    ErrorCategory,
    JudgedAnswer,
    JudgedClaim,
    JudgeInfo,
    Protocol,
    Score,
)

NOT_ASKED: Final = "not judged: not asked for"
NOT_JUDGED: Final = "not judged"
#: What readers know the dimensions and the kinds of error by.
LABELS: Final[dict[str, str]] = {
    "temporal_relevance": "Temporal relevance",
    "data_consistency": "Data consistency",
    "depth": "Depth",
    "relevance": "Relevance",
    "staleness_missing_time_bounds": "Staleness / missing time bounds",
    "inconsistent_claims": "Inconsistent claims",
    "source_reconciliation_failure": "Source reconciliation failure",
    "shallow_synthesis": "Shallow synthesis",
    "missing_risk_or_mechanism_context": "Missing risk or mechanism context",
    "overconfident_prediction": "Overconfident prediction",
    "partial_or_misframed_answer": "Partial or misframed answer",
}


@dataclass(frozen=True, slots=True)
class AnswerResult:
    """A judged answer with the sums of its claims; ``judged`` is without its sources."""

    judged: JudgedAnswer
    citations: CitationMetrics
    hallucination: HallucinationMetrics
    claims: int
    sources: int

    @property
    def id(self) -> str:
        """The id of the answer."""
        return self.judged.answer.id

    @property
    def model(self) -> str:
        """Who answered."""
        return self.judged.answer.model

    @property
    def query(self) -> str:
        """What was asked."""
        return self.judged.answer.query

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of the query."""
        return self.judged.answer.tags

    @property
    def mean_score(self) -> float | None:
        """The mean of the four dimensions; None unless each was decided."""
        scores = [decided_value(self.judged.rubric.get(name)) for name in DIMENSIONS]
        known = [score for score in scores if score is not None]
        return sum(known) / len(known) if len(known) == len(DIMENSIONS) else None


@dataclass(frozen=True)
class Results:
    """All that a report of one folder shows, the claims left out.

    Attributes:
        info: what the run was made of.
        answers: in the order of the input.
        stray: claims whose answer has no line: a run that was stopped left them.
    """

    info: JudgeInfo
    answers: tuple[AnswerResult, ...]
    stray: int = 0

    @cached_property
    def published(self) -> tuple[PublishedModel, ...]:
        """The models of the paper, where they were asked the same queries; they stand beside no others."""
        return MODELS if were_asked(each.query for each in self.answers) else ()

    @property
    def models(self) -> tuple[str, ...]:
        """Every model, in the order they come."""
        return tuple(dict.fromkeys(each.model for each in self.answers))

    @property
    def tags(self) -> tuple[str, ...]:
        """Every tag, in order of the alphabet."""
        return tuple(sorted({tag for each in self.answers for tag in each.tags}))

    def of(self, model: str) -> tuple[AnswerResult, ...]:
        """The answers of one model."""
        return tuple(each for each in self.answers if each.model == model)

    def unjudged(self, protocol: Protocol) -> str:
        """What to say where a protocol gave nothing."""
        return unjudged(self.info, protocol)


@dataclass(slots=True)
class Gathering:
    """Makes :class:`Results` of answers that come one by one."""

    info: JudgeInfo
    stray: int = 0
    _answers: list[AnswerResult] = field(default_factory=list)

    def add(self, judged: JudgedAnswer, claims: Sequence[JudgedClaim]) -> AnswerResult:
        """Take an answer and its claims; only their sums are kept."""
        sources = len(judged.answer.sources)
        light = judged.model_copy(update={"answer": judged.answer.model_copy(update={"sources": ()})})
        result = AnswerResult(
            judged=light,
            citations=citation_metrics(claims),
            hallucination=hallucination_metrics(claims),
            claims=len(claims),
            sources=sources,
        )
        self._answers.append(result)
        return result

    def unjudged(self, protocol: Protocol) -> str:
        """As :func:`unjudged`."""
        return unjudged(self.info, protocol)

    def results(self) -> Results:
        """Everything that was taken."""
        return Results(self.info, tuple(self._answers), self.stray)


def read_results(folder: JudgeFolder) -> Results:
    """Read a folder.

    Raises:
        RunError: it holds no run, or is damaged.
    """
    gathering = Gathering(folder.info)
    stray: Counter[str] = Counter()
    for judged, claims in joined(folder, stray):
        gathering.add(judged, claims)
    gathering.stray = stray.total()
    return gathering.results()


def joined(
    folder: JudgeFolder, stray: Counter[str] | None = None
) -> Iterator[tuple[JudgedAnswer, tuple[JudgedClaim, ...]]]:
    """Each answer with its claims, both files read once.

    Of two lines for the same claim the later one counts: a run that was stopped and taken up again has both.

    Args:
        folder: where they are.
        stray: takes the number of claims of each answer that has no line of its own.

    Raises:
        RunError: a line is damaged.
    """
    lines = iter(folder.claims())
    waiting: dict[str, dict[str, JudgedClaim]] = {}
    ahead = next(lines, None)
    done: set[str] = set()
    for judged in folder.answers():
        answer = judged.answer.id
        if answer in done:
            continue
        while ahead is not None and (
            ahead.answer == answer or len(waiting.get(answer, ())) < max(judged.claims, 1)
        ):
            waiting.setdefault(ahead.answer, {})[ahead.claim.id] = ahead
            ahead = next(lines, None)
        done.add(answer)
        yield judged, tuple(waiting.pop(answer, {}).values())
    if stray is not None:
        stray.update({answer: len(claims) for answer, claims in waiting.items() if answer not in done})
        if ahead is not None:
            stray.update(claim.answer for claim in (ahead, *lines) if claim.answer not in done)


def unjudged(info: JudgeInfo, protocol: Protocol) -> str:
    """What to say where a protocol gave nothing: it was not asked for, or there was no model to ask."""
    if protocol not in info.protocols:
        return NOT_ASKED
    return NOT_JUDGED if info.judge else NO_MODEL


def decided_value(score: Score | None) -> float | None:
    """The value of a score that was decided; None of every other, whatever else it holds."""
    return score.value if score is not None and score.outcome == "decided" else None


def rubric_outcomes(answers: Iterable[AnswerResult], name: Dimension) -> Outcomes:
    """How the judging of one dimension ended; an answer without a score is not judged."""
    return outcomes_of(outcome(each.judged.rubric.get(name)) for each in answers)


def taxonomy_outcomes(answers: Iterable[AnswerResult], name: ErrorCategory) -> Outcomes:
    """How the judging of one category ended."""
    return outcomes_of(outcome(each.judged.taxonomy.get(name)) for each in answers)


def protocol_outcomes(answers: Sequence[AnswerResult], protocol: Protocol) -> Outcomes:
    """How every item of a protocol ended: claims or scores."""
    if protocol == "rubric":
        found = [rubric_outcomes(answers, name) for name in DIMENSIONS]
    elif protocol == "taxonomy":
        found = [taxonomy_outcomes(answers, name) for name in ERROR_CATEGORIES]
    elif protocol == "citations":
        found = [each.citations.outcomes for each in answers]
    else:
        found = [each.hallucination.outcomes for each in answers]
    return sum(found, Outcomes())
