"""Who sends and receives, as far as public labels and the chain tell; what that says of intent; and patterns
among transfers: what was sent, and nothing of why. Each has harmless causes.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Final, Literal, TypeAlias

from verifaible.crypto.chain.node import Block, Call, Node, Told
from verifaible.crypto.chain.transfers import Token, balance_call
from verifaible.crypto.providers.json_values import text_at
from verifaible.errors import ToolError

Kind: TypeAlias = Literal["exchange", "bridge", "null", "contract", "whale", "new", "unknown"]
Intent: TypeAlias = Literal[
    "to exchange", "from exchange", "between whales", "bridge", "mint or burn", "unknown"
]
#: An account that holds so much of the token, in US dollars, is a whale: ten times what a large transfer is.
WHALE_USD: Final = Decimal(10_000_000)
#: An account that has sent so few transactions, and held nothing of the token before, is new.
NEW_TRANSACTIONS: Final = 1
#: The code of an ordinary account that lets a contract act for it (EIP-7702): it is no contract.
_DELEGATION: Final = "0xef0100"


@dataclass(frozen=True, slots=True)
class Party:
    """A sender or receiver: its class, the name that a label gives it, and what the class rests on."""

    address: str
    kind: Kind
    name: str = ""
    reason: str = ""


def intent(sender: Kind, receiver: Kind) -> Intent:
    """What a transfer between two classes is: by the table alone, and unknown where it has no row."""
    for row, meant in _INTENTS:
        if all(want in ("any", have) for want, have in zip(row, (sender, receiver), strict=True)):
            return meant
    return "unknown"


#: The first row that fits; a transfer between exchanges is in neither direction.
_INTENTS: Final[tuple[tuple[tuple[str, str], Intent], ...]] = (
    (("null", "any"), "mint or burn"),
    (("any", "null"), "mint or burn"),
    (("bridge", "any"), "bridge"),
    (("any", "bridge"), "bridge"),
    (("exchange", "exchange"), "unknown"),
    (("any", "exchange"), "to exchange"),
    (("exchange", "any"), "from exchange"),
    (("whale", "whale"), "between whales"),
)


@cache
def labels() -> dict[str, Party]:
    """The labelled addresses, in lower case, from ``parties.json``, which says its source and date.

    They are of Ethereum; an address that a person holds is the same on every EVM chain, a contract's is not.
    """
    data = json.loads(files("verifaible.crypto.chain").joinpath("parties.json").read_text(encoding="utf-8"))
    reason = f"public label of {data['as_of']}"
    return {
        row["address"].lower(): Party(row["address"].lower(), row["kind"], row["name"], reason)
        for row in data["parties"]
    }


def labelled(address: str, node: Node) -> Party | None:
    """The label of an address on a node's chain; a bridge's contract has it on Ethereum alone."""
    found = labels().get(address.lower())
    return found if found and (node.chain.id == 1 or found.kind != "bridge") else None


def account_calls(token: Token, address: str, block: int) -> list[Call]:
    """The calls for an account's code, how many transactions it has sent, and what it holds."""
    tag = hex(block)
    return [
        Call("eth_getCode", (address, tag)),
        Call("eth_getTransactionCount", (address, tag)),
        balance_call(token, address, block),
    ]


async def read_parties(
    node: Node, received: Mapping[str, int], token: Token, block: Block, price: Decimal
) -> tuple[dict[str, Party], tuple[Told, ...]]:
    """The class of each address as of a block, and the answers that it rests on.

    A label comes first; then the chain: code, what the account holds, how many transactions it has sent.
    Where the node does not know (it keeps no state of that time, say) the class is unknown.

    Args:
        node: who is asked.
        received: by address in lower case, what the transfers that were read brought it, less what they took,
            in smallest units.
        token: whose balance makes a whale.
        block: as of which.
        price: of one token in US dollars.
    """
    parties = {each: party for each in received if (party := labelled(each, node))}
    asked = sorted(received.keys() - parties.keys())
    told = await node.ask([call for each in asked for call in account_calls(token, each, block.number)])
    for place, each in enumerate(asked):
        parties[each] = _party(each, told[3 * place : 3 * place + 3], received[each], token, price)
    return parties, tuple(each for each in told if each.fault is None)


def is_contract(code: str) -> bool:
    """Whether the code of an account makes it a contract."""
    return len(code) > 2 and not code.startswith(_DELEGATION)


def _party(address: str, told: list[Told], received: int, token: Token, price: Decimal) -> Party:
    try:
        code = text_at(told[0].result, ())
        sent, held = (each.quantity() for each in told[1:])
    except ToolError:
        return Party(address, "unknown", reason="the node does not tell")
    if is_contract(code):
        return Party(address, "contract", reason="it has code")
    if Decimal(held).scaleb(-token.decimals) * price >= WHALE_USD:
        reason = f"it holds {token.symbol} worth at least {WHALE_USD:,} US dollars"
        return Party(address, "whale", reason=reason)
    if sent <= NEW_TRANSACTIONS and held <= received:
        return Party(address, "new", reason="it has sent next to nothing, and held none of the token before")
    return Party(address, "unknown", reason="no label, and nothing that sets it apart")


#: So many of a kind are a repetition.
REPEATS: Final = 3
#: Equal to a hundredth: what comes back is often less a fee.
TOLERANCE: Final = Decimal("0.01")
ROUND_TRIP_WITHIN: Final = timedelta(hours=24)
SPLIT_WITHIN: Final = timedelta(hours=1)
#: Smaller parts are no split of a large amount.
SPLIT_LEAST: Final = Decimal("0.1")


@dataclass(frozen=True, slots=True)
class Row:
    """A transfer as the rules see it; ``usd`` is its value at that time."""

    tx: str
    index: int
    at: datetime
    sender: str
    receiver: str
    raw: int
    usd: Decimal


@dataclass(frozen=True, slots=True)
class Signal:
    """A pattern: rule, what it looks for, its parameters, and the transfers that fit, oldest first."""

    rule: str
    meaning: str
    parameters: Mapping[str, str]
    rows: tuple[Row, ...]


def signals(rows: Sequence[Row], threshold: Decimal) -> tuple[Signal, ...]:
    """Every pattern among transfers of one token, by rule; large is what is worth ``threshold`` dollars."""
    ordered = sorted(rows, key=lambda row: (row.at, row.tx, row.index))
    large = [row for row in ordered if row.usd >= threshold]
    small = [row for row in ordered if threshold * SPLIT_LEAST <= row.usd < threshold]
    pairs: dict[object, list[Row]] = defaultdict(list)
    amounts: dict[object, list[Row]] = defaultdict(list)
    for row in large:
        pairs[row.sender, row.receiver].append(row)
        amounts[row.raw].append(row)
    return (
        *_repeated("same pair", "repeated large transfers from one account to another", pairs),
        *_repeated("same amount", "repeated large transfers of exactly the same amount", amounts),
        *_round_trips(large),
        *_splits(small, threshold),
    )


def _repeated(rule: str, meaning: str, groups: Mapping[object, list[Row]]) -> Iterator[Signal]:
    for group in groups.values():
        if len(group) >= REPEATS:
            yield Signal(rule, meaning, {"repeats": str(REPEATS)}, tuple(group))


def _round_trips(rows: Sequence[Row]) -> Iterator[Signal]:
    """An amount that goes and comes back; each transfer is in one pair at most."""
    parameters = {"within": str(ROUND_TRIP_WITHIN), "tolerance": str(TOLERANCE)}
    spent: set[tuple[str, int]] = set()
    for place, there in enumerate(rows):
        for back in rows[place + 1 :]:
            both = {(there.tx, there.index), (back.tx, back.index)}
            if (
                (there.sender, there.receiver) == (back.receiver, back.sender)
                and there.sender != there.receiver
                and back.at - there.at <= ROUND_TRIP_WITHIN
                and abs(back.raw - there.raw) <= there.raw * TOLERANCE
                and not spent & both
            ):
                spent |= both
                meaning = "an amount that goes to an account and comes back from it"
                yield Signal("round trip", meaning, parameters, (there, back))


def _splits(rows: Sequence[Row], threshold: Decimal) -> Iterator[Signal]:
    """Transfers below the threshold from one account to another that together reach it in a short time."""
    parameters = {
        "threshold": f"{threshold} USD",
        "least part": str(SPLIT_LEAST),
        "repeats": str(REPEATS),
        "within": str(SPLIT_WITHIN),
    }
    meaning = "transfers below the threshold from one account to another that together reach it"
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row.sender, row.receiver].append(row)
    for group in groups.values():
        start = 0
        while start < len(group):
            part = [row for row in group[start:] if row.at - group[start].at <= SPLIT_WITHIN]
            reached = len(part) >= REPEATS and sum(row.usd for row in part) >= threshold
            if reached:
                yield Signal("split below the threshold", meaning, parameters, tuple(part))
            start += len(part) if reached else 1
