"""``web_fetch`` where a browser takes part: hidden text by computed styles, shells, frames, pages that misbehave."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.browser.conftest import Site
from tests.unit.extract.hidden_cases import CHANNELS, HIDDEN, INNOCENT, Case
from tests.unit.tools.contexts import call
from verifaible.browser import session as sessions
from verifaible.browser.session import Browser
from verifaible.net.web import Web
from verifaible.schema.run import ToolReply
from verifaible.tools.context import ToolContext
from verifaible.tools.web_fetch import web_fetch

PARAGRAPH = "<p>Consumer prices rose by two tenths of a percent in the year, and food became dearer.</p>" * 4
#: Makes the static reader ask for a browser.
SHELL = "<div id=root></div><script>document.getElementById('root').textContent = 'by a script'</script>"
UNSEEN = "\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\ufeff\ufe02\ufe03\ufe04"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page on loopback needs no patience."""
    monkeypatch.setattr(sessions, "QUIET_MS_LIVE", 80)


@pytest.fixture
def impatient(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that does not come gets two seconds."""
    monkeypatch.setattr(sessions, "SCRIPT_TIMEOUT_S", 1.0)
    kept = cast(Any, browser)._settings
    short = kept.model_copy(update={"page_timeout_s": 2.0, "settle_timeout_s": 1.0})
    monkeypatch.setattr(browser, "_settings", short)


async def fetch(web: Web, browser: Browser, url: str, **arguments: Any) -> ToolReply:
    context = cast(ToolContext, SimpleNamespace(web=web, browser=browser))
    return await call(web_fetch(context), url=url, **arguments)


async def whole(web: Web, browser: Browser, url: str) -> str:
    """All parts of a page put together."""
    reply = await fetch(web, browser, url)
    parts = [reply.text]
    while "Next part: offset=" in parts[-1]:
        offset = int(parts[-1].partition("Next part: offset=")[2].partition(".")[0])
        parts.append((await fetch(web, browser, url, offset=offset)).text)
    return "\n".join(parts)


def together(cases: list[tuple[Case, str]]) -> str:
    heads = "".join(case.head for case, _ in cases)
    styles = "".join(f"<style>{case.style}</style>" for case, _ in cases)
    body = "".join(f"<div>{case.body}</div>" for case, _ in cases)
    return f"<head><title>Prices</title>{heads}{styles}</head><body>{PARAGRAPH}{body}{SHELL}</body>"


async def test_hidden_text_of_a_rendered_page(site: Site, browser: Browser, live_web: Web) -> None:
    cases = [case.filled(number) for number, case in enumerate(HIDDEN)]
    site.file("/page", "text/html; charset=utf-8", f"<!doctype html><html>{together(cases)}</html>")
    text = await whole(live_web, browser, site.url + "/page")

    assert "this is the page after its scripts ran" in text
    assert "by a script" in text
    assert "food became dearer" in text
    left = [case.name for case, words in cases if words in text]
    assert not left, left
    assert not any(each in text for each in UNSEEN)
    assert not any(0xE0000 <= ord(each) <= 0xE01EF for each in text)
    notes = text.partition("--- content")[0]
    assert [channel for channel in CHANNELS if f"{channel} " not in notes] == []


async def test_what_readers_see_of_a_rendered_page_stays(site: Site, browser: Browser, live_web: Web) -> None:
    cases = [case.filled(number) for number, case in enumerate(INNOCENT)]
    site.file("/page", "text/html; charset=utf-8", f"<!doctype html><html>{together(cases)}</html>")
    text = await whole(live_web, browser, site.url + "/page")
    lost = {case.name for case, words in cases if words not in text}
    # A browser knows the size of things: these leave no room for their words, or push them out of the window.
    assert lost <= {"inline: left:-9999px"}


async def test_a_browser_decides_where_markup_cannot(site: Site, browser: Browser, live_web: Web) -> None:
    over = (
        '<div style="position:relative;background:#123;height:90px"><div style="position:absolute;top:20px">'
        '<h2 style="color:white">Shown over a dark box</h2></div></div>'
        '<div style="position:absolute;top:900px"><p style="color:white">quagga</p></div>'
    )
    reply = await fetch(live_web, browser, site.html("/page", PARAGRAPH + over))
    assert "a browser told which text shows" in reply.text
    assert "Shown over a dark box" in reply.text
    assert "quagga" not in reply.text
    assert "same colour 1" in reply.text


async def test_linked_style_sheets_are_read_without_a_browser(
    site: Site, browser: Browser, live_web: Web
) -> None:
    site.file("/a.css", "text/css", ".ghost{display:none}")
    url = site.html("/page", f"<link rel=stylesheet href=a.css>{PARAGRAPH}<p class=ghost>quagga</p>")
    reply = await fetch(live_web, browser, url)
    assert site.seen == ["GET /page", "GET /a.css"]
    assert "quagga" not in reply.text
    assert "display 1" in reply.text


async def test_a_missing_style_sheet_is_said(site: Site, browser: Browser, live_web: Web) -> None:
    reply = await fetch(
        live_web, browser, site.html("/page", f"<link rel=stylesheet href=no.css>{PARAGRAPH}")
    )
    assert "1 style sheets not read" in reply.text
    assert "food became dearer" in reply.text


async def test_a_shell_is_rendered_with_shadow_roots_slots_and_frames(
    site: Site, browser: Browser, live_web: Web
) -> None:
    site.html("/inner", "<p>inside the frame</p><p hidden>quagga</p>")
    script = """<script>
      const host = document.createElement('x-card');
      host.attachShadow({mode: 'open'}).innerHTML = '<h2>In the shadow</h2><slot></slot><p style="display:none">quagga</p>';
      host.append('slotted words');
      document.body.append(host);
      const frame = document.createElement('iframe');
      frame.src = '/inner';
      document.body.append(frame);
    </script>"""
    reply = await fetch(live_web, browser, site.html("/page", f"<div id=root></div>{script}"))
    for words in ("In the shadow", "slotted words", "inside the frame"):
        assert words in reply.text
    assert "quagga" not in reply.text


async def test_a_whole_page_asks_for_no_browser(site: Site, live_web: Web) -> None:
    url = site.html("/page", f"<h1>Prices</h1>{PARAGRAPH}<script src=/a.js></script>")
    reply = await fetch(live_web, cast(Browser, None), url)
    assert "food became dearer" in reply.text
    assert site.seen == ["GET /page"]


async def test_a_storm_of_alerts_ends(site: Site, browser: Browser, live_web: Web) -> None:
    script = "<script>for (let i = 0; i < 1000; i++) alert('n' + i); document.body.append('after the storm')</script>"
    reply = await fetch(live_web, browser, site.html("/page", f"<div id=root></div><p>Words</p>{script}"))
    assert "dialogs answered" in reply.text
    ours, _, theirs = reply.text.partition("\n--- content of")
    assert "The first dialog: " not in ours
    assert "(The first dialog: " in theirs
    assert "Words" in reply.text


async def test_an_endless_script_is_an_error_that_says_so(
    site: Site, browser: Browser, live_web: Web, impatient: None
) -> None:
    url = site.html("/page", "<div id=root></div><script>setTimeout(() => { for (;;); }, 0)</script>")
    reply = await fetch(live_web, browser, url)
    assert reply.error_code == "page_not_loaded"
    assert "did not load within 2 s" in reply.text or "runs without end" in reply.text


async def test_a_page_that_grows_for_ever_is_read_once(
    site: Site, browser: Browser, live_web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a busy machine it may stand still for 80 ms.
    monkeypatch.setattr(sessions, "QUIET_MS_LIVE", 1_500)
    grows = "setInterval(() => document.body.append(Object.assign(document.createElement('p'), {textContent: 'row'})), 20)"
    reply = await fetch(
        live_web, browser, site.html("/page", f"<div id=root></div><p>First</p><script>{grows}</script>")
    )
    assert "First" in reply.text
    assert "the page still changed while it was read" in reply.text


async def test_only_the_browser_asks_for_the_style_sheets_of_a_shell(
    site: Site, browser: Browser, live_web: Web
) -> None:
    site.file("/site.css", "text/css", "p { color: black }")
    shell = (
        "<link rel=stylesheet href=/site.css><div id=root></div><script>root.textContent = 'ready'</script>"
    )
    reply = await fetch(live_web, browser, site.html("/page", shell))
    assert "ready" in reply.text
    assert site.seen.count("GET /site.css") == 1


async def test_a_shell_that_cannot_be_rendered_still_gives_its_markup(
    site: Site, browser: Browser, live_web: Web, impatient: None
) -> None:
    url = site.html("/page", "<p>The words of the markup.</p><div id=root></div><script>for (;;);</script>")
    reply = await fetch(live_web, browser, url)
    assert "rendering failed" in reply.text
    assert "The words of the markup." in reply.text


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("<h1>Just a moment</h1><p>Verify you are human by completing the action below.</p>", "captcha"),
        ("<h1>Sign in</h1><p>Please log in to continue.</p><form><input name=u></form>", "login page"),
        ("<p>You have reached your limit of free articles. Subscribe to continue reading.</p>", "paywall"),
        ("<h1>抱歉</h1><p>您访问的页面不存在。</p>", "error page"),
    ],
)
async def test_pages_that_are_no_content_are_named(
    site: Site, browser: Browser, live_web: Web, body: str, said: str
) -> None:
    reply = await fetch(live_web, browser, site.html("/page", body))
    assert reply.error_code == "page_blocked"
    assert said in reply.text
