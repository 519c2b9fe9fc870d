"""Whose tools a request uses: the session's, so that citation numbers are its own."""

from __future__ import annotations

import weakref
from typing import Any, TypeAlias

from mcp.server.context import ServerRequestContext
from starlette.requests import Request

from verifaible.serve.mcp.workshop import Workshop
from verifaible.tools.toolbox import Toolbox

#: The header by which streamable HTTP tells sessions apart (MCP 2025-11-25, "Session Management").
SESSION_HEADER = "mcp-session-id"


class Sessions:
    """The toolboxes of everybody who talks through one transport.

    A stream (stdio, memory) has one session. HTTP has one for each session id; requests without one, which
    only a client that insists on protocol 2026-07-28 sends, share the transport's own toolbox: their numbers
    never collide, but they do not begin at 1 for each.
    """

    def __init__(self, workshop: Workshop) -> None:
        self.workshop = workshop
        self._own = workshop.toolbox()
        self._by_id: dict[str, Toolbox] = {}

    def toolbox(self, context: Context) -> Toolbox:
        """The tools of the session that a request belongs to."""
        request = context.request
        identity = request.headers.get(SESSION_HEADER, "") if isinstance(request, Request) else ""
        client = context.session.client_params
        if not identity or client is None:
            return self._own
        if identity not in self._by_id:
            self._by_id[identity] = self.workshop.toolbox()
            # What a client said of itself lives as long as its connection does, and its toolbox no longer.
            weakref.finalize(client, self._by_id.pop, identity, None)
        return self._by_id[identity]

    def __len__(self) -> int:
        return len(self._by_id)


Context: TypeAlias = ServerRequestContext[Sessions, Any]


def is_http(context: Context) -> bool:
    """Whether a request came over HTTP."""
    return isinstance(context.request, Request)
