"""What a page asks of the web: answered from an archive, or watched while it is live."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag, urljoin

from verifaible.archive.lookup import Player
from verifaible.errors import OfflineMiss, PageNotLoaded, UrlRefused
from verifaible.net.guard import UrlGuard
from verifaible.schema.citation import Match
from verifaible.schema.web import Headers, WebAnswer, WebExchange, WebRequest, WebResponse, header

if TYPE_CHECKING:
    from playwright.async_api import Browser as PlaywrightBrowser
    from playwright.async_api import BrowserContext, Request, Response, Route, WebSocketRoute

MAX_REDIRECTS = 20
DRAIN_TIMEOUT_S = 10.0
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
#: Describe the wire, not the content, and would be wrong for a decoded body.
_WIRE_HEADERS = frozenset({"content-encoding", "content-length", "transfer-encoding", "connection"})
_MATCH_ORDER: tuple[Match, ...] = ("live", "exact", "normalised", "fuzzy")


@dataclass(frozen=True, slots=True)
class Document:
    """A document that a page opened and a browser does not show as a page, such as a PDF."""

    url: str
    media_type: str
    body: bytes = field(repr=False)


@dataclass(slots=True)
class Traffic:
    """Every exchange of one browser context, in order of completion.

    Attributes:
        exchanges: requests with their answers, bodies whole.
        documents: PDF files and other downloads that the page led to.
        misses: requests that the archive could not answer, as ``METHOD URL``.
        refused: requests that the URL guard refused, as its messages.
        synthetic: whether any answer came from a replica.
        match: the weakest archive match of any answer.
        resembling: the archived answers to requests that only resemble the recorded ones.
        recorded_at: when the first answer was recorded; None when live.
        idle: set while no request is on its way.
    """

    exchanges: list[WebExchange] = field(default_factory=list)
    documents: list[Document] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    synthetic: bool = False
    match: Match = "live"
    resembling: list[WebResponse] = field(default_factory=list)
    recorded_at: datetime | None = None
    idle: asyncio.Event = field(default_factory=asyncio.Event)
    _pending: int = 0
    _heads: dict[str, tuple[int, Headers]] = field(default_factory=dict)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def drain(self) -> None:
        """Wait until every answer that has arrived is read.

        Given up after DRAIN_TIMEOUT_S: the browser does not hand out the answers of a page that
        an endless script holds. What was not read is not in the capture, which then fails closed.
        """
        deadline = monotonic() + DRAIN_TIMEOUT_S
        while self._tasks and monotonic() < deadline:
            await asyncio.wait(set(self._tasks), timeout=deadline - monotonic())

    # --- offline -------------------------------------------------------------------------

    def _note(self, answer: WebAnswer) -> None:
        self.synthetic = self.synthetic or answer.synthetic
        if _MATCH_ORDER.index(answer.match) > _MATCH_ORDER.index(self.match):
            self.match = answer.match
        if answer.match == "fuzzy":
            self.resembling.append(answer.response)
        if self.recorded_at is None:
            self.recorded_at = answer.recorded_at

    def look_up(self, player: Player, request: WebRequest) -> tuple[str, WebResponse]:
        """Answer a request from the archive, following redirects there.

        The browser would follow a redirect past the routing, so it is followed here.

        Returns:
            The URL of the last hop and its response.

        Raises:
            OfflineMiss: a hop is not in the archive.
            PageNotLoaded: more than 20 hops.
        """
        for _ in range(MAX_REDIRECTS + 1):
            answer = player.find(request)
            self._note(answer)
            self.exchanges.append(WebExchange(request, answer.response, answer.recorded_at))
            target = header(answer.response.headers, "location")
            if answer.response.status not in _REDIRECTS or not target:
                return request.url, answer.response
            method = request.method if answer.response.status in (307, 308) else "GET"
            request = WebRequest(
                urljoin(request.url, target),
                method,
                request.headers,
                request.body if method == request.method else b"",
            )
        raise PageNotLoaded(
            f"{request.url} redirects without end (more than {MAX_REDIRECTS} times). Use another address."
        )

    async def route_offline(self, context: BrowserContext, player: Player) -> None:
        """Answer everything the context asks from the archive, and nothing from the network."""

        async def handle(route: Route) -> None:
            request = route.request
            try:
                url, response = self.look_up(player, _web_request(request))
            except OfflineMiss as miss:
                self.misses.append(f"{miss.method} {miss.url}")
                await route.abort("namenotresolved")
                return
            except PageNotLoaded:
                await route.abort("failed")
                return
            navigation = request.is_navigation_request()
            if navigation and response.content_type == "application/pdf":
                self.documents.append(Document(url, response.content_type, response.body))
                await route.fulfill(status=204)
            elif navigation and url != urldefrag(request.url).url:
                await route.fulfill(status=200, content_type="text/html", body=_forward(url))
            else:
                await route.fulfill(
                    status=response.status, headers=_joined(response.headers), body=response.body
                )

        await context.route("**/*", handle)
        await context.route_web_socket("**/*", lambda socket: socket.close())
        self._watch_requests(context)

    def _watch_requests(self, context: BrowserContext) -> None:
        """Keep ``idle`` true to what is on its way."""

        def started(_: Request) -> None:
            self._pending += 1
            self.idle.clear()

        def ended(_: Request) -> None:
            self._pending -= 1
            if self._pending <= 0:
                self.idle.set()

        context.on("request", started)
        context.on("requestfinished", ended)
        context.on("requestfailed", ended)

    # --- live ----------------------------------------------------------------------------

    async def route_live(self, context: BrowserContext, guard: UrlGuard) -> None:
        """Let the context use the internet as far as the guard allows, and keep what comes."""

        async def handle(route: Route) -> None:
            try:
                await guard.check(route.request.url)
            except UrlRefused as error:
                self.refused.append(str(error))
                await route.abort("accessdenied")
                return
            await route.continue_()

        def finished(request: Request) -> None:
            self._later(self._keep(request))

        def answered(response: Response) -> None:
            self._heads[response.url] = (response.status, tuple(response.headers.items()))

        async def why_failed(request: Request) -> None:
            # A redirect never passes the routing; the browser's own guard stops it without a word.
            try:
                await guard.check(request.url)
            except UrlRefused as error:
                self.refused.append(str(error))
            except PageNotLoaded:
                return

        def failed(request: Request) -> None:
            if request.redirected_from is not None:
                self._later(why_failed(request))

        async def socket(route: WebSocketRoute) -> None:
            try:
                await guard.check("http" + route.url.removeprefix("ws"))
            except (UrlRefused, PageNotLoaded) as error:
                self.refused.append(str(error))
                await route.close()
                return
            route.connect_to_server()

        await context.route("**/*", handle)
        await context.route_web_socket("**/*", socket)
        context.on("response", answered)
        context.on("requestfailed", failed)
        context.on("requestfinished", finished)
        self._watch_requests(context)

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def add_download(self, url: str, body: bytes) -> None:
        """Keep a downloaded file: as a document, and as the exchange that brought it.

        The browser gives the bytes of a download to nobody but the download itself.
        """
        media_type = "application/pdf" if body.startswith(b"%PDF-") else "application/octet-stream"
        self.documents.append(Document(url, media_type, body))
        status, headers = self._heads.get(url, (200, (("content-type", media_type),)))
        response = WebResponse(status, _content_headers(headers), body)
        self.exchanges.append(WebExchange(WebRequest(url), response, datetime.now(UTC)))

    async def _keep(self, request: Request) -> None:
        from playwright.async_api import Error

        response = await request.response()
        if response is None or not request.url.startswith(("http://", "https://")):
            return
        redirect = response.status in _REDIRECTS
        try:
            # A redirect has no body that the browser keeps; asking for it is an error.
            body = b"" if redirect else await response.body()
            headers = tuple((entry["name"], entry["value"]) for entry in await response.headers_array())
        except Error:
            return  # the page went on before the answer could be read: it is not part of what it showed
        self.exchanges.append(
            WebExchange(
                _web_request(request),
                WebResponse(response.status, _content_headers(headers), body),
                datetime.now(UTC),
            )
        )


async def guard_redirects(browser: PlaywrightBrowser, guard: UrlGuard) -> None:
    """Stop redirects to addresses that the guard refuses, in every context of a live browser.

    Playwright's routing sees only the first request of a chain; the DevTools protocol's Fetch
    domain pauses every hop.
    """
    from playwright.async_api import Error

    session = await browser.new_browser_cdp_session()

    async def decide(event: dict[str, Any]) -> None:
        answer: dict[str, Any] = {"requestId": event["requestId"]}
        method = "Fetch.continueRequest"
        if "redirectedRequestId" in event:
            try:
                await guard.check(event["request"]["url"])
            except (UrlRefused, PageNotLoaded):
                method, answer["errorReason"] = "Fetch.failRequest", "AccessDenied"
        with suppress(Error):  # the page is gone already
            await session.send(method, answer)

    deciding: set[asyncio.Task[None]] = set()

    def paused(event: dict[str, Any]) -> None:
        task = asyncio.create_task(decide(event))
        deciding.add(task)
        task.add_done_callback(deciding.discard)

    session.on("Fetch.requestPaused", paused)
    await session.send("Fetch.enable", {"patterns": [{"urlPattern": "http*"}]})


def _web_request(request: Request) -> WebRequest:
    return WebRequest(
        urldefrag(request.url).url,
        request.method,
        tuple(request.headers.items()),
        request.post_data_buffer or b"",
    )


def _content_headers(headers: Headers) -> Headers:
    return tuple((name, value) for name, value in headers if name.lower() not in _WIRE_HEADERS)


def _joined(headers: Headers) -> dict[str, str]:
    """Headers as Playwright takes them: repeated ones joined with line breaks."""
    joined: dict[str, str] = {}
    for name, value in _content_headers(headers):
        key = name.lower()
        joined[key] = f"{joined[key]}\n{value}" if key in joined else value
    return joined


def _forward(url: str) -> str:
    """A page that takes the browser to ``url`` without leaving itself in the history."""
    target = escape(url, quote=True)
    return (
        f'<!doctype html><meta name="referrer" content="no-referrer-when-downgrade">'
        f'<a id="t" href="{target}"></a><script>location.replace(document.getElementById("t").href)</script>'
    )
