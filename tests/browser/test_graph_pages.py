"""Graphs in a real Chromium: from the list to the sealed words of an edge, and without scripts."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from typing import Any
from urllib.parse import quote

import pytest
from playwright.async_api import Browser, expect

from tests.browser.viewers import PHONE, WIDE, faults_of, overflow, picture, reader, served
from tests.kit.marks import nightly
from tests.unit.kg.small import add_stated
from verifaible.config import Settings
from verifaible.kg.folder import GraphFolder
from verifaible.store.store import Store

COMPANY = "Brennock Water Technologies, Inc."


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    settings = Settings(home=tmp_path_factory.mktemp("graphs"))
    body = resources.files("verifaible.kg").joinpath("demo", "brennock-10-k-2024.html").read_bytes()
    folder = GraphFolder(settings.home / "graphs" / "demo")
    store = Store.open(settings)
    try:
        folder.ingest(body, "brennock.html", store)
    finally:
        store.close()
    folder.extract()
    add_stated(folder)
    with served(settings) as found:
        yield found


@pytest.mark.nightly
@pytest.mark.parametrize(("scheme", "window"), [("light", WIDE), nightly("dark", PHONE)])
async def test_from_the_list_to_the_sealed_words_by_clicking(
    chromium: Browser, address: str, scheme: str, window: Any
) -> None:
    async with reader(chromium, address, viewport=window, color_scheme=scheme) as page:

        async def looked_at(name: str) -> None:
            assert await page.locator("h1").count() == 1
            assert await overflow(page) <= 0, name
            assert await faults_of(page) == [], name
            await picture(page, f"graphs-{name}-{scheme}-{window['width']}")

        await page.goto(f"{address}/")
        await page.locator("nav a[href='/graphs']").click()
        await looked_at("list")
        await page.locator("li.card h3 a").click()
        await page.locator("main input[name=q]").fill("brennock water")
        await page.locator("form.filters button").click()
        await looked_at("graph")
        await page.locator("ul.entities a", has_text=COMPANY).click()
        await looked_at("entity")
        await page.locator("nav.relations a", has_text="owns").click()
        await expect(page.locator("ol.edges > li")).not_to_have_count(0)
        await page.locator("ol.edges a.sealed", has_text="Calder Flow Systems").click()
        await expect(page.locator("mark#evidence")).to_be_in_viewport()
        await expect(page.locator("mark#evidence")).to_have_text("Calder Flow Systems GmbH | Germany")
        await expect(page.locator(".badge.verified")).to_have_count(1)
        await looked_at("source")


async def test_without_scripts_the_list_has_it_all(chromium: Browser, address: str) -> None:
    async with reader(chromium, address, java_script_enabled=False) as page:
        await page.goto(f"{address}/graphs/demo/entity?id={quote(f'company/{COMPANY}')}")
        await expect(page.locator("ol.edges > li")).to_have_count(100)  # of a page
        await page.locator("ol.edges a.sealed").first.click()
        await expect(page.locator("mark#evidence")).to_have_count(1)
