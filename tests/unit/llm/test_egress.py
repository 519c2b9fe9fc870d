"""What a model's endpoint gets, and nobody else: redirects, addresses, proxies."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from tests.unit.llm.chat_server import completion
from verifaible.config import Settings
from verifaible.errors import ConfigError, ModelError, ModelRejected
from verifaible.llm.catalogue import Api, ModelEntry
from verifaible.llm.chat import ChatClient
from verifaible.llm.client import RetryPolicy
from verifaible.llm.endpoint import Endpoint, endpoint
from verifaible.llm.responses import ResponsesClient
from verifaible.net.guard import UrlGuard
from verifaible.schema.chat import Message

MODEL = ModelEntry(name="m", slug="lab/m")
SECRET, KEY = "the whole prompt", "sk-kestrel"
APIS: Mapping[Api, type[ChatClient] | type[ResponsesClient]] = {
    "chat": ChatClient,
    "responses": ResponsesClient,
}


@dataclass
class Server:
    """A server that gives one answer to all, and keeps what it got."""

    port: int = 0
    got: list[bytes] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@asynccontextmanager
async def serving(head: str, body: bytes = b"") -> AsyncIterator[Server]:
    server = Server()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = await reader.readuntil(b"\r\n\r\n")
        length = next(
            (int(line[15:]) for line in asked.lower().split(b"\r\n") if line.startswith(b"content-length:")),
            0,
        )
        server.got.append(asked + await reader.readexactly(length))
        writer.write(
            f"HTTP/1.1 {head}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body
        )
        writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    server.port = listening.sockets[0].getsockname()[1]
    yield server
    listening.close()


async def ask(api: Api, place: Endpoint) -> str:
    client = APIS[api](MODEL, place, retry=RetryPolicy(total_s=0))
    try:
        return (await client.complete([Message(role="user", text=SECRET)], ())).text
    finally:
        await client.aclose()


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    "to",
    [
        "http://127.0.0.1:{p}/v1",
        "//127.0.0.1:{p}/",
        "http://localhost:{p}/",
        "http://[::ffff:127.0.0.1]:{p}/",
    ],
)
async def test_no_redirect_takes_the_prompt_or_the_key_elsewhere(api: Api, status: int, to: str) -> None:
    async with (
        serving("200 OK", b"{}") as other,
        serving(f"{status} Elsewhere\r\nLocation: {to.format(p=other.port)}") as first,
    ):
        with pytest.raises(ModelRejected, match="redirects to another origin") as refused:
            await ask(api, Endpoint(f"{first.url}/v1", KEY))
    assert other.got == []
    assert len(first.got) == 1 and SECRET.encode() in first.got[0]
    assert KEY not in str(refused.value) and "VERIFAIBLE_BASE_URL" in str(refused.value)


async def test_a_redirect_to_https_of_the_same_host_is_another_origin() -> None:
    async with serving("308 Moved\r\nLocation: https://127.0.0.1/v1") as first:
        with pytest.raises(ModelRejected, match="another origin"):
            await ask("chat", Endpoint(f"{first.url}/v1", KEY))


@pytest.mark.parametrize(
    "host",
    ["168.63.129.16", "169.254.169.254", "[fd00:ec2::254]", "100.100.100.200", "10.0.0.1", "vllm", "0x7f.1"],
)
def test_a_local_endpoint_is_asked_where_a_setting_says_so(host: str) -> None:
    url = f"http://{host}:8000/v1"
    settings = {"base_url": url, "api_key": KEY, "local_endpoints": ()}
    with pytest.raises(ConfigError, match="VERIFAIBLE_LOCAL_ENDPOINTS"):
        endpoint(Settings.model_validate(settings), MODEL, {})
    named = Settings.model_validate({**settings, "local_endpoints": host})
    assert endpoint(named, MODEL, {}).base_url == url


@pytest.mark.parametrize(
    "url", ["http://localhost:11434/v1", "http://127.0.0.1:8000/v1", "http://[::1]:1234/v1"]
)
def test_model_servers_of_this_machine_need_no_setting(url: str) -> None:
    assert endpoint(Settings.model_validate({"base_url": url}), MODEL, {}).base_url == url


async def test_a_name_that_leads_to_this_machine_is_refused_when_it_is_connected_to() -> None:
    async def here(name: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    async with serving("200 OK", b"{}") as server:
        place = Endpoint(f"http://rebind.example:{server.port}/v1", KEY, url_guard=UrlGuard(resolver=here))
        with pytest.raises(ModelRejected, match="not public"):
            await ask("chat", place)
    assert server.got == []


@pytest.mark.parametrize("local", [True, False])
async def test_a_server_of_this_machine_is_asked_without_the_proxy(
    local: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = json.dumps(completion("It is 5.").body).encode()
    async with (
        serving("200 OK\r\nContent-Type: application/json", body) as model,
        serving("403 Forbidden") as proxy,
    ):
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.setenv("https_proxy", proxy.url)
        url = f"{model.url}/v1" if local else "http://model.example/v1"
        place = endpoint(Settings.model_validate({"base_url": url, "api_key": KEY}), MODEL)
        if local:
            assert await ask("chat", place) == "It is 5."
        else:
            with pytest.raises(ModelError):
                await ask("chat", place)
    assert (len(model.got), len(proxy.got)) == ((1, 0) if local else (0, 1))
    assert not any(SECRET.encode() in each or KEY.encode() in each for each in proxy.got)
