"""Servers on loopback that count whoever comes, and pages served under a public name."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

ANSWER = b"inside secret"


@dataclass
class Counter:
    """What must not be reached: TCP on 127.0.0.1 and ::1, UDP on 127.0.0.1, all on one port.

    Attributes:
        port: the port.
        hits: connections and datagrams that came, as "tcp", "tcp6" or "udp".
        came: set when the first comes.
    """

    port: int = 0
    hits: list[str] = field(default_factory=list)
    came: asyncio.Event = field(default_factory=asyncio.Event)

    def count(self, kind: str) -> None:
        self.hits.append(kind)
        self.came.set()


class _Datagrams(asyncio.DatagramProtocol):
    def __init__(self, counter: Counter) -> None:
        self._counter = counter

    def datagram_received(self, data: bytes, address: object) -> None:
        self._counter.count("udp")


@asynccontextmanager
async def counters(number: int) -> AsyncIterator[list[Counter]]:
    """So many of them."""
    loop = asyncio.get_running_loop()
    servers: list[asyncio.Server] = []
    datagrams: list[asyncio.BaseTransport] = []
    made: list[Counter] = []

    async def start(counter: Counter) -> None:
        def serve(kind: str) -> asyncio.Protocol:
            return _Answers(counter, kind)

        first = await loop.create_server(lambda: serve("tcp"), "127.0.0.1", 0)
        counter.port = first.sockets[0].getsockname()[1]
        servers.append(first)
        with suppress(OSError):  # this machine may have no IPv6
            servers.append(await loop.create_server(lambda: serve("tcp6"), "::1", counter.port))
        transport, _ = await loop.create_datagram_endpoint(
            lambda: _Datagrams(counter), local_addr=("127.0.0.1", counter.port)
        )
        datagrams.append(transport)

    for _ in range(number):
        made.append(Counter())
        await start(made[-1])
    try:
        yield made
    finally:
        for server in servers:
            server.close()
        for transport in datagrams:
            transport.close()


class _Answers(asyncio.Protocol):
    """Counts a connection when it is made, and answers whatever comes over it."""

    def __init__(self, counter: Counter, kind: str) -> None:
        self._counter = counter
        self._kind = kind

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._counter.count(self._kind)

    def data_received(self, data: bytes) -> None:
        assert isinstance(self._transport, asyncio.WriteTransport)
        head = (
            f"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\naccess-control-allow-origin: *\r\n"
            f"content-length: {len(ANSWER)}\r\nconnection: close\r\n\r\n"
        )
        self._transport.write(head.encode() + ANSWER)
        self._transport.close()


@dataclass
class Names:
    """A name server: what each name resolves to; a list of lists is answered one after the other."""

    table: dict[str, list[list[str]]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        answers = self.table.get(host.rstrip("."))
        if not answers:
            raise OSError("unknown name")
        return answers.pop(0) if len(answers) > 1 else answers[0]
