"""The one way out: decides whether a host may be reached, and connects to the address it judged.

The proxy of the browser and the HTTP client both come through here. A name is looked up once; what
is connected to is an address from that answer, so that a second answer of the name server cannot
lead elsewhere (DNS rebinding).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from verifaible.errors import PageNotLoaded
from verifaible.net.guard import Target, UrlGuard

ConnectionT = TypeVar("ConnectionT")

#: For looking a name up, and for the connection to the last of its addresses.
DIAL_TIMEOUT_S = 10.0
#: An address that does not answer within this time gives way to the next of the same host.
NEXT_AFTER_S = 2.0
#: Of the addresses of a host so many are tried: how many there are is the name server's to say.
MOST_ADDRESSES = 4
#: As long as browsers keep an answer of a name server for the connections that follow it.
KEEP_NAMES_S = 30.0


class Dialer:
    """Connects to hosts that a guard lets through.

    Attributes:
        guard: decides which hosts may be reached.
    """

    def __init__(self, guard: UrlGuard) -> None:
        self.guard = guard
        self._known: dict[Target, tuple[float, tuple[str, ...]]] = {}

    async def dial(
        self,
        target: Target,
        connect: Callable[[str], Awaitable[ConnectionT]],
        timeout_s: float = DIAL_TIMEOUT_S,
    ) -> ConnectionT:
        """Connect to one of the addresses that the host was judged by, in their order.

        Args:
            target: host and port.
            connect: opens a connection to an address; it is given nothing else to connect to.
            timeout_s: for the look-up, and for the last of the addresses.

        Raises:
            UrlRefused: the guard refused the host.
            PageNotLoaded: the host has no address.
            OSError: none of the addresses could be connected to; a TimeoutError is one.
        """
        addresses = await self._addresses(target, timeout_s)
        failure: OSError | None = None
        addresses = addresses[:MOST_ADDRESSES]
        for place, address in enumerate(addresses, start=1):
            limit_s = timeout_s if place == len(addresses) else min(NEXT_AFTER_S, timeout_s)
            try:
                async with asyncio.timeout(limit_s):
                    return await connect(address)
            except OSError as error:
                failure = error
        assert failure is not None
        raise failure

    async def _addresses(self, target: Target, timeout_s: float) -> tuple[str, ...]:
        now = asyncio.get_running_loop().time()
        until, addresses = self._known.get(target, (now, ()))
        if until > now:
            return addresses
        try:
            async with asyncio.timeout(timeout_s):
                addresses = await self.guard.check(target.url) or await self.guard.look_up(target)
        except TimeoutError:
            raise PageNotLoaded(
                f"The address of the host {target.host!r} could not be found out within {timeout_s:g} s. Try "
                "again, or use another source."
            ) from None
        self._known[target] = (now + KEEP_NAMES_S, addresses)
        return addresses
