"""Whose turn it is at each host, for all workers of a Ray cluster: one actor knows.

It outlives a run, so that runs side by side keep the same delays, and Ray starts it again when it is lost.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from datetime import timedelta
from typing import Any, Final

from verifaible.errors import InfrastructureError
from verifaible.net.manners import Asked, Turns
from verifaible.version import __version__

#: A machine may have to be started for it.
_WAIT_S: Final = 600.0
_PAUSE_S: Final = 0.5
#: Calls that wait for a turn must not keep out those that end one.
_CALLS: Final = 100_000


class _Actor(Turns):
    """The actor; Ray calls its methods."""

    def __init__(self, again: bool) -> None:
        import ray

        super().__init__(again=again or ray.get_runtime_context().was_current_actor_reconstructed)


class TurnsOnRay(Turns):
    """The turns of the cluster that this process is of. While nobody answers, nobody has a turn."""

    def __init__(self) -> None:
        super().__init__()
        self._actor: Any = None
        self._lost = False
        self._heard = 0.0

    async def take(self, ticket: str, host: str, delay_s: float, at_once: int, alone_s: float = 0.0) -> float:
        """As :meth:`Turns.take`.

        Raises:
            InfrastructureError: the cluster does not answer for ten minutes.
        """
        return float(await self._ask("take", ticket, host, delay_s, at_once, alone_s))

    async def renew(self, ticket: str, host: str) -> None:
        """As :meth:`Turns.renew`; not waited for."""
        self._tell("renew", ticket, host)

    async def give(self, ticket: str, host: str) -> None:
        """As :meth:`Turns.give`; not waited for."""
        self._tell("give", ticket, host)

    async def leave_alone(self, host: str, seconds: float) -> None:
        """As :meth:`Turns.leave_alone`."""
        await self._ask("leave_alone", host, seconds)

    async def asked(self, place: str, within: timedelta) -> Asked | None:
        """As :meth:`Turns.asked`; what is known here is not asked for."""
        known = await super().asked(place, within)
        if known is None:
            known = await self._ask("asked", place, within)
            if known is not None:
                await super().keep(place, known)
        return known

    async def keep(self, place: str, asked: Asked) -> None:
        """As :meth:`Turns.keep`."""
        await super().keep(place, asked)
        await self._ask("keep", place, asked)

    async def _ask(self, method: str, *arguments: Any) -> Any:
        import ray
        from ray.exceptions import RayError, RayTaskError

        silent_since: float | None = None  # a turn may have been waited for longer than an answer is
        while True:
            asked = None
            try:
                self._actor = self._actor or await asyncio.to_thread(_actor, self._lost)
                asked = getattr(self._actor, method).remote(*arguments)
                said = await asked
                self._heard = time.monotonic()
                return said
            except asyncio.CancelledError:
                with suppress(Exception):  # the cluster may be gone
                    ray.cancel(asked)
                raise
            except RayTaskError:
                raise  # a fault of ours
            except (RayError, ConnectionError, ValueError, RuntimeError) as lost:
                self._actor, self._lost = None, True
                now = time.monotonic()
                silent_since = max(silent_since or now, self._heard)
                if now - silent_since > _WAIT_S:
                    raise InfrastructureError(
                        f"The cluster has not answered for {_WAIT_S:g} s, and it keeps the delays between "
                        "requests to a host, so nothing was requested. Look at it with `ray status`, and run "
                        "again."
                    ) from lost
            await asyncio.sleep(_PAUSE_S)

    def _tell(self, method: str, *arguments: Any) -> None:
        if self._actor is not None:
            with suppress(Exception):  # where it is lost, the next one learns by renewals
                getattr(self._actor, method).remote(*arguments)


def _actor(again: bool) -> Any:
    import ray

    return (
        ray.remote(_Actor)
        .options(
            name=f"turns-{__version__}",
            namespace="verifaible",
            lifetime="detached",
            get_if_exists=True,
            max_restarts=-1,
            max_concurrency=_CALLS,
            num_cpus=0,
        )
        .remote(again)
    )
