"""Who may use the viewer and the MCP server: address, requests that are served, token, limits."""

from __future__ import annotations

import asyncio
import hmac
import secrets
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import uvicorn
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response

from verifaible.errors import ConfigError
from verifaible.net.guard import is_loopback

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: The cookie in which a browser keeps the token.
COOKIE = "verifaible_token"
#: Everything of ours comes from this server, and nothing stands in a page that could run.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'"
)
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    # Nothing is told to other sites. With "no-referrer" a form of our own would have no origin either.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-store",
}
_READING = frozenset({"GET", "HEAD"})
#: Of a token that a person chose: a shorter one could be guessed.
_FEWEST_CHARACTERS = 16
#: Most seconds and bytes of a request's body. Forms and MCP calls are some kilobytes.
BODY_S, MAX_BODY_BYTES = 30.0, 8 << 20
#: How long requests under way may go on after the end was asked for.
_GRACE_S = 3
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - looked up, not listened on


def token_for(given: str, host: str) -> str:
    """The token that clients must have: the given one; else a new one where others can reach the server.

    Raises:
        ConfigError: it holds what a header cannot, or is short enough to be guessed.
    """
    token = given.strip()
    if not all("!" <= letter <= "~" for letter in token):
        raise ConfigError("--token: use letters, digits and signs of ASCII only, without spaces.")
    if token and len(token) < _FEWEST_CHARACTERS:
        raise ConfigError(
            f"--token: use at least {_FEWEST_CHARACTERS} characters, or leave it out to have one made."
        )
    return token if token or is_loopback(host) else secrets.token_urlsafe(32)


def same_token(given: str, token: str) -> bool:
    """Whether a token is the right one, in a time that tells nothing of it."""
    return hmac.compare_digest(given.encode(), token.encode())


def keep_token(answer: Response, token: str, *, secure: bool) -> None:
    """Have the browser keep the token for itself: no script reads it, no other site sends it."""
    answer.set_cookie(COOKIE, token, httponly=True, samesite="lax", secure=secure)


def fence(headers: MutableHeaders) -> None:
    """Give an answer the headers that fence it in, where it has none of its own."""
    for name, value in _HEADERS.items():
        headers.setdefault(name, value)


class Access:
    """ASGI middleware: refuses foreign requests, reads bodies whole, and fences answers in.

    A page on the web can make a browser send requests to this machine under a name of the page's own (DNS
    rebinding): without a token, only requests that name this machine are served.

    Args:
        app: what is served.
        token: what every client must have; empty only where the server listens on loopback alone.
        body_s: seconds for a whole body.
    """

    def __init__(self, app: ASGIApp, token: str = "", body_s: float = BODY_S) -> None:
        self._app = app
        self._token = token
        self._body_s = body_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or refuse one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def fenced(message: Message) -> None:
            if message["type"] == "http.response.start":
                fence(MutableHeaders(scope=message))
            await send(message)

        request = Request(scope)
        refusal = self._refusal(request) if self._named(request) else self._foreign()
        if refusal is not None:
            await refusal(scope, receive, fenced)
            return
        body = await self._body(receive)
        if isinstance(body, Response):
            await body(scope, receive, fenced)
            return
        waiting = [body]

        async def replayed() -> Message:
            return waiting.pop() if waiting else await receive()

        await self._app(scope, replayed, fenced)

    def _named(self, request: Request) -> bool:
        return bool(self._token) or is_this_machine(f"//{request.headers.get('host', '')}")

    def _foreign(self) -> Response:
        return self._refused(403, "This address is not served. Use localhost or 127.0.0.1.")

    def _refusal(self, request: Request) -> Response | None:
        """What is answered instead of the application; None where the request is served."""
        raise NotImplementedError

    def _refused(self, status: int, sentence: str) -> Response:
        return PlainTextResponse(sentence, status)

    async def _body(self, receive: Receive) -> Message | Response:
        """The body in one message, or the client's leaving; a refusal where it stalls or is too large."""
        body = bytearray()
        try:
            async with asyncio.timeout(self._body_s):
                while (message := await receive())["type"] == "http.request":
                    body += message.get("body", b"")
                    if len(body) > MAX_BODY_BYTES:
                        answer = self._refused(
                            413, f"The request has more than {MAX_BODY_BYTES} bytes. Send less."
                        )
                        break
                    if not message.get("more_body"):
                        return {"type": "http.request", "body": bytes(body), "more_body": False}
                else:
                    return message
        except TimeoutError:
            answer = self._refused(408, "The request took too long. Send it again.")
        answer.headers["Connection"] = "close"
        return answer


class ViewerAccess(Access):
    """Access for people with a browser: the token is kept in a cookie, and buttons are pressed here alone.

    What changes something must come from a page of this server, or from a program.
    """

    def _refusal(self, request: Request) -> Response | None:
        reading = request.method in _READING
        if not reading and not _from_here(request):
            return self._refused(
                403,
                "This request came from another site and was not carried out. Use the viewer's own pages.",
            )
        if not self._token or request.url.path == "/login" or request.url.path.startswith("/static/"):
            return None
        asked = request.query_params.get("token", "")
        if reading and same_token(asked, self._token):
            # Out of the address, where it would be copied with links.
            answer = RedirectResponse(str(request.url.remove_query_params("token")), 303)
            keep_token(answer, self._token, secure=request.url.scheme == "https")
            return answer
        if same_token(_bearer(request) or request.cookies.get(COOKIE, ""), self._token):
            return None
        if "text/html" in request.headers.get("accept", ""):
            return RedirectResponse("/login", 303)
        return _unauthorized(self._refused(401, f"{_NEEDED} `verifaible serve` printed it."))


class McpAccess(Access):
    """Access for MCP clients: a bearer token, JSON-RPC errors, and no pages of other machines."""

    def _refusal(self, request: Request) -> Response | None:
        origin = request.headers.get("origin")
        if origin is not None and not is_this_machine(origin):
            return self._refused(403, "Origin is another site. Only pages of this machine are served.")
        if self._token and not same_token(_bearer(request), self._token):
            return _unauthorized(self._refused(401, f"{_NEEDED} `verifaible mcp` printed it."))
        return None

    def _refused(self, status: int, sentence: str) -> Response:
        error = {"code": -32600, "message": sentence}  # invalid request
        return JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, status)


_NEEDED = "A token is needed: send it as `Authorization: Bearer TOKEN`."


def _unauthorized(answer: Response) -> Response:
    answer.headers["WWW-Authenticate"] = "Bearer"
    return answer


def _bearer(request: Request) -> str:
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    return given.strip() if scheme.lower() == "bearer" else ""


def is_this_machine(url: str) -> bool:
    """Whether an address names this machine, and nothing besides it and a port."""
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises where it is no number
    except ValueError:
        return False
    return parts.netloc != "" and "@" not in parts.netloc and is_loopback(parts.hostname or "")


def _from_here(request: Request) -> bool:
    """Whether a browser says that a page of this server made the request; a program says nothing."""
    if request.headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        return False
    origin = request.headers.get("origin", "")
    return not origin or origin == f"{request.url.scheme}://{request.url.netloc}"


def listen(host: str, port: int, token: str = "") -> socket.socket:
    """A socket that listens.

    Args:
        host: an address of this machine, or a name of one.
        port: 0 takes a free one.
        token: what clients must have.

    Raises:
        ConfigError: others could come without a token, the address is not of this machine, or the port is
            taken.
    """
    if not token and not is_loopback(host):
        raise ConfigError("An address other than loopback needs a token. Give --token.")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(128)
        except OSError:
            listener.close()
            raise
    except (OSError, UnicodeError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(
            f"Cannot listen on {host} port {port} ({reason}). Choose another --port or --host."
        ) from error
    return listener


def address_of(listener: socket.socket, path: str = "/") -> str:
    """The address under which a client on this machine finds the server."""
    host, port = listener.getsockname()[:2]
    host = _EVERYWHERE.get(host, host)
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{path}"


async def serve(
    app: ASGIApp,
    listener: socket.socket,
    begun: Callable[[], None],
    **settings: Any,
) -> None:
    """Serve until SIGINT or SIGTERM.

    Args:
        app: what is served.
        listener: where.
        begun: called once requests are answered and a signal ends everything in order.
        settings: further ones of uvicorn.
    """
    config = uvicorn.Config(
        app, access_log=False, server_header=False, timeout_graceful_shutdown=_GRACE_S, **settings
    )
    server = _Server(config, begun)

    def stop() -> None:
        server.should_exit = True

    # uvicorn raises a signal again when it has ended: without these it would end the process before what
    # was opened around the server is closed.
    for each in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows
            asyncio.get_running_loop().add_signal_handler(each, stop)
    await server.serve(sockets=[listener])


class _Server(uvicorn.Server):
    """Tells when it has begun: until then a signal would meet a server that is half there."""

    def __init__(self, config: uvicorn.Config, begun: Callable[[], None]) -> None:
        super().__init__(config)
        self._begun = begun

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.should_exit:
            self._begun()
