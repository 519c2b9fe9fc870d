"""Making citations of every type, refusing what is not there, and what a capture holds."""

from __future__ import annotations

import hashlib
import json
import threading
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import rfc8785

from tests.browser.citing import Bench, nothing_stored, pdf, scanned_pdf
from tests.browser.conftest import Answer, Site, serving
from tests.kit.marks import nightly
from verifaible.archive.validate import faults as faults_of
from verifaible.browser.page import watched
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import (
    AnchorAmbiguous,
    AnchorNotFound,
    BadArguments,
    NoText,
    NoTranscript,
    OfflineMiss,
    PageBlocked,
    PageNotLoaded,
    StepFailed,
    ToolError,
    WrongContent,
)
from verifaible.evidence.cite import Collected
from verifaible.evidence.replay import replay
from verifaible.evidence.verify import verify
from verifaible.net.web import Web

DOT = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="
CITIES = """<p>In February prices rose in Zhengzhou by 0.3% and in Luoyang by 0.4%.</p>
<table id="cities"><caption>Index</caption><thead><tr><th rowspan="2">City</th><th colspan="2">New homes</th></tr>
<tr><th>Month</th><th>Year</th></tr></thead><tbody><tr><td>郑　　州</td><td>99.4</td><td id="cell">90.9</td></tr>
<tr><td>洛　　阳</td><td>99.5</td><td>91.1</td></tr></tbody></table>
<table><tr><th>Name</th><th>Value</th></tr><tr><td>other</td><td>1</td></tr></table>"""


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page on loopback needs no patience."""
    monkeypatch.setattr(watched, "QUIET_MS_LIVE", 80)


@pytest.fixture
def bench(tmp_path: Path, settings: Settings, live_web: Web, browser: Browser) -> Bench:
    return Bench(tmp_path, settings, live_web, browser)


@pytest.fixture
def offline_bench(
    tmp_path: Path, offline_settings: Settings, offline_web: Web, offline_browser: Browser
) -> Bench:
    return Bench(tmp_path, offline_settings, offline_web, offline_browser)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def zhengzhou(
    tmp_path_factory: pytest.TempPathFactory, settings: Settings, live_web: Web, browser: Browser
) -> tuple[Bench, Collected]:
    """A citation of words, for tests of what is stored."""
    bench = Bench(tmp_path_factory.mktemp("zhengzhou"), settings, live_web, browser)
    with serving() as site:
        url = site.html("/page", CITIES, title="Prices")
        return bench, await bench.collect(url, quote="prices rose in Zhengzhou by 0.3%")


# --- text


async def test_a_text_citation_and_everything_its_capture_holds(zhengzhou: tuple[Bench, Collected]) -> None:
    bench, collected = zhengzhou
    citation, check = collected.citation, collected.check
    url = citation.source_url
    assert citation.anchor.text == "prices rose in Zhengzhou by 0.3%"
    assert citation.title == "Prices"
    assert (check.kind, check.verdict, check.text_similarity, check.overlap) == ("self", "verified", 1.0, 1.0)
    assert bench.store.checks(citation.id) == (check,)
    text = bench.file(citation, "text.txt").decode()
    assert citation.anchor.start is not None
    assert text[citation.anchor.start : citation.anchor.end] == citation.anchor.text
    assert citation.anchor.text_fragment == f"{url}#:~:text=prices%20rose%20in%20Zhengzhou%20by%200.3%25"
    # The marks are drawn over the picture, never into it.
    assert bench.is_marked(citation)
    dom = bench.file(citation, "dom.html").decode()
    assert "99.4" in dom
    assert "verifaible" not in dom
    assert "2147483647" not in dom
    provenance = bench.json(citation, "provenance.json")
    assert citation.picture is not None
    (tile,) = citation.picture.tiles
    (file,) = bench.store.pictures(citation)
    assert (tile.sha256, tile.size_bytes) == (hashlib.sha256(file).hexdigest(), len(file))
    assert (citation.picture.width, citation.picture.height) == (1280, 900)
    assert "do not prove" in provenance["what_a_hash_proves"]
    assert provenance["browser"].startswith("Chromium ")
    assert provenance["final_url"] == url
    # The same place is found from the sealed bytes alone, and again in a browser.
    assert verify(citation, bench.store).check.verdict == "verified"
    assert (await replay(citation, bench.store, bench.browser, bench.settings)).verdict == "verified"


async def test_one_page_state_is_captured_once(site: Site, bench: Bench) -> None:
    """Two quotes of a page rest on one capture; once the page says something else there is a second."""
    url = site.html("/page", CITIES)
    first = await bench.cite(url, quote="in Luoyang by 0.4%")
    second = await bench.cite(url, evidence_type="table", row=("郑州",), column=("New homes", "Year"))
    assert first.capture == second.capture
    assert first.id != second.id
    assert bench.store.files.names("captures") == [f"{first.capture.sha256}.wacz"]
    assert second.anchor.table is not None
    assert (second.anchor.table.mode, second.anchor.css_path) == ("crosshair", "#cities")
    assert (second.anchor.text, second.anchor.table.cells) == ("90.9", ((2, 2),))
    for citation in (first, second):
        assert verify(citation, bench.store).check.verdict == "verified"
    check = await replay(second, bench.store, bench.browser, bench.settings)
    assert (check.verdict, check.overlap) == ("verified", 1.0)
    site.html("/page", CITIES.replace("91.1", "91.2"))
    changed = await bench.collect(url, evidence_type="table", row=("洛阳",))
    assert changed.citation.capture.sha256 != first.capture.sha256
    anchor = changed.citation.anchor
    assert anchor.table is not None
    assert (anchor.table.mode, changed.check.overlap) == ("row", 1.0)
    assert "99.5" in anchor.text and "91.2" in anchor.text and "90.9" not in anchor.text
    assert verify(changed.citation, bench.store).check.verdict == "verified"


def test_a_capture_is_a_signed_package(zhengzhou: tuple[Bench, Collected]) -> None:
    """Another tool validates it in test_export_browser."""
    bench, citation = zhengzhou[0], zhengzhou[1].citation
    with bench.store.open_capture(citation) as reader:
        assert faults_of(reader, bench.store.signer.public_key) == []
    path = bench.capture_path(citation)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == citation.capture.sha256
    assert path.stat().st_size == citation.capture.size_bytes


def test_a_citation_file_is_a_canonical_web_annotation(zhengzhou: tuple[Bench, Collected]) -> None:
    bench, citation = zhengzhou[0], zhengzhou[1].citation
    data = (bench.folder / "citations" / f"{citation.id}.json").read_bytes()
    record = json.loads(data)
    assert rfc8785.dumps(record) == data
    assert record["@context"] == "http://www.w3.org/ns/anno.jsonld"
    assert (record["type"], record["id"]) == ("Annotation", f"urn:verifaible:{citation.id}")
    assert record["body"][0]["value"] == "A claim"
    assert record["target"]["source"] == citation.source_url
    kinds = {selector["type"]: selector for selector in record["target"]["selector"]}
    assert kinds["TextQuoteSelector"]["exact"] == "prices rose in Zhengzhou by 0.3%"
    assert kinds["TextPositionSelector"]["start"] == citation.anchor.start
    assert kinds["CssSelector"]["value"] == citation.anchor.css_path
    assert record["target"]["state"]["cached"] == f"captures/{citation.capture.sha256}.wacz"


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("body", "quote", "shown"),
    [
        ("<p>The <b>ra</b>te<i> was</i> <span>5.33</span>%.</p>", "The rate was 5.33%", "The rate was 5.33%"),
        ("<p>The rate<br>was 5.33%.</p>", "The rate was 5.33%", "The rate\nwas 5.33%"),
        (
            "<p>\U0001f600\U00020000 “The rate” was ５.33%</p>",
            '"The rate" was 5.33%',
            "“The rate” was ５.33%",
        ),
        ("<iframe srcdoc='<p>In a frame: 5.33%</p>'></iframe>", "In a frame: 5.33%", "In a frame: 5.33%"),
    ],
)
async def test_text_over_inline_elements_lines_and_frames(
    site: Site, bench: Bench, body: str, quote: str, shown: str
) -> None:
    collected = await bench.collect(site.html("/page", body), quote=quote)
    assert collected.citation.anchor.text == shown
    assert collected.check.overlap == 1.0


@pytest.mark.nightly
async def test_half_a_surrogate_pair_in_a_page_and_in_a_request(site: Site, bench: Bench) -> None:
    body = '<p>Part \U0001f600 of <b id="b"></b> it: the rate was 5.33%</p><script>b.textContent = "\\ud83d"</script>'
    url = site.html("/page", body)
    citation = await bench.cite(url, quote="it: the rate was 5.33%")
    assert "of \ufffd it" in bench.file(citation, "text.txt").decode()
    assert verify(citation, bench.store).check.verdict == "verified"
    before = bench.stored()
    with pytest.raises(BadArguments, match="not text"):
        await bench.cite(url, quote="the rate \ud83d was 5.33%")
    assert bench.stored() == before


async def test_an_image_by_a_point_on_it(site: Site, bench: Bench) -> None:
    url = site.html("/page", f'<p>x</p><img id="i" width="40" height="40" src="{DOT}">')
    collected = await bench.collect(url, evidence_type="image", position=(20, 70))
    assert collected.citation.anchor.image is not None
    assert collected.citation.anchor.css_path == "#i"
    assert (collected.check.verdict, collected.check.overlap) == ("verified", 1.0)


@pytest.mark.nightly
async def test_text_in_a_shadow_root(site: Site, bench: Bench) -> None:
    body = """<my-card id="card"></my-card><script>document.querySelector("my-card")
    .attachShadow({mode: "open"}).innerHTML = "<p>other</p><p>the shadow says 5.33%</p>";</script>"""
    citation = await bench.cite(site.html("/page", body), quote="the shadow says 5.33%")
    assert citation.anchor.css_path == "#card >>> p:nth-of-type(2)"
    assert bench.is_marked(citation)


async def test_text_in_a_frame_from_another_site(site: Site, bench: Bench) -> None:
    site.html("/inner", "<p>The foreign frame says 5.33%</p>")
    other = site.url.replace("127.0.0.1", "localhost")
    url = site.html("/page", f'<p>outer words</p><iframe id="f" src="{other}/inner"></iframe>')
    collected = await bench.collect(url, quote="The foreign frame says 5.33%")
    assert collected.citation.anchor.frame_path == ("#f",)
    assert bench.is_marked(collected.citation)
    assert collected.check.verdict == "verified"


@pytest.mark.parametrize(
    ("quote", "nearest", "difference"),
    [
        ("prices rose in Zhengzhou by 0.8%", "prices rose in Zhengzhou by 0.3%", "[-0.8-]{+0.3+}%"),
        ("prices fell in Zhengzhou by 0.3%", "prices rose in Zhengzhou by 0.3%", "[-fell-]{+rose+}"),
        ("prices did not rise in Zhengzhou", "rose", ""),
        ("prices rose in Zhengzhou by 0.3 percentage points", "prices rose in Zhengzhou by 0.3%", ""),
    ],
)
async def test_what_differs_is_refused_with_what_stands_there(
    site: Site, bench: Bench, quote: str, nearest: str, difference: str
) -> None:
    url = site.html("/page", CITIES)
    with nothing_stored(bench), pytest.raises(AnchorNotFound) as caught:
        await bench.cite(url, quote=quote)
    assert nearest in caught.value.nearest
    assert difference in caught.value.difference
    assert caught.value.nearest.split()[0] in str(caught.value)


async def test_a_quote_that_stands_twice(site: Site, bench: Bench) -> None:
    url = site.html("/page", "<p>North: the rate was 5.33%.</p><p>South: the rate was 5.33%.</p>")
    with nothing_stored(bench), pytest.raises(AnchorAmbiguous) as caught:
        await bench.cite(url, quote="the rate was 5.33%")
    assert len(caught.value.candidates) == 2
    assert "North" in caught.value.candidates[0]
    citation = await bench.cite(url, quote="the rate was 5.33%", near="South")
    assert "South" in citation.anchor.prefix


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("<p>Please verify you are a human. Captcha. The rate was 5.33%.</p>", "captcha"),
        ("<p>Sign in to continue. The rate was 5.33%.</p>", "login"),
        ("<h1>404</h1><p>Page not found. The rate was 5.33%.</p>", "error page"),
        ("<p>页面不存在 The rate was 5.33%.</p>", "error page"),
        ("<p>Before you continue: the rate was 5.33%.</p>", "consent"),
        ("<div></div>", "empty"),
    ],
)
async def test_blocked_pages_are_never_evidence(site: Site, bench: Bench, body: str, reason: str) -> None:
    with nothing_stored(bench), pytest.raises(PageBlocked, match=reason):
        await bench.cite(site.html("/page", body), quote="the rate was 5.33%")


@pytest.mark.nightly
@pytest.mark.parametrize("status", [403, 404, 500])
async def test_error_pages_are_never_evidence(site: Site, bench: Bench, status: int) -> None:
    site.pages["/page"] = (status, {"content-type": "text/html"}, "<p>The rate was 5.33%.</p>")
    with nothing_stored(bench), pytest.raises((PageNotLoaded, PageBlocked), match=str(status)):
        await bench.cite(f"{site.url}/page", quote="The rate was 5.33%")


@pytest.mark.parametrize(
    "anchor",
    [
        {"quote": "  "},
        {"evidence_type": "pdf"},
        {"evidence_type": "video"},
        {"evidence_type": "image"},
        {"evidence_type": "table", "selector": "::nothing::", "row": ("x",)},
    ],
)
async def test_requests_that_do_not_say_what_to_look_for(
    site: Site, bench: Bench, anchor: dict[str, Any]
) -> None:
    with nothing_stored(bench), pytest.raises(BadArguments):
        await bench.cite(site.html("/page", CITIES), **anchor)


async def test_hidden_text_and_a_failed_step_are_refused(site: Site, bench: Bench) -> None:
    url = site.html("/page", '<p>shown</p><p style="display:none">the rate was 5.33%</p>')
    with nothing_stored(bench), pytest.raises(AnchorNotFound):
        await bench.cite(url, quote="the rate was 5.33%")
    with nothing_stored(bench), pytest.raises(StepFailed):
        await bench.cite(url, [{"type": "exec_js", "code": "throw 1"}], quote="shown")


# --- pages that differ from load to load


@pytest.mark.nightly
async def test_another_number_at_the_second_load_is_no_harm(site: Site, bench: Bench) -> None:
    """The replay is from the capture, not from the server."""
    loads: list[str] = []

    def page(path: str, body: bytes) -> Answer:
        loads.append(path)
        return 200, {"content-type": "text/html"}, f"<p>Visitor number {4710 + len(loads)} today</p>"

    site.pages["/page"] = page
    citation = await bench.cite(f"{site.url}/page", quote="Visitor number 4711 today")
    assert loads == ["/page"]
    assert (await replay(citation, bench.store, bench.browser, bench.settings)).verdict == "verified"
    assert loads == ["/page"]


RANDOM_CELL = """<table><tr><th>Name</th><th>Value</th></tr><tr><td>rate</td><td id="n"></td></tr></table>
<script>n.textContent = Math.random().toFixed(12)</script>"""
RANDOM_REQUEST = """<p id="n">waiting</p><script>fetch("/rate?id=" + Math.random().toFixed(12).slice(2))
.then((answer) => answer.text()).then((text) => { n.textContent = text })</script>"""


async def test_a_number_that_the_page_invents_is_only_in_its_snapshot(site: Site, bench: Bench) -> None:
    url = site.html("/page", RANDOM_CELL)
    citation = await bench.cite(url, evidence_type="table", row=("rate",), column=("Value",))
    assert (citation.replay, citation.value_source.kind) == ("snapshot", "script")
    assert "makes up these words" in citation.replay_reason
    assert (await replay(citation, bench.store, bench.browser, bench.settings)).verdict == "verified"


async def test_evidence_may_be_drawn_elsewhere_when_a_picture_above_it_never_came(
    site: Site, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench.browser, "_settings", bench.settings.model_copy(update={"settle_timeout_s": 1}))
    over = threading.Event()

    def never(path: str, body: bytes) -> tuple[int, dict[str, str], str]:
        over.wait(60)
        return 503, {}, ""

    quote = "The rate was 5.33%."
    site.pages["/above.png"] = never
    page = f"""<img src="/above.png" alt="{"A long name of a picture. " * 40}"><p>{quote}</p>"""
    try:
        citation = await bench.cite(site.html("/moving", page), quote=quote)
    finally:
        over.set()
    check = bench.store.checks(citation.id)[0]
    assert check.verdict == "verified"
    assert check.overlap is not None
    assert check.overlap < 0.5


async def test_a_frame_that_may_run_no_scripts_is_cited(site: Site, bench: Bench) -> None:
    quote = "The sluice opens at nine."
    page = f"""<p>Above.</p><iframe sandbox srcdoc="<p>{quote}</p><script>document.body.innerHTML = ''</script>"></iframe>"""
    citation = await bench.cite(site.html("/page", page), quote=quote)
    assert citation.anchor.text == quote
    assert bench.store.checks(citation.id)[0].verdict == "verified"


async def test_a_request_with_a_number_made_up_is_not_asked_again(site: Site, bench: Bench) -> None:
    """The reason names what differed."""
    site.file("/rate", "text/plain", "the rate was 5.33%")
    citation = await bench.cite(site.html("/page", RANDOM_REQUEST), quote="the rate was 5.33%")
    assert (citation.replay, citation.value_source.kind) == ("snapshot", "response")
    assert "parameter “id” differs" in citation.replay_reason


async def test_a_gate_on_the_way_in_lets_its_replay_in_too(site: Site, bench: Bench) -> None:
    """The cookies of each hop are kept: of the first redirect, and of the answer to what the gate posts."""

    def page(path: str, body: bytes) -> Answer:
        if "POST /pass" not in site.seen:
            return 302, {"location": "/gate", "set-cookie": "way=in; Max-Age=60; Path=/"}, ""
        body_of = "<p id='p'>The rate is 5.33%.</p><script>p.append(' ' + document.cookie)</script>"
        return 200, {"content-type": "text/html"}, body_of

    site.pages["/page"] = page
    site.html(
        "/gate",
        """<form method="post" action="/pass"><button id="b" name="ok" value="1">Yes</button></form>
    <script>if (document.cookie !== "way=in") b.remove()</script>""",
    )
    site.pages["/pass"] = (303, {"location": "/page", "set-cookie": "gate=passed; Path=/"}, "")
    steps = [{"type": "click", "selector": "#b"}]
    citation = await bench.cite(f"{site.url}/page", steps, quote="The rate is 5.33%. way=in; gate=passed")
    asked = list(site.seen)
    assert (await replay(citation, bench.store, bench.browser, bench.settings)).verdict == "verified"
    assert site.seen == asked


async def test_a_page_that_makes_up_what_it_asks_for_is_kept_by_its_snapshot(
    site: Site, bench: Bench
) -> None:
    """The body of the request differs in one random field: nothing says that its answer would be the same."""
    site.file("/api", "text/plain", "the rate was 5.33%")
    body = """<p id="p"></p><script>fetch("/api", {method: "POST",
    headers: {"content-type": "application/json"}, body: JSON.stringify({day: "2025-02-11", limit: 10, page: 1,
    city: "Shanghai", token: crypto.randomUUID()})})
    .then((answer) => answer.text()).then((text) => { p.textContent = text })</script>"""
    citation = await bench.cite(site.html("/page", body), quote="the rate was 5.33%")
    assert (citation.replay, citation.value_source.kind) == ("snapshot", "response")


async def test_words_that_lie_apart_are_no_quote(site: Site, bench: Bench) -> None:
    url = site.html("/page", '<p>The rate was <bdo dir="rtl">91</bdo> in May.</p>')
    with nothing_stored(bench), pytest.raises(AnchorNotFound, match="does not say that"):
        await bench.cite(url, quote="The rate was 91 in May.")


async def test_jsonp_posts_and_todays_date_replay(site: Site, bench: Bench) -> None:
    """A random callback, a cache-buster, a JSON body, and the day from the clock of the capture."""

    def jsonp(path: str, body: bytes) -> Answer:
        name = path.partition("jsonCallBack=")[2].partition("&")[0]
        return 200, {"content-type": "text/javascript"}, f'{name}({{"rate": "5.33"}})'

    def post(path: str, body: bytes) -> Answer:
        return 200, {"content-type": "application/json"}, json.dumps({"day": json.loads(body)["day"]})

    site.pages["/jsonp"], site.pages["/post"] = jsonp, post
    body = """<p>The rate was <b id="p"></b> on <i id="q"></i>, and today is <i id="d"></i>.</p><script>
    const name = "cb" + String(Math.random()).slice(2, 10);
    window[name] = (data) => { p.textContent = data.rate };
    const tag = document.createElement("script");
    tag.src = `/jsonp?code=1&jsonCallBack=${name}&_=${Date.now()}`;
    document.body.append(tag);
    d.textContent = new Date().toISOString().slice(0, 10);
    fetch("/post", {method: "POST", headers: {"content-type": "application/json"},
      body: JSON.stringify({day: "2025-02-11", limit: 10})})
      .then((answer) => answer.json()).then((data) => { q.textContent = data.day });</script>"""
    url = site.html("/page", body)
    citation = await bench.cite(url, quote="The rate was 5.33 on 2025-02-11")
    day = citation.capture.captured_at.strftime("%Y-%m-%d")
    assert f"and today is {day}." in bench.file(citation, "text.txt").decode()
    check = await replay(citation, bench.store, bench.browser, bench.settings)
    assert (check.verdict, check.overlap) == ("verified", 1.0)


@pytest.mark.nightly
async def test_data_larger_than_the_buffer_of_the_browser(site: Site, bench: Bench) -> None:
    rows = [{"name": f"row {number}", "pad": "x" * 200} for number in range(100_000)]
    site.file("/rows.json", "application/json", json.dumps([*rows, {"name": "The total is 4,711."}]))
    url = site.html(
        "/large",
        "<p id=p></p><script>fetch('/rows.json').then((it) => it.json())"
        ".then((rows) => { p.textContent = rows.at(-1).name })</script>",
    )
    assert len(site.pages["/rows.json"][2]) > 22_000_000  # type: ignore[index]
    citation = await bench.cite(url, quote="The total is 4,711.")
    assert citation.capture is not None


async def test_redirects_are_in_the_capture(site: Site, bench: Bench) -> None:
    site.pages["/a"] = (301, {"location": "/b"}, "")
    site.pages["/b"] = (302, {"location": "/page"}, "")
    final = site.html("/page", CITIES)
    citation = await bench.cite(f"{site.url}/a", quote="in Luoyang by 0.4%")
    assert (citation.source_url, citation.final_url) == (f"{site.url}/a", final)
    with bench.store.open_capture(citation) as reader:
        statuses = {
            entry.url.removeprefix(site.url): entry.status
            for entry in reader.entries()
            if entry.method == "GET"
        }
    assert (statuses["/a"], statuses["/b"], statuses["/page"]) == (301, 302, 200)
    assert (await replay(citation, bench.store, bench.browser, bench.settings)).verdict == "verified"


# --- tables


async def test_a_column_of_a_table(site: Site, bench: Bench) -> None:
    """A cell and a row are cited in test_one_page_state_is_captured_once."""
    url = site.html("/page", CITIES)
    collected = await bench.collect(url, evidence_type="table", column=("New homes", "Month"))
    anchor = collected.citation.anchor
    assert anchor.table is not None
    assert (anchor.table.mode, anchor.css_path, collected.check.overlap) == ("column", "#cities", 1.0)
    assert "99.4" in anchor.text and "99.5" in anchor.text and "91.1" not in anchor.text
    assert verify(collected.citation, bench.store).check.verdict == "verified"


@pytest.mark.nightly
async def test_a_whole_table_by_selector(site: Site, bench: Bench) -> None:
    url = site.html("/page", CITIES)
    citation = await bench.cite(url, evidence_type="table", selector="#cell")
    assert citation.anchor.table is not None
    assert (citation.anchor.table.mode, citation.anchor.css_path) == ("table", "#cities")
    assert all(number in citation.anchor.text for number in ("99.4", "90.9", "99.5", "91.1"))
    assert len(citation.anchor.rects) == 1


@pytest.mark.parametrize(
    ("anchor", "words"),
    [
        ({"row": ("Beijing",), "column": ("Year",)}, "Beijing"),
        ({"row": ("郑州",), "column": ("Decade",)}, "Decade"),
        ({"row": ("郑州",), "column": ("Year",), "quote": "91.9"}, "the cell at these headers says “90.9”"),
        ({"row": ("x",), "column": ("y",), "selector": "#nothing"}, "no visible table"),
    ],
)
async def test_cells_that_are_not_there(site: Site, bench: Bench, anchor: dict[str, Any], words: str) -> None:
    with nothing_stored(bench), pytest.raises(AnchorNotFound) as caught:
        await bench.cite(site.html("/page", CITIES), evidence_type="table", **anchor)
    assert words.casefold() in str(caught.value).casefold()


LID = "<style>th, td { position: relative } .lid { position: absolute; inset: 0; background: #eee }</style>"


@pytest.mark.parametrize(
    ("under", "refused"),
    [("9.1", True), ("Year", True), nightly("Bern", True), ("7.2", False), nightly("Month", False)],
)
async def test_a_cell_and_the_headers_that_name_it_must_be_seen(
    site: Site, bench: Bench, under: str, refused: bool
) -> None:
    rows = "<tr><th>City</th><th>Month</th><th>Year</th></tr><tr><th>Bern</th><td>5.3</td><td>9.1</td></tr>"
    table = f"<table>{rows}<tr><th>Basel</th><td>6.4</td><td>7.2</td></tr></table>"
    body = LID + table.replace(f">{under}<", f">{under}<span class=lid></span><")
    url = site.html("/page", f"<p>The rates of two cities by month and year.</p>{body}")
    if refused:
        with pytest.raises(AnchorNotFound, match=f"no reader sees “{under}”"):
            await bench.collect(url, evidence_type="table", row=("Bern",), column=("Year",))
    else:
        assert (
            await bench.cite(url, evidence_type="table", row=("Bern",), column=("Year",))
        ).anchor.text == "9.1"


@pytest.mark.nightly
async def test_a_table_in_a_frame(site: Site, bench: Bench) -> None:
    site.html("/inner", CITIES)
    url = site.html("/page", '<p>outer</p><iframe id="f" width="900" height="500" src="/inner"></iframe>')
    collected = await bench.collect(url, evidence_type="table", row=("郑州",), column=("Year",))
    assert collected.citation.anchor.frame_path == ("#f",)
    assert (collected.citation.anchor.text, collected.check.overlap) == ("90.9", 1.0)
    assert bench.is_marked(collected.citation)


# --- documents


async def test_a_pdf_by_its_address(site: Site, bench: Bench) -> None:
    body = pdf("Nothing here.", "The rate was 5.33% in February.")
    url = site.file("/report.pdf", "application/pdf", body)
    collected = await bench.collect(url, evidence_type="pdf", quote="The rate was 5.33%", page_number=2)
    citation = collected.citation
    assert (citation.anchor.page_number, citation.document_url) == (2, url)
    assert bench.file(citation, "source.pdf") == body
    assert bench.is_marked(citation)
    assert collected.check.overlap == 1.0
    assert verify(citation, bench.store).check.verdict == "verified"
    assert (await replay(citation, bench.store, bench.browser, bench.settings)).verdict == "verified"


@pytest.mark.nightly
@pytest.mark.parametrize("target", ["", ' target="_blank"'])
async def test_a_pdf_that_steps_lead_to(site: Site, bench: Bench, target: str) -> None:
    site.file("/report.pdf", "application/pdf", pdf("The rate was 5.33% in February."))
    url = site.html("/list", f'<a id="a" href="/report.pdf"{target}>Report</a>')
    steps = [{"type": "click", "selector": "#a"}]
    citation = await bench.cite(url, steps, evidence_type="pdf", quote="The rate was 5.33%", page_number=1)
    assert (citation.source_url, citation.document_url) == (url, f"{site.url}/report.pdf")
    assert (await replay(citation, bench.store, bench.browser, bench.settings)).verdict == "verified"


async def test_the_wrong_page_of_a_pdf_names_the_right_one(site: Site, bench: Bench) -> None:
    url = site.file("/report.pdf", "application/pdf", pdf("Nothing here.", "The rate was 5.33% in February."))
    with nothing_stored(bench), pytest.raises(AnchorNotFound, match="page number 2"):
        await bench.cite(url, evidence_type="pdf", quote="The rate was 5.33%", page_number=1)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("body", "error"),
    [
        (scanned_pdf(), NoText),
        (pdf("The rate was 5.33%", password="secret"), WrongContent),
        (b"%PDF-1.4 not really", WrongContent),
    ],
    ids=["scan", "password", "damaged"],
)
async def test_documents_that_can_not_be_read(
    site: Site, bench: Bench, body: bytes, error: type[ToolError]
) -> None:
    url = site.file("/report.pdf", "application/pdf", body)
    with nothing_stored(bench), pytest.raises(error):
        await bench.cite(url, evidence_type="pdf", quote="The rate was 5.33%", page_number=1)


async def test_the_wrong_kind_of_content(site: Site, bench: Bench) -> None:
    url = site.file("/report.pdf", "application/pdf", pdf("The rate was 5.33%"))
    with nothing_stored(bench), pytest.raises(WrongContent, match="evidence type pdf"):
        await bench.cite(url, quote="The rate was 5.33%")
    page = site.html("/page", CITIES)
    with nothing_stored(bench), pytest.raises(WrongContent, match="No PDF"):
        await bench.cite(page, evidence_type="pdf", quote="The rate", page_number=1)


# --- videos


async def test_a_video(offline_bench: Bench) -> None:
    from verifaible.evidence.replay import read_video
    from verifaible.schema.anchor import AnchorRequest

    url = "https://www.youtube.com/watch?v=iG9CE55wbtY"
    material = await read_video(
        offline_bench.web, offline_bench.browser, url, AnchorRequest(evidence_type="video", quote="x")
    )
    caption = max(
        material.transcript.captions if material.transcript else (), key=lambda each: len(each.text)
    )
    citation = await offline_bench.cite(url, evidence_type="video", quote=caption.text, at_s=caption.start_s)
    assert citation.anchor.time is not None
    assert citation.anchor.time.start_s <= caption.start_s <= citation.anchor.time.end_s
    assert citation.capture.synthetic
    assert offline_bench.json(citation, "transcript.json")["video_id"] == "iG9CE55wbtY"
    assert citation.picture is not None and citation.picture.tiles
    assert verify(citation, offline_bench.store).check.verdict == "verified"
    check = await replay(citation, offline_bench.store, offline_bench.browser, offline_bench.settings)
    assert check.verdict == "verified"


@pytest.mark.nightly
@pytest.mark.parametrize("video", ["nOcApt10nS0", "gOneVide0_x"])
async def test_videos_without_captions(offline_bench: Bench, video: str) -> None:
    url = f"https://www.youtube.com/watch?v={video}"
    with nothing_stored(offline_bench), pytest.raises(NoTranscript):
        await offline_bench.cite(url, evidence_type="video", quote="anything at all")


async def test_words_that_a_video_does_not_say(offline_bench: Bench) -> None:
    url = "https://www.youtube.com/watch?v=iG9CE55wbtY"
    with nothing_stored(offline_bench), pytest.raises(AnchorNotFound):
        await offline_bench.cite(
            url, evidence_type="video", quote="the price of tea in Chengdu rose by 5.33%"
        )


async def test_what_is_not_archived(offline_bench: Bench) -> None:
    with nothing_stored(offline_bench), pytest.raises(OfflineMiss, match=r"http://example\.org/page"):
        await offline_bench.cite("http://example.org/page", quote="x")


# --- images


@pytest.mark.nightly
@pytest.mark.parametrize(
    "anchor", [{"alt": "rate chart"}, {"selector": "#chart"}, {"selector": "figure img"}]
)
async def test_an_image_from_the_server(site: Site, bench: Bench, anchor: dict[str, Any]) -> None:
    import base64

    body = base64.b64decode(DOT.partition(",")[2])
    site.file("/chart.gif", "image/gif", body)
    page = f'<figure><img id="chart" alt="Rate chart 2025" width="90" height="60" src="/chart.gif"></figure><img alt="other" src="{DOT}">'
    citation = await bench.cite(site.html("/page", page), evidence_type="image", **anchor)
    assert citation.anchor.image is not None
    assert citation.anchor.image.sha256 == hashlib.sha256(body).hexdigest()
    assert bench.file(citation, "image.bin") == body
    assert citation.anchor.text == "Rate chart 2025"
    assert (await replay(citation, bench.store, bench.browser, bench.settings)).verdict == "verified"


@pytest.mark.nightly
async def test_an_image_from_a_data_url(site: Site, bench: Bench) -> None:
    import base64

    url = site.html("/page", f'<img alt="dot" width="50" height="50" src="{DOT}">')
    citation = await bench.cite(url, evidence_type="image", alt="dot")
    assert bench.file(citation, "image.bin") == base64.b64decode(DOT.partition(",")[2])


@pytest.mark.nightly
async def test_images_that_are_not_there_or_not_alone(site: Site, bench: Bench) -> None:
    url = site.html("/page", f'<img alt="dot one" src="{DOT}"><img alt="dot two" src="{DOT}">')
    with nothing_stored(bench), pytest.raises(AnchorNotFound, match="dot one"):
        await bench.cite(url, evidence_type="image", alt="chart")
    with nothing_stored(bench), pytest.raises(AnchorAmbiguous):
        await bench.cite(url, evidence_type="image", alt="dot")
    drawn = site.html(
        "/drawn", '<svg aria-label="Chart" width="30" height="30"><rect width="9" height="9"/></svg>'
    )
    with nothing_stored(bench), pytest.raises(WrongContent, match="The image has no file"):
        await bench.cite(drawn, evidence_type="image", alt="Chart")


@pytest.mark.nightly
async def test_an_image_that_did_not_load_is_no_evidence(site: Site, bench: Bench) -> None:
    url = site.html("/page", '<p>words</p><img alt="chart" width="50" height="50" src="/gone.png">')
    with nothing_stored(bench), pytest.raises(ToolError):
        await bench.cite(url, evidence_type="image", alt="chart")
