"""Comparing two models on the same cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.bench.samples import info, result
from verifaible.bench.compare import (
    compare,
    comparison_tables,
    mcnemar,
    published_side,
    side,
    sides,
)
from verifaible.bench.pool import RunData
from verifaible.errors import RunError
from verifaible.schema.run import TrialResult


def run(name: str, *trials: TrialResult, **changes: object) -> RunData:
    return RunData(Path(name), info(*trials, **{"id": name, **changes}), trials, {})


def scored(model: str, **scores: int) -> list[TrialResult]:
    return [result(model=model, case=case, score=score) for case, score in scores.items()]


ONE = run("one", *scored("a", c1=100, c2=0, c3=80), *scored("b", c1=100, c2=100, c3=0))


def test_two_models_of_one_run() -> None:
    found = compare(*sides([ONE], ()))
    assert (found.first, found.second) == ("a", "b")
    score, passes, verified = found.measures
    assert score.paired.mean_difference == pytest.approx(20 / 3)
    assert (passes.paired.better, passes.paired.worse, passes.paired.equal) == (1, 1, 1)
    assert passes.mcnemar == 1.0
    assert verified.paired.mean_difference == pytest.approx(100 / 3)
    assert [(each.case, each.passes, each.verified) for each in found.flipped] == [
        ("c2", "gained", "gained"),
        ("c3", "lost", ""),
    ]


def test_mcnemar_needs_single_outcomes() -> None:
    one = {f"c{at}": [100] for at in range(21)}
    two = {f"c{at}": [100 if at < 15 else 0] for at in range(21)}
    assert mcnemar(one, two) == 2 / 2**6
    assert mcnemar(one, {case: 2 * each for case, each in two.items()}) is None


def test_one_model_in_two_runs() -> None:
    before, after = run("before", *scored("a", c1=0, c2=0)), run("after", *scored("a", c1=100, c2=0))
    found = compare(*sides([before, after], ()), runs=[before, after])
    assert (found.first, found.second) == ("a @ before", "a @ after")
    assert [each.case for each in found.flipped] == ["c1"]
    assert found.differences == ()


def test_models_are_chosen_by_name() -> None:
    other = run("other", *scored("a", c1=0), *scored("c", c1=100))
    assert [each.label for each in sides([ONE], ("b", "a"))] == ["b", "a"]
    assert [each.label for each in sides([ONE, other], ())] == ["a @ one", "a @ other"]
    assert [each.label for each in sides([ONE, other], ("b", "c"))] == ["b", "c"]


@pytest.mark.parametrize(
    ("runs", "models", "said"),
    [
        ([run("one", *scored("a", c1=1))], (), "has 1 models"),
        ([ONE], ("a", "nobody"), "has no trial of nobody. It has: a, b"),
        ([ONE, run("two", *scored("c", c1=1))], (), "Name one of each"),
    ],
)
def test_who_is_meant_must_be_clear(runs: list[RunData], models: tuple[str, ...], said: str) -> None:
    with pytest.raises(RunError, match=said):
        sides(runs, models)


def test_a_case_with_another_text_is_not_the_same_case() -> None:
    one = run("one", *scored("a", c1=100, c2=100), cases={"c1": "0", "c2": "0"})
    two = run("two", *scored("b", c1=0, c2=100, c3=0), cases={"c1": "1", "c2": "0", "c3": "0"})
    found = compare(*sides([one, two], ()), runs=[one, two])
    assert [each.case for each in found.cases] == ["c2"]
    assert found.left_out == ("c1", "c3")
    assert [each.grave for each in found.differences] == [True, True]
    alone = run("alone", *scored("b", c1=0), cases={"c1": "1"})
    with pytest.raises(RunError, match="no case in common"):
        compare(*sides([one, alone], ()))


def test_beside_published_figures() -> None:
    ours = run("ours", *scored("a", cn_text_001=100, cn_dynamic_001=100, own=0))
    found = compare(published_side("published:minimax-m2.5"), side(ours, ()))
    assert found.first == "MiniMax-M2.5 (published)"
    assert [each.name for each in found.measures] == ["score", "pass"]
    assert [(each.case, each.passes) for each in found.flipped] == [("cn_dynamic_001", "gained")]
    with pytest.raises(RunError, match="published:glm-5"):
        published_side("published:gpt-9")


def test_tables() -> None:
    measures, cases = comparison_tables(compare(*sides([ONE], ())))
    assert measures.texts[0][:2] == ("score", "+6.7")
    assert {row[0]: row[-1] for row in cases.texts} == {
        "c2": "pass gained, verified gained",
        "c3": "pass lost",
    }
    same = compare(*sides([run("x", *scored("a", c1=100), *scored("b", c1=100))], ()))
    assert comparison_tables(same)[1].note == "None."
