from __future__ import annotations

from itertools import combinations
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifaible.scoring.statistics import (
    bootstrap_mean_interval,
    pass_at_k,
    pass_hat_k,
    wilson_interval,
)


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (17, 21, 0.600, 0.923),
        (21, 21, 0.845, 1.0),
        (0, 21, 0.0, 0.155),
        (5, 10, 0.2366, 0.7634),
        (0, 0, 0, 1),
    ],
)
def test_wilson_of_known_cases(successes: int, n: int, low: float, high: float) -> None:
    assert wilson_interval(successes, n) == pytest.approx((low, high), abs=5e-4)


TRIALS = st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(TRIALS, st.floats(0.5, 0.999))
def test_wilson_limits_solve_the_score_equation(trial: tuple[int, int], confidence: float) -> None:
    successes, n = trial
    low, high = wilson_interval(successes, n, confidence)
    assert 0 <= low <= successes / n <= high <= 1
    # closed form: both limits are where |p_hat - p| is the same number of standard errors
    mirrored = wilson_interval(n - successes, n, confidence)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-12)
    if 0 < successes < n:
        z = [abs(successes / n - p) / (p * (1 - p) / n) ** 0.5 for p in (low, high)]
        assert z[0] == pytest.approx(z[1], rel=1e-6)


@given(TRIALS)
def test_wilson_grows_with_confidence(trial: tuple[int, int]) -> None:
    narrow, wide = wilson_interval(*trial, 0.8), wilson_interval(*trial, 0.99)
    assert wide[0] <= narrow[0]
    assert narrow[1] <= wide[1]


@pytest.mark.parametrize(
    ("successes", "n", "confidence"), [(-1, 5, 0.95), (6, 5, 0.95), (1, 5, 0), (1, 5, 1)]
)
def test_wilson_refuses_nonsense(successes: int, n: int, confidence: float) -> None:
    with pytest.raises(ValueError, match="must"):
        wilson_interval(successes, n, confidence)


def test_bootstrap_is_reproducible_and_holds_the_mean() -> None:
    values = [100.0] * 16 + [80.0] + [0.0] * 4
    low, high = bootstrap_mean_interval(values, seed=1)
    assert (low, high) == bootstrap_mean_interval(values, seed=1)
    assert (low, high) != bootstrap_mean_interval(values, seed=2)
    assert low < fmean(values) < high
    # the normal approximation of the same interval is 63.0 to 97.0
    assert low == pytest.approx(63.0, abs=4)
    assert high == pytest.approx(97.0, abs=4)


@pytest.mark.parametrize("value", [0.0, 100.0])
def test_bootstrap_of_constant_values_is_a_point(value: float) -> None:
    assert bootstrap_mean_interval([value] * 5, seed=0) == (value, value)


def test_bootstrap_refuses_nonsense() -> None:
    with pytest.raises(ValueError, match="at least one value"):
        bootstrap_mean_interval([], seed=0)
    with pytest.raises(ValueError, match="confidence"):
        bootstrap_mean_interval([1.0], seed=0, confidence=1.0)


SAMPLES = st.integers(1, 8).flatmap(
    lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n)),
)


@given(SAMPLES)
def test_pass_metrics_are_what_counting_all_draws_gives(sample: tuple[int, int, int]) -> None:
    n, c, k = sample
    draws = list(combinations([True] * c + [False] * (n - c), k))
    assert pass_at_k(n, c, k) == pytest.approx(sum(any(draw) for draw in draws) / len(draws))
    assert pass_hat_k(n, c, k) == pytest.approx(sum(all(draw) for draw in draws) / len(draws))


def test_pass_metrics_of_one_trial_are_the_rate() -> None:
    assert pass_at_k(4, 3, 1) == pass_hat_k(4, 3, 1) == 0.75


@pytest.mark.parametrize(("n", "c", "k"), [(0, 0, 1), (3, 4, 1), (3, -1, 1), (3, 1, 0), (3, 1, 4)])
def test_pass_metrics_refuse_nonsense(n: int, c: int, k: int) -> None:
    for metric in (pass_at_k, pass_hat_k):
        with pytest.raises(ValueError, match="must hold"):
            metric(n, c, k)
