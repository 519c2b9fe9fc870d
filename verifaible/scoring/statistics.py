"""Intervals and multi-trial metrics of a run."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from math import comb, sqrt
from statistics import NormalDist, fmean
from typing import Final

BOOTSTRAP_RESAMPLES: Final = 2000


def wilson_interval(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The Wilson score interval of a proportion, without continuity correction.

    Args:
        successes: from 0 to ``n``.
        n: trials; with none the interval is (0, 1).
        confidence: between 0 and 1, both excluded.

    Source: E. B. Wilson, Probable Inference, the Law of Succession, and Statistical Inference,
    JASA 22 (1927).

    Raises:
        ValueError: an argument is outside its range.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"successes must be from 0 to n={n}, not {successes}.")
    if n == 0:
        return 0.0, 1.0
    z2 = _two_sided_z(confidence) ** 2
    p = successes / n
    centre = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    # the limits at the ends are exact, rounding would miss them
    return (0.0 if successes == 0 else centre - half), (1.0 if successes == n else centre + half)


def _two_sided_z(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, not {confidence}.")
    return NormalDist().inv_cdf((1 + confidence) / 2)


def bootstrap_mean_interval(
    values: Sequence[float], seed: int, confidence: float = 0.95
) -> tuple[float, float]:
    """The percentile bootstrap interval of the mean; the same seed gives the same interval.

    Source: B. Efron, R. J. Tibshirani, An Introduction to the Bootstrap, chapter 13.

    Raises:
        ValueError: no values, or a confidence outside (0, 1).
    """
    if not values:
        raise ValueError("A mean needs at least one value.")
    _two_sided_z(confidence)
    draw = random.Random(seed)  # noqa: S311 - resampling, not secrecy
    means = sorted(fmean(draw.choices(values, k=len(values))) for _ in range(BOOTSTRAP_RESAMPLES))
    tail = (1 - confidence) / 2
    low = int(tail * BOOTSTRAP_RESAMPLES)
    return means[low], means[BOOTSTRAP_RESAMPLES - 1 - low]


def _check(n: int, c: int, k: int) -> None:
    if not (0 <= c <= n and 1 <= k <= n):
        raise ValueError(f"0 <= c <= n and 1 <= k <= n must hold, not n={n}, c={c}, k={k}.")


def pass_at_k(n: int, c: int, k: int) -> float:
    """The unbiased estimate that at least one of ``k`` trials passes, from ``c`` of ``n`` that did.

    Source: Chen et al., Evaluating Large Language Models Trained on Code (2021), equation 1.

    Raises:
        ValueError: not ``0 <= c <= n`` and ``1 <= k <= n``.
    """
    _check(n, c, k)
    return float(1 - Fraction(comb(n - c, k), comb(n, k)))


def pass_hat_k(n: int, c: int, k: int) -> float:
    """The unbiased estimate that all of ``k`` trials pass, from ``c`` of ``n`` that did.

    Source: Yao et al., tau-bench (2024), section 3.

    Raises:
        ValueError: not ``0 <= c <= n`` and ``1 <= k <= n``.
    """
    _check(n, c, k)
    return float(Fraction(comb(c, k), comb(n, k)))
