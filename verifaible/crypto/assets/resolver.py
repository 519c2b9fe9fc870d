"""One way to resolve what people call assets; of several bearers of a name none is picked silently.

The table ``assets.json`` is dated; ``scripts/assets`` makes it. A ticker or name that several assets bear
means the largest one only where that is far larger than all the others, and the match then names them.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources
from typing import Final, TypeAlias

from pydantic import Field

from verifaible.crypto.assets.names import Names
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


#: Of two assets the one whose rank is smaller by this factor has about ten times the market cap: at the ranks
#: 10, 100 and 1,000 the caps of 2025 were about 30, 0.7 and 0.015 billion US dollars.
DOMINANT: Final = 4
_QUOTES: Final = ("FDUSD", "USDT", "USDC", "TUSD", "USD", "EUR", "TRY", "BRL", "JPY", "BTC", "ETH", "BNB")
_MARKET: Final = re.compile(
    rf"(?P<base>\w+?)(?P<sign>\s*[/_-]\s*)?(?P<quote>{'|'.join(_QUOTES)})", re.IGNORECASE
)
_EVM_ADDRESS: Final = re.compile(r"0x[0-9a-f]{40}", re.IGNORECASE)
_OTHER_ADDRESS: Final = re.compile(r"[1-9A-HJ-NP-Za-km-z]{32,44}")
_ON_CHAIN: Final = re.compile(r"(?P<text>.+?)\s+on\s+(?P<chain>.+)", re.IGNORECASE)
_BEFORE_CHAIN: Final = re.compile(r"(?P<text>.+?)[\s_(-]+(?P<chain>[\w-]+)\)?")
_KIND: Final = re.compile(r"\s+(?:token|coin|crypto|cryptocurrency)$", re.IGNORECASE)
_FUZZY_FROM: Final = 70.0


class _Table:
    """The assets of the file and its indexes, made once."""

    def __init__(self) -> None:
        text = resources.files("verifaible.crypto.assets").joinpath("assets.json").read_text(encoding="utf-8")
        data = json.loads(text)
        self.assets = tuple(map(Asset.model_validate, data["assets"]))
        self.ranks_to: int = data["ranks_to"]
        self.by_id = {asset.id: asset for asset in self.assets}
        self.by_market = {asset.binance.casefold(): asset for asset in self.assets if asset.binance}
        self.chains = {
            folded(name): chain for chain, names in data["chains"].items() for name in (chain, *names)
        }
        self.by_name: dict[str, list[Asset]] = {}
        self.by_other_name: dict[str, list[Asset]] = {}
        self.by_letters: dict[str, list[Asset]] = {}
        self.by_address: dict[str, list[tuple[str, Asset]]] = {}
        for asset in self.assets:
            for name in {folded(each) for each in (asset.id, asset.symbol, asset.name)}:
                self.by_name.setdefault(name, []).append(asset)
            for name in {folded(each) for each in asset.also}:
                self.by_other_name.setdefault(name, []).append(asset)
            for name in {_letters(each) for each in (asset.name, *asset.also)}:
                self.by_letters.setdefault(name, []).append(asset)
            for chain, address in asset.contracts.items():
                self.by_address.setdefault(_address(address), []).append((chain, asset))

    def named(self, name: str) -> list[Asset]:
        """The assets that have a folded name, now or formerly."""
        return [*self.by_name.get(name, ()), *self.by_other_name.get(name, ())]


@cache
def _table() -> _Table:
    return _Table()


def resolve(text: str, chain: str = "") -> Resolved:
    """The asset that a text means, by the table.

    Args:
        text: a ticker, a name, CoinGecko's id (bare or as ``coingecko:ID``), a contract (bare or as
            ``chain:address``), or a market of Binance; ``USDC on Base`` names its chain.
        chain: where the asset must be, by a common name or number of the chain; empty for anywhere.
    """
    table = _table()
    written = unicodedata.normalize("NFKC", text).strip()
    match = _ON_CHAIN.fullmatch(written)
    if match and not chain and folded(match["chain"]) in table.chains:
        written, chain = match["text"], match["chain"]
    place = table.chains.get(folded(chain), "") if chain.strip() else ""
    if chain.strip() and not place:
        return Unknown(written=f"{text} on {chain}", nearest=tuple(_named(table, written))[:MOST_NAMED])
    prefix, colon, rest = written.partition(":")
    if colon and prefix.casefold() == "coingecko":
        found = table.by_id.get(rest.strip().casefold())
        return Match(asset=found, certain=True) if found else _unknown(text, rest)
    if colon and folded(prefix) in table.chains:
        written, place = rest.strip(), table.chains[folded(prefix)]
    if _EVM_ADDRESS.fullmatch(written) or _OTHER_ADDRESS.fullmatch(written):
        return _by_address(text, written, place)
    named = _named(table, written)
    if named:
        there = [asset for asset in named if not place or place in asset.contracts]
        return choose(text, there) if there else Unknown(written=f"{text} on {place}", nearest=tuple(named))
    return (None if place else _by_market(table, text, written)) or _before_chain(table, text, written, chain)


def chain_id(written: str) -> str:
    """CoinGecko's name of a chain, by a common name of it or its number; empty for an unknown one."""
    known: dict[str, str] = _table().chains
    return known.get(folded(written), "")


def choose(text: str, candidates: Iterable[Asset]) -> Match | Ambiguous:
    """The one of several assets of one name that is far larger than all others, or that there is none.

    Args:
        text: the name, as it was written.
        candidates: at least one.
    """
    ranked = sorted(
        {asset.id: asset for asset in candidates}.values(), key=lambda asset: (_rank(asset), asset.id)
    )
    first, *others = ranked
    if not others or _rank(others[0]) >= DOMINANT * _rank(first):
        return Match(asset=first, others=tuple(others))
    return Ambiguous(written=text, candidates=tuple(ranked))


def _rank(asset: Asset) -> int:
    """Its rank; without one, the best that it can have: behind all that the table ranks."""
    return asset.rank or _table().ranks_to


def _named(table: _Table, written: str) -> Sequence[Asset]:
    """The assets of a ticker or name; if there are none, those of it written a little otherwise."""
    if found := table.named(folded(written)):
        return found
    words = written.replace("(", " ").replace(")", " ").split()
    for cut in range(1, len(words)):  # a name with its ticker: "Bitcoin (BTC)"
        first, second = (table.named(folded(" ".join(part))) for part in (words[:cut], words[cut:]))
        if both := [asset for asset in first if asset in second]:
            return both
    known = folded(Names().resolve(written))
    if known and (found := table.named(known)):
        return found
    shorter = _KIND.sub("", written.strip())
    alike = table.by_letters.get(_letters(written), [])
    return [*alike, *(_named(table, shorter) if shorter != written.strip() else ())]


def _by_market(table: _Table, text: str, written: str) -> Resolved | None:
    """The asset that a market is of: one of Binance has a single asset, another pair has its base's name."""
    market = _MARKET.fullmatch(written.lstrip("$#"))
    if market is None:
        return None
    listed = table.by_market.get(market["base"].casefold())
    if listed and market["quote"].upper() != "USD":  # no market of Binance is in dollars themselves
        return Match(asset=listed, certain=True)
    if not market["sign"]:  # SUSD is a name that the table lacks, and no market of S
        return None
    named = _named(table, market["base"])
    return choose(text, named) if named else None


def _before_chain(table: _Table, text: str, written: str, chain: str) -> Resolved:
    """The asset that stands before the name of a chain (``USDT-TRC20``); else that it is unknown."""
    match = _BEFORE_CHAIN.fullmatch(written)
    if match and not chain and folded(match["chain"]) in table.chains:
        found = resolve(match["text"], match["chain"])
        if not isinstance(found, Unknown):
            return found
    return _unknown(text, written)


def _by_address(text: str, address: str, place: str) -> Resolved:
    bearers = _table().by_address.get(_address(address), [])
    there = {asset.id: asset for chain, asset in bearers if place in ("", chain)}
    if not there:
        return Unknown(written=text, nearest=tuple(asset for _, asset in bearers))
    if len(there) > 1:
        return Ambiguous(written=text, candidates=tuple(there.values()))
    return Match(asset=next(iter(there.values())), certain=True)


def _unknown(text: str, written: str) -> Unknown:
    from rapidfuzz import process

    table = _table()
    near = process.extract(folded(written), table.by_name.keys(), limit=MOST_NAMED, score_cutoff=_FUZZY_FROM)
    nearest = {asset.id: asset for name, _, _ in near for asset in table.by_name[name]}
    return Unknown(written=text, nearest=tuple(nearest.values())[:MOST_NAMED])


def folded(text: str) -> str:
    """A name as it is compared: one width, one case, single blanks, without a leading ``$`` or ``#``."""
    return " ".join(unicodedata.normalize("NFKC", text).lstrip(" $#").split()).casefold()


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, folded(text)))


def _address(address: str) -> str:
    """Hexadecimal addresses are one in any case; others (base 58) are not."""
    return address.casefold() if address.startswith(("0x", "0X")) else address
