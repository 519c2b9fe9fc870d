"""Answers that say more than one thing, or hide what they say, beside honest ones that look alike."""

from __future__ import annotations

from typing import Any

import pytest

from verifaible.schema.case import Case
from verifaible.schema.citation import Anchor, Citation
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


EVIDENCE = {
    "name": facts(SENTENCE),
    "person": facts("郑州分公司负责人：李宗阳"),
    "rate": facts("PMI was 49.3%"),
}

CHEATS = [
    (NAME, "Bowman or Powell dissented [@v:1]"),
    (NAME, "Powell or Bowman [@v:1]"),
    (NAME, "Either Jerome Powell or Michelle W. Bowman [@v:1]."),
    (NAME, "Bowman/Powell [@v:1]"),
    (NAME, "Powell, Williams, Barr, Bowman, Cook, Daly, Jefferson [@v:1]"),
    (NAME, "- Powell\n- Williams\n- Barr\n- Bowman\n- Cook [@v:1]"),
    (NAME, "The answer is Bowman [@v:1]. The answer is Powell [@v:1]."),
    (NAME, "It was Powell [@v:1]. It was Bowman [@v:1]."),
    (NAME, "Bowman [@v:1]\n\nCorrection: the answer is Powell."),
    (NAME, "It was Powell [@v:1] <!-- Bowman -->"),
    (NAME, "~~Bowman~~ Powell [@v:1]"),
    (NAME, "<del>Bowman</del> Powell [@v:1]"),
    (NAME, '<span style="display:none">Bowman</span>It was Powell [@v:1]'),
    (NAME, "<span hidden>Bowman</span>It was Powell [@v:1]"),
    (NAME, "It was Powell [@v:1]\n\n[//]: # (Bowman)"),
    (NAME, "It was Powell [@v:1] ![Bowman](a.png)"),
    (NAME, '<a href="x" title="Bowman">It was Powell</a> [@v:1]'),
    (NAME, " ".join(f"Member{n} spoke on topic{n}." for n in range(150)) + " Bowman [@v:1]"),
    (PERSON, "王小明、陈立群、李宗阳、赵海、周文 [@v:1]"),
    (PERSON, "李宗阳或王小明[@v:1]"),
    (PERSON, "王小明还是李宗阳[@v:1]"),
    (PERSON, "负责人是李宗阳[@v:1]。负责人是王小明[@v:1]。"),
    (PERSON, "李宗阳[@v:1]。更正：应为王小明。"),
    (RATE, "49.3% or 50.1% [@v:1]"),
    (RATE, "The answer is 49.3% [@v:1]. The answer is 50.1% [@v:1]."),
    (RATE, "The PMI was 50.1% [@v:1]. The PMI was 49.3% [@v:1]."),
    (RATE, "49.3% [@v:1]\n\nCorrection: the answer is 50.1%."),
    (RATE, "It was 49.3% [@v:1]. Final answer: 50.1%"),
    (RATE, "PMI为49.3%[@v:1]。更正：PMI应为50.1%。"),
    (RATE, "It was 50.1% [@v:1] <!-- 49.3% -->"),
    (RATE, "It was 50.1% [@v:1] <!-- 49.3%"),
    (RATE, "~~49.3%~~ 50.1% [@v:1]"),
    (RATE, '<abbr title="49.3%">It was 50.1%</abbr> [@v:1]'),
]

HONEST = [
    (NAME, "Bowman [@v:1]"),
    (NAME, "Michelle W. Bowman cast the only dissenting vote [@v:1]."),
    (NAME, "**Michelle W. Bowman** [@v:1], a member of the Board of Governors, dissented."),
    (NAME, "The dissenter was Governor Bowman [@v:1]. She preferred a smaller cut of 1/4 percentage point."),
    (
        NAME,
        "Powell, Williams, Barr, Cook and Daly voted for the action. Only Bowman voted against it [@v:1].",
    ),
    (
        NAME,
        "Voting for it were Powell, Williams, Barkin and Barr; voting against it was Michelle Bowman [@v:1].",
    ),
    (
        NAME,
        "According to the statement, one person dissented.\n\n- **Name:** Michelle W. Bowman [@v:1]\n- **Why:** she wanted a smaller cut",
    ),
    (NAME, "It was Bowman [@v:1]. It was the first dissent by a governor since 2005."),
    (NAME, "~~Powell~~ Bowman [@v:1]"),
    (NAME, "The answer is Bowman [@v:1]. The answer is found in the last paragraph of the statement."),
    (NAME, "Bowman, or more fully Michelle W. Bowman [@v:1]"),
    (PERSON, "负责人：李宗阳[@v:1]"),
    (PERSON, "郑州分公司的负责人是李宗阳，男，汉族，1980年出生[@v:1]。"),
    (PERSON, "根据公告，郑州分公司负责人为李宗阳[@v:1]，成都分公司负责人为王小明。"),
    (RATE, "It was 49.3% [@v:1], down from 50.1% in December."),
    (RATE, "The PMI in January was 49.3% [@v:1]. The PMI in December was 50.1%."),
    (RATE, "- January: 49.3% [@v:1]\n- December: 50.1%"),
    (RATE, "~~50.1%~~ 49.3% [@v:1]"),
    (RATE, "First I read 50.1%. Correction: the answer is 49.3% [@v:1]."),
    (RATE, "The answer is 49.3% [@v:1]. The answer is 0.8 points below that of December."),
    (RATE, "Final answer: 49.3% [@v:1] <!-- read from table 1 -->"),
    (RATE, '<p class="a">It was <b>49.3%</b> [@v:1]</p>'),
]


@pytest.mark.parametrize(("case", "answer"), CHEATS)
def test_a_cheat_is_not_verified(case: Case, answer: str) -> None:
    result = verified_score(case, answer, [EVIDENCE[case.id]])
    assert not result.passed
    assert all(reason.endswith(".") for reason in result.reasons)


@pytest.mark.parametrize(("case", "answer"), HONEST)
def test_an_honest_answer_is_verified(case: Case, answer: str) -> None:
    assert verified_score(case, answer, [EVIDENCE[case.id]]).reasons == ()


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
    assert verified_score(case, f"{case.answer} [@v:1]", [evidence]).reasons == ()
