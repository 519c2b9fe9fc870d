"""Pages that load their data by script, captured and replayed; the whole suite is ``python -m scripts.accuracy --suite "dynamic replay"``."""

from __future__ import annotations

import pytest

from scripts.accuracy import dynamic
from tests.browser.conftest import Site
from tests.browser.shown import shown_text
from tests.kit.dynamic_site import Trap, traps
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.net.web import Web

#: One trap of each way in which a replay goes wrong; the others differ in names and forms.
CHOSEN = (
    "jQuery",
    "a signature of the time",
    "_ is a page number",
    "a cursor that is the time of the last record",
    "polling until done",
    "two at once, the first answered last",
    "conditional, answered with 304",
    "JSON, ISO time and UUID",
    "form, CSRF token",
    "a header of its own for the page",
    "of a request, whose last address is shown",
    "POST, then GET, of a page that counts",
    "that sets a cookie",
    "a window of days that ends now",
    "a chain of pauses",
    "a shared worker, with a way out",
    "GBK, cut inside a character",
    "WebSocket",
    "another page under _",
    "another date in the body",
    "another cookie",
    "another trace of a list",
    "one more of a list that its session pages through",
)


def chosen() -> list[Trap]:
    return [trap for trap in traps() if trap.name in CHOSEN]


def test_the_suite_is_as_large_as_it_says() -> None:
    assert len(chosen()) == len(CHOSEN)


#: The page shows what it made up itself: no replay can show that again, and none can know.
MADE_UP = Trap("self-test", "made up", "show(await ask('api/q') + Math.random())", {"api/q": lambda _: "5"})


@pytest.mark.nightly
async def test_the_records_of_then_or_a_refusal_and_the_suite_sees_a_difference(
    settings: Settings,
) -> None:
    *results, made_up = await dynamic.run(settings, [*chosen(), MADE_UP])
    assert [result for result in results if result.outcome != "right"] == []
    assert len(results) == len(CHOSEN)
    assert (made_up.name, made_up.outcome) == ("made up", "missed")


CHARSETS = [
    ("text/html; charset=gbk", "<!doctype html><p id='p'>利率为百分之五</p>".encode("gbk")),
    ("text/html", "<!doctype html><meta charset='big5'><p id='p'>利率</p>".encode("big5")),
    ("text/html; charset=utf-8", b"\xef\xbb\xbf<!doctype html><p>\xff\xfe broken</p>"),
    ("text/html; charset=shift_jis", "<!doctype html><p>金利は五</p>".encode("shift_jis")),
]


@pytest.mark.parametrize(("content_type", "body"), CHARSETS)
async def test_text_is_kept_as_it_was_sent(
    site: Site, browser: Browser, live_web: Web, content_type: str, body: bytes
) -> None:
    url = site.file("/page", content_type, body)
    async with browser.page(live_web) as session:
        await session.open(url)
        await session.traffic.drain()
        kept = [each.response.body for each in session.traffic.exchanges if each.request.url == url]
    assert kept == [body]


async def test_exchanges_stand_in_the_order_of_the_requests(
    site: Site, browser: Browser, live_web: Web
) -> None:
    released = (
        "<p id='p'></p><script>Promise.all([fetch('/1'), fetch('/2').then(() => fetch('/go'))])</script>"
    )
    url = site.html("/page", released)
    from threading import Event

    gone = Event()

    def first(_: str, __: bytes) -> tuple[int, dict[str, str], bytes]:
        gone.wait(10)
        return 200, {"content-type": "text/plain"}, b"1"

    def go(_: str, __: bytes) -> tuple[int, dict[str, str], bytes]:
        gone.set()
        return 200, {"content-type": "text/plain"}, b"go"

    site.pages |= {"/1": first, "/go": go}
    site.file("/2", "text/plain", b"2")
    async with browser.page(live_web) as session:
        await session.open(url)
        await session.traffic.drain()
        asked = [each.request.url.removeprefix(site.url) for each in session.traffic.exchanges]
    assert [path for path in asked if path in {"/1", "/2", "/go"}] == ["/1", "/2", "/go"]


async def test_the_page_still_sees_its_text(site: Site, browser: Browser, live_web: Web) -> None:
    url = site.file("/page", *CHARSETS[0])
    async with browser.page(live_web) as session:
        await session.open(url)
        assert await shown_text(session) == "利率为百分之五"
