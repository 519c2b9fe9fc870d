"""One browser, kept warm; each call gets a context of its own, and nothing leaks between them."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urldefrag, urlsplit

from verifaible.browser.chromium.identity import own_agent, told_by
from verifaible.browser.chromium.launch import launch
from verifaible.browser.chromium.life import answers, kill, process_of
from verifaible.browser.chromium.remote import connect, require_guarded, without_peers
from verifaible.browser.chromium.tabs import watch_targets
from verifaible.browser.page.checks import Documents, passed, past_check
from verifaible.browser.page.fresh import Contexts, Fresh
from verifaible.browser.page.helping import ByKeyboard, Helper
from verifaible.browser.page.profiles import sign_in
from verifaible.browser.page.readiness import Failures
from verifaible.browser.page_time import at_rest
from verifaible.browser.scripts import init_script, script, well_formed
from verifaible.browser.steps import playing
from verifaible.browser.steps.changes import Happenings
from verifaible.browser.traffic.stream_playback import seed_of
from verifaible.browser.traffic.traffic import Document, Traffic, fulfil
from verifaible.browser.traffic.wire import keep_raw_bodies, let_pass
from verifaible.config import Settings
from verifaible.errors import (
    InfrastructureError,
    OfflineMiss,
    PageBlocked,
    PageError,
    PageNotLoaded,
    ToolError,
    UrlRefused,
)
from verifaible.net.guard import UrlGuard
from verifaible.net.identity import AS_IT_IS, Guise
from verifaible.net.proxy import EgressProxy
from verifaible.net.web import Web
from verifaible.schema.action import ActionStep, StepResult
from verifaible.schema.citation import Rect
from verifaible.schema.web import Headers, WebAnswer, WebRequest

if TYPE_CHECKING:
    from playwright.async_api import Browser as PlaywrightBrowser
    from playwright.async_api import Dialog, Download, Page, Playwright, Response, Route
    from playwright.async_api import Error as PlaywrightError

ResultT = TypeVar("ResultT")

#: How long the DOM of a live page must stay as it is, with no request on its way, to count as settled, unless
#: nothing is left that could wake a script (``wakes.js``). One from an archive is at rest when it has nothing
#: left to do (``page_time``).
QUIET_MS_LIVE = 500
#: What is left of that patience then.
BRIEF_MS_LIVE = 40
#: A live page in which a step caused nothing at all has this long to begin something after all.
STILL_MS = 25
#: A page that keeps changing (a clock, a ticker) is read as it is after this long.
QUIET_CAP_MS = 2_500
#: From a click or a failed navigation to the announcement of its download it takes milliseconds.
DOWNLOAD_WAIT_S = 3.0
#: A page that asks for something more each time it has come to rest is read after so many rests.
MAX_SETTLE_ROUNDS = 6
#: One from an archive that asks for so much before it comes to rest never does.
MAX_SETTLE_REQUESTS = 1_000
#: A failed navigation that is reported as such is so within milliseconds of its failed request.
BREAK_WAIT_S = 1.0
#: In-page scripts of ours take milliseconds; one that takes this long hangs with its page.
SCRIPT_TIMEOUT_S = 20.0
#: So many dialogs are written down; ``watch.js`` lets a document open as many.
MAX_DIALOGS = 30
#: A browser starts in about a second, in some more where the machine is very busy.
START_WAIT_S = 60.0
#: From the closing of its pages to the news that a browser has died it takes milliseconds.
DEATH_WAIT_S = 1.0
#: Of a page that refuses to be read so much is passed on, if it can be read in so long.
MOST_SAID = 160
SAID_WAIT_S = 1.0
#: The server knows the page, and does not show it to this reader.
REFUSALS = frozenset({401, 402, 403, 412, 418, 429, 451})
#: Nothing that is read depends on these.
_PICTURES = frozenset({"image", "media", "font"})
_REDIRECT_LOOP = "ERR_TOO_MANY_REDIRECTS"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A page that was loaded; ``document`` instead, where the URL is a file such as a PDF.

    ``look`` is what the script that was asked for found in the page at rest.
    """

    url: str
    status: int
    document: Document | None = None
    look: Any = None


class PageSession:
    """One page in a fresh context, with everything it asked of the web.

    Attributes:
        page: the page that the steps have led to (a pop-up, if one was opened last).
        tabs: the tabs of its context that the browser has.
        traffic: what the context asked for and got.
        failures: what it asked for and did not get.
        happened: the answers that the context got, in the order in which they came.
        documents: the documents that its first page was answered with.
        guise: how the page sees its reader.
        dialogs: the dialogs that were opened and accepted, as ``type: message``; MAX_DIALOGS at most.
        downloads: files that were announced and are not kept yet.
        played: what the steps did that were played so far, also where a later one failed.
        texts: what a reader sees after the last step, frame after frame; empty where nobody watched.
        web: where the page comes from.
        crashed: whether the tab of the page crashed.
        settled: whether the page had come to rest when it was last waited for.
        overdue: whether it still waited for answers then, and its time was over.
        pace_ms: pause after each step, so that a person can follow.
        chance: offline, whether the page takes from chance what it took when it was captured.
        helper: who does what a page asks that shows no content; None: nobody.
        after_step: called when a step was played and the page has settled.
    """

    def __init__(self, fresh: Fresh, web: Web, settings: Settings, *, loaded: Callable[[], None]) -> None:
        context, page = fresh.context, fresh.page
        self._loaded = loaded
        self.context = context
        self.page = page
        self.tabs = fresh.tabs
        self.traffic = fresh.traffic
        self.failures = Failures(context)
        self.happened = Happenings(context)
        self.documents = Documents()
        self.guise = fresh.guise
        self.dialogs: list[str] = []
        self.played: tuple[StepResult, ...] = ()
        self.texts: tuple[str, ...] = ()
        self.settled = True
        self.overdue = False
        self.pace_ms: float = 0
        self.chance = False
        self.helper: Helper | None = None
        self.after_step: Callable[[], Awaitable[None]] | None = None
        self.web = web
        self._settings = settings
        self.downloads: list[Download] = []
        self._downloading = asyncio.Event()
        self.crashed = False
        self._watch(page)
        page.on("response", self.documents.answered)
        context.on("page", self._opened)

    def _watch(self, page: Page) -> None:
        page.on("dialog", self._dialog)
        page.on("download", self._download)
        page.on("crash", self._crash)

    def _download(self, download: Download) -> None:
        self.downloads.append(download)
        self._downloading.set()

    def _crash(self, page: Page) -> None:
        self.crashed = self.crashed or page is self.page

    def _opened(self, page: Page) -> None:
        if page is not self.page:
            self._watch(page)

    async def _dialog(self, dialog: Dialog) -> None:
        # An open dialog stops the page; it is accepted as most people would, and written down.
        if len(self.dialogs) < MAX_DIALOGS:
            self.dialogs.append(f"{dialog.type}: {dialog.message}")
        with suppress(Exception):
            await (dialog.accept(dialog.default_value) if dialog.type == "prompt" else dialog.accept())

    # --- loading -------------------------------------------------------------------------

    async def open(self, url: str, look: str = "") -> Loaded:
        """Load a URL and wait until the page has settled.

        Args:
            url: what to load.
            look: an in-page script for the page at rest; see :meth:`settle`.

        Raises:
            OfflineMiss: the archives do not hold it.
            UrlRefused: the guard refused it.
            PageNotLoaded: network failure, HTTP error, redirect loop or time-out.
            PageBlocked: the server refuses readers like us (401, 403, 429, 451).
        """
        from playwright.async_api import Error
        from playwright.async_api import TimeoutError as PlaywrightTimeout

        if self.web.archive is None:
            self.web.guard.check_host_only(url)  # file:, data: and the like never come to the routing
            self.traffic.begins(url)
            self.traffic.signed_in |= await sign_in(self.context, self._settings, url)
        target = await self._first_hop(url)
        timeout_ms = self._settings.page_timeout_s * 1000
        try:
            async with self._turn(url):
                response = await self._go(target, timeout_ms)
            response = await past_check(self, response, lambda: self._go(target, timeout_ms))
        except PlaywrightTimeout:
            raise PageNotLoaded(
                f"{url} did not load within {self._settings.page_timeout_s:g} s. Try again, or use "
                f"another page.",
                hung=self.web.archive is not None,
            ) from None
        except Error as error:
            # The browser tells of the failed navigation before it tells of the download.
            document = await self.document(expected="Download is starting" in error.message)
            if document is None:
                await self.traffic.drain()
                raise self._failure(url, error.message) from None
            return Loaded(document.url, 200, document)
        self.traffic.checks = passed(self, response)
        if response is None and (document := await self.document(expected=True)) is not None:
            return Loaded(document.url, 200, document)
        status = response.status if response else 200
        if status in REFUSALS:
            if await self.helped(f"The page is refused (HTTP {status})."):
                return await self.open(url, look)
            said = await self._said()
            raise PageBlocked(
                f"{url} refuses to show the page (HTTP {status}){said}. Use another source.", status=status
            )
        if status >= 400:
            raise PageNotLoaded(
                f"{url} answered with HTTP {status}. Check the address, or search for the page.",
                status=status,
            )
        self._loaded()
        found = await self.settle(look)
        return Loaded(self.page.url, status, look=found)

    async def helped(self, reason: str) -> bool:
        """Let a person do what a page asks, once, where one is there; then the page is to be opened again."""
        helper, self.helper = self.helper, None
        if helper is None or self.web.archive is not None:
            return False
        await helper(self.page, reason)
        self.traffic.forget()
        self.traffic.signed_in = True  # whatever the person did, it is theirs
        self.documents.all.clear()
        self.downloads.clear()
        return not self.page.is_closed()

    def _turn(self, url: str) -> AbstractAsyncContextManager[None]:
        """The turn of a live page at its host."""
        return self.web.manners.turn(urlsplit(url).netloc) if self.web.archive is None else nullcontext()

    async def _said(self) -> str:
        """What a page says that is no content, in a few words, to name it by."""
        from playwright.async_api import Error

        with suppress(Error, ToolError):
            shown = await bounded(self.page.inner_text("body", timeout=SAID_WAIT_S * 1000), SAID_WAIT_S, "it")
            words = " ".join(f"{await self.title()}: {shown}".split()).strip(": ")
            return f', which says: "{words[:MOST_SAID]}"' if words else ""
        return ""

    async def _go(self, url: str, timeout_ms: float) -> Response | None:
        """Navigate; a document that breaks off never counts as read, so its failure is watched for."""
        going = asyncio.ensure_future(self.page.goto(url, wait_until="domcontentloaded", timeout=timeout_ms))
        broken = asyncio.ensure_future(self.failures.broken.wait())
        filed = asyncio.ensure_future(self._downloading.wait())
        try:
            await asyncio.wait((going, broken, filed), return_when=asyncio.FIRST_COMPLETED)
            if not going.done():
                await asyncio.wait((going,), timeout=BREAK_WAIT_S)
            if not going.done() and filed.done():
                return None  # the page went on to a file before it was parsed
            if not going.done():
                raise PageNotLoaded(
                    f"{url} broke off while it was sent: it shows a half-loaded page, which is no evidence. "
                    "Try again, or use another source."
                )
            return await going
        finally:
            for each in (broken, filed, going):
                each.cancel()

    async def _first_hop(self, url: str) -> str:
        """Offline, where the archive's redirects lead; the URL itself when live.

        The page's clock is set to when the document was recorded: a page that asks for "today"
        then asks for what the archive holds.
        """
        player = self.web.player()
        if player is None:
            return url
        probe = Traffic()
        last, _ = probe.look_up(player, WebRequest(urldefrag(url).url))
        if probe.recorded_at is not None:
            start_ms = int(probe.recorded_at.astimezone(UTC).timestamp() * 1000)
            await self.context.add_init_script(init_script("clock", str(start_ms)))
        if self.chance and (seed := seed_of(player, urldefrag(url).url)):
            await self.context.add_init_script(init_script("chance", f"'{seed}'"))
        await self.traffic.pass_by(self.context, probe.exchanges[:-1])
        return url if last == urldefrag(url).url else last

    def _failure(self, url: str, message: str) -> Exception:
        first = message.strip().splitlines()[0]
        if self.traffic.misses:
            method, _, missed = self.traffic.misses[0].partition(" ")
            return OfflineMiss(missed, method)
        if self.traffic.refused:
            return UrlRefused(self.traffic.refused[0])
        if _REDIRECT_LOOP in first:
            return PageNotLoaded(f"{url} redirects without end. Use another address.")
        reason = first.rpartition("net::")[2].split(" at ")[0] if "net::" in first else first
        reason = self.traffic.why_unreached(url) or reason
        return PageNotLoaded(f"{url} could not be loaded ({reason}). Check the address, or use another page.")

    async def document(self, *, expected: bool = False) -> Document | None:
        """The file (a PDF, say) that the page or its steps led to last, or None.

        Args:
            expected: wait a moment for a download that has not been announced yet.
        """
        if expected and not self.traffic.documents:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._downloading.wait(), DOWNLOAD_WAIT_S)
        while self.downloads:
            download = self.downloads.pop(0)
            with TemporaryDirectory(prefix="verifaible-download-") as folder:
                # Not its path: a browser of a Playwright server has none here.
                path = Path(folder) / "file"
                await bounded(download.save_as(path), self._settings.page_timeout_s, "the download")
                if path.stat().st_size > self._settings.max_body_bytes:
                    raise PageNotLoaded(
                        f"{download.url} is a file of more than {self._settings.max_body_bytes} bytes, the "
                        "limit of what is read. Look for a smaller document, or raise "
                        "VERIFAIBLE_MAX_BODY_BYTES."
                    )
                body = await asyncio.to_thread(path.read_bytes)
            self.traffic.add_download(download.url, body)
        return self.traffic.documents[-1] if self.traffic.documents else None

    async def settle(self, look: str = "") -> Any:
        """Wait until the page is loaded, nothing is on its way and the DOM has come to rest.

        Never waits for "network idle" as browsers define it: long polling would hold it for ever.

        Args:
            look: an in-page script that takes no argument, run in the moment in which the page has come to
                rest: what it finds is what was waited for, and no second call is needed for it.

        Returns:
            What the look found.
        """
        if self.web.archive is not None:
            return await self._rest(look)
        from playwright.async_api import Error
        from playwright.async_api import TimeoutError as PlaywrightTimeout

        began = monotonic()
        deadline = began + self._settings.settle_timeout_s
        self.overdue = False
        with suppress(PlaywrightTimeout):
            await self.page.wait_for_load_state("load", timeout=self._settings.settle_timeout_s * 1000)
        found: Any = None
        quiet: dict[str, Any] = {
            "look": {},
            "quiet_ms": QUIET_MS_LIVE,
            "brief_ms": BRIEF_MS_LIVE,
            "still_ms": STILL_MS,
            "cap_ms": QUIET_CAP_MS,
        }
        for _ in range(MAX_SETTLE_ROUNDS):
            await _until(self.traffic.clear, deadline)
            asked = self.traffic.asked
            await self.traffic.drain()
            try:
                quiet["elapsed_ms"] = (monotonic() - began) * 1000
                rest = await self.evaluate("quiet", quiet, then=look)
                rest, found = rest if look else (rest, None)
                self.settled = bool(rest)
                self.traffic.keep_streams()
                if rest == "asleep" and self.traffic.idle.is_set():
                    await self.traffic.drain()
                    return found  # what was asked for meanwhile has come, and the page has stood still since
                if self.traffic.clear.is_set() and self.traffic.asked == asked:
                    await _until(self.traffic.idle, deadline)
                self.overdue = monotonic() >= deadline and not self.traffic.idle.is_set()
                if (self.traffic.idle.is_set() and self.traffic.asked == asked) or monotonic() >= deadline:
                    return found
            except Error as error:
                _require_navigated(error)
                with suppress(PlaywrightTimeout):
                    await self.page.wait_for_load_state("load", timeout=QUIET_CAP_MS)
        self.settled = False
        return found

    async def _rest(self, look: str) -> Any:
        """Wait until a page from an archive has nothing left to do; arguments as those of :meth:`settle`."""
        from playwright.async_api import Error
        from playwright.async_api import TimeoutError as PlaywrightTimeout

        found: Any = None
        limit_s = self._settings.page_timeout_s
        began = self.traffic.asked
        fresh, navigated = True, 0
        while self.traffic.asked - began <= MAX_SETTLE_REQUESTS and navigated <= MAX_SETTLE_ROUNDS:
            try:
                await self.page.wait_for_load_state("domcontentloaded", timeout=limit_s * 1000)
                await asyncio.wait_for(self.traffic.clear.wait(), limit_s)
                asked = self.traffic.asked
                self.settled, found = await self.rested(look, fresh=fresh)
                fresh = False
                if self.traffic.clear.is_set() and self.traffic.asked == asked:
                    return found
            except (PlaywrightTimeout, TimeoutError):
                raise PageNotLoaded(
                    f"{self.page.url} was not loaded from its archive within {limit_s:g} s. Try again.",
                    hung=True,
                ) from None
            except Error as error:
                _require_navigated(error)
                navigated += 1
        self.settled = False
        return found

    async def rested(self, look: str = "", *, fresh: bool = True) -> tuple[bool, Any]:
        """Wait until a page from an archive is at rest, as :func:`page_time.at_rest` says.

        Raises:
            PageNotLoaded: it does not answer any more.
        """
        resting = asyncio.ensure_future(
            at_rest(self.page, whole=not self.traffic.holds, fresh=fresh, then=look)
        )
        try:
            while not (await asyncio.wait((resting,), timeout=SCRIPT_TIMEOUT_S))[0]:
                await bounded(self.page.evaluate("0"), SCRIPT_TIMEOUT_S, "the page")
        finally:
            resting.cancel()
        rest, found = resting.result()
        return rest, well_formed(found)

    async def play(
        self, steps: Sequence[ActionStep], *, strict: bool = False, watched: bool = False, look: Any = None
    ) -> tuple[StepResult, ...]:
        """Play action steps in order; the page settles after each.

        Args:
            steps: what to do.
            strict: refuse a selector that finds several elements which do not do the same; without it
                the first visible one is used.
            watched: say of each step what it used, what it did and what changed, too; ``texts`` then has what
                a reader sees in the end.
            look: what :meth:`open` found with ``playing.LOOK``, where that was the last thing done.

        Raises:
            StepFailed: the first step that fails ends the list; ``played`` has those before it.
            PageError: the page hangs, or its tab crashed.
        """
        return await playing.play_all(self, steps, strict=strict, watched=watched, look=look)

    # --- reading -------------------------------------------------------------------------

    async def evaluate(self, name: str, argument: Any = None, *, frame: Any = None, then: str = "") -> Any:
        """Run one of our in-page scripts in the page, or in one of its frames; ``then`` as in ``script``."""
        target = frame if frame is not None else self.page
        found = await bounded(target.evaluate(script(name, then), argument), SCRIPT_TIMEOUT_S, "the page")
        return well_formed(found)

    async def title(self) -> str:
        """The title of the page."""
        return str(well_formed(await bounded(self.page.title(), SCRIPT_TIMEOUT_S, "the page")))

    async def html(self) -> str:
        """The DOM of the page as HTML."""
        return str(well_formed(await bounded(self.page.content(), SCRIPT_TIMEOUT_S, "the page")))

    async def screenshot(self, part: Rect) -> bytes:
        """A part of the page, in CSS pixels of the document, as PNG.

        Raises:
            PageNotLoaded: the browser did not give it in time.
        """
        cdp = await self.context.new_cdp_session(self.page)
        window = (await cdp.send("Page.getLayoutMetrics"))["cssLayoutViewport"]
        # To picture more than the window the browser makes it larger for a moment, which pages notice.
        fits = (
            window["pageX"] <= part.x
            and window["pageY"] <= part.y
            and part.x + part.width <= window["pageX"] + window["clientWidth"]
            and part.y + part.height <= window["pageY"] + window["clientHeight"]
        )
        wanted = {
            "format": "png",
            "optimizeForSpeed": True,
            "clip": {**part.model_dump(), "scale": 1},
            "captureBeyondViewport": not fits,
        }
        limit_s = self._settings.page_timeout_s
        found = await bounded(cdp.send("Page.captureScreenshot", wanted), limit_s, "the screenshot")
        return base64.b64decode(found["data"])


async def _until(event: asyncio.Event, deadline: float) -> None:
    if not event.is_set():
        with suppress(TimeoutError):
            await asyncio.wait_for(event.wait(), max(0.0, deadline - monotonic()))


def _require_navigated(error: PlaywrightError) -> None:
    """Make sure that a page was only on its way elsewhere while it was watched.

    Raises:
        PageError: it can not be read.
    """
    if "context was destroyed" not in error.message and "navigation" not in error.message:
        raise PageError(f"The page could not be read ({error.message.splitlines()[0]}).") from error


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


async def bounded(work: Awaitable[ResultT], seconds: float, what: str) -> ResultT:
    """Await with a limit: a page with an endless script would otherwise hold us for ever."""
    try:
        return await asyncio.wait_for(work, seconds)
    except TimeoutError:
        raise PageNotLoaded(
            f"{what.capitalize()} did not answer within {seconds:g} s: a script on it runs without end. "
            "Use another page.",
            hung=True,
        ) from None


class Browser:
    """A warm Chromium that opens one fresh context per call, and is restarted when it dies."""

    def __init__(
        self, settings: Settings, *, offline: bool, headed: bool = False, slow_ms: float = 0
    ) -> None:
        self._settings = settings
        self._offline = offline
        self._headed = headed
        self._slow_ms = slow_ms
        self._driving: asyncio.Task[Playwright] | None = None
        self._browser: PlaywrightBrowser | None = None
        self._starting = asyncio.Lock()
        self._gone = asyncio.Event()
        self._process: int | None = None
        self._own_agent = ""
        self._headers: dict[Guise, Headers] = {}
        headed = headed or (settings.headed and not offline)
        self._headed = headed
        self.helper: Helper | None = ByKeyboard() if headed and settings.pause_on_block else None
        self._remote = bool(settings.connect) and not headed
        # Offline, a browser of our own has no way out at all; somebody else's has only the proxy, which
        # then lets nothing through.
        self._proxy = EgressProxy() if self._remote or not offline else None
        self._contexts = Contexts(self._proxy)

    async def __aenter__(self) -> Browser:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def version(self) -> str:
        """Version of the running Chromium, or an empty string before its first use."""
        return self._browser.version if self._browser else ""

    async def _ready(self) -> PlaywrightBrowser:
        async with self._starting:
            if self._browser is None or not self._browser.is_connected():
                playwright = await self._driver()
                if self._proxy is not None:
                    await self._proxy.start()
                self._browser = await self._start(playwright)
                self._gone.clear()
                self._browser.on("disconnected", lambda _: self._gone.set())
                self._process = None if self._remote else await process_of(self._browser)
                await watch_targets(self._browser)
                self._own_agent = await own_agent(self._browser)
                self._headers.clear()
                if not self._offline:
                    await keep_raw_bodies(self._browser)
            return self._browser

    async def _driver(self) -> Playwright:
        """Playwright's driver; who is cancelled while it starts leaves its process to ``close``."""
        if self._driving is None:
            from playwright.async_api import async_playwright

            self._driving = asyncio.ensure_future(async_playwright().start())
        try:
            return await asyncio.shield(self._driving)
        except Exception:
            self._driving = None
            raise

    async def _start(self, playwright: Playwright) -> PlaywrightBrowser:
        proxy = self._proxy
        if self._remote and proxy is not None:
            browser = await connect(playwright, self._settings.connect)
            try:
                await require_guarded(browser, proxy)
            except BaseException:
                await browser.close()
                raise
            return browser
        return await launch(
            playwright,
            self._settings,
            offline=self._offline,
            headed=self._headed,
            slow_ms=self._slow_ms,
            proxy_url=proxy.url if proxy is not None else "",
        )

    async def _died(self, browser: PlaywrightBrowser, error: Exception) -> bool:
        """Whether the browser is gone, or had to be ended because it does not answer."""
        if "has been closed" in str(error):  # its pages are told so a moment before it is
            with suppress(TimeoutError):
                await asyncio.wait_for(self._gone.wait(), DEATH_WAIT_S)
        elif await self._end_if_hung(browser):
            return True
        return not browser.is_connected()

    async def _end_if_hung(self, browser: PlaywrightBrowser) -> bool:
        """End a browser that answers nothing any more; the next call starts a new one."""
        if not browser.is_connected() or await answers(browser):
            return False
        if self._process is not None and browser is self._browser:
            kill(self._process)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._gone.wait(), DEATH_WAIT_S)
        if browser is self._browser:
            self._browser = None  # somebody else's is left to them
        return True

    async def close(self) -> None:
        """Stop the browser."""
        await self._contexts.close()
        if self._browser is not None:
            with suppress(Exception):
                await asyncio.wait_for(let_pass(self._browser), 10)
            with suppress(Exception):
                await asyncio.wait_for(self._browser.close(), 10)
        if self._driving is not None:
            with suppress(Exception):
                await asyncio.wait_for((await asyncio.wait_for(self._driving, 10)).stop(), 10)
        if self._proxy is not None:
            await self._proxy.close()
        self._browser = self._driving = None

    def expect_offline(self, guise: Guise) -> None:
        """Have a context for an archive ready soon, beside the page that is being opened."""
        if self._browser is not None:
            self._contexts.make_ahead(self._browser, None, guise)

    def _guise(self, web: Web) -> Guise:
        """How the pages of a web see their reader: those of archives as they did."""
        return web.guise if web.archive is not None else web.guise.resolved(self._own_agent)

    async def is_shell(self) -> bool:
        """Whether it is a headless shell, which names itself to the pages' scripts.

        Raises:
            BrowserMissing, InfrastructureError: it cannot be started.
        """
        headers = dict(await self.request_headers(Web.live(self._settings)))
        return "Headless" in headers.get("sec-ch-ua", "")

    async def request_headers(self, web: Web) -> Headers:
        """The headers by which a live web knows this browser, for files that are fetched beside it.

        Raises:
            InfrastructureError: the browser died.
        """
        from playwright.async_api import Error

        browser = await self._ready()
        guise = self._guise(web)
        if guise not in self._headers:
            try:
                self._headers[guise] = await told_by(browser, guise)
            except Error as error:
                raise InfrastructureError(f"The browser died: {_first_line(error)} Try again.") from error
        return self._headers[guise]

    @asynccontextmanager
    async def warming(self, guard: UrlGuard | None = None) -> AsyncIterator[Browser]:
        """Start in the background, with a context made ahead, and stop at the end.

        A start that fails is tried again by the first page, which tells why. Nothing interrupts it: half of
        it would be left behind.

        Args:
            guard: that of the live web whose pages come first; None for the offline web.
        """

        async def start() -> None:
            with suppress(Exception):
                await asyncio.to_thread(import_module, "playwright.async_api")
                browser = await self._ready()
                guise = AS_IT_IS if guard is None else Guise.of(self._settings).resolved(self._own_agent)
                self._contexts.make_ahead(browser, guard, guise)

        starting = asyncio.create_task(start())
        try:
            yield self
        finally:
            try:
                await asyncio.wait({starting}, timeout=START_WAIT_S)
            finally:
                await self.close()

    @asynccontextmanager
    async def page(
        self, web: Web, *, pictures: bool = True, given: WebAnswer | None = None
    ) -> AsyncIterator[PageSession]:
        """A page in a fresh context over the given web.

        Args:
            web: where the page comes from.
            pictures: False where no picture of the page is wanted: a live one then loads none.
            given: the page itself, where it has been fetched already: it is not asked for again. Without
                pictures only.

        Raises:
            InfrastructureError: the browser died or did not answer; the next call starts a new one.
        """
        from playwright.async_api import Error

        browser = await self._ready()
        try:
            guard = None if web.archive is not None else web.guard
            fresh = await self._contexts.take(browser, guard, self._guise(web))
        except Error as error:
            await self._end_if_hung(browser)
            raise InfrastructureError(f"The browser died: {error.message.splitlines()[0]}") from error
        try:
            session = await self._prepare(fresh, web, pictures=pictures, given=given)
            session.pace_ms = self._slow_ms
            session.helper = self.helper
            yield session
            if given is not None:
                self._contexts.make_ahead(browser, fresh.guard, fresh.guise)
        except (Error, ToolError) as error:
            # Whatever failed while the browser died failed because of it, not because of the page.
            if await self._died(browser, error):
                raise InfrastructureError(f"The browser died: {_first_line(error)} Try again.") from error
            if isinstance(error, ToolError):
                raise
            raise PageError(f"The page failed while it was used: {_first_line(error)} Try again.") from error
        finally:
            self._contexts.give_back(fresh)

    async def _prepare(
        self, fresh: Fresh, web: Web, *, pictures: bool, given: WebAnswer | None
    ) -> PageSession:
        context = fresh.context
        context.set_default_timeout(self._settings.page_timeout_s * 1000)
        player = web.player()
        work: list[Awaitable[object]] = [without_peers(context)] if self._remote else []
        if player is not None:
            work.append(fresh.traffic.route_offline(context, player))
            if fresh.guise.user_agent:
                work.append(context.add_init_script(init_script("hints", "")))
        elif not pictures:
            work.append(context.route("**/*", _only_text(given)))
        await asyncio.gather(*work)

        def loaded() -> None:
            # A page that is only read rests at once: to make the next context beside it would slow it down.
            if self._browser is not None and given is None:
                self._contexts.make_ahead(self._browser, fresh.guard, fresh.guise)

        return PageSession(fresh, web, self._settings, loaded=loaded)


def _only_text(given: WebAnswer | None) -> Callable[[Route], Awaitable[None]]:
    """What leaves out pictures, and answers the first request for a page with what is given of it."""
    left = [given] if given is not None else []

    async def handle(route: Route) -> None:
        request = route.request
        if request.resource_type in _PICTURES:
            await route.abort("blockedbyclient")
        elif left and request.is_navigation_request() and urldefrag(request.url).url == left[0].url:
            await fulfil(route, left.pop().response)
        else:
            await route.fallback()

    return handle
