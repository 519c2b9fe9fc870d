"""Transfers on a chain: of ERC-20 tokens from its logs, of its own coin from the transactions of its blocks.

ERC-20 (https://eips.ethereum.org/EIPS/eip-20): ``Transfer(address indexed, address indexed, uint256)``.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final

from verifaible.crypto.chain.node import Block, Call, Chain, Node, Told, block_call
from verifaible.crypto.providers.json_values import Json, at, surprise, text_at
from verifaible.errors import PageError, ToolError, WrongContent, needing

#: keccak-256 of ``Transfer(address,address,uint256)``.
TRANSFER: Final = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
#: ``totalSupply()``.
SUPPLY: Final = "0x18160ddd"
_SYMBOL, _DECIMALS, _BALANCE = "0x95d89b41", "0x313ce567", "0x70a08231"
#: Blocks of one request for logs at first; public nodes allow between 50 and 10,000.
_RANGE: Final = 2_000
#: A busy token has as many in an hour or two: what is older is left out, and the reply says so.
MOST_TRANSFERS: Final = 20_000
#: Blocks read whole for a chain's own coin: five minutes of Ethereum, some 5 MB.
NATIVE_BLOCKS: Final = 25
_ADDRESS_WORD = re.compile(r"0x0{24}[0-9a-f]{40}")
_WORD = re.compile(r"0x[0-9a-f]{64}")


class Reorganised(WrongContent):
    """Two answers of a node are of different chains: a block was replaced between them."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name}: the chain was reorganised while it was read, so transfers and blocks do not belong "
            "together. Nothing of it was kept. Call again in a minute."
        )


@dataclass(frozen=True, slots=True)
class Token:
    """What is transferred: an ERC-20 token by its contract, or the chain's own coin where that is empty."""

    contract: str
    symbol: str
    decimals: int


def coin_of(chain: Chain) -> Token:
    """A chain's own coin; all of these chains count it in units of 10^-18."""
    return Token("", chain.coin, 18)


@dataclass(frozen=True, slots=True)
class Transfer:
    """A transfer of ``raw`` smallest units, which stand at ``told``."""

    tx: str
    index: int
    block: int
    block_hash: str
    sender: str
    receiver: str
    raw: int
    told: Told


@dataclass(frozen=True, slots=True)
class Found:
    """The transfers of the blocks ``first`` to ``last``, oldest first.

    Attributes:
        others: logs of the event in another form (a token without indexed parties, an ERC-721), left out.
        cut: whether older ones were asked for and not read, because there are so many.
    """

    transfers: tuple[Transfer, ...]
    first: int
    last: int
    others: int = 0
    cut: bool = False


def checksummed(address: str) -> str:
    """An address in the letters of its checksum (EIP-55)."""
    with needing("crypto", "Reading a chain"):
        from eth_utils.address import to_checksum_address
    return to_checksum_address(address)


def plain(amount: Decimal) -> str:
    """An amount in all its digits, without the zeros that a token's decimals add."""
    text = f"{amount:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def view_call(contract: str, data: str, block: int) -> Call:
    """The call for what a contract tells as of a block."""
    return Call("eth_call", ({"to": contract.lower(), "data": data}, hex(block)))


def balance_call(token: Token, holder: str, block: int) -> Call:
    """The call for what an account holds."""
    if not token.contract:
        return Call("eth_getBalance", (holder.lower(), hex(block)))
    return view_call(token.contract, f"{_BALANCE}{holder[2:].lower():0>64}", block)


async def read_token(node: Node, contract: str, block: Block) -> tuple[Token, Told]:
    """An ERC-20 token's symbol and decimals, and the answer that has the decimals.

    Raises:
        WrongContent: there is no such token at the address.
    """
    calls = [view_call(contract, each, block.number) for each in (_DECIMALS, _SYMBOL)]
    decimals, symbol = await node.ask(calls)
    if text_at(decimals.result, ()) in ("", "0x") or (count := decimals.quantity()) > 255:
        raise WrongContent(
            f"There is no ERC-20 token at {checksummed(contract)} on this chain: it states no "
            "decimals. Check the address and the chain."
        )
    return Token(checksummed(contract), _decoded_symbol(symbol), count), decimals


def _decoded_symbol(told: Told) -> str:
    """A symbol as a string, or as the bytes32 of some early tokens; empty where the contract has none."""
    with needing("crypto", "Reading a chain"):
        from eth_abi.abi import decode
        from eth_abi.exceptions import DecodingError
    try:
        body = bytes.fromhex(text_at(told.result, ()).removeprefix("0x"))
        if len(body) == 32:
            return body.rstrip(b"\0").decode("utf-8", "replace")
        return str(decode(["string"], body)[0])
    except (ToolError, ValueError, DecodingError):
        return ""


async def read_logs(node: Node, token: Token, first: int, last: int, most: int = MOST_TRANSFERS) -> Found:
    """The transfers of a token, read backwards from ``last`` until ``first`` or until there are ``most``.

    A range that the node does not answer whole is asked in quarters, and no larger one after it.

    Raises:
        PageBlocked: too many requests.
        PageError: it does not answer for a single block either.
        Reorganised: a log belongs to a block that was replaced.
    """
    step, upper, others = _RANGE, last, 0
    found: list[Transfer] = []
    while upper >= first and len(found) < most:
        lower = max(first, upper - step + 1)
        wanted = {
            "fromBlock": hex(lower),
            "toBlock": hex(upper),
            "address": token.contract.lower(),
            "topics": [TRANSFER],
        }
        (told,) = await node.ask([Call("eth_getLogs", (wanted,))])
        if isinstance(told.fault, PageError) and lower < upper:
            step = max(1, (upper - lower + 1) // 4)
            continue
        part, left = await asyncio.to_thread(_transfers, told, token, range(lower, upper + 1))
        found = [*part, *found]
        others += left
        upper = lower - 1
    return Found(tuple(found), upper + 1, last, others, cut=upper >= first)


def _transfers(told: Told, token: Token, asked: range) -> tuple[list[Transfer], int]:
    """The transfers in an answer with logs, and how many logs are none."""
    logs, name = told.result, told.source.name
    if not isinstance(logs, list):
        raise surprise(name, "no list of logs")
    found: dict[tuple[str, int], Transfer] = {}
    others = 0
    for place, log in enumerate(logs):
        row = told.below(place)
        if text_at(log, ("address",)).lower() != token.contract.lower() or at(log, ("topics", 0)) != TRANSFER:
            raise surprise(name, "a log that was not asked for")
        if at(log, ("removed",)) is True:
            raise Reorganised(name)
        data = text_at(log, ("data",))
        if not _is_erc20(at(log, ("topics",)), data):
            others += 1
            continue
        if (block := row.quantity("blockNumber")) not in asked:
            raise surprise(name, f"a log of block {block}, outside of what was asked for")
        each = Transfer(
            tx=text_at(log, ("transactionHash",)),
            index=row.quantity("logIndex"),
            block=block,
            block_hash=text_at(log, ("blockHash",)),
            sender=f"0x{text_at(log, ('topics', 1))[-40:]}",
            receiver=f"0x{text_at(log, ('topics', 2))[-40:]}",
            raw=int(data, 16),
            told=row.below("data"),
        )
        found[each.tx, each.index] = each
    return sorted(found.values(), key=lambda each: (each.block, each.index)), others


def _is_erc20(topics: Json, data: str) -> bool:
    return (
        isinstance(topics, list)
        and len(topics) == 3
        and all(isinstance(each, str) and _ADDRESS_WORD.fullmatch(each) for each in topics[1:])
        and bool(_WORD.fullmatch(data))
    )


async def read_native(node: Node, head: Block, first: int) -> Found:
    """The transfers of a chain's own coin in the newest blocks; what contracts send on is in no transaction.

    Raises:
        ToolError: the node does not answer.
    """
    lower = max(first, head.number - NATIVE_BLOCKS + 1)
    found: list[Transfer] = []
    numbers = list(range(lower, head.number + 1))
    for start in range(0, len(numbers), 5):
        for told in await node.ask([block_call(number, full=True) for number in numbers[start : start + 5]]):
            block = Block.of(told)
            rows = at(told.result, ("transactions",))
            if not isinstance(rows, list):
                raise surprise(told.source.name, "no list of transactions")
            for place, row in enumerate(rows):
                value, receiver = told.below("transactions", place, "value"), text_at(row, ("to",))
                if receiver and (raw := value.quantity()):  # without a receiver it makes a contract
                    tx, sender = text_at(row, ("hash",)), text_at(row, ("from",))
                    found.append(Transfer(tx, place, block.number, block.hash, sender, receiver, raw, value))
    return Found(tuple(found), lower, head.number)


async def read_blocks(
    node: Node, transfers: Sequence[Transfer], head: Block, first: int
) -> tuple[dict[int, Block], datetime]:
    """The blocks of these transfers by number, and when the block ``first`` was made.

    Each is the very block that its transfers were in, and ``head`` is still the one of its number: so all
    that was read is of one chain.

    Raises:
        Reorganised: a block was replaced meanwhile.
    """
    hashes = {head.number: head.hash}
    for each in transfers:
        if hashes.setdefault(each.block, each.block_hash) != each.block_hash:
            raise Reorganised(each.told.source.name)
    told = await node.ask([block_call(number) for number in sorted({first, *hashes})])
    blocks = {block.number: block for block in map(Block.of, told)}
    for number, block_hash in hashes.items():
        if blocks[number].hash != block_hash:
            raise Reorganised(blocks[number].told.source.name)
    return blocks, blocks[first].time
