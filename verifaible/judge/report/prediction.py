"""Means that lean on a judge for the many, and on people for the truth.

A mean of a judge's scores is precise and may be wrong; a mean of people's is right and imprecise.
Prediction-powered inference takes the judge's mean over what nobody labelled, and corrects it by how far the
judge is from people where both have spoken.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, pi, sqrt, tan
from statistics import NormalDist, fmean
from typing import Final, Literal, TypeAlias

from verifaible.schema.base import Record

Method: TypeAlias = Literal["classical", "prediction-powered"]
#: With fewer labels than this no interval is told: a variance of a handful is not worth an interval.
FEWEST: Final = 10
#: The quantile at which an interval of 95 % ends.
_UPPER: Final = 0.975
#: Less variance than this is that of the arithmetic.
_NO_SPREAD: Final = 1e-18


class Interval(Record):
    """A mean with its interval, and how it was made; none where the labels are all alike.

    Ten equal labels say little of how the others would differ, and an interval without a width would say that
    the mean is certain.
    """

    method: Method
    mean: float
    low: float | None
    high: float | None

    @property
    def width(self) -> float:
        """How wide it is; endless where nobody can say."""
        return inf if self.low is None or self.high is None else self.high - self.low


class Estimate(Record):
    """A mean in people's terms.

    Attributes:
        labelled: items that people and the judge scored.
        unlabelled: items that only the judge scored.
        tuning: weight of the judge, from 0 (not used) to 1.
        classical: of the people's scores alone.
        powered: with the judge's; None where it has scored nothing more.
    """

    labelled: int
    unlabelled: int
    tuning: float
    classical: Interval
    powered: Interval | None

    @property
    def narrower(self) -> Interval:
        """The interval to report: the narrower of the two."""
        if self.powered is not None and self.powered.width < self.classical.width:
            return self.powered
        return self.classical


def estimate_mean(labelled: Sequence[tuple[float, float]], unlabelled: Sequence[float]) -> Estimate | None:
    """The mean of people's scores over everything, from those on a part and the judge's on all.

    The judge's weight is the one that makes the interval narrowest, kept from 0 to 1. Both intervals use
    Student's quantiles with as many degrees of freedom as there are labels, less one, since labels are few.
    The labelled part must be drawn at random from the whole, or both are wrong.

    Args:
        labelled: people's score and judge's score of each labelled item; items are independent.
        unlabelled: the judge's scores of the others.

    Source: A. N. Angelopoulos et al., Prediction-Powered Inference (2023); A. N. Angelopoulos, J. C. Duchi,
    T. Zrnic, PPI++: Efficient Prediction-Powered Inference (2023), for the weight.

    Returns:
        None with fewer than :data:`FEWEST` labels.
    """
    n, more = len(labelled), len(unlabelled)
    if n < FEWEST:
        return None
    truth = [human for human, _ in labelled]
    said = [judge for _, judge in labelled]
    quantile = student_quantile(_UPPER, n - 1)
    classical = _interval("classical", fmean(truth), _variance(truth) / n, quantile)
    if more < 2:
        return Estimate(labelled=n, unlabelled=more, tuning=0.0, classical=classical, powered=None)
    tuning = _tuning(truth, said, unlabelled)
    apart = [human - tuning * judge for human, judge in labelled]
    mean = tuning * fmean(unlabelled) + fmean(apart)
    variance = tuning**2 * _variance(unlabelled) / more + _variance(apart) / n
    powered = _interval("prediction-powered", mean, variance, quantile)
    return Estimate(labelled=n, unlabelled=more, tuning=tuning, classical=classical, powered=powered)


def _tuning(truth: Sequence[float], said: Sequence[float], unlabelled: Sequence[float]) -> float:
    """The weight of the judge that gives the least variance (PPI++, section 6), as these items tell it."""
    n = len(truth)
    mean_truth, mean_said = fmean(truth), fmean(said)
    covariance = sum((t - mean_truth) * (s - mean_said) for t, s in zip(truth, said, strict=True)) / (n - 1)
    spread = _variance(said) + _variance(unlabelled) * n / len(unlabelled)
    return min(1.0, max(0.0, covariance / spread)) if spread else 0.0


def _interval(method: Method, mean: float, variance: float, quantile: float) -> Interval:
    if variance < _NO_SPREAD:
        return Interval(method=method, mean=mean, low=None, high=None)
    half = quantile * sqrt(variance)
    return Interval(method=method, mean=mean, low=mean - half, high=mean + half)


def _variance(values: Sequence[float]) -> float:
    mean = fmean(values)
    return sum((value - mean) ** 2 for value in values) / (len(values) - 1)


def student_quantile(p: float, freedom: int) -> float:
    """A quantile of Student's t: of 1 and 2 degrees of freedom exact, of more by expansion from the normal's,
    within 0.2 %.

    Source: M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions, 26.7.5.
    """
    if freedom == 1:
        return tan(pi * (p - 0.5))
    if freedom == 2:
        return (2 * p - 1) / sqrt(2 * p * (1 - p))
    z = NormalDist().inv_cdf(p)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / float(freedom) ** power for power, term in enumerate(terms, 1))
