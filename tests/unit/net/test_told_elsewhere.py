"""What is for one origin alone goes to no other, whatever a server answers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.unit.net.local_site import LocalSite, local_site
from verifaible.config import Settings
from verifaible.errors import UrlRefused
from verifaible.net.client import live_client
from verifaible.net.guard import UrlGuard
from verifaible.schema.web import Headers, WebRequest


@pytest.fixture
def sites() -> Iterator[tuple[LocalSite, LocalSite]]:
    with local_site() as one, local_site() as other:
        other.give("/", body=b"there")
        yield one, other


@pytest.mark.parametrize(
    ("method", "headers", "body", "status", "follows"),
    [
        ("GET", (), b"", 307, True),
        ("GET", (("accept", "text/html"), ("accept-language", "de")), b"", 302, True),
        ("POST", (), b"told", 303, True),
        ("POST", (("content-type", "text/plain"),), b"told", 307, False),
        ("POST", (), b"told", 308, False),
        ("GET", (("authorization", "Bearer k"),), b"", 302, False),
        ("GET", (("x-subscription-token", "k"),), b"", 301, False),
        ("POST", (("x-api-key", "k"),), b"told", 303, False),
        ("GET", (("cookie", "a=1"),), b"", 307, False),
    ],
)
async def test_a_body_and_a_key_stay_with_their_origin(
    sites: tuple[LocalSite, LocalSite], method: str, headers: Headers, body: bytes, status: int, follows: bool
) -> None:
    one, other = sites
    one.give("/", status, location=f"{other.url}/")
    async with live_client(Settings(), UrlGuard(["127.0.0.1"])) as client:
        if follows:
            fetched = await client.fetch(WebRequest(f"{one.url}/", method, headers, body))
            assert fetched.answer.response.body == b"there"
        else:
            with pytest.raises(UrlRefused, match="another origin"):
                await client.fetch(WebRequest(f"{one.url}/", method, headers, body))
            assert other.seen == []


async def test_within_an_origin_both_go_on(sites: tuple[LocalSite, LocalSite]) -> None:
    one, _ = sites
    one.give("/", 307, location="/next")
    one.give("/next", body=b"here")
    async with live_client(Settings(), UrlGuard(["127.0.0.1"])) as client:
        await client.fetch(WebRequest(f"{one.url}/", "POST", (("x-api-key", "k"),), b"told"))
    assert one.seen == ["POST /", "POST /next"] and one.headers[1]["x-api-key"] == "k"
