"""A process that cites one page again and again into a store, for tests that share or kill it.

Usage: ``python -m tests.browser.citing_process HOME URL QUOTE TIMES``; prints each citation's id.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from verifaible.browser.page import watched
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.evidence.cite import Collector
from verifaible.evidence.request import CiteRequest
from verifaible.net.web import Web
from verifaible.schema.anchor import AnchorRequest
from verifaible.store.store import Store


async def main(home: str, url: str, quote: str, times: str) -> None:
    watched.QUIET_MS_LIVE = 50
    settings = Settings(home=Path(home), allow_hosts=("127.0.0.1",))
    async with Browser(settings, offline=False) as browser:
        collector = Collector(settings, Web.live(settings), browser, Store.open(settings))
        for _ in range(int(times)):
            made = await collector.collect(CiteRequest(claim="x", url=url, anchor=AnchorRequest(quote=quote)))
            print(made.citation.id, flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
