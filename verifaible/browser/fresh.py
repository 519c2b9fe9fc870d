"""Fresh browser contexts, one made ahead: to make one takes longer than to load many a page."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Page

VIEWPORT = {"width": 1280, "height": 900}
_CLOSE_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class Fresh:
    """A context in which nothing has happened yet, with its empty page."""

    browser: Browser
    context: BrowserContext
    page: Page


class Contexts:
    """Gives out contexts, each once, and closes them behind the back of whoever used them."""

    def __init__(self) -> None:
        self._ahead: asyncio.Task[Fresh] | None = None
        self._closing: set[asyncio.Task[None]] = set()

    async def take(self, browser: Browser) -> Fresh:
        """A context of this browser that nobody has used.

        Raises:
            playwright.async_api.Error: the browser died.
        """
        ahead, self._ahead = self._ahead, None
        if ahead is not None:
            with suppress(Exception):  # whatever went wrong ahead of time is tried again now
                fresh = await ahead
                if fresh.browser is browser:
                    return fresh
        return await _make(browser)

    def make_ahead(self, browser: Browser) -> None:
        """Begin to make the next one, if that has not been done."""
        if self._ahead is None:
            self._ahead = asyncio.create_task(_make(browser))
            self._ahead.add_done_callback(_seen)

    def give_back(self, context: BrowserContext) -> None:
        """Close a context; nobody waits for that but ``close``."""
        closing = asyncio.create_task(_closed(context))
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        """Wait until all contexts that were given back are closed, and make no more."""
        if self._ahead is not None:
            self._ahead.cancel()
            await asyncio.gather(self._ahead, return_exceptions=True)
            self._ahead = None
        if self._closing:
            await asyncio.wait(set(self._closing), timeout=_CLOSE_TIMEOUT_S)


async def _make(browser: Browser) -> Fresh:
    context = await browser.new_context(
        viewport={"width": VIEWPORT["width"], "height": VIEWPORT["height"]},
        service_workers="block",
        reduced_motion="reduce",
        color_scheme="light",
        timezone_id="UTC",
        accept_downloads=True,
    )
    return Fresh(browser, context, await context.new_page())


async def _closed(context: BrowserContext) -> None:
    with suppress(Exception):
        await asyncio.wait_for(context.close(), _CLOSE_TIMEOUT_S)


def _seen(task: asyncio.Task[Fresh]) -> None:
    """Take note of a failure, so that nothing is said of it when nobody takes the context."""
    if not task.cancelled():
        task.exception()
