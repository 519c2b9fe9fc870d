"""Fixtures for tests in a real Chromium: a site on loopback, and the committed replicas.

``site`` is empty; a test fills ``site.pages`` and opens ``site.url``. ``live_web`` and ``browser``
reach nothing but loopback; ``offline_web`` and ``offline_browser`` nothing but the archives.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TypeAlias

import pytest
import pytest_asyncio
from playwright.async_api import Browser as Chromium
from playwright.async_api import expect

from verifaible.browser import warm
from verifaible.browser.page import session, watched
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.net.web import Web

HERE = Path(__file__).parent
REPOSITORY = Path(__file__).resolve().parents[2]

#: What comes true is waited for so long: no test fails because the machine is busy.
PATIENCE_S = 120.0
expect.set_options(timeout=1000 * PATIENCE_S)

#: Status, headers, body.
Answer: TypeAlias = tuple[int, Mapping[str, str], bytes | str]
#: An answer, or a function of the path with its query and the body of the request.
Page: TypeAlias = Answer | Callable[[str, bytes], Answer]


@dataclass
class Site:
    """A web server on loopback.

    ``pages`` maps a path, with or without a query, to its answer; a path with its query is looked
    up first. ``seen`` lists the requests as "METHOD path". Everything else answers 404.
    """

    url: str = ""
    pages: dict[str, Page] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)

    def html(self, path: str, body: str, title: str = "Test page") -> str:
        """Add an HTML page and return its URL."""
        document = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>{body}</html>'
        self.pages[path] = (200, {"content-type": "text/html; charset=utf-8"}, document)
        return self.url + path

    def file(self, path: str, content_type: str, body: bytes | str) -> str:
        """Add any other file and return its URL."""
        self.pages[path] = (200, {"content-type": content_type}, body)
        return self.url + path


@contextmanager
def serving() -> Iterator[Site]:
    """A fresh, empty site, as long as it is wanted."""
    served = Site()

    class Handler(BaseHTTPRequestHandler):
        def _serve(self) -> None:
            sent = self.rfile.read(int(self.headers.get("content-length") or 0))
            served.seen.append(f"{self.command} {self.path}")
            page = served.pages.get(self.path) or served.pages.get(self.path.partition("?")[0])
            answer = page(self.path, sent) if callable(page) else page
            status, headers, body = answer or (404, {"content-type": "text/plain"}, "no such page")
            payload = body.encode() if isinstance(body, str) else body
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(payload)))
            with suppress(ConnectionError):  # a browser may leave before it has read everything
                self.end_headers()
                self.wfile.write(payload)

        do_GET = do_POST = do_HEAD = _serve

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def site() -> Iterator[Site]:
    """A fresh, empty site."""
    with serving() as served:
        yield served


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a busy machine does late is done all the same; a test of such a limit sets its own."""
    for module, name in ((session, "SAID_WAIT_S"), (warm, "DEATH_WAIT_S")):
        monkeypatch.setattr(module, name, PATIENCE_S)


@pytest.fixture
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page on loopback whose words are all there at once needs no patience."""
    monkeypatch.setattr(watched, "QUIET_MS_LIVE", 80)


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings with a home of their own, in which loopback may be opened."""
    return Settings(
        home=tmp_path_factory.mktemp("home"),
        allow_hosts=("127.0.0.1", "localhost"),
        page_timeout_s=PATIENCE_S,
        settle_timeout_s=20,
    )


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser(settings: Settings) -> AsyncIterator[Browser]:
    """A warm browser for ``live_web``."""
    async with Browser(settings, offline=False) as warm:
        yield warm


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def whole_browser(settings: Settings) -> AsyncIterator[Browser]:
    """A warm browser for ``live_web`` as people have it; the headless shell says what it is."""
    whole = settings.model_copy(update={"headless": "full"})
    async with Browser(whole, offline=False) as warm:
        headers = dict(await warm.request_headers(Web.live(whole)))
        if "Headless" in headers.get("sec-ch-ua", ""):
            pytest.skip("there is no whole Chromium, only the headless shell: apt-get install chromium")
        yield warm


@pytest.fixture(scope="session")
def live_web(settings: Settings) -> Web:
    """The live web, of which only loopback is used."""
    return Web.live(settings)


@pytest.fixture(scope="session")
def offline_settings() -> Settings:
    """Settings whose home is the repository."""
    return Settings(home=REPOSITORY)


@pytest.fixture(scope="session")
def offline_web(offline_settings: Settings) -> Web:
    """The committed replicas in ``snapshots/sites``."""
    return Web.offline(offline_settings)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def offline_browser(offline_settings: Settings) -> AsyncIterator[Browser]:
    """A warm browser for ``offline_web``."""
    async with Browser(offline_settings, offline=True) as warm:
        yield warm


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium() -> AsyncIterator[Chromium]:
    """A reader's Chromium, for the pages of the viewer."""
    from tests.browser.viewers import reading  # loads the server, which most files do without

    async with reading() as opened:
        yield opened
