"""The answers of the replica, in the form of Binance's REST API, version 3."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any
from urllib.parse import urlencode

from scripts.replicas.api_coingecko_com.coins import BY_ID, Coin
from scripts.replicas.common import Exchange

HOST = "https://data-api.binance.vision/api/v3"
NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
MIDNIGHT = NOW.replace(hour=0)
#: The coins of the demo have candles; all have a ticker.
CHARTED = {"bitcoin": "BTC", "ethereum": "ETH", "solana": "SOL", "chainlink": "LINK", "pepe": "PEPE"}
TRADED = CHARTED | {
    **{"ripple": "XRP", "binancecoin": "BNB", "usd-coin": "USDC", "dogecoin": "DOGE", "cardano": "ADA"},
    **{
        "avalanche-2": "AVAX",
        "sui": "SUI",
        "wrapped-bitcoin": "WBTC",
        "shiba-inu": "SHIB",
        "polkadot": "DOT",
    },
    **{"uniswap": "UNI", "aave": "AAVE", "near": "NEAR", "aptos": "APT", "aster-2": "ASTER"},
    **{"pyth-network": "PYTH", "celestia": "TIA", "linea": "LINEA", "kaito": "KAITO", "succinct": "PROVE"},
}
ROWS = 168
_HOURS = 200


def exchanges() -> Iterator[Exchange]:
    """Every exchange of the archive."""
    yield _exchange("/ticker/24hr", {}, [_ticker(BY_ID[each], base) for each, base in TRADED.items()])
    for each, base in TRADED.items():
        yield _exchange("/ticker/24hr", {"symbol": f"{base}USDT"}, _ticker(BY_ID[each], base))
    for each, base in CHARTED.items():
        for interval, end, rows in (("1d", MIDNIGHT, _days(BY_ID[each])), ("1h", NOW, _hours(BY_ID[each]))):
            query = {
                "symbol": f"{base}USDT",
                "interval": interval,
                "endTime": str(_ms(end) - 1),
                "limit": str(ROWS),
            }
            yield _exchange("/klines", query, rows[-ROWS:])


def _exchange(path: str, query: dict[str, str], data: Any) -> Exchange:
    address = f"{HOST}{path}" + (f"?{urlencode(query)}" if query else "")
    body = json.dumps(data, separators=(",", ":")).encode()
    return Exchange(address, body, "application/json;charset=UTF-8", recorded_at="2026-03-02T12:00:00Z")


def _ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def _text(value: float) -> str:
    return f"{value:.8f}"


def _at(coin: Coin, moment: datetime) -> float:
    """The price at a full hour: the replica of CoinGecko's at midnights and now, and a way between them."""
    before = NOW - timedelta(days=1)
    if moment >= NOW:
        return coin.price
    if moment == before:
        return coin.price / (1 + coin.change("24h") / 100)
    ago = (NOW.date() - moment.date()).days
    if moment.hour == 0:
        return coin.on(ago) if ago else (_at(coin, before) + coin.price) / 2
    fixed = [moment.replace(hour=0), moment.replace(hour=0) + timedelta(days=1), before, NOW]
    first = max(each for each in fixed if each <= moment)
    last = min(each for each in fixed if each > moment)
    way = (moment - first) / (last - first)
    wave = 1 + coin.spread(f"hour {moment:%m%d%H}", -0.004, 0.004)
    return (_at(coin, first) * (1 - way) + _at(coin, last) * way) * wave


@cache
def _hours(coin: Coin) -> list[list[Any]]:
    first = NOW - timedelta(hours=_HOURS)
    return [
        _candle(coin, first + timedelta(hours=place), timedelta(hours=1), 0.003) for place in range(_HOURS)
    ]


@cache
def _days(coin: Coin) -> list[list[Any]]:
    rows = []
    for ago in range(ROWS, 0, -1):
        row = _candle(coin, MIDNIGHT - timedelta(days=ago), timedelta(days=1), 0.02)
        within = [hour for hour in _hours(coin) if row[0] <= hour[0] < row[6]]
        if len(within) == 24:
            row[2] = max((hour[2] for hour in within), key=float)
            row[3] = min((hour[3] for hour in within), key=float)
            for place in (5, 7, 9, 10):
                row[place] = _text(sum(float(hour[place]) for hour in within))
            row[8] = sum(hour[8] for hour in within)
        rows.append(row)
    return rows


def _candle(coin: Coin, opened: datetime, length: timedelta, wide: float) -> list[Any]:
    closed = opened + length
    ends = _at(coin, opened), _at(coin, closed)
    key = f"{opened:%Y%m%d%H} {length}"
    traded = coin.volume * 0.1 * coin.spread(f"traded {key}", 0.6, 1.5) * (length / timedelta(days=1))
    volume = traded / (sum(ends) / 2)
    return [
        _ms(opened),
        _text(ends[0]),
        _text(max(ends) * (1 + coin.spread(f"high {key}", 0, wide))),
        _text(min(ends) * (1 - coin.spread(f"low {key}", 0, wide))),
        _text(ends[1]),
        _text(volume),
        _ms(closed) - 1,
        _text(traded),
        int(traded / 900) + 1,
        _text(volume * 0.49),
        _text(traded * 0.49),
        "0",
    ]


def _ticker(coin: Coin, base: str) -> dict[str, Any]:
    """The 24 hours before now; of the same hours as the candles."""
    day = _hours(coin)[-24:]
    first, last = float(day[0][1]), float(day[-1][4])
    volume, traded = (sum(float(hour[place]) for hour in day) for place in (5, 7))
    return {
        "symbol": f"{base}USDT",
        "priceChange": _text(last - first),
        "priceChangePercent": f"{100 * (last / first - 1):.3f}",
        "weightedAvgPrice": _text(traded / volume),
        "prevClosePrice": _text(first),
        "lastPrice": _text(last),
        "bidPrice": _text(last * 0.9999),
        "askPrice": _text(last * 1.0001),
        "openPrice": _text(first),
        "highPrice": max((hour[2] for hour in day), key=float),
        "lowPrice": min((hour[3] for hour in day), key=float),
        "volume": _text(volume),
        "quoteVolume": _text(traded),
        "openTime": _ms(NOW - timedelta(days=1)),
        "closeTime": _ms(NOW) - 1,
        "firstId": 1,
        "lastId": sum(hour[8] for hour in day),
        "count": sum(hour[8] for hour in day),
    }
