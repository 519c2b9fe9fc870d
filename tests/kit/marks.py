"""Which tests ``make test`` leaves to ``make nightly``."""

from __future__ import annotations

from typing import Any

import pytest


def nightly(*values: Any) -> Any:
    """Parameters of a test that only ``make nightly`` tries: they repeat a kind that others cover."""
    return pytest.param(*values, marks=pytest.mark.nightly)
