"""Connections of live pages that stay open, kept message by message."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from time import monotonic
from typing import Any, Final

from verifaible.archive.streams import EVENTSOURCE, WEBSOCKET, By, Frame, Stream
from verifaible.browser import driver
from verifaible.schema.web import WebExchange

#: Of one connection so much is kept; a page of words needs a thousandth of it.
MAX_STREAM_BYTES: Final = 64 << 20
#: Messages of a stream that are shown as samples, and characters of each.
_MOST_MESSAGES, _MESSAGE_CHARACTERS = 3, 400


@dataclass(slots=True)
class _Open:
    """A live connection; ``began`` is in monotonic seconds."""

    stream: Stream
    began: float = field(default_factory=monotonic)
    frames: list[Frame] = field(default_factory=list)
    size_bytes: int = 0

    def add(self, by: By, data: str | bytes, event: str = "", last_id: str = "") -> None:
        self.size_bytes += len(data)
        if self.size_bytes <= MAX_STREAM_BYTES:
            self.frames.append(Frame(monotonic() - self.began, by, data, event, last_id))

    def end(self, *, accepted: bool = True) -> None:
        self.stream = replace(self.stream, ended=True, accepted=accepted)


class StreamRecorder:
    """What the live pages of a context get over connections that stay open."""

    def __init__(self) -> None:
        self._open: list[_Open] = []
        self._watched: set[driver.Page] = set()
        self._asked: list[str] = []
        self._kept: list[tuple[_Open, Stream, int]] = []

    def watch(self, context: driver.BrowserContext) -> None:
        """Follow the sockets of a context."""
        context.on("page", lambda page: page.on("websocket", self._socket))

    def _begin(self, method: str, url: str) -> _Open:
        one = _Open(Stream(method, url.partition("#")[0], datetime.now(UTC)))
        self._open.append(one)
        return one

    def _socket(self, socket: driver.WebSocket) -> None:
        one = self._begin(WEBSOCKET, socket.url)
        socket.on("framesent", lambda data: one.add("page", data))
        socket.on("framereceived", lambda data: one.add("server", data))
        # One that fails before it has said anything was never accepted, as far as the page can tell.
        socket.on("socketerror", lambda _: one.end(accepted=bool(one.frames)))
        socket.on("close", lambda _: one.end(accepted=one.stream.accepted))

    async def watch_events(self, request: driver.Request) -> None:
        """Follow the event streams of the page of a request that is held back until then."""
        self._asked.append(request.url)
        with suppress(driver.Error):  # a worker's, or the page is gone
            page = request.frame.page
            if page in self._watched:
                return
            self._watched.add(page)
            session = await page.context.new_cdp_session(page)
            streams: dict[str, _Open] = {}

            def answered(event: Mapping[str, Any]) -> None:
                response = event["response"]
                # Of what was asked for before it was followed, the browser does not say what it is.
                if response["url"] in self._asked or (event["type"] == "EventSource" and self._asked):
                    # The address that the page asked for, where that was redirected.
                    url = response["url"] if response["url"] in self._asked else self._asked[0]
                    self._asked.remove(url)
                    one = streams[event["requestId"]] = self._begin(EVENTSOURCE, url)
                    if response["status"] != 200 or response["mimeType"] != "text/event-stream":
                        one.end(accepted=False)

            def said(event: Mapping[str, Any]) -> None:
                if one := streams.get(event["requestId"]):
                    one.add("server", event["data"], event["eventName"], event["eventId"])

            def ended(event: Mapping[str, Any]) -> None:
                one = streams.pop(event["requestId"], None)
                if one is not None and not one.stream.ended:
                    one.end()

            session.on("Network.responseReceived", answered)
            session.on("Network.eventSourceMessageReceived", said)
            session.on("Network.loadingFinished", ended)
            session.on("Network.loadingFailed", ended)
            await session.send("Network.enable")

    def keep(self) -> None:
        """Keep what has come by now: the page is read at this moment."""
        self._kept = [(one, one.stream, len(one.frames)) for one in self._open]

    def messages(self, url: str) -> list[str]:
        """The first messages of the server over connections to an address; of long ones the beginning."""
        own = (one for one in self._open if one.stream.url == url.partition("#")[0])
        said = (str(each.data) for one in own for each in one.frames if each.by == "server")
        return [text[:_MESSAGE_CHARACTERS] for text, _ in zip(said, range(_MOST_MESSAGES), strict=False)]

    @property
    def unseen(self) -> list[str]:
        """The connections of which messages are not kept, each with the reason."""
        large = [one.stream for one in self._open if one.size_bytes > MAX_STREAM_BYTES]
        names = {WEBSOCKET: "WS", EVENTSOURCE: "SSE"}
        return [
            *(f"SSE {url} (an event stream of a worker, or redirected)" for url in self._asked),
            *(f"{names[each.method]} {each.url} (too large to be kept)" for each in large),
        ]

    @property
    def kept(self) -> list[WebExchange]:
        """Every connection, as it was at ``keep``."""
        return [
            replace(stream, frames=tuple(one.frames[:count])).exchange() for one, stream, count in self._kept
        ]
