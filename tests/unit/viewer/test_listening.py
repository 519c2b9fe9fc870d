"""What one request may take of the viewer and of the MCP server."""

from __future__ import annotations

import asyncio

import httpx2
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from verifaible import access
from verifaible.access import McpAccess, listen


async def echoed(request: Request) -> PlainTextResponse:
    return PlainTextResponse(f"{len(await request.body())} bytes")


ECHO = Starlette(routes=[Route("/", echoed, methods=["POST"])])


async def test_a_body_that_stalls_is_dropped_and_others_are_served() -> None:
    listener = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(McpAccess(ECHO, body_s=0.3), log_level="error", lifespan="off"))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    host, port = listener.getsockname()
    try:
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nabc")
        async with httpx2.AsyncClient(trust_env=False) as http:
            answer = await http.post(f"http://{host}:{port}/", content=b"abc")
            assert answer.text == "3 bytes"
        async with asyncio.timeout(20):
            said = await reader.read()  # until the server closes
        assert said.startswith(b"HTTP/1.1 408 ")
        writer.close()
    finally:
        server.should_exit = True
        await serving
        listener.close()


async def test_a_body_has_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "MAX_BODY_BYTES", 1000)
    transport = httpx2.ASGITransport(app=McpAccess(ECHO))
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
        assert (await http.post("/", content=b"x" * 1000)).text == "1000 bytes"
        assert (await http.post("/", content=b"x" * 1001)).status_code == 413
