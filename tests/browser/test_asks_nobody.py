"""A browser asks for what its pages ask for, and for nothing by itself: no form, file or player makes it ask anybody."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext, suppress

import pytest

from tests.browser.citing import pdf
from tests.browser.conftest import Site, serving
from verifaible.browser.steps.playing import play
from verifaible.browser.warm import Browser
from verifaible.errors import PageNotLoaded
from verifaible.net.egress import Admission
from verifaible.net.web import Web
from verifaible.schema.action import Click, Type

#: What Chromium asks after a form it does so within a second of seeing it.
_LATER_S = 2.0

_LOGIN = """<form action=/signed method=post><input name=user autocomplete=username>
<input type=password name=word autocomplete=current-password><button id=go>Sign in</button></form>"""
_ADDRESS = """<form action=/signed method=post><input name=name autocomplete=name><input name=street autocomplete=street-address>
<input name=card autocomplete=cc-number><select name=country autocomplete=country><option>Norway<option>Chad</select>
<button id=go>Order</button></form>"""
_SEARCH = "<form action=/found><input name=q type=search><button id=go>Search</button></form>"


def _pages(site: Site) -> dict[str, bool]:
    """Paths, and whether each has a form to fill."""
    html = {
        "/login": _LOGIN,
        "/address": _ADDRESS,
        "/search": _SEARCH,
        "/signed": "<p>Signed in.",
        "/found": "<p>Found nothing.",
        "/video": "<video src=/film.mp4 controls autoplay muted></video><audio src=/sound.mp3></audio>",
        "/frames": "<iframe src=/login></iframe><object data=/paper.pdf></object><embed src=/paper.pdf>",
        "/links": "<a href=/data.zip download>data</a><a href=/paper.pdf ping=/pinged>paper</a>",
        "/foreign": "<html lang=zh><p>中国人口普查公报说，总人口为十四亿人。</html>",
        "/installable": "<link rel=manifest href=/app.json><link rel=icon href=/icon.png><p>An app.",
    }
    for path, body in html.items():
        site.html(path, body)
    site.file("/paper.pdf", "application/pdf", pdf("A page"))
    site.file("/data.zip", "application/zip", b"PK\x05\x06" + bytes(18))
    site.file("/film.mp4", "video/mp4", b"no film")
    site.file("/sound.mp3", "audio/mpeg", b"no sound")
    site.file("/app.json", "application/manifest+json", '{"name": "App", "start_url": "/"}')
    files = {"/paper.pdf": False, "/data.zip": False}
    return {path: "id=go" in body for path, body in html.items()} | files


async def _asked(
    browser: Browser, web: Web, monkeypatch: pytest.MonkeyPatch
) -> tuple[set[str], set[str], set[str]]:
    """The hosts that contexts asked for, those that the browser asked for beside them, and those of the pages."""
    asked: set[str] = set()
    beside: set[str] = set()
    reach = Admission.reach

    async def noted(admission: Admission, host: str, port: int) -> object:
        (asked if admission is not browser._proxy._closed else beside).add(f"{host}:{port}")  # type: ignore[union-attr]
        return await reach(admission, host, port)

    monkeypatch.setattr(Admission, "reach", noted)
    with serving() as site:
        for path, has_form in _pages(site).items():
            async with browser.page(web) as session:
                with suppress(PageNotLoaded) if path == "/data.zip" else nullcontext():
                    await session.open(site.url + path)
                if has_form:
                    typed = Type(type="type", selector="input", value="Ada")
                    await play(session, (typed, Click(type="click", selector="#go")))
                await asyncio.sleep(_LATER_S / 10)
        await asyncio.sleep(_LATER_S)
        return asked, beside, {site.url.removeprefix("http://")}


async def test_the_headless_shell_asks_nobody(
    browser: Browser, live_web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, beside, own = await _asked(browser, live_web, monkeypatch)
    assert asked == own and not beside


@pytest.mark.nightly
async def test_the_whole_browser_asks_nobody_from_a_page(
    whole_browser: Browser, live_web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it asks beside its pages, for updates and accounts, is refused without exception."""
    asked, beside, own = await _asked(whole_browser, live_web, monkeypatch)
    assert asked == own
    closed = whole_browser._proxy._closed  # type: ignore[union-attr]
    assert closed is not None and len(closed.refused) >= len(beside)
