"""Synthetic answers of Binance's public data host."""

from __future__ import annotations

from scripts.replicas.common import Site
from scripts.replicas.data_api_binance_vision.answers import exchanges

SITE = Site(
    name="data-api.binance.vision",
    title="Binance market data (replica)",
    description=(
        "Synthetic answers in the form of Binance's public market data: tickers, and candles of five coins. "
        "Every figure is made up, as of 2026-03-02 12:00 UTC; the prices agree with the replica of CoinGecko."
    ),
    exchanges=exchanges,
)
