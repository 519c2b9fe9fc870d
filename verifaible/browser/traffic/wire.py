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
from collections import OrderedDict, deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
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
#: So many bodies of one address wait at once.
_MAX_KEPT_OF_ONE: Final = 16
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


class RawBodies:
    """The bytes of text answers of one browser, until the traffic that they belong to takes them.

    Attributes:
        unwanted: frames whose answers nobody will take, the latest.
    """

    def __init__(self) -> None:
        self.unwanted: deque[str] = deque(maxlen=_MAX_KEPT)
        self._kept: OrderedDict[Head, deque[bytes]] = OrderedDict()

    async def keep(self, session: driver.CDPSession, event: Mapping[str, Any]) -> None:
        """Read the body of an answer that the browser has paused at: of any text, and what a script asks for.

        Raises:
            playwright.async_api.Error: the page is gone already.
        """
        content_type, status = _content_type(event), event.get("responseStatusCode", 0)
        by_script = event.get("resourceType") in ("XHR", "Fetch") and "event-stream" not in content_type
        if event["frameId"] in self.unwanted or status in _BODILESS:
            return
        if not (by_script or _TEXT.match(content_type)):
            return
        asking = session.send("Fetch.getResponseBody", {"requestId": event["requestId"]})
        try:
            found = await answer_within(asking, BODY_WAIT_S)
        except TimeoutError:
            return
        body = base64.b64decode(found["body"]) if found["base64Encoded"] else found["body"].encode()
        asked = event["request"]
        head = Head(asked.get("method", "GET"), asked["url"].partition("#")[0], int(status), content_type)
        self._kept.setdefault(head, deque(maxlen=_MAX_KEPT_OF_ONE)).append(body)
        while len(self._kept) > _MAX_KEPT:
            self._kept.popitem(last=False)

    def take(self, head: Head) -> bytes | None:
        """The first body of this head that nobody has taken; answers come to pages in the same order."""
        waiting = self._kept.get(head)
        if waiting is None:
            return None
        body = waiting.popleft()
        if not waiting:
            del self._kept[head]
        return body


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
        with suppress(driver.Error):  # the page is gone already
            await raw.keep(session, event)
        with suppress(driver.Error):
            await session.send(*_passed_on(event))

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
