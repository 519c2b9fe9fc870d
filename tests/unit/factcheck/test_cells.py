"""Cells of an answer's table beside those of a source's, by the names of row and column."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.unit.factcheck.made import claim, library
from verifaible.factcheck.decide import decide

AT = datetime(2025, 11, 3, tzinfo=UTC)
VENUES = """# Venues in October 2025

Velodrome and Aster led. Fees reached $12.4 million, of which Aster paid $3.1 million.

| Venue | Spot volume (USD billions) | Share | Change on month |
|---|---|---|---|
| Quartzline | 34.1 | 23.9% | +41% |
| Northpool | 27.6 | 19.3% | -8% |
"""
WINDOWS = """| Venue | 24h volume ($M) | 7d volume ($M) | Fee |
|---|---|---|---|
| Quartzline | 812 | 5,904 | 0.05% |
"""
QUARTERS = """| Issuer | Supply Q2 2025 (USD billions) | Supply Q3 2025 (USD billions) |
|---|---|---|
| Marblecoin | 7.1 | 8.4 |
"""
ISSUERS = """| 发行方 | 产品 | 规模（亿美元） | 年化收益率 |
|---|---|---|---|
| 甲公司 | QBILL | 28.4 | 3.85% |
| 乙公司 | RNOTE | 8.6 | 3.92% |
"""


def verdict(value: str, column: str, row: str, *sources: str, heading: str = "Venues") -> str:
    return decide(claim(value, heading, column, row), library(sources, at=AT)).outcome


@pytest.mark.parametrize(
    ("value", "column", "row", "source"),
    [
        ("$34.1B", "Spot volume", "Quartzline", VENUES),
        ("$34.1 billion", "Spot volume ($B)", "Quartzline", VENUES),
        ("23.9%", "Share", "**Quartzline**", VENUES),
        ("19.3%", "Share", "Northpool", VENUES),
        ("$27.6B", "Spot volume", "northpool", VENUES),
        ("0.05%", "Fee", "Quartzline", WINDOWS),
        ("28.4亿美元", "规模", "QBILL", ISSUERS),
        ("3.92%", "收益率", "RNOTE", ISSUERS),
        ("3.85%", "年化收益率", "甲公司", ISSUERS),
    ],
)
def test_the_same_row_and_column_is_the_same_cell(value: str, column: str, row: str, source: str) -> None:
    assert verdict(value, column, row, source) == "supported"


@pytest.mark.parametrize(
    ("value", "column", "row", "source"),
    [
        ("$34.1B", "Spot volume", "Northpool", VENUES),  # the row beside it
        ("23.9%", "Change on month", "Quartzline", VENUES),  # the column beside it
        ("19.3%", "Share", "Quartzline", VENUES),
        ("$34.1M", "Spot volume", "Quartzline", VENUES),  # another scale
        ("€34.1B", "Spot volume", "Quartzline", VENUES),  # another currency
        ("34.1%", "Spot volume", "Quartzline", VENUES),
        ("$34.2B", "Spot volume", "Quartzline", VENUES),
        ("$34.1B", "Derivatives volume", "Quartzline", VENUES),
        ("$34.1B", "Spot volume", "Quartz", VENUES),  # a part of a name is another name
        ("$812M", "Volume", "Quartzline", WINDOWS),  # two columns have it
        ("$5,904M", "24h volume", "Quartzline", WINDOWS),
        ("$8.4B", "Supply", "Marblecoin", QUARTERS),
        ("$8.4B", "Supply Q2 2025", "Marblecoin", QUARTERS),
        ("28.4亿美元", "规模", "RNOTE", ISSUERS),
        ("3.85%", "收益率", "乙公司", ISSUERS),
    ],
)
def test_another_cell_is_not(value: str, column: str, row: str, source: str) -> None:
    assert verdict(value, column, row, source) != "supported"


def test_of_tables_that_do_not_agree_one_supports_and_the_other_is_told() -> None:
    other = VENUES.replace("34.1", "31.4")
    found = decide(claim("$34.1B", "Venues", "Spot volume", "Quartzline"), library((VENUES, other), at=AT))
    assert found.outcome == "supported"
    assert "31.4" in found.reason


def test_a_sentence_is_no_cell() -> None:
    found = decide(claim("the venue did 23.9% once", "Share", "Quartzline"), library((VENUES,), at=AT))
    assert found.outcome != "supported"


def test_the_passage_is_the_row() -> None:
    found = decide(claim("23.9%", "Venues", "Share", "Quartzline"), library((VENUES,), at=AT))
    assert [VENUES[each.start : each.end] for each in found.passages] == [
        each.quote for each in found.passages
    ]
    assert any("23.9%" in each.quote for each in found.passages)


LOCKED = (
    '[{"date":1751328000,"tvl":1491300000},{"date":1756684800,"tvl":1952700000},'
    '{"date":1761955200,"tvl":1574600000},{"date":1762905600,"tvl":1436400000}]'
)
LOCKED_ROWS = """# Value locked on Avalanche

| Date | TVL |
|---|---|
| 1 July 2025 | $1.49B |
| 1 November 2025 | $1.57B |
| 12 November 2025 | $1.44B |
"""


def locked(value: str, row: str, source: str, column: str = "TVL") -> str:
    url = "https://api.llama.fi/v2/historicalChainTvl/Avalanche"
    sources = library((source,), at=datetime(2025, 11, 12, tzinfo=UTC), url=url)
    return decide(claim(value, "Avalanche", column, row), sources).outcome


@pytest.mark.parametrize(
    ("value", "row", "source"),
    [
        ("$1.49B", "1 July 2025", LOCKED),
        ("$1.95B", "1 September 2025", LOCKED),
        ("$1.57B", "2025-11-01", LOCKED),
        ("$1.57B", "1 November 2025", LOCKED_ROWS),
    ],
)
def test_a_row_named_by_a_date_is_the_value_of_that_date(value: str, row: str, source: str) -> None:
    assert locked(value, row, source) == "supported"


@pytest.mark.parametrize(
    ("value", "row", "source"),
    [
        ("$1.44B", "1 November 2025", LOCKED),  # the value of eleven days later
        ("$1.49B", "1 September 2025", LOCKED),
        ("$1.57B", "1 November 2024", LOCKED),
        ("$1.44B", "1 November 2025", LOCKED_ROWS),
        ("$1.49B", "Q3 2024", LOCKED_ROWS),
        ("$1.57B", "12 November 2025", LOCKED_ROWS),
    ],
)
def test_the_value_of_another_date_is_not(value: str, row: str, source: str) -> None:
    assert locked(value, row, source) != "supported"


@pytest.mark.parametrize(
    ("heading", "verdict"),
    [("Results of Q3 2025", "supported"), ("Q2 2025", "other"), ("2024 in review", "other")],
)
def test_a_heading_with_a_date_says_when_a_claim_is_of(heading: str, verdict: str) -> None:
    sources = library(("Coinbase's revenue was $1.87 billion in Q3 2025.",), at=AT)
    found = decide(claim("Coinbase's revenue was $1.87 billion", heading), sources).outcome
    assert (found == "supported") is (verdict == "supported")
