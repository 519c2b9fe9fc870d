"""The browser of the containers, started here as it is there."""

from __future__ import annotations

import json
from pathlib import Path

import httpx2

from tests.browser.chromiums import playwright_server
from tests.browser.conftest import Site
from tests.browser.test_remote import connected
from tests.unit.test_docs import ROOT
from verifaible.browser import reading
from verifaible.browser.warm import Browser
from verifaible.net.web import Web


async def test_it_takes_its_options_says_that_it_is_well_and_opens_pages(site: Site, tmp_path: Path) -> None:
    options = json.loads((ROOT / "containers" / "browser.json").read_text(encoding="utf-8"))
    url = site.html("/page", "<p>the text</p>").replace("127.0.0.1", "site.localhost")
    async with playwright_server(tmp_path, options=options) as address:
        assert address.endswith(options["wsPath"])
        async with httpx2.AsyncClient(trust_env=False) as client:
            assert (await client.get(address.replace("ws://", "http://"))).status_code == 200
        settings = connected(address.replace("127.0.0.1", "localhost"), tmp_path)
        async with Browser(settings, offline=False) as browser, browser.page(Web.live(settings)) as session:
            await session.open(url)
            assert (await reading.page_text(session)).text == "the text"
