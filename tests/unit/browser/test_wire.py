"""Raw bodies: an address that answers twice never gives the bytes of one answer to the other."""

from __future__ import annotations

import asyncio
import base64
from types import SimpleNamespace
from typing import Any, cast

from verifaible.browser.traffic.wire import RawBodies

URL = "http://check.example/report"


class Session:
    """A DevTools session that has one body."""

    def __init__(self, body: bytes) -> None:
        self.body = body

    async def send(self, method: str, given: dict[str, Any]) -> dict[str, Any]:
        assert (method, given) == ("Fetch.getResponseBody", {"requestId": "1"})
        return {"body": base64.b64encode(self.body).decode(), "base64Encoded": True}


def kept(status: int, content_type: str, body: bytes) -> RawBodies:
    raw = RawBodies()
    event = {
        "requestId": "1",
        "frameId": "F",
        "resourceType": "Document",
        "request": {"url": URL},
        "responseStatusCode": status,
        "responseHeaders": [{"name": "Content-Type", "value": content_type}],
    }
    asyncio.run(raw.keep(cast(Any, Session(body)), event))
    return raw


def answer(status: int, content_type: str) -> Any:
    return SimpleNamespace(status=status, headers={"content-type": content_type})


def test_a_file_does_not_get_the_bytes_of_the_check_before_it() -> None:
    for status in (200, 412):
        raw = kept(status, "text/html; charset=UTF-8", b"<p>Wait.</p>")
        assert raw.take(URL, answer(200, "application/pdf"), b"") == b""
        assert raw.take(URL, answer(status, "text/html; charset=UTF-8"), b"") == b"<p>Wait.</p>"


def test_a_page_does_not_get_the_bytes_of_its_refusal() -> None:
    raw = kept(503, "text/html", b"<p>Busy</p>")
    assert raw.take(URL, answer(200, "text/html"), b"") == b""
    assert raw.take(URL, answer(200, "text/html"), b"<p>Here</p>") == b"<p>Here</p>"


def test_a_body_in_another_charset_is_found_by_what_it_decodes_to() -> None:
    sent = "<p>中国人口</p>".encode("gb18030")
    raw = kept(200, "text/html", sent)
    decoded = sent.decode("gb18030").encode()
    assert raw.take(URL, answer(200, "text/html"), decoded) == sent
    assert raw.take(URL, answer(200, "text/html"), decoded) == decoded
