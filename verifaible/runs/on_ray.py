"""Work on a Ray cluster: an actor a worker process, in which the object that works is opened once.

Ray starts actors, places them on machines and starts them again when a process or a machine is lost. What was
under way there is lost: the place says so, and its work is done again at another.
"""

from __future__ import annotations

import asyncio
import os
import platform
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager, suppress
from functools import partial
from typing import Any, Final, Self, TypeAlias

from verifaible.errors import BrowserMissing, ConfigError, InfrastructureError, UserError, VerifaibleError
from verifaible.runs.executor import Opening, Place, to_its_end

#: The resource by which a cluster's machines say how many browsers they have room for.
BROWSER: Final = "browser"
#: A worker opens in seconds, where a machine is started for it in minutes.
_READY_WAIT_S: Final = 600.0
#: Where each of them says that it cannot, as on a machine that is very busy with all of them at once.
_OPEN_WAIT_S: Final = 60.0
#: One that has answered before does so in milliseconds, where its machine is very busy in seconds.
_ANSWER_WAIT_S: Final = 30.0
_CLOSE_WAIT_S: Final = 20.0
_PAUSE_S: Final = 0.5


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


class _There:
    def __init__(
        self, actor: Any, worker: str, lost: Callable[[], None], unfit: Callable[[UserError], None]
    ) -> None:
        self._actor = actor
        self.worker = worker
        self._lost = lost
        self._unfit = unfit

    async def call(self, method: str, *arguments: Any) -> Any:
        import ray
        from ray.exceptions import RayError, RayTaskError

        asked = self._actor.call.remote(method, arguments)
        try:
            said = await asked
        except asyncio.CancelledError:
            with suppress(Exception):  # the cluster may be gone
                ray.cancel(asked)
            raise
        except RayTaskError as failed:  # a fault of ours: the worker is there, and another would do the same
            raise RuntimeError(f"{type(failed.cause).__name__} at a worker: {failed.cause}") from failed
        except RayError as lost:
            self._lost()
            raise InfrastructureError(f"A worker of the cluster was lost: {_first_line(lost)}") from lost
        try:
            return _value(said)
        except (ConfigError, BrowserMissing) as error:
            self._unfit(error)
            raise InfrastructureError(f"{self.worker} is not set up for this: {error}") from error


@contextmanager
def connected(address: str) -> Iterator[str]:
    """Connect this process to a cluster, for all executors within; the outermost block ends it.

    Args:
        address: as of :class:`OnRay`.

    Yields:
        The address of its dashboard; empty where it has none, or this process was connected before.

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
        yield ""
        return
    try:
        try:
            begun = ray.init(address=address or None, log_to_driver=False, include_dashboard=None)
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise ConfigError(f"The Ray cluster does not answer: {_first_line(error)}") from error
        yield f"http://{begun.dashboard_url}" if begun.dashboard_url else ""
    finally:
        ray.shutdown()


class OnRay:
    """Work on the actors of a Ray cluster.

    Args:
        opening: what opens the object; it is pickled, and verifaible must be installed on every machine.
        address: of the cluster, as Ray takes it; empty: that of ``RAY_ADDRESS``, or a cluster of this
            machine alone that is started and ended here.
        workers: actors; 0: as many as the cluster has ``browser`` resources, or processors. Each takes one.
        places: at each actor.

    Raises:
        ConfigError: Ray is not installed, or the cluster does not answer.
    """

    def __init__(
        self,
        opening: Opening,
        *,
        address: str = "",
        workers: int = 0,
        places: int = 2,
    ) -> None:
        self._opening = opening
        self._address = address
        self._wanted = workers
        self._places = places
        self._actors: list[Any] = []
        self._taken: dict[int, int] = {}
        self._names: dict[int, str] = {}
        #: The workers that answer, and the tasks that wait for the others.
        self._answering: set[int] = set()
        self._opening_them: set[asyncio.Task[None]] = set()
        self._silent_since = 0.0
        #: Why the others do not, and those that have answered before and may do so again.
        self._faults: dict[int, Exception] = {}
        self._good: set[int] = set()
        self._changed = asyncio.Condition()
        self._connection = ExitStack()
        self.at_once = 0
        self.dashboard = ""

    @property
    def workers(self) -> int:
        """Workers that are wanted."""
        return len(self._actors)

    @property
    def answering(self) -> int:
        """Workers that answer."""
        return len(self._answering)

    async def __aenter__(self) -> Self:
        try:
            await to_its_end(self._start)
        except BaseException:
            await asyncio.to_thread(self._stop)
            raise
        self._silent_since = time.monotonic()
        for number in range(len(self._actors)):
            self._expect(number)
        return self

    async def __aexit__(self, *_: object) -> None:
        for opening in self._opening_them:
            opening.cancel()
        await asyncio.to_thread(self._stop)

    def _start(self) -> None:
        self.dashboard = self._connection.enter_context(connected(self._address))
        import ray

        has = ray.cluster_resources()
        room = int(has.get(BROWSER, 0))
        number = self._wanted or room or max(1, int(has.get("CPU", 1)))
        needs = {"resources": {BROWSER: 1}, "num_cpus": 0} if room else {"num_cpus": 1}
        kind = ray.remote(max_restarts=-1, max_concurrency=4 * self._places + 4, **needs)(_Worker)
        self._actors = [kind.remote(self._opening) for _ in range(number)]
        self._taken = dict.fromkeys(range(number), 0)
        self.at_once = number * self._places

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

    @asynccontextmanager
    async def place(self) -> AsyncIterator[Place]:
        """A place at the worker that has most room, of those that answer.

        Raises:
            InfrastructureError: none answers, for ten minutes, or each fails to open, for one.
            UserError: none could ever work; says what a person has to put right.
        """
        number = await self._take()
        try:
            lose, unfit = partial(self._lose, number), partial(self._give_up, number)
            yield _There(self._actors[number], self._names[number], lose, unfit)
        finally:
            await self._leave(number)

    async def _take(self) -> int:
        while True:
            number = await self._with_room()
            self._taken[number] += 1
            try:
                async with asyncio.timeout(_ANSWER_WAIT_S):
                    _value(await self._actors[number].ready.remote())
            except BaseException as error:
                await self._leave(number)
                if not isinstance(error, Exception):
                    raise
                self._lose(number)
            else:
                return number

    async def _leave(self, number: int) -> None:
        async with self._changed:
            self._taken[number] -= 1
            self._changed.notify_all()

    async def _with_room(self) -> int:
        async with self._changed:
            while True:
                if room := [each for each in self._answering if self._taken[each] < self._places]:
                    return min(room, key=self._taken.__getitem__)
                left = None
                if not self._answering:
                    waited_s = time.monotonic() - self._silent_since
                    self._require_good(waited_s)
                    left = _READY_WAIT_S - waited_s
                    if left <= 0:
                        fault = next(iter(self._faults.values()), None)
                        raise InfrastructureError(
                            f"No worker of the cluster has answered for {_READY_WAIT_S:g} s"
                            f"{f': {_first_line(fault)}' if fault else '.'} Look at it with "
                            "`ray status`, and run again."
                        )
                with suppress(TimeoutError):
                    async with asyncio.timeout(left):
                        await self._changed.wait()

    def _require_good(self, waited_s: float = 0.0) -> None:
        """Raise why no worker could ever work: once each has said so, or it was waited for long enough."""
        said = [each for each in self._faults.values() if isinstance(each, VerifaibleError)]
        wrong = [each for each in said if isinstance(each, UserError)]
        every = len(self._actors)
        if self._good or not said:
            return
        if wrong and (len(wrong) == every or waited_s >= _READY_WAIT_S):
            raise wrong[0]
        if len(said) == every and waited_s >= _OPEN_WAIT_S:
            raise (wrong or said)[0]

    def _give_up(self, number: int, fault: UserError) -> None:
        """Give no place any more at a worker that opens, and then cannot work as it is set up.

        Raises:
            UserError: nor can any other.
        """
        self._answering.discard(number)
        self._good.discard(number)
        self._silent_since = time.monotonic()
        self._faults[number] = fault
        self._require_good()

    def _lose(self, number: int) -> None:
        """Give no place at a worker that was lost, until it answers again."""
        if number in self._answering:
            self._answering.remove(number)
            self._silent_since = time.monotonic()
            self._expect(number)

    def _expect(self, number: int) -> None:
        opening = asyncio.create_task(self._until_it_answers(number))
        self._opening_them.add(opening)
        opening.add_done_callback(self._opening_them.discard)

    async def _until_it_answers(self, number: int) -> None:
        """Wait for a worker: Ray starts a lost one again, for which a machine may have to be started."""
        while number not in self._answering:
            try:
                where = _value(await self._actors[number].ready.remote())
                self._names[number] = f"worker {number + 1} ({where})"
                self._answering.add(number)
                self._good.add(number)
                self._faults.pop(number, None)
            except Exception as error:
                self._faults[number] = error
            async with self._changed:
                self._changed.notify_all()
            if number not in self._answering:
                await asyncio.sleep(_PAUSE_S)


def _first_line(error: BaseException) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
