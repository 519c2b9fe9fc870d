"""WebSockets among the endpoints of a page: those asked for at load and those asked for by a step."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator
from hashlib import sha1

import pytest_asyncio

from tests.browser.conftest import Site
from verifaible.browser.analysis.analyze import analyze
from verifaible.browser.steps.playing import play
from verifaible.browser.warm import Browser
from verifaible.net.web import Web
from verifaible.schema.action import Click

#: RFC 6455, 1.3.
_MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


@pytest_asyncio.fixture(loop_scope="session")
async def sockets() -> AsyncIterator[tuple[str, list[str]]]:
    """A server of WebSockets that says hello, as host and port; and the paths that it was asked for."""
    asked: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")
        asked.append(lines[0].split()[1].decode())
        fields = {name.lower(): value for name, _, value in (line.partition(b": ") for line in lines[1:])}
        accept = b64encode(sha1(fields[b"sec-websocket-key"] + _MAGIC, usedforsecurity=False).digest())
        head = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        writer.write(head + b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n\x81\x05hello")
        await reader.read()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}", asked
    server.close()


async def test_sockets_are_endpoints(
    site: Site, live_web: Web, browser: Browser, sockets: tuple[str, list[str]]
) -> None:
    host, asked = sockets
    url = site.html(
        "/page",
        f"""<p id="p">none</p><button id="b">More</button><script>
        const open = (path) => {{
          const socket = new WebSocket(`ws://{host}${{path}}`);
          socket.onmessage = (event) => {{ p.textContent = `${{path}} ${{event.data}}` }};
        }};
        open("/feed/prices"); b.onclick = () => open("/feed/trades?day=1");
        </script>""",
    )
    async with browser.page(live_web) as session:
        await session.open(url)
        await session.page.wait_for_function("p.textContent === '/feed/prices hello'")
        start = asyncio.get_running_loop().time()
        await play(session, [Click(type="click", selector="#b")])
        await session.page.wait_for_function("p.textContent === '/feed/trades?day=1 hello'")
        analysis = await analyze(session, [start])
    found = {one.pattern.partition("?")[0]: one for one in analysis.requests}
    assert asked == ["/feed/prices", "/feed/trades?day=1"]
    assert [found[f"ws://{host}{path}"].kind for path in ("/feed/prices", "/feed/trades")] == [
        "WebSocket"
    ] * 2
    assert found[f"ws://{host}/feed/prices"].when == "at load"
    assert found[f"ws://{host}/feed/trades"].when == "step 1"
