"""How long a page from an archive has: its own time and turns are counted, never the machine's seconds.

On a busy machine a page stays open for longer. What it does by its timers then must not depend on that, nor
what is read of it: a page is at rest when it has nothing left to do, however long that took.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from typing import Any, TypeVar

from verifaible.browser import driver
from verifaible.browser.scripts import script
from verifaible.browser.waiting import answer_within, answers

ResultT = TypeVar("ResultT")

#: For so many frames as they are drawn nothing may change in a page at rest; alone they take 100 ms.
TURNS = 6
#: For so many tasks nothing may change in a frame of it before the page itself is looked at.
_FRAME_TURNS = 2
#: A page that changes for so many frames without a timer goes on for ever.
_MOST_TURNS = 150
#: The time that a page has between two looks at it, and the frames that these take.
LOOK_AGAIN_MS = 50
_LOOK_AGAIN_TURNS = 3
#: No frame is waited for longer; what it has to do takes it a hundredth of that, on a busy machine a tenth.
_FRAME_S = 60.0
#: What a step does takes no time of the page until it has lasted for so many looks.
_AT_ONCE = 4


async def at_rest(page: driver.Page, *, whole: bool, fresh: bool) -> bool:
    """Wait until a page has done what it has to do.

    Args:
        page: a page from an archive, none of whose requests is on its way.
        whole: whether all that it asked for while it was loaded has come.
        fresh: whether it has new time for that; else what is left of the time that it had.

    Returns:
        False where it goes on for ever.
    """

    async def rested(frame: driver.Frame) -> bool:
        counted = {"turns": _FRAME_TURNS, "most": _MOST_TURNS, "shown": False, "whole": False}
        counted["fresh"] = fresh
        with suppress(driver.Error, TimeoutError):  # a frame may go meanwhile
            if await answers(frame):
                return bool(await answer_within(frame.evaluate(script("rest"), counted), _FRAME_S))
        return True

    async def asked(worker: Any) -> None:
        with suppress(driver.Error, TimeoutError):  # it may end meanwhile
            await answer_within(worker.evaluate("0"), _FRAME_S)

    rests = await asyncio.gather(*map(rested, page.frames[1:]))
    counted = {"turns": TURNS, "most": _MOST_TURNS, "shown": True, "whole": whole, "fresh": fresh}
    rest = await page.evaluate(script("rest"), counted)
    if page.workers:
        await asyncio.gather(*map(asked, page.workers))  # what they were doing is done when they answer
        rest = await page.evaluate(script("rest"), counted)
    return bool(rest) and all(rests)


async def let_pass(page: driver.Page, ms: float, *, turns: int = _LOOK_AGAIN_TURNS) -> None:
    """Give the frames of a page so much time of their own, after so many turns; a live page has it anyway."""

    async def given(frame: driver.Frame) -> None:
        with suppress(driver.Error, TimeoutError):  # a frame may go meanwhile, or have no document
            if frame is page.main_frame or await answers(frame):
                await answer_within(frame.evaluate(script("pass"), {"turns": turns, "ms": ms}), _FRAME_S)

    await asyncio.gather(*map(given, page.frames))


class OutOfPatience(Exception):
    """Something was not done to a page in so much of its time."""


async def meanwhile(page: driver.Page, work: Awaitable[ResultT], patience: Patience) -> ResultT:
    """Await what a step does to a page; where that takes long, the page has time of its own meanwhile.

    Raises:
        OutOfPatience: it was not done.
    """
    doing = asyncio.ensure_future(work)
    looks = 0
    passing: asyncio.Future[None] | None = None
    try:
        while not doing.done():
            if passing is None or passing.done():
                if patience.left_ms <= 0:
                    raise OutOfPatience
                patience.left_ms -= LOOK_AGAIN_MS
                passing = asyncio.ensure_future(let_pass(page, LOOK_AGAIN_MS if looks >= _AT_ONCE else 0))
                looks += 1
            await asyncio.wait((doing, passing), return_when=asyncio.FIRST_COMPLETED)
        return doing.result()
    finally:
        doing.cancel()
        if passing is not None:
            passing.cancel()


class Patience:
    """For how long something is looked for again: so many looks, between which the page has time."""

    def __init__(self, ms: float) -> None:
        self.left_ms = self.given_ms = ms

    @property
    def spent_ms(self) -> float:
        """How much of it is gone."""
        return self.given_ms - self.left_ms

    async def again(self, page: driver.Page) -> bool:
        """Let the page go on; False if there is no patience left."""
        if self.left_ms <= 0:
            return False
        self.left_ms -= LOOK_AGAIN_MS
        await let_pass(page, LOOK_AGAIN_MS)
        return True
