"""The market tools: what they show stands in what is sealed, fall-backs are said, and nothing is of later."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.kit.marks import nightly
from tests.unit.crypto.working import NOW, Answer, offline_data, provider
from verifaible.crypto.providers.candles import INTERVALS, candles
from verifaible.crypto.providers.endpoint import Places
from verifaible.errors import AmbiguousAsset, BadArguments, DataNotAvailable, OfflineMiss, WrongContent
from verifaible.evidence.computation import read_data, values_at
from verifaible.evidence.sources import SourceTexts


async def test_price_has_change_high_low_and_volume_with_their_units(tmp_path: Path) -> None:
    data = offline_data(tmp_path)
    reply = await data("realTimeMarketInfoTool", symbol="$btc")
    found = {(point.field, point.unit): point.value for point in data.api.points}
    assert found["price", "USDT"] == Decimal("84210")
    assert {"change_24h", "high_24h", "low_24h", "volume_24h"} <= {field for field, _ in found}
    assert found["low_24h", "USDT"] <= found["price", "USDT"] <= found["high_24h", "USDT"]
    assert "BTCUSDT at Binance" in reply.text
    assert {point.at for point in data.api.points} == {NOW - timedelta(milliseconds=1)}


async def test_coin_without_a_market_at_binance_comes_from_coingecko_which_is_said(tmp_path: Path) -> None:
    data = offline_data(tmp_path)
    reply = await data("realTimeMarketInfoTool", symbol="HYPE")
    assert "Order of providers: Binance, then CoinGecko" in reply.text
    assert {point.asset for point in data.api.points} == {"HYPE"}


async def test_live_search_adds_the_namesakes_that_the_table_lacks(tmp_path: Path) -> None:
    rows = [
        {"id": "pepe", "symbol": "PEPE", "name": "Pepe", "market_cap_rank": 40},
        {"id": "pepe-x", "symbol": "PEPE", "name": "Pepe X", "market_cap_rank": 90},
    ]
    with provider(lambda path: (200, {}, json.dumps({"coins": rows})), tmp_path) as data:
        reply = await data("realTimeMarketInfoTool", symbol="PEPE")
    assert reply.error_code == AmbiguousAsset.code
    assert "coingecko:pepe-x" in reply.text


@pytest.mark.parametrize(
    ("status", "said"),
    [(451, "does not serve the country"), (418, "shut this address out"), (429, "429"), (500, "500")],
)
async def test_refusal_of_binance_is_named_and_coingecko_is_asked(
    status: int, said: str, tmp_path: Path
) -> None:
    def answer(path: str) -> Answer:
        if "/binance" in path:
            return status, {}, "{}"
        if "/search" in path:
            return 200, {}, '{"coins": []}'
        return 200, {}, '{"bitcoin": {"usd": 84210.5, "last_updated_at": 1772438400}}'

    with provider(answer, tmp_path) as data:
        reply = await data("realTimeMarketInfoTool", symbol="BTC")
    assert not reply.error_code
    assert said in reply.text
    assert "84210.5" in reply.text


async def test_ranking_has_liquid_markets_only_in_order_and_states_the_threshold(tmp_path: Path) -> None:
    rows = [
        {
            "symbol": f"C{number}{quote}",
            "priceChangePercent": str(change),
            "lastPrice": "1",
            "quoteVolume": str(volume),
            "closeTime": 1772452799999,
        }
        for number, (quote, change, volume) in enumerate(
            [
                ("USDT", 3, 2e6), ("USDT", 900, 999_999), ("USDT", 12, 1e6), ("BTC", 50, 1e9),
                ("USDT", -4, 5e6), ("USDT", -90, 10), ("USDT", -7, 3e6), ("USDT", 0, 3e6),
            ]
        )
    ]  # fmt: skip
    with provider(lambda path: (200, {}, json.dumps(rows)), tmp_path) as data:
        reply = await data("cryptoPriceGainersRankingTool", top_n=2)
    gained, _, lost = reply.text.partition("Losers:")
    assert re.findall(r"\| (C\d)USDT", gained) == ["C2", "C0"]
    assert re.findall(r"\| (C\d)USDT", lost) == ["C6", "C4"]
    assert "at least 1,000,000 USDT" in reply.text
    assert (reply.displays[0].kind, reply.displays[0].sources) == ("table", ("src_1",))
    changes = [point.value for point in data.api.points if point.field == "change_24h"]
    assert changes == [12, 3, -7, -4]


async def test_candles_are_closed_evenly_spaced_and_coherent(tmp_path: Path) -> None:
    data = offline_data(tmp_path)
    days = await candles(data.api, Places(), "ETH", 120, "1d")
    hours = await candles(data.api, Places(), "ETH", 7, "1h")
    assert (len(days.rows), len(hours.rows)) == (120, 168)
    assert days.rows[-1].closed_at < NOW.replace(hour=0)
    assert hours.rows[-1].closed_at == NOW - timedelta(milliseconds=1)
    for found in (days, hours):
        for row, following in zip(found.rows, found.rows[1:], strict=False):
            assert following.opened_at - row.closed_at == timedelta(milliseconds=1)
        for row in found.rows:
            assert row.low <= min(row.open, row.close) <= max(row.open, row.close) <= row.high
        for point in found.points():
            assert values_at(read_data(found.answer.body.decode()), point.pointer) == (point.value,)
    last = days.rows[-1]
    within = [row for row in hours.rows if last.opened_at <= row.opened_at < last.closed_at]
    assert last.high == max(row.high for row in within)


async def test_candles_of_another_time_are_not_in_the_archive(tmp_path: Path) -> None:
    data = offline_data(tmp_path, as_of=NOW - timedelta(days=3))
    with pytest.raises(OfflineMiss):
        await candles(data.api, Places(), "ETH", 30, "1d")


@pytest.mark.parametrize(
    ("days", "interval", "said"), [(90, "7h", "1h, 2h"), (90, "1M", "1d"), (90, "1h", "at most 1000")]
)
async def test_candles_that_cannot_be_had_are_refused_with_a_way_on(
    days: int, interval: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(BadArguments, match=said):
        await candles(offline_data(tmp_path).api, Places(), "BTC", days, interval)


#: A value says of which minute it is: 7, the minutes since 2026 in six digits, .5
START = datetime(2026, 1, 1, tzinfo=UTC)


def value(at: datetime) -> str:
    return f"7{max(0, int((at - START).total_seconds() // 60)):06d}.5"


def ms(at: datetime) -> int:
    return int(at.timestamp() * 1000)


def provider_of(obeys: bool) -> Callable[[str], Answer]:
    """A provider that has everything up to ``NOW``; one that does not obey gives it whatever the bounds are."""

    def times(first: datetime, last: datetime, step: timedelta) -> list[datetime]:
        return [first + step * each for each in range(int((last - first) / step) + 1)]

    def answer(path: str) -> Answer:
        parts = urlsplit(path)
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path.endswith("/klines"):
            length = timedelta(minutes=INTERVALS[asked["interval"]])
            end = datetime.fromtimestamp(int(asked["endTime"]) / 1000, UTC) if obeys else NOW
            first = datetime(1970, 1, 5, tzinfo=UTC)
            opened = first + (end - first) // length * length
            rows = [
                [
                    ms(at),
                    value(at),
                    value(at + length),
                    value(at),
                    value(at + length),
                    "5",
                    ms(at + length) - 1,
                ]
                for at in times(opened - length * (int(asked["limit"]) - 1), opened, length)
            ]
            return 200, {}, json.dumps(rows)
        if parts.path.endswith("/market_chart/range"):
            begun, end = (datetime.fromtimestamp(int(asked[name]), UTC) for name in ("from", "to"))
            found = times(begun, end if obeys else NOW, timedelta(hours=1))
            series = ",".join(f"[{ms(at)},{value(at)}]" for at in found)
            return 200, {}, f'{{"prices":[{series}],"market_caps":[{series}],"total_volumes":[{series}]}}'
        live = {"coins": [], "bitcoin": {"usd": 1}, "id": "bitcoin", "data": {}, "lastPrice": value(NOW)}
        return 200, {}, json.dumps([live] if parts.path.endswith("/markets") else live)

    return answer


def later(text: str, as_of: datetime) -> list[str]:
    """What in a text is of a time after ``as_of``: values, and times in milliseconds."""
    minute = int((as_of - START).total_seconds() // 60)
    values = [found for found in re.findall(r"\b7(\d{6})\.5", text) if int(found) > minute]
    return values + [found for found in re.findall(r"\b17\d{11}\b", text) if int(found) > ms(as_of)]


@pytest.mark.slow
@pytest.mark.parametrize("runs", [5, nightly(50)])
@pytest.mark.parametrize("obeys", [True, False], ids=["bounded", "unbounded"])
async def test_nothing_later_is_shown_or_sealed(obeys: bool, runs: int, tmp_path: Path) -> None:
    draw = random.Random(20)
    shown = refused = 0
    for run in range(runs):
        as_of = NOW - timedelta(seconds=draw.randint(1, 40 * 86400))
        day = str((as_of - timedelta(days=3)).date())
        calls: list[tuple[str, dict[str, Any]]] = [
            ("realTimeMarketInfoTool", {"symbol": draw.choice(["BTC", "ethereum", "HYPE"])}),
            ("cryptoPriceGainersRankingTool", {}),
            ("popularCryptocurrencyTool", {}),
            ("coingecko_price", {"coins": ["BTC"]}),
            ("coingecko_coin", {"coin": "BTC"}),
            ("coingecko_markets", {}),
            ("coingecko_global", {}),
            ("coingecko_trending", {}),
            ("coingecko_search", {"query": "BTC"}),
            ("defillama_tvl", {}),
            ("defillama_protocol", {"protocol": "aave"}),
            ("coingecko_history", {"coin": "BTC", "days": draw.randint(1, 30)}),
            ("coingecko_history", {"coin": "BTC", "start": day, "end": str(NOW.date())}),
        ]
        with provider(provider_of(obeys), tmp_path / str(run), as_of=as_of) as data:
            replies = [await data(name, **arguments) for name, arguments in calls]
            interval = draw.choice(list(INTERVALS)[1:])
            try:
                found = await candles(data.api, data.endpoints, "BTC", 1, interval)
                replies.append(await data.api.reply(found.answer, "candles", "", points=found.points()))
            except (WrongContent, DataNotAvailable):
                refused += 1
        said = [reply.text for reply in replies]
        sealed = [SourceTexts(data.store).text(source) for source in data.book.sources]
        assert [each for text in (*said, *sealed) for each in later(text, as_of)] == []
        assert [point for point in data.api.points if later(str(point.value), as_of)] == []
        assert all(value.at is None or value.at <= as_of for value in (*data.api.points, *data.api.computed))
        shown += len(data.api.points)
        refused += sum(reply.error_code in ("data_not_available", "wrong_content") for reply in replies)
    print(f"{shown} values shown, {refused} calls refused")
    assert refused > 6 * runs
    assert (shown > 60 * runs) is obeys
