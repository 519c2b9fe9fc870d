"""``web_fetch`` against a site that misbehaves: each failure is a sentence of its own that says what to do."""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any, cast

import pytest

from tests.kit.marks import nightly
from tests.unit.net.local_site import LocalSite, local_site
from tests.unit.tools.contexts import call
from verifaible.browser.page import watched
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.net.web import Web
from verifaible.schema.run import ToolReply
from verifaible.tools import web_fetch as module
from verifaible.tools.context import ToolContext

PARAGRAPH = "<p>Consumer prices rose by two tenths of a percent in the year, and food became dearer.</p>" * 4
HTML = {"content_type": "text/html; charset=utf-8"}
WEB = Web.live(Settings(allow_hosts=("127.0.0.1", "localhost"), page_timeout_s=3, max_body_bytes=70_000_000))


_browsers: list[Browser] = []


async def fetch(url: str, web: Web = WEB, **arguments: Any) -> ToolReply:
    context = ToolContext(web.settings, web, _browsers[-1], cast(Any, None), cast(Any, None))
    return await call(module.web_fetch(context), url=url, **arguments)


@pytest.fixture(autouse=True)
def _reading(browser: Browser) -> Iterator[None]:
    _browsers.append(browser)
    yield
    _browsers.clear()


@pytest.fixture
def site() -> Any:
    with local_site() as served:
        yield served


@pytest.mark.parametrize(
    ("status", "code", "said"),
    [
        (400, "page_not_loaded", "Check its parameters"),
        (401, "page_blocked", "user name and a password"),
        (402, "page_blocked", "payment"),
        (403, "page_blocked", "another source"),
        (404, "page_not_loaded", "search for the page"),
        (405, "page_not_loaded", "test_action_steps"),
        (407, "page_blocked", "proxy"),
        (410, "page_not_loaded", "archived copy"),
        (418, "page_not_loaded", "HTTP 418"),
        (429, "page_blocked", "come back in 7 seconds"),
        (451, "page_blocked", "legal reasons"),
        (500, "page_not_loaded", "failed on its side"),
        (501, "page_not_loaded", "failed on its side (HTTP 501)"),
        (520, "page_not_loaded", "HTTP 520"),
    ],
)
async def test_each_status_has_its_sentence(site: LocalSite, status: int, code: str, said: str) -> None:
    site.give("/x", status, b"<p>The rate is 5.33</p>", retry_after="7", **HTML)
    reply = await fetch(site.url + "/x")
    assert reply.error_code == code
    assert said in reply.text
    assert "5.33" not in reply.text


async def test_redirect_loop(site: LocalSite) -> None:
    site.give("/a", 302, location="/b")
    site.give("/b", 301, location="/a")
    reply = await fetch(site.url + "/a")
    assert reply.error_code == "page_not_loaded"
    assert "in a circle" in reply.text


async def test_redirects_are_named_with_the_last_address(site: LocalSite) -> None:
    site.give("/a", 308, location="/b?x=1")
    site.give("/b?x=1", 200, PARAGRAPH.encode(), **HTML)
    reply = await fetch(site.url + "/a")
    assert reply.text.startswith(f"{site.url}/b?x=1 (redirected from {site.url}/a; HTML")


@pytest.mark.parametrize(
    "content",
    ["0;url=/b", "3; URL='/b'", '0;url="/b"', "0, /b", " 1 ;url = /b", "0;/b"],
)
async def test_meta_refresh_is_followed(site: LocalSite, content: str) -> None:
    value = content.replace('"', "&quot;")
    site.give("/a", 200, f'<meta http-equiv=Refresh content="{value}"><p>Wait</p>'.encode(), **HTML)
    site.give("/b", 200, PARAGRAPH.encode(), **HTML)
    reply = await fetch(site.url + "/a")
    assert reply.text.startswith(f"{site.url}/b (redirected from {site.url}/a; ")


async def test_a_refresh_header_is_followed(site: LocalSite) -> None:
    site.give("/a", 200, b"<p>Wait</p>", refresh="0; url=/b", **HTML)
    site.give("/b", 200, PARAGRAPH.encode(), **HTML)
    assert "food became dearer" in (await fetch(site.url + "/a")).text


async def test_a_page_that_reloads_itself_or_waits_long_is_read(site: LocalSite) -> None:
    for content in ("60", "0;url=/a", "300;url=/b"):
        markup = f"<meta http-equiv=refresh content='{content}'>{PARAGRAPH}"
        site.give("/a", 200, markup.encode(), **HTML)
        assert "food became dearer" in (await fetch(site.url + "/a")).text


async def test_a_circle_of_refreshes_is_an_error(site: LocalSite) -> None:
    site.give("/a", 200, b"<meta http-equiv=refresh content='0;url=/b'>", **HTML)
    site.give("/b", 200, b"<meta http-equiv=refresh content='0;url=/a'>", **HTML)
    reply = await fetch(site.url + "/a")
    assert reply.error_code == "page_not_loaded"
    assert "in a circle" in reply.text


def endless(handler: BaseHTTPRequestHandler) -> None:
    """Two gigabytes announced, sent until nobody listens."""
    handler.send_response(200)
    handler.send_header("content-type", "text/html")
    handler.send_header("content-length", str(2 * 1024**3))
    handler.end_headers()
    try:
        for _ in range(2048):
            handler.wfile.write(b" " * 1024 * 1024)
    except OSError:
        handler.close_connection = True


def dripping(handler: BaseHTTPRequestHandler) -> None:
    """A byte now and then: no single read is ever late."""
    handler.send_response(200)
    handler.send_header("content-type", "text/html")
    handler.end_headers()
    try:
        for _ in range(100):
            handler.wfile.write(b"<")
            handler.wfile.flush()
            time.sleep(0.05)
    except OSError:
        pass
    handler.close_connection = True


def bomb(handler: BaseHTTPRequestHandler) -> None:
    """A gigabyte in a megabyte."""
    body = gzip.compress(b" " * 100_000_000, 9)
    handler.send_response(200)
    handler.send_header("content-encoding", "gzip")
    handler.send_header("content-type", "text/html")
    handler.send_header("content-length", str(len(body)))
    handler.end_headers()
    try:
        handler.wfile.write(body)
    except OSError:
        handler.close_connection = True


@pytest.mark.parametrize(
    ("answer", "said"), [(endless, "the limit of what is read"), (bomb, "the limit of what is read")]
)
async def test_bodies_without_end_stop_at_the_limit(
    site: LocalSite, answer: Callable[[BaseHTTPRequestHandler], None], said: str
) -> None:
    site.answers["/x"] = answer
    small = Web.live(Settings(allow_hosts=("127.0.0.1",), max_body_bytes=3_000_000))
    reply = await fetch(site.url + "/x", small)
    assert reply.error_code == "page_not_loaded"
    assert said in reply.text


async def test_a_dripping_body_ends_after_the_total_time(
    site: LocalSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verifaible.net.client.TOTAL_TIMEOUT_S", 0.4)
    site.answers["/x"] = dripping
    reply = await fetch(site.url + "/x")
    assert reply.error_code == "page_not_loaded"
    assert "too slowly" in reply.text


async def test_broken_gzip_and_a_body_that_breaks_off(site: LocalSite) -> None:
    site.give("/x", 200, b"no gzip at all", content_encoding="gzip", **HTML)
    site.give("/y", 200, gzip.compress(b"<p>words</p>" * 999)[:40], content_encoding="gzip", **HTML)

    def short(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-length", "1000")
        handler.end_headers()
        handler.wfile.write(b"<p>the first half")
        handler.close_connection = True

    site.answers["/z"] = short
    for path in ("/x", "/z"):
        reply = await fetch(site.url + path)
        assert reply.error_code == "page_not_loaded"
        assert "broken or incomplete" in reply.text


@pytest.mark.parametrize(
    ("declared", "body", "said"),
    [
        (
            "image/png",
            PARAGRAPH.encode().join([b"<!doctype html><html><body>", b"</body></html>"]),
            "food became",
        ),
        ("text/plain", f"<!DOCTYPE html><title>t</title>{PARAGRAPH}".encode(), "food became"),
        ("application/octet-stream", f"<html><body>{PARAGRAPH}".encode(), "food became"),
        ("application/json", f"<html><body>{PARAGRAPH}".encode(), "food became"),
        ("text/html", b'{"rate": 5.40}', '"rate": 5.40'),
        ("", b'[{"rate": 5.40}]', '"rate": 5.40'),
        ("text/html", b"\x89PNG\r\n\x1a\n\x00\x00\x00", "a PNG picture"),
        ("text/plain", b"PK\x03\x04\x00\x00xl/workbook.xml", "an Excel workbook"),
        ("application/pdf", f"<html><body>{PARAGRAPH}".encode(), "food became"),
    ],
)
async def test_the_bytes_decide_where_the_content_type_is_wrong(
    site: LocalSite, declared: str, body: bytes, said: str
) -> None:
    site.give("/x", 200, body, content_type=declared)
    assert said in (await fetch(site.url + "/x")).text


async def test_an_address_that_is_not_utf8_or_has_no_scheme(site: LocalSite) -> None:
    site.give("/%D6%D0?q=%B9%FA", 200, PARAGRAPH.encode(), **HTML)
    site.give("/%E4%B8%AD", 200, PARAGRAPH.encode(), **HTML)
    site.give("/a%20b", 200, PARAGRAPH.encode(), **HTML)
    for path in ("/%D6%D0?q=%B9%FA", "/中", "/a b"):
        assert "food became" in (await fetch(site.url + path)).text
    assert "food became" in (await fetch(f"  <{site.url}/中> ")).text


def test_an_address_without_a_scheme_means_https() -> None:
    assert module._address("www.example.org/x?y=1") == "https://www.example.org/x?y=1"
    assert module._address("例え.example:8080/x") == "https://例え.example:8080/x"
    assert module._address('"https://a.example/"') == "https://a.example/"
    assert module._address("not an address") == "not an address"


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://a.example/x", "javascript:alert(1)", "data:text/html,x", "http://"]
)
async def test_other_schemes_are_refused(url: str) -> None:
    assert (await fetch(url)).error_code in {"url_refused", "page_not_loaded"}


async def test_a_name_that_does_not_exist_is_said() -> None:
    reply = await fetch("http://no-such-host.invalid/")
    assert reply.error_code in {"page_not_loaded", "url_refused"}
    assert "no-such-host.invalid" in reply.text


@pytest.mark.nightly
@pytest.mark.parametrize("count", [10_000, nightly(100_000)])
async def test_a_table_of_thousands_of_rows_is_paged_and_searched(
    site: LocalSite, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watched, "SCRIPT_TIMEOUT_S", 120.0)  # a busy machine reads so many rows all the same
    rows = "".join(f"<tr><td>Row {n}<td>{n}.{n % 10}" for n in range(count))
    site.give("/x", 200, f"<h1>Rows</h1><table><tr><th>Name<th>Value{rows}</table>".encode(), **HTML)
    reply = await fetch(site.url + "/x")
    assert "| Row 0 | 0.0 |" in reply.text
    offset = int(reply.text.partition("Next part: offset=")[2].partition(".")[0])
    assert len(reply.text) < 13_000
    assert offset > 5_000
    last = count - 1
    assert f"| Row {last} | {last}.9 |" in (await fetch(site.url + "/x", find=f"{last}")).text


@pytest.mark.nightly
async def test_megabytes_of_inline_script_leave_the_words(site: LocalSite) -> None:
    script = "<script>var a = '" + "x" * 10_000_000 + "'</script>"
    site.give("/x", 200, f"<h1>Prices</h1>{script}{PARAGRAPH * 4}".encode(), **HTML)
    reply = await fetch(site.url + "/x")
    assert "food became dearer" in reply.text
    assert "xxxxxx" not in reply.text


async def test_an_empty_page_is_said(site: LocalSite) -> None:
    site.give("/x", 200, b"<html><body>  </body></html>", **HTML)
    reply = await fetch(site.url + "/x")
    assert reply.error_code == "page_blocked"
    assert "no text at all" in reply.text
