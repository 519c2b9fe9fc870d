"""MCP over streamable HTTP, and who may use it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import INVALID_REQUEST, ErrorData, JSONRPCError
from starlette.requests import Request
from starlette.responses import Response

from verifaible.errors import ConfigError
from verifaible.net.guard import is_loopback
from verifaible.serve.listening import WholeBody, address_of, listen, serve
from verifaible.serve.mcp.server import mcp_server
from verifaible.serve.mcp.workshop import Workshop
from verifaible.serve.security import same_token

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from verifaible.config import Settings

#: Where the one endpoint is.
PATH = "/mcp"
#: Sessions open at once; an idle one ends after 30 minutes.
MOST_SESSIONS = 256


class HttpGuard:
    """ASGI middleware: refuses who has no token, and pages of the web that ask by way of a browser.

    A page can make a browser send requests to this machine under a name of the page's own (DNS
    rebinding). On loopback the name that was asked for (Host), and where a browser says the asking page
    is from (Origin), must be this machine. Elsewhere a token is needed, which no page has.

    Args:
        app: what is guarded.
        token: what every request must bring as ``Authorization: Bearer``; empty for none.
        loopback: whether the server listens on loopback alone.

    Raises:
        ConfigError: neither loopback nor a token.
    """

    def __init__(self, app: ASGIApp, *, token: str, loopback: bool) -> None:
        if not token and not loopback:
            raise ConfigError("An address other than loopback needs a token. Give --token.")
        self._app = app
        self._token = token
        self._loopback = loopback

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or refuse one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        await (self._refusal(Request(scope)) or self._app)(scope, receive, send)

    def _refusal(self, request: Request) -> Response | None:
        if self._loopback:
            host, origin = request.headers.get("host", ""), request.headers.get("origin")
            if not _is_here(f"//{host}"):
                return _refused(421, "Host names another machine. Use localhost or 127.0.0.1.")
            if origin is not None and not _is_here(origin):
                return _refused(403, "Origin is another site. Only pages of this machine are served.")
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        if self._token and not (scheme.lower() == "bearer" and same_token(given.strip(), self._token)):
            answer = _refused(
                401,
                "A token is needed: send the header `Authorization: Bearer TOKEN` with the token of this "
                "server.",
            )
            answer.headers["WWW-Authenticate"] = "Bearer"
            return answer
        return None


def _is_here(url: str) -> bool:
    """Whether an address names this machine, and nothing besides it and a port."""
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises where it is no number
    except ValueError:
        return False
    return parts.netloc != "" and "@" not in parts.netloc and is_loopback(parts.hostname or "")


def _refused(status: int, sentence: str) -> Response:
    error = JSONRPCError(jsonrpc="2.0", id=None, error=ErrorData(code=INVALID_REQUEST, message=sentence))
    return Response(error.model_dump_json(exclude_unset=True), status, media_type="application/json")


def http_app(workshop: Workshop, *, token: str, loopback: bool) -> ASGIApp:
    """The ASGI application; arguments are those of :class:`HttpGuard`."""
    app = mcp_server(workshop).streamable_http_app(
        streamable_http_path=PATH,
        max_sessions=MOST_SESSIONS,
        # The guard does it, for every loopback address and with sentences.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return HttpGuard(WholeBody(app), token=token, loopback=loopback)


async def serve_http(settings: Settings, *, offline: bool, host: str, port: int, token: str) -> None:
    """Serve until the process is told to end.

    Args:
        settings: limits and paths.
        offline: pages come from the archives alone.
        host: the name or address to listen on.
        port: the port; 0 for any that is free.
        token: as for :class:`HttpGuard`.

    Raises:
        ConfigError: the address cannot be used; or as :meth:`Workshop.open`.
    """
    with listen(host, port) as listener:
        async with Workshop.open(settings, offline=offline) as workshop:
            app = http_app(workshop, token=token, loopback=is_loopback(host))
            address = address_of(listener, PATH)

            def begun() -> None:
                print(f"MCP over HTTP at {address}; end with Ctrl-C.", file=sys.stderr, flush=True)

            await serve(app, listener, begun, log_config=None, proxy_headers=False, lifespan="on")
