"""Politeness towards a host: how often it is asked, how much at once, and when it wants to be left alone."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from copy import copy
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


@dataclass(slots=True)
class _Host:
    """One host: who may ask it now, and until when others do not."""

    free: asyncio.Semaphore
    next: float = 0.0
    alone: float = 0.0


class Politeness:
    """How hosts are asked; one for all pages and files of a web, in this process.

    Args:
        delay_s: least time between the beginnings of two turns.
        at_once: so many turns of one host at a time.

    Attributes:
        robots: the ``robots.txt`` files that were read, by address, and who reads one (:mod:`.robots`).
    """

    def __init__(self, delay_s: float = 0.0, at_once: int = 6) -> None:
        self.robots: tuple[dict[str, object], defaultdict[str, asyncio.Lock]] = {}, defaultdict(asyncio.Lock)
        self._delay_s = delay_s
        self._at_once = at_once
        self._hosts: dict[str, _Host] = {}
        self._patience_s = LONGEST_WAIT_S

    @classmethod
    def of(cls, settings: Settings) -> Politeness:
        """That of the settings."""
        return cls(settings.host_delay_s, settings.host_connections)

    def without_patience(self) -> Politeness:
        """The same, for somebody who rather asks another host than waits for one."""
        other = copy(self)
        other._patience_s = 0.0
        return other

    @asynccontextmanager
    async def turn(self, host: str) -> AsyncIterator[None]:
        """Wait for the turn of a page or file.

        Raises:
            PageBlocked: the host has asked to be left alone for longer than is waited.
        """
        at = self._at(host)
        async with at.free:
            await self._wait(host, at)
            yield

    async def _wait(self, host: str, at: _Host) -> None:
        while True:
            now = monotonic()
            if at.alone - now > self._patience_s:
                raise PageBlocked(
                    f"{host} has asked to be left alone for {at.alone - now:.0f} more seconds (Retry-After), "
                    "so it was not asked again. Try later, or use another source."
                )
            begins = max(now, at.next, at.alone)
            at.next = begins + self._delay_s
            if begins > now:
                await asyncio.sleep(begins - now)
            if at.alone <= begins:  # else it has asked for more meanwhile
                return

    async def heed(self, host: str, status: int, retry_after: str) -> float | None:
        """Note what an answer asks for; the seconds to wait, None where it asks for nothing."""
        wait_s = retry_after_s(retry_after) if status in BUSY else None
        if wait_s:
            at = self._at(host)
            at.alone = max(at.alone, monotonic() + wait_s)
        return wait_s

    def _at(self, host: str) -> _Host:
        if host not in self._hosts:
            self._hosts[host] = _Host(asyncio.Semaphore(self._at_once))
        return self._hosts[host]


def retry_after_s(value: str | None, now: datetime | None = None) -> float | None:
    """Seconds that a ``Retry-After`` header asks for (RFC 9110, section 10.2.3); None if unreadable.

    Some servers give fractions of a second, which the RFC does not know.
    """
    seconds = number(value)
    return max(0.0, seconds) if seconds is not None else until_s(value, now, parsedate_to_datetime)


def until_s(value: str | None, now: datetime | None, parse: Callable[[str], datetime]) -> float | None:
    """Seconds until a moment, 0 if it is past; None if unreadable. One without a time zone is in UTC."""
    try:
        when = parse((value or "").strip())
        when = when if when.tzinfo is not None else when.replace(tzinfo=UTC)
        return max(0.0, (when - (now or datetime.now(UTC))).total_seconds())
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def number(value: str | None) -> float | None:
    """A finite number; None if it is none."""
    try:
        found = float(value or "")
    except ValueError:
        return None
    return found if abs(found) < float("inf") else None
