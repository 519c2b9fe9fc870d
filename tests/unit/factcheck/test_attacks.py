"""Claims by an author who read the deciders and looked for what gets through."""

from __future__ import annotations

from collections import Counter
from functools import cache

from tests.kit.suites import load
from tests.unit.factcheck.made import claim, library
from verifaible.factcheck.decide import decide
from verifaible.factcheck.library import Library

#: What gets through is known: the sides of JSON objects, what a paragraph before calls untrue, a sum over years,
#: and a verb over a table's cell. First there were 140 and 17, after a first mend 13 and 3.
FALSELY_SUPPORTED, FALSELY_REFUTED = 6, 3
SUPPORTED = 66


@cache
def _library(text: str) -> Library:
    return library([text])


def test_what_gets_through_is_known() -> None:
    found: Counter[tuple[str, str]] = Counter()
    for row in load("checking/attacks"):
        verdict = decide(claim(row.input["claim"]), _library(row.input["source"]), whole=True)
        said = {"derived": "supported", "not_found": "contradicted"}.get(verdict.outcome, verdict.outcome)
        found[row.expect["truth"], said] += 1
    assert found["wrong", "supported"] <= FALSELY_SUPPORTED
    assert found["right", "contradicted"] <= FALSELY_REFUTED
    assert found["right", "supported"] >= SUPPORTED
