"""The picture of a citation: bounded, unmodified, and never in the way of the evidence."""

from __future__ import annotations

import asyncio
import hashlib
import io
from pathlib import Path
from typing import Any, Literal

import pymupdf
import pytest
from PIL import Image

from tests.browser.citing import Bench, pdf
from tests.browser.conftest import Site
from verifaible.archive.reader import WaczReader
from verifaible.browser.page.fresh import Contexts, Fresh
from verifaible.browser.page.session import PageSession
from verifaible.browser.pictures import picture as pictures
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import PageNotLoaded
from verifaible.evidence import cite as collect
from verifaible.evidence.cite import Collector
from verifaible.evidence.replay import replay
from verifaible.evidence.verify import verify
from verifaible.net.web import Web
from verifaible.schema.anchor import Rect
from verifaible.schema.citation import CitationDraft

QUOTE = "The rate was 5.33% in February."
LONG = f"<p>{'Words before it. ' * 9}</p>" * 150 + f"<p>{QUOTE}</p>" + f"<p>{'And after it. ' * 9}</p>" * 150


@pytest.fixture
def bench(tmp_path: Path, settings: Settings, live_web: Web, browser: Browser) -> Bench:
    return Bench(tmp_path, settings, live_web, browser)


def with_height(bench: Bench, height: int | Literal["full"], folder: Path) -> Bench:
    settings = bench.settings.model_copy(update={"picture_height": height})
    return Bench(folder, settings, bench.web, bench.browser)


@pytest.mark.nightly
async def test_of_a_long_page_the_surroundings_are_pictured(site: Site, bench: Bench) -> None:
    citation = await bench.cite(site.html("/long", LONG), quote=QUOTE)
    picture, (file,) = citation.picture, bench.store.pictures(citation)
    assert picture is not None
    assert (picture.width, picture.height) == (1280, 4096)
    opened = Image.open(io.BytesIO(file))
    assert (opened.format, opened.size) == ("WEBP", (1280, 4096))
    (mark,) = picture.marks
    middle = mark.rect.y + mark.rect.height / 2
    assert (mark.kind, abs(middle - 2048) < 2) == ("text", True)
    assert mark.rect.y + picture.y == pytest.approx(citation.anchor.rects[0].y, abs=1)
    assert bench.is_marked(citation)


@pytest.mark.parametrize("medium", ["page", "pdf"])
async def test_the_evidence_is_marked_lightly_and_the_words_in_it_stronger(
    site: Site, bench: Bench, medium: str
) -> None:
    sentence = "Non è permesso fumare qui, né nel giardino."
    kind: dict[str, Any] = {}
    if medium == "pdf":
        document = pymupdf.open()
        document.new_page().insert_text((72, 72), f"Il locale apre alle 9. {sentence}", fontsize=12)
        site.file("/rules.pdf", "application/pdf", document.tobytes())
        url, kind = f"{site.url}/rules.pdf", {"evidence_type": "pdf", "page_number": 1}
    else:
        url = site.html("/rules", f"<p>Il locale apre alle 9. {sentence} Grazie.</p>")
    part = await bench.cite(url, quote="è permesso fumare qui", **kind)
    light, strong = part.picture.marks
    assert (light.kind, strong.kind) == ("sentence", "text")
    assert light.rect.x < strong.rect.x
    assert strong.rect.x + strong.rect.width < light.rect.x + light.rect.width
    assert len(part.anchor.rects) == 1, "what was asked for is what is anchored"
    seen, clean = bench.picture(part, marked=True), bench.picture(part, marked=False)
    shades = {
        (seen.pixel(x, y), clean.pixel(x, y))
        for mark, x in ((light, light.rect.x + 1), (strong, strong.rect.x + strong.rect.width - 1))
        for x, y in [(int(x), int(mark.rect.y + 1))]
    }
    assert len({marked for marked, _ in shades}) == 2
    assert all(marked != plain for marked, plain in shades)
    whole = await bench.cite(url, quote=sentence, **kind)
    assert [mark.kind for mark in whole.picture.marks] == ["text"]


async def test_the_whole_page_is_pictured_in_tiles(site: Site, bench: Bench, tmp_path: Path) -> None:
    full = with_height(bench, "full", tmp_path / "full")
    body = f'<div style="height:17000px">above</div><p>{QUOTE}</p><div style="height:2000px">below</div>'
    citation = await full.cite(site.html("/tall", body), quote=QUOTE)
    picture = citation.picture
    assert picture is not None
    assert [tile.y for tile in picture.tiles] == [0, 16_383]
    assert sum(tile.height for tile in picture.tiles) == picture.height > 19_000
    assert picture.marks[0].rect.y > 16_383
    assert full.is_marked(citation)
    assert verify(citation, full.store).check.verdict == "verified"


@pytest.mark.nightly
async def test_somebody_may_want_no_picture(site: Site, bench: Bench, tmp_path: Path) -> None:
    without = with_height(bench, 0, tmp_path / "without")
    site.file("/report.pdf", "application/pdf", pdf(QUOTE))
    for asked in ({"quote": QUOTE}, {"quote": QUOTE, "evidence_type": "pdf", "page_number": 1}):
        path = "/report.pdf" if "page_number" in asked else "/page"
        site.html("/page", f"<p>{QUOTE}</p>")
        citation = await without.cite(site.url + path, **asked)
        assert citation.picture is not None
        assert not citation.picture.tiles
        assert "none was wanted" in citation.picture.missing
        assert verify(citation, without.store).check.verdict == "verified"


@pytest.mark.nightly
@pytest.mark.parametrize("fault", ["refused", "empty", "no time"])
async def test_a_picture_that_fails_costs_no_citation(
    site: Site, bench: Bench, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    given = PageSession.screenshot
    calls: list[Rect] = []

    async def screenshot(session: PageSession, part: Rect, window: Rect | None = None) -> bytes:
        calls.append(part)
        if len(calls) > 1:  # only the picture of the page fails; the words must be looked at
            return await given(session, part, window)
        if fault == "empty":
            return b""
        raise PageNotLoaded("The browser gave no picture." if fault == "refused" else "It took over 30 s.")

    monkeypatch.setattr(PageSession, "screenshot", screenshot)
    citation = await bench.cite(site.html("/page", f"<p>{QUOTE}</p>"), quote=QUOTE)
    assert citation.picture is not None
    assert (citation.picture.tiles, citation.picture.marks) == ((), ())
    wanted = {"empty": "empty", "refused": "gave no picture", "no time": "over 30 s"}[fault]
    assert wanted in citation.picture.missing
    assert (await replay(citation, bench.store, bench.browser, bench.settings)).verdict == "verified"


async def test_citations_of_one_state_share_capture_and_picture(site: Site, bench: Bench) -> None:
    url = site.html("/page", f"<p>{QUOTE}</p><p>Another sentence.</p>")
    first, second = await bench.cite(url, quote=QUOTE), await bench.cite(url, quote="Another sentence.")
    assert first.capture == second.capture
    assert first.picture is not None and second.picture is not None
    assert first.picture.tiles == second.picture.tiles
    assert first.picture.marks != second.picture.marks
    assert len(list((bench.folder / "pictures").iterdir())) == 1


# --- nothing twice, nothing in line


async def test_what_is_replayed_is_what_is_sealed_to_the_byte(
    site: Site, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    replayed: list[str] = []
    once = Collector._graded

    async def recorded(self: Collector, draft: CitationDraft, reader: WaczReader, *more: Any) -> Any:
        (file,) = bench.folder.glob("tmp/*/capture.wacz")
        replayed.append(hashlib.sha256(file.read_bytes()).hexdigest())
        return await once(self, draft, reader, *more)

    monkeypatch.setattr(Collector, "_graded", recorded)
    citation = await bench.cite(site.html("/page", f"<p>{QUOTE}</p>"), quote=QUOTE)
    stored = hashlib.sha256(bench.capture_path(citation).read_bytes()).hexdigest()
    assert replayed == [citation.capture.sha256] == [stored]


async def test_the_self_replay_does_not_wait_for_the_picture(
    site: Site, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The picture waits for the end of the replay here: were it the other way round, nobody would move."""
    done = asyncio.Event()
    once = Collector._graded

    async def replayed(self: Collector, draft: CitationDraft, reader: WaczReader, *more: Any) -> Any:
        graded = await once(self, draft, reader, *more)
        done.set()
        return graded

    async def patient(*given: Any, **named: Any) -> pictures.Taken:
        await done.wait()
        return await pictures.take_picture(*given, **named)

    monkeypatch.setattr(Collector, "_graded", replayed)
    monkeypatch.setattr(collect, "take_picture", patient)
    citation = await asyncio.wait_for(bench.cite(site.html("/page", f"<p>{QUOTE}</p>"), quote=QUOTE), 180)
    assert bench.is_marked(citation)


@pytest.mark.nightly
async def test_a_second_citation_makes_no_context_in_the_foreground(
    site: Site, settings: Settings, live_web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    take = Contexts.take

    async def counted(self: Contexts, *given: Any) -> Fresh:
        ready = given[2] is not None if len(given) > 2 else False
        made.append("ahead" if ready in self._ahead else "now")
        return await take(self, *given)

    monkeypatch.setattr(Contexts, "take", counted)
    url = site.html("/page", f"<p>{QUOTE}</p><p>Another sentence.</p>")
    file = site.file("/a.pdf", "application/pdf", pdf(QUOTE, "Another sentence."))
    async with Browser(settings, offline=False) as own:
        bench = Bench(tmp_path, settings, live_web, own)
        await bench.cite(url, quote=QUOTE)
        first, made[:] = list(made), []
        await bench.cite(url, quote="Another sentence.")
        await bench.cite(file, evidence_type="pdf", quote=QUOTE)
        await bench.cite(file, evidence_type="pdf", quote="Another sentence.")
    assert first == ["now", "ahead"]
    assert made == ["ahead"] * 6
