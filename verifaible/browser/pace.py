"""When a page is at rest, and in which order it gets its answers from an archive.

An archive answers at once. A page that waits a moment before it asks or draws would be read too early,
and of two answers the wrong one might come last.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from verifaible.archive.lookup import Turn

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Frame, Page, Request

#: A page whose short timers never stop (a ticker) is read as it is after this long.
TIMER_PATIENCE_S = 2.5
#: Requests that come within this time count as made at once.
TURN_S = 0.004
#: Between two requests of which one follows from the other nothing is on its way for so long.
REST_S = 0.04
#: How long an answer waits for those that overtook it when they were recorded.
OVERTAKEN_S = 0.6


@dataclass(slots=True)
class Pace:
    """What a context has under way.

    Attributes:
        clear: set while no request is on its way and no short timer waits.
        idle: set while that has been so for REST_S.
        numbers: the requests of the context, numbered in order.
    """

    clear: asyncio.Event = field(default_factory=asyncio.Event)
    idle: asyncio.Event = field(default_factory=asyncio.Event)
    numbers: dict[Request, int] = field(default_factory=dict)
    _pending: int = 0
    _held: set[Request] = field(default_factory=set)
    _ticking: set[Frame] = field(default_factory=set)
    _patience: asyncio.TimerHandle | None = None
    _impatient: bool = False
    _resting: asyncio.TimerHandle | None = None
    _turns: dict[Request, Turn] = field(default_factory=dict)
    _open: set[int] = field(default_factory=set)
    _due: list[tuple[datetime, asyncio.Future[None]]] = field(default_factory=list)
    _given: set[int] = field(default_factory=set)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    # --- rest ----------------------------------------------------------------------------

    def watch_requests(self, context: BrowserContext) -> None:
        """Keep ``clear`` and ``idle`` true to what is on its way."""

        def started(request: Request) -> None:
            self.numbers[request] = len(self.numbers)
            self._pending += 1
            self._rest()

        def ended(request: Request) -> None:
            self._gave(request)
            if request in self._held:
                self._held.discard(request)
            else:
                self._ended()

        context.on("request", started)
        context.on("requestfinished", ended)
        context.on("requestfailed", ended)

    def watch_frames(self, context: BrowserContext) -> None:
        """Forget the timers of documents that are gone."""

        def gone(frame: Frame) -> None:
            self.ticks(frame, waiting=False)

        def opened(page: Page) -> None:
            page.on("framenavigated", gone)
            page.on("framedetached", gone)

        context.on("page", opened)
        for page in context.pages:
            opened(page)

    def hold(self, request: Request) -> None:
        """No longer count a request that will stay open as being on its way."""
        self._held.add(request)
        self._ended()

    def stir(self) -> None:
        """Note that something went over a connection that stays open: the page may answer to it."""
        self.clear.clear()
        self.idle.clear()
        self._rest()

    def ticks(self, frame: Frame, *, waiting: bool) -> None:
        """Note whether short timers wait in a frame."""
        before = bool(self._ticking)
        (self._ticking.add if waiting else self._ticking.discard)(frame)
        if before == bool(self._ticking):
            return
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None
        self._impatient = False
        if self._ticking:
            self._patience = asyncio.get_running_loop().call_later(TIMER_PATIENCE_S, self._lose_patience)
        self._rest()

    def _lose_patience(self) -> None:
        self._impatient = True
        self._rest()

    def _ended(self) -> None:
        self._pending -= 1
        self._rest()

    def _rest(self) -> None:
        if self._resting is not None:
            self._resting.cancel()
            self._resting = None
        if self._pending <= 0 and (not self._ticking or self._impatient):
            self.clear.set()
            self._resting = asyncio.get_running_loop().call_later(REST_S, self.idle.set)
        else:
            self.clear.clear()
            self.idle.clear()

    # --- order ---------------------------------------------------------------------------

    async def wait_turn(self, request: Request, turn: Turn, recorded_at: datetime) -> None:
        """Wait until an answer may be given: what is asked for at once comes in the order of then.

        For OVERTAKEN_S at most, an answer waits for those from its place that came before it then.
        """
        loop = asyncio.get_running_loop()
        self._turns[request] = turn
        self._open |= turn.answered
        if not self._due:
            loop.call_later(TURN_S, self._release)
        due: asyncio.Future[None] = loop.create_future()
        self._due.append((recorded_at, due))
        await due
        deadline = loop.time() + OVERTAKEN_S
        while not (turn.after <= self._given and turn.behind.isdisjoint(self._open)):
            news = self._news
            try:
                await asyncio.wait_for(news.wait(), max(0.0, deadline - loop.time()))
            except TimeoutError:
                return

    def _gave(self, request: Request) -> None:
        """Note that a request has been answered, and wake what waited for that."""
        turn = self._turns.pop(request, None)
        if turn is not None:
            self._given |= turn.answered
            self._open -= turn.answered
            self._news.set()
            self._news = asyncio.Event()

    def _release(self) -> None:
        for _, due in sorted(self._due, key=lambda each: each[0]):
            if not due.done():
                due.set_result(None)
        self._due.clear()
