"""Questions to the chain itself: what an account is and holds, and what a token's contract states."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from verifaible.crypto.chain.node import Block, Call, Node, Told, newest, sealed
from verifaible.crypto.chain.parties import is_contract, labels
from verifaible.crypto.chain.tool import node_of
from verifaible.crypto.chain.transfers import (
    ETHER,
    SUPPLY,
    Token,
    balance_call,
    checksummed,
    plain,
    read_token,
)
from verifaible.crypto.tools.api import Api, tools_of
from verifaible.crypto.tools.coins import asked_at
from verifaible.crypto.tools.values import pointer, text_at
from verifaible.schema.base import Record
from verifaible.schema.data import Computed, DataPoint, Facets, Operand
from verifaible.schema.run import ToolReply
from verifaible.tools.presenting import one_line
from verifaible.tools.toolbox import Tool

_ADDRESS: Final = r"^0x[0-9a-fA-F]{40}$"


class AccountArguments(Record):
    """Arguments of ``ethereum_account``."""

    address: str = Field(pattern=_ADDRESS, description="Address of the account.")
    token: str = Field("", pattern=rf"{_ADDRESS}|^$", description="Contract of a token that it may hold.")


class TokenArguments(Record):
    """Arguments of ``ethereum_token``."""

    contract: str = Field(pattern=_ADDRESS, description="Address of the token's contract.")


def tools(api: Api, node: Node | None = None) -> tuple[Tool[Any], ...]:
    """The tools over one session; ``node`` as for the tool for large transfers."""
    asking = _Ethereum(api, node or node_of(api))
    return tools_of("ethereum", asking.account, asking.token)


class _Ethereum:
    """The handlers; the model is told the docstring of each."""

    def __init__(self, api: Api, node: Node) -> None:
        self._api = api
        self._node = node

    async def account(self, arguments: AccountArguments) -> ToolReply:
        """An account on Ethereum: ether and, if asked, a token that it holds, how many transactions it has
        sent, whether it is a contract, its public label.
        """
        head = await newest(self._node, asked_at(self._api))
        token = (await read_token(self._node, arguments.token, head))[0] if arguments.token else ETHER
        address, tag = arguments.address.lower(), hex(head.number)
        code, sent, held = await self._node.ask(
            [
                Call("eth_getCode", (address, tag)),
                Call("eth_getTransactionCount", (address, tag)),
                balance_call(token, address, head.number),
            ]
        )
        amount = await self._amount(held, token, "balance", head)
        label = labels().get(address)
        lines = [
            f"address: {checksummed(address)}",
            f"label: {label.name} ({label.kind}; {label.reason})" if label else "label: none known",
            f"contract: {'yes' if is_contract(text_at(code.result, ())) else 'no'}",
            f"{pointer(sent.path)}: {sent.quantity()} transactions sent",
            f"holds: {plain(amount.result)} {_named(token)} [{amount.id}]",
        ]
        point = DataPoint(
            asset="ETH",
            field="transactions_sent",
            at=head.time,
            source="",
            pointer=pointer(sent.path),
            value=sent.quantity(),
        )
        title = f"Ethereum account {checksummed(address)} at block {head.number}"
        return await self._api.reply(sent.source, title, "\n".join(lines), as_of=head.time, points=[point])

    async def token(self, arguments: TokenArguments) -> ToolReply:
        """What a token's contract on Ethereum states of itself: symbol, decimals, total supply."""
        head = await newest(self._node, asked_at(self._api))
        token, decimals = await read_token(self._node, arguments.contract, head)
        asked = Call("eth_call", ({"to": token.contract.lower(), "data": SUPPLY}, hex(head.number)))
        (supply,) = await self._node.ask([asked])
        amount = await self._amount(supply, token, "total_supply", head)
        lines = [
            f"contract: {token.contract}",
            f"symbol, as it calls itself: {one_line(token.symbol, 40) or 'none'}",
            f"{pointer(decimals.path)}: {token.decimals} decimals",
            f"total supply: {plain(amount.result)} {_named(token)} [{amount.id}]",
        ]
        point = DataPoint(
            asset=token.contract,
            field="decimals",
            at=head.time,
            source="",
            pointer=pointer(decimals.path),
            value=token.decimals,
        )
        title = f"token {token.contract} on Ethereum at block {head.number}"
        return await self._api.reply(
            decimals.source, title, "\n".join(lines), as_of=head.time, points=[point]
        )

    async def _amount(self, told: Told, token: Token, field: str, head: Block) -> Computed:
        """An amount of smallest units in an answer, sealed and computed."""
        told.quantity()
        mark = await sealed(self._api, told.source, f"{field.replace('_', ' ')} on Ethereum")
        return await self._api.compute(
            "scaled",
            {"value": [Operand(source=mark, pointer=pointer(told.path))]},
            parameters={"decimals": str(token.decimals)},
            facets=Facets(asset=_named(token), field=field, unit=_named(token), at=head.time),
        )


def _named(token: Token) -> str:
    """What is counted: what a contract calls itself is anybody's words, its address is not."""
    return token.contract or token.symbol
