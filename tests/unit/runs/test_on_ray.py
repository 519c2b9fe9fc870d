"""Places on a cluster whose workers are late, lost or cannot open; the cluster itself is stood in for."""

from __future__ import annotations

import asyncio
import pickle
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from verifaible.errors import (
    CaseError,
    ConfigError,
    InfrastructureError,
    ModelUnreachable,
    NewerFormat,
    OfflineMiss,
    StepFailed,
    VerifaibleError,
)
from verifaible.runs import on_ray
from verifaible.runs.executor import call
from verifaible.runs.on_ray import OnRay, _value, _Worker


class Actor:
    """A worker that answers when a test lets it, or raises what a test gives."""

    def __init__(self, *, answers: bool = True, error: Exception | None = None) -> None:
        self.answers = asyncio.Event()
        self.error = error
        self.asked = asyncio.Event()
        if answers:
            self.answers.set()
        self.ready = SimpleNamespace(remote=self._ready)
        self.call = SimpleNamespace(remote=self._call)
        self.cannot: Exception | None = None

    async def _call(self, *_: object) -> tuple[bool, Any]:
        return (True, self) if self.cannot is None else (False, (type(self.cannot), str(self.cannot), {}))

    async def _ready(self) -> tuple[bool, Any]:
        self.asked.set()
        await self.answers.wait()
        if isinstance(self.error, VerifaibleError):
            return False, (type(self.error), str(self.error), {})
        if self.error is not None:
            raise self.error
        return True, None


class Cluster(OnRay):
    def __init__(self, *actors: Actor, places: int = 1) -> None:
        super().__init__(lambda: None, places=places)  # type: ignore[arg-type, return-value]
        self.given = actors

    def _start(self) -> None:
        self._actors = list(self.given)
        self._taken = dict.fromkeys(range(len(self.given)), 0)

    def _stop(self) -> None:
        pass


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_ray, "_PAUSE_S", 0.01)


async def test_work_goes_to_the_workers_that_answer() -> None:
    late, lost, fine = Actor(answers=False), Actor(error=OSError("lost")), Actor()
    at_once = most = 0

    async def one(cluster: OnRay, work: Callable[[], Awaitable[object]]) -> None:
        nonlocal at_once, most
        async with cluster.place():
            at_once += 1
            most = max(most, at_once)
            await work()
            at_once -= 1

    async with asyncio.timeout(60), Cluster(late, lost, fine) as cluster:
        await asyncio.gather(*(one(cluster, partial(asyncio.sleep, 0.02)) for _ in range(4)))
        assert most == 1
        late.answers.set()
        lost.error = None
        three = asyncio.Barrier(3)
        await asyncio.gather(*(one(cluster, three.wait) for _ in range(6)))
        assert most == 3


async def test_a_place_that_is_waited_for_no_more_is_free_again() -> None:
    actor = Actor()
    async with asyncio.timeout(30), Cluster(actor) as cluster:
        async with cluster.place():
            waiting = asyncio.create_task(cluster.place().__aenter__())
            await asyncio.sleep(0.01)
            waiting.cancel()
        actor.answers.clear()
        actor.asked.clear()
        asking = asyncio.create_task(cluster.place().__aenter__())
        await actor.asked.wait()
        asking.cancel()
        assert [type(each) for each in await asyncio.gather(waiting, asking, return_exceptions=True)] == [
            asyncio.CancelledError
        ] * 2
        actor.answers.set()
        async with cluster.place():
            pass


async def test_workers_that_are_lost_for_good_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_ray, "_READY_WAIT_S", 0.2)
    actors = [Actor(), Actor()]
    async with asyncio.timeout(30), Cluster(*actors) as cluster:
        async with cluster.place():
            pass
        for each in actors:
            each.error = OSError("the machine is gone")
        for _ in range(2):
            with pytest.raises(InfrastructureError, match="the machine is gone"):
                async with cluster.place():
                    pass


async def test_silent_workers_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_ray, "_READY_WAIT_S", 0.1)
    async with asyncio.timeout(30), Cluster(Actor(answers=False)) as cluster:
        with pytest.raises(InfrastructureError, match="No worker"):
            async with cluster.place():
                pass


async def test_a_cluster_that_is_gone_does_not_hide_why_the_work_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shut: list[bool] = []

    def gone(*_: object, **__: object) -> None:
        raise ConnectionError("the head is gone")

    actor = Actor()
    actor.close = SimpleNamespace(remote=gone)  # type: ignore[attr-defined]
    ray = SimpleNamespace(wait=gone, kill=gone, shutdown=lambda: shut.append(True))
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setattr(Cluster, "_stop", OnRay._stop)
    with pytest.raises(InfrastructureError, match="--resume"):
        async with asyncio.timeout(30), Cluster(actor) as cluster:
            cluster._connection.callback(ray.shutdown)
            raise InfrastructureError("Continue with --resume.")
    assert shut == [True]


class Ray(SimpleNamespace):
    """As much of Ray as starting takes; counts how often a cluster was started and ended."""

    begun: int
    ended: int
    on: bool

    def __init__(self, **more: Any) -> None:
        super().__init__(begun=0, ended=0, on=False, **more)

    def is_initialized(self) -> bool:
        return self.on

    def init(self, **_: object) -> SimpleNamespace:
        self.begun, self.on = self.begun + 1, True
        return SimpleNamespace(dashboard_url="127.0.0.1:8265")

    def shutdown(self) -> None:
        self.ended, self.on = self.ended + 1, False

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 1.0}

    def remote(self, **_: object) -> Any:
        raise RuntimeError("the head is gone")


async def test_a_start_that_fails_half_way_leaves_no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = Ray()
    monkeypatch.setitem(sys.modules, "ray", ray)
    with pytest.raises(RuntimeError, match="the head is gone"):
        async with OnRay(lambda: None):  # type: ignore[arg-type, return-value]
            pass
    assert (ray.begun, ray.ended) == (1, 1)


async def test_what_a_person_must_put_right_is_told_at_once() -> None:
    async with asyncio.timeout(30), Cluster(Actor(error=ConfigError("Copy the archives."))) as cluster:
        with pytest.raises(ConfigError, match="Copy the archives"):
            async with cluster.place():
                pass


async def test_a_worker_that_is_set_up_wrongly_and_answers_first_ends_nothing() -> None:
    wrong, late = Actor(error=ConfigError("Copy the archives.")), Actor(answers=False)
    async with asyncio.timeout(30), Cluster(wrong, late) as cluster:
        waiting = asyncio.create_task(cluster.place().__aenter__())
        await asyncio.sleep(0.1)
        assert not waiting.done()
        late.answers.set()
        assert (await waiting).worker.startswith("worker 2")


async def test_workers_that_are_all_set_up_wrongly_say_so_at_once() -> None:
    actors = [Actor(error=ConfigError("Copy the archives.")) for _ in range(3)]
    async with asyncio.timeout(30), Cluster(*actors) as cluster:
        with pytest.raises(ConfigError, match="Copy the archives"):
            async with cluster.place():
                pass


async def test_a_setting_is_what_is_told_where_the_other_workers_never_came(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(on_ray, "_READY_WAIT_S", 0.2)
    actors = [Actor(error=ConfigError("Copy the archives.")), Actor(answers=False)]
    async with asyncio.timeout(30), Cluster(*actors) as cluster:
        with pytest.raises(ConfigError, match="Copy the archives"):
            async with cluster.place():
                pass


async def test_workers_that_all_fail_to_open_are_not_waited_for_as_long_as_machines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(on_ray, "_OPEN_WAIT_S", 0.1)
    actors = [Actor(error=InfrastructureError("The browser does not start.")) for _ in range(2)]
    async with asyncio.timeout(30), Cluster(*actors) as cluster:
        with pytest.raises(InfrastructureError, match="does not start"):
            async with cluster.place():
                pass


async def test_a_worker_that_comes_back_without_its_browser_is_waited_for() -> None:
    actor = Actor()
    async with asyncio.timeout(30), Cluster(actor) as cluster:
        async with cluster.place():
            pass
        actor.error = ConfigError("No browser answers.")
        waiting = asyncio.create_task(cluster.place().__aenter__())
        await asyncio.sleep(0.1)
        assert not waiting.done()
        actor.error = None
        assert await waiting


async def test_work_that_a_worker_is_not_set_up_for_goes_to_another() -> None:
    pytest.importorskip("ray", reason="Ray has no wheel for this Python, or is not installed")
    wrong, fine = Actor(), Actor()
    wrong.cannot = ConfigError("There is no profile.")
    async with asyncio.timeout(30), Cluster(wrong, fine, places=4) as cluster:
        await asyncio.sleep(0.05)
        assert [await call(cluster, "work") for _ in range(4)] == [fine] * 4
        assert cluster.answering == 1
        fine.cannot = ConfigError("There is no profile here either.")
        with pytest.raises(ConfigError, match="no profile"):
            await call(cluster, "work")


@pytest.mark.parametrize(
    "error",
    [
        StepFailed(2, "click", "It is not there.", hung=True),
        OfflineMiss("https://a.example/"),
        NewerFormat("The store", 9, 3),
        CaseError(["a: b", "c: d"]),
        ModelUnreachable("No connection."),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_an_error_is_the_same_there_and_here(error: VerifaibleError) -> None:
    class Fails:
        async def work(self) -> None:
            raise error

    @asynccontextmanager
    async def opening() -> AsyncIterator[Fails]:
        yield Fails()

    said = pickle.loads(pickle.dumps(await _Worker(opening).call("work", ())))
    with pytest.raises(type(error)) as raised:
        _value(said)
    assert type(raised.value) is type(error)
    assert str(raised.value) == str(error)
    assert vars(raised.value) == vars(error)


async def test_an_object_that_could_not_be_opened_is_opened_when_it_can_be() -> None:
    faults: list[VerifaibleError] = [ConfigError("no archive")]

    class Opened:
        async def work(self) -> int:
            return 5

    @asynccontextmanager
    async def opening() -> AsyncIterator[Opened]:
        if faults:
            raise faults.pop()
        yield Opened()

    worker = _Worker(opening)
    assert (await worker.ready())[0] is False
    assert await worker.call("work", ()) == (True, 5)


@pytest.mark.parametrize(
    ("has", "number", "needs"),
    [
        ({"CPU": 8.0, "browser": 3.0}, 3, {"resources": {"browser": 1}, "num_cpus": 0}),
        ({"CPU": 8.0}, 8, {"num_cpus": 1}),
    ],
)
def test_a_worker_takes_a_browser_where_the_cluster_has_such_else_a_processor(
    has: dict[str, float], number: int, needs: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, Any]] = []

    def remote(**options: Any) -> Any:
        asked.append({name: value for name, value in options.items() if name in ("resources", "num_cpus")})
        return lambda _: SimpleNamespace(remote=lambda *_: Actor())

    ray = SimpleNamespace(is_initialized=lambda: True, cluster_resources=lambda: has, remote=remote)
    monkeypatch.setitem(sys.modules, "ray", ray)
    cluster = OnRay(lambda: None)  # type: ignore[arg-type, return-value]
    cluster._start()
    assert len(cluster._actors) == number
    assert asked == [needs]
