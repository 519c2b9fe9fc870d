"""Watching what a page asks for while it is analyzed: how, and when."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from verifaible.browser import driver
from verifaible.browser.page.session import PageSession

#: Messages of an event stream that are kept as samples, and characters of each.
_MOST_MESSAGES = 3
_MOST_MESSAGE = 400


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as the browser saw it.

    ``resource`` is the browser's name of its kind (``xhr``, ``fetch``, ``eventsource``, ``ping``,
    ``script``, ``document``, ``websocket`` and more); ``at`` the monotonic time in seconds; ``status`` is 0
    until an answer has come; ``messages`` are the first ones of an event stream.
    """

    url: str
    method: str
    resource: str
    at: float
    body: bytes = field(default=b"", repr=False)
    content_type: str = ""
    answer_type: str = ""
    status: int = 0
    messages: tuple[str, ...] = ()


class RequestWatch:
    """Everything that the pages of a session ask for, from before the first is opened."""

    def __init__(self, session: PageSession) -> None:
        self._session = session
        self._requests: list[tuple[float, driver.Request]] = []
        self._sockets: list[Asked] = []
        self._addresses: dict[str, str] = {}
        self._messages: defaultdict[str, list[str]] = defaultdict(list)
        self._cdp: driver.CDPSession | None = None

    async def start(self) -> None:
        """Begin to watch; to be called before the page is opened."""
        context = self._session.context
        context.on("request", lambda request: self._requests.append((monotonic(), request)))
        self._session.page.on("websocket", self._socket)
        self._cdp = await context.new_cdp_session(self._session.page)
        self._cdp.on("Network.requestWillBeSent", self._sent)
        self._cdp.on("Network.eventSourceMessageReceived", self._message)
        await self._cdp.send("Network.enable")

    async def stop(self) -> tuple[Asked, ...]:
        """End watching; everything that was asked for, in order."""
        if self._cdp is not None:
            with suppress(driver.Error):
                await self._cdp.detach()
            self._cdp = None
        asked = [self._asked(at, request) for at, request in self._requests]
        return tuple(sorted([*asked, *self._sockets], key=lambda one: one.at))

    def _socket(self, socket: driver.WebSocket) -> None:
        self._sockets.append(Asked(socket.url, "GET", "websocket", monotonic()))

    def _sent(self, event: dict[str, Any]) -> None:
        self._addresses[event["requestId"]] = event["request"]["url"]

    def _message(self, event: dict[str, Any]) -> None:
        kept = self._messages[self._addresses.get(event["requestId"], "")]
        if len(kept) < _MOST_MESSAGES:
            kept.append(str(event.get("data", ""))[:_MOST_MESSAGE])

    def _asked(self, at: float, request: driver.Request) -> Asked:
        answer = request.existing_response
        return Asked(
            url=request.url,
            method=request.method,
            resource=request.resource_type,
            at=at,
            body=request.post_data_buffer or b"",
            content_type=request.headers.get("content-type", ""),
            answer_type=answer.headers.get("content-type", "") if answer else "",
            status=answer.status if answer else 0,
            messages=tuple(self._messages.get(request.url, ())),
        )
