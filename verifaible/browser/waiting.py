"""Waiting for a browser's answer, in time that counts only while this process runs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Final, TypeVar
from weakref import WeakKeyDictionary

from verifaible.errors import PageNotLoaded

if TYPE_CHECKING:
    from verifaible.browser.driver import Frame

ResultT = TypeVar("ResultT")

_SLICE_S: Final = 0.25
_SCRIPTS_OFF: Final = 'matchMedia("(scripting: none)").matches'
#: A frame that has a document answers in milliseconds.
_FRAME_S: Final = 5.0
#: Whether frames have answered, with their addresses then.
_ASKED: Final[WeakKeyDictionary[Frame, tuple[str, bool]]] = WeakKeyDictionary()


async def answer_within(work: Awaitable[ResultT], seconds: float) -> ResultT:
    """Await an answer with a limit.

    A process that was stopped, or had no turn, finds its clock ahead and the answer still unread: that says
    nothing about whoever should answer. So no slice of the wait counts for more than was planned for it.

    Raises:
        TimeoutError: there was none in time.
    """
    task = asyncio.ensure_future(work)
    left = seconds
    try:
        while not task.done() and left > 0:
            await asyncio.wait((task,), timeout=min(_SLICE_S, left))
            left -= _SLICE_S
        if not task.done():
            raise TimeoutError
        return task.result()
    finally:
        if task.cancel():
            await asyncio.gather(task, return_exceptions=True)


async def bounded(work: Awaitable[ResultT], seconds: float, what: str) -> ResultT:
    """Await with a limit: a page with an endless script would otherwise hold us for ever."""
    try:
        return await answer_within(work, seconds)
    except TimeoutError:
        raise PageNotLoaded(
            f"{what.capitalize()} did not answer within {seconds:g} s: a script on it runs without end. "
            "Use another page.",
            hung=True,
        ) from None


async def answers(frame: Frame) -> bool:
    """Whether scripts can be run in a frame.

    One that is not displayed, or whose server is silent, has no document and would be waited for without end;
    so would what a sandboxed one that may run none calls back.
    """
    from verifaible.browser.driver import Error

    known = _ASKED.get(frame)
    if known is None or known[0] != frame.url:
        try:
            off = await answer_within(frame.evaluate(_SCRIPTS_OFF), _FRAME_S)
            known = (frame.url, not off)
        except (TimeoutError, Error):
            known = (frame.url, False)
        _ASKED[frame] = known
    return known[1]
