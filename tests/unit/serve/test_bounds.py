"""What one client may use of the viewer and of the MCP server: bodies, wrong tokens, sessions."""

from __future__ import annotations

import asyncio
from pathlib import Path
from time import monotonic
from typing import Any

import httpx2
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from verifaible.config import Settings
from verifaible.serve import bounds
from verifaible.serve.app import create_app
from verifaible.serve.bounds import ClientSessions, WholeBody
from verifaible.serve.listening import listen
from verifaible.serve.mcp import over_http as mcp_http
from verifaible.serve.mcp.over_http import HttpGuard

TOKEN = "a-token"


async def echoed(request: Request) -> PlainTextResponse:
    return PlainTextResponse(f"{len(await request.body())} bytes")


async def begun(_: Request) -> PlainTextResponse:
    return PlainTextResponse("begun", headers={"mcp-session-id": f"s{next(NUMBERS)}"})


NUMBERS = iter(range(1_000_000))
ECHO = Starlette(routes=[Route("/", echoed, methods=["GET", "POST"])])
BEGIN = Starlette(routes=[Route("/mcp", begun, methods=["GET", "POST", "DELETE"])])


def client_at(app: Any, address: str = "10.0.0.1") -> httpx2.AsyncClient:
    transport = httpx2.ASGITransport(app=app, client=(address, 1))
    return httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8732")


async def test_a_body_that_stalls_is_dropped_and_others_are_served() -> None:
    listener = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(WholeBody(ECHO, limit_s=0.3), log_level="error", lifespan="off"))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    host, port = listener.getsockname()
    try:
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nabc")
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
    monkeypatch.setattr(bounds, "MAX_BODY_BYTES", 1000)
    async with client_at(WholeBody(ECHO)) as http:
        assert (await http.post("/", content=b"x" * 1000)).text == "1000 bytes"
        assert (await http.post("/", content=b"x" * 1001)).status_code == 413


@pytest.fixture
def quick_guesses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "FREE_GUESSES", 2)
    monkeypatch.setattr(bounds, "GUESS_S", 0.1)


async def guesses(http: httpx2.AsyncClient, path: str, count: int) -> tuple[float, list[int]]:
    started = monotonic()
    answers = [await http.get(path, headers={"Authorization": f"Bearer {n}"}) for n in range(count)]
    return monotonic() - started, [each.status_code for each in answers]


@pytest.mark.usefixtures("quick_guesses")
async def test_wrong_tokens_are_slowed_and_the_right_one_is_not(tmp_path: Path) -> None:
    viewer = create_app(Settings(home=tmp_path, store=str(tmp_path / "store")), token=TOKEN)
    for app, path in (
        (viewer, "/"),
        (HttpGuard(BEGIN, token=TOKEN, loopback=False), "/mcp"),
    ):
        async with client_at(app) as http:
            seconds, statuses = await guesses(http, path, 8)
            assert set(statuses) == {401}
            assert seconds >= 0.5
            started = monotonic()
            answer = await http.get(path, headers={"Authorization": f"Bearer {TOKEN}"})
            assert answer.status_code == 200
            assert monotonic() - started < 20


@pytest.mark.usefixtures("quick_guesses")
async def test_the_form_is_slowed_too(tmp_path: Path) -> None:
    app = create_app(Settings(home=tmp_path, store=str(tmp_path / "store")), token=TOKEN)
    started = monotonic()
    async with client_at(app) as http:
        for number in range(8):
            assert (await http.post("/login", data={"token": str(number)})).status_code == 403
    assert monotonic() - started >= 0.5


async def test_many_guesses_at_once_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "GUESS_S", 0.05)
    app = HttpGuard(BEGIN, token=TOKEN, loopback=False)
    async with client_at(app) as http, client_at(app, "10.0.0.2") as other:
        wrong = {"Authorization": "Bearer wrong"}
        sent = [asyncio.create_task(http.get("/mcp", headers=wrong)) for _ in range(60)]
        statuses = [each.status_code for each in await asyncio.gather(*sent)]
        assert set(statuses) == {401, 429}
        assert (await other.get("/mcp", headers={"Authorization": f"Bearer {TOKEN}"})).status_code == 200


async def test_a_client_has_a_most_of_sessions() -> None:
    app = HttpGuard(BEGIN, token="", loopback=True)
    most = mcp_http.MOST_SESSIONS_OF_A_CLIENT
    assert most < mcp_http.MOST_SESSIONS
    async with client_at(app) as http, client_at(app, "10.0.0.2") as other:
        opened = [(await http.post("/mcp")).headers["mcp-session-id"] for _ in range(most)]
        refused = await http.post("/mcp")
        assert refused.status_code == 429
        assert "DELETE" in refused.json()["error"]["message"]
        kept = {"mcp-session-id": opened[0]}
        assert (await http.post("/mcp", headers=kept)).status_code == 200  # those that are open go on
        assert (await other.post("/mcp")).status_code == 200
        await http.delete("/mcp", headers=kept)
        assert (await http.post("/mcp")).status_code == 200


def test_sessions_that_are_idle_do_not_count() -> None:
    sessions = ClientSessions(1, idle_s=0.0)
    sessions.saw("a", "one")
    assert not sessions.full("a")
