"""An executor whose workers are lost now and then, before or after the work is done."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from verifaible.errors import InfrastructureError
from verifaible.runs.executor import Local, Opening, Place


class Losing(Local):
    """Of the calls that are counted, those that ``lost`` names come to nothing: the even ones once done.

    Attributes:
        calls: the methods that were called, in order.
    """

    def __init__(self, opening: Opening, at_once: int, lost: frozenset[int] = frozenset()) -> None:
        super().__init__(opening, at_once)
        self.lost = lost
        self.calls: list[str] = []

    @asynccontextmanager
    async def place(self) -> AsyncIterator[Place]:
        async with super().place() as place:
            yield _Losing(self, place)


class _Losing(Place):
    def __init__(self, executor: Losing, place: Place) -> None:
        self._executor = executor
        self._place = place
        self.worker = place.worker

    async def call(self, method: str, *arguments: Any) -> Any:
        self._executor.calls.append(method)
        number = len(self._executor.calls)
        lost = number in self._executor.lost
        if lost and number % 2:
            raise InfrastructureError("A worker of the cluster was lost.")
        done = await self._place.call(method, *arguments)
        if lost:
            raise InfrastructureError("A worker of the cluster was lost.")
        return done
