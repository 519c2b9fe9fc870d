"""Pages that stream, race, are random or have others talk for them: cited, graded, verified, the reason shown."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page

from tests.browser.citing import Bench, nothing_stored
from tests.browser.conftest import Site
from tests.browser.shown import shown_text
from tests.kit import suites
from tests.servers.stream_server import StreamServer, stream_server
from verifaible.archive.lookup import Archive
from verifaible.archive.streams import STREAMS, stream_of
from verifaible.archive.validate import faults as faults_of
from verifaible.browser.analysis.analyze import analyze
from verifaible.browser.page import watched
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import NotServed, ToolError
from verifaible.evidence.replay import recheck, replay
from verifaible.evidence.request import CiteRequest
from verifaible.evidence.seal import SourceCollector
from verifaible.evidence.verify import verify
from verifaible.evidence.viewing import Viewing
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


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watched, "QUIET_MS_LIVE", 700)


async def cited(server: StreamServer, bench: Bench, row: suites.Row) -> Citation:
    given = row.input
    server.pages |= {"/page": given["page"]} | {
        f"/{name}": text for name, text in given.get("files", {}).items()
    }
    server.delays_s = {f"/{name}": seconds for name, seconds in given.get("delays", {}).items()}
    server.answers, server.events = given.get("answers", {}), given.get("events", [])
    return await bench.cite(f"{server.url}/page", given.get("steps"), quote=given["quote"])


@pytest.mark.parametrize("row", suites.load("grades"), ids=lambda row: row.id)
async def test_a_page_is_cited_with_its_grade(server: StreamServer, bench: Bench, row: suites.Row) -> None:
    citation = await cited(server, bench, row)
    assert (citation.replay, citation.value_source.kind) == (row.expect["replay"], row.expect["source"])
    assert row.expect["reason"] in citation.replay_reason
    assert bool(citation.replay_reason) == (citation.replay == "snapshot")
    assert citation.picture.tiles
    asked = list(server.paths)
    for check in (
        await replay(citation, bench.store, bench.browser, bench.settings),
        verify(citation, bench.store).check,
    ):
        assert check.verdict == "verified", check.message
        assert (citation.graded in check.message) == (citation.replay == "snapshot")
    assert server.paths == asked, "nothing is asked of the network"
    (row_of_list,) = bench.store.rows()
    assert row_of_list.replay == citation.replay


async def test_a_source_that_was_sealed_is_cited_though_it_streams(
    server: StreamServer, bench: Bench
) -> None:
    """It is opened again: what it shows by then is cited, or nothing."""
    (row,) = (each for each in suites.load("grades") if each.id == "stream/streamlit")
    citation = await cited(server, bench, row)
    sources = SourceCollector(bench.settings, bench.web, bench.browser, bench.store)
    opened = await sources.open(citation.source_url)
    request = CiteRequest(url=citation.source_url, claim="A claim", anchor=citation.request)
    made = (await sources.cite_in(request, opened)).citation
    assert (made.replay, made.anchor.text) == ("snapshot", citation.anchor.text)
    assert verify(made, bench.store).check.verdict == "verified"
    nowhere = request.anchor.model_copy(update={"quote": "Words that it never showed"})
    asked = list(server.paths)
    with pytest.raises(ToolError):
        await sources.cite_in(request.model_copy(update={"anchor": nowhere}), opened)
    assert server.paths == asked, "what was not sealed is not looked for on the web"


async def test_what_went_over_a_connection_is_kept_and_a_damaged_capture_is_told(
    server: StreamServer, bench: Bench
) -> None:
    (row,) = (each for each in suites.load("grades") if each.id == "stream/streamlit")
    citation = await cited(server, bench, row)
    with bench.store.open_capture(citation) as reader:
        assert faults_of(reader) == []
        kept = [reader.exchange(entry) for entry in reader.entries() if entry.method in STREAMS]
        (stream,) = (
            stream_of(each.request.method, each.request.url, each.response.body, each.recorded_at)
            for each in kept
        )
        assert [frame.by for frame in stream.frames] == ["page", "server", "server", "server"]
        assert row.input["quote"] in str(stream.frames[-1].data)
    assert (
        await recheck(citation, bench.store, bench.browser, bench.settings, web=bench.web)
    ).verdict == "verified"
    path = bench.capture_path(citation)
    path.write_bytes(path.read_bytes().replace(b"PK\x03\x04", b"PK\x03\x05", 1))
    assert verify(citation, bench.store).check.verdict == "error"


async def test_in_a_window_the_sealed_picture_is_shown(server: StreamServer, bench: Bench) -> None:
    (row,) = (each for each in suites.load("grades") if each.id == "stream/events")
    citation = await cited(server, bench, row)
    shown: list[object] = []

    async def linger(page: Page) -> None:
        shown.append(await page.evaluate("[...document.images].map((each) => each.src.slice(0, 16))"))

    check = await replay(citation, bench.store, bench.browser, bench.settings, observer=Viewing(linger))
    assert check.verdict == "verified"
    assert shown == [["data:image/webp;"] * len(citation.picture.tiles)]


async def test_no_connection_is_ever_played(server: StreamServer, bench: Bench) -> None:
    server.pages["/page"] = "<p>Steady words</p>"
    citation = await bench.cite(f"{server.url}/page", quote="Steady words")
    with bench.store.open_capture(citation) as reader:
        web = Web.offline(bench.settings, Archive([reader]))
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
async def test_what_no_capture_can_hold_is_said_beforehand(server: StreamServer, bench: Bench) -> None:
    """A stream that a script reads by itself, one of a worker, a shared worker, and a service worker."""
    server.events = ["data: The rate is 5.33%\n\n"]
    server.pages["/page"] = """<p id="p">-</p><script>
    (async () => { const answer = await fetch("/events");
      p.textContent = new TextDecoder().decode((await answer.body.getReader().read()).value).slice(6) })();
    navigator.serviceWorker.register("/none.js"); new SharedWorker("/none.js");
    new Worker(URL.createObjectURL(new Blob([`new EventSource("${location.origin}/events?worker")`])));</script>"""
    url = f"{server.url}/page"
    async with bench.browser.page(bench.web) as session:
        await session.open(url)
        assert "5.33" in await shown_text(session)
        told = "\n".join(head_lines(await analyze(session), ()))
        beyond = "\n".join(session.traffic.unreplayable())
    assert f"GET {server.url}/events (an answer that is still being sent)" in told
    assert f"SSE {server.url}/events?worker (an event stream of a worker, or redirected)" in told
    assert f"the service worker of {url}" in beyond
    assert f"the shared worker of {url}" in beyond


ECHO = """<input id="q"><p id="p"></p><script>
const said = new URLSearchParams(location.search).get("q");
if (said) p.textContent = said;</script>"""
FORGED = "The bank says that rates rise to 9.9 per cent."


@pytest.mark.parametrize(
    ("query", "steps"),
    [
        ("", [{"type": "exec_js", "code": f"document.querySelector('#p').textContent = '{FORGED}'"}]),
        ("", [{"type": "type", "selector": "#q", "value": FORGED}]),
        (f"?q={FORGED.replace(' ', '+')}", []),
        (
            "",
            [
                {
                    "type": "exec_js",
                    "code": f"fetch('/echo?q=' + encodeURIComponent('{FORGED}')).then((got) => got.text())"
                    ".then((text) => { document.querySelector('#p').textContent = text })",
                }
            ],
        ),
    ],
    ids=("exec_js", "typed", "address", "an answer that repeats"),
)
async def test_words_that_only_the_steps_can_have_written_are_refused(
    site: Site, bench: Bench, query: str, steps: list[dict[str, str]]
) -> None:
    from urllib.parse import parse_qs, urlsplit

    site.html("/page", ECHO)
    site.pages["/echo"] = lambda path, _: (
        200,
        {"content-type": "text/plain; charset=utf-8"},
        parse_qs(urlsplit(path).query)["q"][0],
    )
    with nothing_stored(bench), pytest.raises(NotServed, match="rates rise to 9"):
        await bench.cite(f"{site.url}/page{query}", steps, quote=FORGED)
