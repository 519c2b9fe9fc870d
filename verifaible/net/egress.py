"""The way out of a browser: a SOCKS5 server on loopback, with a port for each browser context.

What a page asks for comes in many ways (redirects, workers, sockets, prefetching, downloads), and no
hook inside a browser sees them all. All of them end in a connection, and here each one is made by the
dialer, which judges the host that it names and the addresses that the host has at that moment.

A browser gives no password to a SOCKS proxy, so its port tells a context from others. Other programs of this
machine can connect to the port, too: they reach through it what the context may reach, which is nothing
that they could not reach by themselves.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import httpcore2

from verifaible.errors import InfrastructureError, PageNotLoaded, UrlRefused
from verifaible.net.dialer import Dialer
from verifaible.net.guard import UrlGuard, target_of

#: A browser holds at most 256 connections itself; more at once is somebody else.
MAX_CONNECTIONS = 1024
#: Browsers open connections ahead of need and keep them for a minute or more.
FIRST_REQUEST_S = 120.0
_CHUNK_BYTES = 64 * 1024
#: Seconds until a port that could take no connection tries again.
_AGAIN_S = 0.1
#: Replies of RFC 1928, section 6.
_GRANTED, _FAILED, _NOT_ALLOWED, _UNREACHABLE, _REFUSED, _NO_COMMAND = 0, 1, 2, 4, 5, 7


def _nothing(_: UrlRefused) -> None:
    """Nobody wants to be told."""


@dataclass(slots=True, eq=False)
class Admission:
    """The way out of one browser context, and what was kept from it.

    Attributes:
        url: the proxy of this context, as ``socks5://127.0.0.1:port``.
        refused: what the guard refused, in order; names hosts and rules, never addresses.
        unreached: why a host and port could not be connected to; the latest reason.
        on_refused: told of each refusal when it happens.
    """

    url: str
    refused: list[UrlRefused] = field(default_factory=list)
    unreached: dict[tuple[str, int], str] = field(default_factory=dict)
    on_refused: Callable[[UrlRefused], None] = _nothing
    _dialer: Dialer | None = None

    def use(self, guard: UrlGuard) -> None:
        """Set the guard that judges its requests; before that every one is refused."""
        self._dialer = Dialer(guard)

    async def reach(self, host: str, port: int) -> httpcore2.AsyncNetworkStream:
        """Connect to a host, or note why not.

        Raises:
            UrlRefused, PageNotLoaded, OSError: as :meth:`Dialer.open`.
        """
        try:
            target = target_of(host, port)
            if self._dialer is None:
                raise UrlRefused(f"The host {host!r} was refused: nothing may be opened yet. Try again.")
            return await self._dialer.open(target)
        except UrlRefused as error:
            self.refused.append(error)
            self.on_refused(error)
            raise
        except (OSError, PageNotLoaded) as error:
            self.unreached[target.host, target.port] = _why(error)
            raise


class EgressProxy:
    """The ports; an async context manager that leaves no connection and no task behind."""

    def __init__(self) -> None:
        self._ports: dict[Admission, asyncio.Task[None]] = {}
        self._relays: dict[asyncio.Task[None], Admission] = {}
        self._closed: Admission | None = None

    async def __aenter__(self) -> EgressProxy:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def url(self) -> str:
        """The port of no context, where all is refused: for what a browser asks by itself."""
        return self._closed.url if self._closed is not None else ""

    @property
    def connections(self) -> int:
        """How many clients are connected."""
        return len(self._relays)

    async def start(self) -> None:
        """Listen, unless it does.

        Raises:
            InfrastructureError: nothing can listen there.
        """
        self._closed = self._closed or self.admit()

    async def close(self) -> None:
        """End every connection, and listen no more."""
        tasks = [*self._ports.values(), *self._relays]
        for admission in tuple(self._ports):
            self.dismiss(admission)
        await asyncio.gather(*tasks, return_exceptions=True)
        self._closed = None

    def admit(self, guard: UrlGuard | None = None) -> Admission:
        """A port for one browser context; without a guard everything is refused until one is set.

        Raises:
            InfrastructureError: nothing can listen there.
        """
        try:
            listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        except OSError as error:
            raise InfrastructureError(
                f"The proxy that guards the browser cannot listen on 127.0.0.1: {error.strerror}. "
                "Free a port or allow connections there."
            ) from error
        listener.setblocking(False)
        admission = Admission(f"socks5://127.0.0.1:{listener.getsockname()[1]}")
        if guard is not None:
            admission.use(guard)
        self._ports[admission] = asyncio.create_task(self._accept(listener, admission))
        return admission

    def dismiss(self, admission: Admission) -> None:
        """Close a port, and end the connections that were made through it."""
        ended = [task for task, each in self._relays.items() if each is admission]
        if port := self._ports.pop(admission, None):
            ended.append(port)
        for task in ended:
            task.cancel()

    async def _accept(self, listener: socket.socket, admission: Admission) -> None:
        with listener:
            while True:
                try:
                    connected, _ = await asyncio.get_running_loop().sock_accept(listener)
                except OSError:  # too many files are open, or the client is gone: the port stays
                    await asyncio.sleep(_AGAIN_S)
                    continue
                if len(self._relays) >= MAX_CONNECTIONS:
                    connected.close()
                    continue
                relay = asyncio.create_task(_serve(connected, admission))
                self._relays[relay] = admission
                relay.add_done_callback(self._relays.pop)


@contextmanager
def way_out(guard: UrlGuard) -> Iterator[str]:
    """The address of a SOCKS5 proxy for a library that connects by itself; the guard judges where.

    For code without an event loop: the proxy runs in a thread until the block ends.
    """
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="way out", daemon=True)
    thread.start()

    async def admitted() -> str:
        return egress.admit(guard).url

    egress = EgressProxy()
    try:
        yield asyncio.run_coroutine_threadsafe(admitted(), loop).result()
    finally:
        asyncio.run_coroutine_threadsafe(egress.close(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _serve(connected: socket.socket, admission: Admission) -> None:
    """One client: what it asks for, and the bytes of the connection that it gets."""
    reader, writer = await asyncio.open_connection(sock=connected)
    stream = None
    try:
        async with asyncio.timeout(FIRST_REQUEST_S):
            stream = await _granted(reader, writer, admission)
        if stream is not None:
            await _relay(reader, writer, stream)
        writer.close()
    except (asyncio.IncompleteReadError, TimeoutError):
        writer.close()
    except (OSError, httpcore2.NetworkError):
        _reset(writer)  # a broken answer must not look like a whole one
    except BaseException:
        writer.transport.abort()
        raise
    finally:
        if stream is not None:
            await stream.aclose()


async def _granted(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, admission: Admission
) -> httpcore2.AsyncNetworkStream | None:
    """The connection that a client asks for (RFC 1928); None where it is refused."""
    version, methods = await reader.readexactly(2)
    if version != 5 or 0 not in await reader.readexactly(methods):
        writer.write(b"\x05\xff")
        return None
    writer.write(b"\x05\x00")
    version, command, _, kind = await reader.readexactly(4)
    length = {1: 4, 4: 16}.get(kind) or (await reader.readexactly(1))[0]
    name = await reader.readexactly(length)
    port = int.from_bytes(await reader.readexactly(2), "big")
    stream, reply = None, _NOT_ALLOWED
    if (version, command) != (5, 1) or kind not in (1, 3, 4):
        reply = _NO_COMMAND
    else:
        host = name.decode("latin-1") if kind == 3 else str(ipaddress.ip_address(name))
        try:
            stream, reply = await admission.reach(host, port), _GRANTED
        except PageNotLoaded:
            reply = _UNREACHABLE
        except OSError as error:
            reply = _REFUSED if isinstance(error, ConnectionRefusedError) else _FAILED
        except UrlRefused:
            pass
    writer.write(bytes((5, reply, 0, 1)) + bytes(6))
    return stream


async def _relay(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, stream: httpcore2.AsyncNetworkStream
) -> None:
    """Pass bytes on until either end closes; each end is read no faster than the other takes."""

    async def up() -> None:
        while data := await reader.read(_CHUNK_BYTES):
            await stream.write(data)

    async def down() -> None:
        while data := await stream.read(_CHUNK_BYTES):
            writer.write(data)
            await writer.drain()

    ends = [asyncio.create_task(up()), asyncio.create_task(down())]
    try:
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        # what a server has sent is whole where it closes, whatever becomes of what it did not read
        for end in reversed(ends):
            if end.done():
                end.result()
                break
    finally:
        for end in ends:
            end.cancel()
        await asyncio.gather(*ends, return_exceptions=True)


def _reset(writer: asyncio.StreamWriter) -> None:
    """End a connection as broken (TCP reset), not as finished."""
    with suppress(OSError):
        connected = writer.get_extra_info("socket")
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def _why(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "it did not answer (ERR_CONNECTION_TIMED_OUT)"
    if isinstance(error, ConnectionRefusedError):
        return "it refused the connection (ERR_CONNECTION_REFUSED)"
    if isinstance(error, OSError):
        return "there is no way to it (ERR_ADDRESS_UNREACHABLE)"
    return "its name has no address (ERR_NAME_NOT_RESOLVED)"
