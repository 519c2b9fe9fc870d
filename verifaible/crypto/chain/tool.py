"""The tool for large transfers, by the name that the Coinvisor paper gives it."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, Final

from pydantic import Field

from verifaible.crypto.assets.resolver import Match
from verifaible.crypto.assets.resolver import resolve as by_table
from verifaible.crypto.chain.explorer import Explorer
from verifaible.crypto.chain.large import (
    Large,
    LargeTransfers,
    Listed,
    distinct,
    read_large,
)
from verifaible.crypto.chain.node import PUBLIC_NODE, Node, RpcNode, sealed
from verifaible.crypto.chain.parties import Party
from verifaible.crypto.chain.transfers import ETHER, NATIVE_BLOCKS, checksummed, plain
from verifaible.crypto.periods import stamp
from verifaible.crypto.tools.api import Api, ApiAnswer
from verifaible.crypto.tools.coins import PROVIDER, resolve
from verifaible.crypto.tools.endpoint import Places
from verifaible.crypto.tools.values import at, pointer, text_at
from verifaible.errors import DataNotAvailable
from verifaible.schema.base import Record
from verifaible.schema.data import Computed, DataPoint, Display, Facets, Operand
from verifaible.schema.run import ToolReply
from verifaible.tools.presenting import one_line
from verifaible.tools.toolbox import Tool

#: What the table of assets has in place of a contract for a chain's own coin.
NATIVE: Final = "native"
_CONTRACT = re.compile(r"0x[0-9a-fA-F]{40}")
_DETAILS: Final = {
    "localization": "false",
    "tickers": "false",
    "market_data": "true",
    "community_data": "false",
    "developer_data": "false",
    "sparkline": "false",
}


class OnChainArguments(Record):
    """Arguments of ``onChainInfoTool``."""

    symbol: str = Field(
        min_length=1, max_length=80, description="Ticker, such as ETH; or a contract's address."
    )
    hours: int = Field(24, ge=1, le=168, description="How far back.")
    limit: int = Field(10, ge=1, le=25, description="How many of the largest are shown.")


def tools(
    api: Api, gecko: str = Places().coingecko, node: Node | None = None, least_usd: Decimal | None = None
) -> tuple[Tool[Any], ...]:
    """The tool over one session.

    Args:
        api: of the session.
        gecko: CoinGecko's address, for contracts and prices.
        node: whom the chain is read from; default: the one that is set, offline the replica.
        least_usd: from which value on a transfer is large, in US dollars; default: as it is set.
    """
    asked = node or node_of(api)
    least = least_usd or api.web.settings.large_transfer_usd

    async def large(arguments: OnChainArguments) -> ToolReply:
        listed = await listed_coin(api, gecko, arguments.symbol)
        found = await read_large(
            api,
            asked,
            gecko,
            listed,
            hours=arguments.hours,
            least_usd=least,
            shown=arguments.limit,
        )
        return await _Telling(api, listed, found, arguments.limit).reply()

    return (
        Tool(
            "onChainInfoTool",
            "Recent large transfers of a token on Ethereum, valued at their time's price: senders and "
            "receivers by class, likely intent (often unknown), repeated patterns. Needs the ticker.",
            OnChainArguments,
            large,
        ),
    )


def node_of(api: Api) -> Node:
    """The node that is set, else Etherscan where its key is, else the public node; offline its replica."""
    address, key = api.web.settings.eth_rpc, api.web.settings.etherscan_api_key
    if api.web.mode == "offline" or (address is None and key is None):
        return RpcNode(api, PUBLIC_NODE)
    if address is not None:
        return RpcNode(api, address.get_secret_value())
    return Explorer(api, key.get_secret_value() if key else "")


async def listed_coin(api: Api, gecko: str, written: str) -> Listed:
    """The coin that a ticker, a name or a contract's address means, with its contract on Ethereum.

    Raises:
        AmbiguousAsset: several bear the name.
        BadArguments: there is none.
        DataNotAvailable: it is not on Ethereum; says what can be had instead.
    """
    base, given = gecko.rstrip("/"), written.strip()
    if not _CONTRACT.fullmatch(given):
        match = await resolve(api, base, given)
    elif not isinstance(known := by_table(given, "ethereum"), Match):
        answer = await api.get(PROVIDER, f"{base}/coins/ethereum/contract/{given.lower()}")
        identity, name, symbol = (text_at(answer.data, (key,)) for key in ("id", "name", "symbol"))
        # whoever made the token chose these words, and they are told beside the data
        return Listed(identity, one_line(name, 80), one_line(symbol.upper(), 40), given)
    else:
        match = known
    asset = match.asset
    contracts = asset.contracts or await _platforms(api, base, asset.id)
    contract = contracts.get("ethereum", "")
    if contract != NATIVE and not _CONTRACT.fullmatch(contract):
        chains = ", ".join(sorted(filter(None, contracts)))
        raise DataNotAvailable(
            f"{asset.name} ({asset.symbol}) has no contract on Ethereum, and transfers are read from that "
            f"chain alone{f' (it is on {chains})' if chains else ''}. Use realTimeMarketInfoTool for price "
            "and volume; if a wrapped token on Ethereum is meant (WBTC for BTC), call again with that."
        )
    return Listed(asset.id, asset.name, asset.symbol, "" if contract == NATIVE else contract, match.note)


async def _platforms(api: Api, base: str, identity: str) -> dict[str, str]:
    """The contracts of a coin that the table of assets has none of, by chain."""
    answer = await api.get(PROVIDER, f"{base}/coins/{identity}", _DETAILS)
    platforms = at(answer.data, ("platforms",))
    if not isinstance(platforms, dict):
        return {}
    return {chain: address for chain, address in platforms.items() if isinstance(address, str)}


class _Telling:
    """What is said of large transfers: answers sealed, amounts computed from their bytes."""

    def __init__(self, api: Api, listed: Listed, found: LargeTransfers, limit: int) -> None:
        self._api = api
        self._listed = listed
        self._found = found
        self._shown = found.large[:limit]
        self._asset = listed.symbol  # what a contract calls itself is anybody's words
        self._marks: dict[int, str] = {}

    async def reply(self) -> ToolReply:
        """The reply, with a table for the person."""
        found, api = self._found, self._api
        answers = distinct([each.transfer.told for each in found.large]) or distinct(found.told[:1])
        title = f"large transfers of {self._asset} on Ethereum"
        for told in (*answers, *distinct(found.told)):
            await self._seal(told.source, title)
        await self._seal(found.prices.answer, f"prices of {self._listed.name}")
        rows = [await self._row(each) for each in self._shown]
        table = "\n".join((_HEAD, *rows)) if rows else "None."
        shown = "\n".join(filter(None, (table, *await self._totals(), *self._limits(), *self._signals())))
        main = await api.reply(
            answers[0].source,
            title,
            shown,
            as_of=found.head.time,
            displays=[
                Display(kind="table", title=title, sources=tuple(self._marks.values()), markdown=table)
            ],
        )
        if not rows:
            return main
        return ToolReply(text=f"{main.text}\n\n{await self._prices()}", displays=main.displays)

    async def _seal(self, answer: ApiAnswer, title: str) -> str:
        if id(answer) not in self._marks:
            self._marks[id(answer)] = await sealed(self._api, answer, title)
        return self._marks[id(answer)]

    async def _row(self, large: Large) -> str:
        found = self._found
        amount = await self._api.compute(
            "scaled",
            {"value": [self._raw(large)]},
            parameters={"decimals": str(found.token.decimals)},
            facets=Facets(asset=self._asset, field="transfer", unit=self._asset, at=large.at),
        )
        usd = await self._api.compute(
            "product",
            {"factors": [Operand(source=amount.id), self._price(large)]},
            facets=Facets(asset=self._asset, field="transfer_value", unit="USD", at=large.at),
        )
        cells = (
            f"{large.at:%Y-%m-%d %H:%M:%S}",
            f"{plain(amount.result)} {self._asset} [{amount.id}]",
            f"{usd.result:,.2f} USD [{usd.id}]",
            _told(large.sender),
            _told(large.receiver),
            large.intent,
            large.transfer.tx,
        )
        return f"| {' | '.join(cells)} |"

    async def _totals(self) -> list[str]:
        """How many there are and what they are worth together, computed from the sealed bytes too."""
        found = self._found
        if not found.large:
            return []
        amounts = [self._raw(each) for each in found.large]
        facets = Facets(asset=self._asset, field="large_transfers", at=found.head.time)
        number = await self._api.compute("count", {"values": amounts}, facets=facets)
        units = await self._api.compute(
            "sum_of_products",
            {"amounts": amounts, "prices": [self._price(each) for each in found.large]},
            facets=Facets(asset=self._asset, field="large_transfers_value_in_smallest_units", unit="USD"),
        )
        worth: Computed = await self._api.compute(
            "scaled",
            {"value": [Operand(source=units.id)]},
            parameters={"decimals": str(found.token.decimals)},
            facets=Facets(asset=self._asset, field="large_transfers_value", unit="USD", at=found.head.time),
        )
        return [
            f"In all {number.result} [{number.id}] of at least {found.least_usd:,} USD, together "
            f"{worth.result:,.2f} USD [{worth.id}]; the largest {len(self._shown)} are shown."
        ]

    def _limits(self) -> list[str]:
        """What was read and what was not."""
        found = self._found
        span = (
            f"Read: blocks {found.found.first} to {found.head.number}, {found.since:%Y-%m-%d %H:%M:%S} to "
            f"{found.head.time:%Y-%m-%d %H:%M:%S} UTC, {len(found.found.transfers)} transfers."
        )
        ether = found.token == ETHER
        busy = "There are so many transfers that older ones were not read, although they were asked for."
        return [
            span,
            busy if found.found.cut else "",
            f"Ether is read from the newest {NATIVE_BLOCKS} blocks only, and without what contracts send on."
            if ether
            else "",
            f"{found.found.others} logs are not of a token with indexed parties and were left out."
            if found.found.others
            else "",
            f"{found.unvalued} have no price of their time and were left out." if found.unvalued else "",
            f"{found.passed_over} further ones may be large and were not looked at."
            if found.passed_over
            else "",
            "unknown is common and right: most accounts have no public label. A class says what an address "
            "is, not why it sent.",
            f"The contract calls itself {one_line(found.token.symbol, 40)}."
            if found.token.symbol.casefold() != self._asset.casefold()
            else "",
            self._listed.note,
        ]

    def _signals(self) -> list[str]:
        return [
            f"Pattern ({signal.rule}): {signal.meaning} "
            f"({', '.join(f'{key} {value}' for key, value in signal.parameters.items())}): "
            f"{', '.join(dict.fromkeys(row.tx for row in signal.rows))}. A pattern has many harmless causes."
            for signal in self._found.signals[:_MOST_SIGNALS]
        ]

    async def _prices(self) -> str:
        """The prices that were used, each a value of its own."""
        used = {each.price.path: each.price for each in self._shown}
        points = [
            DataPoint(
                asset=self._asset,
                field="price",
                unit="USD",
                at=price.at,
                source="",
                pointer=pointer(path),
                value=price.usd,
            )
            for path, price in sorted(used.items(), key=lambda each: each[1].at)
        ]
        lines = [f"{each.pointer}: {each.value} USD at {stamp(each.at)}" for each in points if each.at]
        reply = await self._api.reply(
            self._found.prices.answer,
            f"prices of {self._listed.name}",
            "\n".join(lines),
            as_of=self._found.prices.prices[-1].at,
            points=points,
        )
        return reply.text

    def _raw(self, large: Large) -> Operand:
        told = large.transfer.told
        return Operand(source=self._marks[id(told.source)], pointer=pointer(large.transfer.path))

    def _price(self, large: Large) -> Operand:
        return Operand(source=self._marks[id(self._found.prices.answer)], pointer=pointer(large.price.path))


_MOST_SIGNALS: Final = 10
_HEAD: Final = (
    "| time (UTC) | amount | value then | sender | receiver | intent | transaction |\n" + "|---" * 7 + "|"
)


def _told(party: Party) -> str:
    kind = "zero or burn address" if party.kind == "null" else party.kind
    named = f" ({party.name})" if party.name else ""
    return f"{kind}{named} {checksummed(party.address)}"
