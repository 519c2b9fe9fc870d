"""A node and a price provider on loopback, over a made-up chain."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.kit.evm_node import Chain
from tests.unit.crypto.working import NOW, ORIGIN, Answer, Request, served, store_in
from verifaible.config import Settings
from verifaible.crypto.chain.large import tools
from verifaible.crypto.chain.node import Node
from verifaible.crypto.providers.session import Api, SourceBook
from verifaible.net.web import Web
from verifaible.schema.run import ToolReply
from verifaible.tools.toolbox import Toolbox


@dataclass
class Coin:
    """A coin of the price provider; prices in their digits, by the hour they are of."""

    id: str
    symbol: str
    contract: str
    prices: Mapping[datetime, str] = field(default_factory=dict)
    platforms: Mapping[str, str] | None = None


@dataclass
class Place:
    """Where both are; ``fault`` may answer a call of JSON-RPC instead of the chain: status, headers, body."""

    url: str
    chain: Chain
    coins: list[Coin]
    fault: Callable[[Any], tuple[int, dict[str, str], bytes] | None] = lambda asked: None
    asked: list[Any] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    def post(self, path: str, body: bytes) -> tuple[int, dict[str, str], bytes]:
        asked = json.loads(body)
        self.asked.append(asked)
        self.paths.append(path)
        return self.fault(asked) or (200, {}, json.dumps(self.chain.answer(asked)).encode())

    def get(self, path: str) -> tuple[int, dict[str, str], bytes]:
        parts, query = urlsplit(path), parse_qs(urlsplit(path).query)
        names = parts.path.split("/")
        if names[-1] == "search":
            found = [each for each in self.coins if query["query"][0] in (each.id, each.symbol.lower())]
            rows = [{"id": each.id, "symbol": each.symbol, "name": each.id.title()} for each in found]
            return 200, {}, json.dumps({"coins": rows}).encode()
        coin = next((each for each in self.coins if each.id in names or each.contract.lower() in names), None)
        if coin is None:
            return 404, {}, b'{"error":"coin not found"}'
        if names[-1] == "range":
            first, last = (int(query[name][0]) for name in ("from", "to"))
            points = ",".join(
                f"[{int(moment.timestamp() * 1000)},{price}]"
                for moment, price in coin.prices.items()
                if first <= moment.timestamp() <= last
            )
            return 200, {}, f'{{"prices":[{points}]}}'.encode()
        platforms = coin.platforms if coin.platforms is not None else {"ethereum": coin.contract}
        body = {"id": coin.id, "symbol": coin.symbol, "name": coin.id.title(), "platforms": platforms}
        return 200, {}, json.dumps(body).encode()


class Session:
    """The tool over one session at a place."""

    def __init__(self, place: Place, folder: Path, *, rpc: str = "", **more: Any) -> None:
        self.pauses: list[float] = []
        self.store = store_in(folder)
        web = Web.live(Settings(home=folder, allow_hosts=("127.0.0.1",)))
        self.api = Api(web, SourceBook(self.store, ORIGIN), NOW, sleep=self._pause, **more)
        self.gecko = f"{place.url}/gecko"
        self.node = Node(self.api, rpc or f"{place.url}/rpc")
        self.toolbox = Toolbox(tools(self.api, self.gecko, self.node))

    async def _pause(self, seconds: float) -> None:
        self.pauses.append(seconds)

    async def __call__(self, **arguments: Any) -> ToolReply:
        return await self.toolbox.call("onChainInfoTool", json.dumps(arguments))


@contextmanager
def serving(chain: Chain, coins: list[Coin]) -> Iterator[Place]:
    """Both on one real HTTP server."""
    place = Place("", chain, coins)

    def answer(request: Request) -> Answer:
        return place.post(request.path, request.body) if request.body else place.get(request.path)

    with served(answer) as place.url:
        yield place


def hourly(first: str, step: str, hours: int = 50) -> dict[datetime, str]:
    """Prices by the hour, oldest first, that change by ``step`` from each to the next."""
    start = NOW - timedelta(hours=hours)
    return {
        start + timedelta(hours=hour): str(Decimal(first) + hour * Decimal(step)) for hour in range(hours + 1)
    }
