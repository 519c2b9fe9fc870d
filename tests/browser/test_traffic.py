"""The offline web in a browser: only what an archive holds, and nothing from the network."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.browser.conftest import Site
from tests.browser.shown import shown_text
from verifaible.archive.lookup import Archive
from verifaible.archive.wacz import WaczWriter
from verifaible.browser.steps.playing import play
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import OfflineMiss, PageNotLoaded
from verifaible.net.web import Web
from verifaible.schema.web import WebExchange, WebRequest, WebResponse

RECORDED = datetime(2025, 2, 11, 9, 30, tzinfo=UTC)
HTML = (("content-type", "text/html; charset=utf-8"),)

WebOf = Callable[[Iterable[WebExchange]], Web]


def got(
    url: str,
    body: str = "",
    status: int = 200,
    headers: tuple[tuple[str, str], ...] = HTML,
    sent: WebRequest | None = None,
) -> WebExchange:
    return WebExchange(sent or WebRequest(url), WebResponse(status, headers, body.encode()), RECORDED)


def redirect(url: str, target: str, status: int = 302) -> WebExchange:
    return got(url, "", status, (("location", target),))


@pytest.fixture
def web_of(tmp_path: Path, offline_settings: Settings) -> WebOf:
    def make(exchanges: Iterable[WebExchange]) -> Web:
        path = tmp_path / "web.wacz"
        with WaczWriter(
            path, title="Test", description="Test", created=RECORDED, synthetic=True, signer=None
        ) as writer:
            for exchange in exchanges:
                writer.add_exchange(exchange)
            writer.close()
        return Web.offline(offline_settings, Archive.open([path]))

    return make


async def shown(browser: Browser, web: Web, url: str) -> str:
    async with browser.page(web) as session:
        await session.open(url)
        return await shown_text(session)


async def test_a_miss_names_the_url(offline_browser: Browser, offline_web: Web) -> None:
    async with offline_browser.page(offline_web) as session:
        with pytest.raises(OfflineMiss, match=r"GET http://example\.org/page\?q=1\.") as caught:
            await session.open("http://example.org/page?q=1")
    assert caught.value.url == "http://example.org/page?q=1"


async def test_a_loopback_server_is_not_reached(
    site: Site, offline_browser: Browser, offline_web: Web
) -> None:
    url = site.html("/page", "<p>here</p>")
    async with offline_browser.page(offline_web) as session:
        with pytest.raises(OfflineMiss):
            await session.open(url)
    assert site.seen == []


async def test_what_a_page_misses_is_written_down(
    site: Site, offline_browser: Browser, web_of: WebOf
) -> None:
    web = web_of(
        [got("http://a.test/", f"<p>here</p><img src='{site.url}/x.png'><script src='/gone.js'></script>")]
    )
    async with offline_browser.page(web) as session:
        await session.open("http://a.test/")
        assert await shown_text(session) == "here"
    assert set(session.traffic.misses) >= {f"GET {site.url}/x.png", "GET http://a.test/gone.js"}
    assert site.seen == []


async def test_redirects_lead_to_the_last_address(offline_browser: Browser, web_of: WebOf) -> None:
    web = web_of(
        [
            redirect("http://a.test/start", "/middle"),
            redirect("http://a.test/middle", "http://b.test/end"),
            got("http://b.test/end", "<p id=p></p><script>p.textContent = location.href</script>"),
        ]
    )
    async with offline_browser.page(web) as session:
        loaded = await session.open("http://a.test/start")
        assert await shown_text(session) == "http://b.test/end"
    assert loaded.url == "http://b.test/end"
    hops = [(each.request.url, each.response.status) for each in session.traffic.exchanges]
    assert hops[:3] == [
        ("http://a.test/start", 302),
        ("http://a.test/middle", 302),
        ("http://b.test/end", 200),
    ]


async def test_a_link_that_redirects_leads_to_the_last_address(
    offline_browser: Browser, web_of: WebOf
) -> None:
    web = web_of(
        [
            got("http://a.test/", "<a id=a href='/go'>go</a>"),
            redirect("http://a.test/go", "/end"),
            got("http://a.test/end", "<p>the end</p>"),
        ]
    )
    from verifaible.schema.action import Click

    async with offline_browser.page(web) as session:
        await session.open("http://a.test/")
        await play(session, [Click(type="click", selector="#a")])
        assert session.page.url == "http://a.test/end"
        assert await shown_text(session) == "the end"


async def test_redirects_in_a_circle(offline_browser: Browser, web_of: WebOf) -> None:
    web = web_of([redirect("http://a.test/1", "/2"), redirect("http://a.test/2", "/1")])
    async with offline_browser.page(web) as session:
        with pytest.raises(PageNotLoaded, match="redirects without end"):
            await session.open("http://a.test/1")


async def test_an_archived_error_is_an_error(offline_browser: Browser, web_of: WebOf) -> None:
    web = web_of([got("http://a.test/", "<p>Not found</p>", 404)])
    async with offline_browser.page(web) as session:
        with pytest.raises(PageNotLoaded, match="HTTP 404"):
            await session.open("http://a.test/")


async def test_sockets_are_closed(offline_browser: Browser, web_of: WebOf) -> None:
    body = """<p id="p">waiting</p><script>const socket = new WebSocket("ws://a.test/feed");
    socket.onmessage = () => { p.textContent = "message" };
    socket.onclose = () => { p.textContent = "closed" };</script>"""
    assert await shown(offline_browser, web_of([got("http://a.test/", body)]), "http://a.test/") == "closed"


async def test_a_page_that_leaves_an_answer_unread_is_shown(offline_browser: Browser, web_of: WebOf) -> None:
    asking = """<p id=p></p><script>
      fetch('/data').then((answer) => { window.kept = answer; p.textContent = `status ${answer.status}` })
    </script>"""
    headers = (("content-type", "text/plain"), ("cache-control", "no-store"))
    data = got("https://test.example/data", "busy", headers=headers)
    web = web_of([got("https://test.example/", asking), data])
    assert await shown(offline_browser, web, "https://test.example/") == "status 200"


async def test_the_clock_starts_when_the_page_was_recorded(offline_browser: Browser, web_of: WebOf) -> None:
    body = """<p id="p"></p><script>const day = new Date();
    p.textContent = [day.toISOString().slice(0, 10), new Date(Date.now()).getUTCFullYear(), Date().slice(11, 15),
      new Date(2020, 0, 5).getMonth(), day instanceof Date, Date.name, new Date(0).toISOString(),
      Date.UTC(1970, 0, 2), Date.parse("1970-01-01T00:00:01Z"), day.constructor === Date].join(" ")</script>"""
    text = await shown(offline_browser, web_of([got("http://a.test/", body)]), "http://a.test/")
    assert text == "2025-02-11 2025 2025 0 true Date 1970-01-01T00:00:00.000Z 86400000 1000 true"


async def test_jsonp_and_posts(offline_browser: Browser, web_of: WebOf) -> None:
    sent = WebRequest(
        "http://q.test/post",
        "POST",
        (("content-type", "application/json"),),
        b'{"day": "2025-02-11", "page": 1}',
    )
    allow = (("content-type", "application/json"), ("access-control-allow-origin", "*"))
    body = """<p id="p"></p><p id="q"></p><script>
    const name = "cb" + String(Math.random()).slice(2, 10);
    window[name] = (data) => { p.textContent = data.rate };
    const tag = document.createElement("script");
    tag.src = `http://q.test/rates?code=1&jsonCallBack=${name}&_=${Date.now()}`;
    document.body.append(tag);
    fetch("http://q.test/post", {method: "POST", headers: {"content-type": "application/json"},
      body: JSON.stringify({page: 1, day: "2025-02-11"})})
      .then((answer) => answer.json()).then((data) => { q.textContent = data.rate });</script>"""
    web = web_of(
        [
            got("http://a.test/", body),
            got(
                "http://q.test/rates?code=1&jsonCallBack=recorded123&_=1700000000000",
                'recorded123({"rate": "5.33"})',
                headers=(("content-type", "text/javascript"),),
            ),
            got("http://q.test/post", '{"rate": "5.4"}', headers=allow, sent=sent),
        ]
    )
    async with offline_browser.page(web) as session:
        await session.open("http://a.test/")
        assert await shown_text(session) == "5.33\n5.4"
        assert session.traffic.match == "normalised"
        assert session.traffic.synthetic


async def test_a_page_from_the_archive_is_the_same_each_time(offline_browser: Browser, web_of: WebOf) -> None:
    """A request that was recorded twice is answered in order, from the start in each context."""
    body = """<p id="p"></p><script>(async () => { for (let turn = 0; turn < 3; turn += 1)
    p.textContent += await (await fetch("/n")).text() + " " })()</script>"""
    plain = (("content-type", "text/plain"),)
    web = web_of(
        [
            got("http://a.test/", body),
            got("http://a.test/n", "1", headers=plain),
            got("http://a.test/n", "2", headers=plain),
        ]
    )
    assert [await shown(offline_browser, web, "http://a.test/") for _ in range(2)] == ["1 2 2", "1 2 2"]


async def test_a_pdf_is_a_document(offline_browser: Browser, web_of: WebOf) -> None:
    pdf = got("http://a.test/file.pdf", "%PDF-1.4 x", headers=(("content-type", "application/pdf"),))
    async with offline_browser.page(web_of([pdf])) as session:
        loaded = await session.open("http://a.test/file.pdf")
    assert loaded.document is not None
    assert (loaded.document.url, loaded.document.body) == ("http://a.test/file.pdf", b"%PDF-1.4 x")
