"""``web_fetch`` of pages: shells, frames, pages that misbehave."""

from __future__ import annotations

import re
from typing import Any, cast

import pytest

from tests.browser.conftest import Site
from tests.browser.grid_pages import PANES, TABLES, grid
from tests.unit.tools.contexts import call
from verifaible.browser.page import watched
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import BrowserMissing
from verifaible.net.web import Web
from verifaible.schema.run import ToolReply
from verifaible.tools.context import ToolContext
from verifaible.tools.web_fetch import web_fetch

PARAGRAPH = "<p>Consumer prices rose by two tenths of a percent in the year, and food became dearer.</p>" * 4


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page on loopback needs no patience."""
    monkeypatch.setattr(watched, "QUIET_MS_LIVE", 80)


@pytest.fixture
def impatient(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that does not come gets two seconds."""
    monkeypatch.setattr(watched, "SCRIPT_TIMEOUT_S", 1.0)
    kept = cast(Any, browser)._settings
    short = kept.model_copy(update={"page_timeout_s": 2.0, "settle_timeout_s": 1.0})
    monkeypatch.setattr(browser, "_settings", short)


async def fetch(web: Web, browser: Browser, url: str, **arguments: Any) -> ToolReply:
    context = ToolContext(web.settings, web, browser, cast(Any, None), cast(Any, None))
    return await call(web_fetch(context), url=url, **arguments)


async def whole(web: Web, browser: Browser, url: str) -> str:
    """All parts of a page put together."""
    reply = await fetch(web, browser, url)
    parts = [reply.text]
    while "Next part: offset=" in parts[-1]:
        offset = int(parts[-1].partition("Next part: offset=")[2].partition(".")[0])
        parts.append((await fetch(web, browser, url, offset=offset)).text)
    return "\n".join(parts)


async def test_colours_are_judged_by_what_lies_behind(site: Site, browser: Browser, live_web: Web) -> None:
    over = (
        '<div style="position:relative;background:#123;height:90px"><div style="position:absolute;top:20px">'
        '<h2 style="color:white">Shown over a dark box</h2></div></div>'
        '<div style="position:absolute;top:900px"><p style="color:white">quagga</p></div>'
    )
    reply = await fetch(live_web, browser, site.html("/page", PARAGRAPH + over))
    assert "Shown over a dark box" in reply.text
    assert "quagga" not in reply.text


async def test_page_with_a_table_in_an_old_encoding(site: Site, browser: Browser, live_web: Web) -> None:
    html = (
        f"<html><head><title>指数</title></head><body><h1>价格指数</h1><p>{'本月价格变动情况如下。' * 20}</p>"
        "<table><tr><th>城市</th><th>同比</th></tr><tr><td>郑州</td><td>90.9</td></tr></table></body></html>"
    )
    url = site.file("/page", "text/html; charset=gb2312", html.encode("gbk"))
    text = (await fetch(live_web, browser, url)).text
    assert "HTML, gb18030" in text
    assert "Title: 指数" in text
    assert "| 城市 | 同比 |\n| --- | --- |\n| 郑州 | 90.9 |" in text


async def test_a_machine_without_a_browser_is_told(
    site: Site, live_web: Web, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Browser(settings.model_copy(update={"browser": "/no/such/chromium"}), offline=False) as none:
        with pytest.raises(BrowserMissing, match="VERIFAIBLE_BROWSER"):
            await fetch(live_web, none, site.html("/page", PARAGRAPH))
        site.file("/data", "application/json", '{"rate": 5.40}')
        assert '"rate": 5.40' in (await fetch(live_web, none, site.url + "/data")).text


async def test_a_page_is_asked_for_once(site: Site, browser: Browser, live_web: Web) -> None:
    site.file("/a.css", "text/css", ".ghost{display:none}")
    url = site.html("/page", f"<link rel=stylesheet href=a.css>{PARAGRAPH}<p class=ghost>quagga</p>")
    reply = await fetch(live_web, browser, url)
    assert site.seen == ["GET /page", "GET /a.css"]
    assert "quagga" not in reply.text


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


#: A formula in two copies as KaTeX writes them, counters, generated marks, fields, a closed shadow root.
PAINTED = """<style>
  .katex-mathml { position: absolute; clip: rect(1px, 1px, 1px, 1px); width: 1px; height: 1px; overflow: hidden }
  ol { counter-reset: clause; list-style: none } li::before { counter-increment: clause; content: "§ " counter(clause) " " }
  q { quotes: "«" "»" }
</style><main><h1>Tide tables</h1>
<p>The rise is <span class=katex><span class=katex-mathml><math><semantics><mi>h</mi><annotation>h^2</annotation></semantics></math></span
><span class=katex-html aria-hidden=true>h<sup>2</sup> + 3</span></span> metres.</p>
<ol><li>Pilots board at <q>the outer buoy</q>.</li><li>Ferries give way.</li></ol>
<p><label>Berth <input value="North 4"></label> <label>Lit <input type=checkbox checked></label>
<select><option>Ebb</option><option selected>Flood</option></select> <input type=password value=hush></p>
<x-tide></x-tide></main><script>
document.querySelector("x-tide").attachShadow({mode: "closed"}).innerHTML = "<p>High water at 14:20.</p>";
</script>"""


async def test_a_page_is_read_as_a_person_sees_it(site: Site, browser: Browser, live_web: Web) -> None:
    text = (await fetch(live_web, browser, site.html("/page", PAINTED))).text
    for words in (
        "# Tide tables",
        "The rise is h² + 3 metres.",
        "§ 1 Pilots board at «the outer buoy».",
        "§ 2 Ferries give way.",
        "Berth North 4",
        "Lit [checked]",
        "Flood",
        "High water at 14:20.",
    ):
        assert words in text, text
    assert not re.search(r"h\^2|Ebb|hush", text), text


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
    monkeypatch.setattr(watched, "QUIET_MS_LIVE", 1_500)
    grows = "setInterval(() => document.body.append(Object.assign(document.createElement('p'), {textContent: 'row'})), 20)"
    reply = await fetch(
        live_web, browser, site.html("/page", f"<div id=root></div><p>First</p><script>{grows}</script>")
    )
    assert "First" in reply.text
    assert "the page still changed while it was read" in reply.text


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


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        (PANES, ["| Club | Won | Lost |", "| Birch | 18 | 12 |", "| Alder | 31 | 7 |"]),
        (TABLES, ["| Wine | Casks |", "| Terrano | 23 |", "| Wine | Price |", "| Ribolla | 9 |"]),
    ],
    ids=["panes", "head and body apart"],
)
async def test_a_grid_is_a_table_as_it_is_cited(
    body: str, lines: list[str], site: Site, browser: Browser, live_web: Web
) -> None:
    text = re.sub(r" +", " ", await whole(live_web, browser, site.html("/page", body)))
    assert all(text.count(line) == 1 for line in lines), text
    assert not re.search(r"more where it is scrolled to", text)


async def test_rows_that_are_not_drawn_are_counted(site: Site, browser: Browser, live_web: Web) -> None:
    url = site.html("/page", grid([f"Item {n}" for n in range(300)]))
    reply = await fetch(live_web, browser, url)
    told = re.search(r"a table draws (\d+) rows here, about (\d+) more where it is scrolled to", reply.text)
    assert told and int(told[1]) + int(told[2]) == 301
    assert re.search(r"\| Item 3 +\| 14\.5", reply.text)
