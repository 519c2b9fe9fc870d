"""Synthetic answers of an Ethereum node."""

from __future__ import annotations

from scripts.replicas.common import Site
from scripts.replicas.ethereum_rpc_publicnode_com.answers import exchanges

SITE = Site(
    name="ethereum-rpc.publicnode.com",
    title="Ethereum node (replica)",
    description=(
        "Synthetic answers in the form of Ethereum's JSON-RPC. Contracts of tokens and labelled addresses "
        "are as known; blocks, transfers, accounts and balances are made up, as of 2026-03-02 12:00 UTC."
    ),
    exchanges=exchanges,
)
