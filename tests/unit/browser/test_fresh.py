"""What is made of a context and what is left of it, whatever goes wrong; with a browser made of nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, cast

import pytest
import pytest_asyncio
from playwright.async_api import Error

from tests.idle_time import idle_time
from verifaible.browser.chromium.running import Identity
from verifaible.browser.page.fresh import Contexts, Fresh, Kind
from verifaible.net.egress import EgressProxy
from verifaible.net.guard import UrlGuard


class _Session:
    async def send(self, method: str, _: object = None) -> dict[str, Any]:
        if method == "Target.getTargetInfo":
            return {"targetInfo": {"targetId": "T", "browserContextId": "1"}}
        assert method == "Target.attachToTarget"
        return {"sessionId": "S"}

    def on(self, *_: object) -> None:
        return


class _Page:
    def on(self, *_: object) -> None:
        return


class _Context:
    def __init__(self, browser: _Browser) -> None:
        self.browser = browser
        self.closed = False
        self.routes = 0
        self.pages: list[object] = []

    async def add_init_script(self, _: str) -> None:
        return

    async def route(self, *_: object) -> None:
        self.routes += 1

    async def route_web_socket(self, *_: object) -> None:
        return

    def on(self, *_: object) -> None:
        return

    async def new_page(self) -> object:
        if self.browser.fails:
            raise Error("Target page, context or browser has been closed")
        self.pages.append(_Page())
        return self.pages[-1]

    async def new_cdp_session(self, _: object) -> _Session:
        return _Session()

    async def close(self) -> None:
        self.closed = True


class _Browser:
    """Makes contexts as long as ``slow`` lets it; their pages fail while ``fails`` is set."""

    def __init__(self) -> None:
        self.contexts: list[_Context] = []
        self.fails = False
        self.slow: asyncio.Event | None = None
        self.alive = True

    def is_connected(self) -> bool:
        return self.alive

    def on(self, *_: object) -> None:
        return

    def remove_listener(self, *_: object) -> None:
        return

    async def new_browser_cdp_session(self) -> _Session:
        return _Session()

    async def new_context(self, **_: object) -> _Context:
        if self.slow is not None:
            await self.slow.wait()
        self.contexts.append(_Context(self))
        return self.contexts[-1]


@pytest_asyncio.fixture
async def proxy(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[EgressProxy]:
    idle_time(monkeypatch)
    async with EgressProxy() as started:
        yield started


async def take(contexts: Contexts, browser: _Browser, guard: UrlGuard | None = None) -> Fresh:
    return await contexts.take(Kind(cast(Any, browser), Identity(), guard))


def make_ahead(contexts: Contexts, browser: _Browser, guard: UrlGuard | None = None) -> None:
    contexts.make_ahead(Kind(cast(Any, browser), Identity(), guard))


def admitted(proxy: EgressProxy) -> int:
    """How many contexts may use the proxy."""
    return len(proxy._ports) - 1  # one is of no context


async def test_a_context_whose_page_fails_is_closed(proxy: EgressProxy) -> None:
    contexts, browser = Contexts(proxy), _Browser()
    browser.fails = True
    with pytest.raises(Error):
        await take(contexts, browser)
    await contexts.close()
    assert [each.closed for each in browser.contexts] == [True]
    assert admitted(proxy) == 0


async def test_a_failure_ahead_of_time_is_tried_again(proxy: EgressProxy) -> None:
    contexts, browser = Contexts(proxy), _Browser()
    browser.fails = True
    make_ahead(contexts, browser)
    await asyncio.sleep(0.01)
    browser.fails = False
    fresh = await take(contexts, browser)
    assert fresh.context is cast(Any, browser.contexts[1])
    assert [each.closed for each in browser.contexts] == [True, False]
    assert admitted(proxy) == 1
    contexts.give_back(fresh)
    await contexts.close()
    assert admitted(proxy) == 0


@pytest.mark.parametrize("made", [True, False], ids=["made", "being made"])
async def test_what_a_dead_browser_made_ahead_may_no_longer_use_the_proxy(
    proxy: EgressProxy, made: bool
) -> None:
    contexts, dead, alive = Contexts(proxy), _Browser(), _Browser()
    dead.slow = None if made else asyncio.Event()
    make_ahead(contexts, dead)
    await asyncio.sleep(0.01)
    dead.alive = False
    fresh = await take(contexts, alive)
    assert fresh.kind.browser is cast(Any, alive)
    await asyncio.sleep(0.01)
    assert [each.closed for each in dead.contexts] == [True] * made
    contexts.give_back(fresh)
    await contexts.close()
    await asyncio.sleep(0)
    assert admitted(proxy) == 0


async def test_a_context_that_is_made_too_late_is_closed(proxy: EgressProxy) -> None:
    contexts, browser = Contexts(proxy), _Browser()
    browser.slow = asyncio.Event()
    taking = asyncio.create_task(take(contexts, browser))
    await asyncio.sleep(0.01)
    taking.cancel()
    await asyncio.gather(taking, return_exceptions=True)
    browser.slow.set()
    await asyncio.sleep(0.01)
    assert [each.closed for each in browser.contexts] == [True]
    assert admitted(proxy) == 0


async def test_a_context_made_ahead_is_closed_at_the_end(proxy: EgressProxy) -> None:
    contexts, browser = Contexts(proxy), _Browser()
    make_ahead(contexts, browser)
    await asyncio.sleep(0.01)
    await contexts.close()
    assert [each.closed for each in browser.contexts] == [True]
    assert admitted(proxy) == 0


async def test_a_live_context_is_routed_ahead_and_only_for_its_guard(proxy: EgressProxy) -> None:
    contexts, browser = Contexts(proxy), _Browser()
    guard, other = UrlGuard(()), UrlGuard(())
    make_ahead(contexts, browser, guard)
    await asyncio.sleep(0.01)
    fresh = await take(contexts, browser, guard)
    assert [each.routes for each in browser.contexts] == [1]
    assert fresh.kind.guard is guard
    make_ahead(contexts, browser, guard)
    await asyncio.sleep(0.01)
    assert (await take(contexts, browser, other)).kind.guard is other
    assert (await take(contexts, browser)).kind.guard is None
    assert [each.routes for each in browser.contexts] == [1, 1, 1, 1]
    await asyncio.sleep(0.01)
    assert [each.closed for each in browser.contexts] == [False, True, False, False]
    await contexts.close()


async def test_one_of_each_kind_is_ready(proxy: EgressProxy) -> None:
    contexts, browser = Contexts(proxy), _Browser()
    guard = UrlGuard(())
    make_ahead(contexts, browser, guard)
    make_ahead(contexts, browser)
    make_ahead(contexts, browser)  # there is one
    await asyncio.sleep(0.01)
    assert len(browser.contexts) == 2
    assert (await take(contexts, browser)).kind.guard is None
    assert (await take(contexts, browser, guard)).kind.guard is guard
    assert len(browser.contexts) == 2
    await contexts.close()


async def test_a_hanging_browser_is_not_asked_what_its_page_is_called(
    proxy: EgressProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    contexts, browser = Contexts(proxy), _Browser()
    fresh = await take(contexts, browser, UrlGuard(()))
    monkeypatch.setattr(fresh.tabs, "ids", None)
    raw = fresh.traffic._raw
    fresh.traffic.keep_nothing(fresh.frame)
    assert list(raw.unwanted) == ["T"]
    contexts.give_back(fresh)
    await contexts.close()


async def test_what_a_dead_browser_was_making_is_not_waited_for(proxy: EgressProxy) -> None:
    contexts, dead = Contexts(proxy), _Browser()
    dead.slow = asyncio.Event()
    make_ahead(contexts, dead)
    await asyncio.sleep(0.01)
    dead.alive = False
    await asyncio.wait_for(contexts.close(), 5)
    assert admitted(proxy) == 0
