"""Tabs as the browser itself knows them: it tells of a new one before Playwright does.

A tab is there for the browser when ``window.open`` returns; Playwright announces it when it has been set up,
on a busy machine some hundred milliseconds later. Whoever looks in between would miss it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any
from weakref import WeakKeyDictionary

from verifaible.browser import driver

#: A tab that the browser has opened is announced in milliseconds, on a busy machine in a second.
ANNOUNCED_S = 10.0
_LOOK_AGAIN_S = 0.01


class Targets:
    """The tabs of one browser, by the browser's own name for their contexts.

    Source: Chrome DevTools Protocol, domain Target.
    """

    def __init__(self) -> None:
        self._contexts: dict[str, str] = {}

    def created(self, event: Mapping[str, Any]) -> None:
        """Note a tab; a page that is only prerendered is none."""
        found = event["targetInfo"]
        if found["type"] == "page" and not found.get("subtype"):
            self._contexts[found["targetId"]] = found.get("browserContextId", "")

    def destroyed(self, event: Mapping[str, Any]) -> None:
        """Forget a tab."""
        self._contexts.pop(event["targetId"], None)

    def of(self, context_id: str) -> tuple[str, ...]:
        """The tabs that a context has now, by the browser's name for each and for its main frame."""
        return tuple(tab for tab, context in self._contexts.items() if context == context_id)


_OF_BROWSER: WeakKeyDictionary[driver.Browser, Targets] = WeakKeyDictionary()


async def watch_targets(browser: driver.Browser) -> None:
    """Follow the tabs of a browser from now on.

    Raises:
        playwright.async_api.Error: the browser died.
    """
    targets = _OF_BROWSER.setdefault(browser, Targets())
    session = await browser.new_browser_cdp_session()
    session.on("Target.targetCreated", targets.created)
    session.on("Target.targetDestroyed", targets.destroyed)
    await session.send("Target.setDiscoverTargets", {"discover": True, "filter": [{"type": "page"}]})


class Tabs:
    """The tabs of one context: whether one is there that has not been announced.

    Args:
        context: the context.
        targets: the tabs of its browser.
        context_id: the browser's own name for the context.
    """

    def __init__(self, context: driver.BrowserContext, targets: Targets, context_id: str) -> None:
        self._context = context
        self._targets = targets
        self._context_id = context_id
        self._never = 0

    @property
    def ids(self) -> tuple[str, ...]:
        """The browser's own names for them."""
        return self._targets.of(self._context_id)

    @property
    def coming(self) -> int:
        """How many tabs the browser has that Playwright has not announced yet."""
        return len(self.ids) - len(self._context.pages) - self._never

    async def announced(self, *, is_file: Callable[[], bool] = bool) -> None:
        """Wait until every tab that the browser has is announced, for ANNOUNCED_S at most.

        One that was not announced in that time is not waited for again, nor one that ``is_file`` says to have
        been opened for a file: it never shows a page.
        """
        deadline = monotonic() + ANNOUNCED_S
        while self.coming > 0:
            if is_file() or monotonic() >= deadline:
                self._never += self.coming
                return
            await asyncio.sleep(_LOOK_AGAIN_S)


async def closed_meanwhile(page: driver.Page, error: Exception) -> bool:
    """Whether something failed because its tab closed; Playwright may tell so a moment after the failure."""
    if "closed" not in str(error):
        return False
    deadline = monotonic() + ANNOUNCED_S
    while not page.is_closed():
        if monotonic() >= deadline:
            return False
        await asyncio.sleep(_LOOK_AGAIN_S)
    return True


def tabs_of(context: driver.BrowserContext, context_id: str) -> Tabs:
    """The tabs of a context, which the browser calls so."""
    browser = context.browser
    targets = Targets() if browser is None else _OF_BROWSER.setdefault(browser, Targets())
    return Tabs(context, targets, context_id)
