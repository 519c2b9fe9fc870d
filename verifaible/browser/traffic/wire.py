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
from typing import Any
from weakref import WeakKeyDictionary

from verifaible.browser import driver
from verifaible.browser.waiting import answer_within
from verifaible.schema.web import Headers, header

#: What the browser decodes; pictures, fonts and files come as bytes anyway.
PATTERNS = [
    {"urlPattern": "http*", "requestStage": "Response", "resourceType": kind}
    for kind in ("Document", "Stylesheet", "Script", "XHR", "Fetch", "Other")
]
#: An answer that is still being sent after this long (a stream) is let through as it is.
BODY_WAIT_S = 5.0
#: Bodies that nobody took (their page went on) are given up, the oldest first.
MAX_KEPT = 256
#: So many bodies of one address wait at once.
MAX_KEPT_OF_ONE = 16

#: Larger scripts and sheets without a charset, in a page in UTF-8, are programs in UTF-8, not data.
SMALL_BYTES = 32_768

_TEXT = re.compile(
    r"text/(?!event-stream)|application/(?:.*\+)?(?:javascript|x-javascript|ecmascript|json|xml)"
)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w\-]+)", re.IGNORECASE)
_PDF = "application/pdf"
_UTF_8 = frozenset({"utf-8", "utf8", "unicode-1-1-utf-8", "us-ascii"})
_HEAD_BYTES = 1024  # where a document says its charset (WHATWG HTML, 13.2.3.2)
_DATA = frozenset({"XHR", "Fetch"})
_BODILESS = frozenset({204, 205, 301, 302, 303, 304, 307, 308})


@dataclass(frozen=True, slots=True)
class Head:
    """What tells one answer from another: how it was asked for, its status, its type in lower case."""

    method: str
    url: str
    status: int
    content_type: str

    @classmethod
    def of(cls, request: driver.Request, response: driver.Response) -> Head:
        """That of an answer as Playwright has it."""
        content_type = response.headers.get("content-type", "").strip().lower()
        return cls(request.method, request.url.partition("#")[0], response.status, content_type)


class RawBodies:
    """The bytes of text answers of one browser, until the traffic that they belong to takes them.

    Attributes:
        unwanted: frames whose answers nobody will take, the latest.
    """

    def __init__(self) -> None:
        self.unwanted: deque[str] = deque(maxlen=MAX_KEPT)
        self._kept: OrderedDict[Head, list[bytes]] = OrderedDict()
        self._legacy: set[str] = set()

    async def keep(self, session: driver.CDPSession, event: Mapping[str, Any]) -> None:
        """Read the body of an answer that the browser has paused at, if it may be decoded otherwise.

        That is any document, what a script asks for (no stream of events), and what may be in another charset
        than UTF-8.

        Raises:
            playwright.async_api.Error: the page is gone already.
        """
        if not self._is_wanted(event):
            return
        asking = session.send("Fetch.getResponseBody", {"requestId": event["requestId"]})
        try:
            found = await answer_within(asking, BODY_WAIT_S)
        except TimeoutError:
            return
        body = base64.b64decode(found["body"]) if found["base64Encoded"] else found["body"].encode()
        if event.get("resourceType") == "Document":
            self._note_charset(event, body)
        asked, url = event["request"].get("method", "GET"), event["request"]["url"].partition("#")[0]
        head = Head(asked, url, int(event.get("responseStatusCode", 0)), _content_type(event))
        waiting = self._kept.setdefault(head, [])
        waiting.append(body)
        del waiting[:-MAX_KEPT_OF_ONE]
        while len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)

    def count(self, head: Head) -> int:
        """How many bodies of answers with this head nobody has taken yet."""
        return len(self._kept.get(head, ()))

    def take(self, head: Head, decoded: bytes = b"") -> bytes | None:
        """A body of this head that nobody has taken: of several the one that was decoded to this text.

        They are told apart by what every charset of the web writes alike, else by their order.
        """
        waiting = self._kept.get(head)
        if not waiting:
            return None
        alike = [each for each in waiting if decoded and _plain(each) == _plain(decoded)]
        found = next((each for each in alike if each == decoded), (alike or waiting)[0])
        waiting.remove(found)
        if not waiting:
            del self._kept[head]
        return found

    def _note_charset(self, event: Mapping[str, Any], body: bytes) -> None:
        """Remember a frame whose document is not in UTF-8: its scripts and sheets inherit that."""
        start = body[:_HEAD_BYTES].decode("latin-1")
        said = _CHARSET.search(_content_type(event)) or _CHARSET.search(start)
        is_utf_8 = body.startswith(b"\xef\xbb\xbf") or (said is not None and said[1].lower() in _UTF_8)
        (self._legacy.discard if is_utf_8 else self._legacy.add)(event["frameId"])

    def _is_wanted(self, event: Mapping[str, Any]) -> bool:
        content_type, kind = _content_type(event), event.get("resourceType")
        if event["frameId"] in self.unwanted or event.get("responseStatusCode", 0) in _BODILESS:
            return False
        if kind in _DATA:
            return not content_type.startswith("text/event-stream")
        if not _TEXT.match(content_type):
            return False
        said = _CHARSET.search(content_type)
        if kind == "Document" or (said and said[1] not in _UTF_8):
            return True
        if said or "json" in content_type:
            return False
        size = header(_headers(event), "content-length")
        return event["frameId"] in self._legacy or not size.isdigit() or int(size) <= SMALL_BYTES


_OF_BROWSER: WeakKeyDictionary[driver.Browser, RawBodies] = WeakKeyDictionary()


def raw_bodies(browser: driver.Browser | None) -> RawBodies:
    """The raw bodies of a browser; those of no browser are always empty."""
    return RawBodies() if browser is None else _OF_BROWSER.setdefault(browser, RawBodies())


async def keep_raw_bodies(browser: driver.Browser) -> None:
    """Pause every text answer of a browser, in all its contexts, to keep the bytes that were sent.

    What an archive answers does not come by here.
    """
    session = await browser.new_browser_cdp_session()
    raw = raw_bodies(browser)

    async def pass_on(event: dict[str, Any]) -> None:
        with suppress(driver.Error):  # the page is gone already
            await raw.keep(session, event)
        with suppress(driver.Error):
            await session.send(*_passed_on(event))

    passing: set[asyncio.Task[None]] = set()

    def paused(event: dict[str, Any]) -> None:
        task = asyncio.create_task(pass_on(event))
        passing.add(task)
        task.add_done_callback(passing.discard)

    session.on("Fetch.requestPaused", paused)
    await session.send("Fetch.enable", {"patterns": PATTERNS})


def _passed_on(event: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """How a paused answer goes on: a PDF as a file, which a whole Chromium would show itself."""
    going = {"requestId": event["requestId"]}
    if event.get("resourceType") != "Document" or not _content_type(event).startswith(_PDF):
        return "Fetch.continueRequest", going
    headers = [each for each in event["responseHeaders"] if each["name"].lower() != "content-disposition"]
    headers.append({"name": "Content-Disposition", "value": "attachment"})
    return "Fetch.continueResponse", {
        **going,
        "responseCode": event["responseStatusCode"],
        "responseHeaders": headers,
    }


def _headers(event: Mapping[str, Any]) -> Headers:
    return tuple((each["name"], each["value"]) for each in event.get("responseHeaders") or ())


def _content_type(event: Mapping[str, Any]) -> str:
    return header(_headers(event)[::-1], "content-type").strip().lower()


def _plain(body: bytes) -> bytes:
    """What every charset writes alike: the second byte of a character may be a letter or a digit."""
    return re.sub(rb"[^<>=\"/\s]", b"", body.replace(b"\r\n", b"\n"))
