"""A person who helps in mid-run: does in the window what a page asks, and says so."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from verifaible.browser import driver

#: Is told what a page shows, and returns when the person has done what it asks, or has given up.
Helper: TypeAlias = "Callable[[driver.Page, str], Awaitable[None]]"


class ByKeyboard:
    """Asks the person at the keyboard, one thing at a time."""

    def __init__(self) -> None:
        self._free = asyncio.Lock()

    async def __call__(self, page: driver.Page, reason: str) -> None:
        """Return at Enter, or when the window is closed."""
        async with self._free:
            asked = "Do in the window what it asks, then press Enter here."
            print(f"{page.url}: {reason}\n{asked}", file=sys.stderr, flush=True)
            closed = page.wait_for_event("close", timeout=0)
            waits: list[asyncio.Future[Any]] = [asyncio.ensure_future(each) for each in (closed, enter())]
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for wait in waits:
                    wait.cancel()
                await asyncio.gather(*waits, return_exceptions=True)


async def enter() -> None:
    """Return when a line has been entered at the keyboard."""
    loop, pressed = asyncio.get_running_loop(), asyncio.Event()
    try:
        loop.add_reader(sys.stdin.fileno(), pressed.set)
    except (NotImplementedError, OSError):  # no such thing as watching a keyboard here
        await asyncio.Event().wait()
    try:
        await pressed.wait()
        sys.stdin.readline()
    finally:
        loop.remove_reader(sys.stdin.fileno())
