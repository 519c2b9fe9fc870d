"""Running browsers of others, used in turn: those that answer, until they are taken from the list.

A browser gets a page only while it answers. One that refuses, dies or hangs is left out and asked again,
at growing intervals. One that is no longer listed keeps the pages that it has, and is let go after the last.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from verifaible.browser.chromium.addresses import shown
from verifaible.errors import ConfigError, InfrastructureError, VerifaibleError

#: How often the list is read again while pages are opened.
READ_AGAIN_S = 5.0
#: A browser that was heard from so lately is not asked whether it answers.
HEARD_S = 1.0
#: A browser with much to do answers in a second or two; one that is slower gets no new page meanwhile.
ANSWER_S = 5.0
#: To connect, and to prove that it keeps to our proxy.
START_S = 45.0
#: Between two attempts at a browser that does not answer.
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0
#: As long as a container takes to be started again, a page waits for a browser when none answers any more.
WAIT_S = 60.0
#: Where none has ever answered, it may be started beside this process; more often its address is wrong.
FIRST_WAIT_S = 10.0


class Connected(Protocol):
    """What is asked of a browser."""

    @property
    def version(self) -> str:
        """Its version; empty before the first start."""

    async def start(self) -> None:
        """Connect, unless that is done."""

    async def answers(self, within_s: float) -> bool:
        """Whether it answers in that time."""

    async def close(self) -> None:
        """Let it go; it lives on."""


B = TypeVar("B", bound=Connected)


@dataclass(slots=True, eq=False)
class _Member(Generic[B]):
    browser: B
    answering: bool = False
    leaving: bool = False
    pages: int = 0
    heard_at: float = 0.0
    fault: Exception | None = None
    starting: asyncio.Task[None] | None = None


class Fleet(Generic[B]):
    """Gives each page the next browser that answers.

    All browsers that have pages at a time are of one version: captures name it, and files are fetched in its
    name beside the pages. One of another version is left out as long as one of that version is used.
    """

    def __init__(self, listed: Callable[[], Awaitable[Sequence[str]]], opened: Callable[[str], B]) -> None:
        """Nothing is connected to before the first page.

        Args:
            listed: reads the addresses of the browsers.
            opened: makes what connects to one of them.
        """
        self._listed = listed
        self._opened = opened
        #: By address; the next in turn comes first.
        self._members: dict[str, _Member[B]] = {}
        self._read_at: float | None = None
        self._reading = asyncio.Lock()
        self._changed = asyncio.Event()
        self._going: set[asyncio.Task[None]] = set()
        #: That of the browsers in use; empty before the first one has answered.
        self.version = ""

    @property
    def coming(self) -> B | None:
        """The browser that the next page is given, unless it stops answering; None if there is none."""
        return next((each.browser for each in self._members.values() if _is_free(each)), None)

    @asynccontextmanager
    async def one(self) -> AsyncIterator[B]:
        """The next browser, for one page.

        Raises:
            ConfigError: there is none in the list, or none of them has ever been usable.
            InfrastructureError: none answers any more.
        """
        member = await self._taken()
        try:
            yield member.browser
            member.heard_at = time.monotonic()
        except InfrastructureError as error:  # it may be another's fault: then it answers at once
            self._leave_out(member, error)
            raise
        finally:
            self._free(member)

    async def close(self) -> None:
        """Let go of all of them."""
        members, self._members = self._members, {}
        for member in members.values():
            member.leaving = True
        await asyncio.gather(*(self._let_go(each) for each in members.values()), *self._going)

    async def _taken(self) -> _Member[B]:
        since = time.monotonic()
        while True:
            await self._read()
            changed = self._changed
            for address, member in tuple(self._members.items()):
                if not _is_free(member):
                    continue
                self._members[address] = self._members.pop(address)
                member.pages += 1
                try:
                    if await self._answers(member):
                        return member
                except BaseException:
                    self._free(member)
                    raise
                self._free(member)
            self._require_hope(time.monotonic() - since)
            with suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), READ_AGAIN_S)

    def _require_hope(self, waited_s: float) -> None:
        """Raise why no browser can be used, where waiting for one leads nowhere."""
        if waited_s < (WAIT_S if self.version else FIRST_WAIT_S):
            return
        faults = {
            address: each.fault for address, each in self._members.items() if each.fault and not each.leaving
        }
        if not self.version and all(each.fault or each.leaving for each in self._members.values()):
            for fault in faults.values():
                raise fault if isinstance(fault, VerifaibleError) else InfrastructureError(str(fault))
            raise ConfigError(
                "Every browser in VERIFAIBLE_CONNECT is leaving, or none is listed. Add an address."
            )
        if waited_s >= WAIT_S:
            why = "; ".join(f"{shown(address)}: {fault}" for address, fault in faults.items())
            why = why or "none is listed"
            raise InfrastructureError(
                f"No browser at VERIFAIBLE_CONNECT has answered for {WAIT_S:g} s ({why}). "
                "Start one there again."
            )

    async def _read(self) -> None:
        """Read the list if it is time to; a list that cannot be read any more leaves all as it is."""
        if self._read_at is not None and self._reading.locked():
            return  # the others go on with the list that there is
        async with self._reading:
            first = self._read_at is None
            if self._read_at is not None and time.monotonic() < self._read_at + READ_AGAIN_S:
                return
            try:
                listed = await self._listed()
            except ConfigError:
                if first:
                    raise
                listed = tuple(address for address, each in self._members.items() if not each.leaving)
            self._read_at = time.monotonic()
            for address in listed:
                if address not in self._members:
                    self._members[address] = _Member(self._opened(address))
            for address, member in tuple(self._members.items()):
                member.leaving = address not in listed
                self._expect(member)
                self._free(member, 0)

    async def _answers(self, member: _Member[B]) -> bool:
        if time.monotonic() < member.heard_at + HEARD_S:
            return True
        if await member.browser.answers(ANSWER_S):
            member.heard_at = time.monotonic()
            return True
        self._leave_out(member, InfrastructureError(f"it has not answered for {ANSWER_S:g} s."))
        return False

    def _leave_out(self, member: _Member[B], error: Exception) -> None:
        member.answering, member.fault = False, error
        self._expect(member)

    def _expect(self, member: _Member[B]) -> None:
        """Begin to ask a browser that does not answer until it does; once only."""
        asked = member.starting is not None and not member.starting.done()
        if not (member.answering or member.leaving or asked):
            member.starting = asyncio.create_task(self._until_it_answers(member))

    async def _until_it_answers(self, member: _Member[B]) -> None:
        pause = FIRST_PAUSE_S
        while not (member.answering or member.leaving):
            try:
                async with asyncio.timeout(START_S):
                    await member.browser.start()
                if not await member.browser.answers(ANSWER_S):
                    raise InfrastructureError(f"it has not answered for {ANSWER_S:g} s.")
                self._require_version(member)
                member.answering, member.fault, member.heard_at = True, None, time.monotonic()
            except TimeoutError:
                member.fault = InfrastructureError(f"it has not answered for {START_S:g} s.")
            except Exception as error:
                member.fault = error
            changed, self._changed = self._changed, asyncio.Event()
            changed.set()
            if not member.answering:
                await asyncio.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE_S)

    def _require_version(self, member: _Member[B]) -> None:
        own = member.browser.version
        others = (each for each in self._members.values() if each is not member)
        if own != self.version and any(each.answering or each.pages for each in others):
            raise InfrastructureError(
                f"it is Chromium {own}, those in use are {self.version}. Have all be of one version."
            )
        self.version = own

    def _free(self, member: _Member[B], pages: int = 1) -> None:
        """Count some pages less; one that is leaving is let go with its last."""
        member.pages -= pages
        if member.leaving and not member.pages:
            self._members = {address: each for address, each in self._members.items() if each is not member}
            going = asyncio.create_task(self._let_go(member))
            self._going.add(going)
            going.add_done_callback(self._going.discard)

    async def _let_go(self, member: _Member[B]) -> None:
        if member.starting is not None:
            member.starting.cancel()
            await asyncio.gather(member.starting, return_exceptions=True)
        await member.browser.close()


def _is_free(member: _Member[Any]) -> bool:
    return member.answering and not member.leaving
