"""The made load: what is stated is found, what is changed or of another asset is never exact."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from verifaible.factcheck.decide import decide
from verifaible.factcheck.library import Library


def load() -> ModuleType:
    path = Path(__file__).parents[3] / "scripts" / "benchmark" / "judging_load.py"
    spec = importlib.util.spec_from_file_location("judging_load", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.nightly
def test_the_load_is_decided_as_it_was_made() -> None:
    for pairs, told in load().contexts(1, 60, 60):
        library = Library(pairs)
        for made, claim in told:
            verdict = decide(claim, library).outcome
            if made == "true":
                assert verdict == "supported", claim.text
            else:
                assert verdict != "supported", claim.text
