"""Politeness towards a host: how often it is asked, how much at once, and when it wants to be left alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice
from secrets import token_hex
from time import monotonic
from typing import Final

from verifaible.config import Settings
from verifaible.errors import PageBlocked
from verifaible.net.retry_after import retry_after_s

#: A host that asks to be left alone for longer is not waited for, and not asked.
LONGEST_WAIT_S = 30.0
#: Answers in which a Retry-After means this reader (RFC 9110, 10.2.3; RFC 6585, 4).
BUSY = frozenset({429, 503})
#: A turn whose holder has been silent for so long is over: its process is lost.
LEASE_S: Final = 30.0
#: So often the holder of a turn says that it still has it.
RENEW_S: Final = 2.0
#: More hosts are not remembered: of those that nobody waits for, the longest unused are forgotten.
_MOST_HOSTS: Final = 10_000


@dataclass(frozen=True, slots=True)
class Asked:
    """The ``robots.txt`` of a site as it was read: its HTTP status, 0 where none came, its text, and when."""

    status: int
    text: str
    at: datetime


@dataclass(slots=True)
class _Host:
    """The turns that are held, by ticket, with the time at which each ends unless it is renewed."""

    held: dict[str, float] = field(default_factory=dict)
    next: float = 0.0
    alone: float = 0.0
    waiting: int = 0
    asked: Asked | None = None
    given: asyncio.Event = field(default_factory=asyncio.Event)

    def full(self, at_once: int) -> bool:
        now = monotonic()
        self.held = {ticket: until for ticket, until in self.held.items() if until > now}
        return len(self.held) >= at_once

    def give(self, ticket: str) -> None:
        self.held.pop(ticket, None)
        self.given.set()  # all who wait look again, the longest waiting first
        self.given = asyncio.Event()


class Turns:
    """Whose turn it is at each host; one for all who ask together: for a web, or for a whole cluster.

    Args:
        again: what an earlier one knew is lost. Then no host is asked before its delay has passed, and before
            all who hold a turn have had time to say so.
    """

    def __init__(self, *, again: bool = False) -> None:
        self._again = monotonic() if again else None
        self._hosts: dict[str, _Host] = {}

    async def take(self, ticket: str, host: str, delay_s: float, at_once: int, alone_s: float = 0.0) -> float:
        """Wait for a turn.

        Args:
            ticket: a name for the turn, by which its holder renews it and gives it back.
            host: or whatever else is asked in turn.
            delay_s: least time between the beginnings of two turns.
            at_once: so many turns at a time.
            alone_s: for how long the holder knows that the host wants to be left alone.

        Returns:
            0; or the seconds for which the host wants to be left alone, where they are more than is waited:
            there is no turn then.
        """
        at = self._at(host)
        await self.leave_alone(host, alone_s)
        at.waiting += 1
        try:
            if self._again is not None:
                await asyncio.sleep(self._again + max(delay_s, 2 * RENEW_S) - monotonic())
            while ticket not in at.held and at.full(at_once):
                with suppress(TimeoutError):  # a lease may end without a word
                    async with asyncio.timeout(min(*at.held.values(), monotonic() + LEASE_S) - monotonic()):
                        await at.given.wait()
            at.held[ticket] = float("inf")
            alone_s = await self._wait(at, delay_s)
        except BaseException:
            at.give(ticket)
            raise
        finally:
            at.waiting -= 1
        if alone_s:
            at.give(ticket)
        else:
            at.held[ticket] = monotonic() + LEASE_S
        return alone_s

    async def _wait(self, at: _Host, delay_s: float) -> float:
        while True:
            now = monotonic()
            if at.alone - now > LONGEST_WAIT_S:
                return at.alone - now
            begins = max(now, at.next, at.alone)
            at.next = begins + delay_s
            if begins > now:
                await asyncio.sleep(begins - now)
            if at.alone <= begins:  # else it has asked for more meanwhile
                return 0.0

    async def renew(self, ticket: str, host: str) -> None:
        """Say that a turn is still held; one that was not known is from now on."""
        self._at(host).held[ticket] = monotonic() + LEASE_S

    async def give(self, ticket: str, host: str) -> None:
        """End a turn, if it has not ended."""
        self._at(host).give(ticket)

    async def leave_alone(self, host: str, seconds: float) -> None:
        """Note for how long a host wants to be left alone."""
        at = self._at(host)
        at.alone = max(at.alone, monotonic() + seconds) if seconds > 0 else at.alone

    async def asked(self, place: str, within: timedelta) -> Asked | None:
        """The ``robots.txt`` that was read at an address, if one was within this time."""
        asked = self._at(place).asked
        return None if asked is None or datetime.now(UTC) - asked.at > within else asked

    async def keep(self, place: str, asked: Asked) -> None:
        """Keep the ``robots.txt`` of an address."""
        self._at(place).asked = asked

    def _at(self, host: str) -> _Host:
        at = self._hosts.pop(host, None) or _Host()
        self._hosts[host] = at  # the last used comes last
        if len(self._hosts) > _MOST_HOSTS:
            now = monotonic()
            for name, each in list(islice(self._hosts.items(), _MOST_HOSTS // 2)):
                if not each.waiting and not each.held and max(each.next, each.alone) < now:
                    del self._hosts[name]
        return at


#: The turns of the cluster that this process works for; None where it works alone.
COMMON: ContextVar[Turns | None] = ContextVar("COMMON", default=None)


class Manners:
    """How hosts are asked; one for all pages and files of a web.

    Args:
        delay_s: least time between the beginnings of two turns.
        at_once: so many turns of one host at a time.
    """

    def __init__(self, delay_s: float = 0.0, at_once: int = 6) -> None:
        self._delay_s = delay_s
        self._at_once = at_once
        self._common = COMMON.get()
        self._own = Turns()
        self._alone: dict[str, float] = {}

    @classmethod
    def of(cls, settings: Settings) -> Manners:
        """Those of the settings."""
        return cls(settings.host_delay_s, settings.host_connections)

    @property
    def turns(self) -> Turns:
        """Those of the cluster, or its own where there is none."""
        return self._common or COMMON.get() or self._own

    @asynccontextmanager
    async def turn(self, host: str) -> AsyncIterator[None]:
        """Wait for the turn of a page or file.

        Raises:
            PageBlocked: the host has asked to be left alone for longer than is waited.
            InfrastructureError: nobody says whose turn it is: the cluster does not answer.
        """
        alone_s = self._alone.get(host, 0.0) - monotonic()
        async with self._turn(host, self._delay_s, self._at_once, alone_s):
            yield

    def reading(self, place: str) -> AbstractAsyncContextManager[None]:
        """The turn of whoever reads the ``robots.txt`` of an address: one at a time."""
        return self._turn(place, 0.0, 1)

    @asynccontextmanager
    async def _turn(self, host: str, delay_s: float, at_once: int, alone_s: float = 0) -> AsyncIterator[None]:
        turns, ticket = self.turns, token_hex(8)
        renewing = None
        try:
            alone_s = await turns.take(ticket, host, delay_s, at_once, alone_s)
            if alone_s:
                raise PageBlocked(
                    f"{host} has asked to be left alone for {alone_s:.0f} more seconds (Retry-After), so it "
                    "was not asked again. Try later, or use another source."
                )
            renewing = asyncio.create_task(_renewed(turns, ticket, host))
            yield
        finally:
            if renewing is not None:
                renewing.cancel()
            await turns.give(ticket, host)

    async def heed(self, host: str, status: int, retry_after: str) -> float | None:
        """Note what an answer asks for; the seconds to wait, None where it asks for nothing."""
        wait_s = retry_after_s(retry_after) if status in BUSY else None
        if wait_s is not None:
            # kept here, too: whoever says whose turn it is may be lost, and what it knew with it
            self._alone[host] = max(self._alone.get(host, 0.0), monotonic() + wait_s)
            await self.turns.leave_alone(host, wait_s)
        return wait_s


async def _renewed(turns: Turns, ticket: str, host: str) -> None:
    while True:
        await asyncio.sleep(RENEW_S)
        await turns.renew(ticket, host)
