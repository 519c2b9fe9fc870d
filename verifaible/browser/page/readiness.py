"""Whether a page has come to what it wants to show: what waits to be scrolled to is, and stands still."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from verifaible.browser import driver
from verifaible.browser.page.session import PageSession
from verifaible.browser.waiting import answers

#: A page is scrolled through once; what that adds below is scrolled to as well, but only so often: a
#: page that adds something each time has no end.
MAX_ROUNDS = 3
#: Stops on the way down; on pages longer than so many three quarters of a screen they lie further apart.
MAX_STOPS = 120
#: How long rows that a scroll brings must have stood still to be read; and where a timer of the page runs,
#: which the scroll may have set.
STILL_MS = 50
STILL_AWAKE_MS = 250
STILL_CAP_MS = 1_500


async def reveal(session: PageSession) -> bool:
    """Scroll a page through once and back, so that what loads when it comes into view is there.

    Pages on which nothing waits for that are not scrolled.

    Returns:
        Whether the end was reached; False for a page that added something each time.
    """
    ended = True
    for frame in list(session.page.frames):
        with suppress(driver.Error):  # a frame may go while the page is scrolled
            if await answers(frame):
                ended = await _reveal(session, frame) and ended
    return ended


async def waits_for_scrolling(session: PageSession) -> bool:
    """Whether something of the page would be loaded only when it comes into view; no frame."""
    waits = await session.evaluate("reveal", {"start": 0, "stops": 0})
    return bool(waits["scrolled"] and not waits["frames"])


async def _reveal(session: PageSession, frame: driver.Frame) -> bool:
    bottom = 0.0
    polls = not session.traffic.requests.idle.is_set()  # a request that never ends is not waited for again
    for _ in range(MAX_ROUNDS):
        passed = await session.evaluate("reveal", {"start": bottom, "stops": MAX_STOPS}, frame=frame)
        if not passed["scrolled"]:
            return True
        bottom = float(passed["bottom"])
        if passed["changed"] or not session.traffic.requests.idle.is_set():
            await (still(session) if polls else session.settle())
    return not (await session.evaluate("reveal", {"start": bottom, "stops": 0}, frame=frame))["scrolled"]


async def still(session: PageSession) -> None:
    """Wait, not for long, until what a scroll or a moment has brought to a page stands still."""
    if session.web.archive is not None:
        await session.rested()
        return
    quiet = {"quiet_ms": STILL_AWAKE_MS, "brief_ms": STILL_MS, "cap_ms": STILL_CAP_MS}
    await session.evaluate("quiet", quiet)
    if not session.traffic.requests.idle.is_set():
        with suppress(TimeoutError):
            await asyncio.wait_for(session.traffic.requests.idle.wait(), STILL_CAP_MS / 1000)
        await session.evaluate("quiet", quiet)
