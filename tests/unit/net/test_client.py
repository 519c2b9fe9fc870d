"""The HTTP client, live against a loopback server and offline against a fake player."""

from __future__ import annotations

import asyncio
import gzip
import socket
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from threading import Event

import httpx2
import pytest

from tests.unit.net.local_site import LocalSite, local_site
from verifaible.config import Settings
from verifaible.errors import OfflineMiss, PageNotLoaded, UrlRefused
from verifaible.net.client import MAX_REDIRECTS, HttpClient, live_client, offline_client
from verifaible.net.dialer import GuardedTransport
from verifaible.net.guard import Target, UrlGuard
from verifaible.net.transcripts import fetch_transcript
from verifaible.schema.web import Headers, WebAnswer, WebRequest, WebResponse, header


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalSite]:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("verifaible.net.client.PAUSES_S", (0.0, 0.0))
    with local_site() as site:
        yield site


def live(**settings: object) -> HttpClient:
    return live_client(Settings.model_validate(settings), UrlGuard(["127.0.0.1"]))


async def test_an_answer_is_whole_and_says_where_it_is_from(site: LocalSite) -> None:
    site.give("/a?b=1", body="数据".encode(), content_type="text/html; charset=utf-8", x_a="1")
    async with live() as client:
        fetched = await client.fetch(WebRequest(f"{site.url}/a?b=1#part"))

    answer = fetched.answer
    assert (answer.response.status, answer.response.body.decode()) == (200, "数据")
    assert (answer.url, answer.match, fetched.redirects) == (f"{site.url}/a?b=1", "live", ())
    assert header(answer.response.headers, "X-A") == "1"
    assert answer.recorded_at.tzinfo is not None
    assert "verifaible/" in site.headers[0]["user-agent"]
    assert site.headers[0]["host"] == site.url.removeprefix("http://")


async def test_content_coding_is_taken_off(site: LocalSite) -> None:
    site.give("/", body=gzip.compress(b"x" * 1000), content_encoding="gzip")
    async with live() as client:
        assert (await client.fetch(WebRequest(f"{site.url}/"))).answer.response.body == b"x" * 1000


@pytest.mark.parametrize("status", [404, 403, 500])
async def test_an_error_status_is_an_answer(site: LocalSite, status: int) -> None:
    site.give("/", status, b"gone")
    async with live() as client:
        assert (await client.fetch(WebRequest(f"{site.url}/"))).answer.response.status == status
    assert len(site.seen) == 1


async def test_redirects_are_followed_and_told(site: LocalSite) -> None:
    site.give("/1", 301, location="/2")
    site.give("/2", 302, location="3?x=1#frag")
    site.give("/3?x=1", body=b"end")
    async with live() as client:
        fetched = await client.fetch(WebRequest(f"{site.url}/1"))
        first = await client.fetch(WebRequest(f"{site.url}/1"), follow_redirects=False)

    assert (fetched.answer.response.body, fetched.answer.url) == (b"end", f"{site.url}/3?x=1")
    assert fetched.redirects == (f"{site.url}/1", f"{site.url}/2")
    assert (first.answer.response.status, first.redirects) == (301, ())


@pytest.mark.parametrize(
    ("status", "method", "expected"),
    [
        (301, "POST", "GET"),
        (302, "POST", "GET"),
        (303, "POST", "GET"),
        (307, "POST", "POST"),
        (308, "POST", "POST"),
        (303, "HEAD", "HEAD"),
    ],
)
async def test_the_method_after_a_redirect(site: LocalSite, status: int, method: str, expected: str) -> None:
    site.give("/1", status, location="/2")
    site.give("/2")
    async with live() as client:
        await client.fetch(WebRequest(f"{site.url}/1", method, (("content-type", "text/plain"),), b"body"))
    assert site.seen[1] == f"{expected} /2"
    assert ("content-type" in site.headers[1]) is (expected != "GET")


async def test_a_circle_of_redirects_is_named(site: LocalSite) -> None:
    site.give("/1", 302, location="/2")
    site.give("/2", 302, location="/1")
    async with live() as client:
        with pytest.raises(PageNotLoaded, match=r"circle: \S+/\d -> \S+/\d -> \S+/\d\. "):
            await client.fetch(WebRequest(f"{site.url}/1"))
    assert len(site.seen) == MAX_REDIRECTS + 1


async def test_an_endless_chain_of_redirects_ends(site: LocalSite) -> None:
    for number in range(30):
        site.give(f"/{number}", 302, location=f"/{number + 1}")
    async with live() as client:
        with pytest.raises(PageNotLoaded, match="more than 20 times"):
            await client.fetch(WebRequest(f"{site.url}/0"))


async def test_the_guard_stands_at_every_hop(site: LocalSite) -> None:
    site.give("/1", 302, location="http://169.254.169.254/latest/")
    async with live() as client:
        with pytest.raises(UrlRefused, match=r"169\.254\.169\.254"):
            await client.fetch(WebRequest(f"{site.url}/1"))


async def test_an_address_that_parsers_read_differently_is_refused(site: LocalSite) -> None:
    async with live() as client:
        with pytest.raises(UrlRefused):
            await client.fetch(WebRequest(f"http://127.0.0.1\\@127.0.0.2:{site.url.rpartition(':')[2]}/"))
    assert site.seen == []


@pytest.mark.parametrize("coded", [False, True])
async def test_too_large_answers_are_refused_by_what_they_unpack_to(site: LocalSite, coded: bool) -> None:
    body = b"0" * 5000
    if coded:
        site.give("/", body=gzip.compress(body), content_encoding="gzip")
    else:
        site.give("/", body=body)
    async with live(max_body_bytes=4999) as client:
        with pytest.raises(PageNotLoaded, match="more than 4999 bytes"):
            await client.fetch(WebRequest(f"{site.url}/"))
    async with live(max_body_bytes=5000) as client:
        assert len((await client.fetch(WebRequest(f"{site.url}/"))).answer.response.body) == 5000


async def test_a_truncated_answer_is_no_answer(site: LocalSite) -> None:
    def cut(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-length", "100")
        handler.end_headers()
        handler.wfile.write(b"only this")
        handler.close_connection = True

    site.answers["/"] = cut
    async with live() as client:
        with pytest.raises(PageNotLoaded, match="broken or incomplete"):
            await client.fetch(WebRequest(f"{site.url}/"))


async def test_a_damaged_content_coding_is_no_answer(site: LocalSite) -> None:
    site.give("/", body=b"not gzip", content_encoding="gzip")
    async with live() as client:
        with pytest.raises(PageNotLoaded, match="broken or incomplete"):
            await client.fetch(WebRequest(f"{site.url}/"))


@pytest.mark.parametrize(("method", "tries"), [("GET", 3), ("POST", 1)])
async def test_only_a_get_is_tried_again_after_a_gateway_error(
    site: LocalSite, method: str, tries: int
) -> None:
    site.give("/", 503, b"busy")
    async with live() as client:
        assert (await client.fetch(WebRequest(f"{site.url}/", method))).answer.response.status == 503
    assert len(site.seen) == tries


async def test_a_second_try_may_succeed(site: LocalSite) -> None:
    def first(handler: BaseHTTPRequestHandler) -> None:
        site.give("/", body=b"now")
        handler.send_response(502)
        handler.send_header("content-length", "0")
        handler.end_headers()

    site.answers["/"] = first
    async with live() as client:
        assert (await client.fetch(WebRequest(f"{site.url}/"))).answer.response.body == b"now"


async def test_no_connection_is_told_after_the_last_try(site: LocalSite) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    async with live() as client:
        with pytest.raises(PageNotLoaded, match="no connection"):
            await client.fetch(WebRequest(f"http://127.0.0.1:{port}/"))


async def test_a_silent_server_times_out(site: LocalSite) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        async with live(page_timeout_s=0.2) as client:
            with pytest.raises(PageNotLoaded, match=r"within 0\.2 seconds"):
                await client.fetch(WebRequest(f"http://127.0.0.1:{silent.getsockname()[1]}/", "POST"))


@pytest.mark.parametrize(
    "head", [b"HTTP/1.1 200 OK\r\ncontent-type: text/vtt\r\n\r\n", b"HTTP/1.1 200 OK\r\nx: "]
)
async def test_a_server_that_sends_drop_by_drop_is_given_up(
    site: LocalSite, monkeypatch: pytest.MonkeyPatch, head: bytes
) -> None:
    """Each byte comes well within the time that a silent server has; head and body alike never end."""
    monkeypatch.setattr("verifaible.net.client.TOTAL_TIMEOUT_S", 0.5)
    over = Event()

    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.close_connection = True
        with suppress(OSError):
            handler.wfile.write(head)
            while not over.wait(0.02):
                handler.wfile.write(b"x")

    site.answers["/captions.vtt"] = drip
    try:
        async with asyncio.timeout(60), live() as client:
            with pytest.raises(PageNotLoaded, match=r"too slowly: it was not complete after 0\.5 seconds"):
                await fetch_transcript(f"{site.url}/captions.vtt", client)
    finally:
        over.set()


async def test_the_checked_address_is_the_one_connected_to(
    site: LocalSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name has no address at all: only the guard's answer can lead to the server."""
    guard = UrlGuard()

    async def addresses(target: Target) -> tuple[str, ...]:
        return ("127.0.0.1",)

    monkeypatch.setattr(guard, "addresses", addresses)
    port = site.url.rpartition(":")[2]
    site.give("/", body=b"pinned")
    async with live_client(Settings(), guard) as client:
        fetched = await client.fetch(WebRequest(f"http://rebinding.example.com:{port}/"))
    assert fetched.answer.response.body == b"pinned"
    assert site.headers[0]["host"] == f"rebinding.example.com:{port}"


async def test_a_certificate_that_nobody_signed_is_refused(site: LocalSite) -> None:
    async with live() as client:
        with pytest.raises(PageNotLoaded):
            await client.fetch(WebRequest(site.url.replace("http:", "https:") + "/"))


class FakePlayer:
    """Answers like an archive's player, from a table of (status, headers, body)."""

    def __init__(self, table: dict[str, tuple[int, Headers, bytes]]) -> None:
        self.table = table
        self.asked: list[WebRequest] = []

    def find(self, request: WebRequest) -> WebAnswer:
        self.asked.append(request)
        if request.url not in self.table:
            raise OfflineMiss(request.url, request.method)
        return WebAnswer(
            request.url, WebResponse(*self.table[request.url]), "exact", datetime(2025, 1, 1, tzinfo=UTC)
        )


async def test_offline_follows_redirects_and_opens_no_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    player = FakePlayer(
        {
            "https://e.com/1": (301, (("Location", "http://f.com/2"),), b""),
            "http://f.com/2": (200, (), b"archived"),
        }
    )

    def forbidden(*_: object, **__: object) -> None:
        raise AssertionError("offline opened a socket")

    monkeypatch.setattr(socket, "socket", forbidden)
    monkeypatch.setattr(socket, "getaddrinfo", forbidden)
    async with offline_client(player) as client:
        fetched = await client.fetch(WebRequest("https://e.com/1#x"))

    assert (fetched.answer.response.body, fetched.answer.match) == (b"archived", "exact")
    assert fetched.redirects == ("https://e.com/1",)


async def test_offline_misses_and_circles_are_told() -> None:
    player = FakePlayer({"http://e.com/1": (302, (("location", "/1"),), b"")})
    async with offline_client(player) as client:
        with pytest.raises(OfflineMiss, match=r"http://e\.com/2"):
            await client.fetch(WebRequest("http://e.com/2"))
        with pytest.raises(PageNotLoaded, match="circle"):
            await client.fetch(WebRequest("http://e.com/1"))


async def test_more_than_ten_answers_are_waited_for_at_once() -> None:
    came, all_there = 0, asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal came
        await reader.readuntil(b"\r\n\r\n")
        came += 1
        if came == 24:
            all_there.set()
        await all_there.wait()
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    guard = UrlGuard(("127.0.0.1",))
    async with server, httpx2.AsyncClient(transport=GuardedTransport(guard), timeout=30) as client:
        answers = await asyncio.gather(*(client.get(f"http://127.0.0.1:{port}/") for _ in range(24)))
    assert [answer.text for answer in answers] == ["ok"] * 24
