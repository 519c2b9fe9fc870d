"""A running Chromium: what it says of itself, asked of it and not of any table, and the end of a hung one."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from verifaible.browser import driver
from verifaible.browser.waiting import answer_within
from verifaible.net.identity import Guise, request_headers
from verifaible.schema.web import Headers

#: A healthy browser answers in milliseconds, one on a machine with ten times the work it can do in a second.
ANSWER_WAIT_S = 20.0
#: Nobody answers there: the page is made here. Hints are told to https pages only.
_PAGE = "https://identity.invalid/"
_HINTS = ["architecture", "bitness", "fullVersionList", "model", "platformVersion", "wow64"]
_ASK = """async (hints) => [navigator.userAgent, [...navigator.languages],
  await navigator.userAgentData?.getHighEntropyValues(hints) ?? null]"""
_HEADLESS = "HeadlessChrome"


@dataclass(frozen=True, slots=True)
class Identity:
    """What a browser calls itself.

    Attributes:
        agent: its user agent; a headless shell names itself in it.
        languages: its languages, best first.
        hints: what ``navigator.userAgentData`` says, as a browser with a window has it; None where there is
            none.
    """

    agent: str = ""
    languages: Sequence[str] = ()
    hints: Mapping[str, Any] | None = field(default=None)

    @classmethod
    async def of(cls, browser: driver.Browser) -> Identity:
        """That of a browser, asked on a page of it.

        Raises:
            playwright.async_api.Error: the browser died.
        """
        context = await browser.new_context(service_workers="block")
        try:
            page = await context.new_page()
            answer = {"status": 200, "content_type": "text/html", "body": "<!doctype html>"}
            await page.route("**/*", lambda route: route.fulfill(**answer))
            await page.goto(_PAGE)
            agent, languages, hints = await page.evaluate(_ASK, _HINTS)
        finally:
            with suppress(driver.Error):
                await context.close()
        for name in ("brands", "fullVersionList") if hints else ():
            hints[name] = [each for each in hints[name] if each["brand"] != _HEADLESS]
        return cls(agent, tuple(languages), hints)

    def headers(self, guise: Guise) -> Headers:
        """The headers that a page of this guise is asked for with: name, languages, low-entropy hints."""
        languages = (guise.language,) if guise.language else self.languages
        return request_headers(guise.user_agent or self.agent, languages, self.hints)

    async def put_on(self, cdp: driver.CDPSession, guise: Guise) -> None:
        """Let a page of a headless shell have the brands of a browser with a window.

        Its name and languages are those of its context already, for workers and pop-ups, too.

        Raises:
            playwright.async_api.Error: the page is gone.
        """
        if self.hints is None or _HEADLESS not in self.agent:
            return
        languages = guise.language or ",".join(self.languages)
        told: dict[str, Any] = {"userAgent": guise.user_agent or self.agent, "acceptLanguage": languages}
        told["userAgentMetadata"] = dict(self.hints)
        await cdp.send("Emulation.setUserAgentOverride", told)


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
