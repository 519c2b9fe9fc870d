"""Tabs that the browser has opened and Playwright has not announced."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from verifaible.browser.chromium import tabs as module
from verifaible.browser.chromium.tabs import Tabs, created


class _Context:
    def __init__(self) -> None:
        self.pages: list[object] = [object()]


def opened(targets: dict[str, str], target: str, context: str = "1", **more: str) -> None:
    info = {"targetId": target, "type": "page", "browserContextId": context, **more}
    created(targets, {"targetInfo": info})


@pytest.fixture
def targets() -> dict[str, str]:
    """The browser has the first tab of context 1, and one of context 2."""
    made: dict[str, str] = {}
    opened(made, "a")
    opened(made, "b", "2")
    return made


@pytest.fixture
def context() -> _Context:
    return _Context()


@pytest.fixture
def tabs(context: _Context, targets: dict[str, str]) -> Tabs:
    return Tabs(cast(Any, context), "1", targets)


async def test_nothing_is_waited_for_where_nothing_comes(tabs: Tabs, targets: dict[str, str]) -> None:
    opened(targets, "c", "2")
    opened(targets, "d", subtype="prerender")
    opened(targets, "e", type="worker")
    assert tabs.coming == 0
    await tabs.announced()


async def test_a_tab_is_waited_for_until_it_is_announced(
    tabs: Tabs, targets: dict[str, str], context: _Context
) -> None:
    opened(targets, "c")
    assert tabs.coming == 1
    waiting = asyncio.create_task(tabs.announced())
    await asyncio.sleep(0)
    assert not waiting.done()
    context.pages.append(object())
    await waiting
    assert tabs.coming == 0


async def test_a_tab_that_went_at_once_is_not_waited_for(tabs: Tabs, targets: dict[str, str]) -> None:
    opened(targets, "c")
    del targets["c"]
    await tabs.announced()
    assert tabs.coming == 0


async def test_a_tab_that_is_never_announced_is_waited_for_once(
    tabs: Tabs, targets: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ANNOUNCED_S", 0.03)
    opened(targets, "c")
    await tabs.announced()
    assert tabs.coming == 0
    opened(targets, "d")
    assert tabs.coming == 1
