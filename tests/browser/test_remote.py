"""A browser that somebody else started, over DevTools and over a Playwright server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.browser.chromiums import chromium, playwright_server
from tests.browser.conftest import Site
from tests.browser.egress_servers import counters
from tests.kit.marks import nightly
from verifaible.browser import fleet, reading
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import ConfigError, OfflineMiss, UrlRefused
from verifaible.net.web import Web

STUN = """<p id="p">here</p><script>
  const frame = document.createElement("iframe");
  document.body.append(frame);
  for (const owner of [window, frame.contentWindow]) {
    const Peer = owner.RTCPeerConnection || owner.webkitRTCPeerConnection;
    if (!Peer) continue;
    const peer = new Peer({iceServers: [{urls: "stun:127.0.0.1:PORT"}]});
    peer.createDataChannel("x");
    peer.createOffer().then((offer) => peer.setLocalDescription(offer));
  }
</script>"""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def remote(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    """DevTools address of a Chromium with nothing but a debugging port: no proxy, no WebRTC policy."""
    async with chromium(tmp_path_factory.mktemp("remote")) as running:
        yield running.address


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    """Address of a Playwright server with a Chromium that knows nothing of our arguments."""
    async with playwright_server(tmp_path_factory.mktemp("server")) as address:
        yield address


# The address over HTTP only leads to the one over ws, which test_the_browser_lives_on is given.
@pytest.fixture(scope="module", params=["http", nightly("ws"), "server"])
def address(request: pytest.FixtureRequest) -> str:
    """Each kind of address that can be connected to."""
    if request.param == "server":
        return str(request.getfixturevalue("server"))
    remote = str(request.getfixturevalue("remote"))
    return remote if request.param == "ws" else "http://" + remote.removeprefix("ws://").partition("/")[0]


def connected(url: str, home: Path) -> Settings:
    return Settings(home=home, connect=(url,), allow_hosts=("site.localhost",), settle_timeout_s=1.0)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def live(
    address: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[Browser, Settings]]:
    """A connection to it, for tests that leave it as it is."""
    settings = connected(address, tmp_path_factory.mktemp("live"))
    async with Browser(settings, offline=False) as browser:
        yield browser, settings


async def test_pages_are_read_and_guarded(live: tuple[Browser, Settings], site: Site) -> None:
    browser, settings = live
    async with counters(1) as (closed,):
        body = f'<p>the text</p><img src="http://127.0.0.1:{closed.port}/"><img src="http://localhost:{closed.port}/">'
        url = site.html("/page", body).replace("127.0.0.1", "site.localhost")
        async with browser.page(Web.live(settings)) as session:
            await session.open(url)
            assert (await reading.page_text(session)).text == "the text"
            assert len(session.traffic.refused) == 2
            with pytest.raises(UrlRefused):
                await session.open(f"http://127.0.0.1:{closed.port}/")
    assert closed.hits == []
    assert site.seen[0] == "GET /page"


async def test_webrtc_is_taken_away(live: tuple[Browser, Settings], site: Site) -> None:
    browser, settings = live
    async with counters(1) as (closed,):
        url = site.html("/page", STUN.replace("PORT", str(closed.port))).replace(
            "127.0.0.1", "site.localhost"
        )
        async with browser.page(Web.live(settings)) as session:
            await session.open(url)
            assert await session.page.evaluate("typeof RTCPeerConnection") == "undefined"
            peers = "typeof document.querySelector('iframe').contentWindow.RTCPeerConnection"
            assert await session.page.evaluate(peers) == "undefined"
    assert closed.hits == []


async def test_offline_it_reaches_nothing(address: str, site: Site, offline_web: Web, tmp_path: Path) -> None:
    settings = connected(address, tmp_path)
    url = site.html("/page", "<p>x</p>").replace("127.0.0.1", "site.localhost")
    async with Browser(settings, offline=True) as browser, browser.page(offline_web) as session:
        with pytest.raises(OfflineMiss):
            await session.open(url)
    assert site.seen == []


@pytest.mark.nightly
async def test_the_browser_lives_on(remote: str, site: Site, tmp_path: Path) -> None:
    """Closing ours leaves the other's browser running, and no context of ours in it."""
    from playwright.async_api import async_playwright

    settings = connected(remote, tmp_path)
    for _ in range(2):
        async with Browser(settings, offline=False) as browser, browser.page(Web.live(settings)) as session:
            await session.open(site.html("/page", "<p>x</p>").replace("127.0.0.1", "site.localhost"))
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.connect_over_cdp(remote)
        assert [page.url for context in chromium.contexts for page in context.pages] == ["about:blank"]
        await chromium.close()


async def test_a_browser_that_does_not_come_to_the_proxy_is_not_used(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if it ran on another machine: where the proxy should be, nobody listens."""
    monkeypatch.setattr(fleet, "FIRST_WAIT_S", 0.0)
    monkeypatch.setattr("verifaible.net.proxy.EgressProxy.url", "http://127.0.0.1:9")
    settings = connected(address, tmp_path)
    async with Browser(settings, offline=False) as browser:
        with pytest.raises(ConfigError, match="does not use the proxy"):
            async with browser.page(Web.live(settings)):
                pass


async def test_the_bytes_of_a_page_come_as_they_were_sent(live: tuple[Browser, Settings], site: Site) -> None:
    browser, settings = live
    body = "<meta charset=gbk><p>利率</p>".encode("gbk")
    page = site.file("/page", "text/html; charset=gbk", body).replace("127.0.0.1", "site.localhost")
    async with browser.page(Web.live(settings)) as session:
        await session.open(page)
        assert "利率" in (await reading.page_text(session)).text
        assert session.traffic.exchanges[0].response.body == body


@pytest.mark.nightly
async def test_a_server_is_used_again_and_files_come_whole(server: str, site: Site, tmp_path: Path) -> None:
    """A second connection finds nothing of the first, and is not held up by it."""
    settings = connected(server, tmp_path)
    page = site.html("/page", "<p>x</p><a href='/f' download>f</a>").replace("127.0.0.1", "site.localhost")
    site.file("/f", "application/octet-stream", bytes(range(256)))
    for _ in range(2):
        async with Browser(settings, offline=False) as browser, browser.page(Web.live(settings)) as session:
            await session.open(page)
            assert await session.page.evaluate("document.cookie") == ""
            await session.page.evaluate("document.cookie = 'a=1'")
            await session.page.click("a")
            document = await session.document(expected=True)
            assert document is not None and document.body == bytes(range(256))


@pytest.mark.parametrize(
    "url", ["127.0.0.1:9222", "ftp://127.0.0.1", "http://127.0.0.1:9", "ws://127.0.0.1:9/"]
)
async def test_wrong_addresses_are_told(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet, "FIRST_WAIT_S", 0.0)
    settings = connected(url, tmp_path)
    async with Browser(settings, offline=False) as browser:
        with pytest.raises(ConfigError, match="VERIFAIBLE_CONNECT"):
            async with browser.page(Web.live(settings)):
                pass
