"""Answers as the server sent them, before the browser decodes text, or gives data away without keeping it.

The DevTools protocol gives text bodies decoded, and Playwright hands them on as UTF-8: a page in GBK
would be stored as other bytes than its charset says. And what a script takes as a stream or a blob, or what
exceeds the browser's buffer, is forgotten. Paused at the answer, the browser still has the bytes themselves.
They cross to here once: whoever keeps the answer takes them from here. Its headers have no cookies yet.
"""

from __future__ import annotations

import asyncio
import base64
import re
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final
from weakref import WeakKeyDictionary

from verifaible.browser import driver
from verifaible.browser.waiting import answer_within
from verifaible.schema.web import Headers, header

#: What may be text; pictures, fonts and media are bytes anyway.
_PATTERNS: Final = [
    {"urlPattern": "http*", "requestStage": "Response", "resourceType": kind}
    for kind in ("Document", "Stylesheet", "Script", "XHR", "Fetch", "Other")
]
#: An answer that is still being sent after this long (a stream) is let through as it is.
BODY_WAIT_S: Final = 5.0
#: Bodies that nobody took (their page went on) are given up, the oldest first.
_MAX_KEPT: Final = 256
_TEXT: Final = re.compile(
    r"text/(?!event-stream)|application/(?:.*\+)?(?:javascript|x-javascript|ecmascript|json|xml)"
)
_PDF: Final = "application/pdf"
_BODILESS: Final = frozenset({204, 205, 301, 302, 303, 304, 307, 308})


@dataclass(frozen=True, slots=True)
class Head:
    """What tells one answer from another: how it was asked for, its status, its type in lower case."""

    method: str
    url: str
    status: int
    content_type: str

    @classmethod
    def of(cls, response: driver.Response) -> Head:
        """That of an answer as Playwright has it."""
        content_type = response.headers.get("content-type", "").strip().lower()
        return cls(response.request.method, response.url.partition("#")[0], response.status, content_type)


@dataclass(frozen=True, slots=True, eq=False)
class RawBody:
    """The bytes of one answer; ``at`` is the monotonic time in seconds at which the browser had its head."""

    head: Head
    at: float
    body: bytes = field(repr=False)


class RawBodies:
    """The bytes of text answers of one browser, until the traffic that they belong to takes them.

    Attributes:
        unwanted: frames whose answers nobody will take, the latest.
    """

    def __init__(self) -> None:
        self.unwanted: deque[str] = deque(maxlen=_MAX_KEPT)
        self._kept: deque[RawBody] = deque(maxlen=_MAX_KEPT)

    async def keep(self, session: driver.CDPSession, event: Mapping[str, Any]) -> RawBody | None:
        """Read the body of an answer that the browser has paused at: of any text, and what a script asks for.

        Not of a request that no page is told of: a shared worker's have no ``networkId``.

        Raises:
            playwright.async_api.Error: the page is gone already.
        """
        at = monotonic()
        content_type, status = _content_type(event), event.get("responseStatusCode", 0)
        by_script = event.get("resourceType") in ("XHR", "Fetch") and "event-stream" not in content_type
        if "networkId" not in event or event["frameId"] in self.unwanted or status in _BODILESS:
            return None
        if not (by_script or _TEXT.match(content_type)):
            return None
        asking = session.send("Fetch.getResponseBody", {"requestId": event["requestId"]})
        try:
            found = await answer_within(asking, BODY_WAIT_S)
        except TimeoutError:
            return None
        body = base64.b64decode(found["body"]) if found["base64Encoded"] else found["body"].encode()
        asked = event["request"]
        head = Head(asked.get("method", "GET"), asked["url"].partition("#")[0], int(status), content_type)
        kept = RawBody(head, at, body)
        self._kept.append(kept)
        return kept

    def waiting(self, head: Head, since: float) -> Sequence[RawBody]:
        """The bodies of this head that nobody has taken, of answers that came after a request was sent.

        Older ones belong to requests that were given up, or that no page was told of.

        Args:
            head: that of the answer.
            since: monotonic time in seconds at which it was asked for.
        """
        return [each for each in self._kept if each.head == head and each.at >= since]

    def take(self, kept: RawBody) -> bytes:
        """Give a body to whom it belongs; nobody else gets it."""
        self.drop(kept)
        return kept.body

    def drop(self, kept: RawBody) -> None:
        """Give up a body: its request was given up."""
        with suppress(ValueError):
            self._kept.remove(kept)


def same_as(decoded: bytes, bodies: Sequence[RawBody]) -> RawBody | None:
    """Of several bodies the one that a browser decoded to this text; None where none was.

    They are told apart by what every charset of the web writes alike, else by their order.
    """
    equal = [each for each in bodies if each.body == decoded]
    alike = equal or [each for each in bodies if _plain(each.body) == _plain(decoded)]
    return alike[0] if alike else None


def _plain(body: bytes) -> bytes:
    """What every charset writes alike: the second byte of a character may be a letter or a digit."""
    return re.sub(rb"[^<>=\"/\s]", b"", body.replace(b"\r\n", b"\n"))


_OF_BROWSER: Final[WeakKeyDictionary[driver.Browser, RawBodies]] = WeakKeyDictionary()


def raw_bodies(browser: driver.Browser | None) -> RawBodies:
    """The raw bodies of a browser; those of no browser are always empty."""
    return RawBodies() if browser is None else _OF_BROWSER.setdefault(browser, RawBodies())


async def keep_raw_bodies(browser: driver.Browser) -> None:
    """Pause every text answer of a browser, in all its contexts, to keep the bytes that were sent.

    What an archive answers does not come by here.
    """
    session = await browser.new_browser_cdp_session()
    raw = raw_bodies(browser)
    passing: set[asyncio.Task[None]] = set()

    async def pass_on(event: dict[str, Any]) -> None:
        kept = None
        try:
            with suppress(driver.Error):  # the page is gone already
                kept = await raw.keep(session, event)
            await session.send(*_passed_on(event))
        except driver.Error:  # the request was given up meanwhile
            if kept is not None:
                raw.drop(kept)

    def paused(event: dict[str, Any]) -> None:
        task = asyncio.create_task(pass_on(event))
        passing.add(task)
        task.add_done_callback(passing.discard)

    session.on("Fetch.requestPaused", paused)
    await session.send("Fetch.enable", {"patterns": _PATTERNS})


def _passed_on(event: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """How a paused answer goes on: a PDF as a file, which a whole Chromium would show itself."""
    going = {"requestId": event["requestId"]}
    if event.get("resourceType") != "Document" or not _content_type(event).startswith(_PDF):
        return "Fetch.continueRequest", going
    headers = [each for each in event["responseHeaders"] if each["name"].lower() != "content-disposition"]
    headers.append({"name": "Content-Disposition", "value": "attachment"})
    answer = {"responseCode": event["responseStatusCode"], "responseHeaders": headers}
    return "Fetch.continueResponse", {**going, **answer}


def _content_type(event: Mapping[str, Any]) -> str:
    headers: Headers = tuple((each["name"], each["value"]) for each in event.get("responseHeaders") or ())
    return header(headers[::-1], "content-type").strip().lower()
