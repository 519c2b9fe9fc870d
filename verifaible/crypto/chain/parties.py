"""Who sends and who receives, as far as public labels and the chain tell, and what that says of intent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Final, Literal, TypeAlias

from verifaible.crypto.chain.node import Block, Call, Node, Told
from verifaible.crypto.chain.transfers import Token, balance_call
from verifaible.crypto.tools.values import text_at
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
    """The labelled addresses, in lower case, from ``parties.json``, which says its source and date."""
    data = json.loads(files("verifaible.crypto.chain").joinpath("parties.json").read_text(encoding="utf-8"))
    reason = f"public label of {data['as_of']}"
    return {
        row["address"].lower(): Party(row["address"].lower(), row["kind"], row["name"], reason)
        for row in data["parties"]
    }


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
    known = labels()
    asked = sorted(each for each in received if each not in known)
    tag = hex(block.number)
    told = await node.ask(
        [
            call
            for each in asked
            for call in (
                Call("eth_getCode", (each, tag)),
                Call("eth_getTransactionCount", (each, tag)),
                balance_call(token, each, block.number),
            )
        ]
    )
    parties = {each: known[each] for each in received if each in known}
    for place, each in enumerate(asked):
        parties[each] = _party(
            each, told[3 * place : 3 * place + 3], received=received[each], token=token, price=price
        )
    return parties, tuple(each for each in told if each.fault is None)


def is_contract(code: str) -> bool:
    """Whether the code of an account makes it a contract."""
    return len(code) > 2 and not code.startswith(_DELEGATION)


def _party(address: str, told: list[Told], *, received: int, token: Token, price: Decimal) -> Party:
    try:
        code = text_at(told[0].result, ())
        sent, held = (each.quantity() for each in told[1:])
    except ToolError:
        return Party(address, "unknown", reason="the node does not tell")
    worth = Decimal(held).scaleb(-token.decimals) * price
    if is_contract(code):
        return Party(address, "contract", reason="it has code")
    if worth >= WHALE_USD:
        return Party(
            address, "whale", reason=f"it holds {token.symbol} worth at least {WHALE_USD:,} US dollars"
        )
    if sent <= NEW_TRANSACTIONS and held <= received:
        return Party(address, "new", reason="it has sent next to nothing, and held none of the token before")
    return Party(address, "unknown", reason="no label, and nothing that sets it apart")
