"""Recorded connections played to a page from an archive.

Playing goes by what the page does, not by time: a message of the server comes once the page has sent all that
it had sent before it then. So the answer to a click never comes without that click.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import unquote

from verifaible.archive.lookup import MIN_GIVEN, Player
from verifaible.archive.streams import CHANCE, EVENTSOURCE, WEBSOCKET, Frame, Stream, renamed, stream_of
from verifaible.browser import driver
from verifaible.errors import OfflineMiss
from verifaible.schema.web import WebRequest, WebResponse

#: Offline, the events of an event stream come over a socket to this address, which no host has (RFC 2606).
CHANNEL = "wss://event-stream.invalid/?"
_SHOWN_CHARS = 120
_CONNECTING, _OPEN, _CLOSED = 0, 1, 2


class StreamPlayer:
    """Plays recorded connections to the pages of a context.

    Attributes:
        unrecorded: what pages sent over their sockets and had not sent when they were recorded, a sentence
            each.
        answers: the records that were played.

    Args:
        player: the look-up.
        missed: told of a connection that was never recorded, by its kind and address.
        stirred: called whenever something goes over a connection.
    """

    def __init__(
        self, player: Player, missed: Callable[[str, str], None], stirred: Callable[[], None]
    ) -> None:
        self.unrecorded: list[str] = []
        self.answers: list[WebResponse] = []
        self._player, self._missed, self._stirred = player, missed, stirred
        self._playing: list[_Playing] = []
        self._told = 0

    def told(self) -> None:
        """Note that a page has told a server something, and was answered."""
        self._told += 1
        for one in self._playing:
            one.go(self._told)

    async def connect(self, route: driver.WebSocketRoute) -> None:
        """Answer a connection of a page: with the next that was recorded of its address."""
        events = route.url.startswith(CHANNEL)
        url = unquote(route.url.removeprefix(CHANNEL)) if events else route.url
        asked = WebRequest(url.partition("#")[0], EVENTSOURCE if events else WEBSOCKET)
        try:
            answer = self._player.find(asked, again=False)
        except OfflineMiss:
            # One more than was recorded had not been answered yet: it stays silent, as it was.
            if not self._player.knows(asked):
                self._missed("SSE" if events else "WS", asked.url)
                if events:
                    route.send(json.dumps({"state": _CLOSED}))
                await route.close()
            return
        self.answers.append(answer.response)
        stream = stream_of(asked.method, asked.url, answer.response.body, answer.recorded_at)
        one = _Playing(stream, route, self._stirred, self.unrecorded)
        self._playing.append(one)
        route.on_message(lambda data: one.heard(data, self._told))
        route.on_close(lambda *_: self._left(one))
        one.begin(self._told)

    def _left(self, one: _Playing) -> None:
        if one in self._playing:
            self._playing.remove(one)


class _Playing:
    """One recorded connection, as far as it has been played."""

    def __init__(
        self, stream: Stream, route: driver.WebSocketRoute, stirred: Callable[[], None], unrecorded: list[str]
    ) -> None:
        self._stream, self._route, self._stirred, self._unrecorded = stream, route, stirred, unrecorded
        self._next = 0
        self._heard: set[int] = set()
        self._given: list[str] = []
        self._names: dict[str, str] = {}
        self._ending: asyncio.Task[None] | None = None

    def begin(self, told: int) -> None:
        events = self._stream.method == EVENTSOURCE
        if events:
            self._route.send(json.dumps({"state": _OPEN if self._stream.accepted else _CLOSED}))
        self.go(told)

    def heard(self, data: str | bytes, told: int) -> None:
        """Take what the page sent: it is looked for among what it sent then, by its content."""
        self._stirred()
        repeated = False
        for number, frame in enumerate(self._stream.frames):
            if frame.by != "page":
                continue
            names = renamed(data, frame, self._stream.opened_at, self._is_given)
            if names is None:
                continue
            if number in self._heard:
                repeated = True  # more of the same than was recorded stays without an answer
                continue
            self._heard.add(number)
            self._names |= {old: new for old, new in names.items() if len(old) >= MIN_GIVEN}
            self.go(told)
            return
        if not repeated:
            text = data if isinstance(data, str) else f"{len(data)} bytes, {data[:24].hex(' ')}"
            self._unrecorded.append(
                f"the page sent over its socket what was not recorded: {text[:_SHOWN_CHARS]}"
            )

    def go(self, told: int) -> None:
        """Give what is due."""
        frames = self._stream.frames
        while self._next < len(frames):
            frame = frames[self._next]
            due = self._next in self._heard if frame.by == "page" else frame.after <= told
            if not due:
                return
            self._next += 1
            if frame.by == "server":
                self._stirred()
                self._give(frame)
        if self._stream.ended and self._ending is None:
            self._ending = asyncio.ensure_future(self._end())

    def _give(self, frame: Frame) -> None:
        data = frame.data
        if isinstance(data, str):
            self._given.append(data)
            for old, new in self._names.items():
                data = data.replace(old, new)
        if self._stream.method == EVENTSOURCE:
            data = json.dumps({"event": frame.event or "message", "id": frame.id, "data": data})
        self._route.send(data)

    def _is_given(self, value: str) -> bool:
        return len(value) >= MIN_GIVEN and any(value in text for text in self._given)

    async def _end(self) -> None:
        if self._stream.method == EVENTSOURCE and self._stream.accepted:
            self._route.send(json.dumps({"state": _CONNECTING}))
        with suppress(Exception):  # the page has closed it already
            await self._route.close()


def seed_of(player: Player, url: str) -> str:
    """The seed of chance that was sealed with a page, in hexadecimal; empty where there is none."""
    try:
        body = player.find(WebRequest(url, CHANCE)).response.body
        seed = json.loads(body).get("seed", "")
    except (OfflineMiss, ValueError, AttributeError):
        return ""
    return seed if isinstance(seed, str) and seed.isalnum() else ""
