"""A run in figures: one summary for each model, and one for each of its categories."""

from __future__ import annotations

from collections.abc import Sequence

from verifaible.schema.base import Record
from verifaible.schema.run import TrialResult
from verifaible.scoring.statistics import bootstrap_mean_interval, pass_at_k, pass_hat_k, wilson_interval

#: Trials that the machine or the endpoint failed; they count as not passed, and are shown apart.
ERROR_ENDINGS = ("infrastructure", "model_error")
_SEED = 20260221


class Rate(Record):
    """A share with its 95 % Wilson interval."""

    count: int
    of: int
    low: float
    high: float

    @classmethod
    def measure(cls, count: int, of: int) -> Rate:
        """The rate of ``count`` in ``of``."""
        low, high = wilson_interval(count, of)
        return cls(count=count, of=of, low=low, high=high)


class CategorySummary(Record):
    """One category of one model: points out of 100 a trial."""

    category: str
    trials: int
    points: int


class ModelSummary(Record):
    """All trials of one model. Means are per trial; ``cost_usd`` is None where it is not known."""

    model: str
    trials: int
    cases: int
    total: int
    average: float
    average_low: float
    average_high: float
    passed: Rate
    full: Rate
    verified: Rate
    errors: int
    pass_at_k: float
    pass_hat_k: float
    k: int
    rounds: float
    tool_calls: float
    input_tokens: int
    cached_input_tokens: int
    output_tokens: int
    cost_usd: float | None
    duration_s: float
    categories: tuple[CategorySummary, ...]

    @property
    def total_tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens


def summarise(results: Sequence[TrialResult]) -> tuple[ModelSummary, ...]:
    """A summary for each model, best total first; equal totals in the order of verified trials."""
    models = dict.fromkeys(result.model for result in results)
    summaries = [_model(model, [each for each in results if each.model == model]) for model in models]
    return tuple(sorted(summaries, key=lambda one: (-one.total, -one.verified.count, one.model)))


def _model(model: str, results: Sequence[TrialResult]) -> ModelSummary:
    count = len(results)
    scores = [float(result.score) for result in results]
    by_case: dict[str, list[TrialResult]] = {}
    for result in results:
        by_case.setdefault(result.case, []).append(result)
    k = min(len(trials) for trials in by_case.values())
    passes = [(len(trials), sum(trial.score > 0 for trial in trials)) for trials in by_case.values()]
    low, high = bootstrap_mean_interval(scores, _SEED)
    costs = [result.cost_usd for result in results if result.cost_usd is not None]
    return ModelSummary(
        model=model,
        trials=count,
        cases=len(by_case),
        total=sum(result.score for result in results),
        average=sum(scores) / count,
        average_low=low,
        average_high=high,
        passed=Rate.measure(sum(result.score > 0 for result in results), count),
        full=Rate.measure(sum(result.score == 100 for result in results), count),
        verified=Rate.measure(sum(result.verified for result in results), count),
        errors=sum(result.ended_by in ERROR_ENDINGS for result in results),
        pass_at_k=sum(pass_at_k(n, c, k) for n, c in passes) / len(passes),
        pass_hat_k=sum(pass_hat_k(n, c, k) for n, c in passes) / len(passes),
        k=k,
        rounds=sum(result.rounds for result in results) / count,
        tool_calls=sum(result.tool_calls for result in results) / count,
        input_tokens=sum(result.input_tokens for result in results),
        cached_input_tokens=sum(result.cached_input_tokens for result in results),
        output_tokens=sum(result.output_tokens for result in results),
        cost_usd=sum(costs) if costs else None,
        duration_s=sum(result.duration_s for result in results),
        categories=_categories(results),
    )


def _categories(results: Sequence[TrialResult]) -> tuple[CategorySummary, ...]:
    names = dict.fromkeys(result.category for result in results)
    return tuple(
        CategorySummary(
            category=name,
            trials=sum(result.category == name for result in results),
            points=sum(result.score for result in results if result.category == name),
        )
        for name in names
    )
