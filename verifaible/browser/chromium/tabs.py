"""Tabs as the browser itself knows them: it tells of a new one before Playwright does.

A tab is there for the browser when ``window.open`` returns; Playwright announces it when it has been set up,
on a busy machine some hundred milliseconds later. Whoever looks in between would miss it.
Source: Chrome DevTools Protocol, domain Target.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import monotonic
from typing import Any, Final
from weakref import WeakKeyDictionary

from verifaible.browser import driver

#: A tab that the browser has opened is announced in milliseconds, on a busy machine in a second.
ANNOUNCED_S = 10.0
_LOOK_AGAIN_S: Final = 0.01
#: The tabs of each browser: by its own name for each, and for its main frame, that for its context.
_CONTEXTS: Final[WeakKeyDictionary[driver.Browser, dict[str, str]]] = WeakKeyDictionary()


async def watch_targets(browser: driver.Browser) -> None:
    """Follow the tabs of a browser from now on.

    Raises:
        playwright.async_api.Error: the browser died.
    """
    contexts = _CONTEXTS.setdefault(browser, {})

    def destroyed(event: Mapping[str, Any]) -> None:
        contexts.pop(event["targetId"], None)

    session = await browser.new_browser_cdp_session()
    session.on("Target.targetCreated", lambda event: created(contexts, event))
    session.on("Target.targetDestroyed", destroyed)
    await session.send("Target.setDiscoverTargets", {"discover": True, "filter": [{"type": "page"}]})


def created(contexts: dict[str, str], event: Mapping[str, Any]) -> None:
    """Note a tab; a page that is only prerendered is none."""
    found = event["targetInfo"]
    if found["type"] == "page" and not found.get("subtype"):
        contexts[found["targetId"]] = found.get("browserContextId", "")


class Tabs:
    """The tabs of one context: whether one is there that has not been announced.

    Args:
        context: the context.
        context_id: the browser's own name for it.
        contexts: the tabs of its browser, with the names of their contexts.
    """

    def __init__(
        self, context: driver.BrowserContext, context_id: str, contexts: Mapping[str, str] | None = None
    ) -> None:
        if contexts is None:
            contexts = _CONTEXTS.setdefault(context.browser, {}) if context.browser is not None else {}
        self._context, self._context_id, self._contexts = context, context_id, contexts
        self._never = 0

    @property
    def ids(self) -> tuple[str, ...]:
        """The browser's own names for them."""
        return tuple(tab for tab, context in self._contexts.items() if context == self._context_id)

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
    with suppress(driver.Error):
        if not page.is_closed():
            await page.wait_for_event("close", timeout=ANNOUNCED_S * 1000)
    return page.is_closed()
