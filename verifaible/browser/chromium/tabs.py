"""Tabs as the browser itself knows them: it has a new one before Playwright tells of it.

A tab is there for the browser when ``window.open`` returns; Playwright announces it when it has been set up,
on a busy machine some hundred milliseconds later. Whoever looks in between would miss it.
Source: Chrome DevTools Protocol, domain Target.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Final

from verifaible.browser import driver
from verifaible.browser.waiting import bounded

#: A tab that the browser has opened is announced in milliseconds, on a busy machine in a second.
ANNOUNCED_S = 10.0
_LOOK_AGAIN_S: Final = 0.01
#: A browser tells its tabs in milliseconds; one that takes this long hangs.
ANSWER_S = 20.0


class Tabs:
    """The tabs of one context: whether one is there that has not been announced.

    Args:
        context: the context.
        context_id: the browser's own name for it.
        of_browser: a DevTools session of its browser.
    """

    def __init__(
        self, context: driver.BrowserContext, context_id: str, of_browser: driver.CDPSession
    ) -> None:
        self._context, self._context_id, self._of_browser = context, context_id, of_browser
        self._never = 0

    async def ids(self) -> list[str]:
        """The browser's own names for them and their main frames; what is only prerendered is none.

        Raises:
            PageNotLoaded: the browser does not answer.
        """
        asking = self._of_browser.send("Target.getTargets", {"filter": [{"type": "page"}]})
        told = await bounded(asking, ANSWER_S, "the browser")
        own = (each for each in told["targetInfos"] if each.get("browserContextId") == self._context_id)
        return [each["targetId"] for each in own if each["type"] == "page" and not each.get("subtype")]

    async def coming(self) -> int:
        """How many tabs the browser has that Playwright has not announced yet."""
        return len(await self.ids()) - len(self._context.pages) - self._never

    async def announced(self, *, is_file: Callable[[], bool] = bool) -> None:
        """Wait until every tab that the browser has is announced, for ANNOUNCED_S at most.

        One that was not announced in that time is not waited for again, nor one that ``is_file`` says to have
        been opened for a file: it never shows a page.
        """
        deadline = monotonic() + ANNOUNCED_S
        while (coming := await self.coming()) > 0:
            if is_file() or monotonic() >= deadline:
                self._never += coming
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
