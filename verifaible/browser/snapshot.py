"""What the engine painted, asked of it in one call; no script of ours runs in the page.

The answer is large and deeply nested. Playwright's driver looks at each value of an answer on its way, which
takes longer than the engine needs; so it is asked over a session whose answers are passed on as one string
each (``Target.attachToTarget`` that is not flattened; Chrome DevTools Protocol, domain Target).
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from typing import Any, Final
from weakref import WeakKeyDictionary

from verifaible.browser import driver
from verifaible.browser.chromium.launch import VIEWPORT
from verifaible.browser.waiting import bounded
from verifaible.errors import PageError
from verifaible.extract.snapshot import STYLES, Snapshot, collector_paused, without_passwords

#: The engine answers in milliseconds, of the largest pages in some seconds.
ANSWER_S: Final = 30.0
_METHOD: Final = "DOMSnapshot.captureSnapshot"
#: Half of a surrogate pair is no character; the engine paints the sign for that, as long in UTF-16.
_HALF: Final = re.compile("[\ud800-\udfff]")
_PARAMETERS: Final[dict[str, Any]] = {"computedStyles": list(STYLES), "includePaintOrder": True}


async def take_snapshot(page: driver.Page, *, seconds: float = ANSWER_S) -> Snapshot:
    """What a page shows now, in all its frames.

    Values of password fields are not in it.

    Args:
        page: the page, at rest or not.
        seconds: how long the engine may take.

    Raises:
        PageNotLoaded: the engine did not answer in time: a script of the page runs without end.
        PageError: the page was closed or crashed, or the engine cannot tell.
    """
    try:
        answer = await bounded(_ask(page), seconds, "the page")
    except driver.Error as error:
        raise PageError(
            f"The page could not be read ({driver.first_line(error)}). Open it again, or use another page."
        ) from error
    documents = answer["documents"]
    strings = [_HALF.sub("\N{REPLACEMENT CHARACTER}", text) for text in answer["strings"]]
    without_passwords(documents, strings)
    size = page.viewport_size or VIEWPORT
    url = strings[documents[0]["documentURL"]] if documents else page.url
    return Snapshot(url, size["width"], size["height"], documents, strings)


async def _ask(page: driver.Page) -> dict[str, Any]:
    browser = page.context.browser
    if browser is None:
        raise PageError("The page belongs to no browser. Open it again.")
    line = _LINES.get(page)
    if line is None or line.over:
        of_page = await page.context.new_cdp_session(page)
        told = await of_page.send("Target.getTargetInfo")
        line = await attach(page, browser, told["targetInfo"]["targetId"])
        await of_page.detach()
    answer = await line.ask(_METHOD, _PARAMETERS)
    if "result" not in answer:
        reason = answer.get("error", {}).get("message", "no reason given")
        raise PageError(f"The browser cannot tell what the page shows ({reason}). Open the page again.")
    result: dict[str, Any] = answer["result"]
    return result


async def attach(page: driver.Page, browser: driver.Browser, target_id: str) -> Line:
    """Open the session over which a page is asked, which the browser calls so; it ends with the page.

    Raises:
        playwright.async_api.Error: the page or the browser is gone.
    """
    if browser not in _SESSIONS:
        _SESSIONS[browser] = await browser.new_browser_cdp_session()
    of_browser = _SESSIONS[browser]
    attached = await of_browser.send("Target.attachToTarget", {"targetId": target_id, "flatten": False})
    line = _LINES[page] = Line(of_browser, attached["sessionId"])
    page.on("crash", lambda _: line.end())
    page.on("close", lambda _: line.end())
    return line


class Line:
    """A session of a page whose messages come as strings; ``over`` once the page is gone."""

    def __init__(self, of_browser: driver.CDPSession, session_id: str) -> None:
        self.of_browser = of_browser
        self._session_id = session_id
        self._count = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.over = False
        of_browser.on("Target.receivedMessageFromTarget", self.received)

    async def ask(self, method: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to one call, result or error."""
        self._count += 1
        answered: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[self._count] = answered
        message = json.dumps({"id": self._count, "method": method, "params": parameters})
        try:
            await self.of_browser.send(
                "Target.sendMessageToTarget", {"sessionId": self._session_id, "message": message}
            )
            return await answered
        finally:
            self._waiting.pop(self._count, None)

    def received(self, event: Mapping[str, Any]) -> None:
        """Take a message of the page's session."""
        if event["sessionId"] != self._session_id or not self._waiting:
            return
        with collector_paused():
            answer = json.loads(event["message"])
        if (waiting := self._waiting.get(answer.get("id"))) is not None and not waiting.done():
            waiting.set_result(answer)

    def end(self) -> None:
        """The page is gone: whoever waits is told."""
        self.over = True
        self.of_browser.remove_listener("Target.receivedMessageFromTarget", self.received)
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(driver.Error("the page was closed or crashed"))


_SESSIONS: Final[WeakKeyDictionary[driver.Browser, driver.CDPSession]] = WeakKeyDictionary()
_LINES: Final[WeakKeyDictionary[driver.Page, Line]] = WeakKeyDictionary()
