"""When a page is at rest, and in which order it gets its answers from an archive.

An archive answers at once. A page that waits a moment before it asks or draws would be read too early,
and of two answers the wrong one might come last.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from verifaible.archive.lookup import Turn
from verifaible.browser import driver

#: Asks the page: see :meth:`Pace.wait_turn`.
Look: TypeAlias = Callable[..., Awaitable[None]]

#: Between two requests of which one follows from the other nothing is on its way for so long.
REST_S = 0.04
#: A script that has its answer for so long, and has not read it, does not.
UNREAD_S = 2.0


@dataclass(slots=True)
class Pace:
    """What a context has under way.

    Attributes:
        clear: set while no request is on its way.
        idle: set while that has been so for REST_S.
        numbers: the requests of the context, numbered in order.
    """

    clear: asyncio.Event = field(default_factory=asyncio.Event)
    idle: asyncio.Event = field(default_factory=asyncio.Event)
    numbers: dict[driver.Request, int] = field(default_factory=dict)
    _pending: set[driver.Request] = field(default_factory=set)
    _held: set[driver.Request] = field(default_factory=set)
    _resting: asyncio.TimerHandle | None = None
    _turns: dict[driver.Request, Turn] = field(default_factory=dict)
    _open: set[int] = field(default_factory=set)
    _due: list[tuple[datetime, asyncio.Future[None]]] = field(default_factory=list)
    _waiting: dict[driver.Request, datetime] = field(default_factory=dict)
    _unknown: int = 0
    _known: asyncio.Event = field(default_factory=asyncio.Event)
    _given: set[int] = field(default_factory=set)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    # --- rest ----------------------------------------------------------------------------

    def watch_requests(self, context: driver.BrowserContext) -> None:
        """Keep ``clear`` and ``idle`` true to what is on its way."""

        def started(request: driver.Request) -> None:
            self.numbers[request] = len(self.numbers)
            self._pending.add(request)
            self._rest()

        def ended(request: driver.Request) -> None:
            self._gave(request)
            if request in self._held:
                self._held.discard(request)
            else:
                self._pending.discard(request)
                self._rest()

        context.on("request", started)
        context.on("requestfinished", ended)
        context.on("requestfailed", ended)

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

    def looking_up(self) -> None:
        """Note that the answer to a request is being looked up."""
        self._unknown += 1
        self._known.clear()

    def looked_up(self) -> None:
        """Note that it was found, or is not there."""
        self._unknown -= 1
        if not self._unknown:
            self._known.set()

    def stir(self) -> None:
        """Note that something went over a connection that stays open: the page may answer to it."""
        self.clear.clear()
        self.idle.clear()
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

    # --- order ---------------------------------------------------------------------------

    async def wait_turn(self, request: driver.Request, turn: Turn, recorded_at: datetime, look: Look) -> None:
        """Wait until an answer may be given: what is asked for at once comes in the order of then.

        An answer waits for those from its place that came before it then; no longer, once every request of
        the page waits and the page itself has come to rest: then it does not ask for them.

        Args:
            request: the request.
            turn: its place in the order of then.
            recorded_at: when its answer came then.
            look: resolves when the page has announced what it asks for at once, or is at rest.
        """
        self._turns[request] = turn
        self._open |= turn.answered
        if request.is_navigation_request():
            return  # a document is shown by itself, and until then its page can not be asked
        await self._at_once(recorded_at, look)
        self._waiting[request] = recorded_at
        behind = turn.behind - turn.answered
        try:
            while not (turn.after <= self._given and behind.isdisjoint(self._open)):
                if min(self._waiting.values()) < recorded_at:
                    await self._news.wait()
                elif await self._stuck(look):
                    return
        finally:
            del self._waiting[request]
            self._tell()

    async def _at_once(self, recorded_at: datetime, look: Look) -> None:
        """Wait until all is known that is asked for at once, and for what was answered before it."""
        due: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._due.append((recorded_at, due))
        if len(self._due) == 1:
            await look(rest=False)
            await self._known.wait()
            self._release()
        await due

    async def _stuck(self, look: Look) -> bool:
        """Whether nothing comes any more before one of those that wait is answered; or there is news."""
        news, asked = self._news, len(self.numbers)
        tasks = [asyncio.ensure_future(each) for each in (look(rest=True), news.wait())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
        return not news.is_set() and asked == len(self.numbers) and len(self._pending) <= len(self._waiting)

    def _tell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    def _gave(self, request: driver.Request) -> None:
        """Note that a request has been answered, and wake what waited for that."""
        turn = self._turns.pop(request, None)
        if turn is not None:
            self._given |= turn.answered
            self._open -= turn.answered
            self._tell()

    def _release(self) -> None:
        for _, due in sorted(self._due, key=lambda each: each[0]):
            if not due.done():
                due.set_result(None)
        self._due.clear()
