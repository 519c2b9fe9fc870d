"""Work on a cluster whose workers are lost or cannot open; the cluster itself is stood in for."""

from __future__ import annotations

import asyncio
import pickle
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
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
from verifaible.runs.on_ray import OnRay, _value, _Worker, executor_of


class Actor:
    """A worker that answers when a test lets it, or says what a test gives; counts what is under way."""

    def __init__(self, *, answers: bool = True, error: Exception | None = None) -> None:
        self.answers = asyncio.Event()
        self.error = error
        self.now = self.most = self.done = 0
        if answers:
            self.answers.set()
        self.ready = SimpleNamespace(remote=self._ready)
        self.call = SimpleNamespace(remote=self._call)

    async def _ready(self) -> tuple[bool, Any]:
        await self.answers.wait()
        if isinstance(self.error, VerifaibleError):
            return False, (type(self.error), str(self.error), {})
        if self.error is not None:
            raise self.error
        return True, None

    async def _call(self, *_: object) -> tuple[bool, Any]:
        if isinstance(self.error, VerifaibleError):
            return False, (type(self.error), str(self.error), {})
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.01)
        self.now -= 1
        self.done += 1
        return True, self


class Cluster(OnRay):
    def __init__(self, *actors: Actor, places: int = 1) -> None:
        super().__init__(lambda: None, places=places)  # type: ignore[arg-type, return-value]
        self.given = actors

    def _start(self) -> None:
        self._actors = list(self.given)
        self._busy = [0] * len(self.given)
        self.at_once = len(self.given) * self._places

    def _stop(self) -> None:
        pass


ray = pytest.importorskip("ray", reason="Ray has no wheel for this Python, or is not installed")


async def test_work_is_shared_and_no_worker_has_more_than_its_places() -> None:
    actors = [Actor(), Actor(), Actor()]
    async with asyncio.timeout(60), Cluster(*actors, places=2) as cluster:
        await asyncio.gather(*(cluster.call("work") for _ in range(30)))
    assert [each.most for each in actors] == [2, 2, 2]
    assert sum(each.done for each in actors) == 30


async def test_a_worker_that_is_set_up_wrongly_says_what_to_put_right() -> None:
    with pytest.raises(ConfigError, match="Copy the archives"):
        async with asyncio.timeout(30), Cluster(Actor(error=ConfigError("Copy the archives."))):
            pass
    wrong = Actor()
    async with asyncio.timeout(30), Cluster(wrong) as cluster:
        wrong.error = ConfigError("There is no profile.")
        with pytest.raises(ConfigError, match="no profile"):
            await cluster.call("work")


async def test_silent_workers_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_ray, "READY_WAIT_S", 0.1)
    with pytest.raises(InfrastructureError, match="No worker"):
        async with asyncio.timeout(30), Cluster(Actor(answers=False)):
            pass


async def test_a_cluster_that_is_gone_does_not_hide_why_the_work_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def gone(*_: object, **__: object) -> None:
        raise ConnectionError("the head is gone")

    actor = Actor()
    actor.close = SimpleNamespace(remote=gone)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(wait=gone, kill=gone))
    monkeypatch.setattr(Cluster, "_stop", OnRay._stop)
    with pytest.raises(InfrastructureError, match="--resume"):
        async with asyncio.timeout(30), Cluster(actor):
            raise InfrastructureError("Continue with --resume.")


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
    assert (str(raised.value), vars(raised.value)) == (str(error), vars(error))


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
    ("chosen", "workers", "said"),
    [("slurm", 0, "neither local, ray nor ray:ADDRESS"), ("local", 2, "--executor ray")],
)
def test_an_executor_that_there_is_not_is_refused(chosen: str, workers: int, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        executor_of(chosen, workers, places=1)
    assert executor_of("local", places=1) is None
