"""CoinGecko's keyless public API, version 3: prices, markets, details, histories, trends.

Source of paths, parameters and fields: https://docs.coingecko.com/reference (read in November 2026).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Final

from verifaible.crypto.assets.resolver import Match
from verifaible.crypto.tools.api import Api, tools_of
from verifaible.crypto.tools.coingecko_arguments import (
    PAGE_ROWS,
    CoinArguments,
    HistoryArguments,
    MarketsArguments,
    NoArguments,
    PriceArguments,
    SearchArguments,
)
from verifaible.crypto.tools.coins import PROVIDER, asked_at, resolve, search
from verifaible.crypto.tools.data import (
    Json,
    Number,
    Path,
    at,
    columns,
    decimal_at,
    facts,
    moment_at,
    places_by_time,
    pointer,
    rows_of,
    surprise,
    table,
    text_at,
)
from verifaible.errors import BadArguments, OfflineMiss
from verifaible.schema.data import DataPoint, Display
from verifaible.schema.run import ToolReply
from verifaible.tools.toolbox import Tool

BASE: Final = "https://api.coingecko.com/api/v3"
_POINTS: Final = 32


def tools(api: Api, base: str = BASE) -> tuple[Tool[Any], ...]:
    """The tools of CoinGecko over one session."""
    provider = CoinGecko(api, base)
    return tools_of(
        "coingecko",
        provider.price,
        provider.markets,
        provider.coin,
        provider.history,
        provider.global_,
        provider.trending,
        provider.search,
    )


class CoinGecko:
    """The handlers; the model is told the docstring of each."""

    def __init__(self, api: Api, base: str) -> None:
        self._api = api
        self._base = base.rstrip("/")

    async def search(self, arguments: SearchArguments) -> ToolReply:
        """Find a coin's id at CoinGecko, where a ticker or name is unclear."""
        self._live_only("search, which ranks coins by what is known today")
        answer = await search(self._api, self._base, arguments.query)
        rows = rows_of(answer.data, ("coins",), answer.name)
        if not rows:
            raise BadArguments(
                f"CoinGecko finds no coin for {arguments.query!r}. Try the full name or the ticker, or "
                "search the web."
            )
        shown = table(rows, columns("id symbol name market_cap_rank"))
        return await self._api.reply(answer, f"search for {arguments.query!r}", shown)

    async def price(self, arguments: PriceArguments) -> ToolReply:
        """Price, market cap, 24h volume and 24h change of up to 10 coins, now (CoinGecko)."""
        coins = [await self._coin(each) for each in dict.fromkeys(arguments.coins)]
        if self._past:
            replies = [await self._price_then(coin, arguments.currency.casefold()) for coin in coins]
            return ToolReply(text="\n\n".join(reply.text for reply in replies))
        ids = sorted({coin.asset.id for coin in coins})
        try:
            return await self._prices(ids, coins, arguments.currency)
        except OfflineMiss:
            if len(ids) == 1:
                raise
            # an archive has the coins that were asked for when it was made, each by itself
            replies = [await self._prices([each], coins, arguments.currency) for each in ids]
            return ToolReply(text="\n\n".join(reply.text for reply in replies))

    async def _prices(self, ids: Sequence[str], coins: Sequence[Match], currency: str) -> ToolReply:
        unit = currency.casefold()
        query = {
            "ids": ",".join(ids),
            "vs_currencies": unit,
            "include_market_cap": "true",
            "include_24hr_vol": "true",
            "include_24hr_change": "true",
            "include_last_updated_at": "true",
        }
        answer = await self._api.get(PROVIDER, f"{self._base}/simple/price", query)
        if not isinstance(answer.data, dict):
            raise surprise(answer.name, "no object at its root")
        rows = [((each,), row) for each, row in answer.data.items() if isinstance(row, dict) and unit in row]
        if not rows:
            raise BadArguments(
                f"CoinGecko has no price of {', '.join(ids)} in {unit}. Use usd, or another coin."
            )
        heads = columns(
            f"{unit} {unit}_market_cap {unit}_24h_vol {unit}_24h_change last_updated_at",
            {"per cent": f"{unit}_24h_change", "seconds since 1970": "last_updated_at"},
        )
        moments = [found for _, row in rows if (found := moment_at(row, ("last_updated_at",)))]
        notes = "\n".join(dict.fromkeys(coin.note for coin in coins if coin.note and coin.asset.id in ids))
        shown = f"{table(rows, heads)}\n{notes}".strip()
        title = f"price of {', '.join(ids)} in {unit}"
        symbols = {coin.asset.id: coin.asset.symbol for coin in coins}
        points = [
            point
            for path, row in rows
            for point in _points(
                row, path, symbols[str(path[0])], unit, _PRICE_FIELDS, updated="last_updated_at"
            )
        ]
        return await self._api.reply(answer, title, shown, as_of=min(moments, default=None), points=points)

    async def _price_then(self, coin: Match, unit: str) -> ToolReply:
        """The prices of the day before an earlier time."""
        wanted = HistoryArguments(coin=f"coingecko:{coin.asset.id}", days=1, currency=unit)
        reply = await self.history(wanted)
        return reply.model_copy(update={"text": f"{reply.text}\n{coin.note}".strip()})

    async def coin(self, arguments: CoinArguments) -> ToolReply:
        """Everything CoinGecko knows of one coin: market data, supply, all-time high and low, categories,
        links, genesis date, contracts.
        """
        self._live_only("details of a coin")
        coin = await self._coin(arguments.coin)
        query = {
            "localization": "false",
            "tickers": "false",
            "market_data": "true",
            "community_data": "false",
            "developer_data": "false",
            "sparkline": "false",
        }
        answer = await self._api.get(PROVIDER, f"{self._base}/coins/{coin.asset.id}", query)
        if not text_at(answer.data, ("id",)):
            raise surprise(answer.name, "no id of a coin")
        shown = facts(answer.data, _coin_facts(arguments.currency.casefold()))
        points = _points(
            answer.data, (), coin.asset.symbol, arguments.currency, _DETAIL_FIELDS, updated="last_updated"
        )
        return await self._api.reply(
            answer,
            f"{coin.asset.name} ({coin.asset.symbol})",
            f"{shown}\n{coin.note}".strip(),
            as_of=moment_at(answer.data, ("last_updated",)),
            points=points,
        )

    async def markets(self, arguments: MarketsArguments) -> ToolReply:
        """Coins by market cap with price, volume, supply, changes over 1h/24h/7d/30d and all-time high; can
        be ordered and filtered (CoinGecko).
        """
        self._live_only("list of markets")
        query = {"vs_currency": arguments.currency.casefold()}
        if arguments.category.strip():
            query["category"] = arguments.category.strip()
        query |= {
            "order": "volume_desc" if arguments.order_by == "volume" else "market_cap_desc",
            "per_page": str(PAGE_ROWS),
            "page": str(arguments.page),
            "sparkline": "false",
            "price_change_percentage": "1h,24h,7d,30d",
        }
        answer = await self._api.get(PROVIDER, f"{self._base}/coins/markets", query)
        every = rows_of(answer.data, (), answer.name)
        rows = [each for each in every if _wanted(each[1], arguments)]
        _order(rows, arguments.order_by)
        if not rows:
            raise BadArguments(
                f"None of the {len(every)} coins of page {arguments.page} fits. Widen the filters, or take "
                "the next page."
            )
        moments = [found for _, row in rows if (found := moment_at(row, ("last_updated",)))]
        shown = table(rows[: arguments.limit], _MARKET_COLUMNS, of=len(rows))
        title = f"markets in {query['vs_currency']}, page {arguments.page}" + (
            f", category {query['category']}" if "category" in query else ""
        )
        points = [
            point
            for path, row in rows[: arguments.limit]
            for point in _points(
                row,
                path,
                text_at(row, ("symbol",)),
                query["vs_currency"],
                _MARKET_FIELDS,
                updated="last_updated",
            )
        ]
        seen = Display(kind="table", title=title, markdown=table(rows[: arguments.limit], _SEEN_COLUMNS))
        return await self._api.reply(
            answer, title, shown, as_of=min(moments, default=None), points=points, displays=(seen,)
        )

    async def history(self, arguments: HistoryArguments) -> ToolReply:
        """Daily price, market cap and volume of a coin: the last days, or between two dates (CoinGecko)."""
        coin = await self._coin(arguments.coin)
        unit = arguments.currency.casefold()
        if arguments.start and arguments.end:
            begun = datetime.combine(arguments.start, time(), UTC)
            until = datetime.combine(arguments.end + timedelta(days=1), time(), UTC)
            told = f"{arguments.start} to {arguments.end}"
        else:
            until = asked_at(self._api)
            begun = until - timedelta(days=arguments.days)
            told = f"last {arguments.days} days" + (
                f" before {until:%Y-%m-%d %H:%M} UTC" if self._past else ""
            )
        if self._past or arguments.start:
            until = min(until, asked_at(self._api)) if self._past else until
            path = f"{self._base}/coins/{coin.asset.id}/market_chart/range"
            query = {
                "vs_currency": unit,
                "from": str(int(begun.timestamp())),
                "to": str(int(until.timestamp())),
            }
        else:
            path = f"{self._base}/coins/{coin.asset.id}/market_chart"
            query = {"vs_currency": unit, "days": str(arguments.days), "interval": "daily"}
        answer = await self._api.get(PROVIDER, path, query)
        shown, last, points = _series(answer.data, answer.name, unit, coin.asset.symbol)
        return await self._api.reply(
            answer,
            f"history of {coin.asset.name} in {unit}, {told}",
            f"{shown}\n{coin.note}".strip(),
            as_of=last,
            points=points,
        )

    async def global_(self, arguments: NoArguments) -> ToolReply:
        """The whole crypto market: total market cap, volume, dominance of BTC and ETH (CoinGecko)."""
        self._live_only("figures of the whole market")
        answer = await self._api.get(PROVIDER, f"{self._base}/global")
        if not isinstance(at(answer.data, ("data",)), dict):
            raise surprise(answer.name, "no object at /data")
        shown = facts(answer.data, _GLOBAL_FACTS)
        return await self._api.reply(
            answer, "the whole market", shown, as_of=moment_at(answer.data, ("data", "updated_at"))
        )

    async def trending(self, arguments: NoArguments) -> ToolReply:
        """What is searched most at CoinGecko in the last 24 hours: coins, categories, NFTs."""
        self._live_only("trending searches")
        answer = await self._api.get(PROVIDER, f"{self._base}/search/trending")
        coins = rows_of(answer.data, ("coins",), answer.name)
        parts = [table(coins, _TRENDING_COLUMNS)]
        points = [
            point
            for path, row in coins
            for point in _points(row, path, text_at(row, ("item", "symbol")), "usd", _TRENDING_FIELDS)
        ]
        for name in ("categories", "nfts"):
            if isinstance(at(answer.data, (name,)), list) and (
                rows := rows_of(answer.data, (name,), answer.name)
            ):
                parts.append(f"{name}:\n{table(rows[:7], _TRENDING_MORE)}")
        title = "trending searches of the last 24 hours"
        seen = Display(kind="table", title=title, markdown=parts[0])
        return await self._api.reply(answer, title, "\n\n".join(parts), points=points, displays=(seen,))

    @property
    def _past(self) -> bool:
        return asked_at(self._api) < self._api.now

    def _live_only(self, what: str) -> None:
        self._api.live_only(f"CoinGecko's {what}")

    async def _coin(self, written: str) -> Match:
        return await resolve(self._api, self._base, written)


_MARKET_COLUMNS: Final = columns(
    "id symbol name market_cap_rank current_price market_cap fully_diluted_valuation total_volume "
    "price_change_percentage_1h_in_currency price_change_percentage_24h "
    "price_change_percentage_7d_in_currency price_change_percentage_30d_in_currency "
    "circulating_supply max_supply ath ath_change_percentage ath_date last_updated"
)
#: What the numbers of each answer count, and in which unit: {0} is the currency, {1} the coin.
_SERIES: Final = {"prices": "price", "market_caps": "market_cap", "total_volumes": "volume_24h"}
_PRICE_FIELDS: Final = {
    "{0}": ("price", "{0}"),
    "{0}_market_cap": ("market_cap", "{0}"),
    "{0}_24h_vol": ("volume_24h", "{0}"),
    "{0}_24h_change": ("change_24h", "per cent"),
}
_CHANGES: Final = {
    f"price_change_percentage_{period}{ending}": (f"change_{period}", "per cent")
    for period in ("1h", "24h", "7d", "30d")
    for ending in ("", "_in_currency")
}
_SUPPLY: Final = {f"{each}_supply": (f"{each}_supply", "{1}") for each in ("circulating", "total", "max")}
_MARKET_FIELDS: Final = {
    "current_price": ("price", "{0}"),
    "market_cap": ("market_cap", "{0}"),
    "market_cap_rank": ("market_cap_rank", ""),
    "fully_diluted_valuation": ("fully_diluted_valuation", "{0}"),
    "total_volume": ("volume_24h", "{0}"),
    "ath": ("ath", "{0}"),
    "ath_change_percentage": ("ath_change", "per cent"),
    **_CHANGES,
    **_SUPPLY,
}
_MONEY: Final = {
    "current_price": "price",
    "market_cap": "market_cap",
    "fully_diluted_valuation": "fully_diluted_valuation",
    "total_volume": "volume_24h",
    **{each: each for each in ("high_24h", "low_24h", "ath", "atl")},
}
_DETAIL_FIELDS: Final = {
    "market_cap_rank": ("market_cap_rank", ""),
    **{f"market_data/{name}/{{0}}": (field, "{0}") for name, field in _MONEY.items()},
    "market_data/ath_change_percentage/{0}": ("ath_change", "per cent"),
    **{f"market_data/{name}": told for name, told in (_CHANGES | _SUPPLY).items()},
}
_TRENDING_FIELDS: Final = {
    "item/market_cap_rank": ("market_cap_rank", ""),
    "item/data/price": ("price", "{0}"),
    "item/data/price_change_percentage_24h/{0}": ("change_24h", "per cent"),
}
#: What a person sees of the markets.
_SEEN_COLUMNS: Final = columns(
    "symbol name current_price price_change_percentage_24h total_volume market_cap",
    {"per cent": "price_change_percentage_24h"},
)
_TRENDING_COLUMNS: Final = columns(
    "item/id item/symbol item/name item/market_cap_rank item/data/price "
    "item/data/price_change_percentage_24h/usd item/data/market_cap item/data/total_volume",
    {"USD": "price"},
)
_TRENDING_MORE: Final = columns(
    "name market_cap_1h_change floor_price_24h_percentage_change data/floor_price"
)
_GLOBAL_FACTS: Final[tuple[tuple[Path, str], ...]] = tuple(
    (("data", *path), unit)
    for path, unit in (
        (("active_cryptocurrencies",), ""),
        (("markets",), ""),
        (("total_market_cap", "usd"), "USD"),
        (("total_volume", "usd"), "USD, 24h"),
        (("market_cap_percentage", "btc"), "per cent"),
        (("market_cap_percentage", "eth"), "per cent"),
        (("market_cap_change_percentage_24h_usd",), "per cent"),
        (("updated_at",), "seconds since 1970"),
    )
)


def _coin_facts(unit: str) -> tuple[tuple[Path, str], ...]:
    """What the model is shown of a coin's details."""
    money = (
        *("current_price", "market_cap", "fully_diluted_valuation", "total_volume", "high_24h", "low_24h"),
        *("ath", "atl"),
    )
    changes = tuple(
        f"price_change_percentage_{period}" for period in ("24h", "7d", "30d", "60d", "200d", "1y")
    )
    names: tuple[tuple[Path, str], ...] = (
        *(
            ((name,), "")
            for name in ("id", "symbol", "name", "market_cap_rank", "genesis_date", "categories")
        ),
        *((("market_data", name, unit), unit.upper()) for name in money),
        *((("market_data", name, unit), "") for name in ("ath_date", "atl_date")),
        *((("market_data", name, unit), "per cent") for name in ("ath_change_percentage",)),
        *((("market_data", name), "per cent") for name in changes),
        *((("market_data", name), "") for name in ("circulating_supply", "total_supply", "max_supply")),
        (("sentiment_votes_up_percentage",), "per cent"),
        *((("links", name), "") for name in ("homepage", "whitepaper", "blockchain_site")),
        (("platforms",), ""),
        (("description", "en"), ""),
        (("last_updated",), ""),
    )
    return names


def _wanted(row: Json, arguments: MarketsArguments) -> bool:
    """Whether a row of the markets fits the filters; what it does not state fits none."""

    def least(name: str, limit: float | None) -> bool:
        value = decimal_at(row, (name,))
        return limit is None or (value is not None and value >= Decimal(str(limit)))

    most, cap = arguments.max_market_cap, decimal_at(row, ("market_cap",))
    return (
        least("market_cap", arguments.min_market_cap)
        and least("total_volume", arguments.min_volume)
        and (most is None or (cap is not None and cap <= Decimal(str(most))))
        and least("price_change_percentage_24h", arguments.min_change_24h)
        and least("ath_change_percentage", None if arguments.near_ath is None else -abs(arguments.near_ath))
    )


def _order(rows: list[tuple[Path, dict[str, Json]]], by: str) -> None:
    """Put rows in order, where it is not the provider's own; those without the value come last."""
    names = {"24h": "price_change_percentage_24h", "7d": "price_change_percentage_7d_in_currency"}
    kind, _, period = by.partition("_")
    if kind not in {"gain", "loss"}:
        return
    sign = -1 if kind == "gain" else 1

    def key(each: tuple[Path, dict[str, Json]]) -> tuple[bool, Decimal]:
        value = decimal_at(each[1], (names[period],))
        return value is None, sign * (value or Decimal(0))

    rows.sort(key=key)


def _points(
    data: Json,
    path: Path,
    symbol: str,
    currency: str,
    fields: Mapping[str, tuple[str, str]],
    *,
    updated: str = "",
) -> list[DataPoint]:
    """The numbers of a row as data points.

    In the places and units of ``fields`` {0} is the currency, {1} the coin; ``updated`` is where the row says
    of what time it is.
    """
    symbol, moment = symbol.upper(), moment_at(data, (updated,)) if updated else None
    found = []
    for name, (field, unit) in fields.items():
        place = *path, *(int(part) if part.isdigit() else part for part in name.format(currency).split("/"))
        value = decimal_at(data, place[len(path) :])
        if value is not None:
            found.append(
                DataPoint(
                    source="",
                    pointer=pointer(place),
                    value=value,
                    asset=symbol,
                    field=field,
                    unit=unit.format(currency.upper(), symbol),
                    at=moment,
                )
            )
    return found


def _cell(data: Json, key: str, there: int | None, place: int) -> str:
    """A value as it is shown, with its place where that is not the one of the price."""
    value = None if there is None else at(data, (key, there, 1))
    if not isinstance(value, Number):
        return ""
    return str(value) if there == place else f"{value} (/{key}/{there}/1)"


def _series(data: Json, name: str, unit: str, symbol: str) -> tuple[str, datetime | None, list[DataPoint]]:
    """A history as a table, evenly thinned for the model where it is long; the time of its last point; the
    numbers that are shown.
    """
    prices = at(data, ("prices",))
    if not isinstance(prices, list) or not prices:
        raise surprise(name, "no list at /prices")
    step = max(1, -(-len(prices) // _POINTS))
    places = sorted({*range(0, len(prices), step), len(prices) - 1})
    lines = [
        f"Values in {unit.upper()}; a value stands at /prices/N/1, /market_caps/N/1 or /total_volumes/N/1.",
        "| N | day | price | market cap | volume |",
        "|---|---|---|---|---|",
    ]
    points: list[DataPoint] = []
    by_time = {key: places_by_time(data, key) for key in _SERIES}
    moments = {place: moment for place in places if (moment := moment_at(data, ("prices", place, 0)))}
    for place, moment in moments.items():
        own = {key: there for key, found in by_time.items() if (there := found.get(moment)) is not None}
        fields = {f"{key}/{there}/1": (_SERIES[key], "{0}") for key, there in own.items()}
        points += [each.model_copy(update={"at": moment}) for each in _points(data, (), symbol, unit, fields)]
        shown = [_cell(data, key, own.get(key), place) for key in _SERIES]
        lines.append(f"| {place} | {moment:%Y-%m-%d} | {' | '.join(shown)} |")
    if step > 1:
        lines.append(f"(Every {step}th of {len(prices)} points is shown; the source holds all.)")
    last = moment_at(data, ("prices", len(prices) - 1, 0))
    return "\n".join(line for line in lines if line), last, points
