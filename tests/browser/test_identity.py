"""One identity in every place where it shows: no two of them may tell a site two things."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.kit.marks import nightly
from tests.unit.net.local_site import LocalSite, local_site
from verifaible.browser.page.session import PageSession
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.net.identity import Guise, request_headers, without_headless
from verifaible.net.web import Web
from verifaible.schema.web import WebRequest

_TELL = """async () => {
  const high = await navigator.userAgentData?.getHighEntropyValues(["fullVersionList", "platformVersion"]);
  const { locale, timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return { agent: navigator.userAgent, brands: navigator.userAgentData?.brands.map(b => `"${b.brand}";v="${b.version}"`).join(", "),
    full: high?.fullVersionList.map(b => b.version).join(), languages: [...(navigator.languages ?? [])], locale, timeZone };
}"""
_PAGE = f"<!doctype html><title>x</title><script>tell = {_TELL}; tell().then(found => early = found)</script>".encode()
_WORKER = f"({_TELL})().then(found => fetch('/by-worker').then(() => postMessage(found)))".encode()


@pytest.fixture
def places() -> Iterator[LocalSite]:
    with local_site() as site:
        high: dict[str, Any] = {"Accept_CH": "Sec-CH-UA-Full-Version-List, Sec-CH-UA-Platform-Version"}
        for path in (
            "/",
            "/again",
            "/frame",
            "/popup",
            "/by-worker",
            "/by-fetch",
            "/by-xhr",
            "/socket",
            "/file",
        ):
            site.give(path, body=_PAGE, Content_Type="text/html", **high)
        site.give("/worker.js", body=_WORKER, Content_Type="text/javascript")
        yield site


def asked(site: LocalSite, path: str) -> dict[str, str]:
    """The headers of the last request for a path."""
    return [headers for seen, headers in zip(site.seen, site.headers, strict=True) if seen == f"GET {path}"][
        -1
    ]


async def told(session: PageSession, site: LocalSite) -> list[dict[str, object]]:
    """What page, frame of another site, worker and pop-up tell their scripts."""
    await session.open(f"{site.url}/")
    await session.open(f"{site.url}/again")
    page, other = session.page, site.url.replace("127.0.0.1", "localhost")
    await page.evaluate(
        "url => new Promise(done => { f = document.createElement('iframe'); f.src = url; f.onload = done; document.body.append(f) })",
        f"{other}/frame",
    )
    by_worker = await page.evaluate(
        "() => new Promise(done => { new Worker('/worker.js').onmessage = e => done(e.data) })"
    )
    await page.evaluate(
        "async () => { await fetch('/by-fetch'); await new Promise(done => { x = new XMLHttpRequest(); x.onloadend = done; x.open('GET', '/by-xhr'); x.send() }) }"
    )
    await page.evaluate(
        "url => new Promise(done => { new WebSocket(url).onerror = done })",
        f"{site.url.replace('http', 'ws')}/socket",
    )
    async with page.expect_popup() as opening:
        await page.evaluate("() => { open('/popup') }")
    popup = await opening.value
    await popup.wait_for_load_state()
    frame = page.frames[1]
    return [
        await page.evaluate("tell()"),
        await frame.evaluate("tell()"),
        by_worker,
        await popup.evaluate("early"),
    ]


_BY_PAGES = ("/", "/again", "/frame", "/by-fetch", "/by-xhr", "/file")
_WEIGHT = re.compile(r";q=[\d.]+")
_CHOSEN = Guise(
    user_agent="Mozilla/5.0 (mine; +mailto:me@example.org)", language="de-DE", timezone="Europe/Berlin"
)


@pytest.mark.parametrize("guise", [Guise(), _CHOSEN], ids=["its own", "chosen"])
async def test_one_identity_in_every_place(
    places: LocalSite, browser: Browser, settings: Settings, guise: Guise
) -> None:
    """The headless shell, as an ordinary Chromium; it gives itself away in one place."""
    await _same_everywhere(places, browser, settings, guise, known=("/popup",))


@nightly
@pytest.mark.parametrize("guise", [Guise(), _CHOSEN], ids=["its own", "chosen"])
async def test_one_identity_of_the_whole_browser(
    places: LocalSite, whole_browser: Browser, settings: Settings, guise: Guise
) -> None:
    await _same_everywhere(places, whole_browser, settings, guise)


async def _same_everywhere(
    places: LocalSite, browser: Browser, settings: Settings, guise: Guise, known: tuple[str, ...] = ()
) -> None:
    """``known``: what is asked for before the brands of a headless shell can be overridden."""
    web = replace(Web.live(settings), guise=guise)
    async with browser.page(web) as session:
        scripts = await asyncio.wait_for(told(session, places), 120)
    async with web.client(told=await browser.request_headers(web)) as client:
        await client.fetch(WebRequest(f"{places.url}/file"))
    paths = ("/", "/again", "/frame", "/by-worker", "/by-fetch", "/by-xhr", "/socket", "/popup", "/file")
    heads = {path: asked(places, path) for path in paths}
    for path in known:
        for name in ("sec-ch-ua", "sec-ch-ua-full-version-list"):
            assert "Headless" in heads[path].get(name, "Headless")
            heads[path] |= {name: heads["/again"][name]} if name in heads[path] else {}
    agents = {each["user-agent"] for each in heads.values()} | {str(each["agent"]) for each in scripts}
    assert len(agents) == 1 and "Headless" not in json.dumps([*heads.values(), scripts])
    assert guise.user_agent in ("", *agents)
    # As with a window: Chromium adds no hints to what workers ask for, nor to the handshake of a socket.
    assert [path for path in paths if "sec-ch-ua" not in heads[path]] == ["/by-worker", "/socket"]
    hints = {each["sec-ch-ua"] for each in heads.values() if "sec-ch-ua" in each}
    # A worker is told the name and no brands: nothing else, but less. Playwright overrides its name without them, and
    # where a second CDP session overrides it with them, Chromium takes either.
    assert scripts[2]["brands"] in ("", *hints)
    hints |= {str(each["brands"]) for each in scripts if each is not scripts[2]}
    assert len(hints) == 1
    versions = {
        re.sub(r'.*?v="([^"]*)"[^"]*', r"\1,", heads["/again"]["sec-ch-ua-full-version-list"]).strip(",")
    }
    assert {str(each["full"]) for each in scripts if each["full"]} == versions
    # Only a headless shell leaves out the weights, in what workers and pop-ups ask for.
    spoken = {each["accept-language"] for path, each in heads.items() if not known or path in _BY_PAGES}
    assert len(spoken) == 1
    assert {_WEIGHT.sub("", each["accept-language"]) for each in heads.values()} == {
        _WEIGHT.sub("", spoken.copy().pop())
    }
    first = heads["/"]["accept-language"].partition(",")[0]
    languages = {json.dumps(each["languages"]) for each in scripts}
    assert len(languages) == 1 and json.loads(languages.pop())[0] == first == (guise.language or "en-US")
    assert {each["locale"] for each in scripts} == {first}
    assert {each["timeZone"] for each in scripts} == {guise.timezone}


def test_the_name_is_that_of_the_same_browser_with_a_window() -> None:
    shown = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36"
    assert without_headless(shown.replace("Chrome/156.0.0.0", "HeadlessChrome/156.0.8078.79")) == shown
    assert without_headless(shown) == shown


def test_headers_are_weighed_as_browsers_do() -> None:
    found = dict(request_headers("me", ["de-DE", "de", "en"], None))
    assert found == {"user-agent": "me", "accept-language": "de-DE,de;q=0.9,en;q=0.8"}


def test_an_argument_may_have_commas() -> None:
    agent = "--user-agent=Mozilla/5.0 (KHTML, like Gecko) Chrome/150.0.0.0"
    found = Settings.model_validate({"browser_args": f"{agent}, --disable-features=A,B,--no-zygote"})
    assert found.browser_args == (agent, "--disable-features=A,B", "--no-zygote")
