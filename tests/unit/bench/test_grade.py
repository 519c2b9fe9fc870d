"""What an author of cases is told of an answer."""

from __future__ import annotations

import pytest

from tests.unit.bench.samples import CASES, case
from verifaible.bench.authoring import Grade, grade
from verifaible.bench.cases import load_cases
from verifaible.schema.case import Case

COUNT = case(expect={"kind": "number", "value": "36", "unit": "个"}, evidence_types=["table"])


def test_right_answer_scores_forty_alone_and_more_with_fitting_evidence() -> None:
    found = grade(COUNT, "There are 36.")
    assert (found.answer_correct, found.score, found.markers) == (True, 40, ())
    # 40 for the answer, 25 for a citation, 20 for its type; no marker, so not the 15
    assert found.score_with_citation == 85
    marked = grade(COUNT, "There are 36 [@v:1].")
    assert (marked.markers, marked.score, marked.score_with_citation) == ((1,), 40, 100)


@pytest.mark.parametrize("answer", ["", "There are 136 [@v:1].", "In 2036.", "37, not 36 [@v:1]", "3 6"])
def test_wrong_answer_scores_nothing_whatever_its_markers(answer: str) -> None:
    found = grade(COUNT, answer)
    assert (found.answer_correct, found.score, found.score_with_citation) == (False, 0, 0)
    assert "36" in found.explanation


def test_what_was_read_instead_is_said() -> None:
    found = grade(COUNT, "There are 136 or 2036 bureaus, 5 of them new.")
    assert "136" in found.read_instead
    assert "136" in found.explanation


def test_record_names_its_fields() -> None:
    assert set(Grade.model_json_schema()["properties"]) == {
        *("case", "answer_correct", "expected", "explanation", "read_instead", "markers"),
        *("score", "score_with_citation"),
    }
    assert grade(COUNT, "36").expected == '{"kind":"number","value":"36","unit":"个"}'


@pytest.mark.parametrize("own", load_cases(CASES), ids=lambda own: own.id)
def test_every_case_accepts_its_own_answer(own: Case) -> None:
    found = grade(own, f"{own.answer} [@v:1]")
    assert (found.answer_correct, found.score, found.score_with_citation) == (True, 40, 100)
