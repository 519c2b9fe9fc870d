"""Values and look-alikes by an author who knew neither the rules nor the suites: nothing is called what it is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import pytest

from tests.kit.suites import Row, load
from tests.unit.factcheck.rules.test_binding import found
from tests.unit.factcheck.rules.test_values import states

#: The rules of values were mended for the first set; the second was only counted.
VALUES: Final = tuple(load("values", split=split) for split in ("heldout-1", "heldout-2"))
#: The rules of binding were mended for both.
BINDING: Final = tuple(load("lookalikes", split=split) for split in ("heldout-1", "heldout-2"))


def measure_values(cases: Sequence[Row]) -> Counter[str]:
    """How many equal values there are and are found, and how many others there are and are taken for equal."""
    counted: Counter[str] = Counter()
    for row in cases:
        match = row.expect["states"]
        counted["equal" if match else "others"] += 1
        if states(row.input["claim"], row.input["source"]):
            counted["found" if match else "false"] += 1
    return counted


def measure_binding(cases: Sequence[Row]) -> Counter[str]:
    """True claims and how many are exact; what is exact and is not, and refuted and is not."""
    counted: Counter[str] = Counter()
    for case in cases:
        finding, relation = found(case), case.expect["relation"]
        counted["claims"] += 1
        counted["true"] += relation == "stated"
        counted["exact"] += relation == "stated" and finding.verdict == "exact"
        counted["false exact"] += relation != "stated" and finding.verdict == "exact"
        # of what is not told, "no source has it" is right, and "a source says otherwise" is not
        told = relation == "stated" or (relation == "not told" and bool(finding.said))
        counted["false refuted"] += told and finding.verdict == "refuted"
    return counted


@pytest.mark.parametrize("cases", VALUES, ids=("first", "second"))
def test_no_other_value_is_taken_for_equal(cases: Sequence[Row]) -> None:
    counted = measure_values(cases)
    assert counted["others"] >= 50
    assert counted["false"] == 0
    assert counted["found"] / counted["equal"] >= 0.9


@pytest.mark.parametrize("cases", BINDING, ids=("first", "second"))
def test_no_look_alike_is_exact_and_no_true_claim_refuted(cases: Sequence[Row]) -> None:
    counted = measure_binding(cases)
    assert counted["claims"] >= 120
    assert (counted["false exact"], counted["false refuted"]) == (0, 0)
    assert counted["exact"] / counted["true"] >= 0.5
