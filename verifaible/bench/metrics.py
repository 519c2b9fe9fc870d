"""A run in figures: one summary for each model, and one for each group of its cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Final

from verifaible.runs.spend import Spend
from verifaible.schema.base import Record
from verifaible.schema.chat import Usage
from verifaible.schema.run import FailureReason, TrialResult
from verifaible.stats import (
    clustered_mean_interval,
    pass_at_k,
    pass_hat_k,
    wilson_interval,
)

#: Trials that the machine or the endpoint failed; they count as not passed, and are shown apart.
ERROR_ENDINGS: Final = ("infrastructure", "model_error")
#: Endings at the endpoint that the model itself brought about.
OWN_FAULTS: Final = frozenset({"context_overflow", "content_refused", "output_cut_off"})
#: With a larger share of errors a run says more about the machine than about the model.
MAX_ERROR_SHARE: Final = 0.05
#: For what is drawn: intervals and tests.
SEED: Final = 20260221


def is_error(result: TrialResult) -> bool:
    """Whether a trial was ended by the machine or the endpoint, and not by the model's own doing."""
    own = result.ended_by == "model_error" and result.error_code in OWN_FAULTS
    return result.ended_by in ERROR_ENDINGS and not own


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

    def __str__(self) -> str:
        return f"{self.count}/{self.of} ({self.low * 100:.0f}-{self.high * 100:.0f} %)"


class GroupSummary(Record):
    """The trials of one language, difficulty or category of one model."""

    name: str
    trials: int
    points: int
    verified: Rate


class CostSummary(Record):
    """What the trials of a model have cost, in US dollars.

    Attributes:
        total: billed and estimated together, without what was lost; None where nothing is known.
        billed: the part that the provider stated.
        estimated: the part that was reckoned by dated list prices.
        unpriced: trials with tokens whose cost is not known.
        lost: what attempts have cost whose trial was begun again, or never ended.
        lost_tokens: their tokens.
        repeated: trials that were begun again.
        unanswered: calls of which nothing came back, and nobody knows what they cost.
        per_verified: everything, what was lost included, divided by the verified trials.
    """

    total: float | None
    billed: float
    estimated: float
    unpriced: int
    lost: float
    lost_tokens: int
    repeated: int
    unanswered: int
    per_verified: float | None


class ModelSummary(Record):
    """All trials of one model. Means are per trial; ``cost_usd`` is None where it is not known.

    ``average_low`` and ``average_high`` are the 95 % bootstrap interval, cases drawn again with all their
    trials; ``verified_low`` and ``verified_high`` the same of the verified share. ``rankable`` is false
    where more than :data:`MAX_ERROR_SHARE` of the trials are errors.
    """

    model: str
    trials: int
    cases: int
    total: int
    average: float
    average_low: float
    average_high: float
    correct: int
    passed: Rate
    full: Rate
    verified: Rate
    verified_low: float
    verified_high: float
    errors: int
    rankable: bool
    pass_at_k: float
    pass_hat_k: float
    verified_at_k: float
    verified_hat_k: float
    k: int
    rounds: float
    tool_calls: float
    input_tokens: int
    cached_input_tokens: int
    output_tokens: int
    reasoning_tokens: int
    cost_usd: float | None
    cost: CostSummary
    duration_s: float
    median_duration_s: float
    by_category: tuple[GroupSummary, ...]
    by_language: tuple[GroupSummary, ...]
    by_difficulty: tuple[GroupSummary, ...]
    failures: dict[FailureReason, int]

    @property
    def total_tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens


def summarise(
    results: Sequence[TrialResult], spend: Mapping[str, Spend] | None = None
) -> tuple[ModelSummary, ...]:
    """A summary for each model, best average first; equal ones in the order of verified trials.

    Args:
        results: trials of one or several models.
        spend: what each model has cost by its run's ledger; it knows of trials that never ended.
    """
    by_model = grouped(results, lambda each: each.model)
    summaries = [_model(model, trials, (spend or {}).get(model)) for model, trials in by_model.items()]
    return tuple(
        sorted(summaries, key=lambda one: (-one.average, -one.verified.count / one.trials, one.model))
    )


def grouped(
    results: Sequence[TrialResult], key: Callable[[TrialResult], str]
) -> dict[str, list[TrialResult]]:
    """Trials by what ``key`` says of each, in the order in which they come first."""
    found: dict[str, list[TrialResult]] = {}
    for result in results:
        found.setdefault(key(result), []).append(result)
    return found


def _model(model: str, results: Sequence[TrialResult], spend: Spend | None) -> ModelSummary:
    count = len(results)
    cases = tuple(grouped(results, lambda each: each.case).values())
    k = min(map(len, cases))
    errors = sum(map(is_error, results))

    def total(value: Callable[[TrialResult], float]) -> float:
        return sum(map(value, results))

    def tokens(value: Callable[[TrialResult], int]) -> int:
        return sum(map(value, results))

    def rate(passed: Callable[[TrialResult], bool]) -> Rate:
        return Rate.measure(sum(map(passed, results)), count)

    def interval(value: Callable[[TrialResult], float]) -> tuple[float, float]:
        return clustered_mean_interval([[float(value(each)) for each in trials] for trials in cases], SEED)

    def over_cases(metric: Callable[[int, int, int], float], passed: Callable[[TrialResult], bool]) -> float:
        return sum(metric(len(trials), sum(map(passed, trials)), k) for trials in cases) / len(cases)

    def passes(result: TrialResult) -> bool:
        return result.score > 0

    average, verified = interval(lambda each: each.score), interval(lambda each: each.verified)
    cost = _cost(results, spend)
    return ModelSummary(
        model=model,
        trials=count,
        cases=len(cases),
        total=tokens(lambda each: each.score),
        average=total(lambda each: each.score) / count,
        average_low=average[0],
        average_high=average[1],
        correct=sum(each.facts.answer_correct for each in results),
        passed=rate(passes),
        full=rate(lambda each: each.score == 100),
        verified=rate(lambda each: each.verified),
        verified_low=verified[0],
        verified_high=verified[1],
        errors=errors,
        rankable=errors <= MAX_ERROR_SHARE * count,
        pass_at_k=over_cases(pass_at_k, passes),
        pass_hat_k=over_cases(pass_hat_k, passes),
        verified_at_k=over_cases(pass_at_k, lambda each: each.verified),
        verified_hat_k=over_cases(pass_hat_k, lambda each: each.verified),
        k=k,
        rounds=total(lambda each: each.rounds) / count,
        tool_calls=total(lambda each: each.tool_calls) / count,
        input_tokens=tokens(lambda each: each.input_tokens),
        cached_input_tokens=tokens(lambda each: each.cached_input_tokens),
        output_tokens=tokens(lambda each: each.output_tokens),
        reasoning_tokens=tokens(lambda each: each.reasoning_tokens),
        cost_usd=cost.total,
        cost=cost,
        duration_s=total(lambda each: each.duration_s),
        median_duration_s=median(result.duration_s for result in results),
        by_category=_groups(results, lambda each: each.category),
        by_language=_groups(results, lambda each: each.language),
        by_difficulty=_groups(results, lambda each: each.difficulty),
        failures=dict(Counter(each.failure for each in results if each.failure)),
    )


def _cost(results: Sequence[TrialResult], spend: Spend | None) -> CostSummary:
    known = [result.cost_usd for result in results if result.cost_usd is not None]
    billed = sum(result.billed_usd or 0.0 for result in results)
    lost = sum((result.lost_usage for result in results if result.lost_usage), Usage())
    tokens = sum(result.input_tokens + result.output_tokens for result in results)
    lost_usd, lost_tokens = lost.cost_usd or 0.0, lost.input_tokens + lost.output_tokens
    if spend is not None:
        # the ledger also knows of trials that a kill ended before their line was written
        whole = spend.usage
        lost_usd = max(lost_usd, (whole.cost_usd or 0.0) - sum(known))
        lost_tokens = max(lost_tokens, whole.input_tokens + whole.output_tokens - tokens)
    verified = sum(result.verified for result in results)
    return CostSummary(
        total=sum(known) if known else None,
        billed=billed,
        estimated=max(0.0, sum(known) - billed),
        unpriced=sum(
            result.cost_usd is None and result.input_tokens + result.output_tokens > 0 for result in results
        ),
        lost=lost_usd if lost_usd > 1e-9 else 0.0,
        lost_tokens=lost_tokens,
        repeated=sum(result.attempts > 1 for result in results),
        unanswered=spend.unanswered if spend is not None else 0,
        per_verified=(sum(known) + lost_usd) / verified if known and verified else None,
    )


def _groups(results: Sequence[TrialResult], key: Callable[[TrialResult], str]) -> tuple[GroupSummary, ...]:
    return tuple(
        GroupSummary(
            name=name,
            trials=len(trials),
            points=sum(each.score for each in trials),
            verified=Rate.measure(sum(each.verified for each in trials), len(trials)),
        )
        for name, trials in grouped(results, key).items()
    )
