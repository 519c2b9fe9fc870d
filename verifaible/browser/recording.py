"""What a page loaded, kept for the offline web when the page is closed."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime

from verifaible.archive.reader import RecordedPage
from verifaible.browser import driver
from verifaible.browser.page.session import PageSession
from verifaible.browser.snapshot import take_snapshot
from verifaible.errors import PageError
from verifaible.extract.page import page_document
from verifaible.net.web import pages_of
from verifaible.schema.web import WebExchange


class Recording:
    """One visit: every answer that comes to a page, whatever its status, with the text of where it stood."""

    def __init__(self, session: PageSession) -> None:
        self._session = session
        self._urls: set[str] = set()
        self._watch(session.page)
        session.context.on("page", self._watch)

    def _watch(self, page: driver.Page) -> None:
        page.on("framenavigated", self._navigated)

    def _navigated(self, frame: driver.Frame) -> None:
        if frame.parent_frame is None:
            self._urls.add(frame.url.partition("#")[0])

    async def keep(self) -> None:
        """Hand what was loaded to the recorder of the session's web, if it has one.

        Raises:
            StoreError: it cannot be kept, because the disk is full.
        """
        session, recorder = self._session, self._session.web.recorder
        if recorder is None:
            return
        with suppress(PageError, driver.Error):
            await session.document()
        await session.traffic.drain()
        exchanges = session.traffic.exchanges
        if exchanges:
            stood_at = self._urls.union(document.url for document in session.traffic.documents)
            shown = [one for one in exchanges if one.request.url in stood_at]
            pages = [*pages_of(shown), *await _shown(session, exchanges)]
            recorder.add(exchanges[0].request.url, session.traffic.sealed(), pages)


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
