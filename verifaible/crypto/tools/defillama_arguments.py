"""Arguments of the tools of DefiLlama."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from verifaible.schema.base import Record

_LIMIT = Field(20, ge=1, le=200)
_CHAIN = Field("", max_length=60, description="Ethereum, Solana, Base and so on; empty: all.")


class ProtocolsArguments(Record):
    """Arguments of ``defillama_protocols``."""

    category: str = Field("", max_length=60, description="Lending, Dexs, Liquid Staking and so on.")
    chain: str = _CHAIN
    order_by: Literal["tvl", "gain_1d", "loss_1d", "gain_7d", "loss_7d"] = "tvl"
    limit: int = _LIMIT


class ProtocolArguments(Record):
    """Arguments of ``defillama_protocol``."""

    protocol: str = Field(min_length=1, max_length=100, description="Name or slug.")
    days: int = Field(30, ge=1, le=3650)


class ChainsArguments(Record):
    """Arguments of ``defillama_chains``."""

    chains: tuple[str, ...] = Field((), description="Names; empty: the largest.")
    limit: int = _LIMIT


class TvlArguments(Record):
    """Arguments of ``defillama_tvl``."""

    chain: str = _CHAIN
    days: int = Field(30, ge=1, le=3650)


class StablecoinsArguments(Record):
    """Arguments of ``defillama_stablecoins``."""

    symbol: str = Field("", max_length=30)
    limit: int = _LIMIT


class YieldsArguments(Record):
    """Arguments of ``defillama_yields``."""

    token: str = Field("", max_length=30, description="Ticker in the pool: USDC, WBTC.")
    chain: str = _CHAIN
    project: str = Field("", max_length=60, description="Slug of the protocol: aave-v3.")
    stablecoins_only: bool = False
    single_asset: bool = False
    min_tvl_usd: float = Field(1_000_000, ge=0)
    limit: int = _LIMIT


class OverviewArguments(Record):
    """Arguments of ``defillama_dex_volumes`` and ``defillama_fees``."""

    chain: str = _CHAIN
    protocol: str = Field("", max_length=100, description="Only this one of the list.")
    limit: int = _LIMIT


class FeesArguments(OverviewArguments):
    """Arguments of ``defillama_fees``."""

    kind: Literal["fees", "revenue"] = "fees"
