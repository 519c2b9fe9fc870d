"""Politeness towards a host: how often it is asked, how much at once, and when it wants to be left alone."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from time import monotonic

from verifaible.config import Settings
from verifaible.errors import PageBlocked

#: A host that asks to be left alone for longer is not waited for, and not asked.
LONGEST_WAIT_S = 30.0
#: Answers in which a Retry-After means this reader (RFC 9110, 10.2.3; RFC 6585, 4).
BUSY = frozenset({429, 503})


@dataclass(frozen=True, slots=True)
class Asked:
    """The ``robots.txt`` of a site as it was read: its HTTP status, 0 where none came, its text, and when."""

    status: int
    text: str
    at: datetime


class Manners:
    """Whose turn it is to ask a host, and what it asks for; one for all pages and files of a web.

    Attributes:
        asked: the ``robots.txt`` of sites, by its address.
        reading: who reads one holds this meanwhile.

    Args:
        delay_s: least time between the beginnings of two turns.
        at_once: so many turns of one host at a time.
    """

    def __init__(self, delay_s: float = 0.0, at_once: int = 6) -> None:
        self._delay_s = delay_s
        self._places: dict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(at_once))
        self._next: dict[str, float] = {}
        self._alone: dict[str, float] = {}
        self.asked: dict[str, Asked] = {}
        self.reading: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    @classmethod
    def of(cls, settings: Settings) -> Manners:
        """Those of the settings."""
        return cls(settings.host_delay_s, settings.host_connections)

    @asynccontextmanager
    async def turn(self, host: str) -> AsyncIterator[None]:
        """Wait for the turn of a page or file.

        Raises:
            PageBlocked: the host has asked to be left alone for longer than is waited.
        """
        async with self._places[host]:
            await self._wait(host)
            yield

    async def _wait(self, host: str) -> None:
        alone_s = self._alone.get(host, 0.0) - monotonic()
        if alone_s > LONGEST_WAIT_S:
            raise PageBlocked(
                f"{host} has asked to be left alone for {alone_s:.0f} more seconds (Retry-After), so it was "
                "not asked again. Try later, or use another source."
            )
        now = monotonic()
        at = max(now, self._next.get(host, now), self._alone.get(host, now))
        self._next[host] = at + self._delay_s
        if at > now:
            await asyncio.sleep(at - now)

    def heed(self, host: str, status: int, retry_after: str) -> float | None:
        """Note what an answer asks for; the seconds to wait, None where it asks for nothing."""
        wait_s = retry_after_s(retry_after, datetime.now(UTC)) if status in BUSY else None
        if wait_s is not None:
            self._alone[host] = max(self._alone.get(host, 0.0), monotonic() + wait_s)
        return wait_s


def retry_after_s(said: str, now: datetime) -> float | None:
    """The seconds that a Retry-After header asks for; None where it says nothing valid."""
    said = said.strip()
    if said.isdigit():
        return float(said)
    try:
        moment = parsedate_to_datetime(said)
    except ValueError:
        return None
    return max(0.0, (moment.astimezone(UTC) - now).total_seconds())
