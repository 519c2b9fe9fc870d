"""Exports of real pages: the printed report, the page in a browser, the link, and other tools on the capture."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pymupdf
import pytest
import pytest_asyncio

from tests.browser.citing import Bench, pdf
from tests.browser.conftest import Site, serving
from verifaible.browser.page import watched
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import BrowserMissing
from verifaible.evidence.bundle_import import import_export
from verifaible.evidence.export import export
from verifaible.evidence.replay import replay
from verifaible.evidence.shown import link_of
from verifaible.evidence.verify import verify
from verifaible.net.web import Web
from verifaible.schema.citation import Citation, CitationDraft
from verifaible.store.store import Store

TABLE = """<p>Prices rose in Zhengzhou by 0.3%.</p><table><caption>指数</caption><thead><tr><th rowspan="2">城市</th>
<th colspan="2">新建</th></tr><tr><th>环比</th><th>同比</th></tr></thead><tbody><tr><td>郑　　州</td><td>99.4</td>
<td>90.9</td></tr><tr><td>洛　　阳</td><td>99.5</td><td>91.1</td></tr></tbody></table>"""


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page on loopback needs no patience."""
    monkeypatch.setattr(watched, "QUIET_MS_LIVE", 80)


@pytest.fixture
def bench(tmp_path: Path, settings: Settings, live_web: Web, browser: Browser) -> Bench:
    return Bench(tmp_path, settings, live_web, browser)


async def exported(bench: Bench, citation: Citation, out: Path) -> Path:
    return (await export(citation, bench.store, bench.settings, out, browser=bench.browser)).folder


def run(*command: str, where: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=where, capture_output=True, text=True, check=False, timeout=300)


def printed(out: Path) -> str:
    """The text of report.pdf, whose pages are A4."""
    with pymupdf.open(out / "report.pdf") as document:
        assert {(round(page.rect.width), round(page.rect.height)) for page in document} == {(595, 842)}
        return "".join(page.get_text() for page in document)


@dataclass(frozen=True)
class Rates:
    """The citation of a cell, the bench that made it, and its whole export."""

    bench: Bench
    citation: Citation
    out: Path


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def rates(
    tmp_path_factory: pytest.TempPathFactory, settings: Settings, live_web: Web, browser: Browser
) -> Rates:
    """An export for tests that change nothing of it."""
    folder = tmp_path_factory.mktemp("rates")
    bench = Bench(folder, settings, live_web, browser)
    with serving() as site:
        url = site.html("/rates", TABLE, title="二手住宅")
        citation = await bench.cite(url, evidence_type="table", row=("郑州",), column=("新建", "同比"))
    return Rates(bench, citation, await exported(bench, citation, folder / "out"))


def test_everything_there_is(rates: Rates) -> None:
    citation, out = rates.citation, rates.out
    page = (out / "evidence.html").read_text()
    assert '<td class="cell">90.9</td>' in page
    assert '<td class="line">99.4</td>' in page
    assert '<th colspan="2" class="line">新建</th>' in page
    assert "<caption>指数</caption>" in page
    text = printed(out)
    for wanted in (
        citation.claim,
        citation.id,
        citation.capture.sha256,
        "90.9",
        "同比",
        "指数",
        "openssl dgst",
    ):
        assert wanted in text, wanted
    done = run("sh", "-c", "grep '^    ' VERIFY.txt | sh -e", where=out)
    assert done.returncode == 0
    assert done.stdout.count("Verified OK") == 3


def test_other_tools_accept_the_capture(rates: Rates, tmp_path: Path) -> None:
    out = rates.out
    assert (out / "capture.wacz").read_bytes() == rates.bench.capture_path(rates.citation).read_bytes()
    tools = Path(sys.executable).parent
    with zipfile.ZipFile(out / "capture.wacz") as archive:
        warc = archive.extract("archive/data.warc.gz", tmp_path)
    for command in (
        [tools / "warcio", "check", "-v", warc],
        [tools / "wacz", "validate", "-f", out / "capture.wacz"],
    ):
        done = run(*map(str, command), where=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "rror" not in done.stdout


async def test_the_page_in_a_browser(site: Site, bench: Bench, tmp_path: Path) -> None:
    """It asks for nothing, has no fault, shows its pictures, and fits a phone."""
    words = (
        "<p>ノート 郑州 prices <b>rose</b> by 0.3%.</p>"
        + "<p>filler</p>" * 200
        + "<p>The rate was 5.33%.</p>"
    )
    citation = await bench.cite(site.html("/long", words), quote="The rate was 5.33%.")
    out = await exported(bench, citation, tmp_path / "out")
    async with bench.browser.page(bench.web) as opened:
        chromium = opened.page.context.browser
        assert chromium is not None
        context = await chromium.new_context(viewport={"width": 390, "height": 800})
        page = await context.new_page()
        asked: list[str] = []
        faults: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: faults.append(message.text))
        await page.goto((out / "evidence.html").as_uri())
        assert [url for url in asked if not url.startswith("data:image/webp")] == [
            (out / "evidence.html").as_uri()
        ]
        assert faults == []
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        # The detail is the part of the picture where the evidence stands.
        x, y, width, height = map(
            int, (await page.locator("figure svg").first.get_attribute("viewBox") or "").split()
        )
        assert citation.picture is not None
        rect = citation.picture.marks[0].rect
        assert x <= rect.x <= rect.x + rect.width <= x + width
        assert y <= rect.y <= rect.y + rect.height <= y + height
        shot = await page.locator("figure svg").first.screenshot()
        assert _colours(shot) > 2
        await context.close()


def _colours(png: bytes) -> int:
    picture = pymupdf.Pixmap(png)
    return int(picture.color_count())


@pytest.mark.nightly
async def test_the_link_scrolls_to_the_words(site: Site, bench: Bench) -> None:
    far = "<p>filler</p>" * 300
    quotes = {
        "/short": "The rate was 5.33% in non-farm work.",
        "/chinese": "全国人口总量为140489万人，比上年末减少339万人。",
        "/long": "The member voting against it was Michelle W. Bowman, who at this meeting would rather have brought "
        "the target range for the federal funds rate down by a quarter of a percentage point.",
    }
    for path, quote in quotes.items():
        citation = await bench.cite(site.html(path, f"{far}<p>{quote}</p>{far}"), quote=quote)
        link = link_of(citation)
        assert "#:~:text=" in link
        async with bench.browser.page(bench.web) as session:
            await session.page.goto(link)
            await session.page.wait_for_function("scrollY > 0", timeout=60_000)
            box = await session.page.get_by_text(quote[:20]).bounding_box()
            assert box is not None
            assert 0 <= box["y"] <= 900, path


async def test_a_pdf_and_its_page(site: Site, bench: Bench, tmp_path: Path) -> None:
    body = pdf("Nothing here.", "Net assets fell by 1.03 percent in the year.")
    url = site.file("/report.pdf", "application/pdf", body)
    citation = await bench.cite(url, evidence_type="pdf", quote="fell by 1.03 percent", page_number=2)
    out = await exported(bench, citation, tmp_path / "out")
    assert link_of(citation) == f"{url}#page=2"
    text = printed(out)
    assert "Page 2 of the PDF" in text
    assert "fell by 1.03 percent" in text


@pytest.mark.nightly
async def test_a_table_wider_than_paper_is_printed_around_its_cell(
    site: Site, bench: Bench, tmp_path: Path
) -> None:
    heads = "".join(f"<th>Column {number}</th>" for number in range(30))
    cells = "".join(f"<td>{number}.25</td>" for number in range(30))
    table = f"<table><tr><th>City</th>{heads}</tr><tr><th>Shanghai</th>{cells}</tr></table>"
    url = site.html("/wide", f"<p>Rates by city and month.</p>{table}")
    citation = await bench.cite(url, evidence_type="table", row=("Shanghai",), column=("Column 27",))
    out = await exported(bench, citation, tmp_path / "out")
    text = printed(out)
    assert "27.25" in text and "23 more columns" in " ".join(text.split())
    assert "0.25" not in text.replace("20.25", "")
    assert '<td class="line">0.25</td>' in (out / "evidence.html").read_text()


@pytest.mark.nightly
async def test_the_report_holds_all_of_what_is_long(site: Site, bench: Bench, tmp_path: Path) -> None:
    """Long claims, quotes, titles and addresses are printed whole, on as many pages as they need."""
    quote = " ".join(
        f"In the year {year} the rate was {year / 365:.2f} percent." for year in range(1900, 2000)
    )
    url = site.html("/long?" + "x" * 900, f"<p>{quote}</p>", title="A very long title " * 40)
    citation = await bench.cite(url, quote=quote)
    longer = citation.model_copy(update={"claim": "非常に長い主張です。" * 200})
    draft = {name: getattr(longer, name) for name in type(longer).model_fields if name != "id"}
    stored = bench.store.add(CitationDraft(**draft), capture=None, tiles=bench.store.pictures(citation))
    out = await exported(bench, stored, tmp_path / "out")
    text = "".join(printed(out).split())
    for whole in (stored.claim, quote, "x" * 900, "openssl dgst -sha256 -verify signatures/custody-key.pem"):
        assert "".join(whole.split()) in text
    assert quote in " ".join((out / "evidence.html").read_text().split())


async def test_there_and_back_and_replayed(rates: Rates, tmp_path: Path) -> None:
    """What was imported replays in a browser as it did where it was made."""
    bench, citation, other = rates.bench, rates.citation, Store(tmp_path / "other")
    await asyncio.to_thread(import_export, rates.out, other)
    assert other.get(citation.id) == citation
    assert verify(citation, other).check.verdict == "verified"
    (here,) = bench.store.checks(citation.id)
    there = await replay(citation, other, bench.browser, bench.settings)
    assert (here.verdict, here.overlap) == (there.verdict, there.overlap) == ("verified", 1.0)
    assert [each.kind for each in other.checks(citation.id)] == ["self"]


async def test_no_browser(rates: Rates, tmp_path: Path) -> None:
    bench, citation = rates.bench, rates.citation
    nowhere = bench.settings.model_copy(update={"browser": str(tmp_path / "no-chromium")})
    with pytest.raises(BrowserMissing, match=r"leave report\.pdf out"):
        await export(citation, bench.store, nowhere, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    done = await export(
        citation, bench.store, nowhere, tmp_path / "out", formats=("wacz", "jsonld", "png", "html")
    )
    assert "report.pdf" not in done.files
