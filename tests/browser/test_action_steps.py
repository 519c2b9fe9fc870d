"""What ``test_action_steps`` says of each step, in a real Chromium on a site on loopback."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.conftest import REPOSITORY, Answer, Site
from tests.browser.toolboxes import Caller
from tests.kit.marks import nightly
from verifaible.browser.page import watched
from verifaible.browser.steps import step as stepping
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.net.web import Web


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page on loopback needs no patience."""
    monkeypatch.setattr(watched, "QUIET_MS_LIVE", 80)
    monkeypatch.setattr(stepping, "ELEMENT_TIMEOUT_MS", 1_500)


@pytest.fixture
def call(settings: Settings, live_web: Web, browser: Browser) -> Caller:
    return Caller(settings, live_web, browser)


@pytest.fixture
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The patience that is had with the live web."""
    monkeypatch.setattr(watched, "QUIET_MS_LIVE", 500)


@pytest.fixture
def hold() -> Iterator[threading.Event]:
    """Keeps a request unanswered until it is set, or the test is over."""
    event = threading.Event()
    yield event
    event.set()


async def played(call: Caller, url: str, *steps: dict[str, Any], **arguments: Any) -> str:
    """The reply to a call whose steps all work."""
    reply = await call("test_action_steps", url=url, action_steps=list(steps), **arguments)
    assert reply.error_code == "", reply.text
    return reply.text


async def refused(call: Caller, url: str, *steps: dict[str, Any], code: str = "step_failed") -> str:
    """The reply to a call of which a step fails."""
    reply = await call("test_action_steps", url=url, action_steps=list(steps))
    assert reply.error_code == code, reply.text
    return reply.text


# --- what a step did and what changed


async def test_a_step_says_what_it_used_and_what_changed(call: Caller, site: Site) -> None:
    site.file("/api/rate", "application/json", '{"rate": "5.33"}')
    body = """<p id="old">Loading nothing</p><button id="go">Query</button><script>
    document.getElementById("go").onclick = async () => {
      const answer = await fetch("/api/rate?day=2");
      document.getElementById("old").outerHTML = "<p>Rate " + (await answer.json()).rate + "</p><p>By day</p>";
    };</script>"""
    text = await played(call, site.html("/page", body), {"type": "click", "selector": "#go"})
    assert 'element #go "Query", clicked' in text
    assert f"requests: GET {site.url}/api/rate?day=2 -> 200" in text
    assert "text that came: Rate 5.33 | By day" in text
    assert "text that went: Loading nothing" in text


async def test_a_step_that_changes_nothing_says_so(call: Caller, site: Site) -> None:
    url = site.html("/page", "<p>x</p><button id=b>Dead</button>")
    text = await played(call, url, {"type": "click", "selector": "#b"})
    assert "no visible text, request, dialog or address changed" in text


async def test_failed_requests_and_http_errors_are_named(call: Caller, site: Site) -> None:
    body = """<p>x</p><button id=b onclick="fetch('/gone'); fetch('http://10.1.2.3/x').catch(() => 0)">Go</button>"""
    text = await played(call, site.html("/page", body), {"type": "click", "selector": "#b"})
    assert f"GET {site.url}/gone -> 404" in text
    assert re.search(r"GET http://10\.1\.2\.3/x -> ERR_\w+", text)


async def test_what_a_reader_cannot_see_is_no_change(call: Caller, site: Site) -> None:
    body = """<p id=p>x</p><button id=b>Go</button><script>b.onclick = () => {
    p.insertAdjacentHTML("afterend", "<p>shown line</p><p style='opacity:0'>secret order</p>") }</script>"""
    text = await played(call, site.html("/page", body), {"type": "click", "selector": "#b"})
    assert "text that came: shown line" in text
    assert "secret order" not in text


async def test_navigation_is_reported(call: Caller, site: Site) -> None:
    site.html("/next", "<p>second page</p>")
    url = site.html("/page", '<a id=a href="/next">on</a>')
    text = await played(call, url, {"type": "click", "selector": "#a"}, anchor="second page")
    assert f"went to {site.url}/next" in text
    assert "FOUND exactly" in text


async def test_scroll_says_how_far_it_went(call: Caller, site: Site) -> None:
    url = site.html("/page", "<div style='height:2000px'>tall</div><div id=flat>flat</div>")
    text = await played(
        call,
        url,
        {"type": "scroll", "amount": 300},
        {"type": "scroll", "direction": "top"},
        {"type": "scroll", "direction": "up"},
        {"type": "scroll", "selector": "#flat"},
    )
    assert "scrolled from 0 to 300 of" in text
    assert "scrolled from 300 to 0 of" in text
    assert "did not move: it is at 0 of" in text
    assert "did not move: nothing in it scrolls" in text


# --- scripts


@pytest.mark.parametrize(
    ("code", "place"),
    [
        ("const a = 1;\n  nothing.here;\na", "ReferenceError: nothing is not defined (line 2, column 3: nothing.here;)"),
        ("let x = ;", "SyntaxError: Unexpected token ';' (line 1, column 9: let x = ;)"),
        ("1;\n\nthrow new Error('no')", "Error: no (line 3, column 7: throw new Error('no'))"),
        ("if (true) { oops(); return 1 }", "oops is not defined (line 1, column 13: if (true) { oops(); return 1 })"),
        ("await 0;\nawait Promise.reject(new TypeError('late'))", "TypeError: late (line 2, column 22: await Promise"),
        ("const f = () => {\n  null.x;\n};\nf()", "(line 2, column 8: null.x;)"),
        ("[1].map(() => window.pageCode())", "Error: in the page (line 1, column 22: [1].map(() => window.pageCode()))"),
        (f"/*{'x' * 500}*/ bad.y /*{'z' * 500}*/", "x*/ bad.y /*z"),
    ],
)  # fmt: skip
async def test_script_errors_name_line_and_column(call: Caller, site: Site, code: str, place: str) -> None:
    url = site.html(
        "/page", "<p>x</p><script>window.pageCode = () => { throw new Error('in the page') }</script>"
    )
    text = await refused(call, url, {"type": "exec_js", "code": code})
    assert place in text
    assert len(text) < 1_500


async def test_what_was_played_before_a_failure_is_told(call: Caller, site: Site) -> None:
    url = site.html("/page", "<p>x</p>")
    first = {"type": "exec_js", "code": "alert('hi'); 6 * 7"}
    text = await refused(call, url, first, {"type": "click", "selector": "#none"})
    assert "Step 1 exec_js: done in" in text
    assert "returned 42" in text
    assert "dialog, accepted: alert: hi" in text
    assert "Step 2 click failed: no element matches #none" in text


# --- endless and greedy scripts


# test_steps has the forms of such scripts
@pytest.mark.parametrize("code", ["while (true) {}", nightly("await 0; for (;;) {}")])
async def test_an_endless_script_is_stopped(
    call: Caller, site: Site, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    monkeypatch.setattr(stepping, "EXEC_TIMEOUT_S", 1.0)
    url = site.html("/page", "<p>still here</p>")
    assert "did not finish within 1 s" in await refused(call, url, {"type": "exec_js", "code": code})
    assert "FOUND exactly" in await played(call, url, anchor="still here")


@pytest.mark.nightly
@pytest.mark.parametrize(
    "step",
    [
        {"type": "click", "selector": "#b"},
        nightly({"type": "type", "selector": "#i", "value": "x"}),
        nightly({"type": "select", "selector": "#s", "value": "2"}),
    ],
)
async def test_an_endless_handler_is_an_error(
    call: Caller, site: Site, monkeypatch: pytest.MonkeyPatch, step: dict[str, Any]
) -> None:
    url = site.html(
        "/page",
        "<p>still here</p><button id=b onclick='for(;;);'>b</button><input id=i oninput='for(;;);'>"
        "<select id=s onchange='for(;;);'><option>1<option>2</select>",
    )
    with monkeypatch.context() as brief:
        brief.setattr(watched, "SCRIPT_TIMEOUT_S", 1.0)
        brief.setattr("verifaible.browser.steps.targets.LOOK_TIMEOUT_S", 1.0)
        reply = await call("test_action_steps", url=url, action_steps=[step])
    assert reply.error_code in ("step_failed", "page_not_loaded"), reply.text
    assert "without end" in reply.text
    assert "FOUND exactly" in await played(call, url, anchor="still here")


@pytest.mark.nightly
async def test_a_tab_that_runs_out_of_memory_is_an_error(
    call: Caller, site: Site, settings: Settings, live_web: Web
) -> None:
    small = settings.model_copy(update={"browser_args": ("--js-flags=--max-old-space-size=64",)})
    url = site.html("/page", "<p>still here</p>")
    async with Browser(small, offline=False) as browser:
        own = Caller(small, live_web, browser)
        hog = {"type": "exec_js", "code": "const all = []; for (;;) all.push(new Array(1e6).fill(1.5))"}
        text = await refused(own, url, hog, code="page_error")
        assert "crashed its tab" in text
        assert "FOUND exactly" in await played(own, url, anchor="still here")


@pytest.mark.parametrize(
    "script", ["for (let i = 0; i < 1e5; i += 1) alert('again')", "setInterval(() => alert('again'), 5)"]
)
async def test_an_alert_storm_is_capped(call: Caller, site: Site, script: str) -> None:
    url = site.html("/page", f'<p>under the storm</p><button id=b onclick="{script}">b</button>')
    text = await played(call, url, {"type": "click", "selector": "#b"}, anchor="under the storm")
    assert "accepted: alert: again" in text
    assert text.count("alert: again") <= 12
    assert "FOUND exactly" in text


@pytest.mark.nightly
async def test_an_alert_storm_without_end_is_an_error(call: Caller, site: Site) -> None:
    url = site.html(
        "/page", "<p>under the storm</p><button id=b onclick=\"while (true) alert('x')\">b</button>"
    )
    assert "without end" in await refused(call, url, {"type": "click", "selector": "#b"})
    assert "FOUND exactly" in await played(call, url, anchor="under the storm")


@pytest.mark.nightly
async def test_an_alert_storm_while_loading(call: Caller, site: Site) -> None:
    url = site.html("/page", "<script>for (let i = 0; i < 1e6; i += 1) alert(i)</script><p>after it</p>")
    text = await played(call, url, anchor="after it")
    assert "Dialog opened and accepted: alert: 0" in text
    assert "FOUND exactly" in text


# --- selectors


MANY = """<button class=q onclick="document.title='one'">First query</button>
<button class=q onclick="document.title='two'">Second query</button>
<button class=q style="display:none">Third</button><a class=l href="/x">More</a> <a class=l href="/x">More</a>
<label class=f>Name <input name=a></label><label class=f>Street <input name=b></label>
<button class=in onclick="document.title='in'"><span class=in>Inner</span></button>
<ul><li class=day onclick="document.title=this.textContent">2</li><li class=day>12</li></ul>"""


@pytest.mark.parametrize(
    ("step", "candidates"),
    [
        ({"type": "click", "selector": ".q"}, ['"First query"', '"Second query"']),
        ({"type": "click", "elementText": "query"}, ['"First query"', '"Second query"']),
        ({"type": "type", "selector": "input", "value": "x"}, ["input[name=", "Street"]),
    ],
)
async def test_an_ambiguous_selector_lists_what_it_finds(
    call: Caller, site: Site, step: dict[str, Any], candidates: list[str]
) -> None:
    text = await refused(call, site.html("/page", MANY), step)
    assert "2 visible elements match" in text
    for candidate in candidates:
        assert candidate in text
    assert "Third" not in text


@pytest.mark.nightly
@pytest.mark.parametrize(
    "step",
    [
        {"type": "click", "selector": ".l"},
        {"type": "click", "selector": ".in"},
        {"type": "click", "selector": ".day", "elementText": "2"},
        {"type": "click", "elementText": "More"},
        {"type": "wait", "selector": ".q"},
    ],
)
async def test_several_that_do_the_same_are_one(call: Caller, site: Site, step: dict[str, Any]) -> None:
    site.html("/x", "<p>x</p>")
    await played(call, site.html("/page", MANY), step)


@pytest.mark.nightly
async def test_candidates_can_be_used_as_they_are(call: Caller, site: Site) -> None:
    url = site.html("/page", MANY)
    text = await refused(call, url, {"type": "click", "selector": ".q"})
    selectors = re.findall(r'^- (.+?) "(?:First|Second) query"', text, re.MULTILINE)
    assert len(selectors) == 2
    titles = []
    for selector in selectors:
        again = await played(
            call, url, {"type": "click", "selector": selector}, {"type": "exec_js", "code": "document.title"}
        )
        titles += re.findall(r'returned "(\w+)"', again)
    assert titles == ["one", "two"]


@pytest.mark.parametrize(
    ("step", "nearest"),
    [
        ({"type": "click", "selector": "#btnQuerry"}, '#btnQuery "查询"'),
        nightly({"type": "click", "selector": ".js_query .old"}, '#btnQuery "查询"'),
        ({"type": "click", "elementText": "Anual report"}, '"Annual report"'),
        nightly({"type": "type", "selector": "#inputcode", "value": "x"}, "#inputCode"),
        nightly({"type": "select", "selector": "#markets", "value": "x"}, "#market"),
        ({"type": "click", "selector": "#menu"}, "#menu (not visible)"),
        nightly({"type": "wait", "selector": ".js_announcements", "ms": 100}, "js_announcement"),
        ({"type": "wait", "text": "Annual reprot", "ms": 100}, '"Annual report"'),
    ],
)
async def test_a_stale_selector_lists_what_comes_nearest(
    call: Caller, site: Site, step: dict[str, Any], nearest: str
) -> None:
    body = """<input id=inputCode placeholder=Code><button id=btnQuery class=js_query>查询</button>
    <a href=/r>Annual report</a><select id=market><option>SH</select><div class=js_announcement>none</div>
    <button id=menu style="display:none">Menu</button>""" + "".join(
        f"<a href='/n{i}'>News {i}</a>" for i in range(40)
    )
    text = await refused(call, site.html("/page", body), step)
    listed = re.findall(r"^- (.+)$", text, re.MULTILINE)
    assert 1 <= len(listed) <= 8
    assert nearest in "\n".join(listed[:3])


async def test_a_covered_element_says_what_covers_it(call: Caller, site: Site) -> None:
    body = """<button id=go>Go</button><div id=consent style="position:fixed;inset:0;background:#eee">
    <p>We use cookies</p></div>"""
    text = await refused(call, site.html("/page", body), {"type": "click", "selector": "#go"})
    assert 'it is covered by #consent "We use cookies"' in text


# --- frames and shadow DOM


async def test_elements_in_frames_and_shadow_roots_are_found(call: Caller, site: Site) -> None:
    site.html(
        "/inner",
        "<input id=code><button id=ask onclick=\"out.textContent = 'asked ' + code.value\">Ask</button><p id=out></p>",
    )
    body = """<p>Outer</p><iframe name=desk src="/inner"></iframe><my-box></my-box><script>
    customElements.define("my-box", class extends HTMLElement { constructor() { super();
      this.attachShadow({ mode: "open" }).innerHTML = "<button class=deep>Deep</button><p></p>";
      const [button, p] = this.shadowRoot.children;
      button.onclick = () => { p.textContent = "reached" };
    } });</script>"""
    text = await played(
        call,
        site.html("/page", body),
        {"type": "type", "selector": "#code", "value": "600916"},
        {"type": "click", "elementText": "Ask"},
        {"type": "wait", "text": "asked 600916"},
        {"type": "click", "selector": ".deep"},
        {"type": "wait", "selector": "#out"},
        anchor="asked 600916",
    )
    assert "[in frame desk]" in text
    assert "text that came: asked 600916" in text
    assert "text that came: reached" in text
    assert "FOUND exactly" in text


async def test_a_candidate_in_a_shadow_root_can_be_used(call: Caller, site: Site) -> None:
    body = """<my-box></my-box><script>customElements.define("my-box", class extends HTMLElement {
      constructor() { super(); this.attachShadow({ mode: "open" }).innerHTML =
      "<button class=b onclick='document.title=1'>One</button><button class=b onclick='document.title=2'>Two</button>";
    } });</script>"""
    url = site.html("/page", body)
    text = await refused(call, url, {"type": "click", "selector": ".b"})
    (selector,) = re.findall(r'^- (.+?) "Two"', text, re.MULTILINE)
    again = await played(
        call, url, {"type": "click", "selector": selector}, {"type": "exec_js", "code": "document.title"}
    )
    assert 'returned "2"' in again


# --- waiting


async def test_wait_for_a_text(call: Caller, site: Site) -> None:
    body = "<p id=p>…</p><script>setTimeout(() => { p.innerHTML = 'Total: <b>5</b> rows' }, 700)</script>"
    text = await played(
        call, site.html("/page", body), {"type": "wait", "text": "total: 5  ROWS"}, anchor="Total: 5 rows"
    )
    assert "the page shows 'total: 5 ROWS'" in text
    assert "FOUND exactly" in text


async def test_wait_for_a_response(call: Caller, site: Site, hold: threading.Event) -> None:
    def slow(path: str, body: bytes) -> Answer:
        hold.wait(0.4)
        return 200, {"content-type": "application/json"}, "{}"

    site.pages["/api/slow"] = slow
    url = site.html("/page", "<p>x</p><button id=b onclick=\"fetch('/api/slow?day=3')\">b</button>")
    waiting = {"type": "wait", "response": "/api/slow"}
    text = await played(call, url, {"type": "click", "selector": "#b"}, waiting)
    assert f"got GET {site.url}/api/slow?day=3 -> 200" in text
    text = await refused(call, url, {"type": "exec_js", "code": "fetch('/other')"}, {**waiting, "ms": 100})
    assert "no answer came whose URL holds '/api/slow'" in text
    assert f"- GET {site.url}/other -> 404" in text


@pytest.mark.nightly
async def test_wait_for_a_response_of_the_load_itself(call: Caller, site: Site) -> None:
    site.file("/api/first", "application/json", "{}")
    url = site.html("/page", "<p>x</p><script>fetch('/api/first')</script>")
    assert "got GET" in await played(call, url, {"type": "wait", "response": "/api/first"})


# --- fields


FIELDS = """<input id=mask oninput="this.value = this.value.replace(/\\D/g, '').replace(/^(\\d{4})(\\d)/, '$1-$2')">
<input id=keys><div id=rich contenteditable><b>old</b></div><input id=guarded readonly onfocus="this.readOnly = false">
<input id=fixed readonly value=2026-01-01><input id=day type=date><input id=tick type=checkbox><p id=plain>x</p>
<select id=one><option value=a>Alpha<option value=b>Beta one<option value=c disabled>Gamma</select>
<select id=some multiple><option>x<option>y<option>z</select><div style="display:none"><select id=styled><option>p<option>q</select></div>
<script>let held = "";
keys.oninput = () => { keys.value = held };
keys.onkeydown = (event) => { if (event.key.length === 1 && !event.ctrlKey) held += event.key; keys.value = held; event.preventDefault(); };
styled.onchange = () => { document.title = "styled " + styled.value };</script>"""


@pytest.mark.parametrize(
    ("step", "look", "value"),
    [
        ({"type": "type", "selector": "#mask", "value": "202502"}, "mask.value", '"2025-02"'),
        ({"type": "type", "selector": "#keys", "value": "abc"}, "keys.value", '"abc"'),
        ({"type": "type", "selector": "#rich", "value": "new words"}, "rich.innerText", '"new words"'),
        ({"type": "type", "selector": "#guarded", "value": "in"}, "guarded.value", '"in"'),
        ({"type": "type", "selector": "#day", "value": "2025-02-11"}, "day.value", '"2025-02-11"'),
        ({"type": "select", "selector": "#one", "value": "b"}, "one.value", '"b"'),
        ({"type": "select", "selector": "#one", "value": "Alpha"}, "one.value", '"a"'),
        ({"type": "select", "selector": "#one", "value": "beta"}, "one.value", '"b"'),
        ({"type": "select", "selector": "#some", "value": ["x", "z"]}, "[...some.selectedOptions].map((o) => o.text)", '["x", "z"]'),
        ({"type": "select", "selector": "#styled", "value": "q"}, "document.title", '"styled q"'),
    ],
)  # fmt: skip
async def test_fields_of_every_kind(
    call: Caller, site: Site, step: dict[str, Any], look: str, value: str
) -> None:
    text = await played(call, site.html("/page", FIELDS), step, {"type": "exec_js", "code": look})
    assert f"returned {value}" in text


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (
            {"type": "type", "selector": "#fixed", "value": "x"},
            "it is read-only (click it to open its calendar",
        ),
        ({"type": "type", "selector": "#day", "value": "11.2.2025"}, "a date is written 2025-02-11"),
        ({"type": "type", "selector": "#tick", "value": "on"}, "is a checkbox: use a click step"),
        ({"type": "type", "selector": "#one", "value": "b"}, "is a list of options: use a select step"),
        ({"type": "type", "selector": "#plain", "value": "b"}, "is no field"),
        ({"type": "select", "selector": "#one", "value": "c"}, "the option 'Gamma' is disabled"),
        ({"type": "select", "selector": "#one", "value": ["a", "b"]}, "takes one option only"),
        (
            {"type": "select", "selector": "#one", "value": "Delta"},
            "the options are 'Alpha', 'Beta one', 'Gamma'",
        ),
        ({"type": "click"}, "neither selector nor elementText is given"),
    ],
)
async def test_fields_that_cannot_be_set_say_why(
    call: Caller, site: Site, step: dict[str, Any], reason: str
) -> None:
    assert reason in await refused(call, site.html("/page", FIELDS), step)


# --- tabs and downloads


@pytest.mark.usefixtures("_patient")
async def test_a_tab_opened_late_is_followed(call: Caller, site: Site) -> None:
    site.html("/next", "<p>late tab</p>")
    url = site.html(
        "/page", "<p>x</p><button id=b onclick=\"setTimeout(() => window.open('/next'), 150)\">b</button>"
    )
    text = await played(call, url, {"type": "click", "selector": "#b"}, anchor="late tab")
    assert f"opened a new tab, where the next step goes on: {site.url}/next" in text
    assert "FOUND exactly" in text


@pytest.mark.nightly
async def test_a_tab_that_closes_itself_leads_back(call: Caller, site: Site) -> None:
    site.html("/next", "<p>in the tab</p><button id=c onclick='window.close()'>close</button>")
    url = site.html("/page", "<p>first page</p><button id=b onclick=\"window.open('/next')\">b</button>")
    text = await played(
        call,
        url,
        {"type": "click", "selector": "#b"},
        {"type": "click", "selector": "#c"},
        anchor="first page",
    )
    assert "FOUND exactly" in text


@pytest.mark.nightly
@pytest.mark.parametrize("after_ms", [0, 20, 60, 150, 400])
async def test_a_tab_that_closes_in_the_midst_of_things_leads_back(
    call: Caller, site: Site, after_ms: int
) -> None:
    closing = f"setTimeout(() => window.close(), {after_ms})"
    site.html("/next", f'<p>in the tab</p><button id=c onclick="{closing}">close</button>')
    url = site.html("/page", "<p>first page</p><button id=b onclick=\"window.open('/next')\">b</button>")
    text = await played(
        call,
        url,
        {"type": "click", "selector": "#b"},
        {"type": "click", "selector": "#c"},
        {"type": "wait", "ms": 500},
        anchor="first page",
    )
    assert "FOUND exactly" in text


async def test_a_download_beside_the_page_leaves_the_page(call: Caller, site: Site) -> None:
    site.pages["/data.csv"] = (
        200,
        {"content-type": "text/csv", "content-disposition": 'attachment; filename="data.csv"'},
        "a,b\n1,2\n",
    )
    url = site.html("/page", "<p>the page stays</p><a id=a href=/data.csv>get</a>")
    text = await played(call, url, {"type": "click", "selector": "#a"}, anchor="the page stays")
    assert f"download: {site.url}/data.csv (" in text
    assert ", 8 bytes)" in text
    assert "On the page itself: FOUND exactly" in text


# --- always the same


@pytest.mark.nightly
@pytest.mark.usefixtures("_patient")
@pytest.mark.parametrize("times", [3, nightly(8)])
async def test_the_same_steps_give_the_same_verdict(call: Caller, site: Site, times: int) -> None:
    def rates(path: str, body: bytes) -> Answer:
        day = path.rpartition("=")[2]
        return 200, {"content-type": "application/json"}, f'{{"day": "{day}", "rate": "5.{day[-2:]}"}}'

    site.pages["/api/rates"] = rates
    body = """<select id=day><option>2025-02-10<option>2025-02-11</select><button id=b>Query</button><div id=out></div>
    <script>b.onclick = () => { out.textContent = ""; setTimeout(async () => {
      const answer = await (await fetch("/api/rates?day=" + day.value)).json();
      setTimeout(() => { out.innerHTML = "<p>" + answer.day + ": " + answer.rate + "</p>" }, 90);
    }, 120) }</script>"""
    url = site.html("/page", body)
    steps = [
        {"type": "select", "selector": "#day", "value": "2025-02-11"},
        {"type": "click", "selector": "#b"},
    ]
    replies = [await played(call, url, *steps, anchor="2025-02-11: 5.11") for _ in range(times)]
    shapes = {re.sub(r"\b[0-9a-f]{8}\b|in \d+ ms", "", reply) for reply in replies}
    assert len(shapes) == 1
    assert "FOUND exactly, once" in replies[0]
    assert "text that came: 2025-02-11: 5.11" in replies[0]


_EFFECTS = {
    "fetch, read as text": "fetch('/word').then((answer) => answer.text()).then(show)",
    "fetch, read as a stream": """fetch('/word').then((answer) => answer.body.getReader().read())
      .then(({ value }) => show(new TextDecoder().decode(value)))""",
    "XMLHttpRequest": """const x = new XMLHttpRequest(); x.open('GET', '/word');
      x.onload = () => show(x.responseText); x.send()""",
    "JSONP": "const s = document.createElement('script'); s.src = '/jsonp'; document.head.append(s)",
    "two requests, one after the other": "fetch('/word').then(() => fetch('/word')).then((a) => a.text()).then(show)",
    "a request that fails first": "fetch('http://127.0.0.1:1/').catch(() => fetch('/word')).then((a) => a.text()).then(show)",
    "a channel, as React draws": """const c = new MessageChannel(); let left = 5;
      c.port1.onmessage = () => { if (--left) c.port2.postMessage(0); else show('came') };
      c.port2.postMessage(0)""",
    "a picture that has loaded": "const i = new Image(); i.onload = () => show('came'); i.src = '/picture'",
    "a digest": "crypto.subtle ? crypto.subtle.digest('SHA-256', new Uint8Array(9)).then(() => show('came')) : show('came')",
    "a file that is read": """const r = new FileReader(); r.onload = () => show(r.result);
      r.readAsText(new Blob(['came']))""",
    "a frame of the screen": "requestAnimationFrame(() => requestAnimationFrame(() => show('came')))",
    "a frame": "const f = document.createElement('iframe'); f.onload = () => show('came'); f.src = '/frame'; out.after(f)",
    "a style sheet": """const l = document.createElement('link'); l.rel = 'stylesheet'; l.href = '/sheet';
      l.onload = () => show('came'); document.head.append(l)""",
    "a page in its place": "location.href = '/came'",
    "a page a moment later": "setTimeout(() => location.assign('/came'), 30)",
}


@pytest.mark.usefixtures("_patient")
@pytest.mark.parametrize("code", _EFFECTS.values(), ids=_EFFECTS.keys())
async def test_what_a_click_brings_is_waited_for(call: Caller, site: Site, code: str) -> None:
    site.file("/word", "text/plain", "came")
    site.file("/jsonp", "text/javascript", "show('came')")
    site.file("/sheet", "text/css", "p { margin: 0 }")
    site.file(
        "/picture",
        "image/svg+xml",
        '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
    )
    site.html("/frame", "")
    site.html("/came", "<p>came</p>")
    body = f"""<button id=b>go</button><p id=out></p><script>
      const show = (text) => {{ document.getElementById("out").textContent = text }};
      b.onclick = () => {{ {code} }}</script>"""
    url = site.html("/page", body)
    text = await played(call, url, {"type": "click", "selector": "#b"}, anchor="came")
    assert "FOUND exactly" in text
    assert "text that came: came" in text


# --- the cases


def _reference_steps() -> list[Any]:
    found = []
    for path in sorted((REPOSITORY / "cases").glob("*.json")):
        for call in json.loads(path.read_text(encoding="utf-8"))["oracle"]["steps"]:
            arguments = call.get("arguments", {})
            if arguments.get("action_steps"):
                found.append(pytest.param(arguments, id=path.stem))
    return found


@pytest.mark.nightly
@pytest.mark.parametrize("arguments", _reference_steps())
async def test_the_steps_of_the_cases_name_one_element_each(
    offline_settings: Settings, offline_web: Web, offline_browser: Browser, arguments: dict[str, Any]
) -> None:
    """What citing does with the first match, the stricter tool does too."""
    call = Caller(offline_settings, offline_web, offline_browser)
    await played(call, arguments["source_url"], *arguments["action_steps"])
