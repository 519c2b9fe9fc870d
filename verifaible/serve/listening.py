"""Listening on an address, and serving whole requests there until somebody ends it."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import uvicorn
from starlette.responses import PlainTextResponse, Response

from verifaible.errors import ConfigError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: How long a whole body may take. Forms and MCP calls are some kilobytes.
BODY_S = 30.0
#: Most bytes of a body.
MAX_BODY_BYTES = 8 << 20
_TIMED_OUT, _TOO_LARGE = 408, 413
_BACKLOG = 128
#: How long requests under way may go on after the end was asked for.
_GRACE_S = 3
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - looked up, not listened on


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens.

    Args:
        host: an address of this machine, or a name of one.
        port: 0 takes a free one.

    Raises:
        ConfigError: the address is not of this machine, or the port is taken.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(_BACKLOG)
        except OSError:
            listener.close()
            raise
    except (OSError, UnicodeError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(
            f"Cannot listen on {host} port {port} ({reason}). Choose another --port or --host."
        ) from error
    return listener


def address_of(listener: socket.socket, path: str = "/") -> str:
    """The address under which a client on this machine finds the server."""
    host, port = listener.getsockname()[:2]
    host = _EVERYWHERE.get(host, host)
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{path}"


async def serve(
    app: ASGIApp,
    listener: socket.socket,
    begun: Callable[[], None],
    *,
    ending: Callable[[], Coroutine[Any, Any, None]] | None = None,
    **settings: Any,
) -> None:
    """Serve until SIGINT or SIGTERM.

    Args:
        app: what is served.
        listener: where.
        begun: called once requests are answered and a signal ends everything in order.
        ending: ends answers that would go on, when the signal has come.
        settings: further ones of uvicorn.
    """
    config = uvicorn.Config(
        app, access_log=False, server_header=False, timeout_graceful_shutdown=_GRACE_S, **settings
    )
    server = _Server(config, begun)
    endings: list[asyncio.Task[None]] = []

    def stop() -> None:
        server.should_exit = True
        if ending is not None and not endings:
            endings.append(asyncio.create_task(ending()))

    # uvicorn raises a signal again when it has ended: without these it would end the process before what
    # was opened around the server is closed.
    for each in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows
            asyncio.get_running_loop().add_signal_handler(each, stop)
    await server.serve(sockets=[listener])
    await asyncio.gather(*endings)


class _Server(uvicorn.Server):
    """Tells when it has begun: until then a signal would meet a server that is half there."""

    def __init__(self, config: uvicorn.Config, begun: Callable[[], None]) -> None:
        super().__init__(config)
        self._begun = begun

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.should_exit:
            self._begun()


class WholeBody:
    """ASGI middleware: an application gets a request with its whole body; a body that stalls is dropped.

    Args:
        app: what is served.
        limit_s: seconds for a whole body.
    """

    def __init__(self, app: ASGIApp, limit_s: float = BODY_S) -> None:
        self._app = app
        self._limit_s = limit_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            async with asyncio.timeout(self._limit_s):
                message = await _whole(receive)
        except TimeoutError:
            await _closing(_TIMED_OUT, "The request took too long. Send it again.")(scope, receive, send)
            return
        if message is None:
            said = f"The request has more than {MAX_BODY_BYTES} bytes. Send less."
            await _closing(_TOO_LARGE, said)(scope, receive, send)
            return
        waiting = [message]

        async def replayed() -> Message:
            return waiting.pop() if waiting else await receive()

        await self._app(scope, replayed, send)


async def _whole(receive: Receive) -> Message | None:
    """A request's body in one message, or the client's leaving; None where it is too large."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return message
        body += message.get("body", b"")
        if len(body) > MAX_BODY_BYTES:
            return None
        if not message.get("more_body"):
            return {"type": "http.request", "body": bytes(body), "more_body": False}


def _closing(status: int, sentence: str) -> Response:
    return PlainTextResponse(sentence, status, {"Connection": "close"})
