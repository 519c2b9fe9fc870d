"""What the tools of one session work with."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import BrowserMissing
from verifaible.evidence.cite import Collector
from verifaible.net.client import HttpClient
from verifaible.net.web import Web
from verifaible.schema.web import Headers
from verifaible.search.base import SearchBackend


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Shared by the six tools of a session; nothing in it carries state from call to call.

    Attributes:
        settings: limits and paths.
        web: live or offline, for the browser and the HTTP client alike.
        browser: the warm browser; each call opens a context of its own in it.
        collector: makes citations.
        search: the search backend.
    """

    settings: Settings
    web: Web
    browser: Browser
    collector: Collector
    search: SearchBackend

    async def client(self) -> HttpClient:
        """An HTTP client that names itself as the browser does.

        Raises:
            InfrastructureError: the browser died.
        """
        return self.web.client(told=await self.told())

    async def told(self) -> Headers:
        """What the browser says of itself with each request; nothing without one or offline.

        Raises:
            InfrastructureError: the browser died.
        """
        if self.web.archive is None and self.browser:
            with suppress(BrowserMissing):  # files are read without one
                return await self.browser.request_headers(self.web)
        return ()

    def speaking(self, language: str) -> ToolContext:
        """The same, for pages that are asked for in this language (see ``Web.speaking``)."""
        web = self.web.speaking(language)
        return self if web is self.web else replace(self, web=web, collector=self.collector.over(web))
