"""Large transfers of a token: found, valued at their time's price, and read for who sent them to whom.

Prices are CoinGecko's history: by five minutes, hours or days, as it keeps it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
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
from verifaible.crypto.session import Api, ApiAnswer
from verifaible.crypto.tools.coins import asked_at, gecko
from verifaible.crypto.tools.endpoint import endpoints
from verifaible.crypto.tools.handler import declared, rows_at
from verifaible.crypto.tools.values import surprise
from verifaible.schema.data import DataPoint

#: A price is that of its hour or day: an older one values nothing.
OLDEST: Final = timedelta(hours=26)
#: Transfers are valued exactly: 78 digits of a uint256 and those of a price.
EXACT: Final = Context(prec=120)
#: The largest so many are looked at one by one; each may need a block.
MOST_CANDIDATES: Final = 400


@dataclass(frozen=True, slots=True)
class Listed:
    """A coin as CoinGecko lists it, with its contract on a chain; empty for the chain's own coin."""

    id: str
    name: str
    symbol: str
    contract: str
    note: str = ""


async def read_prices(
    api: Api, base: str, listed: Listed, start: datetime, end: datetime
) -> tuple[ApiAnswer, list[DataPoint]]:
    """The prices of a coin from a day before ``start`` to ``end``, and the answer that has them.

    Raises:
        ToolError: CoinGecko does not answer.
        WrongContent: it has no price, or one of later than ``end``.
    """
    query = {
        "vs_currency": "usd",
        "from": str(int((start - timedelta(days=1)).timestamp())),
        "to": str(int(end.timestamp())),
    }
    answer = await gecko(api, base, f"/coins/{listed.id}/market_chart/range", query)
    part, words = (
        endpoints("coingecko")["coingecko_history"].parts[0],
        {"CURRENCY": "USD", "symbol": listed.symbol},
    )
    columns = [each.of(words) for each in part.fields]
    prices = [point for row in rows_at(answer, part) for point in declared(row, columns, part, words)]
    prices.sort(key=_time)
    if not prices:
        raise surprise(answer.name, "no price at /prices")
    if _time(prices[-1]) > end:
        raise surprise(answer.name, f"a price of later than {end:%Y-%m-%d %H:%M} UTC")
    return answer, prices


def _time(price: DataPoint) -> datetime:
    assert price.at is not None  # rows of a series have a time
    return price.at


def price_on(prices: Sequence[DataPoint], moment: datetime) -> DataPoint | None:
    """The last price at or before a moment; None where there is none of its hour or day."""
    place = bisect_right(prices, moment, key=_time)
    found = prices[place - 1] if place else None
    return found if found is not None and moment - _time(found) <= OLDEST else None


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
        token: what was transferred.
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
    span = timedelta(hours=hours)
    reading = partial(_read, api, node, base, listed, span=span, least_usd=least_usd, shown=shown)
    try:
        return await reading()
    except Reorganised:
        node.again()
        return await reading()


async def _read(
    api: Api, node: Node, base: str, listed: Listed, *, span: timedelta, least_usd: Decimal, shown: int
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
