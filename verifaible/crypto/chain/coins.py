"""Which coin is read on which chain, and what it was worth when.

Prices are CoinGecko's history: by five minutes, hours or days, as it keeps it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from verifaible.crypto.assets.resolver import Match
from verifaible.crypto.assets.resolver import resolve as by_table
from verifaible.crypto.chain.node import MAINNET, Chain, chain_named, chains
from verifaible.crypto.providers.coins import gecko, resolve
from verifaible.crypto.providers.endpoint import endpoints
from verifaible.crypto.providers.handler import declared, rows_at
from verifaible.crypto.providers.json_values import at, surprise, text_at
from verifaible.crypto.providers.session import Api, ApiAnswer
from verifaible.errors import DataNotAvailable
from verifaible.schema.data import DataPoint
from verifaible.tools.presenting import one_line

#: What the table of assets has in place of a contract for a chain's own coin.
NATIVE: Final = "native"
#: A price is that of its hour or day: an older one values nothing.
OLDEST: Final = timedelta(hours=26)
_CONTRACT: Final = re.compile(r"0x[0-9a-fA-F]{40}")


@dataclass(frozen=True, slots=True)
class Listed:
    """A coin as CoinGecko lists it, the chain that it is read on, and its contract there; empty: its own."""

    id: str
    name: str
    symbol: str
    contract: str
    chain: Chain = MAINNET
    note: str = ""


async def listed_coin(api: Api, base: str, written: str, on: str = "") -> Listed:
    """The coin that a ticker, a name or a contract's address means.

    Args:
        api: of the session.
        base: CoinGecko's address.
        written: the ticker, name or address.
        on: a chain; empty: Ethereum where it is there, else the first that can be read.

    Raises:
        AmbiguousAsset: several bear the name.
        BadArguments: there is none, or no such chain.
        DataNotAvailable: it is on no such chain; says what can be had instead.
    """
    given = written.strip()
    wanted = chain_named(on) if on.strip() else None
    if not _CONTRACT.fullmatch(given):
        match = await resolve(api, base, given)
    elif not isinstance(known := by_table(given, wanted.platform if wanted else ""), Match):
        chain = wanted or MAINNET
        answer = await gecko(api, base, f"/coins/{chain.platform}/contract/{given.lower()}")
        identity, name, symbol = (text_at(answer.data, (key,)) for key in ("id", "name", "symbol"))
        # whoever made the token chose these words, and they are told beside the data
        return Listed(identity, one_line(name, 80), one_line(symbol.upper(), 40), given, chain)
    else:
        match = known
    asset = match.asset
    contracts = asset.contracts or await _platforms(api, base, asset.id)
    for chain in [wanted] if wanted else chains().values():
        contract = contracts.get(chain.platform, "")
        if contract == NATIVE or _CONTRACT.fullmatch(contract):
            place = "" if contract == NATIVE else contract
            return Listed(asset.id, asset.name, asset.symbol, place, chain, match.note)
    there = ", ".join(sorted(filter(None, contracts)))
    raise DataNotAvailable(
        f"{asset.name} ({asset.symbol}) has no contract on {wanted.name if wanted else 'Ethereum'}, and "
        f"transfers are read from EVM chains alone{f' (it is on {there})' if there else ''}. Use "
        "realTimeMarketInfoTool for price and volume; if a wrapped token is meant (WBTC for BTC), call again "
        "with that."
    )


async def _platforms(api: Api, base: str, identity: str) -> dict[str, str]:
    """The contracts of a coin that the table of assets has none of, by chain."""
    query = endpoints("coingecko")["coingecko_coin"].query
    answer = await gecko(api, base, f"/coins/{identity}", query)
    platforms = at(answer.data, ("platforms",))
    found = platforms.items() if isinstance(platforms, dict) else ()
    return {chain: address for chain, address in found if isinstance(address, str)}


async def read_prices(
    api: Api, base: str, listed: Listed, start: datetime, end: datetime
) -> tuple[ApiAnswer, list[DataPoint]]:
    """The prices of a coin from a day before ``start`` to ``end``, and the answer that has them.

    Raises:
        ToolError: CoinGecko does not answer.
        WrongContent: it has no price, or one of later than ``end``.
    """
    query = {
        "vs_currency": "usd",
        "from": str(int((start - timedelta(days=1)).timestamp())),
        "to": str(int(end.timestamp())),
    }
    answer = await gecko(api, base, f"/coins/{listed.id}/market_chart/range", query)
    part, words = (
        endpoints("coingecko")["coingecko_history"].parts[0],
        {"CURRENCY": "USD", "symbol": listed.symbol},
    )
    columns = [each.of(words) for each in part.fields]
    prices = [point for row in rows_at(answer, part) for point in declared(row, columns, part, words)]
    prices.sort(key=_time)
    if not prices:
        raise surprise(answer.name, "no price at /prices")
    if _time(prices[-1]) > end:
        raise surprise(answer.name, f"a price of later than {end:%Y-%m-%d %H:%M} UTC")
    return answer, prices


def _time(price: DataPoint) -> datetime:
    assert price.at is not None  # rows of a series have a time
    return price.at


def price_on(prices: Sequence[DataPoint], moment: datetime) -> DataPoint | None:
    """The last price at or before a moment; None where there is none of its hour or day."""
    place = bisect_right(prices, moment, key=_time)
    found = prices[place - 1] if place else None
    return found if found is not None and moment - _time(found) <= OLDEST else None
