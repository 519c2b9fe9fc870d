"""The answers of the replica, in the form of CoinGecko's public API, version 3."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from scripts.replicas.api_coingecko_com.coins import BY_ID, COINS, NAMESAKES, NOW, RANK, RANKED, Coin
from scripts.replicas.api_coingecko_com.hours import LAST_BLOCK, chart
from scripts.replicas.common import Exchange

HOST = "https://api.coingecko.com/api/v3"
RECORDED_AT = "2026-03-02T08:04:00Z"
_TRENDING = ("hyperliquid", "monad", "aster-2", "pepe", "kaito", "succinct", "sui")
_DETAILED = (
    *("bitcoin", "ethereum", "solana", "hyperliquid", "uniswap", "aave", "monad", "dogecoin", "cardano"),
    *("aster-2", "linea", "binancecoin", "chainlink", "pepe"),
)
#: The contracts of tokens on Ethereum.
CONTRACTS = {
    "chainlink": "0x514910771AF9Ca656af840dff83E8264EcF986CA",
    "pepe": "0x6982508145454Ce325dDbE47a25d4ec3d2311933",
}
_HISTORIES = {
    7: ("bitcoin", "ethereum", "solana", "succinct"),
    30: ("bitcoin", "ethereum", "solana", "hyperliquid"),
}
_PAIRS = (
    ("bitcoin", "ethereum"),
    ("ethereum", "solana"),
    ("dogecoin", "shiba-inu"),
    ("aster-2", "hyperliquid"),
)
#: What people call a coin besides its id, ticker and name.
_ALSO = {"ether": "ethereum", "ripple": "ripple", "avalanche": "avalanche-2", "near protocol": "near"}


def exchanges() -> Iterator[Exchange]:
    """Every exchange of the archive."""
    yield _exchange("/global", {}, _global())
    yield _exchange("/search/trending", {}, _trending())
    for order in ("market_cap_desc", "volume_desc"):
        query = {
            "vs_currency": "usd",
            "order": order,
            "per_page": "250",
            "page": "1",
            "sparkline": "false",
            "price_change_percentage": "1h,24h,7d,30d",
        }
        key = (lambda coin: -coin.volume) if order == "volume_desc" else (lambda coin: -coin.cap)
        yield _exchange("/coins/markets", query, [_market(coin) for coin in sorted(RANKED, key=key)])
    words = sorted(
        {word for coin in COINS for word in (coin.id, coin.symbol, coin.name.lower())} | set(_ALSO)
    )
    for word in words:
        yield _exchange("/search", {"query": word}, _search(word))
    yield _exchange("/search", {"query": "hyperliqid"}, _found([BY_ID["hyperliquid"]]))
    yield _exchange("/search", {"query": "nosuchcoin"}, _found([]))
    for ids in (*((coin.id,) for coin in COINS), *_PAIRS):
        yield _exchange("/simple/price", _price_query(ids), {each: _price(BY_ID[each]) for each in ids})
    for each in _DETAILED:
        query = {
            "localization": "false",
            "tickers": "false",
            "market_data": "true",
            "community_data": "false",
            "developer_data": "false",
            "sparkline": "false",
        }
        yield _exchange(f"/coins/{each}", query, _details(BY_ID[each]))
    for days, names in _HISTORIES.items():
        for each in names:
            query = {"vs_currency": "usd", "days": str(days), "interval": "daily"}
            yield _exchange(f"/coins/{each}/market_chart", query, _chart(BY_ID[each], days, 0))
    # the range from 2026-02-01 to 2026-02-15, both days included
    query = {"vs_currency": "usd", "from": "1769904000", "to": "1771200000"}
    yield _exchange("/coins/bitcoin/market_chart/range", query, _chart(BY_ID["bitcoin"], 29, 14))
    # two days to the last block of the replica of Ethereum, for the values of its transfers
    end = int(LAST_BLOCK.timestamp())
    for each in (*CONTRACTS, "ethereum"):
        query = {"vs_currency": "usd", "from": str(end - 2 * 86_400), "to": str(end)}
        yield _exchange(f"/coins/{each}/market_chart/range", query, chart(BY_ID[each], end - 2 * 86_400, end))


def _exchange(path: str, query: dict[str, str], data: Any) -> Exchange:
    address = f"{HOST}{path}" + (f"?{urlencode(query, safe=',')}" if query else "")
    body = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
    return Exchange(address, body, "application/json; charset=utf-8", recorded_at=RECORDED_AT)


def _iso(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def _updated(coin: Coin) -> datetime:
    return NOW + timedelta(seconds=int(coin.spread("updated", 0, 200)))


def _high_date(coin: Coin) -> str:
    return _iso(NOW - timedelta(days=int(coin.spread("high", 150, 1500))))


def _search(word: str) -> dict[str, Any]:
    exact = [coin for coin in RANKED if word in (coin.id, coin.symbol, coin.name.lower())]
    also = [BY_ID[_ALSO[word]]] if word in _ALSO else []
    near = [coin for coin in RANKED if len(word) > 3 and word in coin.name.lower()]
    found = _found(list(dict.fromkeys([*exact, *also, *near])))
    found["coins"] += [row for row in NAMESAKES if word == str(row["symbol"]).lower()]
    return found


def _found(coins: list[Coin]) -> dict[str, Any]:
    rows = [
        {
            "id": coin.id,
            "name": coin.name,
            "api_symbol": coin.id,
            "symbol": coin.symbol.upper(),
            "market_cap_rank": RANK[coin.id],
        }
        for coin in coins
    ]
    return {"coins": rows, "exchanges": [], "icos": [], "categories": [], "nfts": []}


def _price_query(ids: tuple[str, ...]) -> dict[str, str]:
    return {
        "ids": ",".join(ids),
        "vs_currencies": "usd",
        "include_market_cap": "true",
        "include_24hr_vol": "true",
        "include_24hr_change": "true",
        "include_last_updated_at": "true",
    }


def _price(coin: Coin) -> dict[str, Any]:
    return {
        "usd": coin.price,
        "usd_market_cap": coin.cap,
        "usd_24h_vol": coin.volume,
        "usd_24h_change": coin.change("24h"),
        "last_updated_at": int(_updated(coin).timestamp()),
    }


def _market(coin: Coin) -> dict[str, Any]:
    return {
        "id": coin.id,
        "symbol": coin.symbol,
        "name": coin.name,
        "current_price": coin.price,
        "market_cap": coin.cap,
        "market_cap_rank": RANK[coin.id],
        "fully_diluted_valuation": round(coin.price * coin.total),
        "total_volume": coin.volume,
        "price_change_percentage_24h": coin.change("24h"),
        "circulating_supply": coin.supply,
        "total_supply": coin.total,
        "max_supply": coin.maximum,
        "ath": coin.high,
        "ath_change_percentage": round(100 * (coin.price / coin.high - 1), 5),
        "ath_date": _high_date(coin),
        "last_updated": _iso(_updated(coin)),
        **{f"price_change_percentage_{each}_in_currency": coin.change(each) for each in ("1h", "7d", "30d")},
    }


def _details(coin: Coin) -> dict[str, Any]:
    low = float(f"{coin.price * coin.spread('low', 0.001, 0.3):.4g}")
    changes = ("24h", "7d", "14d", "30d", "60d", "200d", "1y")
    return {
        "id": coin.id,
        "symbol": coin.symbol,
        "name": coin.name,
        "categories": [each for each in coin.categories if not each.islower()],
        "description": {"en": f"{coin.name} in a replica: every figure here is made up."},
        "platforms": {"ethereum": CONTRACTS[coin.id]} if coin.id in CONTRACTS else {"": ""},
        "links": {"homepage": [f"https://{coin.id}.example/"], "whitepaper": ""},
        "genesis_date": coin.genesis,
        "sentiment_votes_up_percentage": round(coin.spread("mood", 40, 95), 2),
        "market_cap_rank": RANK[coin.id],
        "market_data": {
            "current_price": {"usd": coin.price},
            "market_cap": {"usd": coin.cap},
            "fully_diluted_valuation": {"usd": round(coin.price * coin.total)},
            "total_volume": {"usd": coin.volume},
            "high_24h": {"usd": float(f"{coin.price * 1.031:.6g}")},
            "low_24h": {"usd": float(f"{coin.price * 0.977:.6g}")},
            "ath": {"usd": coin.high},
            "ath_change_percentage": {"usd": round(100 * (coin.price / coin.high - 1), 5)},
            "ath_date": {"usd": _high_date(coin)},
            "atl": {"usd": low},
            "atl_date": {"usd": _iso(NOW - timedelta(days=int(coin.spread("low day", 400, 2000))))},
            **{f"price_change_percentage_{each}": coin.change(each) for each in changes},
            "circulating_supply": coin.supply,
            "total_supply": coin.total,
            "max_supply": coin.maximum,
            "last_updated": _iso(_updated(coin)),
        },
        "last_updated": _iso(_updated(coin)),
    }


def _chart(coin: Coin, first: int, last: int) -> dict[str, Any]:
    """Daily values from ``first`` to ``last`` days ago, at midnight but for the last, which is now."""
    days = range(first, last - 1, -1)
    midnight = NOW.replace(hour=0)
    stamps = [
        int((midnight - timedelta(days=ago)).timestamp() * 1000) if ago else int(NOW.timestamp() * 1000)
        for ago in days
    ]
    prices = [coin.on(ago) for ago in days]
    return {
        "prices": [list(pair) for pair in zip(stamps, prices, strict=True)],
        "market_caps": [
            [stamp, round(price * coin.supply)] for stamp, price in zip(stamps, prices, strict=True)
        ],
        "total_volumes": [
            [stamp, round(coin.volume * coin.spread(f"volume {ago}", 0.6, 1.5))]
            for stamp, ago in zip(stamps, days, strict=True)
        ],
    }


def _global() -> dict[str, Any]:
    cap = round(sum(coin.cap for coin in COINS) * 1.14)
    shares = {coin.symbol: round(100 * coin.cap / cap, 4) for coin in RANKED[:10]}
    return {
        "data": {
            "active_cryptocurrencies": 18_412,
            "upcoming_icos": 0,
            "ongoing_icos": 49,
            "ended_icos": 3376,
            "markets": 1_463,
            "total_market_cap": {"usd": cap},
            "total_volume": {"usd": round(sum(coin.volume for coin in COINS) * 1.2)},
            "market_cap_percentage": shares,
            "market_cap_change_percentage_24h_usd": -1.27341,
            "updated_at": int(NOW.timestamp()),
        }
    }


def _trending() -> dict[str, Any]:
    rows = []
    for score, each in enumerate(_TRENDING):
        coin = BY_ID[each]
        item = {
            "id": coin.id,
            "name": coin.name,
            "symbol": coin.symbol.upper(),
            "market_cap_rank": RANK[coin.id],
            "slug": coin.id,
            "score": score,
            "data": {
                "price": coin.price,
                "price_change_percentage_24h": {"usd": coin.change("24h")},
                "market_cap": f"${coin.cap:,.0f}",
                "total_volume": f"${coin.volume:,.0f}",
            },
        }
        rows.append({"item": item})
    names = (("Derivatives", 1.82), ("Layer 1 (L1)", -0.37), ("Artificial Intelligence (AI)", 0.94))
    return {
        "coins": rows,
        "nfts": [],
        "categories": [
            {"id": place, "name": name, "market_cap_1h_change": change}
            for place, (name, change) in enumerate(names, 1)
        ],
    }
