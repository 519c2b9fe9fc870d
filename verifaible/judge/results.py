"""A folder of judged answers as reports read it: once, each answer with the sums of its claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeAlias

from verifaible.judge.claim_checks import NO_MODEL
from verifaible.judge.folder import JudgeFolder
from verifaible.judge.metrics import (
    CitationMetrics,
    HallucinationMetrics,
    citation_metrics,
    hallucination_metrics,
    outcome,
    verdict_of,
)
from verifaible.judge.published import MODELS, PublishedModel, were_asked
from verifaible.reporting.outcomes import Outcomes
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
    str(name): name.replace("_", " ").capitalize() for name in (*DIMENSIONS, *ERROR_CATEGORIES)
} | {"staleness_missing_time_bounds": "Staleness / missing time bounds"}
ScoreName: TypeAlias = Dimension | ErrorCategory


@dataclass(frozen=True, slots=True)
class AnswerResult:
    """A judged answer with the sums of its claims; ``judged`` is without its sources."""

    judged: JudgedAnswer
    citations: CitationMetrics
    hallucination: HallucinationMetrics
    claims: int
    sources: int

    @classmethod
    def of(cls, judged: JudgedAnswer, claims: Sequence[JudgedClaim]) -> AnswerResult:
        """Add up an answer; of its claims and sources only the numbers are kept."""
        light = judged.model_copy(update={"answer": judged.answer.model_copy(update={"sources": ()})})
        sums = citation_metrics(claims), hallucination_metrics(claims)
        return cls(light, *sums, len(claims), len(judged.answer.sources))

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

    def score(self, name: ScoreName) -> Score | None:
        """A dimension of the rubric, or a category of the taxonomy."""
        scores: tuple[Mapping[Any, Score], ...] = (self.judged.rubric, self.judged.taxonomy)
        return next((each[name] for each in scores if name in each), None)

    def value(self, name: ScoreName) -> float | None:
        """The value of a score that was decided; None of every other, whatever else it holds."""
        found = verdict_of(self.score(name))
        return None if found is None else float(found)

    @property
    def mean_score(self) -> float | None:
        """The mean of the four dimensions; None unless each was decided."""
        known = [score for name in DIMENSIONS if (score := self.value(name)) is not None]
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


#: Takes an answer, its claims, and their sums.
Visitor: TypeAlias = Callable[[JudgedAnswer, tuple[JudgedClaim, ...], AnswerResult], None]


def read_results(folder: JudgeFolder, visit: Visitor | None = None) -> Results:
    """Read a folder once.

    Args:
        folder: judged, or being judged.
        visit: takes each answer with its claims as it comes.

    Raises:
        RunError: it holds no run, or is damaged.
    """
    info, results = folder.info, []
    stray: Counter[str] = Counter()
    for judged, claims in joined(folder, stray):
        results.append(AnswerResult.of(judged, claims))
        if visit is not None:
            visit(judged, claims, results[-1])
    return Results(info, tuple(results), stray.total())


def joined(
    folder: JudgeFolder, stray: Counter[str] | None = None
) -> Iterator[tuple[JudgedAnswer, tuple[JudgedClaim, ...]]]:
    """Each answer with its claims, both files read once; of two lines for a claim the later one counts.

    Args:
        folder: where they are.
        stray: takes the number of claims of each answer that has no line of its own.

    Raises:
        RunError: a line is damaged.
    """
    lines = folder.claims()  # those of an answer are written together, before its line
    waiting: dict[str, dict[str, JudgedClaim]] = {}
    ahead = next(lines, None)
    for judged in folder.answers():
        answer = judged.answer.id
        while ahead is not None and (
            ahead.answer == answer or len(waiting.get(answer, ())) < max(judged.claims, 1)
        ):
            waiting.setdefault(ahead.answer, {})[ahead.claim.id] = ahead
            ahead = next(lines, None)
        yield judged, tuple(waiting.pop(answer, {}).values())
    if stray is not None:
        stray.update({answer: len(claims) for answer, claims in waiting.items()})
        stray.update(claim.answer for claim in ([ahead] if ahead else []))
        stray.update(claim.answer for claim in lines)


def unjudged(info: JudgeInfo, protocol: Protocol) -> str:
    """What to say where a protocol gave nothing: it was not asked for, or there was no model to ask."""
    if protocol not in info.protocols:
        return NOT_ASKED
    return NOT_JUDGED if info.judge else NO_MODEL


def score_outcomes(answers: Iterable[AnswerResult], *names: ScoreName) -> Outcomes:
    """How the judging of dimensions or categories ended; an answer without a score is not judged."""
    return Outcomes.of(outcome(each.score(name)) for each in answers for name in names)


def protocol_outcomes(answers: Sequence[AnswerResult], protocol: Protocol) -> Outcomes:
    """How every item of a protocol ended: claims or scores."""
    if protocol == "rubric":
        return score_outcomes(answers, *DIMENSIONS)
    if protocol == "taxonomy":
        return score_outcomes(answers, *ERROR_CATEGORIES)
    checks = (each.citations if protocol == "citations" else each.hallucination for each in answers)
    return sum((check.outcomes for check in checks), Outcomes())
