"""Etherscan in place of a node: the same transfers, and a key that is seen nowhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from pydantic import SecretStr

from tests.kit.evm_node import TRANSFER, Chain, Moved, Token, account
from tests.unit.crypto.chain.working import Coin, Place, Session, hourly, serving
from tests.unit.crypto.working import NOW
from verifaible.crypto.chain.node import Explorer, RpcNode, node_of
from verifaible.crypto.chain.tool import tools
from verifaible.schema.run import ToolReply
from verifaible.tools.toolbox import Toolbox

HEAD = 24_500_000
KEY = "etherscan-key-0123456789"
LINX = Token(account("linx"), "LINX", 18)
COIN = Coin("linx-coin", "LINX", LINX.address, hourly("14.25", "0"))
TRANSFERS = tuple(
    Moved(
        LINX.address, HEAD - number, account(f"{number % 7}"), account("b"), (60_000 + number * 17) * 10**18
    )
    for number in range(1_500)
)


def _etherscan(place: Place, most: int = 1_000, refusal: str = "") -> None:
    """Let the place answer as Etherscan does, over its chain."""
    others = place.get

    def get(path: str) -> tuple[int, dict[str, str], bytes]:
        if not path.startswith("/v2/api"):
            return others(path)
        query = {name: values[0] for name, values in parse_qs(urlsplit(path).query).items()}
        place.asked.append(query)
        if query.get("apikey") != KEY or refusal:
            said: dict[str, Any] = {"status": "0", "message": "NOTOK", "result": refusal or "Invalid API Key"}
        elif query["action"] == "getLogs":
            assert query["topic0"] == TRANSFER
            wanted = {name: hex(int(query[name])) for name in ("fromBlock", "toBlock")}
            logs = place.chain.eth_getLogs({**wanted, "address": query["address"]})[:most]
            for log in logs:  # 0 is written without a digit
                log["logIndex"] = log["logIndex"] if log["logIndex"] != "0x0" else "0x"
            said = {"status": "1", "message": "OK", "result": logs} if logs else NONE_FOUND
        else:
            params: dict[str, list[Any]] = {
                "eth_getBlockByNumber": [query.get("tag"), query.get("boolean") == "true"],
                "eth_call": [{"to": query.get("to"), "data": query.get("data")}, query.get("tag")],
            }
            asked = params.get(query["action"], [query.get("address"), query.get("tag")])
            said = place.chain.answer({"id": 1, "method": query["action"], "params": asked})
        return 200, {}, json.dumps(said).encode()

    place.get = get  # type: ignore[method-assign]


NONE_FOUND = {"status": "0", "message": "No records found", "result": []}


async def _asked(place: Place, folder: Path) -> tuple[ToolReply, Session]:
    session = Session(place, folder)
    node = Explorer(session.api, KEY, f"{place.url}/v2/api")
    toolbox = Toolbox(tools(session.api, session.gecko, node))
    return await toolbox.call("onChainInfoTool", json.dumps({"symbol": "LINX"})), session


@pytest.mark.nightly
async def test_same_transfers_as_from_a_node(tmp_path: Path) -> None:
    with serving(Chain(HEAD, NOW, (LINX,), TRANSFERS), [COIN]) as place:
        from_node = await Session(place, tmp_path / "node")(symbol="LINX")
        _etherscan(place)
        reply, session = await _asked(place, tmp_path / "explorer")
    assert not reply.error_code, reply.text
    assert reply.displays[0].markdown == from_node.displays[0].markdown
    assert "1500 transfers" in reply.text
    assert KEY not in reply.text
    for file in (tmp_path / "explorer" / "store").rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes()
    assert set(session.pauses) == {0.34}


async def test_refusal_is_told_in_its_words(tmp_path: Path) -> None:
    with serving(Chain(HEAD, NOW, (LINX,), TRANSFERS), [COIN]) as place:
        _etherscan(place, refusal="Max rate limit reached")
        reply, _ = await _asked(place, tmp_path)
    assert reply.error_code == "page_not_loaded"
    assert "Max rate limit reached" in reply.text


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        ({}, RpcNode),
        ({"etherscan_api_key": SecretStr(KEY)}, Explorer),
        ({"etherscan_api_key": SecretStr(KEY), "eth_rpc": SecretStr("https://node.example")}, RpcNode),
    ],
)
def test_settings_say_who_is_asked(settings: dict[str, SecretStr], kind: type, tmp_path: Path) -> None:
    api = Session(Place("", Chain(0, NOW, (), ()), []), tmp_path).api
    api.web = type(api.web).live(api.web.settings.model_copy(update=settings))
    assert isinstance(node_of(api), kind)
