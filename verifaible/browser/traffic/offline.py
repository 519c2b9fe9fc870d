"""The requests of a context answered from an archive, and nothing from the network."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import Final
from urllib.parse import urldefrag

from verifaible.archive.lookup import Player
from verifaible.browser import driver
from verifaible.browser.scripts import init_script, init_scripts
from verifaible.browser.traffic.cookies import SetCookie, carrying, cookies_set, set_cookies
from verifaible.browser.traffic.traffic import SYNCHRONOUS_HEADER, Document, Traffic, joined, web_request
from verifaible.browser.waiting import answer_within
from verifaible.errors import OfflineMiss, PageNotLoaded, StoreError
from verifaible.net.client import MAX_REDIRECTS, next_request
from verifaible.schema.web import WebExchange, WebRequest

_ADDRESS_HEADER: Final = "x-archive-address"
#: Requests whose answer may depend on a cookie.
_DATA_KINDS: Final = frozenset({"document", "script", "xhr", "fetch"})
_READ_BY_SCRIPT: Final = frozenset({"xhr", "fetch"})
#: What a page goes on without, once it has been parsed.
_READ_LATER: Final = frozenset({"script", "image", "media", "other"})
_STATE_S: Final = 2.0


def look_up(
    traffic: Traffic, player: Player, request: WebRequest, *, again: bool = True
) -> tuple[WebExchange, list[SetCookie]]:
    """Answer a request from the archive, following redirects there.

    The browser would follow a redirect past the routing, so it is followed here.

    Args:
        traffic: where what was found is noted.
        player: the look-up.
        request: what is asked for.
        again: what was given before may be given once more.

    Returns:
        The last hop, and the cookies that were set on the way to it.

    Raises:
        OfflineMiss: a hop is not in the archive.
        PageNotLoaded: more than ``MAX_REDIRECTS`` hops, or one to an address that is not valid.
    """
    cookies: list[SetCookie] = []
    start = request
    for _ in range(MAX_REDIRECTS + 1):
        answer = player.find(request, again=again)
        traffic.note(answer)
        exchange = WebExchange(request, answer.response, answer.recorded_at)
        traffic.exchanges.append(exchange)
        following = next_request(request, answer.response)
        if following is None:
            return exchange, cookies
        cookies += cookies_set(exchange)
        request = carrying(following, cookies)
    raise PageNotLoaded(
        f"{start.url} redirects without end (more than {MAX_REDIRECTS} times). Use another address."
    )


async def pass_by(traffic: Traffic, context: driver.BrowserContext, hops: Sequence[WebExchange]) -> None:
    """Take the hops of a redirect that the context itself is not sent along."""
    for hop in hops:
        if traffic.player is not None:
            traffic.player.find(hop.request)
        await set_cookies(context, cookies_set(hop))
    traffic.exchanges.extend(hops)


async def route_offline(traffic: Traffic, context: driver.BrowserContext) -> None:
    """Answer what a context asks from ``traffic.player``, once it is set; nothing from the network."""
    answering = _Answering(traffic, context)
    traffic.requests.watch(context)
    names = f"{{address: '{_ADDRESS_HEADER}', synchronous: '{SYNCHRONOUS_HEADER}'}}"
    before = f"{init_script('offline', names)}\n{init_scripts('watch', 'watchable', 'hints')}"
    await asyncio.gather(
        context.route("**/*", answering.handle),
        context.route_web_socket("**/*", answering.socket),
        context.add_init_script(before),
    )


class _Answering:
    """The answers that a context gets, one request after the other."""

    def __init__(self, traffic: Traffic, context: driver.BrowserContext) -> None:
        self._traffic, self._context = traffic, context
        self._in_order = asyncio.Lock()
        #: Answers for navigations to come: asked for once more they might be others.
        self._arrived: dict[str, WebExchange] = {}

    def _missed(self, kind: str, url: str, why: str = "") -> None:
        self._traffic.misses.append(f"{kind} {url}")
        if why:
            self._traffic.why[self._traffic.misses[-1]] = why

    async def socket(self, route: driver.WebSocketRoute) -> None:
        """Refuse a connection: what came over it is kept as bytes, and not played again."""
        self._missed("WS", route.url)
        await route.close()

    async def handle(self, route: driver.Route) -> None:
        """Answer a request, in its turn."""
        request, requests, player = route.request, self._traffic.requests, self._traffic.player
        asked = web_request(request)
        if player is None:  # nothing was opened yet
            await route.abort("blockedbyclient")
        elif request.resource_type == "eventsource":
            self._missed("SSE", asked.url)
            await route.fulfill(status=204)  # the one answer after which a page does not ask again
        else:
            try:
                await self._answer(route, asked, player)
            except OfflineMiss as miss:
                self._missed(miss.method, miss.url, miss.unlike)
                if player.knows(asked) and await _may_stay(request):
                    # It asks for more than was recorded: the page shows what it showed then.
                    requests.hold(request)
                    await self._traffic.over.wait()
                await route.abort("namenotresolved")
                requests.hold(request)  # of a shared worker's script nobody says that it has ended
            except PageNotLoaded:
                await route.abort("failed")
            except StoreError as error:
                # A page that nobody looks at any more may still ask; for another it is a request that fails.
                if not self._traffic.over.is_set():
                    self._missed(asked.method, asked.url, str(error))
                    await route.abort("failed")

    async def _answer(self, route: driver.Route, asked: WebRequest, player: Player) -> None:
        """Answer a request: as a document, as a file, or by sending the browser to the last hop."""
        request = route.request
        navigation = request.is_navigation_request()
        async with self._in_order:
            if request.resource_type in _DATA_KINDS:  # the routing comes before cookies are added
                cookies = await self._context.cookies(asked.url)
                text = "; ".join(f"{each['name']}={each['value']}" for each in cookies)
                asked = replace(asked, headers=(*asked.headers, ("cookie", text))) if text else asked
            found = self._arrived.pop(asked.url, None) if navigation else None
            if found is None:
                found, set_on_the_way = look_up(self._traffic, player, asked, again=navigation)
                await set_cookies(self._context, set_on_the_way)
        url, response = found.request.url, found.response
        if navigation and response.content_type == "application/pdf":
            self._traffic.documents.append(Document(url, response.content_type, response.body))
            await route.fulfill(status=204)
        elif navigation and url != asked.url and found.request.method == "GET":
            self._arrived[urldefrag(url).url] = found
            await route.fulfill(status=200, content_type="text/html", body=_forward(url))
        else:
            await _fulfil(route, found)
        if request.resource_type in _READ_BY_SCRIPT:
            self._traffic.requests.given(request)


async def _may_stay(request: driver.Request) -> bool:
    """Whether a page goes on while a request of it stays open."""
    if request.resource_type in _READ_BY_SCRIPT:
        return SYNCHRONOUS_HEADER not in request.headers
    if request.resource_type not in _READ_LATER:
        return False
    try:
        state = request.frame.evaluate("document.readyState !== 'loading'")
        return bool(await answer_within(state, _STATE_S))
    except (driver.Error, TimeoutError):  # a frame without a document answers nothing
        return False


async def _fulfil(route: driver.Route, found: WebExchange) -> None:
    """Fulfil a request; where it was redirected, the page's script is told the last address."""
    headers = joined(found.response.headers)
    if own := cookies_set(found):
        headers["set-cookie"] = "\n".join(each.line for each in own)
    if found.request.url != urldefrag(route.request.url).url:
        headers[_ADDRESS_HEADER] = found.request.url
        exposed = headers.get("access-control-expose-headers")
        headers["access-control-expose-headers"] = ", ".join(filter(None, (exposed, _ADDRESS_HEADER)))
    await route.fulfill(status=found.response.status, headers=headers, body=found.response.body)


def _forward(url: str) -> str:
    """A page that takes the browser to ``url`` without leaving itself in the history."""
    target = escape(url, quote=True)
    return (
        f'<!doctype html><meta name="referrer" content="no-referrer-when-downgrade">'
        f'<a id="t" href="{target}"></a><script>location.replace(document.getElementById("t").href)</script>'
    )
