"""A made-up Ethereum chain that answers JSON-RPC: for the replica, and for tests of what reads a node."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

TRANSFER: Final = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
SLOT_S: Final = 12


@dataclass(frozen=True)
class Token:
    """An ERC-20 contract; ``packed`` ones answer symbol() with a bytes32, as some early tokens do."""

    address: str
    symbol: str
    decimals: int
    packed: bool = False
    supply: int = 0


@dataclass(frozen=True)
class Moved:
    """A transfer of smallest units of a token; of wei where ``token`` is empty."""

    token: str
    block: int
    sender: str
    receiver: str
    raw: int


@dataclass
class Chain:
    """A chain with a block every 12 s.

    Attributes:
        head: number of its newest block.
        head_time: when that was made.
        fork: another text gives every block from ``forked_at`` on another hash.
    """

    head: int
    head_time: datetime
    tokens: tuple[Token, ...]
    moved: tuple[Moved, ...]
    code: dict[str, str] = field(default_factory=dict)
    nonces: dict[str, int] = field(default_factory=dict)
    balances: dict[tuple[str, str], int] = field(default_factory=dict)
    chain_id: int = 1
    fork: str = ""
    forked_at: int = 0

    def __post_init__(self) -> None:
        self._by_block: dict[int, list[tuple[int, Moved]]] = {}
        for place, each in enumerate(self.moved):
            self._by_block.setdefault(each.block, []).append((place, each))

    def time(self, number: int) -> int:
        """When a block was made, in seconds since 1970."""
        return int(self.head_time.timestamp()) - (self.head - number) * SLOT_S

    def hash(self, number: int) -> str:
        """Of a block."""
        return _hash(f"block {number} {self.fork if number >= self.forked_at else ''}")

    def answer(self, asked: Any) -> Any:
        """The answer to a JSON-RPC request, or to a batch of them."""
        if isinstance(asked, list):
            return [self.answer(each) for each in asked]
        try:
            result = getattr(self, asked["method"])(*asked["params"])
        except AttributeError:
            error = {
                "code": -32601,
                "message": f"the method {asked['method']} does not exist",
            }
            return {"jsonrpc": "2.0", "id": asked["id"], "error": error}
        return {"jsonrpc": "2.0", "id": asked["id"], "result": result}

    def eth_chainId(self) -> str:
        return hex(self.chain_id)

    def eth_getBlockByNumber(self, tag: str, full: bool) -> dict[str, Any] | None:
        number = self.head if tag == "latest" else int(tag, 16)
        if not 0 <= number <= self.head:
            return None
        natives = [(place, each) for place, each in self._by_block.get(number, []) if not each.token]
        return {
            "number": hex(number),
            "hash": self.hash(number),
            "parentHash": self.hash(number - 1),
            "timestamp": hex(self.time(number)),
            "transactions": [
                {
                    "hash": _hash(f"transaction {place}"),
                    "blockHash": self.hash(number),
                    "blockNumber": hex(number),
                    "transactionIndex": hex(index),
                    "from": each.sender.lower(),
                    "to": each.receiver.lower(),
                    "value": hex(each.raw),
                }
                for index, (place, each) in enumerate(natives)
            ]
            if full
            else [_hash(f"transaction {place}") for place, _ in natives],
        }

    def eth_getLogs(self, wanted: dict[str, Any]) -> list[dict[str, Any]]:
        logs = []
        for number in range(int(wanted["fromBlock"], 16), min(int(wanted["toBlock"], 16), self.head) + 1):
            for index, (place, each) in enumerate(self._by_block.get(number, [])):
                if each.token.lower() != wanted["address"].lower():
                    continue
                logs.append(
                    {
                        "address": each.token.lower(),
                        "topics": [TRANSFER, _word(each.sender), _word(each.receiver)],
                        "data": f"0x{each.raw:064x}",
                        "blockNumber": hex(number),
                        "blockHash": self.hash(number),
                        "transactionHash": _hash(f"transaction {place}"),
                        "transactionIndex": hex(index),
                        "logIndex": hex(index),
                        "removed": False,
                    }
                )
        return logs

    def eth_call(self, call: dict[str, str], tag: str) -> str:
        token = next((each for each in self.tokens if each.address.lower() == call["to"].lower()), None)
        selector, argument = call["data"][:10], call["data"][10:]
        if token is None:
            return "0x"
        if selector == "0x313ce567":
            return f"0x{token.decimals:064x}"
        if selector == "0x95d89b41":
            text = token.symbol.encode().hex().ljust(64, "0")
            return f"0x{text}" if token.packed else f"0x{32:064x}{len(token.symbol):064x}{text}"
        if selector == "0x18160ddd":
            return f"0x{token.supply:064x}"
        if selector == "0x70a08231":
            holder = f"0x{argument[-40:]}"
            return f"0x{self.balances.get((token.address.lower(), holder.lower()), 0):064x}"
        return "0x"

    def eth_getCode(self, address: str, tag: str) -> str:
        if any(each.address.lower() == address.lower() for each in self.tokens):
            return "0x60806040"
        return self.code.get(address.lower(), "0x")

    def eth_getTransactionCount(self, address: str, tag: str) -> str:
        return hex(self.nonces.get(address.lower(), 40))

    def eth_getBalance(self, address: str, tag: str) -> str:
        return hex(self.balances.get(("", address.lower()), 0))


def account(name: str) -> str:
    """A made-up address, always the same for a name."""
    return f"0x{_hash(f'account {name}')[-40:]}"


def _hash(text: str) -> str:
    return f"0x{hashlib.sha256(text.encode()).hexdigest()}"


def _word(address: str) -> str:
    return f"0x{address.lower().removeprefix('0x'):0>64}"
