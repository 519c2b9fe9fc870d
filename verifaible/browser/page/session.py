"""One page and what leads to it: opened by its address, past checks, from the web or an archive."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC
from time import monotonic
from typing import Any, TypeAlias
from urllib.parse import urldefrag, urlsplit

from verifaible.browser import driver
from verifaible.browser.page.fresh import Fresh
from verifaible.browser.page.profiles import sign_in
from verifaible.browser.page.watched import WatchedPage
from verifaible.browser.scripts import init_script
from verifaible.browser.traffic.offline import look_up, pass_by
from verifaible.browser.traffic.traffic import Document, Traffic
from verifaible.browser.waiting import bounded
from verifaible.config import Settings
from verifaible.errors import OfflineMiss, PageBlocked, PageError, PageNotLoaded, ToolError, UrlRefused
from verifaible.net.politeness import BUSY
from verifaible.net.web import Web
from verifaible.schema.web import WebRequest

#: A failed navigation that is reported as such is so within milliseconds of its failed request.
BREAK_WAIT_S = 1.0
#: Of a page that refuses to be read so much is passed on, if it can be read in so long.
MOST_SAID = 160
SAID_WAIT_S = 5.0
#: The server knows the page, and does not show it to this reader.
REFUSALS = frozenset({401, 402, 403, 412, 418, 429, 451})
_REDIRECT_LOOP = "ERR_TOO_MANY_REDIRECTS"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A page that was loaded; ``document`` instead, where the URL is a file such as a PDF."""

    url: str
    status: int
    document: Document | None = None


class PageSession(WatchedPage):
    """A page that is opened by its address, and may be opened again.

    Attributes:
        helper: who does what a page asks that shows no content; None: nobody.
    """

    def __init__(self, fresh: Fresh, web: Web, settings: Settings) -> None:
        super().__init__(fresh, web, settings)
        self.helper: Helper | None = None
        self._opened_once = False

    async def open(self, url: str) -> Loaded:
        """Load a URL and wait until the page has settled.

        Args:
            url: what to load.

        Raises:
            OfflineMiss: the archives do not hold it.
            UrlRefused: the guard refused it.
            PageNotLoaded: network failure, HTTP error, redirect loop or time-out.
            PageBlocked: the server refuses readers like us (401, 403, 429, 451).
        """
        if self.web.archive is None:
            self.web.guard.check_host_only(url)  # file:, data: and the like never come to the routing
            if not self._opened_once:  # again, it would take away what a person did in the page since
                self.traffic.signed_in |= await sign_in(self.context, self._settings, url)
            self._opened_once = True
        target = await self._first_hop(url)
        timeout_ms = self._settings.page_timeout_s * 1000
        try:
            async with self._turn(url):
                response = await self._go(target, timeout_ms)
            response = await past_check(self, response, lambda: self._go(target, timeout_ms))
        except driver.TimeoutError:
            raise PageNotLoaded(
                f"{url} did not load within {self._settings.page_timeout_s:g} s. Try again, or use "
                f"another page.",
                hung=self.web.archive is not None,
            ) from None
        except driver.Error as error:
            # The browser tells of the failed navigation before it tells of the download.
            document = await self.document(expected="Download is starting" in error.message)
            if document is None:
                await self.traffic.drain()
                raise self._failure(url, driver.first_line(error)) from None
            self.traffic.checks = passed(self, None)
            return Loaded(document.url, 200, document)
        self.traffic.checks = passed(self, response)
        if response is None and (document := await self.document(expected=True)) is not None:
            return Loaded(document.url, 200, document)
        status = response.status if response else 200
        if status in REFUSALS:
            if await self.helped(f"The page is refused (HTTP {status})."):
                return await self.open(url)
            raise PageBlocked(
                f"{url} refuses to show the page (HTTP {status}){await self._said()}. Use another source.",
                status=status,
            )
        if status >= 400:
            raise PageNotLoaded(
                f"{url} answered with HTTP {status}. Check the address, or search for the page.",
                status=status,
            )
        await self.settle()
        return Loaded(self.page.url, status)

    async def helped(self, reason: str) -> bool:
        """Let a person do what a page asks, once, where one is there; then the page is to be opened again."""
        helper, self.helper = self.helper, None
        if helper is None or self.web.archive is not None:
            return False
        await helper(self.page, reason)
        self.traffic.forget()
        self.traffic.signed_in = True  # whatever the person did, it is theirs
        self.documents.clear()
        self.downloads.clear()
        return not self.page.is_closed()

    def _turn(self, url: str) -> AbstractAsyncContextManager[None]:
        """The turn of a live page at its host."""
        return self.web.manners.turn(urlsplit(url).netloc) if self.web.archive is None else nullcontext()

    async def _said(self) -> str:
        """What a page says that is no content, in a few words, to name it by."""
        with suppress(driver.Error, ToolError):
            shown = await bounded(self.page.inner_text("body", timeout=SAID_WAIT_S * 1000), SAID_WAIT_S, "it")
            words = " ".join(f"{await self.title()}: {shown}".split()).strip(": ")
            return f', which says: "{words[:MOST_SAID]}"' if words else ""
        return ""

    async def _go(self, url: str, timeout_ms: float) -> driver.Response | None:
        """Navigate; a document that breaks off never counts as read, so its failure is watched for."""
        going = asyncio.ensure_future(self.page.goto(url, wait_until="domcontentloaded", timeout=timeout_ms))
        broken = asyncio.ensure_future(self.traffic.requests.broken.wait())
        filed = asyncio.ensure_future(self._downloading.wait())
        try:
            await asyncio.wait((going, broken, filed), return_when=asyncio.FIRST_COMPLETED)
            if not going.done():
                await asyncio.wait((going,), timeout=BREAK_WAIT_S)
            if not going.done() and filed.done():
                return None  # the page went on to a file before it was parsed
            if not going.done():
                raise PageNotLoaded(
                    f"{url} was cut off during loading: it shows a half-loaded page, which is not evidence. "
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
        last = look_up(probe, player, WebRequest(urldefrag(url).url))[0].request.url
        if probe.recorded_at is not None:
            start_ms = int(probe.recorded_at.astimezone(UTC).timestamp() * 1000)
            await self.context.add_init_script(init_script("clock", str(start_ms)))
        await pass_by(self.traffic, self.context, probe.exchanges[:-1])
        return url if last == urldefrag(url).url else last

    def _failure(self, url: str, first: str) -> Exception:
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


#: Is told what a page shows, and returns when the person has done what it asks, or has given up.
Helper: TypeAlias = "Callable[[driver.Page, str], Awaitable[None]]"


class ByKeyboard:
    """Asks the person at the keyboard, one thing at a time."""

    def __init__(self) -> None:
        self._free = asyncio.Lock()

    async def __call__(self, page: driver.Page, reason: str) -> None:
        """Return at Enter, or when the window is closed."""
        async with self._free:
            asked = "Do in the window what it asks, then press Enter here."
            print(f"{page.url}: {reason}\n{asked}", file=sys.stderr, flush=True)
            closed = page.wait_for_event("close", timeout=0)
            waits: list[asyncio.Future[Any]] = [asyncio.ensure_future(each) for each in (closed, enter())]
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for wait in waits:
                    wait.cancel()
                await asyncio.gather(*waits, return_exceptions=True)


async def enter() -> None:
    """Return when a line has been entered at the keyboard."""
    loop, pressed = asyncio.get_running_loop(), asyncio.Event()
    try:
        loop.add_reader(sys.stdin.fileno(), pressed.set)
    except (NotImplementedError, OSError):  # no such thing as watching a keyboard here
        await asyncio.Event().wait()
    try:
        await pressed.wait()
        sys.stdin.readline()
    finally:
        loop.remove_reader(sys.stdin.fileno())


# Checks that a page passes by itself: an error page whose script sets a cookie and loads the page again.
#
# Nothing is solved and nothing is waited for by the clock. As long as something on such a page can still wake
# a script, its next document may come; when nothing can any more, the error stands.

#: For all documents of a check together: of those that people see, few take longer.
CHECK_S = 15.0
#: A page that may be woken at any time (by a worker, an interval) is given so long for its next document.
RESTLESS_S = 6.0
_LOOK_S = 0.04
#: In so many looks in a row nothing is under way: a navigation is announced within milliseconds.
_QUIET_LOOKS = 3
#: There is no such page, whatever its scripts do.
_FINAL = frozenset({404, 410})
_ACCEPTED = 202


def may_pass(status: int) -> bool:
    """Whether a document with this status may be one that brings the page after a moment."""
    return status == _ACCEPTED or (status >= 400 and status not in _FINAL)


async def past_check(
    session: WatchedPage,
    first: driver.Response | None,
    again: Callable[[], Awaitable[driver.Response | None]],
) -> driver.Response | None:
    """The document that a page comes to, where it was first answered with one that may be a check.

    Args:
        session: the page.
        first: what it was answered with.
        again: loads the page once more.

    Returns:
        The last document; None where a file came instead.
    """
    response, deadline = first, monotonic() + CHECK_S
    while response is not None and may_pass(response.status):
        wait_s = await _retry_after_s(session, response)
        if wait_s is not None:
            if monotonic() + wait_s > deadline:
                return response
            await asyncio.sleep(wait_s)
            response = await again()
            continue
        following = await _next(session, response, deadline)
        if following is response:
            return response
        response = following
    return response


def passed(session: WatchedPage, last: driver.Response | None) -> list[tuple[str, int]]:
    """Address and status of the documents before ``last``; None where a file was the last."""
    found = session.documents
    before = found[:-1] if last is None else [each for each in found if each is not last]
    kept = [each for each in before if last is None or may_pass(each.status)]
    return [(each.url.partition("#")[0], each.status) for each in kept]


async def _next(session: WatchedPage, now: driver.Response, deadline: float) -> driver.Response | None:
    """The document after this one; this one again where none can come, None where a file comes."""
    documents = session.documents
    place = documents.index(now) + 1 if now in documents else len(documents)
    quiet, restless = 0, min(deadline, monotonic() + RESTLESS_S)
    while quiet < _QUIET_LOOKS:
        if len(documents) > place:
            return documents[-1]
        if session.downloads or session.traffic.documents:
            return None
        state = await _state(session)
        if monotonic() > (restless if state == "restless" else deadline):
            return now
        quiet = quiet + 1 if state == "done" and session.traffic.requests.clear.is_set() else 0
        await asyncio.sleep(_LOOK_S)
    return now


async def _state(session: WatchedPage) -> str:
    try:
        return str(await session.evaluate("pending"))
    except (driver.Error, PageError, PageNotLoaded):
        return "busy"  # its next document is on the way


async def _retry_after_s(session: WatchedPage, response: driver.Response) -> float | None:
    """How long a server asks to wait before the page is asked for again; None where it says nothing."""
    if session.web.archive is not None or response.status not in BUSY:
        return None
    said = (await response.all_headers()).get("retry-after", "")
    return await session.web.manners.heed(urlsplit(response.url).netloc, response.status, said)
