"""Playwright's driver: its process is ended by whoever closes the browser, however the start went."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import InfrastructureError


class Driver:
    """Stands in for ``async_playwright()``, which starts a process and takes a moment."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.may_go_on = asyncio.Event()
        self.running = 0

    def __call__(self) -> Driver:
        return self

    async def start(self) -> Driver:
        self.running += 1
        self.begun.set()
        await self.may_go_on.wait()
        return self

    async def stop(self) -> None:
        self.running -= 1


async def test_a_start_that_is_cancelled_leaves_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = Driver()
    monkeypatch.setattr("playwright.async_api.async_playwright", driver)
    async with Browser(Settings(home=tmp_path), offline=True) as browser:
        starting = asyncio.ensure_future(browser._ready())
        await driver.begun.wait()
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
        driver.may_go_on.set()
    assert driver.running == 0


async def test_a_start_that_failed_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = 0

    class Failing(Driver):
        async def start(self) -> Driver:
            nonlocal tried
            tried += 1
            raise InfrastructureError("There is no memory left.")

    monkeypatch.setattr("playwright.async_api.async_playwright", Failing())
    async with Browser(Settings(home=tmp_path), offline=True) as browser:
        for _ in range(2):
            with pytest.raises(InfrastructureError, match="no memory"):
                await browser._ready()
    assert tried == 2
