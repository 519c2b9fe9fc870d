"""The tool for large transfers, by the name that the Coinvisor paper gives it."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from pydantic import Field

from verifaible.crypto.assets.resolver import Match, chain_id
from verifaible.crypto.assets.resolver import resolve as by_table
from verifaible.crypto.chain.large import Large, LargeTransfers, Listed, distinct, read_large
from verifaible.crypto.chain.node import MAINNET, Chain, Node, chains, node_of, sealed
from verifaible.crypto.chain.parties import Party, intent
from verifaible.crypto.chain.transfers import NATIVE_BLOCKS, checksummed, plain
from verifaible.crypto.periods import stamp
from verifaible.crypto.session import Api, ApiAnswer
from verifaible.crypto.tools.coins import gecko as gecko_of
from verifaible.crypto.tools.coins import resolve
from verifaible.crypto.tools.endpoint import Places, endpoints
from verifaible.crypto.tools.values import at, pointer, text_at
from verifaible.errors import BadArguments, DataNotAvailable
from verifaible.schema.base import Record
from verifaible.schema.data import Computed, Display, Facets, Operand
from verifaible.schema.run import ToolReply
from verifaible.tools.presenting import one_line
from verifaible.tools.toolbox import Tool

#: What the table of assets has in place of a contract for a chain's own coin.
NATIVE: Final = "native"
_CONTRACT = re.compile(r"0x[0-9a-fA-F]{40}")
_MOST_SIGNALS: Final = 10
_HEAD: Final = (
    "| time (UTC) | amount | value then | sender | receiver | intent | transaction |\n" + "|---" * 7 + "|"
)


class OnChainArguments(Record):
    """Arguments of ``onChainInfoTool``."""

    symbol: str = Field(
        min_length=1, max_length=80, description="Ticker, such as ETH; or a contract's address."
    )
    hours: int = Field(24, ge=1, le=168, description="How far back.")
    limit: int = Field(10, ge=1, le=25, description="How many of the largest are shown.")
    chain: str = Field(
        "",
        max_length=40,
        description="ethereum, base, bsc and so on; empty: Ethereum if it is there.",
    )


def tools(
    api: Api,
    gecko: str = Places().coingecko,
    node: Node | None = None,
    least_usd: Decimal | None = None,
) -> tuple[Tool[Any], ...]:
    """The tool over one session.

    Args:
        api: of the session.
        gecko: CoinGecko's address, for contracts and prices.
        node: whom a chain is read from; default: as it is set (:func:`node_of`).
        least_usd: from which value on a transfer is large, in US dollars; default: as it is set.
    """
    least = least_usd or api.web.settings.large_transfer_usd
    nodes: dict[int, Node] = {node.chain.id: node} if node else {}

    async def large(arguments: OnChainArguments) -> ToolReply:
        listed, chain = await listed_coin(api, gecko, arguments.symbol, arguments.chain)
        asked = nodes.setdefault(chain.id, node_of(api, chain))
        found = await read_large(
            api, asked, gecko, listed, hours=arguments.hours, least_usd=least, shown=arguments.limit
        )
        return await _Telling(api, listed, chain, found, arguments.limit).reply()

    about = (
        "Recent large transfers of a token on Ethereum or another EVM chain, valued at their time's price: "
        "senders and receivers by class, likely intent (often unknown), repeated patterns. Needs the ticker."
    )
    return (Tool("onChainInfoTool", about, OnChainArguments, large),)


def chain_named(written: str) -> Chain:
    """The EVM chain of a name or number.

    Raises:
        BadArguments: it is none that can be read.
    """
    chain = chains().get(chain_id(written))
    if chain is None:
        known = ", ".join(each.name for each in chains().values())
        raise BadArguments(f"No chain {written!r} can be read. Use one of {known}.")
    return chain


async def listed_coin(api: Api, gecko: str, written: str, on: str = "") -> tuple[Listed, Chain]:
    """The coin that a ticker, a name or a contract's address means, and the chain that it is read on.

    Args:
        api: of the session.
        gecko: CoinGecko's address.
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
        match = await resolve(api, gecko, given)
    elif not isinstance(known := by_table(given, wanted.platform if wanted else ""), Match):
        chain = wanted or MAINNET
        answer = await gecko_of(api, gecko, f"/coins/{chain.platform}/contract/{given.lower()}")
        identity, name, symbol = (text_at(answer.data, (key,)) for key in ("id", "name", "symbol"))
        # whoever made the token chose these words, and they are told beside the data
        return Listed(identity, one_line(name, 80), one_line(symbol.upper(), 40), given), chain
    else:
        match = known
    asset = match.asset
    contracts = asset.contracts or await _platforms(api, gecko, asset.id)
    for chain in [wanted] if wanted else chains().values():
        contract = contracts.get(chain.platform, "")
        if contract == NATIVE or _CONTRACT.fullmatch(contract):
            place = "" if contract == NATIVE else contract
            return Listed(asset.id, asset.name, asset.symbol, place, match.note), chain
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
    answer = await gecko_of(api, base, f"/coins/{identity}", query)
    platforms = at(answer.data, ("platforms",))
    found = platforms.items() if isinstance(platforms, dict) else ()
    return {chain: address for chain, address in found if isinstance(address, str)}


class _Telling:
    """What is said of large transfers: answers sealed, amounts computed from their bytes."""

    def __init__(self, api: Api, listed: Listed, chain: Chain, found: LargeTransfers, limit: int) -> None:
        self._api = api
        self._listed = listed
        self._chain = chain
        self._found = found
        self._shown = found.large[:limit]
        self._asset = listed.symbol  # what a contract calls itself is anybody's words
        self._marks: dict[int, str] = {}

    async def reply(self) -> ToolReply:
        """The reply, with a table for the person."""
        found, api = self._found, self._api
        answers = distinct([each.transfer.told for each in found.large]) or distinct(found.told[:1])
        title = f"large transfers of {self._asset} on {self._chain.name}"
        for answer in (*answers, *distinct(found.told)):
            await self._seal(answer, title)
        await self._seal(found.priced, f"prices of {self._listed.name}")
        rows = [await self._row(each) for each in self._shown]
        table = "\n".join((_HEAD, *rows)) if rows else "None."
        shown = "\n".join(filter(None, (table, *await self._totals(), *self._limits(), *self._signals())))
        sources = tuple(self._marks.values())
        display = Display(kind="table", title=title, sources=sources, markdown=table)
        main = await api.reply(answers[0], title, shown, as_of=found.head.time, displays=[display])
        if not rows:
            return main
        return ToolReply(text=f"{main.text}\n\n{await self._prices()}", displays=main.displays)

    async def _seal(self, answer: ApiAnswer, title: str) -> str:
        if id(answer) not in self._marks:
            self._marks[id(answer)] = await sealed(self._api, answer, title)
        return self._marks[id(answer)]

    async def _computed(self, function: str, facets: Facets, **inputs: list[Operand]) -> Computed:
        """A computed value; what is scaled is so by the decimals of the token."""
        decimals = {"decimals": str(self._found.token.decimals)} if function == "scaled" else {}
        return await self._api.compute(function, inputs, parameters=decimals, facets=facets)

    def _facets(self, field: str, unit: str, moment: datetime | None) -> Facets:
        return Facets(asset=self._asset, field=field, unit=unit, at=moment)

    async def _row(self, large: Large) -> str:
        sent = self._facets("transfer", self._asset, large.at)
        amount = await self._computed("scaled", sent, value=[self._raw(large)])
        factors = [Operand(source=amount.id), self._price(large)]
        value = self._facets("transfer_value", "USD", large.at)
        usd = await self._computed("product", value, factors=factors)
        cells = (
            f"{large.at:%Y-%m-%d %H:%M:%S}",
            f"{plain(amount.result)} {self._asset} [{amount.id}]",
            f"{usd.result:,.2f} USD [{usd.id}]",
            _told(large.sender),
            _told(large.receiver),
            intent(large.sender.kind, large.receiver.kind),
            large.transfer.tx,
        )
        return f"| {' | '.join(cells)} |"

    async def _totals(self) -> list[str]:
        """How many there are and what they are worth together, computed from the sealed bytes too."""
        found = self._found
        if not found.large:
            return []
        amounts = [self._raw(each) for each in found.large]
        prices = [self._price(each) for each in found.large]
        now = found.head.time
        number = await self._computed("count", self._facets("large_transfers", "", now), values=amounts)
        in_units = self._facets("large_transfers_value_in_smallest_units", "USD", None)
        units = await self._computed("sum_of_products", in_units, amounts=amounts, prices=prices)
        value = self._facets("large_transfers_value", "USD", now)
        worth = await self._computed("scaled", value, value=[Operand(source=units.id)])
        return [
            f"In all {number.result} [{number.id}] of at least {found.least_usd:,} USD, together "
            f"{worth.result:,.2f} USD [{worth.id}]; the largest {len(self._shown)} are shown."
        ]

    def _limits(self) -> list[str]:
        """What was read and what was not."""
        found, read = self._found, self._found.found
        told = [
            f"Read: blocks {read.first} to {found.head.number}, {found.since:%Y-%m-%d %H:%M:%S} to "
            f"{found.head.time:%Y-%m-%d %H:%M:%S} UTC, {len(read.transfers)} transfers."
        ]
        if read.cut:
            told.append("There are so many transfers that older ones, which were asked for, were not read.")
        if not found.token.contract:
            told.append(
                f"{found.token.symbol} is read from the newest {NATIVE_BLOCKS} blocks only, and without what "
                "contracts send on."
            )
        for count, what in (
            (read.others, "logs are not of a token with indexed parties and were left out"),
            (found.unvalued, "have no price of their time and were left out"),
            (found.passed_over, "further ones may be large and were not looked at"),
        ):
            told += [f"{count} {what}."] if count else []
        told.append(
            "unknown is common and right: most accounts have no public label. A class says what an address "
            "is, not why it sent."
        )
        if found.token.symbol.casefold() != self._asset.casefold():
            told.append(f"The contract calls itself {one_line(found.token.symbol, 40)}.")
        return [*told, self._listed.note]

    def _signals(self) -> list[str]:
        return [
            f"Pattern ({signal.rule}): {signal.meaning} "
            f"({', '.join(f'{key} {value}' for key, value in signal.parameters.items())}): "
            f"{', '.join(dict.fromkeys(row.tx for row in signal.rows))}. A pattern has many harmless causes."
            for signal in self._found.signals[:_MOST_SIGNALS]
        ]

    async def _prices(self) -> str:
        """The prices that were used, each a value of its own."""
        used = [each for each in self._found.prices if any(each is large.price for large in self._shown)]
        lines = [f"{each.pointer}: {each.value} USD at {stamp(each.at)}" for each in used if each.at]
        title, as_of = f"prices of {self._listed.name}", self._found.prices[-1].at
        reply = await self._api.reply(self._found.priced, title, "\n".join(lines), as_of=as_of, points=used)
        return reply.text

    def _raw(self, large: Large) -> Operand:
        told = large.transfer.told
        return Operand(source=self._marks[id(told.source)], pointer=pointer(told.path))

    def _price(self, large: Large) -> Operand:
        return Operand(source=self._marks[id(self._found.priced)], pointer=large.price.pointer)


def _told(party: Party) -> str:
    kind = "zero or burn address" if party.kind == "null" else party.kind
    named = f" ({party.name})" if party.name else ""
    return f"{kind}{named} {checksummed(party.address)}"
