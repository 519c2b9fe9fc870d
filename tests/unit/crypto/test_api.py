"""The one way to a provider: what is sealed of an answer, keys, look-ahead, and what is computed from it."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.unit.crypto.working import NOW, ORIGIN, Answer, Request, offline_data, served, store_in
from verifaible.config import Settings
from verifaible.crypto.providers.session import Api, SourceBook
from verifaible.errors import (
    BadArguments,
    DataNotAvailable,
    OfflineMiss,
    PageBlocked,
    PageNotLoaded,
    WrongContent,
)
from verifaible.evidence.sources import PROVENANCE
from verifaible.net.web import Web
from verifaible.schema.data import DataPoint, Facets, Operand

KEY = "s3cret-key-0123456789"
PRICES = {"bitcoin": {"usd": 84210.50, "at": "84000"}, "closes": [{"c": "10"}, {"c": "12.5"}, {"c": "11"}]}


@dataclass
class Server:
    """A server on loopback as a test sets it up."""

    url: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = json.dumps(PRICES).encode()


@contextmanager
def serving(folder: Path, **more: Any) -> Iterator[tuple[Api, Server, list[tuple[str, str, str, bytes]]]]:
    """An api over a server on loopback, and what the server was asked: method, path, key header, body."""
    asked: list[tuple[str, str, str, bytes]] = []
    server = Server()

    def answer(request: Request) -> Answer:
        asked.append((request.method, request.path, request.headers.get("x-key", ""), request.body))
        return server.status, server.headers, server.body

    async def no_pause(seconds: float) -> None:
        return

    with served(answer) as server.url:
        web = Web.live(Settings(home=folder, allow_hosts=("127.0.0.1",)))
        yield Api(web, SourceBook(store_in(folder), ORIGIN), NOW, sleep=no_pause, **more), server, asked


async def test_value_is_computed_from_the_sealed_bytes_and_sealed_itself(tmp_path: Path) -> None:
    with serving(tmp_path) as (api, server, _):
        answer = await api.get("Example", f"{server.url}/prices")
        point = DataPoint(
            asset="BTC",
            field="price",
            unit="USD",
            source="",
            pointer="/bitcoin/usd",
            value=Decimal("84210.5"),
        )
        await api.reply(answer, "prices", "shown", points=[point])
        change = await api.compute(
            "percentage_change",
            {
                "old": [Operand(source="src_1", pointer="/closes/0/c")],
                "new": [Operand(source="src_1", pointer="/closes/1/c")],
            },
            facets=Facets(asset="BTC", field="change", unit="per cent"),
        )
        again = await api.compute(
            "percentage_change",
            {
                "old": [Operand(source="src_1", pointer="/closes/0/c")],
                "new": [Operand(source="src_1", pointer="/closes/1/c")],
            },
            facets=Facets(asset="BTC", field="change", unit="per cent"),
        )
        mean = await api.compute(
            "mean", {"values": [Operand(source="src_1", pointer="/closes/*/c"), Operand(source="calc_1")]}
        )
    assert api.points[0].source == "src_1"
    assert change.result == Decimal(25)
    assert again is change
    assert (mean.id, mean.result) == ("calc_2", (Decimal("33.5") + 25) / 4)
    assert [source.id for source in api.book.sources] == ["src_1", "calc_1", "calc_2"]
    assert api.computed == [change, mean]


async def test_equal_requests_side_by_side_are_one(tmp_path: Path) -> None:
    with serving(tmp_path) as (api, server, asked):
        server.status = 500
        with pytest.raises(PageNotLoaded):
            await api.get("Prices", f"{server.url}/a")
        server.status = 200
        answers = await asyncio.gather(*(api.get("Prices", f"{server.url}/a") for _ in range(5)))
    assert len(asked) == 2  # what failed is asked for again, by one
    assert all(each is answers[0] for each in answers)


async def test_point_that_is_not_at_its_pointer_is_refused(tmp_path: Path) -> None:
    with serving(tmp_path) as (api, server, _):
        answer = await api.get("Example", f"{server.url}/prices")
        point = DataPoint(source="", pointer="/bitcoin/usd", value=Decimal("84210.6"))
        with pytest.raises(WrongContent, match=r"no number 84210\.6 at /bitcoin/usd"):
            await api.reply(answer, "prices", "shown", points=[point])
    assert api.book.sources == ()


async def test_what_is_sealed_of_an_answer(tmp_path: Path) -> None:
    with serving(tmp_path) as (api, server, asked):
        server.headers = {"etag": '"7"', "x-ratelimit-remaining": "9", "set-cookie": "who=me", "x-debug": KEY}
        answer = await api.post_json(
            "Example",
            f"{server.url}/rpc",
            {"id": 1, "method": "m"},
            secret_query={"apikey": KEY},
            secret_headers={"x-key": KEY},
        )
        await api.reply(answer, "call", "shown")
    (source,) = api.book.sources
    with api.book.store.open_sealed(source.capture) as reader:
        sealed = json.loads(reader.read(PROVENANCE))["exchange"]
        everything = b"".join(reader.read(name) for name in reader.names())
    assert asked == [("POST", f"/rpc?apikey={KEY}", KEY, b'{"id":1,"method":"m"}')]
    assert sealed["method"] == "POST"
    assert sealed["url"] == f"{server.url}/rpc"
    assert sealed["request_body"] == '{"id":1,"method":"m"}'
    assert sealed["status"] == 200
    assert sealed["headers"].keys() == {"content-type", "date", "etag", "x-ratelimit-remaining"}
    assert sealed["adapter"] == "example"
    assert datetime.fromisoformat(sealed["server_time"]) <= datetime.now(UTC)
    assert KEY.encode() not in everything
    assert KEY not in answer.url


@pytest.mark.parametrize(
    ("status", "headers", "said"),
    [
        (401, {}, "Example .* refuses the key that is set"),
        (451, {}, "Example .* does not serve the country"),
        (429, {}, "Example: .*too many requests"),
        (500, {}, "Example: .*HTTP 500"),
        (302, {"location": "https://elsewhere.example/"}, "a key goes to no other address"),
    ],
)
async def test_refusal_names_the_provider_and_never_the_key(
    status: int, headers: dict[str, str], said: str, tmp_path: Path
) -> None:
    with serving(tmp_path) as (api, server, _):
        server.status, server.headers = status, headers
        with pytest.raises((PageBlocked, PageNotLoaded), match=said) as caught:
            await api.get("Example", f"{server.url}/prices", secret_query={"apikey": KEY})
    assert KEY not in repr(caught.value)
    assert caught.value.__cause__ is None


async def test_key_is_in_no_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with serving(tmp_path) as (api, server, _):
        await api.get(
            "Example", f"{server.url}/prices", secret_query={"apikey": KEY}, secret_headers={"x-key": KEY}
        )
        assert "/prices" in caplog.text
        assert KEY not in caplog.text
        await api.get("Example", f"{server.url}/open", {"q": "plain"})
    assert "/open?q=plain" in caplog.text


async def test_no_connection_does_not_tell_the_key(tmp_path: Path) -> None:
    with serving(tmp_path) as (api, server, _):
        url = server.url
    with pytest.raises(PageNotLoaded) as caught:
        await api.get("Example", url, secret_query={"apikey": KEY})
    assert KEY not in str(caught.value)


async def test_answer_that_repeats_the_key_is_not_kept(tmp_path: Path) -> None:
    with serving(tmp_path) as (api, server, _):
        server.body = json.dumps({"your key": KEY}).encode()
        with pytest.raises(WrongContent, match="repeats the key"):
            await api.get("Example", server.url, secret_headers={"x-key": KEY})


async def test_nothing_later_than_as_of_is_shown(tmp_path: Path) -> None:
    with serving(tmp_path, as_of=NOW - timedelta(days=1)) as (api, server, _):
        answer = await api.get("Example", f"{server.url}/prices")
        late = DataPoint(source="", pointer="/bitcoin/usd", value=Decimal("84210.5"), at=NOW)
        with pytest.raises(DataNotAvailable, match="2026-03-02"):
            await api.reply(answer, "prices", "shown", points=[late])
        with pytest.raises(DataNotAvailable):
            await api.reply(answer, "prices", "shown", as_of=NOW)
        with pytest.raises(DataNotAvailable, match="of the present only"):
            api.live_only("Example's list")
        await api.reply(answer, "prices", "shown", as_of=NOW - timedelta(days=2))
    assert [source.id for source in api.book.sources] == ["src_1"]


async def test_text_is_sealed_as_it_came(tmp_path: Path) -> None:
    with serving(tmp_path) as (api, server, _):
        server.headers, server.body = {"content-type": "application/rss+xml"}, b"<rss><channel/></rss>"
        answer = await api.get_text("Example", f"{server.url}/feed")
        await api.reply(answer, "feed", "shown")
    assert answer.data is None
    with api.book.store.open_sealed(api.book.sources[0].capture) as reader:
        assert reader.read(api.book.sources[0].file) == server.body


async def test_error_of_json_rpc_is_an_error(tmp_path: Path) -> None:
    with serving(tmp_path) as (api, server, _):
        server.body = b'{"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "no such method"}}'
        with pytest.raises(WrongContent, match="no such method"):
            await api.post_json("Example", server.url, {"id": 1, "method": "m"})


async def test_offline_nothing_is_computed_from_what_is_not_there(tmp_path: Path) -> None:
    data = offline_data(tmp_path)
    with pytest.raises(BadArguments, match="no source src_9"):
        await data.api.compute("mean", {"values": [Operand(source="src_9", pointer="/a")]})
    with pytest.raises(OfflineMiss):
        await data.api.post_json("Example", "https://rpc.example.org/", {"id": 1})
