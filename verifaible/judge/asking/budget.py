"""How much a judge may cost, and what it has cost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pydantic import Field

from verifaible.schema.base import Record
from verifaible.schema.chat import Usage


class Spending(Record):
    """What judging has taken so far.

    Attributes:
        calls: replies that were asked for now, failed ones too.
        cached_calls: replies that came from the cache.
        usage: tokens and cost of the calls made now.
        cached_usage: what the replies of the cache had taken when they were made.
        votes: votes so far, and of them ``failed``.
    """

    calls: int = 0
    cached_calls: int = 0
    usage: Usage = Field(default_factory=Usage)
    cached_usage: Usage = Field(default_factory=Usage)
    votes: int = 0
    failed: int = 0


class Budget:
    """Lets calls through while there is money.

    A call counts, while it is under way, for the dearest one so far; before the first is back they go one by
    one. So the limit is overshot by one call at most, unless a call costs more than any before it.

    Args:
        most_usd: what all calls of this run may cost together; None: no limit.
    """

    def __init__(self, most_usd: float | None) -> None:
        self._most = most_usd
        self._spent = self._dearest = 0.0
        self._under_way = 0
        self._unpriced = False
        self._changed = asyncio.Condition()

    @property
    def empty(self) -> str:
        """Why no further call may be made; empty while one may."""
        if self._most is None:
            return ""
        if self._unpriced:
            return (
                "not judged: nobody says what the judge's calls cost, so the limit of cost cannot be held. "
                "Give it prices in models.json, or set no limit."
            )
        if self._spent >= self._most:
            return (
                f"not judged: the limit of {self._most:g} US dollars is reached. Run again with a higher one."
            )
        return ""

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[str]:
        """A place for one call; gives why there is none, or an empty text."""
        async with self._changed:
            await self._changed.wait_for(self._may_go)
            why = self.empty
            self._under_way += not why
        try:
            yield why
        finally:
            if not why:
                async with self._changed:
                    self._under_way -= 1
                    self._changed.notify_all()

    def pay(self, usage: Usage) -> None:
        """Note what a call cost."""
        if usage.cost_usd is None:
            self._unpriced = self._unpriced or usage != Usage()
            return
        self._spent += usage.cost_usd
        self._dearest = max(self._dearest, usage.cost_usd)

    def _may_go(self) -> bool:
        if self._most is None or not self._under_way or self.empty:
            return True
        return self._dearest > 0 and self._spent + self._dearest * (self._under_way + 1) <= self._most
