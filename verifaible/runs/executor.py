"""Where work is done: in this process, or on the workers of a cluster. Nothing above knows which.

What works is an object, opened once in each process: a browser with its tools, say. Whoever has work takes a
place, calls methods of the object there, and leaves the place.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any, Final, Protocol, Self, TypeAlias, TypeVar

from verifaible.errors import InfrastructureError

#: How often work is begun whose worker is lost each time.
ATTEMPTS: Final = 3

#: Opens the object that works. For a cluster it is pickled, and called in each worker.
Opening: TypeAlias = Callable[[], AbstractAsyncContextManager[object]]
T = TypeVar("T")


class Place(Protocol):
    """A place at the object that works; all calls of one place are to the same object.

    Attributes:
        worker: its name; empty: this process.
    """

    worker: str

    async def call(self, method: str, *arguments: Any) -> Any:
        """Await a method of the object.

        Raises:
            InfrastructureError: the worker is lost; what it did for this place must be done again at another.
            VerifaibleError: what the method raises.
        """


class Executor(Protocol):
    """Gives out places; used within ``async with``.

    Attributes:
        at_once: places that there are.
        workers: that are wanted.
        answering: workers that answer.
        dashboard: address of the cluster's own pages; empty: it has none.
    """

    at_once: int
    dashboard: str

    @property
    def workers(self) -> int:
        """Workers that are wanted."""

    @property
    def answering(self) -> int:
        """Workers that answer."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(self, *_: object) -> None: ...

    def place(self) -> AbstractAsyncContextManager[Place]:
        """A place, as soon as there is one.

        Raises:
            InfrastructureError: no worker answers.
        """


async def call(executor: Executor, method: str, *arguments: Any) -> Any:
    """Await a method at a place; where the worker is lost, or its browser, all of it again at another.

    Raises:
        InfrastructureError: each of so many workers was lost, or none answers.
        VerifaibleError: what the method raises.
    """
    for left in reversed(range(ATTEMPTS)):
        async with executor.place() as place:
            try:
                return await place.call(method, *arguments)
            except InfrastructureError:
                if not left:
                    raise
    raise AssertionError("the last attempt returns or raises")


async def to_its_end(what: Callable[[], T]) -> T:
    """Do something in a thread; who is cancelled meanwhile goes on when it is done, though it had to wait."""
    doing = asyncio.get_running_loop().run_in_executor(None, what)
    try:
        return await asyncio.shield(doing)
    except asyncio.CancelledError:
        await asyncio.wait({doing})
        raise


class _Here:
    worker = ""

    def __init__(self, worker: object) -> None:
        self._worker = worker

    async def call(self, method: str, *arguments: Any) -> Any:
        return await getattr(self._worker, method)(*arguments)


class Local:
    """Work in this process, ``at_once`` places side by side."""

    workers = answering = 1
    dashboard = ""

    def __init__(self, opening: Opening, at_once: int) -> None:
        self._opening = opening
        self.at_once = at_once
        self._places = asyncio.Semaphore(at_once)
        self._opened = AsyncExitStack()

    async def __aenter__(self) -> Self:
        self._worker = await self._opened.enter_async_context(self._opening())
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._opened.__aexit__(*error)

    @asynccontextmanager
    async def place(self) -> AsyncIterator[Place]:
        """A place, as soon as there is one."""
        async with self._places:
            yield _Here(self._worker)
