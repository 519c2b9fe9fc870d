"""The proxy through which a browser reaches the web: the guard stands where connections are made.

What a page asks for comes in many ways (redirects, workers, sockets, prefetching, downloads), and no
hook inside a browser sees them all. All of them end in a connection, and here each one is judged,
by the host it names and by the addresses that the host has at that moment, and made to one of the
addresses that were judged.

The proxy listens on loopback. It takes requests with the credentials of an ``Admission``, and speaks CONNECT
and plain http (RFC 9110, 9.3.6; RFC 9112, 3.2.2). Where the settings or the environment prescribe a further
proxy (``ways``), the request is handed on to that one: then only the host as it is written is judged, and
where its name leads is that proxy's business.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
import ssl
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from verifaible.errors import ConfigError, InfrastructureError, PageNotLoaded, UrlRefused
from verifaible.net.dial import DIAL_TIMEOUT_S, Dialer
from verifaible.net.guard import Target, UrlGuard
from verifaible.net.relay import (
    MAX_HEAD_BYTES,
    BodyTooLong,
    ChunkedBody,
    MalformedHead,
    RequestHead,
    ServerSide,
    Side,
    parse_head,
)
from verifaible.net.ways import Upstream, socks5

#: A browser holds at most 256 connections itself; more at once is somebody else.
MAX_CONNECTIONS = 1024
#: Browsers open connections ahead of need and keep them for a minute or more.
FIRST_REQUEST_S = 120.0
#: So much of a body in chunks is kept to send it to a further proxy in one piece.
MAX_CHUNKED_BYTES = 16 * 1024 * 1024

_NEEDS_CREDENTIALS = (
    b"HTTP/1.1 407 Proxy Authentication Required\r\n"
    b'Proxy-Authenticate: Basic realm="verifaible"\r\nContent-Length: 0\r\n'
)
_ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"


def _nothing(_: UrlRefused) -> None:
    """Nobody wants to be told."""


@dataclass(slots=True)
class Admission:
    """The right to use the proxy, for one browser context, and what was kept from it.

    Attributes:
        username: tells the contexts apart.
        password: what nobody else on this machine knows.
        refused: what the guard refused, in order; names hosts and rules, never addresses.
        unreached: why a host and port could not be connected to; the latest reason.
        on_refused: told of each refusal when it happens.
    """

    username: str
    password: str = field(repr=False)
    refused: list[UrlRefused] = field(default_factory=list)
    unreached: dict[tuple[str, int], str] = field(default_factory=dict)
    on_refused: Callable[[UrlRefused], None] = _nothing
    _dialer: Dialer | None = None

    @property
    def dialer(self) -> Dialer | None:
        """What connects for it; None, as long as no guard is set, lets nothing through."""
        return self._dialer

    def use(self, guard: UrlGuard) -> None:
        """Set the guard that judges its requests; before that every one is refused."""
        self._dialer = Dialer(guard)

    def refuse(self, error: UrlRefused) -> None:
        """Note a refusal."""
        self.refused.append(error)
        self.on_refused(error)


class EgressProxy:
    """The proxy; an async context manager that leaves no connection and no task behind."""

    def __init__(self) -> None:
        self._admissions: dict[str, Admission] = {}
        self._server: asyncio.Server | None = None
        self._clients: set[_Client] = set()
        self._url = ""

    async def __aenter__(self) -> EgressProxy:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def url(self) -> str:
        """Where it listens, as ``http://127.0.0.1:port``; empty before it is started."""
        return self._url

    @property
    def connections(self) -> int:
        """How many clients are connected."""
        return len(self._clients)

    async def start(self) -> None:
        """Listen on a port that the system chooses, unless it does.

        Raises:
            InfrastructureError: nothing can listen there.
        """
        if self._server is not None:
            return
        loop = asyncio.get_running_loop()
        try:
            self._server = await loop.create_server(partial(_Client, self), "127.0.0.1", 0, backlog=512)
        except OSError as error:
            raise InfrastructureError(
                f"The proxy that guards the browser cannot listen on 127.0.0.1: {error.strerror}. "
                "Free a port or allow connections there."
            ) from error
        self._url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        """End every connection, and listen no more."""
        server, self._server = self._server, None
        if server is None:
            return
        server.close()
        ending = [client.end() for client in tuple(self._clients)]
        await asyncio.gather(*ending)
        await server.wait_closed()
        self._admissions.clear()

    def admit(self, guard: UrlGuard | None = None) -> Admission:
        """Credentials for one browser context; without a guard everything is refused until one is set."""
        admission = Admission(secrets.token_hex(8), secrets.token_urlsafe(24))
        if guard is not None:
            admission.use(guard)
        self._admissions[admission.username] = admission
        return admission

    def dismiss(self, admission: Admission) -> None:
        """Take the credentials back, and end the connections that were made with them."""
        self._admissions.pop(admission.username, None)
        for client in tuple(self._clients):
            if client.admission is admission:
                client.hang_up()

    def admitted(self, authorization: bytes | None) -> Admission | None:
        """Whose credentials these are; None for nobody's."""
        scheme, _, coded = (authorization or b"").partition(b" ")
        if scheme.lower() != b"basic":
            return None
        try:
            username, _, password = b64decode(coded, validate=True).decode().partition(":")
        except ValueError:
            return None
        admission = self._admissions.get(username)
        if admission is None or not hmac.compare_digest(admission.password.encode(), password.encode()):
            return None
        return admission

    def add(self, client: _Client) -> bool:
        """Note a client; False where there are too many."""
        self._clients.add(client)
        return len(self._clients) <= MAX_CONNECTIONS

    def discard(self, client: _Client) -> None:
        """Forget a client."""
        self._clients.discard(client)


class _Client(Side):
    """The end towards the browser.

    A connection belongs to the first host that it is used for: answers are relayed as they are, and
    bytes that one server sent can never be read as the answer of another one.
    """

    def __init__(self, proxy: EgressProxy) -> None:
        super().__init__()
        self.admission: Admission | None = None
        self._proxy = proxy
        self._buffer = bytearray()
        self._target: Target | None = None
        self._upstream: Upstream | None = None
        self._opening: asyncio.Task[None] | None = None
        self._body_left = 0
        self._chunked: tuple[RequestHead, ChunkedBody] | None = None
        self._raw = False
        self._gone = asyncio.Event()
        self._first: asyncio.TimerHandle | None = None

    # --- the connection ------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        if not self._proxy.add(self):
            self.hang_up()
        self._first = asyncio.get_running_loop().call_later(FIRST_REQUEST_S, self.hang_up)

    def data_received(self, data: bytes) -> None:
        if self._raw and self.other is not None:
            self.other.write(data)
            return
        self._buffer += data
        self._advance()

    def connection_lost(self, error: Exception | None) -> None:
        if self._opening is not None:
            self._opening.cancel()
        if self._first is not None:
            self._first.cancel()
        self._proxy.discard(self)
        self._gone.set()
        super().connection_lost(error)

    def hang_up(self) -> None:
        """End the connection at once."""
        if self.transport is not None:
            self.transport.abort()

    async def end(self) -> None:
        """End the connection, and what is being done for it."""
        opening, server = self._opening, self.other
        self.hang_up()
        if server is not None and server.transport is not None:
            server.transport.abort()
        await self._gone.wait()
        if opening is not None:
            await asyncio.gather(opening, return_exceptions=True)

    # --- requests ------------------------------------------------------------------------

    def _advance(self) -> None:
        """Do what can be done with what has come so far."""
        while self._buffer and self._opening is None and self.transport is not None:
            if self._raw:
                self._forward(len(self._buffer))
            elif self._body_left:
                self._body_left -= self._forward(self._body_left)
            elif self._chunked is not None:
                if not self._collect(*self._chunked):
                    return
            elif not self._take_head():
                return

    def _forward(self, limit: int) -> int:
        part = self._buffer[:limit]
        del self._buffer[:limit]
        if self.other is not None:
            self.other.write(part)
        return len(part)

    def _collect(self, request: RequestHead, body: ChunkedBody) -> bool:
        """Take what has come of a body in chunks; pass its request on once it is whole."""
        try:
            if not body.take(self._buffer):
                return False
        except MalformedHead:
            self._answer(400, "Bad Request")
            return False
        except BodyTooLong:
            assert self.admission is not None
            reason = (
                f"more than {MAX_CHUNKED_BYTES} bytes without a length do not pass the environment's proxy"
            )
            self.admission.unreached[request.target.host, request.target.port] = reason
            self._close()
            return False
        self._chunked = None
        if self.other is None or self._upstream is None:
            self._close()
            return False
        self.other.write(request.for_proxy(self._upstream.authorization, unchunked=len(body.data)))
        self.other.write(body.data)
        return True

    def _take_head(self) -> bool:
        """Take a request, if its whole head has come."""
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > MAX_HEAD_BYTES:
                self._answer(431, "Request Header Fields Too Large")
            return False
        head = bytes(self._buffer[: end + 4])
        del self._buffer[: end + 4]
        try:
            self._request(head)
        except MalformedHead:
            self._answer(400, "Bad Request")
        return True

    def _request(self, head: bytes) -> None:
        authorization = _credentials(head)
        admission = self._proxy.admitted(authorization)
        if admission is None:
            self._demand_credentials(head)
            return
        self.admission = admission
        if self._first is not None:
            self._first.cancel()
        try:
            request = parse_head(head)
            length = request.body_bytes
        except UrlRefused as error:
            admission.refuse(error)
            self._decline(tunnels=head.startswith(b"CONNECT "))
            return
        if self._target is None:
            self._target = request.target
            assert self.transport is not None
            self.transport.pause_reading()
            self._opening = asyncio.create_task(self._open(request, admission, length))
        elif request.tunnels or request.target != self._target:
            self.hang_up()
        else:
            self._send(request, length)

    def _demand_credentials(self, head: bytes) -> None:
        # A body would follow that nobody wants; without one the connection can be used again.
        lowered = head.lower()
        if b"\r\ncontent-length:" in lowered or b"\r\ntransfer-encoding:" in lowered or self._target:
            self.write(_NEEDS_CREDENTIALS + b"Connection: close\r\n\r\n")
            self._close()
            return
        self.write(_NEEDS_CREDENTIALS + b"\r\n")

    async def _open(self, request: RequestHead, admission: Admission, length: int | None) -> None:
        """Connect to the server of the first request, and pass the request on."""
        try:
            server = await self._reach(request, admission)
        except (UrlRefused, ConfigError, PageNotLoaded, OSError) as error:
            _note(admission, request.target, error)
            self._decline(tunnels=request.tunnels, status=403 if isinstance(error, UrlRefused) else 502)
            return
        finally:
            self._opening = None
        if self.transport is None:
            if server.transport is not None:
                server.transport.abort()
            return
        if request.tunnels:
            self._raw = True
            self.write(_ESTABLISHED)
        server.join(self)
        if not request.tunnels:
            self._send(request, length)
        self.transport.resume_reading()
        self._advance()

    async def _reach(self, request: RequestHead, admission: Admission) -> ServerSide:
        loop = asyncio.get_running_loop()
        target = request.target
        if admission.dialer is None:
            raise UrlRefused(f"The host {target.host!r} was refused: nothing may be opened yet. Try again.")
        guard = admission.dialer.guard
        scheme = "https" if request.tunnels else "http"
        upstream = guard.ways.to(scheme, target.host, target.port)
        if upstream is None:
            _, server = await admission.dialer.dial(
                target, lambda address: loop.create_connection(ServerSide, address, target.port)
            )
            return server
        guard.check_target(target)
        # Behind SOCKS the connection is one to the server itself.
        self._upstream = upstream if upstream.kind != "socks5" else None
        async with asyncio.timeout(DIAL_TIMEOUT_S):
            return await _through(upstream, request)

    def _send(self, request: RequestHead, length: int | None) -> None:
        """Pass a request on whose connection is open."""
        if self.other is None:
            self._close()
            return
        if self._upstream is not None and length is None:
            # Many proxies take no chunks (status 411); and of what comes after them each head is judged.
            self._chunked = request, ChunkedBody(MAX_CHUNKED_BYTES)
            return
        if self._upstream is not None:
            self.other.write(request.for_proxy(self._upstream.authorization))
        else:
            self.other.write(request.for_server(close=length is None))
        self._body_left, self._raw = length or 0, length is None

    def _decline(self, *, tunnels: bool, status: int = 403) -> None:
        """Refuse a request. A plain one gets no answer at all: one would be taken for the server's."""
        if tunnels:
            self._answer(status, "Refused" if status == 403 else "Not Reached")
        else:
            self._close()

    def _answer(self, status: int, reason: str) -> None:
        self.write(f"HTTP/1.1 {status} {reason}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        self._close()

    def _close(self) -> None:
        self._buffer.clear()
        if self.transport is not None:
            self.transport.close()


def _credentials(head: bytes) -> bytes | None:
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"proxy-authorization":
            return value.strip()
    return None


def _note(admission: Admission, target: Target, error: Exception) -> None:
    if isinstance(error, UrlRefused):
        admission.refuse(error)
        return
    if isinstance(error, TimeoutError):
        reason = "it did not answer (ERR_CONNECTION_TIMED_OUT)"
    elif isinstance(error, ConnectionRefusedError):
        reason = "it refused the connection (ERR_CONNECTION_REFUSED)"
    elif isinstance(error, OSError):
        reason = "there is no way to it (ERR_ADDRESS_UNREACHABLE)"
    elif isinstance(error, PageNotLoaded):
        reason = "its name has no address (ERR_NAME_NOT_RESOLVED)"
    else:
        reason = str(error)
    admission.unreached[target.host, target.port] = reason


async def _through(upstream: Upstream, request: RequestHead) -> ServerSide:
    """A connection to a further proxy, with a tunnel in it if one is asked for.

    Raises:
        OSError: it cannot be reached, or refuses the tunnel.
    """
    loop = asyncio.get_running_loop()
    context = ssl.create_default_context() if upstream.kind == "https" else None
    _, server = await loop.create_connection(ServerSide, upstream.host, upstream.port, ssl=context)
    if not request.tunnels and upstream.kind != "socks5":
        return server
    try:
        if upstream.kind == "socks5":
            await socks5(server.exchange, upstream, request.target.host, request.target.port)
            return server
        reply = await server.ask(request.for_proxy(upstream.authorization))
        words = reply.split(b" ", 2)
        if len(words) < 2 or words[1] != b"200":
            raise ConnectionError("the proxy refused the tunnel")
    except BaseException:
        if server.transport is not None:
            server.transport.abort()
        raise
    return server
