"""Citations of pages that are filled over connections that stay open: sealed, and replayed without a network."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.browser.citing import Bench
from tests.browser.conftest import PATIENCE_S
from tests.browser.shown import shown_text
from tests.servers.stream_server import StreamServer, stream_server
from verifaible.archive.lookup import Archive
from verifaible.browser.analysis.analyze import analyze
from verifaible.browser.page import watched
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import NotReproducible
from verifaible.evidence.check.replay import replay
from verifaible.net.web import Web
from verifaible.schema.citation import Citation
from verifaible.tools.analyze_page import head_lines

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(loop_scope="session")
async def server() -> AsyncIterator[StreamServer]:
    async with stream_server() as served:
        yield served


@pytest.fixture
def bench(tmp_path: Path, settings: Settings, live_web: Web, browser: Browser) -> Bench:
    return Bench(tmp_path, settings, live_web, browser)


SOCKET = """<nav><button id="a">A</button><button id="b">B</button></nav><p id="p">nothing yet</p><script>
const socket = new WebSocket(location.href.replace("http", "ws").replace(/[^/]*$/, "socket"));
socket.onmessage = (event) => { p.textContent = event.data };
a.onclick = () => socket.send(JSON.stringify({ask: "a", sent: Date.now(), requestId: crypto.randomUUID()}));
b.onclick = () => socket.send("b");</script>"""


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watched, "QUIET_MS_LIVE", 120)


async def verdict(bench: Bench, citation: Citation) -> str:
    return (await replay(citation, bench.store, bench.browser, bench.settings)).verdict


async def test_a_socket_is_replayed_and_its_record_is_in_the_capture(
    server: StreamServer, bench: Bench
) -> None:
    server.pages["/page"] = SOCKET
    server.answers[""] = ["The rate is 5.1%", "The rate is 5.33%"]
    citation = await bench.cite(f"{server.url}/page", quote="The rate is 5.33%")
    asked = list(server.paths)
    assert await verdict(bench, citation) == "verified"
    assert server.paths == asked
    with bench.store.open_capture(citation) as reader:
        assert reader.verify() == []
        entry = next(entry for entry in reader.entries() if entry.method == "WEBSOCKET")
        told = json.loads(reader.exchange(entry).response.body)
    assert [(frame["by"], frame["text"]) for frame in told["frames"]] == [
        ("server", "The rate is 5.1%"),
        ("server", "The rate is 5.33%"),
    ]
    assert (told["kind"], told["accepted"], told["ended"]) == ("websocket", True, False)


async def test_an_answer_on_a_socket_waits_for_what_asked_for_it(server: StreamServer, bench: Bench) -> None:
    """The same click asks again with another time and another id; another click is not answered at all."""
    server.pages["/page"] = SOCKET
    server.answers["b"] = ["The answer is 42"]
    steps = [{"type": "click", "selector": "#a"}, {"type": "click", "selector": "#b"}]
    citation = await bench.cite(f"{server.url}/page", steps, quote="The answer is 42")
    with bench.store.open_capture(citation) as reader:
        web = Web.offline(bench.settings, Archive.from_readers([reader]))
        async with bench.browser.page(web) as session:
            await session.open(f"{server.url}/page")
            assert "nothing yet" in await shown_text(session)
            await session.page.click("#b")
            await session.settle()
            assert "nothing yet" in await shown_text(session)  # its answer came after that of A
            await session.page.evaluate("socket.send(JSON.stringify({ask: 'c'}))")
            await session.settle()
            assert session.traffic.unrecorded == [
                'the page sent over its socket what was not recorded: {"ask":"c"}'
            ]


async def test_what_was_never_sent_refuses_the_citation(server: StreamServer, bench: Bench) -> None:
    server.pages["/page"] = """<p id="p">-</p><script>
    const socket = new WebSocket(location.href.replace("http", "ws").replace(/[^/]*$/, "socket"));
    socket.onopen = () => socket.send("I have seen " + performance.now());
    socket.onmessage = () => { p.textContent = "The rate is 5.33%" };</script>"""
    with pytest.raises(NotReproducible, match="sent over its socket what was not recorded: I have seen"):
        await bench.cite(f"{server.url}/page", quote="The rate is 5.33%")
    assert not [*bench.folder.glob("citations/*"), *bench.folder.glob("captures/*")]


@pytest.mark.nightly
async def test_bytes_on_a_socket(server: StreamServer, bench: Bench) -> None:
    server.pages["/page"] = """<p id="p">-</p><script>
    const socket = new WebSocket(location.href.replace("http", "ws").replace(/[^/]*$/, "socket"));
    socket.binaryType = "arraybuffer";
    socket.onopen = () => socket.send(new Uint8Array([51, 51, 46, 53]));
    socket.onmessage = (event) => { p.textContent = "The rate is " + new TextDecoder().decode(event.data) };
    </script>"""
    citation = await bench.cite(f"{server.url}/page", quote="The rate is 5.33")
    assert await verdict(bench, citation) == "verified"


EVENTS = """<nav><button id="a">A</button></nav><p id="p">nothing yet</p><p id="s"></p><script>
const stream = new EventSource("/events");
stream.onmessage = (event) => { p.textContent = event.data };
stream.addEventListener("answer", (event) => { p.textContent = event.data + " no. " + event.lastEventId });
stream.onerror = () => { s.textContent = "connection lost" };
a.onclick = () => fetch("/tell", {method: "POST", body: "a"});</script>"""


async def test_an_event_stream_that_never_ends(server: StreamServer, bench: Bench) -> None:
    server.pages["/page"] = EVENTS
    server.events = ["data: The rate is 5.1%\n\n", "data: The rate\ndata: is 5.33%\n\n", ": still there\n\n"]
    async with asyncio.timeout(PATIENCE_S):
        citation = await bench.cite(f"{server.url}/page", quote="The rate is 5.33%")
    assert "connection lost" not in bench.file(citation, "text.txt").decode()
    assert server.paths.count("/events") == 1


@pytest.mark.nightly
async def test_an_event_waits_for_the_request_that_caused_it(server: StreamServer, bench: Bench) -> None:
    server.pages["/page"] = EVENTS
    server.events = ["data: The rate is 5.1%\n\n"]
    steps = [{"type": "click", "selector": "#a"}]
    citation = await bench.cite(f"{server.url}/page", steps, quote="answer to a no. 7")
    assert await verdict(bench, citation) == "verified"
    with bench.store.open_capture(citation) as reader:
        web = Web.offline(bench.settings, Archive.from_readers([reader]))
        async with bench.browser.page(web) as session:
            await session.open(f"{server.url}/page")
            assert "The rate is 5.1%" in await shown_text(session)


async def test_a_stream_that_was_never_recorded_is_named(server: StreamServer, bench: Bench) -> None:
    server.pages["/page"] = "<p>Steady words</p>"
    citation = await bench.cite(f"{server.url}/page", quote="Steady words")
    with bench.store.open_capture(citation) as reader:
        web = Web.offline(bench.settings, Archive.from_readers([reader]))
        async with bench.browser.page(web) as session:
            await session.open(f"{server.url}/page")
            states = await session.page.evaluate(
                """async () => {
                const stream = new EventSource("/none"), socket = new WebSocket("ws://a.test/none");
                await Promise.all([stream, socket].map((each) => new Promise((done) => {
                  each.onerror = each.onclose = done })));
                return [stream.readyState, socket.readyState] }"""
            )
            assert states == [2, 3]
            assert sorted(session.traffic.misses) == [f"SSE {server.url}/none", "WS ws://a.test/none"]


@pytest.mark.nightly
async def test_what_no_capture_can_hold_is_said_beforehand_and_when_it_is_cited(
    server: StreamServer, bench: Bench
) -> None:
    """A stream that a script reads by itself, one of a worker, and a service worker."""
    server.events = ["data: The rate is 5.33%\n\n"]
    server.pages["/page"] = """<p id="p">-</p><script>
    (async () => { const answer = await fetch("/events");
      p.textContent = new TextDecoder().decode((await answer.body.getReader().read()).value).slice(6) })();
    navigator.serviceWorker.register("/none.js");
    new Worker(URL.createObjectURL(new Blob([`new EventSource("${location.origin}/events?worker")`])));</script>"""
    url = f"{server.url}/page"
    async with bench.browser.page(bench.web) as session:
        await session.open(url)
        told = "\n".join(head_lines(await analyze(session), ()))
    assert f"GET {server.url}/events (an answer that is still being sent)" in told
    assert f"SSE {server.url}/events?worker (an event stream of a worker, or redirected)" in told
    assert f"the service worker of {url}" in told
    with pytest.raises(
        NotReproducible, match=r"No capture can hold GET \S+/events \(an answer that is still"
    ):
        await bench.cite(url, quote="The rate is 5.33%")
