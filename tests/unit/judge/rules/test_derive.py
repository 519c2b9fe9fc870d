"""Derivations that claims name: the floors of the suite, and what the findings say."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from tests.unit.judge.rules.derivation_suite import Figures, load, measure
from verifaible.judge.rules.derive import derive, derived, names_calculation
from verifaible.judge.rules.library import Library
from verifaible.schema.analyst import Claim, Source

TEXT = """# Lending markets, 3 November 2025

| Market | Supplied (USD millions) | Borrowed (USD millions) |
|---|---|---|
| Northpool | 410.0 | 287.0 |
| Eastpool | 205.0 | 164.0 |

Northpool charged fees of $1.9 million in September 2025 and $2.4 million in October 2025.
"""
OTHER = """| Market | Supplied (USD millions) |
|---|---|
| Northpool | 395.0 |
"""


def library(*texts: str) -> Library:
    pairs = [
        (Source(id=f"s{at}", kind="page", title="Markets", capture="a" * 64), text)
        for at, text in enumerate(texts)
    ]
    return Library(pairs)


def claim(text: str, *context: str) -> Claim:
    return Claim(id="c1", start=0, end=len(text), text=text, kind="number", context=context)


@pytest.fixture(scope="module")
def figures() -> Figures:
    return measure("all")


def test_the_suite_is_as_large_as_it_says() -> None:
    docs, cases = load()
    assert len(docs) >= 30
    assert sum(bool(case.operation) for case in cases) >= 360
    assert sum(not case.operation for case in cases) >= 110
    by_operation = {case.operation for case in cases}
    for operation in by_operation - {""}:
        assert len({case.template for case in cases if case.operation == operation}) >= 8


@pytest.mark.slow
@pytest.mark.breadth
def test_named_derivations_are_carried_out(figures: Figures) -> None:
    assert figures.right / figures.cases >= 0.95, "\n".join(figures.wrong)


@pytest.mark.slow
@pytest.mark.breadth
def test_spoilt_claims_are_not_derived(figures: Figures) -> None:
    assert figures.spoilt > 3000
    assert figures.spurious == 0, "\n".join(figures.wrong)


@pytest.mark.slow
@pytest.mark.breadth
def test_claims_that_name_no_operands_are_not_derived(figures: Figures) -> None:
    assert figures.loose == 0, "\n".join(figures.wrong)


@pytest.mark.slow
@pytest.mark.breadth
def test_no_true_claim_is_refuted(figures: Figures) -> None:
    assert figures.false_refuted == 0, "\n".join(figures.wrong)


def test_a_finding_shows_its_operands_to_the_byte() -> None:
    finding = derive(
        claim("Northpool's borrowed amount is 70% of what is supplied to Northpool."), library(TEXT)
    )
    assert finding is not None and finding.verdict == "derived" and finding.derivation is not None
    assert [operand.value for operand in finding.derivation.operands] == [
        Decimal(287000000),
        Decimal(410000000),
    ]
    for passage in finding.passages:
        assert TEXT[passage.start : passage.end] == passage.quote
    assert finding.derivation.result == 70
    assert "287.0" in finding.reason and "410.0" in finding.reason


def test_a_wrong_result_is_refuted_with_what_the_operands_give() -> None:
    words = "Northpool's fees rose 62% from $1.9 million in September 2025 to $2.4 million in October 2025."
    finding = derive(claim(words), library(TEXT))
    assert finding is not None and finding.verdict == "refuted"
    assert re.search(r"from \$1\.9 million to \$2\.4 million gives 26\.3158%", finding.said)


def test_operands_that_are_only_named_refute_nothing() -> None:
    """Another value of that name may be meant."""
    words = claim("Northpool and Eastpool have a combined supplied amount of $651M.")
    assert derive(words, library(TEXT)) is None


def test_two_sources_that_disagree_derive_nothing() -> None:
    found = derive(
        claim("Northpool and Eastpool have a combined supplied amount of $615M."), library(TEXT, OTHER)
    )
    assert found is None


def test_only_some_sources_are_looked_into() -> None:
    words = claim("Northpool and Eastpool have a combined supplied amount of $615M.")
    both = library(TEXT, OTHER)
    assert derive(words, both, ("s1",)) is None
    found = derive(words, both, ("s0",))
    assert found is not None and found.verdict == "derived"


def test_values_that_a_derivation_does_not_explain_are_told() -> None:
    text = "Northpool's fees rose 26.3% from September 2025 to October 2025, with 512 borrowers."
    assert derive(claim(text), library(TEXT)) is None
    text = "Northpool's fees, from $1.9M in September 2025 to $2.4M in October 2025, rose 26.3%."
    found = derived(claim(text), library(TEXT))
    assert found is not None and found.finding.verdict == "derived"
    assert [text[start:end] for start, end in found.explained] == ["$1.9M", "$2.4M", "26.3%"]
    assert found.left == ()


@pytest.mark.parametrize(
    "text",
    [
        "Northpool's fees could rise 26.3% from September 2025 to October 2025.",
        "Northpool's fees did not rise 26.3% from September 2025 to October 2025.",
        "Northpool's fees rose 26.3% from August 2025 to October 2025.",
        "Westpool's fees rose 26.3% from September 2025 to October 2025.",
        "Northpool's deposits rose 26.3% from September 2025 to October 2025.",
        "Northpool's fees rose 26.3%.",
        "Northpool and Eastpool.",
        "70% 70% 70%",
        "",
        "×÷= %",
    ],
)
def test_what_is_not_named_is_not_derived(text: str) -> None:
    assert derive(claim(text), library(TEXT)) is None


@pytest.mark.parametrize(
    "text",
    [
        "- **Northpool and Eastpool** have a combined supplied amount of **$615M** [1].",
        "Northpool and Eastpool have a combined supplied amount of $615M [@v:3][@v:4].",
        "Northpool and Eastpool have a combined supplied amount of $615M ([source](https://a.example/5)).",
    ],
)
def test_marks_and_mark_up_are_no_words(text: str) -> None:
    found = derive(claim(text), library(TEXT))
    assert found is not None and found.verdict == "derived"


def test_the_heading_over_a_claim_tells_what_it_is_of() -> None:
    text = "Fees rose 26.3% from September 2025 to October 2025."
    found = derive(claim(text, "Northpool"), library(TEXT))
    assert found is not None and found.verdict == "derived"


def test_an_empty_library_derives_nothing() -> None:
    assert (
        derive(claim("Northpool and Eastpool have a combined supplied amount of $615M."), library()) is None
    )


def test_a_long_text_is_not_read_as_one_claim() -> None:
    text = "Northpool rose from " + "and the market to " * 40_000 + "5%, 3 of 4 (a total of $5)."
    assert derive(claim(text), library(TEXT)) is None
    assert not names_calculation(text)


def test_a_calculation_is_named_even_where_its_operands_are_not_found() -> None:
    assert names_calculation("Acme and Bolt together earned $5 million.")
    assert not names_calculation("Acme earned $5 million.")
