"""A server on loopback that remembers whatever reaches it, connections without a request too."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field


@dataclass
class Trap:
    """What reached the trap.

    Attributes:
        port: where it listens.
        seen: the paths that were asked for.
        connections: how often somebody connected.
        pages: what is served besides, by path: the unprotected pages of the control.
    """

    port: int = 0
    seen: list[str] = field(default_factory=list)
    connections: int = 0
    pages: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """Its address, without a slash at the end."""
        return f"http://127.0.0.1:{self.port}"

    def load(self, name: str) -> str:
        """An address at the trap that tells which attack asked for it."""
        return f"{self.url}/caught/{name}"

    def run(self, name: str) -> str:
        """A script that reports the attack."""
        return f"fetch(`{self.load(name)}`)"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection."""
        self.connections += 1
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            head = await reader.readuntil(b"\r\n\r\n")
            path = head.split(b" ", 2)[1].decode("ascii", "replace")
            page = self.pages.get(path)
            if page is None:
                self.seen.append(path)
            body = (page or "caught").encode("utf-8", "surrogatepass")
            kind = "text/html; charset=utf-8" if page is not None else "text/plain"
            writer.write(
                f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n"
                "access-control-allow-origin: *\r\nconnection: close\r\n\r\n".encode()
                + body
            )
            await writer.drain()
        writer.close()


@asynccontextmanager
async def set_trap() -> AsyncIterator[Trap]:
    """A trap that is listening."""
    trap = Trap()
    server = await asyncio.start_server(trap.serve, "127.0.0.1", 0)
    trap.port = server.sockets[0].getsockname()[1]
    async with server:
        yield trap
