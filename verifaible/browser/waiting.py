"""Waiting for a browser's answer, in time that counts only while this process runs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Final, TypeVar

ResultT = TypeVar("ResultT")

_SLICE_S: Final = 0.25


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
