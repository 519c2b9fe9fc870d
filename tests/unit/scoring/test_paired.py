"""Paired tests, against scipy and against counting everything out."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from statistics import fmean

import numpy as np
import pytest
import scipy  # its parts are loaded when they are first used: stats takes a second
from hypothesis import given, settings
from hypothesis import strategies as st

from verifaible.scoring.paired import (
    compare_paired,
    holm,
    mcnemar_p_value,
    sign_flip_test,
)

POINTS = st.sampled_from([0, 0, 40, 60, 65, 80, 85, 100, 100])
PAIRS = st.lists(st.tuples(POINTS, POINTS), min_size=2, max_size=10)


@given(PAIRS)
@settings(max_examples=60, deadline=None)
def test_sign_flips_agree_with_scipy(pairs: list[tuple[int, int]]) -> None:
    first, second = [one for one, _ in pairs], [two for _, two in pairs]
    theirs = scipy.stats.permutation_test(
        (first, second),
        lambda a, b, axis: np.mean(a, axis=axis) - np.mean(b, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )
    ours = sign_flip_test([one - two for one, two in pairs])
    assert ours.exact
    assert ours.p_value == pytest.approx(theirs.pvalue, abs=1e-12)


FRACTIONS = st.lists(st.fractions(-100, 100, max_denominator=6), min_size=1, max_size=7)


@given(FRACTIONS)
@settings(deadline=None, max_examples=50)
def test_sign_flips_are_what_counting_all_signs_gives(differences: list[Fraction]) -> None:
    seen = abs(sum(differences, Fraction()))
    sums = [
        abs(sum((sign * each for sign, each in zip(signs, differences, strict=True)), Fraction()))
        for signs in product((1, -1), repeat=len(differences))
    ]
    expected = sum(each >= seen for each in sums) / len(sums)
    assert sign_flip_test(differences).p_value == pytest.approx(expected)


@given(FRACTIONS)
@settings(deadline=None, max_examples=50)
def test_sign_flips_do_not_care_who_comes_first(differences: list[Fraction]) -> None:
    assert sign_flip_test(differences) == sign_flip_test([-each for each in differences])


def test_sign_flips_of_nothing_and_of_ties() -> None:
    assert sign_flip_test([]).p_value == 1.0
    assert sign_flip_test([0, 0, 0]).p_value == 1.0
    assert sign_flip_test([100] * 5).p_value == 2 / 2**5


def test_many_cases_are_drawn_by_a_seed_and_never_give_nought() -> None:
    differences = [Fraction(value % 60 - 15, 7) for value in range(900)]
    drawn = sign_flip_test(differences, seed=3)
    assert not drawn.exact
    assert drawn == sign_flip_test(differences, seed=3)
    assert 0 < drawn.p_value <= 1e-3


def test_drawn_and_exact_agree() -> None:
    differences = [5, -3, 8, 2, -7, 4, 6, -1, 9, 3, -2, 7]
    exact = sign_flip_test(differences)
    drawn = sign_flip_test(differences, seed=1, exact_bits=0)
    assert exact.exact
    assert not drawn.exact
    # five standard errors of 20,000 draws
    assert drawn.p_value == pytest.approx(exact.p_value, abs=5 * (0.25 / 20_000) ** 0.5)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_agrees_with_the_binomial_test(only_first: int, only_second: int) -> None:
    ours = mcnemar_p_value(only_first, only_second)
    if only_first + only_second == 0:
        assert ours == 1.0
    else:
        theirs = scipy.stats.binomtest(only_first, only_first + only_second, 0.5).pvalue
        assert ours == pytest.approx(theirs, rel=1e-9)


@given(st.integers(0, 12), st.integers(0, 12), st.integers(0, 9))
def test_mcnemar_is_the_sign_flip_test_of_passes(first: int, second: int, same: int) -> None:
    flips = sign_flip_test([1] * first + [-1] * second + [0] * same)
    assert flips.p_value == pytest.approx(mcnemar_p_value(first, second))


def test_mcnemar_refuses_nonsense() -> None:
    with pytest.raises(ValueError, match="negative"):
        mcnemar_p_value(-1, 3)


P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(P_VALUES, st.floats(0.001, 0.5))
def test_holm_rejects_what_its_own_procedure_rejects(p_values: list[float], alpha: float) -> None:
    rejected: set[int] = set()
    order = sorted(range(len(p_values)), key=lambda at: p_values[at])
    for step, at in enumerate(order):
        if p_values[at] * (len(p_values) - step) > alpha:
            break
        rejected.add(at)
    assert {at for at, value in enumerate(holm(p_values)) if value <= alpha} == rejected


@given(P_VALUES)
def test_holm_lies_between_the_raw_value_and_bonferroni(p_values: list[float]) -> None:
    for raw, adjusted in zip(p_values, holm(p_values), strict=True):
        assert raw <= adjusted <= min(1.0, raw * len(p_values))


def test_holm_of_a_known_example() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))
    assert holm([]) == ()


def test_comparison_of_two_models() -> None:
    first = {"a": [100, 100], "b": [100], "c": [80, 0], "only here": [0]}
    second = {"a": [0, 100], "b": [100], "c": [100], "only there": [100]}
    found = compare_paired(first, second, seed=1)
    assert found.cases == 3
    assert found.mean_difference == pytest.approx((50 + 0 - 60) / 3)
    assert (found.better, found.worse, found.equal) == (1, 1, 1)
    assert found.low <= found.mean_difference <= found.high
    assert found.exact
    assert found.p_value == 1.0


def test_comparison_needs_a_case_in_common() -> None:
    with pytest.raises(ValueError, match="no case in common"):
        compare_paired({"a": [1]}, {"b": [1]}, seed=1)


@given(st.dictionaries(st.integers(0, 40), st.lists(POINTS, min_size=1, max_size=3), min_size=1))
@settings(deadline=None, max_examples=30)
def test_a_model_is_not_better_than_itself(trials: dict[int, list[int]]) -> None:
    named = {str(case): scores for case, scores in trials.items()}
    found = compare_paired(named, named, seed=1)
    assert (found.mean_difference, found.low, found.high, found.p_value) == (0.0, 0.0, 0.0, 1.0)


def test_interval_of_a_difference_agrees_with_scipy() -> None:
    draw = np.random.default_rng(5)
    differences = draw.choice([0, 0, 0, 20, 100, -100, 40], size=40)
    first = {str(at): [int(value)] for at, value in enumerate(differences)}
    found = compare_paired(first, {case: [0] for case in first}, seed=1)
    theirs = scipy.stats.bootstrap(
        (differences,), np.mean, method="percentile", n_resamples=20_000, rng=np.random.default_rng(1)
    ).confidence_interval
    spread = theirs.high - theirs.low
    assert found.low == pytest.approx(theirs.low, abs=0.1 * spread)
    assert found.high == pytest.approx(theirs.high, abs=0.1 * spread)
    assert found.mean_difference == pytest.approx(fmean(differences.tolist()))
