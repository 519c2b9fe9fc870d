"""A node of an EVM chain, asked so that each answer can be sealed.

JSON-RPC 2.0 with the methods of https://ethereum.github.io/execution-apis. web3 is not used: its provider
hands on converted values, and the evidence is the bytes as they came.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from math import ceil
from typing import Any, Final
from urllib.parse import urlsplit

from verifaible.crypto.assets.resolver import chain_id
from verifaible.crypto.providers.fetch import own_words
from verifaible.crypto.providers.json_values import Json, Path, at, surprise, text_at
from verifaible.crypto.providers.session import Api, ApiAnswer
from verifaible.errors import (
    BadArguments,
    DataNotAvailable,
    PageBlocked,
    PageError,
    PageNotLoaded,
    ToolError,
    WrongContent,
)
from verifaible.schema.base import Record

#: Calls in one request. Public nodes take between 3 and 100: one that refuses is asked less at a time.
_BATCH: Final = 50
#: Keys in a node's address are random strings; shorter parts of its path name a network or a version.
_KEY_CHARACTERS: Final = 16
#: Refusals with one of these words are of a node that does not keep what is asked for.
_PRUNED: Final = ("prun", "missing trie", "archive", "state")


class Chain(Record):
    """An EVM chain: its number (EIP-155), CoinGecko's name of it, ours, its coin, the seconds from block to
    block, and a public node without a key, which knows logs and state of the last blocks only.
    """

    id: int
    platform: str
    name: str
    coin: str
    slot_s: float
    node: str


@cache
def chains() -> Mapping[str, Chain]:
    """The chains that can be read, by CoinGecko's names of them; Ethereum first."""
    rows = json.loads(files("verifaible.crypto.chain").joinpath("chains.json").read_text(encoding="utf-8"))
    return {row["platform"]: Chain.model_validate(row) for row in rows}


MAINNET: Final = chains()["ethereum"]


@dataclass(frozen=True, slots=True)
class Call:
    """A method with its parameters."""

    method: str
    params: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """What a node said to one call: the answer, which may be that to several, and where the result stands in
    it; or a fault.
    """

    answer: ApiAnswer | None
    path: Path = ("result",)
    fault: ToolError | None = None

    @property
    def source(self) -> ApiAnswer:
        """The answer.

        Raises:
            ToolError: the node refused the call.
        """
        if self.fault is not None or self.answer is None:
            raise self.fault or WrongContent("The node gave no answer. Call again.")
        return self.answer

    @property
    def result(self) -> Json:
        """The result; raises as :attr:`source`."""
        return at(self.source.data, self.path)

    def below(self, *path: str | int) -> Told:
        """What stands below the result."""
        return Told(self.answer, (*self.path, *path), self.fault)

    def quantity(self, *below: str | int) -> int:
        """The whole number at a path below the result, which JSON-RPC writes in hexadecimal digits.

        Raises:
            ToolError: the call was refused.
            WrongContent: there is no such number.
        """
        value = text_at(self.result, below)
        try:
            return int(value, 16)
        except ValueError:
            raise surprise(self.source.name, f"{value[:40]!r} where a hexadecimal number belongs") from None


async def sealed(api: Api, answer: ApiAnswer, title: str) -> str:
    """The mark of an answer that is sealed; its title says where a replica gave it."""
    told = f"{title} (replica: synthetic)" if answer.synthetic else title
    return (await api.seal(answer, told)).id


def node_of(api: Api, chain: Chain = MAINNET) -> Node:
    """The node that is set, else the public one of the chain; offline its replica."""
    address = api.web.settings.eth_rpc
    if api.web.mode != "offline" and address is not None and chain == MAINNET:
        return Node(api, address.get_secret_value())
    return Node(api, chain.node, chain)


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


class Node:
    """Who answers questions about a chain; a key in its address goes there alone, and is kept nowhere."""

    def __init__(self, api: Api, url: str, chain: Chain = MAINNET) -> None:
        self.chain = chain
        self._api = api
        self._known = False
        self._url, self._key = _split(url)
        self._most = _BATCH
        self._round = 0

    def again(self) -> None:
        """Ask anew what was asked before: the chain has changed."""
        self._round += 1

    async def ask(self, calls: Sequence[Call]) -> list[Told]:
        """What it says to each call, in order; a call that it refuses has a fault.

        A batch that is refused goes in smaller ones.

        Raises:
            PageBlocked: too many requests, or a key is refused.
            OfflineMiss: the archives do not have it.
            WrongContent: the node is of another chain.
        """
        if not self._known:
            (chain,) = await self._told([Call("eth_chainId")])
            if chain.quantity() != self.chain.id:
                raise WrongContent(
                    f"{chain.source.name} is a node of chain {chain.quantity()}, and chain {self.chain.id} "
                    "is asked about. Set a node of that chain (VERIFAIBLE_ETH_RPC)."
                )
            self._known = True
        return await self._told(calls)

    async def _told(self, calls: Sequence[Call]) -> list[Told]:
        told: list[Told] = []
        while len(told) < len(calls):
            part = calls[len(told) : len(told) + self._most]
            try:
                told += await self._asked(part)
            except PageBlocked:
                raise
            except PageError as error:
                if len(part) == 1:
                    told.append(Told(None, fault=error))
                else:
                    self._most = max(1, len(part) // 4)
        return told

    async def _asked(self, calls: Sequence[Call]) -> list[Told]:
        first = 1 + self._round * 1_000_000
        bodies = [
            {"jsonrpc": "2.0", "id": number, "method": call.method, "params": list(call.params)}
            for number, call in enumerate(calls, first)
        ]
        alone = len(bodies) == 1
        provider = f"{self.chain.name.partition(' ')[0]} node"
        answer = await self._api.post_json(
            provider, self._url, bodies[0] if alone else bodies, secret_path=self._key
        )
        if alone:
            _result(answer, answer.data)
            return [Told(answer)]
        if not isinstance(answer.data, list):
            raise WrongContent(f"{answer.name} does not answer several calls at once. Ask one by one.")
        # a node may answer the calls of a batch in any order (JSON-RPC 2.0, section 6)
        places = {str(at(row, ("id",))): place for place, row in enumerate(answer.data)}
        found: list[Told] = []
        for body in bodies:
            place = places.get(str(body["id"]))
            if place is None:
                raise WrongContent(f"{answer.name} left out the answer to a call. Ask one by one.")
            try:
                _result(answer, answer.data[place])
                found.append(Told(answer, (place, "result")))
            except PageNotLoaded as error:
                found.append(Told(None, fault=error))
        return found


def _split(url: str) -> tuple[str, str]:
    """A node's address, and what may be a key: from the first long part of its path on, else its query."""
    parts = urlsplit(url)
    place = len(f"{parts.scheme}://{parts.netloc}")
    for part in re.split(r"(?<=/)|(?=[?])", url[place:]):
        if len(part) >= _KEY_CHARACTERS or part.startswith("?"):
            return url[:place], url[place:]
        place += len(part)
    return url, ""


def _result(answer: ApiAnswer, row: Json) -> None:
    """Make sure that a row has a result."""
    if isinstance(row, dict) and "error" in row:
        said = text_at(row, ("error", "message")) or "no reason"
        advice = "Ask for less, or set another node (VERIFAIBLE_ETH_RPC)."
        if any(word in said.casefold() for word in _PRUNED):
            advice = "It keeps no history that far back: ask about a later time, or set a node that does."
        raise PageNotLoaded(f"{answer.name} refused a call: {own_words(said)}. {advice}")
    if not isinstance(row, dict) or "result" not in row:
        raise surprise(answer.name, "no result, which JSON-RPC 2.0 has")


@dataclass(frozen=True, slots=True)
class Block:
    """A block's number, hash and time, and the answer that has them."""

    number: int
    hash: str
    time: datetime
    told: Told

    @classmethod
    def of(cls, told: Told) -> Block:
        """The block in an answer to ``eth_getBlockByNumber``.

        Raises:
            PageNotLoaded: the node has no such block.
            WrongContent: it has another form.
        """
        if told.result is None:
            raise PageNotLoaded(
                f"{told.source.name} has no such block. It may be behind the others, or keep no history that "
                "far back: call again, ask about a later time, or set another node (VERIFAIBLE_ETH_RPC)."
            )
        time = datetime.fromtimestamp(told.quantity("timestamp"), UTC)
        return cls(told.quantity("number"), text_at(told.result, ("hash",)), time, told)


def block_call(number: int | None, *, full: bool = False) -> Call:
    """The call for a block by number, the newest for None; ``full`` with its transactions."""
    return Call("eth_getBlockByNumber", ("latest" if number is None else hex(number), full))


async def newest(node: Node, as_of: datetime | None) -> Block:
    """The newest block that was made at or before a time; None for now.

    Raises:
        DataNotAvailable: the chain began later.
        ToolError: the node does not answer.
    """
    (latest,) = await node.ask([block_call(None)])
    found = await block_at(node, as_of, Block.of(latest))
    if found is None:
        raise DataNotAvailable(
            f"The chain has no block as early as {as_of:%Y-%m-%d %H:%M} UTC. Ask about a later time."
        )
    return found


async def block_at(node: Node, moment: datetime | None, high: Block) -> Block | None:
    """The last block that was made at or before a time, no later than ``high``; None before the first one.

    Raises:
        PageNotLoaded: the node has no blocks of that time.
    """
    if moment is None or high.time <= moment:
        return high
    low: Block | None = None
    for turn in range(1, 200):
        if high.number == 0:
            return None
        if low is None:
            back = ceil((high.time - moment).total_seconds() / node.chain.slot_s)
            number = max(0, high.number - turn * back)
        elif turn % 3:
            reached = (moment - low.time) / (high.time - low.time)
            number = max(low.number + 1, low.number + int(reached * (high.number - low.number)))
        else:
            number = max(low.number + 1, (low.number + high.number) // 2)
        (told,) = await node.ask([block_call(min(number, high.number - 1))])
        block = Block.of(told)
        if block.time > moment:
            high = block
        else:
            low = block
        if low is not None and low.number + 1 == high.number:
            break
    return low
