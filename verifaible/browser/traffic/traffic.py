"""What a context asks of the web and gets: kept while it is live; ``offline`` answers it from an archive."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from http import HTTPStatus
from time import monotonic
from typing import Any
from urllib.parse import urldefrag

from verifaible.archive.limits import MAX_RECORD_BYTES
from verifaible.archive.lookup import Player
from verifaible.browser import driver
from verifaible.browser.chromium.tabs import Tabs
from verifaible.browser.scripts import init_scripts
from verifaible.browser.traffic.cookies import without_credentials
from verifaible.browser.traffic.pace import Pace
from verifaible.browser.traffic.streams import StreamRecorder
from verifaible.browser.traffic.wire import Head, RawBodies, raw_bodies
from verifaible.errors import UrlRefused
from verifaible.net.client import REDIRECTS
from verifaible.net.egress import Admission
from verifaible.net.guard import UrlGuard, parse_target
from verifaible.schema.citation import Match
from verifaible.schema.web import Headers, WebAnswer, WebExchange, WebRequest, WebResponse

DRAIN_TIMEOUT_S = 10.0
#: Of a request that stops its page until it is answered (offline.js).
SYNCHRONOUS_HEADER = "x-archive-synchronous"
#: What the console of a live page says, and what that means no capture can hold.
_BEYOND = {
    "Service Worker registration blocked by Playwright": "the service worker of {}",
    "verifaible: a key was made": "what is encrypted with a key that {} makes anew",
    "verifaible: a shared worker was started": "what the shared worker of {} asks for",
}
_BODILESS = frozenset({204, 205, 304})
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
    """Every exchange of one browser context; live in the order of the requests.

    Attributes:
        exchanges: requests with their answers, bodies whole.
        documents: PDF files and other downloads that the page led to.
        misses: requests that the archive could not answer, as ``METHOD URL``; ``WS URL`` for sockets,
            ``SSE URL`` for event streams.
        why: of misses, in what they differ from the most similar recorded request; of what is unread, why.
        unread: live requests whose answers could not be kept, as ``METHOD URL``.
        beyond: what live pages use, and no capture holds whatever is read.
        refused: requests that the URL guard refused, as its messages, each once.
        synthetic: whether any answer came from a replica.
        match: the weakest archive match of any answer.
        recorded_at: when the first answer was recorded; None when live.
        over: set when nobody looks at the pages any more.
        checks: documents that another one followed by itself: address and status of each.
        signed_in: whether the context has the cookies of a person.
        player: what answers the context from an archive; None when live.
        pace: what is on its way, and in which order answers come.
    """

    exchanges: list[WebExchange] = field(default_factory=list)
    documents: list[Document] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)
    why: dict[str, str] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)
    beyond: dict[str, None] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    synthetic: bool = False
    match: Match = "live"
    recorded_at: datetime | None = None
    over: asyncio.Event = field(default_factory=asyncio.Event)
    checks: list[tuple[str, int]] = field(default_factory=list)
    signed_in: bool = False
    player: Player | None = None
    pace: Pace = field(default_factory=Pace)
    _ranks: list[int] = field(default_factory=list)
    _raw: RawBodies = field(default_factory=RawBodies)
    _heads: dict[str, tuple[int, Headers]] = field(default_factory=dict)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _keeps: bool = True
    _streams: StreamRecorder = field(default_factory=StreamRecorder)
    _answered: dict[driver.Request, driver.Response] = field(default_factory=dict)
    _unreached: Mapping[tuple[str, int], str] = field(default_factory=dict)

    @property
    def idle(self) -> asyncio.Event:
        """Set while no request is on its way, and none was a moment ago."""
        return self.pace.idle

    @property
    def clear(self) -> asyncio.Event:
        """Set as ``idle`` is, but from the moment on in which that is so."""
        return self.pace.clear

    @property
    def asked(self) -> int:
        """How many requests there have been."""
        return len(self.pace.numbers)

    async def drain(self) -> None:
        """Wait until every answer that has arrived is read.

        Given up after DRAIN_TIMEOUT_S: the browser does not hand out the answers of a page that
        an endless script holds. What was not read is not in the capture, which then fails closed.
        """
        deadline = monotonic() + DRAIN_TIMEOUT_S
        for request, response in list(self._answered.items()):
            # A page that does not want an answer never ends it; all of it may have come.
            if body := self._raw.take(Head.of(request, response)):
                del self._answered[request]
                self._later(self._keep(request, response, body))
        while self._tasks and monotonic() < deadline:
            await asyncio.wait(set(self._tasks), timeout=deadline - monotonic())

    @property
    def lacking(self) -> list[str]:
        """What pages asked for that the archive does not hold, with the reason where it is known."""
        misses = [f"{miss} ({why})" if (why := self.why.get(miss)) else miss for miss in self.misses]
        return list(dict.fromkeys(misses))

    def keep_streams(self) -> None:
        """Keep what has come over connections that stay open: the page is read at this moment."""
        self._streams.keep()

    def messages(self, url: str) -> list[str]:
        """The first messages that have come over an event stream of this address."""
        return self._streams.messages(url)

    def unreplayable(self) -> list[str]:
        """What the live pages of the context use and no capture holds, each with the reason."""
        open_still = [
            f"{each.method} {each.url} (an answer that is still being sent)"
            for each in self._answered
            if each.resource_type != "eventsource"
        ]
        unread = [f"{each} ({why})" if (why := self.why.get(each)) else each for each in self.unread]
        return list(dict.fromkeys((*unread, *open_still, *self._streams.unseen, *self.beyond)))

    def sealed(self) -> list[WebExchange]:
        """All that came: the exchanges, and the connections that stay open with what was said over them.

        Not the documents of a check where the page itself came in the end: a replay begins with that. Of a
        signed-in session nothing that would sign somebody else in.
        """
        kept = [each for each in self.exchanges if not self._is_check(each)]
        found = [*kept, *self._streams.kept]
        return [without_credentials(each) for each in found] if self.signed_in else found

    def _is_check(self, exchange: WebExchange) -> bool:
        url = exchange.request.url
        if (url, exchange.response.status) not in self.checks:
            return False
        alike = [each for each in self.exchanges if each.request.url == url]
        # The last is what came in the end; a file is of the same address as what stood before it.
        return exchange is not alike[-1] and alike[-1].response.status < HTTPStatus.ACCEPTED

    def forget(self) -> None:
        """Begin anew: what was loaded so far was for a person to see."""
        for each in (self.exchanges, self.documents, self.unread, self.checks, self._ranks):
            each.clear()

    def note(self, answer: WebAnswer) -> None:
        """Take an answer of the archive into account."""
        self.synthetic = self.synthetic or answer.synthetic
        if _MATCH_ORDER.index(answer.match) > _MATCH_ORDER.index(self.match):
            self.match = answer.match
        if self.recorded_at is None:
            self.recorded_at = answer.recorded_at

    async def route_live(
        self, context: driver.BrowserContext, guard: UrlGuard, admission: Admission | None = None
    ) -> None:
        """Let the context use the internet as far as the guard allows, and keep what comes.

        Here only what is written in a URL is judged, so that a page is told at once. Where a host leads
        is judged by the proxy, where the connection is made; that also sees what passes no routing.

        Args:
            context: a context of a browser whose only way out is the proxy.
            guard: decides which hosts may be asked.
            admission: what the context uses the proxy with.
        """
        if admission is not None:
            self._unreached = admission.unreached
            admission.on_refused = self._refuse
            admission.use(guard)

        async def handle(route: driver.Route) -> None:
            try:
                guard.check_host_only(route.request.url)
            except UrlRefused as error:
                self._refuse(error)
                await route.abort("accessdenied")
                return
            if route.request.resource_type == "eventsource" and self._keeps:
                await self._streams.watch_events(route.request)
            await route.continue_()

        def ended(request: driver.Request) -> None:
            # A script that is answered "not modified" ends the request as if it had failed.
            response = self._answered.pop(request, None)
            if response is not None and self._keeps:
                self._later(self._keep(request, response))

        def answered(response: driver.Response) -> None:
            self._answered[response.request] = response
            self._heads[response.url] = (response.status, tuple(response.headers.items()))
            if response.request.resource_type == "eventsource":
                self.pace.hold(response.request)  # it may never end

        def said(message: driver.ConsoleMessage) -> None:
            if beyond := _BEYOND.get(message.text):
                self.beyond[beyond.format(message.page.url if message.page else "")] = None

        async def socket(route: driver.WebSocketRoute) -> None:
            try:
                guard.check_host_only("http" + route.url.removeprefix("ws"))
            except UrlRefused as error:
                self._refuse(error)
                await route.close()
                return
            route.connect_to_server()

        self._raw = raw_bodies(context.browser)
        self._streams.watch(context)
        context.on("response", answered)
        context.on("console", said)
        context.on("requestfailed", ended)
        context.on("requestfinished", ended)
        self.pace.watch_requests(context)
        await asyncio.gather(
            context.route("**/*", handle),
            context.route_web_socket("**/*", socket),
            context.add_init_script(init_scripts("wakes", "watch", "watchable", "hints")),
        )

    def keep_nothing(self, tabs: Tabs) -> None:
        """Keep no answers: for whoever only reads the page. Documents that it leads to are kept."""
        self._keeps = False
        self._raw.unwanted.extend(tabs.ids)

    def _refuse(self, error: UrlRefused) -> None:
        message = str(error)
        if message not in self.refused:
            self.refused.append(message)

    def why_unreached(self, url: str) -> str:
        """Why no connection was made to the host of a URL, or an empty string."""
        try:
            target = parse_target(url)
        except UrlRefused:
            return ""
        return self._unreached.get((target.host, target.port), "")

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
        self._add(WebExchange(WebRequest(url), response, datetime.now(UTC)), len(self.pace.numbers))

    def _add(self, exchange: WebExchange, number: int) -> None:
        """Put an exchange where its request stands in the order of requests, however late its answer came."""
        place = bisect_right(self._ranks, number)
        self._ranks.insert(place, number)
        self.exchanges.insert(place, exchange)

    async def _keep(
        self, request: driver.Request, response: driver.Response, body: bytes | None = None
    ) -> None:
        """Keep the answer to a request; ``body`` where it is known already."""
        if not request.url.startswith(("http://", "https://")):
            return
        asked = web_request(request)
        try:
            body = await self._body(request, response) if body is None else body
            headers = tuple((each["name"], each["value"]) for each in await response.headers_array())
            cookie = await request.header_value("cookie")
        except driver.Error as error:
            # Most often the page went on before the answer could be read: it is not part of what it showed.
            large = "evicted" in error.message
            self._unread(asked, "too large to be kept" if large else "it ended before it was read")
            return
        if len(body) > MAX_RECORD_BYTES:
            self._unread(asked, f"too large to be kept: {len(body)} bytes")
            return
        if cookie:
            asked = replace(asked, headers=(*asked.headers, ("cookie", cookie)))
        answer = WebResponse(response.status, _content_headers(headers), body)
        number = self.pace.numbers.get(request, len(self.pace.numbers))
        self._add(WebExchange(asked, answer, datetime.now(UTC)), number)

    def _unread(self, asked: WebRequest, why: str) -> None:
        self.unread.append(f"{asked.method} {asked.url}")
        self.why[self.unread[-1]] = why

    async def _body(self, request: driver.Request, response: driver.Response) -> bytes:
        """The bytes of an answer, also of one that the browser itself has not kept.

        Raises:
            playwright.async_api.Error: the browser has it no more.
        """
        head = Head.of(request, response)
        waiting = self._raw.count(head)
        if waiting == 1 and (found := self._raw.take(head)) is not None:
            return found
        # These have no body that the browser keeps; asking for it is an error.
        bodiless = response.status in REDIRECTS | _BODILESS or request.method == "HEAD"
        try:
            body = b"" if bodiless else await response.body()
        except driver.Error:
            if (found := self._raw.take(head)) is not None:
                return found
            raise
        found = self._raw.take(head, body) if waiting else None
        return body if found is None else found


def web_request(request: driver.Request) -> WebRequest:
    """A request as records have it."""
    return WebRequest(
        urldefrag(request.url).url,
        request.method,
        tuple((name, value) for name, value in request.headers.items() if name != SYNCHRONOUS_HEADER),
        request.post_data_buffer or b"",
    )


async def fulfil(route: driver.Route, response: WebResponse) -> None:
    """Answer a request with what was fetched for it before."""
    await route.fulfill(status=response.status, headers=joined(response.headers), body=response.body)


def _content_headers(headers: Headers) -> Headers:
    return tuple((name, value) for name, value in headers if name.lower() not in _WIRE_HEADERS)


def joined(headers: Headers) -> dict[str, str]:
    """Headers as Playwright takes them: repeated ones joined with line breaks."""
    joined: dict[str, str] = {}
    for name, value in _content_headers(headers):
        key = name.lower()
        joined[key] = f"{joined[key]}\n{value}" if key in joined else value
    return joined
