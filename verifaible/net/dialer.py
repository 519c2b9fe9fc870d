"""The one dialler: whatever connects to a host, for a page or for an endpoint, connects through here.

It decides whether a host may be reached, and connects to the address that it judged. A name is looked up
once, so that a second answer of the name server cannot lead elsewhere (DNS rebinding). Where a proxy leads
to the host, only the host as it is written is judged: where its name leads is the proxy's business.
"""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from functools import lru_cache

import httpcore2
import httpx2

from verifaible.errors import PageNotLoaded
from verifaible.net.guard import Target, UrlGuard, target_of
from verifaible.net.proxies import Proxy

#: For looking a name up, and for the connection to the last of its addresses.
DIAL_TIMEOUT_S = 10.0
#: An address that does not answer within this time gives way to the next of the same host.
NEXT_AFTER_S = 2.0
#: Of the addresses of a host so many are tried: how many there are is the name server's to say.
MOST_ADDRESSES = 4
#: As long as browsers keep an answer of a name server for the connections that follow it.
KEEP_NAMES_S = 30.0
#: Longest head of a proxy's answer.
_MOST_HEAD_BYTES = 64 * 1024


class Dialer:
    """Connects to hosts that a guard lets through.

    Attributes:
        guard: decides which hosts may be reached, and through which proxy.
    """

    def __init__(self, guard: UrlGuard) -> None:
        self.guard = guard
        self._known: dict[Target, tuple[float, tuple[str, ...]]] = {}

    async def open(self, target: Target, timeout_s: float = DIAL_TIMEOUT_S) -> httpcore2.AsyncNetworkStream:
        """A connection to a host, directly or through the proxy that leads there.

        Args:
            target: host and port.
            timeout_s: for the look-up, and for the last of the addresses; or for the proxy.

        Raises:
            UrlRefused: the guard refused the host.
            PageNotLoaded: the host has no address.
            OSError: none of the addresses could be connected to, or the proxy does not lead there; a
                TimeoutError is one.
        """
        proxy = self.guard.proxies.to(target.host, target.port)
        if proxy is not None:
            self.guard.check_target(target)
            async with _as_os_errors(), asyncio.timeout(timeout_s):
                return await _tunnel(proxy, target)
        failure: OSError | None = None
        addresses = (await self._addresses(target, timeout_s))[:MOST_ADDRESSES]
        for place, address in enumerate(addresses, start=1):
            limit_s = timeout_s if place == len(addresses) else min(NEXT_AFTER_S, timeout_s)
            try:
                async with _as_os_errors(), asyncio.timeout(limit_s):
                    return await httpcore2.AnyIOBackend().connect_tcp(address, target.port)
            except OSError as error:
                failure = error
        assert failure is not None
        raise failure

    async def _addresses(self, target: Target, timeout_s: float) -> tuple[str, ...]:
        now = asyncio.get_running_loop().time()
        until, addresses = self._known.get(target, (now, ()))
        if until > now:
            return addresses
        try:
            async with asyncio.timeout(timeout_s):
                addresses = await self.guard.addresses(target)
        except TimeoutError:
            raise PageNotLoaded(
                f"The address of the host {target.host!r} could not be found out within {timeout_s:g} s. Try "
                "again, or use another source."
            ) from None
        self._known[target] = (now + KEEP_NAMES_S, addresses)
        return addresses


class GuardedTransport(httpx2.AsyncHTTPTransport):
    """The transport of httpx over connections of the dialer; certificates are always checked."""

    def __init__(self, guard: UrlGuard) -> None:
        super().__init__(verify=ssl_context(), trust_env=False)
        # httpx lets nobody give the pool another way to connect, so the pool is replaced.
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=ssl_context(),
            network_backend=_Backend(Dialer(guard)),
            max_connections=None,  # how much is asked at once is the caller's to say; the pool would say 10
            max_keepalive_connections=20,
            keepalive_expiry=5.0,
        )


class _Backend(httpcore2.AsyncNetworkBackend):
    """Connects as the dialer says."""

    def __init__(self, dialer: Dialer) -> None:
        self._dialer = dialer

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the name is that of the interface
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        try:
            return await self._dialer.open(target_of(host, port), timeout or DIAL_TIMEOUT_S)
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout(str(error)) from error
        except OSError as error:
            raise httpcore2.ConnectError(str(error)) from error

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109 - the name is that of the interface
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        raise httpcore2.UnsupportedProtocol("Only hosts are connected to.")

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


@asynccontextmanager
async def _as_os_errors() -> AsyncIterator[None]:
    """Errors of the streams as the system's own, whose kind says why there is no connection."""
    try:
        yield
    except (httpcore2.NetworkError, httpcore2.TimeoutException) as error:
        cause: BaseException | None = error
        while cause is not None and not (isinstance(cause, OSError) and cause.errno):
            cause = cause.__cause__
        raise (cause if isinstance(cause, OSError) else OSError(str(error))) from error


async def _tunnel(proxy: Proxy, target: Target) -> httpcore2.AsyncNetworkStream:
    """A connection to a host through a proxy.

    Raises:
        OSError: it refuses, or does not answer as such a proxy does.
    """
    stream = await httpcore2.AnyIOBackend().connect_tcp(proxy.host, proxy.port)
    try:
        if proxy.kind == "https":
            stream = await stream.start_tls(ssl_context(), server_hostname=proxy.host)
        await (_socks5 if proxy.kind == "socks5" else _connect)(stream, proxy, target)
    except BaseException:
        await stream.aclose()
        raise
    return stream


async def _connect(stream: httpcore2.AsyncNetworkStream, proxy: Proxy, target: Target) -> None:
    """Ask an HTTP proxy for a tunnel (RFC 9110, 9.3.6)."""
    place = f"{target.host}:{target.port}"
    lines = [f"CONNECT {place} HTTP/1.1", f"Host: {place}"]
    if proxy.authorization:
        lines.append(f"Proxy-Authorization: {proxy.authorization}")
    await stream.write("\r\n".join((*lines, "", "")).encode("latin-1"))
    head = bytearray()
    while not head.endswith(b"\r\n\r\n"):
        # what follows the head is the server's
        head += await _exactly(stream, 1)
        if len(head) > _MOST_HEAD_BYTES:
            raise ConnectionError("the proxy sent no answer to CONNECT")
    words = bytes(head).split(b" ", 2)
    if len(words) < 2 or words[1] != b"200":
        raise ConnectionError("the proxy refused the tunnel")


async def _socks5(stream: httpcore2.AsyncNetworkStream, proxy: Proxy, target: Target) -> None:
    """Ask a SOCKS proxy (RFC 1928, with user and password by RFC 1929), which looks names up itself."""
    method = b"\x02" if proxy.username else b"\x00"
    await stream.write(b"\x05\x01" + method)
    if await _exactly(stream, 2) != b"\x05" + method:
        raise ConnectionError("the SOCKS proxy takes no such credentials")
    if proxy.username:
        words = (proxy.username.encode(), proxy.password.encode())
        await stream.write(b"\x01" + b"".join(bytes([len(each)]) + each for each in words))
        if (await _exactly(stream, 2))[1]:
            raise ConnectionError("the SOCKS proxy refused the credentials")
    if target.address is None:
        name = target.host.encode("ascii")
        place = b"\x03" + bytes([len(name)]) + name
    else:
        place = (b"\x01" if target.address.version == 4 else b"\x04") + target.address.packed
    await stream.write(b"\x05\x01\x00" + place + target.port.to_bytes(2, "big"))
    head = await _exactly(stream, 5)
    rest = {1: 3, 4: 15, 3: head[4]}.get(head[3])
    if head[1] or rest is None:
        raise ConnectionError(f"the SOCKS proxy did not reach the host (reply {head[1]})")
    await _exactly(stream, rest + 2)


async def _exactly(stream: httpcore2.AsyncNetworkStream, size_bytes: int) -> bytes:
    found = b""
    while len(found) < size_bytes:
        part = await stream.read(size_bytes - len(found))
        if not part:
            raise ConnectionError("the proxy hung up")
        found += part
    return found


def ssl_context() -> ssl.SSLContext:
    """Certificates are always checked; SSL_CERT_FILE and SSL_CERT_DIR may name the ones to trust."""
    return _ssl_context_for(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))


@lru_cache(maxsize=4)
def _ssl_context_for(file: str | None, folder: str | None) -> ssl.SSLContext:
    # Reading the certificates takes longer than many an answer; they are read once.
    return httpx2.create_ssl_context()
