"""Large transfers of a token: found, valued at their time's price, and read for who sent them to whom.

Prices are CoinGecko's history: by five minutes, hours or days, as it keeps it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Context, Decimal
from functools import partial
from typing import Final

from verifaible.crypto.chain.node import Block, Node, Told, block_at, newest
from verifaible.crypto.chain.parties import SPLIT_LEAST, Party, Row, Signal, read_parties, signals
from verifaible.crypto.chain.transfers import (
    Found,
    Reorganised,
    Token,
    Transfer,
    coin_of,
    read_blocks,
    read_logs,
    read_native,
    read_token,
)
from verifaible.crypto.tools.api import Api, ApiAnswer
from verifaible.crypto.tools.coins import asked_at, gecko
from verifaible.crypto.tools.values import Path, at, decimal_at, moment_at, surprise

#: A price is that of its hour or day: an older one values nothing.
OLDEST: Final = timedelta(hours=26)
#: Transfers are valued exactly: 78 digits of a uint256 and those of a price.
EXACT: Final = Context(prec=120)
#: The largest so many are looked at one by one; each may need a block.
MOST_CANDIDATES: Final = 400


@dataclass(frozen=True, slots=True)
class Price:
    """A price in US dollars, of when, and where it stands in the answer."""

    at: datetime
    usd: Decimal
    path: Path


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of a span of time, in its order, and the answer that has them."""

    answer: ApiAnswer
    prices: tuple[Price, ...]

    def on(self, moment: datetime) -> Price | None:
        """The last price at or before a moment; None where there is none of its hour or day."""
        place = bisect_right(self.prices, moment, key=lambda price: price.at)
        price = self.prices[place - 1] if place else None
        return price if price is not None and moment - price.at <= OLDEST else None


async def read_prices(api: Api, base: str, coin: str, start: datetime, end: datetime) -> Prices:
    """The prices of CoinGecko's coin from a day before ``start`` to ``end``.

    Raises:
        ToolError: CoinGecko does not answer.
        WrongContent: it has no price, or one of later than ``end``.
    """
    span = {"from": str(int((start - timedelta(days=1)).timestamp())), "to": str(int(end.timestamp()))}
    answer = await gecko(api, base, f"/coins/{coin}/market_chart/range", {"vs_currency": "usd", **span})
    rows = at(answer.data, ("prices",))
    prices = []
    for place in range(len(rows) if isinstance(rows, list) else 0):
        path: Path = ("prices", place, 1)
        moment, usd = moment_at(answer.data, ("prices", place, 0)), decimal_at(answer.data, path)
        if moment is not None and usd is not None:
            prices.append(Price(moment, usd, path))
    if not prices:
        raise surprise(answer.name, "no price at /prices")
    prices.sort(key=lambda price: price.at)
    if prices[-1].at > end:
        raise surprise(answer.name, f"a price of later than {end:%Y-%m-%d %H:%M} UTC")
    return Prices(answer, tuple(prices))


@dataclass(frozen=True, slots=True)
class Listed:
    """A coin as CoinGecko lists it, with its contract on a chain; empty for the chain's own coin."""

    id: str
    name: str
    symbol: str
    contract: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Large:
    """A large transfer."""

    transfer: Transfer
    at: datetime
    usd: Decimal
    price: Price
    sender: Party
    receiver: Party


@dataclass(frozen=True, slots=True)
class LargeTransfers:
    """What was found.

    Attributes:
        token: what was transferred.
        least_usd: from which value on a transfer is large.
        head: the newest block that was read.
        since: when the oldest block that was read was made.
        found: every transfer between them.
        large: the large ones, by value, the largest first.
        unvalued: how many have no price of their time.
        passed_over: how many may be large and were not looked at.
        signals: patterns among them.
        prices: by which they were valued.
        told: further answers that this rests on.
    """

    token: Token
    least_usd: Decimal
    head: Block
    since: datetime
    found: Found
    large: tuple[Large, ...]
    unvalued: int
    passed_over: int
    signals: tuple[Signal, ...]
    prices: Prices
    told: tuple[Told, ...]


async def read_large(
    api: Api, node: Node, gecko: str, listed: Listed, *, hours: int, least_usd: Decimal, shown: int
) -> LargeTransfers:
    """The large transfers of the last hours before the time that is asked about.

    A chain that is reorganised meanwhile is read once more.

    Args:
        api: of the session.
        node: of the chain.
        gecko: CoinGecko's address.
        listed: the coin.
        hours: how far back.
        least_usd: in US dollars at the price of a transfer's own time.
        shown: of the largest so many, sender and receiver are looked up.

    Raises:
        ToolError: node or CoinGecko do not answer, or the chain is reorganised again.
    """
    span = timedelta(hours=hours)
    reading = partial(_read, api, node, gecko, listed, span=span, least_usd=least_usd, shown=shown)
    try:
        return await reading()
    except Reorganised:
        node.again()
        return await reading()


async def _read(
    api: Api, node: Node, gecko: str, listed: Listed, *, span: timedelta, least_usd: Decimal, shown: int
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
    prices = await read_prices(api, gecko, listed.id, head.time - span, head.time)
    highest = max(price.usd for price in prices.prices)
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
        if (price := prices.on(blocks[each.block].time)) is not None
    ]
    large = sorted((each for each in valued if each[2] >= least_usd), key=lambda each: -each[2])
    addresses = {address for each, _, _ in large[:shown] for address in (each.sender, each.receiver)}
    parties, more = await read_parties(node, _received(found, addresses), token, head, prices.prices[-1].usd)
    unknown = {each: Party(each, "unknown") for row, _, _ in large for each in (row.sender, row.receiver)}
    parties = unknown | parties
    rows = [
        Row(each.tx, each.index, blocks[each.block].time, each.sender, each.receiver, each.raw, usd)
        for each, _, usd in valued
    ]
    return LargeTransfers(
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
        signals=signals(rows, least_usd),
        prices=prices,
        told=(*told, *(block.told for block in blocks.values()), *more),
    )


def _received(found: Found, addresses: set[str]) -> dict[str, int]:
    """What each of these accounts received, less what it sent, in smallest units."""
    net = dict.fromkeys(addresses, 0)
    for each in found.transfers:
        if each.receiver in net:
            net[each.receiver] += each.raw
        if each.sender in net:
            net[each.sender] -= each.raw
    return net


def _usd(transfer: Transfer, price: Price, token: Token) -> Decimal:
    return EXACT.multiply(EXACT.scaleb(Decimal(transfer.raw), Decimal(-token.decimals)), price.usd)


def _least_raw(usd: Decimal, price: Decimal, token: Token) -> Decimal:
    """The smallest units that are worth so much."""
    return EXACT.scaleb(EXACT.divide(usd, price), Decimal(token.decimals)) if price else Decimal(0)


def distinct(told: Sequence[Told]) -> list[ApiAnswer]:
    """Each answer once, in order."""
    return list({id(each.source): each.source for each in told}.values())
