from __future__ import annotations

from tests.breadth import breadth, covering


def test_each_value_of_each_factor_is_in_the_covering_choice() -> None:
    parameters = covering("abcde", "xyz", "01")
    assert len({each.values for each in parameters}) == len(parameters) == 5 * 3 * 2
    kept = [each.values for each in parameters if not each.marks]
    assert len(kept) == 5
    assert [{*values} for values in zip(*kept, strict=True)] == [{*"abcde"}, {*"xyz"}, {*"01"}]


def test_the_others_are_marked() -> None:
    assert {mark.name for each in covering("ab", "xy") for mark in each.marks} == {"breadth"}
    assert [mark.name for mark in breadth(1).marks] == ["breadth"]
