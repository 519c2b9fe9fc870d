"""One browser, kept warm; each call gets a context of its own, and nothing leaks between them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from urllib.parse import urldefrag

from verifaible.browser import driver
from verifaible.browser.chromium.launch import launch
from verifaible.browser.chromium.running import Identity, answers, kill, process_of
from verifaible.browser.page.fresh import Contexts, Fresh, Kind
from verifaible.browser.page.session import ByKeyboard, Helper, PageSession
from verifaible.browser.recording import Recording
from verifaible.browser.traffic.traffic import joined
from verifaible.browser.traffic.wire import keep_raw_bodies
from verifaible.config import Settings
from verifaible.errors import InfrastructureError, PageError, ToolError
from verifaible.net.egress import EgressProxy
from verifaible.net.guard import UrlGuard
from verifaible.net.identity import AS_IT_IS, Guise
from verifaible.net.web import Web
from verifaible.schema.web import Headers, WebAnswer

#: A browser starts in about a second, in some more where the machine is very busy.
START_WAIT_S = 60.0
#: From the closing of its pages to the news that a browser has died it takes milliseconds.
DEATH_WAIT_S = 1.0
#: A browser that hangs answers no goodbye.
LET_GO_WAIT_S = 10.0
#: Nothing that is read depends on these.
_PICTURES = frozenset({"image", "media", "font"})


class Browser:
    """A warm Chromium that opens one fresh context per call, and is restarted when it dies."""

    def __init__(
        self,
        settings: Settings,
        *,
        offline: bool,
        headed: bool = False,
        slow_ms: float = 0,
    ) -> None:
        """A browser that starts with its first page.

        Args:
            settings: which Chromium, and how it opens pages.
            offline: its pages come from archives alone, and it reaches nothing.
            headed: in a window.
            slow_ms: pause after each step that is played, so that a person can follow.
        """
        self._settings = settings
        self._offline = offline
        self._slow_ms = slow_ms
        self._driving: asyncio.Task[driver.Playwright] | None = None
        self._browser: driver.Browser | None = None
        self._starting = asyncio.Lock()
        self._gone = asyncio.Event()
        self._process: int | None = None
        self._identity = Identity()
        self._headed = headed or (settings.headed and not offline)
        self.helper: Helper | None = ByKeyboard() if self._headed and settings.pause_on_block else None
        # Offline, it has no way out at all; else each context has its own: that of an archive leads nowhere.
        self._proxy = None if offline else EgressProxy()
        self._contexts = Contexts(self._proxy)
        self._kinds: dict[bool, Kind] = {}
        self._in_use = 0

    async def __aenter__(self) -> Browser:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # --- the process -------------------------------------------------------------------------

    @property
    def version(self) -> str:
        """Version of the running Chromium, or an empty string before its first use."""
        return self._browser.version if self._browser else ""

    async def start(self) -> None:
        """Start now, unless it runs; otherwise the first page does.

        Raises:
            BrowserMissing, ConfigError: there is no browser, or none that may be used.
            InfrastructureError: it does not start.
        """
        await self._ready()

    async def _ready(self) -> driver.Browser:
        async with self._starting:
            if self._browser is None or not self._browser.is_connected():
                playwright = await self._driver()
                if self._proxy is not None:
                    await self._proxy.start()
                browser = await self._start(playwright)
                try:
                    await self._set_up(browser)
                except BaseException:  # nobody shall get half of it
                    await _let_go(browser)
                    raise
                self._browser = browser
            return self._browser

    async def _set_up(self, browser: driver.Browser) -> None:
        self._gone.clear()
        browser.on("disconnected", lambda _: self._gone.set())
        self._process = await process_of(browser)
        self._identity = await Identity.of(browser)
        if not self._offline:
            await keep_raw_bodies(browser)

    async def _driver(self) -> driver.Playwright:
        """Playwright's driver; who is cancelled while it starts leaves its process to ``close``."""
        if self._driving is None:
            self._driving = asyncio.ensure_future(driver.async_playwright().start())
        try:
            return await asyncio.shield(self._driving)
        except Exception:
            self._driving = None
            raise

    async def _start(self, playwright: driver.Playwright) -> driver.Browser:
        return await launch(
            playwright,
            self._settings,
            offline=self._offline,
            headed=self._headed,
            proxy_url=self._proxy.url if self._proxy is not None else "",
        )

    async def _require_alive(self, browser: driver.Browser, error: Exception) -> None:
        """Make sure that it was the page that failed: what fails while the browser dies fails because of it.

        Raises:
            InfrastructureError: the browser is gone, or had to be ended because it does not answer.
        """
        hung = False
        if "has been closed" in str(error):  # its pages are told so a moment before it is
            await self._wait_until_gone()
        else:
            hung = await self._end_if_hung(browser)
        if hung or not browser.is_connected():
            raise InfrastructureError(f"The browser died: {driver.first_line(error)} Try again.") from error

    async def _wait_until_gone(self) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._gone.wait(), DEATH_WAIT_S)

    async def _end_if_hung(self, browser: driver.Browser) -> bool:
        """End a browser that answers nothing any more; the next call starts a new one."""
        if not browser.is_connected() or await answers(browser):
            return False
        if browser is self._browser:
            if self._process is not None:
                kill(self._process)
                await self._wait_until_gone()
            self._browser = None
        return True

    async def close(self) -> None:
        """Stop the browser."""
        await self._contexts.close()
        if self._browser is not None:
            await _let_go(self._browser)
        if self._driving is not None:
            with suppress(Exception):
                await asyncio.wait_for((await asyncio.wait_for(self._driving, 10)).stop(), 10)
        if self._proxy is not None:
            await self._proxy.close()
        self._browser = self._driving = None

    @asynccontextmanager
    async def warming(self, guard: UrlGuard | None = None) -> AsyncIterator[Browser]:
        """Start in the background, with a context made ahead, and stop at the end.

        Nothing interrupts the start: half of it would be left behind.

        Args:
            guard: that of the live web whose pages come first; None for the offline web.
        """

        async def get_ready() -> None:
            with suppress(Exception):  # the first page tries a failed start again, and says why
                running = await self._ready()
                guise = AS_IT_IS if guard is None else Guise.of(self._settings)
                self._contexts.make_ahead(self._kind(running, guard, guise))

        # Two imports at once hold each other up; whoever imports more now does so beside the start.
        await asyncio.to_thread(import_module, "playwright.async_api")
        starting = asyncio.create_task(get_ready())
        try:
            yield self
        finally:
            try:
                await asyncio.wait({starting}, timeout=START_WAIT_S)
            finally:
                await self.close()

    # --- its contexts ------------------------------------------------------------------------

    def expect_offline(self, guise: Guise) -> None:
        """Have a context for an archive ready soon, beside the page that is being opened, unless one is."""
        if self._browser is not None:
            self._contexts.make_ahead(self._kind(self._browser, None, guise))

    def _make_ahead(self, used: Fresh) -> None:
        """Have the next context of each kind ready, once no page is open: nobody waits then."""
        self._kinds[used.kind.guard is not None] = used.kind
        if not self._in_use:
            for kind in self._kinds.values():
                if kind.browser is self._browser:
                    self._contexts.make_ahead(kind)

    def _kind(self, browser: driver.Browser, guard: UrlGuard | None, guise: Guise) -> Kind:
        return Kind(browser, self._identity, guard, guise.resolved(self._identity.agent))

    async def request_headers(self, web: Web) -> Headers:
        """The headers by which a live web knows this browser, for files that are fetched beside it.

        Raises:
            InfrastructureError: the browser does not start.
        """
        await self._ready()
        return self._identity.headers(web.guise.resolved(self._identity.agent))

    @asynccontextmanager
    async def page(
        self, web: Web, *, pictures: bool = True, given: WebAnswer | None = None
    ) -> AsyncIterator[PageSession]:
        """A page in a fresh context over the given web; with a recorder, what it loaded is kept at the end.

        Args:
            web: where the page comes from.
            pictures: False where no picture of the page is wanted: a live one then loads none.
            given: the page itself, where it has been fetched already: it is not asked for again. Without
                pictures only.

        Raises:
            InfrastructureError: the browser died or did not answer; the next call starts a new one.
            StoreError: what was loaded cannot be kept, because the disk is full.
        """
        self._in_use += 1
        fresh: Fresh | None = None
        try:
            fresh = await self._fresh(web)
            fresh.context.set_default_timeout(self._settings.page_timeout_s * 1000)
            fresh.traffic.player = web.player()
            if web.archive is None and web.recorder is None and not pictures:
                await fresh.context.route("**/*", _only_text(given))
            session = PageSession(fresh, web, self._settings)
            session.pace_ms, session.helper = self._slow_ms, self.helper
            recording = Recording(session)
            try:
                yield session
            except InfrastructureError:
                raise
            except Exception:
                await recording.keep()
                raise
            await recording.keep()
        except (driver.Error, ToolError) as error:
            if fresh is not None:
                await self._require_alive(fresh.kind.browser, error)
            if fresh is None or isinstance(error, ToolError):
                raise
            raise PageError(
                f"The page failed while it was used: {driver.first_line(error)} Try again."
            ) from error
        finally:
            self._in_use -= 1
            if fresh is not None:
                self._contexts.give_back(fresh)
                self._make_ahead(fresh)

    async def _fresh(self, web: Web) -> Fresh:
        """A context that nobody has used; a browser that dies before there is one is started again, once."""
        guard = None if web.archive is not None else web.guard
        again = True
        while True:
            browser = await self._ready()
            try:
                return await self._contexts.take(self._kind(browser, guard, web.guise))
            except driver.Error as error:
                await self._end_if_hung(browser)
                if not again or browser.is_connected():
                    raise InfrastructureError(f"The browser died: {driver.first_line(error)}") from error
                again = False


async def _let_go(browser: driver.Browser) -> None:
    """Stop a browser; one that hangs answers no goodbye."""
    with suppress(Exception):
        await asyncio.wait_for(browser.close(), LET_GO_WAIT_S)


def _only_text(given: WebAnswer | None) -> Callable[[driver.Route], Awaitable[None]]:
    """What leaves out pictures, and answers the first request for a page with what is given of it."""
    left = [given] if given is not None else []

    async def handle(route: driver.Route) -> None:
        request = route.request
        if request.resource_type in _PICTURES:
            await route.abort("blockedbyclient")
        elif left and request.is_navigation_request() and urldefrag(request.url).url == left[0].url:
            answer = left.pop().response
            await route.fulfill(status=answer.status, headers=joined(answer.headers), body=answer.body)
        else:
            await route.fallback()

    return handle
