"""From findings to rows: what rules may decide, and what they must leave open."""

from __future__ import annotations

import pytest

from verifaible.factcheck.llm_judge import NO_SOURCES
from verifaible.judge.claim_checks import (
    NO_MODEL,
    NO_NAMES,
    citation_row,
    hallucination_row,
)
from verifaible.schema.analyst import AnalystAnswer, Claim, ClaimKind
from verifaible.schema.verdict import Outcome, Verdict


def an_answer(*, known: bool = True) -> AnalystAnswer:
    return AnalystAnswer(id="a", origin="csv", model="m", query="q", answer="x", sources_known=known)


def a_claim(
    kind: ClaimKind = "number", *, cites: tuple[str, ...] = (), broken: tuple[str, ...] = ()
) -> Claim:
    return Claim(id="c1", start=0, end=1, text="x", kind=kind, cites=cites, broken=broken)


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        ("supported", "direct"),
        ("derived", "derivable"),
        ("contradicted", "incorrect"),
        ("not_found", "incorrect"),
    ],
)
def test_a_cited_claim_takes_the_verdict_of_the_rules(outcome: Outcome, status: str) -> None:
    row = citation_row(
        a_claim(cites=("s",)), an_answer(), Verdict(outcome=outcome, reason="why"), marks_lead=True
    )
    assert (row.outcome, row.status, row.by, row.reason) == ("decided", status, "rules", "why")
    assert row.finding is not None


@pytest.mark.parametrize("known", [True, False])
def test_an_uncited_fact_lacks_a_citation_whatever_is_known(known: bool) -> None:
    assert citation_row(a_claim(), an_answer(known=known), None, marks_lead=True).status == "missing"


def test_an_opinion_needs_no_citation_and_has_no_truth_to_check() -> None:
    opinion = a_claim("opinion", cites=("s",))
    assert (
        citation_row(opinion, an_answer(), Verdict(outcome="not_found"), marks_lead=True).status
        == "not_needed"
    )
    assert hallucination_row(opinion, an_answer(), Verdict(outcome="not_found")) is None


def test_what_the_rules_leave_open_is_no_verdict() -> None:
    row = citation_row(a_claim(cites=("s",)), an_answer(), Verdict(outcome="open"), marks_lead=True)
    assert (row.outcome, row.status, row.by, row.reason) == ("not_judged", None, "", NO_MODEL)
    hallucination = hallucination_row(a_claim(), an_answer(), Verdict(outcome="open"))
    assert hallucination is not None
    assert (hallucination.outcome, hallucination.status) == ("not_judged", None)


def test_a_mark_that_leads_nowhere_is_incorrect_only_where_the_sources_are_known() -> None:
    broken = a_claim(broken=("[9]",))
    known = citation_row(broken, an_answer(), None, marks_lead=True)
    assert (known.outcome, known.status) == ("decided", "incorrect")
    assert "[9]" in known.reason
    unknown = citation_row(broken, an_answer(known=False), None, marks_lead=True)
    assert (unknown.outcome, unknown.status, unknown.reason) == ("not_judged", None, NO_SOURCES)


def test_a_mark_is_not_called_wrong_where_no_mark_of_the_answer_leads_anywhere() -> None:
    row = citation_row(a_claim(broken=("src_9",)), an_answer(), None, marks_lead=False)
    assert (row.outcome, row.status, row.reason) == ("not_judged", None, NO_NAMES)


@pytest.mark.parametrize(
    ("finding", "status"),
    [
        (Verdict(outcome="supported"), "exact"),
        (Verdict(outcome="derived"), "derivable"),
        (Verdict(outcome="contradicted", said="$35"), "contradiction"),
        (Verdict(outcome="not_found"), "fabricated"),
    ],
)
def test_truth_is_told_by_what_all_sources_say(finding: Verdict, status: str) -> None:
    row = hallucination_row(a_claim(), an_answer(), finding)
    assert row is not None
    assert (row.outcome, row.status, row.by) == ("decided", status, "rules")


def test_nothing_is_refuted_where_the_sources_are_not_known() -> None:
    row = hallucination_row(a_claim(), an_answer(known=False), Verdict(outcome="not_found"))
    assert row is not None
    assert (row.outcome, row.status, row.reason) == ("not_judged", None, NO_SOURCES)
