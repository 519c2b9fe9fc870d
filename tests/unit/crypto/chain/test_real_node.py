"""The tool against a real node: Ganache, where it is on the path (``npm install ganache``)."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.kit.evm_node import Chain
from tests.unit.crypto.chain.working import Coin, Place, Session, hourly, serving
from verifaible.crypto.chain.node import newest
from verifaible.crypto.chain.transfers import Reorganised, Token, read_blocks, read_logs

GANACHE = shutil.which("ganache")
pytestmark = pytest.mark.skipif(
    GANACHE is None,
    reason="ganache is not on the path: npm install ganache, then PATH=node_modules/.bin:$PATH",
)
#: ``token.sol`` beside this file, by solc 0.8.19 for the hardfork Paris, optimised for one run.
CODE = Path(__file__).with_name("token.hex")
STARTED = datetime(2026, 3, 2, 11, 0, tzinfo=UTC)


class Ganache:
    """A chain of one's own whose blocks are 12 s apart."""

    def __init__(self, url: str) -> None:
        self.url = url

    def __call__(self, method: str, *params: Any) -> Any:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        request = urllib.request.Request(self.url, body, {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            told = json.load(answer)
        assert "error" not in told, told
        return told["result"]

    def send(self, sender: str, **transaction: str) -> dict[str, Any]:
        sent = self("eth_sendTransaction", {"from": sender, "gas": hex(3_000_000), **transaction})
        receipt: dict[str, Any] = self("eth_getTransactionReceipt", sent)
        assert receipt["status"] == "0x1"
        return receipt

    def transfer(self, token: str, sender: str, receiver: str, raw: int) -> dict[str, Any]:
        return self.send(sender, to=token, data=f"0xa9059cbb{receiver[2:]:0>64}{raw:064x}")


@pytest.fixture(scope="module")
def ganache() -> Iterator[Ganache]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        str(GANACHE),
        *("--server.host", "127.0.0.1", "--server.port", str(port), "--chain.chainId", "1"),
        *("--chain.time", STARTED.isoformat(), "--miner.timestampIncrement", "12"),
        *("--wallet.deterministic", "--wallet.defaultBalance", "10000", "--logging.quiet"),
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    node = Ganache(f"http://127.0.0.1:{port}")
    try:
        for _ in range(300):
            try:
                node("eth_chainId")
                break
            except OSError:
                time.sleep(0.1)
        yield node
    finally:
        process.terminate()
        process.wait(20)


def _place(contract: str) -> Place:
    return Place("", Chain(0, STARTED, (), ()), [Coin("gnx-coin", "GNX", contract, hourly("1.25", "0"))])


async def test_transfers_of_a_deployed_token(ganache: Ganache, tmp_path: Path) -> None:
    owner, other, third, *_ = ganache("eth_accounts")
    fresh = f"0x{0xF4E5:040x}"
    token = ganache.send(owner, data=f"0x{CODE.read_text().strip()}")["contractAddress"]
    ganache.transfer(token, owner, other, 799_999_999_999)  # 999,999.99999875 US dollars
    exact = ganache.transfer(token, owner, other, 800_000_000_000)
    ganache.transfer(token, other, third, 5_000_000)
    last = ganache.transfer(token, owner, fresh, 900_000_123_457)
    coins = _place(token).coins
    with serving(Chain(0, STARTED, (), ()), coins) as place:
        session = Session(place, tmp_path, rpc=ganache.url)
        reply = await session(symbol="GNX", hours=1)
        assert not reply.error_code, reply.text
        assert {
            str(each.result.normalize()) for each in session.api.computed if each.field == "transfer_value"
        } == {
            "1.25E+9",  # the mint of all in the constructor
            "1E+6",
            "1125000.15432125",
        }
        rows = [line.split(" | ") for line in reply.displays[0].markdown.splitlines()[2:]]
        assert rows[0][3].startswith("zero or burn address")
        assert rows[0][5] == "mint or burn"
        assert rows[1][3].startswith("whale")  # it was given all
        assert rows[1][4].startswith("new")
        assert rows[1][6].startswith(last["transactionHash"])
        # as of the block of the exact one: the later ones are not there
        block = ganache("eth_getBlockByNumber", exact["blockNumber"], False)
        as_of = datetime.fromtimestamp(int(block["timestamp"], 16), UTC) + timedelta(seconds=3)
        before = Session(place, tmp_path / "before", rpc=ganache.url, as_of=as_of)
        reply = await before(symbol=token, hours=1)
        assert not reply.error_code, reply.text
        assert exact["transactionHash"] in reply.text
        assert last["transactionHash"] not in reply.text
        (total,) = [each for each in before.api.computed if each.field == "large_transfers_value"]
        assert total.result == Decimal(1_251_000_000)


async def test_reorganisation_of_a_real_chain(ganache: Ganache, tmp_path: Path) -> None:
    """A block that was read is replaced by another one of the same number."""
    owner, other, third, *_ = ganache("eth_accounts")
    token = ganache.send(owner, data=f"0x{CODE.read_text().strip()}")["contractAddress"]
    before = ganache("evm_snapshot")
    lost = ganache.transfer(token, owner, other, 900_000_000_000)
    with serving(Chain(0, STARTED, (), ()), []) as place:
        node = Session(place, tmp_path, rpc=ganache.url).node
        head = await newest(node, None)
        found = await read_logs(node, Token(token, "GNX", 6), 0, head.number)
        ganache("evm_revert", before)
        other_one = ganache.transfer(token, owner, third, 800_000_000_000)
        assert (other_one["blockNumber"], other_one["blockHash"]) != (lost["blockNumber"], lost["blockHash"])
        assert other_one["blockNumber"] == lost["blockNumber"]
        with pytest.raises(Reorganised):
            await read_blocks(node, found.transfers, head, 0)


async def test_ether_of_a_real_block(ganache: Ganache, tmp_path: Path) -> None:
    owner, other, *_ = ganache("eth_accounts")
    sent = ganache.send(owner, to=other, value=hex(400 * 10**18))
    coin = Coin("ethereum", "ETH", "none", hourly("3118.42", "0"), platforms={"": ""})
    with serving(Chain(0, STARTED, (), ()), [coin]) as place:
        reply = await Session(place, tmp_path, rpc=ganache.url)(symbol="ETH")
    assert not reply.error_code, reply.text
    assert "| 400 ETH [calc" in reply.text
    assert "1,247,368.00 USD [calc" in reply.text
    assert sent["transactionHash"] in reply.text
