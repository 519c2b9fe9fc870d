"""Assets, and what a look-up of one gives."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import Field

from verifaible.schema.base import Record


class Asset(Record):
    """A coin or token.

    Attributes:
        id: CoinGecko's id; ``coingecko:ID`` is also what DefiLlama's price API calls it.
        symbol: its ticker, as it is written.
        name: its name.
        rank: its place by market cap, from 1; None where it is not among the first ones.
        binance: what Binance calls it in its markets; empty where it is not traded there.
        also: other names, former ones among them.
        contracts: its address on each chain, by CoinGecko's id of the chain; ``native`` for a chain's own
            coin.
        became: the id of the asset that its holders were given instead.
    """

    id: str
    symbol: str
    name: str
    rank: int | None = None
    binance: str = ""
    also: tuple[str, ...] = ()
    contracts: dict[str, str] = Field(default_factory=dict)
    became: str = ""

    def __str__(self) -> str:
        """What tells it from others, in a few words."""
        told = [self.symbol, f"rank {self.rank}" if self.rank else "unranked"]
        if self.binance:
            told.append(f"Binance {self.binance}USDT")
        told += [f"{chain} {address}" for chain, address in self.contracts.items()][:2]
        return f"{self.name} (coingecko:{self.id}, {', '.join(told)})"


class Match(Record):
    """One asset is meant.

    Attributes:
        asset: the asset.
        others: further assets of the same ticker or name, all of them far smaller.
        certain: whether the text is what only one asset has: an address, a market, ``coingecko:ID``.
    """

    asset: Asset
    others: tuple[Asset, ...] = ()
    certain: bool = False

    @property
    def note(self) -> str:
        """What a reader must be told of the choice; empty where there was none."""
        told = []
        if self.others:
            told.append(
                f"Taken for {self.asset}, by market cap about ten times as large as any other of this name: "
                f"{'; '.join(map(str, self.others[:MOST_NAMED]))}. Give the id if you mean another."
            )
        if self.asset.became:
            told.append(f"{self.asset.symbol} was replaced by coingecko:{self.asset.became}.")
        return f"({' '.join(told)})" if told else ""


class Ambiguous(Record):
    """Several assets may be meant, and none of them is far larger than the others."""

    written: str
    candidates: tuple[Asset, ...]

    def __str__(self) -> str:
        """The candidates with what tells them apart, and what to do."""
        listed = "; ".join(map(str, self.candidates[:MOST_NAMED]))
        return (
            f"{self.written!r} can mean several assets: {listed}. Ask which one is meant, or call again with "
            "its id (coingecko:ID) or its contract and chain."
        )


class Unknown(Record):
    """No asset is known by these words; ``nearest`` are written alike."""

    written: str
    nearest: tuple[Asset, ...] = ()


#: Of several assets at most so many are named.
MOST_NAMED = 5
Resolved: TypeAlias = Match | Ambiguous | Unknown
