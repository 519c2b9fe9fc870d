"""What failures and changed addresses make of a check."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, get_args

import pytest

from verifaible.anchoring.evidence import Found
from verifaible.errors import (
    AnchorAmbiguous,
    AnchorNotFound,
    NoText,
    NoTranscript,
    OfflineMiss,
    PageBlocked,
    PageError,
    PageNotLoaded,
    StepFailed,
    ToolError,
    WrongContent,
)
from verifaible.evidence.reading import _failed
from verifaible.evidence.verdict import CAPTION_VERDICTS, SAYS, by_address, is_home, message_of, of_failure
from verifaible.net.transcripts import MEANINGS
from verifaible.schema.anchor import Anchor
from verifaible.schema.check import DiffToken, Verdict

CITED = "https://www.bureau.example/reports/2026/rate.html"


@pytest.mark.parametrize(
    ("error", "live", "offline"),
    [
        (PageNotLoaded("Not there.", status=404), "gone", "error"),
        (PageNotLoaded("Not there.", status=410), "gone", "error"),
        (PageNotLoaded("It fails.", status=500), "error", "error"),
        (PageNotLoaded("No connection."), "error", "error"),
        (PageBlocked("A captcha."), "blocked", "blocked"),
        (WrongContent("A page, not a PDF."), "gone", "error"),
        (NoText("A scan."), "gone", "error"),
        (NoTranscript("Cannot be understood."), "error", "error"),
        (AnchorNotFound("No such row.", nearest="a row"), "gone", "gone"),
        (AnchorAmbiguous("Two rows.", candidates=("a", "b")), "ambiguous", "ambiguous"),
        (StepFailed(1, "click", "no such button."), "error", "error"),
        (OfflineMiss("https://a.example/"), "error", "error"),
        (PageError("The page crashed."), "error", "error"),
    ],
)
def test_failures(error: ToolError, live: str, offline: str) -> None:
    for kind, verdict in ((True, live), (False, offline)):
        placement, said = of_failure(error, live=kind)
        assert placement.verdict == verdict
        assert str(error) in said


@pytest.mark.parametrize(("behind", "verdict"), CAPTION_VERDICTS.items())
def test_captions_that_cannot_be_read(behind: str, verdict: str) -> None:
    kind, sentence = MEANINGS[behind]
    error = kind(sentence)
    error.__cause__ = type(behind, (Exception,), {})()
    assert of_failure(error, live=True)[0].verdict == verdict
    assert of_failure(error, live=False)[0].verdict == "error"


@pytest.mark.parametrize(
    ("reached", "found", "verdict"),
    [
        (CITED, "verified", "verified"),
        ("http://bureau.example/reports/2026/rate.html", "verified", "verified"),
        ("https://bureau.example/reports/2026/rate-of-february.html", "verified", "verified"),
        ("https://bureau.example/", "verified", "moved"),
        ("https://bureau.example/en/", "changed", "gone"),
        ("https://bureau.example/", "gone", "gone"),
        ("https://new.example/reports/2026/rate.html", "verified", "moved"),
        ("https://new.example/reports/2026/rate.html", "changed", "changed"),
        ("https://new.example/", "verified", "gone"),
        ("https://new.example/index.html?utm_source=old", "moved", "gone"),
        ("https://www.bureau.example/login?next=/reports", "gone", "blocked"),
        ("https://passport.example/sso/start", "gone", "blocked"),
        ("https://www.bureau.example/news/login-rules", "gone", "gone"),
        ("about:blank", "verified", "verified"),
    ],
)
def test_where_an_address_leads(reached: str, found: Verdict, verdict: str) -> None:
    placement = Found(found, Anchor(evidence_type="text", text="5.33"))
    assert by_address(placement, CITED, reached)[0].verdict == verdict


def test_a_changed_address_is_told() -> None:
    placement, said = by_address(Found("verified"), CITED, "https://new.example/a")
    assert message_of(placement, said) == (
        "The same words are elsewhere now. The address leads to https://new.example/a now."
    )
    assert by_address(Found("verified"), CITED, CITED)[1] == ""


def test_a_site_cited_at_its_home_page_stays_there() -> None:
    home = "https://bureau.example/"
    for reached in (home, "https://www.bureau.example/index.html"):
        assert by_address(Found("verified"), home, reached)[0].verdict == "verified"


@pytest.mark.parametrize(
    ("url", "home"),
    [
        ("https://a.example", True),
        ("https://a.example/zh-CN/", True),
        ("https://a.example/default.aspx", True),
        ("https://a.example/?p=123", False),
        ("https://a.example/#/report/3", False),
        ("https://a.example/reports", False),
    ],
)
def test_home_pages(url: str, home: bool) -> None:
    assert is_home(url) is home


def test_messages_show_what_there_is() -> None:
    difference = (
        DiffToken(op="removed", text="5", kind="number"),
        DiffToken(op="added", text="6", kind="number"),
    )
    assert message_of(Found("changed", difference=difference)).endswith("[-5-]{+6+}")
    assert message_of(Found("gone", nearest="the rate")).endswith("The nearest text is: the rate")
    assert message_of(Found("ambiguous", candidates=("one", "two"))).endswith("They are: one | two")


def test_every_verdict_has_its_words() -> None:
    assert set(SAYS) == set(get_args(Verdict))
    assert all(message_of(Found(verdict)).startswith(f"{SAYS[verdict]}.") for verdict in SAYS)


def test_only_failures_of_its_own_site_leave_a_page_half_loaded() -> None:
    own, cdn, other = "https://api.shop.co.uk/prices", "https://shop.co.uk/app.js", "https://ads.co.uk/a.js"
    session: Any = SimpleNamespace(
        page=SimpleNamespace(url="https://www.shop.co.uk/"),
        traffic=SimpleNamespace(requests=SimpleNamespace(failed=[own, other, cdn, own])),
    )
    assert _failed(session) == (own, cdn)
