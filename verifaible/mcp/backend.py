"""What the sessions of a server share: one web, one browser and one store.

Nothing of the MCP SDK is imported here: the browser starts while that is.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING

import anyio

from verifaible.tools.workspace import open_workspace

if TYPE_CHECKING:
    from verifaible.config import Settings
    from verifaible.schema.run import ToolReply
    from verifaible.store.store import Store
    from verifaible.tools.context import ToolContext
    from verifaible.tools.toolbox import Toolbox

#: Calls carried out at once: each holds a browser context of some 100 MB; further ones wait.
MOST_CALLS = 6
#: How long a call that was cancelled may take to end what it has begun.
_END_WAIT_S = 10.0


class Backend:
    """Gives each session its own tools, over one web, one browser and one store.

    Args:
        context: what the tools work with.
        store: where their citations are.
    """

    def __init__(self, context: ToolContext, store: Store) -> None:
        self.context = context
        self.store = store
        self._places = asyncio.Semaphore(MOST_CALLS)

    @classmethod
    @asynccontextmanager
    async def open(cls, settings: Settings, *, offline: bool) -> AsyncIterator[Backend]:
        """A backend whose browser starts at once, in the background, and is closed at the end.

        Raises:
            ConfigError: there is no archive to serve from, or the search engines are set up wrongly.
        """
        async with open_workspace(settings, "offline" if offline else "live", warm=True) as workspace:
            await asyncio.to_thread(import_module, "verifaible.mcp.server")
            yield cls(workspace.context, workspace.store)

    @property
    def offline(self) -> bool:
        """Whether pages come from the archives alone."""
        return self.context.web.archive is not None

    def toolbox(self) -> Toolbox:
        """The tools of a new session, whose citations count from 1."""
        from verifaible.tools.registry import toolbox

        return toolbox(self.context)

    async def call(self, tools: Toolbox, name: str, arguments: str) -> ToolReply:
        """Carry out one call, as soon as there is a place for it.

        The tool runs in a task of its own, which is cancelled once: an anyio scope cancels again at every
        await, and would not let a browser context be closed.
        """
        async with self._places:
            working = asyncio.create_task(tools.call(name, arguments))
            try:
                return await asyncio.shield(working)
            except asyncio.CancelledError:
                working.cancel()
                with anyio.CancelScope(shield=True):
                    await asyncio.wait({working}, timeout=_END_WAIT_S)
                if working.done() and not working.cancelled():
                    working.exception()  # nobody is left to tell
                raise
