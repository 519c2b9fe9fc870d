"""The egress proxy over real sockets: who may use it, what it lets through, and how it ends."""

from __future__ import annotations

import asyncio
import socket
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import pytest
import pytest_asyncio

from tests.unit.net.local_site import LocalSite, local_site
from verifaible.errors import ConfigError, UrlRefused
from verifaible.net.dial import Dialer
from verifaible.net.guard import UrlGuard, target_of
from verifaible.net.proxy import Admission, EgressProxy
from verifaible.net.relay import BUFFER_BYTES, BodyTooLong, ChunkedBody, MalformedHead, parse_head
from verifaible.net.ways import by_environment

PROXY_VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROXY_VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def site() -> Iterator[LocalSite]:
    with local_site() as found:
        yield found


@pytest_asyncio.fixture
async def proxy() -> AsyncIterator[EgressProxy]:
    async with EgressProxy() as running:
        yield running


def credentials(admission: Admission) -> bytes:
    coded = b64encode(f"{admission.username}:{admission.password}".encode())
    return b"Proxy-Authorization: Basic " + coded + b"\r\n"


class Client:
    """A connection to the proxy."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def open(cls, proxy: EgressProxy) -> Client:
        parts = urlsplit(proxy.url)
        return cls(*await asyncio.open_connection(parts.hostname, parts.port))

    async def ask(self, *parts: bytes) -> bytes:
        """Send, and give the head of what comes back; empty if the proxy hangs up."""
        self.writer.write(b"".join(parts))
        try:
            return await asyncio.wait_for(self.reader.readuntil(b"\r\n\r\n"), 60)
        except (asyncio.IncompleteReadError, ConnectionResetError):
            return b""

    async def rest(self) -> bytes:
        """Everything until the proxy hangs up."""
        return await asyncio.wait_for(self.reader.read(), 60)

    async def body(self, size: int) -> bytes:
        return await asyncio.wait_for(self.reader.readexactly(size), 60)

    def close(self) -> None:
        self.writer.close()


def host(site: LocalSite) -> bytes:
    return site.url.removeprefix("http://").encode()


# --- who may use it


@pytest.mark.parametrize(
    "request_line", [b"GET http://127.0.0.1:1/ HTTP/1.1", b"CONNECT 127.0.0.1:1 HTTP/1.1"]
)
@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"Proxy-Authorization: Basic eDp5\r\n",
        b"Proxy-Authorization: Basic !!\r\n",
        b"Proxy-Authorization: Basic /w==\r\n",
        b"Proxy-Authorization: Bearer x\r\n",
    ],
)
async def test_nobody_else_may_use_it(proxy: EgressProxy, request_line: bytes, header: bytes) -> None:
    client = await Client.open(proxy)
    head = await client.ask(request_line, b"\r\n", header, b"\r\n")
    assert head.startswith(b"HTTP/1.1 407 ") and b"proxy-authenticate: basic" in head.lower()
    client.close()


async def test_the_password_is_that_of_the_name(proxy: EgressProxy) -> None:
    one, other = proxy.admit(UrlGuard()), proxy.admit(UrlGuard())
    mixed = Admission(one.username, other.password)
    client = await Client.open(proxy)
    assert b" 407 " in await client.ask(b"CONNECT 8.8.8.8:1 HTTP/1.1\r\n", credentials(mixed), b"\r\n")
    client.close()


async def test_after_a_demand_for_credentials_the_connection_is_used_again(
    proxy: EgressProxy, site: LocalSite
) -> None:
    site.give("/a", body=b"here")
    admission = proxy.admit(UrlGuard(["127.0.0.1"]))
    client = await Client.open(proxy)
    line = b"GET http://" + host(site) + b"/a HTTP/1.1\r\nHost: " + host(site) + b"\r\n"
    assert b" 407 " in await client.ask(line, b"\r\n")
    assert b" 200 " in await client.ask(line, credentials(admission), b"\r\n")
    assert await client.body(4) == b"here"
    client.close()


async def test_dismissed_credentials_are_worth_nothing(proxy: EgressProxy, site: LocalSite) -> None:
    site.give("/", body=b"here")
    admission = proxy.admit(UrlGuard(["127.0.0.1"]))
    tunnel = await Client.open(proxy)
    line = b"CONNECT " + host(site) + b" HTTP/1.1\r\n"
    assert b" 200 " in await tunnel.ask(line, credentials(admission), b"\r\n")
    proxy.dismiss(admission)
    assert await tunnel.rest() == b""
    later = await Client.open(proxy)
    assert b" 407 " in await later.ask(line, credentials(admission), b"\r\n")
    for client in (tunnel, later):
        client.close()


async def test_without_a_guard_nothing_is_let_through(proxy: EgressProxy, site: LocalSite) -> None:
    admission = proxy.admit()
    client = await Client.open(proxy)
    line = b"CONNECT " + host(site) + b" HTTP/1.1\r\n"
    assert b" 403 " in await client.ask(line, credentials(admission), b"\r\n")
    assert len(admission.refused) == 1
    client.close()


# --- what is relayed


async def test_the_server_sees_a_request_as_a_browser_would_send_it(
    proxy: EgressProxy, site: LocalSite
) -> None:
    site.give("/a?b=%20c", body=b"here")
    admission = proxy.admit(UrlGuard(["127.0.0.1"]))
    client = await Client.open(proxy)
    await client.ask(
        b"GET http://" + host(site) + b"/a?b=%20c HTTP/1.1\r\nHost: " + host(site) + b"\r\n",
        b"Proxy-Connection: keep-alive\r\nX-A: 1\r\n" + credentials(admission) + b"\r\n",
    )
    assert site.seen == ["GET /a?b=%20c"]
    assert site.headers[0] == {"host": host(site).decode(), "connection": "keep-alive", "x-a": "1"}
    client.close()


async def test_a_connection_is_kept_and_bodies_are_passed_on(proxy: EgressProxy, site: LocalSite) -> None:
    site.give("/", body=b"first")
    site.give("/post", body=b"second")
    admission = proxy.admit(UrlGuard(["127.0.0.1"]))
    client = await Client.open(proxy)
    head = b"Host: x\r\n" + credentials(admission)
    await client.ask(b"GET http://" + host(site) + b"/ HTTP/1.1\r\n", head, b"\r\n")
    assert await client.body(5) == b"first"
    sent = b"x" * 100_000
    post = b"POST http://" + host(site) + b"/post HTTP/1.1\r\ncontent-length: 100000\r\n"
    assert b" 200 " in await client.ask(post, head, b"\r\n", sent)
    assert await client.body(6) == b"second"
    assert site.seen == ["GET /", "POST /post"]
    client.close()


async def test_a_connection_belongs_to_one_host(proxy: EgressProxy, site: LocalSite) -> None:
    """What one server sent can never be taken for the answer of another one."""
    site.give("/", body=b"first")
    admission = proxy.admit(UrlGuard(["127.0.0.1"]))
    with local_site() as other:
        client = await Client.open(proxy)
        head = b"Host: x\r\n" + credentials(admission) + b"\r\n"
        await client.ask(b"GET http://" + host(site) + b"/ HTTP/1.1\r\n", head)
        await client.body(5)
        assert await client.ask(b"GET http://" + host(other) + b"/ HTTP/1.1\r\n", head) == b""
        assert other.seen == []
        client.close()


async def test_a_refused_plain_request_gets_no_answer_that_could_pass_for_the_servers(
    proxy: EgressProxy,
) -> None:
    admission = proxy.admit(UrlGuard())
    client = await Client.open(proxy)
    line = b"GET http://127.0.0.1:1/ HTTP/1.1\r\nHost: x\r\n"
    assert await client.ask(line, credentials(admission), b"\r\n") == b""
    assert [type(error) for error in admission.refused] == [UrlRefused]
    client.close()


async def test_a_broken_answer_ends_as_broken(proxy: EgressProxy) -> None:
    """A reset must not look like the end of an answer that has no length."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n\r\nhalf a")
        await writer.drain()
        await reader.readexactly(1)
        linger = (1).to_bytes(4, "little") + (0).to_bytes(4, "little")
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        writer.transport.abort()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    admission = proxy.admit(UrlGuard(["127.0.0.1"]))
    client = await Client.open(proxy)
    line = f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n".encode()
    await client.ask(line, credentials(admission), b"\r\n")
    assert b" 200 OK" in await client.ask(b"GET / HTTP/1.1\r\n\r\n")
    await client.body(6)
    client.writer.write(b"x")
    with pytest.raises(ConnectionResetError):
        await client.rest()
    client.close()
    server.close()


async def test_a_slow_reader_is_waited_for(proxy: EgressProxy) -> None:
    """The server sends until nothing more is taken; the proxy keeps little of it meanwhile."""
    stalled = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                writer.write(bytes(65536))
                await asyncio.wait_for(writer.drain(), 0.5)
        except (TimeoutError, ConnectionError):
            stalled.set()
            writer.transport.abort()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    admission = proxy.admit(UrlGuard(["127.0.0.1"]))
    client = await Client.open(proxy)
    line = f"CONNECT 127.0.0.1:{server.sockets[0].getsockname()[1]} HTTP/1.1\r\n".encode()
    await client.ask(line, credentials(admission), b"\r\n")
    assert isinstance(client.writer.transport, asyncio.Transport)
    client.writer.transport.pause_reading()
    await asyncio.wait_for(stalled.wait(), 60)
    kept = sum(each.transport.get_write_buffer_size() for each in proxy._clients if each.transport)
    assert 0 < kept < 4 * BUFFER_BYTES
    client.close()
    server.close()


async def test_a_head_without_end_is_given_up(proxy: EgressProxy) -> None:
    client = await Client.open(proxy)
    assert b" 431 " in await client.ask(b"GET http://a.example/ HTTP/1.1\r\nX: ", b"x" * 300_000)
    client.close()


@pytest.mark.parametrize(
    "head",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET https://a.example/ HTTP/1.1\r\n\r\n",
        b"GET ftp://a.example/ HTTP/1.1\r\n\r\n",
        b"GET  http://a.example/ HTTP/1.1\r\n\r\n",
        b"GET http://a.example/ HTTP/2\r\n\r\n",
        b"G\0T http://a.example/ HTTP/1.1\r\n\r\n",
        b"GET http://a.example/ HTTP/1.1\r\n folded: x\r\n\r\n",
        b"GET http://a.example/ HTTP/1.1\r\nX : 1\r\n\r\n",
        b"GET http://a.example/ HTTP/1.1\r\nX: 1\n2\r\n\r\n",
        b"CONNECT a.example HTTP/1.1\r\n\r\n",
        b"CONNECT a.example:99999 HTTP/1.1\r\n\r\n",
        b"CONNECT a.example:x HTTP/1.1\r\n\r\n",
    ],
)
def test_malformed_requests(head: bytes) -> None:
    with pytest.raises(MalformedHead):
        parse_head(head)


def test_contradicting_lengths() -> None:
    head = b"POST http://a.example/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"
    with pytest.raises(MalformedHead):
        _ = parse_head(head).body_bytes


# --- where it leads


async def test_a_name_is_looked_up_once_and_what_was_judged_is_dialled() -> None:
    """DNS rebinding: the second answer of the name server would be this machine."""
    answers = [["93.184.216.34"], ["127.0.0.1"]]

    async def resolver(name: str, port: int) -> list[str]:
        return answers.pop(0)

    dialled: list[str] = []

    async def connect(address: str) -> str:
        dialled.append(address)
        return address

    dialer = Dialer(UrlGuard(resolver=resolver))
    for _ in range(3):
        await dialer.dial(target_of("rebind.example", 80), connect)
    assert dialled == ["93.184.216.34"] * 3
    fresh = Dialer(dialer.guard)
    with pytest.raises(UrlRefused):
        await fresh.dial(target_of("rebind.example", 80), connect)
    assert dialled == ["93.184.216.34"] * 3


async def test_the_next_address_is_tried_where_one_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifaible.net.dial.NEXT_AFTER_S", 0.01)

    async def resolver(name: str, port: int) -> list[str]:
        return ["8.8.8.8", "8.8.4.4", "1.1.1.1"]

    async def connect(address: str) -> str:
        if address == "8.8.8.8":
            await asyncio.Event().wait()
        if address == "8.8.4.4":
            raise ConnectionRefusedError
        return address

    dialer = Dialer(UrlGuard(resolver=resolver))
    assert await dialer.dial(target_of("many.example", 80), connect) == "1.1.1.1"


async def test_why_a_host_was_not_reached_is_kept(proxy: EgressProxy) -> None:
    async def resolver(name: str, port: int) -> list[str]:
        raise OSError

    admission = proxy.admit(UrlGuard(["127.0.0.1"], resolver=resolver))
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    for target in (f"127.0.0.1:{port}", "nowhere.example:443"):
        client = await Client.open(proxy)
        assert b" 502 " in await client.ask(
            f"CONNECT {target} HTTP/1.1\r\n".encode(), credentials(admission), b"\r\n"
        )
        client.close()
    assert "ERR_CONNECTION_REFUSED" in admission.unreached["127.0.0.1", port]
    assert "ERR_NAME_NOT_RESOLVED" in admission.unreached["nowhere.example", 443]


# --- behind another proxy


@pytest.mark.parametrize(
    ("proxies", "scheme", "found"),
    [
        ({"http": "http://p.example:3128"}, "http", ("p.example", 3128, False, "")),
        ({"http": "p.example:3128"}, "http", ("p.example", 3128, False, "")),
        ({"https": "https://u:p%40@p.example"}, "https", ("p.example", 443, True, "Basic dTpwQA==")),
        ({"all": "http://p.example"}, "https", ("p.example", 80, False, "")),
        ({"http": "http://p.example"}, "https", None),
        ({}, "http", None),
    ],
)
def test_the_environments_proxy(
    proxies: dict[str, str], scheme: str, found: tuple[str, int, bool, str] | None
) -> None:
    upstream = by_environment(scheme, "a.example", proxies)
    assert (
        upstream and (upstream.host, upstream.port, upstream.kind == "https", upstream.authorization)
    ) == found


def test_a_proxy_variable_without_a_valid_port_is_named() -> None:
    with pytest.raises(ConfigError, match="no valid port"):
        by_environment("https", "a.example", {"https": "http://proxy.example:port/"})


@pytest.mark.parametrize(
    "target", [b"http://a.example/\nx:\t1", b"http://a.example/\x00", b"http://a.ex\x7fample/"]
)
def test_a_request_target_with_control_characters_is_no_head(target: bytes) -> None:
    with pytest.raises(MalformedHead):
        parse_head(b"GET " + target + b" HTTP/1.1\r\nHost: a.example\r\n\r\n")


async def test_requests_are_handed_on_to_the_environments_proxy(
    proxy: EgressProxy, site: LocalSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The further proxy is another one of ours; it alone may reach the site."""
    site.give("/", body=b"here")

    async def resolver(name: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    port = site.url.rpartition(":")[2].encode()
    async with EgressProxy() as further:
        outer = further.admit(UrlGuard(["only.example"], resolver=resolver))
        url = f"http://{outer.username}:{outer.password}@{further.url.removeprefix('http://')}"
        admission = proxy.admit(UrlGuard())
        for line in (
            b"GET http://only.example:" + port + b"/ HTTP/1.1",
            b"CONNECT only.example:" + port + b" HTTP/1.1",
        ):
            # The further proxy of the test runs in this process and must not be sent to itself.
            proxies = iter([{"http": url, "https": url}, {}])
            monkeypatch.setattr("urllib.request.getproxies", lambda proxies=proxies: next(proxies))
            client = await Client.open(proxy)
            assert b" 200 " in await client.ask(line, b"\r\nHost: x\r\n", credentials(admission), b"\r\n")
            if line.startswith(b"CONNECT"):
                assert b" 200 " in await client.ask(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert await client.body(4) == b"here"
            client.close()
        monkeypatch.setattr("urllib.request.getproxies", lambda: {"http": url, "https": url})
        client = await Client.open(proxy)
        assert b" 403 " in await client.ask(
            b"CONNECT 127.0.0.1:" + port + b" HTTP/1.1\r\n", credentials(admission), b"\r\n"
        )
        client.close()
    assert len(admission.refused) == 1


# --- how it ends


async def test_nothing_is_left(site: LocalSite) -> None:
    """No task, no open connection and no listening port, with every kind of connection under way."""

    looking = asyncio.Event()

    async def never(name: str, port: int) -> list[str]:
        looking.set()
        await asyncio.Event().wait()
        return []

    before = asyncio.all_tasks()
    site.give("/", body=b"here")
    clients = []
    async with EgressProxy() as proxy:
        allowed, waiting = proxy.admit(UrlGuard(["127.0.0.1"])), proxy.admit(UrlGuard(resolver=never))
        idle, tunnel, plain, dialling = [await Client.open(proxy) for _ in range(4)]
        clients = [idle, tunnel, plain, dialling]
        assert b" 200 " in await tunnel.ask(
            b"CONNECT " + host(site) + b" HTTP/1.1\r\n", credentials(allowed), b"\r\n"
        )
        await plain.ask(b"GET http://" + host(site) + b"/ HTTP/1.1\r\n", credentials(allowed), b"\r\n")
        dialling.writer.write(b"CONNECT slow.example:443 HTTP/1.1\r\n" + credentials(waiting) + b"\r\n")
        await asyncio.wait_for(looking.wait(), 60)
        port = int(proxy.url.rpartition(":")[2])
        assert proxy.connections == 4
    assert proxy.connections == 0
    assert asyncio.all_tasks() == before
    for client in clients:
        client.writer.transport.abort()
    with socket.socket() as again, pytest.raises(ConnectionRefusedError):
        again.connect(("127.0.0.1", port))


# --- bodies in chunks

CHUNKED = b"Host: x\r\nTransfer-Encoding: chunked\r\nTrailer: x-sum\r\nContent-Type: text/plain\r\n"


@asynccontextmanager
async def older_proxy(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[list[tuple[bytes, bytes]]]:
    """A proxy of the environment that takes only bodies with a length; what it was sent."""
    taken: list[tuple[bytes, bytes]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            try:
                head = await reader.readuntil(b"\r\n\r\n")
            except asyncio.IncompleteReadError:
                writer.close()
                return
            if b"transfer-encoding" in head.lower():
                writer.write(b"HTTP/1.1 411 Length Required\r\nContent-Length: 0\r\n\r\n")
                continue
            fields = [line.partition(b": ") for line in head.split(b"\r\n")]
            length = int(next((value for name, _, value in fields if name == b"Content-Length"), b"0"))
            taken.append((head, await reader.readexactly(length)))
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    monkeypatch.setattr("urllib.request.getproxies", lambda: {"http": url})
    try:
        yield taken
    finally:
        server.close()


@pytest.mark.parametrize("byte_by_byte", [False, True])
async def test_a_body_in_chunks_goes_to_a_further_proxy_in_one_piece(
    proxy: EgressProxy, monkeypatch: pytest.MonkeyPatch, byte_by_byte: bool
) -> None:
    """What comes after it on the same connection is judged as always."""
    admission = proxy.admit(UrlGuard())
    async with older_proxy(monkeypatch) as taken:
        client = await Client.open(proxy)
        head = b"POST http://a.example/up?x=1 HTTP/1.1\r\n" + CHUNKED + credentials(admission) + b"\r\n"
        sent = head + b'5\r\nfirst\r\n00B;a="b"\r\n and second\r\n0\r\nx-sum: 1\r\n\r\n'
        for start in range(len(sent)) if byte_by_byte else ():
            client.writer.write(sent[start : start + 1])
            await client.writer.drain()
            await asyncio.sleep(0)
        assert b" 200 " in await client.ask(b"" if byte_by_byte else sent)
        ((request, body),) = taken
        assert body == b"first and second"
        assert request.startswith(b"POST http://a.example/up?x=1 HTTP/1.1\r\n")
        assert b"\r\nContent-Length: 16\r\n" in request
        assert b"\r\nContent-Type: text/plain\r\n" in request
        assert not any(name in request.lower() for name in (b"transfer-encoding", b"trailer", b"proxy-"))
        again = b"GET http://a.example/ HTTP/1.1\r\nHost: x\r\n" + credentials(admission) + b"\r\n"
        assert b" 200 " in await client.ask(again)
        inside = b"GET http://b.example/ HTTP/1.1\r\nHost: x\r\n" + credentials(admission) + b"\r\n"
        assert await client.ask(inside) == b""
        assert [request.split(b" ")[1] for request, _ in taken] == [
            b"http://a.example/up?x=1",
            b"http://a.example/",
        ]
        client.close()


async def test_a_body_in_chunks_that_is_too_long_for_that_is_told(
    proxy: EgressProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verifaible.net.proxy.MAX_CHUNKED_BYTES", 10)
    admission = proxy.admit(UrlGuard())
    async with older_proxy(monkeypatch) as taken:
        client = await Client.open(proxy)
        head = b"POST http://a.example/ HTTP/1.1\r\n" + CHUNKED + credentials(admission) + b"\r\n"
        assert await client.ask(head, b"8\r\n12345678\r\n3\r\n123\r\n0\r\n\r\n") == b""
        assert "more than 10 bytes without a length" in admission.unreached["a.example", 80]
        assert taken == []
        client.close()


async def test_a_body_that_is_not_in_chunks_is_refused(
    proxy: EgressProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    admission = proxy.admit(UrlGuard())
    async with older_proxy(monkeypatch) as taken:
        client = await Client.open(proxy)
        head = b"POST http://a.example/ HTTP/1.1\r\n" + CHUNKED + credentials(admission) + b"\r\n"
        assert b" 400 " in await client.ask(head, b"GET http://b.example/ HTTP/1.1\r\n\r\n")
        assert taken == []
        client.close()


@pytest.mark.parametrize(
    "sent",
    [
        b"x\r\n",
        b"-1\r\n",
        b"+5\r\nfirst\r\n0\r\n\r\n",
        b"0x5\r\nfirst\r\n0\r\n\r\n",
        b" 5\r\nfirst\r\n0\r\n\r\n",
        b"5\nfirst\r\n0\r\n\r\n",
        b"5\r\nfirstly\r\n0\r\n\r\n",
        b"\r\n",
        b"5_0\r\n",
        b"123456789\r\n",
        b"5;" + b"x" * 5000,
        b"0\r\n" + b"a: b\r\n" * 200,
    ],
)
def test_what_is_not_in_chunks(sent: bytes) -> None:
    with pytest.raises(MalformedHead):
        ChunkedBody(1000).take(bytearray(sent))


def test_chunks_up_to_the_limit() -> None:
    buffer = bytearray(b"5\r\nfirst\r\n0\r\n\r\nGET ")
    body = ChunkedBody(5)
    assert body.take(buffer)
    assert (bytes(body.data), bytes(buffer)) == (b"first", b"GET ")
    with pytest.raises(BodyTooLong):
        ChunkedBody(4).take(bytearray(b"ffffffff\r\n"))


@pytest.mark.parametrize(
    "codings", [b"Transfer-Encoding: gzip, chunked", b"Transfer-Encoding: chunked\r\nTransfer-Encoding: x"]
)
def test_other_codings_of_a_body_are_refused(codings: bytes) -> None:
    head = b"POST http://a.example/ HTTP/1.1\r\n" + codings + b"\r\n\r\n"
    with pytest.raises(MalformedHead):
        _ = parse_head(head).body_bytes
