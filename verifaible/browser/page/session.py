"""One page and what leads to it: opened by its address, past checks, from the web or an archive."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC
from typing import Any
from urllib.parse import urldefrag, urlsplit

from verifaible.browser import driver
from verifaible.browser.page.checks import passed, past_check
from verifaible.browser.page.fresh import Fresh
from verifaible.browser.page.helping import Helper
from verifaible.browser.page.profiles import sign_in
from verifaible.browser.page.watched import WatchedPage, bounded
from verifaible.browser.scripts import init_script
from verifaible.browser.traffic.offline import look_up, pass_by
from verifaible.browser.traffic.stream_playback import seed_of
from verifaible.browser.traffic.traffic import Document, Traffic
from verifaible.config import Settings
from verifaible.errors import OfflineMiss, PageBlocked, PageNotLoaded, ToolError, UrlRefused
from verifaible.net.web import Web
from verifaible.schema.web import WebRequest

#: A failed navigation that is reported as such is so within milliseconds of its failed request.
BREAK_WAIT_S = 1.0
#: Of a page that refuses to be read so much is passed on, if it can be read in so long.
MOST_SAID = 160
SAID_WAIT_S = 1.0
#: The server knows the page, and does not show it to this reader.
REFUSALS = frozenset({401, 402, 403, 412, 418, 429, 451})
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


class PageSession(WatchedPage):
    """A page that is opened by its address, and may be opened again.

    Attributes:
        chance: offline, whether the page takes from chance what it took when it was captured.
        helper: who does what a page asks that shows no content; None: nobody.
    """

    def __init__(self, fresh: Fresh, web: Web, settings: Settings, *, loaded: Callable[[], None]) -> None:
        super().__init__(fresh, web, settings)
        self._loaded = loaded
        self.chance = False
        self.helper: Helper | None = None

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
        broken = asyncio.ensure_future(self.happened.broken.wait())
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
        last = look_up(probe, player, WebRequest(urldefrag(url).url)).request.url
        if probe.recorded_at is not None:
            start_ms = int(probe.recorded_at.astimezone(UTC).timestamp() * 1000)
            await self.context.add_init_script(init_script("clock", str(start_ms)))
        if self.chance and (seed := seed_of(player, urldefrag(url).url)):
            await self.context.add_init_script(init_script("chance", f"'{seed}'"))
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
