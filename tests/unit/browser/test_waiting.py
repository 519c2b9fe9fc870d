from __future__ import annotations

import asyncio
import threading
import time

import pytest

from verifaible.browser.waiting import answer_within


async def _over_a_wire(steps: int) -> str:
    """An answer that takes several turns of the loop from its arrival to its reader."""
    for _ in range(steps):
        await asyncio.sleep(0)
    return "answer"


async def _never(cancelled: asyncio.Event) -> None:
    try:
        await asyncio.Event().wait()
    finally:
        cancelled.set()


async def test_time_in_which_this_process_had_no_turn_does_not_count() -> None:
    loop, arrived = asyncio.get_running_loop(), asyncio.Event()

    async def answer() -> str:
        await arrived.wait()
        return await _over_a_wire(5)

    asking = asyncio.ensure_future(answer_within(answer(), 0.4))
    await asyncio.sleep(0)
    threading.Timer(0.1, loop.call_soon_threadsafe, (arrived.set,)).start()
    time.sleep(1)  # noqa: ASYNC251 - as if the process had been stopped
    assert await asking == "answer"


async def test_no_answer_in_time() -> None:
    cancelled = asyncio.Event()
    with pytest.raises(TimeoutError):
        await answer_within(_never(cancelled), 0.01)
    assert cancelled.is_set()


async def test_what_goes_wrong_is_raised() -> None:
    async def fails() -> None:
        raise ValueError("no page")

    with pytest.raises(ValueError, match="no page"):
        await answer_within(fails(), 5)


async def test_whoever_is_cancelled_takes_the_question_along() -> None:
    cancelled = asyncio.Event()
    asking = asyncio.ensure_future(answer_within(_never(cancelled), 60))
    await asyncio.sleep(0.01)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert cancelled.is_set()
