"""How an MCP server meets broken lines, and how it ends: nothing of it may stay behind."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from mcp import Client

from tests.browser.test_mcp_transports import (
    POPULATION,
    PROGRAM,
    Patient,
    environment,
    http_server,
    processes_below,
    until_gone,
)


class Wire:
    """A server over stdio, and its raw lines."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @classmethod
    @asynccontextmanager
    async def open(cls, home: Path, *options: str, **more: str) -> AsyncIterator[Wire]:
        process = await asyncio.create_subprocess_exec(
            *PROGRAM,
            *options,
            env=environment(home, **more),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=1 << 24,
        )
        try:
            yield cls(process)
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()

    def send(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line.encode() + b"\n")

    def ask(self, number: int, method: str, **params: Any) -> None:
        self.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))

    async def answer(self, number: int | None) -> dict[str, Any]:
        """The answer to a request; every line until it must be a message of the protocol."""
        assert self.process.stdout is not None
        while True:
            line = await self.process.stdout.readline()
            assert line, (await self.process.stderr.read()).decode() if self.process.stderr else ""
            message: dict[str, Any] = json.loads(line)
            assert message["jsonrpc"] == "2.0"
            if "id" in message and message["id"] == number:
                return message

    async def begin(self) -> None:
        client = {"name": "x", "version": "1"}
        self.ask(1, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        assert (await self.answer(1))["result"]["protocolVersion"] == "2025-06-18"
        self.send('{"jsonrpc": "2.0", "method": "notifications/initialized"}')


async def started_by(wire: Wire, word: str = "") -> set[int]:
    """The processes below a server, as soon as one of them has the word in its command line."""

    def wait() -> set[int]:
        until = monotonic() + 180
        while monotonic() < until:
            found = processes_below(wire.process.pid)
            for pid in found:
                with suppress(OSError):
                    if word in Path(f"/proc/{pid}/cmdline").read_text():
                        return found
            sleep(0.01)
        raise AssertionError(f"The server started nothing with {word!r}.")

    return await asyncio.to_thread(wait)


@pytest.mark.nightly
async def test_broken_lines_do_not_end_a_server_and_its_end_leaves_nothing(tmp_path: Path) -> None:
    async with Wire.open(tmp_path, "--web", "offline") as wire, asyncio.timeout(180):
        wire.send("Hello?")
        await wire.begin()
        for line in ('{"jsonrpc": "2.0", "id": 7, ', "", "null", "[1]", "\x00\xff", '{"id": "\\ud800"}'):
            wire.send(line)
        wire.ask(2, "tools/call", name="web_fetch", arguments="url")
        assert (await wire.answer(2))["error"]["code"] == -32602
        wire.ask(3, "tools/call", name="web_fetch", arguments={"url": "\ud800"})
        assert (await wire.answer(3))["result"]["isError"]
        wire.ask(4, "tools/call", name="analyze_page", arguments={"url": POPULATION})
        assert not (await wire.answer(4))["result"]["isError"]
        started = processes_below(wire.process.pid)
        assert started
        assert wire.process.stdin is not None and wire.process.stderr is not None
        wire.process.stdin.close()
        assert await wire.process.wait() == 0
        assert "Traceback" not in (await wire.process.stderr.read()).decode()
        await until_gone(started)


@pytest.mark.nightly
async def test_the_browser_starts_before_the_first_call(tmp_path: Path) -> None:
    async with Wire.open(tmp_path, "--web", "offline") as wire, asyncio.timeout(180):
        await wire.begin()
        started = await started_by(wire, "--headless")
        assert wire.process.stdin is not None
        wire.process.stdin.close()
        assert await wire.process.wait() == 0
        await until_gone(started)


@pytest.mark.nightly
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT, None], ids=["SIGTERM", "SIGINT", "closed"])
async def test_the_end_of_a_server_that_still_starts_leaves_nothing(
    end: signal.Signals | None, tmp_path: Path
) -> None:
    async with Wire.open(tmp_path, "--web", "offline") as wire, asyncio.timeout(180):
        started = await started_by(wire)  # the driver is there, the browser is not
        if end is None:
            assert wire.process.stdin is not None
            wire.process.stdin.close()
        else:
            wire.process.send_signal(end)
        started |= await started_by(wire, "--headless")  # nothing interrupts its start
        assert await wire.process.wait() == 0
        assert wire.process.stderr is not None
        assert "Traceback" not in (await wire.process.stderr.read()).decode()
        await until_gone(started)


@pytest.mark.nightly
async def test_without_a_browser_only_what_needs_one_fails(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "chromium")
    async with (
        Wire.open(tmp_path, "--web", "offline", VERIFAIBLE_BROWSER=nowhere) as wire,
        asyncio.timeout(180),
    ):
        await wire.begin()
        wire.ask(2, "tools/call", name="analyze_page", arguments={"url": POPULATION})
        assert nowhere in (await wire.answer(2))["result"]["content"][0]["text"]
        assert wire.process.stdin is not None and wire.process.stderr is not None
        wire.process.stdin.close()
        assert await wire.process.wait() == 0
        assert "Traceback" not in (await wire.process.stderr.read()).decode()


@pytest.mark.nightly
async def test_a_signal_ends_a_server_in_the_middle_of_a_call(tmp_path: Path) -> None:
    async with (
        Patient().open() as patient,
        Wire.open(tmp_path, VERIFAIBLE_ALLOW_HOSTS="127.0.0.1") as wire,
        asyncio.timeout(180),
    ):
        await wire.begin()
        wire.ask(2, "tools/call", name="analyze_page", arguments={"url": patient.url})
        await patient.come.wait()
        started = processes_below(wire.process.pid)
        wire.process.send_signal(signal.SIGTERM)
        assert await wire.process.wait() == 0
        assert wire.process.stderr is not None
        assert "Traceback" not in (await wire.process.stderr.read()).decode()
        await until_gone(started)


@pytest.mark.nightly
async def test_a_signal_ends_a_server_over_http(tmp_path: Path) -> None:
    with http_server(tmp_path, "--web", "offline") as (url, process, _):
        async with asyncio.timeout(180):
            async with Client(url) as client:
                assert not (await client.call_tool("analyze_page", {"url": POPULATION})).is_error
                started = processes_below(process.pid)
                process.send_signal(signal.SIGINT)
                out, err = await asyncio.to_thread(process.communicate)
            assert started and (process.returncode, out) == (0, "")
            assert "Traceback" not in err
            await until_gone(started)
