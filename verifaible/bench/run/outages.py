"""Waiting while the store is away, so that a bucket or a database that is started anew does not end a run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import TypeVar

from verifaible.errors import StoreUnreachable
from verifaible.llm.retry import RetryPolicy

ValueT = TypeVar("ValueT")


class Outages:
    """Does again what a store that is away made fail.

    Args:
        policy: how often, and for how long.

    Attributes:
        answered: whether the store has taken and given evidence before. One that never has may be set up
            wrongly: whoever started the run hears of it at once.
    """

    def __init__(self, policy: RetryPolicy) -> None:
        self._policy = policy
        self.answered = False

    async def outlasted(self, do: Callable[[], Awaitable[ValueT]]) -> ValueT:
        """The value of ``do``, which may be done several times.

        Raises:
            StoreUnreachable: the store is away for too long.
        """
        failures, began = 0, monotonic()
        while True:
            try:
                return await do()
            except StoreUnreachable:
                if not self.answered:
                    raise
                failures += 1
                began = began if failures > 1 else monotonic()
                wait = self._policy.wait_s(failures, None, elapsed_s=monotonic() - began)
                if wait is None:
                    raise
            await asyncio.sleep(wait)
