"""Which variants of a test ``make test`` runs: a covering choice. The others are marked breadth."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest

_ALL_KEPT, _EVERY = 3, 5


def covering(*factors: Sequence[Any]) -> list[Any]:
    """Every combination of the factors' values, as parameters of a test.

    Without the mark are as many as the longest factor has values: the n-th has the n-th value of each factor, and
    shorter factors begin again. So each value is there at least once.
    """
    chosen = {
        tuple(place % len(factor) for factor in factors)
        for place in range(max(len(each) for each in factors))
    }
    parameters = []
    for places in product(*(range(len(factor)) for factor in factors)):
        values = [factor[place] for factor, place in zip(factors, places, strict=True)]
        parameters.append(pytest.param(*values, marks=() if places in chosen else pytest.mark.breadth))
    return parameters


def breadth(*values: Any) -> Any:
    """Parameters that only ``make test-all`` tries."""
    return pytest.param(*values, marks=pytest.mark.breadth)


def thin(items: Sequence[pytest.Item]) -> None:
    """Mark most of the many variants of a test as breadth: without the mark is each fifth, from the first.

    A few are all kept, three or less, and those of a test that chose some by itself or is marked ``every_variant``.
    """
    variants: dict[str, list[pytest.Item]] = {}
    for item in items:
        variants.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for alike in variants.values():
        chosen = any(each.get_closest_marker(mark) for each in alike for mark in ("breadth", "every_variant"))
        if chosen or len(alike) <= _ALL_KEPT:
            continue
        for place, item in enumerate(alike):
            if place % _EVERY:
                item.add_marker(pytest.mark.breadth)
