"""DefiLlama's keyless public APIs: protocols, chains, TVL, stablecoins, yields, DEX volumes, fees.

Source of paths, parameters and fields: https://api-docs.defillama.com (read in November 2026).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Final
from urllib.parse import quote

from rapidfuzz import process

from verifaible.crypto.tools.api import Api, ApiAnswer, tools_of
from verifaible.crypto.tools.data import (
    Column,
    Json,
    Number,
    Path,
    at,
    columns,
    decimal_at,
    facts,
    matching,
    moment_at,
    rows_of,
    surprise,
    table,
    text_at,
)
from verifaible.crypto.tools.defillama_arguments import (
    ChainsArguments,
    FeesArguments,
    OverviewArguments,
    ProtocolArguments,
    ProtocolsArguments,
    StablecoinsArguments,
    TvlArguments,
    YieldsArguments,
)
from verifaible.errors import BadArguments
from verifaible.schema.run import ToolReply
from verifaible.tools.toolbox import Tool

PROVIDER: Final = "DefiLlama"
BASE: Final = "https://api.llama.fi"
STABLECOINS: Final = "https://stablecoins.llama.fi"
YIELDS: Final = "https://yields.llama.fi"
_NEAREST: Final = 5
_POINTS: Final = 32
#: Charts are left out of overviews: the model reads the rows, and a capture need not hold years of them.
_NO_CHARTS: Final = {"excludeTotalDataChart": "true", "excludeTotalDataChartBreakdown": "true"}


def tools(
    api: Api, base: str = BASE, stablecoins: str = STABLECOINS, yields: str = YIELDS
) -> tuple[Tool[Any], ...]:
    """The tools of DefiLlama over one session."""
    provider = _DefiLlama(api, base.rstrip("/"), stablecoins.rstrip("/"), yields.rstrip("/"))
    return tools_of(
        "defillama",
        provider.protocols,
        provider.protocol,
        provider.chains,
        provider.tvl,
        provider.stablecoins,
        provider.yields,
        provider.dex_volumes,
        provider.fees,
    )


class _DefiLlama:
    """The handlers; the model is told the docstring of each."""

    def __init__(self, api: Api, base: str, stablecoins: str, yields: str) -> None:
        self._api = api
        self._base, self._stablecoins, self._yields = base, stablecoins, yields

    async def protocols(self, arguments: ProtocolsArguments) -> ToolReply:
        """DeFi protocols by TVL, with category, chains and changes over 1h/1d/7d (DefiLlama)."""
        answer = await self._get(f"{self._base}/protocols")
        every = rows_of(answer.data, (), answer.name)
        rows = matching(every, category=arguments.category, chains=arguments.chain)
        if not rows:
            raise _none_fits(answer, every, {"category": arguments.category, "chains": arguments.chain})
        by, _, period = arguments.order_by.partition("_")
        if by == "tvl":
            path: tuple[str, ...] = (
                ("chainTvls", _own_name(every, arguments.chain)) if arguments.chain else ("tvl",)
            )
        else:
            path = (f"change_{period}",)
        _descending(rows, path, up=by == "loss")
        heads = list(_PROTOCOL_COLUMNS)
        if arguments.chain:
            heads.insert(4, Column(("chainTvls", _own_name(every, arguments.chain)), "USD"))
        named = " ".join(word for word in (arguments.category, arguments.chain) if word)
        title = f"protocols{f' ({named})' if named else ''}"
        return await self._api.reply(answer, title, table(rows[: arguments.limit], heads, of=len(rows)))

    async def protocol(self, arguments: ProtocolArguments) -> ToolReply:
        """One protocol: TVL by chain now, daily TVL of the last days, raises, hacks (DefiLlama)."""
        slug = await self._slug(arguments.protocol)
        answer = await self._get(f"{self._base}/protocol/{quote(slug, safe='')}")
        if not text_at(answer.data, ("name",)):
            raise surprise(answer.name, "no name of a protocol")
        shown, last = _tvl_series(answer, ("tvl",), "totalLiquidityUSD", arguments.days)
        parts = [facts(answer.data, _PROTOCOL_FACTS), _by_chain(answer.data), shown]
        for name in ("raises", "hacks"):
            listed = isinstance(at(answer.data, (name,)), list)
            if listed and (rows := rows_of(answer.data, (name,), answer.name)):
                heads = columns("date name round amount source leadInvestors technique")
                parts.append(f"{name} (amount in millions of USD):\n{table(rows[-8:], heads)}")
        return await self._api.reply(
            answer,
            f"protocol {text_at(answer.data, ('name',))}",
            "\n\n".join(filter(None, parts)),
            as_of=last,
        )

    async def chains(self, arguments: ChainsArguments) -> ToolReply:
        """TVL of chains now (DefiLlama)."""
        answer = await self._get(f"{self._base}/v2/chains")
        every = rows_of(answer.data, (), answer.name)
        rows = [row for name in arguments.chains for row in matching(every, name=name)]
        if missing := [name for name in arguments.chains if not matching(every, name=name)]:
            raise _none_fits(answer, every, {"name": missing[0]})
        if not arguments.chains:
            rows = [(path, row) for path, row in every]
            _descending(rows, ("tvl",))
        limit = max(arguments.limit, len(arguments.chains))
        heads = columns("name tokenSymbol tvl", {"USD": "tvl"})
        return await self._api.reply(answer, "TVL of chains", table(rows[:limit], heads, of=len(rows)))

    async def tvl(self, arguments: TvlArguments) -> ToolReply:
        """Daily TVL of a chain, or of all DeFi, over the last days (DefiLlama)."""
        path, title = "/v2/historicalChainTvl", "TVL of all DeFi"
        if arguments.chain.strip():
            chains = await self._get(f"{self._base}/v2/chains")
            every = rows_of(chains.data, (), chains.name)
            found = matching(every, name=arguments.chain)
            if not found:
                raise _none_fits(chains, every, {"name": arguments.chain})
            name = text_at(found[0][1], ("name",))
            path, title = f"{path}/{quote(name, safe='')}", f"TVL of {name}"
        answer = await self._get(f"{self._base}{path}")
        shown, last = _tvl_series(answer, (), "tvl", arguments.days)
        return await self._api.reply(answer, title, shown, as_of=last)

    async def stablecoins(self, arguments: StablecoinsArguments) -> ToolReply:
        """Stablecoins: circulating supply now, a day, a week and a month ago, price, peg (DefiLlama)."""
        answer = await self._get(f"{self._stablecoins}/stablecoins", {"includePrices": "true"})
        every = rows_of(answer.data, ("peggedAssets",), answer.name)
        rows = matching(every, symbol=arguments.symbol)
        if not rows:
            raise _none_fits(answer, every, {"symbol": arguments.symbol})
        _descending(rows, ("circulating", "peggedUSD"))
        shown = table(rows[: arguments.limit], _STABLECOIN_COLUMNS, of=len(rows))
        return await self._api.reply(answer, "stablecoins", shown)

    async def yields(self, arguments: YieldsArguments) -> ToolReply:
        """Yield pools, highest APY first, with TVL, base and reward APY, exposure (DefiLlama)."""
        answer = await self._get(f"{self._yields}/pools")
        every = rows_of(answer.data, ("data",), answer.name)
        rows = [
            each
            for each in matching(every, chain=arguments.chain, project=arguments.project)
            if _pool_fits(each[1], arguments)
        ]
        if not rows:
            wanted = {"chain": arguments.chain, "project": arguments.project}
            raise _none_fits(answer, every, wanted, "Lower min_tvl_usd, or leave a filter out.")
        _descending(rows, ("apy",))
        shown = table(rows[: arguments.limit], _POOL_COLUMNS, of=len(rows))
        words = (arguments.token, arguments.chain, arguments.project)
        named = " ".join(word for word in words if word)
        return await self._api.reply(answer, f"yield pools{f' ({named})' if named else ''}", shown)

    async def dex_volumes(self, arguments: OverviewArguments) -> ToolReply:
        """Trading volume of decentralised exchanges over 24h/7d/30d, all or on one chain (DefiLlama)."""
        return await self._overview("dexs", "DEX volumes", arguments, _NO_CHARTS)

    async def fees(self, arguments: FeesArguments) -> ToolReply:
        """Fees or revenue of protocols over 24h/7d/30d, all or on one chain (DefiLlama)."""
        kind = {"dataType": "dailyRevenue" if arguments.kind == "revenue" else "dailyFees"}
        return await self._overview("fees", arguments.kind, arguments, {**_NO_CHARTS, **kind})

    async def _overview(
        self, of: str, title: str, arguments: OverviewArguments, query: dict[str, str]
    ) -> ToolReply:
        chain = f"/{quote(arguments.chain.strip(), safe='')}" if arguments.chain.strip() else ""
        answer = await self._get(f"{self._base}/overview/{of}{chain}", query)
        every = rows_of(answer.data, ("protocols",), answer.name)
        rows: list[tuple[Path, Json]] = [(path, row) for path, row in every]
        if arguments.protocol.strip():
            rows = matching(every, displayName=arguments.protocol) or matching(every, name=arguments.protocol)
            if not rows:
                raise _none_fits(answer, every, {"name": arguments.protocol})
        _descending(rows, ("total24h",))
        totals = facts(answer.data, _OVERVIEW_FACTS)
        shown = table(rows[: arguments.limit], _OVERVIEW_COLUMNS, of=len(rows))
        where = f" on {arguments.chain.strip()}" if chain else ""
        return await self._api.reply(answer, f"{title}{where}", f"{totals}\n\n{shown}".strip())

    async def _get(self, url: str, query: Mapping[str, str] | None = None) -> ApiAnswer:
        """An answer; its histories have no bound of time, so that none is had of an earlier one."""
        self._api.live_only("What DefiLlama says")
        return await self._api.get(PROVIDER, url, query)

    async def _slug(self, written: str) -> str:
        """The slug of a protocol by its slug, name or ticker; the largest of several.

        Raises:
            BadArguments: there is none; the nearest are named.
        """
        answer = await self._get(f"{self._base}/protocols")
        every = rows_of(answer.data, (), answer.name)
        sought = written.strip().removeprefix("$")
        for field in ("slug", "name", "symbol"):
            rows = matching(every, **{field: sought})
            if rows:
                _descending(rows, ("tvl",))
                return text_at(rows[0][1], ("slug",))
        raise _none_fits(answer, every, {"name": sought})


_PROTOCOL_COLUMNS: Final = columns(
    "name symbol category chain tvl change_1h change_1d change_7d mcap slug",
    {"USD": "tvl mcap", "per cent": "change_1h change_1d change_7d"},
)
_PROTOCOL_FACTS: Final[tuple[tuple[Path, str], ...]] = (
    *(((name,), "") for name in ("name", "symbol", "category", "chains", "url", "description")),
    (("mcap",), "USD"),
    (("audits",), ""),
    (("listedAt",), "seconds since 1970"),
)
_STABLECOIN_COLUMNS: Final = columns(
    "name symbol pegType pegMechanism price circulating/peggedUSD circulatingPrevDay/peggedUSD "
    "circulatingPrevWeek/peggedUSD circulatingPrevMonth/peggedUSD"
)
_POOL_COLUMNS: Final = columns(
    "project chain symbol poolMeta tvlUsd apy apyBase apyReward apyMean30d stablecoin ilRisk exposure pool",
    {"per cent": "apy apyBase apyReward apyMean30d"},
)
_OVERVIEW_FACTS: Final[tuple[tuple[Path, str], ...]] = (
    *(((name,), "USD") for name in ("total24h", "total48hto24h", "total7d", "total30d")),
    *(((name,), "per cent") for name in ("change_1d", "change_7d", "change_1m")),
)
_OVERVIEW_COLUMNS: Final = columns(
    "displayName category total24h total7d total30d change_1d change_7d change_1m",
    {"USD": "total24h total7d total30d", "per cent": "change_1d change_7d change_1m"},
)


def _own_name(rows: Sequence[tuple[Path, dict[str, Json]]], chain: str) -> str:
    """A chain as the provider writes it."""
    sought = chain.strip().casefold()
    for _, row in rows:
        chains = row.get("chains")
        for each in chains if isinstance(chains, list) else []:
            if isinstance(each, str) and each.casefold() == sought:
                return each
    return chain.strip()


def _none_fits(
    answer: ApiAnswer, rows: Sequence[tuple[Path, dict[str, Json]]], wanted: dict[str, str], advice: str = ""
) -> BadArguments:
    """The error where no row fits: which word is unknown, and the nearest that are known."""
    for name, word in wanted.items():
        if not word.strip() or matching(rows, **{name: word}):
            continue
        known: dict[str, None] = {}
        for _, row in rows:
            value = row.get(name)
            known |= dict.fromkeys(
                each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)
            )
        near = process.extract(word, list(known), limit=_NEAREST, processor=str.casefold)
        listed = ", ".join(str(each[0]) for each in near)
        nearest = f"Nearest: {listed}. Call again with one of these" if listed else "Leave it out"
        return BadArguments(f"{answer.name} has no {name.removesuffix('s')} {word!r}. {nearest}.")
    return BadArguments(f"{answer.name} has nothing that fits all of it. {advice or 'Leave a filter out.'}")


def _descending(rows: list[tuple[Path, Json]], path: tuple[str, ...], *, up: bool = False) -> None:
    """Order rows by the number at a path, highest first; those without one come last."""

    def key(each: tuple[Path, Json]) -> tuple[bool, Decimal]:
        value = decimal_at(each[1], path)
        return value is None, (value or Decimal(0)) * (1 if up else -1)

    rows.sort(key=key)


def _pool_fits(row: Json, arguments: YieldsArguments) -> bool:
    tokens = text_at(row, ("symbol",)).casefold().replace("/", "-").split("-")
    tvl = decimal_at(row, ("tvlUsd",))
    return (
        (not arguments.token.strip() or arguments.token.strip().removeprefix("$").casefold() in tokens)
        and (not arguments.stablecoins_only or at(row, ("stablecoin",)) is True)
        and (not arguments.single_asset or text_at(row, ("exposure",)) == "single")
        and tvl is not None
        and tvl >= Decimal(str(arguments.min_tvl_usd))
    )


def _by_chain(data: Json) -> str:
    """The TVL of a protocol on each chain; keys with a hyphen are parts of others (borrowed, staking)."""
    now = at(data, ("currentChainTvls",))
    if not isinstance(now, dict):
        return ""
    found = [(name, value) for name, value in now.items() if isinstance(value, Number) and "-" not in name]
    found.sort(key=lambda each: -each[1].decimal)
    return facts(data, [(("currentChainTvls", name), "USD") for name, _ in found[:15]])


def _tvl_series(answer: ApiAnswer, path: Path, field: str, days: int) -> tuple[str, datetime | None]:
    """The last days of a daily series, and the time of its last point."""
    rows = rows_of(answer.data, path, answer.name)
    rows = [each for each in rows if moment_at(each[1], ("date",))][-days:]
    if not rows:
        raise surprise(answer.name, "no dated values")
    step = max(1, -(-len(rows) // _POINTS))
    chosen = [each for place, each in enumerate(reversed(rows)) if place % step == 0][::-1]
    lines = [f"| row | day | {field} (USD) |", "|---|---|---|"]
    for where, row in chosen:
        moment, value = moment_at(row, ("date",)), at(row, (field,))
        if moment and isinstance(value, Number):
            lines.append(f"| /{'/'.join(map(str, where))} | {moment:%Y-%m-%d} | {value} |")
    if step > 1:
        lines.append(f"(Every {step}th of the last {len(rows)} days is shown; the source holds all.)")
    return "\n".join(lines), moment_at(rows[-1][1], ("date",))
