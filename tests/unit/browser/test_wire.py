"""Raw bodies: an address that answers twice never gives the bytes of one answer to the other."""

from __future__ import annotations

import base64
from typing import Any, cast

from verifaible.browser.traffic.wire import Head, RawBodies

URL = "http://check.example/report"
HTML = "text/html; charset=utf-8"


class Session:
    """A DevTools session that has one body."""

    def __init__(self, body: bytes) -> None:
        self.body = body

    async def send(self, method: str, given: dict[str, Any]) -> dict[str, Any]:
        assert (method, given) == ("Fetch.getResponseBody", {"requestId": "1"})
        return {"body": base64.b64encode(self.body).decode(), "base64Encoded": True}


async def keep(
    raw: RawBodies, body: bytes, status: int = 200, content_type: str = HTML, method: str = "GET"
) -> None:
    event = {
        "requestId": "1",
        "frameId": "F",
        "resourceType": "Document",
        "request": {"url": URL, "method": method},
        "responseStatusCode": status,
        "responseHeaders": [{"name": "Content-Type", "value": content_type}],
    }
    await raw.keep(cast(Any, Session(body)), event)


def taken(raw: RawBodies, status: int = 200, content_type: str = HTML, method: str = "GET") -> bytes | None:
    return raw.take(Head(method, URL, status, content_type))


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
