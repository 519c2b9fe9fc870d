"""The data tools over the committed archives: what the model reads, what is sealed, and that both are one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.unit.crypto.working import offline_data, provider
from verifaible.evidence.sources import SourceTexts
from verifaible.schema.verdict import Passage
from verifaible.text.json_pointer import value_spans

CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("coingecko_price", {"coins": ["BTC", "$eth"]}),
    ("coingecko_price", {"coins": ["hyperliquid"]}),
    ("coingecko_coin", {"coin": "SOL"}),
    ("coingecko_markets", {"limit": 200}),
    ("coingecko_markets", {"order_by": "volume", "limit": 5}),
    ("coingecko_global", {}),
    ("coingecko_trending", {}),
    ("coingecko_search", {"query": "PROVE"}),
    ("defillama_protocols", {"chain": "base"}),
    ("defillama_protocol", {"protocol": "Uniswap V3"}),
    ("defillama_chains", {}),
    ("defillama_tvl", {"chain": "hyperliquid l1"}),
    ("defillama_tvl", {}),
    ("defillama_stablecoins", {}),
    ("defillama_yields", {"token": "usdc"}),
    ("defillama_dex_volumes", {"chain": "Solana"}),
    ("defillama_fees", {"kind": "revenue"}),
)


def shown_values(text: str) -> dict[str, str]:
    """Pointer to what stands beside it, of every cell of every table, and of every fact."""
    found: dict[str, str] = {}
    heads: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("|") else []
        if cells and cells[0] == "row":
            heads = [re.sub(r" \(.*\)$", "", cell) for cell in cells[1:]]
        elif cells and cells[0].startswith("/"):
            found |= {f"{cells[0]}/{head}": cell for head, cell in zip(heads, cells[1:], strict=True)}
        elif match := re.fullmatch(
            r"(/\S*): (.*?)(?: \((?:USD|per cent|USD, 24h|seconds since 1970)\))?", line
        ):
            found[match[1]] = match[2]
    return found


@pytest.mark.parametrize(("name", "arguments"), CALLS, ids=lambda each: str(each)[:40])
async def test_every_number_shown_stands_at_its_pointer_in_the_capture(
    name: str, arguments: dict[str, Any], tmp_path: Path
) -> None:
    data = offline_data(tmp_path)
    reply = await data(name, **arguments)
    assert not reply.error_code, reply.text
    assert "[src_1]" in reply.text
    (source,) = data.book.sources
    assert source.kind == "api"
    texts = SourceTexts(data.store)
    raw = texts.text(source)
    spans = value_spans(raw)
    numbers = 0
    for pointer, value in shown_values(reply.text).items():
        if pointer.endswith("/day") or not re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?", value):
            continue
        start, end = spans[pointer]
        assert raw[start:end] == value
        numbers += 1
        passage = Passage(
            source=source.id,
            capture=source.capture,
            file=source.file,
            start=start,
            end=end,
            quote=value,
            pointer=pointer,
        )
        assert texts.holds(passage)
    assert numbers >= 1


async def test_history_shows_the_points_of_the_capture(tmp_path: Path) -> None:
    data = offline_data(tmp_path)
    reply = await data("coingecko_history", coin="Bitcoin", start="2026-02-01", end="2026-02-15")
    raw = SourceTexts(data.store).data(data.book.sources[0])
    assert isinstance(raw, dict)
    prices = raw["prices"]
    assert isinstance(prices, list)
    rows = re.findall(r"^\| (\d+) \| (\S+) \| (\S+) \|", reply.text, re.MULTILINE)
    assert [row[1] for row in rows] == [f"2026-02-{day:02}" for day in range(1, 17)]
    for place, _, price in rows:
        point = prices[int(place)]
        assert isinstance(point, list)
        assert str(point[1]) == price


async def test_series_of_a_history_are_joined_by_time(tmp_path: Path) -> None:
    """One series lacks a day and another has a second value of one: no value moves to another day."""
    days = [1_771_545_600_000 + number * 86_400_000 for number in range(5)]
    caps = [[day, 10.0 + number] for number, day in enumerate(days) if number != 1]
    sums = [[day, 20.0 + number] for number, day in enumerate(days)]
    sums.insert(2, [days[1] + 3_600_000, 99.0])
    prices = [[day, 1.0 + number] for number, day in enumerate(days)]
    history = {"prices": prices, "market_caps": caps, "total_volumes": sums}

    def answer(path: str) -> tuple[int, dict[str, str], str]:
        return (200, {}, json.dumps(history)) if "market_chart" in path else (404, {}, "{}")

    with provider(answer, tmp_path) as data:
        reply = await data("coingecko_history", coin="BTC", days=5)
        assert not reply.error_code, reply.text
        rows = re.findall(r"^\| (\d) \| \S+ \| (\S+) \| ([^|]*) \| ([^|]*) \|$", reply.text, re.MULTILINE)
        assert [(row[1], row[2].split(" ")[0], row[3].split(" ")[0]) for row in rows] == [
            ("1.0", "10.0", "20.0"),
            ("2.0", "", "21.0"),
            ("3.0", "12.0", "22.0"),
            ("4.0", "13.0", "23.0"),
            ("5.0", "14.0", "24.0"),
        ]
        shown = {point.pointer: str(point.value) for point in data.api.points if "caps" in point.pointer}
    assert shown["/market_caps/1/1"] == "12.0"


async def test_capture_is_the_whole_answer_to_the_byte(tmp_path: Path) -> None:
    data = offline_data(tmp_path)
    reply = await data("coingecko_markets", limit=2)
    answer = await data.api.get("CoinGecko", data.book.sources[0].url)
    assert SourceTexts(data.store).text(data.book.sources[0]).encode() == answer.body
    assert reply.text.count("| /") == 2
    assert "2 of 28 rows are shown; the source holds all" in reply.text


async def test_reply_says_mark_time_and_that_it_is_synthetic(tmp_path: Path) -> None:
    data = offline_data(tmp_path)
    reply = await data("coingecko_coin", coin="hype")
    assert "Write [src_1] behind each claim" in reply.text
    assert re.search(
        r"stated by the source: 2026-03-02 08:0\d UTC; received 2026-03-02 08:04 UTC", reply.text
    )
    assert "synthetic" in reply.text
    assert "replica" in data.book.sources[0].title
    assert "old. Say their date" not in reply.text


async def test_time_context_adds_the_age_of_the_data(tmp_path: Path) -> None:
    data = offline_data(tmp_path, time_context=True)
    reply = await data("defillama_tvl", chain="Solana")
    assert "now is 2026-03-02 12:00 UTC; the data of src_1 are 12 hours old" in reply.text


async def test_same_answer_has_one_mark_and_one_capture(tmp_path: Path) -> None:
    data = offline_data(tmp_path)
    await data("coingecko_markets", limit=2)
    second = await data("coingecko_markets", order_by="gain_24h", limit=3)
    assert len(data.book.sources) == 1
    assert "[src_1]" in second.text
    assert data.book.shown["src_1"] == SourceTexts(data.store).text(data.book.sources[0])


async def test_coins_that_were_recorded_apart_come_apart(tmp_path: Path) -> None:
    data = offline_data(tmp_path)
    reply = await data("coingecko_price", coins=["bitcoin", "monad", "pepe"])
    assert [source.id for source in data.book.sources] == ["src_1", "src_2", "src_3"]
    assert all(f"[{source.id}]" in reply.text for source in data.book.sources)


async def test_filters_and_orders_of_the_markets(tmp_path: Path) -> None:
    data = offline_data(tmp_path)
    reply = await data(
        "coingecko_markets",
        min_market_cap=100_000_000,
        max_market_cap=10_000_000_000,
        min_change_24h=1,
        order_by="gain_24h",
    )
    values = shown_values(reply.text)
    changes = [
        float(value) for name, value in values.items() if name.endswith("/price_change_percentage_24h")
    ]
    caps = [float(value) for name, value in values.items() if name.endswith("/market_cap")]
    assert changes == sorted(changes, reverse=True)
    assert min(changes) >= 1
    assert 1e8 <= min(caps) <= max(caps) <= 1e10


async def test_near_all_time_high_is_a_distance_below_it(tmp_path: Path) -> None:
    data = offline_data(tmp_path)
    reply = await data("coingecko_markets", near_ath=40)
    below = [float(value) for name, value in shown_values(reply.text).items() if "ath_change" in name]
    assert below
    assert min(below) >= -40


async def test_ticker_of_two_coins_takes_the_far_larger_and_says_so(tmp_path: Path) -> None:
    reply = await offline_data(tmp_path)("coingecko_coin", coin="SOL")
    assert "Taken for Solana (coingecko:solana, SOL, rank 6," in reply.text
    assert "SOL (Wormhole) (coingecko:solana-wormhole, SOL, unranked" in reply.text


@pytest.mark.parametrize(
    ("name", "arguments", "code", "said"),
    [
        (
            "coingecko_price",
            {"coins": ["hyperliqid"]},
            "bad_arguments",
            "Nearest: Hyperliquid (coingecko:hyperliquid, HYPE",
        ),
        ("coingecko_coin", {"coin": "nosuchcoin"}, "bad_arguments", "Its search finds nothing like it"),
        (
            "coingecko_history",
            {"coin": "BTC", "days": 91},
            "offline_miss",
            "market_chart?vs_currency=usd&days=91",
        ),
        (
            "coingecko_history",
            {"coin": "BTC", "start": "2026-01-01"},
            "bad_arguments",
            "start and end go together",
        ),
        ("coingecko_markets", {"min_market_cap": 1e15}, "bad_arguments", "Widen the filters"),
        ("defillama_protocol", {"protocol": "unisap v3"}, "bad_arguments", "Nearest: Uniswap V3"),
        ("defillama_protocols", {"category": "Lendng"}, "bad_arguments", "Nearest: Lending"),
        ("defillama_chains", {"chains": ["Solanna"]}, "bad_arguments", "Nearest: Solana"),
        ("defillama_yields", {"token": "NOPE"}, "bad_arguments", "nothing that fits all of it"),
        ("defillama_dex_volumes", {"chain": "Tron"}, "offline_miss", "/overview/dexs/Tron"),
    ],
)
async def test_what_cannot_be_given_is_refused_with_a_way_on(
    name: str, arguments: dict[str, Any], code: str, said: str, tmp_path: Path
) -> None:
    data = offline_data(tmp_path)
    reply = await data(name, **arguments)
    assert reply.error_code == code
    assert said in reply.text
    assert data.book.sources == ()
