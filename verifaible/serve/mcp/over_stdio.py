"""MCP over standard input and output."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
import threading
from collections.abc import AsyncIterable, Awaitable, Callable
from concurrent.futures import CancelledError as Abandoned
from contextlib import suppress
from typing import TYPE_CHECKING, cast

import anyio

from verifaible.browser.scripts import well_formed
from verifaible.serve.mcp.workshop import Workshop

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectSendStream
    from mcp.shared.message import SessionMessage

    from verifaible.config import Settings

_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")


class StandardInput:
    """The lines of standard input, read by a thread that nobody has to wait for.

    A thread that waits for a line cannot be stopped, and the SDK's own reader is waited for: the server
    would end only when its client does. File descriptor 0 leads nowhere from then on, so that no child
    process takes from the protocol.
    """

    def __init__(self) -> None:
        self._lines: asyncio.Queue[str | None] = asyncio.Queue(maxsize=1)
        self._loop = asyncio.get_running_loop()
        wire = os.dup(sys.stdin.fileno())
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, sys.stdin.fileno())
        os.close(nothing)
        threading.Thread(target=self._read, args=(wire,), daemon=True).start()

    def _read(self, wire: int) -> None:
        with suppress(RuntimeError, Abandoned), os.fdopen(wire, "rb") as stream:  # the loop has ended
            for line in stream:
                if not line.isspace():
                    self._put(without_half_pairs(line.decode("utf-8", "replace")))
            self._put(None)

    def _put(self, line: str | None) -> None:
        putting = self._lines.put(line)
        try:
            asyncio.run_coroutine_threadsafe(putting, self._loop).result()
        except RuntimeError:
            putting.close()
            raise

    def __aiter__(self) -> StandardInput:
        return self

    async def __anext__(self) -> str:
        line = await self._lines.get()
        if line is None:
            raise StopAsyncIteration
        return line


async def serve_stdio(settings: Settings, *, offline: bool) -> None:
    """Serve one client until it closes standard input, or the process is told to end.

    Raises:
        ConfigError: as :meth:`Workshop.open`.
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
        async with Workshop.open(settings, offline=offline) as workshop:
            await _serve(workshop, lines)
    except asyncio.CancelledError:
        if not stopped:
            raise


async def _serve(workshop: Workshop, lines: StandardInput) -> None:
    from mcp.server.stdio import stdio_server
    from mcp.shared.message import SessionMessage

    from verifaible.serve.mcp.server import mcp_server

    server = mcp_server(workshop)
    stdin = cast("anyio.AsyncFile[str]", lines)  # only ever iterated over
    try:
        async with stdio_server(stdin=stdin) as (incoming, outgoing), anyio.create_task_group() as group:
            passing, passed = anyio.create_memory_object_stream[SessionMessage | Exception](0)
            group.start_soon(_refuse_faults, incoming, passing, outgoing.send)
            await server.run(passed, outgoing, server.create_initialization_options())
            group.cancel_scope.cancel()
    except* (BrokenPipeError, ConnectionResetError):
        pass  # the client is gone: there is nobody to tell


async def _refuse_faults(
    incoming: AsyncIterable[SessionMessage | Exception],
    passing: MemoryObjectSendStream[SessionMessage | Exception],
    answer: Callable[[SessionMessage], Awaitable[None]],
) -> None:
    """Pass messages on, and answer lines that are none, which the SDK would pass over (JSON-RPC 2.0, 5.1)."""
    from mcp.shared.message import SessionMessage
    from mcp_types import PARSE_ERROR, ErrorData, JSONRPCError

    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):  # the server has ended
        async for item in incoming:
            if isinstance(item, Exception):
                sentence = "This line is no JSON-RPC message. Send one JSON object a line."
                error = ErrorData(code=PARSE_ERROR, message=sentence)
                await answer(SessionMessage(JSONRPCError(jsonrpc="2.0", id=None, error=error)))
            else:
                await passing.send(item)
    await passing.aclose()


def without_half_pairs(line: str) -> str:
    """A line whose half surrogate pairs, which JSON allows and the SDK cannot read, are U+FFFD."""
    if not _SURROGATE_ESCAPE.search(line):
        return line
    try:
        return str(well_formed(json.dumps(json.loads(line), ensure_ascii=False)))
    except (ValueError, RecursionError):
        return line
