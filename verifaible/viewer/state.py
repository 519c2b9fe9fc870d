"""What the pages of the viewer work with."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar, cast

from verifaible.api import Verifaible
from verifaible.config import Settings
from verifaible.store.store import Store

if TYPE_CHECKING:
    from starlette.requests import Request

T = TypeVar("T")

#: Browsers that checks and exports may use at once.
_WORKERS = 1
_MOST_DIGITS = 9


@dataclass(slots=True)
class House:
    """The store, the runs and the settings of one viewer.

    Attributes:
        settings: limits and paths.
        store: where the citations are.
        doing: what the buttons do.
        working: held by whoever uses a browser.
    """

    settings: Settings
    store: Store
    doing: Verifaible
    working: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_WORKERS))


def house_of(request: Request) -> House:
    """The house that a request is served from."""
    return cast(House, request.app.state.house)


async def read(house: House, work: Callable[[], T]) -> T:
    """Do what reads the store or runs, without holding up other readers; it sees the store as it is now."""

    def working() -> T:
        with house.store.at_one_time():
            return work()

    return await asyncio.to_thread(working)


def whole_number(text: str) -> int:
    """The number that an address or a form gives in digits; 0 for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else 0
