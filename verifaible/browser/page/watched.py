"""A page in a context of its own: watched, waited for until it has come to rest, and read."""

from __future__ import annotations

import asyncio
import base64
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from verifaible.browser import driver
from verifaible.browser.page.fresh import Fresh
from verifaible.browser.page_time import at_rest
from verifaible.browser.scripts import script, well_formed
from verifaible.browser.traffic.traffic import Document
from verifaible.browser.waiting import bounded
from verifaible.config import Settings
from verifaible.errors import PageError, PageNotLoaded
from verifaible.net.client import REDIRECTS
from verifaible.net.web import Web
from verifaible.schema.action import StepResult
from verifaible.schema.anchor import Rect

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
#: In-page scripts of ours take milliseconds; one that takes this long hangs with its page.
SCRIPT_TIMEOUT_S = 20.0
#: So many dialogs are written down; ``watch.js`` lets a document open as many.
MAX_DIALOGS = 30


class WatchedPage:
    """One page in a fresh context, with everything it asked of the web.

    Attributes:
        page: the page that the steps have led to (a pop-up, if one was opened last).
        frame: the browser's own name for the main frame of its first page.
        tabs: the tabs of its context that the browser has.
        traffic: what the context asked for and got.
        documents: the documents that its first page was answered with.
        guise: how the page sees its reader.
        dialogs: the dialogs that were opened and accepted, as ``type: message``; MAX_DIALOGS at most.
        downloads: files that were announced and are not kept yet.
        played: what the steps did that were played so far, also where a later one failed.
        web: where the page comes from.
        crashed: whether the tab of the page crashed.
        settled: whether the page had come to rest when it was last waited for.
        overdue: whether it still waited for answers then, and its time was over.
        pace_ms: pause after each step, so that a person can follow.
    """

    def __init__(self, fresh: Fresh, web: Web, settings: Settings) -> None:
        context, page = fresh.context, fresh.page
        self.context = context
        self.page = page
        self.frame = fresh.frame
        self.tabs = fresh.tabs
        self._cdp = {page: fresh.cdp}
        self.traffic = fresh.traffic
        self.documents: list[driver.Response] = []
        self.guise = fresh.kind.guise
        self.dialogs: list[str] = []
        self.played: tuple[StepResult, ...] = ()
        self.settled = True
        self.overdue = False
        self.pace_ms: float = 0
        self.web = web
        self._settings = settings
        self.downloads: list[driver.Download] = []
        self._downloading = asyncio.Event()
        self.crashed = False
        self._watch(page)
        page.on("response", self._answered)
        context.on("page", self._opened)

    def _watch(self, page: driver.Page) -> None:
        page.on("dialog", self._dialog)
        page.on("download", self._download)
        page.on("crash", self._crash)

    def _download(self, download: driver.Download) -> None:
        self.downloads.append(download)
        self._downloading.set()

    def _answered(self, response: driver.Response) -> None:
        request = response.request
        if request.is_navigation_request() and request.frame.parent_frame is None and not _is_hop(response):
            self.documents.append(response)

    def _crash(self, page: driver.Page) -> None:
        self.crashed = self.crashed or page is self.page

    def _opened(self, page: driver.Page) -> None:
        if page is not self.page:
            self._watch(page)

    async def _dialog(self, dialog: driver.Dialog) -> None:
        # An open dialog stops the page; it is accepted as most people would, and written down.
        if len(self.dialogs) < MAX_DIALOGS:
            self.dialogs.append(f"{dialog.type}: {dialog.message}")
        with suppress(Exception):
            await (dialog.accept(dialog.default_value) if dialog.type == "prompt" else dialog.accept())

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

    async def settle(self) -> None:
        """Wait until the page is loaded, nothing is on its way and the DOM has come to rest.

        Never waits for "network idle" as browsers define it: long polling would hold it for ever.
        """
        if self.web.archive is not None:
            await self._rest()
            return
        began = monotonic()
        deadline = began + self._settings.settle_timeout_s
        self.overdue = False
        with suppress(driver.TimeoutError):
            await self.page.wait_for_load_state("load", timeout=self._settings.settle_timeout_s * 1000)
        quiet: dict[str, Any] = {
            "quiet_ms": QUIET_MS_LIVE,
            "brief_ms": BRIEF_MS_LIVE,
            "still_ms": STILL_MS,
            "cap_ms": QUIET_CAP_MS,
        }
        for _ in range(MAX_SETTLE_ROUNDS):
            await _until(self.traffic.requests.clear, deadline)
            asked = len(self.traffic.requests.numbers)
            await self.traffic.drain()
            try:
                quiet["elapsed_ms"] = (monotonic() - began) * 1000
                rest = await self.evaluate("quiet", quiet)
                self.settled = bool(rest)
                self.traffic.keep_streams()
                if rest == "asleep" and self.traffic.requests.idle.is_set():
                    await self.traffic.drain()
                    return  # what was asked for meanwhile has come, and the page has stood still since
                if self.traffic.requests.clear.is_set() and len(self.traffic.requests.numbers) == asked:
                    await _until(self.traffic.requests.idle, deadline)
                self.overdue = monotonic() >= deadline and not self.traffic.requests.idle.is_set()
                if (
                    self.traffic.requests.idle.is_set() and len(self.traffic.requests.numbers) == asked
                ) or monotonic() >= deadline:
                    return
            except driver.Error as error:
                _require_navigated(error)
                with suppress(driver.TimeoutError):
                    await self.page.wait_for_load_state("load", timeout=QUIET_CAP_MS)
        self.settled = False

    async def _rest(self) -> None:
        """Wait until a page from an archive has nothing left to do."""
        limit_s = self._settings.page_timeout_s
        began = len(self.traffic.requests.numbers)
        fresh, navigated = True, 0
        while (
            len(self.traffic.requests.numbers) - began <= MAX_SETTLE_REQUESTS
            and navigated <= MAX_SETTLE_ROUNDS
        ):
            try:
                await self.page.wait_for_load_state("domcontentloaded", timeout=limit_s * 1000)
                await asyncio.wait_for(self.traffic.requests.clear.wait(), limit_s)
                asked = len(self.traffic.requests.numbers)
                self.settled = await self.rested(fresh=fresh)
                fresh = False
                if self.traffic.requests.clear.is_set() and len(self.traffic.requests.numbers) == asked:
                    return
            except (driver.TimeoutError, TimeoutError):
                raise PageNotLoaded(
                    f"{self.page.url} was not loaded from its archive within {limit_s:g} s. Try again.",
                    hung=True,
                ) from None
            except driver.Error as error:
                _require_navigated(error)
                navigated += 1
        self.settled = False

    async def rested(self, *, fresh: bool = True) -> bool:
        """Wait until a page from an archive is at rest, as :func:`page_time.at_rest` says.

        Raises:
            PageNotLoaded: it does not answer any more.
        """
        resting = asyncio.ensure_future(
            at_rest(self.page, whole=not self.traffic.requests.holds, fresh=fresh)
        )
        try:
            while not (await asyncio.wait((resting,), timeout=SCRIPT_TIMEOUT_S))[0]:
                await bounded(self.page.evaluate("0"), SCRIPT_TIMEOUT_S, "the page")
        finally:
            resting.cancel()
        return resting.result()

    async def evaluate(self, name: str, argument: Any = None, *, frame: Any = None) -> Any:
        """Run one of our in-page scripts in the page, or in one of its frames."""
        target = frame if frame is not None else self.page
        found = await bounded(target.evaluate(script(name), argument), SCRIPT_TIMEOUT_S, "the page")
        return well_formed(found)

    async def cdp(self) -> driver.CDPSession:
        """The DevTools session of the page; a page has one."""
        if self.page not in self._cdp:
            self._cdp[self.page] = await self.context.new_cdp_session(self.page)
        return self._cdp[self.page]

    async def layout(self) -> tuple[Rect, Rect]:
        """What of the page is in view, and all of it, in CSS pixels of its document."""
        asked = (await self.cdp()).send("Page.getLayoutMetrics")
        told = await bounded(asked, SCRIPT_TIMEOUT_S, "the page")
        view, size = told["cssLayoutViewport"], told["cssContentSize"]
        window = Rect(
            x=view["pageX"], y=view["pageY"], width=view["clientWidth"], height=view["clientHeight"]
        )
        return window, Rect(x=0, y=0, width=size["width"], height=size["height"])

    async def title(self) -> str:
        """The title of the page."""
        return str(well_formed(await bounded(self.page.title(), SCRIPT_TIMEOUT_S, "the page")))

    async def html(self) -> str:
        """The DOM of the page as HTML."""
        return str(well_formed(await bounded(self.page.content(), SCRIPT_TIMEOUT_S, "the page")))

    async def screenshot(self, part: Rect, window: Rect | None = None) -> bytes:
        """A part of the page, in CSS pixels of the document, as PNG.

        Args:
            part: the part.
            window: what of the page is in view, where that is known.

        Raises:
            PageNotLoaded: the browser did not give it in time.
        """
        cdp = await self.cdp()
        window = window or (await self.layout())[0]
        # To picture more than the window the browser makes it larger for a moment, which pages notice.
        fits = (
            window.x <= part.x
            and window.y <= part.y
            and part.x + part.width <= window.x + window.width
            and part.y + part.height <= window.y + window.height
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


def _is_hop(response: driver.Response) -> bool:
    return response.status in REDIRECTS and "location" in response.headers


async def _until(event: asyncio.Event, deadline: float) -> None:
    if not event.is_set():
        with suppress(TimeoutError):
            await asyncio.wait_for(event.wait(), max(0.0, deadline - monotonic()))


def _require_navigated(error: driver.Error) -> None:
    """Make sure that a page was only on its way elsewhere while it was watched.

    Raises:
        PageError: it can not be read.
    """
    if "context was destroyed" not in error.message and "navigation" not in error.message:
        raise PageError(f"The page could not be read ({driver.first_line(error)}).") from error
