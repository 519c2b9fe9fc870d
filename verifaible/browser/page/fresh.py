"""Fresh browser contexts, made ahead: to make one takes longer than to load many a page.

One is ready for the live web and one for archives, since a citation takes both. They are made when the
browser is idle.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from verifaible.browser import driver
from verifaible.browser.chromium.launch import VIEWPORT, way_out
from verifaible.browser.chromium.running import Identity
from verifaible.browser.chromium.tabs import Tabs
from verifaible.browser.snapshot import attach
from verifaible.browser.traffic.offline import route_offline
from verifaible.browser.traffic.traffic import Traffic
from verifaible.net.egress import Admission, EgressProxy
from verifaible.net.guard import UrlGuard
from verifaible.net.identity import AS_IT_IS, Guise

_CLOSE_TIMEOUT_S = 10.0
#: A context is made in a fraction of a second, in some seconds where the machine is very busy.
_MAKE_TIMEOUT_S = 60.0


class Kind(NamedTuple):
    """What tells contexts apart.

    Attributes:
        browser: the browser they belong to.
        identity: what that calls itself.
        guard: what a live context is routed by; None for one that an archive will answer.
        guise: how its pages see their reader.
    """

    browser: driver.Browser
    identity: Identity
    guard: UrlGuard | None = None
    guise: Guise = AS_IT_IS


@dataclass(frozen=True, slots=True)
class Fresh:
    """A context in which nothing has happened yet, with its empty page.

    Attributes:
        kind: what was asked for.
        context: the context.
        page: its page.
        frame: the browser's own name for that and its main frame.
        cdp: a DevTools session of the page.
        tabs: the tabs that the browser has of it.
        traffic: what the context asks for and gets; it is routed already.
        admission: what it uses the proxy with; None where there is no proxy.
    """

    kind: Kind
    context: driver.BrowserContext
    page: driver.Page
    frame: str
    cdp: driver.CDPSession
    tabs: Tabs
    traffic: Traffic
    admission: Admission | None = None


class Contexts:
    """Gives out contexts, each once, and closes them behind the back of whoever used them.

    ``proxy`` is the way out of each; without one they have that of their browser.
    """

    def __init__(self, proxy: EgressProxy | None = None) -> None:
        self._proxy = proxy
        self._ahead: dict[bool, tuple[Kind, asyncio.Task[Fresh]]] = {}
        self._closing: set[asyncio.Future[None]] = set()

    async def take(self, kind: Kind) -> Fresh:
        """A context of this kind that nobody has used.

        Raises:
            playwright.async_api.Error: the browser died.
        """
        ready, making = self._ahead.pop(kind.guard is not None, (None, None))
        if making is not None and ready == kind:
            with suppress(Exception):  # whatever went wrong ahead of time is tried again now
                return await self._while_alive(kind, making)
        elif ready is not None and making is not None:
            self._drop(ready, making)
        return await self._while_alive(kind, asyncio.create_task(self._make(kind)))

    def make_ahead(self, kind: Kind) -> None:
        """Begin to make the next one, live or for an archive, if none such is ready."""
        if (kind.guard is not None) not in self._ahead:
            making = asyncio.create_task(self._make(kind))
            # A failure is taken note of, so that nothing is said of it when nobody takes the context.
            making.add_done_callback(lambda task: task.cancelled() or task.exception())
            self._ahead[kind.guard is not None] = kind, making

    def give_back(self, fresh: Fresh) -> None:
        """Close a context; nobody waits for that but ``close``."""
        fresh.traffic.over.set()
        self._later(self._close(fresh.context, fresh.admission))

    async def close(self) -> None:
        """Wait until all contexts that were given back are closed, and make no more."""
        for kind, making in self._ahead.values():
            self._drop(kind, making)
        self._ahead.clear()
        while self._closing:
            done, left = await asyncio.wait(set(self._closing), timeout=_CLOSE_TIMEOUT_S)
            if not done:  # a dead browser never answers
                for each in left:
                    each.cancel()
                await asyncio.gather(*left, return_exceptions=True)

    def _later(self, work: Awaitable[None]) -> None:
        """Begin something that nobody awaits but ``close``, and hold on to it until it is done."""
        task = asyncio.ensure_future(work)
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    def _drop(self, kind: Kind, making: asyncio.Task[Fresh]) -> None:
        """Close a context that nobody will take, now or as soon as it is made; a dead browser makes none."""
        if not kind.browser.is_connected():
            making.cancel()

        async def dropped() -> None:
            with suppress(Exception):
                self.give_back(await making)

        self._later(dropped())

    async def _close(self, context: driver.BrowserContext, admission: Admission | None) -> None:
        try:
            with suppress(Exception):
                await asyncio.wait_for(context.close(), _CLOSE_TIMEOUT_S)
        finally:
            self._dismiss(admission)

    def _dismiss(self, admission: Admission | None) -> None:
        if self._proxy is not None and admission is not None:
            self._proxy.dismiss(admission)

    async def _make(self, kind: Kind) -> Fresh:
        browser, identity, guard, guise = kind
        admission = self._proxy.admit() if self._proxy is not None else None
        try:
            context = await browser.new_context(
                viewport=VIEWPORT,
                service_workers="block",
                reduced_motion="reduce",
                color_scheme="light",
                timezone_id=guise.timezone,
                user_agent=guise.user_agent or None,
                locale=guise.language or None,
                accept_downloads=True,
                proxy=way_out(admission) if admission is not None else None,
            )
        except BaseException:
            self._dismiss(admission)
            raise

        async def opened(page: driver.Page) -> None:
            with suppress(driver.Error):  # it may be closed already
                await identity.put_on(await context.new_cdp_session(page), guise)

        try:
            traffic = Traffic()
            # A context without pages is routed several times as fast as one that has some.
            await (
                route_offline(traffic, context)
                if guard is None
                else traffic.route_live(context, guard, admission)
            )
            page = await context.new_page()
            cdp = await context.new_cdp_session(page)
            told, _ = await asyncio.gather(cdp.send("Target.getTargetInfo"), identity.put_on(cdp, guise))
            target = told["targetInfo"]
            line = await attach(page, browser, target["targetId"])
            tabs = Tabs(context, str(target.get("browserContextId", "")), line.of_browser)
            context.on("page", opened)
            return Fresh(kind, context, page, target["targetId"], cdp, tabs, traffic, admission)
        except BaseException:
            self._later(self._close(context, admission))
            raise

    async def _while_alive(self, kind: Kind, making: asyncio.Task[Fresh]) -> Fresh:
        """What is being made, unless the browser dies first: some calls to a dead one never come back."""
        browser, gone = kind.browser, asyncio.Event()

        def died(_: driver.Browser) -> None:
            gone.set()

        browser.on("disconnected", died)
        dying = asyncio.create_task(gone.wait())
        try:
            if browser.is_connected():
                waited_for = (making, dying)
                await asyncio.wait(waited_for, timeout=_MAKE_TIMEOUT_S, return_when=asyncio.FIRST_COMPLETED)
            if not making.done():
                raise driver.Error("Browser has been closed" if gone.is_set() else "Browser does not answer")
            return making.result()
        except BaseException:
            self._drop(kind, making)
            raise
        finally:
            dying.cancel()
            browser.remove_listener("disconnected", died)
