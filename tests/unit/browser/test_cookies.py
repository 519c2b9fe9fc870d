"""Cookies of recorded answers."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from verifaible.browser.traffic.cookies import carrying, cookies_set
from verifaible.schema.web import WebExchange, WebRequest, WebResponse, header

AT = datetime(2020, 1, 1, tzinfo=UTC)


def answer(*lines: str) -> WebExchange:
    headers = tuple(("set-cookie", line) for line in lines)
    return WebExchange(WebRequest("https://a.test/x/y"), WebResponse(302, headers), AT)


@pytest.mark.parametrize(
    ("line", "today"),
    [
        ("a=1; Path=/; Secure", "a=1; path=/; secure"),
        ("a=1; Max-Age=60", "a=1"),
        ("a=1; Expires=Wed, 01 Jan 2020 01:00:00 GMT", "a=1"),
        ("a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "a=; max-age=0"),
        ("a=1; Max-Age=0; Path=/", "a=1; path=/; max-age=0"),
        ("a=1; Expires=nonsense", "a=1"),
        ("a=b=c", "a=b=c"),
    ],
)
def test_a_lifetime_counts_from_when_the_cookie_was_set(line: str, today: str) -> None:
    assert [each.line for each in cookies_set(answer(line))] == [today]


def test_a_redirect_carries_what_was_set_on_the_way() -> None:
    cookies = cookies_set(answer("a=2", "b=3", "c=; Max-Age=0"))
    asked = WebRequest("https://a.test/z", headers=(("cookie", "a=1; c=4; d=5"), ("accept", "*/*")))
    assert header(carrying(asked, cookies).headers, "cookie") == "d=5; a=2; b=3"
    elsewhere = WebRequest("https://b.test/")
    assert carrying(elsewhere, cookies) == elsewhere
