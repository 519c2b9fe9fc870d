"""Turns of a cluster whose actor is lost and started again; the cluster itself is stood in for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from verifaible.errors import InfrastructureError
from verifaible.runs import turns_on_ray
from verifaible.runs.turns_on_ray import TurnsOnRay

pytest.importorskip("ray", reason="Ray has no wheel for this Python.")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns_on_ray, "_PAUSE_S", 0.01)
    monkeypatch.setattr(turns_on_ray, "_WAIT_S", 1.0)


def actor(take: Callable[..., Any]) -> Callable[[bool], Any]:
    return lambda again: SimpleNamespace(take=SimpleNamespace(remote=take))


@pytest.mark.parametrize("waits", [(1.5,), (0.0, 1.5)], ids=["lost once", "lost twice"])
async def test_a_long_wait_for_a_turn_is_no_silence(
    waits: tuple[float, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    left, now, begun, heard = [*waits], 0.0, asyncio.Event(), asyncio.Event()

    async def take(_: str, host: str, *__: Any) -> float:
        nonlocal now
        if host == "busy.example" and left:
            if wait := left.pop(0):
                now += 0.8 * wait
                begun.set()
                await heard.wait()
                now += 0.2 * wait
            raise ConnectionError("lost")
        return 0.0

    monkeypatch.setattr(turns_on_ray, "time", SimpleNamespace(monotonic=lambda: now))
    monkeypatch.setattr(turns_on_ray, "_actor", actor(take))
    turns = TurnsOnRay()
    waiting = asyncio.create_task(turns.take("ticket", "busy.example", 1, 1))
    await begun.wait()
    assert await turns.take("another", "other.example", 1, 1) == 0  # so the cluster is there
    heard.set()
    assert await asyncio.wait_for(waiting, 60) == 0
    assert not left


async def test_a_cluster_that_answers_nobody_is_an_infrastructure_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def take(*_: Any) -> float:
        raise ConnectionError("lost")

    monkeypatch.setattr(turns_on_ray, "_actor", actor(take))
    with pytest.raises(InfrastructureError, match="ray status"):
        await asyncio.wait_for(TurnsOnRay().take("ticket", "a.example", 1, 1), 30)
