"""Checking a citation later: against the live page, after tampering, after kills, from two processes."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import pytest_asyncio

from tests.browser.citing import Bench, pdf
from tests.browser.conftest import REPOSITORY, Site, serving
from tests.kit.marks import nightly
from verifaible.browser.page import watched
from verifaible.browser.waiting import bounded
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import IntegrityError
from verifaible.evidence import replay as replaying
from verifaible.evidence.replay import read_video, recheck, replay
from verifaible.evidence.verify import verify
from verifaible.net.client import HttpClient, offline_client
from verifaible.net.web import Web
from verifaible.schema.anchor import AnchorRequest
from verifaible.schema.check import Check
from verifaible.schema.citation import Citation
from verifaible.schema.web import Headers, WebAnswer, WebExchange, WebRequest
from verifaible.store.sealed import capture_file, citation_file, picture_files
from verifaible.store.store import Store

FILLER = "<p>Other words that fill the page stand in this place, and say nothing of the rate.</p>"
PAGE = f"<h1>Report</h1><p>In February the rate was 5.33% in Shanghai.</p>{FILLER * 6}"
QUOTE = "the rate was 5.33%"
TABLE = "<table><tr><th>City</th><th>Rate</th></tr><tr><td>Shanghai</td><td>5.33</td></tr>{}</table>"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page on loopback needs no patience."""
    monkeypatch.setattr(watched, "QUIET_MS_LIVE", 80)


@pytest.fixture
def bench(tmp_path: Path, settings: Settings, live_web: Web, browser: Browser) -> Bench:
    return Bench(tmp_path, settings, live_web, browser)


Cited: TypeAlias = tuple[Bench, Citation]


@pytest.fixture(scope="module")
def standing() -> Iterator[Site]:
    with serving() as kept:
        yield kept


@pytest.fixture
def site(standing: Site) -> Site:
    """The site of all tests, with nothing but PAGE."""
    standing.pages.clear()
    standing.seen.clear()
    standing.html("/page", PAGE)
    return standing


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def cited(
    standing: Site,
    tmp_path_factory: pytest.TempPathFactory,
    settings: Settings,
    live_web: Web,
    browser: Browser,
) -> Cited:
    """A citation of PAGE for tests that change nothing in its store."""
    bench = Bench(tmp_path_factory.mktemp("cited"), settings, live_web, browser)
    return bench, await bench.cite(standing.html("/page", PAGE), quote=QUOTE)


async def after(site: Site, cited: Cited, changed: str) -> Check:
    """What a check of a citation of PAGE says once the page has changed."""
    bench, citation = cited
    site.html("/page", changed)
    return await recheck(citation, bench.store, bench.browser, bench.settings)


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [
        pytest.param(PAGE, "verified", id="same", marks=pytest.mark.nightly),
        pytest.param(
            PAGE.replace("<h1>Report</h1>", "<p>New above.</p><h1>Report</h1>"),
            "verified",
            id="shifted",
            marks=pytest.mark.nightly,
        ),
        # the heading is part of the evidence: under another one the words stand elsewhere
        pytest.param(
            PAGE.replace("<h1>Report</h1>", "<h1>Report of today</h1>"),
            "moved",
            id="another-heading",
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            f"<h1>Report</h1>{FILLER * 6}<p>A correction of an old note: the rate was 5.33%, it is said.</p>",
            "changed",
            id="another-sentence",
        ),
        # between the same ones: the words are there, and another sentence holds them
        pytest.param(
            PAGE.replace("In February the", "An older note said that the").replace("in Shanghai", "there"),
            "changed",
            id="another-sentence-in-its-place",
        ),
        pytest.param(PAGE.replace("5.33", "5.38"), "changed", id="digit", marks=pytest.mark.nightly),
        pytest.param(PAGE.replace("was 5.33%", "was not 5.33%"), "changed", id="negation"),
        pytest.param(PAGE.replace("5.33%", "5.33 bp"), "changed", id="unit", marks=pytest.mark.nightly),
        pytest.param(f"<h1>Report</h1>{FILLER * 6}", "gone", id="gone"),
        pytest.param("<p>Please verify you are human</p>", "blocked", id="captcha"),
        pytest.param("<p></p>", "blocked", id="empty"),
    ],
)
async def test_verdicts_after_a_change_of_the_page(
    site: Site, cited: Cited, changed: str, verdict: str
) -> None:
    check = await after(site, cited, changed)
    assert (check.kind, check.verdict) == ("live", verdict)
    if verdict == "verified":
        assert (check.text_similarity, check.difference) == (1.0, ())


async def test_a_changed_digit_is_shown(site: Site, cited: Cited) -> None:
    check = await after(site, cited, PAGE.replace("5.33", "5.38"))
    assert "5.38" in check.found
    marked = {(token.op, token.kind) for token in check.difference if token.op != "same"}
    assert marked == {("removed", "number"), ("added", "number")}
    assert "{+5.38%+}" in check.message or "{+5.38+}" in check.message


@pytest.mark.nightly
async def test_a_quote_that_stands_twice_now_and_nowhere_as_it_did(site: Site, cited: Cited) -> None:
    before = "As the bureau of the northern region has told all the papers again and again, "
    behind = ", which is what people claim at length whenever someone asks them about it at all."
    # Far from where it stood, so that its old offset does not choose either.
    twice = f"<p>{'Quite unrelated. ' * 100}</p><p>One. {before}{QUOTE}{behind}</p><p>Two. {before}{QUOTE}{behind}</p>"
    check = await after(site, cited, twice)
    assert check.verdict == "ambiguous"


@pytest.mark.parametrize(("times", "verdict"), [(1, "verified"), (2, "error")])
async def test_a_page_that_hangs_is_looked_at_once_more_and_is_never_gone(
    site: Site, cited: Cited, monkeypatch: pytest.MonkeyPatch, times: int, verdict: str
) -> None:
    bench, citation = cited
    look, left = replaying._look, times

    async def busy(*arguments: Any, **options: Any) -> Any:
        nonlocal left
        left -= 1
        if left >= 0:
            await bounded(asyncio.sleep(60), 0.01, "the page")
        return await look(*arguments, **options)

    monkeypatch.setattr(replaying, "_look", busy)
    assert (await recheck(citation, bench.store, bench.browser, bench.settings)).verdict == verdict


#: Never at rest: its clock goes on.
RESTLESS = (
    "<p id=clock></p><script>setInterval(() => { clock.textContent = performance.now(); }, 20)</script>"
)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("looks", "verdict"),
    [(("", ""), "error"), (("", PAGE), "verified"), (("", PAGE.replace("5.33", "5.38")), "error")],
    ids=["never there", "there at the second look", "two looks, two findings"],
)
async def test_a_page_that_does_not_come_to_rest_is_looked_at_once_more(
    site: Site, cited: Cited, monkeypatch: pytest.MonkeyPatch, looks: tuple[str, str], verdict: str
) -> None:
    bench, citation = cited
    monkeypatch.setattr(watched, "QUIET_CAP_MS", 150)
    left = list(looks)

    def answer(*_: object) -> tuple[int, dict[str, str], str]:
        text = left.pop(0) if len(left) > 1 else left[0]
        return 200, {"content-type": "text/html"}, f"<title>Test page</title>{text}{FILLER * 9}{RESTLESS}"

    site.pages["/page"] = answer
    settings = bench.settings.model_copy(update={"settle_timeout_s": 0.5})
    assert (await recheck(citation, bench.store, bench.browser, settings)).verdict == verdict


async def test_a_page_that_is_gone(site: Site, cited: Cited) -> None:
    bench, citation = cited
    del site.pages["/page"]
    check = await recheck(citation, bench.store, bench.browser, bench.settings)
    assert (check.verdict, "404" in check.message) == ("gone", True)
    site.pages["/page"] = (403, {"content-type": "text/html"}, PAGE)
    assert (await recheck(citation, bench.store, bench.browser, bench.settings)).verdict == "blocked"


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("rows", "verdict"),
    [
        ("<tr><td>Beijing</td><td>4</td></tr>", "verified"),
        ("<tr><td>Beijing</td><td>5.33</td></tr>", "verified"),
    ],
)
async def test_a_table_that_grows(site: Site, bench: Bench, rows: str, verdict: str) -> None:
    url = site.html("/page", TABLE.format(""))
    citation = await bench.cite(url, evidence_type="table", row=("Shanghai",), column=("Rate",))
    site.html("/page", TABLE.format(rows))
    assert (await recheck(citation, bench.store, bench.browser, bench.settings)).verdict == verdict


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("above", "inside"),
    [
        ("", "<caption>{}</caption>"),
        ("<h2>{}</h2>", ""),
        nightly(
            "<h1>Site</h1><section><h3>{}</h3><p>Per cent. The table says what the bureau counted.</p></section>",
            "",
        ),
        nightly("<p align=center><b>{}</b></p><p>Unit: %</p>", ""),
    ],
    ids=["caption", "heading", "nested", "bold"],
)
async def test_a_table_in_the_place_of_the_old_one(site: Site, bench: Bench, above: str, inside: str) -> None:
    def page(title: str) -> str:
        table = TABLE.format("").replace("<table>", f"<table>{inside.format(title)}")
        return f"{FILLER}{above.format(title)}{table}{FILLER}"

    url = site.html("/page", page("Vacancy 2025"))
    citation = await bench.cite(url, evidence_type="table", row=("Shanghai",), column=("Rate",))
    assert (await replay(citation, bench.store, bench.browser, bench.settings)).verdict == "verified"
    assert verify(citation, bench.store).check.verdict == "verified"
    checks = []
    for title in ("Vacancy 2025", "Vacancy 2026", "Vacancy 2025 of flats"):
        site.html("/page", page(title))
        checks.append(await recheck(citation, bench.store, bench.browser, bench.settings))
    assert [check.verdict for check in checks] == ["verified", "changed", "changed"]
    assert {token.text.strip() for token in checks[1].difference if token.op != "same"} == {"2025", "2026"}
    assert {token.text.strip() for token in checks[2].difference if token.op != "same"} == {"of", "flats"}


async def test_a_cell_over_time(site: Site, bench: Bench) -> None:
    shanghai, suburbs, beijing = (
        f"<tr><td>{city}</td><td>{rate}</td></tr>"
        for city, rate in (("Shanghai", 5.33), ("Shanghai suburbs", 6.1), ("Beijing", 4))
    )

    def table(*rows: str) -> str:
        return f"<table><tr><th>City</th><th>Rate</th></tr>{''.join(rows)}</table>"

    url = site.html("/page", table(shanghai, suburbs))
    citation = await bench.cite(url, evidence_type="table", row=("Shanghai",), column=("Rate",))
    verdicts = []
    for changed in (
        f"<p>New above.</p>{table(beijing, shanghai, suburbs)}",  # it keeps its place beside a new row
        table(shanghai.replace("5.33", "5.34"), suburbs),
        table(shanghai.replace("Shanghai", "Wuhan"), suburbs),
        table(suburbs),
        table(suburbs, shanghai),
    ):
        site.html("/page", changed)
        check = await recheck(citation, bench.store, bench.browser, bench.settings)
        verdicts.append(check.verdict)
        assert check.found != "6.1"
    assert verdicts == ["verified", "changed", "gone", "gone", "moved"]


@pytest.mark.nightly
async def test_the_place_is_the_order_among_what_is_left_of_the_sealed_page(site: Site, bench: Bench) -> None:
    lines = [f"<p>Paragraph {n} says what it says.</p>" for n in range(6)]
    cited = f"<p>{QUOTE}</p>"
    citation = await bench.cite(site.html("/page", "".join([*lines[:3], cited, *lines[3:]])), quote=QUOTE)
    verdicts = []
    for body in (
        ["<p>Breaking news.</p>", *lines[1:3], "<p>Beside it.</p>", cited, "<p>And here.</p>", *lines[4:]],
        [*lines, cited],
        [cited, *lines],
    ):
        site.html("/page", "".join(body))
        verdicts.append((await recheck(citation, bench.store, bench.browser, bench.settings)).verdict)
    assert verdicts == ["verified", "moved", "moved"]


async def test_what_was_not_looked_at_is_not_gone(site: Site, cited: Cited) -> None:
    endless = """<div id="list"></div><script>
    let n = 0;
    const more = () => { for (let i = 0; i < 40; i += 1) {
      const line = document.createElement("p"); line.textContent = `Item ${n += 1} of many.`; list.append(line); } };
    more();
    addEventListener("scroll", () => { if (scrollY + innerHeight > document.body.scrollHeight - 300) more(); });
    </script>"""
    check = await after(site, cited, endless)
    assert (check.verdict, "scrolled through" in check.message) == ("error", True)


@pytest.mark.nightly
async def test_an_image_whose_bytes_change(site: Site, bench: Bench) -> None:
    gif = bytes.fromhex(
        "47494638396101000100800000ff0000ffffff21f90400000000002c00000000010001000002024401003b"
    )
    site.file("/a.gif", "image/gif", gif)
    url = site.html("/page", '<p>x</p><img alt="dot" width="40" height="40" src="/a.gif">')
    citation = await bench.cite(url, evidence_type="image", alt="dot")
    assert (await recheck(citation, bench.store, bench.browser, bench.settings)).verdict == "verified"
    site.file("/a.gif", "image/gif", gif.replace(b"\xff\x00\x00", b"\x00\xff\x00"))
    assert (await recheck(citation, bench.store, bench.browser, bench.settings)).verdict == "changed"


# --- where an address leads now, and what comes instead of the page


def redirect(to: str) -> tuple[int, dict[str, str], str]:
    return 302, {"location": to}, ""


def elsewhere(site: Site, path: str) -> str:
    """The same site under another name."""
    return site.url.replace("127.0.0.1", "localhost") + path


LOGIN = (
    "<h1>Sign in</h1><form>User name <input> Password <input type=password><button>Sign in</button></form>"
)
COOKIES = "<h1>Before you continue</h1><p>We use cookies and data.</p><button>Accept all</button><button>Reject all</button>"
SPINNER = "<div class=spinner aria-busy=true>Loading…</div>"


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("changed", "verdict"),
    [
        pytest.param(LOGIN, "blocked", id="login"),
        pytest.param(COOKIES, "blocked", id="consent", marks=pytest.mark.nightly),
        pytest.param("<h1>404</h1><p>Page not found</p>", "blocked", id="soft-404"),
        pytest.param(SPINNER, "blocked", id="half-loaded", marks=pytest.mark.nightly),
        # what could still go on says nothing of the evidence, however long it was waited for
        pytest.param(f"{SPINNER}<script>setInterval(Date, 200)</script>", "error", id="still-loading"),
        pytest.param(
            PAGE.replace(
                "In February the rate was 5.33% in Shanghai.", "In Beijing 5.33% of papers were late."
            ),
            "gone",
            id="lookalike-number",
        ),
        pytest.param(
            PAGE.replace("In February the rate was 5.33% in Shanghai.", "Moved. See 5.33 and 533%."),
            "gone",
            id="lookalike-digits",
            marks=pytest.mark.nightly,
        ),
    ],
)
async def test_what_a_page_has_become(site: Site, cited: Cited, changed: str, verdict: str) -> None:
    assert (await after(site, cited, changed)).verdict == verdict


@pytest.mark.nightly
@pytest.mark.parametrize("status", [404, 410])
async def test_a_page_that_is_no_more(site: Site, cited: Cited, status: int) -> None:
    bench, citation = cited
    site.pages["/page"] = (status, {"content-type": "text/html"}, "<h1>None</h1>")
    check = await recheck(citation, bench.store, bench.browser, bench.settings)
    assert (check.verdict, str(status) in check.message) == ("gone", True)


async def test_a_server_that_fails_says_nothing_of_the_evidence(site: Site, cited: Cited) -> None:
    bench, citation = cited
    site.pages["/page"] = (503, {"content-type": "text/html"}, PAGE)
    assert (await recheck(citation, bench.store, bench.browser, bench.settings)).verdict == "error"
    with socket.socket() as bound:  # bound, but nobody listens
        bound.bind(("127.0.0.1", 0))
        nowhere = citation.model_copy(update={"source_url": f"http://127.0.0.1:{bound.getsockname()[1]}/"})
        assert (await recheck(nowhere, bench.store, bench.browser, bench.settings)).verdict == "error"


async def test_a_redirect_to_a_home_page_is_not_the_evidence(site: Site, cited: Cited) -> None:
    bench, citation = cited
    site.html("/", f"<h1>Welcome</h1>{FILLER}<p>The news of today.</p>")
    verdicts = []
    for home, words in (
        (elsewhere(site, "/"), PAGE),
        (site.url + "/", PAGE),
        (site.url + "/", f"<h1>News</h1>{FILLER * 3}"),
    ):
        site.html("/", words)
        site.pages["/page"] = redirect(home)
        check = await recheck(citation, bench.store, bench.browser, bench.settings)
        verdicts.append(check.verdict)
        assert home in check.message
    assert verdicts == ["gone", "moved", "gone"]


@pytest.mark.nightly
async def test_a_page_that_has_moved_to_another_site(site: Site, cited: Cited) -> None:
    bench, citation = cited
    site.html("/archive/page", PAGE)
    site.pages["/page"] = redirect(elsewhere(site, "/archive/page"))
    check = await recheck(citation, bench.store, bench.browser, bench.settings)
    assert (check.verdict, "localhost" in check.message) == ("moved", True)
    site.pages["/page"] = redirect(site.url + "/archive/page")
    assert (await recheck(citation, bench.store, bench.browser, bench.settings)).verdict == "verified"


@pytest.mark.nightly
async def test_a_redirect_to_a_long_login_page(site: Site, cited: Cited) -> None:
    bench, citation = cited
    site.html("/account/login", f"<h1>Your account</h1>{FILLER * 30}")
    site.pages["/page"] = redirect("/account/login?next=/page")
    check = await recheck(citation, bench.store, bench.browser, bench.settings)
    assert (check.verdict, "/account/login" in check.message) == ("blocked", True)


@pytest.mark.nightly
async def test_steps_that_meet_a_login_page(site: Site, bench: Bench) -> None:
    hidden = f"<button onclick=\"document.querySelector('p').hidden=false\">Show</button><p hidden>{QUOTE}</p>{FILLER}"
    steps = [{"type": "click", "elementText": "Show"}]
    citation = await bench.cite(site.html("/page", hidden), steps, quote=QUOTE)
    assert (await recheck(citation, bench.store, bench.browser, bench.settings)).verdict == "verified"
    site.html("/page", LOGIN)
    assert (await recheck(citation, bench.store, bench.browser, bench.settings)).verdict == "blocked"
    site.html("/page", f"<h1>A new design</h1>{FILLER * 5}")
    check = await recheck(citation, bench.store, bench.browser, bench.settings)
    assert (check.verdict, "Step 1 (click) failed" in check.message) == ("error", True)


# --- other kinds of evidence


async def test_a_passage_of_a_pdf_over_time(site: Site, bench: Bench) -> None:
    def serve(*pages: str) -> str:
        return site.file("/a.pdf", "application/pdf", pdf(*pages))

    words = "The fund reports. Net assets were 5.33 million at the end of the year."
    citation = await bench.cite(
        serve("Cover", words), evidence_type="pdf", quote="Net assets were 5.33 million", page_number=2
    )
    seen = {}
    for name, pages in {
        "same": ("Cover", words),
        "later page": ("Cover", "A new foreword", words),
        "digit": ("Cover", words.replace("5.33", "5.35")),
        "taken out": ("Cover", "The fund reports nothing this year. Costs were 5.33 in all."),
    }.items():
        serve(*pages)
        seen[name] = (await recheck(citation, bench.store, bench.browser, bench.settings)).verdict
    assert seen == {"same": "verified", "later page": "moved", "digit": "changed", "taken out": "gone"}


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("leads", "verdict"),
    [("", "error"), ("location = '/b.html'", "gone"), ("location = '/a.pdf'", "verified")],
)
async def test_a_pdf_that_steps_lead_to(
    site: Site, bench: Bench, leads: str, verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That no PDF has come in some seconds does not say that it is gone."""
    monkeypatch.setattr(watched, "DOWNLOAD_WAIT_S", 0.3)
    site.file("/a.pdf", "application/pdf", pdf("Net assets were 5.33 million."))
    site.html("/b.html", PAGE)
    page = '<p>The report of the fund.</p><button onclick="{}">Report</button>'
    url = site.html("/page", page.format("location = '/a.pdf'"))
    click = [{"type": "click", "elementText": "Report"}]
    citation = await bench.cite(url, click, evidence_type="pdf", quote="Net assets were 5.33 million")
    site.html("/page", page.format(leads))
    check = await recheck(citation, bench.store, bench.browser, bench.settings)
    assert check.verdict == verdict, check.message


@pytest.mark.nightly
async def test_an_address_of_a_pdf_that_gives_a_page(site: Site, bench: Bench) -> None:
    url = site.file("/a.pdf", "application/pdf", pdf("Net assets were 5.33 million."))
    citation = await bench.cite(url, evidence_type="pdf", quote="Net assets were 5.33 million")
    seen = []
    for body in (LOGIN, f"<h1>Our reports</h1>{FILLER * 5}"):
        site.html("/a.pdf", body)
        seen.append((await recheck(citation, bench.store, bench.browser, bench.settings)).verdict)
    assert seen == ["blocked", "gone"]


@pytest.mark.nightly
async def test_a_table_whose_page_is_blocked_or_doubled(site: Site, bench: Bench) -> None:
    url = site.html("/page", TABLE.format(""))
    citation = await bench.cite(url, evidence_type="table", row=("Shanghai",), column=("Rate",))
    lookalike = TABLE.format("").replace("Shanghai", "Hangzhou")
    seen = []
    for body in (LOGIN, lookalike, f"<h2>Old</h2>{lookalike}<h2>New</h2>{TABLE.format('')}"):
        site.html("/page", body)
        seen.append((await recheck(citation, bench.store, bench.browser, bench.settings)).verdict)
    assert seen == ["blocked", "gone", "moved"]  # under a heading that it had not


@pytest.mark.nightly
async def test_an_image_over_time(site: Site, bench: Bench) -> None:
    gif = bytes.fromhex(
        "47494638396101000100800000ff0000ffffff21f90400000000002c00000000010001000002024401003b"
    )
    site.file("/a.gif", "image/gif", gif)
    image = '<img alt="dot" width="40" height="40" src="/a.gif">'
    citation = await bench.cite(site.html("/page", f"<p>x</p>{image}"), evidence_type="image", alt="dot")
    seen = []
    for body in (f"<p>x</p><div>{image}</div>", f"<p>x</p>{FILLER * 3}", LOGIN):
        site.html("/page", body)
        seen.append((await recheck(citation, bench.store, bench.browser, bench.settings)).verdict)
    assert seen == ["verified", "gone", "blocked"]


class EditedWeb(Web):
    """The replicas, with some words of the captions changed."""

    edit: Callable[[bytes], bytes]

    def client(self, kept: list[WebExchange] | None = None, told: Headers = ()) -> HttpClient:
        player = self.player()
        edit = self.edit

        class Edited:
            def find(self, request: WebRequest) -> WebAnswer:
                assert player is not None
                answer = player.find(request)
                body = edit(answer.response.body) if "timedtext" in request.url else answer.response.body
                return replace(answer, response=replace(answer.response, body=body))

        return offline_client(Edited(), kept)


@pytest.mark.nightly
async def test_a_caption_over_time(
    tmp_path: Path, offline_settings: Settings, offline_web: Web, offline_browser: Browser
) -> None:
    bench = Bench(tmp_path, offline_settings, offline_web, offline_browser)
    url = "https://www.youtube.com/watch?v=iG9CE55wbtY"
    material = await read_video(
        offline_web, offline_browser, url, AnchorRequest(evidence_type="video", quote="x")
    )
    line = max(material.transcript.captions if material.transcript else (), key=lambda each: len(each.text))
    citation = await bench.cite(url, evidence_type="video", quote=line.text, at_s=line.start_s)
    words = line.text.split()
    edits: dict[str, Callable[[bytes], bytes]] = {
        "verified": lambda body: body,
        "changed": lambda body: body.replace(
            f"{words[0]} {words[1]}".encode(), f"{words[0]} never {words[1]}".encode()
        ),
        "gone": lambda body: re.sub(rb"(<text[^>]*>)[^<]*", rb"\g<1>so it goes", body),
        "moved": lambda body: re.sub(
            rb'start="(\d+)', lambda found: b'start="' + str(int(found[1]) + 7).encode(), body
        ),
    }
    seen = {}
    for wanted, edit in edits.items():
        web = EditedWeb("offline", offline_settings, offline_web.guard, offline_web.archive)
        object.__setattr__(web, "edit", edit)
        check = await recheck(citation, bench.store, bench.browser, bench.settings, web=web)
        seen[wanted] = check.verdict
    assert seen == {name: name for name in edits}


# --- tampering


@pytest.fixture
def copied(cited: Cited, bench: Bench) -> Cited:
    """That citation in a store that the test may change."""
    shutil.copytree(cited[0].folder, bench.folder)
    bench.store = bench.collector.store = Store(bench.folder)
    return bench, cited[1]


async def test_a_capture_that_was_changed_is_found(copied: Cited) -> None:
    bench, citation = copied
    path = bench.capture_path(citation)
    data = path.read_bytes()
    middle = len(data) // 2
    path.write_bytes(data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :])
    with pytest.raises(IntegrityError, match="was changed"):
        await replay(citation, bench.store, bench.browser, bench.settings)
    checked = verify(citation, bench.store)
    assert (checked.check.verdict, checked.visible_text) == ("error", "")
    assert "was changed" in checked.check.message
    path.unlink()
    with pytest.raises(IntegrityError, match="missing"):
        await replay(citation, bench.store, bench.browser, bench.settings)
    assert verify(citation, bench.store).check.verdict == "error"


@pytest.mark.nightly
async def test_a_capture_of_another_store_is_found(site: Site, bench: Bench, tmp_path: Path) -> None:
    """A whole capture, signed by somebody else's key, does not pass for this store's."""
    citation = await bench.cite(site.html("/page", PAGE), quote=QUOTE)
    other = Store(tmp_path / "other")
    assert other.signer.public_key != bench.store.signer.public_key
    for name in (citation_file(citation.id), capture_file(citation.capture.sha256)):
        other.files.create(name, bench.store.files.read(name))
    checked = verify(citation, other).check
    assert (checked.verdict, "No custody entry names" in checked.message) == ("error", True)
    other.log([other.take_over(citation_file(citation.id), bench.store.citation_bytes(citation.id))])
    for name, data in zip(picture_files(citation), bench.store.pictures(citation), strict=True):
        other.files.create(name, data)
    checked = verify(citation, other).check
    assert (checked.verdict, "signed by another key" in checked.message) == ("error", True)


def test_a_citation_that_claims_another_anchor_is_found(copied: Cited) -> None:
    bench, citation = copied
    forged = citation.model_copy(
        update={"anchor": citation.anchor.model_copy(update={"text": "the rate was 9%"})}
    )
    assert verify(forged, bench.store).check.verdict == "error"
    path = bench.folder / "citations" / f"{citation.id}.json"
    path.write_bytes(path.read_bytes().replace(b"A claim", b"A lie!!"))
    with pytest.raises(IntegrityError, match="was changed after it was made"):
        bench.store.get(citation.id)


async def test_a_citation_is_found_by_the_beginning_of_its_id(site: Site, cited: Cited) -> None:
    bench, citation = cited
    assert bench.store.get(citation.id[:6]) == citation
    assert list(bench.store.citations()) == [citation]
    assert bench.store.custody.faults() == []


# --- several processes, and kills


async def start(home: Path, url: str, times: int) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.browser.citing_process",
        str(home),
        url,
        QUOTE,
        str(times),
        cwd=REPOSITORY,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )


def whole(store: Store) -> list[str]:
    """The ids of the store's citations, every one of which must verify."""
    found = list(store.citations())
    assert [verify(citation, store).check.verdict for citation in found] == ["verified"] * len(found)
    assert store.custody.faults() == []
    return [citation.id for citation in found]


@pytest.mark.nightly
@pytest.mark.slow
async def test_two_processes_share_a_store(site: Site, tmp_path: Path) -> None:
    url = site.html("/page", PAGE)
    processes = [await start(tmp_path, url, 3) for _ in range(2)]
    ids: list[str] = []
    for process in processes:
        out, errors = await asyncio.wait_for(process.communicate(), 300)
        assert process.returncode == 0, errors.decode()
        ids += out.decode().split()
    store = Store(tmp_path / "snapshots" / "store")
    assert sorted(whole(store)) == sorted(ids)
    assert len(set(ids)) == 6
    assert store.custody.count() == 6
    # The page's state is the same for both; at most each process has captured it once.
    assert len(store.files.names("captures")) <= 2


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("moment", ["loading", "sealing", "moved", "stored"])
async def test_a_kill_leaves_no_half_written_citation(site: Site, tmp_path: Path, moment: str) -> None:
    """Killed when the page is asked for, a capture is written, has been moved, or is cited."""
    url = site.html("/page", PAGE)
    folder = tmp_path / "snapshots" / "store"
    store = Store(folder)
    reached: Callable[[], object] = {
        "loading": lambda: bool(site.seen),
        "sealing": lambda: any(folder.glob("tmp/*/*")),
        "moved": lambda: any(folder.glob("captures/*")),
        "stored": lambda: any(folder.glob("citations/*.json")),
    }[moment]
    process = await start(tmp_path, url, 50)
    try:
        async with asyncio.timeout(60):
            while not reached():
                assert process.returncode is None, "it ended by itself"
                await asyncio.sleep(0.001)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        out, _ = await process.communicate()
    told = out.decode().split()
    assert set(told) <= set(whole(store))
    for citation_id in told:
        assert store.checks(citation_id)
