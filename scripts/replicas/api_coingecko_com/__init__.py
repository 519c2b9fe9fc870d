"""Synthetic answers of CoinGecko's public API."""

from __future__ import annotations

from scripts.replicas.api_coingecko_com.answers import exchanges
from scripts.replicas.common import Site

SITE = Site(
    name="api.coingecko.com",
    title="CoinGecko API v3 (replica)",
    description=(
        "Synthetic answers in the form of CoinGecko's keyless API. Ids, tickers, names and caps of "
        "supply are as they are known; prices, volumes, supplies and dates are made up, "
        "as of 2026-03-02 08:00 UTC."
    ),
    exchanges=exchanges,
)
