"""Raw bodies: an address that answers twice never gives the bytes of one answer to the other."""

from __future__ import annotations

import asyncio
import base64
from time import monotonic
from typing import Any, cast

import pytest

from verifaible.browser import driver
from verifaible.browser.traffic import wire
from verifaible.browser.traffic.wire import Head, RawBodies, keep_raw_bodies, same_as

URL = "http://check.example/report"
HTML = "text/html; charset=utf-8"


class Session:
    """A DevTools session that has one body."""

    def __init__(self, body: bytes) -> None:
        self.body = body

    async def send(self, method: str, given: dict[str, Any]) -> dict[str, Any]:
        assert (method, given) == ("Fetch.getResponseBody", {"requestId": "1"})
        return {"body": base64.b64encode(self.body).decode(), "base64Encoded": True}


def paused(
    status: int = 200, content_type: str = HTML, method: str = "GET", **more: object
) -> dict[str, Any]:
    return {
        "requestId": "1",
        "networkId": "2",
        "frameId": "F",
        "resourceType": "Document",
        "request": {"url": URL, "method": method},
        "responseStatusCode": status,
        "responseHeaders": [{"name": "Content-Type", "value": content_type}],
    } | more


async def keep(
    raw: RawBodies, body: bytes, status: int = 200, content_type: str = HTML, method: str = "GET"
) -> None:
    await raw.keep(cast(Any, Session(body)), paused(status, content_type, method))


def waiting(raw: RawBodies, head: Head, since: float = 0) -> list[bytes]:
    return [each.body for each in raw.waiting(head, since)]


def taken(raw: RawBodies, status: int = 200, content_type: str = HTML, method: str = "GET") -> bytes | None:
    found = raw.waiting(Head(method, URL, status, content_type), 0)
    return raw.take(found[0]) if found else None


async def test_a_file_does_not_get_the_bytes_of_the_check_before_it() -> None:
    for status in (200, 412):
        raw = RawBodies()
        await keep(raw, b"<p>Wait.</p>", status)
        assert taken(raw, 200, "application/pdf") is None
        assert taken(raw, status) == b"<p>Wait.</p>"
        assert taken(raw, status) is None


async def test_a_page_does_not_get_the_bytes_of_its_refusal_or_of_another_method() -> None:
    raw = RawBodies()
    await keep(raw, b"<p>Busy</p>", 503)
    await keep(raw, b"<p>Sent</p>", method="POST")
    assert taken(raw) is None
    assert taken(raw, method="POST") == b"<p>Sent</p>"


async def test_of_several_answers_each_gets_its_own_in_their_order() -> None:
    raw = RawBodies()
    sent = ["<p>人口</p>".encode("gb18030"), "<p>中国</p>".encode("gb18030"), b"<p>x</p>"]
    for body in sent:
        await keep(raw, body)
    assert [taken(raw) for _ in range(4)] == [*sent, None]


async def test_a_body_that_nobody_took_is_not_given_to_who_asks_later() -> None:
    raw, head = RawBodies(), Head("GET", URL, 200, HTML)
    await keep(raw, b"<p>1</p>")
    since = monotonic()
    assert waiting(raw, head, since) == []
    await keep(raw, b"<p>2</p>")
    assert waiting(raw, head, since) == [b"<p>2</p>"]


async def test_what_no_page_is_told_of_is_not_kept() -> None:
    raw, event = RawBodies(), paused(resourceType="XHR")
    del event["networkId"]
    assert await raw.keep(cast(Any, Session(b"<p>1</p>")), event) is None
    assert waiting(raw, Head("GET", URL, 200, HTML)) == []


async def test_of_several_bodies_that_is_found_which_was_decoded() -> None:
    raw, head = RawBodies(), Head("GET", URL, 200, HTML)
    sent = ["<p>人口</p>".encode("gb18030"), "<p>中国<br></p>".encode("gb18030"), b"<p>x</p>"]
    for body in sent:
        await keep(raw, body)
    bodies = raw.waiting(head, 0)
    for decoded, body in (("<p>中国<br></p>", sent[1]), ("<p>人口</p>", sent[0]), ("<p>x</p>", sent[2])):
        found = same_as(decoded.encode(), bodies)
        assert found is not None
        assert found.body == body
    assert same_as(b"none of them", bodies) is None


async def test_the_body_of_a_request_that_was_given_up_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    class OfBrowser(Session):
        def on(self, _: str, listener: Any) -> None:
            self.paused = listener

        async def send(self, method: str, given: dict[str, Any]) -> dict[str, Any]:
            if method == "Fetch.continueRequest":
                raise driver.Error("Invalid InterceptionId.")
            return {} if method == "Fetch.enable" else await super().send(method, given)

    class Browser:
        async def new_browser_cdp_session(self) -> OfBrowser:
            return session

    session, browser, raw = OfBrowser(b"<p>1</p>"), cast(Any, Browser()), RawBodies()
    monkeypatch.setattr(wire, "raw_bodies", lambda _: raw)
    await keep_raw_bodies(browser)
    session.paused(paused())
    await asyncio.sleep(0.05)
    assert waiting(raw, Head("GET", URL, 200, HTML)) == []
