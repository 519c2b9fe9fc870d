"""Who may read the viewer, and what its pages may do."""

from __future__ import annotations

import hmac
import secrets
from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from verifaible.errors import ConfigError
from verifaible.net.guard import is_loopback

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: The cookie in which a browser keeps the token.
COOKIE = "verifaible_token"
#: Everything of ours comes from this server, and nothing stands in a page that could run.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; frame-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'"
)
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    # Nothing is told to other sites. With "no-referrer" a form of our own would have no origin either.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
_READING = frozenset({"GET", "HEAD"})
#: What a browser says of a request that a page of this server, or the person, made.
_OWN_SITES = frozenset({"same-origin", "none"})
_FORBIDDEN = 403
_TOKEN_BYTES = 32
#: Of a token that a person chose: a shorter one could be guessed.
_FEWEST_CHARACTERS = 16


def token_for(given: str, host: str) -> str:
    """The token that readers must have: the given one; else a new one where others can reach the server.

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
    return token if token or is_loopback(host) else secrets.token_urlsafe(_TOKEN_BYTES)


def fence(headers: MutableHeaders) -> None:
    """Give an answer the headers that fence it in, where it has none of its own."""
    for name, value in _HEADERS.items():
        headers.setdefault(name, value)
    headers.setdefault("Content-Security-Policy", POLICY)
    headers.setdefault("Cache-Control", "no-store")


class Guard:
    """ASGI middleware: refuses foreign requests, and gives every answer the headers that fence it in.

    Without a token, only requests that name this machine itself are served: a page on the web can make a
    browser send requests here under a name of its own (DNS rebinding). What changes something must come
    from a page of this server.

    Args:
        app: what is guarded.
        token: what a reader must have; empty where the server listens on loopback alone.
    """

    def __init__(self, app: ASGIApp, token: str = "") -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or refuse one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(Request(scope))

        async def fenced(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                fence(headers)
                message["headers"] = headers.raw
            await send(message)

        await (refusal or self._app)(scope, receive, fenced)

    def _refusal(self, request: Request) -> Response | None:
        if not self._token and not is_loopback(request.url.hostname or ""):
            return PlainTextResponse(
                "This address is not served. Open the viewer under localhost or 127.0.0.1.", _FORBIDDEN
            )
        if request.method not in _READING and not _from_here(request):
            return PlainTextResponse(
                "This request came from another site and was not carried out. Use the viewer's own pages.",
                _FORBIDDEN,
            )
        if not self._token:
            return None
        if request.method in _READING and same_token(request.query_params.get("token", ""), self._token):
            return self._entered(request)
        return None if self._admitted(request) else _asked_to_log_in(request)

    def _admitted(self, request: Request) -> bool:
        if request.url.path == "/login" or request.url.path.startswith("/static/"):
            return True
        return same_token(_given(request), self._token)

    def _entered(self, request: Request) -> Response:
        """Take the token out of the address, where it would be copied with links, into a cookie."""
        answer = RedirectResponse(str(request.url.remove_query_params("token")), 303)
        keep_token(answer, self._token, secure=request.url.scheme == "https")
        return answer


def _given(request: Request) -> str:
    """The token that a request brings; one in the address counts where there is no other."""
    scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
    given = bearer if scheme.lower() == "bearer" else request.cookies.get(COOKIE, "")
    return given or request.query_params.get("token", "")


def _asked_to_log_in(request: Request) -> Response:
    if "text/html" in request.headers.get("accept", ""):
        return RedirectResponse("/login", 303)
    return PlainTextResponse(
        "A token is needed: send it as `Authorization: Bearer TOKEN`. `verifaible serve` printed it.",
        401,
        {"WWW-Authenticate": "Bearer"},
    )


def same_token(given: str, token: str) -> bool:
    """Whether a token is the right one, in a time that tells nothing of it."""
    return hmac.compare_digest(given.encode(), token.encode())


def keep_token(answer: Response, token: str, *, secure: bool) -> None:
    """Have the browser keep the token for itself: no script reads it, no other site sends it."""
    answer.set_cookie(COOKIE, token, httponly=True, samesite="lax", secure=secure)


def _from_here(request: Request) -> bool:
    """Whether a browser says that a page of this server made the request; a program says nothing."""
    headers: Headers = request.headers
    site = headers.get("sec-fetch-site", "")
    if site and site not in _OWN_SITES:
        return False
    origin = headers.get("origin", "")
    return not origin or origin == f"{request.url.scheme}://{request.url.netloc}"
