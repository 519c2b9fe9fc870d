"""The MCP server over memory, stdio and HTTP, with the SDK's own client: tools, sessions, ends."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from time import sleep
from typing import Any

import httpx2
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, ResourceLink, TextContent, TextResourceContents

from tests.browser.conftest import REPOSITORY, Site
from tests.kit.marks import nightly
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.evidence.cite import Collector
from verifaible.mcp import server as mcp_tools
from verifaible.mcp.backend import Backend
from verifaible.mcp.server import mcp_server
from verifaible.net.web import Web
from verifaible.search.archive import ArchiveSearch
from verifaible.store.store import Store
from verifaible.tools.context import ToolContext

POPULATION = "https://www.stats.gov.cn/xxgk/jd/sjjd2020/202601/t20260119_1962338.html"
QUOTE = "全国人口总量为140489万人"
BONDS = "https://www.sse.com.cn/market/bonddata/overview/day/"
STEPS = [
    {
        "type": "exec_js",
        "code": "document.querySelector('.js_date input').value = '2025-02-11'; overviewDay.setOverviewDayParams()",
    },
    {"type": "wait", "selector": ".js_overviewDay[data-date='2025-02-11']"},
]
CITE: dict[str, Any] = {"claim": "人口", "source_url": POPULATION, "quoted_text": QUOTE}
#: A call of each tool, and what its result says.
SIX: dict[str, tuple[dict[str, Any], str]] = {
    "verifaible_web_search": ({"query": "Ken Robinson schools creativity"}, "iG9CE55wbtY"),
    "web_fetch": ({"url": POPULATION, "find": "全国人口总量"}, "140489万人"),
    "analyze_page": ({"url": BONDS}, "https://query.sse.com.cn/commonQuery.do"),
    "test_action_steps": (
        {
            "url": BONDS,
            "action_steps": STEPS,
            "verify_type": "table",
            "row_anchor": ["地方政府债"],
            "col_anchor": ["成交笔数"],
            "element_selector": ".js_overviewDay table",
        },
        ": '61'",
    ),
    "verifaible_cite": (CITE, "Write [@v:1] behind the claim."),
    "video_transcript": ({"url": "https://youtu.be/iG9CE55wbtY", "find": "They will in a minute"}, "[4:07]"),
}
PROGRAM = (sys.executable, "-m", "verifaible.cli", "mcp")


def environment(home: Path, **more: str) -> dict[str, str]:
    """That of a person who keeps the store elsewhere."""
    browser = ("VERIFAIBLE_BROWSER", "VERIFAIBLE_HEADLESS")
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in browser or not name.startswith("VERIFAIBLE_")
    }
    return {
        **kept,
        "VERIFAIBLE_HOME": str(REPOSITORY),
        "VERIFAIBLE_STORE": str(home / "store"),
        "VERIFAIBLE_PICTURE_HEIGHT": "0",  # nobody looks at them here
        **more,
    }


@contextmanager
def http_server(
    home: Path, *options: str, **more: str
) -> Iterator[tuple[str, subprocess.Popen[str], list[str]]]:
    """A server on a free port: its address, its process, and what it has said on standard error."""
    command = [*PROGRAM, "--http", "--port", "0", *options]
    with subprocess.Popen(
        command,
        env=environment(home, **more),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stderr is not None
            said: list[str] = []
            for line in process.stderr:
                said.append(line)
                if found := re.search(r"http://\S+/mcp", line):
                    break
            else:
                raise AssertionError("".join(said))
            yield found[0], process, said
        finally:
            process.terminate()
            process.communicate(timeout=120)


#: Of the server that asks for one.
TOKEN = "se-cret-" * 4


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of the live web, of which loopback is used, that asks for the token."""
    home = tmp_path_factory.mktemp("guarded")
    with http_server(home, "--token", TOKEN, VERIFAIBLE_ALLOW_HOSTS="127.0.0.1") as (url, _, _):
        yield url


@asynccontextmanager
async def with_token(url: str, token: str = TOKEN, mode: str = "auto") -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of the archives that many tests use."""
    with http_server(tmp_path_factory.mktemp("mcp"), "--web", "offline") as (url, _, _):
        yield url


def stdio(home: Path, *options: str, **more: str) -> StdioServerParameters:
    command, *arguments = PROGRAM
    return StdioServerParameters(
        command=command, args=[*arguments, *options], env=environment(home, **more), cwd=str(REPOSITORY)
    )


@asynccontextmanager
async def in_memory(settings: Settings, mode: str, *, offline: bool = True) -> AsyncIterator[Client]:
    async with (
        Backend.open(settings, offline=offline) as backend,
        Client(mcp_server(backend), mode=mode) as client,
    ):
        yield client


@pytest.fixture
def backend(
    offline_settings: Settings, offline_web: Web, offline_browser: Browser, tmp_path: Path
) -> Backend:
    """A backend with the browser of all tests, and a store of its own."""
    store = Store(tmp_path / "store")
    assert offline_web.archive is not None
    search = ArchiveSearch(offline_web.archive)
    settings = offline_settings.model_copy(update={"picture_height": 0})
    collector = Collector(settings, offline_web, offline_browser, store)
    return Backend(ToolContext(settings, offline_web, offline_browser, collector, search), store)


def connect(kind: str, home: Path, address: str, backend: Backend) -> AbstractAsyncContextManager[Client]:
    if kind == "memory":
        return Client(mcp_server(backend), mode="legacy")
    return Client(stdio(home, "--web", "offline") if kind == "stdio" else address)


def text_of(result: CallToolResult) -> str:
    assert isinstance(result.content[0], TextContent)
    return result.content[0].text


def processes_below(pid: int) -> set[int]:
    """The processes that a process has started, and those that they have."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z":
            parents[int(stat.parent.name)] = int(fields[1])
    found: set[int] = set()
    while more := {child for child, parent in parents.items() if parent in {pid, *found}} - found:
        found |= more
    return found


async def until_gone(processes: set[int]) -> None:
    """Wait for processes to end: those of a browser take a moment."""

    def wait() -> None:
        while any(Path(f"/proc/{pid}").exists() for pid in processes):
            sleep(0.05)

    async with asyncio.timeout(120):
        await asyncio.to_thread(wait)


# --- every tool, over every transport ----------------------------------------------------------


@pytest.mark.parametrize("kind", [nightly("memory"), nightly("stdio"), "http"])
async def test_all_six_tools(kind: str, tmp_path: Path, address: str, backend: Backend) -> None:
    async with connect(kind, tmp_path, address, backend) as client:
        assert client.instructions is not None and "verifaible_cite" in client.instructions
        assert {tool.name for tool in (await client.list_tools()).tools} == {*SIX, "check_answer"}
        for name, (arguments, said) in SIX.items():
            result = await client.call_tool(name, arguments)
            assert not result.is_error and said in text_of(result), f"{name}: {text_of(result)}"
            if name != "verifaible_cite":
                assert result.structured_content is None
                continue
            cited = result.structured_content
            (link,) = [content for content in result.content if isinstance(content, ResourceLink)]
        identity = cited["id"]
        sentence = cited.pop("sentence")
        assert QUOTE in sentence and len(sentence) > len(QUOTE)
        shown = cited.pop("shown")
        assert sentence.replace(QUOTE, f"⟦{QUOTE}⟧") in shown
        assert cited == {
            "number": 1,
            "id": identity,
            "verdict": "verified",
            "text": QUOTE,
            "url": POPULATION,
        }
        listed = await client.list_resources(cache_mode="bypass")
        assert link.uri == f"verifaible://citations/{identity}" == listed.resources[0].uri
        (contents,) = (await client.read_resource(f"{link.uri}/evidence")).contents
        assert isinstance(contents, TextResourceContents) and QUOTE in contents.text
        assert [prompt.name for prompt in (await client.list_prompts()).prompts] == ["collect_evidence"]


@pytest.mark.nightly
async def test_what_the_page_does_not_say_is_refused(backend: Backend) -> None:
    async with Client(mcp_server(backend)) as client:
        result = await client.call_tool("verifaible_cite", {**CITE, "quoted_text": QUOTE.replace("89", "98")})
        assert result.is_error and len(result.content) == 1 and result.structured_content is None
        assert "全国人口总量为[-140498-]{+140489+}万人" in text_of(result)
        failed = await client.call_tool(
            "test_action_steps", {"url": BONDS, "action_steps": [{"type": "click", "selector": "#none"}]}
        )
        assert failed.is_error and "Step 1 (click) failed" in text_of(failed)


@pytest.mark.nightly
async def test_the_browser_starts_at_the_first_call_that_needs_it(tmp_path: Path) -> None:
    settings = Settings(home=REPOSITORY, store=str(tmp_path / "store"))
    async with Backend.open(settings, offline=True) as backend, Client(mcp_server(backend)) as client:
        await client.list_tools()
        await client.list_resources()
        await client.call_tool("verifaible_web_search", {"query": "人口"})
        assert backend.context.browser.version == ""
        await client.call_tool("analyze_page", {"url": POPULATION})
        assert backend.context.browser.version


# --- sessions ----------------------------------------------------------------------------------


async def numbers(client: Client, times: int) -> list[int]:
    found = []
    for _ in range(times):
        result = await client.call_tool("verifaible_cite", CITE)
        assert f"[@v:{result.structured_content['number']}]" in text_of(result)
        found.append(result.structured_content["number"])
    return found


@pytest.mark.nightly
async def test_sessions_count_by_themselves_over_http(address: str) -> None:
    async with Client(address) as one, Client(address, mode="legacy") as other:
        both = await asyncio.gather(numbers(one, 1), numbers(other, 1))
        assert tuple(both) == ([1], [1])
        assert await numbers(other, 1) == [2]


@pytest.mark.nightly
async def test_clients_without_a_session_never_get_a_number_twice(address: str) -> None:
    """A client may insist on the newest protocol, which has no sessions over HTTP."""
    async with Client(address, mode="2026-07-28") as one, Client(address, mode="2026-07-28") as other:
        both = await asyncio.gather(numbers(one, 1), numbers(other, 1))
        assert len({number for each in both for number in each}) == 2


@pytest.mark.nightly
async def test_sessions_in_one_process_share_a_browser_but_no_numbers(backend: Backend) -> None:
    server = mcp_server(backend)
    async with Client(server) as one, Client(server, mode="legacy") as other:
        both = await asyncio.gather(numbers(one, 1), numbers(other, 2))
        assert tuple(both) == ([1], [1, 2])
        assert len((await one.list_resources(cache_mode="bypass")).resources) == 3


# --- progress and cancellation -----------------------------------------------------------------


@pytest.mark.nightly
async def test_progress_is_told_to_who_asks(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_tools, "PROGRESS_EVERY_S", 0.01)
    told: list[tuple[float, str]] = []

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        assert total is None
        told.append((progress, message or ""))

    async with Client(mcp_server(backend), mode="legacy") as client:
        await client.call_tool("analyze_page", {"url": POPULATION}, progress_callback=progress)
        count = len(told)
        await client.call_tool("analyze_page", {"url": POPULATION})
    amounts = [done for done, _ in told]
    assert len(told) == count > 2 and amounts == sorted(set(amounts)) and amounts[0] == 0
    assert all(message.startswith("analyze_page: ") for _, message in told)


class Patient:
    """A server on loopback that answers nothing, and knows who has come and who has left."""

    def __init__(self) -> None:
        self.come, self.left = asyncio.Event(), asyncio.Event()
        self.url = ""

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        self.come.set()
        await reader.read()
        self.left.set()
        writer.close()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Patient]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        yield self
        server.close()


@asynccontextmanager
async def live(kind: str, home: Path, guarded: str) -> AsyncIterator[Client]:
    """A client of the live web, of which loopback is used."""
    settings = Settings(home=home, allow_hosts=("127.0.0.1",))
    way, _, mode = kind.partition("-")
    if way == "memory":
        async with in_memory(settings, mode, offline=False) as client:
            yield client
    elif way == "stdio":
        async with Client(stdio(home, VERIFAIBLE_ALLOW_HOSTS="127.0.0.1"), mode=mode) as client:
            yield client
    else:
        async with with_token(guarded, mode=mode) as client:
            yield client


@pytest.mark.parametrize(
    "kind", [nightly("memory-auto"), nightly("memory-legacy"), nightly("stdio-auto"), "http-auto"]
)
async def test_a_cancelled_call_ends_its_work_and_nothing_else(
    kind: str, tmp_path: Path, site: Site, guarded: str
) -> None:
    page = site.html("/page", "<p>The rate was 5.33%.</p>")
    async with Patient().open() as patient, live(kind, tmp_path, guarded) as client, asyncio.timeout(180):
        nowhere = {"claim": "x", "source_url": patient.url, "quoted_text": "x"}
        call = asyncio.create_task(client.call_tool("verifaible_cite", nowhere))
        await patient.come.wait()
        other = asyncio.create_task(client.call_tool("analyze_page", {"url": page}))
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await patient.left.wait()
        assert not (await other).is_error
        made = await client.call_tool(
            "verifaible_cite", {"claim": "x", "source_url": page, "quoted_text": "The rate was 5.33%."}
        )
        assert not made.is_error, text_of(made)
        assert made.structured_content["number"] == 1


@pytest.mark.nightly
async def test_a_call_cancelled_while_the_browser_starts_leaves_nothing_behind(tmp_path: Path) -> None:
    settings = Settings(home=REPOSITORY, store=str(tmp_path / "store"))
    before = processes_below(os.getpid())

    def until_started() -> set[int]:
        while not (started := processes_below(os.getpid()) - before):
            sleep(0.01)
        return started

    async with (
        asyncio.timeout(180),
        Backend.open(settings, offline=True) as backend,
        Client(mcp_server(backend), mode="legacy") as client,
    ):
        call = asyncio.create_task(client.call_tool("analyze_page", {"url": POPULATION}))
        started = await asyncio.to_thread(until_started)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert not (await client.call_tool("analyze_page", {"url": POPULATION})).is_error
        started |= processes_below(os.getpid()) - before
    await until_gone(started)


# --- who may use it over HTTP ------------------------------------------------------------------


async def test_the_token_is_asked_for(guarded: str) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong"}):
        async with httpx2.AsyncClient(headers=headers) as http:
            assert (await http.post(guarded, json={})).status_code == 401
            with pytest.raises((MCPError, ExceptionGroup, httpx2.HTTPError)):
                async with Client(streamable_http_client(guarded, http_client=http)) as client:
                    await client.list_tools()
    async with with_token(guarded) as client:
        assert len((await client.list_tools()).tools) == 7


@pytest.mark.nightly
async def test_a_token_is_made_where_others_could_come(tmp_path: Path) -> None:
    with http_server(tmp_path, "--web", "offline", "--host", "0.0.0.0") as (url, _, said):
        (token,) = re.findall(r"Token .*: (\S+)", "".join(said))
        here = url.replace("0.0.0.0", "127.0.0.1")
        async with httpx2.AsyncClient() as http:
            assert (await http.post(here, json={})).status_code == 401
        async with with_token(here, token) as client:
            assert len((await client.list_tools()).tools) == 7


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "http://localhost:6274"}, 200),
        ({}, 200),
    ],
)
async def test_pages_of_the_web_are_refused(address: str, headers: dict[str, str], status: int) -> None:
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "x", "version": "1"},
        },
    }
    accept = {"Accept": "application/json, text/event-stream"}
    async with httpx2.AsyncClient() as http:
        answer = await http.post(address, json=body, headers={**accept, **headers})
        assert answer.status_code == status
        assert "access-control-allow-origin" not in answer.headers
        if session := answer.headers.get("mcp-session-id"):
            ended = await http.delete(address, headers={"mcp-session-id": session})
            assert ended.status_code == 200
            gone = await http.post(address, json=body, headers={**accept, "mcp-session-id": session})
            assert gone.status_code == 404


@pytest.mark.nightly
async def test_a_broken_body_is_refused_and_the_server_goes_on(address: str) -> None:
    accept = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    async with httpx2.AsyncClient() as http:
        for body in ('{"jsonrpc": ', "[]", "null", '{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}'):
            assert 400 <= (await http.post(address, content=body, headers=accept)).status_code < 500
    async with Client(address) as client:
        assert len((await client.list_tools()).tools) == 7
