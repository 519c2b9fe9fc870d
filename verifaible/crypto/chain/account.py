"""Questions to a chain itself: what an account is and holds, and what a token's contract states."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

from pydantic import Field

from verifaible.crypto.chain.node import Block, Node, Told, chain_named, newest, node_of, sealed
from verifaible.crypto.chain.parties import account_calls, is_contract, labelled
from verifaible.crypto.chain.transfers import (
    SUPPLY,
    Token,
    checksummed,
    coin_of,
    plain,
    read_token,
    view_call,
)
from verifaible.crypto.providers.coins import asked_at
from verifaible.crypto.providers.json_values import pointer, text_at
from verifaible.crypto.providers.session import Api
from verifaible.schema.base import Record
from verifaible.schema.data import Computed, DataPoint, Facets, Operand
from verifaible.schema.run import ToolReply
from verifaible.tools.presenting import one_line
from verifaible.tools.toolbox import Tool

_ADDRESS: Final = r"^0x[0-9a-fA-F]{40}$"
_CHAIN = Field("ethereum", max_length=40, description="Name or number of an EVM chain: base, bsc, 137.")


class AccountArguments(Record):
    """Arguments of ``ethereum_account``."""

    address: str = Field(pattern=_ADDRESS, description="Address of the account.")
    token: str = Field("", pattern=rf"{_ADDRESS}|^$", description="Contract of a token that it may hold.")
    chain: str = _CHAIN


class TokenArguments(Record):
    """Arguments of ``ethereum_token``."""

    contract: str = Field(pattern=_ADDRESS, description="Address of the token's contract.")
    chain: str = _CHAIN


def tools(api: Api, node: Node | None = None) -> tuple[Tool[Any], ...]:
    """The tools over one session; ``node`` as for the tool for large transfers."""
    nodes: dict[int, Node] = {node.chain.id: node} if node else {}

    def on(chain: str) -> _Chain:
        known = chain_named(chain)
        return _Chain(api, nodes.setdefault(known.id, node_of(api, known)))

    async def account(arguments: AccountArguments) -> ToolReply:
        return await on(arguments.chain).account(arguments.address.lower(), arguments.token)

    async def token(arguments: TokenArguments) -> ToolReply:
        return await on(arguments.chain).token(arguments.contract)

    return (
        Tool(
            "ethereum_account",
            "An account on Ethereum or another EVM chain: its coin and, if asked, a token that it holds, how "
            "many transactions it has sent, whether it is a contract, its public label.",
            AccountArguments,
            account,
        ),
        Tool(
            "ethereum_token",
            "What a token's contract on Ethereum or another EVM chain states of itself: symbol, decimals, "
            "total supply.",
            TokenArguments,
            token,
        ),
    )


class _Chain:
    def __init__(self, api: Api, node: Node) -> None:
        self._api, self._node, self._name = api, node, node.chain.name

    async def account(self, address: str, contract: str) -> ToolReply:
        head = await newest(self._node, asked_at(self._api))
        token = (await read_token(self._node, contract, head))[0] if contract else coin_of(self._node.chain)
        code, sent, held = await self._node.ask(account_calls(token, address, head.number))
        amount = await self._amount(held, token, "balance", head)
        label = labelled(address, self._node)
        lines = [
            f"address: {checksummed(address)}",
            f"label: {label.name} ({label.kind}; {label.reason})" if label else "label: none known",
            f"contract: {'yes' if is_contract(text_at(code.result, ())) else 'no'}",
            f"{pointer(sent.path)}: {sent.quantity()} transactions sent",
            f"holds: {plain(amount.result)} {_named(token)} [{amount.id}]",
        ]
        title = f"{self._name} account {checksummed(address)} at block {head.number}"
        facets = Facets(asset=self._node.chain.coin, field="transactions_sent", at=head.time)
        return await self._reply(sent, facets, title, lines)

    async def token(self, contract: str) -> ToolReply:
        head = await newest(self._node, asked_at(self._api))
        token, decimals = await read_token(self._node, contract, head)
        (supply,) = await self._node.ask([view_call(token.contract, SUPPLY, head.number)])
        amount = await self._amount(supply, token, "total_supply", head)
        lines = [
            f"contract: {token.contract}",
            f"symbol, as it calls itself: {one_line(token.symbol, 40) or 'none'}",
            f"{pointer(decimals.path)}: {token.decimals} decimals",
            f"total supply: {plain(amount.result)} {_named(token)} [{amount.id}]",
        ]
        title = f"token {token.contract} on {self._name} at block {head.number}"
        facets = Facets(asset=token.contract, field="decimals", at=head.time)
        return await self._reply(decimals, facets, title, lines)

    async def _reply(self, told: Told, facets: Facets, title: str, lines: list[str]) -> ToolReply:
        """What was found, with the number at ``told`` declared."""
        place, value = pointer(told.path), Decimal(told.quantity())
        point = DataPoint(source="", pointer=place, value=value, **facets.model_dump())
        return await self._api.reply(told.source, title, "\n".join(lines), as_of=facets.at, points=[point])

    async def _amount(self, told: Told, token: Token, field: str, head: Block) -> Computed:
        """An amount of smallest units in an answer, sealed and computed."""
        told.quantity()
        mark = await sealed(self._api, told.source, f"{field.replace('_', ' ')} on {self._name}")
        return await self._api.compute(
            "scaled",
            {"value": [Operand(source=mark, pointer=pointer(told.path))]},
            parameters={"decimals": str(token.decimals)},
            facets=Facets(asset=_named(token), field=field, unit=_named(token), at=head.time),
        )


def _named(token: Token) -> str:
    """What is counted: what a contract calls itself is anybody's words, its address is not."""
    return token.contract or token.symbol
