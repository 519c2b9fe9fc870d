"""Whether a browser still answers, and the end of one that does not."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.async_api import Browser

#: A healthy browser answers in milliseconds, one on a machine with ten times the work it can do in a second.
ANSWER_WAIT_S = 20.0


async def process_of(browser: Browser) -> int | None:
    """The process id of a browser on this machine, or None where it does not tell."""
    from playwright.async_api import Error

    try:
        session = await browser.new_browser_cdp_session()
        try:
            told = await session.send("SystemInfo.getProcessInfo")
        finally:
            await session.detach()
    except Error:
        return None
    return next((int(each["id"]) for each in told["processInfo"] if each["type"] == "browser"), None)


async def answers(browser: Browser) -> bool:
    """Whether the browser itself, not one of its pages, answers a question within ``ANSWER_WAIT_S``."""
    from playwright.async_api import Error

    async def ask() -> None:
        session = await browser.new_browser_cdp_session()
        await session.send("Browser.getVersion")
        await session.detach()

    try:
        await asyncio.wait_for(ask(), ANSWER_WAIT_S)
    except (TimeoutError, Error):
        return False
    return True


def kill(process: int) -> None:
    """End a process of ours that no longer answers; its children end with it."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(process, signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
