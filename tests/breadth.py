"""Which members of a matrix ``make test`` runs: a covering choice. The others are marked breadth."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest


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
