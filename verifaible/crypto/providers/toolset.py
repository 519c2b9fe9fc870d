"""The tools of an answer: the six of the web, whose results are sealed under marks, and those over data.

The market tools (price, gainers and losers, popular coins) ask their providers in a stated order, the next
one where one cannot be had, and say which answered.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from typing import Any, Final

from pydantic import Field

from verifaible.crypto.providers.coins import asked_at, resolve
from verifaible.crypto.providers.endpoint import Endpoint, Places, arguments_of, endpoints
from verifaible.crypto.providers.handler import Words, ask, joined, tools_of
from verifaible.crypto.providers.session import Api, Given
from verifaible.crypto.query import Switches
from verifaible.errors import BadArguments, DataNotAvailable, OfflineMiss, PageError, ToolError
from verifaible.schema.base import Record
from verifaible.schema.run import ToolReply
from verifaible.search.base import SearchBackend, SearchHit
from verifaible.tools.action_steps import action_steps
from verifaible.tools.analyze_page import analyze_page
from verifaible.tools.cite import cite
from verifaible.tools.context import ToolContext
from verifaible.tools.presenting import one_line
from verifaible.tools.toolbox import Tool, Toolbox
from verifaible.tools.video_transcript import video_transcript
from verifaible.tools.web_fetch import web_fetch
from verifaible.tools.web_search import web_search

_TEXT: Final = "text/plain; charset=utf-8"
_TITLE: Final = "Title: "


def web_tools(context: ToolContext, api: Api, *, data_first: bool = False) -> tuple[Tool[Any], ...]:
    """The six tools, in the order of every other session.

    Args:
        context: the session's.
        api: whose book the results go into.
        data_first: whether a search lists the data so far before its results.
    """
    search = _Remembering(context.search)
    reading = (web_fetch(context), analyze_page(context), action_steps(context), video_transcript(context))
    fetch, analyse, steps, video = (_reading(tool, api) for tool in reading)
    searching = _searching(web_search(replace(context, search=search)), search, api, data_first=data_first)
    # verifaible_cite seals what it cites itself
    return searching, fetch, analyse, steps, cite(context), video


class _Remembering:
    """A search backend that remembers what it found last: the reply shows less of it."""

    def __init__(self, backend: SearchBackend) -> None:
        self._backend = backend
        self.found: tuple[SearchHit, ...] = ()

    async def search(self, query: str, limit: int) -> Sequence[SearchHit]:
        """As the backend's."""
        self.found = ()
        hits = await self._backend.search(query, limit)
        self.found = tuple(hits)
        return hits


def _searching(tool: Tool[Any], search: _Remembering, api: Api, *, data_first: bool) -> Tool[Any]:
    async def handle(arguments: Any) -> ToolReply:
        reply = await tool.handle(arguments)
        if not search.found:
            return reply
        sources = await api.book.keep(
            [
                Given("snippet", _snippet(hit).encode(), _TEXT, hit.url, hit.title, api.now)
                for hit in search.found
            ]
        )
        marks = ", ".join(f"{number} = [{source.id}]" for number, source in enumerate(sources, 1))
        first = ""
        if data_first and api.digest:
            listed = "\n".join(f"- {line}" for line in api.digest)
            first = f"Structured data so far; they go before what a page says:\n{listed}\n"
        return reply.model_copy(update={"text": f"{first}{reply.text}\nMarks of these results: {marks}."})

    return _like(tool, handle)


def _snippet(hit: SearchHit) -> str:
    lines = (hit.title, hit.url, f"published {hit.published}" if hit.published else "", hit.snippet)
    return "\n".join(filter(None, lines))


def _reading(tool: Tool[Any], api: Api) -> Tool[Any]:
    """A tool that reads a page: the words that the model is given are the source."""

    async def handle(arguments: Any) -> ToolReply:
        reply = await tool.handle(arguments)
        if reply.error_code:
            return reply
        url = str(getattr(arguments, "url", ""))
        titles = (line for line in reply.text.splitlines() if line.startswith(_TITLE))
        title = one_line(next(titles, tool.name).removeprefix(_TITLE))
        (source,) = await api.book.keep([Given("page", reply.text.encode(), _TEXT, url, title, api.now)])
        line = (
            f"[{source.id}] {title}, {url or tool.name}. Write this mark behind each claim that rests on it."
        )
        return reply.model_copy(update={"text": f"{line}\n{reply.text}"})

    return _like(tool, handle)


def _like(tool: Tool[Any], handle: Callable[[Any], Awaitable[ToolReply]]) -> Tool[Any]:
    return Tool(tool.name, tool.description, tool.arguments, handle)


#: A market counts as liquid from this volume in 24 hours, in US dollars or dollar tokens: below it a single
#: order can make a gainer.
LIQUID_USD: Final = 1_000_000
#: Why the next provider is asked; wrong arguments and ambiguous names are no such reason.
_NEXT: Final = (PageError, OfflineMiss, DataNotAvailable)


def toolbox(
    context: ToolContext,
    api: Api,
    switches: Switches,
    places: Places | None = None,
    *,
    further: Sequence[Tool[Any]] = (),
) -> Toolbox:
    """The tools of one answer: those of the web, then those for data; the other way where that is on."""
    web = web_tools(context, api, data_first=switches.prefer_api)
    data = (*data_tools(api, places), *further)
    return Toolbox((*data, *web) if switches.prefer_api else (*web, *data))


def data_tools(api: Api, places: Places | None = None) -> tuple[Tool[Any], ...]:
    """The tools of every provider, in the order in which the model sees them."""
    places = places or Places()
    futures = (tool for tool in tools_of("binance", api, places) if tool.name.startswith("binance_"))
    pools, defi = tools_of("geckoterminal", api, places), tools_of("defillama", api, places)
    return (*coingecko_tools(api, places), *pools, *defi, *futures)


def coingecko_tools(api: Api, places: Places) -> tuple[Tool[Any], ...]:
    """The tools of CoinGecko."""
    return tools_of("coingecko", api, places, {"coingecko_history": bounds})


def bounds(arguments: Any, api: Api) -> Words:
    """What a history is asked for by: the last days, or the bounds of a range, which end before ``as_of``."""
    if (arguments.start is None) != (arguments.end is None):
        raise BadArguments("start and end go together; leave both out for the last days.")
    now = asked_at(api)
    if arguments.start is None and now >= api.now:
        days = str(arguments.days)
        return {
            "span": "",
            "from": "",
            "to": "",
            "count": days,
            "interval": "daily",
            "told": f"last {days} days",
        }
    begun, until = now - timedelta(days=arguments.days), now
    told = f"last {arguments.days} days before {now:%Y-%m-%d %H:%M} UTC"
    if arguments.start:
        if arguments.start > arguments.end:
            raise BadArguments("start is after end. Exchange them.")
        begun = datetime.combine(arguments.start, time(), UTC)
        until = datetime.combine(arguments.end + timedelta(days=1), time(), UTC)
        until = min(until, now) if now < api.now else until
        told = f"{arguments.start} to {arguments.end}"
    seconds = {name: str(int(each.timestamp())) for name, each in (("from", begun), ("to", until))}
    return {"span": "range", "count": "", "interval": "", "told": told, **seconds}


class RankingArguments(Record):
    """Arguments of the tools that give lists."""

    top_n: int = Field(10, ge=1, le=50, description="Length of the list.")


def market_tools(api: Api, places: Places) -> tuple[Tool[Any], ...]:
    """The three tools of the paper for the market."""
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
