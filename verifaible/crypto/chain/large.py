"""``onChainInfoTool``: large transfers of a token, valued at their time's price, and what is told of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Context, Decimal
from typing import Any, Final

from pydantic import Field

from verifaible.crypto.chain.coins import Listed, listed_coin, price_on, read_prices
from verifaible.crypto.chain.node import (
    Block,
    Node,
    Told,
    block_at,
    newest,
    node_of,
    sealed,
)
from verifaible.crypto.chain.parties import SPLIT_LEAST, Party, Row, Signal, intent, read_parties, signals
from verifaible.crypto.chain.transfers import (
    NATIVE_BLOCKS,
    Found,
    Reorganised,
    Token,
    Transfer,
    checksummed,
    coin_of,
    plain,
    read_blocks,
    read_logs,
    read_native,
    read_token,
)
from verifaible.crypto.providers.coins import asked_at
from verifaible.crypto.providers.endpoint import Places
from verifaible.crypto.providers.json_values import pointer
from verifaible.crypto.providers.session import Api, ApiAnswer
from verifaible.crypto.query import stamp
from verifaible.schema.base import Record
from verifaible.schema.data import Computed, DataPoint, Display, Facets, Operand
from verifaible.schema.run import ToolReply
from verifaible.tools.presenting import one_line
from verifaible.tools.toolbox import Tool

#: Transfers are valued exactly: 78 digits of a uint256 and those of a price.
EXACT: Final = Context(prec=120)
#: The largest so many are looked at one by one; each may need a block.
MOST_CANDIDATES: Final = 400
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


def tools(api: Api, base: str = Places().coingecko, node: Node | None = None) -> tuple[Tool[Any], ...]:
    """The tool over one session.

    Args:
        api: of the session; its settings say from which value on a transfer is large.
        base: CoinGecko's address, for contracts and prices.
        node: whom a chain is read from; default: as it is set (:func:`node_of`).
    """
    least = api.web.settings.large_transfer_usd
    nodes: dict[int, Node] = {node.chain.id: node} if node else {}

    async def large(arguments: OnChainArguments) -> ToolReply:
        listed = await listed_coin(api, base, arguments.symbol, arguments.chain)
        asked = nodes.setdefault(listed.chain.id, node_of(api, listed.chain))
        found = await read_large(
            api, asked, base, listed, hours=arguments.hours, least_usd=least, shown=arguments.limit
        )
        return await _Telling(api, found, arguments.limit).reply()

    about = (
        "Recent large transfers of a token on Ethereum or another EVM chain, valued at their time's price: "
        "senders and receivers by class, likely intent (often unknown), repeated patterns. Needs the ticker."
    )
    return (Tool("onChainInfoTool", about, OnChainArguments, large),)


@dataclass(frozen=True, slots=True)
class Large:
    """A large transfer."""

    transfer: Transfer
    at: datetime
    usd: Decimal
    price: DataPoint
    sender: Party
    receiver: Party


@dataclass(frozen=True, slots=True)
class LargeTransfers:
    """What was found.

    Attributes:
        listed: the coin.
        token: what its contract states of itself.
        least_usd: from which value on a transfer is large.
        head: the newest block that was read.
        since: when the oldest block that was read was made.
        found: every transfer between them.
        large: the large ones, by value, the largest first.
        unvalued: how many have no price of their time.
        passed_over: how many may be large and were not looked at.
        signals: patterns among them.
        prices: by which they were valued, in US dollars.
        priced: the answer that has the prices.
        told: further answers that this rests on.
    """

    listed: Listed
    token: Token
    least_usd: Decimal
    head: Block
    since: datetime
    found: Found
    large: tuple[Large, ...]
    unvalued: int
    passed_over: int
    signals: tuple[Signal, ...]
    prices: tuple[DataPoint, ...]
    priced: ApiAnswer
    told: tuple[Told, ...]


async def read_large(
    api: Api, node: Node, base: str, listed: Listed, *, hours: int, least_usd: Decimal, shown: int
) -> LargeTransfers:
    """The large transfers of the last hours before the time that is asked about.

    A chain that is reorganised meanwhile is read once more.

    Args:
        api: of the session.
        node: of the chain.
        base: CoinGecko's address.
        listed: the coin.
        hours: how far back.
        least_usd: in US dollars at the price of a transfer's own time.
        shown: of the largest so many, sender and receiver are looked up.

    Raises:
        ToolError: node or CoinGecko do not answer, or the chain is reorganised again.
    """
    try:
        return await _read(api, node, base, listed, timedelta(hours=hours), least_usd, shown)
    except Reorganised:
        node.again()
        return await _read(api, node, base, listed, timedelta(hours=hours), least_usd, shown)


async def _read(  # noqa: PLR0917 - as for :func:`read_large`
    api: Api, node: Node, base: str, listed: Listed, span: timedelta, least_usd: Decimal, shown: int
) -> LargeTransfers:
    head = await newest(node, asked_at(api))
    told = [head.told]
    if listed.contract:
        token, decimals = await read_token(node, listed.contract, head)
        told.append(decimals)
        before = await block_at(node, head.time - span, head)
        found = await read_logs(node, token, before.number + 1 if before else 0, head.number)
    else:
        token = coin_of(node.chain)
        found = await read_native(node, head, 0)
    priced, prices = await read_prices(api, base, listed, head.time - span, head.time)
    highest = max(price.value for price in prices)
    worth_a_look = _least_raw(least_usd * SPLIT_LEAST, highest, token)
    candidates = [each for each in found.transfers if each.raw >= worth_a_look]
    candidates.sort(key=lambda each: -each.raw)
    surely = _least_raw(least_usd, highest, token)
    passed_over = sum(each.raw >= surely for each in candidates[MOST_CANDIDATES:])
    candidates = candidates[:MOST_CANDIDATES]
    blocks, since = await read_blocks(node, candidates, head, found.first)
    valued = [
        (each, price, _usd(each, price, token))
        for each in candidates
        if (price := price_on(prices, blocks[each.block].time)) is not None
    ]
    large = sorted((each for each in valued if each[2] >= least_usd), key=lambda each: -each[2])
    addresses = {address for each, _, _ in large[:shown] for address in (each.sender, each.receiver)}
    parties, more = await read_parties(node, _received(found, addresses), token, head, prices[-1].value)
    unknown = {each: Party(each, "unknown") for row, _, _ in large for each in (row.sender, row.receiver)}
    parties = unknown | parties
    return LargeTransfers(
        listed=listed,
        token=token,
        least_usd=least_usd,
        head=head,
        since=since,
        found=found,
        large=tuple(
            Large(each, blocks[each.block].time, usd, price, parties[each.sender], parties[each.receiver])
            for each, price, usd in large
        ),
        unvalued=len(candidates) - len(valued),
        passed_over=passed_over,
        signals=signals([_row(each, blocks, usd) for each, _, usd in valued], least_usd),
        prices=tuple(prices),
        priced=priced,
        told=(*told, *(block.told for block in blocks.values()), *more),
    )


def _row(transfer: Transfer, blocks: Mapping[int, Block], usd: Decimal) -> Row:
    moment = blocks[transfer.block].time
    return Row(transfer.tx, transfer.index, moment, transfer.sender, transfer.receiver, transfer.raw, usd)


def _received(found: Found, addresses: set[str]) -> dict[str, int]:
    """What each of these accounts received, less what it sent, in smallest units."""
    net = dict.fromkeys(addresses, 0)
    for each in found.transfers:
        if each.receiver in net:
            net[each.receiver] += each.raw
        if each.sender in net:
            net[each.sender] -= each.raw
    return net


def _usd(transfer: Transfer, price: DataPoint, token: Token) -> Decimal:
    return EXACT.multiply(EXACT.scaleb(Decimal(transfer.raw), Decimal(-token.decimals)), price.value)


def _least_raw(usd: Decimal, price: Decimal, token: Token) -> Decimal:
    """The smallest units that are worth so much."""
    return EXACT.scaleb(EXACT.divide(usd, price), Decimal(token.decimals)) if price else Decimal(0)


def distinct(told: Sequence[Told]) -> list[ApiAnswer]:
    """Each answer once, in order."""
    return list({id(each.source): each.source for each in told}.values())


class _Telling:
    """What is said of large transfers: answers sealed, amounts computed from their bytes."""

    def __init__(self, api: Api, found: LargeTransfers, limit: int) -> None:
        self._api = api
        self._listed = found.listed
        self._found = found
        self._shown = found.large[:limit]
        self._asset = found.listed.symbol  # what a contract calls itself is anybody's words
        self._marks: dict[int, str] = {}

    async def reply(self) -> ToolReply:
        """The reply, with a table for the person."""
        found, api = self._found, self._api
        answers = distinct([each.transfer.told for each in found.large]) or distinct(found.told[:1])
        title = f"large transfers of {self._asset} on {self._listed.chain.name}"
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
