"""A running Chromium: what it says of itself, asked of it and not of any table, and the end of a hung one."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import Any

from verifaible.browser import driver
from verifaible.browser.waiting import answer_within
from verifaible.net.identity import Guise, request_headers
from verifaible.schema.web import Headers

#: A healthy browser answers in milliseconds, one on a machine with ten times the work it can do in a second.
ANSWER_WAIT_S = 20.0
#: Nobody answers there: the page is made here. Hints are told to https pages only.
_PAGE = "https://identity.invalid/"
_ASK = "() => [navigator.userAgent, [...navigator.languages], navigator.userAgentData?.toJSON() ?? null]"


async def _asked(browser: driver.Browser, method: str) -> dict[str, Any]:
    """What the browser itself, not one of its pages, answers to a call of the DevTools protocol."""
    session = await browser.new_browser_cdp_session()
    found = await session.send(method)
    await session.detach()  # in no ``finally``: one that hangs would not answer that either
    return found


async def process_of(browser: driver.Browser) -> int | None:
    """The process id of a browser on this machine, or None where it does not tell."""
    try:
        told = await _asked(browser, "SystemInfo.getProcessInfo")
    except driver.Error:
        return None
    return next((int(each["id"]) for each in told["processInfo"] if each["type"] == "browser"), None)


async def answers(browser: driver.Browser) -> bool:
    """Whether the browser answers a question."""
    try:
        await answer_within(_asked(browser, "Browser.getVersion"), ANSWER_WAIT_S)
    except (TimeoutError, driver.Error):
        return False
    return True


def kill(process: int) -> None:
    """End a process of ours that no longer answers; its children end with it."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(process, signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)


async def own_agent(browser: driver.Browser) -> str:
    """The user agent that a browser has by itself.

    Raises:
        playwright.async_api.Error: the browser died.
    """
    return str((await _asked(browser, "Browser.getVersion"))["userAgent"])


async def headers_of(browser: driver.Browser, guise: Guise) -> Headers:
    """The headers that a page of this guise is asked for with: name, languages, low-entropy hints.

    Raises:
        playwright.async_api.Error: the browser died.
    """

    async def answer(route: driver.Route) -> None:
        await route.fulfill(status=200, content_type="text/html", body="<!doctype html>")

    context = await browser.new_context(
        user_agent=guise.user_agent or None, locale=guise.language or None, service_workers="block"
    )
    try:
        await context.route("**/*", answer)
        page = await context.new_page()
        await page.goto(_PAGE)
        return request_headers(*await page.evaluate(_ASK))
    finally:
        with suppress(driver.Error):
            await context.close()
