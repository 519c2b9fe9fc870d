"""How many of a page's endpoints analyze_page finds: every way to ask, at load and by a step."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic
from typing import Any

import pytest
import pytest_asyncio

from tests.browser.conftest import Site, serving
from tests.browser.toolboxes import Caller
from tests.kit import suites
from verifaible.browser.analysis.analyze import Analysis, analyze
from verifaible.browser.analysis.data_requests import DataRequest
from verifaible.browser.steps.playing import play
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.net.web import Web
from verifaible.schema.action import Click

ROWS = suites.load("endpoints")
#: Method, path pattern, kind: all that the page asks for, at load and by a click.
WANTED = {(row.expect["method"], row.expect["path"], row.expect["kind"]) for row in ROWS}


@pytest.fixture
def page(site: Site) -> str:
    return fill(site)


def fill(site: Site) -> str:
    """Serve the fixture page with all it asks for; its URL."""
    for answer in [each for row in ROWS for each in row.input["answers"]]:
        headers = {"content-type": answer["type"]} if "type" in answer else {}
        body = read(answer["file"]) if "file" in answer else answer["body"]
        site.pages[answer["path"]] = (answer.get("status", 200), headers, body)
    site.file("/static/app.js", "application/javascript", "function unused() { return 1; }")
    return site.html("/prices", read(ROWS[0].input["file"]), "Prices")


def read(name: str) -> str:
    return (suites.ROOT / name).read_text(encoding="utf-8")


def path_of(one: DataRequest) -> str:
    return "/" + one.pattern.split("/", 3)[3]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def analysis(live_web: Web, browser: Browser) -> Analysis:
    """The page from before it was loaded until its buttons were clicked."""
    with serving() as site:
        async with browser.page(live_web) as session:
            await session.open(fill(site))
            starts = []
            for name in ("#one", "#two", "#three"):
                starts.append(monotonic())
                await play(session, [Click(type="click", selector=name)])
            return await analyze(session, starts)


def test_endpoints_at_load_and_by_click(analysis: Analysis) -> None:
    found = {(one.method, path_of(one), one.kind): one for one in analysis.requests}
    assert set(found) == WANTED, "all of them are found; what only dresses the page is no endpoint"
    for row in ROWS:
        one = found[(row.expect["method"], row.expect["path"], row.expect["kind"])]
        assert one.when == row.expect.get("when", one.when), row.id


def test_what_requests_send_and_get(analysis: Analysis) -> None:
    for row in [each for each in ROWS if "requests" in each.expect]:
        where = (row.expect["method"], row.expect["path"])
        found = [one for one in analysis.requests if (one.method, path_of(one)) == where]
        for expected, one in zip(row.expect["requests"], found, strict=True):
            seen = one.model_dump(mode="json")
            assert all(fits(value, seen[name]) for name, value in expected.items()), (row.id, seen)


def fits(expected: Any, seen: Any) -> bool:
    """Strings are patterns of the whole, also in lists; the rest is equal."""
    if isinstance(expected, list):
        return len(expected) == len(seen) and all(map(fits, expected, seen))
    return bool(re.fullmatch(expected, seen, re.DOTALL)) if isinstance(expected, str) else expected == seen


async def test_summary_of_a_busy_page_keeps_to_its_tokens(
    page: str, settings: Settings, live_web: Web, browser: Browser
) -> None:
    from verifaible.tools.analyze_page import token_estimate

    call = Caller(settings, live_web, browser)
    text = (await call("analyze_page", url=page)).text
    assert token_estimate(text) <= 2_000
    assert 'section="requests"' in text, "the rest is to be had"
    whole = ""
    offset = 0
    for _ in range(20):
        part = (await call("analyze_page", url=page, section="requests", offset=offset)).text
        whole += part
        if "Next part: offset=" not in part:
            break
        offset = int(part.rpartition("Next part: offset=")[2].split(".")[0])
    for row in suites.load("endpoints", kind="load"):
        assert row.expect["path"] in whole, row.id


class Stream:
    """An event stream that sends two events and then stays open until it is closed."""

    def __init__(self) -> None:
        self.end = threading.Event()
        stream = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("access-control-allow-origin", "*")
                self.end_headers()
                self.wfile.write(b'data: {"price": 91.25}\n\ndata: {"price": 91.5}\n\n')
                self.wfile.flush()
                stream.end.wait(30)

            def log_message(self, *_: object) -> None:
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/ticks"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()


@pytest.fixture
def stream() -> Iterator[Stream]:
    opened = Stream()
    yield opened
    opened.end.set()
    opened.server.shutdown()
    opened.server.server_close()


@pytest.mark.nightly
async def test_event_stream_that_stays_open(
    site: Site, stream: Stream, settings: Settings, live_web: Web, browser: Browser
) -> None:
    url = site.html(
        "/live",
        f'<p id="p">-</p><script>new EventSource("{stream.url}").onmessage = (event) => {{ p.textContent = event.data; }};</script>',
    )
    text = (await Caller(settings, live_web, browser)("analyze_page", url=url)).text
    assert f"GET {stream.url} -> 200, text/event-stream" in text
    assert ", SSE" in text
    assert 'answer: {"price": 91.25}' in text


@pytest.mark.nightly
async def test_answer_of_many_reports_at_one_address(site: Site, live_web: Web, browser: Browser) -> None:
    """A word that names a report keeps calls apart; many such words become one entry."""
    script = "for (const r of ['RATES', 'YIELDS']) fetch('/q?report=' + r + '&page=1');"
    many = "for (let n = 0; n < 9; n++) fetch('/p?city=' + 'abcdefghi'[n].repeat(3));"
    for path in ("/q", "/p"):
        site.file(path, "application/json", "[]")
    url = site.html("/reports", f"<p>Reports</p><script>{script}{many}</script>")
    async with browser.page(live_web) as session:
        await session.open(url)
        analysis = await analyze(session)
    assert [dict(one.parameters)["report"] for one in analysis.requests if path_of(one) == "/q"] == [
        "RATES",
        "YIELDS",
    ]
    (cities,) = [one for one in analysis.requests if path_of(one) == "/p"]
    assert (cities.calls, len(dict(cities.values)["city"])) == (9, 9)
