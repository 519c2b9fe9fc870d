"""What follows a redirect, for whoever follows one."""

from __future__ import annotations

import pytest

from verifaible.errors import PageNotLoaded
from verifaible.net.client import next_request
from verifaible.schema.web import WebRequest, WebResponse

HEADERS = (("Content-Type", "text/plain"), ("Cookie", "a=1"), ("Authorization", "Basic x"), ("X-Keep", "1"))


def after(
    status: int, method: str = "GET", location: str = "/b", url: str = "http://a.example/a"
) -> WebRequest | None:
    """What follows a request with a body."""
    answer = WebResponse(status, (("Location", location),), b"")
    return next_request(WebRequest(url, method, HEADERS, b"body"), answer)


@pytest.mark.parametrize(
    ("status", "method", "expected"),
    [
        *((status, "GET", "GET") for status in (301, 302, 303, 307, 308)),
        *((status, "HEAD", "HEAD") for status in (301, 302, 303, 307, 308)),
        *((status, "POST", "GET") for status in (301, 302, 303)),
        *((status, "POST", "POST") for status in (307, 308)),
        *((status, "PUT", "PUT") for status in (301, 302, 307, 308)),
        (303, "PUT", "GET"),
        (302, "post", "GET"),
    ],
)
def test_the_method_and_the_body(status: int, method: str, expected: str) -> None:
    following = after(status, method)
    assert following is not None
    kept = expected == method
    assert (following.method, following.body) == (expected, b"body" if kept else b"")
    assert ("Content-Type" in dict(following.headers)) is kept
    assert dict(following.headers)["X-Keep"] == "1"


@pytest.mark.parametrize(
    ("location", "url", "kept"),
    [
        ("/b", "http://a.example/b", True),
        ("b#part", "http://a.example/b#part", True),
        ("http://A.EXAMPLE:80/b", "http://A.EXAMPLE:80/b", True),
        ("//b.example/", "http://b.example/", False),
        ("http://a.example:8080/", "http://a.example:8080/", False),
        ("https://a.example/", "https://a.example/", False),
    ],
)
def test_credentials_stay_with_their_origin(location: str, url: str, kept: bool) -> None:
    following = after(302, location=location)
    assert following is not None
    assert following.url == url
    names = {name for name, _ in following.headers}
    assert ({"Cookie", "Authorization"} <= names) is kept
    assert kept or not {"Cookie", "Authorization"} & names


@pytest.mark.parametrize("status", [200, 300, 304, 305, 306, 404])
def test_other_answers_lead_nowhere(status: int) -> None:
    assert after(status) is None


def test_a_redirect_without_an_address_leads_nowhere() -> None:
    assert after(302, location="") is None
    assert next_request(WebRequest("http://a.example/"), WebResponse(302, (), b"")) is None


@pytest.mark.parametrize("location", ["http://[::1/", "http://a.example:port/", "http://a.example:99999/"])
def test_an_address_that_is_none_is_told(location: str) -> None:
    with pytest.raises(PageNotLoaded, match="redirects to an address that is not valid"):
        after(302, location=location)
