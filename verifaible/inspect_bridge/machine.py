"""What the samples of one evaluation share: the web, the store, and one browser while samples need it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakKeyDictionary

from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.evidence.make.collect import Collector
from verifaible.evidence.store.store import Store
from verifaible.net.web import Web
from verifaible.schema.citation import WebMode
from verifaible.search.choosing import search_for
from verifaible.tools.context import ToolContext
from verifaible.tools.registry import toolbox
from verifaible.tools.toolbox import Toolbox

_machines: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Machine]] = WeakKeyDictionary()


class Machine:
    """A web and a store, and a browser that is closed when the last session ends.

    Attributes:
        store: where the citations of all samples are.
    """

    def __init__(self, settings: Settings, web: WebMode) -> None:
        self.store = Store.open(settings)
        self._settings = settings
        self._web = Web.offline(settings) if web == "offline" else Web.live(settings)
        self._search = search_for(self._web.searching())
        self._browser: Browser | None = None
        self._users = 0

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Toolbox]:
        """The tools of one sample: their citations count from 1, and nothing of another sample is seen."""
        if self._browser is None:
            self._browser = Browser(self._settings, offline=self._web.mode == "offline")
        browser = self._browser
        self._users += 1
        try:
            collector = Collector(self._settings, self._web, browser, self.store)
            yield toolbox(ToolContext(self._settings, self._web, browser, collector, self._search))
        finally:
            self._users -= 1
            if not self._users:
                self._browser = None
                await browser.close()


def machine(settings: Settings, web: WebMode) -> Machine:
    """The machine of this event loop for these settings; made at its first use.

    Raises:
        ConfigError: there is no archive to serve offline.
        StoreError: the store cannot be opened.
    """
    known = _machines.setdefault(asyncio.get_running_loop(), {})
    key = f"{web} {settings.home} {settings.store_location}"
    if key not in known:
        known[key] = Machine(settings, web)
    return known[key]
