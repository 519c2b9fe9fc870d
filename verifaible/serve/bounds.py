"""What one client may use of a server: a body's bytes and seconds, wrong tokens, and sessions."""

from __future__ import annotations

import asyncio
from collections import Counter
from time import monotonic
from typing import TYPE_CHECKING

from starlette.responses import PlainTextResponse, Response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: How long a whole body may take. Forms and MCP calls are some kilobytes.
BODY_S = 30.0
#: Most bytes of a body.
MAX_BODY_BYTES = 8 << 20
#: Wrong tokens of one address that are answered at once; then one in so many seconds.
FREE_GUESSES, GUESS_S = 10, 1.0
#: Wrong tokens of one address that wait for their answer; while there are as many, it is not served.
_MOST_WAITING = 16
_MOST_ADDRESSES = 4096
_TIMED_OUT, _TOO_LARGE = 408, 413


class WholeBody:
    """ASGI middleware: an application gets a request with its whole body; a body that stalls is dropped.

    Args:
        app: what is served.
        limit_s: seconds for a whole body.
    """

    def __init__(self, app: ASGIApp, limit_s: float = BODY_S) -> None:
        self._app = app
        self._limit_s = limit_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            async with asyncio.timeout(self._limit_s):
                message = await _whole(receive)
        except TimeoutError:
            await _closing(_TIMED_OUT, "The request took too long. Send it again.")(scope, receive, send)
            return
        if message is None:
            said = f"The request has more than {MAX_BODY_BYTES} bytes. Send less."
            await _closing(_TOO_LARGE, said)(scope, receive, send)
            return
        waiting = [message]

        async def replayed() -> Message:
            return waiting.pop() if waiting else await receive()

        await self._app(scope, replayed, send)


async def _whole(receive: Receive) -> Message | None:
    """A request's body in one message, or the client's leaving; None where it is too large."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return message
        body += message.get("body", b"")
        if len(body) > MAX_BODY_BYTES:
            return None
        if not message.get("more_body"):
            return {"type": "http.request", "body": bytes(body), "more_body": False}


def _closing(status: int, sentence: str) -> Response:
    return PlainTextResponse(sentence, status, {"Connection": "close"})


class WrongTokens:
    """Slows whoever tries tokens: after some, the answers to wrong ones of an address come one by one."""

    def __init__(self) -> None:
        self._due: dict[str, float] = {}
        self._waiting: Counter[str] = Counter()

    def crowded(self, client: str) -> bool:
        """Whether an address is served nothing, because so many of its wrong tokens wait for an answer."""
        return self._waiting[client] >= _MOST_WAITING

    async def slow(self, client: str) -> None:
        """Wait before a wrong token of an address is answered."""
        now = monotonic()
        if len(self._due) >= _MOST_ADDRESSES:
            self._due = {each: due for each, due in self._due.items() if due > now}
        due = max(self._due.get(client, 0.0), now - FREE_GUESSES * GUESS_S) + GUESS_S
        self._due[client] = due
        self._waiting[client] += 1
        try:
            await asyncio.sleep(max(0.0, due - now))
        finally:
            self._waiting[client] -= 1
            self._waiting += Counter()  # forgets those that have none


class ClientSessions:
    """The sessions that each address has open, as far as the server's answers tell.

    Args:
        most: sessions of one address at once.
        idle_s: after so many seconds without a request the server has ended a session.
    """

    def __init__(self, most: int, idle_s: float) -> None:
        self._most = most
        self._idle_s = idle_s
        self._seen: dict[str, dict[str, float]] = {}

    def full(self, client: str) -> bool:
        """Whether an address may open no further session now."""
        now = monotonic()
        live = {each: at for each, at in self._seen.get(client, {}).items() if now - at < self._idle_s}
        if live:
            self._seen[client] = live
        else:
            self._seen.pop(client, None)
        return len(live) >= self._most

    def saw(self, client: str, session: str) -> None:
        """Note that a session was answered."""
        self._seen.setdefault(client, {})[session] = monotonic()

    def ended(self, client: str, session: str) -> None:
        """Note that a session is no more."""
        self._seen.get(client, {}).pop(session, None)


def client_of(scope: Scope) -> str:
    """The address that a request comes from."""
    client = scope.get("client")
    return str(client[0]) if client else ""
