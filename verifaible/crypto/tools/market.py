"""The market tools of the paper: price, gainers and losers, popular coins.

Each asks its providers in a stated order, the next one where one cannot be had, and says which answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from pydantic import Field

from verifaible.crypto.assets.resolver import Match
from verifaible.crypto.periods import stamp
from verifaible.crypto.tools.api import Api
from verifaible.crypto.tools.binance import QUOTE, Candle, Places, candles, get, market
from verifaible.crypto.tools.coingecko import CoinGecko
from verifaible.crypto.tools.coingecko_arguments import MarketsArguments, NoArguments, PriceArguments
from verifaible.crypto.tools.coins import asked_at, resolve
from verifaible.crypto.tools.data import (
    Json,
    Path,
    columns,
    decimal_at,
    facts,
    moment_at,
    pointer,
    rows_of,
    surprise,
    table,
    text_at,
)
from verifaible.errors import DataNotAvailable, OfflineMiss, PageError, ToolError
from verifaible.schema.base import Record
from verifaible.schema.data import DataPoint, Display, Facets, Operand
from verifaible.schema.run import ToolReply
from verifaible.tools.toolbox import Tool

#: A market counts as liquid from this volume in 24 hours, in US dollars or dollar tokens: below it a single
#: order can make a gainer.
LIQUID_USD: Final = 1_000_000
#: Why the next provider is asked; wrong arguments and ambiguous names are no such reason.
_NEXT: Final = (PageError, OfflineMiss, DataNotAvailable)
#: Fields of ``/api/v3/ticker/24hr``: what each counts, and its unit; {0} is the asset's ticker.
_TICKER: Final = {
    "lastPrice": ("price", QUOTE),
    "priceChangePercent": ("change_24h", "per cent"),
    "priceChange": ("change_24h_amount", QUOTE),
    "openPrice": ("price_24h_before", QUOTE),
    "highPrice": ("high_24h", QUOTE),
    "lowPrice": ("low_24h", QUOTE),
    "volume": ("volume_24h", "{0}"),
    "quoteVolume": ("volume_24h", QUOTE),
}
_RANKED: Final = ("lastPrice", "priceChangePercent", "quoteVolume")


class SymbolArguments(Record):
    """Arguments of ``realTimeMarketInfoTool``."""

    symbol: str = Field(
        min_length=1, max_length=100, description="Ticker, such as BTC; a name, id or contract is understood."
    )


class RankingArguments(Record):
    """Arguments of the tools that give lists."""

    top_n: int = Field(10, ge=1, le=50, description="Length of the list.")


def tools(api: Api, endpoints: Places) -> tuple[Tool[Any], ...]:
    """The three tools over one session."""
    market_tools = _Market(api, endpoints)
    return (
        Tool(
            "realTimeMarketInfoTool",
            "Current price of a coin with its change, high, low and volume over 24 hours.",
            SymbolArguments,
            market_tools.price,
        ),
        Tool(
            "cryptoPriceGainersRankingTool",
            "Coins whose price rose or fell most over 24 hours, among liquid markets.",
            RankingArguments,
            market_tools.gainers,
        ),
        Tool(
            "popularCryptocurrencyTool",
            "Coins that are searched for most and that are traded most.",
            RankingArguments,
            market_tools.popular,
        ),
    )


class _Market:
    def __init__(self, api: Api, places: Places) -> None:
        self._api = api
        self._places = places
        self._gecko = CoinGecko(api, places.coingecko)

    async def price(self, arguments: SymbolArguments) -> ToolReply:
        """Binance's ticker, else CoinGecko's price; as of an earlier time Binance's candles, else CoinGecko's
        history.
        """
        match = await resolve(self._api, self._places.coingecko, arguments.symbol)
        try:
            return await (self._price_then(match) if self._past else self._price_now(match))
        except _NEXT as error:
            why = error
        wanted = PriceArguments(coins=(f"coingecko:{match.asset.id}",))
        try:
            return _after(await self._gecko.price(wanted), why, note=match.note)
        except ToolError as error:
            error.args = (f"Neither provider gave it. Binance: {why} CoinGecko: {error}",)
            raise

    async def _price_now(self, match: Match) -> ToolReply:
        name = market(match)
        answer = await get(self._api, self._places, "/api/v3/ticker/24hr", {"symbol": name})
        if text_at(answer.data, ("symbol",)) != name or _value(answer.data, "lastPrice") is None:
            raise surprise(answer.name, f"no last price of {name}")
        at = moment_at(answer.data, ("closeTime",))
        points = _ticker_points(answer.data, (), match.asset.symbol, at, tuple(_TICKER))
        shown = facts(
            answer.data,
            [((field,), unit.format(match.asset.symbol)) for field, (_, unit) in _TICKER.items()],
        )
        title = f"{match.asset.name} ({match.asset.symbol}): market {name} at Binance, 24 hours"
        return await self._api.reply(answer, title, f"{shown}\n{match.note}".strip(), as_of=at, points=points)

    async def _price_then(self, match: Match) -> ToolReply:
        """Price and 24 hours before an earlier time, from the hours that were over by then."""
        asset = match.asset
        found = await candles(self._api, self._places, f"coingecko:{asset.id}", 1, "1h")
        rows = found.rows
        lines = ["| N | hour | open | high | low | close | volume |", "|---|---|---|---|---|---|---|"]
        for row in rows:
            values = (row.open, row.high, row.low, row.close, row.volume)
            lines.append(f"| {row.row} | {row.opened_at:%Y-%m-%d %H:%M} | {' | '.join(map(str, values))} |")
        lines.append("A value stands at /N/1 (open), 2 (high), 3 (low), 4 (close), 5 (volume).")
        at = rows[-1].closed_at
        reply = await self._api.reply(
            found.answer,
            f"{asset.name} ({asset.symbol}): hours of {found.market} at Binance until {stamp(at)}",
            "\n".join((*lines, match.note)).strip(),
            as_of=at,
            points=found.points(),
        )
        mark = self._api.points[-1].source
        change = {"old": _operands(mark, rows[:1], "open"), "new": _operands(mark, rows[-1:], "close")}
        told = [f"Price at {stamp(at)}: {rows[-1].close} {QUOTE} [{mark}]."]
        for function, field, inputs, unit in (
            ("percentage_change", "change_24h", change, "per cent"),
            ("maximum", "high_24h", {"values": _operands(mark, rows, "high")}, QUOTE),
            ("minimum", "low_24h", {"values": _operands(mark, rows, "low")}, QUOTE),
            ("total", "volume_24h", {"values": _operands(mark, rows, "volume")}, asset.symbol),
        ):
            facets = Facets(asset=asset.symbol, field=field, unit=unit, at=at)
            value = await self._api.compute(function, inputs, facets=facets)
            told.append(f"{field}: {value.result} {unit} [{value.id}].")
        return reply.model_copy(update={"text": "\n".join((reply.text, *told))})

    async def gainers(self, arguments: RankingArguments) -> ToolReply:
        """Gainers and losers among Binance's markets, else among CoinGecko's largest coins."""
        self._api.live_only("The ranking of all markets")
        try:
            return await self._gainers_of_binance(arguments.top_n)
        except _NEXT as error:
            why = error
        replies = [
            await self._gecko.markets(
                MarketsArguments(order_by=order, limit=arguments.top_n, min_volume=LIQUID_USD)
            )
            for order in ("gain_24h", "loss_24h")
        ]
        return _after(_joined(replies), why, note=_threshold("USD", "the 250 largest coins"))

    async def _gainers_of_binance(self, top_n: int) -> ToolReply:
        answer = await get(self._api, self._places, "/api/v3/ticker/24hr", {})
        every = [
            (path, row)
            for path, row in rows_of(answer.data, (), answer.name)
            if text_at(row, ("symbol",)).endswith(QUOTE) and _value(row, "priceChangePercent") is not None
        ]
        if not every:
            raise surprise(answer.name, f"no changes of markets in {QUOTE}")
        newest = max((at for _, row in every if (at := moment_at(row, ("closeTime",)))), default=None)
        liquid = [each for each in every if (_value(each[1], "quoteVolume") or 0) >= LIQUID_USD]
        liquid.sort(key=lambda each: _value(each[1], "priceChangePercent") or Decimal(0), reverse=True)
        if not liquid:
            raise DataNotAvailable(
                f"{answer.name} has no market in {QUOTE} that is liquid. Use another tool."
            )
        parts, points = [], []
        for head, rows in (
            ("Gainers", [each for each in liquid if (_value(each[1], "priceChangePercent") or 0) > 0]),
            ("Losers", [each for each in liquid[::-1] if (_value(each[1], "priceChangePercent") or 0) < 0]),
        ):
            parts.append(f"{head}:\n{table(rows[:top_n], _RANKING_COLUMNS)}")
            for path, row in rows[:top_n]:
                symbol = text_at(row, ("symbol",)).removesuffix(QUOTE)
                points += _ticker_points(row, path, symbol, moment_at(row, ("closeTime",)), _RANKED)
        shown = "\n\n".join((*parts, _threshold(QUOTE, f"Binance's {len(every)} markets in {QUOTE}")))
        title = "gainers and losers of 24 hours at Binance"
        return await self._api.reply(
            answer, title, shown, as_of=newest, points=points, displays=_tables(title, parts)
        )

    async def popular(self, arguments: RankingArguments) -> ToolReply:
        """What is searched most, then what is traded most, both by CoinGecko."""
        replies: list[ToolReply] = []
        faults: list[ToolError] = []
        for asking in (
            self._gecko.trending(NoArguments()),
            self._gecko.markets(MarketsArguments(order_by="volume", limit=arguments.top_n)),
        ):
            try:
                replies.append(await asking)
            except _NEXT as error:
                faults.append(error)
        if not replies:
            raise faults[0]
        said = "".join(f"\n(The other list is missing: {fault})" for fault in faults)
        joined = _joined(replies)
        return joined.model_copy(update={"text": joined.text + said})

    @property
    def _past(self) -> bool:
        return asked_at(self._api) < self._api.now


_RANKING_COLUMNS: Final = columns(
    f"symbol {' '.join(_RANKED)} highPrice lowPrice",
    {QUOTE: "lastPrice quoteVolume highPrice lowPrice", "per cent": "priceChangePercent"},
)


def _ticker_points(
    data: Json, path: Path, symbol: str, at: datetime | None, fields: Sequence[str]
) -> list[DataPoint]:
    return [
        DataPoint(
            source="",
            pointer=pointer((*path, name)),
            value=value,
            asset=symbol,
            field=_TICKER[name][0],
            unit=_TICKER[name][1].format(symbol),
            at=at,
        )
        for name in fields
        if (value := _value(data, name)) is not None
    ]


def _value(row: Json, field: str) -> Decimal | None:
    return decimal_at(row, (field,))


def _operands(mark: str, rows: Sequence[Candle], field: str) -> list[Operand]:
    return [Operand(source=mark, pointer=row.pointer(field)) for row in rows]


def _threshold(unit: str, among: str) -> str:
    return f"(Among {among}; liquid ones only: at least {LIQUID_USD:,} {unit} traded in 24 hours.)"


def _tables(title: str, parts: Sequence[str]) -> tuple[Display, ...]:
    markdown = "\n\n".join(part.replace(":\n", ":\n\n", 1) for part in parts)
    return (Display(kind="table", title=title, markdown=markdown),)


def _joined(replies: Sequence[ToolReply]) -> ToolReply:
    return ToolReply(
        text="\n\n".join(reply.text for reply in replies),
        displays=tuple(display for reply in replies for display in reply.displays),
    )


def _after(reply: ToolReply, why: ToolError, *, note: str = "") -> ToolReply:
    """A reply of the second provider, which says so."""
    said = f"(Order of providers: Binance, then CoinGecko. Binance could not be had: {why})"
    return reply.model_copy(update={"text": "\n".join(filter(None, (reply.text, note, said)))})
