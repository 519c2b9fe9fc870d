"""Claims that a model gave: looked up, cited by us, filled in where it left something out."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kit.suites import Row
from tests.unit.claims.test_claims_suite import ALL, answer_of
from verifaible.claims import coverage_of, extract_claims
from verifaible.claims.llm_split import ClaimsForm, GivenClaim, checked_claims
from verifaible.schema.analyst import ClaimKind

TEXT = (
    "**BTC** rose 5% [1] and ETH fell 3% [2]. The outlook is good.\n\n"
    "| Token | Price |\n|---|---|\n| SOL | $150 [3] |\n"
)


def form(*given: tuple[str, str, ClaimKind]) -> ClaimsForm:
    """A filled form."""
    return ClaimsForm(claims=[GivenClaim(quote=quote, text=text, kind=kind) for quote, text, kind in given])


FULL = form(
    ("BTC rose 5%", "Bitcoin rose 5%.", "number"),
    ("ETH fell 3%", "Ethereum fell 3%.", "number"),
    ("The outlook is good.", "The outlook is good.", "opinion"),
    ("| SOL | $150 |", "SOL costs $150.", "number"),
)


def test_a_whole_reply_is_taken_with_our_ranges_and_citations() -> None:
    read = checked_claims(answer_of(TEXT), FULL)
    assert read.faults == ()
    assert read.filled == 0
    assert [claim.cites for claim in read.claims] == [("1",), ("2",), (), ("3",)]
    assert [claim.text for claim in read.claims][:2] == ["Bitcoin rose 5%.", "Ethereum fell 3%."]
    assert "BTC** rose 5%" in TEXT[read.claims[0].start : read.claims[0].end]
    assert "SOL | $150" in TEXT[read.claims[3].start : read.claims[3].end]
    assert coverage_of(answer_of(TEXT), read.claims).uncovered == ()


def test_what_was_left_out_is_filled_in() -> None:
    read = checked_claims(answer_of(TEXT), form(("BTC rose 5%", "Bitcoin rose 5%.", "number")))
    assert read.faults == ()
    assert read.filled == 3
    assert [claim.text for claim in read.claims] == [
        "Bitcoin rose 5%.",
        "ETH fell 3%",
        "The outlook is good",
        "$150",
    ]


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (("BTC rose 6%", "Bitcoin rose 6%.", "number"), "not_found"),
        (("BTC rose 5%", "Bitcoin rose 5% to $100,000.", "number"), "value_not_quoted"),
        (("BTC rose 5%", "Bitcoin rose 5% in 2024.", "number"), "value_not_quoted"),
        (("ETH fell 3%. The outlook is good.", "ETH fell 3% and the outlook is good.", "number"), "too_wide"),
        (("", "Bitcoin rose.", "name"), "empty"),
        (("BTC rose 5%", " ", "number"), "empty"),
        (("rose 5", "It rose 5.", "number"), "value_not_quoted"),
    ],
)
def test_what_does_not_hold_is_a_fault_and_nothing_is_lost(
    given: tuple[str, str, ClaimKind], code: str
) -> None:
    read = checked_claims(answer_of(TEXT), form(given))
    assert [fault.code for fault in read.faults] == [code]
    assert read.filled == len(read.claims) == len(extract_claims(answer_of(TEXT)))


def test_a_claim_given_twice_counts_once() -> None:
    given = ("BTC rose 5%", "Bitcoin rose 5%.", "number")
    read = checked_claims(answer_of("BTC rose 5%."), form(given, given))  # type: ignore[arg-type]
    assert len(read.claims) == 1
    assert [fault.code for fault in read.faults] == ["repeated"]


def test_equal_quotes_are_taken_in_the_order_of_the_answer() -> None:
    text = "- A: $5 [1]\n- B: $5 [2]\n"
    read = checked_claims(answer_of(text), form(("$5", "A is $5.", "number"), ("$5", "B is $5.", "number")))
    assert [claim.cites for claim in read.claims] == [("1",), ("2",)]


def test_two_claims_of_one_quote_cite_the_same() -> None:
    text = "Ondo and Maple rose 2% and 3% respectively [4]."
    read = checked_claims(
        answer_of(text), form((text[:-5], "Ondo rose 2%.", "number"), (text[:-5], "Maple rose 3%.", "number"))
    )
    assert [claim.cites for claim in read.claims] == [("4",), ("4",)]
    assert read.filled == 0


def test_an_empty_reply_gives_the_claims_of_the_rules() -> None:
    for row in ALL:
        answer = answer_of(row.input["text"])
        read = checked_claims(answer, ClaimsForm(claims=[]))
        assert read.claims == extract_claims(answer)
        assert read.filled == len(read.claims)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(ALL), st.data())
def test_whatever_a_model_gives_all_sentences_are_covered(row: Row, data: st.DataObject) -> None:
    text = row.input["text"]
    answer = answer_of(text)
    size = len(text)
    spans = data.draw(st.lists(st.tuples(st.integers(0, size), st.integers(0, size)), max_size=5))
    quotes = [text[min(span) : max(span)] for span in spans]
    given = [GivenClaim(quote=quote, text=quote, kind="name") for quote in quotes]
    read = checked_claims(answer, ClaimsForm(claims=given))
    assert coverage_of(answer, read.claims).uncovered == ()
    assert len(read.claims) - read.filled + len(read.faults) == len(given)
    for claim in read.claims:
        assert 0 <= claim.start < claim.end <= size
