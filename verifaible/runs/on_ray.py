"""Work on a Ray cluster: an actor a worker process, in which the object that works is opened once.

Ray starts actors, places them on machines, starts them again when a process or a machine is lost, and then
does again what was under way there: each call is done at least once, and gives one result.
"""

from __future__ import annotations

import asyncio
import os
import platform
from collections.abc import Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager, suppress
from functools import partial
from typing import Any, Final, Self, TypeAlias

from verifaible.errors import ConfigError, InfrastructureError, VerifaibleError
from verifaible.runs.executor import ATTEMPTS, Opening, Workers, to_its_end

#: The resource by which a cluster's machines say how many browsers they have room for.
BROWSER: Final = "browser"
#: A worker opens in seconds, where a machine is started for it in minutes.
READY_WAIT_S: Final = 600.0
_CLOSE_WAIT_S: Final = 20.0


class _Worker:
    """The actor: opens the object with the first call, and calls its methods."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._opened = AsyncExitStack()
        self._object: asyncio.Task[object] | None = None

    async def ready(self) -> _Said:
        """Open the object, once."""
        try:
            await self._at_hand()
        except VerifaibleError as error:
            return _parts(error)
        return True, f"{platform.node()}, process {os.getpid()}"

    async def call(self, method: str, arguments: tuple[Any, ...]) -> _Said:
        """What a method gives or raises."""
        try:
            return True, await getattr(await self._at_hand(), method)(*arguments)
        except VerifaibleError as error:
            return _parts(error)

    async def close(self) -> None:
        """Close the object."""
        await self._opened.aclose()

    async def _at_hand(self) -> object:
        if self._object is None:
            self._object = asyncio.create_task(self._open())
        return await asyncio.shield(self._object)  # others wait for it, too

    async def _open(self) -> object:
        try:
            return await self._opened.enter_async_context(self._opening())
        except BaseException:
            self._object = None  # the next call tries again
            raise


#: Whether a method came to its end, and its value, or its error in parts: not every error survives a pickle.
_Said: TypeAlias = tuple[bool, Any]


def _parts(error: VerifaibleError) -> _Said:
    return False, (type(error), str(error), vars(error))


def _value(said: _Said) -> Any:
    """What a worker gave; an error is raised as it was there, whatever it is made of."""
    done, value = said
    if done:
        return value
    kind, sentence, attributes = value
    error: VerifaibleError = kind.__new__(kind, sentence)
    vars(error).update(attributes)
    raise error


@contextmanager
def connected(address: str) -> Iterator[None]:
    """Connect this process to a cluster, for all executors within; the outermost block ends it.

    Args:
        address: as of :class:`OnRay`.

    Raises:
        ConfigError: Ray is not installed, or the cluster does not answer.
    """
    try:
        import ray
    except ImportError as missing:
        raise ConfigError(
            'Ray is not installed. Install it with pip install "verifaible[ray]", or leave --executor out.'
        ) from missing
    if ray.is_initialized():
        yield
        return
    try:
        try:
            ray.init(address=address or None, log_to_driver=False, include_dashboard=None)
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise ConfigError(f"The Ray cluster does not answer: {_first_line(error)}") from error
        yield
    finally:
        ray.shutdown()


class OnRay:
    """Work on the actors of a Ray cluster.

    Args:
        opening: what opens the object; it is pickled, and verifaible must be installed on every machine.
        address: of the cluster, as Ray takes it; empty: that of ``RAY_ADDRESS``, or a cluster of this
            machine alone that is started and ended here.
        workers: actors; 0: as many as the cluster has ``browser`` resources, or processors. Each takes one.
        places: calls at once at each actor.

    Raises:
        ConfigError: Ray is not installed, or the cluster does not answer; or the first worker to answer
            cannot open its object as it is set up.
        InfrastructureError: no worker answers, for ten minutes.
    """

    def __init__(self, opening: Opening, *, address: str = "", workers: int = 0, places: int = 2) -> None:
        self._opening = opening
        self._address = address
        self._wanted = workers
        self._places = places
        self._actors: list[Any] = []
        self._busy: list[int] = []
        self._connection = ExitStack()
        self.at_once = 0

    async def __aenter__(self) -> Self:
        try:
            await to_its_end(self._start)
            self._room = asyncio.Semaphore(self.at_once)
            await self._require_worker()
        except BaseException:
            await asyncio.to_thread(self._stop)
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self._stop)

    async def call(self, method: str, *arguments: Any) -> Any:
        """Await a method at the worker that has most room.

        Raises:
            InfrastructureError: its workers were lost, again and again.
            VerifaibleError: what the method raises, or what kept the worker from opening its object.
        """
        async with self._room:
            number = min(range(len(self._actors)), key=self._busy.__getitem__)
            self._busy[number] += 1
            try:
                return await self._at(number, method, arguments)
            finally:
                self._busy[number] -= 1

    async def _at(self, number: int, method: str, arguments: tuple[Any, ...]) -> Any:
        import ray
        from ray.exceptions import RayError, RayTaskError

        asked = self._actors[number].call.remote(method, arguments)
        try:
            return _value(await asked)
        except asyncio.CancelledError:
            with suppress(Exception):  # the cluster may be gone
                ray.cancel(asked)
            raise
        except RayTaskError as failed:  # a fault of ours: another worker would do the same
            raise RuntimeError(f"{type(failed.cause).__name__} at a worker: {failed.cause}") from failed
        except RayError as lost:
            raise InfrastructureError(f"A worker of the cluster was lost: {_first_line(lost)}") from lost

    def _start(self) -> None:
        self._connection.enter_context(connected(self._address))
        import ray

        has = ray.cluster_resources()
        browsers = int(has.get(BROWSER, 0))
        number = self._wanted or browsers or max(1, int(has.get("CPU", 1)))
        needs = {"resources": {BROWSER: 1}, "num_cpus": 0} if browsers else {"num_cpus": 1}
        kind = ray.remote(
            max_restarts=-1, max_task_retries=ATTEMPTS, max_concurrency=2 * self._places + 2, **needs
        )(_Worker)
        self._actors = [kind.remote(self._opening) for _ in range(number)]
        self._busy = [0] * number
        self.at_once = number * self._places

    async def _require_worker(self) -> None:
        """Wait until one worker has opened its object.

        Raises:
            VerifaibleError: it cannot; says what a person has to put right.
            InfrastructureError: none answers.
        """
        from ray.exceptions import RayError

        asking = [asyncio.ensure_future(each.ready.remote()) for each in self._actors]
        try:
            for answering in asyncio.as_completed(asking, timeout=READY_WAIT_S):
                with suppress(RayError):  # a worker that was lost: the others may be there
                    _value(await answering)
                    return
        except TimeoutError:
            pass
        raise InfrastructureError(
            f"No worker of the cluster has answered for {READY_WAIT_S:g} s, or all were lost. Look with "
            "`ray status`, and run again."
        )

    def _stop(self) -> None:
        if self._actors:
            import ray

            with suppress(Exception):  # the cluster may be gone, which must not hide why the work ended
                closing = [actor.close.remote() for actor in self._actors]
                ray.wait(closing, num_returns=len(closing), timeout=_CLOSE_WAIT_S)
            for actor in self._actors:
                with suppress(Exception):
                    ray.kill(actor)
        self._connection.close()


def executor_of(chosen: str, workers: int = 0, *, places: int) -> Workers | None:
    """What makes the executor; None for this process, where ``Local`` may share what is open already.

    Args:
        chosen: as of ``--executor``.
        workers: of the cluster; 0: all it has room for.
        places: at each worker.

    Raises:
        ConfigError: there is no such executor, or workers were asked for without a cluster.
    """
    kind, _, address = chosen.partition(":")
    if chosen == "local":
        if workers:
            raise ConfigError("--workers says how many of a cluster work. Give --executor ray too.")
        return None
    if kind != "ray":
        raise ConfigError(f"--executor {chosen} is neither local, ray nor ray:ADDRESS. Give one of these.")
    return partial(OnRay, address=address, workers=workers, places=places)


def _first_line(error: BaseException) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
