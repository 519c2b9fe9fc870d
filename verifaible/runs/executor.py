"""Where work is done: in this process, or on the workers of a Ray cluster. Nothing above knows which.

What works is an object, opened once in each process: a browser with its tools, say. Whoever has work calls a
method of it by name: it is done wherever there is room.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Any, Final, Protocol, Self, TypeAlias, TypeVar

from verifaible.errors import InfrastructureError

#: How often work is begun whose worker is lost each time.
ATTEMPTS: Final = 3

#: Opens the object that works. For a cluster it is pickled, and called in each worker.
Opening: TypeAlias = Callable[[], AbstractAsyncContextManager[object]]
T = TypeVar("T")


class Executor(Protocol):
    """Does work; used within ``async with``.

    Attributes:
        at_once: so much is under way at once; the rest waits.
    """

    at_once: int

    async def __aenter__(self) -> Self: ...

    async def __aexit__(self, *_: object) -> None: ...

    async def call(self, method: str, *arguments: Any) -> Any:
        """Await a method of the object, as soon as there is room.

        Raises:
            InfrastructureError: the worker is lost, or its browser: it can be done again.
            VerifaibleError: what the method raises.
        """


#: Makes an executor whose workers each open the object that works.
Workers: TypeAlias = Callable[[Opening], Executor]


async def call(executor: Executor, method: str, *arguments: Any) -> Any:
    """Await a method; where the worker is lost, or its browser, all of it again.

    Raises:
        InfrastructureError: each of so many workers was lost, or none answers.
        VerifaibleError: what the method raises.
    """
    for left in reversed(range(ATTEMPTS)):
        try:
            return await executor.call(method, *arguments)
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


class Local:
    """Work in this process, ``at_once`` calls side by side."""

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

    async def call(self, method: str, *arguments: Any) -> Any:
        """Await a method of the object, as soon as there is room; errors are its own."""
        async with self._places:
            return await getattr(self._worker, method)(*arguments)
