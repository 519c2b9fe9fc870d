"""MCP over standard input and output, and over streamable HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import threading
from concurrent.futures import CancelledError as Abandoned
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from verifaible.access import McpAccess, address_of, listen, serve
from verifaible.browser.scripts import well_formed
from verifaible.mcp.backend import Backend

if TYPE_CHECKING:
    import anyio
    from starlette.types import ASGIApp

    from verifaible.config import Settings

#: Where the one endpoint of HTTP is.
PATH = "/mcp"
#: Sessions open at once over HTTP; an idle one ends after 30 minutes.
MOST_SESSIONS = 256


class StandardInput:
    """The lines of standard input, read by a thread that nobody has to wait for.

    A thread that waits for a line cannot be stopped, and the SDK's own reader is waited for: the server
    would end only when its client does. File descriptor 0 leads nowhere from then on, so that no child
    process takes from the protocol.
    """

    def __init__(self) -> None:
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        wire = os.dup(sys.stdin.fileno())
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, sys.stdin.fileno())
        os.close(nothing)
        threading.Thread(target=self._read, args=(wire, asyncio.get_running_loop()), daemon=True).start()

    def _read(self, wire: int, loop: asyncio.AbstractEventLoop) -> None:
        with suppress(RuntimeError, Abandoned), os.fdopen(wire, "rb") as stream:  # the loop has ended
            for line in stream:
                if not line.isspace():
                    loop.call_soon_threadsafe(
                        self._lines.put_nowait, whole_characters(line.decode("utf-8", "replace"))
                    )
            loop.call_soon_threadsafe(self._lines.put_nowait, None)

    def __aiter__(self) -> StandardInput:
        return self

    async def __anext__(self) -> str:
        line = await self._lines.get()
        if line is None:
            raise StopAsyncIteration
        return line


def whole_characters(line: str) -> str:
    """A line whose half surrogate pairs, which JSON allows and the SDK cannot read, are U+FFFD."""
    if "\\ud" not in line.lower():
        return line
    try:
        return str(well_formed(json.dumps(json.loads(line), ensure_ascii=False)))
    except (ValueError, RecursionError):
        return line


async def serve_stdio(settings: Settings, *, offline: bool) -> None:
    """Serve one client until it closes standard input, or the process is told to end.

    Raises:
        ConfigError: as :meth:`Backend.open`.
    """
    serving = asyncio.current_task()
    assert serving is not None
    stopped = False

    def stop() -> None:
        nonlocal stopped
        stopped = True
        serving.cancel()

    for each in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows
            asyncio.get_running_loop().add_signal_handler(each, stop)
    lines = StandardInput()
    try:
        async with Backend.open(settings, offline=offline) as backend:
            await _serve(backend, lines)
    except asyncio.CancelledError:
        if not stopped:
            raise


async def _serve(backend: Backend, lines: StandardInput) -> None:
    from mcp.server.stdio import stdio_server

    from verifaible.mcp.server import mcp_server

    server = mcp_server(backend)
    stdin = cast("anyio.AsyncFile[str]", lines)  # only ever iterated over
    try:
        async with stdio_server(stdin=stdin) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    except* (BrokenPipeError, ConnectionResetError):
        pass  # the client is gone: there is nobody to tell


def http_app(backend: Backend, token: str) -> ASGIApp:
    """The ASGI application; without a token only requests that name this machine are served."""
    from mcp.server.transport_security import TransportSecuritySettings

    from verifaible.mcp.server import mcp_server

    app = mcp_server(backend).streamable_http_app(
        streamable_http_path=PATH,
        max_sessions=MOST_SESSIONS,
        # Access does it, for every loopback address and with sentences.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return McpAccess(app, token)


async def serve_http(settings: Settings, *, offline: bool, host: str, port: int, token: str) -> None:
    """Serve over HTTP until the process is told to end.

    Args:
        settings: limits and paths.
        offline: pages come from the archives alone.
        host: the name or address to listen on.
        port: the port; 0 for any that is free.
        token: what every request must bring as ``Authorization: Bearer``; empty for none, on loopback.

    Raises:
        ConfigError: the address cannot be used; or as :meth:`Backend.open`.
    """
    with listen(host, port, token) as listener:
        async with Backend.open(settings, offline=offline) as backend:
            address = address_of(listener, PATH)

            def begun() -> None:
                print(f"MCP over HTTP at {address}; end with Ctrl-C.", file=sys.stderr, flush=True)

            app = http_app(backend, token)
            await serve(app, listener, begun, log_config=None, proxy_headers=False, lifespan="on")
