"""Answers as the server sent them, before the browser decodes text, or gives data away without keeping it.

The DevTools protocol gives text bodies decoded, and Playwright hands them on as UTF-8: a page in GBK
would be stored as other bytes than its charset says. And what a script takes as a stream or a blob, or what
exceeds the browser's buffer, is forgotten. Paused at the answer, the browser still has the bytes themselves.
"""

from __future__ import annotations

import asyncio
import base64
import re
from collections import OrderedDict, deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any
from weakref import WeakKeyDictionary

from verifaible.browser import driver
from verifaible.browser.waiting import answer_within

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
#: Tried on a body to see whether it was decoded to a text; the first are supersets of others.
_CHARSETS = (
    "gb18030",
    "big5hkscs",
    "shift_jis",
    "euc-jp",
    "euc-kr",
    "utf-16",
    "windows-1252",
    "windows-1251",
)


#: What tells one answer of an address from another: the address, the status, the type in lower case.
_Head = tuple[str, int, str]


class RawBodies:
    """The bytes of text answers of one browser, until the traffic that they belong to takes them.

    Attributes:
        unwanted: frames whose answers nobody will take, the latest.
    """

    def __init__(self) -> None:
        self.unwanted: deque[str] = deque(maxlen=MAX_KEPT)
        self._kept: OrderedDict[_Head, list[bytes]] = OrderedDict()
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
        url = event["request"]["url"].partition("#")[0]
        head = url, int(event.get("responseStatusCode", 0)), _content_type(event)
        bodies = self._kept.setdefault(head, [])
        bodies.append(body)
        del bodies[:-MAX_KEPT_OF_ONE]
        while len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)

    def take(self, url: str, response: driver.Response, decoded: bytes) -> bytes:
        """The bytes that were decoded to this text; ``decoded`` itself where they were not kept.

        Where the browser has kept nothing, the oldest bytes of such an answer: of that address, status and
        type, for an address may answer first with a check and then with a file.
        """
        head = url, response.status, response.headers.get("content-type", "").strip().lower()
        bodies = self._kept.get(head, [])
        for is_source in (_is_same, _decodes_to, _looks_like):
            for index, body in enumerate(bodies):
                if is_source(body, decoded):
                    del bodies[index]
                    if not bodies:
                        del self._kept[head]
                    return body
        return bodies.pop(0) if bodies and not decoded else decoded

    def _note_charset(self, event: Mapping[str, Any], body: bytes) -> None:
        """Remember a frame whose document is not in UTF-8: its scripts and sheets inherit that."""
        head = body[:_HEAD_BYTES].decode("latin-1")
        said = _CHARSET.search(_content_type(event)) or _CHARSET.search(head)
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
        size = _header(event, "content-length")
        return event["frameId"] in self._legacy or not size.isdigit() or int(size) <= SMALL_BYTES


_OF_BROWSER: WeakKeyDictionary[driver.Browser, RawBodies] = WeakKeyDictionary()
_PAUSING: WeakKeyDictionary[driver.Browser, driver.CDPSession] = WeakKeyDictionary()


def raw_bodies(browser: driver.Browser | None) -> RawBodies:
    """The raw bodies of a browser; those of no browser are always empty."""
    return RawBodies() if browser is None else _OF_BROWSER.setdefault(browser, RawBodies())


async def keep_raw_bodies(browser: driver.Browser) -> None:
    """Pause every text answer of a browser, in all its contexts, to keep the bytes that were sent."""
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
    _PAUSING[browser] = session


async def let_pass(browser: driver.Browser) -> None:
    """Pause the answers of a browser no longer.

    A Playwright server keeps the session of whoever has gone: its next user would wait for every answer.

    Raises:
        playwright.async_api.Error: the browser is gone.
    """
    session = _PAUSING.pop(browser, None)
    if session is not None:
        await session.detach()


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


def _header(event: Mapping[str, Any], name: str) -> str:
    headers: Sequence[Mapping[str, str]] = event.get("responseHeaders") or ()
    return next((each["value"].strip() for each in reversed(headers) if each["name"].lower() == name), "")


def _content_type(event: Mapping[str, Any]) -> str:
    return _header(event, "content-type").lower()


def _is_same(body: bytes, decoded: bytes) -> bool:
    return body.removeprefix(b"\xef\xbb\xbf") == decoded


def _decodes_to(body: bytes, decoded: bytes) -> bool:
    text = decoded.decode("utf-8", "replace")
    return any(body.decode(charset, "replace") == text for charset in ("utf-8-sig", *_CHARSETS))


def _looks_like(body: bytes, decoded: bytes) -> bool:
    """Whether what every charset of the web writes alike is the same in both.

    Only ``<>="/`` and white space: the second byte of a character may be a letter or a digit.
    """
    return _plain(body) == _plain(decoded)


def _plain(body: bytes) -> bytes:
    return re.sub(rb"[^<>=\"/\s]", b"", body.replace(b"\r\n", b"\n"))
