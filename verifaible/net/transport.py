"""What carries the HTTP client's requests: httpx's protocol engine over connections of the dialer."""

from __future__ import annotations

import os
import ssl
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import httpcore2
import httpx2

from verifaible.net.dial import DIAL_TIMEOUT_S, Dialer
from verifaible.net.guard import UrlGuard, target_of
from verifaible.net.ways import Upstream, socks5


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Sends requests over connections that the dialer judged and made.

    Where a proxy is prescribed for a URL, the host as it is written is judged, and the request goes to that
    proxy (see ``ways``).
    """

    def __init__(self, guard: UrlGuard) -> None:
        self._guard = guard
        self._direct = httpcore2.AsyncConnectionPool(
            ssl_context=ssl_context(), network_backend=_GuardedBackend(Dialer(guard))
        )
        self._proxied: dict[Upstream, httpcore2.AsyncConnectionPool] = {}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """One answer; its body is still to be read.

        Raises:
            UrlRefused: the guard refused the host.
            PageNotLoaded: the host has no address.
            ConfigError: the environment names a proxy of another kind.
            httpx2.HTTPError: no connection, a time-out, a broken answer.
        """
        url = request.url
        assert isinstance(request.stream, AsyncIterable)
        asked = httpcore2.Request(
            method=request.method,
            url=httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        with _translated():
            answer = await self._pool(url).handle_async_request(asked)
        assert isinstance(answer.stream, AsyncIterable)
        return httpx2.Response(
            answer.status,
            headers=answer.headers,
            stream=_Body(answer.stream),
            extensions=answer.extensions,
        )

    async def aclose(self) -> None:
        """Close every connection."""
        for pool in (self._direct, *self._proxied.values()):
            await pool.aclose()

    def _pool(self, url: httpx2.URL) -> httpcore2.AsyncConnectionPool:
        host = url.raw_host.decode("ascii")
        target = target_of(host, url.port or (443 if url.scheme == "https" else 80))
        upstream = self._guard.ways.to(url.scheme, host, target.port)
        if upstream is None:
            return self._direct
        self._guard.check_target(target)
        if upstream not in self._proxied:
            self._proxied[upstream] = _proxy_pool(upstream)
        return self._proxied[upstream]


class _GuardedBackend(httpcore2.AsyncNetworkBackend):
    """Connects as the dialer says."""

    def __init__(self, dialer: Dialer) -> None:
        self._dialer = dialer
        self._plain = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the name is that of the interface
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        async def connect(address: str) -> httpcore2.AsyncNetworkStream:
            try:
                return await self._plain.connect_tcp(
                    address, port, local_address=local_address, socket_options=socket_options
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                raise OSError(str(error)) from error

        try:
            return await self._dialer.dial(target_of(host, port), connect, timeout or DIAL_TIMEOUT_S)
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
        await self._plain.sleep(seconds)


class _SocksBackend(_GuardedBackend):
    """Connects through a SOCKS proxy; the hosts were judged as they are written."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream
        self._plain = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the name is that of the interface
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        stream = await self._plain.connect_tcp(self._upstream.host, self._upstream.port, timeout=timeout)

        async def exchange(data: bytes, size_bytes: int) -> bytes:
            if data:
                await stream.write(data, timeout=timeout)
            found = b""
            while len(found) < size_bytes:
                part = await stream.read(size_bytes - len(found), timeout=timeout)
                if not part:
                    raise ConnectionError("the SOCKS proxy hung up")
                found += part
            return found

        try:
            await socks5(exchange, self._upstream, host, port)
        except OSError as error:
            await stream.aclose()
            raise httpcore2.ConnectError(str(error)) from error
        return stream


class _Body(httpx2.AsyncByteStream):
    def __init__(self, parts: AsyncIterable[bytes]) -> None:
        self._parts = parts

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _translated():
            async for part in self._parts:
                yield part

    async def aclose(self) -> None:
        closing: Any = getattr(self._parts, "aclose", None)
        if closing is not None:
            await closing()


@contextmanager
def _translated() -> Iterator[None]:
    """Errors of the engine as those of the client, which have the same names."""
    try:
        yield
    except Exception as error:
        for kind in type(error).__mro__:
            if kind.__module__.startswith("httpcore2"):
                raise getattr(httpx2, kind.__name__, httpx2.TransportError)(str(error)) from error
        raise


def _proxy_pool(upstream: Upstream) -> httpcore2.AsyncConnectionPool:
    if upstream.kind == "socks5":
        return httpcore2.AsyncConnectionPool(
            ssl_context=ssl_context(), network_backend=_SocksBackend(upstream)
        )
    headers = [("Proxy-Authorization", upstream.authorization)] if upstream.authorization else []
    return httpcore2.AsyncHTTPProxy(
        proxy_url=httpcore2.URL(scheme=upstream.kind, host=upstream.host, port=upstream.port, target="/"),
        proxy_headers=headers,
        ssl_context=ssl_context(),
    )


def ssl_context() -> ssl.SSLContext:
    """Certificates are always checked; SSL_CERT_FILE and SSL_CERT_DIR may name the ones to trust."""
    return _ssl_context_for(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))


@lru_cache(maxsize=4)
def _ssl_context_for(file: str | None, folder: str | None) -> ssl.SSLContext:
    # Reading the certificates takes longer than many an answer; they are read once.
    return httpx2.create_ssl_context()
