"""The text of captured pages in the viewer, in a real Chromium: hostile ones do nothing, and the evidence is
marked."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Browser as Chromium
from playwright.async_api import BrowserContext, Frame, Page, async_playwright
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Mount, Route

from tests.browser.citing import Bench
from tests.browser.conftest import Site
from tests.browser.malicious.attacks import ATTACKS, KINDS, QUOTE, Attack
from tests.browser.malicious.captures import add_hostile
from tests.browser.malicious.trap import Trap, set_trap
from tests.kit.marks import nightly
from verifaible.access import POLICY, ViewerAccess
from verifaible.browser.chromium.launch import ARGUMENTS, find_browser
from verifaible.browser.warm import Browser
from verifaible.client import Verifaible
from verifaible.config import Settings
from verifaible.evidence.report import steps_of
from verifaible.evidence.verify import verify
from verifaible.net.web import Web
from verifaible.store.store import Store
from verifaible.viewer.capture_files import capture_routes
from verifaible.viewer.respond import Viewer

pytestmark = pytest.mark.usefixtures("no_patience")

#: How long the control waits for what must happen.
PATIENCE_S = 60.0
_LOOK_S = 0.02
_AT_ONCE = 6
_SEEN = (
    "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"
)
_VIEWER = (
    "<!doctype html><html lang=en><title>Viewer</title><h1 id=ours>Ours</h1><button id=button>Press</button>"
    "<iframe sandbox referrerpolicy=no-referrer width=760 height=420 "
    "src='/captured/{id}/text#evidence'>"
    "</iframe></html>"
)


@dataclass
class House:
    """A viewer on loopback over a store of attacks."""

    url: str
    store: Store
    trap: Trap
    _ids: dict[str, str] = field(default_factory=dict)

    def cited(self, name: str) -> str:
        """The citation of an attack, made when it is first asked for."""
        if name not in self._ids:
            attack = next(each for each in ATTACKS if each.name == name)
            held = add_hostile(self.store, attack, self.trap.run(name), self.trap.load(name))
            self._ids[name] = held.id
        return self._ids[name]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def chromium(settings: Settings) -> AsyncIterator[Chromium]:
    """A Chromium that may reach all of loopback."""
    async with async_playwright() as playwright:
        found = find_browser(settings, playwright.chromium.executable_path)
        sandboxed = os.name == "posix" and os.geteuid() != 0
        browser = await playwright.chromium.launch(
            executable_path=found.path, args=list(ARGUMENTS), chromium_sandbox=sandboxed
        )
        yield browser
        await browser.close()


@asynccontextmanager
async def _served(app: Starlette) -> AsyncIterator[str]:
    """An application on loopback; gives its address."""
    import uvicorn

    server = uvicorn.Server(
        uvicorn.Config(app, host="127.0.0.1", port=0, log_level="critical", lifespan="off")
    )
    running = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - it has nothing to wait for
        await asyncio.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    await running


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    """The viewer, its store, and the trap."""
    store = Store(tmp_path_factory.mktemp("hostile"))

    async def viewer(request: Request) -> HTMLResponse:
        # No page of the viewer has a frame; this one does, to see that even so nothing happens.
        policy = {"Content-Security-Policy": f"{POLICY}; frame-src 'self'"}
        return HTMLResponse(_VIEWER.replace("{id}", request.path_params["id"]), headers=policy)

    app = Starlette(
        routes=[
            Mount("/captured", routes=capture_routes()),
            Route("/view/{id}", viewer),
        ],
        middleware=[Middleware(ViewerAccess)],
    )
    app.state.viewer = Viewer(Settings(), store, Verifaible(Settings()))
    async with set_trap() as trap, _served(app) as url:
        yield House(url, store, trap)
    store.close()


class Watched:
    """A context whose every sign of life is kept."""

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self.requests: list[str] = []
        self.signs: list[str] = []
        context.on("request", lambda request: self.requests.append(request.url))
        context.on("dialog", lambda dialog: self.signs.append(f"dialog {dialog.message}"))
        context.on("weberror", lambda error: self.signs.append(f"error {error.error}"))
        context.on("download", lambda download: self.signs.append(f"download {download.url}"))

    async def open(self, url: str) -> Page:
        """A page, loaded."""
        page = await self.context.new_page()
        page.on("popup", lambda popup: self.signs.append(f"popup {popup.url}"))
        await page.goto(url)
        return page

    async def close(self) -> None:
        """Close every page, and forget what was seen."""
        for page in self.context.pages:
            await page.close()
        self.requests.clear()
        self.signs.clear()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def shared(chromium: Chromium) -> AsyncIterator[Watched]:
    """One context for all attacks: a new one for each takes longer than the attack."""
    async with await chromium.new_context() as context:
        yield Watched(context)


@pytest_asyncio.fixture(loop_scope="session")
async def watched(shared: Watched) -> AsyncIterator[Watched]:
    """That context, without pages."""
    yield shared
    await shared.close()


async def _settled(page: Page) -> None:
    """Past what a page does by itself in its next frames, and past one round trip to the browser."""
    for _ in range(3):
        await page.evaluate(_SEEN)


async def _poke(where: Page | Frame) -> None:
    """Click on whatever the attack wants to be clicked on."""
    poke = where.locator("[data-poke]")
    for index in range(await poke.count()):
        await poke.nth(index).click(force=True, no_wait_after=True)


@pytest.mark.parametrize(
    "attack",
    [nightly(attack) if place % 16 else attack for kind in KINDS for place, attack in enumerate(kind)],
    ids=lambda attack: attack.name,
)
async def test_attack_does_nothing(watched: Watched, house: House, attack: Attack) -> None:
    name = house.cited(attack.name)
    address = f"{house.url}/captured/{name}/text"
    page = await watched.open(f"{house.url}/view/{name}")
    frame = page.frames[1]
    assert frame.url.partition("#")[0] == address
    await _poke(frame)
    await _settled(page)
    # The viewer is as it was, and the frame shows what it did.
    assert page.url == f"{house.url}/view/{name}"
    assert await page.title() == "Viewer"
    assert await page.inner_text("#ours") == "Ours"
    await page.click("#button", trial=True)
    assert len(page.frames) == 2
    assert frame.url.partition("#")[0] == address
    marked = frame.locator("#evidence")
    assert await marked.all_inner_texts() == [QUOTE]
    assert await marked.is_visible()
    # In a tab of its own it does as little.
    alone = await watched.open(f"{address}#evidence")
    await _poke(alone)
    await _settled(page)
    assert alone.url.partition("#")[0] == address
    assert watched.signs == []
    assert len(watched.context.pages) == 2
    loaded = [url for url in watched.requests if not url.startswith("data:")]
    assert loaded == [page.url, address, address]
    assert house.trap.seen == []


async def test_nothing_reached_the_trap(house: House) -> None:
    # After all of the attacks: what was put off had time to come.
    assert house.trap.seen == []
    assert house.trap.connections == 0


@pytest.mark.parametrize(
    "path",
    [
        "../../../../etc/passwd",
        "..%2f..%2f..%2fetc%2fpasswd/text",
        "%2e%2e/text",
        "%00/text",
        "<script>alert(1)</script>/text",
        "%3Cimg%20src=x%20onerror=alert(1)%3E/text",
        "{id}/picture/2",
        "{id}/picture/..%2f..%2fx",
        "{id}/pdf/..%2f..%2fpage.png",
        "{id}/pdf/0.png",
        "{id}/pdf/-1.png",
        "{id}/pdf/" + "9" * 5000 + ".png",
        "{id}/pdf/1.png",
        "{id}/pdf/1e9.png",
        "{id}/image",
        "{id}/dom.html",
        "{id}/text/../../../x",
    ],
)
async def test_a_hostile_address_finds_nothing(house: House, path: str) -> None:
    answer = await _raw(house, "/captured/" + path.replace("{id}", house.cited("script")))
    head, _, body = answer.partition(b"\r\n\r\n")
    lines = head.decode().lower().split("\r\n")
    assert lines[0].split()[1] == "404"
    assert "content-type: text/plain; charset=utf-8" in lines
    assert "x-content-type-options: nosniff" in lines
    assert any(
        line.startswith("content-security-policy: ") and "default-src 'none'" in line for line in lines
    )
    assert b"root:" not in body


async def _raw(house: House, path: str) -> bytes:
    """The answer to a path that no client has tidied."""
    parts = urlsplit(house.url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    writer.write(f"GET {path} HTTP/1.1\r\nhost: {parts.netloc}\r\nconnection: close\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    return answer


async def test_what_every_answer_says(house: House, watched: Watched) -> None:
    name = house.cited("held-svg")
    kinds = {"text": "text/html; charset=utf-8", "picture/1": "image/webp"}
    for part, kind in kinds.items():
        answer = await watched.context.request.get(f"{house.url}/captured/{name}/{part}")
        said = answer.headers
        assert answer.status == 200
        assert said["content-type"] == kind
        policy = said["content-security-policy"]
        assert policy.startswith("sandbox; default-src 'none'; ")
        for rule in ("form-action 'none'", "base-uri 'none'", "frame-ancestors 'self'"):
            assert rule in policy.split("; ")
        assert "allow-" not in policy
        assert "http" not in policy
        assert "'self'" not in policy.replace("frame-ancestors 'self'", "")
        assert said["cross-origin-resource-policy"] == "same-origin"
        assert said["referrer-policy"] == "no-referrer"
        assert said["x-content-type-options"] == "nosniff"
        assert said["cache-control"].startswith("private, ")
        assert said["cache-control"].endswith(", immutable")
        assert said["content-disposition"].startswith(f'inline; filename="verifaible-{name}-')
        assert "camera=()" in said["permissions-policy"]


async def test_the_capture_is_downloaded_as_it_was_sealed(house: House, watched: Watched) -> None:
    citation = house.store.get(house.cited("script"))
    answer = await watched.context.request.get(f"{house.url}/captured/{citation.id}/capture.wacz")
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"] == f'attachment; filename="verifaible-{citation.id}.wacz"'
    assert hashlib.sha256(await answer.body()).hexdigest() == citation.capture.sha256


@pytest.mark.nightly
async def test_attacks_work_without_protection(chromium: Chromium) -> None:
    """The control: in an unprotected page the same vectors fire, so that the suite can fail."""
    armed = [attack for attack in ATTACKS if attack.fires]
    assert len(armed) >= 40
    async with set_trap() as trap:
        for attack in armed:
            trap.pages[f"/unprotected/{attack.name}"] = attack.markup(
                trap.run(attack.name), trap.load(attack.name)
            )
        fell: list[bool] = []
        for start in range(0, len(armed), _AT_ONCE):
            async with await chromium.new_context() as context:
                some = armed[start : start + _AT_ONCE]
                fell += await asyncio.gather(*(_falls_for(context, trap, attack) for attack in some))
    assert [attack.name for attack, fallen in zip(armed, fell, strict=True) if not fallen] == []


async def _falls_for(context: BrowserContext, trap: Trap, attack: Attack) -> bool:
    def caught() -> bool:
        return any(seen.partition("?")[0] == f"/caught/{attack.name}" for seen in trap.seen)

    page = await context.new_page()
    await page.goto(f"{trap.url}/unprotected/{attack.name}", wait_until="commit")
    if attack.click:
        await page.locator("[data-poke]").first.click(force=True, no_wait_after=True)
    waited = 0.0
    while not caught() and waited < PATIENCE_S:
        await asyncio.sleep(_LOOK_S)
        waited += _LOOK_S
    return caught()


# --- steps

_FORM = """<p id=said>Nothing yet.</p><button onclick="document.getElementById('said').textContent =
 'The rate was 5.33% in February.'">Show</button>"""
_PLAYED: list[dict[str, object]] = [
    {"type": "exec_js", "code": "6 * 7"},
    {"type": "click", "elementText": "Show"},
]


async def test_the_steps_are_kept_with_what_they_returned(
    site: Site, tmp_path: Path, settings: Settings, live_web: Web, browser: Browser
) -> None:
    bench = Bench(tmp_path, settings, live_web, browser)
    url = site.html("/form", _FORM)
    citation = await bench.cite(url, _PLAYED, quote=QUOTE)
    with bench.store.open_capture(citation) as reader:
        kept = json.loads(reader.read("evidence/steps.json"))
        assert [(each["step"]["type"], each["result"]["value"]) for each in kept] == [
            ("exec_js", "42"),
            ("click", ""),
        ]
        shown = steps_of(citation, reader)
    assert [(step.words, step.code, step.value) for step in shown] == [
        ("Ran a script in the page", "6 * 7", "42"),
        ("Clicked “Show”", "", ""),
    ]
    # The same page again shares the capture.
    again = await bench.cite(url, _PLAYED, quote="rate was 5.33%")
    assert again.capture == citation.capture
    assert verify(citation, bench.store).check.verdict == "verified"
