"""Verdicts of claims, and the status of a check."""

from datetime import UTC, datetime

import pytest

from tests.unit.check.made import claim, source
from verifaible.check.browsing import state_of
from verifaible.check.run import Comparison
from verifaible.check.view import exit_status
from verifaible.errors import OfflineMiss, PageBlocked, PageNotLoaded, ToolError, UrlRefused
from verifaible.schema.analyst import AnalystAnswer
from verifaible.schema.checked import (
    CLAIM_VERDICTS,
    Checked,
    CheckedClaim,
    CheckedSource,
    ClaimVerdict,
    SourceState,
)
from verifaible.schema.verdict import Verdict


def checked(*verdicts: ClaimVerdict, states: tuple[SourceState, ...] = ("read",)) -> Checked:
    return Checked(
        name="-",
        sha256="0",
        text="",
        claims=tuple(CheckedClaim(claim=claim("It rose"), verdict=each, reason="") for each in verdicts),
        sources=tuple(
            CheckedSource(id=str(n), url="https://a.example/", state=state) for n, state in enumerate(states)
        ),
        checked_at=datetime(2024, 1, 1, tzinfo=UTC),
        version="1",
    )


STATUS = {
    "supported": 0,
    "calculated": 0,
    "not_checkable": 0,
    "contradicted": 1,
    "altered": 1,
    "not_in_source": 1,
    "undecided": 3,
    "unreadable": 3,
    "no_source": 3,
}


@pytest.mark.parametrize("verdict", CLAIM_VERDICTS)
def test_each_verdict_has_its_status_and_the_worst_counts(verdict: ClaimVerdict) -> None:
    status = STATUS[verdict]
    assert exit_status(checked(verdict)) == status
    assert exit_status(checked("supported", verdict)) == status
    assert exit_status(checked("contradicted", verdict)) == 1
    assert exit_status(checked(verdict), allow_undecided=True) == (0 if status == 3 else status)


@pytest.mark.parametrize(
    ("state", "status"),
    [("gone", 1), ("made_up", 1), ("blocked", 3), ("paywall", 3), ("login", 3), ("error", 3)],
)
def test_sources_that_are_lost_count_as_findings_and_those_that_hide_as_unreadable(
    state: SourceState, status: int
) -> None:
    assert exit_status(checked("unreadable", states=("read", state))) == status


def test_a_text_without_claims_is_all_supported() -> None:
    assert exit_status(checked()) == 0


def comparison(*states: CheckedSource, read: tuple[str, ...] = ()) -> Comparison:
    answer = AnalystAnswer(id="", origin="markdown", model="", query="", answer="It rose by 5%.")
    sources = {name: source("It fell.", name=name) for name in read}
    return Comparison(answer, (), {each.id: each for each in states}, sources)


def test_a_source_must_be_read_for_a_verdict() -> None:
    gone = CheckedSource(id="1", label="[1]", url="https://a.example/", state="gone", status=404)
    read = CheckedSource(id="2", url="https://b.example/", state="read")

    def verdict(*cites: str, kind: str = "number") -> str:
        found = comparison(gone, read)._unread(claim("It rose by 5%", *cites, kind=kind))
        return found.verdict if found is not None else ""

    assert verdict("1") == "unreadable"
    assert verdict() == "no_source"
    assert verdict("1", "2") == ""
    assert verdict(kind="opinion") == "not_checkable"


@pytest.mark.parametrize(
    ("found", "whole", "verdict"),
    [
        (Verdict(outcome="supported"), False, "supported"),
        (Verdict(outcome="derived"), False, "calculated"),
        (Verdict(outcome="contradicted", said="It fell."), False, "contradicted"),
        (Verdict(outcome="contradicted", decided_by="quotation", said="It fell."), False, "altered"),
        (Verdict(outcome="not_found"), True, "not_in_source"),
        (Verdict(outcome="not_found"), False, "undecided"),
        (Verdict(outcome="open"), True, "undecided"),
    ],
)
def test_each_outcome_has_its_word(found: Verdict, whole: bool, verdict: str) -> None:
    assert comparison(read=("1",))._view(claim("It rose", "1"), found, whole).verdict == verdict


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (PageNotLoaded("", status=404), "gone"),
        (PageNotLoaded("", status=410), "gone"),
        (PageNotLoaded("", status=500), "error"),
        (PageNotLoaded(""), "error"),
        (PageBlocked("", status=401), "login"),
        (PageBlocked("", status=402), "paywall"),
        (PageBlocked("", status=403), "blocked"),
        (PageBlocked("", status=429), "blocked"),
        (PageBlocked("", kind="a login page"), "login"),
        (PageBlocked("", kind="a paywall"), "paywall"),
        (PageBlocked("", kind="a captcha or bot check"), "blocked"),
        (PageBlocked("", kind="an error page", shown="This page does not exist"), "gone"),
        (PageBlocked("", kind="an error page", shown="Something went wrong, try again later"), "error"),
        (PageBlocked("", kind="an empty page"), "error"),
        (OfflineMiss("https://a.example/"), "error"),
        (UrlRefused(""), "error"),
    ],
)
def test_refusals_are_states(error: ToolError, state: SourceState) -> None:
    assert state_of(error)[0] == state
