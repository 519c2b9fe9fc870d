"""Making citations of every type, refusing what is not there, and what a capture holds."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import rfc8785

from tests.browser.citing import Bench, nothing_stored, pdf, scanned_pdf
from tests.browser.conftest import Answer, Site
from verifaible.browser import session as sessions
from verifaible.browser.session import Browser
from verifaible.config import Settings
from verifaible.errors import (
    AnchorAmbiguous,
    AnchorNotFound,
    BadArguments,
    NoText,
    NotReproducible,
    NoTranscript,
    OfflineMiss,
    PageBlocked,
    PageNotLoaded,
    StepFailed,
    ToolError,
    WrongContent,
)
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
    monkeypatch.setattr(sessions, "QUIET_MS_LIVE", 80)


@pytest.fixture
def bench(tmp_path: Path, settings: Settings, live_web: Web, browser: Browser) -> Bench:
    return Bench(tmp_path, settings, live_web, browser)


@pytest.fixture
def offline_bench(
    tmp_path: Path, offline_settings: Settings, offline_web: Web, offline_browser: Browser
) -> Bench:
    return Bench(tmp_path, offline_settings, offline_web, offline_browser)


# --- text


async def test_a_text_citation_and_everything_its_capture_holds(site: Site, bench: Bench) -> None:
    url = site.html("/page", CITIES, title="Prices")
    collected = await bench.collect(url, quote="prices rose in Zhengzhou by 0.3%")
    citation, check = collected.citation, collected.check
    assert citation.anchor.text == "prices rose in Zhengzhou by 0.3%"
    assert citation.title == "Prices"
    assert (check.kind, check.verdict, check.text_similarity, check.overlap) == ("self", "verified", 1.0, 1.0)
    assert bench.store.checks(citation.id) == (check,)
    text = bench.file(citation, "text.txt").decode()
    assert citation.anchor.start is not None
    assert text[citation.anchor.start : citation.anchor.end] == citation.anchor.text
    assert citation.anchor.text_fragment == f"{url}#:~:text=prices%20rose%20in%20Zhengzhou%20by%200.3%25"
    # The highlight is painted on a copy: it never touches what is evidence.
    page, highlight = bench.file(citation, "page.png"), bench.file(citation, "highlight.png")
    assert page.startswith(b"\x89PNG")
    assert page != highlight
    dom = bench.file(citation, "dom.html").decode()
    assert "99.4" in dom
    assert "verifaible" not in dom
    assert "2147483647" not in dom
    provenance = bench.json(citation, "provenance.json")
    derived = provenance["derivatives"]["highlight.png"]
    assert derived["made_from"] == "page.png"
    assert derived["parent_sha256"] == hashlib.sha256(page).hexdigest() == provenance["sha256"]["page.png"]
    assert derived["sha256"] == hashlib.sha256(highlight).hexdigest()
    assert "do not prove" in provenance["what_a_hash_proves"]
    assert provenance["browser"].startswith("Chromium ")
    assert provenance["final_url"] == url
    # The same place is found from the sealed bytes alone, and again in a browser.
    assert verify(citation, bench.store).check.verdict == "verified"
    assert (await replay(citation, bench.store, bench.browser, bench.settings)).verdict == "verified"


async def test_a_capture_is_a_valid_package(site: Site, bench: Bench) -> None:
    citation = await bench.cite(site.html("/page", CITIES), quote="in Luoyang by 0.4%")
    with bench.store.open_capture(citation) as reader:
        assert reader.verify(public_key=bench.store.signer.public_key) == []
    path = bench.store.capture_path(citation.capture.sha256)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == citation.capture.sha256
    assert path.stat().st_size == citation.capture.size_bytes
    wacz = Path(sys.executable).with_name("wacz")
    done = subprocess.run([wacz, "validate", "--file", path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


async def test_a_citation_file_is_a_canonical_web_annotation(site: Site, bench: Bench) -> None:
    url = site.html("/page", CITIES)
    citation = await bench.cite(url, quote="in Luoyang by 0.4%")
    data = (bench.store.folder / "citations" / f"{citation.id}.json").read_bytes()
    record = json.loads(data)
    assert rfc8785.dumps(record) == data
    assert record["@context"] == "http://www.w3.org/ns/anno.jsonld"
    assert (record["type"], record["id"]) == ("Annotation", f"urn:verifaible:{citation.id}")
    assert record["body"]["value"] == "A claim"
    assert record["target"]["source"] == url
    kinds = {selector["type"]: selector for selector in record["target"]["selector"]}
    assert kinds["TextQuoteSelector"]["exact"] == "in Luoyang by 0.4%"
    assert kinds["TextPositionSelector"]["start"] == citation.anchor.start
    assert kinds["CssSelector"]["value"] == citation.anchor.css_path
    assert record["target"]["state"]["cached"] == f"captures/{citation.capture.sha256}.wacz"


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


async def test_text_in_a_shadow_root(site: Site, bench: Bench) -> None:
    body = """<my-card id="card"></my-card><script>document.querySelector("my-card")
    .attachShadow({mode: "open"}).innerHTML = "<p>other</p><p>the shadow says 5.33%</p>";</script>"""
    citation = await bench.cite(site.html("/page", body), quote="the shadow says 5.33%")
    assert citation.anchor.css_path == "#card >>> p:nth-of-type(2)"
    assert bench.file(citation, "page.png") != bench.file(citation, "highlight.png")


async def test_text_in_a_frame_from_another_site(site: Site, bench: Bench) -> None:
    site.html("/inner", "<p>The foreign frame says 5.33%</p>")
    other = site.url.replace("127.0.0.1", "localhost")
    url = site.html("/page", f'<p>outer words</p><iframe id="f" src="{other}/inner"></iframe>')
    citation = await bench.cite(url, quote="The foreign frame says 5.33%")
    assert citation.anchor.frame_path == ("#f",)
    assert bench.file(citation, "page.png") != bench.file(citation, "highlight.png")
    assert (await replay(citation, bench.store, bench.browser, bench.settings)).verdict == "verified"


@pytest.mark.parametrize(
    ("quote", "nearest", "difference"),
    [
        ("prices rose in Zhengzhou by 0.8%", "prices rose in Zhengzhou by 0.3%", "[-0.8%-] {+0.3%+}"),
        ("prices fell in Zhengzhou by 0.3%", "prices rose in Zhengzhou by 0.3%", "[-fell-] {+rose+}"),
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
    assert difference in caught.value.difference.replace("0.8-]%", "0.8%-]")
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


async def test_a_number_that_the_page_invents_is_refused(site: Site, bench: Bench) -> None:
    body = "<p>The number is <b id=n></b> exactly</p><script>n.textContent = Math.random()</script>"
    url = site.html("/page", body)
    steps = [{"type": "exec_js", "code": "n.textContent = Math.floor(Math.random() * 1e9) + ' or so'"}]
    with nothing_stored(bench), pytest.raises(ToolError) as caught:
        await bench.cite(url, steps, quote="The number is", near="exactly")
        pytest.fail("the words around are steady, the number is not")
    assert isinstance(caught.value, NotReproducible | AnchorNotFound)


async def test_a_quote_with_a_random_number_is_not_reproducible(site: Site, bench: Bench) -> None:
    """The quote is right at the first load, and no replay can give it again."""
    body = """<p>The number is <b id=n></b> exactly</p><script>
    n.textContent = location.protocol.startsWith("http") && Math.random() < 2 ? Math.random().toFixed(12) : "";
    fetch("/told?" + n.textContent)</script>"""
    told: list[str] = []

    def tell(path: str, body: bytes) -> Answer:
        told.append(path.partition("?")[2])
        return 200, {"content-type": "text/plain"}, ""

    site.pages["/told"] = tell
    url = site.html("/page", body)
    steps = [{"type": "exec_js", "code": "document.title = n.textContent"}]
    with nothing_stored(bench), pytest.raises((NotReproducible, AnchorNotFound)):
        await bench.cite(url, steps, evidence_type="text", quote="The number is")
        raise AssertionError("only steady words were quoted")
