"""The way out of a browser over real sockets: what it lets through, where it leads, and how it ends."""

from __future__ import annotations

import asyncio
import socket
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from pydantic import SecretStr

from tests.unit.net.local_site import LocalSite, local_site
from verifaible.config import Settings
from verifaible.errors import ConfigError, UrlRefused
from verifaible.net.dialer import Dialer
from verifaible.net.egress import EgressProxy
from verifaible.net.guard import UrlGuard, target_of
from verifaible.net.proxies import Proxies

HERE = UrlGuard(["127.0.0.1"])


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def site() -> Iterator[LocalSite]:
    with local_site() as found:
        yield found


@pytest_asyncio.fixture
async def egress() -> AsyncIterator[EgressProxy]:
    async with EgressProxy() as running:
        yield running


class Client:
    """A connection to a port of the proxy."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def open(cls, url: str) -> Client:
        return cls(*await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2])))

    async def ask(self, host: str, port: int) -> int:
        """Ask for a host, and give the code of the reply; -1 if the proxy hangs up."""
        name = host.encode()
        self.writer.write(
            b"\x05\x01\x00\x05\x01\x00\x03" + bytes([len(name)]) + name + port.to_bytes(2, "big")
        )
        try:
            assert await self._exactly(2) == b"\x05\x00"
            return (await self._exactly(10))[1]
        except (asyncio.IncompleteReadError, ConnectionResetError):
            return -1

    async def _exactly(self, size: int) -> bytes:
        return await asyncio.wait_for(self.reader.readexactly(size), 60)

    async def answer(self, request: bytes, size: int) -> bytes:
        self.writer.write(request)
        return await self._exactly(size)

    async def rest(self) -> bytes:
        """Everything until the proxy hangs up."""
        return await asyncio.wait_for(self.reader.read(), 60)


def port_of(url: str) -> int:
    return int(url.rpartition(":")[2])


async def test_a_context_reaches_what_its_guard_lets_through(egress: EgressProxy, site: LocalSite) -> None:
    site.give("/a", body=b"here", connection="close")
    client = await Client.open(egress.admit(HERE).url)
    assert await client.ask("127.0.0.1", port_of(site.url)) == 0
    client.writer.write(b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
    assert (await client.rest()).endswith(b"\r\n\r\nhere")


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "168.63.129.16", "10.0.0.1", "intranet", "a b.example", "0x7f.1"]
)
async def test_a_context_reaches_nothing_else(egress: EgressProxy, site: LocalSite, host: str) -> None:
    admission = egress.admit(UrlGuard())
    client = await Client.open(admission.url)
    assert await client.ask(host, port_of(site.url)) == 2
    assert await client.rest() == b""
    assert [type(error) for error in admission.refused] == [UrlRefused]
    assert site.seen == []


async def test_nothing_is_let_through_for_the_browser_itself_and_before_a_guard_is_set(
    egress: EgressProxy, site: LocalSite
) -> None:
    for url in (egress.url, egress.admit().url):
        assert await (await Client.open(url)).ask("127.0.0.1", port_of(site.url)) == 2
    assert site.seen == []


async def test_what_one_context_may_reach_another_may_not(egress: EgressProxy, site: LocalSite) -> None:
    one, other = egress.admit(HERE), egress.admit(UrlGuard())
    assert await (await Client.open(one.url)).ask("127.0.0.1", port_of(site.url)) == 0
    assert await (await Client.open(other.url)).ask("127.0.0.1", port_of(site.url)) == 2
    assert (len(one.refused), len(other.refused)) == (0, 1)


@pytest.mark.parametrize(
    "sent",
    [
        b"GET http://127.0.0.1/ HTTP/1.1\r\n\r\n",
        b"\x04\x01\x00\x50\x7f\x00\x00\x01\x00",
        b"\x05\x01\x02",
        b"\x05\x01\x00\x05\x02\x00\x01\x7f\x00\x00\x01\x00\x50",
        b"\x05\x01\x00\x05\x03\x00\x01\x7f\x00\x00\x01\x00\x50",
        b"\x05\x01\x00\x05\x01\x00\x09\x01\x7f\x00\x50",
    ],
    ids=["http", "socks4", "password", "bind", "udp", "kind"],
)
async def test_other_protocols_and_commands_get_nothing(egress: EgressProxy, sent: bytes) -> None:
    client = await Client.open(egress.admit(HERE).url)
    client.writer.write(sent)
    try:
        answer = await client.rest()
    except ConnectionResetError:  # it hung up with bytes unread
        answer = b""
    assert answer.removeprefix(b"\x05\x00")[:2] in (b"", b"\x05\xff", b"\x05\x07")


async def test_a_dismissed_port_is_closed_with_its_connections(egress: EgressProxy, site: LocalSite) -> None:
    admission = egress.admit(HERE)
    client = await Client.open(admission.url)
    assert await client.ask("127.0.0.1", port_of(site.url)) == 0
    egress.dismiss(admission)
    with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
        await client.answer(b"GET / HTTP/1.1\r\n\r\n", 1)
    with pytest.raises(ConnectionRefusedError):
        await Client.open(admission.url)


async def test_a_broken_answer_ends_as_broken(egress: EgressProxy) -> None:
    """A reset must not look like the end of an answer that has no length."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"half a")
        await writer.drain()
        await reader.readexactly(1)
        linger = (1).to_bytes(4, "little") + (0).to_bytes(4, "little")
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        writer.transport.abort()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    client = await Client.open(egress.admit(HERE).url)
    assert await client.ask("127.0.0.1", server.sockets[0].getsockname()[1]) == 0
    assert await client.answer(b"", 6) == b"half a"
    client.writer.write(b"x")
    with pytest.raises(ConnectionResetError):
        await client.rest()
    server.close()


async def test_a_slow_reader_is_waited_for(egress: EgressProxy) -> None:
    """The server sends until nothing more is taken, which is after some megabytes of buffers at most."""
    sent = 0
    stalled = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        try:
            while True:
                writer.write(bytes(65536))
                await asyncio.wait_for(writer.drain(), 0.5)
                sent += 65536
        except (TimeoutError, ConnectionError):
            stalled.set()
            writer.transport.abort()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    client = await Client.open(egress.admit(HERE).url)
    assert await client.ask("127.0.0.1", server.sockets[0].getsockname()[1]) == 0
    assert isinstance(client.writer.transport, asyncio.Transport)
    client.writer.transport.pause_reading()
    await asyncio.wait_for(stalled.wait(), 60)
    assert 0 < sent < 32 << 20
    server.close()


# --- where it leads


def connecting(monkeypatch: pytest.MonkeyPatch, answers: dict[str, object]) -> list[str]:
    """Have connections to addresses end so; a name that is not there connects."""
    dialled: list[str] = []

    async def connect_tcp(_: object, host: str, port: int, **more: object) -> str:
        dialled.append(host)
        found = answers.get(host)
        if isinstance(found, Exception):
            raise found
        if found is not None:
            await asyncio.Event().wait()
        return host

    monkeypatch.setattr("httpcore2.AnyIOBackend.connect_tcp", connect_tcp)
    return dialled


async def test_a_name_is_looked_up_once_and_what_was_judged_is_dialled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """DNS rebinding: the second answer of the name server would be this machine."""
    answers = [["93.184.216.34"], ["127.0.0.1"]]
    dialled = connecting(monkeypatch, {})

    async def resolver(name: str, port: int) -> list[str]:
        return answers.pop(0)

    dialer = Dialer(UrlGuard(resolver=resolver))
    for _ in range(3):
        await dialer.open(target_of("rebind.example", 80))
    with pytest.raises(UrlRefused):
        await Dialer(dialer.guard).open(target_of("rebind.example", 80))
    assert dialled == ["93.184.216.34"] * 3


async def test_the_next_address_is_tried_where_one_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifaible.net.dialer.NEXT_AFTER_S", 0.01)
    connecting(monkeypatch, {"8.8.8.8": "silent", "8.8.4.4": ConnectionRefusedError()})

    async def resolver(name: str, port: int) -> list[str]:
        return ["8.8.8.8", "8.8.4.4", "1.1.1.1"]

    opened: object = await Dialer(UrlGuard(resolver=resolver)).open(target_of("many.example", 80))
    assert opened == "1.1.1.1"


async def test_why_a_host_was_not_reached_is_kept(egress: EgressProxy) -> None:
    async def resolver(name: str, port: int) -> list[str]:
        raise OSError

    admission = egress.admit(UrlGuard(["127.0.0.1"], resolver=resolver))
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    assert await (await Client.open(admission.url)).ask("127.0.0.1", port) == 5
    assert await (await Client.open(admission.url)).ask("nowhere.example", 443) == 4
    assert "ERR_CONNECTION_REFUSED" in admission.unreached["127.0.0.1", port]
    assert "ERR_NAME_NOT_RESOLVED" in admission.unreached["nowhere.example", 443]


# --- behind another proxy


def test_a_dot_behind_a_host_changes_nothing() -> None:
    chosen = Proxies.of(Settings(proxy=SecretStr("*.onion=socks5://p.example")))
    assert chosen.to("x.onion.", 80) == chosen.to("x.onion", 80) is not None


@pytest.mark.parametrize(
    ("variables", "port", "found"),
    [
        ({"HTTP_PROXY": "http://p.example:3128"}, 80, ("p.example", 3128, "http", "")),
        ({"HTTP_PROXY": "p.example:3128"}, 80, ("p.example", 3128, "http", "")),
        ({"HTTPS_PROXY": "https://u:p%40@p.example"}, 443, ("p.example", 443, "https", "Basic dTpwQA==")),
        ({"ALL_PROXY": "socks5h://p.example"}, 443, ("p.example", 1080, "socks5", "")),
        ({"HTTP_PROXY": "http://p.example"}, 443, None),
        ({"HTTP_PROXY": "http://p.example"}, 8080, ("p.example", 80, "http", "")),
        ({"HTTP_PROXY": "http://p.example", "NO_PROXY": "a.example"}, 80, None),
        ({}, 80, None),
    ],
)
def test_the_environments_proxy(
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
    port: int,
    found: tuple[str, int, str, str] | None,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name.lower(), value)
    proxy = Proxies.of(Settings()).to("a.example", port)
    assert (proxy and (proxy.host, proxy.port, proxy.kind, proxy.authorization)) == found


@pytest.mark.parametrize(
    "url", ["http://u:hush@[bad", "http://u:hush@a.example:port", "ftp://u:hush@a.example"]
)
def test_a_proxy_of_the_environment_that_cannot_be_used_is_named(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("https_proxy", url)
    with pytest.raises(ConfigError, match="HTTPS_PROXY") as caught:
        UrlGuard.of(Settings())
    assert "hush" not in str(caught.value)


async def test_a_host_is_reached_through_the_proxy_of_the_environment(
    egress: EgressProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        refused = b"CONNECT no." in asked[-1]
        writer.write(b"HTTP/1.1 403 No\r\n\r\n" if refused else b"HTTP/1.1 200 OK\r\n\r\nhere")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    monkeypatch.setenv("https_proxy", f"http://u:p@127.0.0.1:{server.sockets[0].getsockname()[1]}")
    admission = egress.admit(UrlGuard.of(Settings()))
    client = await Client.open(admission.url)
    assert await client.ask("far.example", 443) == 0
    assert await client.rest() == b"here"
    assert await (await Client.open(admission.url)).ask("no.example", 443) == 1
    assert await (await Client.open(admission.url)).ask("10.0.0.1", 443) == 2
    credentials = b"Proxy-Authorization: Basic " + b64encode(b"u:p")
    assert [each.split(b"\r\n")[0] for each in asked] == [
        b"CONNECT far.example:443 HTTP/1.1",
        b"CONNECT no.example:443 HTTP/1.1",
    ]
    assert all(credentials in each for each in asked)
    server.close()


async def test_nothing_is_left(site: LocalSite) -> None:
    """No task, no open connection and no listening port, with every kind of connection under way."""
    looking = asyncio.Event()

    async def never(name: str, port: int) -> list[str]:
        looking.set()
        await asyncio.Event().wait()
        return []

    before = asyncio.all_tasks()
    async with EgressProxy() as egress:
        allowed, waiting = egress.admit(HERE), egress.admit(UrlGuard(resolver=never))
        idle, open_one = await Client.open(allowed.url), await Client.open(allowed.url)
        assert await open_one.ask("127.0.0.1", port_of(site.url)) == 0
        dialling = await Client.open(waiting.url)
        asking = asyncio.create_task(dialling.ask("slow.example", 443))
        await asyncio.wait_for(looking.wait(), 60)
        ports = [port_of(url) for url in (egress.url, allowed.url, waiting.url)]
        assert egress.connections == 3
    assert await asking == -1
    assert egress.connections == 0
    assert asyncio.all_tasks() == before
    for client in (idle, open_one, dialling):
        client.writer.transport.abort()
    for port in ports:
        with socket.socket() as again, pytest.raises(ConnectionRefusedError):
            again.connect(("127.0.0.1", port))
