"""The forms of the protocols, as endpoints are given them."""

from __future__ import annotations

from verifaible.factcheck.llm_judge import CitationForm, HallucinationForm
from verifaible.judge.rubric import RubricForm, TaxonomyForm
from verifaible.llm.structured import answer_form


def test_the_verdict_comes_first_then_the_reason() -> None:
    for kind in (CitationForm, HallucinationForm):
        assert list(answer_form(kind, "x").parameters["properties"])[:2] == ["verdict", "reason"]
    for scored, first in ((RubricForm, "score"), (TaxonomyForm, "present")):
        for part in answer_form(scored, "x").parameters["properties"].values():
            assert list(part["properties"]) == [first, "reason"]
