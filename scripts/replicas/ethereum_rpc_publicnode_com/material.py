"""What the made-up chain holds at the time of the replicas: true contracts and labels, made-up transfers."""

from __future__ import annotations

import random
from typing import Final

from scripts.replicas.api_coingecko_com.answers import CONTRACTS
from scripts.replicas.api_coingecko_com.hours import LAST_BLOCK
from tests.kit.evm_node import Chain, Moved, Token, account

HEAD: Final = 24_570_240
LINK: Final = Token(CONTRACTS["chainlink"], "LINK", 18)
PEPE: Final = Token(CONTRACTS["pepe"], "PEPE", 18)
BINANCE: Final = "0x28C6c06298d514Db089934071355E5743bf21d60"
COINBASE: Final = "0xA9D1e08C7793af67e9d92fe308d5697FB81d3E43"
KRAKEN: Final = "0x267be1C1D684F78cb4F6a176C4911b741E4Ffdc0"
ARBITRUM: Final = "0xa3A7B6F88361F48403514059F1F16C8E78d60EeC"
DEAD: Final = "0x000000000000000000000000000000000000dEaD"
_UNIT: Final = 10**18
_ONE, _TWO, _POOL, _FRESH, _DESK, _OTHER = (
    account(name) for name in ("whale one", "whale two", "pool", "fresh", "desk", "other")
)


def _block(hour: int, minute: int) -> int:
    """The block of a time of 2 March; hours below 0 are of the day before."""
    seconds = (12 - hour) * 3600 - minute * 60
    return HEAD - seconds // 12


def _link() -> list[Moved]:
    large = (
        (-9, 14, _ONE, BINANCE, 412_500),
        (-6, 2, COINBASE, _FRESH, 96_000),
        (-2, 40, _ONE, _TWO, 250_000),
        (1, 5, _TWO, _ONE, 249_400),  # and back, less a fifth of a per cent
        (3, 31, _OTHER, ARBITRUM, 81_250),
        (5, 12, _POOL, _DESK, 74_900),
        (6, 50, KRAKEN, _OTHER, 71_000),
        *((7, 5 + 11 * part, _DESK, BINANCE, 26_000 + part) for part in range(4)),  # below the threshold each
        (9, 45, _OTHER, _DESK, 133_333),
    )
    return [
        Moved(LINK.address, _block(hour, minute), *pair, amount * _UNIT)
        for hour, minute, *pair, amount in large
    ]


def _pepe() -> list[Moved]:
    large = (
        (-8, 20, BINANCE, _OTHER, 412_000_000_000),
        (-1, 3, _ONE, KRAKEN, 305_500_000_000),
        (2, 26, _POOL, _FRESH, 240_000_000_000),
        (4, 44, _OTHER, DEAD, 210_690_000_000),
        (8, 15, _DESK, BINANCE, 201_300_000_000),
    )
    return [
        Moved(PEPE.address, _block(hour, minute), *pair, amount * _UNIT)
        for hour, minute, *pair, amount in large
    ]


def _small(token: Token, most: int, number: int) -> list[Moved]:
    """Everyday transfers, far below the threshold."""
    chance = random.Random(token.symbol)  # noqa: S311
    people = [account(f"{token.symbol} {each}") for each in range(25)]
    return [
        Moved(
            token.address,
            HEAD - chance.randrange(7_150),
            *chance.sample(people, 2),
            chance.randrange(1, most * 100) * _UNIT // 100,
        )
        for _ in range(number)
    ]


def _ether() -> list[Moved]:
    chance = random.Random("ETH")  # noqa: S311
    people = [account(f"ETH {each}") for each in range(25)]
    small = [
        Moved("", HEAD - block, *chance.sample(people, 2), chance.randrange(1, 4000) * _UNIT // 1000)
        for block in range(25)
        for _ in range(2)
    ]
    return [
        *small,
        Moved("", HEAD - 9, _TWO, COINBASE, 820 * _UNIT),
        Moved("", HEAD - 17, BINANCE, _ONE, 1_204 * _UNIT),
    ]


CHAIN: Final = Chain(
    HEAD,
    LAST_BLOCK,
    (LINK, PEPE),
    (*_link(), *_small(LINK, 900, 40), *_pepe(), *_small(PEPE, 2_000_000_000, 40), *_ether()),
    code={_POOL: "0x60806040"},
    nonces={_FRESH: 0, _ONE: 212, _TWO: 88, _DESK: 1_930, _OTHER: 57},
    balances={
        (LINK.address.lower(), _ONE): 1_870_000 * _UNIT,
        (LINK.address.lower(), _TWO): 902_000 * _UNIT,
        (LINK.address.lower(), _DESK): 31_000 * _UNIT,
        (PEPE.address.lower(), _ONE): 4_100_000_000_000 * _UNIT,
        ("", _ONE): 9_400 * _UNIT,
        ("", _TWO): 5_100 * _UNIT,
    },
)
