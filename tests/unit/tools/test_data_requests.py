"""Which requests of a page count as data."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from verifaible.browser.analysis.data_requests import data_requests
from verifaible.schema.web import WebExchange, WebRequest, WebResponse

PAGE = "https://example.org/page"


def exchange(
    url: str,
    media: str,
    body: bytes,
    *,
    method: str = "GET",
    sent: bytes = b"",
    accept: str = "*/*",
    status: int = 200,
) -> WebExchange:
    headers = (("accept", accept), ("content-type", "application/x-www-form-urlencoded"))
    return WebExchange(
        WebRequest(url, method, headers, sent),
        WebResponse(status, (("content-type", media),), body),
        datetime(2026, 3, 2, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    ("media", "body"),
    [
        ("image/png", b"x"),
        ("text/css", b"a{}"),
        ("application/javascript", b"var a = 1;"),
        ("font/woff2", b"x"),
    ],
)
def test_what_only_dresses_a_page_is_no_data(media: str, body: bytes) -> None:
    assert data_requests([exchange("https://example.org/f", media, body)], [PAGE]) == ()


def test_page_itself_and_redirects_are_no_data() -> None:
    exchanges = [
        exchange(PAGE, "text/html", b"<p>", accept="text/html"),
        exchange("https://example.org/old", "application/json", b"", status=302),
    ]
    assert data_requests(exchanges, [f"{PAGE}#part"]) == ()


def test_jsonp_without_its_callback_and_cache_buster() -> None:
    url = "https://query.example.org/q.do?jsonCallBack=cb123456&day=2025-02-11&_=1772400000000"
    (found,) = data_requests([exchange(url, "text/javascript", b'cb123456({"a":1})')], [PAGE])
    assert (found.address, found.callback) == ("https://query.example.org/q.do", "jsonCallBack")
    assert found.parameters == (("day", "2025-02-11"),)


def test_repeated_request_is_listed_once_with_its_last_answer() -> None:
    first = exchange("https://example.org/q?page=1&_=1", "application/json", b"[1]")
    again = exchange("https://example.org/q?page=1&_=2", "application/json", b"[1,2]")
    (found,) = data_requests([first, again], [PAGE])
    assert found.beginning == "[1,2]"


def test_posted_form_shows_its_fields() -> None:
    posted = exchange(
        "https://example.org/q", "text/html", b"<tr>", method="POST", sent=b"city=%E9%83%91&empty="
    )
    (found,) = data_requests([posted], [PAGE])
    assert (found.method, found.parameters) == ("POST", (("city", "郑"), ("empty", "")))


def test_answer_is_decoded_as_its_header_says() -> None:
    media = "application/json; charset=gbk"
    (found,) = data_requests(
        [exchange("https://example.org/q", media, '{"城市":"郑州"}'.encode("gbk"))], [PAGE]
    )
    assert found.beginning == '{"城市":"郑州"}'
