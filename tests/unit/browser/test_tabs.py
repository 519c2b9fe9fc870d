"""Tabs that the browser has opened and Playwright has not announced."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from verifaible.browser.chromium import tabs as module
from verifaible.browser.chromium.tabs import Tabs, Targets


class _Context:
    def __init__(self) -> None:
        self.pages: list[object] = [object()]


def opened(targets: Targets, target: str, context: str = "1", **more: str) -> None:
    info = {"targetId": target, "type": "page", "browserContextId": context, **more}
    targets.created({"targetInfo": info})


@pytest.fixture
def targets() -> Targets:
    """The browser has the first tab of context 1, and one of context 2."""
    made = Targets()
    opened(made, "a")
    opened(made, "b", "2")
    return made


@pytest.fixture
def context() -> _Context:
    return _Context()


@pytest.fixture
def tabs(context: _Context, targets: Targets) -> Tabs:
    return Tabs(cast(Any, context), targets, "1")


async def test_nothing_is_waited_for_where_nothing_comes(tabs: Tabs, targets: Targets) -> None:
    opened(targets, "c", "2")
    opened(targets, "d", subtype="prerender")
    targets.created({"targetInfo": {"targetId": "e", "type": "worker", "browserContextId": "1"}})
    assert tabs.coming == 0
    await tabs.announced()


async def test_a_tab_is_waited_for_until_it_is_announced(
    tabs: Tabs, targets: Targets, context: _Context
) -> None:
    opened(targets, "c")
    assert tabs.coming == 1
    waiting = asyncio.create_task(tabs.announced())
    await asyncio.sleep(0)
    assert not waiting.done()
    context.pages.append(object())
    await waiting
    assert tabs.coming == 0


async def test_a_tab_that_went_at_once_is_not_waited_for(tabs: Tabs, targets: Targets) -> None:
    opened(targets, "c")
    targets.destroyed({"targetId": "c"})
    targets.destroyed({"targetId": "never seen"})
    await tabs.announced()
    assert tabs.coming == 0


async def test_a_tab_that_is_never_announced_is_waited_for_once(
    tabs: Tabs, targets: Targets, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ANNOUNCED_S", 0.03)
    opened(targets, "c")
    await tabs.announced()
    assert tabs.coming == 0
    opened(targets, "d")
    assert tabs.coming == 1
