"""Replica of Treasury's daily par yield curve pages; synthetic, written by hand."""

from __future__ import annotations

from scripts.replicas.common import Site
from scripts.replicas.home_treasury_gov.pages import exchanges

SITE = Site(
    name="home.treasury.gov",
    title="U.S. Department of the Treasury: daily par yield curve rates (replica)",
    description=(
        "Synthetic, hand-written replica of the daily Treasury par yield curve table. The figures of January "
        "and February 2026 are the true ones; those of 2025 are plausible and made up."
    ),
    exchanges=exchanges,
)
