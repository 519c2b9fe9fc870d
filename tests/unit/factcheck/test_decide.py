"""What the rules do with dates, topics, cited sources, conflicts and poor input."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.unit.factcheck.made import claim, library, source
from verifaible.factcheck.decide import decide
from verifaible.factcheck.library import Library

DATED = "On October 16, 2025, HYPE traded at $38.77 and its market cap stood at $10.5 billion."


@pytest.mark.parametrize(
    ("at", "verdict"),
    [
        (datetime(2025, 10, 17, tzinfo=UTC), "supported"),
        (datetime(2026, 3, 1, tzinfo=UTC), "open"),
        (None, "open"),
    ],
)
def test_a_dated_price_is_that_of_now_only_if_now_is_near(at: datetime | None, verdict: str) -> None:
    assert decide(claim("HYPE trades at $38.77"), library([DATED], at=at)).outcome == verdict


def test_a_dated_price_is_that_of_its_date_whenever_it_is_read() -> None:
    sources = library([DATED], at=datetime(2026, 3, 1, tzinfo=UTC))
    assert decide(claim("HYPE traded at $38.77 on October 16, 2025"), sources).outcome == "supported"
    assert decide(claim("HYPE traded at $38.77 on October 15, 2025"), sources).outcome != "supported"


def test_today_in_a_claim_is_the_day_of_the_answer() -> None:
    sources = library([DATED], at=datetime(2025, 10, 16, 9, tzinfo=UTC))
    assert decide(claim("HYPE trades at $38.77 today"), sources).outcome == "supported"
    assert decide(claim("HYPE traded at $38.77 yesterday"), sources).outcome != "supported"


def test_the_topic_names_the_asset_of_a_claim_that_names_none() -> None:
    text = "Hyperliquid (HYPE) price: $36.36"
    assert decide(claim("Price: $36.36"), library([text], topic="$hype till bullrun")).outcome == "supported"
    assert decide(claim("Price: $36.36"), library([text], topic="SOL or HYPE?")).outcome == "open"
    assert decide(claim("Price: $36.36"), library([text], topic="is solana dead")).outcome != "supported"
    assert decide(claim("Price: $36.36"), library([text])).outcome == "open"


def test_only_the_named_sources_count() -> None:
    sources = library(["HYPE price: $36.36", "HYPE price: $41.02"])
    told = claim("HYPE trades at $36.36")
    assert decide(told, sources, only=["src_0"]).outcome == "supported"
    refuted = decide(told, sources, only=["src_1"])
    assert refuted.outcome == "contradicted"
    assert "$41.02" in refuted.said
    assert decide(told, sources, only=[]).outcome == "open"


def test_sources_that_disagree_neither_support_nor_refute_a_third_value() -> None:
    sources = library(["Morpho's TVL is $8.1 billion.", "Morpho TVL: $7.4 billion"])
    finding = decide(claim("Morpho's TVL is $6.2 billion"), sources)
    assert finding.outcome == "open"
    assert "8.1" in finding.reason and "7.4" in finding.reason
    supported = decide(claim("Morpho's TVL is $7.4 billion"), sources)
    assert supported.outcome == "supported"
    assert "8.1" in supported.reason


def test_a_refutation_shows_what_the_source_says() -> None:
    finding = decide(claim("Lido's TVL is $38.0 billion"), library(["Lido's TVL is $33.1 billion."]))
    assert finding.outcome == "contradicted"
    assert finding.said == "Lido's TVL is $33.1 billion."
    assert finding.passages[0].quote == "Lido's TVL is $33.1 billion."


def test_a_value_that_stands_nowhere_refutes_nothing() -> None:
    told = claim("The treasury of Aave bought back $27.35 million")
    assert decide(told, library(["Aave has a treasury."])).outcome == "open"


def test_a_coarser_source_does_not_refute() -> None:
    assert (
        decide(claim("Aave's TVL is $36.52 billion"), library(["Aave's TVL is $36.5 billion."])).outcome
        == "open"
    )


def test_a_fraction_is_not_taken_for_a_per_cent() -> None:
    sources = library(['{"name": "Aave", "symbol": "AAVE", "apy": 0.052}'])
    assert decide(claim("Aave's APY is 5.2%"), sources).outcome == "open"
    assert decide(claim("Aave's APY is 0.052%"), sources).outcome == "open"


@pytest.mark.parametrize("text", ["", " ", "\x00", "🙂" * 50, "1" * 500, "$" * 300, "(" * 300, "36.36"])
def test_poor_claims_are_never_exact(text: str) -> None:
    assert decide(claim(text), library(["HYPE price: $36.36"])).outcome != "supported"


def test_an_opinion_is_not_decided() -> None:
    assert (
        decide(claim("HYPE trades at $36.36", kind="opinion"), library(["HYPE price: $36.36"])).outcome
        == "open"
    )


def test_no_sources_decide_nothing() -> None:
    assert decide(claim("HYPE trades at $36.36"), Library([])).outcome == "open"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\ufeff",
        "{",
        '{"a": ',
        "[" * 5000,
        '{"a":' * 3000,
        "|" * 4000,
        "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 50,
        "\n".join(["[1, 2"] * 2000),
        "\t\t\n\t\t\n",
        "a,b\n1,2\n",
        '{"price": NaN, "volume": Infinity, "x": 1e999999}',
        '{"a": 1, "a": 2}',
        "\ud800 36.36",
        "1,234,567.89 " * 400,
        "亿万" * 300,
    ],
)
def test_poor_sources_are_read_without_a_fault(text: str) -> None:
    sources = library([text, "HYPE price: $36.36"])
    assert decide(claim("HYPE trades at $36.36"), sources).outcome == "supported"
    for read in sources.of():
        assert all(read.text[value.start : value.end] for value in read.values)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ('"Liquidity is the whole product", said the founder', "supported"),
        ('The founder said "liquidity is the whole product"', "supported"),
        ('The chair said "liquidity is the whole product"', "open"),
        ('The founder said "liquidity is half the product"', "open"),
        ("The founder denied that liquidity matters", "open"),
    ],
)
def test_quotations_stand_word_for_word(text: str, verdict: str) -> None:
    sources = library(["“Liquidity is the whole product,” the founder of Drift said. He sold nothing."])
    assert decide(claim(text, kind="technical"), sources).outcome == verdict


def test_the_address_of_a_source_can_name_what_json_is_of() -> None:
    url = "https://api.example.org/v3/coins/hyperliquid/market"
    pairs = [(source(0, url=url), '{"price_usd": 36.36, "market_cap_usd": 9857283441}')]
    assert decide(claim("HYPE trades at $36.36"), Library(pairs)).outcome == "supported"
    assert decide(claim("SOL trades at $36.36"), Library(pairs)).outcome != "supported"


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("Aave's TVL was $5.3 billion.", "supported"),
        ("Nobody believes that Aave's TVL was $5.3 billion.", "open"),
        ("Aave denied that Aave's TVL was $5.3 billion.", "open"),
        ("It is not true that Aave's TVL was $5.3 billion.", "open"),
    ],
)
def test_a_value_is_read_in_its_sentence(said: str, verdict: str) -> None:
    assert decide(claim("Aave's TVL was $5.3 billion"), library([said])).outcome == verdict


FED = (
    "- The Board of Governors of the Federal Reserve System, in a unanimous vote, kept the interest rate paid on "
    "reserve balances (IORB) at 5.4 percent, with effect from February 1, 2024."
)
PHONE = "# Phone X\n\n| Feature | Value |\n|---|---|\n| Storage | 64 GB |\n| RAM | 4 GB |\n"
FERRIES = "In 2025 the company carried 4,217,350 passengers on its six ferry lines. It has 12 ships."


@pytest.mark.parametrize(
    ("text", "told", "outcome"),
    [
        (FED, "The Fed set the interest rate on reserve balances at 5.4 percent", "supported"),
        (FED, "The Fed set the interest rate on reserve balances at 4.5 percent", "contradicted"),
        (PHONE, "Phone X has 64 GB of storage", "supported"),
        (PHONE, "Phone X has 64 MB of storage", "contradicted"),
        (FERRIES, "The company carried 4,217,350 passengers in 2025", "supported"),
        (FERRIES, "The company carried 4,712,350 passengers in 2025", "contradicted"),
    ],
)
def test_a_number_or_a_unit_that_was_exchanged_is_said_to_be_wrong(
    text: str, told: str, outcome: str
) -> None:
    assert decide(claim(told), library([text])).outcome == outcome
