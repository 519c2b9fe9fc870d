"""Synthetic answers of Sourcify, and of Slither on the source in them."""

from __future__ import annotations

from scripts.replicas.common import Site
from scripts.replicas.sourcify_dev.answers import exchanges

SITE = Site(
    name="sourcify.dev",
    title="Sourcify API v2 (replica)",
    description=(
        "Synthetic answers in the form of Sourcify's look-up of contracts: a source that was written for "
        "this replica at LINK's address, and none at PEPE's. With it, what Slither said of that source, "
        "recorded by record.py in scripts/replicas/sourcify_dev."
    ),
    exchanges=exchanges,
)
