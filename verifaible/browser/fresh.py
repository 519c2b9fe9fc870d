"""Fresh browser contexts, one made ahead: to make one takes longer than to load many a page."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifaible.net.proxy import Admission, EgressProxy

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Page, ProxySettings

VIEWPORT = {"width": 1280, "height": 900}
_CLOSE_TIMEOUT_S = 10.0
#: A context is made in a fraction of a second, in some seconds where the machine is very busy.
_MAKE_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class Fresh:
    """A context in which nothing has happened yet, with its empty page.

    Attributes:
        browser: the browser it belongs to.
        context: the context.
        page: its page.
        admission: what it uses the proxy with; None where there is no proxy.
    """

    browser: Browser
    context: BrowserContext
    page: Page
    admission: Admission | None = None


class Contexts:
    """Gives out contexts, each once, and closes them behind the back of whoever used them.

    ``proxy`` is the way out of each; without one they have that of their browser.
    """

    def __init__(self, proxy: EgressProxy | None = None) -> None:
        self._proxy = proxy
        self._ahead: tuple[Browser, asyncio.Task[Fresh]] | None = None
        self._closing: set[asyncio.Task[None]] = set()

    async def take(self, browser: Browser) -> Fresh:
        """A context of this browser that nobody has used.

        Raises:
            playwright.async_api.Error: the browser died.
        """
        ahead, self._ahead = self._ahead, None
        if ahead is not None:
            made_for, making = ahead
            if made_for is browser:
                with suppress(Exception):  # whatever went wrong ahead of time is tried again now
                    return await _while_alive(browser, making)
            making.cancel()
        return await _while_alive(browser, asyncio.create_task(_make(browser, self._proxy)))

    def make_ahead(self, browser: Browser) -> None:
        """Begin to make the next one, if that has not been done."""
        if self._ahead is None:
            making = asyncio.create_task(_make(browser, self._proxy))
            making.add_done_callback(_seen)
            self._ahead = browser, making

    def give_back(self, fresh: Fresh) -> None:
        """Close a context; nobody waits for that but ``close``."""
        closing = asyncio.create_task(_closed(fresh, self._proxy))
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        """Wait until all contexts that were given back are closed, and make no more."""
        if self._ahead is not None:
            _, making = self._ahead
            making.cancel()
            await asyncio.gather(making, return_exceptions=True)
            self._ahead = None
        if self._closing:
            await asyncio.wait(set(self._closing), timeout=_CLOSE_TIMEOUT_S)


async def _while_alive(browser: Browser, making: asyncio.Task[Fresh]) -> Fresh:
    """What is being made, unless the browser dies first: some calls to a dead one never come back."""
    from playwright.async_api import Error

    gone = asyncio.Event()

    def died(_: Browser) -> None:
        gone.set()

    browser.on("disconnected", died)
    dying = asyncio.create_task(gone.wait())
    try:
        if browser.is_connected():
            await asyncio.wait((making, dying), timeout=_MAKE_TIMEOUT_S, return_when=asyncio.FIRST_COMPLETED)
        if not making.done():
            raise Error("Browser has been closed" if gone.is_set() else "Browser does not answer")
        return making.result()
    finally:
        dying.cancel()
        making.cancel()
        browser.remove_listener("disconnected", died)


async def _make(browser: Browser, proxy: EgressProxy | None) -> Fresh:
    admission = proxy.admit() if proxy is not None else None
    try:
        context = await browser.new_context(
            viewport={"width": VIEWPORT["width"], "height": VIEWPORT["height"]},
            service_workers="block",
            reduced_motion="reduce",
            color_scheme="light",
            timezone_id="UTC",
            accept_downloads=True,
            proxy=_way_out(proxy, admission),
        )
        return Fresh(browser, context, await context.new_page(), admission)
    except BaseException:
        if proxy is not None and admission is not None:
            proxy.dismiss(admission)
        raise


def _way_out(proxy: EgressProxy | None, admission: Admission | None) -> ProxySettings | None:
    if proxy is None or admission is None:
        return None
    return {
        "server": proxy.url,
        "bypass": "<-loopback>",
        "username": admission.username,
        "password": admission.password,
    }


async def _closed(fresh: Fresh, proxy: EgressProxy | None) -> None:
    with suppress(Exception):
        await asyncio.wait_for(fresh.context.close(), _CLOSE_TIMEOUT_S)
    if proxy is not None and fresh.admission is not None:
        proxy.dismiss(fresh.admission)


def _seen(task: asyncio.Task[Fresh]) -> None:
    """Take note of a failure, so that nothing is said of it when nobody takes the context."""
    if not task.cancelled():
        task.exception()
