"""The viewer and the MCP server as processes of their own, started once for a home and shared by its rows."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import threading
from collections.abc import Coroutine, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from mcp import Client, MCPError, StdioServerParameters

from tests.kit.cli import program

T = TypeVar("T")
#: A server that takes longer hangs.
START_S = 120


class NotServing(Exception):
    """A server ended before it listened; the message is what it said."""


@dataclass
class Viewer:
    """``verifaible serve`` in a process.

    Attributes:
        address: without a slash at its end.
    """

    address: str
    _process: subprocess.Popen[str]

    @classmethod
    def start(cls, env: Mapping[str, str], folder: Path, *options: str) -> Viewer:
        """Start it on a free port of loopback, and wait until it says where it listens."""
        process = subprocess.Popen(
            [*program(), "serve", "--port", "0", *options],
            env={**env, "PYTHONUNBUFFERED": "1"},
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
        )
        assert process.stdout is not None
        said = ""
        for line in process.stdout:
            said += line
            if found := re.search(r"https?://[\w.:\[\]]+", line):
                threading.Thread(
                    target=process.stdout.read, daemon=True
                ).start()  # its log must not fill the pipe
                return cls(found[0].rstrip("/"), process)
        raise NotServing(said)

    def stop(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait(START_S)


class McpServer:
    """``verifaible mcp`` over stdio in a process, with the SDK's own client on an event loop of its own thread."""

    def __init__(self, env: Mapping[str, str], folder: Path, *options: str) -> None:
        command, *before = program()
        self._parameters = StdioServerParameters(
            command=command, args=[*before, "mcp", *options], env=dict(env), cwd=folder
        )
        self._loop = asyncio.new_event_loop()
        self._enough = asyncio.Event()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        ready: Future[Client] = Future()
        self._held = asyncio.run_coroutine_threadsafe(self._hold(ready), self._loop)
        self._client = ready.result(START_S)

    async def _hold(self, ready: Future[Client]) -> None:
        """One task enters and leaves the client, as its scopes require."""
        try:
            async with Client(self._parameters) as client:
                ready.set_result(client)
                await self._enough.wait()
        except BaseException as error:
            if not ready.done():
                ready.set_exception(error)
            raise

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(START_S)

    def call(self, tool: str, arguments: Any) -> dict[str, Any]:
        """Call a tool: ``error`` (boolean), ``text``, ``structured``, ``content`` (types); or ``protocol_error``."""
        try:
            result = self._run(self._client.call_tool(tool, arguments))
        except MCPError as error:
            return {"protocol_error": str(error)}
        texts = [part.text for part in result.content if part.type == "text"]
        return {
            "error": bool(result.is_error),
            "text": "\n".join(texts),
            "structured": result.structured_content,
            "content": [part.model_dump(mode="json", exclude_none=True) for part in result.content],
        }

    def ask(self, what: str, **arguments: Any) -> dict[str, Any]:
        """Any other request (``list_tools``, ``read_resource``, ``get_prompt`` …) as JSON, or ``protocol_error``."""
        try:
            answer = self._run(getattr(self._client, what)(**arguments))
        except MCPError as error:
            return {"protocol_error": str(error)}
        return cast("dict[str, Any]", answer.model_dump(mode="json", exclude_none=True))

    def stop(self) -> None:
        """End it."""
        self._loop.call_soon_threadsafe(self._enough.set)
        self._held.result(START_S)
        self._loop.call_soon_threadsafe(self._loop.stop)


def tree(folder: Path) -> dict[str, int]:
    """The files below a folder: relative name to size in bytes."""
    return {
        os.path.relpath(each, folder): each.stat().st_size
        for each in sorted(folder.rglob("*"))
        if each.is_file()
    }
