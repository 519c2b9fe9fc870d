"""The market tools of the paper: price, gainers and losers, popular coins.

Each asks its providers in a stated order, the next one where one cannot be had, and says which answered.
"""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from verifaible.crypto.session import Api
from verifaible.crypto.tools.coingecko import bounds
from verifaible.crypto.tools.coins import asked_at, resolve
from verifaible.crypto.tools.endpoint import Endpoint, Places, arguments_of, endpoints
from verifaible.crypto.tools.handler import ask, joined
from verifaible.errors import DataNotAvailable, OfflineMiss, PageError, ToolError
from verifaible.schema.base import Record
from verifaible.schema.run import ToolReply
from verifaible.tools.toolbox import Tool

#: A market counts as liquid from this volume in 24 hours, in US dollars or dollar tokens: below it a single
#: order can make a gainer.
LIQUID_USD: Final = 1_000_000
#: Why the next provider is asked; wrong arguments and ambiguous names are no such reason.
_NEXT: Final = (PageError, OfflineMiss, DataNotAvailable)


class RankingArguments(Record):
    """Arguments of the tools that give lists."""

    top_n: int = Field(10, ge=1, le=50, description="Length of the list.")


def tools(api: Api, places: Places) -> tuple[Tool[Any], ...]:
    """The three tools over one session."""
    market = _Market(api, places)
    binance = endpoints("binance")
    handlers = {"realTimeMarketInfoTool": market.price, "cryptoPriceGainersRankingTool": market.gainers}
    popular = Tool(
        "popularCryptocurrencyTool",
        "Coins that are searched for most and that are traded most.",
        RankingArguments,
        market.popular,
    )
    ticker = (
        Tool(name, binance[name].about, arguments_of(name, "binance"), handle)
        for name, handle in handlers.items()
    )
    return (*ticker, popular)


class _Market:
    def __init__(self, api: Api, places: Places) -> None:
        self._api = api
        self._places = places

    async def price(self, arguments: Any) -> ToolReply:
        """Binance's ticker, else CoinGecko's price; of an earlier time CoinGecko's history."""
        match = await resolve(self._api, self._places.coingecko, arguments.symbol)
        coin = f"coingecko:{match.asset.id}"
        if asked_at(self._api) < self._api.now:
            return await self._gecko("history", coin=coin, days=1)
        try:
            ticker = endpoints("binance")["realTimeMarketInfoTool"]
            return _noted(await ask(self._api, self._places, ticker, {"symbol": coin}), match.note)
        except _NEXT as error:
            why = error
        try:
            reply = await self._gecko("price", coins=(coin,))
        except ToolError as error:
            error.args = (f"Neither provider gave it. Binance: {why} CoinGecko: {error}",)
            raise
        return _noted(reply, match.note, _after(why))

    async def gainers(self, arguments: Any) -> ToolReply:
        """Gainers and losers among Binance's markets, else among CoinGecko's largest coins."""
        try:
            ranking = endpoints("binance")["cryptoPriceGainersRankingTool"]
            return await ask(self._api, self._places, ranking, arguments)
        except _NEXT as error:
            if asked_at(self._api) < self._api.now:
                raise
            why = error
        replies = [
            await self._gecko("markets", order_by=order, limit=arguments.top_n, min_volume=LIQUID_USD)
            for order in ("gain_24h", "loss_24h")
        ]
        among = (
            f"(Among the 250 largest coins, of which at least {LIQUID_USD:,} USD were traded in 24 hours.)"
        )
        return _noted(joined(replies), among, _after(why))

    async def popular(self, arguments: RankingArguments) -> ToolReply:
        """What is searched most, then what is traded most, both by CoinGecko."""
        replies: list[ToolReply] = []
        faults: list[ToolError] = []
        for name, more in (("trending", {}), ("markets", {"order_by": "volume", "limit": arguments.top_n})):
            try:
                replies.append(await self._gecko(name, **more))
            except _NEXT as error:
                faults.append(error)
        if not replies:
            raise faults[0]
        return _noted(joined(replies), *(f"(The other list is missing: {fault})" for fault in faults))

    async def _gecko(self, name: str, **arguments: Any) -> ToolReply:
        endpoint: Endpoint = endpoints("coingecko")[f"coingecko_{name}"]
        told = arguments_of(endpoint.tool, "coingecko").model_validate(arguments)
        return await ask(self._api, self._places, endpoint, told, bounds if name == "history" else None)


def _noted(reply: ToolReply, *notes: str) -> ToolReply:
    """A reply with further lines, each once."""
    told = [note for note in notes if note and note not in reply.text]
    return reply.model_copy(update={"text": "\n".join((reply.text, *told))})


def _after(why: ToolError) -> str:
    return f"(Order of providers: Binance, then CoinGecko. Binance could not be had: {why})"
