"""Where the tools of trials are: web, browser and store of a process, and the sessions in them.

While the store is away, what needs it waits: a bucket or a database that is started anew ends no run.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, suppress
from functools import partial
from secrets import token_hex
from time import monotonic
from typing import Final, TypeVar

from verifaible.errors import InfrastructureError, RunError, StoreUnreachable
from verifaible.llm.retry import RetryPolicy
from verifaible.runs.executor import Executor, Place
from verifaible.runs.progress import doing
from verifaible.schema.chat import ToolSpec
from verifaible.schema.run import ToolReply
from verifaible.text.delimited import boundaries
from verifaible.tools.context import ToolContext
from verifaible.tools.registry import toolbox
from verifaible.tools.toolbox import Toolbox
from verifaible.tools.workspace import RemoteWorkspace

ValueT = TypeVar("ValueT")


class Outages:
    """Does again what a store that is away made fail.

    Args:
        policy: how often, and for how long.

    Attributes:
        answered: whether the store has taken and given evidence before. One that never has may be set up
            wrongly: whoever started the run hears of it at once.
    """

    def __init__(self, policy: RetryPolicy) -> None:
        self._policy = policy
        self.answered = False

    async def outlasted(self, do: Callable[[], Awaitable[ValueT]]) -> ValueT:
        """The value of ``do``, which may be done several times.

        Raises:
            StoreUnreachable: the store is away for too long.
        """
        failures, began = 0, monotonic()
        while True:
            try:
                return await do()
            except StoreUnreachable:
                if not self.answered:
                    raise
                failures += 1
                began = began if failures > 1 else monotonic()
                wait = self._policy.wait_s(failures, None, elapsed_s=monotonic() - began)
                if wait is None:
                    raise
            await asyncio.sleep(wait)


#: Workers that are asked for their tools before a run begins, while they are lost.
_ASKED: Final = 3
#: What a trial has come to does not wait longer for a worker that hangs.
_END_WAIT_S: Final = 10.0


class Workshop:
    """Sessions of the tools side by side, over one web, one browser and one store."""

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        #: Tools, the context that their calls run in, and what undoes what was set there.
        self._sessions: dict[str, tuple[Toolbox, contextvars.Context, ExitStack]] = {}

    async def specs(self) -> tuple[ToolSpec, ...]:
        """The tools as models see them."""
        return toolbox(self._context).specs

    async def begin(self, language: str, boundary_key: str) -> str:
        """Begin a session; its citations count from 1.

        Args:
            language: in which pages are asked for.
            boundary_key: from which the boundaries of what is delimited are drawn.

        Returns:
            Its id, which no other process gives: one that takes this one's place must not know it.
        """
        session = token_hex(16)
        own, undoing = contextvars.copy_context(), ExitStack()
        own.run(undoing.enter_context, boundaries(boundary_key))
        self._sessions[session] = toolbox(self._context.speaking(language)), own, undoing
        return session

    async def call(self, session: str, name: str, arguments: str) -> ToolReply:
        """Call a tool of a session; errors are those of :meth:`Toolbox.call`.

        Raises:
            InfrastructureError: there is no such session: it was begun before this process was.
        """
        if session not in self._sessions:
            raise InfrastructureError("The session was lost with the process that it was in.")
        tools, own, _ = self._sessions[session]
        return await asyncio.create_task(tools.call(name, arguments), context=own)

    async def end(self, session: str) -> None:
        """End a session."""
        if session in self._sessions:
            _, own, undoing = self._sessions.pop(session)
            own.run(undoing.close)


@asynccontextmanager
async def open_workshop(remote: RemoteWorkspace) -> AsyncIterator[Workshop]:
    """A workshop with a web, a browser and a store of its own: that of a worker."""
    async with remote.opened() as own:
        yield Workshop(own.context)


class Sessions:
    """Sessions wherever there is a place for one; a store that is away is waited for."""

    def __init__(self, executor: Executor, outages: Outages) -> None:
        self._executor = executor
        self._outages = outages
        self.at_once = executor.at_once
        self._specs: tuple[ToolSpec, ...] = ()

    async def specs(self) -> tuple[ToolSpec, ...]:
        """The tools as models see them: the same at every worker, so one is asked, once.

        Raises:
            RunError: every worker that was asked was lost.
        """
        lost: InfrastructureError | None = None
        for _ in range(_ASKED):
            if self._specs:
                return self._specs
            try:
                async with self._executor.place() as place:
                    self._specs = await place.call("specs")
            except InfrastructureError as error:
                lost = error
        if not self._specs:
            raise RunError(
                f"Every worker that was asked for its tools was lost ({lost}). Look at the cluster, then "
                "--resume."
            )
        return self._specs

    @asynccontextmanager
    async def session(self, language: str, boundary_key: str) -> AsyncIterator[Elsewhere]:
        """The tools of a new session; arguments as of :meth:`Workshop.begin`.

        Raises:
            InfrastructureError: the worker was lost.
            RunError: no worker answers any more.
        """
        specs = await self.specs()
        async with AsyncExitStack() as leaving:
            try:
                with doing("wait for a worker", ""):
                    place = await leaving.enter_async_context(self._executor.place())
            except InfrastructureError as silent:  # every trial would wait in vain
                raise RunError(f"{silent} The finished trials are kept: continue with --resume.") from silent
            with doing("open a session", place.worker):
                session = await place.call("begin", language, boundary_key)
            try:
                yield Elsewhere(specs, place, session, self._outages)
            finally:
                with suppress(InfrastructureError, TimeoutError):  # it ended, or will, with its worker
                    async with asyncio.timeout(_END_WAIT_S):
                        await asyncio.shield(place.call("end", session))


class Elsewhere(Toolbox):
    """The tools of a session that may be in another process.

    Attributes:
        held_up: whether the store was away in one of the calls, so that the time they took says nothing of
            who made them.
    """

    def __init__(self, specs: tuple[ToolSpec, ...], place: Place, session: str, outages: Outages) -> None:
        super().__init__(())
        self.specs = specs
        self._place = place
        self._session = session
        self._outages = outages
        self.held_up = False

    async def call(self, name: str, arguments: str) -> ToolReply:
        """Call a tool; errors are those of :meth:`Workshop.call`."""
        # A call that failed at the store has made no citation, so it can be made again.
        with doing(name, self._place.worker):
            return await self._outages.outlasted(partial(self._called, name, arguments))

    async def _called(self, name: str, arguments: str) -> ToolReply:
        try:
            reply: ToolReply = await self._place.call("call", self._session, name, arguments)
        except StoreUnreachable:
            self.held_up = True
            raise
        return reply
