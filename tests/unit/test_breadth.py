from __future__ import annotations

from typing import Any

import pytest

from tests.breadth import breadth, covering, thin


def test_each_value_of_each_factor_is_in_the_covering_choice() -> None:
    parameters = covering("abcde", "xyz", "01")
    assert len({each.values for each in parameters}) == len(parameters) == 5 * 3 * 2
    kept = [each.values for each in parameters if not each.marks]
    assert len(kept) == 5
    assert [{*values} for values in zip(*kept, strict=True)] == [{*"abcde"}, {*"xyz"}, {*"01"}]


def test_the_others_are_marked() -> None:
    assert {mark.name for each in covering("ab", "xy") for mark in each.marks} == {"breadth"}
    assert [mark.name for mark in breadth(1).marks] == ["breadth"]


@pytest.mark.parametrize(
    ("variants", "mark", "left"),
    [
        (7, "", [0, 5]),
        (3, "", [0, 1, 2]),
        (7, "every_variant", [*range(7)]),
        (7, "breadth", [*range(1, 7)]),
    ],
)
def test_of_many_variants_each_fifth_is_kept(
    request: pytest.FixtureRequest, variants: int, mark: str, left: list[int]
) -> None:
    module: Any = request.node.parent
    items = [
        pytest.Function.from_parent(module, name=f"test_many[{number}]", callobj=lambda: None)
        for number in range(variants)
    ]
    if mark:
        items[0].add_marker(mark)
    alone = pytest.Function.from_parent(module, name="test_alone", callobj=lambda: None)
    thin([*items, alone])
    assert [n for n, item in enumerate(items) if not item.get_closest_marker("breadth")] == left
    assert not alone.get_closest_marker("breadth")
