"""The MCP server as the Inspector's command line sees it, a client that others have written in another language."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.npm import npm_install
from tests.browser.test_mcp_transports import PROGRAM, SIX, environment, http_server
from tests.kit.marks import nightly

#: An exact version, so that a failure is ours and not a new release's.
PACKAGE = "@modelcontextprotocol/inspector"
VERSION = "2.12.0"


@pytest.fixture(scope="session")
def inspector(request: pytest.FixtureRequest) -> Path:
    """The program, installed once into pytest's cache; skips, with the reason, where that cannot be done."""
    cache = request.config.cache
    assert cache is not None
    folder = Path(cache.mkdir("mcp-inspector"))
    return npm_install(folder, {PACKAGE: VERSION}, "the MCP Inspector") / ".bin" / "mcp-inspector"


class Inspector:
    """Its command line, against one server.

    Args:
        program: what to run.
        server: the options that name the server.
        home: where it may keep its own files.
    """

    def __init__(self, program: Path, server: list[str], home: Path) -> None:
        self._program, self._server, self._home = program, server, home
        self._places = asyncio.Semaphore(2)  # over stdio each has a server of its own

    async def __call__(self, method: str, *options: str) -> dict[str, Any]:
        async with self._places:
            return await self._run(method, *options)

    async def _run(self, method: str, *options: str) -> dict[str, Any]:
        process = await asyncio.create_subprocess_exec(
            str(self._program),
            "--cli",
            *self._server,
            *("--connect-timeout", "300000"),  # its own 30 s are too few for a server on a busy machine
            "--method",
            method,
            *options,
            env={
                **environment(self._home),
                "HOME": str(self._home),
                "MCP_INSPECTOR_SECRET_STORE": "memory",
            },
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await process.communicate()
        assert process.returncode == 0, (out + err).decode()
        answer: dict[str, Any] = json.loads(out)
        return answer

    async def call(self, name: str) -> dict[str, Any]:
        """Call one of the six tools as the other tests do."""
        arguments, _ = SIX[name]
        pairs = [
            f"{key}={value if isinstance(value, str) else json.dumps(value)}"
            for key, value in arguments.items()
        ]
        return await self("tools/call", "--tool-name", name, "--tool-arg", *pairs)


@pytest.fixture(scope="module")
def ask(
    request: pytest.FixtureRequest, inspector: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Inspector]:
    home = tmp_path_factory.mktemp("inspector")
    if request.param == "stdio":
        config = home / "servers.json"
        command, *arguments = PROGRAM
        server = {
            "type": "stdio",
            "command": command,
            "args": [*arguments, "--web", "offline"],
            "env": {
                name: value for name, value in environment(home).items() if name.startswith("VERIFAIBLE_")
            },
        }
        config.write_text(json.dumps({"mcpServers": {"verifaible": server}}), encoding="utf-8")
        yield Inspector(inspector, ["--config", str(config), "--server", "verifaible"], home)
        return
    with http_server(home, "--web", "offline") as (url, _, _):
        yield Inspector(inspector, [url, "--transport", "http"], home)


@pytest.mark.nightly
@pytest.mark.parametrize("ask", ["stdio", "http"], indirect=True)
async def test_it_lists_everything(ask: Inspector) -> None:
    tools, prompts = await asyncio.gather(ask("tools/list", "--strict"), ask("prompts/list"))
    assert [tool["name"] for tool in tools["tools"]] == [*SIX, "check_answer"]
    assert [prompt["name"] for prompt in prompts["prompts"]] == ["collect_evidence"]


#: Plain arguments and a structured result, arguments as JSON. The SDK's client calls all six in test_mcp_transports, in
#: one process; here each call is one of its own, and over stdio has a server of its own.
TWO = ("verifaible_cite", "test_action_steps")


@pytest.mark.nightly
@pytest.mark.parametrize(("ask", "names"), [("http", TWO), nightly("stdio", tuple(SIX))], indirect=["ask"])
async def test_it_calls_tools_and_lists_the_citation(ask: Inspector, names: tuple[str, ...]) -> None:
    results = dict(zip(names, await asyncio.gather(*map(ask.call, names)), strict=True))
    for name, result in results.items():
        assert not result.get("isError") and SIX[name][1] in result["content"][0]["text"], result
    cited = results["verifaible_cite"]
    assert cited["structuredContent"]["verdict"] == "verified"
    (link,) = [content for content in cited["content"] if content["type"] == "resource_link"]
    listed = await ask("resources/list")
    assert [resource["uri"] for resource in listed["resources"]] == [link["uri"]]
