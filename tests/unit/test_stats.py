from __future__ import annotations

from itertools import combinations, product
from statistics import fmean

import numpy as np
import pytest
import scipy  # its parts are loaded when they are first used: stats takes a second
from hypothesis import given, settings
from hypothesis import strategies as st

from verifaible.stats import (
    MAX_DRAWN,
    bootstrap_mean_interval,
    clustered_mean_interval,
    pass_at_k,
    pass_hat_k,
    student_quantile,
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


@given(TRIALS, st.floats(0.5, 0.999))
def test_wilson_agrees_with_scipy(trial: tuple[int, int], confidence: float) -> None:
    successes, n = trial
    theirs = scipy.stats.binomtest(successes, n).proportion_ci(confidence, method="wilson")
    ours = wilson_interval(successes, n, confidence)
    assert ours == pytest.approx((theirs.low, theirs.high), abs=1e-9)


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


CLUSTERS = st.lists(
    st.lists(st.sampled_from([0.0, 40.0, 80.0, 100.0]), min_size=1, max_size=3), min_size=1, max_size=4
)


@given(CLUSTERS)
@settings(deadline=None, max_examples=40)
def test_clustered_interval_has_the_tails_of_all_resamples(clusters: list[list[float]]) -> None:
    everything = []
    for drawn in product(clusters, repeat=len(clusters)):
        values = [value for cluster in drawn for value in cluster]
        everything.append(sum(values) / len(values))
    low, high = clustered_mean_interval(clusters, seed=7)
    # five standard errors of the share of 2,000 resamples in a tail of 2.5 %
    slack = 5 * (0.025 * 0.975 / 2000) ** 0.5
    total = len(everything)
    assert sum(each < low - 1e-9 for each in everything) / total <= 0.025 + slack
    assert sum(each <= low + 1e-9 for each in everything) / total >= 0.025 - slack
    assert sum(each > high + 1e-9 for each in everything) / total <= 0.025 + slack
    assert sum(each >= high - 1e-9 for each in everything) / total >= 0.025 - slack


def test_clustered_interval_of_single_trials_is_the_plain_one() -> None:
    values = [100.0] * 16 + [80.0] + [0.0] * 4
    assert clustered_mean_interval([[value] for value in values], 1) == bootstrap_mean_interval(values, 1)


def test_equal_trials_of_a_case_make_nothing_surer() -> None:
    once = [[100.0], [0.0], [100.0], [80.0], [0.0], [100.0]]
    thrice = [cluster * 3 for cluster in once]
    assert clustered_mean_interval(thrice, 1) == pytest.approx(clustered_mean_interval(once, 1))
    low, high = bootstrap_mean_interval([value for cluster in thrice for value in cluster], 1)
    narrow, wide = high - low, np.ptp(clustered_mean_interval(once, 1))
    assert narrow < 0.8 * wide


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_bootstrap_agrees_with_scipy(seed: int) -> None:
    values = [0.0] * 9 + [60.0] * 3 + [80.0] * 5 + [100.0] * 13
    theirs = scipy.stats.bootstrap(
        (values,), np.mean, method="percentile", n_resamples=20_000, rng=np.random.default_rng(seed)
    ).confidence_interval
    assert bootstrap_mean_interval(values, seed) == pytest.approx((theirs.low, theirs.high), abs=2.5)


def test_of_many_values_the_percentiles_are_expanded_and_agree_with_scipy() -> None:
    draw = np.random.default_rng(4)
    skewed = draw.choice([0.0, 0.0, 0.0, 0.0, 40.0, 100.0], size=400, p=[0.2, 0.2, 0.2, 0.3, 0.06, 0.04])
    theirs = scipy.stats.bootstrap(
        (skewed,), np.mean, method="percentile", n_resamples=20_000, rng=np.random.default_rng(1)
    ).confidence_interval
    low, high = bootstrap_mean_interval(skewed.tolist(), seed=1)
    assert (low, high) == pytest.approx((theirs.low, theirs.high), abs=0.03 * (theirs.high - theirs.low))
    # the skewness is in it: the interval reaches further up than down
    assert high - skewed.mean() > skewed.mean() - low


def test_of_many_clusters_the_percentiles_are_expanded_too() -> None:
    draw = np.random.default_rng(5)
    clusters = [[float(draw.choice([0, 100]))] * int(draw.integers(1, 4)) for _ in range(600)]
    sums, counts = np.array([sum(each) for each in clusters]), np.array([len(each) for each in clusters])
    picked = draw.integers(0, 600, size=(20_000, 600))
    means = sums[picked].sum(axis=1) / counts[picked].sum(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    ours = clustered_mean_interval(clusters, seed=1)
    assert ours == pytest.approx((low, high), abs=0.04 * (high - low))


@pytest.mark.parametrize("size", [MAX_DRAWN, MAX_DRAWN + 1])
def test_drawn_and_expanded_meet(size: int) -> None:
    values = [100.0 if at % 4 else 0.0 for at in range(size)]
    half = 1.96 * (0.75 * 0.25 / size) ** 0.5 * 100
    mean = fmean(values)
    assert bootstrap_mean_interval(values, 1) == pytest.approx((mean - half, mean + half), abs=0.08 * half)
    assert bootstrap_mean_interval([50.0] * size, 1) == (50.0, 50.0)


def test_clustered_interval_refuses_nonsense() -> None:
    for clusters in ([], [[1.0], []]):
        with pytest.raises(ValueError, match="at least one"):
            clustered_mean_interval(clusters, 1)


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


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 8, 15, 40, 200])
@pytest.mark.parametrize("p", [0.9, 0.95, 0.975])
def test_students_quantiles(freedom: int, p: float) -> None:
    assert student_quantile(p, freedom) == pytest.approx(scipy.stats.t.ppf(p, freedom), rel=0.002)
