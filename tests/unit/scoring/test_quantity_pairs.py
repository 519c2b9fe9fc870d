"""An answer states a value only with its currency, unit, sign, scale and kind of ratio, in any language."""

from __future__ import annotations

import pytest

from tests.kit.cases import cases
from verifaible.schema.case import Case
from verifaible.scoring.match import expectation, match_answer, match_evidence
from verifaible.text.units import told_units


def case(answer: str) -> Case:
    return Case(id="pair", question="?", answer=answer, url="https://example.org/", category="text")


@cases("quantity_pairs", "answer")
def test_what_is_counted_agrees(expected: str, answer: str, agrees: bool) -> None:
    wanted = expectation(case(expected))
    assert match_answer(expected, wanted).correct
    assert match_answer(answer, wanted).correct is agrees


@pytest.mark.parametrize("answer", ["€143.9", "$143.9", "143.9 yen", "143.9 kg", "143.9"])
def test_an_expectation_without_a_unit_takes_any_currency(answer: str) -> None:
    assert match_answer(answer, expectation(case("143.9"))).correct


@cases("quantity_pairs", "cell")
def test_the_head_of_a_cell_says_what_it_counts(answer: str, head: str, text: str, carries: bool) -> None:
    told = told_units(head)
    assert match_evidence(text, expectation(case(answer)), told=told).correct is carries
