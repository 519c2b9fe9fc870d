"""When a page is at rest: an archive answers at once, and a page that waits for a moment is not done yet."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from verifaible.browser import driver

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

    def watch_requests(self, context: driver.BrowserContext) -> None:
        """Keep ``clear`` and ``idle`` true to what is on its way."""

        def started(request: driver.Request) -> None:
            self.numbers[request] = len(self.numbers)
            self._pending.add(request)
            self._rest()

        def ended(request: driver.Request) -> None:
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
