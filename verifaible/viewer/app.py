"""The viewer: a Starlette application over a store, its runs, judged answers, graphs and conversations."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING, cast

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route

from verifaible.access import ViewerAccess, fence, keep_token, same_token
from verifaible.client import Verifaible
from verifaible.crypto.chat.conversations import Conversations
from verifaible.errors import CitationNotFound, VerifaibleError
from verifaible.store.index import SearchTooLong
from verifaible.store.store import Store
from verifaible.viewer import respond
from verifaible.viewer.capture_files import capture_routes
from verifaible.viewer.chat import Chat, chat_routes
from verifaible.viewer.chat_turns import Analyst
from verifaible.viewer.citations import citation_routes, newest
from verifaible.viewer.cite import cite_routes
from verifaible.viewer.graphs import graph_routes
from verifaible.viewer.judged import judged_routes, newest_judged
from verifaible.viewer.respond import Viewer, html, page
from verifaible.viewer.runs import newest_runs, run_routes
from verifaible.viewer.trials import trial_routes

if TYPE_CHECKING:
    from starlette.requests import Request

    from verifaible.config import Settings

#: Smaller answers are not worth compressing.
_COMPRESSED_BYTES = 1_000
_NOT_FOUND = 404
#: What the first page has of each list.
_CITATIONS, _RUNS, _JUDGED = 10, 8, 5
#: The HTTP status of our own errors; all others are 500.
_NUMBERS: dict[type[VerifaibleError], int] = {CitationNotFound: _NOT_FOUND, SearchTooLong: 400}


def create_app(
    settings: Settings, *, token: str = "", warm: bool = False, answering: Analyst | None = None
) -> Starlette:
    """The viewer as an ASGI application.

    Args:
        settings: which store and which runs it shows.
        token: what every reader must have; empty only where nobody else can reach the server.
        warm: start the browser for replays and exports at once, not at the first of them.
        answering: what answers in the chat; else the analyst with these settings.
    """
    viewer = Viewer(settings, Store.open(settings), Verifaible(settings))
    chat = Chat(Conversations(settings.conversations_dir), answering or Analyst(settings))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        # More threads than cores only take turns at Python's lock, and the answers wait for them.
        threads = ThreadPoolExecutor(max(2, os.cpu_count() or 1), "reading")
        asyncio.get_running_loop().set_default_executor(threads)
        async with viewer.client:
            if warm:
                await viewer.client.warm()
            try:
                yield
            finally:
                await chat.running.close()
                viewer.store.close()

    app = Starlette(
        routes=[
            *page("/", "home.html", _home, name="home"),
            *citation_routes(),
            *cite_routes(),
            *run_routes(),
            *trial_routes(),
            *judged_routes(),
            *graph_routes(),
            *chat_routes(),
            Mount("/captured", routes=capture_routes()),
            Route("/login", _login, methods=["GET", "POST"], name="login"),
            Route("/static/{name}", respond.asset, name="static"),
        ],
        middleware=[
            Middleware(ViewerAccess, token=token),
            Middleware(GZipMiddleware, minimum_size=_COMPRESSED_BYTES),
        ],
        exception_handlers={
            HTTPException: _http_fault,
            VerifaibleError: _typed_fault,
            Exception: _crash,
        },
        lifespan=lifespan,
    )
    app.state.viewer = viewer
    app.state.chat = chat
    app.state.token = token
    return app


def _home(viewer: Viewer, request: Request) -> dict[str, object]:
    """The first page: what is newest."""
    return {
        "listing": newest(viewer, _CITATIONS),
        "runs": newest_runs(viewer, request, _RUNS),
        "judged": newest_judged(viewer, request, _JUDGED),
    }


async def _login(request: Request) -> Response:
    """Take a token from the form and let the browser keep it."""
    token = str(request.app.state.token)
    if not token:
        return RedirectResponse("/", 303)
    if request.method != "POST":
        return html(request, "login.html", {"wrong": False}, status=401)
    async with request.form() as form:
        given = str(form.get("token", ""))
    if not same_token(given.strip(), token):
        return html(request, "login.html", {"wrong": True}, status=403)
    answer = RedirectResponse("/", 303)
    keep_token(answer, token, secure=request.url.scheme == "https")
    return answer


def _fault(request: Request, number: int, said: str) -> Response:
    if request.url.path.endswith(".json"):
        return JSONResponse({"status": number, "error": said}, number)
    return html(request, "fault.html", {"number": number, "said": said}, status=number)


async def _http_fault(request: Request, error: Exception) -> Response:
    fault = cast(HTTPException, error)
    said = fault.detail
    if fault.status_code == _NOT_FOUND and said == HTTPStatus(_NOT_FOUND).phrase:
        said = "No page has this address. The first page leads to all of them."
    answer = _fault(request, fault.status_code, said)
    answer.headers.update(fault.headers or {})
    return answer


async def _typed_fault(request: Request, error: Exception) -> Response:
    """A typed error of ours: its sentence says what to do."""
    number = next((number for kind, number in _NUMBERS.items() if isinstance(error, kind)), 500)
    return _fault(request, number, str(error))


async def _crash(request: Request, error: Exception) -> Response:
    said = f"{type(error).__name__}. Load the page again; the output of `verifaible serve` says more."
    answer = _fault(request, 500, said)
    fence(answer.headers)  # Starlette answers a crash outside of all middleware
    return answer
