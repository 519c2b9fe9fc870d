"""What a context asks of the web and gets: kept while it is live; ``offline`` answers it from an archive."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from http import HTTPStatus
from time import monotonic
from typing import Final
from urllib.parse import urldefrag

from verifaible.archive.limits import MAX_RECORD_BYTES
from verifaible.archive.lookup import Player
from verifaible.browser import driver
from verifaible.browser.scripts import init_scripts
from verifaible.browser.traffic.cookies import without_credentials
from verifaible.browser.traffic.requests import Requests
from verifaible.browser.traffic.streams import StreamRecorder
from verifaible.browser.traffic.wire import Head, RawBodies, RawBody, raw_bodies, same_as
from verifaible.errors import UrlRefused
from verifaible.net.client import REDIRECTS
from verifaible.net.egress import Admission
from verifaible.net.guard import UrlGuard, parse_target
from verifaible.schema.citation import Match
from verifaible.schema.web import Headers, WebAnswer, WebExchange, WebRequest, WebResponse

DRAIN_TIMEOUT_S = 10.0
#: Of a request that stops its page until it is answered (offline.js).
SYNCHRONOUS_HEADER: Final = "x-archive-synchronous"
#: What the console of a live page says, and what that means no capture can hold.
_BEYOND: Final = {
    "Service Worker registration blocked by Playwright": "the service worker of {}",
    "verifaible: a key was made": "what is encrypted with a key that {} makes anew",
    "verifaible: a shared worker was started": "what the shared worker of {} asks for",
}
_BODILESS: Final = REDIRECTS | {204, 205, 304}
#: Describe the wire, not the content, and would be wrong for a decoded body.
_WIRE_HEADERS: Final = frozenset({"content-encoding", "content-length", "transfer-encoding", "connection"})
_MATCH_ORDER: Final[tuple[Match, ...]] = ("live", "exact", "normalised")


@dataclass(frozen=True, slots=True)
class Document:
    """A document that a page opened and a browser does not show as a page, such as a PDF."""

    url: str
    media_type: str
    body: bytes = field(repr=False)


@dataclass  # without slots: Playwright marks whoever listens to it
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
        requests: what was asked for, what came of it, and what is on its way.
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
    requests: Requests = field(default_factory=Requests)
    _ranks: list[int] = field(default_factory=list)
    _raw: RawBodies = field(default_factory=RawBodies)
    _heads: dict[str, tuple[int, Headers]] = field(default_factory=dict)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _keeps: bool = True
    _streams: StreamRecorder = field(default_factory=StreamRecorder)
    _answered: dict[driver.Request, tuple[driver.Response, Sequence[RawBody]]] = field(default_factory=dict)
    _unreached: Mapping[tuple[str, int], str] = field(default_factory=dict)

    # --- what was loaded ---------------------------------------------------------------------

    @property
    def lacking(self) -> list[str]:
        """What pages asked for that the archive does not hold, with the reason where it is known."""
        return self._with_reasons(self.misses)

    def _with_reasons(self, names: list[str]) -> list[str]:
        return list(
            dict.fromkeys(f"{each} ({why})" if (why := self.why.get(each)) else each for each in names)
        )

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
        found = (*self._with_reasons(self.unread), *open_still, *self._streams.unseen, *self.beyond)
        return list(dict.fromkeys(found))

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
        self.match = max(self.match, answer.match, key=_MATCH_ORDER.index)
        if self.recorded_at is None:
            self.recorded_at = answer.recorded_at

    # --- live --------------------------------------------------------------------------------

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

        def allowed(url: str) -> bool:
            try:
                guard.check_host_only(url)
            except UrlRefused as error:
                self._refuse(error)
                return False
            return True

        async def handle(route: driver.Route) -> None:
            if not allowed(route.request.url):
                await route.abort("accessdenied")
                return
            if route.request.resource_type == "eventsource" and self._keeps:
                await self._streams.watch_events(route.request)
            await route.continue_()

        async def socket(route: driver.WebSocketRoute) -> None:
            if allowed("http" + route.url.removeprefix("ws")):
                route.connect_to_server()
            else:
                await route.close()

        self._raw = raw_bodies(context.browser)
        self.requests.watch(context)
        self._streams.watch(context)
        context.on("response", self._on_answer)
        context.on("console", self._on_console)
        # A script that is answered "not modified" ends the request as if it had failed.
        context.on("requestfailed", self._on_end)
        context.on("requestfinished", self._on_end)
        await asyncio.gather(
            context.route("**/*", handle),
            context.route_web_socket("**/*", socket),
            context.add_init_script(init_scripts("wakes", "watch", "watchable", "hints")),
        )

    def keep_nothing(self, frame: str) -> None:
        """Keep no answers: for whoever only reads the page. Documents that it leads to are kept.

        Args:
            frame: the browser's own name for its main frame.
        """
        self._keeps = False
        self._raw.unwanted.append(frame)

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

    async def drain(self) -> None:
        """Wait until every answer that has arrived is read.

        Given up after DRAIN_TIMEOUT_S: the browser does not hand out the answers of a page that
        an endless script holds. What was not read is not in the capture, which then fails closed.
        """
        deadline = monotonic() + DRAIN_TIMEOUT_S
        for request, (_, bodies) in list(self._answered.items()):
            if (
                len(bodies) == 1 and bodies[0].body
            ):  # a page that does not want an answer never ends it, and all of it has come
                self._on_end(request)
        while self._tasks and monotonic() < deadline:
            await asyncio.wait(set(self._tasks), timeout=deadline - monotonic())

    def add_download(self, url: str, body: bytes) -> None:
        """Keep a downloaded file: as a document, and as the exchange that brought it.

        The browser gives the bytes of a download to nobody but the download itself.
        """
        media_type = "application/pdf" if body.startswith(b"%PDF-") else "application/octet-stream"
        self.documents.append(Document(url, media_type, body))
        status, headers = self._heads.get(url, (200, (("content-type", media_type),)))
        response = WebResponse(status, _content_headers(headers), body)
        self._add(WebExchange(WebRequest(url), response, datetime.now(UTC)), len(self.requests.numbers))

    def _on_console(self, message: driver.ConsoleMessage) -> None:
        if beyond := _BEYOND.get(message.text):
            self.beyond[beyond.format(message.page.url if message.page else "")] = None

    def _on_answer(self, response: driver.Response) -> None:
        bodies = self._raw.waiting(Head.of(response), self.requests.sent_at(response.request))
        if bodies and all(each.body == bodies[0].body for each in bodies):
            self._raw.drop(bodies[0])
            bodies = bodies[:1]
        self._answered[response.request] = response, bodies
        self._heads[response.url] = (response.status, tuple(response.headers.items()))
        if response.request.resource_type == "eventsource":
            self.requests.hold(response.request)  # it may never end

    def _on_end(self, request: driver.Request) -> None:
        answered = self._answered.pop(request, None)
        if answered is not None and self._keeps:
            task = asyncio.create_task(self._keep(request, *answered))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _keep(
        self, request: driver.Request, response: driver.Response, bodies: Sequence[RawBody]
    ) -> None:
        """Keep the answer to a request, one of the ``bodies`` where its bytes crossed already."""
        if not request.url.startswith(("http://", "https://")):
            return
        asked = web_request(request)
        try:
            body = bodies[0].body if len(bodies) == 1 else await self._read(response, bodies)
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
        numbers = self.requests.numbers
        self._add(WebExchange(asked, answer, datetime.now(UTC)), numbers.get(request, len(numbers)))

    async def _read(self, response: driver.Response, bodies: Sequence[RawBody]) -> bytes:
        """The body that a page was given: as it was sent where that is one of the ``bodies``.

        Raises:
            playwright.async_api.Error: the browser does not have it any more.
        """
        # These have no body that the browser keeps; asking for it is an error.
        if response.status in _BODILESS or response.request.method == "HEAD":
            return b""
        body = await response.body()
        found = same_as(body, bodies)
        return body if found is None else self._raw.take(found)

    def _add(self, exchange: WebExchange, number: int) -> None:
        """Put an exchange where its request stands in the order of requests, however late its answer came."""
        place = bisect_right(self._ranks, number)
        self._ranks.insert(place, number)
        self.exchanges.insert(place, exchange)

    def _unread(self, asked: WebRequest, why: str) -> None:
        self.unread.append(f"{asked.method} {asked.url}")
        self.why[self.unread[-1]] = why


def web_request(request: driver.Request) -> WebRequest:
    """A request as records have it."""
    return WebRequest(
        urldefrag(request.url).url,
        request.method,
        tuple((name, value) for name, value in request.headers.items() if name != SYNCHRONOUS_HEADER),
        request.post_data_buffer or b"",
    )


def joined(headers: Headers) -> dict[str, str]:
    """Headers as Playwright takes them: repeated ones joined with line breaks."""
    found: dict[str, str] = {}
    for name, value in _content_headers(headers):
        key = name.lower()
        found[key] = f"{found[key]}\n{value}" if key in found else value
    return found


def _content_headers(headers: Headers) -> Headers:
    return tuple((name, value) for name, value in headers if name.lower() not in _WIRE_HEADERS)
