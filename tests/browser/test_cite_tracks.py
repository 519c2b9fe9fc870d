"""What is said in videos of other sites than YouTube: read by the tool, cited from `<track>` or a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.citing import Bench
from tests.browser.conftest import Site
from tests.browser.toolboxes import Caller
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import AnchorNotFound, NoTranscript
from verifaible.evidence.replay import recheck, replay
from verifaible.net.web import Web

VTT = """WEBVTT

00:01.000 --> 00:04.000
In February the rate

00:04.000 --> 00:07.500
was <b>5.33%</b> in Shanghai.
"""


@pytest.fixture
def bench(tmp_path: Path, settings: Settings, live_web: Web, browser: Browser) -> Bench:
    return Bench(tmp_path, settings, live_web, browser)


@pytest.fixture
def page(site: Site) -> str:
    site.file("/captions/en.vtt", "text/vtt", VTT)
    return site.html(
        "/talk", '<h1>Talk</h1><video controls><track srclang="en" src="/captions/en.vtt"></video>', "A talk"
    )


async def test_words_of_a_track_that_change_and_go(site: Site, page: str, bench: Bench) -> None:
    citation = await bench.cite(page, evidence_type="video", quote="the rate was 5.33% in Shanghai", at_s=2)
    assert citation.source_url == page
    transcript = bench.json(citation, "transcript.json")
    assert transcript["source"] == f"{site.url}/captions/en.vtt"
    assert citation.anchor.time is not None
    assert (citation.anchor.time.start_s, citation.anchor.time.end_s) == (1.0, 7.5)
    site.file("/captions/en.vtt", "text/vtt", VTT.replace("5.33", "5.43"))
    check = await recheck(citation, bench.store, bench.browser, bench.settings, web=bench.web)
    assert check.verdict == "changed"
    site.html("/talk", "<h1>Talk</h1><p>The video was replaced by these words.</p>", "A talk")
    check = await recheck(citation, bench.store, bench.browser, bench.settings, web=bench.web)
    assert check.verdict == "gone"
    site.pages.clear()
    assert (await replay(citation, bench.store, bench.browser, bench.settings)).verdict == "verified"


async def test_words_that_are_not_said(page: str, bench: Bench) -> None:
    with pytest.raises(AnchorNotFound):
        await bench.cite(page, evidence_type="video", quote="the rate was 5.34% in Shanghai")


async def test_a_page_without_captions(site: Site, bench: Bench) -> None:
    url = site.html("/silent", "<video controls></video>")
    with pytest.raises(NoTranscript, match="names no captions"):
        await bench.cite(url, evidence_type="video", quote="anything at all")


async def test_a_file_of_captions(site: Site, page: str, bench: Bench) -> None:
    url = f"{site.url}/captions/en.vtt"
    citation = await bench.cite(url, evidence_type="video", quote="the rate was 5.33% in Shanghai")
    assert (await replay(citation, bench.store, bench.browser, bench.settings)).verdict == "verified"


async def test_a_page_whose_scripts_bring_none_either(site: Site, bench: Bench) -> None:
    reply = await Caller(bench.settings, bench.web, bench.browser)(
        "video_transcript", url=site.html("/s", "<p>x</p>")
    )
    assert reply.error_code == "no_transcript"
    assert "names no captions" in reply.text
