"""The sums of an answer's claims: formulas and labels of the seed, with what is undecided left open."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.judge.made import claim, claims
from verifaible.judge.metrics import (
    citation_label,
    citation_metrics,
    hallucination_label,
    hallucination_metrics,
)

CITED = ("direct", "derivable", "incorrect")
BARE = ("missing", "not_needed")
OPEN = ("failed", "abstain", "not_judged")


@pytest.mark.parametrize(
    ("precision", "completeness", "label"),
    [
        (1.0, 1.0, "correct"),
        (1.0, 0.99, "partially correct"),
        (0.51, 1.0, "partially correct"),
        (0.5, 1.0, "incorrect"),  # "<= 50%" of the seed: exactly half is incorrect
        (1.0, 0.5, "incorrect"),
        (1.0, 0.4, "incorrect"),  # the worse of two decides where the seed's words fit both
        (0.0, 1.0, "incorrect"),
        (None, 0.0, "incorrect"),  # nothing is cited, and something should be
        (None, None, "no claims"),
    ],
)
def test_label_of_citations(precision: float | None, completeness: float | None, label: str) -> None:
    assert citation_label(precision, completeness) == label


@pytest.mark.parametrize(
    ("verified", "unverified", "label"),
    [
        (3, 0, "factual"),
        (3, 1, "partially factual"),
        (2, 2, "partially factual"),  # hallucinated wants more unverified than verified
        (1, 2, "hallucinated"),
        (0, 1, "hallucinated"),
        (0, 0, "no claims"),
    ],
)
def test_label_of_hallucination(verified: int, unverified: int, label: str) -> None:
    assert hallucination_label(verified, unverified) == label


def test_the_formulas_of_the_seed_where_everything_is_decided() -> None:
    found = citation_metrics(
        claims({"direct": 4, "derivable": 2, "incorrect": 2, "missing": 4, "not_needed": 3})
    )
    assert found.outcomes.all == 15
    assert (found.cited, found.counts["direct"], found.counts["derivable"], found.counts["incorrect"]) == (
        8,
        4,
        2,
        2,
    )
    assert found.share.value == 6 / 8
    assert found.completeness == 8 / (15 - 3)
    assert found.share.low == found.share.high == found.share.value
    assert found.label == "partially correct"
    assert (found.cited_factual, found.factual) == (8, 15)


def test_half_precision_is_incorrect() -> None:
    assert citation_metrics(claims({"direct": 5, "incorrect": 5})).label == "incorrect"


def test_no_claims_is_a_label_of_its_own() -> None:
    assert citation_metrics(()).label == "no claims"
    assert citation_metrics(claims({"not_needed": 3})).label == "no claims"
    assert hallucination_metrics(()).label == "no claims"
    assert citation_metrics(()).share.value is None
    assert hallucination_metrics(()).share.value is None


def test_an_opinion_is_no_claim_of_the_hallucination_check() -> None:
    made = [claim("a", 1, hallucination="exact"), claim("a", 2, kind="opinion")]
    assert hallucination_metrics(made).outcomes.all == 1


def test_what_failed_is_neither_right_nor_wrong() -> None:
    found = hallucination_metrics(claims(["-/exact", "-/exact", "-/exact", "-/failed"]))
    assert found.share.value == 1.0
    assert (found.share.decided, found.share.of) == (3, 4)
    assert (found.share.low, found.share.high) == (0.75, 1.0)
    assert found.label == "undetermined"  # factual, or partially factual


def test_a_label_that_no_outcome_can_change_is_given() -> None:
    found = hallucination_metrics(claims(["-/exact"] + ["-/fabricated"] * 5 + ["-/abstain"] * 2))
    assert found.label == "hallucinated"
    cited = citation_metrics(claims(["incorrect"] * 4 + ["failed"]))
    assert cited.label == "incorrect"


def test_nothing_judged_has_no_label_and_no_figure() -> None:
    found = citation_metrics(claims(["not_judged"] * 4))
    assert found.label == "not judged"
    assert found.share.value is None
    assert (found.share.low, found.share.high) == (0.0, 1.0)
    assert hallucination_metrics(claims(["-", "-"])).label == "not judged"


def test_all_failed_is_not_the_same_as_not_judged() -> None:
    assert citation_metrics(claims(["failed"] * 3)).label == "undetermined"


def test_contradiction_counts_as_unverified() -> None:
    found = hallucination_metrics(claims(["-/exact", "-/contradiction", "-/contradiction"]))
    assert (found.counts["fabricated"], found.counts["contradiction"]) == (0, 2)
    assert found.label == "hallucinated"


def test_a_mark_that_leads_nowhere_is_a_citation() -> None:
    found = citation_metrics([claim("a", 1, "incorrect", cites=(), broken=("src_99",))])
    assert found.cited == 1


def test_a_verdict_without_a_decision_is_no_verdict() -> None:
    made = claim("a", 1, "direct")
    assert made.citations is not None
    failed = made.citations.model_copy(update={"outcome": "failed"})
    found = citation_metrics([made.model_copy(update={"citations": failed})])
    assert found.counts["direct"] == 0
    assert found.outcomes.failed == 1


marked = st.lists(st.sampled_from(CITED + OPEN), max_size=12)
bare = st.lists(st.sampled_from(BARE), max_size=12)


@given(marked, bare)
def test_values_lie_within_their_bounds_and_counts_add_up(cited: list[str], uncited: list[str]) -> None:
    found = citation_metrics(claims(cited + uncited))
    decided = (
        found.counts["direct"]
        + found.counts["derivable"]
        + found.counts["incorrect"]
        + found.counts["missing"]
        + found.counts["not_needed"]
    )
    assert found.outcomes.decided == decided
    assert found.outcomes.all == len(cited) + len(uncited)
    assert found.cited == found.share.of
    share = found.share
    if share.value is not None:
        assert share.low is not None and share.high is not None
        assert share.low - 1e-12 <= share.value <= share.high + 1e-12


@given(marked, bare, st.data())
def test_a_given_label_is_the_label_of_every_way_to_decide_the_rest(
    cited: list[str], uncited: list[str], data: st.DataObject
) -> None:
    before = citation_metrics(claims(cited + uncited))
    filled = [data.draw(st.sampled_from(CITED)) if each in OPEN else each for each in cited]
    after = citation_metrics(claims(filled + uncited))
    assert after.label not in ("undetermined", "not judged")
    if before.label not in ("undetermined", "not judged"):
        assert after.label == before.label
    assert before.completeness == after.completeness
    bounds, reached = before.share, after.share.value
    if reached is not None:
        assert bounds.low is not None and bounds.high is not None
        assert bounds.low - 1e-12 <= reached <= bounds.high + 1e-12


@given(st.lists(st.sampled_from(("exact", "derivable", "fabricated", "contradiction", *OPEN)), max_size=12))
def test_hallucination_counts_add_up(statuses: list[str]) -> None:
    found = hallucination_metrics(claims([f"-/{each}" for each in statuses]))
    verified = found.counts["exact"] + found.counts["derivable"]
    assert verified + found.counts["fabricated"] + found.counts["contradiction"] == found.outcomes.decided
    assert found.outcomes.all == len(statuses)
    if found.share.value is not None:
        assert found.share.value == verified / found.outcomes.decided
