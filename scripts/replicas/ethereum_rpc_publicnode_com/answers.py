"""The exchanges of the replica: what is asked for large transfers, and what the made-up chain says."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, cast

from scripts.replicas.api_coingecko_com.coins import BY_ID
from scripts.replicas.api_coingecko_com.hours import LAST_BLOCK, chart
from scripts.replicas.common import Exchange
from scripts.replicas.ethereum_rpc_publicnode_com.material import CHAIN, LINK, PEPE
from verifaible.crypto.chain.large import Listed, read_large
from verifaible.crypto.chain.node import PUBLIC_NODE, RpcNode
from verifaible.crypto.tools.api import Api, ApiAnswer
from verifaible.crypto.tools.data import parse
from verifaible.schema.data import Exchange as Sealed

RECORDED_AT = "2026-03-02T12:00:00Z"
_JSON = "application/json"
_COINS = {"chainlink": LINK.address, "pepe": PEPE.address, "ethereum": ""}


def exchanges() -> Iterator[Exchange]:
    """Every exchange of the archive: large transfers of the last day, the largest ten."""
    for coin, contract in _COINS.items():
        recorder = _Recorder()
        listed = Listed(coin, BY_ID[coin].name, BY_ID[coin].symbol.upper(), contract)
        api = cast(Api, recorder)
        reading = read_large(
            api, RpcNode(api, PUBLIC_NODE), "", listed, hours=24, least_usd=Decimal(1_000_000), shown=10
        )
        asyncio.run(reading)
        yield from recorder.exchanges


class _Recorder:
    """Stands in for the session: each question to the node is answered by the chain, and kept."""

    as_of = None
    now = LAST_BLOCK

    def __init__(self) -> None:
        self.exchanges: list[Exchange] = []

    async def post_json(self, provider: str, url: str, body: Any, **_: Any) -> ApiAnswer:
        asked = json.dumps(body, separators=(",", ":")).encode()
        told = json.dumps(CHAIN.answer(body), separators=(",", ":")).encode()
        self.exchanges.append(
            Exchange(
                url,
                told,
                _JSON,
                method="POST",
                request_body=asked,
                request_content_type=_JSON,
                recorded_at=RECORDED_AT,
            )
        )
        return _answer(url, told)

    async def get(self, provider: str, url: str, query: dict[str, str]) -> ApiAnswer:
        return _answer(
            url, json.dumps(chart(BY_ID[url.split("/")[2]], int(query["from"]), int(query["to"]))).encode()
        )


def _answer(url: str, body: bytes) -> ApiAnswer:
    moment = datetime.fromisoformat(RECORDED_AT).astimezone(UTC)
    sealed = Sealed(method="POST", url=url, status=200, fetched_at=moment, adapter="ethereum")
    return ApiAnswer(url, url, body, parse(body, url), _JSON, moment, sealed)
