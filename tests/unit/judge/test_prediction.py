"""Prediction-powered means: right as often as they say, and never told where they do not help."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
import scipy  # its parts are loaded when they are first used: stats takes a second

from tests.kit.marks import nightly
from verifaible.judge.report.prediction import FEWEST, estimate_mean, student_quantile


def simulate(
    judge: Callable[[random.Random, float], float], n: int, more: int, rounds: int = 1000
) -> tuple[float, float, float]:
    """Coverage of the reported interval, its mean width, and the classical one's."""
    draw = random.Random(20)
    truth, hits, width, classical = 7.0, 0, 0.0, 0.0
    for _ in range(rounds):
        humans = [draw.gauss(truth, 1.5) for _ in range(n + more)]
        said = [judge(draw, human) for human in humans]
        found = estimate_mean(list(zip(humans[:n], said[:n], strict=True)), said[n:])
        assert found is not None
        best = found.narrower
        hits += best.low <= truth <= best.high
        width += best.width
        classical += found.classical.width
    return hits / rounds, width / rounds, classical / rounds


def good_judge(draw: random.Random, human: float) -> float:
    return human + 1.0 + draw.gauss(0, 0.7)  # too kind by a point, and otherwise near


def blind_judge(draw: random.Random, human: float) -> float:
    return draw.gauss(9, 0.5)


def contrary_judge(draw: random.Random, human: float) -> float:
    return 15 - human + draw.gauss(0, 0.5)


@pytest.mark.parametrize("n", [15, nightly(40), nightly(100)])
@pytest.mark.parametrize("judge", [good_judge, blind_judge, contrary_judge])
def test_the_reported_interval_holds_the_truth_as_often_as_it_says(
    judge: Callable[[random.Random, float], float], n: int
) -> None:
    coverage, width, classical = simulate(judge, n, 400)
    assert 0.92 <= coverage <= 0.98
    assert width <= classical


def test_a_good_judge_makes_it_much_narrower() -> None:
    _, width, classical = simulate(good_judge, 40, 400, rounds=200)
    assert width < 0.7 * classical


def test_the_bias_of_the_judge_is_taken_out() -> None:
    draw = random.Random(4)
    humans = [draw.gauss(6, 1) for _ in range(1000)]
    said = [human + 2 for human in humans]
    found = estimate_mean(list(zip(humans[:50], said[:50], strict=True)), said[50:])
    assert found is not None and found.powered is not None
    assert found.tuning > 0.9
    assert found.powered.mean == pytest.approx(6, abs=0.15)
    assert found.narrower.method == "prediction-powered"


def test_a_judge_that_says_always_the_same_is_not_used() -> None:
    found = estimate_mean([(float(at % 3), 8.0) for at in range(30)], [8.0] * 100)
    assert found is not None
    assert found.tuning == 0
    assert found.narrower.method == "classical"


def test_nothing_more_than_labels_is_classical() -> None:
    labelled = [(float(at), float(at)) for at in range(20)]
    found = estimate_mean(labelled, [])
    assert found is not None
    assert found.powered is None
    theirs = scipy.stats.t.interval(0.95, 19, 9.5, scipy.stats.sem(range(20)))
    assert found.classical.low == pytest.approx(theirs[0], rel=1e-4)
    assert found.classical.high == pytest.approx(theirs[1], rel=1e-4)


def test_a_handful_of_labels_has_no_interval() -> None:
    assert estimate_mean([(1.0, 1.0)] * (FEWEST - 1), [1.0] * 50) is None


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 8, 15, 40, 200])
@pytest.mark.parametrize("p", [0.9, 0.95, 0.975])
def test_students_quantiles(freedom: int, p: float) -> None:
    assert student_quantile(p, freedom) == pytest.approx(scipy.stats.t.ppf(p, freedom), rel=0.002)


@pytest.mark.parametrize("judge", [[0.0] * 60, [0.0, 1.0] * 30])
def test_labels_that_are_all_alike_do_not_make_the_mean_certain(judge: list[float]) -> None:
    found = estimate_mean([(0.0, each) for each in judge[:20]], judge[20:])
    assert found is not None
    assert (found.narrower.mean, found.narrower.low, found.narrower.high) == (0.0, None, None)
