"""A folder of judged answers as reports read it: once, each answer with the sums of its claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, TypeAlias

from verifaible.judge.claim_checks import NO_MODEL
from verifaible.judge.folder import JudgeFolder
from verifaible.judge.metrics import (
    CheckMetrics,
    CitationMetrics,
    citation_metrics,
    fault_of,
    hallucination_metrics,
    outcome,
    verdict_of,
)
from verifaible.reporting.outcomes import Outcomes
from verifaible.schema.analyst import AnalystAnswer
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

#: What readers know the dimensions and the kinds of error by.
LABELS: Final[dict[str, str]] = {
    str(name): name.replace("_", " ").capitalize() for name in (*DIMENSIONS, *ERROR_CATEGORIES)
} | {"staleness_missing_time_bounds": "Staleness / missing time bounds"}
ScoreName: TypeAlias = Dimension | ErrorCategory


@dataclass(frozen=True, slots=True)
class AnswerResult:
    """A judged answer, without its sources, with the sums of its claims."""

    judged: JudgedAnswer
    citations: CitationMetrics
    hallucination: CheckMetrics
    claims: int
    sources: int

    @classmethod
    def of(cls, judged: JudgedAnswer, claims: Sequence[JudgedClaim]) -> AnswerResult:
        """Add up an answer; of its claims and sources only the numbers are kept."""
        light = judged.model_copy(update={"answer": judged.answer.model_copy(update={"sources": ()})})
        sums = citation_metrics(claims), hallucination_metrics(claims)
        return cls(light, *sums, len(claims), len(judged.answer.sources))

    @property
    def answer(self) -> AnalystAnswer:
        """The answer itself."""
        return self.judged.answer

    def score(self, name: ScoreName) -> Score | None:
        """A dimension of the rubric, or a category of the taxonomy."""
        rubric, taxonomy = self.judged.rubric, self.judged.taxonomy
        return next((score for key, score in (*rubric.items(), *taxonomy.items()) if key == name), None)

    def value(self, name: ScoreName) -> float | None:
        """The value of a score that was decided; None of every other, whatever else it holds."""
        found = verdict_of(self.score(name))
        return None if found is None else float(found)

    @property
    def mean_score(self) -> float | None:
        """The mean of the four dimensions; None unless each was decided."""
        known = [score for name in DIMENSIONS if (score := self.value(name)) is not None]
        return sum(known) / len(known) if len(known) == len(DIMENSIONS) else None


@dataclass(frozen=True, eq=False, slots=True)
class Results:
    """All that a report of one folder shows, the claims left out.

    Attributes:
        info: what the run was made of.
        answers: in the order of the input.
        failures: why judging failed, and how often.
        left: why a judge was not asked, and how often.
    """

    info: JudgeInfo
    answers: tuple[AnswerResult, ...]
    failures: Counter[str]
    left: Counter[str]

    @property
    def models(self) -> tuple[str, ...]:
        """Every model, in the order they come."""
        return tuple(dict.fromkeys(each.answer.model for each in self.answers))

    def of(self, model: str) -> tuple[AnswerResult, ...]:
        """The answers of one model."""
        return tuple(each for each in self.answers if each.answer.model == model)

    def unjudged(self, protocol: Protocol) -> str:
        """What to say where a protocol gave nothing: it was not asked for, or there was no model to ask."""
        if protocol not in self.info.protocols:
            return "not judged: not asked for"
        return "not judged" if self.info.judge else NO_MODEL


def read_results(folder: JudgeFolder) -> Results:
    """Read a folder and add up its answers.

    Raises:
        RunError: it holds no run, or is damaged.
    """
    answers: list[AnswerResult] = []
    failures, left = Counter[str](), Counter[str]()
    info = folder.info
    for judged, claims in joined(folder):
        answers.append(AnswerResult.of(judged, claims))
        checks = [row for claim in claims for row in (claim.citations, claim.hallucination)]
        for each in (*judged.rubric.values(), *judged.taxonomy.values(), *checks):
            if each is not None and each.outcome == "failed":
                failures[fault_of(each) or "no usable reply"] += 1
            elif each is not None and each.outcome == "not_judged" and each.reason:
                left[each.reason] += 1
    return Results(info, tuple(answers), failures, left)


def joined(folder: JudgeFolder) -> Iterator[tuple[JudgedAnswer, tuple[JudgedClaim, ...]]]:
    """Each answer with its claims, both files read once.

    Claims stand together, in the order of the answers. Those of an answer that was not finished are the last
    ones, and left out.

    Raises:
        RunError: a line is damaged.
    """
    groups = groupby(folder.claims(), key=lambda claim: claim.answer)
    ahead = next(groups, None)
    for judged in folder.answers():
        claims: tuple[JudgedClaim, ...] = ()
        if ahead is not None and ahead[0] == judged.answer.id:
            claims = tuple(ahead[1])
            ahead = next(groups, None)
        yield judged, claims


def score_outcomes(answers: Iterable[AnswerResult], *names: ScoreName) -> Outcomes:
    """How the judging of dimensions or categories ended; an answer without a score is not judged."""
    return Outcomes.of(outcome(each.score(name)) for each in answers for name in names)
