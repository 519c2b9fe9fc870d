from __future__ import annotations

import itertools

import pytest

from verifaible.schema.case import Case
from verifaible.schema.run import ScoreFacts, TrialCitation
from verifaible.scoring.gate import facts_of, gated_score


def facts(answer: bool, created: bool, marked: bool, evidence_type: bool) -> ScoreFacts:
    return ScoreFacts(
        answer_correct=answer,
        citation_created=created,
        citation_in_text=marked,
        evidence_type_match=evidence_type,
    )


@pytest.mark.parametrize("flags", list(itertools.product((False, True), repeat=4)))
def test_the_formula_as_printed(flags: tuple[bool, bool, bool, bool]) -> None:
    answer, created, marked, evidence_type = flags
    printed = 40 + created * 25 + marked * 15 + evidence_type * 20 if answer else 0
    assert gated_score(facts(*flags)) == printed
    assert gated_score(facts(*flags), "citation") == (printed if created else 0)


def case(**fields: object) -> Case:
    raw = {
        "id": "c",
        "category": "text",
        "url": "https://a.example/",
        "question": "How many?",
        "answer": "36",
    }
    return Case.model_validate({**raw, **fields})


def citation(number: int, evidence_type: str = "text") -> TrialCitation:
    return TrialCitation.model_validate(
        {
            "number": number,
            "id": f"id{number}",
            "evidence_type": evidence_type,
            "source_url": "https://a.example/",
            "text": "36",
        }
    )


@pytest.mark.parametrize(
    ("answer", "citations", "accepted", "flags"),
    [
        ("36 [@v:1]", [citation(1)], ("text",), (True, True, True, True)),
        ("35 [@v:1]", [citation(1)], ("text",), (False, True, True, True)),
        ("36", [citation(1)], ("text",), (True, True, False, True)),
        ("36", [], ("text",), (True, False, False, False)),
        ("36 [@v:1]", [], (), (True, False, False, False)),
        ("36 [@v:2]", [citation(1)], ("text",), (True, True, False, True)),
        ("36 [@v:1]", [citation(1, "pdf")], ("text",), (True, True, True, False)),
        ("36 [@v:1]", [citation(1, "pdf")], (), (True, True, True, True)),
        ("36 [@v:1]", [citation(1, "table")], ("text", "table"), (True, True, True, True)),
        # an unmarked citation of the right type does not stand in for the marked one
        ("36 [@v:1]", [citation(1, "pdf"), citation(2)], ("text",), (True, True, True, False)),
        ("36 [@v:1][@v:2]", [citation(1, "pdf"), citation(2)], ("text",), (True, True, True, True)),
        ("36", [citation(1, "pdf"), citation(2)], ("text",), (True, True, False, True)),
        ("[@v:36]", [citation(36)], ("text",), (False, True, True, True)),
        ("<think>[@v:1]</think>36", [citation(1)], ("text",), (True, True, False, True)),
        ("How many? 36 【@v:1】", [citation(1)], ("text",), (True, True, True, True)),
    ],
)
def test_facts_of(
    answer: str,
    citations: list[TrialCitation],
    accepted: tuple[str, ...],
    flags: tuple[bool, bool, bool, bool],
) -> None:
    assert facts_of(case(evidence_types=accepted), answer, citations) == facts(*flags)


def test_a_question_repeated_does_not_answer_itself() -> None:
    echo = case(question="Are there 36 bureaus?")
    assert not facts_of(echo, "Are there 36 bureaus? Perhaps.", []).answer_correct
