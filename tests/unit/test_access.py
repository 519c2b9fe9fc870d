"""Who may use the viewer and the MCP server: names, origins, tokens, limits, and what answers allow."""

from __future__ import annotations

import asyncio
import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import click
import httpx2
import pytest
import uvicorn
from click.testing import CliRunner
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from tests.unit.evidence.samples import add
from verifaible import access
from verifaible.access import COOKIE, POLICY, McpAccess, listen, token_for
from verifaible.cli.program import verifaible
from verifaible.cli.serve import entrance
from verifaible.config import Settings
from verifaible.console.options import SHORT_HELP
from verifaible.errors import ConfigError
from verifaible.mcp.transports import serve_http, whole_characters
from verifaible.net.guard import is_loopback
from verifaible.store.store import Store
from verifaible.viewer.app import create_app

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "tools.md"
HERE, FOREIGN, TOKEN = "http://127.0.0.1:8731", "http://evil.example:8731", "quayside-lantern-42"
OWN = (
    *(
        "127.0.0.1:8732",
        "127.0.0.1",
        "localhost:1",
        "LOCALHOST",
        "[::1]:8732",
        "127.9.9.9:80",
        "a.localhost:2",
    ),
)
OTHER = (
    *("evil.example", "evil.example:8732", "127.0.0.1.evil.example", "localhost.evil.example:8732"),
    *("localhost@evil.example", "evil.example@localhost", "localhost:x", "0.0.0.0:8732", "192.168.1.2"),
    *("[::ffff:10.0.0.1]", ""),
)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path, store=str(tmp_path / "store"))


@pytest.fixture
def citation_id(settings: Settings) -> str:
    store = Store.open(settings)
    made = add(store)
    store.close()
    return made.id


@pytest.fixture
def client(settings: Settings) -> Iterator[TestClient]:
    with TestClient(create_app(settings), base_url=HERE, follow_redirects=False) as opened:
        yield opened


@pytest.fixture
def guarded(settings: Settings) -> Iterator[TestClient]:
    app = create_app(settings, token=TOKEN)
    with TestClient(app, base_url="http://viewer.example", follow_redirects=False) as opened:
        yield opened


async def echoed(request: Request) -> PlainTextResponse:
    return PlainTextResponse(f"{len(await request.body())} bytes")


ECHO = Starlette(routes=[Route("/mcp", echoed, methods=["GET", "POST"])])


async def ask(app: McpAccess, content: bytes | None = None, **headers: str) -> httpx2.Response:
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8732") as http:
        return await http.request(
            "GET" if content is None else "POST", "/mcp", content=content, headers=headers
        )


# --- names, of both servers


@pytest.mark.parametrize("host", OWN)
async def test_this_machine_is_served(settings: Settings, host: str) -> None:
    assert (await ask(McpAccess(ECHO), host=host, origin=f"http://{host}")).text == "0 bytes"
    with TestClient(create_app(settings), base_url=HERE) as near:
        assert near.get("/runs", headers={"host": host}).status_code == 200
    assert is_loopback(host.partition(":")[0]) or host.startswith("[")


@pytest.mark.parametrize("host", OTHER)
async def test_another_name_is_refused(settings: Settings, host: str) -> None:
    answer = await ask(McpAccess(ECHO), host=host)
    assert answer.status_code == 403
    assert "Use localhost or 127.0.0.1" in answer.json()["error"]["message"]
    with TestClient(create_app(settings), base_url=HERE) as near:
        assert near.get("/runs", headers={"host": host}).status_code == 403


@pytest.mark.parametrize(
    "path", ["/", "/citations", "/static/viewer.js", "/login", "/captured/x/text", "/home.json"]
)
def test_no_page_is_served_under_a_foreign_name(settings: Settings, citation_id: str, path: str) -> None:
    with TestClient(create_app(settings), base_url=FOREIGN) as rebound:
        answer = rebound.get(path)
        assert answer.status_code == 403
        assert "citation" not in answer.text.lower()


# --- other sites


@pytest.mark.parametrize(
    "origin",
    [
        *("https://evil.example", "http://localhost.evil.example", "null", "file://", ""),
        "http://localhost@evil.example",
    ],
)
async def test_a_page_of_another_machine_does_not_reach_mcp(origin: str) -> None:
    for guard in (McpAccess(ECHO), McpAccess(ECHO, "t")):
        assert (await ask(guard, origin=origin, authorization="Bearer t")).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": HERE.replace("http", "https"), "sec-fetch-site": "cross-site"},
    ],
)
def test_another_site_cannot_press_a_button(
    client: TestClient, citation_id: str, settings: Settings, headers: dict[str, str]
) -> None:
    for what in ("verify", "replay", "recheck", "export"):
        assert client.post(f"/citations/{citation_id}/{what}", headers=headers).status_code == 403
        assert client.get(f"/citations/{citation_id}/{what}").status_code == 405
    assert Store.open(settings).checks(citation_id) == ()


@pytest.mark.parametrize("headers", [{}, {"origin": HERE, "sec-fetch-site": "same-origin"}])
def test_a_page_of_the_viewer_and_a_program_can(
    client: TestClient, citation_id: str, settings: Settings, headers: dict[str, str]
) -> None:
    answer = client.post(f"/citations/{citation_id}/verify", headers=headers)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/citations/{citation_id}#history")
    assert [check.kind for check in Store.open(settings).checks(citation_id)] == ["rehash"]


# --- tokens


def test_a_token_is_made_off_loopback_only() -> None:
    assert token_for("", "127.0.0.1") == token_for("", "localhost") == token_for("", "::1") == ""
    assert token_for(" sixteen-letters! ", "0.0.0.0") == "sixteen-letters!"
    made = {token_for("", host) for host in ("0.0.0.0", "192.168.1.2", "analyst.example", "::")}
    assert len(made) == 4 and all(len(token) >= 32 for token in made)
    with pytest.raises(ConfigError, match="needs a token"):
        listen("0.0.0.0", 0)


@pytest.mark.parametrize(
    ("token", "said"),
    [("a b", "ASCII"), ("é", "ASCII"), ("a\nb", "ASCII"), (" fifteen-letters ", "at least 16 characters")],
)
@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_a_token_that_is_none_is_refused(token: str, said: str, host: str) -> None:
    with pytest.raises(ConfigError, match=said):
        token_for(token, host)


@pytest.mark.parametrize(
    "authorization", ["", "Bearer", "Bearer ", "Bearer wrong", "Basic secret", "secret", "Bearer secretx"]
)
async def test_without_its_token_mcp_serves_nobody(authorization: str) -> None:
    answer = await ask(McpAccess(ECHO, "secret"), authorization=authorization)
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert "secret" not in answer.text


@pytest.mark.parametrize("authorization", ["Bearer secret", "bearer secret", "Bearer  secret"])
async def test_with_its_token_mcp_is_served_under_any_name(authorization: str) -> None:
    answer = await ask(McpAccess(ECHO, "secret"), host="analyst.example", authorization=authorization)
    assert answer.text == "0 bytes"


@pytest.mark.parametrize("path", ["/", "/citations", "/citations.json", "/captured/x/page.png", "/nothing"])
def test_without_its_token_the_viewer_tells_nothing(guarded: TestClient, path: str) -> None:
    plain = guarded.get(path)
    assert plain.status_code == 401
    assert "Bearer TOKEN" in plain.text
    person = guarded.get(path, headers={"accept": "text/html"})
    assert (person.status_code, person.headers["location"]) == (303, "/login")


@pytest.mark.parametrize("given", ["", "x", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), "Ω"])
def test_a_wrong_token_is_refused(guarded: TestClient, given: str) -> None:
    headers = {b"authorization": f"Bearer {given}".encode()}
    assert guarded.get("/citations", headers=headers).status_code == 401
    assert guarded.get("/citations", params={"token": given}).status_code == 401
    entered = guarded.post("/login", data={"token": given})
    assert (entered.status_code, COOKIE in entered.cookies) == (403, False)
    assert guarded.get("/citations", headers={b"cookie": f"{COOKIE}={given}".encode()}).status_code == 401


def test_a_program_sends_its_token_and_a_button_needs_it(guarded: TestClient, citation_id: str) -> None:
    assert guarded.get("/citations", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert guarded.get("/citations", headers={"authorization": f"bearer {TOKEN}"}).status_code == 200
    assert guarded.get("/citations", headers={"authorization": f"Basic {TOKEN}"}).status_code == 401
    assert guarded.post(f"/citations/{citation_id}/verify").status_code == 401


def test_the_address_gives_the_token_once_and_the_browser_keeps_it(guarded: TestClient) -> None:
    answer = guarded.get("/citations", params={"token": TOKEN, "q": "rate"})
    assert answer.status_code == 303
    assert answer.headers["location"].endswith("/citations?q=rate")
    kept = answer.headers["set-cookie"].lower()
    assert "httponly" in kept and "samesite=lax" in kept
    assert guarded.get("/citations").status_code == 200
    assert guarded.get("/citations", params={"token": "another"}).status_code == 200


def test_the_form_takes_the_token(guarded: TestClient) -> None:
    answer = guarded.post("/login", data={"token": f" {TOKEN} "})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert guarded.get("/citations").status_code == 200


@pytest.mark.parametrize("token", ["a&b=c", "a#b", "a+b", "%41", "".join(map(chr, range(33, 127)))])
def test_the_printed_address_lets_in_whatever_the_token_is(settings: Settings, token: str) -> None:
    app = create_app(settings, token=token)
    with TestClient(app, base_url="http://viewer.example", follow_redirects=False) as opened:
        assert opened.get(entrance(token)).status_code == 303
        assert opened.get("/citations").status_code == 200


# --- what answers allow


@pytest.mark.parametrize(
    "path", ["/", "/citations/{id}", "/citations/{id}.json", "/citations/{id}/beside", "/no"]
)
def test_every_answer_is_fenced(client: TestClient, citation_id: str, path: str) -> None:
    headers = client.get(path.format(id=citation_id)).headers
    policy = dict(part.strip().partition(" ")[::2] for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert {policy[name] for name in ("script-src", "style-src", "img-src", "form-action")} == {"'self'"}
    assert (policy["base-uri"], policy["frame-ancestors"]) == ("'none'", "'self'")
    assert "frame-src" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"


def test_a_crash_is_fenced_too(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object, **__: object) -> None:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(Store, "rows", crash)
    with TestClient(create_app(settings), base_url=HERE, raise_server_exceptions=False) as opened:
        answer = opened.get("/citations")
    assert answer.status_code == 500
    assert "a fault of ours" not in answer.text
    assert answer.headers["content-security-policy"] == POLICY


def test_a_method_that_a_page_does_not_have(client: TestClient, citation_id: str) -> None:
    answer = client.delete(f"/citations/{citation_id}")
    assert answer.status_code == 405
    assert set(answer.headers["allow"].split(", ")) == {"GET", "HEAD"}


# --- limits


async def test_a_body_that_stalls_is_dropped_and_others_are_served() -> None:
    listener = listen("127.0.0.1", 0)
    config = uvicorn.Config(McpAccess(ECHO, body_s=0.3), log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    host, port = listener.getsockname()
    try:
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nabc")
        async with httpx2.AsyncClient(trust_env=False) as http:
            assert (await http.post(f"http://{host}:{port}/mcp", content=b"abc")).text == "3 bytes"
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
    assert (await ask(McpAccess(ECHO), b"x" * 1000)).text == "1000 bytes"
    assert (await ask(McpAccess(ECHO), b"x" * 1001)).status_code == 413


async def test_what_cannot_be_served_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=f"Cannot listen on 127.0.0.1 port {port} .*Choose another"):
            await serve_http(Settings(home=tmp_path), offline=True, host="127.0.0.1", port=port, token="")
    with pytest.raises(ConfigError, match="There is no archive in"):
        await serve_http(Settings(home=tmp_path), offline=True, host="127.0.0.1", port=0, token="")


# --- the command of MCP


@pytest.mark.parametrize("option", [["--port", "8000"], ["--host", "0.0.0.0"], ["--token", "x"]])
def test_options_of_http_need_http(option: list[str]) -> None:
    with pytest.raises(click.UsageError, match=f"{option[0]} needs --http"):
        verifaible.main(["mcp", *option], standalone_mode=False)


def test_the_configurations_in_the_guide_start_this_command() -> None:
    blocks = re.findall(r"^```text\n(\{.*?)^```", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    servers = [json.loads(block)["mcpServers"]["verifaible"] for block in blocks]
    started = [server for server in servers if "command" in server]
    assert started and len(servers) > len(started)
    for server in started:
        assert server["command"].endswith("verifaible")
        name, *options = server["args"]
        command = verifaible.get_command(click.Context(verifaible), name)
        assert command is not None
        command.make_parser(click.Context(command, **SHORT_HELP)).parse_args(list(options))
    for server in servers:
        assert "command" in server or server["url"].endswith("/mcp")


def test_where_mcp_1_is_installed_the_command_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """The types are a package of their own only since mcp 2."""
    monkeypatch.setattr("verifaible.cli.serve.find_spec", lambda name: None if name == "mcp_types" else name)
    done = CliRunner().invoke(verifaible, ["mcp"])
    assert isinstance(done.exception, ConfigError)
    assert "environment of its own" in str(done.exception)


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ('{"a": "\\ud83d\\ude00"}', '{"a": "\U0001f600"}'),
        ('{"a": "\\uD83d x"}', '{"a": "\ufffd x"}'),
        ('{"\\udfff": ["\\ude00\\ud83d"]}', '{"\ufffd": ["\ufffd\ufffd"]}'),
        ('{"a": "\\ud83d', '{"a": "\\ud83d'),
        ('{"a":  "\\u4e2d"}', '{"a":  "\\u4e2d"}'),
    ],
)
def test_half_pairs_in_a_line_are_replaced(line: str, read: str) -> None:
    assert whole_characters(line) == read
