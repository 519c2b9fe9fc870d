"""Places of a ranking, and who can be told apart."""

from __future__ import annotations

from tests.unit.bench.samples import result
from verifaible.bench.report.ranking import mcnemar, points, rank
from verifaible.schema.run import TrialResult


def trials(model: str, passed: int, of: int = 21) -> list[TrialResult]:
    return [result(model=model, case=f"c{at}", score=100 if at < passed else 0) for at in range(of)]


def test_seventeen_and_twenty_one_of_twenty_one_are_not_separable() -> None:
    found = rank(("a", "b"), [*trials("a", 21), *trials("b", 17)])
    (pair,) = found.pairs
    assert pair.p_value == 2 / 2**4
    assert not pair.told_apart
    assert [place.shown for place in found.places] == ["1-2", "1-2"]
    assert [place.tier for place in found.places] == ["a", "a"]


def test_clear_winner_and_a_tie_behind() -> None:
    found = rank(("a", "b", "c"), [*trials("a", 21), *trials("b", 9), *trials("c", 9)])
    assert [place.shown for place in found.places] == ["1", "2-3", "2-3"]
    assert [place.tier for place in found.places] == ["a", "b", "b"]
    assert [(each.pair.first, each.pair.second) for each in found.neighbours] == [("a", "b"), ("b", "c")]
    # three pairs were looked at: the smallest p-value counts three times
    first = min(found.pairs, key=lambda each: each.p_value)
    assert first.p_adjusted == 3 * first.p_value


def test_models_without_a_common_case_are_not_compared() -> None:
    found = rank(("a", "b"), [*trials("a", 3, 3), result(model="b", case="other")])
    assert not found.pairs
    assert not found.neighbours
    assert not found.complete


def test_one_model_and_none() -> None:
    assert [place.shown for place in rank(("a",), trials("a", 3)).places] == ["1"]
    assert rank((), []).places == ()


def test_mcnemar_needs_single_outcomes() -> None:
    one, two = points(trials("a", 21)), points(trials("b", 15))
    assert mcnemar(one, two) == 2 / 2**6
    assert mcnemar(one, points([*trials("b", 15), *trials("b", 15)])) is None
