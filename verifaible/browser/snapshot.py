"""What the engine painted, asked of it in one call; no script of ours runs in the page.

The answer is large and deeply nested. Playwright's driver looks at each value of an answer on its way, which
takes longer than the engine needs; so it is asked over a session whose answers are passed on as one string
each (``Target.attachToTarget`` that is not flattened; Chrome DevTools Protocol, domain Target).
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any, Final

from verifaible.browser import driver
from verifaible.browser.page.fresh import VIEWPORT
from verifaible.browser.waiting import answer_within
from verifaible.errors import PageError, PageNotLoaded
from verifaible.extract.snapshot import STYLES, Snapshot, without_passwords

#: The engine answers in milliseconds, of the largest pages in some seconds.
ANSWER_S: Final = 30.0
_ASK: Final[dict[str, Any]] = {
    "id": 1,
    "method": "DOMSnapshot.captureSnapshot",
    "params": {"computedStyles": list(STYLES)},
}


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
        answer = await answer_within(_ask(page), seconds)
    except TimeoutError:
        raise PageNotLoaded(
            f"The page did not answer within {seconds:g} s: a script on it runs without end. "
            "Use another page.",
            hung=True,
        ) from None
    except driver.Error as error:
        raise PageError(
            f"The page could not be read ({driver.first_line(error)}). Open it again, or use another page."
        ) from error
    documents, strings = answer["documents"], answer["strings"]
    without_passwords(documents, strings)
    size = page.viewport_size or VIEWPORT
    url = strings[documents[0]["documentURL"]] if documents else page.url
    return Snapshot(url, size["width"], size["height"], documents, strings)


async def _ask(page: driver.Page) -> dict[str, Any]:
    browser = page.context.browser
    if (
        browser is None
    ):  # a persistent context: there is no session of the browser, so the driver reads it all
        return await _of_page(page)
    of_page = await page.context.new_cdp_session(page)
    of_browser = await browser.new_browser_cdp_session()
    answered: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    try:
        target = (await of_page.send("Target.getTargetInfo"))["targetInfo"]["targetId"]
        attached = await of_browser.send("Target.attachToTarget", {"targetId": target, "flatten": False})

        def received(event: dict[str, Any]) -> None:
            if event["sessionId"] == attached["sessionId"] and not answered.done():
                answered.set_result(event["message"])

        of_browser.on("Target.receivedMessageFromTarget", received)
        message = {"sessionId": attached["sessionId"], "message": json.dumps(_ASK)}
        await of_browser.send("Target.sendMessageToTarget", message)
        answer = json.loads(await answered)
    finally:
        for session in (of_browser, of_page):
            with suppress(driver.Error):
                await session.detach()
    if "result" not in answer:
        reason = answer.get("error", {}).get("message", "no answer")
        raise PageError(f"The browser cannot tell what the page shows ({reason}). Open the page again.")
    result: dict[str, Any] = answer["result"]
    return result


async def _of_page(page: driver.Page) -> dict[str, Any]:
    session = await page.context.new_cdp_session(page)
    try:
        found: dict[str, Any] = await session.send("DOMSnapshot.captureSnapshot", _ASK["params"])
        return found
    finally:
        with suppress(driver.Error):
            await session.detach()
