"""The requests of a context and what came of them; and whether the context waits for anything.

An archive answers at once, and a page that waits for a moment is not done yet: between two requests of which
one follows from the other nothing is on its way for a moment.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Final
from urllib.parse import urldefrag

from verifaible.browser import driver

#: Between two requests of which one follows from the other nothing is on its way for so long.
REST_S: Final = 0.04
#: A script that has its answer for so long, and has not read it, does not.
UNREAD_S: Final = 2.0
_URL_CHARACTERS: Final = 300
_OWN_KINDS: Final = frozenset({"script", "xhr", "fetch"})
#: The page itself gave the request up, or it turned out to be a download.
_GIVEN_UP: Final = "ERR_ABORTED"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that a page got: to which request, and with which HTTP status (0: it failed)."""

    method: str
    url: str
    status: int
    kind: str
    navigation: bool = False
    reason: str = ""

    @property
    def failed(self) -> bool:
        """Whether it is an error that the page itself is not the cause of."""
        return self.status >= 400 or (not self.status and self.reason != _GIVEN_UP)

    def described(self) -> str:
        """The exchange on one line."""
        url = self.url if len(self.url) <= _URL_CHARACTERS else f"{self.url[: _URL_CHARACTERS - 1]}…"
        return f"{self.method} {url} -> {self.status or self.reason or 'failed'}"


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


class Requests:
    """What a context asks for and gets, in the order in which it comes.

    Attributes:
        answers: all answers, requests that failed too.
        broken: set when the document of a page did not come whole.
        clear: set while no request is on its way.
        idle: set while that has been so for REST_S.
        numbers: the requests, numbered in order.
    """

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.broken = asyncio.Event()
        self.clear, self.idle = asyncio.Event(), asyncio.Event()
        self.numbers: dict[driver.Request, int] = {}
        self._times: list[float] = []
        self._sockets: list[Asked] = []
        self._pending: set[driver.Request] = set()
        self._held: set[driver.Request] = set()
        self._resting: asyncio.TimerHandle | None = None

    def watch(self, context: driver.BrowserContext) -> None:
        """Follow a context that has no page yet."""
        context.on("request", self._started)
        context.on("response", self._answered)
        context.on("requestfinished", self._ended)
        context.on("requestfailed", self._failed)
        context.on("page", lambda page: page.on("websocket", self._socket))

    def _socket(self, socket: driver.WebSocket) -> None:
        self._sockets.append(Asked(socket.url, "GET", "websocket", monotonic()))

    def _started(self, request: driver.Request) -> None:
        self.numbers[request] = len(self.numbers)
        self._times.append(monotonic())
        self._pending.add(request)
        self._rest()

    def _answered(self, response: driver.Response) -> None:
        self._add(response.request, response.status)

    def _failed(self, request: driver.Request) -> None:
        reason = (request.failure or "failed").removeprefix("net::")
        self._add(request, 0, reason)
        if request.is_navigation_request() and reason != _GIVEN_UP and _is_of_the_page(request):
            self.broken.set()
        self._ended(request)

    def _add(self, request: driver.Request, status: int, reason: str = "") -> None:
        url, navigation = urldefrag(request.url).url, request.is_navigation_request()
        self.answers.append(Answer(request.method, url, status, request.resource_type, navigation, reason))

    def _ended(self, request: driver.Request) -> None:
        if request in self._held:
            self._held.discard(request)
        else:
            self._pending.discard(request)
            self._rest()

    def _rest(self) -> None:
        if self._resting is not None:
            self._resting.cancel()
            self._resting = None
        if not self._pending:
            self.clear.set()
            self._resting = asyncio.get_running_loop().call_later(REST_S, self.idle.set)
        else:
            self.clear.clear()
            self.idle.clear()

    def sent_at(self, request: driver.Request) -> float:
        """When a request was sent, as a monotonic time in seconds."""
        number = self.numbers.get(request)
        return 0.0 if number is None else self._times[number]

    def hold(self, request: driver.Request) -> None:
        """No longer count a request that stays open as being on its way; one that has ended is not held."""
        if request in self._pending:
            self._pending.discard(request)
            self._held.add(request)
            self._rest()

    def given(self, request: driver.Request) -> None:
        """Note that a script's request has its whole answer.

        Where the script never reads the body of one that is ``no-store``, Chromium does not say that the
        request has ended.
        """
        asyncio.get_running_loop().call_later(UNREAD_S, self.hold, request)

    @property
    def holds(self) -> bool:
        """Whether a request stays open: one that never ends, or that asks for more than was recorded."""
        return bool(self._held)

    def asked(self, messages: Callable[[str], Sequence[str]]) -> tuple[Asked, ...]:
        """All that was asked for, in order; ``messages`` gives those of an event stream by its address."""
        asked = [_asked(at, one, messages) for one, at in zip(self.numbers, self._times, strict=True)]
        return tuple(sorted([*asked, *self._sockets], key=lambda one: one.at))

    @property
    def failed(self) -> list[str]:
        """Addresses of scripts and data that did not come, or came as an HTTP error."""
        return [each.url for each in self.answers if each.kind in _OWN_KINDS and each.failed]

    @property
    def half_loaded(self) -> list[str]:
        """Addresses of documents that did not come whole."""
        return [each.url for each in self.answers if each.navigation and not each.status and each.failed]

    def holding(self, part: str, since: int) -> Answer | None:
        """The first answer from the position on whose URL holds a part; None where none has come yet."""
        return next((each for each in self.answers[since:] if part in each.url and each.status), None)

    def broken_off(self, since: int) -> bool:
        """Whether a navigation was given up: a download begins so, too."""
        return any(each.navigation and each.reason == _GIVEN_UP for each in self.answers[since:])


def _is_of_the_page(request: driver.Request) -> bool:
    """Whether a document was to be shown in a tab, and in one that there is: pop-ups have no frame yet."""
    try:
        return request.frame.parent_frame is None
    except driver.Error:
        return False


def _asked(at: float, request: driver.Request, messages: Callable[[str], Sequence[str]]) -> Asked:
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
        messages=tuple(messages(request.url)) if request.resource_type == "eventsource" else (),
    )
