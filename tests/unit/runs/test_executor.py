"""Work in this process: one object, so many places, errors as they are; and what is lost is done again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.unit.runs.losing import Losing
from verifaible.errors import BadArguments, InfrastructureError
from verifaible.runs.executor import ATTEMPTS, Local, call


class Counter:
    def __init__(self) -> None:
        self.now = self.most = self.calls = 0
        self.closed = False

    async def work(self, seconds: float) -> int:
        self.calls += 1
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(seconds)
        self.now -= 1
        return self.calls

    async def refuse(self) -> None:
        raise BadArguments("no")


async def test_places_bound_what_is_done_at_once_at_one_object() -> None:
    counter = Counter()

    @asynccontextmanager
    async def opening() -> AsyncIterator[Counter]:
        yield counter
        counter.closed = True

    async with Local(opening, at_once=3) as executor:

        async def one() -> None:
            await executor.call("work", 0.01)

        await asyncio.gather(*(one() for _ in range(10)))
        assert (counter.calls, counter.most, executor.at_once) == (10, 3, 3)
        with pytest.raises(BadArguments, match="no"):
            await executor.call("refuse")
        assert not counter.closed
    assert counter.closed


async def test_what_is_lost_is_done_again_so_many_times_and_an_error_of_the_work_is_not() -> None:
    @asynccontextmanager
    async def opening() -> AsyncIterator[Counter]:
        yield Counter()

    async with Losing(opening, 1, frozenset({1, 2})) as executor:
        assert await call(executor, "work", 0) == 2  # the second was lost when it was done
        assert len(executor.calls) == 3
    async with Losing(opening, 1, frozenset(range(1, 9))) as executor:
        with pytest.raises(InfrastructureError, match="lost"):
            await call(executor, "work", 0)
        assert len(executor.calls) == ATTEMPTS
    async with Losing(opening, 1, frozenset()) as executor:
        with pytest.raises(BadArguments, match="no"):
            await call(executor, "refuse")
        assert executor.calls == ["refuse"]
