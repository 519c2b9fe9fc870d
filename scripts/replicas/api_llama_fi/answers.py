"""The answers of the replica, in the form of DefiLlama's public APIs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import quote

from scripts.replicas.common import Exchange

MAIN = "https://api.llama.fi"
STABLECOINS = "https://stablecoins.llama.fi"
YIELDS = "https://yields.llama.fi"
RECORDED_AT = "2026-03-02T08:06:00Z"
_TODAY = datetime(2026, 3, 2, tzinfo=UTC)
_CHARTS = "?excludeTotalDataChart=true&excludeTotalDataChartBreakdown=true"

#: Chain, ticker, made-up TVL in US dollars.
_CHAINS = (
    ("Ethereum", "ETH", 61_400_000_000),
    ("Solana", "SOL", 7_940_000_000),
    ("BSC", "BNB", 6_380_000_000),
    ("Bitcoin", "BTC", 5_710_000_000),
    ("Tron", "TRX", 4_260_000_000),
    ("Base", None, 4_120_000_000),
    ("Arbitrum", "ARB", 2_730_000_000),
    ("Hyperliquid L1", "HYPE", 1_870_000_000),
    ("Avalanche", "AVAX", 1_190_000_000),
    ("Polygon", "POL", 1_080_000_000),
    ("Sui", "SUI", 874_000_000),
    ("Monad", "MON", 241_000_000),
    ("Linea", "LINEA", 187_000_000),
    ("Near", "NEAR", 132_000_000),
)


class _Protocol(NamedTuple):
    """A protocol: its TVL in US dollars and the share of that on each chain, how much of it is traded in a
    day, and a day's fees in millionths of it; all made up."""

    slug: str
    name: str
    ticker: str
    category: str
    shares: dict[str, float]
    tvl: float
    traded: float
    fees: float


_PROTOCOLS = (
    _Protocol("lido", "Lido", "LDO", "Liquid Staking", {"Ethereum": 1.0}, 24_300_000_000, 0, 72),
    _Protocol(
        "aave-v3",
        "Aave V3",
        "AAVE",
        "Lending",
        {"Ethereum": 0.82, "Base": 0.05, "Arbitrum": 0.07, "Avalanche": 0.06},
        27_800_000_000,
        0,
        61,
    ),
    _Protocol("eigenlayer", "EigenLayer", "EIGEN", "Restaking", {"Ethereum": 1.0}, 9_120_000_000, 0, 12),
    _Protocol(
        "morpho-blue",
        "Morpho Blue",
        "MORPHO",
        "Lending",
        {"Ethereum": 0.6, "Base": 0.4},
        6_940_000_000,
        0,
        58,
    ),
    _Protocol("jito", "Jito", "JTO", "Liquid Staking", {"Solana": 1.0}, 1_820_000_000, 0, 160),
    _Protocol("kamino-lend", "Kamino Lend", "KMNO", "Lending", {"Solana": 1.0}, 2_050_000_000, 0, 66),
    _Protocol(
        "uniswap-v3",
        "Uniswap V3",
        "UNI",
        "Dexs",
        {"Ethereum": 0.7, "Base": 0.18, "Arbitrum": 0.12},
        2_310_000_000,
        0.61,
        540,
    ),
    _Protocol("raydium", "Raydium", "RAY", "Dexs", {"Solana": 1.0}, 1_240_000_000, 0.72, 610),
    _Protocol(
        "pancakeswap-amm-v3",
        "PancakeSwap AMM V3",
        "CAKE",
        "Dexs",
        {"BSC": 0.9, "Base": 0.1},
        912_000_000,
        1.3,
        830,
    ),
    _Protocol("aerodrome", "Aerodrome", "AERO", "Dexs", {"Base": 1.0}, 431_000_000, 1.1, 720),
    _Protocol(
        "curve-dex", "Curve DEX", "CRV", "Dexs", {"Ethereum": 0.9, "Arbitrum": 0.1}, 1_910_000_000, 0.09, 60
    ),
    _Protocol(
        "hyperliquid-hlp",
        "Hyperliquid HLP",
        "HYPE",
        "Derivatives",
        {"Hyperliquid L1": 1.0},
        402_000_000,
        0,
        5_200,
    ),
    _Protocol("venus-core-pool", "Venus Core Pool", "XVS", "Lending", {"BSC": 1.0}, 1_410_000_000, 0, 41),
    _Protocol("cetus-amm", "Cetus AMM", "CETUS", "Dexs", {"Sui": 1.0}, 96_000_000, 0.9, 640),
    _Protocol("suilend", "Suilend", "SEND", "Lending", {"Sui": 1.0}, 318_000_000, 0, 52),
    _Protocol("ref-finance", "Rhea Finance", "RHEA", "Dexs", {"Near": 1.0}, 61_000_000, 0.16, 180),
)
_HISTORIES = ("Ethereum", "Solana", "Base", "Hyperliquid L1")
_DETAILED = ("aave-v3", "uniswap-v3", "lido", "raydium", "hyperliquid-hlp")
_OVERVIEWS = ("", "Ethereum", "Solana", "Base")
_STABLE = (
    ("Tether", "USDT", "fiat-backed", 187_400_000_000),
    ("USD Coin", "USDC", "fiat-backed", 76_200_000_000),
    ("Ethena USDe", "USDe", "crypto-backed", 6_310_000_000),
    ("Dai", "DAI", "crypto-backed", 4_870_000_000),
    ("Sky Dollar", "USDS", "crypto-backed", 5_640_000_000),
    ("PayPal USD", "PYUSD", "fiat-backed", 3_920_000_000),
)
#: Project, chain, pool, single asset or several, made-up TVL, base and reward APY.
_POOLS = (
    ("aave-v3", "Ethereum", "USDC", True, 1_620_000_000, 4.12, 0.0),
    ("aave-v3", "Base", "USDC", True, 214_000_000, 4.87, 0.0),
    ("aave-v3", "Ethereum", "WBTC", True, 3_240_000_000, 0.02, 0.0),
    ("aave-v3", "Arbitrum", "WETH", True, 402_000_000, 1.94, 0.0),
    ("morpho-blue", "Base", "USDC", True, 538_000_000, 5.61, 1.12),
    ("morpho-blue", "Ethereum", "WBTC", True, 71_000_000, 0.09, 0.31),
    ("kamino-lend", "Solana", "USDC", True, 173_000_000, 6.03, 0.48),
    ("kamino-lend", "Solana", "SOL", True, 388_000_000, 4.91, 0.0),
    ("lido", "Ethereum", "STETH", True, 24_300_000_000, 2.71, 0.0),
    ("jito", "Solana", "JITOSOL", True, 1_820_000_000, 6.42, 0.0),
    ("aerodrome", "Base", "USDC-AERO", False, 38_400_000, 0.0, 24.6),
    ("uniswap-v3", "Ethereum", "USDC-WETH", False, 121_000_000, 11.8, 0.0),
    ("uniswap-v3", "Ethereum", "WBTC-WETH", False, 96_000_000, 3.44, 0.0),
    ("curve-dex", "Ethereum", "WBTC-TBTC", False, 22_000_000, 0.41, 1.36),
    ("raydium", "Solana", "SOL-USDC", False, 18_600_000, 31.2, 0.0),
    ("venus-core-pool", "BSC", "USDT", True, 243_000_000, 3.67, 0.0),
)


def exchanges() -> Iterator[Exchange]:
    """Every exchange of the archive."""
    yield _exchange(f"{MAIN}/protocols", [_protocol(each) for each in _PROTOCOLS])
    yield _exchange(f"{MAIN}/v2/chains", [_chain(*each) for each in _CHAINS])
    yield _exchange(f"{MAIN}/v2/historicalChainTvl", _history("all", sum(each[2] for each in _CHAINS), 90))
    for name, _, tvl in _CHAINS:
        if name in _HISTORIES:
            yield _exchange(f"{MAIN}/v2/historicalChainTvl/{quote(name)}", _history(name, tvl, 60))
    for each in _PROTOCOLS:
        if each.slug in _DETAILED:
            yield _exchange(f"{MAIN}/protocol/{each.slug}", _details(each))
    for chain in _OVERVIEWS:
        place = f"/{chain}" if chain else ""
        yield _exchange(f"{MAIN}/overview/dexs{place}{_CHARTS}", _overview(chain, "dexs"))
        for kind, share in (("dailyFees", 1.0), ("dailyRevenue", 0.22)):
            address = f"{MAIN}/overview/fees{place}{_CHARTS}&dataType={kind}"
            yield _exchange(address, _overview(chain, "fees", share))
    yield _exchange(
        f"{STABLECOINS}/stablecoins?includePrices=true", {"peggedAssets": [*map(_stable, _STABLE)]}
    )
    yield _exchange(f"{YIELDS}/pools", {"status": "success", "data": [*map(_pool, _POOLS)]})


def _exchange(address: str, data: Any) -> Exchange:
    body = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
    return Exchange(address, body, "application/json", recorded_at=RECORDED_AT)


def _spread(key: str, low: float, high: float) -> float:
    """A number between ``low`` and ``high`` that depends on nothing but ``key``."""
    digest = hashlib.sha256(key.encode()).digest()
    return low + (high - low) * int.from_bytes(digest[:6], "big") / 2**48


def _change(key: str, wide: float) -> float:
    return round(_spread(f"{key} change", -wide, wide), 4)


def _chain(name: str, ticker: str | None, tvl: float) -> dict[str, Any]:
    return {"gecko_id": None, "tvl": tvl, "tokenSymbol": ticker, "cmcId": None, "name": name, "chainId": None}


def _history(name: str, tvl: float, days: int, field: str = "tvl") -> list[dict[str, Any]]:
    """Daily values at midnight that end with ``tvl``."""
    drift = _spread(f"{name} drift", -0.004, 0.004)
    return [
        {
            "date": int((_TODAY - timedelta(days=ago)).timestamp()),
            field: tvl if ago == 0 else round(tvl * (1 - drift * ago) * _spread(f"{name} {ago}", 0.97, 1.03)),
        }
        for ago in range(days, -1, -1)
    ]


def _protocol(each: _Protocol) -> dict[str, Any]:
    return {
        "id": str(1000 + len(each.slug) * 7),
        "name": each.name,
        "symbol": each.ticker,
        "category": each.category,
        "chain": "Multi-Chain" if len(each.shares) > 1 else next(iter(each.shares)),
        "chains": list(each.shares),
        "slug": each.slug,
        "tvl": each.tvl,
        "chainTvls": {chain: round(each.tvl * share) for chain, share in each.shares.items()},
        "change_1h": _change(f"{each.slug} 1h", 0.5),
        "change_1d": _change(f"{each.slug} 1d", 4),
        "change_7d": _change(f"{each.slug} 7d", 11),
        "mcap": None,
        "url": f"https://{each.slug}.example/",
        "description": f"{each.name} in a replica: every figure here is made up.",
        "listedAt": None,
    }


def _details(each: _Protocol) -> dict[str, Any]:
    return {
        "id": str(1000 + len(each.slug) * 7),
        "name": each.name,
        "symbol": each.ticker,
        "category": each.category,
        "chains": list(each.shares),
        "url": f"https://{each.slug}.example/",
        "description": f"{each.name} in a replica: every figure here is made up.",
        "mcap": None,
        "currentChainTvls": {chain: round(each.tvl * share) for chain, share in each.shares.items()},
        "tvl": _history(each.slug, each.tvl, 60, "totalLiquidityUSD"),
        "raises": [],
        "hacks": [],
    }


def _overview(chain: str, of: str, share: float = 1.0) -> dict[str, Any]:
    rows: list[dict[str, Any]] = []
    for each in _PROTOCOLS:
        held = each.tvl * (each.shares.get(chain, 0) if chain else 1)
        day = held * (each.traded if of == "dexs" else each.fees * share / 1e6)
        if not day or (of == "dexs" and each.category != "Dexs"):
            continue
        rows.append(
            {
                "name": each.name,
                "displayName": each.name,
                "slug": each.slug,
                "category": each.category,
                "chains": list(each.shares),
                "total24h": round(day),
                "total7d": round(day * _spread(f"{each.slug} {of} week", 6.1, 8.2)),
                "total30d": round(day * _spread(f"{each.slug} {of} month", 25, 36)),
                "change_1d": _change(f"{each.slug} {of} 1d", 25),
                "change_7d": _change(f"{each.slug} {of} 7d", 30),
                "change_1m": _change(f"{each.slug} {of} 1m", 40),
            }
        )
    totals = {name: sum(row[name] for row in rows) for name in ("total24h", "total7d", "total30d")}
    return {
        **totals,
        "change_1d": _change(f"{chain} {of} 1d", 12),
        "change_7d": _change(f"{chain} {of} 7d", 18),
        "change_1m": _change(f"{chain} {of} 1m", 30),
        "chain": chain or None,
        "protocols": rows,
    }


def _stable(each: tuple[str, str, str, float]) -> dict[str, Any]:
    name, ticker, mechanism, now = each
    ago = {
        f"circulatingPrev{period}": {"peggedUSD": round(now * _spread(f"{ticker} {period}", low, 1.004))}
        for period, low in (("Day", 0.998), ("Week", 0.99), ("Month", 0.96))
    }
    return {
        "id": str(len(name)),
        "name": name,
        "symbol": ticker,
        "gecko_id": None,
        "pegType": "peggedUSD",
        "pegMechanism": mechanism,
        "circulating": {"peggedUSD": now},
        **ago,
        "price": round(_spread(f"{ticker} price", 0.9985, 1.0012), 6),
    }


def _pool(each: tuple[str, str, str, bool, float, float, float]) -> dict[str, Any]:
    project, chain, symbol, single, tvl, base, reward = each
    key = f"{project} {chain} {symbol}"
    stable = set(symbol.split("-")) <= {"USDC", "USDT", "DAI"}
    return {
        "chain": chain,
        "project": project,
        "symbol": symbol,
        "tvlUsd": tvl,
        "apyBase": base,
        "apyReward": reward or None,
        "apy": round(base + reward, 5),
        "pool": f"{hashlib.sha256(key.encode()).hexdigest()[:8]}-replica",
        "apyPct1D": _change(f"{key} 1d", 0.4),
        "apyPct7D": _change(f"{key} 7d", 0.9),
        "stablecoin": stable,
        "ilRisk": "no" if single else "yes",
        "exposure": "single" if single else "multi",
        "poolMeta": None,
        "apyMean30d": round((base + reward) * _spread(f"{key} mean", 0.85, 1.15), 5),
    }
