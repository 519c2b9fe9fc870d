"""What a browser tells of itself, asked of the browser and not of any table."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from verifaible.net.identity import Guise, request_headers
from verifaible.schema.web import Headers

if TYPE_CHECKING:
    from playwright.async_api import Browser, Route

#: Nobody answers there: the page is made here. Hints are told to https pages only.
_PAGE = "https://identity.invalid/"
_ASK = "() => [navigator.userAgent, [...navigator.languages], navigator.userAgentData?.toJSON() ?? null]"


async def own_agent(browser: Browser) -> str:
    """The user agent that a browser has by itself; empty where it does not say.

    Raises:
        playwright.async_api.Error: the browser died.
    """
    session = await browser.new_browser_cdp_session()
    try:
        return str((await session.send("Browser.getVersion"))["userAgent"])
    finally:
        await session.detach()


async def told_by(browser: Browser, guise: Guise) -> Headers:
    """The headers that a page of this guise is asked for with: name, languages, low-entropy hints.

    Raises:
        playwright.async_api.Error: the browser died.
    """
    from playwright.async_api import Error

    context = await browser.new_context(
        user_agent=guise.user_agent or None, locale=guise.language or None, service_workers="block"
    )
    try:

        async def answer(route: Route) -> None:
            await route.fulfill(status=200, content_type="text/html", body="<!doctype html>")

        await context.route("**/*", answer)
        page = await context.new_page()
        await page.goto(_PAGE)
        agent, languages, hints = await page.evaluate(_ASK)
        return request_headers(agent, languages, hints)
    finally:
        with suppress(Error):
            await context.close()
