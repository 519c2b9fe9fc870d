"""What the rules make of queries: entities, tickers, times; and the times themselves."""

from __future__ import annotations

import csv
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kit.public import PUBLIC, needs_public
from verifaible.crypto.query import find_entities, find_periods, understand

TODAY = date(2026, 3, 4)  # a Wednesday
DATASET = PUBLIC / "cryptoanalystbench/dataset.csv"


def names(query: str, *kinds: str) -> list[str]:
    return [each.name for each in find_entities(query) if not kinds or each.kind in kinds]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("is it good to long $APT now?", ["Aptos"]),
        ("HYPE vs BTC", ["Hyperliquid", "Bitcoin"]),
        ("What is the TVL of Uniswap and Aave?", ["Uniswap", "Aave"]),
        ("near the end of the year, a link to one flow", []),
        ("How do I link my wallet?", []),
        ("yields on Base, in $link", ["Base", "Chainlink"]),
        ("以太坊和比特币的价格", ["Ethereum", "Bitcoin"]),
        ("Bitcoin (BTC) and bitcoin", ["Bitcoin"]),
        ("should i buy $swtch token?", ["SWTCH"]),
        ("TVL, APY, DEX, NFT, ETF, RSI and the SEC", []),
        ("WHAT IS GOING ON WITH EVERYTHING TODAY", []),
        ("a budget of $500, $1.5M or $20k", []),
    ],
)
def test_assets_by_the_table_of_names(query: str, expected: list[str]) -> None:
    assert names(query, "token") == expected


def test_addresses_accounts_links_and_venues() -> None:
    query = (
        "Is Lombard of James Wynn on Kraken? @0x_Samir says so at https://x.example/a, "
        "see 0xba5eD44733953d79717F6269357C77718C8Ba5ed."
    )
    found = {(each.kind, each.name) for each in find_entities(query)}
    assert ("account", "@0x_Samir") in found
    assert ("link", "https://x.example/a") in found
    assert ("address", "0xba5eD44733953d79717F6269357C77718C8Ba5ed") in found
    assert ("venue", "Kraken") in found


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("What is trending today?", "2026-03-04", "2026-03-04"),
        ("yesterday", "2026-03-03", "2026-03-03"),
        ("over the last 30 days", "2026-02-02", "2026-03-04"),
        ("in the past 7 days", "2026-02-25", "2026-03-04"),
        ("the past week", "2026-02-25", "2026-03-04"),
        ("over the past 6 months", "2025-09-05", "2026-03-04"),
        ("this week", "2026-03-02", "2026-03-04"),
        ("last week", "2026-02-23", "2026-03-01"),
        ("last month", "2026-02-01", "2026-02-28"),
        ("next quarter", "2026-04-01", "2026-06-30"),
        ("in Q4", "2026-10-01", "2026-12-31"),
        ("Q3 2025", "2025-07-01", "2025-09-30"),
        ("H1 2025", "2025-01-01", "2025-06-30"),
        ("YTD", "2026-01-01", "2026-03-04"),
        ("24h volume", "2026-03-03", "2026-03-04"),
        ("by end of this month", "None", "2026-03-31"),
        ("September\u202f2025", "2025-09-01", "2025-09-30"),
        ("on October 17, 2025", "2025-10-17", "2025-10-17"),
        ("过去30天", "2026-02-02", "2026-03-04"),
        ("今天", "2026-03-04", "2026-03-04"),
        ("지난 7일", "2026-02-25", "2026-03-04"),
    ],
)
def test_times_count_from_the_given_day(text: str, start: str, end: str) -> None:
    (period,) = find_periods(text, TODAY)
    assert (str(period.start), str(period.end)) == (start, end)


@pytest.mark.parametrize(
    "text", ["", "layer 2 TVL", "100M–1B", "10x long", "H4 chart", "the top 10", "last 99999 years"]
)
def test_what_is_no_time(text: str) -> None:
    assert find_periods(text, TODAY) == ()


@given(st.text(max_size=200))
def test_any_text_is_understood(text: str) -> None:
    understood = understand(text, TODAY)
    assert understood.query == text
    for entity in understood.entities:
        assert entity.written in " ".join(text.split())


@needs_public("cryptoanalystbench/dataset.csv")
def test_every_query_of_the_benchmark_is_understood() -> None:
    with DATASET.open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert len(rows) == 198
    for row in rows:
        assert understand(row["query"], TODAY, [row["tags"]]).category == row["tags"]
