"""Work on a Ray cluster: an actor a worker process, in which the object that works is opened once.

Ray starts actors, places them on machines and starts them again when a process or a machine is lost. What was
under way there is lost: the place says so, and its work is done again at another.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final, Self

from verifaible.errors import ConfigError, InfrastructureError, VerifaibleError
from verifaible.runs.executor import Opening, Place

#: The resource by which a cluster's machines say how many browsers they have room for.
BROWSER: Final = "browser"
#: A worker opens in seconds, where a machine is started for it in minutes.
_READY_WAIT_S: Final = 600.0
_CLOSE_WAIT_S: Final = 20.0
_PAUSE_S: Final = 0.5


class _Worker:
    """The actor: opens the object with the first call, and calls its methods."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._opened = AsyncExitStack()
        self._object: asyncio.Future[object] | None = None

    async def ready(self) -> None:
        """Open the object, once."""
        if self._object is None:
            self._object = asyncio.ensure_future(self._opened.enter_async_context(self._opening()))
        await self._object

    async def call(self, method: str, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
        """Whether a method came to its end, and its value or its error, which not every pickle survives."""
        await self.ready()
        assert self._object is not None
        try:
            return True, await getattr(self._object.result(), method)(*arguments)
        except VerifaibleError as error:
            return False, (type(error), str(error))

    async def close(self) -> None:
        """Close the object."""
        await self._opened.aclose()


class _There:
    def __init__(self, actor: Any) -> None:
        self._actor = actor

    async def call(self, method: str, *arguments: Any) -> Any:
        from ray.exceptions import RayError

        try:
            done, value = await self._actor.call.remote(method, arguments)
        except RayError as lost:
            raise InfrastructureError(f"A worker of the cluster was lost: {_first_line(lost)}") from lost
        if done:
            return value
        kind, said = value
        try:
            error = kind(said)
        except TypeError:  # it takes more than a sentence
            error = InfrastructureError(said)
        raise error


class OnRay:
    """Work on the actors of a Ray cluster.

    Args:
        opening: what opens the object; it is pickled, and verifaible must be installed on every machine.
        address: of the cluster, as Ray takes it; empty: that of ``RAY_ADDRESS``, or a cluster of this
            machine alone that is started and ended here.
        workers: actors; 0: as many as the cluster has ``browser`` resources, or processors.
        places: at each actor.

    Raises:
        ConfigError: Ray is not installed, or the cluster does not answer.
    """

    def __init__(self, opening: Opening, *, address: str = "", workers: int = 0, places: int = 2) -> None:
        self._opening = opening
        self._address = address
        self._wanted = workers
        self._places = places
        self._actors: list[Any] = []
        self._taken: dict[int, int] = {}
        self._free = asyncio.Condition()
        self._ours = False
        self.at_once = 0

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(self._start)
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self._stop)

    def _start(self) -> None:
        try:
            import ray
        except ImportError as missing:
            raise ConfigError(
                'Ray is not installed. Install it with pip install "verifaible[ray]", or leave '
                "--executor out."
            ) from missing
        self._ours = not ray.is_initialized()
        if self._ours:
            try:
                ray.init(address=self._address or None, log_to_driver=False, include_dashboard=None)
            except (ConnectionError, ValueError, RuntimeError) as error:
                raise ConfigError(f"The Ray cluster does not answer: {_first_line(error)}") from error
        has = ray.cluster_resources()
        room = int(has.get(BROWSER, 0))
        number = self._wanted or room or max(1, int(has.get("CPU", 1)))
        needs = {"resources": {BROWSER: 1}, "num_cpus": 0} if room else {"num_cpus": 1}
        kind = ray.remote(max_restarts=-1, max_concurrency=4 * self._places + 4, **needs)(_Worker)
        self._actors = [kind.remote(self._opening) for _ in range(number)]
        self._taken = dict.fromkeys(range(number), 0)
        self.at_once = number * self._places

    def _stop(self) -> None:
        import ray

        closing = [actor.close.remote() for actor in self._actors]
        ray.wait(closing, num_returns=max(1, len(closing)), timeout=_CLOSE_WAIT_S)
        for actor in self._actors:
            ray.kill(actor)
        if self._ours:
            ray.shutdown()

    @asynccontextmanager
    async def place(self) -> AsyncIterator[Place]:
        """A place at the worker that has most room and answers.

        Raises:
            InfrastructureError: none answers.
        """
        number = await self._take()
        try:
            yield _There(self._actors[number])
        finally:
            async with self._free:
                self._taken[number] -= 1
                self._free.notify()

    async def _take(self) -> int:
        """Take a place at a worker that answers; one that was lost is waited for while no other is free."""
        until = time.monotonic() + _READY_WAIT_S
        while time.monotonic() < until:
            async with self._free:
                await self._free.wait_for(lambda: min(self._taken.values()) < self._places)
                number = min(self._taken, key=self._taken.__getitem__)
                self._taken[number] += 1
            try:
                await asyncio.wait_for(self._actors[number].ready.remote(), until - time.monotonic())
            except Exception as error:
                last = error
            else:
                return number
            async with self._free:
                self._taken[number] -= 1
                self._free.notify()
            await asyncio.sleep(_PAUSE_S)
        raise InfrastructureError(
            f"No worker of the cluster has answered for {_READY_WAIT_S:g} s: {_first_line(last)}"
        )


def _first_line(error: BaseException) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
