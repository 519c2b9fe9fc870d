"""The viewer's lists and citations in a real Chromium: every kind of evidence, every button, by hand and keyboard."""

from __future__ import annotations

import io
import zipfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from itertools import cycle, product
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from tests.browser.viewers import (
    PHONE,
    WIDE,
    faults_of,
    filled_home,
    overflow,
    picture,
    reader,
    served,
)
from tests.kit.marks import nightly
from verifaible.config import Settings
from verifaible.store.store import Store

KINDS = ("text", "table", "pdf", "video", "image")
LOOKS = ("light", "dark", "phone")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A house whose store the reference agent has filled."""
    return filled_home(tmp_path_factory, tmp_path_factory.mktemp("viewer") / "home")


@pytest.fixture(scope="module")
def address(house: Settings) -> Iterator[str]:
    with served(house) as found:
        yield found


@pytest_asyncio.fixture(loop_scope="session")
async def page(chromium: Browser, address: str) -> AsyncIterator[Page]:
    """A reader's page."""
    async with reader(chromium, address) as opened:
        yield opened


def in_look(
    chromium: Browser, address: str, look: str, forgiven: str = ""
) -> AbstractAsyncContextManager[Page]:
    """A reader's page in one of the looks."""
    return reader(
        chromium,
        address,
        forgiven=forgiven,
        viewport=PHONE if look == "phone" else WIDE,
        color_scheme="dark" if look == "dark" else "light",
    )


def in_looks(shown: Sequence[str]) -> list[Any]:
    """Each in one look, and all looks in turn; in the others only nightly."""
    usual = [*zip(shown, cycle(LOOKS))]
    return [each if each in usual else nightly(*each) for each in product(shown, LOOKS)]


def ids(house: Settings) -> dict[str, str]:
    """A citation of each kind, by the kind."""
    store = Store.open(house)
    found: dict[str, str] = {row.evidence_type: row.id for row in store.rows()}
    store.close()
    return found


async def test_from_the_first_page_to_the_evidence(page: Page, address: str) -> None:
    await page.goto(address)
    assert await page.get_by_role("heading", level=1).inner_text() == "Evidence you can replay"
    await picture(page, "home")
    await page.get_by_role("searchbox", name="Search claims").first.fill("人口总量")
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/citations?q=*")
    assert await page.locator(".card mark").first.inner_text() == "人口总量"
    await picture(page, "search")
    await page.get_by_role("link", name="2025年末全国人口总量").click()
    await page.wait_for_url("**/citations/*")
    assert "140489" in await page.locator("blockquote mark").inner_text()


@pytest.mark.parametrize(("kind", "look"), in_looks(KINDS))
async def test_a_citation_of_each_kind_reads_well(
    chromium: Browser, address: str, house: Settings, kind: str, look: str
) -> None:
    async with in_look(chromium, address, look) as page:
        await page.goto(f"{address}/citations/{ids(house)[kind]}")
        assert await overflow(page) <= 0
        assert await page.locator(".badge.verified").first.is_visible()
        await picture(page, f"citation-{kind}-{look}")
        assert await faults_of(page) == []
        await page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
        await page.wait_for_load_state("load")


@pytest.mark.parametrize("kind", ["text", "pdf"])
async def test_the_text_that_was_read_is_shown_at_its_evidence(
    page: Page, address: str, house: Settings, kind: str
) -> None:
    await page.goto(f"{address}/citations/{ids(house)[kind]}")
    text = page.locator(".around-evidence")
    await text.scroll_into_view_if_needed()
    shown, box = await text.locator("mark").bounding_box(), await text.bounding_box()
    assert shown is not None and box is not None
    assert box["y"] <= shown["y"] < box["y"] + box["height"], "the text is not scrolled to the evidence"
    await picture(page, f"text-{kind}", whole=False)
    await page.goto(f"{address}/captured/{ids(house)[kind]}/text#evidence")
    await page.locator("mark#evidence").wait_for(state="visible")


async def test_replay_and_compare_add_to_the_history(page: Page, address: str, house: Settings) -> None:
    name = ids(house)["table"]
    await page.goto(f"{address}/citations/{name}")
    rows = page.locator("#history ~ table tbody tr")
    before = await rows.count()
    await page.get_by_role("button", name="Replay offline").click()
    await page.wait_for_url("**/citations/*#history")
    assert await rows.count() == before + 1
    assert "Replayed from the capture in a browser" in await rows.first.inner_text()
    assert "verified" in await rows.first.inner_text()
    await page.get_by_role("button", name="Compare hashes").click()
    await page.wait_for_function(
        f"document.querySelectorAll('#history ~ table tbody tr').length === {before + 2}"
    )
    store = Store.open(house)
    assert [check.kind for check in store.checks(name)][-2:] == ["offline", "rehash"]
    store.close()


async def test_the_export_is_one_that_can_be_imported(
    page: Page, address: str, house: Settings, tmp_path: Path
) -> None:
    name = ids(house)["text"]
    await page.goto(f"{address}/citations/{name}")
    async with page.expect_download() as coming:
        await page.get_by_role("button", name="Export (ZIP)").click()
    download = await coming.value
    assert download.suggested_filename == f"verifaible-{name}.zip"
    path = tmp_path / "export.zip"
    await download.save_as(path)
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
        names = {entry.rpartition("/")[2] for entry in archive.namelist()}
    assert {"capture.wacz", "report.pdf", "VERIFY.txt", "SHA256SUMS"} <= names
    from verifaible.evidence.bundle_import import import_export

    other = Store(tmp_path / "other")
    assert import_export(path, other).citation.id == name
    other.close()


@pytest.mark.nightly
async def test_by_keyboard_alone(page: Page, address: str, house: Settings) -> None:
    await page.goto(f"{address}/citations")
    await page.keyboard.press("Tab")
    assert await page.evaluate("document.activeElement.className") == "skip"
    await page.keyboard.press("Enter")
    assert await page.evaluate("document.activeElement.id") == "main"
    await page.keyboard.press("/")
    await page.keyboard.type("branch")
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/citations?q=branch")
    seen: list[str] = []
    for _ in range(40):
        await page.keyboard.press("Tab")
        seen.append(
            await page.evaluate(
                "document.activeElement.getAttribute('href') || document.activeElement.tagName"
            )
        )
        if seen[-1].startswith("/citations/"):
            break
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/citations/*")
    assert await page.get_by_role("heading", level=1).is_visible()


async def test_without_scripts_everything_works(chromium: Browser, address: str, house: Settings) -> None:
    context = await chromium.new_context(java_script_enabled=False)
    opened = await context.new_page()
    await opened.goto(f"{address}/citations/{ids(house)['text']}")
    await opened.get_by_role("button", name="Compare hashes").click()
    await opened.wait_for_url("**#history")
    await opened.goto(f"{address}/citations")
    await opened.get_by_label("Kind").select_option("table")
    await opened.get_by_role("button", name="Show").click()
    await opened.wait_for_url("**type=table*")
    assert await opened.locator(".card").count() >= 1
    await context.close()


@pytest.mark.parametrize(
    ("path", "look"),
    in_looks(["/", "/citations", "/cite?url=https://a.example/x", "/citations?q=nothing+at+all", "/nothing"]),
)
async def test_axe_finds_nothing_serious(chromium: Browser, address: str, path: str, look: str) -> None:
    async with in_look(chromium, address, look, "404 (Not Found)" if path == "/nothing" else "") as page:
        await page.goto(address + path)
        assert await faults_of(page) == []
        assert await overflow(page) <= 0


async def test_a_reader_elsewhere_enters_the_token(chromium: Browser, house: Settings) -> None:
    with served(house, token="open sesame") as guarded:
        context = await chromium.new_context()
        opened = await context.new_page()
        await opened.goto(f"{guarded}/citations")
        await opened.wait_for_url("**/login")
        await opened.get_by_label("Token").fill("wrong")
        await opened.get_by_role("button", name="Enter").click()
        assert await opened.get_by_role("alert").inner_text() == "That is not the token."
        await opened.get_by_label("Token").fill("open sesame")
        await opened.get_by_role("button", name="Enter").click()
        await opened.wait_for_url(f"{guarded}/")
        await opened.goto(f"{guarded}/citations")
        assert await opened.locator(".card").count() >= 1
        await context.close()
