"""Synthetic answers of DefiLlama's public APIs."""

from __future__ import annotations

from scripts.replicas.api_llama_fi.answers import exchanges
from scripts.replicas.common import Site

SITE = Site(
    name="api.llama.fi",
    title="DefiLlama APIs (replica)",
    description=(
        "Synthetic answers in the form of DefiLlama's keyless APIs (TVL, volumes and fees, stablecoins, "
        "yields). Names, tickers and categories are as they are known; every figure is made up, "
        "as of 2026-03-02."
    ),
    exchanges=exchanges,
)
