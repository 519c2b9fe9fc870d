"""Large transfers offline, from the replica of a node."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.crypto.working import NOW, ORIGIN, archives, store_in
from verifaible.crypto.chain.large import tools
from verifaible.crypto.providers.session import Api, SourceBook
from verifaible.evidence.computation import compute, read_data, values_at
from verifaible.evidence.sources import SourceTexts
from verifaible.tools.toolbox import Toolbox


@pytest.mark.parametrize(
    ("symbol", "said"),
    [
        ("LINK", ("exchange (Binance 14)", "| between whales |", "round trip", "split below the threshold")),
        ("PEPE", ("| mint or burn |", "| from exchange |", "contract 0x", "new 0x")),
        ("ETH", ("| to exchange |", "newest 25 blocks only")),
    ],
)
async def test_large_transfers_of_the_demo_coins(symbol: str, said: tuple[str, ...], tmp_path: Path) -> None:
    store = store_in(tmp_path)
    api = Api(archives(), SourceBook(store, ORIGIN), NOW, as_of=NOW)
    reply = await Toolbox(tools(api)).call("onChainInfoTool", json.dumps({"symbol": symbol}))
    assert not reply.error_code, reply.text
    assert "replica" in reply.text
    for words in said:
        assert words in reply.text
    assert max(each.at for each in (*api.points, *api.computed) if each.at) <= NOW
    # each amount can be computed again from the sealed bytes
    texts = SourceTexts(store)
    data = {each.id: texts.text(each) for each in api.book.sources}
    results = {each.id: each.result for each in api.computed}
    for each in api.computed:
        inputs = {
            name: [
                value
                for operand in operands
                for value in (
                    values_at(read_data(data[operand.source]), operand.pointer)
                    if operand.pointer
                    else (results[operand.source],)
                )
            ]
            for name, operands in each.inputs.items()
        }
        assert compute(each.function, inputs, each.parameters, each.version) == each.result


async def test_several_coins_in_one_session(tmp_path: Path) -> None:
    toolbox = Toolbox(tools(Api(archives(), SourceBook(store_in(tmp_path), ORIGIN), NOW)))
    for symbol in ("PEPE", "LINK", "ETH", "LINK"):
        reply = await toolbox.call("onChainInfoTool", json.dumps({"symbol": symbol}))
        assert not reply.error_code, reply.text


async def test_what_the_replica_does_not_have_is_said(tmp_path: Path) -> None:
    api = Api(archives(), SourceBook(store_in(tmp_path), ORIGIN), NOW)
    toolbox = Toolbox(tools(api))
    reply = await toolbox.call("onChainInfoTool", json.dumps({"symbol": "LINK", "hours": 48}))
    assert reply.error_code == "offline_miss"
    reply = await toolbox.call("onChainInfoTool", json.dumps({"symbol": "BTC"}))
    assert reply.error_code == "data_not_available"
    assert "WBTC for BTC" in reply.text
