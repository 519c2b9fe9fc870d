"""A warm browser whose start is broken off, or that is asked for more when it is closed; Chromium is stood in for."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from verifaible.browser import warm
from verifaible.browser.chromium.running import Identity
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import InfrastructureError
from verifaible.net.identity import AS_IT_IS


class Chromium:
    def __init__(self) -> None:
        self.open = True
        self.known = False

    def is_connected(self) -> bool:
        return self.open

    def on(self, event: str, told: object) -> None: ...

    async def close(self) -> None:
        self.open = False


async def test_a_start_that_is_broken_off_leaves_no_browser_half_set_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[Chromium] = []
    asked = asyncio.Event()

    async def start(*_: object, **__: object) -> Chromium:
        started.append(Chromium())
        return started[-1]

    async def process_of(_: object) -> int:
        asked.set()
        if len(started) == 1:
            await asyncio.Event().wait()
        return 1

    async def identity(chromium: Chromium) -> Identity:
        chromium.known = True
        return Identity()

    async def nothing(*_: object) -> SimpleNamespace:
        return SimpleNamespace()

    monkeypatch.setattr(warm, "process_of", process_of)
    monkeypatch.setattr(Identity, "of", identity)
    monkeypatch.setattr(Browser, "_driver", nothing)
    monkeypatch.setattr(Browser, "_start", start)
    browser = Browser(Settings(), offline=True)
    first = asyncio.create_task(browser._ready())
    await asked.wait()
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    second = await browser._ready()
    assert [(each.open, each.known) for each in started] == [(False, False), (True, True)]
    assert second is started[1]  # type: ignore[comparison-overlap]


async def test_nothing_is_made_ready_beside_a_browser_that_is_closed() -> None:
    browser = Browser(Settings(), offline=False)
    await browser.close()
    browser.expect_offline(AS_IT_IS)
    assert not browser._contexts._ahead


async def test_one_that_hangs_while_it_is_set_up_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    class Hanging(Chromium):
        async def close(self) -> None:
            await asyncio.Event().wait()

    async def start(*_: object) -> Hanging:
        return Hanging()

    async def process_of(_: object) -> None:
        raise InfrastructureError("It does not answer.")

    async def nothing(*_: object) -> SimpleNamespace:
        return SimpleNamespace()

    monkeypatch.setattr(warm, "process_of", process_of)
    monkeypatch.setattr(warm, "LET_GO_WAIT_S", 0.05)
    monkeypatch.setattr(Browser, "_driver", nothing)
    monkeypatch.setattr(Browser, "_start", start)
    browser = Browser(Settings(), offline=True)
    async with asyncio.timeout(5):
        with pytest.raises(InfrastructureError, match="does not answer"):
            await browser.start()
    await browser.close()
