"""The figures of a run, worked out by hand."""

from __future__ import annotations

import pytest

from tests.unit.bench.samples import result
from verifaible.bench.metrics import Rate, summarise

GLM = (
    result(
        case="a", rounds=4, tool_calls=3, input_tokens=1000, output_tokens=100, cost_usd=0.25, duration_s=10
    ),
    result(case="a", trial=2, score=0, ended_by="model_error", rounds=2, input_tokens=500, duration_s=50),
    result(case="b", category="table", score=80, rounds=6, tool_calls=5, cost_usd=0.5, duration_s=30),
    result(
        case="b", trial=2, category="table", rounds=8, tool_calls=8, cached_input_tokens=200, duration_s=30
    ),
)
ORACLE = (
    result(model="oracle", case="b", category="table", tool_calls=1, duration_s=3),
    result(model="oracle", case="a", tool_calls=2, duration_s=5),
)


def test_figures_of_a_model() -> None:
    (one,) = summarise(GLM)
    assert (one.model, one.trials, one.cases, one.total, one.average) == ("z-ai/glm-5", 4, 2, 280, 70.0)
    assert (one.passed.count, one.full.count, one.verified.count, one.errors) == (3, 2, 2, 1)
    assert {one.passed.of, one.full.of, one.verified.of} == {4}  # errors stay in the denominator
    assert (one.passed.low, one.passed.high) == pytest.approx((0.3006, 0.9544), abs=5e-5)
    assert (one.full.low, one.full.high) == pytest.approx((0.1500, 0.8500), abs=5e-5)
    assert one.average_low < 70 < one.average_high
    # each case passed at least once in two trials; only b passed in both
    assert (one.k, one.pass_at_k, one.pass_hat_k) == (2, 1.0, 0.5)
    assert (one.rounds, one.tool_calls, one.duration_s) == (5.0, 4.0, 120.0)
    assert (one.input_tokens, one.cached_input_tokens, one.output_tokens) == (1500, 200, 100)
    assert (one.total_tokens, one.cost_usd) == (1600, 0.75)
    assert [(each.name, each.trials, each.points) for each in one.by_category] == [
        ("text", 2, 100),
        ("table", 2, 180),
    ]


def test_unknown_cost_is_not_nothing() -> None:
    (one,) = summarise(ORACLE)
    assert (one.cost_usd, one.total_tokens) == (None, 0)
    assert summarise([result(cost_usd=0.0)])[0].cost_usd == 0.0


def test_machine_and_endpoint_are_the_errors() -> None:
    endings = ("answer", "rounds", "tokens", "seconds", "cost", "model_error", "infrastructure")
    results = [result(case=str(place), score=0, ended_by=each) for place, each in enumerate(endings)]
    (one,) = summarise(results)
    assert (one.errors, one.trials, one.passed) == (2, 7, Rate.measure(0, 7))


def test_best_total_first_then_verified_then_name() -> None:
    results = (
        *(result(model=name, case="b", category="table", score=80) for name in ("c", "b", "a")),
        result(model="b", verified=False, score=20),
        result(model="c", verified=True, score=20),
        result(model="a", verified=False, score=20),
        *ORACLE,
    )
    assert [one.model for one in summarise(results)] == ["oracle", "c", "a", "b"]


def test_uneven_trials_use_the_smallest_number() -> None:
    results = [result(case="a", trial=trial, score=0 if trial == 1 else 100) for trial in (1, 2, 3)]
    (one,) = summarise([*results, result(case="b")])
    assert one.k == 1
    assert one.pass_hat_k == pytest.approx((2 / 3 + 1) / 2)


def test_nothing_to_summarise() -> None:
    assert summarise([]) == ()
