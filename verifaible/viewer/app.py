"""The viewer: a Starlette application over a store and its runs."""

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
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route

from verifaible.access import ViewerAccess, fence, keep_token, same_token
from verifaible.api import Verifaible
from verifaible.crypto.chat.conversations import Conversations
from verifaible.errors import CitationNotFound, VerifaibleError
from verifaible.store.index import SearchTooLong
from verifaible.store.store import Store
from verifaible.viewer import lists, rendering
from verifaible.viewer.chat.analysts import Analysts, Answering
from verifaible.viewer.chat.pages import Chat, chat_routes
from verifaible.viewer.citations import pages as citation_pages
from verifaible.viewer.citations.captured import captured_routes
from verifaible.viewer.graphs.pages import graph_routes
from verifaible.viewer.judged.pages import judged_routes
from verifaible.viewer.runs.pages import run_routes
from verifaible.viewer.state import House, house_of

if TYPE_CHECKING:
    from starlette.requests import Request

    from verifaible.config import Settings

#: Smaller answers are not worth compressing.
_COMPRESSED_BYTES = 1_000
_NOT_FOUND = 404
#: The HTTP status of our own errors; all others are 500.
_NUMBERS: dict[type[VerifaibleError], int] = {CitationNotFound: _NOT_FOUND, SearchTooLong: 400}


def create_app(
    settings: Settings, *, token: str = "", warm: bool = False, answering: Answering | None = None
) -> Starlette:
    """The viewer as an ASGI application.

    Args:
        settings: which store and which runs it shows.
        token: what every reader must have; empty only where nobody else can reach the server.
        warm: start the browser for replays and exports at once, not at the first of them.
        answering: what answers in the chat; else the analyst with these settings.
    """
    house = House(settings, Store.open(settings), Verifaible(settings))
    talk = Chat(Conversations(settings.conversations_dir), answering or Analysts(settings))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        # More threads than cores only take turns at Python's lock, and the answers wait for them.
        threads = ThreadPoolExecutor(max(2, os.cpu_count() or 1), "reading")
        asyncio.get_running_loop().set_default_executor(threads)
        async with house.doing:
            if warm:
                await house.doing.warm()
            try:
                yield
            finally:
                await talk.running.close()
                house.store.close()

    app = Starlette(
        routes=[
            Route("/", lists.home, name="home"),
            *lists.routes(),
            *citation_pages.routes(),
            *run_routes(),
            *judged_routes(),
            *graph_routes(),
            *chat_routes(),
            Mount("/captured", routes=captured_routes(lambda request: house_of(request).store)),
            Route("/login", _login, methods=["GET", "POST"], name="login"),
            Route("/static/{name}", rendering.asset, name="static"),
        ],
        middleware=[
            Middleware(ViewerAccess, token=token),
            Middleware(GZipMiddleware, minimum_size=_COMPRESSED_BYTES),
        ],
        exception_handlers={
            HTTPException: _http_fault,
            VerifaibleError: _fault,
            Exception: _crash,
        },
        lifespan=lifespan,
    )
    app.state.house = house
    app.state.chat = talk
    app.state.token = token
    return app


async def _login(request: Request) -> Response:
    """Take a token from the form and let the browser keep it."""
    token = str(request.app.state.token)
    if not token:
        return RedirectResponse("/", 303)
    if request.method == "POST":
        async with request.form() as form:
            given = str(form.get("token", ""))
        if same_token(given.strip(), token):
            answer = RedirectResponse("/", 303)
            keep_token(answer, token, secure=request.url.scheme == "https")
            return answer
        return rendering.page(request, "login.html", status=403, wrong=True)
    return rendering.page(request, "login.html", status=401, wrong=False)


async def _http_fault(request: Request, error: Exception) -> Response:
    fault = cast(HTTPException, error)
    number = fault.status_code
    # The headline says in the reader's language what the standard's phrase would say in English.
    said = "" if number == _NOT_FOUND and fault.detail == HTTPStatus(number).phrase else fault.detail
    answer = rendering.page(request, "fault.html", status=number, number=number, said=said)
    answer.headers.update(fault.headers or {})
    return answer


async def _fault(request: Request, error: Exception) -> Response:
    """A typed error of ours: its sentence says what to do."""
    number = next((number for kind, number in _NUMBERS.items() if isinstance(error, kind)), 500)
    return rendering.page(request, "fault.html", status=number, number=number, said=str(error))


async def _crash(request: Request, error: Exception) -> Response:
    answer = rendering.page(request, "fault.html", status=500, number=500, said=type(error).__name__)
    fence(answer.headers)  # Starlette answers a crash outside of all middleware
    return answer
