"""Tabs that the browser has opened and Playwright has not announced."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from verifaible.browser.chromium import tabs as module
from verifaible.browser.chromium.tabs import Tabs
from verifaible.errors import PageNotLoaded


class _Context:
    def __init__(self) -> None:
        self.pages: list[object] = [object()]


class _Browser:
    """A DevTools session of a browser that has these tabs."""

    def __init__(self) -> None:
        self.tabs: list[dict[str, str]] = []

    def opened(self, target: str, context: str = "1", **more: str) -> None:
        self.tabs.append({"targetId": target, "type": "page", "browserContextId": context, **more})

    async def send(self, method: str, _: object) -> dict[str, Any]:
        assert method == "Target.getTargets"
        await asyncio.sleep(0)
        return {"targetInfos": list(self.tabs)}


@pytest.fixture
def targets() -> _Browser:
    """The browser has the first tab of context 1, and one of context 2."""
    made = _Browser()
    made.opened("a")
    made.opened("b", "2")
    return made


@pytest.fixture
def context() -> _Context:
    return _Context()


@pytest.fixture
def tabs(context: _Context, targets: _Browser) -> Tabs:
    return Tabs(cast(Any, context), "1", cast(Any, targets))


async def test_nothing_is_waited_for_where_nothing_comes(tabs: Tabs, targets: _Browser) -> None:
    targets.opened("c", "2")
    targets.opened("d", subtype="prerender")
    targets.opened("e", type="worker")
    assert await tabs.coming() == 0
    await tabs.announced()


async def test_a_tab_is_waited_for_until_it_is_announced(
    tabs: Tabs, targets: _Browser, context: _Context
) -> None:
    targets.opened("c")
    assert await tabs.coming() == 1
    waiting = asyncio.create_task(tabs.announced())
    await asyncio.sleep(0.02)
    assert not waiting.done()
    context.pages.append(object())
    await waiting
    assert await tabs.coming() == 0


async def test_a_tab_that_went_at_once_is_not_waited_for(tabs: Tabs, targets: _Browser) -> None:
    targets.opened("c")
    targets.tabs.pop()
    await tabs.announced()
    assert await tabs.coming() == 0


async def test_a_tab_that_is_never_announced_is_waited_for_once(
    tabs: Tabs, targets: _Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ANNOUNCED_S", 0.03)
    targets.opened("c")
    await tabs.announced()
    assert await tabs.coming() == 0
    targets.opened("d")
    assert await tabs.coming() == 1


async def test_a_browser_that_hangs_is_not_waited_for_without_end(
    tabs: Tabs, targets: _Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hangs(*_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(module, "ANSWER_S", 0.03)
    monkeypatch.setattr(targets, "send", hangs)
    with pytest.raises(PageNotLoaded, match="The browser did not answer"):
        await asyncio.wait_for(tabs.announced(), 5)
