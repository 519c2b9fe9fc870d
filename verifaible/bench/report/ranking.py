"""Which places of a ranking can be told apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Final

from verifaible.bench.report.summary import by_case
from verifaible.schema.base import Record
from verifaible.schema.run import TrialResult
from verifaible.scoring.paired import (
    Paired,
    compare_paired,
    differences_by_case,
    holm,
    letters,
    mcnemar_p_value,
    rank_ranges,
    sign_flip_test,
)

#: Two models are told apart where the adjusted p-value is at most this.
ALPHA: Final = 0.05
SEED: Final = 20260221
#: More models than this are not compared all with all: a table of them is no ranking.
MAX_MODELS: Final = 40


class Pair(Record):
    """Two models on their common cases, the better one first.

    ``p_value`` is of the sign-flip test on the scores; ``p_adjusted`` counts that several pairs were
    looked at (Holm).
    """

    first: str
    second: str
    p_value: float
    p_adjusted: float

    @property
    def told_apart(self) -> bool:
        """Whether the scores of the two differ by more than chance."""
        return self.p_adjusted <= ALPHA


class Neighbours(Record):
    """Two models that stand side by side: the differences of score and of verified share, in points."""

    pair: Pair
    score: Paired
    verified: Paired


class Place(Record):
    """A model's place by average score.

    ``low`` and ``high`` are the places it may really have; models that share a letter of ``tier``
    cannot be told apart.
    """

    model: str
    low: int
    high: int
    tier: str

    @property
    def shown(self) -> str:
        """The place, or the range of places."""
        return str(self.low) if self.low == self.high else f"{self.low}-{self.high}"


class Ranking(Record):
    """Places, best first; every pair, and those side by side in full.

    ``complete`` is false where some two models share no case.
    """

    places: tuple[Place, ...]
    pairs: tuple[Pair, ...]
    neighbours: tuple[Neighbours, ...]
    complete: bool = True


def rank(models: Sequence[str], results: Sequence[TrialResult]) -> Ranking:
    """Compare all models with each other on their common cases.

    Args:
        models: best first.
        results: their trials.
    """
    models = models[:MAX_MODELS]
    trials: dict[str, list[TrialResult]] = {model: [] for model in models}
    for result in results:
        if result.model in trials:
            trials[result.model].append(result)
    scores = {model: points(each) for model, each in trials.items()}
    passes = {model: points(each, lambda one: 100 * one.verified) for model, each in trials.items()}
    wanted = list(combinations(models, 2))
    met = [(a, b) for a, b in wanted if scores[a].keys() & scores[b].keys()]
    raw = [sign_flip_test(differences_by_case(scores[a], scores[b]), seed=SEED).p_value for a, b in met]
    pairs = {
        (a, b): Pair(first=a, second=b, p_value=one, p_adjusted=adjusted)
        for (a, b), one, adjusted in zip(met, raw, holm(raw), strict=True)
    }
    at = {model: place for place, model in enumerate(models)}
    apart = {(at[a], at[b]) for (a, b), pair in pairs.items() if pair.told_apart}
    ranges = rank_ranges(len(models), apart)
    tiers = letters(len(models), apart)
    return Ranking(
        places=tuple(
            Place(model=model, low=low, high=high, tier=tier)
            for model, (low, high), tier in zip(models, ranges, tiers, strict=True)
        ),
        pairs=tuple(pairs.values()),
        neighbours=tuple(
            Neighbours(
                pair=pairs[side],
                score=compare_paired(scores[side[0]], scores[side[1]], SEED),
                verified=compare_paired(passes[side[0]], passes[side[1]], SEED),
            )
            for side in pairwise(models)
            if side in pairs
        ),
        complete=len(met) == len(wanted),
    )


def points(
    results: Sequence[TrialResult], value: Callable[[TrialResult], int] = lambda each: each.score
) -> Mapping[str, Sequence[int]]:
    """What each trial of each case reached."""
    return {case: [value(each) for each in trials] for case, trials in by_case(results).items()}


def mcnemar(first: Mapping[str, Sequence[int]], second: Mapping[str, Sequence[int]]) -> float | None:
    """The p-value of passes on the common cases; None where a case has several trials and passes have no
    single outcome."""
    common = [case for case in first if case in second]
    if any(len(first[case]) != 1 or len(second[case]) != 1 for case in common):
        return None
    told = [(first[case][0] > 0, second[case][0] > 0) for case in common]
    return mcnemar_p_value(
        sum(one and not two for one, two in told), sum(two and not one for one, two in told)
    )
