"""Action steps in a real Chromium: what each returns, and what each failure says."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest
from pydantic import TypeAdapter

from tests.browser.conftest import Site
from tests.browser.shown import field_values, shown_text
from verifaible.browser.page import watched
from verifaible.browser.page.session import PageSession
from verifaible.browser.steps import playing
from verifaible.browser.steps import step as stepping
from verifaible.browser.warm import Browser
from verifaible.errors import StepFailed
from verifaible.net.web import Web
from verifaible.schema.action import ActionStep, StepResult

STEPS: TypeAdapter[list[ActionStep]] = TypeAdapter(list[ActionStep])

FORM = """
<button id="go" onclick="document.title = 'clicked'">Go on</button>
<button id="unseen" style="display:none">Unseen</button>
<div style="position:relative;height:40px"><button id="below">Below</button>
<div style="position:absolute;inset:0;background:#fff"></div></div>
<input id="name" onkeydown="if (event.key === 'Enter') document.title = 'sent ' + this.value">
<input id="fixed" readonly value="2026-01-01"><input id="off" disabled>
<select id="market"><option value="sh">Shanghai</option><option value="sz">Shenzhen</option></select>
<ul><li class="item">first</li><li class="item">second</li></ul>
<div id="box" style="height:50px;overflow:auto"><div style="height:900px">tall</div></div>
<div style="height:3000px"></div>
<script>for (const item of document.querySelectorAll(".item")) item.onclick = () => document.title = item.textContent;
</script>
"""


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page on loopback needs no patience."""
    monkeypatch.setattr(watched, "QUIET_MS_LIVE", 80)


async def play(session: PageSession, *steps: dict[str, Any]) -> tuple[StepResult, ...]:
    return await playing.play(session, STEPS.validate_python(list(steps)))


@pytest.fixture
def form(site: Site) -> str:
    return site.html("/form", FORM)


@pytest.mark.parametrize(
    ("step", "title"),
    [
        ({"type": "click", "selector": "#go"}, "clicked"),
        ({"type": "click", "elementText": "Go on"}, "clicked"),
        ({"type": "click", "selector": ".item", "elementText": "second"}, "second"),
        ({"type": "type", "selector": "#name", "value": "郑州", "submit": True}, "sent 郑州"),
    ],
)
async def test_click_and_type(
    form: str, browser: Browser, live_web: Web, step: dict[str, Any], title: str
) -> None:
    async with browser.page(live_web) as session:
        await session.open(form)
        (result,) = await play(session, step)
        assert await session.title() == title
    assert (result.index, result.type, result.value) == (1, step["type"], "")


@pytest.mark.parametrize("value", ["sz", "Shenzhen"])
async def test_select(form: str, browser: Browser, live_web: Web, value: str) -> None:
    async with browser.page(live_web) as session:
        await session.open(form)
        await play(session, {"type": "select", "selector": "#market", "value": value})
        assert await field_values(session) == ["2026-01-01", "sz"]


async def test_scroll(form: str, browser: Browser, live_web: Web) -> None:
    async with browser.page(live_web) as session:
        await session.open(form)
        position = {"type": "exec_js", "code": "[scrollY, document.querySelector('#box').scrollTop]"}
        results = await play(
            session,
            {"type": "scroll", "amount": 300},
            position,
            {"type": "scroll", "direction": "up", "amount": 100},
            position,
            {"type": "scroll", "selector": "#box", "direction": "bottom"},
            position,
            {"type": "scroll", "direction": "top"},
            position,
        )
    values = [json.loads(result.value) for result in results if result.value]
    assert values == [[300, 0], [200, 0], [200, 850], [0, 850]]


async def test_wait_for_what_comes_later(site: Site, browser: Browser, live_web: Web) -> None:
    url = site.html(
        "/later", "<script>setTimeout(() => document.body.innerHTML = '<p id=p>here</p>', 900)</script>"
    )
    async with browser.page(live_web) as session:
        await session.open(url)
        await play(session, {"type": "wait", "selector": "#p"}, {"type": "wait", "ms": 1})
        assert await shown_text(session) == "here"


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        ({"type": "click", "selector": "#nothing"}, "no element matches #nothing"),
        ({"type": "click", "elementText": "Nowhere"}, "no visible element with the text 'Nowhere'"),
        ({"type": "click", "selector": "#unseen"}, "1 element(s) match #unseen, none of them visible"),
        ({"type": "click", "selector": ".item", "elementText": "third"}, "third"),
        ({"type": "click", "selector": "#below"}, "cannot be used (covered, disabled, or read-only)"),
        ({"type": "click", "selector": "p:::"}, "while parsing css selector"),
        (
            {"type": "type", "selector": "#fixed", "value": "x"},
            "cannot be used (covered, disabled, or read-only)",
        ),
        (
            {"type": "type", "selector": "#off", "value": "x"},
            "cannot be used (covered, disabled, or read-only)",
        ),
        ({"type": "type", "selector": "#nothing", "value": "x"}, "no element matches #nothing"),
        (
            {"type": "select", "selector": "#market", "value": "Beijing"},
            "the options are 'Shanghai', 'Shenzhen'",
        ),
        ({"type": "select", "selector": "#name", "value": "x"}, "is not a <select>"),
        ({"type": "select", "selector": "#nothing", "value": "x"}, "no element matches #nothing"),
        ({"type": "scroll", "selector": "#nothing"}, "no element matches '#nothing'"),
        ({"type": "wait", "selector": "#nothing", "ms": 200}, "no element matches #nothing"),
        ({"type": "wait", "selector": "#unseen", "ms": 200}, "none of them visible"),
        (
            {"type": "exec_js", "code": "throw new Error('out of order')"},
            "the script threw Error: out of order",
        ),
        ({"type": "exec_js", "code": "nothing.here"}, "ReferenceError: nothing is not defined"),
        ({"type": "exec_js", "code": "let x = ;"}, "SyntaxError"),
        ({"type": "exec_js", "code": "await Promise.reject(new Error('no'))"}, "the script threw Error: no"),
        ({"type": "exec_js", "code": "throw 'a word'"}, "the script threw a word"),
    ],
)
async def test_failures_say_why(
    form: str,
    browser: Browser,
    live_web: Web,
    monkeypatch: pytest.MonkeyPatch,
    step: dict[str, Any],
    reason: str,
) -> None:
    monkeypatch.setattr(stepping, "ELEMENT_TIMEOUT_MS", 400)
    async with browser.page(live_web) as session:
        await session.open(form)
        with pytest.raises(StepFailed) as caught:
            await play(session, {"type": "scroll", "amount": 0}, step)
    assert caught.value.index == 2
    assert caught.value.step_type == step["type"]
    assert reason in caught.value.reason
    assert str(caught.value).startswith(f"Step 2 ({step['type']}) failed: ")
    assert str(caught.value).endswith("send the whole list again.")
    assert ".." not in str(caught.value)


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("1 + 1", "2"),
        ("'郑州'", '"郑州"'),
        ("const a = 2; let b = 3; a * b", "6"),
        ("await Promise.resolve([1, 2])", "[1, 2]"),
        ("await new Promise((done) => setTimeout(() => done({a: 1}), 20))", '{"a": 1}'),
        ("return 7", "7"),
        ("if (true) { return await Promise.resolve('x') }", '"x"'),
        ("({a: 1, b: [null, true]})", '{"a": 1, "b": [null, true]}'),
        ("Promise.resolve(5)", "5"),
        ("(async () => { return [1] })()", "[1]"),
        ("new Map([[1, 2]])", '"Map(1)"'),
        ("undefined", ""),
        ("const nothing = 1;", ""),
        ("null", "null"),
        ("10n ** 20n", '"100000000000000000000n"'),
        ("NaN", '"NaN"'),
        ("-Infinity", '"-Infinity"'),
        ("document.querySelector('#go')", '"button#go"'),
        ("const o = {n: 1}; o.self = o; o", '"Object"'),
        ("({big: 1n})", '"Object"'),
        ("Symbol('s')", '"Symbol(s)"'),
        ("new Error('value, not thrown')", None),
        ("() => 5", '"() => 5"'),
        ("(() => 5)()", "5"),
        ("[...document.querySelectorAll('.item')].map((item) => item.textContent)", '["first", "second"]'),
        ("'x'.repeat(200000).length", "200000"),
    ],
)
async def test_exec_js_values(
    form: str, browser: Browser, live_web: Web, code: str, value: str | None
) -> None:
    async with browser.page(live_web) as session:
        await session.open(form)
        (result,) = await play(session, {"type": "exec_js", "code": code})
    if value is None:
        assert "value, not thrown" in json.loads(result.value)
    else:
        assert result.value == value


async def test_exec_js_is_not_held_up_by_a_content_security_policy(
    site: Site, browser: Browser, live_web: Web
) -> None:
    site.pages["/strict"] = (
        200,
        {"content-type": "text/html", "content-security-policy": "default-src 'none'; script-src 'none'"},
        "<p>strict</p>",
    )
    async with browser.page(live_web) as session:
        await session.open(f"{site.url}/strict")
        (result,) = await play(session, {"type": "exec_js", "code": "document.body.innerText"})
    assert json.loads(result.value) == "strict"


@pytest.mark.parametrize(
    "code",
    [
        "while (true) {}",
        "setInterval(Date, 9); await new Promise(() => {})",
        "await (async () => { for (;;) {} })()",
    ],
)
async def test_an_endless_script_is_given_up(
    form: str, browser: Browser, live_web: Web, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    monkeypatch.setattr(stepping, "EXEC_TIMEOUT_S", 1.0)
    async with browser.page(live_web) as session:
        await session.open(form)
        with pytest.raises(StepFailed, match="did not finish within 1 s"):
            await play(session, {"type": "exec_js", "code": code})


@pytest.mark.parametrize(
    "code", ["location.href = '/next'", "location.assign('/next'); await new Promise(() => {})"]
)
async def test_exec_js_may_navigate(
    site: Site, form: str, browser: Browser, live_web: Web, code: str
) -> None:
    site.html("/next", "<p>the next page</p>")
    async with browser.page(live_web) as session:
        await session.open(form)
        await play(session, {"type": "exec_js", "code": code})
        assert session.page.url == f"{site.url}/next"
        assert await shown_text(session) == "the next page"


@pytest.mark.parametrize(
    "link",
    [
        '<a id="a" href="/next" target="_blank">open</a>',
        '<a id="a" href="#" onclick="window.open(\'/next\'); return false">open</a>',
    ],
)
async def test_a_new_tab_is_followed(site: Site, browser: Browser, live_web: Web, link: str) -> None:
    site.html("/next", "<p>in the new tab</p>")
    async with browser.page(live_web) as session:
        await session.open(site.html("/start", link))
        await play(session, {"type": "click", "selector": "#a"}, {"type": "exec_js", "code": "1"})
        assert session.page.url == f"{site.url}/next"
        assert await shown_text(session) == "in the new tab"
    urls = [exchange.request.url for exchange in session.traffic.exchanges]
    assert f"{site.url}/next" in urls


async def test_a_file_that_a_click_downloads_is_kept(site: Site, browser: Browser, live_web: Web) -> None:
    site.pages["/data.pdf"] = (
        200,
        {"content-type": "application/pdf", "content-disposition": 'attachment; filename="data.pdf"'},
        b"%PDF-1.4 bytes",
    )
    async with browser.page(live_web) as session:
        await session.open(site.html("/start", '<a id="a" href="/data.pdf">get</a>'))
        await play(session, {"type": "click", "selector": "#a"})
        document = await session.document()
    assert document is not None
    assert (document.url, document.media_type, document.body) == (
        f"{site.url}/data.pdf",
        "application/pdf",
        b"%PDF-1.4 bytes",
    )


async def test_nothing_leaks_from_one_call_to_the_next(site: Site, browser: Browser, live_web: Web) -> None:
    def page(path: str, body: bytes) -> tuple[int, dict[str, str], str]:
        return 200, {"content-type": "text/html", "set-cookie": "seen=1; path=/"}, "<p>state</p>"

    site.pages["/state"] = page
    look = "[document.cookie, localStorage.a || '', sessionStorage.b || '', typeof globalThis.mark]"
    seen: list[list[str]] = []
    for _ in range(2):
        async with browser.page(live_web) as session:
            await session.open(f"{site.url}/state")
            (first, _, last) = await play(
                session,
                {"type": "exec_js", "code": look},
                {"type": "exec_js", "code": "localStorage.a = sessionStorage.b = 1; globalThis.mark = 1"},
                {"type": "exec_js", "code": look},
            )
            seen.append(json.loads(first.value))
            assert json.loads(last.value) == ["seen=1", "1", "1", "number"]
    assert seen == [["seen=1", "", "", "undefined"]] * 2
    cookies = _cookie_headers(session.traffic.exchanges)
    assert cookies == [""]


def _cookie_headers(exchanges: Iterable[Any]) -> list[str]:
    return [
        dict(exchange.request.headers).get("cookie", "")
        for exchange in exchanges
        if exchange.request.url.endswith("/state")
    ]
