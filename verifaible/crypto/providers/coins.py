"""Which asset is meant: by the table of assets and CoinGecko's own search together."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from urllib.parse import urlsplit

from verifaible.crypto.assets.resolver import MOST_NAMED, Ambiguous, Asset, Match, choose, folded
from verifaible.crypto.assets.resolver import resolve as by_table
from verifaible.crypto.providers.endpoint import endpoints
from verifaible.crypto.providers.json_values import Json, decimal_at, rows_of, text_at
from verifaible.crypto.providers.session import Api, ApiAnswer
from verifaible.errors import AmbiguousAsset, BadArguments, ToolError

_ID = "coingecko:"


def asked_at(api: Api) -> datetime:
    """The time that is asked about: nothing later may be shown."""
    return min(api.now, api.as_of or api.now)


async def gecko(api: Api, base: str, path: str, query: Mapping[str, str] | None = None) -> ApiAnswer:
    """An answer of CoinGecko, which is asked with the key that is set; errors as of :meth:`Api.get`."""
    key = endpoints("coingecko")["coingecko_search"].keyed(api.web.settings)
    return await api.get("CoinGecko", f"{base.rstrip('/')}{path}", query, secret_headers=key)


async def resolve(api: Api, base: str, written: str, chain: str = "") -> Match:
    """The asset that an id, a ticker, a name, a contract or a market means.

    What is no identifier is looked up in CoinGecko's search, too, so that younger assets of the same name
    count. The table stands alone where the search cannot be had, and where an earlier time is asked about:
    the search ranks by what is known today.

    Raises:
        AmbiguousAsset: several bear the name; the message tells them apart.
        BadArguments: there is none; the message names the nearest.
    """
    known = by_table(written, chain)
    by_id = folded(written).startswith(_ID)
    if chain or (asked_at(api) < api.now and not by_id) or (isinstance(known, Match) and known.certain):
        found: list[Asset] = []
        nearest = () if isinstance(known, Match | Ambiguous) else known.nearest
    else:
        sought = folded(written).removeprefix(_ID)
        try:
            # one address for every way of writing the same words
            answer = await gecko(api, base, "/search", {"query": sought})
            found = [_asset(row) for _, row in rows_of(answer.data, ("coins",), answer.name)]
        except ToolError:
            if not isinstance(known, Match | Ambiguous):
                raise
            found = []
        nearest = tuple(found)
        wanted = ("id",) if by_id else ("id", "symbol", "name")
        found = [each for each in found if any(folded(getattr(each, name)) == sought for name in wanted)]
    listed = (known.asset, *known.others) if isinstance(known, Match) else ()
    listed = known.candidates if isinstance(known, Ambiguous) else listed
    if not (listed or found):
        raise BadArguments(f"CoinGecko lists no coin {written!r}. {_advice(nearest, base)}")
    chosen = known if isinstance(known, Match) and known.certain else choose(written, _merged(listed, found))
    if isinstance(chosen, Ambiguous):
        raise AmbiguousAsset(str(chosen))
    return chosen


def _merged(listed: tuple[Asset, ...], found: list[Asset]) -> list[Asset]:
    """The assets of the table with the ranks that the search has now, and those that only it has."""
    now = {asset.id: asset for asset in found}
    kept = [
        asset.model_copy(update={"rank": now[asset.id].rank or asset.rank}) if asset.id in now else asset
        for asset in listed
    ]
    return [*kept, *(asset for asset in found if asset.id not in {each.id for each in kept})]


def _asset(row: Json) -> Asset:
    rank = decimal_at(row, ("market_cap_rank",))
    return Asset(
        id=text_at(row, ("id",)),
        symbol=text_at(row, ("symbol",)),
        name=text_at(row, ("name",)),
        rank=int(rank) if rank else None,
    )


def _advice(nearest: tuple[Asset, ...], base: str) -> str:
    if nearest:
        named = "; ".join(map(str, nearest[:MOST_NAMED]))
        return f"Nearest: {named}. Call again with one of these ids."
    return (
        "Its search finds nothing like it. Try the full name or the ticker, or search the web: not every "
        f"token is listed at {urlsplit(base).hostname}."
    )
