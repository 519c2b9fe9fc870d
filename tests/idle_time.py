"""Time that passes only while nothing else is to be done, so that no machine is too busy for a test."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest


def idle_time(monkeypatch: pytest.MonkeyPatch, *modules: ModuleType) -> Callable[[], float]:
    """Let every wait of the running event loop end as soon as all else has been done.

    Not for what a thread, a process or a connection takes part in: the loop does not know that they are busy.

    Args:
        monkeypatch: ends it.
        modules: those whose ``monotonic`` tells this time, too.

    Returns:
        What tells this time.
    """
    loop: Any = asyncio.get_running_loop()
    look = loop._selector.select
    now: float = loop.time()

    def tell() -> float:
        return now

    def select(timeout: float | None = None) -> Any:
        nonlocal now
        found = look(timeout and 0)
        if timeout and not found:
            now += timeout
        return found

    monkeypatch.setattr(loop._selector, "select", select)
    monkeypatch.setattr(loop, "time", tell)
    for module in modules:
        if hasattr(module, "monotonic"):
            monkeypatch.setattr(module, "monotonic", tell)
        else:
            monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=tell))
    return tell
