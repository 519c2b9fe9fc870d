"""Coins of the replica: ids, tickers, names and caps of supply are true; every figure is made up."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime

#: The moment that the made-up figures are of.
NOW = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
DAYS = 365


@dataclass(frozen=True, slots=True)
class Coin:
    """A coin: made-up price and all-time high in US dollars, made-up supply, true cap of supply."""

    id: str
    symbol: str
    name: str
    price: float
    supply: float
    maximum: float | None
    high: float
    categories: tuple[str, ...]
    genesis: str | None = None

    @property
    def cap(self) -> float:
        return round(self.price * self.supply)

    @property
    def volume(self) -> float:
        return round(self.cap * self.spread("volume", 0.015, 0.14))

    @property
    def total(self) -> float:
        return self.maximum if self.maximum else round(self.supply * self.spread("total", 1.0, 1.6))

    def spread(self, key: str, low: float, high: float) -> float:
        """A number between ``low`` and ``high`` that depends on the coin and the key alone."""
        digest = hashlib.sha256(f"{self.id} {key}".encode()).digest()
        return low + (high - low) * int.from_bytes(digest[:6], "big") / 2**48

    def change(self, period: str) -> float:
        """Change in per cent over a period, from the made-up history where it is one of days."""
        days = {"7d": 7, "14d": 14, "30d": 30, "60d": 60, "200d": 200, "1y": 365}
        if period in days:
            return round(100 * (self.price / self.on(days[period]) - 1), 5)
        wide = {"1h": 1.2, "24h": 14.0 if "meme-token" in self.categories else 6.0}[period]
        return round(self.spread(period, -wide, wide), 5)

    def on(self, days_ago: int) -> float:
        """The price so many days ago, in six significant digits."""
        if days_ago == 0:
            return self.price
        drift = self.spread("drift", -0.0025, 0.0025)
        wave = self.spread(f"day {days_ago}", -0.05, 0.05)
        return float(f"{self.price * (1 - drift * days_ago) * (1 + wave):.6g}")


_L1 = ("Smart Contract Platform", "Layer 1 (L1)")
_MEME = ("Meme", "meme-token")
COINS = (
    Coin("bitcoin", "btc", "Bitcoin", 84_210.0, 19_985_000, 21_000_000, 126_080, _L1, "2009-01-03"),
    Coin("ethereum", "eth", "Ethereum", 3_118.42, 120_690_000, None, 4_946.05, _L1, "2015-07-30"),
    Coin("tether", "usdt", "Tether", 1.0002, 187_400_000_000, None, 1.32, ("Stablecoins",)),
    Coin("ripple", "xrp", "XRP", 2.13, 60_300_000_000, 100_000_000_000, 3.65, _L1),
    Coin("binancecoin", "bnb", "BNB", 871.3, 137_700_000, 200_000_000, 1_369.99, _L1, "2017-07-08"),
    Coin("solana", "sol", "Solana", 142.87, 563_000_000, None, 293.31, _L1, "2020-03-16"),
    Coin("usd-coin", "usdc", "USDC", 0.9999, 76_200_000_000, None, 1.17, ("Stablecoins",)),
    Coin("dogecoin", "doge", "Dogecoin", 0.1436, 152_900_000_000, None, 0.731578, _MEME, "2013-12-08"),
    Coin("cardano", "ada", "Cardano", 0.4281, 36_700_000_000, 45_000_000_000, 3.09, _L1, "2017-09-30"),
    Coin(
        "hyperliquid", "hype", "Hyperliquid", 33.46, 301_000_000, 1_000_000_000, 59.3, (*_L1, "Derivatives")
    ),
    Coin("chainlink", "link", "Chainlink", 14.22, 706_000_000, 1_000_000_000, 52.7, ("Oracle",)),
    Coin("avalanche-2", "avax", "Avalanche", 15.37, 428_600_000, 720_000_000, 144.96, _L1),
    Coin("sui", "sui", "Sui", 1.61, 3_790_000_000, 10_000_000_000, 5.35, _L1),
    Coin("wrapped-bitcoin", "wbtc", "Wrapped Bitcoin", 84_102.0, 124_300, None, 126_000, ("Wrapped-Tokens",)),
    Coin("shiba-inu", "shib", "Shiba Inu", 0.00000883, 589_200_000_000_000, None, 0.00008616, _MEME),
    Coin("polkadot", "dot", "Polkadot", 2.27, 1_646_000_000, 2_100_000_000, 54.98, _L1),
    Coin("uniswap", "uni", "Uniswap", 5.94, 634_000_000, 1_000_000_000, 44.92, ("Exchange-based Tokens",)),
    Coin("aave", "aave", "Aave", 176.9, 15_200_000, 16_000_000, 661.69, ("Lending/Borrowing",)),
    Coin("near", "near", "NEAR Protocol", 1.72, 1_277_000_000, None, 20.44, _L1),
    Coin("aptos", "apt", "Aptos", 1.94, 742_000_000, None, 19.92, _L1),
    Coin("monad", "mon", "Monad", 0.02431, 10_830_000_000, 100_000_000_000, 0.0489, _L1),
    Coin("pepe", "pepe", "Pepe", 0.00000497, 420_690_000_000_000, 420_690_000_000_000, 0.00002803, _MEME),
    Coin("aster-2", "aster", "Aster", 0.7724, 2_017_000_000, 8_000_000_000, 2.41, ("Derivatives",)),
    Coin("pyth-network", "pyth", "Pyth Network", 0.0681, 5_750_000_000, 10_000_000_000, 1.2, ("Oracle",)),
    Coin("celestia", "tia", "Celestia", 0.5917, 834_000_000, None, 20.85, ("Modular Blockchain",)),
    Coin("linea", "linea", "Linea", 0.00714, 16_800_000_000, 72_009_990_000, 0.0466, ("Layer 2 (L2)",)),
    Coin(
        "kaito", "kaito", "KAITO", 0.5312, 288_000_000, 1_000_000_000, 2.88, ("Artificial Intelligence (AI)",)
    ),
    Coin("succinct", "prove", "Succinct", 0.4174, 195_000_000, 1_000_000_000, 1.68, ("Infrastructure",)),
)
BY_ID = {coin.id: coin for coin in COINS}
#: In the order of the markets list.
RANKED = tuple(sorted(COINS, key=lambda coin: -coin.cap))
RANK = {coin.id: place for place, coin in enumerate(RANKED, 1)}
#: A second coin with a ticker of the list: tickers are not unique, and the search says so.
NAMESAKES = ({"id": "solana-wormhole", "symbol": "SOL", "name": "SOL (Wormhole)", "market_cap_rank": None},)
