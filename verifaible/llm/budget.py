"""How much the model calls of a run may cost together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal, TypeAlias

from verifaible.schema.chat import Usage

#: Why no further call may be made: the limit is reached, or nobody says what a call costs; empty: one may.
Empty: TypeAlias = Literal["", "spent", "unpriced"]


class Budget:
    """Lets calls through while there is money.

    A call counts, while it is under way, twice what the dearest one has cost so far; before the first is back
    they go one by one. So calls may run side by side while there is plenty, one at a time when the limit is
    near, and the limit is overshot by one call at most as long as no call costs more than that.

    Args:
        most_usd: what all calls may cost together; None: no limit.
        spent_usd: what earlier ones have cost.
        dearest_usd: the dearest of those.

    Attributes:
        spent_usd: what all of them have cost so far.
    """

    def __init__(self, most_usd: float | None, *, spent_usd: float = 0.0, dearest_usd: float = 0.0) -> None:
        self._most = most_usd
        self.spent_usd = spent_usd
        self._dearest = dearest_usd
        self._under_way = 0
        self._unpriced = False
        self._changed = asyncio.Condition()

    @property
    def empty(self) -> Empty:
        """Why no further call may be made; empty while one may."""
        if self._most is None:
            return ""
        if self._unpriced:
            return "unpriced"
        return "spent" if self.spent_usd >= self._most else ""

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[Empty]:
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
        self.spent_usd += usage.cost_usd
        self._dearest = max(self._dearest, usage.cost_usd)

    def _may_go(self) -> bool:
        if self._most is None or not self._under_way or self.empty:
            return True
        return self._dearest > 0 and self.spent_usd + 2 * self._dearest * (self._under_way + 1) <= self._most
