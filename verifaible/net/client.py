"""The one HTTP client: live, or from the offline archives. Above it nobody can tell which."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urldefrag, urljoin, urlsplit

from verifaible.config import Settings
from verifaible.errors import PageNotLoaded, UrlRefused
from verifaible.net.guard import UrlGuard
from verifaible.net.politeness import Politeness
from verifaible.schema.web import Headers, WebAnswer, WebExchange, WebRequest, WebResponse, header
from verifaible.version import __version__

if TYPE_CHECKING:
    import httpx2


#: For one fetch with its redirects and further tries: a server that sends a byte now and then would
#: otherwise hold whoever reads it for as long as it likes.
TOTAL_TIMEOUT_S = 60.0
#: Pauses before a GET is sent again; a GET is sent once more than there are pauses.
PAUSES_S = (0.3, 1.2)
RETRY_STATUSES = frozenset({502, 503, 504})

#: Many sites refuse what does not look like a browser; the last word says who is asking.
USER_AGENT = (
    f"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) verifaible/{__version__}"
)


LANGUAGES = "en,zh-CN;q=0.8,zh;q=0.7"


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer and the URLs that redirected to it, in order; empty if none did."""

    answer: WebAnswer
    redirects: tuple[str, ...] = ()


class Finder(Protocol):
    """What an archive's ``Player`` does."""

    def find(self, request: WebRequest, /) -> WebAnswer:
        """The recorded answer, or OfflineMiss."""
        ...


class HttpClient:
    """Fetches over a source and follows redirects; use it as an async context manager.

    A redirect to another origin is followed where nothing of the request is for its origin alone: no body
    that would be sent again, and no header besides those that say what is asked for.

    Args:
        source: answers the requests: the internet, or an archive.
        kept: a list to which every exchange is appended, redirects included.
        closed: called once the client is closed.
    """

    def __init__(
        self,
        source: LiveSource | Finder,
        kept: list[WebExchange] | None = None,
        closed: Callable[[], None] | None = None,
    ) -> None:
        self._source = source
        self._kept = kept
        self._closed = closed

    async def __aenter__(self) -> HttpClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        if isinstance(self._source, LiveSource):
            await self._source.close()
        if self._closed is not None:
            self._closed()

    async def fetch(self, request: WebRequest, follow_redirects: bool = True) -> Fetched:
        """Send a request and follow its redirects; an HTTP error status is an answer, not an error.

        Raises:
            PageNotLoaded: no connection, a time-out, a broken or too large answer, one that was not
                complete after ``TOTAL_TIMEOUT_S``, more than ``MAX_REDIRECTS`` redirects.
            UrlRefused: the guard refused the URL or one that it redirects to (live only); or it redirects
                what is for its origin alone to another one.
            OfflineMiss: the archives hold no answer (offline only).
        """
        limit = asyncio.timeout(TOTAL_TIMEOUT_S)
        try:
            async with limit:
                return await self._follow(request, follow_redirects)
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise PageNotLoaded(
                f"{request.url} sends its answer too slowly: it was not complete after {TOTAL_TIMEOUT_S:g} "
                "seconds. Try again later, or use another source."
            ) from error

    async def _follow(self, request: WebRequest, follow_redirects: bool) -> Fetched:
        passed: list[str] = []
        request = replace(request, url=urldefrag(request.url).url)
        while True:
            # an archive has nothing that could open a socket
            source = self._source
            answer = await source.answer(request) if isinstance(source, LiveSource) else source.find(request)
            if self._kept is not None:
                self._kept.append(WebExchange(request, answer.response, answer.recorded_at))
            following = next_request(request, answer.response) if follow_redirects else None
            if following is None:
                return Fetched(answer, tuple(passed))
            refuse_if_told_elsewhere(request, following)
            passed.append(request.url)
            request = replace(following, url=urldefrag(following.url).url)
            if len(passed) > MAX_REDIRECTS:
                raise PageNotLoaded(_loop_message(passed, request.url))


def _loop_message(passed: list[str], following: str) -> str:
    if following in passed:
        circle = passed[passed.index(following) :]
        shown = " -> ".join([*dict.fromkeys(circle), following])
        return f"The page redirects in a circle: {shown}. Look for another address of the page."
    return (
        f"The page redirects more than {MAX_REDIRECTS} times; the last address was {following}. "
        "Look for another address of the page."
    )


class LiveSource:
    """Asks the internet: guard first, certificates always checked, sizes and times limited."""

    def __init__(
        self,
        guard: UrlGuard,
        *,
        timeout_s: float,
        max_body_bytes: int,
        told: Headers,
        politeness: Politeness,
    ) -> None:
        import httpx2

        from verifaible.net.dialer import DIAL_TIMEOUT_S, GuardedTransport

        self._guard = guard
        self._politeness = politeness
        self._max_body_bytes = max_body_bytes
        self._timeout_s = timeout_s
        self._client = httpx2.AsyncClient(
            transport=GuardedTransport(guard),
            timeout=httpx2.Timeout(timeout_s, connect=min(timeout_s, DIAL_TIMEOUT_S)),
            headers={"user-agent": USER_AGENT, "accept": "*/*", "accept-language": LANGUAGES, **dict(told)},
            follow_redirects=False,
        )

    async def close(self) -> None:
        """Close every connection."""
        await self._client.aclose()

    async def answer(self, request: WebRequest) -> WebAnswer:
        """One answer; a GET is tried again after a failed connection or a gateway's error status."""
        import httpx2

        pauses = PAUSES_S if request.method.upper() == "GET" else ()
        try:
            for pause in pauses:
                with suppress(httpx2.ConnectError, httpx2.ConnectTimeout):
                    answer = await self._once(request)
                    if not _is_gateway_error(answer):
                        return answer
                await asyncio.sleep(pause)
            return await self._once(request)
        except httpx2.InvalidURL as error:
            raise PageNotLoaded(f"{request.url} is not a valid URL. Correct it.") from error
        except httpx2.HTTPError as error:
            raise PageNotLoaded(_failure(request.url, error, self._timeout_s)) from error

    async def _once(self, request: WebRequest) -> WebAnswer:
        """Check how the URL is written; where its host leads is judged when it is connected to."""
        import httpx2

        target = self._guard.check_host_only(request.url)
        url = httpx2.URL(request.url)
        if url.raw_host.decode("ascii") != target.host.strip("[]"):
            raise UrlRefused(
                f"{request.url!r} was refused: its host can be read in two ways. Write it plainly."
            )
        place = urlsplit(request.url).netloc
        async with (
            self._politeness.turn(place),
            self._client.stream(
                request.method, url, headers=list(request.headers), content=request.body or None
            ) as response,
        ):
            await self._politeness.heed(place, response.status_code, response.headers.get("retry-after", ""))
            body = await self._read(response, request.url)
            headers = tuple((name.lower(), value) for name, value in response.headers.multi_items())
            return WebAnswer(
                url=request.url,
                response=WebResponse(response.status_code, headers, body),
                match="live",
                recorded_at=datetime.now(UTC),
            )

    async def _read(self, response: httpx2.Response, url: str) -> bytes:
        """The decoded body; the cap counts decoded bytes, so a compression bomb stops at it too."""
        chunks = bytearray()
        async for chunk in response.aiter_bytes(64 * 1024):
            chunks += chunk
            if len(chunks) > self._max_body_bytes:
                raise PageNotLoaded(
                    f"{url} answers more than {self._max_body_bytes} bytes, the limit of what is read. Look "
                    "for a smaller document, or raise VERIFAIBLE_MAX_BODY_BYTES."
                )
        return bytes(chunks)


def _is_gateway_error(answer: WebAnswer) -> bool:
    asked_to_wait = header(answer.response.headers, "retry-after")
    return answer.response.status in RETRY_STATUSES and not asked_to_wait


def _failure(url: str, error: httpx2.HTTPError, timeout_s: float) -> str:
    import httpx2

    if isinstance(error, httpx2.TimeoutException):
        return f"{url} did not answer within {timeout_s:g} seconds. Try again, or use another source."
    if isinstance(error, httpx2.RemoteProtocolError | httpx2.ReadError | httpx2.DecodingError):
        return f"{url} sent a broken or incomplete answer. Try again, or use another source."
    reason = type(error).__name__
    if isinstance(error, httpx2.ConnectError):
        reason = "its certificate is not valid" if "certificate" in str(error).lower() else "no connection"
    return f"{url} could not be opened ({reason}). Check the address, or use another source."


def live_client(
    settings: Settings,
    guard: UrlGuard,
    kept: list[WebExchange] | None = None,
    told: Headers = (),
    politeness: Politeness | None = None,
    *,
    closed: Callable[[], None] | None = None,
) -> HttpClient:
    """A client for the internet, with the settings' time-out and size limit.

    Args:
        settings: ``page_timeout_s`` and ``max_body_bytes`` hold for each request.
        guard: decides which addresses may be opened.
        kept, closed: as for :class:`HttpClient`.
        told: what is said of the reader with each request; default: this software's name, or the setting's.
        politeness: how often a host is asked; default: those of the settings, for this client alone.
    """
    said = [("user-agent", settings.user_agent), ("accept-language", settings.language)]
    source = LiveSource(
        guard,
        timeout_s=settings.page_timeout_s,
        max_body_bytes=settings.max_body_bytes,
        told=told or tuple(pair for pair in said if pair[1]),
        politeness=politeness or Politeness.of(settings),
    )
    return HttpClient(source, kept, closed)


def offline_client(player: Finder, kept: list[WebExchange] | None = None) -> HttpClient:
    """A client that answers from archives only."""
    return HttpClient(player, kept)


#: As many hops as browsers follow (WHATWG Fetch, "HTTP-redirect fetch").
MAX_REDIRECTS = 20
#: The redirect statuses (WHATWG Fetch, 2.2.3).
REDIRECTS = frozenset({301, 302, 303, 307, 308})

_BODY_HEADERS = frozenset(
    {"content-length", "content-type", "content-encoding", "content-language", "content-location"}
)
_CREDENTIALS = frozenset({"authorization", "cookie", "proxy-authorization"})


def next_request(request: WebRequest, response: WebResponse) -> WebRequest | None:
    """The request that follows an answer (WHATWG Fetch, "HTTP-redirect fetch"); None if none does.

    A body goes no further than a status allows, credentials no further than their origin. The fragment
    of the new address is kept.

    Raises:
        PageNotLoaded: the answer redirects to an address that is not valid.
    """
    location = header(response.headers, "location")
    if response.status not in REDIRECTS or not location:
        return None
    try:
        url = urljoin(request.url, location)
        leaves = _origin(url) != _origin(request.url)
    except ValueError as error:
        raise PageNotLoaded(
            f"{request.url} redirects to an address that is not valid. Look for another source."
        ) from error
    method, headers, body = request.method.upper(), request.headers, request.body
    status = response.status
    if (status in {301, 302} and method == "POST") or (status == 303 and method not in {"GET", "HEAD"}):
        method, body = "GET", b""
        headers = _without(headers, _BODY_HEADERS)
    if leaves:
        headers = _without(headers, _CREDENTIALS)
    return WebRequest(url, method, headers, body)


#: Headers that say what is asked for, and nothing of who asks.
_TELLS_NOBODY = re.compile(
    r"(?:accept|content|sec-ch-ua|sec-fetch)(?:-.*)?|user-agent|range|referer|origin", re.I
)


def refuse_if_told_elsewhere(request: WebRequest, following: WebRequest) -> None:
    """Refuse a redirect that would take a body, or what a caller said to one origin, to another origin.

    Raises:
        UrlRefused: it would.
    """
    if _origin(request.url) == _origin(following.url):
        return
    if following.body or not all(_TELLS_NOBODY.fullmatch(name) for name, _ in request.headers):
        raise elsewhere(request.url, following.url)


def elsewhere(url: str, following: str) -> UrlRefused:
    """The error for a redirect that would take a body or a key to another origin."""
    here, there = urlsplit(url), urlsplit(following)
    return UrlRefused(
        f"{here.scheme}://{here.netloc.rpartition('@')[2]} redirects to another origin ({there.scheme}://"
        f"{there.netloc.rpartition('@')[2]}), which gets neither the body nor the keys of the request. Ask "
        "there yourself if it is meant."
    )


def _origin(url: str) -> tuple[str, str, int | None]:
    parts = urlsplit(url)
    scheme = parts.scheme.lower()
    return scheme, (parts.hostname or ""), parts.port or {"http": 80, "https": 443}.get(scheme)


def _without(headers: Headers, names: frozenset[str]) -> Headers:
    return tuple((name, value) for name, value in headers if name.lower() not in names)
