"""Pages that do not load, do not settle, ask, hang or die: the browser goes on."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Iterator
from typing import Any, Literal

import pytest
import pytest_asyncio

from tests.browser.conftest import PATIENCE_S, Answer, Site
from tests.browser.shown import shown_text
from tests.kit.marks import nightly
from verifaible.browser.page import fresh, watched
from verifaible.browser.page.session import PageSession
from verifaible.browser.steps.playing import play
from verifaible.browser.traffic import traffic
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import (
    InfrastructureError,
    PageBlocked,
    PageError,
    PageNotLoaded,
    ToolError,
    UrlRefused,
)
from verifaible.net.web import Web
from verifaible.schema.action import ExecJs, Wait
from verifaible.schema.anchor import Rect


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page on loopback needs no patience."""
    monkeypatch.setattr(watched, "QUIET_MS_LIVE", 80)


@pytest.fixture
def hold() -> Iterator[threading.Event]:
    """Keeps a request unanswered until the test is over."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def impatient(settings: Settings) -> Settings:
    return settings.model_copy(update={"page_timeout_s": 2.0, "settle_timeout_s": 0.5})


async def text_of(session: PageSession) -> str:
    return await shown_text(session)


# --- pages that do not load


async def test_a_closed_port(browser: Browser, live_web: Web) -> None:
    async with browser.page(live_web) as session:
        with pytest.raises(PageNotLoaded, match="ERR_CONNECTION_REFUSED") as caught:
            await session.open("http://127.0.0.1:48999/page")
    assert "http://127.0.0.1:48999/page" in str(caught.value)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (404, PageNotLoaded),
        (500, PageNotLoaded),
        (410, PageNotLoaded),
        (403, PageBlocked),
        (429, PageBlocked),
    ],
)
async def test_error_statuses(
    site: Site, browser: Browser, live_web: Web, status: int, error: type[PageError]
) -> None:
    site.pages["/page"] = (status, {"content-type": "text/html"}, "<p>The number is 5.33</p>")
    async with browser.page(live_web) as session:
        with pytest.raises(error, match=f"HTTP {status}"):
            await session.open(f"{site.url}/page")


@pytest.mark.nightly
async def test_an_answer_that_never_comes(
    site: Site, browser: Browser, impatient: Settings, hold: threading.Event
) -> None:
    def never(path: str, body: bytes) -> Answer:
        hold.wait(20)
        return 200, {}, ""

    site.pages["/page"] = never
    quick = Browser(impatient, offline=False)
    async with quick, quick.page(Web.live(impatient)) as session:
        with pytest.raises(PageNotLoaded, match="did not load within 2 s"):
            await session.open(f"{site.url}/page")


async def test_redirects_are_kept_hop_by_hop(site: Site, browser: Browser, live_web: Web) -> None:
    site.pages["/a"] = (301, {"location": "/b"}, "")
    site.pages["/b"] = (302, {"location": "/c"}, "")
    site.html("/c", "<p>arrived</p>")
    async with browser.page(live_web) as session:
        loaded = await session.open(f"{site.url}/a")
        assert await text_of(session) == "arrived"
    assert loaded.url == f"{site.url}/c"
    seen = [
        (each.request.url.removeprefix(site.url), each.response.status) for each in session.traffic.exchanges
    ]
    assert [hop for hop in seen if hop[0] != "/favicon.ico"] == [("/a", 301), ("/b", 302), ("/c", 200)]


@pytest.mark.nightly
async def test_endless_redirects(site: Site, browser: Browser, live_web: Web) -> None:
    site.pages["/a"] = (302, {"location": "/b"}, "")
    site.pages["/b"] = (302, {"location": "/a"}, "")
    async with browser.page(live_web) as session:
        with pytest.raises(PageNotLoaded, match="redirects without end"):
            await session.open(f"{site.url}/a")


# --- pages that do not come to rest


async def test_a_page_that_keeps_changing_is_read_as_it_is(
    site: Site, browser: Browser, live_web: Web
) -> None:
    body = (
        "<p>steady</p><i></i><script>setInterval(() => document.querySelector('i').title += 1, 10)</script>"
    )
    async with browser.page(live_web) as session:
        async with asyncio.timeout(PATIENCE_S):
            await session.open(site.html("/page", body))
        assert not session.settled
        assert await text_of(session) == "steady"


async def test_time_in_which_no_script_could_run_is_no_rest(
    site: Site, browser: Browser, live_web: Web
) -> None:
    body = """<p>steady</p><i></i><script>
    setInterval(() => document.querySelector('i').title += 1, 40)
    setInterval(() => { for (const end = Date.now() + 300; Date.now() < end;); }, 340)</script>"""
    async with browser.page(live_web) as session:
        await session.open(site.html("/page", body))
        assert not session.settled


async def test_an_answer_that_a_page_waits_for_is_no_rest(
    site: Site, browser: Browser, live_web: Web
) -> None:
    """Also where the request is told outside the page only later, as from a busy machine it is."""
    answered = threading.Event()

    def late(_path: str, _sent: bytes) -> tuple[int, dict[str, str], str]:
        answered.wait(10)
        return 200, {"content-type": "text/plain"}, "5.33"

    site.pages["/late"] = late
    url = site.html("/page", "<p id='p'></p><script>fetch('/now')</script>")
    async with browser.page(live_web) as session:
        await session.open(url)
        await session.page.evaluate(
            "void fetch('/late').then((r) => r.text()).then((told) => { p.textContent = told })"
        )
        resting = asyncio.ensure_future(
            session.evaluate("quiet", {"quiet_ms": 50, "brief_ms": 10, "cap_ms": 60_000})
        )
        assert not (await asyncio.wait((resting,), timeout=1))[0]
        answered.set()
        assert await resting == "asleep"
        assert await session.page.inner_text("#p") == "5.33"


async def test_long_polling_does_not_hold_the_page(
    site: Site, browser: Browser, live_web: Web, settings: Settings, hold: threading.Event
) -> None:
    def poll(path: str, body: bytes) -> Answer:
        hold.wait(20)
        return 200, {}, ""

    site.pages["/poll"] = poll
    url = site.html("/page", "<p>here</p><script>fetch('/poll')</script>")
    async with browser.page(live_web) as session:
        session._settings = settings.model_copy(update={"settle_timeout_s": 3})
        await session.open(url)
        assert session.settled
        assert await text_of(session) == "here"


async def test_what_a_script_brings_later_is_waited_for(site: Site, browser: Browser, live_web: Web) -> None:
    site.file("/data", "application/json", '{"rate": "5.33"}')
    body = """<p id="p">…</p><script>fetch("/data").then((answer) => answer.json())
    .then((data) => { document.getElementById("p").textContent = data.rate })</script>"""
    async with browser.page(live_web) as session:
        await session.open(site.html("/page", body))
        assert session.settled
        assert await text_of(session) == "5.33"


# --- dialogs


async def test_dialogs_are_answered_and_written_down(site: Site, browser: Browser, live_web: Web) -> None:
    body = """<p id="p"></p><script>alert("hello");
    document.getElementById("p").textContent = [confirm("sure?"), prompt("name?", "x")].join(" ");</script>"""
    async with browser.page(live_web) as session:
        await session.open(site.html("/page", body))
        assert session.dialogs == ["alert: hello", "confirm: sure?", "prompt: name?"]
        assert await text_of(session) == "true x", "accepted, as most people would; a prompt with its default"


@pytest.mark.nightly
async def test_a_question_before_leaving_does_not_keep_us(
    site: Site, browser: Browser, live_web: Web
) -> None:
    site.html("/next", "<p>left</p>")
    body = "<a id=a href=/next>go</a><script>onbeforeunload = (event) => { event.preventDefault(); return 'no' }</script>"
    async with browser.page(live_web) as session:
        await session.open(site.html("/page", body))
        await play(session, [ExecJs(type="exec_js", code="document.getElementById('a').click()")])
        assert await text_of(session) == "left"
        assert [dialog.partition(":")[0] for dialog in session.dialogs] == ["beforeunload"]


# --- pages that hang, and a browser that dies


async def test_an_endless_script_while_loading(
    site: Site, settings: Settings, impatient: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = site.html("/page", "<p>before</p><script>while (true) {}</script>")
    async with Browser(impatient, offline=False) as quick:
        with pytest.raises(PageError):
            async with asyncio.timeout(PATIENCE_S), quick.page(Web.live(impatient)) as session:
                await session.open(url)
        monkeypatch.setattr(quick, "_settings", settings)
        async with quick.page(Web.live(impatient)) as session:
            await session.open(site.html("/good", "<p>the next call works</p>"))
            assert await text_of(session) == "the next call works"


async def test_an_endless_script_after_loading(
    site: Site, browser: Browser, live_web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = site.html(
        "/page", "<p>x</p><script>addEventListener('load', () => setTimeout(() => { for (;;); }))</script>"
    )
    with monkeypatch.context() as brief, pytest.raises(PageError):
        brief.setattr(watched, "SCRIPT_TIMEOUT_S", 1.0)
        brief.setattr(traffic, "DRAIN_TIMEOUT_S", 1.0)
        async with asyncio.timeout(PATIENCE_S), browser.page(live_web) as session:
            await session.open(url)
            await text_of(session)
    async with browser.page(live_web) as session:
        await session.open(site.html("/good", "<p>the next call works</p>"))
        assert await text_of(session) == "the next call works"


@pytest_asyncio.fixture(loop_scope="session")
async def own(settings: Settings) -> Any:
    """A browser that may be killed."""
    async with Browser(settings, offline=False) as browser:
        yield browser


async def kill(browser: Browser) -> None:
    """Kill the browser's process, and wait until Playwright has seen it go."""
    running = browser._browser
    assert running is not None
    protocol = await running.new_browser_cdp_session()
    processes = (await protocol.send("SystemInfo.getProcessInfo"))["processInfo"]
    (pid,) = [process["id"] for process in processes if process["type"] == "browser"]
    gone = asyncio.Event()
    running.on("disconnected", lambda *_: gone.set())
    os.kill(pid, signal.SIGKILL)
    await asyncio.wait_for(gone.wait(), PATIENCE_S)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["shell", "full"])
async def test_live_pages_and_archives_share_a_browser_that_ends_with_it(
    settings: Settings, live_web: Web, offline_web: Web, kind: Literal["shell", "full"]
) -> None:
    own = Browser(settings.model_copy(update={"headless": kind}), offline=False)
    async with own, own.page(live_web) as live, own.page(offline_web) as archived:
        shared = live.context.browser
        assert shared is not None
        assert shared is archived.context.browser
        assert shared.is_connected()
    assert not shared.is_connected()


async def test_a_browser_killed_between_calls_is_replaced(site: Site, own: Browser, live_web: Web) -> None:
    url = site.html("/page", "<p>here</p>")
    async with own.page(live_web) as session:
        await session.open(url)
    await kill(own)
    async with own.page(live_web) as session:
        await session.open(url)
        assert await text_of(session) == "here"


@pytest.mark.nightly
@pytest.mark.parametrize("moment", ["open", nightly("read"), "play", nightly("screenshot")])
async def test_a_browser_killed_in_a_call(site: Site, own: Browser, live_web: Web, moment: str) -> None:
    """It is the machine's failure, never the page's or the model's; the next call works."""
    url = site.html("/page", "<p>here</p>")
    with pytest.raises(InfrastructureError):
        async with own.page(live_web) as session:
            await session.open(url)
            await kill(own)
            if moment == "open":
                await session.open(url)
            elif moment == "read":
                await text_of(session)
            elif moment == "play":
                await play(session, [ExecJs(type="exec_js", code="1")])
            else:
                await session.screenshot(Rect(x=0, y=0, width=100, height=100))
    async with own.page(live_web) as session:
        await session.open(url)
        assert await text_of(session) == "here"


@pytest.mark.nightly
async def test_a_browser_that_hangs_before_a_call_is_replaced_for_it(
    site: Site, live_web: Web, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verifaible.browser.page.fresh._MAKE_TIMEOUT_S", 2.0)
    monkeypatch.setattr("verifaible.browser.chromium.running.ANSWER_WAIT_S", 2.0)
    async with Browser(settings, offline=False) as own:
        async with own.page(live_web):
            pass
        process = own._process
        assert process is not None
        os.kill(process, signal.SIGSTOP)
        async with own.page(live_web) as session:
            await session.open(site.html("/page", "<p>here</p>"))
            assert await text_of(session) == "here"
        assert own._process != process


@pytest.mark.nightly
@pytest.mark.parametrize("moment", ["open", nightly("read"), nightly("play")])
async def test_a_browser_that_hangs_is_ended_and_replaced(
    site: Site, live_web: Web, settings: Settings, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """It is the machine's failure too: a stopped process stands for one that answers nothing any more."""
    monkeypatch.setattr(watched, "SCRIPT_TIMEOUT_S", 2.0)
    monkeypatch.setattr("verifaible.browser.chromium.tabs.ANSWER_S", 2.0)
    monkeypatch.setattr("verifaible.browser.page.fresh._MAKE_TIMEOUT_S", 2.0)
    monkeypatch.setattr("verifaible.browser.chromium.running.ANSWER_WAIT_S", 2.0)
    url = site.html("/page", "<p>here</p>")
    async with Browser(settings.model_copy(update={"page_timeout_s": 2.0}), offline=False) as own:
        async with own.page(live_web):
            pass
        process = own._process
        assert process is not None
        with pytest.raises(InfrastructureError):
            async with own.page(live_web) as session:
                if moment == "open":
                    os.kill(process, signal.SIGSTOP)
                await session.open(url)
                if moment == "play":
                    stopping = asyncio.get_running_loop().call_later(0.5, os.kill, process, signal.SIGSTOP)
                    await play(session, [Wait(type="wait", ms=1000)])
                    stopping.cancel()
                os.kill(process, signal.SIGSTOP)
                await text_of(session)
        monkeypatch.undo()
        slow = Web.live(settings)
        own._settings = settings
        async with own.page(slow) as session:
            await session.open(url)
            assert await text_of(session) == "here"
        assert own._process != process


async def test_a_crashed_tab(
    site: Site, browser: Browser, live_web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as brief, pytest.raises((ToolError, InfrastructureError)):
        brief.setattr(watched, "SCRIPT_TIMEOUT_S", 3.0)
        async with browser.page(live_web) as session:
            await session.open(site.html("/page", "<p>here</p>"))
            protocol = await session.context.new_cdp_session(session.page)
            crashed = asyncio.Event()
            session.page.on("crash", lambda *_: crashed.set())
            crash = asyncio.ensure_future(protocol.send("Page.crash"))
            crash.add_done_callback(lambda done: done.cancelled() or done.exception())
            await asyncio.wait_for(crashed.wait(), PATIENCE_S)
            await text_of(session)
    async with browser.page(live_web) as session:
        await session.open(site.html("/good", "<p>good</p>"))
        assert await text_of(session) == "good"


# --- the guard


async def test_a_private_address_is_refused(site: Site, browser: Browser, settings: Settings) -> None:
    url = site.html("/page", "<p>private</p>")
    strict = Web.live(settings.model_copy(update={"allow_hosts": ()}))
    async with browser.page(strict) as session:
        with pytest.raises(UrlRefused, match="VERIFAIBLE_ALLOW_HOSTS"):
            await session.open(url)
    assert site.seen == []


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def guarded(settings: Settings) -> Any:
    """A browser and a web in which 127.0.0.1 may be opened, and localhost may not."""
    strict = settings.model_copy(update={"allow_hosts": ("127.0.0.1",)})
    async with Browser(strict, offline=False) as browser:
        yield browser, Web.live(strict)


async def test_a_redirect_to_a_private_address_is_refused(site: Site, guarded: tuple[Browser, Web]) -> None:
    browser, web = guarded
    site.html("/secret", "<p>secret</p>")
    site.pages["/out"] = (302, {"location": site.url.replace("127.0.0.1", "localhost") + "/secret"}, "")
    async with browser.page(web) as session:
        with pytest.raises(UrlRefused, match="'localhost' was refused"):
            await session.open(f"{site.url}/out")
    assert "GET /secret" not in site.seen


async def test_what_a_page_embeds_is_guarded_too(site: Site, guarded: tuple[Browser, Web]) -> None:
    browser, web = guarded
    port = site.url.rpartition(":")[2]
    ways = ("redirect", "frame", "script", "image", "socket")
    private = {way: f"{way}.localhost:{port}" for way in ways}
    site.html("/secret", "<p>secret</p>")
    site.pages["/out"] = (302, {"location": f"http://{private['redirect']}/secret"}, "")
    site.pages["/secret.js"] = (200, {"content-type": "text/javascript"}, "document.title = 'secret'")
    body = (
        f'<p>public</p><iframe src="http://{private["frame"]}/secret"></iframe><iframe src="/out"></iframe>'
        f'<script src="http://{private["script"]}/secret.js"></script>'
        f'<img src="http://{private["image"]}/secret.png">'
        f"<script>new WebSocket('ws://{private['socket']}/secret')</script>"
    )
    async with browser.page(web) as session:
        await session.open(site.html("/page", body))
        assert "secret" not in await text_of(session)
        assert await session.title() == "Test page"
    assert [each for each in site.seen if "secret" in each] == []
    refused = " ".join(session.traffic.refused)
    assert [way for way in ways if f"'{way}.localhost' was refused" in refused] == list(ways)


async def test_file_addresses_are_refused(browser: Browser, live_web: Web) -> None:
    async with browser.page(live_web) as session:
        with pytest.raises(ToolError):
            await session.open("file:///etc/hostname")
        assert "hostname" not in session.page.url


async def test_service_workers_are_blocked(site: Site, browser: Browser, live_web: Web) -> None:
    site.file("/sw.js", "text/javascript", "onfetch = (event) => event.respondWith(new Response('forged'))")
    body = """<p id="p"></p><script>navigator.serviceWorker.register("/sw.js")
    .then(() => "registered", () => "refused")
    .then((word) => { document.getElementById("p").textContent = word })</script>"""
    async with browser.page(live_web) as session:
        await session.open(site.html("/page", body))
        controlled = await session.page.evaluate(
            "navigator.serviceWorker.getRegistrations().then((all) => all.length)"
        )
    assert controlled == 0
    assert "GET /sw.js" not in site.seen


async def test_pictures_are_left_out_where_none_is_wanted(
    site: Site, browser: Browser, live_web: Web
) -> None:
    site.file("/picture.gif", "image/gif", "GIF89a")
    site.file("/data.json", "application/json", "{}")
    body = '<p>here</p><img src="/picture.gif"><script>fetch("/data.json")</script>'
    url = site.html("/page", body)
    async with browser.page(live_web, pictures=False) as session:
        await session.open(url)
        assert await text_of(session) == "here"
    assert "GET /picture.gif" not in site.seen
    assert "GET /data.json" in site.seen
    async with browser.page(live_web) as session:
        await session.open(url)
    assert "GET /picture.gif" in site.seen


async def test_a_download_over_the_limit_is_not_read(site: Site, settings: Settings) -> None:
    headers = {"content-type": "application/pdf", "content-disposition": "attachment"}
    site.pages["/file.pdf"] = (200, headers, "%PDF-1.4" + "x" * 5_000)
    own = settings.model_copy(update={"max_body_bytes": 1_000})
    async with Browser(own, offline=False) as browser, browser.page(Web.live(own)) as session:
        with pytest.raises(PageNotLoaded, match="more than 1000 bytes"):
            await session.open(f"{site.url}/file.pdf")


@pytest.mark.nightly
async def test_a_browser_that_does_not_answer_is_not_waited_for_without_end(
    own: Browser, live_web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with own.page(live_web):
        pass
    assert own._browser is not None

    async def never(**_: Any) -> None:
        await asyncio.Event().wait()

    with monkeypatch.context() as patched:
        patched.setattr(fresh, "_MAKE_TIMEOUT_S", 0.2)
        patched.setattr(own._browser, "new_context", never)
        with pytest.raises(InfrastructureError, match="does not answer"):
            async with own.page(live_web):
                pass
    async with own.page(live_web) as session:
        assert session.page.url == "about:blank"


@pytest.mark.parametrize(
    "code", ["window.open('about:blank')", "window.open('about:blank', '_blank', 'noopener')"]
)
async def test_a_tab_is_known_before_it_is_announced(browser: Browser, live_web: Web, code: str) -> None:
    async with browser.page(live_web) as session:
        await session.page.evaluate(f"{code}; 0")
        coming = await session.tabs.coming()
        assert coming + len(session.context.pages) == 2
        await session.tabs.announced()
        assert len(session.context.pages) == 2
        assert await session.tabs.coming() == 0
