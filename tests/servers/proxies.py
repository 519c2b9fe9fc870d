"""Proxies on loopback that speak the protocols themselves, and know one host that no name server knows."""

from __future__ import annotations

import asyncio
import ssl
from base64 import b64decode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

INNER = "inner.example.com"
USER, PASSWORD = "reader", "p:ss w@rd"


@dataclass
class Proxy:
    """A proxy: where it listens, and what it was asked for."""

    port: int = 0
    asked: list[str] = field(default_factory=list)


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()


async def _socks(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, proxy: Proxy, inner: int
) -> None:
    count = (await reader.readexactly(2))[1]
    if 2 not in await reader.readexactly(count):
        writer.write(b"\x05\xff")
        return
    writer.write(b"\x05\x02")
    size = (await reader.readexactly(2))[1]
    user = (await reader.readexactly(size)).decode()
    password = (await reader.readexactly((await reader.readexactly(1))[0])).decode()
    right = (user, password) == (USER, PASSWORD)
    writer.write(b"\x01" + (b"\x00" if right else b"\x01"))
    if not right:
        return
    kind = (await reader.readexactly(4))[3]
    host = "an address"
    if kind == 3:
        host = (await reader.readexactly((await reader.readexactly(1))[0])).decode()
    else:
        await reader.readexactly(4 if kind == 1 else 16)
    await reader.readexactly(2)
    proxy.asked.append(host)
    if host != INNER:
        writer.write(b"\x05\x04\x00\x01" + bytes(6))
        return
    writer.write(b"\x05\x00\x00\x01" + bytes(6))
    await _join(reader, writer, inner)


async def _http(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, proxy: Proxy, inner: int) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    given = [
        line.split()[-1] for line in head.splitlines() if line.lower().startswith("proxy-authorization:")
    ]
    if not given or b64decode(given[0]).decode() != f"{USER}:{PASSWORD}":
        writer.write(b"HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        return
    method, target, _ = head.split(" ", 2)
    proxy.asked.append(target)
    if INNER not in target:
        writer.write(b"HTTP/1.1 502 Not reached\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        return
    if method == "CONNECT":
        writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
        await _join(reader, writer, inner)
        return
    kept = [line for line in head.split("\r\n")[1:] if not line.lower().startswith(("proxy-", "connection:"))]
    path = target.split("/", 3)[3] if target.count("/") > 2 else ""
    out = "\r\n".join([f"{method} /{path} HTTP/1.1", "Connection: close", *kept])
    await _join(reader, writer, inner, out.encode())


async def _join(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, inner: int, first: bytes = b""
) -> None:
    there, to_there = await asyncio.open_connection("127.0.0.1", inner)
    to_there.write(first)
    await asyncio.gather(_pipe(reader, to_there), _pipe(there, writer))


@asynccontextmanager
async def proxy_to(inner: int, kind: str, context: ssl.SSLContext | None = None) -> AsyncIterator[Proxy]:
    """A proxy behind which ``INNER`` is the server on port ``inner``; ``kind`` is socks5, http or https."""
    proxy = Proxy()
    speak = _socks if kind == "socks5" else _http

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            await speak(reader, writer, proxy, inner)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
