"""What a context asks for and gets, or does not get, as it happens; who wants to know of it asks here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from urllib.parse import urldefrag

from verifaible.browser import driver

_URL_CHARACTERS = 300
_OWN_KINDS = frozenset({"script", "xhr", "fetch"})
#: The page itself gave the request up, or it turned out to be a download.
_GIVEN_UP = "ERR_ABORTED"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that a page got: to which request, and with which HTTP status (0: it failed)."""

    method: str
    url: str
    status: int
    kind: str
    navigation: bool = False
    reason: str = ""

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


class Happenings:
    """The requests of a context and the answers that it gets, in the order in which they come.

    Attributes:
        answers: all of them, requests that failed too.
        broken: set when the document of a page did not come whole.
    """

    def __init__(self, context: driver.BrowserContext) -> None:
        self.answers: list[Answer] = []
        self.broken = asyncio.Event()
        self._requests: list[tuple[float, driver.Request]] = []
        self._sockets: list[Asked] = []
        context.on("request", lambda request: self._requests.append((monotonic(), request)))
        context.on("response", self._answered)
        context.on("requestfailed", self._failed)
        context.on("page", self._watch)
        for page in context.pages:
            self._watch(page)

    def _watch(self, page: driver.Page) -> None:
        page.on("websocket", self._socket)

    def _socket(self, socket: driver.WebSocket) -> None:
        self._sockets.append(Asked(socket.url, "GET", "websocket", monotonic()))

    def _answered(self, response: driver.Response) -> None:
        self._add(response.request, response.status)

    def _failed(self, request: driver.Request) -> None:
        reason = (request.failure or "failed").removeprefix("net::")
        self._add(request, 0, reason)
        if request.is_navigation_request() and reason != _GIVEN_UP and _is_of_the_page(request):
            self.broken.set()

    def _add(self, request: driver.Request, status: int, reason: str = "") -> None:
        url, kind = urldefrag(request.url).url, request.resource_type
        self.answers.append(
            Answer(request.method, url, status, kind, request.is_navigation_request(), reason)
        )

    def asked(self, messages: Callable[[str], Sequence[str]]) -> tuple[Asked, ...]:
        """All that was asked for, in order; ``messages`` gives those of an event stream by its address."""
        asked = [_asked(at, request, messages) for at, request in self._requests]
        return tuple(sorted([*asked, *self._sockets], key=lambda one: one.at))

    @property
    def failed(self) -> list[str]:
        """Addresses of scripts and data that did not come, or came as an HTTP error."""
        return [each.url for each in self.answers if each.kind in _OWN_KINDS and _is_failure(each)]

    @property
    def half_loaded(self) -> list[str]:
        """Addresses of documents that did not come whole."""
        failed = [each for each in self.answers if each.navigation and not each.status]
        return [each.url for each in failed if _is_failure(each)]

    def holding(self, part: str, since: int) -> Answer | None:
        """The first answer from the position on whose URL holds a part; None where none has come yet."""
        return next((each for each in self.answers[since:] if part in each.url and each.status), None)

    def broken_off(self, since: int) -> bool:
        """Whether a navigation was given up: a download begins so, too."""
        return any(each.navigation and each.reason == _GIVEN_UP for each in self.answers[since:])


def _is_failure(answer: Answer) -> bool:
    return answer.status >= 400 or (not answer.status and answer.reason != _GIVEN_UP)


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
