"""Grading refuses what is no answer, and says so."""

from __future__ import annotations

import pytest

from verifaible.bench.authoring import MAX_ANSWER_LENGTH, grade
from verifaible.errors import UserError
from verifaible.schema.case import Case

CASE = Case.model_validate(
    {"id": "c", "category": "text", "url": "https://a.example/", "question": "How many?", "answer": "36"}
)


@pytest.mark.nightly
def test_the_longest_answer_is_graded() -> None:
    assert grade(CASE, "36".ljust(MAX_ANSWER_LENGTH)).answer_correct


def test_a_longer_one_is_refused_with_a_sentence() -> None:
    with pytest.raises(UserError, match=r"has 200,001 characters; grade takes at most 200,000\. .+\.\Z"):
        grade(CASE, "36".ljust(MAX_ANSWER_LENGTH + 1))
