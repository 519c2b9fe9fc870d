"""Who may use the MCP server over HTTP, and what its command accepts."""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path

import click
import httpx2
import pytest
from click.testing import CliRunner
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from verifaible.bench.environment import SHORT_HELP
from verifaible.cli import verifaible
from verifaible.config import Settings
from verifaible.errors import ConfigError
from verifaible.serve.mcp.over_http import HttpGuard, serve_http
from verifaible.serve.mcp.over_stdio import without_half_pairs
from verifaible.serve.security import token_for

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "tools.md"


async def served(_: object) -> PlainTextResponse:
    return PlainTextResponse("served")


APP = Starlette(routes=[Route("/mcp", served)])


async def ask(guard: HttpGuard, **headers: str) -> httpx2.Response:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    async with httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app=guard), base_url="http://127.0.0.1:8732"
    ) as client:
        return await client.get("/mcp", headers=sent)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1:8732",
        "127.0.0.1",
        "localhost:1",
        "LOCALHOST",
        "[::1]:8732",
        "127.9.9.9:80",
        "a.localhost:2",
    ],
)
async def test_this_machine_is_served_on_loopback(host: str) -> None:
    guard = HttpGuard(APP, token="", loopback=True)
    assert (await ask(guard, host=host)).text == "served"
    assert (await ask(guard, host=host, origin=f"http://{host}")).text == "served"


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8732",
        "127.0.0.1.evil.example",
        "localhost.evil.example:8732",
        "localhost@evil.example",
        "evil.example@localhost",
        "localhost:x",
        "0.0.0.0:8732",
        "192.168.1.2",
        "[::ffff:10.0.0.1]",
        "",
    ],
)
async def test_another_name_is_refused_on_loopback(host: str) -> None:
    answer = await ask(HttpGuard(APP, token="", loopback=True), host=host)
    assert answer.status_code == 421
    assert "Use localhost or 127.0.0.1" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "http://localhost.evil.example",
        "null",
        "file://",
        "http://localhost@evil.example",
        "",
    ],
)
async def test_another_origin_is_refused_on_loopback(origin: str) -> None:
    for guard in (HttpGuard(APP, token="", loopback=True), HttpGuard(APP, token="t", loopback=True)):
        answer = await ask(guard, origin=origin, authorization="Bearer t")
        assert answer.status_code == 403


@pytest.mark.parametrize("loopback", [True, False])
@pytest.mark.parametrize(
    "authorization", ["", "Bearer", "Bearer ", "Bearer wrong", "Basic secret", "secret", "Bearer secretx"]
)
async def test_without_the_token_nobody_is_served(loopback: bool, authorization: str) -> None:
    answer = await ask(HttpGuard(APP, token="secret", loopback=loopback), authorization=authorization)
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert "secret" not in answer.text


@pytest.mark.parametrize("authorization", ["Bearer secret", "bearer secret", "Bearer  secret"])
async def test_with_the_token_any_name_is_served_elsewhere(authorization: str) -> None:
    guard = HttpGuard(APP, token="secret", loopback=False)
    assert (await ask(guard, host="analyst.example", authorization=authorization)).text == "served"


def test_no_server_off_loopback_without_a_token() -> None:
    with pytest.raises(ConfigError, match="needs a token"):
        HttpGuard(APP, token="", loopback=False)


async def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=f"Cannot listen on 127.0.0.1 port {port} .*Choose another"):
            await serve_http(Settings(home=tmp_path), offline=True, host="127.0.0.1", port=port, token="")


async def test_offline_needs_archives(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="There is no archive in"):
        await serve_http(Settings(home=tmp_path), offline=True, host="127.0.0.1", port=0, token="")


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
    assert without_half_pairs(line) == read


# --- the command -------------------------------------------------------------------------------


def test_a_token_is_made_off_loopback_only() -> None:
    assert token_for("", "127.0.0.1") == token_for("", "localhost") == token_for("", "::1") == ""
    assert token_for(" sixteen-letters! ", "0.0.0.0") == "sixteen-letters!"
    made = {token_for("", host) for host in ("0.0.0.0", "192.168.1.2", "analyst.example", "::")}
    assert len(made) == 4 and all(len(token) >= 32 for token in made)


@pytest.mark.parametrize("token", ["a b", "é", "a\nb"])
def test_a_token_that_no_header_can_carry_is_refused(token: str) -> None:
    with pytest.raises(ConfigError, match="ASCII"):
        token_for(token, "127.0.0.1")


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_a_token_that_could_be_guessed_is_refused(host: str) -> None:
    with pytest.raises(ConfigError, match="at least 16 characters"):
        token_for(" fifteen-letters ", host)


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
    monkeypatch.setattr(
        "verifaible.commands.serving.find_spec", lambda name: None if name == "mcp_types" else name
    )
    done = CliRunner().invoke(verifaible, ["mcp"])
    assert isinstance(done.exception, ConfigError)
    assert "environment of its own" in str(done.exception)
