"""A server on loopback whose page talks over a WebSocket and listens to server-sent events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import WSMsgType, web


@dataclass
class StreamServer:
    """What is served: ``pages`` by path, as HTML; ``/socket`` answers each message with ``answers``.

    ``events`` are sent to who asks ``/events``, and one more for each POST to ``/tell``. ``paths`` are those that
    were asked for. A page that ends in ``.js`` or ``.json`` is served as such; ``delays_s`` are by path.
    """

    url: str = ""
    pages: dict[str, str] = field(default_factory=dict)
    answers: dict[str, list[str]] = field(default_factory=dict)
    events: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    delays_s: dict[str, float] = field(default_factory=dict)
    _told: list[asyncio.Queue[str]] = field(default_factory=list)

    async def page(self, request: web.Request) -> web.Response:
        self.paths.append(request.path)
        await asyncio.sleep(self.delays_s.get(request.path, 0))
        kind = {".js": "text/javascript", ".json": "application/json"}.get(
            Path(request.path).suffix, "text/html"
        )
        return web.Response(text=self.pages[request.path], content_type=kind, charset="utf-8")

    async def socket(self, request: web.Request) -> web.WebSocketResponse:
        self.paths.append(request.path)
        talk = web.WebSocketResponse()
        await talk.prepare(request)
        for text in self.answers.get("", []):
            await talk.send_str(text)
        async for message in talk:
            if message.type is WSMsgType.TEXT:
                for text in self.answers.get(message.data, [f"you said {message.data}"]):
                    await talk.send_str(text)
            elif message.type is WSMsgType.BINARY:
                await talk.send_bytes(message.data[::-1])
        return talk

    async def stream(self, request: web.Request) -> web.StreamResponse:
        self.paths.append(request.path)
        answer = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await answer.prepare(request)
        told: asyncio.Queue[str] = asyncio.Queue()
        self._told.append(told)
        with suppress(ConnectionError):
            for text in self.events:
                await answer.write(text.encode())
            while True:
                await answer.write((await told.get()).encode())
        return answer

    async def tell(self, request: web.Request) -> web.Response:
        body = await request.text()
        for told in self._told:
            told.put_nowait(f"event: answer\ndata: answer to {body}\nid: 7\n\n")
        return web.Response(text="heard")


@asynccontextmanager
async def stream_server() -> AsyncIterator[StreamServer]:
    """Serve until the end of the block."""
    served = StreamServer()
    app = web.Application()
    app.add_routes(
        [
            web.get("/socket", served.socket),
            web.get("/events", served.stream),
            web.post("/tell", served.tell),
            web.get("/{page:.*}", served.page),
        ]
    )
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        served.url = f"http://{host}:{port}"
        yield served
    finally:
        await runner.cleanup()
