"""Recording a live site on loopback, and using the recording once the site is gone."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from pydantic import TypeAdapter

from scripts.accuracy import dynamic
from tests.browser.conftest import Site
from tests.browser.shown import shown_text
from tests.browser.test_dynamic_replay import chosen
from tests.browser.test_tools_pages import pdf
from tests.command_line import run_command
from tests.kit.dynamic_site import Trap, served
from tests.kit.marks import nightly
from verifaible.archive import lookup
from verifaible.archive.lookup import Archive
from verifaible.archive.reader import WaczReader
from verifaible.archive.recording import Recorder
from verifaible.archive.redaction import REMOVED
from verifaible.archive.validate import faults as faults_of
from verifaible.browser.steps.playing import play
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import OfflineMiss, PageBlocked
from verifaible.net.web import Web
from verifaible.schema.action import ActionSteps
from verifaible.schema.web import WebRequest
from verifaible.search.archive import ArchiveSearch
from verifaible.store.store import Store
from verifaible.tools.workspace import open_workspace

YEAR_S = 366 * 86400


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def recording_browser(settings: Settings) -> AsyncIterator[Browser]:
    """A warm browser whose visits are kept."""
    warm = Browser(settings, offline=False)
    async with warm:
        yield warm


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def replaying_browser(settings: Settings) -> AsyncIterator[Browser]:
    """A warm browser without any way out."""
    async with Browser(settings, offline=True) as warm:
        yield warm


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    with Recorder() as kept:
        yield kept


def written(recorder: Recorder, folder: Path) -> Archive:
    return Archive.open([one.path for one in recorder.write(folder)])


# --- every way in which pages load data


#: Captures of all of them are replayed in test_dynamic_replay; a recording keeps what a capture does.
TRAPS = chosen()


@pytest.mark.nightly
@pytest.mark.parametrize("traps", [TRAPS[::3], nightly(TRAPS)], ids=["a third", "all"])
async def test_traps_recorded_together_and_replayed_a_year_later(
    traps: list[Trap],
    settings: Settings,
    recording_browser: Browser,
    replaying_browser: Browser,
    recorder: Recorder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All traps stand on one host, so all are in one archive; each was opened twice, the first time counts."""
    slugs = {dynamic._slug(trap): trap for trap in traps}
    web = Web.record(settings, recorder)
    seen: dict[str, dynamic._Seen] = {}
    with served(slugs) as host:
        for slug, trap in [*slugs.items(), *slugs.items()]:
            async with recording_browser.page(web) as session:
                shown = await dynamic._shown(session, f"{host}/{slug}/", trap.steps)
                seen.setdefault(slug, shown)
    archive = written(recorder, tmp_path)
    now = time.time()
    monkeypatch.setattr(lookup, "time", lambda: now + YEAR_S)
    wrong = []
    for slug, trap in slugs.items():
        replayed = await dynamic._replay(replaying_browser, archive, settings, trap, f"{host}/{slug}/")
        came_to, said = dynamic._outcome(trap, seen[slug], replayed)
        if came_to != "right":
            wrong.append((trap.name, came_to, said))
    archive.close()
    assert wrong == []


# --- what a context loads


@pytest.mark.nightly
async def test_a_page_with_its_frames_errors_files_and_text(
    site: Site,
    settings: Settings,
    recording_browser: Browser,
    replaying_browser: Browser,
    recorder: Recorder,
    tmp_path: Path,
) -> None:
    site.html("/frame", "<p>利率为百分之五</p>")
    site.file("/report.pdf", "application/pdf", pdf("Net assets were 5.33 billion."))
    site.pages["/broken"] = (503, {"content-type": "text/plain"}, "down")
    url = site.html(
        "/page",
        "<h1>Rates of the day</h1><iframe id='f' src='/frame'></iframe><a id='pdf' href='/report.pdf'>PDF</a>"
        "<p id='p'></p><script>fetch('/broken').then((r) => { p.textContent = `status ${r.status}` })</script>",
        title="Rates",
    )
    async with recording_browser.page(Web.record(settings, recorder)) as session:
        await session.open(url)
        await session.page.click("#pdf")
        assert await session.document(expected=True) is not None
    archive = written(recorder, tmp_path)
    pages = {page.url: page for page in archive.pages()}
    assert set(pages) == {url, f"{site.url}/report.pdf"}
    assert pages[url].title == "Rates"
    assert all(part in pages[url].text for part in ("Rates of the day", "利率为百分之五", "status 503"))
    assert "Net assets were 5.33 billion." in pages[f"{site.url}/report.pdf"].text
    (hit,) = await ArchiveSearch(archive).search("百分之五")
    assert hit.url == url
    site.pages.clear()
    async with replaying_browser.page(Web.offline(settings, archive)) as session:
        await session.open(url)
        text = await shown_text(session)
        assert "status 503" in text and "利率为百分之五" in text
        assert session.traffic.misses == []
        await session.page.click("#pdf")
        document = await session.document(expected=True)
        assert document is not None and document.body.startswith(b"%PDF-")
    archive.close()


def counting(site: Site) -> threading.Event:
    """``/data`` counts how often it was asked for; ``/plain`` shows its next number. Set while it is asked."""
    count, asked = iter(range(1, 100)), threading.Event()

    def data(*_: object) -> tuple[int, dict[str, str], str]:
        asked.set()
        return 200, {"content-type": "application/json"}, f'{{"n": {next(count)}}}' + " " * 1_000_000

    site.pages["/data"] = data
    site.html(
        "/plain",
        "<p id=p></p><script>fetch('/data').then(r => r.text()).then(t => p.textContent = t)</script>",
    )
    return asked


async def told_and_kept(browser: Browser, web: Web, url: str) -> tuple[str, list[str]]:
    """What a page shows, and the bodies that were kept of ``/data``."""
    async with browser.page(web) as session:
        await session.open(url)
        kept = [each for each in session.traffic.sealed() if each.request.url.endswith("/data")]
        return await shown_text(session), [each.response.body.decode().strip() for each in kept]


async def test_what_a_shared_worker_is_answered_is_no_answer_of_a_page(
    site: Site, recording_browser: Browser, live_web: Web
) -> None:
    counting(site)
    site.file(
        "/worker.js",
        "text/javascript",
        "onconnect = e => fetch('/data').then(r => r.text()).then(t => e.ports[0].postMessage(t))",
    )
    url = site.html(
        "/shared",
        "<p id=p></p><script>const w = new SharedWorker('/worker.js'); w.port.start();"
        "w.port.onmessage = e => p.textContent = e.data</script>",
    )
    assert await told_and_kept(recording_browser, live_web, url) == ('{"n": 1}', [])
    for number in (2, 3):
        shown, kept = await told_and_kept(recording_browser, live_web, f"{site.url}/plain")
        assert (shown, kept) == (f'{{"n": {number}}}', [shown])


async def test_what_a_call_that_was_cancelled_left_is_no_answer_of_the_next(
    site: Site, recording_browser: Browser, live_web: Web
) -> None:
    asked = counting(site)
    for wait_s in (0, 0.001, 0.002, 0.005, 0.01, 0.02):
        asked.clear()
        call = asyncio.create_task(told_and_kept(recording_browser, live_web, f"{site.url}/plain"))
        await asyncio.to_thread(asked.wait, 60)
        await asyncio.sleep(wait_s)
        call.cancel()
        await asyncio.wait((call,))
    for _ in range(2):
        shown, kept = await told_and_kept(recording_browser, live_web, f"{site.url}/plain")
        assert kept == [shown]


async def test_a_refused_page_is_kept_but_is_no_page(
    site: Site, settings: Settings, recording_browser: Browser, recorder: Recorder, tmp_path: Path
) -> None:
    site.pages["/denied"] = (403, {"content-type": "text/html"}, "<title>No</title><p>Denied")
    with pytest.raises(PageBlocked):
        async with recording_browser.page(Web.record(settings, recorder)) as session:
            await session.open(f"{site.url}/denied")
    archive = written(recorder, tmp_path)
    answer = archive.player().find(WebRequest(f"{site.url}/denied"))
    assert answer.response.status == 403
    assert list(archive.pages()) == []
    archive.close()


@pytest.mark.nightly
async def test_the_page_of_the_visit_that_used_it(
    site: Site,
    settings: Settings,
    recording_browser: Browser,
    replaying_browser: Browser,
    recorder: Recorder,
    tmp_path: Path,
) -> None:
    """A page with a new token each time, fetched by the client, looked at, operated, and replayed."""
    served_tokens: list[str] = []

    def page(_: str, __: bytes) -> tuple[int, dict[str, str], str]:
        served_tokens.append(os.urandom(16).hex())
        body = (
            f"<!doctype html><meta charset=utf-8><title>T</title><p id=p>none</p><button id=b>Ask</button>"
            f"<script>b.onclick = async () => {{ p.textContent = await (await fetch("
            f"'/api?key={served_tokens[-1]}', {{method: 'POST', body: 'day=1'}})).text() }}</script>"
        )
        return 200, {"content-type": "text/html; charset=utf-8"}, body

    def api(path: str, sent: bytes) -> tuple[int, dict[str, str], str]:
        known = path.rpartition("=")[2] in served_tokens
        return 200, {"content-type": "text/plain"}, f"{sent.decode()}: 5.33" if known else "no such token"

    site.pages |= {"/page": page, "/api": api}
    url, web = f"{site.url}/page", Web.record(settings, recorder)
    async with web.client() as client:
        await client.fetch(WebRequest(url))
    for clicks in (0, 1, 0):
        async with recording_browser.page(web) as session:
            await session.open(url)
            for _ in range(clicks):
                await session.page.click("#b")
                await session.settle()
    archive = written(recorder, tmp_path)
    site.pages.clear()
    async with replaying_browser.page(Web.offline(settings, archive)) as session:
        await session.open(url)
        await session.page.click("#b")
        await session.settle()
        assert await shown_text(session) == "day=1: 5.33\nAsk"
        assert session.traffic.match == "exact"
    async with Web.offline(settings, archive).client() as client:
        assert b"<button" in (await client.fetch(WebRequest(url))).answer.response.body
    archive.close()


# --- the HTTP client


@pytest.mark.nightly
async def test_the_client_keeps_pages_and_redirects(
    site: Site, settings: Settings, recorder: Recorder, tmp_path: Path
) -> None:
    site.html("/new", "<p>利率为百分之五</p>", title="Rates")
    site.pages["/old"] = (302, {"location": "/new", "set-cookie": "lang=zh; Path=/"}, b"")
    kept: list[Any] = []
    async with Web.record(settings, recorder).client(kept) as client:
        await client.fetch(WebRequest(f"{site.url}/old"))
        with pytest.raises(Exception, match="refused"):
            await client.fetch(WebRequest("http://10.0.0.1/"))
    assert len(kept) == 2
    archive = written(recorder, tmp_path)
    site.pages.clear()
    async with Web.offline(settings, archive).client() as client:
        fetched = await client.fetch(WebRequest(f"{site.url}/old"))
        assert fetched.redirects == (f"{site.url}/old",)
        with pytest.raises(OfflineMiss):
            await client.fetch(WebRequest(f"{site.url}/never"))
    assert [(page.title, page.text) for page in archive.pages()] == [("Rates", "利率为百分之五")]
    archive.close()


@pytest.mark.nightly
async def test_search_answers_are_kept_without_the_key_and_are_no_pages(
    site: Site, settings: Settings, tmp_path: Path
) -> None:
    key = "tvly-0123456789abcdef"
    site.file("/search", "text/html", f"<title>Results</title><p>for key {key}")
    own = settings.model_copy(update={"api_key": key})
    with Recorder(own.secrets) as recorder:
        async with Web.record(own, recorder).searching().client() as client:
            headers = (("x-subscription-token", "brave-of-somebody"), ("accept", "text/html"))
            await client.fetch(
                WebRequest(f"{site.url}/search?q=rates&key={key}", "POST", headers, key.encode())
            )
        (one,) = recorder.write(tmp_path)
    with WaczReader(one.path) as reader:
        (exchange,) = reader.exchanges()
        assert list(reader.pages()) == []
        assert exchange.request.url == f"{site.url}/search?q=rates&key={REMOVED}"
        assert exchange.response.body == f"<title>Results</title><p>for key {REMOVED}".encode()
        everything = b"".join(reader.read(name) for name in reader.names() if not name.endswith(".gz"))
        sent = repr(exchange) + repr(exchange.request.body)
    assert key.encode() not in everything and key not in sent and "brave-of-somebody" not in sent


# --- the commands


def run(home: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    return run_command(arguments, environment=environment(home) | more, folder=home)


def environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("VERIFAIBLE_", "OPEN"))}
    return {**kept, "VERIFAIBLE_HOME": str(home), "VERIFAIBLE_ALLOW_HOSTS": "127.0.0.1,localhost"}


DAYS = {"1": "5.33", "2": "5.12"}


def rates(site: Site) -> str:
    """A page whose table is asked for by script: JSONP, a made-up name, the time."""

    def api(path: str, _: bytes) -> tuple[int, dict[str, str], str]:
        from urllib.parse import parse_qs, urlsplit

        query = parse_qs(urlsplit(path).query)
        return (
            200,
            {"content-type": "text/javascript"},
            f'{query["callback"][0]}({{"rate": "{DAYS[query["day"][0]]}"}})',
        )

    site.pages["/api"] = api
    script = """const load = (day) => {
        const name = `jQuery36${String(Math.random()).slice(2)}_${Date.now()}`;
        window[name] = (data) => { cell.textContent = data.rate; shown.textContent = `Day ${day}` };
        const tag = document.createElement("script");
        tag.src = `/api?callback=${name}&day=${day}&_=${Date.now()}`;
        document.head.append(tag);
      };
      load(1); other.onclick = () => load(2);"""
    table = "<table><tr><th>Name<th>Rate<tr><th>Overnight<td id='cell'></table>"
    return site.html(
        "/rates",
        f"<h1>Rates</h1><p id='shown'></p>{table}<button id='other'>Day 2</button><script>{script}</script>",
        title="Rates of the day",
    )


def recorded_page(settings: Settings, home: Path, url: str, steps: str = "[]") -> Path:
    """Record a page with its steps into the offline web of a home; gives the archive."""
    own = settings.model_copy(update={"home": home, "store": str(home / "scratch")})

    async def recorded(recorder: Recorder) -> None:
        async with open_workspace(own, "record", recorder=recorder) as at, at.browser.page(at.web) as session:
            await session.open(url)
            await play(session, TypeAdapter(ActionSteps).validate_python(steps))

    with Recorder(own.secrets) as recorder:
        asyncio.run(recorded(recorder))
        (one,) = recorder.write(home / "snapshots" / "sites", signer=Store.open(own).signer)
    return one.path


def test_record_a_page_then_cite_it_offline(site: Site, settings: Settings, tmp_path: Path) -> None:
    url = rates(site)
    steps = tmp_path / "steps.json"
    steps.write_text(json.dumps([{"type": "click", "selector": "#other"}]))
    path = recorded_page(settings, tmp_path, url, steps.read_text())
    with WaczReader(path) as reader:
        assert faults_of(reader) == [] and reader.public_key
        assert [(page.url, page.title) for page in reader.pages()] == [(url, "Rates of the day")]
    site.pages.clear()
    cell = ("--row", "Overnight", "--col", "Rate", "--steps", str(steps))
    cited = run(tmp_path, "cite", url, *cell, "--web", "offline", "--json")
    assert cited.returncode == 0, cited.stderr
    assert json.loads(cited.stdout)["text"] == "5.12"


def test_an_answer_to_another_body_is_not_served(site: Site, settings: Settings, tmp_path: Path) -> None:
    """Offline, the body of its request differs in one random field from the recorded one."""
    site.file("/api", "text/plain", "the rate was 5.33%")
    url = site.html(
        "/page",
        """<h1>Rates</h1><p>Steady words stand here.</p><p id="p"></p><script>fetch("/api", {method: "POST",
        headers: {"content-type": "application/json"}, body: JSON.stringify({day: "2025-02-11", limit: 10, page: 1,
        city: "Shanghai", token: crypto.randomUUID()})})
        .then((answer) => answer.text()).then((text) => { p.textContent = text })</script>""",
    )
    recorded_page(settings, tmp_path, url)
    refused = run(tmp_path, "cite", url, "--quote", "the rate was 5.33%", "--web", "offline")
    assert refused.returncode == 1, refused.stdout
    assert not list(tmp_path.glob("snapshots/store/citations/*"))


def case_on(url: str) -> dict[str, Any]:
    cite = {
        "claim": "The overnight rate",
        "source_url": url,
        "evidence_type": "table",
        "action_steps": [{"type": "click", "selector": "#other"}, {"type": "wait", "text": "Day 2"}],
        "row_anchor": "Overnight",
        "col_anchor": "Rate",
    }
    return {
        "id": "local_001",
        "category": "dynamic",
        "url": url,
        "question": "What is the overnight rate of day 2?",
        "answer": "5.12 %",
        "expect": {"kind": "number", "value": "5.12", "unit": "%"},
        "oracle": {
            "steps": [{"tool": "verifaible_cite", "arguments": cite}],
            "answer": "It is {1} %[@v:1].",
        },
    }


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("by", ["bench", nightly("record")])
def test_a_case_recorded_then_run_offline(site: Site, tmp_path: Path, by: str) -> None:
    url = rates(site)
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / "local_001.json").write_text(json.dumps(case_on(url)))
    sites = tmp_path / "snapshots" / "sites"
    if by == "bench":
        ran = run(tmp_path, "bench", "--model", "oracle", "--web", "record", "--json")
        assert ran.returncode == 0, ran.stderr
        folder = Path(json.loads(ran.stdout)["run"])
        assert json.loads((folder / "run.json").read_text())["web"] == "record"
        assert [path.name for path in (folder / "sites").iterdir()] == ["127.0.0.1.wacz"]
        assert not sites.exists()
        sites.mkdir(parents=True)
        (folder / "sites" / "127.0.0.1.wacz").rename(sites / "127.0.0.1.wacz")
    else:
        ran = run(tmp_path, "bench", "check", "--web", "live", "--record", "--json")
        assert ran.returncode == 0, ran.stderr
        assert f"Recorded: {sites / '127.0.0.1.wacz'}." in ran.stderr
    site.pages.clear()
    done = run(tmp_path, "bench", "--model", "oracle", "--json")
    assert done.returncode == 0, done.stderr
    (summary,) = json.loads(done.stdout)["models"]
    assert (summary["total"], summary["verified"]["count"]) == (100, 1)


@pytest.mark.nightly
def test_a_site_whose_case_fails_is_left_as_it_is(site: Site, tmp_path: Path) -> None:
    url = rates(site)
    case = case_on(url)
    case["oracle"]["steps"][0]["arguments"]["row_anchor"] = "Two weeks"
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / "local_001.json").write_text(json.dumps(case))
    ran = run(tmp_path, "bench", "check", "--web", "live", "--record")
    assert ran.returncode == 1
    assert "Oracle step 1 (verifaible_cite) of local_001 failed." in ran.stderr
    assert not list(tmp_path.glob("snapshots/sites/*"))


@pytest.mark.nightly
async def test_visits_at_once_are_all_kept(
    site: Site, settings: Settings, recording_browser: Browser, recorder: Recorder, tmp_path: Path
) -> None:
    urls = [site.html(f"/page{number}", f"<p>page {number}</p>") for number in range(4)]
    web = Web.record(settings, recorder)

    async def visit(url: str) -> None:
        async with recording_browser.page(web) as session:
            await session.open(url)

    await asyncio.gather(*map(visit, urls))
    archive = written(recorder, tmp_path)
    assert sorted(page.text for page in archive.pages()) == [f"page {number}" for number in range(4)]
    archive.close()
