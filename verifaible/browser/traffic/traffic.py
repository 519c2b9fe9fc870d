"""What a page asks of the web: answered from an archive, or watched while it is live."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from html import escape
from http import HTTPStatus
from secrets import token_hex
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag

from verifaible.archive.limits import MAX_RECORD_BYTES
from verifaible.archive.lookup import Player
from verifaible.archive.streams import CHANCE, resource
from verifaible.browser.page_time import at_rest
from verifaible.browser.scripts import init_script
from verifaible.browser.traffic.cookies import (
    SetCookie,
    carrying,
    cookies_set,
    set_cookies,
    without_credentials,
)
from verifaible.browser.traffic.pace import Look, Pace
from verifaible.browser.traffic.stream_playback import CHANNEL, StreamPlayer
from verifaible.browser.traffic.streams import ASKING, StreamRecorder
from verifaible.browser.traffic.wire import RawBodies, raw_bodies
from verifaible.errors import OfflineMiss, PageNotLoaded, StoreError, UrlRefused
from verifaible.net.guard import UrlGuard, parse_target
from verifaible.net.proxy import Admission
from verifaible.net.redirects import MAX_REDIRECTS, REDIRECTS, next_request
from verifaible.schema.citation import Match
from verifaible.schema.web import Headers, WebAnswer, WebExchange, WebRequest, WebResponse

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, ConsoleMessage, Request, Response, Route, WebSocketRoute

    from verifaible.browser.chromium.tabs import Tabs

DRAIN_TIMEOUT_S = 10.0
_ADDRESS_HEADER = "x-archive-address"
#: Of a request that stops its page until it is answered (offline.js).
_SYNCHRONOUS_HEADER = "x-archive-synchronous"
#: Requests whose answer may depend on a cookie.
_DATA_KINDS = frozenset({"document", "script", "xhr", "fetch"})
_READ_BY_SCRIPT = frozenset({"xhr", "fetch"})
#: What a page goes on without, once it has been parsed.
_READ_LATER = frozenset({"script", "image", "media", "other"})
#: What Playwright makes of a call to register one.
#: What the console of a live page says, and what that means no capture can hold.
_BEYOND = {
    "Service Worker registration blocked by Playwright": "the service worker of {}",
    "verifaible: a key was made": "what is encrypted with a key that {} makes anew",
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


@dataclass(frozen=True, slots=True)
class _Arrival:
    """Where a request came to in the archive: the last hop's request, its answer, the cookies on the way."""

    request: WebRequest
    response: WebResponse
    recorded_at: datetime
    cookies: tuple[SetCookie, ...] = ()


@dataclass(slots=True)
class Traffic:
    """Every exchange of one browser context; live in the order of the requests.

    Attributes:
        exchanges: requests with their answers, bodies whole.
        documents: PDF files and other downloads that the page led to.
        misses: requests that the archive could not answer, as ``METHOD URL``; ``WS URL`` for sockets,
            ``SSE URL`` for event streams.
        why: of misses, in what they differ from the most similar recorded request; of what is unread, why.
        streamed: the recorded connections that were played, WebSockets and event streams.
        unrecorded: what a page sent over its sockets and had not sent when it was recorded, a sentence each.
        seed: what a live context takes for chance.
        unread: live requests whose answers could not be kept, as ``METHOD URL``.
        beyond: what live pages use, and no capture holds whatever is read.
        refused: requests that the URL guard refused, as its messages, each once.
        synthetic: whether any answer came from a replica.
        match: the weakest archive match of any answer.
        resembling: the archived answers to requests that only resemble the recorded ones.
        recorded_at: when the first answer was recorded; None when live.
        over: set when nobody looks at the pages any more.
        checks: documents that another one followed by itself: address and status of each.
        signed_in: whether the context has the cookies of a person.
    """

    exchanges: list[WebExchange] = field(default_factory=list)
    documents: list[Document] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)
    unrecorded: list[str] = field(default_factory=list)
    why: dict[str, str] = field(default_factory=dict)
    streamed: list[WebResponse] = field(default_factory=list)
    seed: str = field(default_factory=lambda: token_hex(16))
    unread: list[str] = field(default_factory=list)
    beyond: dict[str, None] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    synthetic: bool = False
    match: Match = "live"
    resembling: list[WebResponse] = field(default_factory=list)
    recorded_at: datetime | None = None
    over: asyncio.Event = field(default_factory=asyncio.Event)
    checks: list[tuple[str, int]] = field(default_factory=list)
    signed_in: bool = False
    _pace: Pace = field(default_factory=Pace)
    _ranks: list[int] = field(default_factory=list)
    _arrived: dict[str, _Arrival] = field(default_factory=dict)
    _raw: RawBodies = field(default_factory=RawBodies)
    _heads: dict[str, tuple[int, Headers]] = field(default_factory=dict)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _keeps: bool = True
    _streams: StreamRecorder = field(default_factory=StreamRecorder)
    _start: WebExchange | None = None
    _player: Player | None = None
    _answered: dict[Request, None] = field(default_factory=dict)
    _unreached: Mapping[tuple[str, int], str] = field(default_factory=dict)

    @property
    def idle(self) -> asyncio.Event:
        """Set while no request is on its way, and none was a moment ago."""
        return self._pace.idle

    @property
    def clear(self) -> asyncio.Event:
        """Set as ``idle`` is, but from the moment on in which that is so."""
        return self._pace.clear

    @property
    def holds(self) -> bool:
        """Whether a request stays open because it asks for more than was recorded."""
        return self._pace.holds

    @property
    def asked(self) -> int:
        """How many requests there have been."""
        return len(self._pace.numbers)

    async def drain(self) -> None:
        """Wait until every answer that has arrived is read.

        Given up after DRAIN_TIMEOUT_S: the browser does not hand out the answers of a page that
        an endless script holds. What was not read is not in the capture, which then fails closed.
        """
        deadline = monotonic() + DRAIN_TIMEOUT_S
        for request in list(self._answered):
            # A page that does not want an answer never ends it; all of it may have come.
            if body := self._raw.take(urldefrag(request.url).url, b""):
                del self._answered[request]
                self._later(self._keep(request, body))
        while self._tasks and monotonic() < deadline:
            await asyncio.wait(set(self._tasks), timeout=deadline - monotonic())

    @property
    def lacking(self) -> list[str]:
        """What pages sent and asked for that the archive does not hold, with the reason where it is known."""
        misses = [f"{miss} ({why})" if (why := self.why.get(miss)) else miss for miss in self.misses]
        return list(dict.fromkeys((*self.unrecorded, *misses)))

    def keep_streams(self) -> None:
        """Keep what has come over connections that stay open: the page is read at this moment."""
        self._streams.keep()

    def begins(self, url: str) -> None:
        """Note the address that a live context opens: its seed is found under that."""
        at = datetime.now(UTC)
        self._start = self._start or resource(CHANCE, urldefrag(url).url, {"seed": self.seed}, at)

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
        """All that a replay needs: the exchanges, the connections that stay open, and the seed of chance.

        Not the documents of a check where the page itself came in the end: a replay begins with that. Of a
        signed-in session nothing that would sign somebody else in.
        """
        chance = [self._start] if self._start is not None and self.exchanges else []
        kept = [each for each in self.exchanges if not self._is_check(each)]
        found = [*kept, *self._streams.kept, *chance]
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
            PageNotLoaded: more than ``MAX_REDIRECTS`` hops, or one to an address that is not valid.
        """
        arrival = self._follow(player, request, again=True)
        return arrival.request.url, arrival.response

    def _follow(self, player: Player, request: WebRequest, *, again: bool) -> _Arrival:
        cookies: list[SetCookie] = []
        start = request
        for _ in range(MAX_REDIRECTS + 1):
            answer = player.find(request, again=again)
            self._note(answer)
            exchange = WebExchange(request, answer.response, answer.recorded_at)
            self.exchanges.append(exchange)
            following = next_request(request, answer.response)
            if following is None:
                return _Arrival(request, answer.response, answer.recorded_at, tuple(cookies))
            cookies += cookies_set(exchange)
            request = carrying(following, cookies)
        raise PageNotLoaded(
            f"{start.url} redirects without end (more than {MAX_REDIRECTS} times). Use another address."
        )

    async def pass_by(self, context: BrowserContext, hops: Sequence[WebExchange]) -> None:
        """Take the hops of a redirect that the context itself is not sent along."""
        for hop in hops:
            if self._player is not None:
                self._player.find(hop.request)
            await set_cookies(context, cookies_set(hop))
        self.exchanges.extend(hops)

    async def route_offline(self, context: BrowserContext, player: Player) -> None:
        """Answer everything the context asks from the archive, and nothing from the network."""

        self._player = player
        in_order = asyncio.Lock()

        def missed(kind: str, url: str) -> None:
            self.misses.append(f"{kind} {url}")

        streams = StreamPlayer(player, missed, self._pace.stir)
        self.unrecorded, self.streamed = streams.unrecorded, streams.answers

        async def handle(route: Route) -> None:
            request = route.request
            navigation = request.is_navigation_request()
            asked = _web_request(request)
            self._pace.looking_up()
            try:
                async with in_order:
                    asked = await _with_cookies(context, request)
                    arrival = self._arrived.pop(asked.url, None) if navigation else None
                    arrival = arrival or self._follow(player, asked, again=navigation)
                    turn = player.turn()
                    await set_cookies(context, list(arrival.cookies))
                    if asked.method not in ASKING:
                        streams.told()
            except OfflineMiss as miss:
                self.misses.append(f"{miss.method} {miss.url}")
                self.why |= {self.misses[-1]: miss.unlike} if miss.unlike else {}
                if player.knows(asked) and await _may_stay(request):
                    # It asks for more than was recorded: the page shows what it showed then.
                    self._pace.hold(request)
                    await self.over.wait()
                await route.abort("namenotresolved")
                return
            except PageNotLoaded:
                await route.abort("failed")
                return
            except StoreError as error:
                # A page that nobody looks at any more may still ask; for another it is a request that fails.
                if not self.over.is_set():
                    self.misses.append(f"{asked.method} {asked.url}")
                    self.why[self.misses[-1]] = str(error)
                    await route.abort("failed")
                return
            finally:
                self._pace.looked_up()
            if _SYNCHRONOUS_HEADER not in request.headers:  # its page can not be asked meanwhile
                await self._pace.wait_turn(request, turn, arrival.recorded_at, _looking_at(request))
            await (self._show(route, arrival) if navigation else _answer(route, arrival))

        self._pace.watch_requests(context)
        names = f"{{address: '{_ADDRESS_HEADER}', synchronous: '{_SYNCHRONOUS_HEADER}'}}"
        await context.route_web_socket("**/*", streams.connect)  # its sockets carry the event streams
        await asyncio.gather(
            context.route("**/*", handle),
            context.add_init_script(init_script("streams", f"'{CHANNEL}'")),
            context.add_init_script(init_script("offline", names)),
            context.add_init_script(init_script("watchable", "")),
        )

    async def _show(self, route: Route, arrival: _Arrival) -> None:
        """Answer a navigation: as a document, as a file, or by sending the browser to the last hop."""
        response = arrival.response
        if response.content_type == "application/pdf":
            self.documents.append(Document(arrival.request.url, response.content_type, response.body))
            await route.fulfill(status=204)
        elif arrival.request.url != urldefrag(route.request.url).url and arrival.request.method == "GET":
            # Its answer is kept: asked for once more it might be another.
            self._arrived[urldefrag(arrival.request.url).url] = replace(arrival, cookies=())
            await route.fulfill(status=200, content_type="text/html", body=_forward(arrival.request.url))
        else:
            await _answer(route, arrival)

    # --- live ----------------------------------------------------------------------------

    async def route_live(
        self,
        context: BrowserContext,
        guard: UrlGuard,
        admission: Admission | None = None,
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

        async def handle(route: Route) -> None:
            try:
                guard.check_host_only(route.request.url)
            except UrlRefused as error:
                self._refuse(error)
                await route.abort("accessdenied")
                return
            if route.request.resource_type == "eventsource" and self._keeps:
                await self._streams.watch_events(route.request)
            await route.continue_()

        def finished(request: Request) -> None:
            self._answered.pop(request, None)
            if self._keeps:
                self._later(self._keep(request))

        heads: set[Request] = set()

        def answered(response: Response) -> None:
            heads.add(response.request)
            self._answered[response.request] = None
            self._heads[response.url] = (response.status, tuple(response.headers.items()))
            if response.request.resource_type == "eventsource":
                self._pace.hold(response.request)  # it may never end

        def failed(request: Request) -> None:
            self._answered.pop(request, None)
            if request in heads and self._keeps:
                # A script that is answered "not modified" ends the request as if it had failed.
                self._later(self._keep(request))

        def said(message: ConsoleMessage) -> None:
            if beyond := _BEYOND.get(message.text):
                self.beyond[beyond.format(message.page.url if message.page else "")] = None

        async def socket(route: WebSocketRoute) -> None:
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
        context.on("requestfailed", failed)
        context.on("requestfinished", finished)
        self._pace.watch_requests(context)
        await asyncio.gather(
            context.route("**/*", handle),
            context.route_web_socket("**/*", socket),
            context.add_init_script(init_script("wakes", "")),
            context.add_init_script(init_script("chance", f"'{self.seed}'")),
            context.add_init_script(init_script("watchable", "")),
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
        self._add(WebExchange(WebRequest(url), response, datetime.now(UTC)), len(self._pace.numbers))

    def _add(self, exchange: WebExchange, number: int) -> None:
        """Put an exchange where its request stands in the order of requests, however late its answer came."""
        place = bisect_right(self._ranks, number)
        self._ranks.insert(place, number)
        self.exchanges.insert(place, exchange)

    async def _keep(self, request: Request, body: bytes | None = None) -> None:
        """Keep the answer to a request; ``body`` where it is known already."""
        from playwright.async_api import Error

        asked = _web_request(request)
        try:
            response = await request.response()
        except Error:
            self.unread.append(f"{asked.method} {asked.url}")
            return
        if response is None or not request.url.startswith(("http://", "https://")):
            return
        # These have no body that the browser keeps; asking for it is an error.
        bodiless = response.status in REDIRECTS | _BODILESS or asked.method == "HEAD"
        try:
            if body is None:
                body = b"" if bodiless else await self._body(asked.url, response)
            headers = tuple((entry["name"], entry["value"]) for entry in await response.headers_array())
            cookie = await request.header_value("cookie")
        except Error as error:
            # Most often the page went on before the answer could be read: it is not part of what it showed.
            self.unread.append(f"{asked.method} {asked.url}")
            large = "evicted" in error.message
            self.why[self.unread[-1]] = "too large to be kept" if large else "it ended before it was read"
            return
        if len(body) > MAX_RECORD_BYTES:
            self.unread.append(f"{asked.method} {asked.url}")
            self.why[self.unread[-1]] = f"too large to be kept: {len(body)} bytes"
            return
        if cookie:
            asked = replace(asked, headers=(*asked.headers, ("cookie", cookie)))
        answer = WebResponse(response.status, _content_headers(headers), body)
        number = self._pace.numbers.get(request, len(self._pace.numbers))
        self._add(WebExchange(asked, answer, datetime.now(UTC)), number)

    async def _body(self, url: str, response: Response) -> bytes:
        """The bytes of an answer, also of one that the browser itself has not kept."""
        from playwright.async_api import Error

        try:
            kept = await response.body()
        except Error:
            if found := self._raw.take(url, b""):
                return found
            raise
        return self._raw.take(url, kept)


def _web_request(request: Request) -> WebRequest:
    return WebRequest(
        urldefrag(request.url).url,
        request.method,
        tuple((name, value) for name, value in request.headers.items() if name != _SYNCHRONOUS_HEADER),
        request.post_data_buffer or b"",
    )


async def _may_stay(request: Request) -> bool:
    """Whether a page goes on while a request of it stays open."""
    from playwright.async_api import Error

    if request.resource_type in _READ_BY_SCRIPT:
        return _SYNCHRONOUS_HEADER not in request.headers
    if request.resource_type not in _READ_LATER:
        return False
    try:
        return bool(await request.frame.evaluate("document.readyState !== 'loading'"))
    except Error:
        return False


def _looking_at(request: Request) -> Look:
    """How the page of a request is asked for its turn."""
    from playwright.async_api import Error

    async def look(*, rest: bool) -> None:
        with suppress(Error):
            if rest:
                await at_rest(request.frame.page, whole=False, fresh=False, workers=False)
            else:
                await request.frame.evaluate("0")

    return look


async def _with_cookies(context: BrowserContext, request: Request) -> WebRequest:
    """A routed request with the cookies that would go with it; the routing comes before they are added."""
    asked = _web_request(request)
    if request.resource_type not in _DATA_KINDS:
        return asked
    cookies = await context.cookies(asked.url)
    if not cookies:
        return asked
    text = "; ".join(f"{each['name']}={each['value']}" for each in cookies)
    return replace(asked, headers=(*asked.headers, ("cookie", text)))


async def fulfil(route: Route, response: WebResponse) -> None:
    """Answer a request with what was fetched for it before."""
    await route.fulfill(status=response.status, headers=_joined(response.headers), body=response.body)


async def _answer(route: Route, arrival: _Arrival) -> None:
    """Fulfil a request; where it was redirected, the page's script is told the last address."""
    headers = _joined(arrival.response.headers)
    if own := cookies_set(WebExchange(arrival.request, arrival.response, arrival.recorded_at)):
        headers["set-cookie"] = "\n".join(each.line for each in own)
    if arrival.request.url != urldefrag(route.request.url).url:
        exposed = headers.get("access-control-expose-headers")
        headers[_ADDRESS_HEADER] = arrival.request.url
        headers["access-control-expose-headers"] = (
            f"{exposed}, {_ADDRESS_HEADER}" if exposed else _ADDRESS_HEADER
        )
    await route.fulfill(status=arrival.response.status, headers=headers, body=arrival.response.body)


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
