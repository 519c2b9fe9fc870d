"""The browser by itself: the same Chromium as ours, without proxy, guard or capture."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from verifaible.browser.chromium.launch import ARGUMENTS, VIEWPORT, find_browser
from verifaible.browser.chromium.running import process_of
from verifaible.config import Settings

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page, Playwright

#: Hosts of the pages that are measured.
LOOPBACK = ("127.0.0.1",)


async def start(playwright: Playwright, *arguments: str, whole: bool = False) -> Browser:
    """The Chromium that verifaible would start, with its arguments and these.

    ``whole``: not the headless shell.
    """
    settings = Settings(headless="full") if whole else Settings()
    found = find_browser(settings, playwright.chromium.executable_path)
    return await playwright.chromium.launch(
        executable_path=found.path,
        args=[*ARGUMENTS, *arguments],
        chromium_sandbox=os.name == "posix" and os.geteuid() != 0,
    )


@asynccontextmanager
async def fresh_page(browser: Browser) -> AsyncIterator[Page]:
    """A page in a context of its own, of the size that ours have."""
    context = await browser.new_context(
        viewport={"width": VIEWPORT["width"], "height": VIEWPORT["height"]}, service_workers="block"
    )
    try:
        yield await context.new_page()
    finally:
        await context.close()


def chromium() -> Path:
    """The program of the headless shell, for tools that start it themselves.

    Debian's is a shell script that starts the program and does not pass on its own end: some tools would
    wait for ever.
    """
    return asyncio.run(_program())


async def _program() -> Path:
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await start(playwright)
        running = f"/proc/{await process_of(browser)}/exe"
        found = await asyncio.to_thread(os.path.realpath, running)
        await browser.close()
        chosen = find_browser(Settings(), playwright.chromium.executable_path).path
    return chosen if found == running else Path(found)


async def wait_for_words(page: Page, words: str) -> None:
    """Wait until a page shows these words, white space aside."""
    await page.wait_for_function(
        "text => document.body.innerText.replace(/\\s+/g, '').includes(text.replace(/\\s+/g, ''))", arg=words
    )


def render(body: bytes, page: int) -> None:
    """Draw a page of a PDF, or its last where it has fewer."""
    from verifaible.extract.pdf import PdfFile

    with PdfFile(body) as pdf:
        pdf.picture(min(page, pdf.page_count))
