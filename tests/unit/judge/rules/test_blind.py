"""Values and look-alikes by an author who knew neither the rules nor the suites: nothing is called what it is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import pytest

from tests.unit.judge.rules import blind_binding_1, blind_binding_2, blind_values_1, blind_values_2
from tests.unit.judge.rules.suite_binding import Scene
from tests.unit.judge.rules.test_binding import cases_of, found
from tests.unit.judge.rules.test_values import states

#: The rules of values were mended for the first set; the second was only counted.
VALUES: Final = (blind_values_1.CASES, blind_values_2.CASES)
#: The rules of binding were mended for both.
BINDING: Final = (blind_binding_1.SCENES, blind_binding_2.SCENES)


def measure_values(cases: Sequence[tuple[str, str, str, bool]]) -> Counter[str]:
    """How many equal values there are and are found, and how many others there are and are taken for equal."""
    counted: Counter[str] = Counter()
    for _, said, source, match in cases:
        counted["equal" if match else "others"] += 1
        if states(said, source):
            counted["found" if match else "false"] += 1
    return counted


def measure_binding(scenes: Sequence[Scene]) -> Counter[str]:
    """True claims and how many are exact; what is exact and is not, and refuted and is not."""
    counted: Counter[str] = Counter()
    for case in cases_of(scenes):
        finding, mark = found(case), case[1]
        counted["claims"] += 1
        counted["true"] += mark == "="
        counted["exact"] += mark == "=" and finding.verdict == "exact"
        counted["false exact"] += mark != "=" and finding.verdict == "exact"
        # of what is not told, "no source has it" is right, and "a source says otherwise" is not
        told = mark == "=" or (mark == "~" and bool(finding.said))
        counted["false refuted"] += told and finding.verdict == "refuted"
    return counted


@pytest.mark.parametrize("cases", VALUES, ids=("first", "second"))
def test_no_other_value_is_taken_for_equal(cases: Sequence[tuple[str, str, str, bool]]) -> None:
    counted = measure_values(cases)
    assert counted["others"] >= 50
    assert counted["false"] == 0
    assert counted["found"] / counted["equal"] >= 0.9


@pytest.mark.parametrize("scenes", BINDING, ids=("first", "second"))
def test_no_look_alike_is_exact_and_no_true_claim_refuted(scenes: Sequence[Scene]) -> None:
    counted = measure_binding(scenes)
    assert counted["claims"] >= 120
    assert (counted["false exact"], counted["false refuted"]) == (0, 0)
    assert counted["exact"] / counted["true"] >= 0.5
