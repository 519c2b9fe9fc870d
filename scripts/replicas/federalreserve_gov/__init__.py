"""Replica of the Federal Reserve Board's press releases; synthetic, written by hand."""

from __future__ import annotations

from scripts.replicas.common import Site
from scripts.replicas.federalreserve_gov.pages import exchanges

SITE = Site(
    name="federalreserve.gov",
    title="Federal Reserve Board: FOMC statements and implementation notes (replica)",
    description=(
        "Synthetic, hand-written replica of a few federalreserve.gov pages. The rates and votes of the "
        "releases of 2024-01-31 and 2024-09-18 are the true ones; the wording is the replica's own, and "
        "neighbouring releases hold plausible figures."
    ),
    exchanges=exchanges,
)
