"""A browser whose every context is a visit of a recording."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime

from verifaible.archive.reader import RecordedPage
from verifaible.browser import driver
from verifaible.browser.page.session import PageSession
from verifaible.browser.snapshot import take_snapshot
from verifaible.browser.warm import Browser
from verifaible.errors import InfrastructureError, PageError
from verifaible.extract.page import page_document
from verifaible.net.web import Web, pages_of
from verifaible.schema.web import WebAnswer, WebExchange

#: How many screens of a page are scrolled through to load what waits for a reader.
MAX_SCREENS = 60
_SCREEN_PX = 700


class _Seen:
    """The addresses that the pages of a context stood at, in order."""

    def __init__(self, session: PageSession) -> None:
        self.urls: dict[str, None] = {}
        self._watch(session.page)
        session.context.on("page", self._watch)

    def _watch(self, page: driver.Page) -> None:
        page.on("framenavigated", self._navigated)

    def _navigated(self, frame: driver.Frame) -> None:
        if frame.parent_frame is None:
            self.urls[frame.url.partition("#")[0]] = None


class RecordingBrowser(Browser):
    """As :class:`Browser`; over a web with a recorder, what a context loaded is kept when it ends.

    That is every answer that came, whatever its status, with the text of the pages it went through.
    """

    @asynccontextmanager
    async def page(
        self, web: Web, *, pictures: bool = True, given: WebAnswer | None = None
    ) -> AsyncIterator[PageSession]:
        """A page in a fresh context over the given web, with all it loads; see :meth:`Browser.page`.

        Raises:
            InfrastructureError: the browser died.
            StoreError: what was loaded cannot be kept, because the disk is full.
        """
        async with super().page(web, pictures=pictures or web.recorder is not None, given=given) as session:
            seen = _Seen(session)
            try:
                yield session
            except InfrastructureError:
                raise
            except Exception:
                await _keep(session, web, seen)
                raise
            await _keep(session, web, seen)


async def _keep(session: PageSession, web: Web, seen: _Seen) -> None:
    if web.recorder is None:
        return
    with suppress(PageError, driver.Error):
        await session.document()
    await session.traffic.drain()
    exchanges = list(session.traffic.exchanges)
    if not exchanges:
        return
    files = {document.url for document in session.traffic.documents}
    shown = [one for one in exchanges if one.request.url in seen.urls or one.request.url in files]
    pages = [*pages_of(shown), *await _shown(session, exchanges)]
    web.recorder.add(exchanges[0].request.url, session.traffic.sealed(), pages)


async def _shown(session: PageSession, exchanges: list[WebExchange]) -> list[RecordedPage]:
    """The page as it stands; none where it is an error page or cannot be read any more."""
    url = session.page.url.partition("#")[0]
    loaded = [one for one in exchanges if one.request.url == url]
    if not url.startswith(("http://", "https://")) or (loaded and loaded[-1].response.status >= 400):
        return []
    try:
        document = page_document(await take_snapshot(session.page))
    except (PageError, driver.Error):
        return []
    moment = loaded[-1].recorded_at if loaded else datetime.now(UTC)
    return [RecordedPage(url, document.title, moment, document.text)]


async def scroll_through(session: PageSession) -> int:
    """Scroll to the end of a page, screen by screen, waiting for what that loads, and back.

    Gives how many screens were scrolled; MAX_SCREENS at most, since some pages have no end.
    """
    screens = 0
    while screens < MAX_SCREENS:
        moved = await session.evaluate("scroll", {"element": None, "by": _SCREEN_PX, "end": ""})
        if moved["to"] <= moved["from"]:
            break
        screens += 1
        await session.settle()
    await session.evaluate("scroll", {"element": None, "by": 0, "end": "top"})
    await session.settle()
    return screens
