"""An Ethereum node, asked through :class:`Api` so that each answer can be sealed.

JSON-RPC 2.0 with the methods of https://ethereum.github.io/execution-apis. eth-abi and eth-utils decode what
it says. web3 is not used: its provider hands on converted values, and the evidence is the bytes as they came.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from verifaible.crypto.tools.api import Api, ApiAnswer
from verifaible.crypto.tools.fetch import own_words
from verifaible.crypto.tools.values import Json, Path, at, text_at
from verifaible.errors import DataNotAvailable, PageBlocked, PageError, PageNotLoaded, ToolError, WrongContent

PROVIDER: Final = "Ethereum node"
#: Keyless; of logs and state it knows the last blocks only.
PUBLIC_NODE: Final = "https://ethereum-rpc.publicnode.com"
#: Ethereum's main network (EIP-155).
MAINNET: Final = 1
#: Calls in one request. Public nodes take between 3 and 100: one that refuses is asked less at a time.
_BATCH: Final = 50
#: Keys in a node's address are random strings; shorter parts of its path name a network or a version.
_KEY_CHARACTERS: Final = 16


@dataclass(frozen=True, slots=True)
class Call:
    """A method with its parameters."""

    method: str
    params: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """What a node said to one call.

    Attributes:
        answer: the whole answer, which may be that to several calls.
        path: where the result stands in it.
        fault: why there is none.
    """

    answer: ApiAnswer | None
    path: Path = ()
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

    def quantity(self, *below: str | int) -> int:
        """The whole number at a path below the result, which JSON-RPC writes in hexadecimal digits.

        Raises:
            ToolError: the call was refused.
            WrongContent: there is no such number.
        """
        value = text_at(self.result, below)
        try:
            return int(value, 16) if value != "0x" else 0  # as Etherscan writes it
        except ValueError:
            raise WrongContent(
                f"{self.source.name} answered in another form than it documents: {value[:40]!r} where a "
                "hexadecimal number belongs. Nothing of it was kept. Use another node or tool."
            ) from None


async def sealed(api: Api, answer: ApiAnswer, title: str) -> str:
    """The mark of an answer that is sealed; its title says where a replica gave it."""
    told = f"{title} (replica: synthetic)" if answer.synthetic else title
    return (await api.seal(answer, told)).id


class Node(Protocol):
    """Whoever answers questions about a chain: a node, or an explorer."""

    async def ask(self, calls: Sequence[Call]) -> list[Told]:
        """The answer to each call, in order; what it refuses has a fault.

        Raises:
            PageBlocked: too many requests, or a key is refused.
            OfflineMiss: the archives do not have it.
        """
        ...

    def again(self) -> None:
        """Ask what was asked before anew: the chain has changed."""
        ...


class RpcNode:
    """A node by its address.

    Args:
        api: of the session.
        url: of the node; a key in its path, and its query, go to the node alone.
        chain_id: of the chain that it must be a node of.
    """

    def __init__(self, api: Api, url: str, chain_id: int = MAINNET) -> None:
        self._api = api
        self._chain_id = chain_id
        self._known = False
        self._url, self._key = _split(url)
        self._most = _BATCH
        self._round = 0

    def again(self) -> None:
        """Ask anew: an equal request would be answered from the session's memory."""
        self._round += 1

    async def ask(self, calls: Sequence[Call]) -> list[Told]:
        """As :meth:`Node.ask`; a batch that is refused goes in smaller ones.

        Raises:
            WrongContent: the node is of another chain.
        """
        if not self._known:
            (chain,) = await self._told([Call("eth_chainId")])
            if chain.quantity() != self._chain_id:
                raise WrongContent(
                    f"{chain.source.name} is a node of chain {chain.quantity()}, and chain {self._chain_id} "
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
                elif self._most > 1:
                    self._most = max(1, len(part) // 4)
        return told

    async def _asked(self, calls: Sequence[Call]) -> list[Told]:
        first = 1 + self._round * 1_000_000
        bodies = [
            {"jsonrpc": "2.0", "id": number, "method": call.method, "params": list(call.params)}
            for number, call in enumerate(calls, first)
        ]
        answer = await self._api.post_json(
            PROVIDER, self._url, bodies[0] if len(bodies) == 1 else bodies, secret_path=self._key
        )
        if len(bodies) == 1:
            _result(answer, answer.data)
            return [Told(answer, ("result",))]
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
    """A node's address, and what of it may be a key: from the first long part of its path on, else its query,
    in which a short one may be a key, too."""
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
        raise PageNotLoaded(f"{answer.name} refused a call: {own_words(said)}. {_next(said)}")
    if not isinstance(row, dict) or "result" not in row:
        raise WrongContent(
            f"{answer.name} answered in another form than JSON-RPC 2.0 has: no result. Nothing of it "
            "was kept. Use another node or tool."
        )


def _next(said: str) -> str:
    """What can be done after a refusal."""
    words = said.casefold()
    if any(word in words for word in ("prun", "missing trie", "archive", "state")):
        return "It keeps no history that far back: ask about a later time, or set a node that does."
    return "Ask for less, or set another node (VERIFAIBLE_ETH_RPC)."


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
        return cls(
            number=told.quantity("number"),
            hash=text_at(told.result, ("hash",)),
            time=datetime.fromtimestamp(told.quantity("timestamp"), UTC),
            told=told,
        )


#: From block to block since September 2022, in seconds: a slot, and now and then an empty one.
SLOT_S: Final = 12


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
            number = high.number - turn * -int((moment - high.time).total_seconds() // SLOT_S)
        elif turn % 3:
            reached = (moment - low.time) / (high.time - low.time)
            number = low.number + int(reached * (high.number - low.number))
        else:
            number = (low.number + high.number) // 2
        number = max(number, 0 if low is None else low.number + 1)
        (told,) = await node.ask([block_call(min(number, high.number - 1))])
        block = Block.of(told)
        if block.time > moment:
            high = block
        else:
            low = block
        if low is not None and low.number + 1 == high.number:
            break
    return low
