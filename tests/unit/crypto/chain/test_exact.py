"""300 transfers of three tokens around the threshold: filter and US dollar amounts are exact."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from tests.kit.evm_node import Chain, Moved, Token, account
from tests.unit.crypto.chain.working import Coin, Session, hourly, serving
from tests.unit.crypto.working import NOW
from verifaible.crypto.chain.coins import listed_coin
from verifaible.crypto.chain.large import read_large

HEAD = 24_500_000
LEAST = 1_000_000
#: Contract, decimals, first price and what is added each hour: digits that no binary fraction has.
TOKENS = {
    "USDX": (account("usdx"), 6, "0.9997", "0.000013"),
    "WBTX": (account("wbtx"), 8, "84102.37", "-11.7301"),
    "LINX": (account("linx"), 18, "14.2217", "0.0100907"),
}
COINS = [
    Coin(f"{symbol.lower()}-coin", symbol, contract, hourly(first, step))
    for symbol, (contract, _, first, step) in TOKENS.items()
]


def _price(symbol: str, moment: datetime) -> Fraction:
    coin = next(each for each in COINS if each.symbol == symbol)
    return Fraction(coin.prices[max(hour for hour in coin.prices if hour <= moment)])


def _moment(block: int) -> datetime:
    return datetime.fromtimestamp(NOW.timestamp() - 12 * (HEAD - block), UTC)


def _material() -> list[tuple[str, Moved]]:
    """100 transfers a token: at the threshold to the smallest unit, around it, far from it, and before the day."""
    chance = random.Random(20)
    found = []
    for symbol, (contract, decimals, _, _) in TOKENS.items():
        for number in range(100):
            block = HEAD - chance.randrange(7_200 if number < 90 else 9_000)
            exact = LEAST * 10**decimals / _price(symbol, _moment(block))
            at = -(-exact.numerator // exact.denominator)  # the least whole number that reaches it
            raw = (
                at + chance.choice((-2, -1, 0, 1))
                if number < 40
                else int(at * chance.uniform(0.9, 1.1))
                if number < 80
                else chance.randrange(1, at * 30)
            )
            sender, receiver = chance.sample(range(40), 2)
            found.append((symbol, Moved(contract, block, account(f"{sender}"), account(f"{receiver}"), raw)))
    return found


MATERIAL = _material()
CHAIN = Chain(
    HEAD,
    NOW,
    tuple(Token(contract, symbol, decimals) for symbol, (contract, decimals, _, _) in TOKENS.items()),
    tuple(moved for _, moved in MATERIAL),
)


@pytest.mark.parametrize("symbol", TOKENS)
async def test_filter_and_amounts_are_exact(symbol: str, tmp_path: Path) -> None:
    decimals = TOKENS[symbol][1]
    expected = sorted(
        Fraction(each.raw, 10**decimals) * _price(symbol, _moment(each.block))
        for name, each in MATERIAL
        if name == symbol and _moment(each.block) > NOW - timedelta(hours=24)
    )
    with serving(CHAIN, COINS) as place:
        session = Session(place, tmp_path)
        listed = await listed_coin(session.api, session.gecko, symbol)
        found = await read_large(
            session.api, session.node, session.gecko, listed, hours=24, least_usd=Decimal(LEAST), shown=3
        )
    assert len(found.found.transfers) == len(expected)
    assert sorted(Fraction(each.usd) for each in found.large) == [each for each in expected if each >= LEAST]
    assert 20 < len(found.large) < 90


async def test_computed_amounts_are_the_exact_ones(tmp_path: Path) -> None:
    with serving(CHAIN, COINS) as place:
        session = Session(place, tmp_path)
        reply = await session(symbol="LINX", limit=25)
    assert not reply.error_code, reply.text
    expected = sorted(
        Fraction(each.raw, 10**18) * _price("LINX", _moment(each.block))
        for name, each in MATERIAL
        if name == "LINX" and _moment(each.block) > NOW - timedelta(hours=24)
    )
    values = {Fraction(each.result) for each in session.api.computed if each.field == "transfer_value"}
    assert len(values) == 25
    assert values == set(expected[-25:])
    (total,) = [each for each in session.api.computed if each.field == "large_transfers_value"]
    assert Fraction(total.result) == sum(each for each in expected if each >= LEAST)
    (number,) = [each for each in session.api.computed if each.function == "count"]
    assert number.result == sum(each >= LEAST for each in expected)
    for each in session.api.computed:
        if each.field == "transfer_value":
            assert f"{each.result:,.2f} USD [{each.id}]" in reply.text
    (display,) = reply.displays
    assert display.kind == "table"
    assert len(display.markdown.splitlines()) == 27
