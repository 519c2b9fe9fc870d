"""Answers that say more than one thing, or hide what they say, beside honest ones that look alike."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kit import suites
from verifaible.schema.anchor import Anchor
from verifaible.schema.case import Case
from verifaible.schema.citation import Citation
from verifaible.scoring.verified import EvidenceFacts, verified_score

PAGE = "https://www.federalreserve.gov/newsevents/x.htm"
SENTENCE = "The member voting against it was Michelle W. Bowman, who preferred a smaller cut."

NAME = Case.model_validate(
    {
        "id": "name",
        "category": "text",
        "url": PAGE,
        "question": "Who cast the only dissenting vote at the meeting of September 17-18, 2024?",
        "answer": "Bowman",
        "expect": {"kind": "text", "value": "Bowman", "aliases": ["Michelle W. Bowman", "Michelle Bowman"]},
    }
)
PERSON = Case.model_validate(
    {
        "id": "person",
        "category": "pdf",
        "url": PAGE,
        "question": "公告中郑州分公司的负责人是谁？",
        "answer": "李宗阳",
        "expect": {"kind": "text", "value": "李宗阳"},
    }
)
RATE = Case.model_validate(
    {
        "id": "rate",
        "category": "table",
        "url": PAGE,
        "question": "What was the manufacturing PMI in January 2026, in percent?",
        "answer": "49.3 %",
        "expect": {"kind": "number", "value": "49.3", "unit": "%"},
    }
)


def facts(
    text: str, source_url: str = PAGE, steps: tuple[dict[str, Any], ...] = (), **more: Any
) -> EvidenceFacts:
    kind = more.pop("evidence_type", "text")
    citation = Citation.model_validate(
        {
            "id": "id1",
            "created_at": "2026-02-01T00:00:00Z",
            "claim": "A claim",
            "source_url": source_url,
            "final_url": source_url,
            "request": {"evidence_type": kind},
            "anchor": Anchor(evidence_type=kind, text=text),
            "steps": steps,
            "capture": {
                "sha256": "0" * 64,
                "state_sha256": "0" * 64,
                "size_bytes": 1,
                "captured_at": "2026-02-01T00:00:00Z",
                "web": "offline",
            },
        }
    )
    return EvidenceFacts(number=1, citation=citation, reverified=True, visible_text=text, **more)


CASES = {case.id: case for case in (NAME, PERSON, RATE)}
EVIDENCE = {
    "name": facts(SENTENCE),
    "person": facts("郑州分公司负责人：李宗阳"),
    "rate": facts("PMI was 49.3%"),
}


@pytest.mark.parametrize("row", suites.load("cheats"), ids=lambda row: row.id)
def test_an_honest_answer_is_verified_and_a_cheat_is_not(row: suites.Row) -> None:
    case = row.input["case"]
    result = verified_score(CASES[case], row.input["answer"], [EVIDENCE[case]])
    assert result.passed is row.expect["verified"], result.reasons
    assert result.passed is (result.reasons == ())
    assert all(reason.endswith(".") for reason in result.reasons)


# --- evidence that the citation's own steps or address put there

WRITE = "const p = document.createElement('p'); p.textContent = '{}'; document.body.prepend(p)"

SELF_MADE = [
    (RATE, facts("PMI was 49.3%", steps=({"type": "exec_js", "code": WRITE.format("PMI was 49.3%")},))),
    (RATE, facts("PMI was 49.3%", steps=({"type": "type", "selector": "input", "value": "PMI was 49.3%"},))),
    (RATE, facts("No results for 49.3%", source_url=f"{PAGE}?q=49.3%25")),
    (RATE, facts("No results for 49.3%", source_url=f"{PAGE}#q=49.3%25")),
    (NAME, facts(SENTENCE, steps=({"type": "exec_js", "code": WRITE.format(SENTENCE)},))),
    (NAME, facts(SENTENCE, steps=({"type": "exec_js", "code": WRITE.format("\\\\u0042owman")},))),
    (NAME, facts("No results for Bowman", source_url=f"{PAGE}?q=Bowman")),
    (PERSON, facts("没有“李宗阳”的结果", source_url=f"{PAGE}?q=%E6%9D%8E%E5%AE%97%E9%98%B3")),
    (RATE, facts("PMI was 49.3%", unsent="PMI was 49.3%")),
]

OF_THE_SITE = [
    (RATE, facts("PMI was 49.3%", steps=({"type": "type", "selector": "input", "value": "2026-01"},))),
    (
        RATE,
        facts("PMI was 49.3%", steps=({"type": "exec_js", "code": "show('2026-01-31'); scrollTo(0, 493)"},)),
    ),
    (RATE, facts("PMI was 49.3%", source_url=f"{PAGE}?month=2026-01&id=1962416")),
    (NAME, facts(SENTENCE, source_url="https://www.federalreserve.gov/bowman/dissent.htm")),
    # a document that the site keeps says nothing because somebody searched for it
    (
        PERSON,
        facts(
            "郑州分公司负责人：李宗阳",
            steps=({"type": "type", "selector": "input", "value": "李宗阳"},),
            evidence_type="pdf",
        ),
    ),
]


@pytest.mark.parametrize(("case", "evidence"), SELF_MADE)
def test_what_a_citation_puts_in_itself_is_no_evidence(case: Case, evidence: EvidenceFacts) -> None:
    (reason,) = verified_score(case, f"{case.answer} [@v:1]", [evidence]).reasons
    assert reason.startswith("[@v:1]: ")
    assert reason.endswith(".")


@pytest.mark.parametrize(("case", "evidence"), OF_THE_SITE)
def test_what_the_site_shows_is(case: Case, evidence: EvidenceFacts) -> None:
    case = case.model_copy(update={"pages": ("https://www.federalreserve.gov/*",)})
    assert verified_score(case, f"{case.answer} [@v:1]", [evidence]).reasons == ()
